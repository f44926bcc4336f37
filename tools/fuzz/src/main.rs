//! Fuzzing without a nightly compiler: mutates the inputs of a corpus and
//! feeds them to a target until its time is up. An input that panics or hangs
//! is written to `fuzz/artifacts`; one that ends the whole process is found
//! by the same call with `--keep`.

mod mutate;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use clap::Parser;
use fuzzing::TARGETS;
use mutate::{Random, dictionary, mutated};

/// An input that takes longer is one that hangs.
const LONGEST: Duration = Duration::from_secs(60);

#[derive(Parser)]
#[command(about)]
struct Args {
    /// The target: lexer, assembler, image, disassembler, lint or engines
    target: String,
    /// Folders or files with inputs to begin with
    #[arg(required = true)]
    corpus: Vec<PathBuf>,
    /// How long to go on
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    /// Which inputs are made: the same seed, the same inputs
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Write every input to a file before it is tried, for one that kills the
    /// whole process; slow
    #[arg(long)]
    keep: bool,
}

/// What both threads know.
#[derive(Default)]
struct State {
    /// The input being tried.
    input: Mutex<Vec<u8>>,
    count: AtomicU64,
    done: AtomicBool,
}

fn main() -> Result<ExitCode> {
    let args = Args::parse();
    let Some((name, target)) = TARGETS.into_iter().find(|(name, _)| *name == args.target) else {
        bail!("there is no target {}", args.target);
    };
    let mut known = Vec::new();
    for path in &args.corpus {
        read(path, &mut known).with_context(|| format!("cannot read {}", path.display()))?;
    }
    if known.is_empty() {
        bail!("the corpus has no files");
    }
    let folder = Path::new("fuzz/artifacts").join(name);
    let state = State::default();
    let fails = std::thread::scope(|scope| {
        scope.spawn(|| watch(&state, &folder, args.seed));
        let fails = try_inputs(&args, target, &known, &state, &folder);
        state.done.store(true, Ordering::Relaxed);
        fails
    })?;
    let count = state.count.load(Ordering::Relaxed);
    if fails {
        let kept = keep(&state, &folder, args.seed)?;
        println!("{name}: input {count} fails, it is in {}", kept.display());
        return Ok(ExitCode::FAILURE);
    }
    println!("{name}: {count} inputs, nothing found");
    Ok(ExitCode::SUCCESS)
}

/// Tries the corpus, then what is made of it, until the time is up; true when
/// an input fails.
fn try_inputs(
    args: &Args,
    target: fn(&[u8]),
    known: &[Vec<u8>],
    state: &State,
    folder: &Path,
) -> Result<bool> {
    let end = Instant::now() + Duration::from_secs(args.seconds);
    let words = dictionary();
    let mut random = Random::new(args.seed);
    let mut next = 0;
    while Instant::now() < end {
        let fresh = known.get(next).cloned();
        let input = fresh.unwrap_or_else(|| mutated(known, &words, &mut random));
        next += 1;
        state.input.lock().unwrap_or_else(PoisonError::into_inner).clone_from(&input);
        if args.keep {
            keep(state, folder, args.seed)?;
        }
        if std::panic::catch_unwind(|| target(&input)).is_err() {
            return Ok(true);
        }
        state.count.fetch_add(1, Ordering::Relaxed);
    }
    Ok(false)
}

/// Ends the process when one input takes too long.
fn watch(state: &State, folder: &Path, seed: u64) {
    let (mut last, mut since) = (0, Instant::now());
    while !state.done.load(Ordering::Relaxed) {
        std::thread::sleep(Duration::from_millis(100));
        let now = state.count.load(Ordering::Relaxed);
        if now != last {
            (last, since) = (now, Instant::now());
        } else if since.elapsed() > LONGEST {
            match keep(state, folder, seed) {
                Ok(kept) => println!("input {now} hangs, it is in {}", kept.display()),
                Err(error) => println!("input {now} hangs: {error:#}"),
            }
            std::process::exit(1);
        }
    }
}

/// Writes the input being tried to a file.
fn keep(state: &State, folder: &Path, seed: u64) -> Result<PathBuf> {
    let path = folder.join(format!("input-{seed}"));
    let input = state.input.lock().unwrap_or_else(PoisonError::into_inner);
    let write = fs::create_dir_all(folder).and_then(|()| fs::write(&path, &*input));
    write.with_context(|| format!("cannot write {}", path.display()))?;
    Ok(path)
}

/// The contents of a file, or of every file in a folder.
fn read(path: &Path, known: &mut Vec<Vec<u8>>) -> std::io::Result<()> {
    if path.is_file() {
        known.push(fs::read(path)?);
        return Ok(());
    }
    let mut paths = Vec::new();
    for entry in path.read_dir()? {
        paths.push(entry?.path());
    }
    // The order of a folder is the host's.
    paths.sort();
    paths.iter().filter(|path| path.is_file()).try_for_each(|path| read(path, known))
}
