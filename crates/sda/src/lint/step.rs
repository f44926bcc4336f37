//! What one instruction does to registers, flags and stack.

use isa::services::{Carry, Effect, service};
use isa::{Operand, Operands, Reg, View};

use super::call;
use super::value::{
    AH, AL, CARRY, Cells, Def, FIRST_FLAG, Held, Slot, State, Value, ZERO, each, flag_cells,
};
use super::walk::{By, Event, Leave, Walk};
use crate::flow::Step;

/// Bytes that PUSHA pushes.
const WORDS: [usize; 16] = [15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0];

/// Executes a step; `after` gets the states behind it, none when the path
/// ends there.
pub(super) fn execute(
    walk: &mut Walk<'_, '_>,
    step: &Step,
    mut state: State,
    after: &mut Vec<State>,
) {
    let at = step.address;
    let target = match step.decoded.operands[0] {
        Some(Operand::Reg(reg)) => Some(reg),
        _ => None,
    };
    match step.decoded.row.mnemonic {
        mnemonic @ ("RET" | "IRET" | "JMPR") => {
            if let Some(target) = target {
                walk.read(&state, at, cells(target), By::Register(target), true);
            }
            let how = match mnemonic {
                "RET" => Leave::Return,
                "IRET" => Leave::Interrupt,
                _ => Leave::Computed,
            };
            let (cells, stack) = (Box::new(state.cells), state.stack.clone());
            walk.note(|_| Event::Leave { at, how, cells, stack });
        }
        "CALL" | "BSR" => call::apply(walk, state, at, step.call, after),
        "CALLR" => {
            if let Some(target) = target {
                walk.read(&state, at, cells(target), By::Register(target), true);
            }
            call::apply(walk, state, at, None, after);
        }
        "INT" => interrupt(walk, step, state, after),
        _ => {
            straight(walk, step, &mut state);
            after.push(state);
        }
    }
}

/// Executes an instruction that the next one follows, or a jump.
fn straight(walk: &mut Walk<'_, '_>, step: &Step, state: &mut State) {
    let at = step.address;
    let reg = |n: usize| match step.decoded.operands[n] {
        Some(Operand::Reg(reg)) => Some(reg),
        _ => None,
    };
    match step.decoded.row.mnemonic {
        "MOV" => {
            if let (Some(to), Some(from)) = (reg(0), reg(1)) {
                walk.read(state, at, cells(from), By::Copy(from), true);
                copy(walk, state, at, to, from);
            }
        }
        "XCHG" => {
            if let (Some(one), Some(other)) = (reg(0), reg(1)) {
                let before = state.clone();
                walk.read(state, at, cells(one), By::Copy(one), true);
                walk.read(state, at, cells(other), By::Copy(other), true);
                place(walk, state, at, one, &values(&before, other));
                place(walk, state, at, other, &values(&before, one));
            }
        }
        "PUSH" => {
            if let Some(reg) = reg(0) {
                walk.read(state, at, cells(reg), By::Copy(reg), true);
                let held = values(state, reg);
                push(state, at, &held);
            }
        }
        "POP" => {
            if let Some(reg) = reg(0) {
                let held = pop(walk, state, at, reg.width().into());
                if reg == Reg::SP {
                    state.stack = None;
                }
                restore(walk, state, at, reg, &held);
            }
        }
        "PUSHA" => {
            // A goes first, so Z lies lowest.
            for word in WORDS.into_iter().rev() {
                let held = [2 * word, 2 * word + 1].map(|cell| Held::Byte(state.cells[cell]));
                push(state, at, &held);
            }
        }
        "POPA" => {
            for word in WORDS {
                let held = pop(walk, state, at, 2);
                if let Some(reg) = Reg::from_id(word as u8) {
                    restore(walk, state, at, reg, &held);
                }
            }
        }
        "PUSHF" => {
            let flags = std::array::from_fn(|flag| state.cells[FIRST_FLAG + flag]);
            push(state, at, &[Held::Flags(flags), Held::Other]);
        }
        "POPF" => match pop(walk, state, at, 2)[0] {
            Held::Flags(flags) => state.cells[FIRST_FLAG..].copy_from_slice(&flags),
            _ => write(walk, state, at, flag_cells(u16::MAX)),
        },
        "XOR" | "SUB" if reg(0).is_some() && reg(0) == reg(1) => {
            // Clears the register, whatever it held.
            write(walk, state, at, cells(reg(0).unwrap_or(Reg::SP)));
            for cell in each(cells(reg(0).unwrap_or(Reg::SP))) {
                state.cells[cell].constant = Some(0);
            }
            flags(walk, step, state);
        }
        _ => {
            reads(walk, step, state);
            writes(walk, step, state);
            flags(walk, step, state);
        }
    }
}

/// The cells of a register.
pub(super) fn cells(reg: Reg) -> Cells {
    reg.halves().into()
}

/// The bytes of a register, the lowest first.
pub(super) fn bytes(reg: Reg) -> Vec<usize> {
    let word = |word: u8| [2 * usize::from(word), 2 * usize::from(word) + 1];
    match reg.view() {
        View::Word(n) => word(n).to_vec(),
        View::Low(n) => vec![word(n)[0]],
        View::High(n) => vec![word(n)[1]],
        View::Pair(low, high) => [word(low), word(high)].concat(),
        View::Quad => {
            [Reg::by_name("AB"), Reg::by_name("CD")].into_iter().flatten().flat_map(bytes).collect()
        }
        View::Pointer { bank, offset } => [&word(offset)[..], &word(bank)[..1]].concat(),
        View::Sp => Vec::new(),
    }
}

fn values(state: &State, reg: Reg) -> Vec<Held> {
    if reg == Reg::SP {
        return vec![Held::Other; 3];
    }
    bytes(reg).into_iter().map(|cell| Held::Byte(state.cells[cell])).collect()
}

fn push(state: &mut State, at: u32, held: &[Held]) {
    if let Some(stack) = &mut state.stack {
        stack.extend(held.iter().rev().map(|&held| Slot { at, held }));
    }
}

/// The bytes popped, the lowest first.
fn pop(walk: &mut Walk<'_, '_>, state: &mut State, at: u32, count: usize) -> Vec<Held> {
    let Some(stack) = &mut state.stack else { return vec![Held::Other; count] };
    if stack.len() < count {
        state.stack = None;
        walk.note(|_| Event::Underflow { at });
        return vec![Held::Other; count];
    }
    let popped = stack.split_off(stack.len() - count);
    popped.into_iter().rev().map(|slot| slot.held).collect()
}

fn place(walk: &mut Walk<'_, '_>, state: &mut State, at: u32, to: Reg, held: &[Held]) {
    let view = cells(to);
    for (&cell, &held) in bytes(to).iter().zip(held) {
        state.cells[cell] = match held {
            Held::Byte(value) => {
                let defs = walk.sets.get(value.defs).to_vec();
                let moved = defs.into_iter().map(|def| match def {
                    Def::Entry(_) | Def::Left { .. } => def,
                    _ => Def::Write { at, view },
                });
                Value { defs: walk.sets.of(moved.collect()), ..value }
            }
            _ => written(walk, at, view),
        };
    }
}

fn copy(walk: &mut Walk<'_, '_>, state: &mut State, at: u32, to: Reg, from: Reg) {
    if to == Reg::SP {
        state.stack = None;
    }
    let held = values(state, from);
    overwritten(walk, state, at, cells(to));
    place(walk, state, at, to, &held);
}

/// A register gets back what was pushed.
fn restore(walk: &mut Walk<'_, '_>, state: &mut State, at: u32, reg: Reg, held: &[Held]) {
    for (&cell, &held) in bytes(reg).iter().zip(held) {
        state.cells[cell] = match held {
            Held::Byte(value) => value,
            _ => written(walk, at, cells(reg)),
        };
    }
}

fn written(walk: &mut Walk<'_, '_>, at: u32, view: Cells) -> Value {
    let defs = walk.sets.one(Def::Write { at, view });
    Value { origin: None, constant: None, defs }
}

/// Cells get a value that nothing is known about.
pub(super) fn write(walk: &mut Walk<'_, '_>, state: &mut State, at: u32, view: Cells) {
    let value = written(walk, at, view);
    for cell in each(view) {
        state.cells[cell] = value;
    }
}

fn overwritten(walk: &mut Walk<'_, '_>, state: &State, at: u32, view: Cells) {
    walk.note(|_| {
        let old = each(view).map(|cell| (cell, state.cells[cell])).collect();
        Event::Write { at, view, old }
    });
}

fn reads(walk: &mut Walk<'_, '_>, step: &Step, state: &State) {
    let (at, decoded) = (step.address, &step.decoded);
    let row = decoded.row;
    let number = matches!(decoded.operands[1], None | Some(Operand::Imm { .. }));
    for (n, operand) in decoded.operands.into_iter().flatten().enumerate() {
        let mut read = |reg: Reg, data| walk.read(state, at, cells(reg), By::Register(reg), data);
        match operand {
            Operand::Reg(reg) => {
                let written = n == 0 && row.access.operands == Operands::Written;
                let only_changed = n == 0
                    && number
                    && (row.access.operands == Operands::Updated
                        || matches!(row.mnemonic, "CMP" | "TEST"));
                if !written {
                    read(reg, !only_changed);
                }
            }
            Operand::MemReg(base) | Operand::MemDisp(base, _) => read(base, true),
            Operand::MemIndex(base, index) => {
                read(base, true);
                read(index, true);
            }
            _ => {}
        }
    }
    walk.read(state, at, row.access.reads.into(), By::Service, true);
    walk.read(state, at, flag_cells(decoded.flags_read()), By::Flag, true);
}

fn writes(walk: &mut Walk<'_, '_>, step: &Step, state: &mut State) {
    let (at, decoded) = (step.address, &step.decoded);
    let target = match decoded.operands[0] {
        Some(Operand::Reg(reg)) => Some(reg),
        _ => None,
    };
    store_to_stack(decoded.operands[1], target, decoded.row.mnemonic, state, at);
    let writes = Cells::from(decoded.writes());
    if target == Some(Reg::SP) && decoded.row.access.operands != Operands::Read {
        move_stack(walk, step, state);
        return;
    }
    let (Some(reg), true) = (target, writes != 0) else { return };
    match decoded.row.access.operands {
        Operands::Updated => {
            // What it is part of stays: an address that is moved on.
            for cell in each(writes) {
                let old = walk.sets.get(state.cells[cell].defs);
                let view = old.iter().fold(writes, |all, def| match def {
                    Def::Write { view, .. } | Def::Given { view, .. } => all | view,
                    _ => Cells::MAX,
                });
                state.cells[cell] = written(walk, at, view);
            }
        }
        _ => {
            if let Some(held) = from_stack(decoded.operands[1], decoded.row.mnemonic, reg, state) {
                restore(walk, state, at, reg, &held);
                return;
            }
            overwritten(walk, state, at, writes);
            let source = match decoded.operands[1] {
                Some(Operand::Reg(source)) => {
                    Some(state.cells[bytes(source).first().copied().unwrap_or(0)])
                }
                _ => None,
            };
            write(walk, state, at, writes);
            for (n, cell) in bytes(reg).into_iter().enumerate() {
                state.cells[cell].constant = match (decoded.row.mnemonic, decoded.operands[1]) {
                    ("LD", Some(Operand::Imm { value, .. })) => Some((value >> (8 * n)) as u8),
                    ("MOVZX", _) if n == 0 => source.and_then(|source| source.constant),
                    ("MOVZX", Some(Operand::Reg(from))) if n >= from.width().into() => Some(0),
                    _ => None,
                };
            }
        }
    }
}

/// The slots `[SP + n]` names, the lowest byte first.
fn slots(operand: Option<Operand>, width: u8, state: &State) -> Option<std::ops::Range<usize>> {
    let offset = match operand {
        Some(Operand::MemReg(Reg::SP)) => 0,
        Some(Operand::MemDisp(Reg::SP, offset)) => usize::try_from(offset).ok()?,
        _ => return None,
    };
    let depth = state.stack.as_ref()?.len();
    let top = depth.checked_sub(offset)?;
    Some(top.checked_sub(width.into())?..top)
}

fn store_to_stack(
    place: Option<Operand>,
    reg: Option<Reg>,
    mnemonic: &str,
    state: &mut State,
    at: u32,
) {
    let Some(reg) = reg.filter(|_| mnemonic == "ST") else { return };
    let Some(range) = slots(place, reg.width(), state) else { return };
    let held = values(state, reg);
    if let Some(stack) = &mut state.stack {
        for (slot, held) in stack[range].iter_mut().rev().zip(held) {
            *slot = Slot { at, held };
        }
    }
}

fn from_stack(
    place: Option<Operand>,
    mnemonic: &str,
    reg: Reg,
    state: &State,
) -> Option<Vec<Held>> {
    let range = slots(place, reg.width(), state).filter(|_| mnemonic == "LD")?;
    let stack = state.stack.as_ref()?;
    Some(stack[range].iter().rev().map(|slot| slot.held).collect())
}

/// SP is changed by an instruction that is neither push nor pop.
fn move_stack(walk: &mut Walk<'_, '_>, step: &Step, state: &mut State) {
    let (at, operands) = (step.address, step.decoded.operands);
    let up = match (step.decoded.row.mnemonic, operands[1]) {
        ("ADD", Some(Operand::Imm { value, .. })) => (value as i32) << 8 >> 8,
        ("SUB", Some(Operand::Imm { value, .. })) => -((value as i32) << 8 >> 8),
        ("LEA", Some(Operand::MemDisp(Reg::SP, offset))) => offset.into(),
        ("INC", _) => 1,
        ("DEC", _) => -1,
        _ => {
            state.stack = None;
            return;
        }
    };
    let count = up.unsigned_abs() as usize;
    if up >= 0 {
        pop(walk, state, at, count);
    } else if count > 0x400 {
        state.stack = None;
    } else {
        push(state, at, &vec![Held::Other; count]);
    }
}

fn flags(walk: &mut Walk<'_, '_>, step: &Step, state: &mut State) {
    let decoded = &step.decoded;
    let row = decoded.row;
    let written = flag_cells(decoded.flags_written());
    let constant = match row.mnemonic {
        "SETF" => (flag_cells(u16::MAX), 0),
        "CLRF" => (0, flag_cells(u16::MAX)),
        _ => (flag_cells(row.flags.set), flag_cells(row.flags.cleared)),
    };
    write(walk, state, step.address, written);
    let moves_stack = decoded.operands[0] == Some(Operand::Reg(Reg::SP));
    for cell in each(written) {
        if moves_stack {
            state.cells[cell].defs = walk.sets.one(Def::Spent { at: step.address });
        }
        let bit = 1 << cell;
        state.cells[cell].constant = match () {
            () if constant.0 & bit != 0 => Some(1),
            () if constant.1 & bit != 0 => Some(0),
            () => None,
        };
    }
}

fn interrupt(walk: &mut Walk<'_, '_>, step: &Step, mut state: State, after: &mut Vec<State>) {
    let at = step.address;
    let Some(Operand::Imm { value: vector, .. }) = step.decoded.operands[0] else { return };
    walk.read(&state, at, 1 << AH, By::Service, true);
    let known = state.cells[AH].constant.and_then(|function| service(vector as u8, function));
    let Some(service) = known else {
        return call::apply(walk, state, at, None, after);
    };
    walk.read(&state, at, service.reads.into(), By::Service, true);
    if service.effect == Effect::Exits {
        return;
    }
    let flags = match service.carry {
        Carry::Compares => 1 << CARRY | 1 << ZERO,
        Carry::Clear | Carry::Error => 1 << CARRY,
    };
    write(walk, &mut state, at, flags);
    if service.carry == Carry::Error {
        // Failed: the number is in AL, and the results may be written or not.
        let mut failed = state.clone();
        write(walk, &mut failed, at, 1 << AL);
        failed.cells[CARRY].constant = Some(1);
        after.push(failed);
    }
    write(walk, &mut state, at, service.results.into());
    if service.carry != Carry::Compares {
        state.cells[CARRY].constant = Some(0);
    }
    after.push(state);
}
