//! Differential testing: random programs and states on the oracle and on
//! every engine of the real machine, everything compared whenever an engine
//! stops, which may be after each instruction.
//!
//! [`check`] is what a fuzzer and the property test call: it panics with the
//! smallest program that shows a difference.

pub mod case;
pub mod choices;
pub mod compare;
pub mod grammar;
pub mod places;
pub mod scene;
pub mod services;
pub mod shrink;
pub mod vectors;

use case::Case;
use choices::Choices;
use compare::{Difference, Thorough, compare};
use sd8516::Engine;

/// Every engine that is built in; `Auto` is one of them.
pub fn engines() -> impl Iterator<Item = Engine> {
    let all = Engine::ALL.into_iter();
    all.filter(|&engine| engine.is_built_in() && engine != Engine::Auto)
}

/// Runs a random case on each engine.
///
/// # Panics
/// When one differs from the oracle: with the smallest case found.
pub fn check(choices: &mut Choices<'_>) {
    let case = scene::case(choices);
    // Comparing 16 MB takes as long as a hundred cases.
    let thorough = if choices.percent(3) { Thorough::Everything } else { Thorough::Touched };
    for engine in engines() {
        if compare(&case, engine, thorough).is_some() {
            panic!("{}", report(&case, engine, thorough));
        }
    }
}

/// The smallest case found that differs as `case` does, and how.
fn report(case: &Case, engine: Engine, thorough: Thorough) -> String {
    let difference = |case: &Case| -> Option<Difference> { compare(case, engine, thorough) };
    let smallest = shrink::shrunk(case, |case| difference(case).is_some());
    let difference = difference(&smallest).map(|difference| difference.to_string());
    format!("{}{smallest}", difference.unwrap_or_default())
}
