//! Arithmetic and logic at any width: results and the flags they set (machine
//! manual, sections 2 and 3). Shifts are in `shift`.

use isa::flags::{C, N, V, Z};

const ZNCV: u16 = Z | N | C | V;

/// An operand width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Width {
    /// 8, 16, 24, 32 or 64.
    pub(super) bits: u32,
}

impl Width {
    /// The width of `bytes` bytes, 1–8.
    #[inline(always)]
    pub(super) fn of_bytes(bytes: u8) -> Self {
        Width { bits: 8 * u32::from(bytes) }
    }

    /// `value` cut to the width.
    #[inline(always)]
    pub(super) fn cut(self, value: u64) -> u64 {
        let unused = (64 - self.bits) & 63;
        value << unused >> unused
    }

    /// The top bit of a value.
    #[inline(always)]
    pub(super) fn top(self, value: u64) -> bool {
        value >> ((self.bits - 1) & 63) & 1 != 0
    }

    /// `value` with its top bit copied upwards.
    #[inline(always)]
    pub(super) fn sign_extend(self, value: u64) -> u64 {
        let unused = (64 - self.bits) & 63;
        ((value << unused) as i64 >> unused) as u64
    }
}

/// `bit` when `on`, else 0.
#[inline(always)]
pub(super) fn bit(bit: u16, on: bool) -> u16 {
    if on { bit } else { 0 }
}

/// Z and N of a result; the other flags stay.
#[inline(always)]
pub(super) fn set_zn(flags: &mut u16, result: u64, width: Width) {
    *flags = *flags & !(Z | N) | zn(result, width);
}

#[inline(always)]
fn zn(result: u64, width: Width) -> u16 {
    bit(Z, result == 0) | bit(N, width.top(result))
}

#[inline(always)]
fn set_zncv(flags: &mut u16, result: u64, width: Width, carry: bool, overflow: bool) {
    *flags = *flags & !ZNCV | zn(result, width) | bit(C, carry) | bit(V, overflow);
}

/// a + b + carry. Carry and overflow come from the operands and the result,
/// so that no width needs a wider type and the carry is never folded into an
/// operand.
#[inline(always)]
pub(super) fn add(flags: &mut u16, a: u64, b: u64, carry: bool, width: Width) -> u64 {
    let result = width.cut(a.wrapping_add(b).wrapping_add(carry.into()));
    let carry_out = a & b | (a | b) & !result;
    let overflow = (a ^ result) & (b ^ result);
    set_zncv(flags, result, width, width.top(carry_out), width.top(overflow));
    result
}

/// a − b, one less when `carry` is clear; C is set when there was no borrow.
#[inline(always)]
pub(super) fn sub(flags: &mut u16, a: u64, b: u64, carry: bool, width: Width) -> u64 {
    let result = width.cut(a.wrapping_sub(b).wrapping_sub((!carry).into()));
    let borrow = !a & b | (!a | b) & result;
    let overflow = (a ^ b) & (a ^ result);
    set_zncv(flags, result, width, !width.top(borrow), width.top(overflow));
    result
}

/// The low half of a × b; C = V = whether bits were lost.
#[inline(always)]
pub(super) fn mul(flags: &mut u16, a: u64, b: u64, width: Width) -> u64 {
    let product = u128::from(a) * u128::from(b);
    let result = width.cut(product as u64);
    let lost = u128::from(result) != product;
    set_zncv(flags, result, width, lost, lost);
    result
}

/// a ÷ b; by zero 0 with C set.
#[inline(always)]
pub(super) fn div(flags: &mut u16, a: u64, b: u64, width: Width) -> u64 {
    let result = a.checked_div(b).unwrap_or(0);
    set_zncv(flags, result, width, b == 0, false);
    result
}

/// The remainder of a ÷ b; by zero 0 with C set.
#[inline(always)]
pub(super) fn rem(flags: &mut u16, a: u64, b: u64, width: Width) -> u64 {
    let result = a.checked_rem(b).unwrap_or(0);
    set_zncv(flags, result, width, b == 0, false);
    result
}

/// The flags of AND, OR, XOR, NOT: C and V are cleared.
#[inline(always)]
pub(super) fn logic(flags: &mut u16, result: u64, width: Width) -> u64 {
    let result = width.cut(result);
    set_zncv(flags, result, width, false, false);
    result
}
