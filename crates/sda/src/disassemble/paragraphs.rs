//! Lines in paragraphs with a blank line between them, put into the layout
//! many at a time.

use std::io::{self, Write};

/// Bytes from which on the text is written where it can be divided.
const ENOUGH: usize = 1 << 14;
/// Bytes at which it is written wherever it is.
const MOST: usize = 1 << 20;

/// The lines that are still to be written.
pub(super) struct Paragraphs<'a> {
    out: &'a mut dyn Write,
    text: String,
    /// The text is in the layout already.
    is_plain: bool,
    /// The layout of what comes next does not depend on the text, nor the
    /// text's on that.
    can_divide: bool,
    /// A paragraph has ended; a blank line comes before the next.
    has_ended: bool,
}

impl<'a> Paragraphs<'a> {
    pub fn new(out: &'a mut dyn Write) -> Paragraphs<'a> {
        let text = String::new();
        Paragraphs { out, text, is_plain: true, can_divide: false, has_ended: false }
    }

    /// Appends a line and the comment behind it, if there is one.
    pub fn line(&mut self, code: &str, comment: Option<&str>) -> io::Result<()> {
        self.begin()?;
        self.is_plain = false;
        self.text.push_str(code);
        if let Some(comment) = comment {
            self.text.push_str(" ; ");
            self.text.push_str(comment);
        }
        self.text.push('\n');
        Ok(())
    }

    /// Appends a label, without its colon.
    pub fn label(&mut self, label: &str) -> io::Result<()> {
        self.begin()?;
        self.text.push_str(label);
        self.text.push_str(":\n");
        Ok(())
    }

    /// Appends an instruction, with the one blank between its parts. There may
    /// be millions, and without comments their layout is known.
    pub fn instruction(&mut self, code: &str) -> io::Result<()> {
        self.begin()?;
        self.text.push_str("    ");
        self.text.push_str(code);
        self.text.push('\n');
        self.can_divide = true;
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

    /// Before a line: a blank one where a paragraph has ended, and what is
    /// enough is written.
    fn begin(&mut self) -> io::Result<()> {
        let has_ended = std::mem::take(&mut self.has_ended);
        let can_divide = std::mem::take(&mut self.can_divide) || has_ended;
        if self.text.len() >= if can_divide { ENOUGH } else { MOST } {
            self.write()?;
            if has_ended {
                self.out.write_all(b"\n")?;
            }
        } else if has_ended {
            self.text.push('\n');
        }
        Ok(())
    }

    fn write(&mut self) -> io::Result<()> {
        if std::mem::replace(&mut self.is_plain, true) {
            self.out.write_all(self.text.as_bytes())?;
        } else {
            self.out.write_all(crate::fmt::format(&self.text).as_bytes())?;
        }
        self.text.clear();
        Ok(())
    }
}
