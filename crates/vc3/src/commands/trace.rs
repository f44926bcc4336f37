//! `vc3 trace FILE`: one line for each instruction that is executed.

use std::collections::VecDeque;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Args;
use isa::flags;

use crate::cli::{MachineArgs, ProgramArgs, SourceArgs};
use crate::headless::{self, End};
use crate::number;
use crate::output;
use crate::program::{self, Program};
use crate::session::Session;
use crate::tracing::{Before, Record};

/// The most lines that `--last` keeps.
const MOST_LAST: u64 = 1_000_000;

/// What a line is made of.
const LINES: &str = "\
A line has the machine time before the instruction, its address, the label and the offset from it,
its bytes, the instruction, then the registers and flags that it changed with their new values, and
the memory that it read and wrote. With --json these are units, address, label, offset, file, line,
bytes, text, registers, flags, reads and writes. LABEL may also be label+3 or an address.
What BIOS services and PPU operations do to memory is not listed.";

#[derive(Debug, Args)]
#[command(after_help = LINES)]
pub struct TraceArgs {
    /// A .prg, a raw binary or a .sda source
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    args: ProgramArgs,
    /// Only what is executed between SED and CLD
    #[arg(long)]
    flagged: bool,
    /// Begin when this label is reached, each time
    #[arg(long, value_name = "LABEL")]
    from: Option<String>,
    /// End when this label has been reached, each time
    #[arg(long, value_name = "LABEL")]
    to: Option<String>,
    /// Only the last N lines
    #[arg(long, value_name = "N", value_parser = last, allow_negative_numbers = true)]
    last: Option<u64>,
    /// One JSON object a line, for tools
    #[arg(long)]
    json: bool,
    /// A trace never has a terminal; accepted as `run` has it
    #[arg(long, hide = true)]
    headless: bool,
    #[command(flatten)]
    machine: MachineArgs,
    /// Symbols of FILE, as `vc3 asm --sym` writes them
    #[arg(long, value_name = "F")]
    sym: Option<PathBuf>,
    #[command(flatten)]
    source: SourceArgs,
}

fn last(text: &str) -> Result<u64, String> {
    let count = number::argument(text)?;
    if count > MOST_LAST { Err(format!("at most {MOST_LAST}")) } else { Ok(count) }
}

/// Runs the program and writes the lines to the standard output; the result
/// is the exit code.
pub fn trace(args: &TraceArgs) -> Result<u8> {
    let program = program::load(&args.file, &args.source)?.with_symbols(args.sym.as_deref())?;
    let input = headless::input(&args.machine)?;
    let mut filter = Filter::new(args, &program)?;
    let disk = headless::disk(args.machine.disk.as_deref())?;
    let known = program.known();
    let mut session =
        headless::start(&program.image, &args.args.args, &args.machine, input, disk, known)?;
    let mut lines = Lines::new(args);
    let max = args.machine.max.unwrap_or(u64::MAX);
    let end = loop {
        if session.machine().units() >= max {
            break End::Max;
        }
        let stop = if filter.wants(&session) {
            let before = Before::new(session.machine());
            let stop = session.step();
            let record = before.record(session.machine(), stop.as_ref());
            if let Some(record) = record.filter(|_| filter.keeps(&session)) {
                lines.add(record, &session)?;
            }
            stop
        } else {
            session.step()
        };
        if let Some(stop) = stop {
            break End::of(stop);
        }
    };
    lines.finish(&session)?;
    headless::explain(&mut session, &end);
    Ok(end.code())
}

/// Which instructions are shown.
struct Filter {
    flagged: bool,
    from: Option<u32>,
    to: Option<u32>,
    /// Within `from` and `to`.
    on: bool,
}

impl Filter {
    fn new(args: &TraceArgs, program: &Program) -> Result<Filter> {
        let address = |label: &Option<String>| {
            label.as_deref().map(|label| program.address_of(label)).transpose()
        };
        let (from, to) =
            (address(&args.from).context("--from")?, address(&args.to).context("--to")?);
        Ok(Filter { flagged: args.flagged, from, to, on: from.is_none() })
    }

    /// Whether the instruction just executed is to be shown after all: CLD
    /// itself is not between SED and CLD.
    fn keeps(&self, session: &Session) -> bool {
        !self.flagged || session.machine().flags() & flags::T != 0
    }

    /// Whether the next instruction may have to be shown.
    fn wants(&mut self, session: &Session) -> bool {
        let machine = session.machine();
        let ip = machine.ip();
        if Some(ip) == self.from {
            self.on = true;
        }
        let wanted = self.on;
        if Some(ip) == self.to {
            self.on = false;
        }
        wanted && (!self.flagged || machine.flags() & flags::T != 0)
    }
}

/// Where the lines go: out at once, or kept until the end.
struct Lines {
    json: bool,
    out: BufWriter<io::StdoutLock<'static>>,
    kept: VecDeque<Record>,
    last: Option<usize>,
}

impl Lines {
    fn new(args: &TraceArgs) -> Lines {
        Lines {
            json: args.json,
            out: BufWriter::new(io::stdout().lock()),
            kept: VecDeque::new(),
            last: args.last.map(|count| count as usize),
        }
    }

    fn add(&mut self, record: Record, session: &Session) -> Result<()> {
        let Some(last) = self.last else { return self.write(&record, session) };
        self.kept.push_back(record);
        if self.kept.len() > last {
            self.kept.pop_front();
        }
        Ok(())
    }

    fn finish(&mut self, session: &Session) -> Result<()> {
        for record in std::mem::take(&mut self.kept) {
            self.write(&record, session)?;
        }
        self.out.flush().context(output::STANDARD_OUTPUT)
    }

    fn write(&mut self, record: &Record, session: &Session) -> Result<()> {
        if self.json {
            let mut line = serde_json::to_string(&record.json(session))?;
            line.push('\n');
            self.out.write_all(line.as_bytes())
        } else {
            record.write_text(session, &mut self.out)
        }
        .context(output::STANDARD_OUTPUT)
    }
}
