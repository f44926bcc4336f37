//! How a line begins, as far as two blocks show it: with a label, or with a
//! statement so short that its text is compared and hashed as two numbers.

use std::ops::Range;

use crate::lanes::{self, BYTES};
use crate::lex;

/// Bytes of the longest text.
const LONGEST: usize = 2 * BYTES - 1;

/// What a line says, its blanks not counted.
pub(crate) enum Line {
    /// A label and nothing else; with its colon it takes so many bytes.
    Label(usize),
    Statement(Statement),
}

/// A short statement.
#[derive(Clone, Copy)]
pub(crate) struct Statement {
    pub text: Text,
    /// One bit for each byte, the first one lowest: of a name or number.
    names: u32,
    /// All but blanks.
    signs: u32,
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
        let dots = usize::from(first[0] == b'.');
        if !lex::is_letter(bytes, at + dots) {
            return None;
        }
        let names = lanes::name_mask(first);
        let mut end = dots + (names >> dots).trailing_ones() as usize;
        if end == BYTES {
            end = lex::word_end(bytes, at + dots) - at;
        }
        if bytes.get(at + end) == Some(&b':') {
            let rest = lex::blanks_end(bytes, at + end + 1);
            return lex::is_silent(bytes, rest).then_some(Line::Label(end + 1));
        }
        if dots > 0 {
            return None;
        }
        Statement::read(bytes, at, first, names).map(Line::Statement)
    }
}

impl Statement {
    /// The one at `at`, where the block `first` lies, in which `names` are
    /// those of names.
    #[inline(always)]
    fn read(bytes: &[u8], at: usize, first: &lanes::Block, names: u32) -> Option<Statement> {
        let stops = lanes::stop_mask(first);
        let (length, second) = if stops != 0 {
            (stops.trailing_zeros() as usize, None)
        } else {
            let second = lanes::block(bytes, at + BYTES)?;
            (BYTES + lanes::stop_mask(second).trailing_zeros() as usize, Some(second))
        };
        // A comment that begins in quotes is none.
        let length = match bytes.get(at + length) {
            Some(b'"' | b'\'') => lex::statement_end(bytes, at) - at,
            _ => length,
        };
        if length > LONGEST {
            return None;
        }
        let number = |block: &lanes::Block| u128::from_le_bytes(*block);
        let mut all = Statement {
            text: Text { first: number(first), second: 0, length: 0 },
            names,
            signs: !lanes::blank_mask(first),
        };
        if length > BYTES {
            let second = second.or_else(|| lanes::block(bytes, at + BYTES))?;
            all.text.second = number(second);
            all.names |= lanes::name_mask(second) << BYTES;
            all.signs ^= lanes::blank_mask(second) << BYTES;
        }
        all.text = all.text.up_to(length);
        Some(all)
    }

    /// Where the name or number is with which it ends, if it does, but for
    /// blanks, and something stands before it.
    pub fn last_word(&self) -> Option<Range<usize>> {
        let behind_last = |bits: u32| (u32::BITS - bits.leading_zeros()) as usize;
        let end = behind_last(self.signs & !(u32::MAX << self.text.length));
        let start = behind_last(!self.names & !(u32::MAX << end));
        (0 < start && start < end).then_some(start..end)
    }
}

impl Text {
    pub fn length(&self) -> usize {
        self.length.into()
    }

    #[inline(always)]
    pub fn byte(&self, at: usize) -> u8 {
        let half = if at < BYTES { self.first } else { self.second };
        (half >> (8 * (at % BYTES))) as u8
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

    fn statement(line: &str) -> Option<Statement> {
        match read(line)? {
            Line::Statement(statement) => Some(statement),
            Line::Label(_) => None,
        }
    }

    fn text(line: &str) -> Option<Text> {
        statement(line).map(|statement| statement.text)
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
    fn a_word_ends_a_text() {
        let word = |line: &str| Some(line[statement(line).unwrap().last_word()?].to_string());
        assert_eq!(word("INC A "), Some("A".into()));
        assert_eq!(word("CALL @it"), Some("it".into()));
        assert_eq!(word("JZ .it ; then"), Some("it".into()));
        assert_eq!(word("CALL somewhere_far_away"), Some("somewhere_far_away".into()));
        assert_eq!(word("LDA 12"), Some("12".into()));
        assert_eq!(word("LDA $FF"), Some("FF".into()));
        for none in ["RET", "LDA [X]", "CMP A, 'a'"] {
            assert_eq!(word(none), None, "{none}");
        }
    }
}
