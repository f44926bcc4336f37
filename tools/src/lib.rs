//! Generated files. Rogueima's tables, made from data: one module a table, and
//! what they share; and the CPU's single-step vectors.
//! Nothing in a generated file is written by hand, and no number in the data is;
//! its layout is the formatter's business.

pub mod data;
pub mod items;
pub mod monsters;
pub mod rumours;
pub mod symbols;
pub mod tiles;
pub mod vectors;
pub mod writer;

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use data::Data;

/// One generated file.
pub struct Table {
    /// The data it is made from, relative to the repository.
    pub data: &'static str,
    /// The source that is written, relative to the repository.
    pub output: &'static str,
    /// Makes the text of the one from the other.
    pub make: fn(&Data) -> Result<String>,
}

/// Every generated file.
pub const TABLES: &[Table] = &[
    Table { data: "data/items.toml", output: "programs/rogueima/itemtable.sda", make: items::make },
    Table {
        data: "data/monsters.toml",
        output: "programs/rogueima/montable.sda",
        make: monsters::make,
    },
    Table { data: "data/tiles.toml", output: "programs/rogueima/tiletable.sda", make: tiles::make },
    Table {
        data: "data/rumours.toml",
        output: "programs/rogueima/rumours.sda",
        make: rumours::make,
    },
];

/// Writes every generated file below `root` and names them.
///
/// # Errors
/// When a file can't be read or written, or a row is wrong: the message names
/// file, row and field. Nothing is written for a file whose data is wrong.
pub fn generate(root: &Path) -> Result<Vec<&'static str>> {
    let texts: Vec<_> = TABLES.iter().map(|table| text_of(root, table)).collect::<Result<_>>()?;
    for (table, text) in TABLES.iter().zip(texts) {
        fs::write(root.join(table.output), text).context(table.output)?;
    }
    Ok(TABLES.iter().map(|table| table.output).collect())
}

/// The generated files that are not what their data says.
///
/// # Errors
/// As [`generate`].
pub fn stale(root: &Path) -> Result<Vec<&'static str>> {
    let mut stale = Vec::new();
    for table in TABLES {
        let there = fs::read_to_string(root.join(table.output)).unwrap_or_default();
        if there != text_of(root, table)? {
            stale.push(table.output);
        }
    }
    Ok(stale)
}

fn text_of(root: &Path, table: &Table) -> Result<String> {
    let text = fs::read_to_string(root.join(table.data)).context(table.data)?;
    let body = (table.make)(&Data::parse(table.data, &text)?)?;
    Ok(sda::fmt::format(&(writer::header(table.data) + &body)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_generated_file_is_stale() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let stale = stale(&root).unwrap_or_else(|error| panic!("{error:#}"));
        assert!(stale.is_empty(), "run `cargo run -p tools -- generate`: {stale:?}");
    }
}
