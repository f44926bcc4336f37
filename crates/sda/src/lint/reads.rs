//! Registers and flags that are read although nobody has written them, and
//! registers that share a word with one still needed.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use isa::{Reg, View};

use super::Context;
use super::analysis::target;
use super::finding::{Finding, Place, is, it, names, register};
use super::routine::Routine;
use super::value::{Cells, Def, Value};
use super::walk::{By, Event, Walk};

/// Reads of what no path has written: L0101, L0102.
pub(super) fn undefined(context: &Context<'_>, walk: &Walk<'_, '_>, out: &mut Vec<Finding>) {
    let root = walk.routine.entry == context.program.entry;
    // By origin and cells, the first reader.
    let mut found: BTreeMap<(Option<u32>, Cells), (u32, By)> = BTreeMap::new();
    for ((at, by), cells) in walk.reads() {
        let mut origins: BTreeMap<Option<u32>, Cells> = BTreeMap::new();
        for defs in cells.values() {
            let unwritten = |def: &Def| match def {
                Def::Left { .. } => true,
                Def::Entry(_) => root,
                _ => false,
            };
            let always = defs.iter().all(unwritten);
            // What nothing has written before a loop is no second finding in it.
            let at_first = root && defs.iter().any(|def| matches!(def, Def::Entry(_)));
            for def in defs {
                match *def {
                    Def::Left { .. } if always && at_first => {}
                    // A register that is used in place: one path is enough.
                    Def::Left { at, cell } if always || !matches!(by, By::Call(_)) => {
                        *origins.entry(Some(at)).or_default() |= 1 << cell;
                    }
                    Def::Entry(cell) if root && always => {
                        *origins.entry(None).or_default() |= 1 << cell;
                    }
                    _ => {}
                }
            }
        }
        for (origin, cells) in origins {
            let first = found.entry((origin, cells)).or_insert((at, by));
            *first = (*first).min((at, by));
        }
    }
    for ((origin, cells), (at, by)) in found {
        let what = register(cells);
        let read = match by {
            By::Call(target) => format!("`{}` reads {what}", context.name(target)),
            By::Flag => format!("{what} {} tested", is(&what)),
            _ => format!("{what} {} read", is(&what)),
        };
        let mut finding = match origin {
            None => {
                Finding::new("L0101", at, format!("{read}, but nothing has written {}", it(&what)))
                    .note("registers and flags happen to be 0 when a program starts")
            }
            Some(call) => left(context, walk, call, at, &what, &read),
        };
        if let By::Call(target) = by {
            finding = readers(context, target, cells, finding);
        }
        out.push(finding);
    }
}

fn left(
    context: &Context<'_>,
    walk: &Walk<'_, '_>,
    call: u32,
    at: u32,
    what: &str,
    read: &str,
) -> Finding {
    let target = target(walk.routine, call, walk.routines);
    let name = target.map_or_else(|| "the routine called".into(), |to| context.name(to));
    let message = format!("{read}, but `{name}` leaves {} undefined", it(what));
    let mut finding = Finding::new("L0102", at, message)
        .also(Place::At(call), format!("this call may change {what}"));
    if let Some(contract) = target.and_then(|to| walk.routines.contracts.get(&to)) {
        let at = contract.clobbers_at.or(contract.returns_at).unwrap_or(contract.promise);
        finding = finding.also(Place::Span(at), format!("`{name}` does not return {what}"));
    }
    finding
}

/// Calls that are followed between a reader and who did not give it a value.
const MOST_CALLS: usize = 12;

/// Where the routine called reads what it was not given.
fn readers(context: &Context<'_>, target: u32, cells: Cells, mut finding: Finding) -> Finding {
    let mut target = target;
    let mut way = Vec::new();
    for _ in 0..MOST_CALLS {
        let Some(summary) = context.summaries.get(&target) else { break };
        let reader = summary.readers.iter().find(|(cell, _)| cells >> **cell & 1 != 0);
        let Some((_, &(reader, called))) = reader else { break };
        let name = context.name(target);
        match called {
            Some(next) if next != target => {
                way.push(format!("`{name}`"));
                target = next;
            }
            _ => {
                finding = finding.also(Place::At(reader), format!("`{name}` reads it here"));
                if !way.is_empty() {
                    finding = finding.note(format!("called by way of {}", way.join(", ")));
                }
                break;
            }
        }
    }
    finding
}

/// Registers that overlap: L0103, L0104.
pub(super) fn aliases(context: &Context<'_>, walk: &Walk<'_, '_>, out: &mut Vec<Finding>) {
    // Which definitions are read at all, and where first as a number.
    let mut used: HashSet<Def> = HashSet::new();
    let mut numbers: HashMap<(Def, usize), u32> = HashMap::new();
    let mut lost: HashMap<u32, Vec<(usize, Def)>> = HashMap::new();
    for event in &walk.events {
        match event {
            Event::Read { at, by, data, cells } => {
                for &(cell, value) in cells {
                    for &def in walk.sets.get(value.defs) {
                        used.insert(def);
                        let narrow = match by {
                            By::Register(reg) | By::Copy(reg) => reg.width() <= 2,
                            _ => false,
                        };
                        if let Def::Write { at: written, .. } = def
                            && (narrow && *data && written < *at)
                        {
                            let first = numbers.entry((def, cell)).or_insert(*at);
                            *first = (*first).min(*at);
                        }
                    }
                }
            }
            Event::Write { at, view, old } if view.count_ones() == 3 => {
                let old = old.iter().flat_map(|&(cell, value)| {
                    walk.sets.get(value.defs).iter().map(move |&def| (cell, def))
                });
                lost.insert(*at, old.collect());
            }
            Event::Leave { cells, .. } => {
                for value in cells.iter() {
                    used.extend(walk.sets.get(value.defs));
                }
            }
            _ => {}
        }
    }
    // Where each part is first used as one.
    let mut whole_again: HashMap<Def, u32> = HashMap::new();
    for event in &walk.events {
        if let Event::Read { at, by: By::Register(reg) | By::Copy(reg), cells, .. } = event
            && reg.width() >= 3
        {
            for &def in cells.iter().flat_map(|(_, value)| walk.sets.get(value.defs)) {
                if let Def::Write { at: written, .. } = def
                    && written < *at
                {
                    let first = whole_again.entry(def).or_insert(*at);
                    *first = (*first).min(*at);
                }
            }
        }
    }
    let mut seen = BTreeSet::new();
    for event in &walk.events {
        let Event::Read { at, by: By::Register(reg) | By::Copy(reg), cells, .. } = event else {
            continue;
        };
        if reg.width() >= 3 {
            for (whole, part) in halved(walk, *reg, cells) {
                let number = match part {
                    // A number before it is an address: nobody meant a pointer.
                    Def::Write { .. } => {
                        let read = cells.iter().filter_map(|(cell, _)| numbers.get(&(part, *cell)));
                        read.min().copied().filter(|read| Some(read) < whole_again.get(&part))
                    }
                    _ => Some(*at),
                };
                if let Some(number) = number
                    && seen.insert((whole, *at))
                {
                    out.push(halved_message(context, walk.routine, *at, *reg, whole, part, number));
                }
            }
        } else {
            out.extend(part_of_pointer(*at, *reg, cells, walk, &used, &lost, &mut seen));
        }
    }
}

/// Writes of the whole register that another write has half undone.
fn halved(walk: &Walk<'_, '_>, reg: Reg, cells: &[(usize, Value)]) -> Vec<(u32, Def)> {
    let all = Cells::from(reg.halves());
    let mut found = Vec::new();
    for &(cell, value) in cells {
        for &whole in walk.sets.get(value.defs) {
            let Def::Write { at, view } = whole else { continue };
            if view & all != all {
                continue;
            }
            for &(other, changed) in cells.iter().filter(|(other, _)| *other != cell) {
                let defs = walk.sets.get(changed.defs);
                if defs.contains(&whole) {
                    continue;
                }
                let parts = defs.iter().filter(|def| match def {
                    Def::Write { view, .. } | Def::Given { view, .. } => {
                        view >> cell & 1 == 0 && view >> other & 1 != 0
                    }
                    _ => false,
                });
                found.extend(parts.map(|&part| (at, part)));
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

fn halved_message(
    context: &Context<'_>,
    routine: &Routine,
    at: u32,
    reg: Reg,
    whole: u32,
    part: Def,
    number: u32,
) -> Finding {
    let name = reg.name();
    let (place, view, call) = match part {
        Def::Given { at, view } => (at, view, true),
        Def::Write { at, view } => (at, view, false),
        _ => (at, 0, false),
    };
    let shared = register(view & Cells::from(reg.halves()));
    let written = register(view);
    let message = format!("{name} is used, but {shared}, a part of it, has been overwritten");
    let text = match call {
        true => {
            let target = target(routine, place, &context.routines);
            let callee = target.map_or_else(|| "the routine called".into(), |to| context.name(to));
            format!("`{callee}` changes {shared}")
        }
        false => format!("this writes {written}"),
    };
    let finding = Finding::new("L0103", at, message)
        .label(format!("{name} is {}", made_of(reg)))
        .also(Place::At(place), text)
        .also(Place::At(whole), format!("{name} is loaded here"));
    if call || number == at {
        return finding;
    }
    finding.also(Place::At(number), format!("and this reads it as {written}"))
}

/// `FL:D` for FLD, `D:C` for CD.
fn made_of(reg: Reg) -> String {
    let word = |n: u8| isa::WORDS[usize::from(n)];
    match reg.view() {
        View::Pointer { bank, offset } => format!("{}L:{}", word(bank), word(offset)),
        View::Pair(low, high) => format!("{}:{}", word(high), word(low)),
        View::Quad => "D:C:B:A".into(),
        _ => reg.name().into(),
    }
}

/// A number read from a register that a pointer was loaded over.
fn part_of_pointer(
    at: u32,
    reg: Reg,
    cells: &[(usize, Value)],
    walk: &Walk<'_, '_>,
    used: &HashSet<Def>,
    lost: &HashMap<u32, Vec<(usize, Def)>>,
    seen: &mut BTreeSet<(u32, u32)>,
) -> Option<Finding> {
    for &(cell, value) in cells {
        for &def in walk.sets.get(value.defs) {
            let Def::Write { at: load, view } = def else { continue };
            if view.count_ones() != 3 {
                continue;
            }
            let pointer = register(view);
            let before = lost.get(&load).into_iter().flatten().find(|(other, before)| {
                matches!(before, Def::Write { view, .. } if *other == cell && view & !reg_word(reg) == 0)
                    && !used.contains(before)
            });
            if let Some(&(_, Def::Write { at: first, .. })) = before
                && seen.insert((load, at))
            {
                let name = reg.name();
                return Some(
                    Finding::new(
                        "L0104",
                        at,
                        format!("{name} is read, but a pointer has been loaded over it"),
                    )
                    .also(Place::At(load), format!("{name} is a part of {pointer}"))
                    .also(Place::At(first), format!("{} is written here", names(1 << cell))),
                );
            }
        }
    }
    None
}

/// The word that a register of at most a word lies in.
fn reg_word(reg: Reg) -> Cells {
    let halves = Cells::from(reg.halves());
    halves | halves << 1 & 0xAAAA_AAAA | halves >> 1 & 0x5555_5555
}
