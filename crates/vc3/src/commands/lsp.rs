//! `vc3 lsp`: the language server, over the standard input and output.

use std::io::{self, BufReader};

use anyhow::Result;

/// Serves one editor. The exit code is the protocol's: 0 after `shutdown`,
/// 1 when the client just went away.
pub fn lsp() -> Result<u8> {
    Ok(::lsp::serve(BufReader::new(io::stdin()), io::stdout().lock())?)
}
