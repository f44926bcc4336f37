//! Encoding: with every symbol placed, each value goes into its slot – or is
//! an error, never cut off.

use isa::memory_map::MEMORY_SIZE;

use crate::diagnostic::Diagnostic;
use crate::evaluate::{Failure, Value};
use crate::expression::{Expr, Op};
use crate::fixups::{Fixup, Slot, StatementFinder};
use crate::layout::Record;
use crate::literal::show;
use crate::parse::Parsed;
use crate::pass::Pass;
use crate::source::Span;
use crate::symbols::Defined;

impl Pass<'_, '_> {
    /// Fills in every value.
    pub(crate) fn resolve_fixups(&mut self) {
        self.context = 0;
        let mut statements = StatementFinder::default();
        for at in 0..self.layout.fixups.len() {
            let fixup = self.layout.fixups[at];
            let bits = self.plain_bits(&fixup).or_else(|| {
                let record = self.layout.statement_from(&mut statements, fixup.offset);
                self.judged_bits(&fixup, &record)
            });
            let Some(bits) = bits else { continue };
            let (at, width) = (fixup.offset as usize, fixup.slot.width() as usize);
            self.layout.bytes[at..at + width].copy_from_slice(&bits.to_le_bytes()[..width]);
        }
        for (start, count) in std::mem::take(&mut self.layout.fillings) {
            let (start, count) = (start as usize, count as usize);
            let byte = self.layout.bytes[start];
            self.layout.bytes[start..start + count].fill(byte);
        }
    }

    /// What most values are, a label that lies anywhere, says nothing of the
    /// statement.
    fn plain_bits(&self, fixup: &Fixup) -> Option<u64> {
        let op = fixup.expr.alone().filter(|_| fixup.slot != Slot::Relative)?;
        self.known_bits(op, fixup.slot, 0)
    }

    /// The bits of a value of the statement `record`, and what there is to say of
    /// them.
    fn judged_bits(&mut self, fixup: &Fixup, record: &Record) -> Option<u64> {
        let (expr, slot, context) = (fixup.expr, fixup.slot, record.context);
        let value = self.last_value(expr, record.address, context)?;
        if matches!(slot, Slot::Divisor(_)) && value.number == 0 {
            let warning = Diagnostic::warning("W0401", expr.span, "division by zero");
            let warning = warning.note("the result is 0, with Z and C set");
            self.report(warning.within(context));
        }
        match self.fit(value, expr, slot, record.end()) {
            Ok(bits) => Some(bits),
            Err(error) => {
                let mut error = self.used_in(record.span(), *error);
                if error.code == "E0305" && slot == Slot::Bytes(2) && !record.is_code() {
                    error = error.help("`.ptrs` holds addresses, three bytes each");
                }
                self.report(error.within(context));
                None
            }
        }
    }

    /// Works out every constant, so that one that nobody uses is judged too.
    pub(crate) fn resolve_constants(&mut self) {
        for id in self.symbols.ids() {
            if matches!(self.symbols.kind(id), Defined::Label { .. }) || self.symbols.is_ahead(id) {
                continue;
            }
            if let Err(Failure::New(error)) = self.constant(id) {
                self.report(*error);
            }
        }
    }

    /// The bits of the value of `expr` for the slot of a statement that ends
    /// before the address `end`.
    pub(crate) fn fit(&self, value: Value, expr: Expr, slot: Slot, end: u32) -> Parsed<u64> {
        let span = expr.span;
        if value.address && slot.width() < 3 && slot != Slot::Relative {
            return Err(Box::new(self.address_in_narrow_slot(value, expr, slot)));
        }
        let number = value.number;
        match slot {
            Slot::Bytes(width) | Slot::Divisor(width) => {
                let bits = 8 * u32::from(width);
                if let Ok(plain) = u64::try_from(number)
                    && plain.checked_shr(bits).unwrap_or(0) == 0
                {
                    return Ok(plain);
                }
                let number = self.complement(expr, number, bits);
                if signed_or_unsigned(number, bits) {
                    return Ok(number as u64);
                }
                let what = match width {
                    1 => "one byte".into(),
                    width => format!("{width} bytes"),
                };
                let error = Diagnostic::error(
                    "E0304",
                    span,
                    format!("{} does not fit {what}", show(number)),
                )
                .note(format!(
                    "{bits} bits hold {} to {}",
                    -(1i128 << (bits - 1)),
                    (1i128 << bits) - 1
                ));
                let is_complement = matches!(expr.alone(), Some(Op::Name { .. }))
                    && (0..1i128 << bits).contains(&!number);
                Err(Box::new(if (bits < 24) && (0..MEMORY_SIZE as i128).contains(&number) {
                    error.help("`lo(x)`, `hi(x)`, `bank(x)` and `word(x)` take a part of a number")
                } else if is_complement {
                    let (text, mask) = (self.session.sources.text(span), (1i128 << bits) - 1);
                    error.help(format!("`{text} & ${mask:X}` are its lowest {bits} bits"))
                } else {
                    error
                }))
            }
            Slot::Count(what) => {
                let number = self.complement(expr, number, 8);
                if (0..=255).contains(&number) {
                    return Ok(number as u64);
                }
                let text = format!("{} does not fit {}", show(number), what.describe());
                Err(Box::new(
                    Diagnostic::error("E0304", span, text).note("one byte without sign: 0 to 255"),
                ))
            }
            Slot::Address => address(self.complement(expr, number, 24), span).map(u64::from),
            Slot::Displacement => {
                if i16::try_from(number).is_ok() {
                    return Ok(number as u64);
                }
                let text = format!("{} does not fit a displacement", show(number));
                Err(Box::new(
                    Diagnostic::error("E0304", span, text)
                        .note("a displacement is -32768 to 32767")
                        .help("add it to the pointer first, or index with a word register"),
                ))
            }
            Slot::Relative => {
                let target = address(self.complement(expr, number, 24), span)?;
                let distance = distance(target, end);
                if i16::try_from(distance).is_ok() {
                    return Ok(distance as u64);
                }
                let text = format!("the target is {distance} bytes away, too far for a branch");
                Err(Box::new(
                    Diagnostic::error("E0310", span, text)
                        .note("a branch reaches -32768 to 32767 bytes from the next instruction")
                        .help("these reach everywhere: JMP for BRA, CALL for BSR, JZ for BZ and so on"),
                ))
            }
        }
    }

    /// The outermost `~` of a value that fits the place is taken at its width.
    fn complement(&self, expr: Expr, number: i128, bits: u32) -> i128 {
        if self.session.exprs.outermost(expr) == Op::Complement && signed_or_unsigned(!number, bits)
        {
            number & ((1 << bits) - 1)
        } else {
            number
        }
    }

    fn address_in_narrow_slot(&self, value: Value, expr: Expr, slot: Slot) -> Diagnostic {
        let text = self.session.sources.text(expr.span);
        let (place, help) = match slot {
            Slot::Displacement => (
                "a displacement",
                "to index a table, load its address first: `LDELM @table`, then `[ELM + I]`".into(),
            ),
            Slot::Bytes(1) => (
                "one byte",
                format!("`lo({text})`, `hi({text})` or `bank({text})` takes one byte of it"),
            ),
            Slot::Count(what) => (what.describe(), format!("`lo({text})` takes its lowest byte")),
            _ => ("two bytes", format!("`word({text})` takes the part within its bank")),
        };
        let message = format!("an address of 24 bits does not fit {place}");
        let error = Diagnostic::error("E0305", expr.span, message)
            .label(format!("an address, {}", show(value.number)));
        if matches!(slot, Slot::Bytes(2)) {
            error
                .note("a word used as a pointer means bank 0; the bank of a label is kept only in 24 bits")
                .help(help)
                .replace(expr.span, format!("word({text})"))
        } else {
            error.note("`word(x)` takes the 16 bits within the bank").help(help)
        }
    }
}

/// Bytes from the address `next` to `target`: addresses wrap at 2^24, so
/// distances do, too.
pub(crate) fn distance(target: u32, next: u32) -> i32 {
    (target.wrapping_sub(next) << 8) as i32 >> 8
}

fn address(number: i128, span: Span) -> Parsed<u32> {
    if (0..MEMORY_SIZE as i128).contains(&number) {
        return Ok(number as u32);
    }
    let text = format!("{} is no address", show(number));
    Err(Box::new(Diagnostic::error("E0304", span, text).note("addresses are 0 to $FFFFFF")))
}

fn signed_or_unsigned(number: i128, bits: u32) -> bool {
    (-(1i128 << (bits - 1))..1i128 << bits).contains(&number)
}
