//! `vc3 run FILE [ARGS...]`: a program from a file, in the terminal or
//! without one.

use std::path::PathBuf;

use anyhow::{Result, bail};
use bios::Disk;
use clap::Args;
use sd8516::{Image, Input};

use crate::cli::{EngineArgs, MachineArgs, PrintArgs, ProgramArgs, SourceArgs, Speed};
use crate::program;
use crate::session::{KnownProgram, PlaySession};
use crate::{headless, term};

#[derive(Debug, Args)]
pub struct RunArgs {
    /// A .prg, a raw binary or a .sda source
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    pub args: ProgramArgs,
    #[command(flatten)]
    pub options: RunOptions,
    /// Symbols of FILE, as `vc3 asm --sym` writes them
    #[arg(long, value_name = "F")]
    sym: Option<PathBuf>,
    #[command(flatten)]
    source: SourceArgs,
}

/// Options of `run` and `play`.
#[derive(Debug, Args)]
pub struct RunOptions {
    /// Run without a terminal, at once and to the end
    #[arg(long)]
    pub headless: bool,
    /// How fast machine time passes: auto, real, max, or N times real [default: auto]
    #[arg(long, value_name = "SPEED", conflicts_with = "headless", allow_negative_numbers = true)]
    pub speed: Option<Speed>,
    /// Show no colours: bold, dim and underlined text instead, as with NO_COLOR
    #[arg(long, visible_alias = "no-color", conflicts_with = "headless")]
    pub no_colour: bool,
    #[command(flatten)]
    pub engine: EngineArgs,
    #[command(flatten)]
    pub machine: MachineArgs,
    #[command(flatten)]
    pub print: PrintArgs,
}

impl RunOptions {
    /// Checks that options which say nothing about a live terminal are not
    /// given for one.
    pub fn check(&self) -> Result<()> {
        let given = [
            ("--keys", self.machine.keys.is_some()),
            ("--max", self.machine.max.is_some()),
            ("--screen", self.print.screen.is_some()),
            ("--regs", self.print.regs),
            ("--dump", !self.print.dump.is_empty()),
        ];
        match given.iter().find(|(_, given)| *given && !self.headless) {
            Some((name, _)) => bail!("{name} needs --headless"),
            None => Ok(()),
        }
    }
}

/// Runs the program; the result is the exit code.
pub fn run(args: &RunArgs) -> Result<u8> {
    args.options.check()?;
    let program = program::load(&args.file, &args.source)?.with_symbols(args.sym.as_deref())?;
    let disk = headless::disk(args.options.machine.disk.as_deref())?;
    start(&program.image, &args.args.args, &args.options, disk, program.known())
}

/// Starts `image` as the machine's first program, and runs it to its end.
pub fn start(
    image: &Image,
    arguments: &[String],
    options: &RunOptions,
    disk: Box<dyn Disk + Send>,
    known: Vec<KnownProgram>,
) -> Result<u8> {
    let input = match options.headless {
        true => headless::input(&options.machine)?,
        false => {
            term::check_terminal()?;
            Input::Live
        }
    };
    let mut session = headless::start(image, arguments, &options.machine, input, disk, known)?;
    session.set_engine(options.engine.engine, options.engine.patience);
    if options.headless {
        return headless::run(&mut session, options.machine.max, &options.print);
    }
    let speed = options.speed.unwrap_or(Speed::Auto);
    term::play(PlaySession { session, speed, no_colour: options.no_colour, kernal: false })
}
