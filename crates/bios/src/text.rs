//! Strings in memory and numbers in text, as every service takes them.

use sd8516::Memory;

/// The most characters of a string: one without a zero byte ends here, so
/// that no service runs through all of memory.
pub const MAX_STRING: u32 = 65_535;

/// The characters of the string at `address`, without the zero.
pub fn string_at(memory: &Memory, address: u32) -> Vec<u8> {
    (0..MAX_STRING)
        .map(|offset| memory.byte(address.wrapping_add(offset)))
        .take_while(|&byte| byte != 0)
        .collect()
}

/// Writes a string and its zero.
pub fn put_string(memory: &mut Memory, address: u32, text: &[u8]) {
    memory.copy_in(address, text);
    memory.set_byte(address.wrapping_add(text.len() as u32), 0);
}

/// A number in text: spaces, an optional `-`, then decimal digits or `$` and
/// hex digits; it ends at anything else. Modulo 2³²; `None` without a digit.
pub fn number(text: &[u8]) -> Option<u32> {
    let spaces = text.iter().take_while(|&&byte| byte == b' ').count();
    let text = &text[spaces..];
    let (negative, text) = match text.strip_prefix(b"-") {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let (base, text) = match text.strip_prefix(b"$") {
        Some(rest) => (16, rest),
        None => (10, text),
    };
    let mut digits = text.iter().map_while(|&byte| char::from(byte).to_digit(base)).peekable();
    digits.peek()?;
    let value = digits.fold(0u32, |value, digit| value.wrapping_mul(base).wrapping_add(digit));
    Some(if negative { value.wrapping_neg() } else { value })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_text() {
        for (text, value) in [
            ("0", Some(0)),
            ("12345", Some(12_345)),
            ("  42abc", Some(42)),
            ("-1", Some(u32::MAX)),
            ("$fF", Some(255)),
            (" -$10", Some(0xFFFF_FFF0)),
            ("4294967296", Some(0)),
            ("70000", Some(70_000)),
            ("007", Some(7)),
            ("1-2", Some(1)),
            ("", None),
            ("-", None),
            ("$", None),
            ("$G", None),
            ("--1", None),
            ("- 1", None),
            ("+1", None),
            ("\t1", None),
            ("x1", None),
            ("$-1", None),
        ] {
            assert_eq!(number(text.as_bytes()), value, "{text:?}");
        }
    }

    #[test]
    fn a_string_without_a_zero_ends_after_65535_characters() {
        let mut memory = Memory::new();
        memory.fill(0, b'x', 1 << 24);
        assert_eq!(string_at(&memory, 0xFF_FF00).len(), 65_535);
        put_string(&mut memory, 0xFF_FFFE, b"abc");
        assert_eq!(string_at(&memory, 0xFF_FFFE), b"abc");
        assert_eq!(memory.byte(0), b'c');
    }
}
