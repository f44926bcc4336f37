//! Operations that jump, call, return or write FLAGS by name.

use isa::memory_map::ADDRESS_MASK;

use crate::cpu::stack;
use crate::memory::Memory;

use super::block::{Op, Then};
use super::core::Core;
use super::moves::push_value;

/// What a conditional jump asks, in the order of the opcodes.
pub(super) mod condition {
    pub(in super::super) const ZERO: u8 = 1;
    pub(in super::super) const NOT_ZERO: u8 = 2;
    pub(in super::super) const CARRY: u8 = 3;
    pub(in super::super) const NO_CARRY: u8 = 4;
    pub(in super::super) const NEGATIVE: u8 = 5;
    pub(in super::super) const NOT_NEGATIVE: u8 = 6;
    pub(in super::super) const OVERFLOW: u8 = 7;
    pub(in super::super) const NO_OVERFLOW: u8 = 8;
}

#[inline(always)]
fn holds<const CONDITION: u8>(core: &Core) -> bool {
    match CONDITION {
        condition::ZERO => core.result == 0,
        condition::NOT_ZERO => core.result != 0,
        condition::CARRY => core.carry,
        condition::NO_CARRY => !core.carry,
        condition::NEGATIVE => core.result < 0,
        condition::NOT_NEGATIVE => core.result >= 0,
        condition::OVERFLOW => core.overflow,
        _ => !core.overflow,
    }
}

#[inline(always)]
pub(super) fn jump_to(core: &mut Core, target: u32) -> Then {
    core.ip = target;
    Then::Jumped
}

/// A conditional jump or branch.
pub(super) fn jump_if<const CONDITION: u8>(core: &mut Core, _: &mut Memory, op: &Op) -> Then {
    branch::<CONDITION>(core, op)
}

/// The end of an operation that includes one.
#[inline(always)]
pub(super) fn branch<const CONDITION: u8>(core: &mut Core, op: &Op) -> Then {
    if holds::<CONDITION>(core) { jump_to(core, op.target) } else { Then::Next }
}

/// JMPR.
pub(super) fn jump_to_register(core: &mut Core, _: &mut Memory, op: &Op) -> Then {
    let target = core.regs.far(op.a, op.a_bank);
    jump_to(core, target)
}

/// JTAB: `imm` is the table's address and, above it, the number of entries.
pub(super) fn jump_by_table(core: &mut Core, memory: &mut Memory, op: &Op) -> Then {
    let index = u16::from_le_bytes(core.regs.at(op.a));
    let target = if u64::from(index) < op.imm >> 32 {
        memory.get::<3>((op.imm as u32).wrapping_add(3 * u32::from(index))) as u32
    } else {
        op.next
    };
    jump_to(core, target)
}

/// CALL and BSR that are followed: `next` is the routine, in which the block
/// goes on, `imm` the address to return to.
pub(super) fn call_on(core: &mut Core, memory: &mut Memory, op: &Op) -> Then {
    core.ip = op.next;
    match push_value::<3>(core, memory, op.imm) {
        Then::Changed => Then::JumpedChanged,
        then => then,
    }
}

/// CALL and BSR.
pub(super) fn call(core: &mut Core, memory: &mut Memory, op: &Op) -> Then {
    call_to(core, memory, op, op.target)
}

/// CALLR.
pub(super) fn call_register(core: &mut Core, memory: &mut Memory, op: &Op) -> Then {
    let target = core.regs.far(op.a, op.a_bank);
    call_to(core, memory, op, target)
}

#[inline(always)]
fn call_to(core: &mut Core, memory: &mut Memory, op: &Op, target: u32) -> Then {
    let then = match push_value::<3>(core, memory, op.next.into()) {
        Then::Next => Then::Jumped,
        Then::Changed => Then::JumpedChanged,
        then => return then,
    };
    core.ip = target;
    then
}

/// RET.
pub(super) fn ret(core: &mut Core, memory: &mut Memory, _: &Op) -> Then {
    let sp = core.regs.sp();
    let Ok(after) = stack::popped(sp, 3) else { return Then::Plain };
    core.regs.set_sp(after);
    let target = memory.get::<3>(sp) as u32;
    jump_to(core, target)
}

/// RET from a routine that the block has followed: `next` is where it should
/// return to, and the block goes on there if it does.
pub(super) fn ret_on(core: &mut Core, memory: &mut Memory, op: &Op) -> Then {
    match ret(core, memory, op) {
        Then::Jumped if core.ip == op.next => Then::Next,
        then => then,
    }
}

/// IRET; Z and N at once are the plain CPU's.
pub(super) fn iret(core: &mut Core, memory: &mut Memory, _: &Op) -> Then {
    let sp = core.regs.sp();
    let Ok(after) = stack::popped(sp, 5) else { return Then::Plain };
    let flags = stack::with_writable(core.flags(), u16::MAX, memory.get::<2>(sp) as u16);
    if !core.set_flags(flags) {
        return Then::Plain;
    }
    core.regs.set_sp(after);
    let target = memory.get::<3>(sp.wrapping_add(2) & ADDRESS_MASK) as u32;
    jump_to(core, target)
}

/// SETF, CLRF and the instructions for one bit: `imm` is the mask and, above
/// it, the value.
pub(super) fn write_flags(core: &mut Core, _: &mut Memory, op: &Op) -> Then {
    let flags = stack::with_writable(core.flags(), op.imm as u16, (op.imm >> 32) as u16);
    if core.set_flags(flags) { Then::Next } else { Then::Plain }
}

/// SETF and CLRF of C alone, with which routines answer.
pub(super) fn write_carry<const ON: bool>(core: &mut Core, _: &mut Memory, _: &Op) -> Then {
    core.carry = ON;
    Then::Next
}

/// TESTF.
pub(super) fn test_flags(core: &mut Core, _: &mut Memory, op: &Op) -> Then {
    let (flags, mask) = (core.flags(), op.imm as u16);
    // Z without N, or neither.
    core.result = i64::from(flags & mask != 0);
    core.carry = flags & mask == mask;
    Then::Next
}
