//! Compares `vc3 asm` with the assemblers people know, each on the same
//! program in its own words, both sides in turn in one run:
//! `cargo build --release -p vc3 && cargo run --release -p benches --example peers`.
//! Whole processes are measured: start, reading, assembling, writing; by their
//! processor time, so that others on the machine hardly matter. Linux.

use std::error::Error;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use benches::process::Process;
use benches::sources::{self, Dialect};

/// Runs of each side.
const ROUNDS: usize = 20;

/// An assembler, how it is called, and lines that it can take: an assembler
/// for 64 KB of memory takes no more.
struct Peer {
    name: &'static str,
    program: &'static str,
    arguments: &'static [&'static str],
    dialect: Dialect,
    lines: usize,
}

/// Each writes `out` from `in`; no listings, symbols or reports.
const PEERS: [Peer; 4] = [
    Peer {
        name: "64tass",
        program: "64tass",
        arguments: &["--quiet", "--flat", "--nostart", "--long-address", "-o", "out", "in"],
        dialect: Dialect::Tass,
        lines: 200_000,
    },
    Peer {
        name: "ca65 (no linking)",
        program: "ca65",
        arguments: &["-o", "out", "in"],
        dialect: Dialect::Ca65,
        lines: 50_000,
    },
    Peer {
        name: "NASM",
        program: "nasm",
        arguments: &["-f", "bin", "-o", "out", "in"],
        dialect: Dialect::Nasm,
        lines: 50_000,
    },
    Peer {
        name: "ACME",
        program: "acme",
        arguments: &["-f", "plain", "-o", "out", "in"],
        dialect: Dialect::Acme,
        lines: 25_000,
    },
];

fn main() -> Result<(), Box<dyn Error>> {
    let vc3 = benches::command::built()?;
    let folder = tempfile::tempdir()?;
    println!("| assembler | lines | million lines a second | vc3 on as many | vc3 is faster by |");
    println!("|---|---|---|---|---|");
    for peer in &PEERS {
        match compare(&vc3, peer, folder.path()) {
            Ok((theirs, ours)) => {
                let rate = |seconds: f64| peer.lines as f64 / seconds / 1e6;
                println!(
                    "| {} | {} | {:.2} | {:.2} | {:.1} |",
                    peer.name,
                    peer.lines,
                    rate(theirs),
                    rate(ours),
                    theirs / ours
                );
            }
            Err(reason) => println!("| {} | – | skipped: {reason} | – | – |", peer.name),
        }
    }
    Ok(())
}

/// Seconds of processor time for one run of each side, the mean of all rounds.
fn compare(vc3: &Path, peer: &Peer, folder: &Path) -> Result<(f64, f64), Box<dyn Error>> {
    fs::write(folder.join("in"), sources::plain(peer.dialect, peer.lines))?;
    fs::write(folder.join("in.sda"), sources::plain(Dialect::Sda, peer.lines))?;
    let (mut theirs, mut ours) = (0.0, 0.0);
    for _ in 0..ROUNDS {
        theirs += run(Path::new(peer.program), peer.arguments, folder)?;
        ours += run(vc3, &["asm", "in.sda", "-o", "out.prg"], folder)?;
    }
    Ok((theirs / ROUNDS as f64, ours / ROUNDS as f64))
}

/// Seconds of processor time.
fn run(program: &Path, arguments: &[&str], folder: &Path) -> Result<f64, Box<dyn Error>> {
    let this = Process::this();
    let before = this.children_seconds()?;
    let output = Command::new(program)
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("{} does not start: {error}", program.display()))?;
    if output.status.success() {
        Ok(this.children_seconds()? - before)
    } else {
        let text = String::from_utf8_lossy(&output.stderr);
        Err(text.lines().next().unwrap_or("it fails").to_string().into())
    }
}
