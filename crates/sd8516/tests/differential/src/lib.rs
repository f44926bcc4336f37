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

/// Cases that one machine runs, at most.
const CASES: u64 = 8;

/// Runs some random cases on each engine.
///
/// # Panics
/// When one differs from the oracle: with the smallest cases found.
pub fn check(choices: &mut Choices<'_>) {
    let count = 1 + choices.below(CASES);
    let cases: Vec<Case> = (0..count).map(|_| scene::case(choices)).collect();
    // Comparing 16 MB takes as long as a hundred cases.
    let thorough = if choices.percent(3) { Thorough::Everything } else { Thorough::Touched };
    for engine in engines() {
        if compare(&cases, engine, thorough).is_some() {
            panic!("{}", report(&cases, engine, thorough));
        }
    }
}

/// The smallest cases found that differ as `cases` do, and how.
fn report(cases: &[Case], engine: Engine, thorough: Thorough) -> String {
    let difference = |cases: &[Case]| -> Option<Difference> { compare(cases, engine, thorough) };
    let smallest = shrink::shrunk(cases, |cases| difference(cases).is_some());
    let difference = difference(&smallest).map(|difference| difference.to_string());
    let listings: Vec<String> = smallest.iter().map(Case::to_string).collect();
    format!("{}{}", difference.unwrap_or_default(), listings.join("then "))
}
