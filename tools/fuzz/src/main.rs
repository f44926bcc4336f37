//! Fuzzing without a nightly compiler: mutates the inputs of a corpus and
//! feeds them to a target until its time is up. An input that panics, hangs
//! or overflows the stack stays in `fuzz/artifacts`.

mod mutate;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
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
    /// The target: lexer, assembler, image or disassembler
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
    fs::create_dir_all(&folder)?;
    let current = folder.join("current");
    let (count, done) = (AtomicU64::new(0), AtomicBool::new(false));
    let end = Instant::now() + Duration::from_secs(args.seconds);
    let failed = std::thread::scope(|scope| {
        let worker = scope.spawn(|| -> Result<bool> {
            let words = dictionary();
            let mut random = Random::new(args.seed);
            let mut next = 0;
            while Instant::now() < end {
                let fresh = known.get(next).cloned();
                let input = fresh.unwrap_or_else(|| mutated(&known, &words, &mut random));
                next += 1;
                // What kills the whole process is found here afterwards.
                fs::write(&current, &input)?;
                if std::panic::catch_unwind(|| target(&input)).is_err() {
                    return Ok(true);
                }
                count.fetch_add(1, Ordering::Relaxed);
            }
            Ok(false)
        });
        scope.spawn(|| watch(&count, &done, &current));
        let failed = worker.join();
        done.store(true, Ordering::Relaxed);
        failed
    });
    let count = count.into_inner();
    match failed {
        Ok(Ok(false)) => {
            fs::remove_file(&current)?;
            println!("{name}: {count} inputs, nothing found");
            Ok(ExitCode::SUCCESS)
        }
        Ok(Ok(true)) | Err(_) => {
            let kept = folder.join(format!("crash-{}-{count}", args.seed));
            fs::rename(&current, &kept)?;
            println!("{name}: input {count} fails, it is in {}", kept.display());
            Ok(ExitCode::FAILURE)
        }
        Ok(Err(error)) => Err(error),
    }
}

/// Ends the process when one input takes too long.
fn watch(count: &AtomicU64, done: &AtomicBool, current: &Path) {
    let (mut last, mut since) = (0, Instant::now());
    while !done.load(Ordering::Relaxed) {
        std::thread::sleep(Duration::from_millis(100));
        let now = count.load(Ordering::Relaxed);
        if now != last {
            (last, since) = (now, Instant::now());
        } else if since.elapsed() > LONGEST {
            println!("input {now} hangs, it is in {}", current.display());
            std::process::exit(1);
        }
    }
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
