//! The rumours: `data/rumours.toml` to `rumours.sda`.

use std::collections::HashSet;
use std::fmt::Write;

use anyhow::{Result, ensure};

use crate::data::Data;
use crate::writer::string;

const FEWEST: usize = 60;
/// Seven rows of the message window.
const LONGEST: usize = 120;

/// Makes rumours.sda.
///
/// # Errors
/// When a row is wrong: the message names file, row and field.
pub fn make(data: &Data) -> Result<String> {
    let rows = data.rows("rumour")?;
    ensure!(rows.len() >= FEWEST, "{FEWEST} rumours or more, there are {}", rows.len());
    let mut table = String::new();
    let mut strings = String::new();
    let mut known = HashSet::new();
    for (number, row) in rows.iter().enumerate() {
        let text = row.text("text")?;
        if text.len() > LONGEST {
            return Err(row.wrong("text", &format!("over {LONGEST} characters")));
        }
        if !known.insert(text) {
            return Err(row.wrong("text", "was said before"));
        }
        writeln!(table, "    .ptrs @rumour_{number}")?;
        strings += &string(&format!("rumour_{number}"), text);
        row.end()?;
    }
    Ok(format!(".equ RUMOUR_COUNT {}\n\nrumour_table:\n{table}\n{strings}", rows.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rumour_is_said_once_and_fits_the_window() {
        let text = include_str!("../../data/rumours.toml");
        let message = |text: &str| {
            make(&Data::parse("data/rumours.toml", text).unwrap()).unwrap_err().to_string()
        };
        let again = "\n[[rumour]]\ntext = \"Close the door. A rat has never opened one.\"\n";
        assert!(message(&(text.to_owned() + again)).ends_with("\"\": text: was said before"));
        let long = format!("\n[[rumour]]\ntext = \"{}\"\n", "a".repeat(LONGEST + 1));
        assert!(message(&(text.to_owned() + &long)).ends_with("text: over 120 characters"));
    }
}
