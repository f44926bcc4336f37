//! The kinds of square: `data/tiles.toml` to `tiletable.sda`, and their numbers.

use std::fmt::Write;

use anyhow::{Result, ensure};

use crate::data::{Data, Row};
use crate::writer::{constant, label, string};

const KINDS: usize = 26;

/// Makes tiletable.sda.
///
/// # Errors
/// When a row is wrong: the message names file, row and field.
pub fn make(data: &Data) -> Result<String> {
    let rows = data.rows("tile")?;
    ensure!(rows.len() == KINDS, "{KINDS} kinds of square, there are {}", rows.len());
    let mut constants = String::new();
    let mut table = String::new();
    let mut strings = String::new();
    for (kind, row) in rows.iter().enumerate() {
        let name = row.text("name")?;
        let label = label(name);
        writeln!(constants, ".equ TK_{} {kind}", constant(name))?;
        let (glyph, colour) = (row.glyph("glyph")?, row.colour("color")?);
        writeln!(table, "    .bytes {glyph}, {colour}, {}", flags(row)?)?;
        writeln!(table, "    .ptrs @tname_{label}, @tdesc_{label}")?;
        strings += &string(&format!("tname_{label}"), row.text("called")?);
        strings += &string(&format!("tdesc_{label}"), row.text("desc")?);
        row.end()?;
    }
    Ok(format!(
        "; Needs const.sda: TI, the row of a kind; TF_, its flags.\n\n\
         {constants}.equ TK_COUNT {KINDS}\n.equ TK_TEMP TK_COUNT ; the generator's scratch kind\n\n\
         tile_table:\n{table}\
         .assert $ - @tile_table == TK_COUNT * TI.size, \"tile_table: a row for every kind\"\n\n\
         {strings}"
    ))
}

fn flags(row: &Row) -> Result<&'static str> {
    match (row.flag("walkable")?, row.flag("opaque")?) {
        (false, false) => Ok("0"),
        (true, false) => Ok("TF_WALKABLE"),
        (false, true) => Ok("TF_OPAQUE"),
        (true, true) => Err(row.wrong("opaque", "nobody walks where nobody sees")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DATA: &str = include_str!("../../data/tiles.toml");

    fn made(text: &str) -> Result<String> {
        make(&Data::parse("data/tiles.toml", text)?)
    }

    #[test]
    fn the_stairs_are_kinds_6_and_7() {
        let text = made(DATA).unwrap();
        assert!(text.contains(".equ TK_UP 6\n.equ TK_DOWN 7\n"));
        assert!(text.contains(".equ TK_COUNT 26\n.equ TK_TEMP TK_COUNT "));
        assert!(text.contains("    .bytes '#', LIGHT_GREY, TF_OPAQUE\n"));
    }

    #[test]
    fn a_wrong_row_is_named() {
        let message = |from: &str, to: &str| {
            assert!(DATA.contains(from), "{from}");
            made(&DATA.replacen(from, to, 1)).unwrap_err().to_string()
        };
        assert_eq!(
            message("walkable = true", "walkable = true\nopaque = true"),
            "data/tiles.toml: tile 1 \"floor\": opaque: nobody walks where nobody sees"
        );
        assert_eq!(
            message("color = \"green\"", "color = \"dark grey\""),
            "data/tiles.toml: tile 12 \"tree\": color: no colour \"dark grey\""
        );
    }
}
