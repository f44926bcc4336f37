//! `fmt`: one layout for `.sda` sources. Only blanks, line ends, the case of
//! the language's own words and of digits change, so a formatted source
//! assembles to the same bytes.

mod block;
mod columns;
mod line;
mod row;
mod spell;
mod statement;
mod text;

use crate::lex;
use crate::names::Names;

use line::Line;
use row::Rows;

/// The source in the one layout, with LF line ends and without a byte-order
/// mark.
///
/// * Labels and what declares (`.equ`, `.include`, `.macro` and so on) stand
///   in column 1, statements that emit in column 5. Within `.macro`, `.rept`
///   and `.if` everything but labels stands a step of 4 further for each open
///   block; what emits, for each after the first.
/// * A label stands on a line of its own, but beside data of a single line,
///   and where only an expansion completes it (`\name:`, `loop\@:`).
/// * Mnemonics and registers are upper case, directives and functions lower;
///   names are left alone. One blank stands between mnemonic and operands,
///   behind a comma and on either side of an operator.
/// * Values of neighbouring `.equ`, `=`, fields and labelled data stand in a
///   column, and so do lists whose author has begun to align them.
/// * Comments behind statements stand in column 41, or further right when a
///   neighbour needs it. A comment alone on its line stays in column 1 or
///   goes with the statement below. Its text is never touched.
/// * Blank lines come singly, and neither first nor last.
///
/// A line with a character that begins no token, or a quote that does not
/// end, is left as it is. Formatting twice is formatting once. Time and memory
/// are linear in the length of `source`, which is at most 4 GB.
pub fn format(source: &str) -> String {
    let source = source.strip_prefix(MARK).unwrap_or(source);
    let mut names = Names::default();
    let mut rows = Rows::default();
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < source.len() {
        tokens.clear();
        let next = lex::line(source, at, 0, &mut names, &mut tokens);
        rows.push(&Line::new(source, at..next, &tokens), &names);
        at = next;
    }
    let formatted = columns::write(rows.finish());
    // What looks like a mark but is none must not become one.
    if formatted.starts_with(MARK) { format!("{MARK}{formatted}") } else { formatted }
}

/// The byte-order mark.
const MARK: char = '\u{FEFF}';

#[cfg(test)]
mod tests;
