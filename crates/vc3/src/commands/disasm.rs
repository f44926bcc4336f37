//! `vc3 disasm FILE`: a program as source text.

use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Args;

use crate::cli::SourceArgs;
use crate::{disassembly, output, program};

#[derive(Debug, Args)]
pub struct DisasmArgs {
    /// A .prg, a raw binary or a .sda source
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    source: SourceArgs,
}

/// Writes the source to the standard output.
pub fn disasm(args: &DisasmArgs) -> Result<u8> {
    let program = program::load(&args.file, &args.source)?;
    let mut out = BufWriter::new(io::stdout().lock());
    disassembly::write(&program.image, &mut out)
        .and_then(|()| out.flush())
        .context(output::STANDARD_OUTPUT)?;
    Ok(0)
}
