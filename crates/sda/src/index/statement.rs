//! Statements as an index reads them: labels, then what they stand before,
//! by the same rules as the assembler but without its memory.

use std::ops::Range;

use crate::directive::Directive;
use crate::lex::{Kind, Token};
use crate::names::Names;
use crate::source::Span;
use crate::words::{Mnemonic, Word};

use super::{Inclusion, Index, MacroIndex, NameKind, Occurrence, Role, Space};

/// Which operands take a bare name for a label whatever it is called.
#[derive(Clone, Copy)]
enum Bare {
    Never,
    Always,
    Operands(&'static Mnemonic),
}

/// A macro whose `.endm` is still to come.
struct OpenMacro {
    number: usize,
    /// The first occurrence that may lie in its body.
    first: usize,
    /// The plain label outside.
    plain: Option<String>,
}

/// Reads the lines of one source.
pub(super) struct Reader<'a> {
    source: &'a str,
    index: Index,
    /// The last plain label: local labels belong to it.
    plain: Option<String>,
    open_macros: Vec<OpenMacro>,
    open_struct: Option<String>,
}

impl<'a> Reader<'a> {
    pub fn new(source: &'a str) -> Reader<'a> {
        Reader {
            source,
            index: Index::default(),
            plain: None,
            open_macros: Vec::new(),
            open_struct: None,
        }
    }

    /// The next line.
    pub fn line(&mut self, line: &[Token], names: &Names) {
        let mut tokens = line;
        while let Some(length) = label_length(tokens) {
            self.label(&tokens[..length], names);
            tokens = &tokens[length + 1..];
        }
        let Some(&first) = tokens.first() else { return };
        match first.kind {
            Kind::DotIdent => match names.directive(first.name()) {
                Some(directive) => self.directive(directive, tokens, names),
                None => self.uses(&tokens[1..], Bare::Never, names),
            },
            Kind::Ident if self.open_struct.is_some() => self.field(tokens, names),
            Kind::Ident => self.named(tokens, names),
            // What a parameter makes of the statement is not known.
            _ => self.uses(tokens, Bare::Never, names),
        }
    }

    pub fn finish(mut self) -> Index {
        while let Some(open) = self.open_macros.pop() {
            self.close(open, self.source.len());
        }
        self.index.occurrences.sort_by_key(|one| (one.range.start, one.range.end));
        self.index
    }

    /// A label, without its colon.
    fn label(&mut self, tokens: &[Token], names: &Names) {
        let first = tokens[0];
        match first.kind {
            Kind::Param => {
                let text = names.text(first.name());
                self.parameter(first, names);
                if let Some(open) = self.open_macros.last() {
                    let declared = &mut self.index.macros[open.number];
                    if let Some(at) = declared.parameters.iter().position(|name| name == text) {
                        declared.defines.push(at as u32);
                    }
                }
                self.plain = None;
            }
            Kind::DotIdent => {
                let text = self.local(tokens, names);
                let space = self.own_space();
                self.define(text, space, first.span, NameKind::Local);
            }
            _ => {
                let text = joined(tokens, names);
                if !text.contains('.') {
                    self.define(text.clone(), self.own_space(), first.span, NameKind::Label);
                    self.plain = Some(text);
                }
            }
        }
    }

    /// A statement that begins with a name: a constant, an instruction, a
    /// macro's call.
    fn named(&mut self, tokens: &[Token], names: &Names) {
        let first = tokens[0];
        let length = 1 + unique_length(tokens);
        if tokens.get(length).is_some_and(|token| token.kind == Kind::Assign) {
            let text = joined(&tokens[..length], names);
            self.define(text, Space::Program, first.span, NameKind::Constant);
            return self.uses(&tokens[length + 1..], Bare::Never, names);
        }
        match names.word(first.name()) {
            Some(Word::Mnemonic(mnemonic)) => {
                self.uses(&tokens[1..], Bare::Operands(mnemonic), names);
            }
            Some(Word::Glued(..)) => self.uses(&tokens[1..], Bare::Never, names),
            Some(Word::JumpAbove | Word::JumpBelowOrEqual) => {
                self.uses(&tokens[1..], Bare::Always, names);
            }
            None => {
                let called = self.number(names.text(first.name()));
                self.add(called, Space::Macros, bytes(first.span), Role::Use);
                let before = self.index.occurrences.len();
                self.uses(&tokens[1..], Bare::Never, names);
                self.mark_arguments(before, called, &tokens[1..]);
            }
        }
    }

    /// Names that stand alone between two commas of a call are its arguments.
    fn mark_arguments(&mut self, before: usize, called: u32, tokens: &[Token]) {
        let arguments = tokens.split(|token| token.kind == Kind::Comma);
        for (place, argument) in arguments.enumerate() {
            let [only] = argument else { continue };
            let range = bytes(only.span);
            let list = &mut self.index.occurrences[before..];
            if let Some(one) =
                list.iter_mut().find(|one| one.range == range && one.role == Role::Use)
            {
                one.role = Role::Argument(called, place as u32);
            }
        }
    }

    fn directive(&mut self, directive: Directive, tokens: &[Token], names: &Names) {
        let rest = &tokens[1..];
        let name = rest.first().copied().filter(|token| token.kind == Kind::Ident);
        match (directive, name) {
            (Directive::Equ | Directive::Var, Some(name)) => {
                let length = 1 + unique_length(rest);
                let (space, kind) = match directive {
                    Directive::Equ => (Space::Program, NameKind::Constant),
                    _ => (self.own_space(), NameKind::Variable),
                };
                self.define(joined(&rest[..length], names), space, name.span, kind);
                self.uses(&rest[length..], Bare::Never, names);
            }
            (Directive::Macro, Some(name)) => self.begin_macro(name, &rest[1..], names),
            (Directive::Endm, _) => {
                if let Some(open) = self.open_macros.pop() {
                    self.close(open, tokens[0].span.hi as usize);
                }
            }
            (Directive::Struct, Some(name)) => {
                let text = names.text(name.name()).to_string();
                self.define(text.clone(), Space::Program, name.span, NameKind::Struct);
                self.open_struct = Some(text);
            }
            (Directive::Ends, _) => {
                if let Some(name) = self.open_struct.take() {
                    let text = format!("{name}.size");
                    self.define(text, Space::Program, tokens[0].span, NameKind::Field);
                }
            }
            (Directive::Ifdef | Directive::Ifndef, Some(name)) => {
                // It may ask for a macro as well.
                let number = self.number(names.text(name.name()));
                self.add(number, Space::Macros, bytes(name.span), Role::Use);
                self.uses(rest, Bare::Always, names);
            }
            (Directive::Include | Directive::Incbin, _) => {
                if let Some(file) = rest.first().filter(|token| token.kind == Kind::Text) {
                    let range = file.span.lo as usize + 1..file.span.hi as usize - 1;
                    let file = self.source[range.clone()].to_string();
                    let is_source = directive == Directive::Include;
                    self.index.inclusions.push(Inclusion { file, range, is_source });
                }
                self.uses(rest, Bare::Never, names);
            }
            (Directive::Entry, _) => self.uses(rest, Bare::Always, names),
            (Directive::Pure | Directive::Clobbers | Directive::Returns, _) => {}
            _ => self.uses(rest, Bare::Never, names),
        }
    }

    /// A line within a structure.
    fn field(&mut self, tokens: &[Token], names: &Names) {
        let Some(name) = &self.open_struct else { return };
        let text = format!("{name}.{}", names.text(tokens[0].name()));
        self.define(text, Space::Program, tokens[0].span, NameKind::Field);
        self.uses(tokens.get(2..).unwrap_or_default(), Bare::Never, names);
    }

    fn begin_macro(&mut self, name: Token, parameters: &[Token], names: &Names) {
        let text = names.text(name.name()).to_string();
        self.define(text, Space::Macros, name.span, NameKind::Macro);
        let number = self.index.macros.len();
        let space = Space::Body(number as u32);
        let first = self.index.occurrences.len();
        let parameters = parameters.iter().filter(|token| token.kind == Kind::Ident);
        let declared = parameters.map(|token| (names.text(token.name()), token.span));
        let declared: Vec<(String, Span)> =
            declared.map(|(text, span)| (text.to_string(), span)).collect();
        for (text, span) in &declared {
            self.define(format!("\\{text}"), space, *span, NameKind::Parameter);
        }
        let name = self.index.occurrences[first - 1].clone();
        self.index.macros.push(MacroIndex {
            name: name.name,
            parameters: declared.into_iter().map(|(text, _)| text).collect(),
            defines: Vec::new(),
            range: name.range,
        });
        self.open_macros.push(OpenMacro { number, first, plain: self.plain.take() });
    }

    /// Ends a macro: names that its body does not define are the program's.
    fn close(&mut self, open: OpenMacro, end: usize) {
        self.plain = open.plain;
        self.index.macros[open.number].range.end = end;
        let space = Space::Body(open.number as u32);
        let list = &mut self.index.occurrences[open.first..];
        let own: std::collections::HashSet<u32> = list
            .iter()
            .filter(|one| one.space == space && matches!(one.role, Role::Definition(_)))
            .map(|one| one.name)
            .collect();
        for one in list.iter_mut().filter(|one| one.space == space && !own.contains(&one.name)) {
            one.space = Space::Program;
        }
    }

    /// The names in operands.
    fn uses(&mut self, tokens: &[Token], bare: Bare, names: &Names) {
        let mut operand = 0;
        for (at, &token) in tokens.iter().enumerate() {
            match token.kind {
                Kind::Comma => operand += 1,
                Kind::Param => self.parameter(token, names),
                Kind::DotIdent => {
                    let text = self.local(&tokens[at..=at + unique_length(&tokens[at..])], names);
                    let space = self.own_space();
                    let number = self.number(&text);
                    self.add(number, space, bytes(token.span), Role::Use);
                }
                Kind::Ident => {
                    let is_label = match bare {
                        Bare::Never => false,
                        Bare::Always => true,
                        Bare::Operands(mnemonic) => {
                            mnemonic.takes_label.get(operand).copied().unwrap_or(false)
                        }
                    };
                    let behind_at = at > 0 && tokens[at - 1].kind == Kind::At;
                    let before_open =
                        tokens.get(at + 1).is_some_and(|next| next.kind == Kind::OpenParen);
                    let is_function = before_open && names.function(token.name()).is_some();
                    let is_reg = names.reg(token.name()).is_some();
                    if behind_at || !is_function && (is_label || !is_reg) {
                        self.used(&tokens[at..=at + unique_length(&tokens[at..])], names);
                    }
                }
                _ => {}
            }
        }
    }

    /// A name that is used, `OBJ.hp` as both `OBJ` and `OBJ.hp`.
    fn used(&mut self, tokens: &[Token], names: &Names) {
        let text = joined(tokens, names);
        let space = self.own_space();
        let Range { mut start, end } = bytes(tokens[0].span);
        if let Some((owner, _)) = text.split_once('.') {
            let number = self.number(owner);
            self.add(number, space, start..start + owner.len(), Role::Use);
            start += owner.len() + 1;
        }
        let number = self.number(&text);
        self.add(number, space, start..end, Role::Use);
    }

    fn parameter(&mut self, token: Token, names: &Names) {
        let number = self.number(&format!("\\{}", names.text(token.name())));
        let Range { start, end } = bytes(token.span);
        let space = self.own_space();
        self.add(number, space, start + 1..end, Role::Use);
    }

    /// The full name of a local label.
    fn local(&self, tokens: &[Token], names: &Names) -> String {
        format!("{}{}", self.plain.as_deref().unwrap_or(""), joined(tokens, names))
    }

    /// Where labels of this line are.
    fn own_space(&self) -> Space {
        self.open_macros.last().map_or(Space::Program, |open| Space::Body(open.number as u32))
    }

    fn define(&mut self, text: String, space: Space, span: Span, kind: NameKind) {
        let number = self.number(&text);
        self.add(number, space, bytes(span), Role::Definition(kind));
    }

    fn add(&mut self, name: u32, space: Space, range: Range<usize>, role: Role) {
        self.index.occurrences.push(Occurrence { name, space, range, role });
    }

    fn number(&mut self, text: &str) -> u32 {
        if let Some(&number) = self.index.numbers.get(text) {
            return number;
        }
        let number = self.index.texts.len() as u32;
        self.index.texts.push(text.to_string());
        self.index.numbers.insert(text.to_string(), number);
        number
    }
}

/// The tokens of the label that a line begins with, without its colon.
pub(super) fn label_length(tokens: &[Token]) -> Option<usize> {
    let first = tokens.first()?;
    if !matches!(first.kind, Kind::Ident | Kind::DotIdent | Kind::Param) {
        return None;
    }
    let length = 1 + unique_length(tokens);
    tokens.get(length).filter(|token| token.kind == Kind::Colon).map(|_| length)
}

/// The `\@` that directly follow the name that `tokens` begins with.
fn unique_length(tokens: &[Token]) -> usize {
    let mut end = tokens[0].span.hi;
    let joins = |token: &&Token| {
        let joins = token.kind == Kind::Unique && token.span.lo == end;
        end = token.span.hi;
        joins
    };
    tokens[1..].iter().take_while(joins).count()
}

/// A name with the `\@` behind it.
fn joined(tokens: &[Token], names: &Names) -> String {
    format!("{}{}", names.text(tokens[0].name()), "\\@".repeat(tokens.len() - 1))
}

fn bytes(span: Span) -> Range<usize> {
    span.lo as usize..span.hi as usize
}
