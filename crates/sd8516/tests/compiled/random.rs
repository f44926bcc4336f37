//! Random programs, stopped at random times.

use super::program::{self, Random};
use super::{assert_same, machine};

const PROGRAMS: u64 = 100;
/// Beyond the first two frames, so that vector 8 is called.
const UNITS: u64 = 45_000;

#[test]
fn random_programs_end_up_in_the_same_state() {
    let seed = std::env::var("SEED").ok().and_then(|seed| seed.parse().ok());
    let seeds = seed.map_or(0..PROGRAMS, |seed| seed..seed + 1);
    for seed in seeds {
        let mut random = Random::new(seed);
        let mut machine = machine(&program::random(&mut random));
        program::set_the_scene(&mut machine, &mut random);
        let mut stops = Vec::new();
        let mut at = 0;
        while at < UNITS {
            at += match random.below(4) {
                0 => 1 + random.below(3),
                1 => 1 + random.below(50),
                2 => 1 + random.below(1_000),
                _ => 1 + random.below(20_000),
            };
            stops.push(at);
        }
        assert_same(&machine, stops, &format!("the program of SEED={seed}"));
    }
}
