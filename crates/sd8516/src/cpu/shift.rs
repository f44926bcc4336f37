//! Shifts and rotations by any count (machine manual, section 3, "Counts").
//! V is always kept.

use isa::flags::C;

use super::alu::{Width, bit, set_zn};

/// The operations that take a count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shift {
    Left,
    Right,
    Arithmetic,
    RotateLeft,
    RotateRight,
}

/// Shifts `a` by 0–255; by 0 neither value nor flags change.
#[inline(always)]
pub(super) fn shift(flags: &mut u16, a: u64, count: u8, operation: Shift, width: Width) -> u64 {
    let count = u32::from(count);
    if count == 0 {
        return a;
    }
    let (result, carry) = match operation {
        Shift::Left => left(a, count, width),
        Shift::Right => right(a, count, width),
        Shift::Arithmetic => arithmetic(a, count, width),
        Shift::RotateLeft => {
            let result = rotate_left(a, count % width.bits, width);
            (result, result & 1 != 0)
        }
        Shift::RotateRight => {
            let result = rotate_left(a, width.bits - count % width.bits, width);
            (result, width.top(result))
        }
    };
    set_znc(flags, result, carry, width);
    result
}

/// RCL by one: C comes in at the bottom, the top bit goes to C.
#[inline(always)]
pub(super) fn through_carry_left(flags: &mut u16, a: u64, width: Width) -> u64 {
    let result = width.cut(a << 1 | u64::from(*flags & C != 0));
    set_znc(flags, result, width.top(a), width);
    result
}

/// RCR by one: C comes in at the top, bit 0 goes to C.
#[inline(always)]
pub(super) fn through_carry_right(flags: &mut u16, a: u64, width: Width) -> u64 {
    let result = a >> 1 | u64::from(*flags & C != 0) << (width.bits - 1);
    set_znc(flags, result, a & 1 != 0, width);
    result
}

fn set_znc(flags: &mut u16, result: u64, carry: bool, width: Width) {
    set_zn(flags, result, width);
    *flags = *flags & !C | bit(C, carry);
}

/// Result and last bit out; beyond the width both are 0.
fn left(a: u64, count: u32, width: Width) -> (u64, bool) {
    let result = width.cut(a.checked_shl(count).unwrap_or(0));
    let carry = width.bits.checked_sub(count).is_some_and(|edge| a >> edge & 1 != 0);
    (result, carry)
}

fn right(a: u64, count: u32, width: Width) -> (u64, bool) {
    let result = a.checked_shr(count).unwrap_or(0);
    (result, count <= width.bits && a >> (count - 1) & 1 != 0)
}

/// From the width on all bits, C included, are the sign.
fn arithmetic(a: u64, count: u32, width: Width) -> (u64, bool) {
    let signed = width.sign_extend(a) as i64;
    let result = width.cut((signed >> count.min(63)) as u64);
    (result, signed >> (count - 1).min(63) & 1 != 0)
}

/// `count` of 0 and of the width leave `a` as it is.
fn rotate_left(a: u64, count: u32, width: Width) -> u64 {
    let high = a.checked_shl(count).unwrap_or(0);
    let low = a.checked_shr(width.bits - count).unwrap_or(0);
    width.cut(high | low)
}
