//! A text with what is read from it: its lines, and its names once somebody
//! asks.

use std::cell::OnceCell;
use std::ops::Range;
use std::rc::Rc;

use lsp_types::{Position, Range as Span, TextDocumentContentChangeEvent, Uri};
use sda::index::Index;

use crate::encoding::{Encoding, Lines};
use crate::history::History;

/// A text.
#[derive(Debug)]
pub(crate) struct Text {
    pub text: String,
    pub lines: Lines,
    index: OnceCell<Index>,
}

impl Text {
    pub fn new(text: String) -> Text {
        Text { lines: Lines::new(&text), text, index: OnceCell::new() }
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
    pub text: Rc<Text>,
    history: History,
}

impl Document {
    pub fn new(uri: Uri, version: i32, text: String) -> Document {
        Document { uri, version, text: Rc::new(Text::new(text)), history: History::default() }
    }

    /// Applies the changes that make a version.
    pub fn change(
        &mut self,
        version: i32,
        changes: Vec<TextDocumentContentChangeEvent>,
        encoding: Encoding,
    ) {
        self.text = Rc::new(self.history.apply(&self.text, version, changes, encoding));
        self.version = self.version.max(version);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
