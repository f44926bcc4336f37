//! FLAGS (section 2): the bits, and which of them a program writes.

/// User flags 0 to 3 are bits 0 to 3; overflow is the first of the rest.
pub const V: u16 = 1 << 4;
/// Carry; after a subtraction: no borrow.
pub const C: u16 = 1 << 5;
/// Negative: the top bit of the result.
pub const N: u16 = 1 << 6;
/// Zero.
pub const Z: u16 = 1 << 7;
/// Fast flags: loads, INC and DEC leave Z and N alone.
pub const S: u16 = 1 << 9;
/// Interrupts enabled.
pub const I: u16 = 1 << 10;
/// The last instruction faulted.
pub const E: u16 = 1 << 12;
/// Stopped by BRK.
pub const B: u16 = 1 << 13;
/// Trace.
pub const T: u16 = 1 << 14;
/// Halted.
pub const H: u16 = 1 << 15;

/// What programs write: bits 0–7, 9, 10 and 14.
pub const WRITABLE: u16 = 0x00FF | S | I | T;

/// FLAGS with one bit set or cleared.
pub fn with(flags: u16, bit: u16, on: bool) -> u16 {
    if on { flags | bit } else { flags & !bit }
}

/// FLAGS as a program sets them: the bits it doesn't write stay.
pub fn written(old: u16, new: u16) -> u16 {
    old & !WRITABLE | new & WRITABLE
}
