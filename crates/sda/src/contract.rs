//! What a routine promises behind its label: `.pure`, `.clobbers`, `.returns`.
//! The assembler keeps it, the listing and the symbols show it, lint checks it.

use isa::Reg;

use crate::diagnostic::Diagnostic;
use crate::directive::Directive;
use crate::lex::{Kind, Token};
use crate::names::Name;
use crate::parse::Parsed;
use crate::pass::Pass;
use crate::source::Span;

/// The promises of one routine.
#[derive(Clone, Debug, Default)]
pub struct Contract {
    /// The label; a local one begins with its plain label.
    pub label: String,
    /// The routine's first instruction, 24 bits.
    pub address: u32,
    /// `.pure`: no memory but the stack is written, nothing is called that
    /// does more than look.
    pub pure: bool,
    /// `.clobbers`: the registers that it may leave changed; `None` when
    /// nothing is said about them.
    pub clobbers: Option<Vec<Reg>>,
    /// `.returns`: the registers that hold a result.
    pub returns: Vec<Reg>,
    /// `.returns`: the flags that hold a result, by their bits in FLAGS.
    pub returned_flags: u16,
    /// The source file of the label.
    pub file: String,
    /// Its line.
    pub line: u32,
    pub(crate) span: Span,
    /// The first of the directives.
    pub(crate) promise: Span,
    pub(crate) pure_at: Option<Span>,
    pub(crate) clobbers_at: Option<Span>,
    pub(crate) returns_at: Option<Span>,
}

impl Contract {
    /// The bytes of registers that may be different afterwards, results
    /// included, as in [`Reg::halves`]. Without `.clobbers` and `.pure`
    /// nothing is promised about them: every byte.
    pub fn changed(&self) -> u32 {
        match &self.clobbers {
            Some(clobbers) => halves(clobbers) | halves(&self.returns),
            None if self.pure => halves(&self.returns),
            None => isa::EVERY_WORD,
        }
    }

    /// The bytes of registers that hold results.
    pub fn results(&self) -> u32 {
        halves(&self.returns)
    }

    /// The promises as they are written, for the listing.
    pub fn text(&self) -> String {
        let names = |regs: &[Reg]| regs.iter().map(|reg| reg.name()).collect::<Vec<_>>();
        let mut parts = Vec::new();
        if self.pure {
            parts.push(".pure".to_string());
        }
        if let Some(clobbers) = &self.clobbers {
            parts.push(format!(".clobbers {}", names(clobbers).join(", ")).trim_end().into());
        }
        let mut returned = names(&self.returns);
        returned.extend(self.flag_names());
        if !returned.is_empty() {
            parts.push(format!(".returns {}", returned.join(", ")));
        }
        parts.join(" ")
    }

    /// The names of the flags that hold a result.
    pub fn flag_names(&self) -> impl Iterator<Item = &'static str> {
        let flags = self.returned_flags;
        FLAGS.iter().filter(move |(_, bit)| flags & bit != 0).map(|&(name, _)| name)
    }
}

/// Flags as `.returns` names them.
pub(crate) const FLAGS: [(&str, u16); 4] =
    [("ZF", isa::flags::Z), ("NF", isa::flags::N), ("CF", isa::flags::C), ("VF", isa::flags::V)];

pub(crate) fn halves(regs: &[Reg]) -> u32 {
    regs.iter().fold(0, |all, reg| all | reg.halves())
}

/// A label behind which promises may stand.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Labelled {
    pub name: Name,
    pub span: Span,
    pub address: u32,
}

impl Pass<'_, '_> {
    /// `.pure`, `.clobbers A, ELM` or `.returns B, CF`.
    pub(crate) fn promise(&mut self, tokens: &[Token], directive: Directive) -> Parsed<()> {
        let (regs, flags) = match directive {
            Directive::Pure => {
                self.parser_after_directive(tokens).end()?;
                (Vec::new(), 0)
            }
            Directive::Clobbers => self.promised(tokens, false)?,
            _ => self.promised(tokens, true)?,
        };
        let span = tokens[0].span;
        let label = self.labelled.filter(|label| label.address == self.layout.here);
        let Some(label) = label else {
            return Err(Box::new(
                Diagnostic::error("E0705", span, "no label stands before this promise")
                    .note("it says what a routine does, between the routine's label and its first instruction"),
            ));
        };
        if self.contracts.last().is_none_or(|last| last.span != label.span) {
            let (source, line) = self.session.sources.line_at(label.span.lo);
            self.contracts.push(Contract {
                label: self.session.names.text(label.name).into(),
                address: label.address,
                file: self.session.sources.get(source).name.clone(),
                line,
                span: label.span,
                promise: span,
                ..Contract::default()
            });
        }
        let contract = self.contracts.last_mut().expect("one was just made");
        let at = match directive {
            Directive::Pure => &mut contract.pure_at,
            Directive::Clobbers => &mut contract.clobbers_at,
            _ => &mut contract.returns_at,
        };
        if let Some(first) = at.replace(span) {
            let text = self.session.sources.text(span).to_ascii_lowercase();
            return Err(Box::new(
                Diagnostic::error("E0706", span, format!("`{text}` stands here twice"))
                    .also(first, "the first one"),
            ));
        }
        match directive {
            Directive::Pure => contract.pure = true,
            Directive::Clobbers => contract.clobbers = Some(regs),
            _ => (contract.returns, contract.returned_flags) = (regs, flags),
        }
        Ok(())
    }

    /// Registers and, for what is returned, flags.
    fn promised(&mut self, tokens: &[Token], returns: bool) -> Parsed<(Vec<Reg>, u16)> {
        let mut parser = self.parser_after_directive(tokens);
        let (mut regs, mut flags) = (Vec::new(), 0);
        if parser.is_at_end() && !returns {
            return Ok((regs, flags));
        }
        let what = if returns { "a register or one of ZF NF CF VF" } else { "a register" };
        loop {
            let token = parser.name(what)?;
            let text = parser.names.text(token.name());
            let flag = FLAGS.iter().find(|(name, _)| text.eq_ignore_ascii_case(name));
            let twice = |name: &str| {
                let text = format!("`{name}` is promised already");
                Box::new(Diagnostic::error("E0706", token.span, text))
            };
            match (parser.names.reg(token.name()), flag) {
                (Some(Reg::SP), _) => {
                    return Err(Box::new(
                        Diagnostic::error("E0705", token.span, "SP is no part of a promise")
                            .note("a routine returns with SP as it was"),
                    ));
                }
                (Some(reg), _) if reg.halves() & !halves(&regs) == 0 => {
                    return Err(twice(reg.name()));
                }
                (Some(reg), _) => regs.push(reg),
                (None, Some(&(name, bit))) if returns => {
                    if flags & bit != 0 {
                        return Err(twice(name));
                    }
                    flags |= bit;
                }
                _ => {
                    parser.at -= 1;
                    return Err(parser.unexpected(what));
                }
            }
            if parser.take(Kind::Comma).is_none() {
                parser.end()?;
                return Ok((regs, flags));
            }
        }
    }
}
