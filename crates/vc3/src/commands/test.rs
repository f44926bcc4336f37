//! `vc3 test [PATH...]`: unit programs. One passes when it ends with exit
//! code 0 and everything that it `.expect`s is in memory.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use clap::Args;
use rayon::prelude::*;

use crate::cli::EngineArgs;
use crate::unit_test::{self, Verdict};
use crate::{discovery, number, output};

/// Units of machine time that a unit program has unless it says otherwise:
/// more than a minute of the standard machine.
const DEFAULT_MAX: u64 = 100_000_000;

/// What the comments at the head of a unit program may say.
const DIRECTIVES: &str = "\
A unit program may say in the comments that begin it, each in a line of its own:
  ; keys: jjl<Enter>   the keys that it receives
  ; seed: 5            the seed of the random numbers, 1 unless said
  ; args: one two      its arguments
  ; max: 1000000       units of machine time after which it has failed
  ; disk               it has a disk, empty at first
  ; kernal             it may lie in the kernal's area
  ; sanitize           executing what was never written, or overwritten, is a fault";

#[derive(Debug, Args)]
#[command(after_help = DIRECTIVES)]
pub struct TestArgs {
    /// Unit programs, or folders to search for test_*.sda; unless given, the folders programs and tests, or this one
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Units of machine time for each program that has no `; max:` of its own
    #[arg(long, value_name = "N", value_parser = number::argument, default_value_t = DEFAULT_MAX, allow_negative_numbers = true)]
    max: u64,
    /// Run all of them in the checking mode, as `; sanitize` does with one
    #[arg(long)]
    sanitize: bool,
    #[command(flatten)]
    engine: EngineArgs,
    /// Define a constant for the sources; 1 when no value is given
    #[arg(short = 'D', long = "define", value_name = "NAME=V", value_parser = crate::cli::define)]
    defines: Vec<(String, i128)>,
    /// Folder to search for included files, after the including file's own
    #[arg(short = 'I', long = "include", value_name = "DIR", value_parser = crate::cli::include_folder())]
    include_dirs: Vec<PathBuf>,
}

/// Runs them all, in parallel; the exit code is 1 when any failed.
pub fn test(args: &TestArgs) -> Result<u8> {
    let programs = discovery::unit_programs(&args.paths)?;
    if programs.is_empty() {
        bail!("no unit programs, files named test_*.sda, in {}", searched(&args.paths));
    }
    let options = sda::Options {
        defines: args.defines.clone(),
        include_dirs: args.include_dirs.clone(),
        ..sda::Options::default()
    };
    let EngineArgs { engine, patience } = args.engine;
    let bounds = unit_test::Bounds { max: args.max, sanitize: args.sanitize, engine, patience };
    let verdicts: Vec<Verdict> =
        programs.par_iter().map(|program| unit_test::run(program, &options, bounds)).collect();
    let both = programs.iter().zip(&verdicts);
    let (passed, failed): (Vec<_>, Vec<_>) = both.partition(|(_, verdict)| verdict.passed());
    let mut out = String::new();
    // The failures last, where they are seen.
    for (program, verdict) in passed.iter().chain(&failed) {
        describe(program, verdict, &mut out);
    }
    let (passed, failed) = (passed.len(), failed.len());
    let _ = writeln!(out, "{passed} passed, {failed} failed");
    output::print(out.as_bytes())?;
    Ok(u8::from(failed > 0))
}

fn searched(paths: &[PathBuf]) -> String {
    if paths.is_empty() {
        return format!("{} or the current folder", discovery::DEFAULT_FOLDERS.join(", "));
    }
    paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ")
}

fn describe(program: &Path, verdict: &Verdict, out: &mut String) {
    let word = if verdict.passed() { "ok  " } else { "FAIL" };
    let _ = writeln!(out, "{word} {}", program.display());
    for failure in &verdict.failures {
        for line in failure.trim_end().lines() {
            let _ = writeln!(out, "{}", format!("     {line}").trim_end());
        }
    }
}
