//! Operations that move: loads, stores, registers, the stack, addresses.

use isa::memory_map::ADDRESS_MASK;

use crate::cpu::alu::Width;
use crate::cpu::stack;
use crate::memory::Memory;

use super::block::{Op, Then};
use super::core::Core;

/// A kind of memory operand.
pub(super) trait Addressing {
    /// The address.
    fn address(core: &Core, op: &Op) -> u32;
}

/// `[a]`.
pub(super) struct Absolute;
/// `[p]`.
pub(super) struct Pointer;
/// `[p + r16]`.
pub(super) struct Indexed;
/// `[p + disp16]`.
pub(super) struct Displaced;

impl Addressing for Absolute {
    #[inline(always)]
    fn address(_: &Core, op: &Op) -> u32 {
        op.imm as u32
    }
}

impl Addressing for Pointer {
    #[inline(always)]
    fn address(core: &Core, op: &Op) -> u32 {
        core.regs.far(op.b, op.b_bank)
    }
}

impl Addressing for Indexed {
    #[inline(always)]
    fn address(core: &Core, op: &Op) -> u32 {
        let index = u16::from_le_bytes(core.regs.at(op.c));
        core.regs.far(op.b, op.b_bank).wrapping_add(index.into()) & ADDRESS_MASK
    }
}

impl Addressing for Displaced {
    #[inline(always)]
    fn address(core: &Core, op: &Op) -> u32 {
        core.regs.far(op.b, op.b_bank).wrapping_add(op.imm as u32) & ADDRESS_MASK
    }
}

/// A store that may write to decoded code.
#[cold]
#[inline(never)]
fn store_slowly(memory: &mut Memory, address: u32, width: u8, value: u64) -> Then {
    if memory.store(address, width, value) { Then::Changed } else { Then::Next }
}

/// A load; `QUIET` with FLAGS.S, when no flag is set.
pub(super) fn load<const W: u8, A: Addressing, const QUIET: bool>(
    core: &mut Core,
    memory: &mut Memory,
    op: &Op,
) -> Then {
    let value = memory.get::<W>(A::address(core, op));
    set_loaded::<W, QUIET>(core, op, value);
    Then::Next
}

pub(super) fn load_immediate<const W: u8, const QUIET: bool>(
    core: &mut Core,
    _: &mut Memory,
    op: &Op,
) -> Then {
    set_loaded::<W, QUIET>(core, op, op.imm);
    Then::Next
}

/// Sets a register to what was loaded, and the flags of it.
#[inline(always)]
pub(super) fn set_loaded<const W: u8, const QUIET: bool>(core: &mut Core, op: &Op, value: u64) {
    core.set::<W>(op.a, op.a_bank, value);
    if !QUIET {
        core.set_zn::<W>(value);
    }
}

pub(super) fn store<const W: u8, A: Addressing>(
    core: &mut Core,
    memory: &mut Memory,
    op: &Op,
) -> Then {
    let value = core.get::<W>(op.a, op.a_bank);
    let address = A::address(core, op);
    if memory.put::<W>(address, value) {
        Then::Next
    } else {
        store_slowly(memory, address, W, value)
    }
}

/// MOV.
pub(super) fn copy<const W: u8>(core: &mut Core, _: &mut Memory, op: &Op) -> Then {
    let value = core.get::<W>(op.b, op.b_bank);
    core.set::<W>(op.a, op.a_bank, value);
    Then::Next
}

/// XCHG: the first operand is written first, which shows when they overlap.
pub(super) fn exchange<const W: u8>(core: &mut Core, _: &mut Memory, op: &Op) -> Then {
    let (first, second) = (core.get::<W>(op.a, op.a_bank), core.get::<W>(op.b, op.b_bank));
    core.set::<W>(op.a, op.a_bank, second);
    core.set::<W>(op.b, op.b_bank, first);
    Then::Next
}

/// LEA.
pub(super) fn address<A: Addressing>(core: &mut Core, _: &mut Memory, op: &Op) -> Then {
    let address = A::address(core, op);
    core.regs.set_far(op.a, op.a_bank, address);
    Then::Next
}

/// MOVZX from a register of `FROM` bytes.
pub(super) fn zero_extend<const W: u8, const FROM: u8>(
    core: &mut Core,
    _: &mut Memory,
    op: &Op,
) -> Then {
    let value = core.get::<FROM>(op.b, op.b_bank);
    set_loaded::<W, false>(core, op, value);
    Then::Next
}

/// MOVSX from a register of `FROM` bytes.
pub(super) fn sign_extend<const W: u8, const FROM: u8>(
    core: &mut Core,
    _: &mut Memory,
    op: &Op,
) -> Then {
    let value = Width::of_bytes(FROM).sign_extend(core.get::<FROM>(op.b, op.b_bank));
    set_loaded::<W, false>(core, op, value);
    Then::Next
}

pub(super) fn push<const W: u8>(core: &mut Core, memory: &mut Memory, op: &Op) -> Then {
    let value = core.get::<W>(op.a, op.a_bank);
    push_value::<W>(core, memory, value)
}

/// PUSHF.
pub(super) fn push_flags(core: &mut Core, memory: &mut Memory, _: &Op) -> Then {
    let flags = core.flags();
    push_value::<2>(core, memory, flags.into())
}

#[inline(always)]
pub(super) fn push_value<const W: u8>(core: &mut Core, memory: &mut Memory, value: u64) -> Then {
    let Ok(sp) = stack::pushed(core.regs.sp(), W) else { return Then::Plain };
    core.regs.set_sp(sp);
    if memory.put::<W>(sp, value) { Then::Next } else { store_slowly(memory, sp, W, value) }
}

/// POP of anything but SP.
pub(super) fn pop<const W: u8>(core: &mut Core, memory: &mut Memory, op: &Op) -> Then {
    let sp = core.regs.sp();
    let Ok(after) = stack::popped(sp, W) else { return Then::Plain };
    let value = memory.get::<W>(sp);
    core.regs.set_sp(after);
    core.set::<W>(op.a, op.a_bank, value);
    Then::Next
}

/// POPF; Z and N at once are the plain CPU's.
pub(super) fn pop_flags(core: &mut Core, memory: &mut Memory, _: &Op) -> Then {
    let sp = core.regs.sp();
    let Ok(after) = stack::popped(sp, 2) else { return Then::Plain };
    let flags = stack::with_writable(core.flags(), u16::MAX, memory.get::<2>(sp) as u16);
    if !core.set_flags(flags) {
        return Then::Plain;
    }
    core.regs.set_sp(after);
    Then::Next
}

/// PUSHA.
pub(super) fn push_all(core: &mut Core, memory: &mut Memory, _: &Op) -> Then {
    let Ok(sp) = stack::pushed(core.regs.sp(), stack::ALL) else { return Then::Plain };
    let mut is_code = false;
    for (at, word) in (sp..).step_by(2).zip(core.regs.words().into_iter().rev()) {
        is_code |= memory.store(at, 2, word.into());
    }
    core.regs.set_sp(sp);
    if is_code { Then::Changed } else { Then::Next }
}

/// POPA.
pub(super) fn pop_all(core: &mut Core, memory: &mut Memory, _: &Op) -> Then {
    let sp = core.regs.sp();
    let Ok(after) = stack::popped(sp, stack::ALL) else { return Then::Plain };
    for (at, number) in (sp..).step_by(2).zip((0..16).rev()) {
        core.regs.set_word(number, memory.get::<2>(at) as u16);
    }
    core.regs.set_sp(after);
    Then::Next
}

/// NOP.
pub(super) fn nothing(_: &mut Core, _: &mut Memory, _: &Op) -> Then {
    Then::Next
}
