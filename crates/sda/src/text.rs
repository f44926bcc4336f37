//! What a short line says, as far as two blocks show it: a label, or a statement,
//! the text of which is compared and hashed as two numbers.

use std::ops::Range;

use crate::lanes::{self, BYTES};
use crate::lex;

/// Bytes of the longest text.
const LONGEST: usize = 2 * BYTES - 1;

/// What a line says, its blanks not counted.
pub(crate) enum Line {
    /// A label and nothing else; with its colon it takes so many bytes.
    Label(usize),
    Statement(Text),
}

/// A text without the blanks before and the comment behind, and zeros.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Text {
    first: u128,
    second: u128,
    length: u8,
}

impl Line {
    /// What stands at `at`, if it is no more than that.
    #[inline(always)]
    pub fn read(bytes: &[u8], at: usize) -> Option<Line> {
        let first = lanes::block(bytes, at)?;
        let stops = lanes::stop_mask(first);
        let (length, second) = if stops != 0 {
            (stops.trailing_zeros() as usize, None)
        } else {
            let second = lanes::block(bytes, at + BYTES)?;
            (BYTES + lanes::stop_mask(second).trailing_zeros() as usize, Some(second))
        };
        let stop = bytes.get(at + length);
        if stop == Some(&b':') && is_name(bytes, at, length) {
            let rest = lex::blanks_end(bytes, at + length + 1);
            return lex::is_silent(bytes, rest).then_some(Line::Label(length + 1));
        }
        if !lex::is_letter(bytes, at) {
            return None;
        }
        // A comment that begins in quotes is none.
        let length = match stop {
            Some(b'"' | b'\'' | b':') => lex::statement_end(bytes, at) - at,
            _ => length,
        };
        if length > LONGEST {
            return None;
        }
        let number = |block: &lanes::Block| u128::from_le_bytes(*block);
        let second = match second {
            None if length > BYTES => number(lanes::block(bytes, at + BYTES)?),
            None => 0,
            Some(second) => number(second),
        };
        Some(Line::Statement(Text { first: number(first), second, length: 0 }.up_to(length)))
    }
}

/// Whether all `length` bytes from `at` on are the name of a label, which may
/// be a local one.
fn is_name(bytes: &[u8], at: usize, length: usize) -> bool {
    let first = at + usize::from(bytes[at] == b'.');
    lex::is_letter(bytes, first) && lex::word_end(bytes, first) == at + length
}

impl Text {
    pub fn length(&self) -> usize {
        self.length.into()
    }

    /// Where the last operand is, if there is one: from behind the last comma, or
    /// the first word, to the end, blanks not counted.
    #[inline(always)]
    pub fn last_operand(&self) -> Option<Range<usize>> {
        let (first, second) = (self.first.to_le_bytes(), self.second.to_le_bytes());
        let of_both = |mask: fn(&lanes::Block) -> u32| {
            let rest = if self.length() > BYTES { mask(&second) } else { 0 };
            mask(&first) | rest << BYTES
        };
        let behind_last = |bits: u32| u32::BITS - bits.leading_zeros();
        let signs = !of_both(lanes::blank_mask) & !(u32::MAX << self.length);
        let before = match of_both(lanes::comma_mask) {
            0 => signs.trailing_ones(),
            commas => behind_last(commas),
        };
        let operand = signs & u32::MAX << before;
        let (start, end) = (operand.trailing_zeros(), behind_last(operand));
        (start < end).then_some(start as usize..end as usize)
    }

    /// The first `length` bytes of it.
    #[inline(always)]
    pub fn up_to(&self, length: usize) -> Text {
        Text {
            first: lanes::beginning(self.first, length),
            second: lanes::beginning(self.second, length.saturating_sub(BYTES)),
            length: length as u8,
        }
    }

    /// A number below `places`, a power of two, mostly another for another
    /// text.
    #[inline(always)]
    pub fn place(&self, places: usize) -> usize {
        // Odd, and its bits look like noise: of the fraction of the golden ratio.
        const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;
        let halves = |number: u128| number as u64 ^ ((number >> 64) as u64).rotate_left(29);
        let mixed = halves(self.first) ^ halves(self.second).rotate_left(43);
        (mixed.wrapping_mul(SPREAD) >> 40) as usize % places
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Option<Line> {
        Line::read(format!("{line}{}", "\n".repeat(2 * BYTES)).as_bytes(), 0)
    }

    fn text(line: &str) -> Option<Text> {
        match read(line)? {
            Line::Statement(text) => Some(text),
            Line::Label(_) => None,
        }
    }

    #[test]
    fn a_label_stands_alone() {
        let label = |line: &str| match read(line) {
            Some(Line::Label(length)) => Some(length),
            _ => None,
        };
        assert_eq!(label("a:"), Some(2));
        assert_eq!(label(".next:   ; here"), Some(6));
        assert_eq!(label("a_name_of_more_than_sixteen:"), Some(28));
        for none in ["a: RET", "a :", "5a:", ".5:", "a.b:", ":", ".:", "RET"] {
            assert_eq!(label(none), None, "{none}");
        }
    }

    #[test]
    fn a_text_ends_before_its_comment() {
        let length = |line: &str| text(line).map(|text| text.length());
        assert_eq!(length("RET"), Some(3));
        assert_eq!(length("RET ; back"), Some(4));
        assert_eq!(length("LDA [$1:$C000]"), Some(14));
        assert_eq!(length("CMP BL, ';' ; a semicolon"), Some(12));
        assert_eq!(length("CMP A, B; it isn't 'x'"), Some(8));
        assert_eq!(length(&"x".repeat(LONGEST)), Some(LONGEST));
        assert_eq!(length(&"x".repeat(LONGEST + 1)), None);
        assert_eq!(length(&format!("A '{}'", ";".repeat(LONGEST))), None);
    }

    #[test]
    fn a_text_is_known_by_its_bytes() {
        let same = |a: &str, b: &str| text(a).unwrap() == text(b).unwrap();
        assert!(same("INC A", "INC A;x"));
        assert!(!same("INC A", "INC A\0"));
        assert!(!same("INC A", "INC B"));
        let (long, other) = ("LDA [ELM + 1000000000]", "LDA [ELM + 1000000001]");
        assert!(same(long, long) && !same(long, other));
        assert!(text(long).unwrap().up_to(20) == text(other).unwrap().up_to(20));
    }

    #[test]
    fn an_operand_ends_a_text() {
        let operand = |line: &str| Some(line[text(line).unwrap().last_operand()?].to_string());
        assert_eq!(operand("INC A "), Some("A".into()));
        assert_eq!(operand("CALL @it;"), Some("@it".into()));
        assert_eq!(operand("LDA   1 + 2 ; three"), Some("1 + 2".into()));
        assert_eq!(operand("CMP A,5"), Some("5".into()));
        assert_eq!(operand("SCANQUE BLX, ELM, A, COUNT"), Some("COUNT".into()));
        for none in ["RET", "RET ", "CMP A,", "CMP A, "] {
            assert_eq!(operand(none), None, "{none}");
        }
    }
}
