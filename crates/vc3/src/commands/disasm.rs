//! `vc3 disasm FILE`: a program as source text.

use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Args;
use sda::disassemble::Disassembly;
use sda::{LARGEST_FILE, flow};

use crate::cli::SourceArgs;
use crate::{output, program};

#[derive(Debug, Args)]
pub struct DisasmArgs {
    /// A .prg, a raw binary or a .sda source
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Names from FILE, as `vc3 asm --sym` writes them; a source brings its own
    #[arg(long, value_name = "FILE")]
    sym: Option<PathBuf>,
    /// Name everything after its address, even if names are known
    #[arg(long, conflicts_with = "sym")]
    no_names: bool,
    /// Say beside each instruction its address, its bytes and its units of machine time
    #[arg(short, long)]
    addresses: bool,
    #[command(flatten)]
    source: SourceArgs,
}

/// Writes the source to the standard output.
pub fn disasm(args: &DisasmArgs) -> Result<u8> {
    let program = program::load(&args.file, &args.source)?.with_symbols(args.sym.as_deref())?;
    let segments = program.image.segments.iter();
    let symbols = program.symbols.as_ref().filter(|_| !args.no_names);
    let names = symbols.into_iter().flat_map(|symbols| symbols.labels());
    let disassembly = Disassembly {
        image: flow::Image::new(segments.map(|segment| (segment.address, &segment.bytes[..]))),
        entry: program.image.entry,
        names: names.map(|(address, name)| (address, name.to_string())).collect(),
        addresses: args.addresses,
    };
    let mut out = Counting { out: BufWriter::new(io::stdout().lock()), count: 0 };
    disassembly.write(&mut out).and_then(|()| out.flush()).context(output::STANDARD_OUTPUT)?;
    if out.count > LARGEST_FILE {
        let most = LARGEST_FILE >> 20;
        eprintln!("vc3: the source is too large to be assembled again: over {most} MB");
    }
    Ok(0)
}

/// Counts the bytes that are written.
struct Counting<W> {
    out: W,
    count: u64,
}

impl<W: Write> Write for Counting<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.count += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
