//! The random number generator: 32 bits of xorshift, so that the same seed
//! gives the same game on every host (machine manual, section 6, INT $13).

use serde::{Deserialize, Serialize};

/// The generator's state; never 0.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rng {
    state: u32,
}

impl Default for Rng {
    fn default() -> Self {
        Rng::new(1)
    }
}

impl Rng {
    /// A generator with this seed; 0 is taken as 1.
    pub fn new(seed: u32) -> Self {
        Rng { state: seed.max(1) }
    }

    /// Starts again from `seed`; 0 is taken as 1.
    pub fn seed(&mut self, seed: u32) {
        *self = Rng::new(seed);
    }

    /// The state, as the cell at `$01EF34` shows it. A state of 0, which only
    /// a damaged snapshot has, reads as 1.
    pub fn state(&self) -> u32 {
        self.state.max(1)
    }

    /// The next number: 0 to `bound` − 1, or any 16 bits when `bound` is 0.
    pub fn next(&mut self, bound: u16) -> u16 {
        let mut s = self.state();
        s ^= s << 13;
        s ^= s >> 17;
        s ^= s << 5;
        self.state = s;
        let high = s >> 16;
        if bound == 0 { high as u16 } else { ((high * u32::from(bound)) >> 16) as u16 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_unbounded_number_of_seed_1_is_4() {
        assert_eq!(Rng::new(1).next(0), 4);
        assert_eq!(Rng::new(0), Rng::new(1));
    }

    #[test]
    fn a_bounded_number_is_the_high_half_of_the_product() {
        let (mut free, mut bounded) = (Rng::new(77), Rng::new(77));
        for bound in [1u16, 2, 6, 100, 32_768, 65_535] {
            let high = u32::from(free.next(0));
            let got = bounded.next(bound);
            assert_eq!(u32::from(got), (high * u32::from(bound)) >> 16);
            assert!(got < bound);
            assert_eq!(free, bounded);
        }
    }
}
