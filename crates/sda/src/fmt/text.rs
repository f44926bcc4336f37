//! A statement written anew: head and operands, with the blanks between its
//! tokens that belong there.

use super::line::Line;
use super::spell::Speller;
use super::statement::{Sort, is_glued};
use crate::directive::Directive;
use crate::lex::{Kind, Token};
use crate::names::Names;

/// A statement in the one spelling.
#[derive(Default)]
pub(super) struct Text {
    /// What is defined and stands before a column: `.equ NAME`, `NAME`, a
    /// field.
    pub key: String,
    /// The mnemonic, directive or macro; `=` of a constant.
    pub word: String,
    /// The operands, without the commas between them.
    pub cells: Vec<String>,
    /// Whether more than a blank stands behind one of the commas.
    pub is_padded: bool,
}

impl Text {
    /// Writes `tokens`, a statement of this sort in `line`.
    pub fn new(line: &Line<'_>, sort: Sort, tokens: &[Token], names: &Names) -> Text {
        let (key, head) = match sort {
            Sort::Directive(Directive::Equ) if defines(tokens) => (2, 2),
            Sort::Constant | Sort::Field => (1, 2),
            _ => (0, 1 + glued(tokens)),
        };
        let (head, operands) = tokens.split_at(head.min(tokens.len()));
        let mut text = Text::default();
        let mut speller = Speller::new(line, sort, names);
        for (at, &token) in head.iter().enumerate() {
            speller.write(token, if at < key { &mut text.key } else { &mut text.word });
        }
        speller.begin_operands();
        for (at, &token) in operands.iter().enumerate() {
            if text.cells.is_empty() {
                text.cells.push(String::new());
            }
            if token.kind == Kind::Comma && !speller.is_within() {
                let next = operands.get(at + 1);
                text.is_padded |= next.is_some_and(|&next| is_wide(line.gap(token, next)));
                text.cells.push(String::new());
                speller.next_operand(token);
            } else if let Some(cell) = text.cells.last_mut() {
                speller.write(token, cell);
            }
        }
        text
    }

    /// Puts labels before everything.
    pub fn prepend(&mut self, labels: &str) {
        let first = if self.key.is_empty() { &mut self.word } else { &mut self.key };
        let statement = std::mem::replace(first, labels.into());
        append(first, &statement);
    }

    /// Appends key, word and operands to a line that may have begun.
    pub fn append_to(&self, out: &mut String) {
        append(out, &self.key);
        append(out, &self.word);
        for (at, cell) in self.cells.iter().enumerate() {
            if at > 0 {
                out.push(',');
            }
            append(out, cell);
        }
    }
}

/// Appends a part with a blank before it.
fn append(out: &mut String, part: &str) {
    if !part.is_empty() && !out.is_empty() && !out.ends_with(' ') {
        out.push(' ');
    }
    out.push_str(part);
}

/// Whether `.equ` is followed by a name and more.
fn defines(tokens: &[Token]) -> bool {
    matches!(tokens, [_, name, _, ..] if name.kind == Kind::Ident) && !is_glued(&tokens[1..])
}

/// Tokens behind the first that only a macro joins with it.
fn glued(tokens: &[Token]) -> usize {
    (0..tokens.len()).take_while(|&at| is_glued(&tokens[at..])).count()
}

fn is_wide(gap: &str) -> bool {
    gap.len() > 1 || gap == "\t"
}

/// Columns that a text takes: its characters.
pub(super) fn width(text: &str) -> usize {
    text.chars().count()
}
