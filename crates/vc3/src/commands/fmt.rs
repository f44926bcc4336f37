//! `vc3 fmt PATH...`: sources in the one layout.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::Args;
use sda::{Files, HostFiles, LARGEST_FILE};

use crate::output::{self, Outputs};
use crate::{SOURCE_ERRORS, discovery};

#[derive(Debug, Args)]
pub struct FmtArgs {
    /// Sources, or folders to search for .sda files; - is the standard input, written to the standard output
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Change nothing; print the names of the files that would change, and exit with 1 if there are any
    #[arg(long)]
    check: bool,
}

/// Formats every file that is not in the layout yet, all of them or none.
pub fn fmt(args: &FmtArgs) -> Result<u8> {
    let standard = Path::new("-");
    if args.paths.iter().any(|path| path == standard) {
        if args.paths.len() > 1 {
            bail!("- stands alone: the standard input is one source");
        }
        return fmt_standard_input(args.check);
    }
    let mut outputs = Outputs::default();
    let mut differing = Vec::new();
    for path in discovery::sources(&args.paths)? {
        let bytes = HostFiles.read(&path);
        let bytes = bytes.with_context(|| format!("cannot read {}", path.display()))?;
        let source = text(&path.display().to_string(), bytes)?;
        let formatted = sda::fmt::format(&source);
        if formatted != source {
            if !args.check {
                outputs.add(&path, formatted.into_bytes())?;
            }
            differing.push(path);
        }
    }
    if args.check {
        let names = differing.iter().map(|path| format!("{}\n", path.display()));
        output::print(names.collect::<String>().as_bytes())?;
        return Ok(if differing.is_empty() { 0 } else { SOURCE_ERRORS });
    }
    outputs.commit()?;
    Ok(0)
}

fn fmt_standard_input(check: bool) -> Result<u8> {
    let mut bytes = Vec::new();
    let mut input = io::stdin().lock().take(LARGEST_FILE + 1);
    input.read_to_end(&mut bytes).context("cannot read the standard input")?;
    if bytes.len() as u64 > LARGEST_FILE {
        bail!("the standard input is over {} MB", LARGEST_FILE >> 20);
    }
    let source = text("the standard input", bytes)?;
    let formatted = sda::fmt::format(&source);
    if !check {
        output::print(formatted.as_bytes())?;
    } else if formatted != source {
        output::print(b"-\n")?;
        return Ok(SOURCE_ERRORS);
    }
    Ok(0)
}

fn text(name: &str, bytes: Vec<u8>) -> Result<String> {
    String::from_utf8(bytes).or_else(|error| {
        let at = error.utf8_error().valid_up_to();
        let line = error.as_bytes()[..at].iter().filter(|&&byte| byte == b'\n').count() + 1;
        bail!("{name}:{line}: the source is not UTF-8; no file was changed")
    })
}
