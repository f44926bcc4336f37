//! The bits of the FLAGS register (machine manual, section 2).

/// Zero: the result was 0.
pub const Z: u16 = 1 << 7;
/// Negative: the top bit of the result.
pub const N: u16 = 1 << 6;
/// Carry; after CMP, SUB and SUBC set when there was no borrow.
pub const C: u16 = 1 << 5;
/// Signed overflow.
pub const V: u16 = 1 << 4;
/// The four bits that belong to the program.
pub const USER: u16 = 0x000F;
/// Fast flags: while set, loads, INC and DEC leave Z and N alone.
pub const S: u16 = 1 << 9;
/// Interrupts enabled: vector 8 may be served.
pub const I: u16 = 1 << 10;
/// PPU busy; always reads 0.
pub const P: u16 = 1 << 11;
/// The last instruction faulted.
pub const E: u16 = 1 << 12;
/// Stopped by BRK.
pub const B: u16 = 1 << 13;
/// CPU trace, between SED and CLD.
pub const T: u16 = 1 << 14;
/// Halted.
pub const H: u16 = 1 << 15;
/// The bits that POPF, IRET, SETF and CLRF may change: 0–7, 9, 10 and 14.
pub const WRITABLE: u16 = 0x00FF | S | I | T;

/// Letters for bits 15 down to 0, as reports and traces print them;
/// `.` is a bit without a name.
pub const LETTERS: [char; 16] =
    ['H', 'T', 'B', 'E', 'P', 'I', 'S', '.', 'Z', 'N', 'C', 'V', '3', '2', '1', '0'];
