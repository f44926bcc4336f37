//! The command: plays many seeds, or presses random keys.

use std::io::Write;
use std::ops::{Range, RangeInclusive};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::{Args, Parser, Subcommand};
use player::{Difficulty, End, Rogueima, Style, fuzz, play, tables, win};
use rayon::prelude::*;

/// Plays Rogueima with keys alone and prints how the games went.
#[derive(Parser)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    games: Games,
    /// The game's root source; this working tree's unless given
    #[arg(long, global = true)]
    game: Option<PathBuf>,
}

#[derive(Args)]
struct Games {
    /// The seeds, as 1..1000 (both included) or one number
    #[arg(long, default_value = "1..100", value_parser = seeds)]
    seeds: RangeInclusive<u32>,
    /// Walk into everything
    #[arg(long)]
    careless: bool,
    /// Leave a game after so many turns
    #[arg(long, default_value_t = 30_000)]
    turns: u32,
    /// What is chosen on the title screen
    #[arg(long, value_enum, default_value_t)]
    difficulty: Difficulty,
    /// Print every game: how it ended, its last screen and its keys
    #[arg(long)]
    show: bool,
}

#[derive(Subcommand)]
enum Command {
    /// Find a game that is won, and write its keys to a file
    Win {
        /// The game's seed
        #[arg(long, default_value_t = 7)]
        seed: u32,
        /// Where the seed goes, and the keys, as `vc3 run --keys` takes them
        #[arg(default_value = RECORDED)]
        out: PathBuf,
    },
    /// Press random keys: no fault, no overwritten code, no lost object
    Fuzz {
        /// How many runs
        #[arg(long, default_value_t = 200)]
        runs: u32,
        /// Turns of each run
        #[arg(long, default_value_t = 5000)]
        turns: u64,
        /// The first run's seed
        #[arg(long, default_value_t = 1)]
        first: u32,
        /// All runs in the machine's checking mode, not one in four
        #[arg(long)]
        checked: bool,
    },
}

/// The game that a test replays.
const RECORDED: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../crates/vc3/tests/rogueima/won.keys");
/// One run of random keys in so many is made in the checking mode.
const CHECKED_IN: u32 = 4;

fn main() -> Result<ExitCode> {
    let cli = Cli::parse();
    let rogueima = match &cli.game {
        Some(source) => Rogueima::assemble(source)?,
        None => Rogueima::of_this_tree()?,
    };
    match cli.command {
        Some(Command::Fuzz { runs, turns, first, checked }) => {
            let modes = if checked { 1 } else { CHECKED_IN };
            fuzz_all(&rogueima, first..first.saturating_add(runs), turns, modes)
        }
        Some(Command::Win { seed, out }) => record_win(&rogueima, seed, &out),
        None => play_all(&rogueima, &cli.games),
    }
}

fn play_all(rogueima: &Rogueima, games: &Games) -> Result<ExitCode> {
    let style =
        Style { careless: games.careless, turns: games.turns, difficulty: games.difficulty };
    let reports: Vec<_> = games
        .seeds
        .clone()
        .into_par_iter()
        .map(|seed| play(rogueima, seed, style))
        .collect::<Result<_>>()?;
    let mut out = std::io::stdout().lock();
    if games.show {
        for report in &reports {
            writeln!(out, "seed {}: {:?}, turn {}", report.seed, report.end, report.turns)?;
            writeln!(out, "{}\n--keys '{}'\n", report.screen, report.keys)?;
        }
    }
    write!(out, "{}", tables(&reports))?;
    let faults = reports.iter().any(|report| matches!(report.end, End::Fault(_)));
    Ok(if faults { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn fuzz_all(
    rogueima: &Rogueima,
    seeds: Range<u32>,
    turns: u64,
    checked_in: u32,
) -> Result<ExitCode> {
    let runs = seeds.len();
    let run = |seed| fuzz::run(rogueima, seed, turns, seed % checked_in == 0);
    let results: Vec<_> = seeds.into_par_iter().map(run).collect();
    let mut sum = fuzz::Run::default();
    let mut failed = 0;
    let mut out = std::io::stdout().lock();
    for result in results {
        match result {
            Ok(run) => {
                sum.turns += run.turns;
                sum.keys += run.keys;
                sum.games += run.games;
                sum.depth = sum.depth.max(run.depth);
            }
            Err(error) => {
                failed += 1;
                writeln!(out, "{error}")?;
            }
        }
    }
    writeln!(
        out,
        "{runs} runs, {failed} failed; {} games, {} turns, {} keys, depth {}",
        sum.games, sum.turns, sum.keys, sum.depth
    )?;
    Ok(if failed > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn record_win(rogueima: &Rogueima, seed: u32, out: &Path) -> Result<ExitCode> {
    let report = win::find(rogueima, seed)?;
    std::fs::write(out, format!("{seed}\n{}\n", report.keys))
        .with_context(|| format!("writing {}", out.display()))?;
    let (turns, level) = (report.turns, report.level);
    writeln!(std::io::stdout(), "seed {seed} is won in {turns} turns at level {level}")?;
    Ok(ExitCode::SUCCESS)
}

/// `1..1000`, both included, or one seed.
fn seeds(text: &str) -> Result<RangeInclusive<u32>> {
    let (first, last) = text.split_once("..").unwrap_or((text, text));
    let last = last.trim_start_matches('=');
    let number = |text: &str| text.parse().with_context(|| format!("{text:?} is no seed"));
    let range: RangeInclusive<u32> = number(first)?..=number(last)?;
    anyhow::ensure!(!range.is_empty() && *range.start() > 0, "seeds go from 1 upwards");
    Ok(range)
}
