//! What a routine does in fact, in the words of a promise: to copy behind its
//! label.

use isa::Reg;

use super::Context;
use super::value::{CARRY, FIRST_FLAG};
use crate::program::SymbolKind;

/// What one routine does in fact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// Its label; a local one begins with its plain label.
    pub label: String,
    /// The source file of the label, empty when it has none.
    pub file: String,
    /// Its line.
    pub line: u32,
    /// The registers that are different after some path. Which of them hold
    /// results, nobody can see.
    pub changed: Vec<Reg>,
    /// Every path that returns sets or clears carry on purpose.
    pub carry: bool,
    /// It stores nothing and calls nothing that does more than look.
    pub pure: bool,
}

/// Registers that are named before others that have the same bytes.
const USUAL: [&str; 6] = ["ELM", "FLD", "GLK", "FLT", "BLX", "ABCD"];

/// The low bytes of B, E, F and G.
const BANKS: u32 = 1 << 2 | 1 << 22 | 1 << 24 | 1 << 26;

pub(super) fn shown(context: &Context<'_>) -> Vec<Shown> {
    let labels = context.program.symbols.iter().filter(|symbol| {
        matches!(symbol.kind, SymbolKind::Label | SymbolKind::Local) && symbol.scope.is_empty()
    });
    let mut all = Vec::new();
    for symbol in labels {
        let summary = context.summaries.get(&(symbol.value as u32));
        let Some(summary) = summary.filter(|summary| summary.returns && !summary.unknown) else {
            continue;
        };
        let cells = summary.cells.iter().enumerate().take(FIRST_FLAG);
        let changed = cells.filter(|(_, outcome)| outcome.other);
        let carry = summary.cells[CARRY];
        all.push(Shown {
            label: symbol.name.clone(),
            file: symbol.file.clone(),
            line: symbol.line,
            changed: registers(changed.fold(0, |all, (cell, _)| all | 1 << cell)),
            carry: carry.other && !carry.kept && !carry.undefined,
            pure: summary.acts.is_none(),
        });
    }
    all
}

/// Few registers that have these bytes, and no others.
fn registers(mut bytes: u32) -> Vec<Reg> {
    let mut found = Vec::new();
    let usual = USUAL.iter().filter_map(|name| Reg::by_name(name)).filter(|reg| reg.width() == 3);
    let words = Reg::all().filter(|reg| reg.width() == 2);
    let halves = Reg::all().filter(|reg| reg.width() == 1);
    for reg in usual.chain(words).chain(halves) {
        // A bank that changes whole is no part of a pointer.
        let above = (reg.halves() & BANKS) << 1;
        let whole = reg.width() == 3 && bytes & above != 0;
        if bytes & reg.halves() == reg.halves() && !whole {
            bytes &= !reg.halves();
            found.push(reg);
        }
    }
    found.sort_by_key(|reg| (reg.width() == 3, reg.name()));
    found
}

#[cfg(test)]
mod tests {
    use super::registers;

    #[test]
    fn bytes_are_named_by_few_registers() {
        let named = |names: &[&str]| {
            let bytes = names
                .iter()
                .fold(0, |all, name| all | isa::Reg::by_name(name).map_or(0, isa::Reg::halves));
            registers(bytes).iter().map(|reg| reg.name()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(named(&["A", "ELM", "B"]), "A B ELM");
        assert_eq!(named(&["M", "AL"]), "AL M");
        assert_eq!(named(&["E", "M"]), "E M");
        assert_eq!(named(&["FLD", "T"]), "T FLD");
        assert_eq!(named(&[]), "");
    }
}
