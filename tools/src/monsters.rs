//! The monsters: `data/monsters.toml` to `montable.sda`, one row a kind, and a
//! sentence about each.

use std::collections::HashSet;
use std::fmt::Write;

use anyhow::{Result, ensure};

use crate::data::{Data, Row};
use crate::writer::{constant, label, string};

const KINDS: usize = 28;
const GLYPHS: usize = 6;
const MOST_ATTACKS: usize = 3;

const VERBS: [(&str, &str); 4] =
    [("hit", "AT_HIT"), ("bite", "AT_BITE"), ("claw", "AT_CLAW"), ("spit", "AT_SPIT")];

const DAMAGE: [(&str, &str); 4] =
    [("", "DT_NONE"), ("fire", "DT_FIRE"), ("poison", "DT_POISON"), ("blinding", "DT_BLINDING")];

/// The text of montable.sda as it grows.
#[derive(Default)]
struct Text {
    constants: String,
    table: String,
    sentences: String,
    strings: String,
}

/// Makes montable.sda.
///
/// # Errors
/// When a row is wrong: the message names file, row and field.
pub fn make(data: &Data) -> Result<String> {
    let rows = data.rows("monster")?;
    ensure!(rows.len() == KINDS, "{KINDS} kinds of monster, there are {}", rows.len());
    let mut text = Text::default();
    let mut glyphs = HashSet::new();
    let mut looks = HashSet::new();
    let mut most = 0;
    for (kind, row) in rows.iter().enumerate() {
        let glyph = row.text("glyph")?;
        glyphs.insert(glyph);
        if !looks.insert((glyph, row.colour("color")?)) {
            return Err(row.wrong("color", "another kind has this glyph in this colour"));
        }
        let prob = row.number("prob", 0..=255)?;
        if kind == 0 && prob != 0 {
            return Err(row.wrong("prob", "the player is never drawn: 0"));
        }
        most = most.max(prob);
        monster(kind, row, &mut text)?;
    }
    ensure!(glyphs.len() == GLYPHS, "{GLYPHS} glyphs, there are {}", glyphs.len());
    Ok(format!(
        "; Needs const.sda: MO, the row of a kind; ATK, an attack.\n\n\
         {}.equ MONSTER_KINDS {KINDS}\n.equ PROB_MAX {most}\n\n\
         monster_table:\n{}\n\
         monster_sentences: ; what a long look tells\n{}\n{}",
        text.constants, text.table, text.sentences, text.strings
    ))
}

fn monster(kind: usize, row: &Row, text: &mut Text) -> Result<()> {
    let name = row.text("name")?;
    let label = label(name);
    writeln!(text.constants, ".equ MON_{} {kind}", constant(name))?;
    let attacks = row.list("attacks")?;
    if attacks.is_empty() || attacks.len() > MOST_ATTACKS {
        return Err(row.wrong("attacks", "1 to 3 of them"));
    }
    writeln!(
        text.table,
        "monster_{label}:\n    .bytes {}, {}, {}, {}, {}, {}\n    .words {}, {}\n    .bytes @mon_{label}, {}",
        row.glyph("glyph")?,
        row.colour("color")?,
        row.number("level", 1..=20)?,
        row.number("ac", 0..=100)?,
        row.number("prob", 0..=255)?,
        row.number("align", -8..=8)?,
        row.number("mspeed", 100..=20_000)?,
        row.number("aspeed", 100..=20_000)?,
        attacks.len(),
    )?;
    for number in 0..MOST_ATTACKS {
        match attacks.get(number) {
            Some(words) => attack(row, words, &mut text.table)?,
            None => writeln!(text.table, "    .bytes 0, 0, 0, 0, 0")?,
        }
    }
    writeln!(text.sentences, "    .ptrs @about_{label}")?;
    text.strings += &string(&format!("mon_{label}"), name);
    text.strings += &string(&format!("about_{label}"), row.text("describe")?);
    row.end()
}

/// One attack: a verb, dice and perhaps what kind of damage.
fn attack(row: &Row, words: &str, table: &mut String) -> Result<()> {
    let mut words = words.split(' ');
    let mut word = || words.next().unwrap_or_default();
    let verb = row.one_of("attacks", word(), &VERBS)?;
    let dice = row.dice_of("attacks", word())?;
    let damage = row.one_of("attacks", word(), &DAMAGE)?;
    if words.next().is_some() {
        return Err(row.wrong("attacks", "a verb, dice, and a kind of damage, no more"));
    }
    let bytes = format!("{verb}, {damage}, {}, {}, {}", dice.count, dice.sides, dice.bonus);
    writeln!(table, "    .bytes {bytes}")?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const DATA: &str = include_str!("../../data/monsters.toml");

    fn made(text: &str) -> Result<String> {
        make(&Data::parse("data/monsters.toml", text)?)
    }

    fn message(from: &str, to: &str) -> String {
        assert!(DATA.contains(from), "{from}");
        made(&DATA.replacen(from, to, 1)).unwrap_err().to_string()
    }

    #[test]
    fn an_attack_is_five_bytes() {
        let text = made(DATA).unwrap();
        assert!(text.contains("    .bytes AT_BITE, DT_NONE, 1, 2, -1\n"));
        assert!(text.contains("    .bytes AT_SPIT, DT_FIRE, 2, 6, 0\n"));
        assert!(text.contains("    .bytes AT_SPIT, DT_BLINDING, 0, 0, 0\n"));
    }

    #[test]
    fn a_wrong_row_is_named() {
        let rat = "data/monsters.toml: monster 1 \"sewer rat\": ";
        assert_eq!(
            message("bite 1d2-1", "nibble 1d2-1"),
            format!("{rat}attacks: \"nibble\" is none of hit, bite, claw, spit")
        );
        assert_eq!(
            message("bite 1d2-1", "bite 1d2-1 cold"),
            format!("{rat}attacks: \"cold\" is none of , fire, poison, blinding")
        );
        assert_eq!(message("bite 1d2-1", "bite two"), format!("{rat}attacks: \"two\" is no dice"));
        assert_eq!(
            message("bite 1d2-1", "bite 1d2-1 fire fire"),
            format!("{rat}attacks: a verb, dice, and a kind of damage, no more")
        );
    }

    #[test]
    fn glyph_and_colour_together_are_unique() {
        assert_eq!(
            message("color = \"light magenta\"", "color = \"light grey\""),
            "data/monsters.toml: monster 3 \"phase rat\": color: \
             another kind has this glyph in this colour"
        );
    }

    #[test]
    fn nobody_takes_no_time() {
        assert_eq!(
            message("mspeed = 400", "mspeed = 0"),
            "data/monsters.toml: monster 3 \"phase rat\": mspeed: 0 is not in 100..=20000"
        );
    }
}
