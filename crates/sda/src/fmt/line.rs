//! A line of the source with everything that is in it: the tokens, and the
//! comment that the lexer leaves out.

use std::ops::Range;

use crate::lex::{Kind, MOST_TOKENS, Token};

/// What the lexer takes for blanks.
const BLANKS: [char; 4] = [' ', '\t', '\x0B', '\x0C'];
/// Columns from one tab stop to the next.
const TAB: usize = 8;

/// One line.
pub(super) struct Line<'a> {
    /// The whole source: the spans of the tokens count from its first byte.
    source: &'a str,
    /// The line without its end.
    pub text: &'a str,
    pub tokens: &'a [Token],
    /// From its `;` or `//` on, without blanks at its end; empty without one.
    pub comment: &'a str,
    /// Where the comment begins, from 0.
    pub comment_column: usize,
}

impl<'a> Line<'a> {
    /// The line at `range`, its end included, with what the lexer found.
    pub fn new(source: &'a str, range: Range<usize>, tokens: &'a [Token]) -> Line<'a> {
        let text = &source[range.clone()];
        let text = text.strip_suffix('\n').unwrap_or(text);
        let text = text.strip_suffix('\r').unwrap_or(text);
        let code = tokens.last().map_or(0, |last| last.span.hi as usize - range.start);
        let comment = text[code..].trim_matches(BLANKS);
        let before = text[..text.len() - text[code..].trim_start_matches(BLANKS).len()].chars();
        let comment_column = before.fold(0, |column, c| match c {
            '\t' => (column / TAB + 1) * TAB,
            _ => column + 1,
        });
        Line { source, text, tokens, comment, comment_column }
    }

    /// Whether every character of the line belongs to a token, a blank or the
    /// comment.
    pub fn is_readable(&self) -> bool {
        let is_token = |token: &Token| !matches!(token.kind, Kind::Unknown | Kind::OpenQuote);
        self.tokens.len() <= MOST_TOKENS && self.tokens.iter().all(is_token)
    }

    /// A token as it is written.
    pub fn word(&self, token: Token) -> &'a str {
        &self.source[token.span.lo as usize..token.span.hi as usize]
    }

    /// Whether `sign` comes next behind a token.
    pub fn is_followed_by(&self, token: Token, sign: char) -> bool {
        self.source[token.span.hi as usize..].trim_start_matches(BLANKS).starts_with(sign)
    }

    /// What stands between a token and the one after it.
    pub fn gap(&self, token: Token, next: Token) -> &'a str {
        &self.source[token.span.hi as usize..next.span.lo as usize]
    }
}
