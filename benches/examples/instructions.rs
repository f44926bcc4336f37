//! The host's instructions for each of the machine's, for a turn of the game
//! and for a line of source, counted by callgrind: the same on a busy host as
//! on a quiet one. Fails where a figure is more than three in the hundred above
//! the one on record in `benches/instructions.toml`.
//! `cargo run --release -p benches --example instructions`; with `--update` the
//! record is written anew. Needs valgrind.

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::hint::black_box;
use std::process::{Command, ExitCode};

use benches::loops::LOOPS;
use benches::sources::{self, Dialect};
use benches::{InMemory, assemble, assemble_text, engines, services, start, turns, workspace};
use sd8516::Engine;

/// How much more than on record is too much.
const TOLERANCE: f64 = 0.03;
/// Instructions of the machine by which the longer run of a loop is longer.
/// What is in both, the start and the translation of the code, cancels out.
const LONGER: u64 = 2_000_000;
/// Instructions of the shorter run.
const SHORTER: u64 = 1_000_000;
/// Lines of the longer source, twice those of the shorter one.
const LINES: usize = 20_000;
/// Where the record is.
const RECORD: &str = "benches/instructions.toml";

type Result<T> = std::result::Result<T, Box<dyn Error>>;
/// What is measured, by name; instructions of the host.
type Figures = BTreeMap<String, f64>;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let result = match words[..] {
        [] => measure().and_then(|figures| compare(&figures)),
        ["--update"] => measure().and_then(|figures| update(&figures)),
        // What callgrind runs.
        ["loop", engine, name, units] => run_loop(engine, name, units),
        ["turns", engine, times] => run_turns(engine, times),
        ["lines", source, lines] => assemble_lines(source, lines),
        _ => Err("the only argument is --update".into()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn measure() -> Result<Figures> {
    let mut figures = Figures::new();
    let (shorter, longer) = (SHORTER.to_string(), (SHORTER + LONGER).to_string());
    // Compiled code isn't counted: it takes the longer of both runs to be there.
    let counted = engines().filter(|&engine| engine != Engine::Jit);
    for engine in counted.map(Engine::name) {
        for a_loop in &LOOPS {
            let count = |units: &str| count(&["loop", engine, a_loop.name, units]);
            let figure = (count(&longer)? - count(&shorter)?) / LONGER as f64;
            figures.insert(format!("{} {engine}", a_loop.name), figure);
        }
        let count = |times: &str| count(&["turns", engine, times]);
        figures.insert(format!("turn {engine}"), (count("2")? - count("1")?) / turns::TURNS as f64);
    }
    let half = LINES / 2;
    for source in ["plain", "macros"] {
        let count = |lines: usize| count(&["lines", source, &lines.to_string()]);
        figures.insert(format!("line {source}"), (count(LINES)? - count(half)?) / half as f64);
    }
    Ok(figures)
}

/// The instructions of this program with these arguments.
fn count(words: &[&str]) -> Result<f64> {
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(std::env::current_exe()?)
        .args(words)
        .output()
        .map_err(|error| format!("cannot run valgrind: {error}"))?;
    let text = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        return Err(format!("{}: {text}", words.join(" ")).into());
    }
    let line = text.lines().find_map(|line| line.split_once("Collected : "));
    let (_, number) = line.ok_or_else(|| format!("callgrind told no count: {text}"))?;
    Ok(number.trim().parse()?)
}

fn compare(figures: &Figures) -> Result<()> {
    let text = fs::read_to_string(workspace(RECORD))?;
    let record: Figures = toml::from_str(&text)?;
    let mut worse = Vec::new();
    println!("{:<20} {:>12} {:>12}", "", "on record", "now");
    for (name, &now) in figures {
        let Some(&before) = record.get(name) else {
            println!("{name:<20} {:>12} {now:>12.2}", "-");
            worse.push(format!("{name} is not on record"));
            continue;
        };
        let change = now / before - 1.0;
        println!("{name:<20} {before:>12.2} {now:>12.2} {:>+7.1} %", change * 100.0);
        if change > TOLERANCE {
            worse.push(format!(
                "{name} takes {now:.2} instructions of the host, {:.1} % more than {before:.2}",
                change * 100.0
            ));
        }
    }
    if worse.is_empty() {
        return Ok(());
    }
    let advice = "if it is worth that, record it: \
        cargo run --release -p benches --example instructions -- --update";
    Err(format!("{}\n{advice}", worse.join("\n")).into())
}

fn update(figures: &Figures) -> Result<()> {
    let lines = figures.iter().map(|(name, figure)| format!("{name:?} = {figure:.2}\n"));
    let text: String = lines.collect();
    let heading = "# Instructions of the host, counted by callgrind, on x86-64 Linux:\n\
        # LOOP ENGINE for one instruction of the machine, turn ENGINE for one turn of\n\
        # Rogueima, line SOURCE for one line of such a source. Written by the example\n\
        # `instructions`.\n";
    fs::write(workspace(RECORD), format!("{heading}{text}"))?;
    println!("{heading}{text}");
    Ok(())
}

fn run_loop(engine: &str, name: &str, units: &str) -> Result<()> {
    let a_loop = LOOPS.iter().find(|a_loop| a_loop.name == name).ok_or("no such loop")?;
    let mut machine = start(&assemble_text(a_loop.source));
    machine.set_engine(engine.parse()?);
    black_box(machine.run(&mut services(), units.parse()?));
    Ok(())
}

fn run_turns(engine: &str, times: &str) -> Result<()> {
    let mut machine = turns::begun(&assemble("programs/rogueima/rogueima.sda"));
    machine.set_engine(engine.parse()?);
    for _ in 0..times.parse()? {
        turns::play(&mut machine);
    }
    Ok(())
}

fn assemble_lines(source: &str, lines: &str) -> Result<()> {
    let lines = lines.parse()?;
    let source = match source {
        "plain" => sources::plain(Dialect::Sda, lines),
        "macros" => sources::macros(lines),
        _ => return Err("no such source".into()),
    };
    black_box(InMemory::new(&source).assemble());
    Ok(())
}
