//! Some thousand random programs, the same ones each time, on every engine.

use differential::check;
use differential::choices::Choices;

#[test]
fn every_engine_does_what_the_oracle_does() {
    for seed in 0..CASES {
        let mut choices = Choices::seeded(seed);
        if let Err(panic) = std::panic::catch_unwind(move || check(&mut choices)) {
            let message = panic.downcast_ref::<String>().cloned().unwrap_or_default();
            panic!("seed {seed}: {message}");
        }
    }
}

/// A few seconds of them.
const CASES: u64 = 400;
