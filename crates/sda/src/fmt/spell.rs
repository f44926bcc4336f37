//! The tokens of a statement one after the other: the case of each, and
//! whether a blank stands before it.

use super::line::Line;
use super::statement::Sort;
use crate::directive::Directive;
use crate::lex::{Kind, Token};
use crate::literal;
use crate::names::Names;
use crate::parse::binary_operator;
use crate::words;

/// Writes the tokens of one statement, from the left to the right.
pub(super) struct Speller<'a> {
    line: &'a Line<'a>,
    names: &'a Names,
    sort: Sort,
    before: Option<Token>,
    /// The token before is a sign or prefix of what follows.
    is_prefixed: bool,
    /// A value comes next, so that `-` is a sign and `%` a prefix.
    wants_value: bool,
    /// The first word has been written.
    in_operands: bool,
    /// A macro's parameter was seen: what it stands for may change what
    /// follows it.
    is_open: bool,
    parentheses: usize,
    brackets: usize,
    /// The number of the operand, from 0.
    operand: usize,
}

impl<'a> Speller<'a> {
    pub fn new(line: &'a Line<'a>, sort: Sort, names: &'a Names) -> Speller<'a> {
        Speller {
            line,
            names,
            sort,
            before: None,
            is_prefixed: false,
            wants_value: false,
            in_operands: false,
            is_open: sort == Sort::Call,
            parentheses: 0,
            brackets: 0,
            operand: 0,
        }
    }

    /// The statement's head has been written.
    pub fn begin_operands(&mut self) {
        self.in_operands = true;
        self.wants_value = true;
    }

    /// Whether parentheses or brackets are open.
    pub fn is_within(&self) -> bool {
        self.parentheses + self.brackets > 0
    }

    /// A comma between operands, which is not written here.
    pub fn next_operand(&mut self, comma: Token) {
        self.operand += 1;
        self.pass(comma);
    }

    /// Appends `token` to `out`, with a blank before it if one belongs there.
    pub fn write(&mut self, token: Token, out: &mut String) {
        if !out.is_empty() && self.has_gap(token) {
            out.push(' ');
        }
        self.spell(token, out);
        self.pass(token);
    }

    fn has_gap(&self, token: Token) -> bool {
        let Some(before) = self.before else { return false };
        let as_written = before.span.hi < token.span.lo;
        let is_operator = |kind| binary_operator(kind).is_some() || kind == Kind::Assign;
        let glues = |kind| matches!(kind, Kind::Param | Kind::Unique);
        match (before.kind, token.kind) {
            // With its digits `%` is a number, without them an operator.
            (Kind::Percent, _) if self.is_prefixed || self.is_open => as_written,
            (_, Kind::Comma | Kind::CloseParen | Kind::CloseBracket) => false,
            (Kind::OpenParen | Kind::OpenBracket, _) => false,
            (Kind::Comma, _) => true,
            (Kind::Colon, _) | (_, Kind::Colon) => self.brackets == 0 && as_written,
            _ if self.is_prefixed => false,
            (kind, _) if is_operator(kind) => true,
            (_, kind) if is_operator(kind) || kind == Kind::Tilde => true,
            (Kind::At, Kind::Ident | Kind::DotIdent) => false,
            (one, other) if glues(one) || glues(other) => as_written,
            (Kind::Ident, Kind::OpenParen) => as_written && !self.is_function(before),
            (Kind::Ident | Kind::DotIdent, Kind::OpenBracket | Kind::At | Kind::Hash) => true,
            _ => as_written,
        }
    }

    fn pass(&mut self, token: Token) {
        let starts_value = self.wants_value || !self.in_operands;
        self.is_prefixed = starts_value
            && matches!(
                token.kind,
                Kind::Plus | Kind::Minus | Kind::Tilde | Kind::Hash | Kind::Percent
            );
        match token.kind {
            Kind::OpenParen => self.parentheses += 1,
            Kind::CloseParen => self.parentheses = self.parentheses.saturating_sub(1),
            Kind::OpenBracket => self.brackets += 1,
            Kind::CloseBracket => self.brackets = self.brackets.saturating_sub(1),
            Kind::Param => self.is_open = true,
            _ => {}
        }
        self.wants_value = match token.kind {
            Kind::OpenParen | Kind::OpenBracket | Kind::Comma | Kind::Colon => true,
            kind => self.is_prefixed || binary_operator(kind).is_some() || kind == Kind::Assign,
        };
        self.before = Some(token);
    }

    fn spell(&self, token: Token, out: &mut String) {
        let text = self.line.word(token);
        match token.kind {
            Kind::Number => spell_number(text, out),
            Kind::DotIdent if self.is_directive(token) => out.push_str(&text.to_ascii_lowercase()),
            Kind::Ident if self.is_upper(token) => out.push_str(&text.to_ascii_uppercase()),
            Kind::Ident if self.is_lower(token) => out.push_str(&text.to_ascii_lowercase()),
            _ => out.push_str(text),
        }
    }

    fn is_directive(&self, token: Token) -> bool {
        let stands_there = matches!(self.sort, Sort::Directive(_) | Sort::Field);
        stands_there && !self.in_operands && self.names.directive(token.name()).is_some()
    }

    /// Whether the name is a mnemonic or a register.
    fn is_upper(&self, token: Token) -> bool {
        let is_reg = || self.names.reg(token.name()).is_some();
        match self.sort {
            Sort::Instruction(_) if !self.in_operands => true,
            Sort::Instruction(_) => is_reg() && !self.may_be_label() && !self.is_named(),
            Sort::Directive(Directive::Clobbers | Directive::Returns) => {
                let text = self.line.word(token);
                let is_flag =
                    ["ZF", "NF", "CF", "VF"].iter().any(|flag| flag.eq_ignore_ascii_case(text));
                (is_reg() || is_flag) && !self.is_named()
            }
            _ => false,
        }
    }

    /// Whether a bare name here is, or may be in an expansion, that of a label.
    fn may_be_label(&self) -> bool {
        let takes_label = |at| self.sort.takes_label(at);
        let here = match self.is_open {
            true => (0..isa::MAX_OPERANDS).any(takes_label),
            false => takes_label(self.operand),
        };
        here && self.brackets == 0
    }

    /// Whether the name is a function.
    fn is_lower(&self, token: Token) -> bool {
        let may_be = !matches!(self.sort, Sort::Call) && self.in_operands && !self.is_named();
        may_be && self.is_function(token) && self.line.is_followed_by(token, '(')
    }

    /// Whether what stands before a name makes it that of a label, or may do
    /// so in an expansion.
    fn is_named(&self) -> bool {
        let before = self.before.map(|before| before.kind);
        matches!(before, Some(Kind::At | Kind::Param | Kind::Unique))
    }

    fn is_function(&self, token: Token) -> bool {
        self.sort != Sort::Call && words::meaning(self.line.word(token)).get().function.is_some()
    }
}

/// Digits in upper case behind a prefix in lower case; what is no number as
/// it is.
fn spell_number(text: &str, out: &mut String) {
    let prefix = match text.get(..2) {
        Some(prefix @ ("0x" | "0X" | "0b" | "0B")) => prefix,
        _ if text.starts_with('$') => "$",
        _ => "",
    };
    if literal::number(text, Default::default(), false).is_ok() {
        out.push_str(&prefix.to_ascii_lowercase());
        out.push_str(&text[prefix.len()..].to_ascii_uppercase());
    } else {
        out.push_str(text);
    }
}
