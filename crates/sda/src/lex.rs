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
                at = blanks_end(bytes, at + 1);
                continue;
            }
            Class::LineEnd => {
                let pair = byte == b'\r' && bytes.get(at + 1) == Some(&b'\n');
                return at + 1 + usize::from(pair);
            }
            Class::Semicolon => {
                at = line_end(bytes, at);
                continue;
            }
            Class::LongSign if byte == b'/' && bytes.get(at + 1) == Some(&b'/') => {
                at = line_end(bytes, at);
                continue;
            }
            Class::Letter => {
                (value, at) = name(text, at, 0, names);
                (Kind::Ident, at)
            }
            Class::Dot if is_letter(bytes, at + 1) => {
                (value, at) = name(text, at, 1, names);
                (Kind::DotIdent, at)
            }
            Class::Digit => {
                (value, at) = decimal(bytes, at);
                (Kind::Number, at)
            }
            Class::Dollar if bytes.get(at + 1).is_some_and(u8::is_ascii_hexdigit) => {
                at = number_end(bytes, at + 1);
                value = hexadecimal(&bytes[begin + 1..at]);
                (Kind::Number, at)
            }
            Class::Dollar => (Kind::Here, at + 1),
            Class::Quote => {
                let (kind, at) = quoted(bytes, at);
                value = plain_character(&bytes[begin..at]);
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

/// The number and the end of the name that begins behind `dots` dots.
fn name(text: &str, at: usize, dots: usize, names: &mut Names) -> (u32, usize) {
    let bytes = text.as_bytes();
    let end = word_end(bytes, at + dots);
    let end = if dots == 0 { dotted_end(bytes, end) } else { end };
    (intern(text, at, end, names).0, end)
}

/// The number of the name from byte `at` to `end`.
pub(crate) fn intern(text: &str, at: usize, end: usize, names: &mut Names) -> Name {
    match text.as_bytes()[at..].first_chunk() {
        Some(bytes) if end - at <= names::SHORT => names.intern_short(text, at..end, bytes),
        _ => names.intern(&text[at..end]),
    }
}

/// Where the statement from `at` on ends: before its comment or with its line.
pub(crate) fn statement_end(bytes: &[u8], mut at: usize) -> usize {
    while let Some(&byte) = bytes.get(at) {
        match CLASSES[byte as usize] {
            Class::Quote => at = quoted(bytes, at).1,
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
    let goes_on = |&&byte: &&u8| byte.is_ascii_alphanumeric() || byte == b'_';
    at + bytes[at..].iter().take_while(goes_on).count()
}

/// The value and the end of a number that begins with a decimal digit.
fn decimal(bytes: &[u8], at: usize) -> (u32, usize) {
    /// Their value cannot be [`UNREAD`].
    const MOST_DECIMALS: usize = 9;
    let (mut value, mut end) = (0, at);
    while let Some(&byte) = bytes.get(end) {
        match CLASSES[byte as usize] {
            Class::Digit if end - at < MOST_DECIMALS => value = 10 * value + u32::from(byte - b'0'),
            Class::Digit | Class::Letter => return (UNREAD, number_end(bytes, at)),
            _ => break,
        }
        end += 1;
    }
    (value, end)
}

/// The value of the number or character that all of `text` is, if it is a
/// plain one.
pub(crate) fn plain_number(text: &[u8]) -> Option<u32> {
    let (value, end) = match text {
        [b'$', _, ..] => (hexadecimal(&text[1..]), text.len()),
        [b'\'', byte, b'\''] if *byte != b'\'' => (plain_character(text), text.len()),
        [b'0'..=b'9', ..] => decimal(text, 0),
        _ => return None,
    };
    (value != UNREAD && end == text.len()).then_some(value)
}

/// The value of at most seven digits, which cannot be [`UNREAD`].
fn hexadecimal(digits: &[u8]) -> u32 {
    let mut value = 0;
    if digits.len() > 7 {
        return UNREAD;
    }
    for &byte in digits {
        match char::from(byte).to_digit(16) {
            Some(digit) => value = 16 * value + digit,
            None => return UNREAD,
        }
    }
    value
}

/// The value of a quoted character that stands for itself.
fn plain_character(quoted: &[u8]) -> u32 {
    match *quoted {
        [_, byte, _] if byte.is_ascii() && byte != b'\\' => byte.into(),
        _ => UNREAD,
    }
}

/// A character or string; an open one ends with the line.
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
