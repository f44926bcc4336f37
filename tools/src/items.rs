//! The items: `data/items.toml` to `itemtable.sda`, one row a kind, and the
//! appearances that a game shuffles among its potions and scrolls.

use std::fmt::Write;

use anyhow::{Result, ensure};

use crate::data::{Data, Row};
use crate::writer::{constant, label, string};

/// A class of items: how the data calls it, its glyph and how many there are.
struct Class {
    name: &'static str,
    tag: &'static str,
    glyph: char,
    kinds: usize,
    looks: usize,
}

const CLASSES: [Class; 5] = [
    Class { name: "armour", tag: "OT_ARMOUR", glyph: '[', kinds: 8, looks: 0 },
    Class { name: "weapon", tag: "OT_WEAPON", glyph: ')', kinds: 16, looks: 0 },
    Class { name: "food", tag: "OT_FOOD", glyph: '%', kinds: 7, looks: 0 },
    Class { name: "potion", tag: "OT_POTION", glyph: '!', kinds: 5, looks: 5 },
    Class { name: "scroll", tag: "OT_SCROLL", glyph: '?', kinds: 5, looks: 5 },
];

const SLOTS: [(&str, &str); 13] = [
    ("HEAD", "HEAD"),
    ("NECK", "NECK"),
    ("BODY", "BODY"),
    ("CLOAK", "CLOAK"),
    ("BELT", "BELT"),
    ("WEAPON", "WEAPON"),
    ("OFFHAND", "OFFHAND"),
    ("RIGHT_RING", "RIGHT_RING"),
    ("LEFT_RING", "LEFT_RING"),
    ("ARMS", "ARMS"),
    ("GLOVES", "GLOVES"),
    ("BOOTS", "BOOTS"),
    ("LIGHT", "LIGHT"),
];

const ARTICLES: [(&str, &str); 4] =
    [("a", "IF_COMMON"), ("pair", "IF_PAIR"), ("the", "IF_UNIQUE"), ("none", "IF_PROPER")];

/// Makes itemtable.sda.
///
/// # Errors
/// When a row is wrong: the message names file, row and field.
pub fn make(data: &Data) -> Result<String> {
    let rows = data.rows("item")?;
    let mut text =
        String::from("; Needs const.sda: IT, the row of a kind; LOOK, an appearance.\n\n");
    let mut strings = String::new();
    let mut table = String::from("\nitem_table:\n");
    let mut first = Vec::new();
    let mut classes: Vec<&str> = Vec::new();
    let mut weight = 0;
    for (kind, row) in rows.iter().enumerate() {
        let class = class_of(row)?;
        let seen = classes.iter().filter(|name| **name == class.name).count();
        if seen == 0 {
            first.push(kind);
        } else if classes.last() != Some(&class.name) {
            return Err(row.wrong("class", "its rows do not stand together"));
        }
        classes.push(class.name);
        let look = if class.looks == 0 { 0 } else { first_look(class) + seen + 1 };
        weight += item(row, class, look, &mut table, &mut strings)?;
        writeln!(text, ".equ KIND_{} {kind}", constant(row.text("name")?))?;
    }
    for (class, first) in CLASSES.iter().zip(first) {
        let count = classes.iter().filter(|name| **name == class.name).count();
        ensure!(count == class.kinds, "{} {} kinds, there are {count}", class.kinds, class.name);
        writeln!(text, ".equ FIRST_{} {first}", class.name.to_uppercase())?;
        writeln!(text, ".equ {}_KINDS {count}", class.name.to_uppercase())?;
    }
    writeln!(text, ".equ ITEM_KINDS {}", rows.len())?;
    writeln!(text, ".equ ITEM_WEIGHT {weight}")?;
    Ok(text + &table + &looks(data, &mut strings)? + "\n" + &strings)
}

fn class_of(row: &Row) -> Result<&'static Class> {
    let choices: Vec<_> = CLASSES.iter().map(|class| (class.name, class)).collect();
    row.choice("class", &choices)
}

fn first_look(class: &Class) -> usize {
    CLASSES.iter().take_while(|other| other.name != class.name).map(|other| other.looks).sum()
}

/// One row of the table; the answer is its weight.
fn item(
    row: &Row,
    class: &Class,
    look: usize,
    table: &mut String,
    strings: &mut String,
) -> Result<i64> {
    let name = row.text("name")?;
    let stat = match class.name {
        "scroll" => 0,
        "potion" => row.number("stat", -5000..=5000)?,
        "food" => row.number("stat", 1..=5000)?,
        _ => row.number("stat", 1..=100)?,
    };
    let slots = row.list("slots")?;
    let slots =
        slots.iter().map(|slot| Ok(format!("SLOTBIT_{}", row.one_of("slots", slot, &SLOTS)?)));
    let slots = slots.collect::<Result<Vec<String>>>()?.join(" | ");
    let worn = matches!(class.name, "armour" | "weapon");
    if worn == slots.is_empty() {
        return Err(row.wrong("slots", "armour and weapons have them, nothing else"));
    }
    let slots = if slots.is_empty() { "0".to_owned() } else { slots };
    // Unknown potions and scrolls have the colour of their appearance.
    let colour = if class.looks > 0 { "LIGHT_GREY" } else { row.colour("color")? };
    let mut flags =
        if row.has("article") { row.choice("article", &ARTICLES)? } else { "IF_COMMON" }.to_owned();
    if row.flag("metal")? {
        flags += " | IF_METAL";
    }
    let value = row.number("value", 1..=9999)?;
    let prob = row.number("prob", 0..=255)?;
    let label = label(name);
    writeln!(table, "item_{label}:")?;
    writeln!(table, "    .bytes {}, '{}'", class.tag, class.glyph)?;
    writeln!(table, "    .words {stat}")?;
    writeln!(table, "    .ptrs @iname_{label}")?;
    writeln!(table, "    .words {slots}, {value}")?;
    writeln!(table, "    .bytes {colour}, {prob}, {look}, {flags}")?;
    writeln!(table, "    .ptrs @idesc_{label}")?;
    strings.push_str(&string(&format!("iname_{label}"), name));
    strings.push_str(&string(&format!("idesc_{label}"), row.text("desc")?));
    row.end()?;
    Ok(prob)
}

/// The table of appearances, potions first.
fn looks(data: &Data, strings: &mut String) -> Result<String> {
    let rows = data.rows("appearance")?;
    let mut table = String::from("\nlook_table:\n");
    for class in CLASSES.iter().filter(|class| class.looks > 0) {
        let mut count = 0;
        for row in &rows {
            if class_of(row)?.name != class.name {
                continue;
            }
            let name = row.text("name")?;
            let text = format!("lname_{}", label(name));
            writeln!(table, "    .ptrs @{text}")?;
            writeln!(table, "    .bytes {}", row.colour("color")?)?;
            strings.push_str(&string(&text, name));
            row.end()?;
            count += 1;
        }
        ensure!(
            count == class.looks,
            "{} appearances of a {}, there are {count}",
            class.looks,
            class.name
        );
    }
    Ok(table)
}

#[cfg(test)]
mod tests {
    use super::*;

    const REAL: &str = include_str!("../../data/items.toml");

    fn error_with(from: &str, to: &str) -> String {
        assert!(REAL.contains(from), "{from}");
        let data = Data::parse("data/items.toml", &REAL.replacen(from, to, 1)).unwrap();
        format!("{:#}", make(&data).unwrap_err())
    }

    #[test]
    fn the_counts_are_fixed() {
        let text = make(&Data::parse("data/items.toml", REAL).unwrap()).unwrap();
        assert!(text.contains(".equ ITEM_KINDS 41\n"));
        assert!(text.contains(".equ KIND_SUNSWORD 23\n"));
        let few = error_with(
            "[[item]]\nclass = \"weapon\"\nname = \"dagger\"",
            "[[other]]\nclass = \"weapon\"\nname = \"dagger\"",
        );
        assert!(few.contains("16 weapon kinds, there are 15"), "{few}");
    }

    #[test]
    fn a_wrong_row_is_named() {
        assert_eq!(
            error_with("slots = [\"GLOVES\"]", "slots = [\"GLOVE\"]").split(" is none").next(),
            Some("data/items.toml: item 3 \"gloves\": slots: \"GLOVE\"")
        );
        assert_eq!(
            error_with("stat = 500", "stat = \"many\""),
            "data/items.toml: item 26 \"ration\": stat: is no whole number"
        );
        let apart =
            error_with("class = \"weapon\"\nname = \"club\"", "class = \"food\"\nname = \"club\"");
        assert!(apart.contains("item 10 \"club\""), "{apart}");
    }
}
