//! Decoding: from the bytes of memory to a block of operations. Which function
//! executes an instruction is chosen in `select`.

use isa::memory_map::ADDRESS_MASK;
use isa::{Decoded, Instruction, MAX_LENGTH, Operand};

use crate::code_watch;
use crate::cpu::registers::Place;
use crate::memory::Memory;

use super::block::{Block, LONGEST, Op, key};
use super::control;
use super::fuse::{as_loop, fuse};
use super::select::{Selected, select};

/// What an instruction means for the block that it stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// The next instruction follows.
    Plain,
    /// A jump that may not be taken: the block goes on behind it.
    Branch,
    /// A jump to a fixed place: the block goes on there, or ends.
    Goto,
    /// A call of a fixed place, likewise.
    Call,
    /// A return, which leads back into the block when that has followed the
    /// call.
    Return,
    /// The block ends: it jumps.
    Jump,
    /// The block ends, since FLAGS.S or FLAGS.I may have changed.
    Mode,
}

/// An operation with what decoding has to know of it.
#[derive(Clone, Copy)]
pub(super) struct Item {
    pub(super) op: Op,
    /// Its instruction, the first one of several. None when it has been fused
    /// to what fuses no further.
    pub(super) row: Option<&'static Instruction>,
    /// Bytes of its first operand.
    pub(super) width: u8,
    /// The condition of the jump that has been fused to it, or 0.
    pub(super) jump: u8,
}

/// Decodes from `ip` on, in the mode of flags that FLAGS has, and has the
/// bytes watched. `shunned` says of a line whether its code isn't to be
/// decoded, `is_seam` of an address whether a block that hasn't jumped is to end
/// before it. No operations: the plain CPU has to execute the first instruction.
/// Also whether the block leaves a seam: it hasn't jumped and would have become
/// too long. (The rounds of a short loop lie in one block, each beginning where
/// the last one ended; seams would cut all of them to pieces.)
pub(super) fn decode(
    memory: &mut Memory,
    ip: u32,
    flags: u16,
    shunned: impl Fn(u32) -> bool,
    is_seam: impl Fn(u32) -> bool,
) -> (Block, bool) {
    let quiet = flags & isa::flags::S != 0;
    let mut items: Vec<Item> = Vec::new();
    let mut lines: Vec<u16> = Vec::new();
    // Where the calls that were followed should return to.
    let mut returns: Vec<u32> = Vec::new();
    let mut at = ip;
    let mut count = 0;
    let mut ends_in_control = false;
    let mut is_straight = true;
    while count < LONGEST && !(count > 0 && is_straight && is_seam(at)) {
        let Some(decoded) = instruction(memory, at) else { break };
        let length = u32::from(decoded.length);
        let both = [at, at.wrapping_add(length - 1)].map(code_watch::line);
        if both.into_iter().any(&shunned) {
            break;
        }
        let mut op = operands(&decoded, at, count as u8);
        let Some(Selected { run, kind }) = select(&decoded, &mut op, quiet) else { break };
        op.run = run;
        memory.code.watch(at, length);
        for line in both.map(|line| line as u16) {
            if !lines.contains(&line) {
                lines.push(line);
            }
        }
        count += 1;
        ends_in_control = decoded.row.control;
        let may_follow = count < LONGEST && op.target != ip;
        let follows = match kind {
            Kind::Plain | Kind::Branch => true,
            Kind::Goto => may_follow,
            Kind::Call if may_follow => {
                returns.push(op.next);
                (op.imm, op.next) = (op.next.into(), op.target);
                op.run = control::call_on;
                true
            }
            Kind::Return if count < LONGEST && !returns.is_empty() => {
                op.next = returns.pop().unwrap_or_default();
                op.run = control::ret_on;
                true
            }
            Kind::Call | Kind::Return | Kind::Jump | Kind::Mode => false,
        };
        if kind == Kind::Goto {
            // Nothing is left of it but its unit.
            at = op.target;
        } else {
            at = op.next;
            let (row, width) = (Some(decoded.row), first_width(&decoded));
            push(&mut items, Item { op, row, width, jump: 0 }, quiet);
        }
        if !follows {
            break;
        }
        is_straight &= matches!(kind, Kind::Plain | Kind::Branch);
        if let Some(last) = items.last_mut()
            && let Some(op) = as_loop(last)
        {
            last.op = op;
            break;
        }
    }
    let ops = items.into_iter().map(|item| item.op).collect();
    let block = Block::new(key(ip, flags), count as u64, ops, (at, ends_in_control), lines.into());
    (block, is_straight && count == LONGEST)
}

/// Appends an operation, or makes one of it and the last ones.
fn push(items: &mut Vec<Item>, item: Item, quiet: bool) {
    match items.last().filter(|_| !quiet).and_then(|last| fuse(last, &item)) {
        Some(fused) => {
            items.pop();
            push(items, fused, quiet);
        }
        None => items.push(item),
    }
}

/// The instruction at an address, if it is one.
fn instruction(memory: &Memory, at: u32) -> Option<Decoded> {
    let bytes: [u8; MAX_LENGTH] =
        std::array::from_fn(|offset| memory.byte(at.wrapping_add(offset as u32)));
    isa::decode(&bytes).ok()
}

fn first_width(decoded: &Decoded) -> u8 {
    match decoded.operands[0] {
        Some(Operand::Reg(reg)) => reg.width(),
        _ => 0,
    }
}

/// An operation with the operands of an instruction, and nothing to run yet.
fn operands(decoded: &Decoded, at: u32, before: u8) -> Op {
    let next = at.wrapping_add(decoded.length.into()) & ADDRESS_MASK;
    let mut op = Op {
        run: super::moves::nothing,
        imm: 0,
        target: 0,
        next,
        at,
        a: 0,
        a_bank: 0,
        b: 0,
        b_bank: 0,
        c: 0,
        before,
        count: before + 1,
        is_control: decoded.row.control,
        is_count: false,
    };
    for (number, operand) in decoded.operands.iter().flatten().enumerate() {
        match *operand {
            Operand::Reg(reg) if number == 0 => {
                let place = Place::of(reg);
                (op.a, op.a_bank) = (place.low, place.bank);
            }
            Operand::Reg(reg) | Operand::MemReg(reg) => base(&mut op, Place::of(reg)),
            Operand::Imm { value, .. } => op.imm = value,
            Operand::Addr(address) => op.target = address,
            Operand::Rel(offset) => {
                op.target = next.wrapping_add_signed(offset.into()) & ADDRESS_MASK;
            }
            Operand::MemAbs(address) => op.imm = address.into(),
            Operand::MemIndex(reg, index) => {
                base(&mut op, Place::of(reg));
                op.c = Place::of(index).low;
            }
            Operand::MemDisp(reg, offset) => {
                base(&mut op, Place::of(reg));
                // Only 24 bits of the sum count; the upper half stays free.
                op.imm = u64::from(i32::from(offset) as u32);
            }
        }
    }
    op
}

fn base(op: &mut Op, place: Place) {
    (op.b, op.b_bank) = (place.low, place.bank);
}
