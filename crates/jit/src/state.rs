//! The registers as compiled code sees them: a plain struct that it reads when
//! it is entered and writes when it is left.

use isa::flags::{C, N, V, Z};

const ZNCV: u16 = Z | N | C | V;

/// The CPU between two stretches of compiled code. The four arithmetic flags
/// are kept as numbers from which they follow, so that code that changes them
/// often need not pack them.
#[derive(Clone, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct State {
    /// The sixteen words in the order of their numbers.
    pub words: [u16; 16],
    /// SP, 24 bits.
    pub sp: u32,
    /// The address of the next instruction, 24 bits.
    pub ip: u32,
    /// FLAGS but for Z, N, C and V.
    pub(crate) other_flags: u64,
    /// Z is set when this is 0, N when it is below 0.
    result: i64,
    /// C, 0 or 1.
    carry: u64,
    /// V is set when this is below 0.
    overflow: i64,
    /// Units that may pass before something has to be done outside.
    pub remaining: u64,
    /// The number of the last line of [`crate::Watch::decoded`].
    pub(crate) last_line: u64,
}

/// Where compiled code finds each part of a [`State`].
pub(crate) mod offset {
    use super::State;
    use std::mem::offset_of;

    pub(crate) const fn word(number: u8) -> i32 {
        (offset_of!(State, words) + 2 * number as usize) as i32
    }
    pub(crate) const SP: i32 = offset_of!(State, sp) as i32;
    pub(crate) const IP: i32 = offset_of!(State, ip) as i32;
    pub(crate) const OTHER_FLAGS: i32 = offset_of!(State, other_flags) as i32;
    pub(crate) const RESULT: i32 = offset_of!(State, result) as i32;
    pub(crate) const CARRY: i32 = offset_of!(State, carry) as i32;
    pub(crate) const OVERFLOW: i32 = offset_of!(State, overflow) as i32;
    pub(crate) const REMAINING: i32 = offset_of!(State, remaining) as i32;
    pub(crate) const LAST_LINE: i32 = offset_of!(State, last_line) as i32;
}

impl State {
    /// Registers, FLAGS and the time left. `None` when Z and N are both set,
    /// which no result is: only a program that writes FLAGS comes to that.
    pub fn new(words: [u16; 16], sp: u32, ip: u32, flags: u16, remaining: u64) -> Option<Self> {
        let result = match (flags & Z != 0, flags & N != 0) {
            (true, true) => return None,
            (true, false) => 0,
            (false, true) => -1,
            (false, false) => 1,
        };
        Some(State {
            words,
            sp,
            ip,
            other_flags: (flags & !ZNCV).into(),
            result,
            carry: (flags & C != 0).into(),
            overflow: if flags & V != 0 { -1 } else { 0 },
            remaining,
            last_line: 0,
        })
    }

    /// FLAGS.S: loads and counts leave the flags alone.
    pub(crate) fn is_fast(&self) -> bool {
        self.other_flags & u64::from(isa::flags::S) != 0
    }

    /// FLAGS.
    pub fn flags(&self) -> u16 {
        let bit = |flag, on| if on { flag } else { 0 };
        self.other_flags as u16
            | bit(Z, self.result == 0)
            | bit(N, self.result < 0)
            | bit(C, self.carry != 0)
            | bit(V, self.overflow < 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_come_back_as_they_were() {
        for flags in 0..=u16::MAX {
            match State::new([0; 16], 0, 0, flags, 0) {
                Some(state) => assert_eq!(state.flags(), flags),
                None => assert_eq!(flags & (Z | N), Z | N),
            }
        }
    }
}
