//! Numbers as people write them on the command line: `$FF`, `0xFF`, `%1010`,
//! `0b1010` or decimal, with `_` between digits.

use std::num::IntErrorKind;

/// The number that `text` is, or `None` when it is none or needs more than
/// 64 bits.
pub fn parse(text: &str) -> Option<u64> {
    argument(text).ok()
}

/// `1 unit`, `2 units`.
pub fn count(number: u64, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

/// A whole number for clap, with a message that says what would be right.
pub fn argument(text: &str) -> Result<u64, String> {
    let no_number = || Err("not a number; write 255, $FF or 0xFF".to_string());
    let (digits, radix) = if let Some(hex) = text.strip_prefix('$') {
        (hex, 16)
    } else if let Some(hex) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        (hex, 16)
    } else if let Some(binary) = text.strip_prefix('%') {
        (binary, 2)
    } else if let Some(binary) = text.strip_prefix("0b").or_else(|| text.strip_prefix("0B")) {
        (binary, 2)
    } else {
        (text, 10)
    };
    let between_digits = !digits.starts_with('_') && !digits.ends_with('_');
    let plain: String = digits.chars().filter(|&c| c != '_').collect();
    // `from_str_radix` would take a sign of its own.
    let no_sign = plain.chars().all(|c| c.is_digit(radix));
    if !between_digits || !no_sign {
        return no_number();
    }
    match u64::from_str_radix(&plain, radix) {
        Ok(number) => Ok(number),
        Err(error) if *error.kind() == IntErrorKind::PosOverflow => Err(too_large(u64::MAX)),
        Err(_) => no_number(),
    }
}

/// A number of 32 bits for clap.
pub fn argument32(text: &str) -> Result<u32, String> {
    let value = argument(text)?;
    u32::try_from(value).map_err(|_| too_large(u32::MAX.into()))
}

fn too_large(most: u64) -> String {
    format!("too large; at most {most}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_notation() {
        for text in ["255", "$FF", "$ff", "0xFF", "0Xff", "%1111_1111", "0b11111111", "2_5_5"] {
            assert_eq!(parse(text), Some(255), "{text}");
        }
        assert_eq!(parse("18446744073709551615"), Some(u64::MAX));
    }

    #[test]
    fn what_is_no_number() {
        for text in
            ["", "$", "0x", "%", "-1", "+1", "12a", "$G", "1 ", "_1", "1_", "18446744073709551616"]
        {
            assert_eq!(parse(text), None, "{text:?}");
        }
        assert!(argument32("4294967296").is_err());
        assert_eq!(argument32("$FFFF_FFFF"), Ok(u32::MAX));
        let large = "too large; at most 18446744073709551615";
        assert_eq!(argument("18446744073709551616"), Err(large.to_string()));
        assert_eq!(argument("$1_0000_0000_0000_0000"), Err(large.to_string()));
    }
}
