//! `vc3 bench`: how fast this computer runs programs, the game and the
//! assembler, on each engine.

use anyhow::{Result, bail};
use clap::Args;
use sd8516::Engine;

use crate::bench::{self, host};
use crate::output::print;

#[derive(Debug, Args)]
pub struct BenchArgs {
    /// Measure only this engine: plain, fast or jit; can be given several times
    #[arg(long = "engine", value_name = "ENGINE")]
    engines: Vec<Engine>,
    /// How often everything is measured; the table shows the medians
    #[arg(long, value_name = "N", default_value_t = 9,
        value_parser = clap::value_parser!(u16).range(1..=1000))]
    rounds: u16,
    /// Write one JSON object instead of tables
    #[arg(long)]
    json: bool,
}

/// Measures, and writes what was measured to the standard output.
pub fn bench(args: &BenchArgs) -> Result<u8> {
    let engines = engines(&args.engines)?;
    let results = bench::measure(&engines, args.rounds)?;
    let host = host::describe();
    let text = if args.json { results.json(&host) } else { results.table(&host) };
    print(text.as_bytes())?;
    Ok(0)
}

/// The engines to measure, each once.
fn engines(asked: &[Engine]) -> Result<Vec<Engine>> {
    if asked.is_empty() {
        return Ok(benches::engines().collect());
    }
    let mut engines = Vec::new();
    for engine in asked {
        if !engine.is_built_in() {
            bail!("this build of vc3 has no engine {engine}");
        }
        let engine = engine.resolved();
        if !engines.contains(&engine) {
            engines.push(engine);
        }
    }
    Ok(engines)
}
