//! What every routine of a program does, from the ones that call nothing up
//! to the program's entry, again and again until nothing changes.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use isa::Operand;
use isa::Reg;
use isa::services::{Effect, service};

use super::routine::{Outcome, Routine, Routines, Summary};
use super::value::{CARRY, CELLS, Cells, Def, FIRST_FLAG, Value};
use super::walk::{By, Event, Leave, Walk};

/// Times that one routine is looked at; one that still changes is given up.
const MOST_ROUNDS: usize = 40;

/// Instructions that may be looked at: so many whatever the size of the
/// program, and so many for each of its own.
const MOST_VISITS: (usize, usize) = (1_000_000, 32);

/// What the routines at all entries do, and how many instructions had to be
/// looked at for that.
pub(super) fn summaries(
    routines: &Routines<'_>,
    list: &BTreeMap<u32, Routine>,
) -> (BTreeMap<u32, Summary>, usize) {
    let mut summaries: BTreeMap<u32, Summary> =
        list.keys().map(|&entry| (entry, Summary::new())).collect();
    let mut users: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
    for (&entry, routine) in list {
        for used in uses(routine, list) {
            users.entry(used).or_default().insert(entry);
        }
    }
    let order = bottom_up(list);
    let rank: BTreeMap<u32, usize> =
        order.iter().enumerate().map(|(at, &entry)| (entry, at)).collect();
    let mut waiting: BTreeSet<(usize, u32)> =
        order.iter().enumerate().map(|(at, &entry)| (at, entry)).collect();
    let mut rounds: BTreeMap<u32, usize> = BTreeMap::new();
    let steps: usize = list.values().map(|routine| routine.steps.len()).sum();
    let (always, for_each) = MOST_VISITS;
    let (most, mut visits) = (always + for_each * steps, 0);
    // All the way up before any routine has its next turn: where all call
    // all, a few rounds are enough.
    let mut passed = (0, 0);
    while let Some(&next) = waiting.range(passed..).next().or_else(|| waiting.first()) {
        waiting.remove(&next);
        passed = next;
        let entry = next.1;
        if summaries[&entry].unknown {
            continue;
        }
        let count = rounds.entry(entry).or_default();
        *count += 1;
        let summary = if *count > MOST_ROUNDS || list[&entry].too_much {
            Summary::unknown()
        } else {
            let walk = Walk::through(&list[&entry], routines, &summaries, most - visits);
            visits += walk.used;
            summarise(&walk)
        };
        if summaries[&entry] != summary {
            summaries.insert(entry, summary);
            let users = users.get(&entry).into_iter().flatten();
            waiting.extend(users.map(|&user| (rank[&user], user)));
        }
    }
    (summaries, visits)
}

/// The other routines that one calls or goes on in.
fn uses(routine: &Routine, list: &BTreeMap<u32, Routine>) -> BTreeSet<u32> {
    routine
        .steps
        .values()
        .flat_map(|step| step.call.into_iter().chain(step.successors()))
        .filter(|to| list.contains_key(to))
        .collect()
}

/// Every routine behind those that it uses, as far as that is possible.
fn bottom_up(list: &BTreeMap<u32, Routine>) -> Vec<u32> {
    let mut order = Vec::new();
    let mut met = BTreeSet::new();
    for &root in list.keys() {
        let mut open: Vec<(u32, Vec<u32>)> = Vec::new();
        if met.insert(root) {
            open.push((root, uses(&list[&root], list).into_iter().collect()));
        }
        while let Some((entry, left)) = open.last_mut() {
            match left.pop() {
                Some(next) if met.insert(next) => {
                    open.push((next, uses(&list[&next], list).into_iter().collect()));
                }
                Some(_) => {}
                None => {
                    order.push(*entry);
                    open.pop();
                }
            }
        }
    }
    order
}

fn summarise(walk: &Walk<'_, '_>) -> Summary {
    if walk.is_given_up() {
        return Summary::unknown();
    }
    let mut summary = Summary::new();
    let mut all = Vec::new();
    for ((at, by), cells) in walk.reads() {
        let called = match by {
            By::Call(target) => Some(target),
            _ => None,
        };
        for defs in cells.values() {
            // What some path writes may well be written on every path that
            // comes to the read.
            let mut defs = defs.iter();
            if let (Some(Def::Entry(cell)), None) = (defs.next(), defs.next()) {
                let cell = usize::from(*cell);
                summary.inputs |= 1 << cell;
                let reader = (at, called);
                let first = summary.readers.entry(cell).or_insert(reader);
                *first = (*first).min(reader);
            }
        }
    }
    for event in &walk.events {
        let Event::Leave { how, cells, .. } = event else { continue };
        summary.returns = true;
        if *how == Leave::Computed {
            continue;
        }
        let outcomes: Vec<Outcome> =
            (0..CELLS).map(|cell| outcome(walk, cell, cells[cell])).collect();
        let carry = cells[CARRY].constant;
        for set in [0, 1].into_iter().filter(|&set| carry.is_none_or(|known| known == set)) {
            join(&mut summary.by_carry[usize::from(set)], &outcomes);
        }
        join(&mut all, &outcomes);
    }
    if !all.is_empty() {
        summary.cells = all;
    }
    summary.acts = acts(walk);
    summary
}

/// Takes in the outcomes of one more return.
fn join(known: &mut Vec<Outcome>, more: &[Outcome]) {
    if known.is_empty() {
        known.extend_from_slice(more);
        return;
    }
    for (known, more) in known.iter_mut().zip(more) {
        known.kept |= more.kept;
        known.other |= more.other;
        known.undefined |= more.undefined;
        known.view |= more.view;
        known.constant = known.constant.filter(|_| known.constant == more.constant);
    }
}

fn outcome(walk: &Walk<'_, '_>, cell: usize, value: Value) -> Outcome {
    let mut outcome = Outcome { constant: value.constant, ..Outcome::default() };
    if value.origin.is_some_and(|origin| usize::from(origin) == cell) && cell < FIRST_FLAG {
        return Outcome { kept: true, view: Cells::MAX, ..outcome };
    }
    for def in walk.sets.get(value.defs) {
        match *def {
            Def::Entry(other) if usize::from(other) == cell => outcome.kept = true,
            Def::Entry(_) => {
                outcome.other = true;
                outcome.view = Cells::MAX;
            }
            Def::Write { view, .. } | Def::Given { view, .. } => {
                outcome.other = true;
                outcome.view |= view;
            }
            Def::Left { .. } | Def::Spent { .. } | Def::Many => {
                outcome.other = true;
                outcome.view |= 1 << cell;
            }
        }
        outcome.undefined |= is_undefined(walk, cell, value, *def);
    }
    outcome
}

/// Whether nobody can mean what a cell holds at a return.
pub(super) fn is_undefined(walk: &Walk<'_, '_>, cell: usize, value: Value, def: Def) -> bool {
    match def {
        Def::Left { .. } => true,
        Def::Spent { .. } => value.constant.is_none(),
        Def::Entry(_) => cell >= FIRST_FLAG && value.constant.is_none(),
        Def::Given { at, .. } if cell >= FIRST_FLAG && value.constant.is_none() => {
            let target = target(walk.routine, at, walk.routines);
            let summary = target.and_then(|target| walk.summaries.get(&target));
            let promised =
                target.is_some_and(|target| walk.routines.contracts.contains_key(&target));
            !promised && summary.is_some_and(|summary| summary.cells[cell].undefined)
        }
        _ => false,
    }
}

/// The routine that is called, or gone on in, by the instruction at `at`.
pub(super) fn target(routine: &Routine, at: u32, routines: &Routines<'_>) -> Option<u32> {
    let Some(step) = routine.steps.get(&at) else {
        return Some(at).filter(|at| routines.bounds.contains(at));
    };
    let elsewhere = |to: &u32| *to != routine.entry && routines.bounds.contains(to);
    step.call.or_else(|| step.successors().find(elsewhere))
}

/// The first instruction that does more than look.
fn acts(walk: &Walk<'_, '_>) -> Option<u32> {
    let calls = |at| {
        let target = target(walk.routine, at, walk.routines)?;
        match walk.routines.contracts.get(&target) {
            Some(contract) if contract.pure => None,
            _ => walk.summaries.get(&target)?.acts,
        }
    };
    let asked = functions(walk);
    let mut steps = walk.routine.steps.values();
    steps.find_map(|step| {
        let decoded = &step.decoded;
        let on_stack = matches!(
            decoded.operands[1],
            Some(Operand::MemReg(Reg::SP) | Operand::MemDisp(Reg::SP, _))
        );
        let acts = match (decoded.row.mnemonic, decoded.operands[0]) {
            ("CALLR" | "JMPR", _) => true,
            ("INT", Some(Operand::Imm { value: vector, .. })) => {
                let function = asked.get(&step.address).copied();
                let known = function.and_then(|function| service(vector as u8, function));
                known.is_none_or(|service| service.effect == Effect::Acts)
            }
            _ => decoded.row.access.stores && !on_stack || calls(step.address).is_some(),
        };
        acts.then_some(step.address)
    })
}

/// What AH surely is where a service is called.
fn functions(walk: &Walk<'_, '_>) -> HashMap<u32, u8> {
    let mut known: HashMap<u32, Option<u8>> = HashMap::new();
    for event in &walk.events {
        // AH is the one register that is read alone.
        if let Event::Read { at, by: By::Service, cells, .. } = event
            && let [(1, value)] = cells[..]
        {
            known.entry(*at).or_insert(value.constant);
        }
    }
    known.into_iter().filter_map(|(at, function)| Some((at, function?))).collect()
}
