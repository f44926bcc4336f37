//! One routine followed along all its paths at once: what every register,
//! flag and byte of the stack may hold before each instruction, and the
//! events that the checks judge.
//!
//! Paths on which carry is known to be clear, or set, are kept apart: so a
//! result that a routine gives only together with carry is one only there.

use std::collections::{BTreeMap, BTreeSet};

use isa::Reg;
use rustc_hash::{FxHashMap, FxHashSet};

use super::call;
use super::routine::{Routine, Routines, Summary};
use super::step;
use super::value::{CARRY, CELLS, Cells, Def, Sets, Slot, State, Value, ZERO};
use crate::flow::Step;

/// Who reads cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum By {
    /// An operand, as a number or an address.
    Register(Reg),
    /// The operand of MOV, XCHG or PUSH: a copy is no use yet.
    Copy(Reg),
    /// A conditional jump, an addition with carry, and the like.
    Flag,
    /// A service of the BIOS.
    Service,
    /// The routine called.
    Call(u32),
}

/// What the checks want to know.
#[derive(Clone, Debug)]
pub(super) enum Event {
    /// Cells are read. `data` is false for what only changes or compares a
    /// register with a number.
    Read { at: u32, by: By, data: bool, cells: Vec<(usize, Value)> },
    /// A register is loaded over what it held.
    Write { at: u32, view: Cells, old: Vec<(usize, Value)> },
    /// A path leaves the routine.
    Leave { at: u32, how: Leave, cells: Box<[Value; CELLS]>, stack: Option<Vec<Slot>> },
    /// A path goes on in a routine that never returns.
    Gone { at: u32, to: u32, stack: Option<Vec<Slot>> },
    /// More is popped than was pushed.
    Underflow { at: u32 },
    /// Two paths meet with different amounts on the stack.
    Uneven { to: u32, one: u32, other: u32, pushed: u32 },
}

/// How a path leaves a routine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Leave {
    /// RET.
    Return,
    /// IRET.
    Interrupt,
    /// A jump to another routine, or running on into it.
    Tail(u32),
    /// A jump to an address in a register.
    Computed,
}

/// One state for each thing that carry is known to be.
type States = BTreeMap<Option<u8>, State>;

/// The walk through one routine.
pub(super) struct Walk<'r, 'a> {
    pub routine: &'r Routine,
    pub routines: &'r Routines<'a>,
    pub summaries: &'r BTreeMap<u32, Summary>,
    pub sets: Sets,
    pub events: Vec<Event>,
    starts: BTreeSet<u32>,
    ins: BTreeMap<u32, Start>,
    /// Blocks to be looked at again, by their rank.
    waiting: BTreeSet<(usize, u32)>,
    /// Each block behind those that lead to it, as far as loops allow: so
    /// that most have to be looked at only a few times.
    ranks: FxHashMap<u32, usize>,
    /// Where two come from, and what is on one of their stacks.
    uneven: BTreeMap<u32, (u32, u32, u32)>,
    recording: bool,
    /// Instructions that may still be looked at; without any the routine is
    /// given up.
    left: usize,
    /// Those that were looked at.
    pub used: usize,
}

/// The start of a block.
struct Start {
    states: States,
    /// Where the first path to it came from.
    from: u32,
    /// Times that another path changed the states.
    changes: usize,
}

/// Changes of one block's states before their sets are widened; the loops
/// that people write need fewer.
const MOST_CHANGES: usize = 8;

/// Instructions that may be looked at before a routine is given up: so many
/// whatever its size, and so many for each of its own. What people write
/// needs a few for each.
const MOST_VISITS: (usize, usize) = (1000, 64);

impl<'r, 'a> Walk<'r, 'a> {
    /// Follows `routine` until nothing changes, then records what happens;
    /// at most `most` instructions are looked at.
    pub fn through(
        routine: &'r Routine,
        routines: &'r Routines<'a>,
        summaries: &'r BTreeMap<u32, Summary>,
        most: usize,
    ) -> Walk<'r, 'a> {
        let (always, for_each) = MOST_VISITS;
        let mut starts: BTreeSet<u32> =
            routine.steps.values().flat_map(|step| step.jumps.iter().copied()).collect();
        starts.insert(routine.entry);
        let mut walk = Walk {
            routine,
            routines,
            summaries,
            sets: Sets::default(),
            events: Vec::new(),
            starts,
            ins: BTreeMap::new(),
            waiting: BTreeSet::new(),
            ranks: FxHashMap::default(),
            uneven: BTreeMap::new(),
            recording: false,
            left: most.min(always + for_each * routine.steps.len()),
            used: 0,
        };
        walk.ranks = walk.ranked();
        walk.wait_for(routine.entry);
        let entry = State::entry(&mut walk.sets);
        let states = States::from([(None, entry)]);
        walk.ins.insert(routine.entry, Start { states, from: routine.entry, changes: 0 });
        while let Some((_, start)) = walk.waiting.pop_first() {
            walk.block(start);
        }
        if walk.is_given_up() {
            return walk;
        }
        walk.recording = true;
        let starts: Vec<u32> = walk.ins.keys().copied().collect();
        for start in starts {
            walk.block(start);
        }
        for (&to, &(one, other, pushed)) in &walk.uneven {
            walk.events.push(Event::Uneven { to, one, other, pushed });
        }
        walk
    }

    /// Whether its paths are too tangled: nothing is known of it, then.
    pub fn is_given_up(&self) -> bool {
        self.left == 0
    }

    /// Who reads which cells where, and where what is read may come from;
    /// copies left out.
    pub fn reads(&self) -> BTreeMap<(u32, By), BTreeMap<usize, BTreeSet<Def>>> {
        let mut all: BTreeMap<(u32, By), BTreeMap<usize, BTreeSet<Def>>> = BTreeMap::new();
        for event in &self.events {
            let Event::Read { at, by, cells, .. } = event else { continue };
            if matches!(by, By::Copy(_)) {
                continue;
            }
            let read = all.entry((*at, *by)).or_default();
            for &(cell, value) in cells {
                read.entry(cell).or_default().extend(self.sets.get(value.defs));
            }
        }
        all
    }

    /// Notes an event, once the states are settled.
    pub fn note(&mut self, event: impl FnOnce(&mut Self) -> Event) {
        if self.recording {
            let event = event(self);
            self.events.push(event);
        }
    }

    /// Notes that cells are read.
    pub fn read(&mut self, state: &State, at: u32, cells: Cells, by: By, data: bool) {
        if cells != 0 {
            self.note(|_| {
                let cells = super::value::each(cells).map(|cell| (cell, state.cells[cell]));
                Event::Read { at, by, data, cells: cells.collect() }
            });
        }
    }

    /// The blocks in reverse postorder.
    fn ranked(&self) -> FxHashMap<u32, usize> {
        let mut order = Vec::new();
        let mut met = FxHashSet::from_iter([self.routine.entry]);
        let mut open = vec![(self.routine.entry, self.leads_to(self.routine.entry))];
        while let Some((start, left)) = open.last_mut() {
            match left.pop() {
                Some(next) if met.insert(next) => open.push((next, self.leads_to(next))),
                Some(_) => {}
                None => {
                    order.push(*start);
                    open.pop();
                }
            }
        }
        order.into_iter().rev().enumerate().map(|(rank, start)| (start, rank)).collect()
    }

    /// The blocks that the one at `start` leads to.
    fn leads_to(&self, start: u32) -> Vec<u32> {
        let mut found = Vec::new();
        let mut at = start;
        while let Some(step) = self.routine.steps.get(&at) {
            found.extend(&step.jumps);
            let next = step.next();
            if step.falls && (self.is_elsewhere(next) || self.starts.contains(&next)) {
                found.push(next);
            }
            if found.last() == Some(&next) || !step.falls {
                break;
            }
            at = next;
        }
        found.retain(|&to| !self.is_elsewhere(to) && self.routine.steps.contains_key(&to));
        found
    }

    fn wait_for(&mut self, start: u32) {
        let rank = self.ranks.get(&start).copied().unwrap_or(usize::MAX);
        self.waiting.insert((rank, start));
    }

    fn block(&mut self, start: u32) {
        let Some(Start { states, .. }) = self.ins.get(&start) else { return };
        let (mut states, mut at) = (states.clone(), start);
        let routine = self.routine;
        while let Some(step) = routine.steps.get(&at) {
            if !self.recording {
                let cost = |state: &State| 1 + state.stack.as_ref().map_or(0, Vec::len) / 8;
                let cost: usize = states.values().map(cost).sum();
                let cost = cost.min(self.left);
                self.used += cost;
                self.left -= cost;
                if self.left == 0 {
                    self.waiting.clear();
                    return;
                }
            }
            let mut after = Vec::new();
            for (_, state) in std::mem::take(&mut states) {
                step::execute(self, step, state, &mut after);
            }
            for state in after {
                self.merge(&mut states, state, step.address);
            }
            for &to in &step.jumps {
                for state in states.values() {
                    if let Some(taken) = self.choose(step, state, true) {
                        self.go(at, to, taken);
                    }
                }
            }
            if !step.falls || states.is_empty() {
                return;
            }
            let before = std::mem::take(&mut states);
            for state in before.values() {
                if let Some(state) = self.choose(step, state, false) {
                    self.merge(&mut states, state, step.address);
                }
            }
            let next = step.next();
            if self.is_elsewhere(next) || self.starts.contains(&next) {
                for state in states.into_values() {
                    self.go(at, next, state);
                }
                return;
            }
            at = next;
        }
    }

    /// Adds a state to those for the next instruction.
    fn merge(&mut self, states: &mut States, state: State, at: u32) {
        let key = state.cells[CARRY].constant;
        match states.get_mut(&key) {
            None => {
                states.insert(key, state);
            }
            Some(known) => {
                let (_, uneven) = known.join(&state, &mut self.sets, false);
                if let Some(pushed) = uneven {
                    self.uneven.entry(at).or_insert((at, at, pushed));
                }
            }
        }
    }

    fn is_elsewhere(&self, to: u32) -> bool {
        to != self.routine.entry && self.routines.bounds.contains(&to)
    }

    /// A path comes from `at` to `to`.
    fn go(&mut self, at: u32, to: u32, state: State) {
        if self.is_elsewhere(to) {
            let stack = state.stack.clone();
            let mut after = Vec::new();
            // A call that runs on into another routine is two at one place.
            let calls = self.routine.steps.get(&at).is_some_and(|step| step.call.is_some());
            call::apply(self, state, if calls { to } else { at }, Some(to), &mut after);
            if after.is_empty() {
                self.note(|_| Event::Gone { at, to, stack: stack.clone() });
            }
            for state in after {
                let (cells, stack) = (Box::new(state.cells), stack.clone());
                self.note(|_| Event::Leave { at, how: Leave::Tail(to), cells, stack });
            }
            return;
        }
        if self.recording || !self.routine.steps.contains_key(&to) {
            return;
        }
        let key = state.cells[CARRY].constant;
        let new = || Start { states: States::new(), from: at, changes: 0 };
        let start = self.ins.entry(to).or_insert_with(new);
        let changed = match start.states.get_mut(&key) {
            None => {
                start.states.insert(key, state);
                true
            }
            Some(known) => {
                let widen = start.changes >= MOST_CHANGES;
                let (changed, uneven) = known.join(&state, &mut self.sets, widen);
                if let Some(pushed) = uneven {
                    self.uneven.entry(to).or_insert((start.from, at, pushed));
                }
                changed
            }
        };
        if changed {
            start.changes += 1;
            self.wait_for(to);
        }
    }

    /// The state on one of the two ways of a conditional jump; `None` when no
    /// path goes there.
    fn choose(&mut self, step: &Step, state: &State, taken: bool) -> Option<State> {
        let mut state = state.clone();
        let (flag, when) = match step.decoded.row.mnemonic {
            "JC" | "BC" => (CARRY, true),
            "JNC" | "BNC" => (CARRY, false),
            "JZ" | "BZ" => (ZERO, true),
            "JNZ" | "BNZ" => (ZERO, false),
            "JN" | "BN" | "JNN" | "BNN" => (ZERO + 1, true),
            _ => return Some(state),
        };
        let set = when == taken;
        if flag == CARRY {
            let known = &mut state.cells[CARRY].constant;
            if known.is_some_and(|known| known != u8::from(set)) {
                return None;
            }
            *known = Some(set.into());
            return Some(state);
        }
        let carry = state.cells[CARRY];
        let tested = self.sets.get(state.cells[flag].defs);
        let [Def::Write { at, .. }] = *tested else { return Some(state) };
        let same =
            matches!(*self.sets.get(carry.defs), [Def::Write { at: other, .. }] if other == at);
        if !same || carry.constant.is_some() {
            return Some(state);
        }
        let compares = self
            .routine
            .steps
            .get(&at)
            .is_some_and(|step| matches!(step.decoded.row.mnemonic, "CMP" | "SUB"));
        if flag == ZERO && set && compares {
            state.cells[CARRY].constant = Some(1); // equal: no borrow
        } else if compares || flag == ZERO {
            state.cells[CARRY].defs = self.sets.one(Def::Spent { at });
        }
        Some(state)
    }
}
