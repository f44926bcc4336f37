//! Instructions: the form of the table that fits the operands, and its
//! bytes. What is wrong when none fits is `forms`' business.

use isa::memory_map::ADDRESS_MASK;
use isa::{Arg, Instruction, Reg};

use crate::diagnostic::Diagnostic;
use crate::encode::distance;
use crate::evaluate::Known;
use crate::expression::{Expr, Op};
use crate::fixups::{Fixup, Slot};
use crate::forms;
use crate::layout::Content;
use crate::lex::{Kind, Token};
use crate::names::{in_case_of, nearest_reg};
use crate::operand::{Form, Operand, Shapes, same_shape};
use crate::parse::Parsed;
use crate::pass::Pass;
use crate::source::Span;
use crate::words::{self, Mnemonic, Word};

/// More operands than any instruction has, to count wrong ones.
const MOST_OPERANDS: usize = 16;

impl Pass<'_, '_> {
    /// The statement `word operands`; `tokens` begins with the mnemonic.
    pub(crate) fn instruction(&mut self, tokens: &[Token], word: Word) -> Parsed<()> {
        let (mnemonic, glued) = match word {
            Word::Mnemonic(mnemonic) => (mnemonic, None),
            Word::Glued(mnemonic, reg) => (mnemonic, Some(reg)),
            Word::JumpAbove => return self.jump_pair(tokens, "BZ", "JC"),
            Word::JumpBelowOrEqual => return self.jump_pair(tokens, "JNC", "JZ"),
        };
        let mut operands = std::mem::take(&mut self.operands);
        operands.clear();
        let (exprs, fixups) = (self.session.exprs.len(), self.layout.fixups.len());
        let result = self
            .parse_operands(tokens, mnemonic, glued, &mut operands)
            .map_err(|error| match glued.is_none() && mnemonic.rows[0].glued {
                true => Box::new(self.without_register(tokens, mnemonic)),
                false => error,
            })
            .and_then(|()| self.match_form(tokens, mnemonic, glued, &operands));
        self.operands = operands;
        if self.layout.fixups.len() == fixups {
            self.session.exprs.truncate(exprs);
        }
        result
    }

    fn parse_operands(
        &mut self,
        tokens: &[Token],
        mnemonic: &Mnemonic,
        glued: Option<Reg>,
        operands: &mut Vec<Operand>,
    ) -> Parsed<()> {
        let takes_label = &mnemonic.takes_label[usize::from(glued.is_some())..];
        let mut parser = self.parser(tokens);
        parser.at = 1;
        if parser.is_at_end() {
            return Ok(());
        }
        loop {
            let label = takes_label.get(operands.len()).copied().unwrap_or(false);
            operands.push(parser.operand(label)?);
            if parser.take(Kind::Comma).is_none() || operands.len() == MOST_OPERANDS {
                break;
            }
        }
        let Some(next) = parser.kind() else { return Ok(()) };
        let error = parser.unexpected("`,` or the end of the statement");
        let begins_one =
            matches!(next, Kind::Ident | Kind::Number | Kind::At | Kind::Hash | Kind::OpenBracket);
        if begins_one && error.helps.is_empty() {
            return Err(Box::new(error.help("a comma divides two operands")));
        }
        Err(error)
    }

    /// LD or ST alone; what stands behind it makes no sense then.
    fn without_register(&self, tokens: &[Token], mnemonic: &Mnemonic) -> Diagnostic {
        let written = tokens[0].span;
        let sources = &self.session.sources;
        let text = sources.text(written);
        let error = forms::mismatch(mnemonic, text, None, &[], tokens);
        let behind = Span { lo: written.hi, hi: written.hi + 1 };
        if sources.text(behind) != "\\" {
            return error;
        }
        error.help(format!(
            "a parameter joins nothing; pass the whole word: `\\load 5` with `{text}A`"
        ))
    }

    fn match_form(
        &mut self,
        tokens: &[Token],
        mnemonic: &Mnemonic,
        glued: Option<Reg>,
        operands: &[Operand],
    ) -> Parsed<()> {
        let first = glued.or_else(|| first_reg(operands));
        let mut alike = mnemonic.written_like(Shapes::of(operands));
        let Some(form) = alike.find(|form| fits(form.row, glued, first, operands)) else {
            let written = self.session.sources.text(tokens[0].span);
            let error = forms::mismatch(mnemonic, written, glued, operands, tokens);
            return Err(Box::new(self.with_what_was_meant(error, operands)));
        };
        let size = form.size(first.map_or(0, Reg::width));
        if self.fits_memory(size.into(), tokens[0].span) {
            let next = self.layout.here + u32::from(size);
            self.encode(form.row, mnemonic, glued, first, operands, next);
            self.close(size.into(), Content::Instruction, statement_span(tokens));
        }
        Ok(())
    }

    /// A name that stands for nothing, where a register would fit, was one; a
    /// register that a label or constant is called like was that.
    fn with_what_was_meant(&self, error: Diagnostic, operands: &[Operand]) -> Diagnostic {
        let wrong = operands.iter().find(|operand| operand.span == error.span);
        let Some(Operand { form, span }) = wrong.copied() else { return error };
        let text = self.session.sources.text(span);
        let Some(name) = self.session.names.find(text) else { return error };
        let is_known = {
            let ahead = self.previous.as_ref().and_then(|symbols| symbols.lookup(0, name));
            self.symbols.lookup(self.context, name).or(ahead).is_some()
        };
        match form {
            Form::Reg(_) if is_known => {
                error.help(format!("the label or constant of that name is written `@{text}`"))
            }
            Form::Value(_) if !is_known => match nearest_reg(text) {
                Some(reg) => error
                    .help(format!("there is the register {reg}"))
                    .replace(span, in_case_of(text, reg)),
                None => error.note(format!("`{text}` is no register")),
            },
            _ => error,
        }
    }

    /// Appends the bytes; `next` is the address behind them.
    fn encode(
        &mut self,
        row: &'static Instruction,
        mnemonic: &Mnemonic,
        glued: Option<Reg>,
        first: Option<Reg>,
        operands: &[Operand],
        next: u32,
    ) {
        self.layout.bytes.push(row.opcode);
        let mut args = row.args.iter();
        if let Some(reg) = glued {
            self.layout.bytes.push(reg.id());
            args.next();
        }
        for (arg, operand) in args.zip(operands) {
            match operand.form {
                Form::Reg(reg) | Form::Indirect(reg) => self.layout.bytes.push(reg.id()),
                Form::Index(base, index) => self.layout.bytes.extend([base.id(), index.id()]),
                Form::Displacement(base, expr) => {
                    self.layout.bytes.push(base.id());
                    self.value(expr, Slot::Displacement);
                }
                Form::Absolute(expr) => self.value(expr, Slot::Address),
                Form::Value(expr) => self.value_before(
                    next,
                    expr,
                    match arg {
                        Arg::Imm if mnemonic.divides => Slot::Divisor(first.map_or(2, Reg::width)),
                        Arg::Imm => Slot::Bytes(first.map_or(2, Reg::width)),
                        Arg::Imm16 => Slot::Bytes(2),
                        Arg::Rel16 => Slot::Relative,
                        Arg::Addr => Slot::Address,
                        _ => Slot::Count(mnemonic.count),
                    },
                ),
            }
        }
    }

    /// Appends a value that does not depend on where the statement ends.
    pub(crate) fn value(&mut self, expr: Expr, slot: Slot) {
        self.value_before(self.layout.here, expr, slot);
    }

    /// Appends a value of a statement that ends before the address `end`: at once
    /// when it is known already, else as a fix-up.
    pub(crate) fn value_before(&mut self, end: u32, expr: Expr, slot: Slot) {
        self.repeated.note(expr, slot);
        match self.bits_of(end, expr, slot) {
            Some(bits) => self.layout.append(&bits.to_le_bytes(), slot.width().into()),
            None => self.open_value(expr, slot),
        }
    }

    /// The bits of a value for the slot of a statement that ends before the
    /// address `end`, if it is known already and there is nothing to say about it.
    pub(crate) fn bits_of(&self, end: u32, expr: Expr, slot: Slot) -> Option<u64> {
        match expr.alone() {
            Some(op) => self.known_bits(op, slot, end),
            None if slot.takes_sums() => self.known_number(expr).and_then(|value| {
                let is_zero = value.number == 0 && matches!(slot, Slot::Divisor(_));
                self.fit(value, expr, slot, end).ok().filter(|_| !is_zero)
            }),
            None => None,
        }
    }

    /// Appends a value as a fix-up.
    pub(crate) fn open_value(&mut self, expr: Expr, slot: Slot) {
        let offset = self.layout.bytes.len() as u32;
        self.layout.append(&[0; 8], slot.width().into());
        self.layout.fixups.push(Fixup { offset, expr, slot });
    }

    /// The bits of a lone number or name that is known and of which there is
    /// nothing to say.
    pub(crate) fn known_bits(&self, op: Op, slot: Slot, end: u32) -> Option<u64> {
        self.known(op)?.bits(slot, end)
    }

    /// JA and JBE: `over` is the first instruction, `to` the second.
    fn jump_pair(&mut self, tokens: &[Token], over: &str, to: &str) -> Parsed<()> {
        let mut parser = self.parser(tokens);
        parser.at = 1;
        let operand = parser.operand(true)?;
        parser.end()?;
        let Form::Value(target) = operand.form else {
            return Err(Box::new(
                Diagnostic::error("E0402", operand.span, "a jump needs a label or an address")
                    .help("JMPR jumps to the address in a register"),
            ));
        };
        let size = if over == "BZ" { 7 } else { 8 };
        if !self.fits_memory(size as usize, tokens[0].span) {
            return Ok(());
        }
        self.layout.bytes.push(words::opcode(over));
        if over == "BZ" {
            self.layout.bytes.extend([4, 0]);
        } else {
            self.value(target, Slot::Address);
        }
        self.layout.bytes.push(words::opcode(to));
        self.value(target, Slot::Address);
        self.close(size, Content::Instruction, statement_span(tokens));
        Ok(())
    }

    /// Ends the statement at `span` that emitted `size` bytes.
    pub(crate) fn close(&mut self, size: u32, content: Content, span: Span) {
        self.layout.emitted(size, content, span, self.context);
        if self.first_emitted.is_none() && size > 0 {
            self.first_emitted = Some(self.layout.here - size);
        }
    }
}

impl Known {
    /// The bits of the value for the slot of a statement that ends before the
    /// address `end`, if there is nothing to say about it.
    #[inline]
    pub fn bits(self, slot: Slot, end: u32) -> Option<u64> {
        let Known { number, address } = self;
        match slot {
            Slot::Relative => {
                let target = u32::try_from(number).ok().filter(|&target| target <= ADDRESS_MASK)?;
                i16::try_from(distance(target, end)).ok().map(|distance| distance as u64)
            }
            _ if address && slot.width() < 3 => None,
            Slot::Divisor(_) if number == 0 => None,
            Slot::Displacement => (number <= i16::MAX as u64).then_some(number),
            slot => (number >> (8 * slot.width() - 1) >> 1 == 0).then_some(number),
        }
    }
}

/// From the first token to the last.
pub(crate) fn statement_span(tokens: &[Token]) -> Span {
    match (tokens.first(), tokens.last()) {
        (Some(first), Some(last)) => first.span.to(last.span),
        _ => Span::default(),
    }
}

fn first_reg(operands: &[Operand]) -> Option<Reg> {
    operands.iter().find_map(|operand| match operand.form {
        Form::Reg(reg) => Some(reg),
        _ => None,
    })
}

/// Whether the operands, written like those of the row, have its registers.
fn fits(row: &Instruction, glued: Option<Reg>, first: Option<Reg>, operands: &[Operand]) -> bool {
    let mut args = row.args;
    if row.glued {
        let Some(reg) = glued else { return false };
        let [Arg::Reg(class), rest @ ..] = args else { return false };
        if !class.accepts(reg, None) {
            return false;
        }
        args = rest;
    }
    args.iter().zip(operands).all(|(arg, operand)| has_registers(*arg, operand.form, first))
}

/// Whether an operand fits a place, register class included.
pub(crate) fn accepts(arg: Arg, form: Form, first: Option<Reg>) -> bool {
    same_shape(arg, form) && has_registers(arg, form, first)
}

/// Whether the registers of an operand that is written like the place wants it
/// are of the right class.
fn has_registers(arg: Arg, form: Form, first: Option<Reg>) -> bool {
    use isa::Class::{Address, Word};
    match (arg, form) {
        (Arg::Reg(class), Form::Reg(reg)) => class.accepts(reg, first),
        (Arg::MemReg, Form::Indirect(base)) | (Arg::MemDisp, Form::Displacement(base, _)) => {
            Address.accepts(base, None)
        }
        (Arg::MemIndex, Form::Index(base, index)) => {
            Address.accepts(base, None) && Word.accepts(index, None)
        }
        _ => true,
    }
}
