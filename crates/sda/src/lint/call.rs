//! What a call does, as far as the routine called promises or shows it.

use super::routine::Outcome;
use super::value::{CARRY, CELLS, Cells, Def, FIRST_FLAG, State, Value, each, flag_cells};
use super::walk::{By, Walk};
use crate::contract::Contract;

/// The registers that a call of an unknown routine may well change.
const USUAL: Cells = 0xFFFF_FFFF;

/// Calls `target`, or a routine that nobody knows; `after` gets the states
/// behind the call, none when it never returns.
pub(super) fn apply(
    walk: &mut Walk<'_, '_>,
    mut state: State,
    at: u32,
    target: Option<u32>,
    after: &mut Vec<State>,
) {
    let known = target.and_then(|target| Some((target, walk.summaries.get(&target)?)));
    let known = known.filter(|(_, summary)| !summary.unknown);
    let Some((target, summary)) = known else {
        unknown(walk, &mut state, at);
        after.push(state);
        return;
    };
    walk.read(&state, at, summary.inputs, By::Call(target), true);
    if !summary.returns {
        return;
    }
    let contract = walk.routines.contracts.get(&target).copied();
    let carry = summary.cells[CARRY];
    let says = contract.is_none_or(|contract| contract.returned_flags & isa::flags::C != 0);
    if !says || carry.kept || carry.undefined {
        back(walk, &mut state, at, contract, &summary.cells, &[]);
        after.push(state);
        return;
    }
    for (set, cells) in summary.by_carry.iter().enumerate() {
        if !cells.is_empty() {
            let mut state = state.clone();
            back(walk, &mut state, at, contract, cells, &summary.by_carry[1 - set]);
            state.cells[CARRY].constant = Some(set as u8);
            after.push(state);
        }
    }
}

/// Comes back from a call with these outcomes; `others` are those of the
/// returns with carry the other way.
fn back(
    walk: &mut Walk<'_, '_>,
    state: &mut State,
    at: u32,
    contract: Option<&Contract>,
    outcomes: &[Outcome],
    others: &[Outcome],
) {
    for (cell, &outcome) in outcomes.iter().enumerate() {
        // Some results are there only together with carry, or without.
        let only_there = others.get(cell).is_some_and(|other| !other.undefined);
        let result = match contract {
            Some(_) if only_there && outcome.undefined && cell < FIRST_FLAG => Result::Left,
            Some(contract) => promised(contract, cell, outcome),
            None => Result::Shown,
        };
        let view = match contract {
            Some(contract) => contract
                .returns
                .iter()
                .map(|reg| Cells::from(reg.halves()))
                .find(|halves| halves >> cell & 1 != 0)
                .unwrap_or(1 << cell),
            None => outcome.view,
        };
        state.cells[cell] = match result {
            Result::Kept => state.cells[cell],
            Result::Given => given(walk, at, view, outcome),
            Result::Left => left(walk, at, cell),
            Result::Shown => shown(walk, state.cells[cell], at, cell, outcome),
        };
    }
}

fn promised(contract: &Contract, cell: usize, outcome: Outcome) -> Result {
    let results = Cells::from(contract.results()) | flag_cells(contract.returned_flags);
    let spoken_of = cell >= FIRST_FLAG || contract.pure || contract.clobbers.is_some();
    let changed = Cells::from(contract.changed()) | flag_cells(u16::MAX);
    match () {
        () if results >> cell & 1 != 0 => Result::Given,
        () if cell >= FIRST_FLAG && outcome.kept && !outcome.other => Result::Kept,
        () if !spoken_of => Result::Shown,
        () if changed >> cell & 1 != 0 => Result::Left,
        () => Result::Kept,
    }
}

/// What a call makes of a cell.
enum Result {
    Kept,
    Given,
    Left,
    /// What the routine does to it in fact.
    Shown,
}

fn given(walk: &mut Walk<'_, '_>, at: u32, view: Cells, outcome: Outcome) -> Value {
    let defs = walk.sets.one(Def::Given { at, view });
    Value { origin: None, constant: outcome.constant, defs }
}

fn left(walk: &mut Walk<'_, '_>, at: u32, cell: usize) -> Value {
    let defs = walk.sets.one(Def::Left { at, cell: cell as u8 });
    Value { origin: None, constant: None, defs }
}

fn shown(walk: &mut Walk<'_, '_>, before: Value, at: u32, cell: usize, outcome: Outcome) -> Value {
    let mut value = given(walk, at, outcome.view, outcome);
    if outcome.undefined && cell < FIRST_FLAG {
        let left = left(walk, at, cell);
        value = value.join(left, &mut walk.sets);
    }
    match (outcome.kept, outcome.other) {
        (true, false) => before,
        (true, true) => before.join(value, &mut walk.sets),
        _ => value,
    }
}

/// Whatever it does, it is likely meant: registers may be results, or kept.
fn unknown(walk: &mut Walk<'_, '_>, state: &mut State, at: u32) {
    for cell in each(USUAL) {
        let defs = walk.sets.one(Def::Given { at, view: Cells::MAX });
        let value = Value { origin: None, constant: None, defs };
        let origin = state.cells[cell].origin;
        state.cells[cell] = state.cells[cell].join(value, &mut walk.sets);
        state.cells[cell].origin = origin;
    }
    for cell in FIRST_FLAG..CELLS {
        let defs = walk.sets.one(Def::Given { at, view: 1 << cell });
        state.cells[cell] = Value { origin: None, constant: None, defs };
    }
    state.cells[CARRY].constant = None;
}
