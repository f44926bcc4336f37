//! `vc3`: play, write, assemble, run and trace programs for the SD-8516 in a
//! terminal. The only crate that talks to people.

mod accesses;
mod bench;
mod cli;
mod commands;
mod data_folder;
mod directives;
mod discovery;
mod failure;
mod files_read;
mod headless;
mod keys;
mod make_rule;
mod number;
mod output;
mod program;
mod screen;
mod session;
mod shipped;
mod svg;
mod symbols;
mod term;
mod tracing;
mod unit_test;
mod watching;

use std::io::{self, Write};
use std::process::ExitCode;

use clap::Parser;

use crate::cli::{Cli, Command};
use crate::failure::Failure;

/// Exit code of a wrong command line, and of a file that cannot be used.
const USAGE: u8 = 2;
/// Exit code of errors in a source.
const SOURCE_ERRORS: u8 = 1;

fn main() -> ExitCode {
    let words = cli::with_program_words(std::env::args_os()).unwrap_or_else(|slip| slip.exit());
    let cli = Cli::parse_from(words);
    let result = match &cli.command {
        None => commands::play::boot(&cli.live),
        Some(Command::Play(args)) => commands::play::play(args),
        Some(Command::Shell(args)) => commands::shell::shell(args),
        Some(Command::Asm(args)) => commands::asm::asm(args),
        Some(Command::Explain(args)) => commands::explain::explain(args),
        Some(Command::Disasm(args)) => commands::disasm::disasm(args),
        Some(Command::Fmt(args)) => commands::fmt::fmt(args),
        Some(Command::Lint(args)) => commands::lint::lint(args),
        Some(Command::Lsp) => commands::lsp::lsp(),
        Some(Command::Run(args)) => commands::run::run(args),
        Some(Command::Trace(args)) => commands::trace::trace(args),
        Some(Command::Test(args)) => commands::test::test(args),
        Some(Command::Bench(args)) => commands::bench::bench(args),
        Some(Command::Completions(args)) => commands::completions::completions(args),
        Some(Command::Man) => commands::man::man(),
    };
    let result = result.and_then(|code| match io::stdout().flush() {
        // The command has its result, whoever reads of it.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(code),
    });
    match result {
        Ok(code) => ExitCode::from(code),
        Err(error) => ExitCode::from(report(&error)),
    }
}

/// Says on standard error what went wrong; the result is the exit code. That
/// nobody reads the standard output any more, as in `vc3 trace x | head`, is
/// no error.
fn report(error: &anyhow::Error) -> u8 {
    if let Some(Failure::Source(diagnostics)) = error.downcast_ref() {
        let _ = write!(io::stderr(), "{diagnostics}");
        return SOURCE_ERRORS;
    }
    if let Some(Failure::Output(text)) = error.downcast_ref() {
        let _ = writeln!(io::stderr(), "vc3: {text}");
        return SOURCE_ERRORS;
    }
    if failure::is_broken_pipe(error) {
        return 0;
    }
    let _ = writeln!(io::stderr(), "vc3: {error:#}");
    USAGE
}
