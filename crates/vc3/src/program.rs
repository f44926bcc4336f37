//! A program from a file: `.sda` sources are assembled, `.prg` and raw
//! binaries are checked.

use std::fs::File;
use std::io::{self, IsTerminal, Read, Write};
use std::path::Path;

use anyhow::{Context, Result, bail};
use isa::memory_map::{ADDRESS_MASK, MEMORY_SIZE};
use sd8516::Image;
use sda::{Assembly, Diagnostics, Expectation, HostFiles};

use crate::cli::SourceArgs;
use crate::failure::Failure;
use crate::number;
use crate::session::KnownProgram;
use crate::symbols::SymbolTable;

/// The largest file that can be an image: all of memory, and headers for
/// the most segments.
const LARGEST_FILE: u64 = MEMORY_SIZE as u64 + 6 * 65_536 + 9;

/// What the standard input is called where a file is wanted.
const STANDARD_INPUT: &str = if cfg!(windows) { "no file" } else { "/dev/stdin" };

/// The largest file that can be symbols: several times what the largest
/// program has.
const LARGEST_SYMBOLS: u64 = 256 << 20;

/// A program that can be started.
pub struct Program {
    /// The program's bytes, checked.
    pub image: Image,
    /// Its symbols and lines, when it was assembled here.
    pub symbols: Option<SymbolTable>,
    /// What its `.expect` statements want.
    pub expectations: Vec<Expectation>,
}

impl Program {
    /// The program with the symbols of a file, if one is named.
    pub fn with_symbols(self, file: Option<&Path>) -> Result<Program> {
        let Some(file) = file else { return Ok(self) };
        let bytes = read(file, LARGEST_SYMBOLS)?;
        let bytes = bytes.with_context(|| {
            format!("{} is no symbol file: it is larger than 256 MB", file.display())
        })?;
        let symbols = std::str::from_utf8(&bytes)
            .map_err(anyhow::Error::from)
            .and_then(SymbolTable::from_json)
            .with_context(|| format!("{} is no symbol file", file.display()))?;
        Ok(Program { symbols: Some(symbols), ..self })
    }

    /// The address that `text` means: a label, `label+3`, or a number.
    pub fn address_of(&self, text: &str) -> Result<u32> {
        let (label, offset) = match text.rsplit_once('+') {
            Some((label, offset)) => (label, number::parse(offset)),
            None => (text, Some(0)),
        };
        let known = self.symbols.as_ref().and_then(|symbols| symbols.address(label));
        let base = known.map(u64::from).or_else(|| number::parse(label));
        let address = base.zip(offset).and_then(|(base, offset)| base.checked_add(offset));
        let address = address.and_then(|address| u32::try_from(address).ok());
        if let Some(address) = address.filter(|address| *address <= ADDRESS_MASK) {
            return Ok(address);
        }
        if self.symbols.is_none() {
            bail!("{text} is no address, and without symbols no label is known (--sym F)");
        }
        bail!("the program has no label {text}")
    }

    /// The program as one whose symbols are known, if they are.
    pub fn known(&self) -> Vec<KnownProgram> {
        let symbols = self.symbols.iter().cloned();
        symbols.map(|symbols| KnownProgram::assembled(self.image.clone(), symbols)).collect()
    }
}

/// Loads `file`. Errors of a source are [`Failure::Source`].
pub fn load(file: &Path, source: &SourceArgs) -> Result<Program> {
    if is_source(file) { assemble(file, &source.options()) } else { image(file, source.kernal) }
}

/// Assembles one source into a program; warnings go to standard error.
pub fn assemble(file: &Path, options: &sda::Options) -> Result<Program> {
    check_readable(file)?;
    let assembly = sda::assemble(&[file.to_path_buf()], &HostFiles, options);
    from_assembly(report_diagnostics(assembly)?, options.kernal)
        .with_context(|| format!("cannot load {}", file.display()))
}

/// What can be started of what the assembler made.
pub fn from_assembly(program: sda::Program, kernal: bool) -> Result<Program> {
    Ok(Program {
        image: Image::parse(&program.prg(), kernal)?,
        symbols: Some(SymbolTable::of(&program)),
        expectations: program.expectations,
    })
}

/// The program, after its warnings went to standard error; errors become a
/// [`Failure::Source`].
pub fn report_diagnostics(assembly: Assembly) -> Result<sda::Program> {
    let text = render(&assembly.diagnostics);
    match assembly.program {
        Some(program) => {
            if !assembly.diagnostics.is_empty() {
                let _ = io::stderr().write_all(text.as_bytes());
            }
            Ok(program)
        }
        None => Err(Failure::Source(text).into()),
    }
}

/// Checks that a source named on the command line can be opened, so that a
/// slip there is not reported as an error in a source.
pub fn check_readable(file: &Path) -> Result<()> {
    open(file).map(drop)
}

fn render(diagnostics: &Diagnostics) -> String {
    let no_colour = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    diagnostics.render(io::stderr().is_terminal() && !no_colour)
}

/// Whether `file` is named as a source is.
pub fn is_source(file: &Path) -> bool {
    file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("sda"))
}

fn image(file: &Path, kernal: bool) -> Result<Program> {
    let bytes = read(file, LARGEST_FILE)?.with_context(|| {
        format!("{} is not a program: it is larger than the machine's memory", file.display())
    })?;
    let image = Image::parse(&bytes, kernal)
        .with_context(|| format!("{} is not a program", file.display()))?;
    Ok(Program { image, symbols: None, expectations: Vec::new() })
}

fn open(file: &Path) -> Result<File> {
    if file == Path::new("-") && !file.exists() {
        bail!("cannot read -: the standard input is {STANDARD_INPUT} here");
    }
    let opened = File::open(file).with_context(|| format!("cannot read {}", file.display()))?;
    if opened.metadata().is_ok_and(|metadata| metadata.is_dir()) {
        bail!("cannot read {}: it is a folder", file.display());
    }
    Ok(opened)
}

/// Reads a file that may never end; `None` when it has more than `most` bytes.
fn read(file: &Path, most: u64) -> Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    open(file)?
        .take(most + 1)
        .read_to_end(&mut bytes)
        .with_context(|| format!("cannot read {}", file.display()))?;
    Ok((bytes.len() as u64 <= most).then_some(bytes))
}
