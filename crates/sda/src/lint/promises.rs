//! What routines promise and do not keep: `.clobbers`, `.pure`, results that
//! a path leaves undefined.

use std::collections::{BTreeMap, BTreeSet};

use isa::{Operand, Reg};

use super::Context;
use super::analysis::{is_undefined, target};
use super::finding::{Finding, Place, is, register};
use super::value::{AL, CARRY, CELLS, Cells, Def, FIRST_FLAG, FLAG_CELLS, each, flag_cells};
use super::walk::{By, Event, Leave, Walk};
use crate::contract::Contract;

/// Registers that change although the promise does not name them: L0201.
pub(super) fn clobbers(context: &Context<'_>, walk: &Walk<'_, '_>, out: &mut Vec<Finding>) {
    let Some(contract) = walk.routines.contracts.get(&walk.routine.entry) else { return };
    if contract.clobbers.is_none() && !contract.pure {
        return;
    }
    let allowed = Cells::from(contract.changed());
    let mut changes: BTreeMap<(u32, bool), Cells> = BTreeMap::new();
    for event in &walk.events {
        let Event::Leave { at, how, cells, .. } = event else { continue };
        if *how == Leave::Computed {
            continue;
        }
        let kept =
            |cell: usize| cells[cell].origin.is_some_and(|origin| usize::from(origin) == cell);
        for cell in (0..FIRST_FLAG).filter(|&cell| allowed >> cell & 1 == 0 && !kept(cell)) {
            for &def in walk.sets.get(cells[cell].defs) {
                let (place, call) = match def {
                    Def::Entry(other) if usize::from(other) == cell => continue,
                    Def::Write { at, .. } => (at, false),
                    Def::Given { at, .. } | Def::Left { at, .. } => (at, true),
                    _ => (*at, false),
                };
                *changes.entry((place, call)).or_default() |= 1 << cell;
            }
        }
    }
    let name = context.name(walk.routine.entry);
    let said = contract.clobbers_at.or(contract.pure_at).unwrap_or(contract.promise);
    for ((place, call), cells) in changes {
        let what = register(cells);
        let message = format!("`{name}` changes {what}, which it does not promise to");
        let through = target(walk.routine, place, walk.routines).filter(|_| call);
        let finding = Finding::new("L0201", place, message);
        let step = walk.routine.steps.get(&place);
        let of_service = step.is_some_and(|step| step.decoded.row.mnemonic == "INT");
        let finding = match through {
            Some(to) => finding.label(format!("`{}` changes {what}", context.name(to))),
            None if of_service && cells >> AL & 1 != 0 => {
                finding.note("a service that fails leaves the number of its error in AL")
            }
            None => finding,
        };
        out.push(finding.also(Place::Span(said), "the promise"));
    }
}

/// Stores and the like under `.pure`: L0202.
pub(super) fn pure(context: &Context<'_>, walk: &Walk<'_, '_>, out: &mut Vec<Finding>) {
    let entry = walk.routine.entry;
    let Some(contract) = walk.routines.contracts.get(&entry) else { return };
    let Some(mut at) = context.summaries[&entry].acts.filter(|_| contract.pure) else { return };
    let said = contract.pure_at.unwrap_or(contract.promise);
    let name = context.name(entry);
    let mut finding =
        Finding::new("L0202", at, format!("`{name}` promises to be pure, but this is not"))
            .also(Place::Span(said), "the promise");
    let mut routine = entry;
    for _ in 0..16 {
        let steps = context.list.get(&routine);
        let Some(to) = steps.and_then(|steps| target(steps, at, &context.routines)) else { break };
        let Some(next) = context.summaries.get(&to).and_then(|summary| summary.acts) else { break };
        finding = finding.also(Place::At(next), format!("`{}` does this", context.name(to)));
        (routine, at) = (to, next);
    }
    out.push(finding);
}

/// Who wants a flag of a routine that does not promise it.
#[derive(Default)]
pub(super) struct Demands {
    /// By routine and cell: where it is tested or promised.
    wanted: BTreeMap<(u32, usize), Place>,
    /// By routine: its ways out, with what the flags may be there.
    leaves: BTreeMap<u32, Vec<Way>>,
}

/// A way out of a routine.
struct Way {
    at: u32,
    tail: Option<u32>,
    /// Each flag: whether it may be meant, and where what is not meant comes
    /// from.
    flags: [(bool, Vec<Def>); CELLS - FIRST_FLAG],
}

impl Demands {
    /// Takes in one routine.
    pub fn meet(&mut self, walk: &Walk<'_, '_>) {
        let entry = walk.routine.entry;
        let contract = walk.routines.contracts.get(&entry);
        let promised = contract.map_or(0, |contract| flag_cells(contract.returned_flags));
        let mut ways = Vec::new();
        for event in &walk.events {
            match event {
                Event::Read { at, by: By::Flag | By::Call(_), cells, .. } => {
                    for &(cell, value) in cells.iter().filter(|(cell, _)| *cell >= FIRST_FLAG) {
                        for &def in walk.sets.get(value.defs) {
                            if let Def::Given { at: call, .. } = def
                                && is_undefined(walk, cell, value, def)
                            {
                                self.want(walk, call, cell, Place::At(*at));
                            }
                        }
                    }
                }
                Event::Leave { at, how, cells, .. } if *how != Leave::Computed => {
                    let flags = std::array::from_fn(|flag| {
                        let (cell, value) = (FIRST_FLAG + flag, cells[FIRST_FLAG + flag]);
                        let defs = walk.sets.get(value.defs).iter().copied();
                        let (undefined, meant): (Vec<Def>, Vec<Def>) =
                            defs.partition(|&def| is_undefined(walk, cell, value, def));
                        (!meant.is_empty(), undefined)
                    });
                    let tail = match how {
                        Leave::Tail(to) => Some(*to),
                        _ => None,
                    };
                    ways.push(Way { at: *at, tail, flags });
                }
                _ => {}
            }
        }
        self.leaves.insert(entry, ways);
        for cell in FIRST_FLAG..CELLS {
            if promised >> cell & 1 != 0
                && let Some(contract) = contract
            {
                let said = contract.returns_at.unwrap_or(contract.promise);
                self.wanted.insert((entry, cell), Place::Span(said));
            }
        }
    }

    fn want(&mut self, walk: &Walk<'_, '_>, call: u32, cell: usize, place: Place) {
        if let Some(to) = target(walk.routine, call, walk.routines) {
            self.wanted.entry((to, cell)).or_insert(place);
        }
    }

    /// Flags that a path leaves undefined although somebody wants them:
    /// L0203.
    pub fn check(mut self, context: &Context<'_>, out: &mut Vec<Finding>) {
        let mut done: BTreeSet<(u32, usize)> = BTreeSet::new();
        let mut waiting: Vec<(u32, usize)> = self.wanted.keys().copied().collect();
        while let Some((entry, cell)) = waiting.pop() {
            if !done.insert((entry, cell)) {
                continue;
            }
            let place = self.wanted[&(entry, cell)];
            let flag = FLAG_CELLS[cell - FIRST_FLAG].1;
            let promise = context.routines.contracts.get(&entry).copied();
            let ways = self.leaves.get(&entry).map_or(&[][..], Vec::as_slice);
            let ever = promise.is_some() || ways.iter().any(|way| way.flags[cell - FIRST_FLAG].0);
            if !ever {
                out.push(never_set(context, entry, flag, place));
                continue;
            }
            let mut more = Vec::new();
            for way in ways {
                let undefined = &way.flags[cell - FIRST_FLAG].1;
                let Some(&first) = undefined.first() else { continue };
                if let Def::Given { at, .. } = first {
                    let routine = &context.list[&entry];
                    more.extend(target(routine, at, &context.routines).or(way.tail));
                    continue;
                }
                out.push(undefined_way(context, entry, way, flag, first, place, promise));
            }
            for to in more {
                self.wanted.entry((to, cell)).or_insert(place);
                waiting.push((to, cell));
            }
        }
    }
}

fn never_set(context: &Context<'_>, entry: u32, flag: &str, place: Place) -> Finding {
    let name = context.name(entry);
    let message = format!("{flag} is tested, but `{name}` never sets it on purpose");
    Finding { place, ..Finding::new("L0203", entry, message) }
        .also(Place::At(entry), format!("`{name}`"))
}

fn undefined_way(
    context: &Context<'_>,
    entry: u32,
    way: &Way,
    flag: &str,
    def: Def,
    place: Place,
    promise: Option<&Contract>,
) -> Finding {
    let name = context.name(entry);
    let message = format!("`{name}` leaves {flag} undefined on this path");
    let finding = Finding::new("L0203", way.at, message);
    let finding = match def {
        Def::Spent { at } => {
            let step = context.list[&entry].steps.get(&at);
            let moves_stack =
                step.is_some_and(|step| step.decoded.operands[0] == Some(Operand::Reg(Reg::SP)));
            let what = if moves_stack { "moving SP" } else { "this comparison" };
            finding.also(Place::At(at), format!("left over from {what}"))
        }
        Def::Left { at, .. } => {
            let to = target(&context.list[&entry], at, &context.routines).or(way.tail);
            let callee = to.map_or_else(|| "the routine called".into(), |to| context.name(to));
            finding.also(Place::At(at), format!("`{callee}` does not return {flag}"))
        }
        _ => finding.label(format!("{flag} is as the caller had it")),
    };
    let said = match promise {
        Some(_) => "the promise",
        None => "and this tests it",
    };
    finding.also(place, said).help(format!("SETF or CLRF says what {flag} means on this path"))
}

/// Results that a path leaves undefined: L0204. A result may be one only
/// where carry says so.
pub(super) fn results(context: &Context<'_>, walk: &Walk<'_, '_>, out: &mut Vec<Finding>) {
    let Some(contract) = walk.routines.contracts.get(&walk.routine.entry) else { return };
    let results = Cells::from(contract.results());
    let says = contract.returned_flags & isa::flags::C != 0;
    // By way out and call: what is undefined. By cell: what carry is then.
    let mut ways: BTreeMap<(u32, u32), Cells> = BTreeMap::new();
    let mut everywhere: BTreeMap<usize, BTreeSet<Option<u8>>> = BTreeMap::new();
    for event in &walk.events {
        let Event::Leave { at, cells, .. } = event else { continue };
        let carry = cells[CARRY].constant.filter(|_| says);
        for cell in (0..FIRST_FLAG).filter(|cell| results >> cell & 1 != 0) {
            for def in walk.sets.get(cells[cell].defs) {
                if let Def::Left { at: call, .. } = def {
                    *ways.entry((*at, *call)).or_default() |= 1 << cell;
                    everywhere.entry(cell).or_default().insert(carry);
                }
            }
        }
    }
    for ((at, call), cells) in ways {
        let only_with_carry = |cell: &usize| {
            let seen = &everywhere[cell];
            seen.len() == 1 && !seen.contains(&None)
        };
        let cells = each(cells).filter(|cell| !only_with_carry(cell));
        let cells = cells.fold(0, |all, cell| all | 1 << cell);
        if cells == 0 {
            continue;
        }
        let what = register(cells);
        let name = context.name(walk.routine.entry);
        let message = format!("{what} {} undefined when `{name}` returns here", is(&what));
        let to = target(walk.routine, call, walk.routines);
        let callee = to.map_or_else(|| "the routine called".into(), |to| context.name(to));
        let said = contract.returns_at.unwrap_or(contract.promise);
        out.push(
            Finding::new("L0204", at, message)
                .also(Place::At(call), format!("`{callee}` leaves {what} undefined"))
                .also(Place::Span(said), "the promise"),
        );
    }
}
