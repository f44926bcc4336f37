//! What the rest of a line begins with, as far as two blocks show it: a label, a
//! directive, or a short instruction, the text of which is compared and hashed as
//! four numbers.

use std::ops::Range;

use crate::lanes::{self, BYTES};
use crate::lex;

/// Bytes of the longest text.
const LONGEST: usize = 2 * BYTES - 1;

/// What a line begins with, its blanks not counted.
pub(crate) enum Line {
    /// A label, whatever follows; with its colon it takes so many bytes.
    Label(usize),
    /// What a statement begins with, which mostly is all of it, and its bytes.
    Statement(Text, usize),
    /// What begins with a dot and is no label.
    Directive,
}

/// A text without the blanks before and the comment behind, and zeros.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Text {
    words: [u64; WORDS],
    length: u8,
}

/// Numbers of 64 bits that a text is.
const WORDS: usize = 2 * BYTES / size_of::<u64>();

impl Line {
    /// What stands at `at`, if it is no more than that.
    #[inline(always)]
    pub fn read(bytes: &[u8], at: usize) -> Option<Line> {
        let is_word = lex::is_letter(bytes, at);
        if !is_word && bytes.get(at) != Some(&b'.') {
            return None;
        }
        let both: &lanes::Pair = bytes.get(at..)?.first_chunk()?;
        let (first, second) = lanes::halves(both);
        let length = match lanes::stop_mask(first) {
            0 => BYTES + lanes::stop_mask(second).trailing_zeros() as usize,
            stops => stops.trailing_zeros() as usize,
        };
        let stop = bytes.get(at + length);
        if stop == Some(&b':') && is_name(bytes, at, first, length) {
            return Some(Line::Label(length + 1));
        }
        if !is_word {
            return Some(Line::Directive);
        }
        // A comment that begins in quotes is none.
        let length = match stop {
            Some(b'"' | b'\'' | b':') => lex::statement_end(bytes, at + length) - at,
            _ => length,
        };
        let text = Text { words: lanes::words(both), length: 0 }.up_to(length);
        let length = if length > LONGEST { long_statement(bytes, at)? } else { length };
        Some(Line::Statement(text, length))
    }
}

/// The bytes of the long statement that begins at `at`, if its last operand may
/// begin within what a text holds.
#[inline(never)]
fn long_statement(bytes: &[u8], at: usize) -> Option<usize> {
    let end = lex::statement_end(bytes, at);
    let statement = bytes.get(at..end)?.trim_ascii_end();
    let rest = statement.get(LONGEST..)?;
    (!rest.contains(&b',')).then_some(statement.len())
}

/// Whether all `length` bytes from `at` on, of which `first` are the first ones,
/// are the name of a label, which may be a local one.
fn is_name(bytes: &[u8], at: usize, first: &lanes::Block, length: usize) -> bool {
    let dots = usize::from(first[0] == b'.');
    let letters = dots + (lanes::name_mask(first) >> dots).trailing_ones() as usize;
    let end = if letters < BYTES { at + letters } else { lex::word_end(bytes, at + dots) };
    end == at + length && lex::is_letter(bytes, at + dots)
}

impl Text {
    pub fn length(&self) -> usize {
        self.length.into()
    }

    /// Where the last operand is, if there is one: from behind the last comma, or
    /// the first word, to the end, blanks not counted.
    #[inline(always)]
    pub fn last_operand(&self) -> Option<Range<usize>> {
        let bytes = lanes::pair(self.words);
        let (first, second) = lanes::halves(&bytes);
        let (mut blanks, mut commas) = (lanes::blank_mask(first), lanes::comma_mask(first));
        if self.length() > BYTES {
            blanks |= lanes::blank_mask(second) << BYTES;
            commas |= lanes::comma_mask(second) << BYTES;
        }
        let behind_last = |bits: u32| u32::BITS - bits.leading_zeros();
        let signs = !blanks & !(u32::MAX << self.length);
        let before = match commas {
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
        const MASKS: [[u64; WORDS]; LONGEST + 1] = {
            let mut masks = [[0; WORDS]; LONGEST + 1];
            let mut at = 0;
            while at < WORDS * (LONGEST + 1) {
                let (length, word) = (at / WORDS, at % WORDS);
                let own = length.saturating_sub(size_of::<u64>() * word);
                masks[length][word] = match own {
                    0 => 0,
                    1..8 => !(u64::MAX << (8 * own)),
                    _ => u64::MAX,
                };
                at += 1;
            }
            masks
        };
        let length = length.min(LONGEST);
        let [a, b, c, d] = self.words;
        let [e, f, g, h] = MASKS[length];
        Text { words: [a & e, b & f, c & g, d & h], length: length as u8 }
    }

    /// A number below `places`, a power of two, mostly another for another
    /// text.
    #[inline(always)]
    pub fn place(&self, places: usize) -> usize {
        // Odd, and its bits look like noise: of the fraction of the golden ratio.
        const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;
        let [a, b, c, d] = self.words;
        let mixed = (a ^ d) ^ (b ^ c).rotate_left(29);
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
            Line::Statement(text, _) => Some(text),
            Line::Label(_) | Line::Directive => None,
        }
    }

    #[test]
    fn a_label_comes_first() {
        let label = |line: &str| match read(line) {
            Some(Line::Label(length)) => Some(length),
            _ => None,
        };
        assert_eq!(label("a:"), Some(2));
        assert_eq!(label(".next:   ; here"), Some(6));
        assert_eq!(label("a_name_of_more_than_sixteen:"), Some(28));
        assert_eq!(label("a: RET"), Some(2));
        for none in ["a :", "5a:", ".5:", "a.b:", ":", ".:", "RET"] {
            assert_eq!(label(none), None, "{none}");
        }
    }

    #[test]
    fn a_text_ends_before_its_comment() {
        let length = |line: &str| match read(line) {
            Some(Line::Statement(_, length)) => Some(length),
            _ => None,
        };
        assert_eq!(length("RET"), Some(3));
        assert_eq!(length("RET ; back"), Some(4));
        assert_eq!(length("LDA [$1:$C000]"), Some(14));
        assert_eq!(length("CMP BL, ';' ; a semicolon"), Some(12));
        assert_eq!(length("CMP A, B; it isn't 'x'"), Some(8));
        assert_eq!(length(&"x".repeat(LONGEST)), Some(LONGEST));
        assert_eq!(length(&format!("{} ;y", "x".repeat(LONGEST))), Some(LONGEST));
        assert_eq!(length(&format!("{} ; y", "x".repeat(LONGEST + 1))), Some(LONGEST + 1));
        assert_eq!(length(&format!("A '{}' ; y", ";".repeat(LONGEST))), Some(LONGEST + 4));
        assert_eq!(length(&format!("A{}, B", " ".repeat(LONGEST))), None);
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
        let end = "x".repeat(LONGEST);
        assert!(same(&format!("A, {end}"), &format!("A, {end}yz")));
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
