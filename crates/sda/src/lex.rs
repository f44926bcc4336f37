//! Lexing: one line of text to tokens. What a token means where it stands is
//! the parser's business; comments and blanks end here.

use logos::Logos;

use crate::names::{Name, Names};
use crate::source::Span;

/// Tokens of one line at most; of a longer one only one more is kept.
pub(crate) const MOST_TOKENS: usize = 1_000_000;

/// The kinds of tokens.
#[derive(Logos, Clone, Copy, Debug, PartialEq, Eq)]
#[logos(skip r"[ \t\x0B\x0C]+")]
#[logos(skip(r"(;|//)[^\r\n]*", allow_greedy = true))]
pub(crate) enum Kind {
    /// The end of a line; a lone carriage return is one too.
    #[regex(r"\r\n|\r|\n")]
    Newline,
    /// `name`, `NAME.field`.
    #[regex(r"[A-Za-z_?][A-Za-z0-9_?]*(\.[A-Za-z_?][A-Za-z0-9_?]*)*")]
    Ident,
    /// A directive or a local label, with its dot.
    #[regex(r"\.[A-Za-z_?][A-Za-z0-9_?]*")]
    DotIdent,
    /// Digits with everything glued to them; the parser judges the digits.
    #[regex(r"\$[0-9A-Fa-f][0-9A-Za-z_]*")]
    #[regex(r"[0-9][0-9A-Za-z_]*")]
    Number,
    /// `$` alone.
    #[token("$")]
    Here,
    #[regex(r#""([^"\\\r\n]|\\[^\r\n])*""#)]
    Text,
    #[regex(r"'([^'\\\r\n]|\\[^\r\n])*'")]
    Char,
    /// A quote that the line does not close.
    #[regex(r#""([^"\\\r\n]|\\[^\r\n])*"#)]
    #[regex(r"'([^'\\\r\n]|\\[^\r\n])*")]
    OpenQuote,
    /// `\name`: a macro's parameter.
    #[regex(r"\\[A-Za-z_?][A-Za-z0-9_?]*")]
    Param,
    /// `\@`; once expanded its value is the number.
    #[token(r"\@")]
    Unique,
    #[token("@")]
    At,
    #[token("#")]
    Hash,
    #[token(":")]
    Colon,
    #[token(",")]
    Comma,
    #[token("(")]
    OpenParen,
    #[token(")")]
    CloseParen,
    #[token("[")]
    OpenBracket,
    #[token("]")]
    CloseBracket,
    #[token("=")]
    Assign,
    #[token("==")]
    Equal,
    #[token("!=")]
    NotEqual,
    #[token("<")]
    Less,
    #[token("<=")]
    LessEqual,
    #[token(">")]
    Greater,
    #[token(">=")]
    GreaterEqual,
    #[token("<<")]
    ShiftLeft,
    #[token(">>")]
    ShiftRight,
    #[token("+")]
    Plus,
    #[token("-")]
    Minus,
    #[token("*")]
    Star,
    #[token("/")]
    Slash,
    #[token("%")]
    Percent,
    #[token("&")]
    And,
    #[token("|")]
    Or,
    #[token("^")]
    Xor,
    #[token("~")]
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
    /// the number of an expanded `Unique`.
    pub value: u32,
    /// The macro expansion whose labels the token sees; 0 is the program.
    pub scope: u32,
}

impl Token {
    pub fn name(self) -> Name {
        Name(self.value)
    }
}

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
    let mut lexer = Kind::lexer(&text[start..]);
    while let Some(kind) = lexer.next() {
        let kind = kind.unwrap_or(Kind::Unknown);
        let range = lexer.span();
        if kind == Kind::Newline {
            return start + range.end;
        }
        if out.len() > MOST_TOKENS {
            continue;
        }
        let value = match kind {
            Kind::Ident | Kind::DotIdent => names.intern(lexer.slice()).0,
            Kind::Param => names.intern(&lexer.slice()[1..]).0,
            _ => 0,
        };
        let at = base + start as u32;
        let span = Span { lo: at + range.start as u32, hi: at + range.end as u32 };
        out.push(Token { kind, span, value, scope: 0 });
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<Kind> {
        let mut tokens = Vec::new();
        line(text, 0, 0, &mut Names::new(), &mut tokens);
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
        let mut names = Names::new();
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
