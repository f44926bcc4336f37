//! How cost grows: instructions a second with the size of a program and with
//! the memory that it goes through, on each engine; and what a copy of a
//! machine and a snapshot take with the memory that was touched. Processor
//! time, medians of several rounds.
//! `cargo run --release -p benches --example growth`.

use std::error::Error;
use std::fmt::Write;
use std::hint::black_box;

use benches::spread::spread;
use benches::{assemble_text, engines, services, start};
use cpu_time::ProcessTime;
use sd8516::{Engine, Image, Machine};

/// Rounds of everything.
const ROUNDS: usize = 5;
/// Instructions that are measured, after a program's first round.
const INSTRUCTIONS: u64 = 20_000_000;
/// Instructions of a program's code.
const SIZES: [u64; 5] = [100, 1_000, 10_000, 100_000, 1_000_000];
/// Bytes that a copy goes through; the last is nearly all that programs have.
const WINDOWS: [u32; 6] = [4 << 10, 64 << 10, 512 << 10, 2 << 20, 8 << 20, 14 << 20];
/// Bytes of memory that a machine has touched.
const TOUCHED: [u32; 5] = [0, 64 << 10, 1 << 20, 4 << 20, 14 << 20];

/// Where data begins.
const DATA: u32 = 0x10_0000;
/// A variable that lies behind all code.
const VARIABLE: u32 = 0xEF_0000;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> Result<()> {
    grow_code()?;
    grow_data()?;
    grow_memory()
}

fn grow_code() -> Result<()> {
    heading("instructions of code", &["first round", "then"]);
    for size in SIZES {
        let image = assemble_text(&straight(size));
        let mut figures: Vec<[Vec<f64>; 2]> = engines().map(|_| Default::default()).collect();
        for _ in 0..ROUNDS {
            for (engine, [first, then]) in engines().zip(&mut figures) {
                let mut machine = on(engine, &image);
                first.push(rate(&mut machine, size)?);
                then.push(rate(&mut machine, INSTRUCTIONS)?);
            }
        }
        row(size, figures.iter().flatten().map(|figures| spread(figures).median));
    }
    Ok(())
}

fn grow_data() -> Result<()> {
    heading("bytes gone through", &[""]);
    for window in WINDOWS {
        let image = assemble_text(&copy(window));
        let mut figures: Vec<Vec<f64>> = engines().map(|_| Vec::new()).collect();
        for _ in 0..ROUNDS {
            for (engine, figures) in engines().zip(&mut figures) {
                let mut machine = on(engine, &image);
                // Until the host has given it all its memory.
                rate(&mut machine, 2_000_000)?;
                figures.push(rate(&mut machine, INSTRUCTIONS)?);
            }
        }
        row(window.into(), figures.iter().map(|figures| spread(figures).median));
    }
    Ok(())
}

fn grow_memory() -> Result<()> {
    println!();
    println!("| bytes touched | copy, µs | snapshot: KB of JSON | save, ms | load, ms |");
    println!("|---|---|---|---|---|");
    for touched in TOUCHED {
        let mut machine = Machine::new();
        let bytes: Vec<u8> = (0..touched).map(|number| number as u8 | 1).collect();
        machine.memory_mut().copy_in(DATA, &bytes);
        let text = serde_json::to_string(&machine)?;
        let [mut copies, mut saves, mut loads] = [const { Vec::new() }; 3];
        for _ in 0..ROUNDS {
            copies.push(seconds(|| Ok(machine.clone()))? * 1e6);
            saves.push(seconds(|| Ok(serde_json::to_string(&machine)?))? * 1e3);
            loads.push(seconds(|| Ok(serde_json::from_str::<Machine>(&text)?))? * 1e3);
        }
        let [copies, saves, loads] = [copies, saves, loads].map(|figures| spread(&figures).median);
        let kilobytes = text.len() >> 10;
        println!("| {touched} | {copies:.0} | {kilobytes} | {saves:.1} | {loads:.1} |");
    }
    Ok(())
}

/// A program of so many instructions that are executed one after the other,
/// and again: ten kinds, each ten with numbers of their own.
fn straight(instructions: u64) -> String {
    let mut source = String::from(".address $030000\nstart:\n");
    for n in 0..instructions / 10 {
        let (number, limit) = (n % 60_000, n % 1_000);
        // Writing into a string cannot fail.
        let _ = write!(
            source,
            "r{n}:\n    LDA {number}\n    ADD B, A\n    XOR X, B\n    CMP X, {limit}\n    \
             JZ .skip\n    INC C\n.skip:\n    STC [${VARIABLE:06X}]\n    MOV Y, X\n    SHR Y, 3\n    \
             AND Y, $FF\n",
        );
    }
    source + "    JMP @start\n"
}

/// A program that copies the first half of a window to the second, a word of
/// every 64 bytes.
fn copy(window: u32) -> String {
    let (half, from) = (window / 2, DATA);
    let (to, count) = (from + half, half / 64);
    format!(
        "start:\n    LDELM ${from:06X}\n    LDFLD ${to:06X}\n    LDXY #{count}\n.next:\n    \
         LDAB [ELM]\n    STAB [FLD]\n    ADD ELM, 64\n    ADD FLD, 64\n    DEC XY\n    \
         JNZ .next\n    JMP @start\n"
    )
}

fn on(engine: Engine, image: &Image) -> Machine {
    let mut machine = start(image);
    machine.set_engine(engine);
    machine
}

/// Millions of instructions a second while so many more are executed.
fn rate(machine: &mut Machine, instructions: u64) -> Result<f64> {
    let until = machine.units() + instructions;
    let seconds = seconds(|| Ok(black_box(machine.run(&mut services(), until))))?;
    Ok(instructions as f64 / 1e6 / seconds)
}

/// Seconds of the processor's time; what was made is given back outside of it.
fn seconds<T>(work: impl FnOnce() -> Result<T>) -> Result<f64> {
    let begin = ProcessTime::try_now()?;
    let made = work()?;
    let seconds = begin.try_elapsed()?.as_secs_f64();
    drop(black_box(made));
    Ok(seconds)
}

/// A table's head, with columns of these names for each engine.
fn heading(what: &str, columns: &[&str]) {
    let names: Vec<String> = engines()
        .flat_map(|engine| columns.iter().map(move |column| format!("{engine} {column}")))
        .collect();
    let names: Vec<&str> = names.iter().map(|name| name.trim()).collect();
    println!("\n| {what} | {} |", names.join(" | "));
    println!("|---|{}", "---|".repeat(names.len()));
}

fn row(what: u64, figures: impl Iterator<Item = f64>) {
    let cells: Vec<String> = figures
        .map(|figure| if figure < 10.0 { format!("{figure:.1}") } else { format!("{figure:.0}") })
        .collect();
    println!("| {what} | {} |", cells.join(" | "));
}
