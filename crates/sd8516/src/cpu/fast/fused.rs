//! Operations that are several instructions: a comparison and the jump behind
//! it, a counter and the end of its loop, a byte that is loaded to be compared.
//! None can fail or write to memory, so none is left in the middle.

use crate::cpu::alu::Width;
use crate::memory::Memory;

use super::arithmetic::{Immediate, Operation, Source, Sub, counted, operated};
use super::block::{Op, Then};
use super::control::{branch, condition};
use super::core::Core;
use super::moves::{Addressing, set_loaded};

/// CMP or TEST, and a conditional jump.
pub(super) fn compare_and_jump<const W: u8, O: Operation, S: Source, const CONDITION: u8>(
    core: &mut Core,
    _: &mut Memory,
    op: &Op,
) -> Then {
    operated::<W, O, S>(core, op);
    branch::<CONDITION>(core, op)
}

/// INC or DEC, and a conditional jump.
pub(super) fn count_and_jump<const W: u8, const STEP: i64, const CONDITION: u8>(
    core: &mut Core,
    _: &mut Memory,
    op: &Op,
) -> Then {
    let value = counted::<W, STEP>(core, op);
    core.set_zn::<W>(value);
    branch::<CONDITION>(core, op)
}

/// The same where the jump leads to its own beginning: all rounds that there is
/// time for.
pub(super) fn count_down<const W: u8, const STEP: i64, const CONDITION: u8>(
    core: &mut Core,
    _: &mut Memory,
    op: &Op,
) -> Then {
    let width = Width::of_bytes(W);
    let round = u64::from(op.count - op.before);
    let mut left = core.left;
    // The time of one round is the block's to count.
    let last = u64::from(op.count);
    let mut value = core.get::<W>(op.a, op.a_bank);
    let then = loop {
        value = width.cut(value.wrapping_add(STEP as u64));
        if (value == 0) == (CONDITION == condition::NOT_ZERO) {
            break Then::Next;
        }
        if left - last < round {
            core.ip = op.target;
            break Then::Jumped;
        }
        left -= round;
    };
    core.left = left;
    core.set::<W>(op.a, op.a_bank, value);
    core.set_zn::<W>(value);
    then
}

/// INC or DEC, CMP of the same register with an immediate, and a conditional
/// jump: the end of a loop by index.
pub(super) fn count_compare_and_jump<const W: u8, const STEP: i64, const CONDITION: u8>(
    core: &mut Core,
    _: &mut Memory,
    op: &Op,
) -> Then {
    let value = counted::<W, STEP>(core, op);
    let limit = Immediate::get::<W>(core, op);
    Sub::apply::<W>(core, value, limit);
    branch::<CONDITION>(core, op)
}

/// A load and a conditional jump.
pub(super) fn load_and_jump<const W: u8, A: Addressing, const CONDITION: u8>(
    core: &mut Core,
    memory: &mut Memory,
    op: &Op,
) -> Then {
    let value = memory.get::<W>(A::address(core, op));
    set_loaded::<W, false>(core, op, value);
    branch::<CONDITION>(core, op)
}

/// A load, CMP of the same register with an immediate, which is in the upper
/// half of `imm`, and a conditional jump.
pub(super) fn load_compare_and_jump<const W: u8, A: Addressing, const CONDITION: u8>(
    core: &mut Core,
    memory: &mut Memory,
    op: &Op,
) -> Then {
    let value = memory.get::<W>(A::address(core, op));
    // The flags are those of the comparison.
    set_loaded::<W, true>(core, op, value);
    Sub::apply::<W>(core, value, op.imm >> 32);
    branch::<CONDITION>(core, op)
}
