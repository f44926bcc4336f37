//! Compares `vc3 asm` with the assemblers people know, each on the same
//! program in its own words, both sides in turn in one run:
//! `cargo build --release -p vc3 && cargo run --release -p benches --example peers`.
//! Whole processes are measured: start, reading, assembling, writing; by their
//! processor time, so that others on the machine hardly matter. Linux.

use std::error::Error;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

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
    let vc3 = std::env::current_exe()?.with_file_name("vc3");
    if !vc3.exists() {
        return Err("there is no vc3 beside this program: `cargo build --release -p vc3`".into());
    }
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
    let before = seconds_of_children()?;
    let output = Command::new(program)
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("{} does not start: {error}", program.display()))?;
    if output.status.success() {
        Ok(seconds_of_children()? - before)
    } else {
        let text = String::from_utf8_lossy(&output.stderr);
        Err(text.lines().next().unwrap_or("it fails").to_string().into())
    }
}

/// Processor time of all children that have ended, user and system together.
fn seconds_of_children() -> Result<f64, Box<dyn Error>> {
    const TICKS_A_SECOND: f64 = 100.0;
    let stat = fs::read_to_string("/proc/self/stat")?;
    // The name in parentheses may hold blanks; fields 16 and 17 lie behind it.
    let (_, fields) = stat.rsplit_once(')').ok_or("no name in /proc/self/stat")?;
    let ticks: u64 = fields.split_whitespace().skip(13).take(2).flat_map(str::parse::<u64>).sum();
    Ok(ticks as f64 / TICKS_A_SECOND)
}
