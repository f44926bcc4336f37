//! Encoding: with every symbol placed, each value goes into its slot – or is
//! an error, never cut off.

use isa::memory_map::MEMORY_SIZE;

use crate::diagnostic::Diagnostic;
use crate::evaluate::{Failure, Value};
use crate::expression::{Expr, Op};
use crate::layout::{Record, Slot};
use crate::literal::show;
use crate::parse::Parsed;
use crate::pass::Pass;
use crate::source::Span;
use crate::symbols::Defined;

impl Pass<'_, '_> {
    /// Fills in every value.
    pub(crate) fn resolve_fixups(&mut self) {
        self.context = 0;
        let fixups = std::mem::take(&mut self.layout.fixups);
        for fixup in &fixups {
            let Some(value) = self.last_value(fixup.expr, fixup.here, fixup.context) else {
                continue;
            };
            if matches!(fixup.slot, Slot::Divisor(_)) && value.number == 0 {
                let warning = Diagnostic::warning("W0401", fixup.expr.span, "division by zero");
                self.report(
                    warning.note("the result is 0, with Z and C set").within(fixup.context),
                );
            }
            match self.fit(value, fixup.expr, fixup.slot) {
                Ok(bits) => {
                    let at = fixup.offset as usize;
                    let width = fixup.slot.width() as usize;
                    self.layout.bytes[at..at + width].copy_from_slice(&bits.to_le_bytes()[..width]);
                }
                Err(error) => {
                    let statement = self.layout.statement_of(fixup.offset);
                    let error = match statement.map(Record::span) {
                        Some(statement) => self.used_in(statement, *error),
                        None => *error,
                    };
                    self.report(error.within(fixup.context));
                }
            }
        }
        // The warnings look at them again.
        self.layout.fixups = fixups;
        for (start, count) in std::mem::take(&mut self.layout.fillings) {
            let (start, count) = (start as usize, count as usize);
            let byte = self.layout.bytes[start];
            self.layout.bytes[start..start + count].fill(byte);
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

    /// The bits of the value of `expr` for the slot.
    pub(crate) fn fit(&self, value: Value, expr: Expr, slot: Slot) -> Parsed<u64> {
        let span = expr.span;
        if value.address && slot.width() < 3 && !matches!(slot, Slot::Relative(_)) {
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
                Err(Box::new(if (bits < 24) && (0..MEMORY_SIZE as i128).contains(&number) {
                    error.help("`lo(x)`, `hi(x)`, `bank(x)` and `word(x)` take a part of a number")
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
            Slot::Relative(next) => {
                let target = address(self.complement(expr, number, 24), span)?;
                let distance = distance(target, next);
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
