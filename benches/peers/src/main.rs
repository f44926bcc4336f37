//! Emulators of CPUs people know beside this one, on loops of the same kinds in
//! each one's own code; all take their turns in one run.
//! `cargo run --release --manifest-path benches/peers/Cargo.toml`, with
//! `--rounds N` and names of peers to choose some.

mod motorola;
mod ours;
mod riscv;
mod six502;
mod uxn;

use std::error::Error;
use std::process::ExitCode;

use benches::spread::{Spread, geometric_mean, spread};
use cpu_time::ProcessTime;

/// Instructions of one run; so many that what compiles has done so.
const INSTRUCTIONS: u64 = 100_000_000;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// What a loop does, in every CPU's own code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Loop {
    /// A counter and the branch behind it.
    Countdown,
    /// Arithmetic and logic in registers.
    Arithmetic,
    /// Memory copied byte by byte.
    Copy,
    /// Small routines, saved registers, conditional branches.
    Calls,
}

impl Loop {
    const ALL: [Loop; 4] = [Loop::Countdown, Loop::Arithmetic, Loop::Copy, Loop::Calls];

    fn name(self) -> &'static str {
        match self {
            Loop::Countdown => "countdown",
            Loop::Arithmetic => "arithmetic",
            Loop::Copy => "copy",
            Loop::Calls => "calls",
        }
    }
}

/// An emulator.
struct Peer {
    name: &'static str,
    /// What it is.
    what: &'static str,
    /// Runs about so many instructions of a loop on a fresh machine.
    run: fn(Loop, u64) -> Result<Run>,
}

/// What a run took.
struct Run {
    instructions: u64,
    seconds: f64,
}

impl Run {
    /// Measures work that answers how many instructions it executed, by the
    /// processor's time, so that others on the host hardly matter.
    fn of(work: impl FnOnce() -> Result<u64>) -> Result<Run> {
        let begin = ProcessTime::try_now()?;
        let instructions = work()?;
        Ok(Run { instructions, seconds: begin.try_elapsed()?.as_secs_f64() })
    }

    /// Millions of instructions a second.
    fn rate(&self) -> f64 {
        self.instructions as f64 / 1e6 / self.seconds
    }
}

/// Whether a loop is still where it should be: a program that was assembled
/// wrongly leaves its code.
fn stay(a_loop: Loop, at: u64, start: u64, length: usize) -> Result<()> {
    if (start..start + length as u64).contains(&at) {
        Ok(())
    } else {
        Err(format!("its {} went astray, to {at:#x}", a_loop.name()).into())
    }
}

/// The first of these are ours.
const PEERS: [Peer; 12] = [
    Peer { name: "vc3 plain", what: "SD-8516; safe Rust", run: ours::plain },
    Peer { name: "vc3 fast", what: "SD-8516; safe Rust", run: ours::fast },
    Peer { name: "vc3 jit", what: "SD-8516; compiles, with Cranelift", run: ours::jit },
    Peer {
        name: "raven",
        what: "Uxn, 64 KB, a stack machine without flags; safe Rust",
        run: uxn::safe,
    },
    Peer { name: "raven native", what: "the same; x86-64 assembly", run: uxn::native },
    Peer { name: "m68k", what: "68000, bus cycles exact; Rust", run: motorola::m68k },
    Peer {
        name: "m68k batch",
        what: "68020, no cycles; Rust, decodes once, compiles hot loops with Cranelift",
        run: motorola::m68k_batch,
    },
    Peer { name: "r68k", what: "68000, a port of Musashi; Rust", run: motorola::r68k },
    Peer {
        name: "Musashi",
        what: "68000, counts cycles; C, as in the Python package machine68k",
        run: motorola::musashi,
    },
    Peer { name: "mos6502", what: "6502, counts cycles; safe Rust", run: six502::mos6502 },
    Peer { name: "w65c02s", what: "65C02, bus cycles exact; Rust", run: six502::w65c02s },
    Peer { name: "ckb-vm", what: "RISC-V, RV64IMC, no flags; x86-64 assembly", run: riscv::ckb_vm },
];
const OURS: usize = 3;

fn main() -> ExitCode {
    match compare() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn compare() -> Result<()> {
    let (rounds, names) = arguments()?;
    let is_chosen = |(index, peer): &(usize, &Peer)| {
        *index < OURS || names.is_empty() || names.iter().any(|name| name == peer.name)
    };
    let peers: Vec<&Peer> =
        PEERS.iter().enumerate().filter(is_chosen).map(|(_, peer)| peer).collect();
    let mut results: Vec<Figures> = peers.iter().map(|_| Ok(Default::default())).collect();
    for _ in 0..rounds {
        for (index, a_loop) in Loop::ALL.into_iter().enumerate() {
            for (peer, figures) in peers.iter().zip(&mut results) {
                let Ok(rates) = figures else { continue };
                match (peer.run)(a_loop, INSTRUCTIONS) {
                    Ok(run) => rates[index].push(run.rate()),
                    Err(reason) => *figures = Err(reason.to_string()),
                }
            }
        }
    }
    print(&peers, &results, rounds);
    Ok(())
}

/// Millions of instructions a second of all rounds, for every loop; or why
/// there are none.
type Figures = std::result::Result<[Vec<f64>; 4], String>;

/// How many rounds, and the peers.
fn arguments() -> Result<(usize, Vec<String>)> {
    let mut rounds = 7;
    let mut names = Vec::new();
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        if word == "--rounds" {
            rounds = words
                .next()
                .and_then(|n| n.parse().ok())
                .filter(|&n| n > 0)
                .ok_or("--rounds takes a number of 1 or more")?;
        } else if PEERS.iter().any(|peer| peer.name == word) {
            names.push(word);
        } else {
            let known: Vec<&str> = PEERS.iter().map(|peer| peer.name).collect();
            return Err(format!("no peer {word}; there are: {}", known.join(", ")).into());
        }
    }
    Ok((rounds, names))
}

fn print(peers: &[&Peer], results: &[Figures], rounds: usize) {
    println!("Million instructions a second of processor time: medians of {rounds} rounds");
    println!("(lowest-highest), and how many times as many each of ours does, by the means.\n");
    let loops = Loop::ALL.map(Loop::name).join(" | ");
    println!("| emulator | {loops} | geometric mean | plain | fast | jit |");
    println!("|---|---|---|---|---|---|---|---|---|");
    let ours: Vec<Option<f64>> = results[..OURS].iter().map(mean).collect();
    for (peer, figures) in peers.iter().zip(results) {
        let rates = match figures {
            Ok(rates) => rates,
            Err(reason) => {
                println!("| {} | skipped: {reason} | | | | | | | |", peer.name);
                continue;
            }
        };
        let cells: Vec<String> = rates.iter().map(|rates| cell(spread(rates))).collect();
        let mean = mean(figures).unwrap_or_default();
        let ratios: Vec<String> =
            ours.iter().map(|ours| ours.map_or("–".into(), |ours| ratio(ours / mean))).collect();
        println!("| {} | {} | {mean:.0} | {} |", peer.name, cells.join(" | "), ratios.join(" | "));
    }
    println!();
    for peer in peers {
        println!("* {}: {}", peer.name, peer.what);
    }
}

/// The geometric mean of the medians.
fn mean(figures: &Figures) -> Option<f64> {
    let rates = figures.as_ref().ok()?;
    Some(geometric_mean(rates.iter().map(|rates| spread(rates).median)))
}

fn cell(spread: Spread) -> String {
    let Spread { median, lowest, highest } = spread;
    format!("{median:.0} ({lowest:.0}-{highest:.0})")
}

fn ratio(ratio: f64) -> String {
    if ratio < 10.0 { format!("{ratio:.1}") } else { format!("{ratio:.0}") }
}
