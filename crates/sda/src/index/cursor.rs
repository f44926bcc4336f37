//! What is being typed at the end of an unfinished line: what an editor
//! offers words for.

use isa::MAX_OPERANDS;

use crate::directive::Directive;
use crate::lex::{self, Kind, Token};
use crate::names::Names;
use crate::words::Word;

use super::word::first_word;

/// What is being typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cursor {
    /// The byte at which the word begins; the end of the line when none does.
    pub start: usize,
    /// What belongs here.
    pub place: Place,
}

/// What belongs at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// A mnemonic, a macro, a directive, a label.
    Statement,
    /// A directive or a local label, with its dot.
    Dotted,
    /// An operand: registers, names, functions.
    Operand {
        /// A bare name is a label here, and no register makes sense.
        label: bool,
        /// An `@` stands before the word.
        behind_at: bool,
    },
    /// A local label that is used, with its dot.
    Local,
    /// What comes behind `NAME.`; the word begins behind the dot.
    Field(String),
    /// A macro's parameter, with its backslash.
    Parameter,
    /// The name of a file, within quotes.
    File {
        /// `.include`, not `.incbin`.
        is_source: bool,
    },
    /// A register or flag of a promise.
    Promise,
    /// A new name, a comment, a number: nothing to offer.
    Nothing,
}

/// What is being typed at the end of `line`.
pub fn cursor(line: &str) -> Cursor {
    // A letter more tells a comment from code, and a blank from a word.
    let probe = format!("{line}x");
    let mut names = Names::default();
    let mut tokens = Vec::new();
    lex::line(&probe, 0, 0, &mut names, &mut tokens);
    let nothing = Cursor { start: line.len(), place: Place::Nothing };
    let Some(&last) = tokens.last() else { return nothing };
    if last.span.hi as usize != probe.len() {
        return nothing;
    }
    let start = last.span.lo as usize;
    let first = first_word(&tokens);
    let at = tokens.len() - 1;
    let directive = tokens
        .get(first)
        .filter(|token| first < at && token.kind == Kind::DotIdent)
        .and_then(|token| names.directive(token.name()));
    if last.kind == Kind::OpenQuote {
        return match directive {
            Some(directive @ (Directive::Include | Directive::Incbin)) if at == first + 1 => {
                let is_source = directive == Directive::Include;
                Cursor { start: start + 1, place: Place::File { is_source } }
            }
            _ => nothing,
        };
    }
    let word = Cursor { start, place: Place::Nothing };
    match last.kind {
        Kind::Param => Cursor { place: Place::Parameter, ..word },
        Kind::DotIdent if at == first => Cursor { place: Place::Dotted, ..word },
        Kind::DotIdent => Cursor { place: Place::Local, ..word },
        Kind::Ident => {
            let text = &probe[start..];
            if at == first {
                return Cursor { place: Place::Statement, ..word };
            }
            if let Some((owner, field)) = text.rsplit_once('.') {
                let place = Place::Field(owner.to_string());
                return Cursor { start: probe.len() - field.len(), place };
            }
            Cursor { place: operand(&tokens, first, directive, &names), ..word }
        }
        _ => word,
    }
}

fn operand(tokens: &[Token], first: usize, directive: Option<Directive>, names: &Names) -> Place {
    let at = tokens.len() - 1;
    let behind_at = tokens[at - 1].kind == Kind::At;
    match directive {
        Some(Directive::Pure | Directive::Clobbers | Directive::Returns) => return Place::Promise,
        Some(Directive::Entry | Directive::Ifdef | Directive::Ifndef) => {
            return Place::Operand { label: true, behind_at };
        }
        Some(Directive::Macro) => return Place::Nothing,
        Some(Directive::Equ | Directive::Var | Directive::Struct) if at == first + 1 => {
            return Place::Nothing;
        }
        _ => {}
    }
    let commas = tokens[first..at].iter().filter(|token| token.kind == Kind::Comma).count();
    let is_name = tokens[first].kind == Kind::Ident;
    let label = match is_name.then(|| names.word(tokens[first].name())).flatten() {
        Some(Word::JumpAbove | Word::JumpBelowOrEqual) => true,
        Some(Word::Mnemonic(mnemonic)) if commas < MAX_OPERANDS => mnemonic.takes_label[commas],
        _ => false,
    };
    Place::Operand { label, behind_at }
}
