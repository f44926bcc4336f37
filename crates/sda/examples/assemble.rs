//! Assembles the given files and prints the messages and the listing:
//! `cargo run -p sda --example assemble FILE...`

use std::path::PathBuf;
use std::process::ExitCode;

use sda::{HostFiles, Options, assemble};

fn main() -> ExitCode {
    let files: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let assembly = assemble(&files, &HostFiles, &Options::default());
    eprint!("{}", assembly.diagnostics.render(false));
    match assembly.program {
        Some(program) => {
            print!("{}", program.listing());
            ExitCode::SUCCESS
        }
        None => ExitCode::FAILURE,
    }
}
