//! `vc3` and `vc3 play NAME`: the programs that vc3 carries, started by the
//! shell in the terminal, or by themselves without one.

use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, bail};
use bios::{Disk, Layered, MemoryDisk, Name};
use clap::Args;
use sd8516::{Image, Input, Machine};

use super::run::{self, RunOptions};
use crate::cli::{LiveArgs, ProgramArgs, Speed};
use crate::data_folder;
use crate::headless;
use crate::session::{KnownProgram, PlaySession, Session};
use crate::shipped::{self, Shipped};
use crate::term;

/// What `vc3` without a command starts.
const GAME: &str = "rogueima";

#[derive(Debug, Args)]
pub struct PlayArgs {
    /// The program's name, such as rogueima
    name: String,
    #[command(flatten)]
    args: ProgramArgs,
    #[command(flatten)]
    options: RunOptions,
}

/// Boots the shell, which starts the game.
pub fn boot(live: &LiveArgs) -> Result<u8> {
    // Without the game there is still the prompt.
    let first = shipped::by_name(GAME).map_or(String::new(), |game| game.name.to_uppercase());
    play_in_shell(live, &first)
}

/// Starts a carried program. The carried programs are on its disk.
pub fn play(args: &PlayArgs) -> Result<u8> {
    args.options.check()?;
    let program = find(&args.name)?;
    let options = &args.options;
    if options.headless || program.kernal || shipped::kernal().is_none() {
        let disk = with_carried(headless::disk(options.machine.disk.as_deref())?)?;
        let image = image(program)?;
        return run::start(&image, &args.args.args, options, disk, known()?);
    }
    let live = LiveArgs {
        seed: options.machine.seed,
        disk: options.machine.disk.clone(),
        speed: options.speed.unwrap_or(Speed::Auto),
        no_colour: options.no_colour,
        engine: options.engine,
    };
    let words: Vec<String> =
        [program.name.to_uppercase()].into_iter().chain(args.args.args.iter().cloned()).collect();
    play_in_shell(&live, &words.join(" "))
}

/// Boots the shell with its first command, which may be empty.
pub fn play_in_shell(live: &LiveArgs, first: &str) -> Result<u8> {
    term::check_terminal()?;
    let kernal = shipped::kernal().context("this vc3 carries no shell")?;
    let mut machine = Machine::new();
    machine.set_seed(live.seed.unwrap_or_else(seed_from_the_clock));
    machine.set_input(Input::Live);
    let arguments = headless::argument_string(&[first.to_string()])?;
    machine.start(&image(kernal)?, &arguments)?;
    let folder = match &live.disk {
        Some(folder) => folder.clone(),
        None => data_folder::disk_folder()?,
    };
    let disk = with_carried(Box::new(headless::open_disk(&folder)?))?;
    let mut session = Session::new(machine, disk, known()?);
    session.set_engine(live.engine.engine, live.engine.patience);
    let no_colour = live.no_colour;
    term::play(PlaySession { session, speed: live.speed, no_colour, kernal: true })
}

/// The user's disk over the carried programs.
fn with_carried(disk: Box<dyn Disk + Send>) -> Result<Box<dyn Disk + Send>> {
    let mut carried = MemoryDisk::new();
    for program in shipped::ALL.iter().filter(|program| !program.kernal) {
        let name = Name::new(program.file_name().as_bytes())?;
        carried.save(&name, program.image)?;
    }
    Ok(Box::new(Layered::new(disk, carried)))
}

/// The carried programs, with their symbols.
fn known() -> Result<Vec<KnownProgram>> {
    let programs = shipped::ALL.iter();
    programs.map(|program| Ok(KnownProgram::shipped(program, image(program)?))).collect()
}

fn find(name: &str) -> Result<&'static Shipped> {
    if let Some(program) = shipped::by_name(name) {
        return Ok(program);
    }
    let names: Vec<&str> = shipped::ALL.iter().map(|program| program.name).collect();
    bail!("vc3 carries no program {name}; it carries {}", names.join(", "))
}

fn image(program: &Shipped) -> Result<Image> {
    Image::parse(program.image, program.kernal)
        .with_context(|| format!("the carried program {} is damaged", program.name))
}

/// A game in the terminal is another one each time.
fn seed_from_the_clock() -> u32 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    (now.as_secs() as u32).rotate_left(16) ^ now.subsec_nanos()
}
