//! `cargo run -p tools -- generate` writes every generated table of Rogueima;
//! `check` only says which of them differ from their data. `vectors` writes
//! the single-step vectors.

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Result, bail};

fn main() -> ExitCode {
    let command = std::env::args().nth(1).unwrap_or_default();
    match run(&command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(command: &str) -> Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    match command {
        "generate" => {
            for path in tools::generate(&root)? {
                println!("wrote {path}");
            }
            Ok(())
        }
        "vectors" => {
            let written = tools::vectors::write(&root)?;
            println!("wrote {} files to {}", written.len(), tools::vectors::FOLDER);
            Ok(())
        }
        "check" => {
            let stale = tools::stale(&root)?;
            if stale.is_empty() {
                return Ok(());
            }
            bail!("stale, run `cargo run -p tools -- generate`: {}", stale.join(", "))
        }
        _ => bail!("usage: tools generate | check | vectors"),
    }
}
