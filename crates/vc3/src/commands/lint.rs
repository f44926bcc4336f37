//! `vc3 lint PATH...`: what in a program is hardly meant.

use std::collections::{BTreeSet, HashSet};
use std::fs;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::Args;
use rayon::prelude::*;
use sda::lint::{CODES, Report, Rules, Shown, lint as examine, shown};
use sda::{Diagnostics, Explanation, HostFiles};

use crate::SOURCE_ERRORS;
use crate::cli::SourceArgs;
use crate::commands::asm::MessageFormat;
use crate::discovery;
use crate::output::print;
use crate::program::report_diagnostics;

#[derive(Debug, Args)]
pub struct LintArgs {
    /// The sources of one program, or folders: in them every source that no
    /// other one includes is a program
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Report these findings and warnings as errors, even where the source allows them: `error` for
    /// all, or the code of one
    #[arg(short = 'W', long = "deny", value_name = "CODE|error", value_parser = denied, value_delimiter = ',')]
    deny: Vec<String>,
    /// Leave out the findings and warnings with this code
    #[arg(short = 'A', long = "allow", value_name = "CODE", value_parser = code, value_delimiter = ',')]
    allow: Vec<String>,
    /// Write to the standard output what each routine does in fact, in the
    /// words of promises to put behind its label; nothing is examined
    #[arg(long)]
    promises: bool,
    /// How findings are written to the standard error
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = MessageFormat::Text)]
    message_format: MessageFormat,
    #[command(flatten)]
    source: SourceArgs,
}

/// Every code; the second word says the same.
const ALL: [&str; 2] = ["error", "all"];

/// Examines every program; 1 when something is found or wrong.
pub fn lint(args: &LintArgs) -> Result<u8> {
    let programs = programs(&args.paths)?;
    let all = args.deny.iter().any(|code| ALL.contains(&code.as_str()));
    let denied = match all {
        true => CODES.map(str::to_string).to_vec(),
        false => args.deny.clone(),
    };
    let rules = Rules { allowed: args.allow.clone(), denied };
    let options =
        sda::Options { kernal: true, allowed: args.allow.clone(), ..args.source.options() };
    if args.promises {
        return promises(&programs, &options);
    }
    let mut results: Vec<(Diagnostics, Report)> = programs
        .par_iter()
        .map(|files| {
            let mut assembly = sda::assemble(files, &HostFiles, &options);
            let report = examine(&assembly, &rules);
            // Only now: after an error there is no program to examine.
            assembly.diagnostics.deny(|code| all || args.deny.iter().any(|one| one == code));
            (assembly.diagnostics, report)
        })
        .collect();

    // A note is of use when one program needs it; what several programs
    // include is said once.
    let used: HashSet<(String, u32)> =
        results.iter().flat_map(|(_, report)| report.used_notes.iter().cloned()).collect();
    let mut said = HashSet::new();
    let mut found = false;
    for (messages, report) in &mut results {
        for routine in &report.given_up {
            eprintln!("vc3: `{routine}` is too tangled; nothing is said about its registers");
        }
        report.unused_notes.retain(|file, line, _, _| !used.contains(&(file.to_string(), line)));
        for list in [messages, &mut report.findings, &mut report.unused_notes] {
            list.retain(|file, line, column, one| {
                said.insert((file.to_string(), line, column, one.code(), one.message().to_string()))
            });
            found |= !list.is_empty();
            say(list, args.message_format);
        }
    }
    Ok(if found { SOURCE_ERRORS } else { 0 })
}

/// What the routines do in fact, each once.
fn promises(programs: &[Vec<PathBuf>], options: &sda::Options) -> Result<u8> {
    let mut said = HashSet::new();
    for files in programs {
        let program = report_diagnostics(sda::assemble(files, &HostFiles, options))?;
        for one in shown(&program) {
            let line = promise(&one);
            if said.insert(line.clone()) {
                print(line.as_bytes())?;
            }
        }
    }
    Ok(0)
}

/// `file:line: label: .clobbers A, B .returns CF`
fn promise(one: &Shown) -> String {
    let names: Vec<&str> = one.changed.iter().map(|reg| reg.name()).collect();
    let pure = if one.pure { " .pure" } else { "" };
    let clobbers = format!(" .clobbers {}", names.join(", "));
    let returns = if one.carry { " .returns CF" } else { "" };
    let Shown { label, file, line, .. } = one;
    format!("{file}:{line}: {label}:{pure}{}{returns}\n", clobbers.trim_end())
}

fn say(list: &Diagnostics, format: MessageFormat) {
    let text = match format {
        MessageFormat::Json => list.json(),
        MessageFormat::Text => {
            let no_colour = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
            list.render(io::stderr().is_terminal() && !no_colour)
        }
    };
    let _ = io::stderr().write_all(text.as_bytes());
}

/// The files of each program. Files that are named are one.
fn programs(paths: &[PathBuf]) -> Result<Vec<Vec<PathBuf>>> {
    let mut named = Vec::new();
    let mut programs = Vec::new();
    for path in paths {
        let metadata =
            path.metadata().with_context(|| format!("cannot read {}", path.display()))?;
        if metadata.is_dir() {
            let sources = discovery::sources(std::slice::from_ref(path))?;
            if sources.is_empty() {
                bail!("there is no source in {}", path.display());
            }
            programs.extend(not_included(sources).into_iter().map(|file| vec![file]));
        } else {
            named.push(path.clone());
        }
    }
    if !named.is_empty() {
        programs.insert(0, named);
    }
    Ok(programs)
}

/// The sources that none of the others includes.
fn not_included(sources: Vec<PathBuf>) -> Vec<PathBuf> {
    let included: BTreeSet<PathBuf> =
        sources.iter().flat_map(|source| inclusions(source)).collect();
    let is_own =
        |source: &PathBuf| source.canonicalize().map_or(true, |source| !included.contains(&source));
    sources.into_iter().filter(is_own).collect()
}

/// The files that the lines of a source include.
fn inclusions(source: &Path) -> Vec<PathBuf> {
    let text = fs::read(source).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let folder = source.parent().unwrap_or(Path::new(""));
    let named = text.lines().filter_map(|line| {
        let (directive, rest) = line.trim_start().split_at_checked(".include".len())?;
        let rest = rest.trim_start().strip_prefix('"')?;
        directive.eq_ignore_ascii_case(".include").then(|| rest.split('"').next()).flatten()
    });
    named.filter_map(|name| folder.join(name).canonicalize().ok()).collect()
}

fn denied(word: &str) -> Result<String, String> {
    if ALL.contains(&word) { Ok(word.to_string()) } else { code(word) }
}

fn code(word: &str) -> Result<String, String> {
    match Explanation::of(word) {
        Some(page) if page.is_finding() || page.is_warning() => Ok(page.code.to_string()),
        Some(page) => Err(format!("{} is an error of the assembler", page.code)),
        None => Err(format!("no finding has the code `{word}`, `vc3 explain` lists them")),
    }
}
