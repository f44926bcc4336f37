//! Runs without a terminal: from a program to how it ended, and what is
//! printed afterwards (machine manual, section 9).

use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::Path;

use anyhow::{Context, Result};
use bios::{Disk, HostDisk, NoDisk};
use isa::{WORDS, flags};
use sd8516::{Fault, Image, Input, Machine, Stop};

use crate::cli::{DumpRange, MachineArgs, PrintArgs};
use crate::keys;
use crate::number;
use crate::output;
use crate::screen;
use crate::session::{KnownProgram, Session};

/// Exit code after a fault.
pub const FAULT: u8 = 70;
/// Exit code when `--max` ran out.
pub const MAX_RAN_OUT: u8 = 75;

/// How a run ended.
#[derive(Debug)]
pub enum End {
    /// The program ended, or waited for a key that will not come.
    Exit(u8),
    /// It was stopped by a fault.
    Fault(Box<Fault>),
    /// Its time was up.
    Max,
}

impl End {
    /// vc3's exit code.
    pub fn code(&self) -> u8 {
        match self {
            End::Exit(code) => *code,
            End::Fault(_) => FAULT,
            End::Max => MAX_RAN_OUT,
        }
    }

    /// The end of a run that stopped in this way.
    pub fn of(stop: Stop) -> End {
        match stop {
            Stop::Exit(code) => End::Exit(code),
            Stop::Fault(fault) => End::Fault(Box::new(fault)),
            Stop::Budget => End::Max,
            // Nobody is there to press a key, to debug or to stop it.
            Stop::KeysUsedUp | Stop::Wait | Stop::Break | Stop::Stopped => End::Exit(0),
        }
    }
}

/// The input that `--keys` gives.
pub fn input(options: &MachineArgs) -> Result<Input> {
    let keys = options.keys.as_deref().map(keys::parse).transpose().context("--keys")?;
    Ok(keys.map_or(Input::None, |keys| Input::List(keys.into())))
}

/// A session in which `image` has been started as the options say.
pub fn start(
    image: &Image,
    arguments: &[String],
    options: &MachineArgs,
    input: Input,
    disk: Box<dyn Disk + Send>,
    programs: Vec<KnownProgram>,
) -> Result<Session> {
    let mut machine = Machine::new();
    machine.set_seed(options.seed.unwrap_or(1));
    machine.set_sanitize(options.sanitize);
    machine.set_input(input);
    machine.start(image, &argument_string(arguments)?)?;
    Ok(Session::new(machine, disk, programs))
}

/// The disk that `--disk` names, or none.
pub fn disk(folder: Option<&Path>) -> Result<Box<dyn Disk + Send>> {
    match folder {
        Some(folder) => Ok(Box::new(open_disk(folder)?)),
        None => Ok(Box::new(NoDisk)),
    }
}

/// The folder as a disk.
pub fn open_disk(folder: &Path) -> Result<HostDisk> {
    HostDisk::open(folder).with_context(|| match folder.try_exists() {
        Ok(false) => format!("there is no folder {} for the disk; make it first", folder.display()),
        _ => format!("cannot use {} as the disk", folder.display()),
    })
}

/// The arguments with a space between each two, in the machine's characters.
pub fn argument_string(arguments: &[String]) -> Result<Vec<u8>> {
    let text = arguments.join(" ");
    let code = |character| (1..=255).find(|&code| isa::charset::glyph(code) == character);
    text.chars()
        .map(|character| match character {
            ' ' => Ok(b' '),
            _ => code(character)
                .with_context(|| format!("the machine has no character {character:?}")),
        })
        .collect::<Result<Vec<u8>>>()
        .context("in the arguments")
}

/// Runs to the end, says on standard error what went wrong, and prints what
/// is asked for. The result is the exit code.
pub fn run(session: &mut Session, max: Option<u64>, print: &PrintArgs) -> Result<u8> {
    let end = End::of(session.run(max.unwrap_or(u64::MAX)));
    explain(session, &end);
    self::print(session.machine(), &end, print)?;
    Ok(end.code())
}

/// Says on standard error why a program was stopped.
pub fn explain(session: &mut Session, end: &End) {
    let mut text = String::new();
    for fault in session.take_faults() {
        let _ = write!(text, "vc3: a program was stopped by a {}", session.report(&fault));
    }
    match end {
        End::Exit(_) => {}
        End::Fault(fault) => {
            let _ = write!(text, "vc3: {}", session.report(fault));
        }
        End::Max => {
            let machine = session.machine();
            let (ip, units) = (machine.ip(), machine.units());
            let (place, units) = (session.place(ip), number::count(units, "unit"));
            let _ = writeln!(text, "vc3: --max ran out after {units}, at ${ip:06X}{place}");
        }
    }
    let _ = io::stderr().write_all(text.as_bytes());
}

/// Prints the screen, the registers and memory, as far as asked for.
fn print(machine: &Machine, end: &End, print: &PrintArgs) -> Result<()> {
    let mut out = String::new();
    if let Some(format) = print.screen {
        out += &screen::render(&machine.picture(), format);
    }
    if print.regs {
        out += &registers(machine, end.code());
    }
    for range in &print.dump {
        dump(machine, *range, &mut out);
    }
    output::print(out.as_bytes())
}

/// The registers as one JSON object in a line of its own, decimal.
fn registers(machine: &Machine, exit: u8) -> String {
    let mut out = String::from("{");
    for name in WORDS.iter().copied().chain(["SP"]) {
        let value = isa::Reg::by_name(name).map_or(0, |reg| machine.reg(reg));
        let _ = write!(out, "\"{name}\":{value},");
    }
    let flags_now = machine.flags();
    let _ = write!(out, "\"IP\":{},\"FLAGS\":{flags_now},", machine.ip());
    for (name, bit) in [("z", flags::Z), ("n", flags::N), ("c", flags::C), ("v", flags::V)] {
        let _ = write!(out, "\"{name}\":{},", u8::from(flags_now & bit != 0));
    }
    let _ = writeln!(out, "\"exit\":{exit},\"units\":{}}}", machine.units());
    out
}

fn dump(machine: &Machine, range: DumpRange, out: &mut String) {
    let bytes = machine.memory().copy_out(range.start, range.length);
    for (line, bytes) in bytes.chunks(16).enumerate() {
        let _ = write!(out, "{:06X}:", range.start + 16 * line as u32);
        for byte in bytes {
            let _ = write!(out, " {byte:02X}");
        }
        out.push('\n');
    }
}
