//! What a person learns of things from playing: which weapon cuts deepest, where
//! a piece of armour goes, what a potion is good for.

use std::sync::LazyLock;

use anyhow::{Context, Result};

/// The slots in the order of their letters, A to M.
const SLOTS: [&str; 13] = [
    "HEAD",
    "NECK",
    "BODY",
    "CLOAK",
    "BELT",
    "WEAPON",
    "OFFHAND",
    "RIGHT_RING",
    "LEFT_RING",
    "ARMS",
    "GLOVES",
    "BOOTS",
    "LIGHT",
];

/// One kind of thing.
struct Kind {
    class: String,
    name: String,
    stat: u32,
    slot: u8,
    value: u32,
}

static KINDS: LazyLock<Vec<Kind>> = LazyLock::new(|| {
    read(include_str!("../../../data/items.toml")).expect("the table of items in data/")
});

fn read(text: &str) -> Result<Vec<Kind>> {
    let table: toml::Table = text.parse()?;
    let rows = table.get("item").and_then(toml::Value::as_array).context("no items")?;
    rows.iter().map(kind_of_row).collect()
}

fn kind_of_row(row: &toml::Value) -> Result<Kind> {
    let text = |name: &str| row.get(name).and_then(toml::Value::as_str).context(name.to_owned());
    let slots = row.get("slots").and_then(toml::Value::as_array);
    let slot = slots.and_then(|slots| slots.first()).and_then(toml::Value::as_str);
    let letter = slot.and_then(|slot| SLOTS.iter().position(|known| *known == slot));
    let stat = row.get("stat").and_then(toml::Value::as_integer).unwrap_or(0);
    Ok(Kind {
        class: text("class")?.to_owned(),
        name: text("name")?.to_owned(),
        stat: stat.max(0) as u32,
        value: row.get("value").and_then(toml::Value::as_integer).unwrap_or(0) as u32,
        slot: letter.map_or(0, |letter| b'A' + letter as u8),
    })
}

fn of_class<'a>(class: &'a str, name: &'a str) -> Option<&'static Kind> {
    KINDS.iter().find(|kind| kind.class == class && name.ends_with(&kind.name))
}

/// How good a weapon is: the sides of its die; 0 is a fist.
pub fn weapon(name: &str) -> u32 {
    of_class("weapon", name).map_or(0, |kind| kind.stat)
}

/// Slot and worth of a piece of armour.
pub fn armour(name: &str) -> Option<(u8, u32)> {
    of_class("armour", name).map(|kind| (kind.slot, kind.stat))
}

/// How long a food lasts.
pub fn food(name: &str) -> u32 {
    of_class("food", name).map_or(0, |kind| kind.stat)
}

/// Which kind a potion or scroll is, when its name says so.
pub fn kind(name: &str) -> Option<&'static str> {
    let of = name.split_once(" of ").map_or("", |(_, kind)| kind);
    let mut magic = KINDS.iter().filter(|kind| kind.class == "potion" || kind.class == "scroll");
    magic.find(|kind| kind.name == of).map(|kind| kind.name.as_str())
}

/// Which kind of potion (or scroll) costs so much, if only one of them does.
pub fn by_price(class: &str, price: u32, intelligence: u32) -> Option<&'static str> {
    let costs = |kind: &&Kind| kind.value * 20u32.saturating_sub(intelligence) / 10 == price;
    let mut kinds = KINDS.iter().filter(|kind| kind.class == class).filter(costs);
    let kind = kinds.next()?;
    kinds.next().is_none().then_some(kind.name.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_what_things_are_worth() {
        assert_eq!(weapon("blessed dagger"), 3);
        assert_eq!(armour("pair of gloves"), Some((b'K', 4)));
        assert_eq!(food("ration"), 500);
        assert_eq!(kind("potion of healing"), Some("healing"));
        assert_eq!(kind("milky potion"), None);
        assert_eq!(by_price("potion", 51, 3), Some("healing"));
    }
}
