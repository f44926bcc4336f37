//! Lines up to the next blank one, which are put into the layout together.

use std::io::{self, Write};

/// Lines in a paragraph at most, whatever comes.
const LONGEST: usize = 10_000;

/// The lines of a paragraph so far.
#[derive(Default)]
pub(super) struct Paragraph {
    text: String,
    lines: usize,
    /// Whether one was written before, from which a blank line divides it.
    has_one_before: bool,
}

impl Paragraph {
    pub fn is_empty(&self) -> bool {
        self.lines == 0
    }

    /// Whether it has to be written although it goes on.
    pub fn is_full(&self) -> bool {
        self.lines >= LONGEST
    }

    /// Appends a line and the comment behind it, if there is one.
    pub fn line(&mut self, code: &str, comment: Option<&str>) {
        self.text.push_str(code);
        if let Some(comment) = comment {
            self.text.push_str(" ; ");
            self.text.push_str(comment);
        }
        self.text.push('\n');
        self.lines += 1;
    }

    /// Writes the lines; the next ones stand behind a blank line if this was
    /// the `end` of the paragraph.
    pub fn write(&mut self, end: bool, out: &mut impl Write) -> io::Result<()> {
        if self.is_empty() {
            return Ok(());
        }
        if self.has_one_before {
            writeln!(out)?;
        }
        self.has_one_before = end;
        self.lines = 0;
        let formatted = crate::fmt::format(&self.text);
        self.text.clear();
        out.write_all(formatted.as_bytes())
    }
}
