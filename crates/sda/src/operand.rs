//! Operands as they are written: registers, values and the bracketed forms.

use isa::{Arg, Reg};

use crate::diagnostic::Diagnostic;
use crate::expression::{Expr, Op};
use crate::lex::Kind;
use crate::parse::{Parsed, Parser, binary_operator};
use crate::source::Span;

/// One operand.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Operand {
    pub form: Form,
    pub span: Span,
}

/// What is written.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Form {
    Reg(Reg),
    Value(Expr),
    /// `[a]`
    Absolute(Expr),
    /// `[p]`
    Indirect(Reg),
    /// `[p + r]`
    Index(Reg, Reg),
    /// `[p + 3]`
    Displacement(Reg, Expr),
}

/// The ways to write an operand, four bits each.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    Reg = 1,
    Value,
    Absolute,
    Indirect,
    Index,
    Displacement,
}

/// The shapes of a list of operands, from left to right; never those of
/// another list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Shapes(u64);

impl Shapes {
    fn and(self, shape: Shape) -> Shapes {
        Shapes(self.0 << 4 | shape as u64)
    }

    /// Of operands as they are written.
    pub fn of(operands: &[Operand]) -> Shapes {
        operands.iter().fold(Shapes::default(), |shapes, operand| shapes.and(operand.form.shape()))
    }
}

/// The shapes that operands of an instruction take.
pub(crate) fn shapes(args: &[Arg]) -> Shapes {
    args.iter().fold(Shapes::default(), |shapes, &arg| shapes.and(shape(arg)))
}

fn shape(arg: Arg) -> Shape {
    match arg {
        Arg::Reg(_) => Shape::Reg,
        Arg::Imm | Arg::Imm8 | Arg::Imm16 | Arg::Addr | Arg::Rel16 => Shape::Value,
        Arg::MemAbs => Shape::Absolute,
        Arg::MemReg => Shape::Indirect,
        Arg::MemIndex => Shape::Index,
        Arg::MemDisp => Shape::Displacement,
    }
}

/// Whether an operand is written the way the place wants it, whatever the
/// registers are.
pub(crate) fn same_shape(arg: Arg, form: Form) -> bool {
    shape(arg) == form.shape()
}

impl Form {
    fn shape(self) -> Shape {
        match self {
            Form::Reg(_) => Shape::Reg,
            Form::Value(_) => Shape::Value,
            Form::Absolute(_) => Shape::Absolute,
            Form::Indirect(_) => Shape::Indirect,
            Form::Index(..) => Shape::Index,
            Form::Displacement(..) => Shape::Displacement,
        }
    }

    /// The form in words, for messages.
    pub fn describe(self) -> String {
        match self {
            Form::Reg(reg) => format!("the register {}", reg.name()),
            Form::Value(_) => "a value".into(),
            Form::Absolute(_) => "memory at an address".into(),
            Form::Indirect(reg) => format!("memory at {}", reg.name()),
            Form::Index(base, index) => format!("memory at {} + {}", base.name(), index.name()),
            Form::Displacement(base, _) => {
                format!("memory at {} with a displacement", base.name())
            }
        }
    }
}

/// The bracketed forms that exist, for messages.
pub(crate) const MEMORY_FORMS: &str = "the forms are `[address]`, `[bank:address]`, `[p]`, `[p + r16]` and `[p + number]`, where p is a word, SP or a pointer such as ELM";

impl Parser<'_> {
    /// One operand; `label` says that only a jump's target may stand here.
    pub fn operand(&mut self, label: bool) -> Parsed<Operand> {
        let first = self.span();
        if !label
            && let Some(reg) = self.reg_ahead(0)
            && matches!(self.kind_ahead(1), None | Some(Kind::Comma))
        {
            self.at += 1;
            return Ok(Operand { form: Form::Reg(reg), span: first });
        }
        let form = if self.take(Kind::OpenBracket).is_some() {
            self.labels = false;
            self.memory(first)?
        } else {
            self.labels = label;
            let alone = self.kind_ahead(1).is_none_or(|kind| binary_operator(kind).is_none());
            match self.reg_ahead(0) {
                Some(reg) if !label && alone => {
                    self.at += 1;
                    Form::Reg(reg)
                }
                _ => Form::Value(self.expression()?),
            }
        };
        self.labels = false;
        Ok(Operand { form, span: first.to(self.last_span()) })
    }

    fn memory(&mut self, open: Span) -> Parsed<Form> {
        let form = match (self.reg_ahead(0), self.kind_ahead(1)) {
            (Some(_), Some(Kind::Colon)) => {
                let base = self.bank_and_offset()?;
                self.after_base(base)?
            }
            (Some(base), _) => {
                self.at += 1;
                self.after_base(base)?
            }
            (None, _) => self.absolute()?,
        };
        if self.take(Kind::CloseBracket).is_none() {
            let mut error = self.unexpected("`]`").also(open, "opened here");
            if !self.is_at_end() {
                error = error.note(MEMORY_FORMS);
            }
            return Err(Box::new(error));
        }
        Ok(form)
    }

    /// `E:M`, which is ELM.
    fn bank_and_offset(&mut self) -> Parsed<Reg> {
        let first = self.span();
        let bank = self.reg_ahead(0).map_or("", Reg::name);
        let offset = self.reg_ahead(2);
        self.at += 2;
        let Some(offset) = offset else { return Err(self.unexpected("an offset register")) };
        self.at += 1;
        let pointer = Reg::by_name(&format!("{bank}L{}", offset.name()));
        pointer.filter(|_| bank.len() == 1).ok_or_else(|| {
            let text = format!("`{bank}:{}` is no pointer", offset.name());
            let error = Diagnostic::error("E0405", first.to(self.last_span()), text)
                .note("`[bank:offset]` joins a bank register B E F G and an offset register X Y I J K M D T; `[E:M]` is `[ELM]`");
            let inner = bank.strip_suffix('L').unwrap_or(bank);
            let meant = Reg::by_name(&format!("{inner}L{}", offset.name()));
            Box::new(match meant {
                Some(pointer) => {
                    let whole = first.to(self.last_span());
                    error.help(format!("write `[{}]`", pointer.name())).replace(whole, pointer.name())
                }
                None => error.help("move the address into such a pair and write `[ELM]`"),
            })
        })
    }

    fn after_base(&mut self, base: Reg) -> Parsed<Form> {
        match self.kind() {
            Some(Kind::CloseBracket) => Ok(Form::Indirect(base)),
            Some(Kind::Plus | Kind::Minus) => match self.reg_ahead(1) {
                Some(index) if self.kind() == Some(Kind::Plus) => {
                    self.at += 2;
                    if matches!(self.kind(), Some(Kind::CloseBracket) | None) {
                        Ok(Form::Index(base, index))
                    } else {
                        Err(self.no_such_form())
                    }
                }
                Some(_) => {
                    self.at += 1;
                    Err(Box::new(
                        Diagnostic::error("E0406", self.span(), "an index is only added")
                            .note(MEMORY_FORMS)
                            .help("to go back, use a displacement, `[ELM - 3]`, or move the pointer first: `SUB ELM, 3`"),
                    ))
                }
                None => {
                    let displacement =
                        self.displacement().map_err(|error| self.in_memory(error))?;
                    Ok(Form::Displacement(base, displacement))
                }
            },
            _ => Err(Box::new(self.unexpected("`]`, `+` or `-`").note(MEMORY_FORMS))),
        }
    }

    fn absolute(&mut self) -> Parsed<Form> {
        let start = self.exprs.len();
        let first = self.steps().map_err(|error| self.in_memory(error))?;
        if self.take(Kind::Colon).is_none() {
            return Ok(Form::Absolute(self.exprs.since(start, first)));
        }
        self.exprs.push(Op::BankNumber, first);
        let second = self.steps().map_err(|error| self.in_memory(error))?;
        self.exprs.push(Op::WithinBank, second);
        Ok(Form::Absolute(self.exprs.since(start, first.to(second))))
    }

    /// A register inside an address expression means a form that does not
    /// exist.
    fn in_memory(&self, error: Box<Diagnostic>) -> Box<Diagnostic> {
        if error.code != "E0407" {
            return error;
        }
        let mut error = *error;
        error.helps.clear();
        error.edit = None;
        error.code = "E0406";
        error.message = "there is no such memory form".into();
        Box::new(
            error
                .note(MEMORY_FORMS)
                .help("to index a table, load its address first: `LDELM @table`, then `[ELM + I]`"),
        )
    }

    fn no_such_form(&self) -> Box<Diagnostic> {
        Box::new(
            Diagnostic::error("E0406", self.span(), "there is no such memory form")
                .note(MEMORY_FORMS)
                .help("LEA adds the first two: `LEA FLD, [ELM + I]`, then `[FLD + 3]`"),
        )
    }
}
