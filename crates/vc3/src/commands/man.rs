//! `vc3 man`: the manual page, made by clap.

use std::io::Write;

use anyhow::Result;
use clap::CommandFactory;

use crate::cli::Cli;
use crate::output;

/// Writes the manual page to the standard output: vc3 itself, then every
/// command with its options.
pub fn man() -> Result<u8> {
    let mut page = Vec::new();
    let mut command = Cli::command();
    // `build` gives the commands their full names, such as `vc3 asm`.
    command.build();
    clap_mangen::Man::new(command.clone()).render(&mut page)?;
    for sub in command.get_subcommands().filter(|sub| sub.get_name() != "help") {
        let name = sub.get_name().to_uppercase();
        writeln!(page, ".SH \"COMMAND {name}\"")?;
        let man = clap_mangen::Man::new(sub.clone());
        man.render_synopsis_section(&mut page)?;
        man.render_description_section(&mut page)?;
        man.render_options_section(&mut page)?;
    }
    output::print(&page)?;
    Ok(0)
}
