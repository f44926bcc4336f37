//! Lines in paragraphs with a blank line between them, put into the layout
//! many at a time.

use std::io::{self, Write};

/// Bytes from which on the text is written at the end of a paragraph.
const ENOUGH: usize = 1 << 16;
/// Bytes at which it is written wherever it is.
const MOST: usize = 1 << 20;

/// The lines that are still to be written.
pub(super) struct Paragraphs<'a> {
    out: &'a mut dyn Write,
    text: String,
    /// A paragraph has ended; a blank line comes before the next.
    has_ended: bool,
}

impl<'a> Paragraphs<'a> {
    pub fn new(out: &'a mut dyn Write) -> Paragraphs<'a> {
        Paragraphs { out, text: String::new(), has_ended: false }
    }

    /// Appends a line and the comment behind it, if there is one.
    pub fn line(&mut self, code: &str, comment: Option<&str>) -> io::Result<()> {
        if std::mem::take(&mut self.has_ended) {
            if self.text.len() >= ENOUGH {
                self.write()?;
                writeln!(self.out)?;
            } else if !self.text.is_empty() {
                self.text.push('\n');
            }
        } else if self.text.len() >= MOST {
            self.write()?;
        }
        self.text.push_str(code);
        if let Some(comment) = comment {
            self.text.push_str(" ; ");
            self.text.push_str(comment);
        }
        self.text.push('\n');
        Ok(())
    }

    /// Appends a row of data that needs no layout: in the midst of other such
    /// rows nothing stands beside it or in a column with it.
    pub fn row(&mut self, code: &str) -> io::Result<()> {
        if !self.text.is_empty() {
            self.write()?;
        }
        self.out.write_all(b"    ")?;
        self.out.write_all(code.as_bytes())?;
        self.out.write_all(b"\n")
    }

    /// The next line is that of another paragraph.
    pub fn end(&mut self) {
        self.has_ended = !self.text.is_empty();
    }

    /// Writes what is left.
    pub fn finish(mut self) -> io::Result<()> {
        self.write()
    }

    fn write(&mut self) -> io::Result<()> {
        let formatted = crate::fmt::format(&self.text);
        self.text.clear();
        self.out.write_all(formatted.as_bytes())
    }
}
