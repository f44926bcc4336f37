//! Bytes of memory that assembling takes for each source line, source text
//! included: the most that this process ever held, before and after. Linux.
//! `cargo run --release -p benches --example memory`.

use std::error::Error;
use std::hint::black_box;
use std::io;
use std::path::{Path, PathBuf};

use benches::process::Process;
use benches::sources::{self, Dialect};
use sda::{Files, Options, assemble};

/// One source, in memory.
struct Source(Vec<u8>);

impl Files for Source {
    fn read(&self, _path: &Path) -> io::Result<Vec<u8>> {
        Ok(self.0.clone())
    }

    fn exists(&self, _path: &Path) -> bool {
        true
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    println!("| source | lines | bytes a line |");
    println!("|---|---|---|");
    // Ascending: the peak of a process only grows.
    for lines in [10_000, 100_000, 1_000_000] {
        measure("plain", sources::plain(Dialect::Sda, lines))?;
    }
    measure("macros", sources::macros(1_000_000))?;
    Ok(())
}

fn measure(name: &str, source: String) -> Result<(), Box<dyn Error>> {
    let lines = source.lines().count();
    let source = Source(source.into_bytes());
    let this = Process::this();
    this.forget_peak()?;
    let before = this.peak()?;
    let assembly = assemble(&[PathBuf::from("a.sda")], &source, &Options::default());
    let after = this.peak()?;
    if assembly.program.is_none() {
        return Err(assembly.diagnostics.render(false).into());
    }
    black_box(&assembly);
    println!("| {name} | {lines} | {:.0} |", (after - before) as f64 / lines as f64);
    Ok(())
}
