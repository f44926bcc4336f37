//! Lexing: one line of text to tokens. What a token means where it stands is
//! the parser's business; comments and blanks end here.

use memchr::memchr2;

use crate::lanes;
use crate::names::{self, Name, Names};
use crate::source::Span;

/// Tokens of one line at most; of a longer one only one more is kept.
pub(crate) const MOST_TOKENS: usize = 1_000_000;

/// The kinds of tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Ends each line of a macro's body; a line of a source has none.
    Newline,
    /// `name`, `NAME.field`.
    Ident,
    /// A directive or a local label, with its dot.
    DotIdent,
    /// Digits with everything glued to them; the parser judges the digits.
    Number,
    /// `$` alone.
    Here,
    /// `"text"`
    Text,
    /// `'c'`
    Char,
    /// A quote that the line does not close.
    OpenQuote,
    /// `\name`: a macro's parameter.
    Param,
    /// `\@`; once expanded its value is the number.
    Unique,
    /// `@`
    At,
    /// `#`
    Hash,
    /// `:`
    Colon,
    /// `,`
    Comma,
    /// `(`
    OpenParen,
    /// `)`
    CloseParen,
    /// `[`
    OpenBracket,
    /// `]`
    CloseBracket,
    /// `=`
    Assign,
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterEqual,
    /// `<<`
    ShiftLeft,
    /// `>>`
    ShiftRight,
    /// `+`
    Plus,
    /// `-`
    Minus,
    /// `*`
    Star,
    /// `/`
    Slash,
    /// `%`
    Percent,
    /// `&`
    And,
    /// `|`
    Or,
    /// `^`
    Xor,
    /// `~`
    Tilde,
    /// A character that begins no token.
    Unknown,
}

/// One token of a line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub kind: Kind,
    /// Where it was written.
    pub span: Span,
    /// The name of `Ident`, `DotIdent` and `Param` (without the backslash);
    /// the number of an expanded `Unique`; what `Number` and `Char` are
    /// worth, unless that is [`UNREAD`].
    pub value: u32,
    /// The macro expansion whose labels the token sees; 0 is the program.
    pub scope: u32,
}

/// The value of a literal that is left to `literal`: a long one, one with
/// `_`, an escape or a mistake in it.
pub(crate) const UNREAD: u32 = u32::MAX;

impl Token {
    pub fn name(self) -> Name {
        Name(self.value)
    }

    /// What a plain literal is worth.
    pub fn number(self) -> Option<u32> {
        (self.value != UNREAD).then_some(self.value)
    }
}

/// What a token that begins with a byte may be.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Class {
    Letter,
    Digit,
    // What comes from here on ends a name.
    Blank,
    LineEnd,
    Semicolon,
    Dot,
    Dollar,
    Quote,
    Backslash,
    /// A sign that no longer one begins with.
    Sign,
    /// `=`, `!`, `<`, `>` and `/`, which a second one may follow.
    LongSign,
    Other,
}

const CLASSES: [Class; 256] = {
    let mut classes = [Class::Other; 256];
    let mut byte = 0;
    while byte < 128 {
        classes[byte] = match byte as u8 {
            b' ' | b'\t' | 0x0B | 0x0C => Class::Blank,
            b'\r' | b'\n' => Class::LineEnd,
            b';' => Class::Semicolon,
            b'A'..=b'Z' | b'a'..=b'z' | b'_' | b'?' => Class::Letter,
            b'0'..=b'9' => Class::Digit,
            b'.' => Class::Dot,
            b'$' => Class::Dollar,
            b'"' | b'\'' => Class::Quote,
            b'\\' => Class::Backslash,
            b'=' | b'!' | b'<' | b'>' | b'/' => Class::LongSign,
            b'!'..=b'~' => Class::Sign,
            _ => Class::Other,
        };
        byte += 1;
    }
    classes
};

/// Appends the tokens of the line that begins at byte `start` of `text` to
/// `out`, without its end, and returns where the next line begins. `base` is
/// the position of the text's first byte among all sources.
pub(crate) fn line(
    text: &str,
    start: usize,
    base: u32,
    names: &mut Names,
    out: &mut Vec<Token>,
) -> usize {
    let bytes = text.as_bytes();
    let mut at = start;
    while let Some(&byte) = bytes.get(at) {
        let begin = at;
        let mut value = 0;
        let kind;
        (kind, at) = match CLASSES[byte as usize] {
            Class::Blank => {
                at = gap_end(bytes, at + 1);
                continue;
            }
            Class::LineEnd => {
                let pair = byte == b'\r' && bytes.get(at + 1) == Some(&b'\n');
                return at + 1 + usize::from(pair);
            }
            Class::Semicolon => {
                at = comment_end(bytes, at);
                continue;
            }
            Class::LongSign if byte == b'/' && bytes.get(at + 1) == Some(&b'/') => {
                at = comment_end(bytes, at);
                continue;
            }
            Class::Letter => {
                (value, at) = named(text, at, 0, names);
                (Kind::Ident, at)
            }
            Class::Dot if is_letter(bytes, at + 1) => {
                (value, at) = named(text, at, 1, names);
                (Kind::DotIdent, at)
            }
            Class::Digit => {
                (value, at) = decimal(bytes, at);
                (Kind::Number, at)
            }
            Class::Dollar if bytes.get(at + 1).is_some_and(u8::is_ascii_hexdigit) => {
                (value, at) = hexadecimal(bytes, at + 1);
                (Kind::Number, at)
            }
            Class::Dollar => (Kind::Here, at + 1),
            Class::Quote => {
                let (kind, at) = quoted(bytes, at);
                value = plain_character(bytes, begin).map_or(UNREAD, u32::from);
                (kind, at)
            }
            Class::Backslash if is_letter(bytes, at + 1) => {
                at = word_end(bytes, at + 1);
                value = names.intern(&text[begin + 1..at]).0;
                (Kind::Param, at)
            }
            Class::Backslash if bytes.get(at + 1) == Some(&b'@') => (Kind::Unique, at + 2),
            Class::Sign => (SIGNS[byte as usize], at + 1),
            Class::LongSign => {
                let (kind, length) = long_sign(byte, bytes.get(at + 1).copied().unwrap_or(0));
                (kind, at + length)
            }
            Class::Dot | Class::Backslash | Class::Other => {
                let length = text[begin..].chars().next().map_or(1, char::len_utf8);
                (Kind::Unknown, at + length)
            }
        };
        if out.len() <= MOST_TOKENS {
            let span = Span { lo: base + begin as u32, hi: base + at as u32 };
            out.push(Token { kind, span, value, scope: 0 });
        }
        if bytes.get(at) == Some(&b' ') {
            at += 1;
        }
    }
    text.len()
}

// What follows is kept out of the loop above, which it would burden.

#[inline(never)]
fn named(text: &str, at: usize, dots: usize, names: &mut Names) -> (u32, usize) {
    let (name, end) = name(text, at, dots, names);
    (name.0, end)
}

#[inline(never)]
fn gap_end(bytes: &[u8], at: usize) -> usize {
    blanks_end(bytes, at)
}

#[inline(never)]
fn comment_end(bytes: &[u8], at: usize) -> usize {
    line_end(bytes, at)
}

#[inline(always)]
fn line_end(bytes: &[u8], at: usize) -> usize {
    let mut end = at;
    while let Some(block) = lanes::block(bytes, end) {
        let length = lanes::line_mask(block).trailing_zeros() as usize;
        if length < lanes::BYTES {
            return end + length;
        }
        end += lanes::BYTES;
    }
    memchr2(b'\r', b'\n', &bytes[end..]).map_or(bytes.len(), |length| end + length)
}

pub(crate) fn is_letter(bytes: &[u8], at: usize) -> bool {
    bytes.get(at).is_some_and(|&byte| CLASSES[byte as usize] == Class::Letter)
}

/// Where the line begins that follows the one with byte `at`, which stands
/// behind its last token.
#[inline]
pub(crate) fn next_line(bytes: &[u8], at: usize) -> usize {
    if bytes.get(at) == Some(&b'\n') {
        return at + 1;
    }
    let end = line_end(bytes, at);
    end + match bytes[end..] {
        [b'\r', b'\n', ..] => 2,
        [_, ..] => 1,
        [] => 0,
    }
}

/// Whether a line has nothing more to say from byte `at` on.
pub(crate) fn is_silent(bytes: &[u8], at: usize) -> bool {
    bytes
        .get(at)
        .is_some_and(|&byte| matches!(CLASSES[byte as usize], Class::LineEnd | Class::Semicolon))
}

/// Behind the blanks from `at` on.
#[inline(always)]
pub(crate) fn blanks_end(bytes: &[u8], at: usize) -> usize {
    let mut end = at;
    while let Some(block) = lanes::block(bytes, end) {
        let blanks = lanes::blanks(block);
        end += blanks;
        if blanks < lanes::BYTES {
            return end;
        }
    }
    // The text ends here.
    end + bytes[end..].iter().take_while(|&&byte| byte == b' ').count()
}

/// The same, and fast where there is one at most.
#[inline(always)]
pub(crate) fn few_blanks_end(bytes: &[u8], mut at: usize) -> usize {
    while bytes.get(at) == Some(&b' ') {
        at += 1;
    }
    at
}

/// The name that begins at `at` with a letter behind `dots` dots, and its end.
#[inline(always)]
pub(crate) fn name(text: &str, at: usize, dots: usize, names: &mut Names) -> (Name, usize) {
    let bytes = text.as_bytes();
    if let Some(block) = lanes::block(bytes, at) {
        let length = dots + (lanes::name_mask(block) >> dots).trailing_ones() as usize;
        let goes_on = dots == 0 && block.get(length) == Some(&b'.');
        if length < names::SHORT && !goes_on {
            return (names.intern_short(text, at..at + length, block), at + length);
        }
    }
    long_name(text, at, dots, names)
}

/// The same for a name that needs more than one look.
#[inline(never)]
fn long_name(text: &str, at: usize, dots: usize, names: &mut Names) -> (Name, usize) {
    let bytes = text.as_bytes();
    let end = word_end(bytes, at + dots);
    let end = if dots == 0 { dotted_end(bytes, end) } else { end };
    (names.intern(&text[at..end]), end)
}

/// The name that is the text from `at` to `end`.
#[inline]
pub(crate) fn intern(text: &str, at: usize, end: usize, names: &mut Names) -> Name {
    match lanes::block(text.as_bytes(), at) {
        Some(block) if end - at <= names::SHORT => names.intern_short(text, at..end, block),
        _ => names.intern(&text[at..end]),
    }
}

/// Where the statement from `at` on ends: before its comment or with its line.
pub(crate) fn statement_end(bytes: &[u8], mut at: usize) -> usize {
    while let Some(&byte) = bytes.get(at) {
        match CLASSES[byte as usize] {
            Class::Quote => at = quoted_end(bytes, at),
            Class::Semicolon | Class::LineEnd => break,
            Class::LongSign if byte == b'/' && bytes.get(at + 1) == Some(&b'/') => break,
            _ => at += 1,
        }
    }
    at
}

/// Behind the letters, digits, `_` and `?` from `at` on.
pub(crate) fn word_end(bytes: &[u8], at: usize) -> usize {
    let mut end = at;
    while let Some(block) = lanes::block(bytes, end) {
        let length = lanes::name_bytes(block);
        end += length;
        if length < lanes::BYTES {
            return end;
        }
    }
    while bytes.get(end).is_some_and(|&byte| CLASSES[byte as usize] <= Class::Digit) {
        end += 1;
    }
    end
}

/// Behind a name of which the first part ends at `end`: `NAME.field`.
fn dotted_end(bytes: &[u8], mut end: usize) -> usize {
    while bytes.get(end) == Some(&b'.') && is_letter(bytes, end + 1) {
        end = word_end(bytes, end + 1);
    }
    end
}

/// Behind a number: a name's characters, but no `?`.
fn number_end(bytes: &[u8], at: usize) -> usize {
    let is_in_it = |&&byte: &&u8| byte.is_ascii_alphanumeric() || byte == b'_';
    at + bytes[at..].iter().take_while(is_in_it).count()
}

/// What a byte is worth as a digit; 255 is none.
const DIGITS: [u8; 256] = {
    let mut digits = [u8::MAX; 256];
    let mut digit = 0;
    while digit < 16 {
        let sign = b"0123456789abcdef"[digit as usize];
        digits[sign as usize] = digit;
        digits[sign.to_ascii_uppercase() as usize] = digit;
        digit += 1;
    }
    digits
};

/// The value and the end of a number of which the digits begin at `at`, at most
/// so many of them that it cannot be [`UNREAD`]; what a byte is worth as a digit
/// is less than the radix.
#[inline(always)]
fn digits(
    bytes: &[u8],
    at: usize,
    radix: u8,
    most: usize,
    worth: impl Fn(u8) -> u8,
) -> (u32, usize) {
    let (mut value, mut count) = (0u32, 0);
    for &byte in &bytes[at..] {
        let digit = worth(byte);
        if digit >= radix {
            break;
        }
        value = value.wrapping_mul(radix.into()).wrapping_add(digit.into());
        count += 1;
    }
    let end = at + count;
    if (1..=most).contains(&count) && !is_letter(bytes, end) {
        (value, end)
    } else {
        (UNREAD, number_end(bytes, at))
    }
}

fn decimal(bytes: &[u8], at: usize) -> (u32, usize) {
    digits(bytes, at, 10, 9, |byte| byte.wrapping_sub(b'0'))
}

/// What stands behind the `$`.
fn hexadecimal(bytes: &[u8], at: usize) -> (u32, usize) {
    digits(bytes, at, 16, 7, |byte| DIGITS[byte as usize])
}

/// The value and the end of the number or character at `at`, if it is a plain
/// one.
#[inline(always)]
pub(crate) fn plain_number(bytes: &[u8], at: usize) -> Option<(u32, usize)> {
    let (value, end) = match bytes.get(at)? {
        b'0'..=b'9' => decimal(bytes, at),
        b'$' => hexadecimal(bytes, at + 1),
        b'\'' => (plain_character(bytes, at)?.into(), at + PLAIN_CHARACTER),
        _ => return None,
    };
    (value != UNREAD).then_some((value, end))
}

/// The quoted character at `at`, if it stands for itself.
fn plain_character(bytes: &[u8], at: usize) -> Option<u8> {
    match bytes[at..] {
        [b'\'', byte, b'\'', ..] if byte.is_ascii() => {
            (!matches!(byte, b'\'' | b'\\' | b'\r' | b'\n')).then_some(byte)
        }
        _ => None,
    }
}

/// Behind the string at `at`, if all of its characters stand for themselves and
/// it has no quotes.
pub(crate) fn plain_text(bytes: &[u8], at: usize) -> Option<usize> {
    let mut end = at + 1;
    if bytes[at] != b'"' {
        return None;
    }
    loop {
        let block = lanes::block(bytes, end)?;
        let others = lanes::string_mask(block) | lanes::high_mask(block);
        end += (others.trailing_zeros() as usize).min(lanes::BYTES);
        if others != 0 {
            return (bytes.get(end) == Some(&b'"')).then_some(end + 1);
        }
    }
}

/// Behind the character or string at `at`.
fn quoted_end(bytes: &[u8], at: usize) -> usize {
    match plain_character(bytes, at) {
        Some(_) => at + PLAIN_CHARACTER,
        None => quoted(bytes, at).1,
    }
}

/// Bytes of a quoted character that stands for itself.
const PLAIN_CHARACTER: usize = 3;

/// A character or string; an open one ends with the line.
#[inline(never)]
fn quoted(bytes: &[u8], at: usize) -> (Kind, usize) {
    let quote = bytes[at];
    let mut end = at + 1;
    loop {
        end = plain_end(bytes, end);
        let Some(&byte) = bytes.get(end) else { break };
        match byte {
            b'\r' | b'\n' => break,
            b'\\' if matches!(bytes.get(end + 1), None | Some(b'\r' | b'\n')) => break,
            b'\\' => end += 2,
            _ if byte == quote => {
                return (if quote == b'"' { Kind::Text } else { Kind::Char }, end + 1);
            }
            _ => end += 1,
        }
    }
    (Kind::OpenQuote, end)
}

/// Where something stands that may end a string, from `at` on.
fn plain_end(bytes: &[u8], at: usize) -> usize {
    let mut end = at;
    while let Some(block) = lanes::block(bytes, end) {
        let plain = lanes::string_mask(block).trailing_zeros() as usize;
        if plain < lanes::BYTES {
            return end + plain;
        }
        end += lanes::BYTES;
    }
    end
}

/// The operator that begins with `first`, and its bytes.
fn long_sign(first: u8, second: u8) -> (Kind, usize) {
    let kind = match (first, second) {
        (b'=', b'=') => Kind::Equal,
        (b'!', b'=') => Kind::NotEqual,
        (b'<', b'=') => Kind::LessEqual,
        (b'<', b'<') => Kind::ShiftLeft,
        (b'>', b'=') => Kind::GreaterEqual,
        (b'>', b'>') => Kind::ShiftRight,
        _ => return (SIGNS[first as usize], 1),
    };
    (kind, 2)
}

/// The operators and brackets of one character.
const SIGNS: [Kind; 256] = {
    const LIST: [(u8, Kind); 20] = [
        (b'@', Kind::At),
        (b'#', Kind::Hash),
        (b':', Kind::Colon),
        (b',', Kind::Comma),
        (b'(', Kind::OpenParen),
        (b')', Kind::CloseParen),
        (b'[', Kind::OpenBracket),
        (b']', Kind::CloseBracket),
        (b'=', Kind::Assign),
        (b'<', Kind::Less),
        (b'>', Kind::Greater),
        (b'+', Kind::Plus),
        (b'-', Kind::Minus),
        (b'*', Kind::Star),
        (b'/', Kind::Slash),
        (b'%', Kind::Percent),
        (b'&', Kind::And),
        (b'|', Kind::Or),
        (b'^', Kind::Xor),
        (b'~', Kind::Tilde),
    ];
    let mut signs = [Kind::Unknown; 256];
    let mut at = 0;
    while at < LIST.len() {
        signs[LIST[at].0 as usize] = LIST[at].1;
        at += 1;
    }
    signs
};

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<Kind> {
        let mut tokens = Vec::new();
        line(text, 0, 0, &mut Names::default(), &mut tokens);
        tokens.iter().map(|token| token.kind).collect()
    }

    #[test]
    fn a_semicolon_in_quotes_is_no_comment() {
        assert_eq!(kinds("';' \";\" ; ' \""), [Kind::Char, Kind::Text]);
        assert_eq!(kinds("\"//\" // x"), [Kind::Text]);
    }

    #[test]
    fn lines_end_where_they_end() {
        let mut tokens = Vec::new();
        let mut names = Names::default();
        for text in ["NOP\nRET", "NOP\r\nRET", "NOP\rRET", "NOP ; don't\nRET"] {
            tokens.clear();
            let next = line(text, 0, 0, &mut names, &mut tokens);
            assert_eq!((&text[next..], tokens.len()), ("RET", 1), "{text:?}");
        }
    }

    #[test]
    fn names_numbers_and_the_place() {
        assert_eq!(kinds("OBJ.hp .loop $FF $ 0x1F"), {
            use Kind::*;
            [Ident, DotIdent, Number, Here, Number]
        });
        assert_eq!(kinds("loop\\@: \\p"), {
            use Kind::*;
            [Ident, Unique, Colon, Param]
        });
        assert_eq!(kinds("\"open"), [Kind::OpenQuote]);
        assert_eq!(kinds("é"), [Kind::Unknown]);
    }
}
