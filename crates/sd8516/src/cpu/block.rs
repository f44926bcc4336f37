//! Block operations: copy, fill, compare, look for a byte (machine manual,
//! section 3). Each answers the bytes it moved or looked at.

use isa::flags::{C, N, Z};
use isa::memory_map::ADDRESS_MASK;

use super::Cpu;
use super::alu::bit;
use crate::memory::Memory;

impl Cpu {
    /// CMPC: `n` bytes at `a` against those at `b`. A pair counts once.
    pub(super) fn compare_blocks(&mut self, memory: &Memory, a: u32, b: u32, n: u16) -> u64 {
        let pair = |offset: u32| {
            (memory.byte(a.wrapping_add(offset)), memory.byte(b.wrapping_add(offset)))
        };
        let difference = (0..u32::from(n)).find(|&offset| pair(offset).0 != pair(offset).1);
        match difference {
            None => {
                self.set_zc_n0(true, true);
                n.into()
            }
            Some(offset) => {
                let (left, right) = pair(offset);
                self.set_zc_n0(false, left >= right);
                u64::from(offset) + 1
            }
        }
    }

    /// LOCC (`equal`) and SKPC: the address of the first of `n` bytes from
    /// `start` on that is equal, or unequal, to `value`; without one, the
    /// address behind them. Answers it and the bytes looked at.
    pub(super) fn locate(
        &mut self,
        memory: &Memory,
        start: u32,
        value: u8,
        n: u16,
        equal: bool,
    ) -> (u32, u64) {
        let found = (0..u32::from(n))
            .find(|&offset| (memory.byte(start.wrapping_add(offset)) == value) == equal);
        self.set_zc_n0(found.is_none(), found.is_some());
        let offset = found.unwrap_or(n.into());
        let looked_at = found.map_or(u64::from(n), |offset| u64::from(offset) + 1);
        (start.wrapping_add(offset) & ADDRESS_MASK, looked_at)
    }

    /// The flags of an instruction whose answer is Z and C: there is no
    /// result, so N is cleared.
    #[inline(always)]
    pub(super) fn set_zc_n0(&mut self, z: bool, c: bool) {
        self.flags = self.flags & !(Z | N | C) | bit(Z, z) | bit(C, c);
    }
}
