//! Parsing within one line: a cursor over its tokens, and expressions with
//! C's precedence.

use isa::Reg;

use crate::diagnostic::Diagnostic;
use crate::expression::{Binary, Expr, Exprs, Op};
use crate::lex::{Kind, Token};
use crate::literal;
use crate::names::Names;
use crate::source::{Sources, Span};
use crate::symbols::Scopes;

/// Parentheses and signs within each other at most.
const DEEPEST: u32 = 100;

/// A wrong line ends at its first wrong place.
pub(crate) type Parsed<T> = Result<T, Box<Diagnostic>>;

/// The tokens of one line, read from left to right.
pub(crate) struct Parser<'a> {
    pub tokens: &'a [Token],
    pub at: usize,
    pub sources: &'a Sources,
    pub names: &'a mut Names,
    pub exprs: &'a mut Exprs,
    pub scopes: &'a mut Scopes,
    /// Bare names are labels, even those that a register has too.
    pub labels: bool,
}

impl Parser<'_> {
    pub fn peek(&self) -> Option<Token> {
        self.tokens.get(self.at).copied()
    }

    pub fn kind(&self) -> Option<Kind> {
        self.kind_ahead(0)
    }

    /// The kind of the token `ahead` places further.
    pub fn kind_ahead(&self, ahead: usize) -> Option<Kind> {
        self.tokens.get(self.at + ahead).map(|token| token.kind)
    }

    /// Takes the next token if it is of this kind.
    pub fn take(&mut self, kind: Kind) -> Option<Token> {
        let token = *self.tokens.get(self.at).filter(|token| token.kind == kind)?;
        self.at += 1;
        Some(token)
    }

    pub fn expect(&mut self, kind: Kind, what: &str) -> Parsed<Token> {
        self.take(kind).ok_or_else(|| self.unexpected(what))
    }

    /// Where the next token stands; behind the last one at the end.
    pub fn span(&self) -> Span {
        match (self.peek(), self.tokens.last()) {
            (Some(token), _) => token.span,
            (None, Some(last)) => last.span.end(),
            (None, None) => Span::default(),
        }
    }

    /// The token before the cursor.
    pub fn last_span(&self) -> Span {
        let at = self.at.min(self.tokens.len());
        self.tokens[..at].last().map_or(Span::default(), |token| token.span)
    }

    pub fn is_at_end(&self) -> bool {
        self.at >= self.tokens.len()
    }

    /// Nothing may follow.
    pub fn end(&self) -> Parsed<()> {
        if self.is_at_end() { Ok(()) } else { Err(self.unexpected("the end of the statement")) }
    }

    /// `(ELM)`, `1 + A`
    fn register_in_expression(&self, token: Token, reg: Reg) -> Diagnostic {
        let text = self.sources.text(token.span);
        let message = format!("the register {} cannot be part of an expression", reg.name());
        let error = Diagnostic::error("E0407", token.span, message);
        let before = self.at.checked_sub(1).map(|at| self.tokens[at]);
        let (Some(open), Some(close)) = (before, self.tokens.get(self.at + 1)) else {
            return as_a_name(error, token.span, text);
        };
        if (open.kind, close.kind) == (Kind::OpenParen, Kind::CloseParen) && reg.width() > 1 {
            let right = format!("[{text}]");
            return error
                .help(format!("memory at {} is written `{right}`", reg.name()))
                .replace(open.span.to(close.span), right);
        }
        as_a_name(error, token.span, text)
    }

    /// `what` was expected where something else stands.
    pub fn unexpected(&self, what: &str) -> Box<Diagnostic> {
        let Some(token) = self.peek() else {
            return Box::new(
                Diagnostic::error("E0201", self.span(), format!("expected {what}"))
                    .label("the line ends here"),
            );
        };
        let text = self.sources.text(token.span);
        let error = |code, message: String| Diagnostic::error(code, token.span, message);
        Box::new(match token.kind {
            Kind::Unknown if text == "\\" => error("E0102", "a stray `\\`".into())
                .help("in a macro, `\\name` is a parameter and `\\@` a unique number"),
            Kind::Unknown if text == "!" => error("E0102", "`!` does not belong here".into())
                .help("`x == 0` tells whether x is 0, `~x` inverts its bits"),
            Kind::Unknown => {
                let error = error("E0102", format!("{} does not belong here", seen(text)));
                match text.chars().next() {
                    Some(c) if c.is_ascii() => error,
                    Some(c) if c.is_whitespace() => error.help("write an ordinary blank"),
                    _ => error
                        .note("outside quotes and comments a source is made of ASCII characters"),
                }
            }
            Kind::OpenQuote => error("E0105", "the quote is not closed".into())
                .note("a string ends on the line where it begins"),
            Kind::Param => error("E0510", format!("`{text}` is no parameter here"))
                .note("`\\name` stands for a parameter in the body of a macro that declares it"),
            Kind::Unique => error("E0510", "`\\@` outside of a macro or `.rept`".into()),
            _ => {
                let error = error("E0201", format!("expected {what}, found `{text}`"));
                match self.slip(token) {
                    Some(help) => error.help(help),
                    None => error,
                }
            }
        })
    }

    /// What is meant where `token` directly follows the one before it.
    fn slip(&self, token: Token) -> Option<&'static str> {
        let before = self.tokens[..self.at].last()?;
        match (before.kind, token.kind) {
            _ if before.span.hi != token.span.lo => None,
            (Kind::And, Kind::And) => Some("both at once is `(a != 0) & (b != 0)`"),
            (Kind::Or, Kind::Or) => Some("one or the other is `(a != 0) | (b != 0)`"),
            (Kind::Here, Kind::Ident) => Some(
                "hexadecimal digits are 0–9 and A–F; `$` alone is the address of the statement",
            ),
            _ => None,
        }
    }

    /// The register that the next token names, if it may name one.
    pub fn reg_ahead(&self, ahead: usize) -> Option<isa::Reg> {
        let token = self.tokens.get(self.at + ahead)?;
        if token.kind == Kind::Ident { self.names.reg(token.name()) } else { None }
    }

    /// A name that is being defined or asked for.
    pub fn name(&mut self, what: &str) -> Parsed<Token> {
        self.expect(Kind::Ident, what)
    }

    /// An expression.
    pub fn expression(&mut self) -> Parsed<Expr> {
        if let Some(expr) = self.alone() {
            return Ok(expr);
        }
        let start = self.exprs.len();
        let span = self.steps()?;
        Ok(self.exprs.since(start, span))
    }

    /// A number or a reference without anything behind it, which most
    /// expressions are.
    fn alone(&mut self) -> Option<Expr> {
        let token = self.peek()?;
        let length = if token.kind == Kind::At { 2 } else { 1 };
        if !matches!(self.kind_ahead(length), None | Some(Kind::Comma | Kind::CloseBracket)) {
            return None;
        }
        let (name, at, span) = match token.kind {
            Kind::Number | Kind::Char => {
                let value = token.number()?;
                self.at += 1;
                return Some(Expr::single(Op::Number(value.into()), token.span));
            }
            Kind::DotIdent => (token, true, token.span),
            Kind::Ident if self.labels || self.names.reg(token.name()).is_none() => {
                (token, self.labels, token.span)
            }
            Kind::At => {
                let name = *self.tokens.get(self.at + 1)?;
                let is_name = matches!(name.kind, Kind::Ident | Kind::DotIdent);
                is_name.then_some((name, true, token.span.to(name.span)))?
            }
            _ => return None,
        };
        self.at += length;
        Some(Expr::single(self.named(name, at), span))
    }

    /// The operations of an expression, and its text.
    pub fn steps(&mut self) -> Parsed<Span> {
        let first = self.span();
        self.binary(0, 0)?;
        Ok(first.to(self.last_span()))
    }

    /// `+ 3`, `- @X * 2`: what follows the register of a displacement.
    pub fn displacement(&mut self) -> Parsed<Expr> {
        let start = self.exprs.len();
        let sign = self.span();
        let additive = Binary::Add.precedence();
        if self.take(Kind::Minus).is_some() {
            self.exprs.push(Op::Number(0), sign);
            self.binary(additive + 1, 0)?;
            self.exprs.push(Op::Binary(Binary::Subtract), sign);
        } else {
            self.expect(Kind::Plus, "`+`, `-` or `]`")?;
            self.binary(additive + 1, 0)?;
        }
        self.climb(additive, 0)?;
        let last = self.last_span();
        let first = self.exprs.span_at(start);
        Ok(self.exprs.since(start, first.to(last)))
    }

    fn binary(&mut self, minimum: u8, depth: u32) -> Parsed<()> {
        self.unary(depth)?;
        self.climb(minimum, depth)
    }

    /// The operators after an operand, down to precedence `minimum`.
    fn climb(&mut self, minimum: u8, depth: u32) -> Parsed<()> {
        while let Some(token) = self.tokens.get(self.at) {
            let Some(operator) = binary_operator(token.kind) else { break };
            let (precedence, span) = (operator.precedence(), token.span);
            if precedence < minimum {
                break;
            }
            self.at += 1;
            self.binary(precedence + 1, depth)?;
            self.exprs.push(Op::Binary(operator), span);
        }
        Ok(())
    }

    fn unary(&mut self, depth: u32) -> Parsed<()> {
        let Some(token) = self.peek() else { return Err(self.unexpected("a value")) };
        if depth > DEEPEST {
            return Err(Box::new(
                Diagnostic::error("E0205", token.span, "the expression is too deep")
                    .note(format!("at most {DEEPEST} parentheses and signs within each other")),
            ));
        }
        let op = match token.kind {
            Kind::Minus => Op::Negate,
            Kind::Tilde => Op::Complement,
            Kind::Plus => {
                self.at += 1;
                return self.unary(depth + 1);
            }
            Kind::Hash => {
                self.at += 1;
                return self.unary(depth + 1);
            }
            _ => return self.primary(token, depth),
        };
        self.at += 1;
        self.unary(depth + 1)?;
        self.exprs.push(op, token.span);
        Ok(())
    }

    fn primary(&mut self, token: Token, depth: u32) -> Parsed<()> {
        match token.kind {
            Kind::Number => {
                self.at += 1;
                let value = match token.number() {
                    Some(value) => value.into(),
                    None => literal::number(self.sources.text(token.span), token.span, false)?,
                };
                self.exprs.push(Op::Number(value), token.span);
            }
            Kind::Percent => {
                let digits = self.tokens.get(self.at + 1).copied();
                let Some(digits) = digits
                    .filter(|next| next.kind == Kind::Number && next.span.lo == token.span.hi)
                else {
                    return Err(self.unexpected("a value"));
                };
                self.at += 2;
                let text = self.sources.text(digits.span);
                let value = literal::number(text, digits.span, true)?;
                self.exprs.push(Op::Number(value), token.span.to(digits.span));
            }
            Kind::Unique if token.value != 0 => {
                self.at += 1;
                self.exprs.push(Op::Number(token.value.into()), token.span);
            }
            Kind::Char => {
                self.at += 1;
                let value = match token.number() {
                    Some(value) => value.into(),
                    None => literal::character(self.sources.text(token.span), token.span)?.into(),
                };
                self.exprs.push(Op::Number(value), token.span);
            }
            Kind::Here => {
                self.at += 1;
                self.exprs.push(Op::Here, token.span);
                self.exprs.refer();
            }
            Kind::OpenParen => {
                self.at += 1;
                self.parenthesised(token, depth)?;
            }
            Kind::At => {
                self.at += 1;
                match self.peek() {
                    Some(name) if matches!(name.kind, Kind::Ident | Kind::DotIdent) => {
                        self.at += 1;
                        self.reference(name, true, token.span.to(name.span));
                    }
                    _ => return Err(self.unexpected("the name of a label or constant after `@`")),
                }
            }
            Kind::DotIdent => {
                self.at += 1;
                self.reference(token, true, token.span);
            }
            Kind::Ident => {
                let function = self.names.function(token.name());
                if let (Some(function), Some(Kind::OpenParen)) = (function, self.kind_ahead(1)) {
                    self.at += 1;
                    let open = self.expect(Kind::OpenParen, "`(`")?;
                    self.parenthesised(open, depth)?;
                    self.exprs.push(Op::Function(function), token.span);
                } else if let (Some(reg), false) = (self.names.reg(token.name()), self.labels) {
                    return Err(Box::new(self.register_in_expression(token, reg)));
                } else {
                    self.at += 1;
                    self.reference(token, self.labels, token.span);
                }
            }
            Kind::Text => {
                return Err(Box::new(
                    Diagnostic::error("E0201", token.span, "expected a value, found a string")
                        .help("a character is written in single quotes; strings go into `.bytes`, `.ascii` and `.asciiz`"),
                ));
            }
            _ => return Err(self.unexpected("a value")),
        }
        Ok(())
    }

    fn parenthesised(&mut self, open: Token, depth: u32) -> Parsed<()> {
        self.binary(0, depth + 1)?;
        if self.take(Kind::CloseParen).is_none() {
            let error = self.unexpected("`)`");
            return Err(Box::new(error.also(open.span, "opened here")));
        }
        Ok(())
    }

    fn reference(&mut self, token: Token, at: bool, span: Span) {
        let op = self.named(token, at);
        self.exprs.push(op, span);
    }

    /// The name that `token` writes; `at` says that it is surely no register.
    pub fn named(&mut self, token: Token, at: bool) -> Op {
        named(token, at, self.names, self.exprs, self.scopes)
    }
}

/// The same without a parser.
#[inline]
pub(crate) fn named(
    token: Token,
    at: bool,
    names: &mut Names,
    exprs: &mut Exprs,
    scopes: &mut Scopes,
) -> Op {
    let name = scopes.full_name(token, names);
    names.mention(name);
    exprs.refer();
    Op::Name { name, scope: token.scope, at }
}

pub(crate) fn binary_operator(kind: Kind) -> Option<Binary> {
    Some(match kind {
        Kind::Star => Binary::Multiply,
        Kind::Slash => Binary::Divide,
        Kind::Percent => Binary::Remainder,
        Kind::Plus => Binary::Add,
        Kind::Minus => Binary::Subtract,
        Kind::ShiftLeft => Binary::ShiftLeft,
        Kind::ShiftRight => Binary::ShiftRight,
        Kind::Less => Binary::Less,
        Kind::LessEqual => Binary::LessEqual,
        Kind::Greater => Binary::Greater,
        Kind::GreaterEqual => Binary::GreaterEqual,
        Kind::Equal => Binary::Equal,
        Kind::NotEqual => Binary::NotEqual,
        Kind::And => Binary::And,
        Kind::Xor => Binary::Xor,
        Kind::Or => Binary::Or,
        _ => return None,
    })
}

/// A character in quotes, or by its number when it is not to be seen.
fn seen(text: &str) -> String {
    let is_hidden = |c: char| {
        c.is_whitespace()
            || c.is_control()
            || matches!(c, '\u{AD}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}')
            || matches!(c, '\u{2060}'..='\u{206F}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}')
    };
    match text.chars().next() {
        Some(c) if is_hidden(c) => format!("U+{:04X}", c as u32),
        _ => format!("`{text}`"),
    }
}

/// A register where a value stands may be meant as a label or constant.
fn as_a_name(error: Diagnostic, span: Span, text: &str) -> Diagnostic {
    error
        .help(format!("a label or constant of that name is written `@{text}`"))
        .replace(Span { hi: span.lo, ..span }, "@")
}
