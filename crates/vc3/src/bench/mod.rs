//! The measurements of `vc3 bench`. What is compared takes its turn within one
//! round, so that a busy host slows all of it alike; medians of the rounds are
//! told, with the lowest and the highest.

pub mod host;
mod results;

use std::hint::black_box;
use std::time::Instant;

use anyhow::{Context, Result, anyhow};
use benches::loops::LOOPS;
use benches::sources::{self, Dialect};
use benches::{InMemory, services, start, turns};
use sd8516::{Engine, Image};

use crate::shipped;

pub use results::Results;
use results::{Row, Unit};

/// Instructions of one run of a loop: half a second on the plain engine. The time
/// to compile is among it.
const INSTRUCTIONS: u64 = 100_000_000;
/// Lines of the sources that are assembled.
const LINES: usize = 100_000;
/// The program whose turns are measured.
const GAME: &str = "rogueima";

/// Measures everything `rounds` times.
///
/// # Errors
/// When vc3 doesn't carry the game.
pub fn measure(engines: &[Engine], rounds: u16) -> Result<Results> {
    let loops = LOOPS.map(|one| (one.name, benches::assemble_text(one.source)));
    let game = shipped::by_name(GAME).ok_or_else(|| anyhow!("vc3 was built without {GAME}"))?;
    let game = Image::parse(game.image, false).context(GAME)?;
    let sources = [
        ("plain", InMemory::new(&sources::plain(Dialect::Sda, LINES)), LINES as f64),
        ("macros", InMemory::new(&sources::macros(LINES)), LINES as f64),
    ];
    let mut results = Results::new(rounds);
    for _ in 0..rounds {
        for (name, image) in &loops {
            for &engine in engines {
                let row = Row { what: name, engine: Some(engine), unit: Unit::Instructions };
                results.add(row, INSTRUCTIONS as f64 / 1e6 / run_loop(image, engine));
            }
        }
        for &engine in engines {
            let row = Row { what: GAME, engine: Some(engine), unit: Unit::Turns };
            results.add(row, turns::TURNS as f64 / run_turns(&game, engine));
        }
        for (name, source, lines) in &sources {
            let row = Row { what: name, engine: None, unit: Unit::Lines };
            results.add(row, lines / 1e6 / assemble(source));
        }
    }
    Ok(results)
}

/// Seconds that a fresh machine takes for a loop's instructions.
fn run_loop(image: &Image, engine: Engine) -> f64 {
    let mut machine = start(image);
    machine.set_engine(engine);
    seconds(|| black_box(machine.run(&mut services(), INSTRUCTIONS)))
}

/// Seconds that a game that has just begun takes for its turns.
fn run_turns(game: &Image, engine: Engine) -> f64 {
    let mut machine = turns::begun(game);
    machine.set_engine(engine);
    seconds(|| turns::play(&mut machine))
}

/// Seconds that a source takes to assemble, with all checks.
fn assemble(source: &InMemory) -> f64 {
    seconds(|| black_box(source.assemble()))
}

fn seconds<T>(work: impl FnOnce() -> T) -> f64 {
    let begin = Instant::now();
    let result = work();
    let seconds = begin.elapsed().as_secs_f64();
    // What was made is given back outside of the time.
    drop(result);
    seconds
}
