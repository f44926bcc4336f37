//! Literals: what the digits of a number and the characters in quotes are
//! worth, and what is wrong with them.

use memchr::memchr;

use crate::diagnostic::Diagnostic;
use crate::parse::Parsed;
use crate::source::Span;

/// The value of a number as written: `$FF`, `0xFF`, `0b10`, `255`, with `_`
/// between digits. `binary` is for digits behind a `%`.
pub(crate) fn number(text: &str, span: Span, binary: bool) -> Parsed<u64> {
    let (digits, radix, kind) = if binary {
        (text, 2, "a binary")
    } else if let Some(digits) = text.strip_prefix('$') {
        (digits, 16, "a hexadecimal")
    } else if let Some(digits) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        (digits, 16, "a hexadecimal")
    } else if let Some(digits) = text.strip_prefix("0b").or_else(|| text.strip_prefix("0B")) {
        (digits, 2, "a binary")
    } else {
        (text, 10, "a decimal")
    };
    let first = text.len() - digits.len();
    let mut value: Option<u64> = Some(0);
    let mut last = '_';
    for (at, c) in digits.char_indices() {
        if c == '_' && last != '_' {
            last = c;
            continue;
        }
        let Some(digit) = c.to_digit(radix) else {
            let lo = span.lo + (first + at) as u32;
            let place = Span { lo, hi: lo + c.len_utf8() as u32 };
            let error = if c == '_' {
                Diagnostic::error("E0103", place, "`_` stands between two digits")
            } else {
                Diagnostic::error("E0103", place, format!("`{c}` is no digit of {kind} number"))
            };
            return Err(Box::new(if radix == 10 { meant(error, text, span) } else { error }));
        };
        last = c;
        value = value
            .and_then(|value| value.checked_mul(radix.into()))
            .and_then(|value| value.checked_add(digit.into()));
    }
    if last == '_' {
        let what = if digits.is_empty() { "digits are missing" } else { "`_` ends the number" };
        return Err(Box::new(Diagnostic::error("E0103", span, what)));
    }
    value.ok_or_else(|| {
        Box::new(
            Diagnostic::error("E0104", span, "the number is over 2^64 − 1")
                .note("the widest register, ABCD, holds 64 bits: at most 18446744073709551615"),
        )
    })
}

/// Says what decimal digits with other signs among them are in other
/// notations: `0FFh` and `101b` elsewhere, `FF` without its `$`.
fn meant(error: Diagnostic, text: &str, span: Span) -> Diagnostic {
    let all = |digits: &str, radix| !digits.is_empty() && digits.chars().all(|c| c.is_digit(radix));
    let right = if let Some(digits) = text.strip_suffix(['b', 'B']).filter(|it| all(it, 2)) {
        format!("%{digits}")
    } else if let Some(digits) = text.strip_suffix(['h', 'H']).filter(|it| all(it, 16)) {
        let short = digits.trim_start_matches('0');
        format!("${}", if short.is_empty() { "0" } else { short })
    } else if all(text, 16) {
        return error
            .help(format!("hexadecimal is `${text}`"))
            .replace(Span { hi: span.lo, ..span }, "$");
    } else {
        return error;
    };
    error.help(format!("here it is `{right}`")).replace(span, right)
}

/// The byte of `'c'`, quotes included in `text`.
pub(crate) fn character(text: &str, span: Span) -> Parsed<u8> {
    let bytes = quoted(text, span)?;
    let error = match bytes[..] {
        [byte] => return Ok(byte),
        [] => Diagnostic::error("E0108", span, "there is no character between the quotes")
            .help("a quote itself is `'\\''`"),
        _ => Diagnostic::error("E0108", span, "more than one character between single quotes")
            .help("strings stand in double quotes, in `.bytes`, `.ascii` and `.asciiz`"),
    };
    Err(Box::new(error))
}

/// The bytes of a character or string, quotes included in `text`.
pub(crate) fn quoted(text: &str, span: Span) -> Parsed<Vec<u8>> {
    let mut bytes = Vec::new();
    append_quoted(text, span, &mut bytes)?;
    Ok(bytes)
}

/// The same, appended to `bytes`.
pub(crate) fn append_quoted(text: &str, span: Span, bytes: &mut Vec<u8>) -> Parsed<()> {
    let inner = text.get(1..text.len().saturating_sub(1)).unwrap_or("");
    if inner.is_ascii() && memchr(b'\\', inner.as_bytes()).is_none() {
        bytes.extend_from_slice(inner.as_bytes());
        return Ok(());
    }
    let mut chars = inner.char_indices();
    while let Some((at, c)) = chars.next() {
        let lo = span.lo + 1 + at as u32;
        if c != '\\' {
            let code = u8::try_from(c).map_err(|_| {
                let place = Span { lo, hi: lo + c.len_utf8() as u32 };
                Box::new(
                    Diagnostic::error("E0107", place, format!("`{c}` does not fit one byte"))
                        .note("characters up to U+00FF stand for the byte of that number")
                        .help("write the byte of the machine's character set as `\\xHH`"),
                )
            })?;
            bytes.push(code);
            continue;
        }
        let escape = chars.next().map_or(' ', |(_, c)| c);
        bytes.push(match escape {
            'n' => b'\n',
            'r' => b'\r',
            't' => b'\t',
            '0' => 0,
            '\\' | '\'' | '"' => escape as u8,
            'x' => {
                let digits = inner.get(at + 2..at + 4).unwrap_or("");
                let valid = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
                let value = u8::from_str_radix(digits, 16).ok().filter(|_| valid);
                let place = Span { lo, hi: lo + 2 };
                chars.nth(1);
                value.ok_or_else(|| {
                    let message = "`\\x` wants two hexadecimal digits";
                    Box::new(Diagnostic::error("E0106", place, message))
                })?
            }
            _ => {
                let place = Span { lo, hi: lo + 1 + escape.len_utf8() as u32 };
                let error = Diagnostic::error("E0106", place, format!("`\\{escape}` is no escape"));
                return Err(Box::new(error.help(
                    "the escapes are \\n \\r \\t \\0 \\\\ \\' \\\" \\xHH; a backslash itself is `\\\\`",
                )));
            }
        });
    }
    Ok(())
}

/// A number for a message: decimal, and hexadecimal when that says more.
pub(crate) fn show(value: i128) -> String {
    match value {
        -9..=9 => value.to_string(),
        i128::MIN..=-10 => format!("{value} (-${:X})", value.unsigned_abs()),
        10.. => format!("{value} (${value:X})"),
    }
}

/// `byte` or `bytes`.
pub(crate) fn bytes(count: i128) -> &'static str {
    if count == 1 { "byte" } else { "bytes" }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Option<u64> {
        number(text, Span { lo: 0, hi: text.len() as u32 }, false).ok()
    }

    #[test]
    fn numbers() {
        assert_eq!(value("$FF"), Some(255));
        assert_eq!(value("0xff"), Some(255));
        assert_eq!(value("0b1010_0101"), Some(0xA5));
        assert_eq!(value("1_000_000"), Some(1_000_000));
        assert_eq!(value("18446744073709551615"), Some(u64::MAX));
        for wrong in ["18446744073709551616", "12A", "0b12", "0x", "1_", "1__0", "0x_1", "$FG"] {
            assert_eq!(value(wrong), None, "{wrong}");
        }
        assert_eq!(number("1010", Span::default(), true).ok(), Some(10));
        assert!(number("12", Span::default(), true).is_err());
    }

    #[test]
    fn quotes() {
        let bytes = |text: &str| quoted(text, Span::default()).ok();
        assert_eq!(bytes(r#""a;\n\r\t\0\\\'\"\x7F""#), Some(b"a;\n\r\t\0\\'\"\x7f".to_vec()));
        assert_eq!(bytes("\"é\""), Some(vec![0xE9]));
        for wrong in [r#""\q""#, r#""\x""#, r#""\x1""#, r#""\x+1""#, "\"€\"", r#""\xé""#] {
            assert_eq!(bytes(wrong), None, "{wrong}");
        }
        assert_eq!(character("';'", Span::default()).ok(), Some(b';'));
        assert!(character("''", Span::default()).is_err());
        assert!(character("'ab'", Span::default()).is_err());
    }
}
