//! `vc3 completions SHELL`: completion scripts, made by clap.

use anyhow::Result;
use clap::{Args, CommandFactory};
use clap_complete::Shell;

use crate::cli::Cli;
use crate::output;

#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// The shell to complete for
    shell: Shell,
}

/// Writes the script for the shell to the standard output.
pub fn completions(args: &CompletionsArgs) -> Result<u8> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "vc3", &mut script);
    output::print(&script)?;
    Ok(0)
}
