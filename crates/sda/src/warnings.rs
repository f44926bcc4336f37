//! Warnings about a program that assembles: labels that nothing uses or that
//! differ by case, code that cannot be reached or runs into data, and word
//! pointers that lose a bank. Looked for once everything is placed.

use std::cell::LazyCell;

use isa::memory_map::ADDRESS_MASK;
use isa::{Arg, Class, Decoded, Operand};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::diagnostic::Diagnostic;
use crate::evaluate::Mode;
use crate::expression::{Expr, Function, Op};
use crate::fixups::{Fixup, Slot};
use crate::layout::Record;
use crate::lex::{Kind, Token};
use crate::pass::Pass;
use crate::symbols::{Cause, Defined, Label, Sort, Symbol};

/// Instructions after which a word pointer is no longer looked for.
const FURTHEST_USE: usize = 32;

impl Pass<'_, '_> {
    /// Everything that a settled program without errors deserves to hear;
    /// `entry` is the address at which it starts.
    pub(crate) fn warn(&mut self, entry: u32) {
        self.context = 0;
        let mut found = self.unused_labels(entry);
        found.extend(self.spellings());
        found.extend(self.ways());
        found.extend(self.lost_banks());
        for warning in found {
            self.report(warning);
        }
    }

    /// Names that a branch of a condition mentions that was not assembled.
    pub(crate) fn mention(&mut self, tokens: &[Token]) {
        let names = &mut self.session.names;
        for &token in tokens {
            let name = match token.kind {
                Kind::Ident => token.name(),
                Kind::DotIdent => self.scopes.local_name(token, names),
                _ => continue,
            };
            names.mention(name);
        }
    }

    /// Names of the program that the body of a macro mentions.
    pub(crate) fn mention_in_body(&mut self, body: &[Token]) {
        for token in body.iter().filter(|token| token.kind == Kind::Ident) {
            self.session.names.mention(token.name());
        }
    }

    fn unused_labels(&self, entry: u32) -> Vec<Diagnostic> {
        let names = &self.session.names;
        let unmentioned = |scope, name| scope == 0 && !names.is_mentioned(name);
        let reported = |label: &Label| {
            let name = self.session.names.text(label.name);
            let own = name.rsplit_once('.').map_or(name, |(_, local)| local);
            let mut causes = self.scopes.chain(label.context).map(|context| context.cause);
            let quiet = causes.any(|cause| match cause {
                Cause::Include => label.sort != Sort::Local,
                Cause::Macro(_) | Cause::Repeat => true,
                Cause::Root => false,
            });
            let is_entry = label.address == entry && label.sort == Sort::Plain;
            !quiet && !own.starts_with('_') && !is_entry
        };
        let unused: Vec<_> = self.symbols.labels(unmentioned).filter(reported).collect();
        let mut first = if unused.is_empty() { None } else { self.included_start(entry) };
        let unused = unused.into_iter();
        unused
            .map(|label| {
                let name = self.session.names.text(label.name);
                let what = if label.sort == Sort::Variable { "variable" } else { "label" };
                let mut warning = Diagnostic::warning(
                    "W0301",
                    label.span,
                    format!("nothing uses the {what} `{name}`"),
                );
                if let Some(start) = first.take_if(|_| label.sort == Sort::Plain) {
                    warning = warning
                        .note(format!("the program starts with its first byte, at `{start}`"))
                        .help(format!("`.entry {name}` starts it here"));
                }
                warning.help("a name that begins with `_` may stand unused").within(label.context)
            })
            .collect()
    }

    /// The label of an included file with which the program starts, because
    /// nothing says where.
    fn included_start(&self, entry: u32) -> Option<&str> {
        let is_included = |label: &Label| {
            let mut causes = self.scopes.chain(label.context).map(|context| context.cause);
            causes.any(|cause| cause == Cause::Include)
        };
        let mut labels = self.symbols.labels(|_, _| self.entry.is_none());
        let start = labels.find(|label| {
            label.address == entry && label.sort == Sort::Plain && is_included(label)
        })?;
        Some(self.session.names.text(start.name))
    }

    /// Two labels that are one but for the case of their letters.
    fn spellings(&self) -> Vec<Diagnostic> {
        let names = &self.session.names;
        let mut found = Vec::new();
        if !self.labels_have_capitals {
            return found;
        }
        let labels = || self.symbols.labels(|scope, _| scope == 0);
        // Of two that differ, one has a capital letter.
        let folded: FxHashSet<String> = labels()
            .filter(|label| names.has_capital(label.name))
            .map(|label| names.text(label.name).to_ascii_lowercase())
            .collect();
        let mut by_folded: FxHashMap<String, Label> = FxHashMap::default();
        let mut lower = String::new();
        for label in labels() {
            let text = names.text(label.name);
            lower.clear();
            lower.push_str(text);
            lower.make_ascii_lowercase();
            if !folded.contains(&lower) {
                continue;
            }
            let Some(first) = by_folded.insert(lower.clone(), label) else { continue };
            let other = names.text(first.name);
            // Local labels of two labels that were compared already.
            let plain = |name: &str| name.rsplit_once('.').map(|(plain, _)| plain.to_string());
            if plain(text) != plain(other) {
                continue;
            }
            let message = format!("the labels `{text}` and `{other}` differ only by case");
            found.push(
                Diagnostic::warning("W0302", label.span, message)
                    .also(first.span, format!("`{other}` is defined here"))
                    .within(label.context),
            );
        }
        found
    }

    /// Code behind what never goes on, and code that goes on into data.
    fn ways(&self) -> Vec<Diagnostic> {
        let layout = &self.layout;
        let mut found = Vec::new();
        let mut unreached = Vec::new();
        let labels = LazyCell::new(|| self.label_addresses());
        let labelled =
            |record: &Record| record.labelled || labels.binary_search(&record.address).is_ok();
        // Ways that end before this statement lie within what an earlier one
        // already said is not reached.
        let mut dead_until = 0;
        for &number in &layout.seams {
            let mut records = layout.records.from(number as usize - 1);
            let (Some(before), Some(next)) = (records.next(), records.next()) else { continue };
            let is_dead = number <= dead_until;
            // JA and JBE are two: their first instruction goes on.
            if next.is_code() {
                if labelled(&next) {
                    continue;
                }
                unreached.push((before, next, is_dead));
                if !is_dead {
                    let goes_on_dead = |record: &Record| record.is_code() && !labelled(record);
                    let run = layout.runs.partition_point(|run| run.last < number);
                    let left = layout.runs.get(run).map_or(0, |run| run.last - number);
                    let dead = records.take(left as usize).take_while(goes_on_dead).count();
                    dead_until = number + 1 + dead as u32;
                }
            } else if !is_dead && !self.may_end(&before) {
                let what = if next.is_reserved() { "places without bytes" } else { "data" };
                found.push(
                    Diagnostic::warning(
                        "W0802",
                        before.span(),
                        format!("the code runs into {what}"),
                    )
                    .also(next.span(), "this would be executed")
                    .help("end it with RET or JMP")
                    .within(before.context),
                );
            }
        }
        if !unreached.is_empty() {
            let targets = self.targets();
            unreached.retain(|(_, next, _)| !targets.contains(&next.address));
        }
        let first = unreached.iter().filter(|(.., is_dead)| !is_dead);
        found.extend(first.map(|(before, next, _)| {
            Diagnostic::warning("W0801", next.span(), "this is never reached")
                .also(before.span(), "nothing goes on behind this")
                .within(next.context)
        }));
        found
    }

    /// Where labels and variables stand, in ascending order.
    fn label_addresses(&self) -> Vec<u32> {
        let address = |symbol: Symbol| match symbol.kind {
            Defined::Label { address, .. } => Some(address),
            Defined::Constant { .. } => None,
        };
        let mut list: Vec<u32> = self.symbols.iter().filter_map(address).collect();
        list.sort_unstable();
        list
    }

    /// Every address that stands in the program or that a jump to a number
    /// means.
    fn targets(&self) -> FxHashSet<u32> {
        let mut targets = FxHashSet::default();
        let bytes = &self.layout.bytes;
        let read = |(fixup, record): (Fixup, Record)| {
            let bytes = &bytes[fixup.offset as usize..];
            match fixup.slot {
                Slot::Address | Slot::Bytes(3) => {
                    Some(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], 0]))
                }
                Slot::Relative => {
                    let distance = i16::from_le_bytes([bytes[0], bytes[1]]);
                    Some(record.end().wrapping_add_signed(distance.into()) & ADDRESS_MASK)
                }
                _ => None,
            }
        };
        targets.extend(self.layout.fixups().filter_map(read));
        for record in self.layout.records.iter().filter(|record| record.is_code()) {
            match self.decoded(&record).and_then(|decoded| decoded.operands[0]) {
                Some(Operand::Addr(address)) => targets.insert(address),
                Some(Operand::Rel(distance)) => {
                    targets.insert(record.end().wrapping_add_signed(distance.into()) & ADDRESS_MASK)
                }
                _ => continue,
            };
        }
        targets
    }

    /// `LDX word(@table)`, then `[X]`, where the table lies in another bank
    /// than 0.
    fn lost_banks(&mut self) -> Vec<Diagnostic> {
        let is_word = |pass: &Self, expr: Expr| {
            pass.session.exprs.outermost(expr) == Op::Function(Function::Word)
        };
        let is_load = |fixup: &&Fixup| fixup.slot == Slot::Bytes(2) && is_word(self, fixup.expr);
        let loads: Vec<Fixup> = self.layout.fixups.iter().filter(is_load).copied().collect();
        let mut found = Vec::new();
        for load in loads {
            let Some((number, record)) = self.layout.statement_of(load.offset) else { continue };
            let inner = self.session.exprs.operand(load.expr);
            let value = self.evaluate(inner, record.address, record.context, Mode::Final);
            let Ok(whole) = value else { continue };
            let bank = whole.number >> 16;
            if whole.address && bank != 0 {
                found.extend(self.lost_bank(load.expr, number, bank));
            }
        }
        found
    }

    /// `load` is in statement number `at`.
    fn lost_bank(&self, load: Expr, at: usize, bank: i128) -> Option<Diagnostic> {
        let mut records = self.layout.records.from(at);
        let loading = records.next()?;
        let decoded = self.decoded(&loading)?;
        let (Some(Operand::Reg(reg)), "LD") = (decoded.operands[0], decoded.row.mnemonic) else {
            return None;
        };
        let mut end = loading.end();
        for record in records.take(FURTHEST_USE) {
            if record.address != end || !record.is_code() {
                return None;
            }
            end = record.end();
            let decoded = self.decoded(&record)?;
            if pointers(&decoded).any(|pointer| pointer == reg) {
                let name = reg.name();
                let message =
                    format!("{name} as a pointer means bank 0, the label lies in bank ${bank:02X}");
                return Some(
                    Diagnostic::warning("W0402", record.span(), message)
                        .also(load.span, "the bank is dropped here")
                        .help("load the whole address into a pointer: `LDELM @label`, then `[ELM]`")
                        .within(record.context),
                );
            }
            let touched = decoded.reads() | decoded.writes();
            let leaves = decoded.row.control || decoded.row.mnemonic == "INT";
            if touched & reg.halves() != 0 || leaves {
                return None;
            }
        }
        None
    }

    /// Whether a program may end with the statement on purpose.
    fn may_end(&self, record: &Record) -> bool {
        let Some(decoded) = self.decoded(record) else { return true };
        let exits = matches!(decoded.operands[0], Some(Operand::Imm { value: 0x20, .. }));
        match decoded.row.mnemonic {
            "HALT" | "BRK" => true,
            "INT" => exits,
            _ => false,
        }
    }

    /// A statement's first instruction.
    fn decoded(&self, record: &Record) -> Option<Decoded> {
        let start = record.offset as usize;
        let bytes = self.layout.bytes.get(start..start + record.size as usize)?;
        isa::decode(bytes).ok()
    }
}

/// The registers that an instruction takes for addresses.
fn pointers(decoded: &Decoded) -> impl Iterator<Item = isa::Reg> {
    let operands = decoded.operands.into_iter().flatten();
    decoded.row.args.iter().zip(operands).filter_map(|(arg, operand)| match (arg, operand) {
        (Arg::Reg(Class::Address), Operand::Reg(reg)) => Some(reg),
        (_, Operand::MemReg(base) | Operand::MemIndex(base, _) | Operand::MemDisp(base, _)) => {
            Some(base)
        }
        _ => None,
    })
}
