//! Operations that compute: arithmetic, logic, comparisons, shifts. What they
//! compute is the plain CPU's, but for addition and subtraction.

use crate::cpu::alu::{self, Width};
use crate::cpu::shift::{self, Shift};
use crate::memory::Memory;

use super::block::{Op, Then};
use super::core::Core;

/// What two operands become; flags are set.
pub(super) trait Operation {
    fn apply<const W: u8>(core: &mut Core, a: u64, b: u64) -> u64;
}

/// Where the second operand is.
pub(super) trait Source {
    fn get<const W: u8>(core: &Core, op: &Op) -> u64;
}

/// In a register.
pub(super) struct Register;
/// In the instruction.
pub(super) struct Immediate;

impl Source for Register {
    #[inline(always)]
    fn get<const W: u8>(core: &Core, op: &Op) -> u64 {
        core.get::<W>(op.b, op.b_bank)
    }
}

impl Source for Immediate {
    #[inline(always)]
    fn get<const W: u8>(_: &Core, op: &Op) -> u64 {
        op.imm
    }
}

pub(super) struct Add;
pub(super) struct Sub;

impl Operation for Add {
    #[inline(always)]
    fn apply<const W: u8>(core: &mut Core, a: u64, b: u64) -> u64 {
        let width = Width::of_bytes(W);
        let result = width.cut(a.wrapping_add(b));
        core.set_zn::<W>(result);
        core.carry = result < a;
        core.overflow = width.top((a ^ result) & (b ^ result));
        result
    }
}

impl Operation for Sub {
    #[inline(always)]
    fn apply<const W: u8>(core: &mut Core, a: u64, b: u64) -> u64 {
        let width = Width::of_bytes(W);
        let result = width.cut(a.wrapping_sub(b));
        core.set_zn::<W>(result);
        core.carry = a >= b;
        core.overflow = width.top((a ^ b) & (a ^ result));
        result
    }
}

/// Operations that are the plain CPU's.
macro_rules! operations {
    ($($name:ident = |$flags:ident, $a:ident, $b:ident, $width:ident| $result:expr;)*) => {$(
        pub(super) struct $name;

        impl Operation for $name {
            #[inline(always)]
            fn apply<const W: u8>(core: &mut Core, $a: u64, $b: u64) -> u64 {
                core.with_flags::<W>(|$flags, $width| $result)
            }
        }
    )*};
}

operations! {
    Mul = |flags, a, b, width| alu::mul(flags, a, b, width);
    Div = |flags, a, b, width| alu::div(flags, a, b, width);
    Mod = |flags, a, b, width| alu::rem(flags, a, b, width);
    AddCarry = |flags, a, b, width| alu::add(flags, a, b, *flags & isa::flags::C != 0, width);
    SubCarry = |flags, a, b, width| alu::sub(flags, a, b, *flags & isa::flags::C != 0, width);
    And = |flags, a, b, width| alu::logic(flags, a & b, width);
    Or = |flags, a, b, width| alu::logic(flags, a | b, width);
    Xor = |flags, a, b, width| alu::logic(flags, a ^ b, width);
}

pub(super) fn binary<const W: u8, O: Operation, S: Source>(
    core: &mut Core,
    _: &mut Memory,
    op: &Op,
) -> Then {
    let result = operated::<W, O, S>(core, op);
    core.set::<W>(op.a, op.a_bank, result);
    Then::Next
}

/// CMP and TEST: only the flags are kept.
pub(super) fn compare<const W: u8, O: Operation, S: Source>(
    core: &mut Core,
    _: &mut Memory,
    op: &Op,
) -> Then {
    operated::<W, O, S>(core, op);
    Then::Next
}

/// What an operation makes of its two operands; flags are set, no register.
#[inline(always)]
pub(super) fn operated<const W: u8, O: Operation, S: Source>(core: &mut Core, op: &Op) -> u64 {
    let (a, b) = (core.get::<W>(op.a, op.a_bank), S::get::<W>(core, op));
    O::apply::<W>(core, a, b)
}

/// INC (`STEP` 1) and DEC (−1): C and V are kept; with FLAGS.S, `QUIET`, all.
pub(super) fn count<const W: u8, const STEP: i64, const QUIET: bool>(
    core: &mut Core,
    _: &mut Memory,
    op: &Op,
) -> Then {
    let value = counted::<W, STEP>(core, op);
    if !QUIET {
        core.set_zn::<W>(value);
    }
    Then::Next
}

/// What a register becomes when it is counted; flags aren't set.
#[inline(always)]
pub(super) fn counted<const W: u8, const STEP: i64>(core: &mut Core, op: &Op) -> u64 {
    let value = core.get::<W>(op.a, op.a_bank).wrapping_add(STEP as u64);
    let value = Width::of_bytes(W).cut(value);
    core.set::<W>(op.a, op.a_bank, value);
    value
}

/// An operation on one register.
#[inline(always)]
fn unary<const W: u8>(
    core: &mut Core,
    op: &Op,
    operation: impl FnOnce(&mut u16, u64, Width) -> u64,
) -> Then {
    let a = core.get::<W>(op.a, op.a_bank);
    let result = core.with_flags::<W>(|flags, width| operation(flags, a, width));
    core.set::<W>(op.a, op.a_bank, result);
    Then::Next
}

pub(super) fn negate<const W: u8>(core: &mut Core, _: &mut Memory, op: &Op) -> Then {
    unary::<W>(core, op, |flags, a, width| alu::sub(flags, 0, a, true, width))
}

pub(super) fn invert<const W: u8>(core: &mut Core, _: &mut Memory, op: &Op) -> Then {
    unary::<W>(core, op, |flags, a, width| alu::logic(flags, !a, width))
}

/// RCL.
pub(super) fn through_carry_left<const W: u8>(core: &mut Core, _: &mut Memory, op: &Op) -> Then {
    unary::<W>(core, op, shift::through_carry_left)
}

/// RCR.
pub(super) fn through_carry_right<const W: u8>(core: &mut Core, _: &mut Memory, op: &Op) -> Then {
    unary::<W>(core, op, shift::through_carry_right)
}

/// A kind of shift.
pub(super) trait Direction {
    const SHIFT: Shift;
}

pub(super) struct Left;
pub(super) struct Right;
pub(super) struct Arithmetic;
pub(super) struct RotateLeft;
pub(super) struct RotateRight;

impl Direction for Left {
    const SHIFT: Shift = Shift::Left;
}
impl Direction for Right {
    const SHIFT: Shift = Shift::Right;
}
impl Direction for Arithmetic {
    const SHIFT: Shift = Shift::Arithmetic;
}
impl Direction for RotateLeft {
    const SHIFT: Shift = Shift::RotateLeft;
}
impl Direction for RotateRight {
    const SHIFT: Shift = Shift::RotateRight;
}

/// Shifts by one.
pub(super) fn shift_once<const W: u8, D: Direction>(
    core: &mut Core,
    _: &mut Memory,
    op: &Op,
) -> Then {
    unary::<W>(core, op, |flags, a, width| shift::shift(flags, a, 1, D::SHIFT, width))
}

/// Shifts by the immediate.
pub(super) fn shift_by<const W: u8, D: Direction>(
    core: &mut Core,
    _: &mut Memory,
    op: &Op,
) -> Then {
    shifted::<W, D>(core, op, op.imm as u8)
}

/// Shifts by a byte register.
pub(super) fn shift_by_register<const W: u8, D: Direction>(
    core: &mut Core,
    _: &mut Memory,
    op: &Op,
) -> Then {
    let [count] = core.regs.at(op.b);
    shifted::<W, D>(core, op, count)
}

/// A count of 0 changes no flag, Z and N included.
#[inline(always)]
fn shifted<const W: u8, D: Direction>(core: &mut Core, op: &Op, count: u8) -> Then {
    if count == 0 {
        return Then::Next;
    }
    unary::<W>(core, op, |flags, a, width| shift::shift(flags, a, count, D::SHIFT, width))
}
