//! A text with what is read from it: its lines, and its names once somebody
//! asks.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use lsp_types::{Position, Range as Span, TextDocumentContentChangeEvent, Uri};
use sda::index::Index;

use crate::encoding::{Encoding, Lines};
use crate::history::History;

/// A text.
#[derive(Debug)]
pub(crate) struct Text {
    pub text: String,
    pub lines: Lines,
    index: OnceLock<Index>,
}

impl Text {
    pub fn new(text: String) -> Text {
        Text { lines: Lines::new(&text), text, index: OnceLock::new() }
    }

    pub fn index(&self) -> &Index {
        self.index.get_or_init(|| Index::new(&self.text))
    }

    pub fn line(&self, line: usize) -> &str {
        &self.text[self.lines.range(&self.text, line)]
    }

    pub fn offset(&self, position: Position, encoding: Encoding) -> usize {
        self.lines.offset(&self.text, position, encoding)
    }

    pub fn span(&self, range: Range<usize>, encoding: Encoding) -> Span {
        self.lines.span(&self.text, range, encoding)
    }

    /// The number of a line in an older text, unless it is new or changed:
    /// lines count from the beginning up to where the texts differ, and from
    /// the end behind that.
    pub fn line_in(&self, old: &Text, line: usize) -> Option<usize> {
        let (new, before) = (self.text.as_bytes(), old.text.as_bytes());
        let range = self.lines.range(&self.text, line);
        if before.get(..range.end) == Some(&new[..range.end])
            && old.lines.range(&old.text, line) == range
        {
            return Some(line);
        }
        let start = before.len().checked_sub(new.len() - range.start)?;
        let there = old.lines.count().checked_sub(self.lines.count() - line)?;
        let begins = old.lines.range(&old.text, there).start == start;
        (begins && new[range.start..] == before[start..]).then_some(there)
    }

    /// Applies one change of an editor's; the result is what takes it back:
    /// the bytes that are new, and what was there.
    pub fn change(
        &mut self,
        change: &TextDocumentContentChangeEvent,
        encoding: Encoding,
    ) -> (Range<usize>, String) {
        let range = change.range.map_or(0..self.text.len(), |range| {
            let start = self.offset(range.start, encoding);
            start..self.offset(range.end, encoding).max(start)
        });
        let mut text = std::mem::take(&mut self.text);
        let old = text[range.clone()].to_string();
        text.replace_range(range.clone(), &change.text);
        *self = Text::new(text);
        (range.start..range.start + change.text.len(), old)
    }
}

/// An open file.
#[derive(Debug)]
pub(crate) struct Document {
    pub uri: Uri,
    pub version: i32,
    pub text: Arc<Text>,
    history: History,
}

impl Document {
    /// The same text, for somebody who does not change it.
    pub fn snapshot(&self) -> Document {
        let Document { uri, version, text, .. } = self;
        let (uri, text) = (uri.clone(), Arc::clone(text));
        Document { uri, version: *version, text, history: History::default() }
    }

    pub fn new(uri: Uri, version: i32, text: String) -> Document {
        Document { uri, version, text: Arc::new(Text::new(text)), history: History::default() }
    }

    /// Applies the changes that make a version.
    pub fn change(
        &mut self,
        version: i32,
        changes: Vec<TextDocumentContentChangeEvent>,
        encoding: Encoding,
    ) {
        self.text = Arc::new(self.history.apply(&self.text, version, changes, encoding));
        self.version = self.version.max(version);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_found_in_an_older_text() {
        let old = Text::new("one\ntwo\nthree\nfour\n".into());
        let places = |text: &str| -> Vec<Option<usize>> {
            let new = Text::new(text.into());
            (0..new.lines.count()).map(|line| new.line_in(&old, line)).collect()
        };
        assert_eq!(places(&old.text), [0, 1, 2, 3, 4].map(Some));
        assert_eq!(
            places("one\ntwo\nnew\nthree\nfour\n"),
            [Some(0), Some(1), None, Some(2), Some(3), Some(4)]
        );
        assert_eq!(places("one\nthree\nfour\n"), [0, 2, 3, 4].map(Some));
        assert_eq!(places("one\ntwos\nthree\nfour"), [Some(0), None, None, None]);
        assert_eq!(places("x"), [None]);
    }

    #[test]
    fn changes_are_applied_in_order() {
        let mut text = Text::new("one\r\ntwo\n".into());
        let mut change = |range: Option<[u32; 4]>, new: &str| {
            let range =
                range.map(|[a, b, c, d]| Span::new(Position::new(a, b), Position::new(c, d)));
            let text_is = new.to_string();
            let change =
                TextDocumentContentChangeEvent { range, range_length: None, text: text_is };
            let before = text.text.clone();
            let (range, old) = text.change(&change, Encoding::Utf16);
            let mut back = text.text.clone();
            back.replace_range(range, &old);
            assert_eq!(back, before);
            text.text.clone()
        };
        assert_eq!(change(Some([0, 1, 0, 2]), "é😀"), "oé😀e\r\ntwo\n");
        assert_eq!(change(Some([0, 4, 1, 1]), "\n"), "oé😀\nwo\n");
        assert_eq!(change(Some([7, 0, 9, 9]), "end"), "oé😀\nwo\nend");
        assert_eq!(change(Some([1, 1, 0, 0]), "x"), "oé😀\nwxo\nend");
        assert_eq!(change(None, ""), "");
        assert_eq!(change(Some([0, 0, 0, 0]), "a"), "a");
    }
}
