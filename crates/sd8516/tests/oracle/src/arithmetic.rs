//! Arithmetic and shifts (section 3, the table and its notes on counts), in
//! integers too wide to overflow and one bit at a time.

/// A result with its carry and overflow.
#[derive(Clone, Copy, Debug)]
pub struct Answer {
    /// As wide as the operands.
    pub result: u64,
    /// Carry.
    pub c: bool,
    /// Signed overflow.
    pub v: bool,
}

/// How many numbers fit in `width` bytes.
fn count(width: u8) -> i128 {
    1 << (8 * u32::from(width))
}

/// The top bit of a number of `width` bytes.
pub fn top(value: u64, width: u8) -> bool {
    i128::from(value) >= count(width) / 2
}

/// A number read as two's complement.
fn signed(value: u64, width: u8) -> i128 {
    i128::from(value) - if top(value, width) { count(width) } else { 0 }
}

/// The low `width` bytes.
pub fn low(value: i128, width: u8) -> u64 {
    value.rem_euclid(count(width)) as u64
}

/// ADD, ADDC, INC.
pub fn add(a: u64, b: u64, carry: bool, width: u8) -> Answer {
    let sum = i128::from(a) + i128::from(b) + i128::from(carry);
    let exact = signed(a, width) + signed(b, width) + i128::from(carry);
    let result = low(sum, width);
    Answer { result, c: sum >= count(width), v: exact != signed(result, width) }
}

/// SUB, SUBC, CMP, DEC, NEG: the carry says that there was no borrow, and
/// when it is clear one more is subtracted.
pub fn subtract(a: u64, b: u64, carry: bool, width: u8) -> Answer {
    let difference = i128::from(a) - i128::from(b) - i128::from(!carry);
    let exact = signed(a, width) - signed(b, width) - i128::from(!carry);
    let result = low(difference, width);
    Answer { result, c: difference >= 0, v: exact != signed(result, width) }
}

/// MUL: unsigned, the low half; carry and overflow say that bits were lost.
pub fn multiply(a: u64, b: u64, width: u8) -> Answer {
    let product = u128::from(a) * u128::from(b);
    let lost = product >= count(width) as u128;
    Answer { result: (product % count(width) as u128) as u64, c: lost, v: lost }
}

/// DIV, or MOD when the remainder is wanted: unsigned; by zero gives zero
/// with the carry set.
pub fn divide(a: u64, b: u64, remainder: bool) -> Answer {
    let result = match (b, remainder) {
        (0, _) => 0,
        (_, false) => a / b,
        (_, true) => a % b,
    };
    Answer { result, c: b == 0, v: false }
}

/// MOVSX.
pub fn sign_extend(value: u64, from: u8, to: u8) -> u64 {
    low(signed(value, from), to)
}

/// Where a shift takes the bit that comes in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shift {
    /// SHL.
    Left,
    /// SHR.
    Right,
    /// SAR: the sign comes in.
    Arithmetic,
    /// ROL: what goes out comes in.
    RotateLeft,
    /// ROR.
    RotateRight,
    /// RCL: the carry comes in.
    ThroughCarryLeft,
    /// RCR.
    ThroughCarryRight,
}

/// `times` shifts by one. The carry is the last bit that went out.
pub fn shift(kind: Shift, mut value: u64, times: u64, mut carry: bool, width: u8) -> (u64, bool) {
    let highest = 1u64 << (8 * u32::from(width) - 1);
    for _ in 0..times {
        let (top, bottom) = (value & highest != 0, value & 1 != 0);
        let (left, incoming) = match kind {
            Shift::Left => (true, false),
            Shift::Right => (false, false),
            Shift::Arithmetic => (false, top),
            Shift::RotateLeft => (true, top),
            Shift::RotateRight => (false, bottom),
            Shift::ThroughCarryLeft => (true, carry),
            Shift::ThroughCarryRight => (false, carry),
        };
        if left {
            value = (value & !highest) << 1 | u64::from(incoming);
            carry = top;
        } else {
            value = value >> 1 | if incoming { highest } else { 0 };
            carry = bottom;
        }
    }
    (value, carry)
}
