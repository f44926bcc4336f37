//! Positions: editors count lines and the code units of a line, the assembler
//! counts bytes.

use std::ops::Range;

use lsp_types::{Position, PositionEncodingKind, Range as Span};

/// What a column counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Encoding {
    Utf8,
    #[default]
    Utf16,
    Utf32,
}

impl Encoding {
    /// The best of what a client offers: bytes need no counting.
    pub fn negotiate(offered: &[PositionEncodingKind]) -> Encoding {
        let offers = |kind| offered.contains(&kind);
        match () {
            () if offers(PositionEncodingKind::UTF8) => Encoding::Utf8,
            () if offered.is_empty() || offers(PositionEncodingKind::UTF16) => Encoding::Utf16,
            () if offers(PositionEncodingKind::UTF32) => Encoding::Utf32,
            () => Encoding::Utf16,
        }
    }

    pub fn kind(self) -> PositionEncodingKind {
        match self {
            Encoding::Utf8 => PositionEncodingKind::UTF8,
            Encoding::Utf16 => PositionEncodingKind::UTF16,
            Encoding::Utf32 => PositionEncodingKind::UTF32,
        }
    }

    fn units(self, c: char) -> usize {
        match self {
            Encoding::Utf8 => c.len_utf8(),
            Encoding::Utf16 => c.len_utf16(),
            Encoding::Utf32 => 1,
        }
    }
}

/// Where the lines of a text begin.
#[derive(Clone, Debug)]
pub(crate) struct Lines {
    starts: Vec<usize>,
}

impl Lines {
    pub fn new(text: &str) -> Lines {
        let bytes = text.as_bytes();
        let ends = bytes.iter().enumerate().filter(|&(at, &byte)| {
            byte == b'\n' || byte == b'\r' && bytes.get(at + 1) != Some(&b'\n')
        });
        Lines { starts: std::iter::once(0).chain(ends.map(|(at, _)| at + 1)).collect() }
    }

    /// The number of the line, from 0, that holds byte `offset`.
    pub fn line_of(&self, offset: usize) -> usize {
        self.starts.partition_point(|&start| start <= offset) - 1
    }

    /// The bytes of a line without its end; empty behind the last one.
    pub fn range(&self, text: &str, line: usize) -> Range<usize> {
        let Some(&start) = self.starts.get(line) else { return text.len()..text.len() };
        let end = self.starts.get(line + 1).copied().unwrap_or(text.len());
        start..start + text[start..end].trim_end_matches(['\n', '\r']).len()
    }

    pub fn count(&self) -> usize {
        self.starts.len()
    }

    /// The byte at a position; one that is outside of the text is moved into
    /// it, and to the start of a character.
    pub fn offset(&self, text: &str, position: Position, encoding: Encoding) -> usize {
        let line = self.range(text, position.line as usize);
        let mut left = position.character as usize;
        for (at, c) in text[line.clone()].char_indices() {
            match left.checked_sub(encoding.units(c)) {
                Some(rest) if left > 0 => left = rest,
                _ => return line.start + at,
            }
        }
        line.end
    }

    pub fn position(&self, text: &str, offset: usize, encoding: Encoding) -> Position {
        let offset = text.floor_char_boundary(offset);
        let line = self.line_of(offset);
        let start = self.starts[line];
        let column: usize = text[start..offset].chars().map(|c| encoding.units(c)).sum();
        Position::new(line as u32, column as u32)
    }

    pub fn span(&self, text: &str, range: Range<usize>, encoding: Encoding) -> Span {
        let end = range.end.max(range.start);
        Span::new(self.position(text, range.start, encoding), self.position(text, end, encoding))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "a\u{E9}\u{1F600}z\r\nsecond\r\rlast";

    #[test]
    fn positions_and_bytes_agree() {
        let lines = Lines::new(TEXT);
        assert_eq!(lines.count(), 4);
        for encoding in [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32] {
            for (at, _) in TEXT.char_indices().filter(|&(_, c)| c != '\n') {
                let position = lines.position(TEXT, at, encoding);
                assert_eq!(lines.offset(TEXT, position, encoding), at, "{encoding:?}");
            }
        }
        assert_eq!(lines.position(TEXT, 7, Encoding::Utf16), Position::new(0, 4));
        assert_eq!(lines.position(TEXT, 7, Encoding::Utf8), Position::new(0, 7));
        assert_eq!(lines.position(TEXT, 7, Encoding::Utf32), Position::new(0, 3));
    }

    #[test]
    fn positions_outside_of_the_text_are_moved_into_it() {
        let lines = Lines::new(TEXT);
        let at = |line, column| lines.offset(TEXT, Position::new(line, column), Encoding::Utf16);
        assert_eq!(at(0, 99), 8);
        assert_eq!(at(99, 0), TEXT.len());
        assert_eq!(at(2, 5), 17);
        // In the middle of a character of two units.
        assert_eq!(at(0, 3), 3);
        assert_eq!(lines.position(TEXT, 999, Encoding::Utf16), Position::new(3, 4));
        assert_eq!(lines.position(TEXT, 4, Encoding::Utf16), Position::new(0, 2));
    }
}
