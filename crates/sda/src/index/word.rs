//! The language's own words at a place: what an editor explains when somebody
//! points at one.

use std::ops::Range;

use isa::{Instruction, Reg};

use crate::directive;
use crate::lex::{self, Kind, Token};
use crate::literal;
use crate::names::Names;
use crate::source::Span;
use crate::words;

use super::statement::label_length;

/// A word of the language, or a literal.
#[derive(Clone, Debug, PartialEq)]
pub struct Word {
    /// Its bytes in the line.
    pub range: Range<usize>,
    /// What it is.
    pub kind: WordKind,
}

/// What a word is.
#[derive(Clone, Debug, PartialEq)]
pub enum WordKind {
    /// A mnemonic, with its forms by ascending opcode and the register that
    /// is its ending. JA and JBE, which stand for two instructions, have no
    /// form of their own.
    Mnemonic {
        /// Upper case, without the register.
        name: &'static str,
        /// The rows of the table.
        rows: Vec<&'static Instruction>,
        /// The register of `LDELM`, `STB`.
        glued: Option<Reg>,
    },
    /// A register.
    Register(Reg),
    /// A directive: its name without the dot, and what it does.
    Directive(&'static str, &'static str),
    /// `lo`, `hi`, `bank` or `word` before its parenthesis.
    Function(&'static str),
    /// A number or a character, and its value.
    Value(u64),
}

/// The word at byte `column` of a line; the end of a word counts. `None` for
/// names, signs, blanks, comments and strings.
pub fn word_at(line: &str, column: usize) -> Option<Word> {
    let mut names = Names::default();
    let mut tokens = Vec::new();
    lex::line(line, 0, 0, &mut names, &mut tokens);
    let touches =
        |token: &Token| (token.span.lo as usize..=token.span.hi as usize).contains(&column);
    // Of two that meet, such as `[A`, the word is meant.
    let at = (0..tokens.len())
        .rev()
        .find(|&at| touches(&tokens[at]) && kind(line, &tokens, at, &names).is_some())?;
    let span = tokens[at].span;
    let kind = kind(line, &tokens, at, &names)?;
    let mut range = span.lo as usize..span.hi as usize;
    if is_binary(&tokens, at) {
        range.start -= 1;
    }
    Some(Word { range, kind })
}

/// Whether `text` may be a name: letters, digits, `_` and `?`, not beginning
/// with a digit, and no word of the language.
pub fn is_name(text: &str) -> bool {
    let mut bytes = text.bytes();
    let letter = |byte: u8| byte.is_ascii_alphabetic() || b"_?".contains(&byte);
    let meaning = words::meaning(text).get();
    bytes.next().is_some_and(letter)
        && bytes.all(|byte| letter(byte) || byte.is_ascii_digit())
        && meaning.reg.is_none()
        && meaning.word.is_none()
        && meaning.function.is_none()
}

fn kind(line: &str, tokens: &[Token], at: usize, names: &Names) -> Option<WordKind> {
    let token = tokens[at];
    let text = || &line[token.span.lo as usize..token.span.hi as usize];
    let plain = Span::default();
    match token.kind {
        Kind::Ident => {
            let is_first = at == first_word(tokens);
            let is_defined = tokens.get(at + 1).is_some_and(|next| next.kind == Kind::Assign);
            if is_first
                && !is_defined
                && let Some(word) = names.word(token.name())
            {
                return Some(mnemonic(word));
            }
            let before_open = tokens.get(at + 1).is_some_and(|next| next.kind == Kind::OpenParen);
            if let Some(function) = names.function(token.name()).filter(|_| before_open) {
                let all = crate::expression::Function::ALL.iter();
                return all
                    .clone()
                    .find(|one| one.1 == function)
                    .map(|one| WordKind::Function(one.0));
            }
            names.reg(token.name()).map(WordKind::Register)
        }
        Kind::DotIdent => {
            let name = text()[1..].to_ascii_lowercase();
            let mut all = directive::directives();
            let (name, what) = all.find(|(known, _)| *known == name)?;
            Some(WordKind::Directive(name, what))
        }
        Kind::Number => {
            literal::number(text(), plain, is_binary(tokens, at)).ok().map(WordKind::Value)
        }
        Kind::Char => {
            literal::character(text(), plain).ok().map(|value| WordKind::Value(value.into()))
        }
        _ => None,
    }
}

fn mnemonic(word: words::Word) -> WordKind {
    let (name, rows, glued) = match word {
        words::Word::Mnemonic(mnemonic) => (mnemonic.name, mnemonic.rows.clone(), None),
        words::Word::Glued(mnemonic, reg) => (mnemonic.name, mnemonic.rows.clone(), Some(reg)),
        words::Word::JumpAbove => ("JA", Vec::new(), None),
        words::Word::JumpBelowOrEqual => ("JBE", Vec::new(), None),
    };
    WordKind::Mnemonic { name, rows, glued }
}

/// The place of the first token behind the labels.
pub(super) fn first_word(tokens: &[Token]) -> usize {
    let mut at = 0;
    while let Some(length) = label_length(&tokens[at..]) {
        at += length + 1;
    }
    at
}

/// Whether the digits at `at` stand behind the `%` of a binary number, and
/// not behind that of a remainder.
fn is_binary(tokens: &[Token], at: usize) -> bool {
    let Some(before) = at.checked_sub(1).map(|before| tokens[before]) else { return false };
    let joined = tokens[at].kind == Kind::Number
        && before.kind == Kind::Percent
        && before.span.hi == tokens[at].span.lo;
    let operand_ends = at.checked_sub(2).is_some_and(|at| {
        matches!(
            tokens[at].kind,
            Kind::Number
                | Kind::Char
                | Kind::Ident
                | Kind::DotIdent
                | Kind::CloseParen
                | Kind::Here
        )
    });
    // `LDA %101`: the mnemonic is no operand.
    joined && (!operand_ends || at == first_word(tokens) + 2)
}
