//! Where random decisions come from: a fuzzer's bytes first, then numbers
//! that follow from a seed.

/// A stream of choices; the same bytes and seed give the same ones.
#[derive(Clone, Debug)]
pub struct Choices<'a> {
    bytes: &'a [u8],
    state: u64,
}

impl<'a> Choices<'a> {
    /// Choices that follow from a number.
    pub fn seeded(seed: u64) -> Choices<'static> {
        Choices { bytes: &[], state: seed }
    }

    /// Choices that are a fuzzer's bytes, as far as they go.
    pub fn from_bytes(bytes: &'a [u8]) -> Choices<'a> {
        let mix = |state: u64, &byte: &u8| (state ^ u64::from(byte)).wrapping_mul(0x100_0000_01B3);
        Choices { bytes, state: bytes.iter().fold(0xCBF2_9CE4_8422_2325, mix) }
    }

    /// Any number (SplitMix64, when there are no bytes left).
    pub fn number(&mut self) -> u64 {
        if let Some((first, rest)) = self.bytes.split_first_chunk::<8>() {
            self.bytes = rest;
            return u64::from_le_bytes(*first);
        }
        self.bytes = &[];
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.state;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ mixed >> 31
    }

    /// A number below `bound`, which is at least 1. Small ones take one byte.
    pub fn below(&mut self, bound: u64) -> u64 {
        match self.bytes.split_first() {
            Some((&first, rest)) if bound <= 256 => {
                self.bytes = rest;
                u64::from(first) % bound
            }
            _ => self.number() % bound,
        }
    }

    /// True so many times in 100.
    pub fn percent(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    /// One of them; there is at least one.
    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u64) as usize]
    }

    /// A number whose edges matter: often 0, small, all ones, a top bit alone
    /// or all but that.
    pub fn edgy(&mut self) -> u64 {
        let bits = self.pick(&[8, 16, 24, 32, 64]);
        match self.below(10) {
            0 => 0,
            1 => u64::MAX >> (64 - bits),
            2 => 1 << (bits - 1),
            3 => (1 << (bits - 1)) - 1,
            4 => (1 << (bits - 1)) + self.below(3),
            5 | 6 => self.below(16),
            _ => self.number(),
        }
    }
}
