//! What a line says: its labels and what kind of statement they stand
//! before. A line in error is some kind too.

use super::line::Line;
use crate::directive::Directive;
use crate::lex::{Kind, Token};
use crate::names::Names;
use crate::words::Word;

/// A line taken apart.
pub(super) struct Statement<'a> {
    /// Each label with its colon.
    pub labels: Vec<&'a [Token]>,
    pub sort: Sort,
    /// The statement, without the labels.
    pub tokens: &'a [Token],
}

/// Kinds of statements.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Sort {
    /// There are only labels.
    Nothing,
    Instruction(Word),
    Directive(Directive),
    /// `NAME = value`
    Constant,
    /// `name .words 1`
    Field,
    /// A macro's call, or what only its expansion makes a statement.
    Call,
}

impl<'a> Statement<'a> {
    /// Takes the tokens of `line` apart; `in_struct` as the lines above say.
    pub fn new(line: &Line<'a>, in_struct: bool, names: &Names) -> Statement<'a> {
        let mut tokens = line.tokens;
        let mut labels = Vec::new();
        while let Some(length) = label(tokens) {
            let (first, rest) = tokens.split_at(length);
            labels.push(first);
            tokens = rest;
        }
        Statement { labels, sort: sort(tokens, in_struct, names), tokens }
    }

    /// Whether a label is one only once a macro or repetition is expanded: a
    /// parameter names it, or `\@` completes it. Outside of them the whole
    /// line is one error, and stays one.
    pub fn has_open_label(&self) -> bool {
        let is_open = |token: &Token| matches!(token.kind, Kind::Param | Kind::Unique);
        self.labels.iter().any(|label| label.iter().any(is_open))
    }
}

/// Tokens of the label at the beginning.
fn label(tokens: &[Token]) -> Option<usize> {
    let [first, rest @ ..] = tokens else { return None };
    if !matches!(first.kind, Kind::Ident | Kind::DotIdent | Kind::Param) {
        return None;
    }
    let numbers = (0..rest.len()).take_while(|&at| is_joined(&tokens[at..])).count();
    let colon = rest.get(numbers)?;
    (colon.kind == Kind::Colon).then_some(numbers + 2)
}

fn sort(tokens: &[Token], in_struct: bool, names: &Names) -> Sort {
    let Some(&first) = tokens.first() else { return Sort::Nothing };
    let second = tokens.get(1).copied();
    let second_is = |kind| second.is_some_and(|token| token.kind == kind);
    if is_glued(tokens) {
        return Sort::Call;
    }
    match first.kind {
        Kind::DotIdent => names.directive(first.name()).map_or(Sort::Call, Sort::Directive),
        Kind::Ident if second_is(Kind::Assign) => Sort::Constant,
        Kind::Ident => {
            let word = names.word(first.name());
            let is_field = second_is(Kind::DotIdent)
                && second.and_then(|token| names.directive(token.name())).is_some_and(is_of_field);
            match word {
                _ if is_field && in_struct => Sort::Field,
                // `jz .words`: a local label, or a field in a macro's `.struct`?
                Some(_) if is_field => Sort::Call,
                Some(word) => Sort::Instruction(word),
                None if is_field => Sort::Field,
                None => Sort::Call,
            }
        }
        _ => Sort::Call,
    }
}

/// Whether the second token only in a macro becomes a part of the first word:
/// `LD\reg`, `loop\@`.
pub(super) fn is_glued(tokens: &[Token]) -> bool {
    let is_param = matches!(tokens, [_, second, ..] if second.kind == Kind::Param);
    is_joined(tokens) || is_param && touch(tokens)
}

/// Whether `\@` is the second token and joins the first.
fn is_joined(tokens: &[Token]) -> bool {
    matches!(tokens, [_, second, ..] if second.kind == Kind::Unique) && touch(tokens)
}

/// Whether the first token is a word and the second stands right behind it.
fn touch(tokens: &[Token]) -> bool {
    let is_word = |kind| matches!(kind, Kind::Ident | Kind::DotIdent | Kind::Param | Kind::Unique);
    matches!(tokens, [first, second, ..] if is_word(first.kind) && first.span.hi == second.span.lo)
}

fn is_of_field(directive: Directive) -> bool {
    use Directive::*;
    matches!(directive, Bytes | Words | Ptrs | Dwords | Res)
}

impl Sort {
    /// Whether the statement stands among the instructions, not in column 1.
    pub fn is_inner(self) -> bool {
        use Directive::*;
        match self {
            Sort::Instruction(_) | Sort::Call => true,
            Sort::Directive(directive) => {
                self.is_data() || matches!(directive, Align | Pure | Clobbers | Returns)
            }
            Sort::Nothing | Sort::Constant | Sort::Field => false,
        }
    }

    /// Whether labels before the statement get lines of their own.
    pub fn leaves_labels(self) -> bool {
        matches!(self, Sort::Nothing | Sort::Instruction(_) | Sort::Call)
    }

    /// Whether the statement is bytes or a place for them.
    pub fn is_data(self) -> bool {
        use Directive::*;
        let Sort::Directive(directive) = self else { return false };
        matches!(directive, Bytes | Words | Ptrs | Dwords | Ascii | Asciiz | Fill | Res | Incbin)
    }

    /// Whether neighbours of the same word may be a table.
    pub fn is_list(self) -> bool {
        use Directive::*;
        match self {
            Sort::Call => true,
            Sort::Directive(directive) => {
                matches!(directive, Bytes | Words | Ptrs | Dwords | Expect)
            }
            _ => false,
        }
    }

    /// Whether a bare name as operand `at`, from 0, is a label, even one that
    /// a register has too.
    pub fn takes_label(self, at: usize) -> bool {
        let Sort::Instruction(word) = self else { return false };
        let (mnemonic, glued) = match word {
            Word::Mnemonic(mnemonic) => (mnemonic, 0),
            Word::Glued(mnemonic, _) => (mnemonic, 1),
            Word::JumpAbove | Word::JumpBelowOrEqual => return true,
        };
        mnemonic.takes_label.get(at + glued) == Some(&true)
    }
}
