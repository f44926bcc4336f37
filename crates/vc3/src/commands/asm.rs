//! `vc3 asm FILE...`: sources to one program file.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use sda::{Files, HostFiles, Program};

use crate::cli::SourceArgs;
use crate::output::Outputs;
use crate::program;

#[derive(Debug, Args)]
pub struct AsmArgs {
    /// The sources; together they are one program
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The program file; unless given, the first FILE with .prg, .bin or .hex
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    /// What the program file is
    #[arg(long, value_enum, default_value_t = Format::Prg)]
    format: Format,
    /// Write a listing: addresses, bytes, machine time, source
    #[arg(long, value_name = "F")]
    list: Option<PathBuf>,
    /// Write symbols and lines as JSON, for run, trace and other tools
    #[arg(long, value_name = "F")]
    sym: Option<PathBuf>,
    /// Write a map of the banks and their use
    #[arg(long, value_name = "F")]
    map: Option<PathBuf>,
    /// Make warnings errors
    #[arg(short = 'W', value_name = "LEVEL", value_enum)]
    warnings: Option<WarningLevel>,
    #[command(flatten)]
    source: SourceArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// An image with its entry and segments
    Prg,
    /// The bytes alone, from the lowest to the highest
    Raw,
    /// Intel HEX
    Ihex,
}

impl Format {
    fn extension(self) -> &'static str {
        match self {
            Format::Prg => "prg",
            Format::Raw => "bin",
            Format::Ihex => "hex",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum WarningLevel {
    /// Every warning is an error
    Error,
}

/// Assembles, then writes every file that was asked for, or none.
pub fn asm(args: &AsmArgs) -> Result<u8> {
    let output = match &args.output {
        Some(output) => output.clone(),
        None => args.files[0].with_extension(args.format.extension()),
    };
    check_paths(args, &output)?;
    let options = sda::Options {
        warnings_are_errors: args.warnings == Some(WarningLevel::Error),
        ..args.source.options()
    };
    let host = FilesRead::default();
    let assembly = sda::assemble(&args.files, &host, &options);
    let program = program::report_diagnostics(assembly)?;
    check_sources_stay(args, &output, host.paths.borrow().iter())?;
    let mut outputs = Outputs::default();
    outputs.add(&output, image(&program, args.format)?)?;
    let mut add = |path: &Option<PathBuf>, text: &dyn Fn() -> String| match path {
        Some(path) => outputs.add(path, text().into_bytes()),
        None => Ok(()),
    };
    add(&args.list, &|| program.listing())?;
    add(&args.sym, &|| program.symbols_json())?;
    add(&args.map, &|| program.map())?;
    outputs.commit()?;
    Ok(0)
}

/// Two names for one file, or an output over a source, are slips.
fn check_paths(args: &AsmArgs, output: &Path) -> Result<()> {
    for file in &args.files {
        program::check_readable(file)?;
    }
    check_sources_stay(args, output, args.files.iter())?;
    let outputs = outputs(args, output);
    for (at, path) in outputs.iter().enumerate() {
        if outputs[..at].iter().any(|other| same_file(other, path)) {
            bail!("{} is named twice as a file to write", path.display());
        }
    }
    Ok(())
}

/// No output is one of `sources`. What is included and embedded is known only
/// after assembling.
fn check_sources_stay<'a>(
    args: &AsmArgs,
    output: &Path,
    sources: impl Iterator<Item = &'a PathBuf> + Clone,
) -> Result<()> {
    for path in outputs(args, output) {
        if sources.clone().any(|source| same_file(source, path)) {
            bail!("{} is a source; name another file to write", path.display());
        }
    }
    Ok(())
}

/// The files to write; `-`, the standard output, is none.
fn outputs<'a>(args: &'a AsmArgs, output: &'a Path) -> Vec<&'a Path> {
    let extra = [&args.list, &args.sym, &args.map].into_iter().flatten().map(PathBuf::as_path);
    [output].into_iter().chain(extra).filter(|path| *path != Path::new("-")).collect()
}

fn same_file(one: &Path, other: &Path) -> bool {
    one == other || resolved(one).is_some_and(|one| resolved(other) == Some(one))
}

/// The file's one name, whether it exists yet or not.
fn resolved(path: &Path) -> Option<PathBuf> {
    path.canonicalize().ok().or_else(|| {
        let folder = path.parent().filter(|folder| *folder != Path::new(""));
        let folder = folder.unwrap_or(Path::new(".")).canonicalize().ok()?;
        Some(folder.join(path.file_name()?))
    })
}

/// The host's files, with a list of those that were read.
#[derive(Default)]
struct FilesRead {
    paths: RefCell<BTreeSet<PathBuf>>,
}

impl Files for FilesRead {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.paths.borrow_mut().insert(path.to_path_buf());
        HostFiles.read(path)
    }

    fn exists(&self, path: &Path) -> bool {
        HostFiles.exists(path)
    }

    fn no_file(&self, path: &Path) -> Option<&'static str> {
        HostFiles.no_file(path)
    }
}

fn image(program: &Program, format: Format) -> Result<Vec<u8>> {
    match format {
        Format::Prg => Ok(program.prg()),
        Format::Raw => program.raw().context("cannot make a raw binary"),
        Format::Ihex => Ok(program.ihex().into_bytes()),
    }
}
