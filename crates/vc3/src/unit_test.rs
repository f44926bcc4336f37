//! One unit program: assembled, run, and compared with what it expects.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use bios::{Disk, MemoryDisk, NoDisk};
use sd8516::{Engine, Input, Machine};
use sda::{Expectation, HostFiles};

use crate::directives::{self, Directives};
use crate::headless::{self, End};
use crate::number;
use crate::program::{self, Program};
use crate::session::Session;

/// What became of a unit program.
pub struct Verdict {
    /// What is wrong, each in one or several lines; nothing when it passed.
    pub failures: Vec<String>,
}

impl Verdict {
    /// Whether everything was as expected.
    pub fn passed(&self) -> bool {
        self.failures.is_empty()
    }
}

/// What holds for unit programs that say nothing else.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// Units of machine time after which one has failed.
    pub max: u64,
    /// Whether all run in the checking mode.
    pub sanitize: bool,
    /// How instructions are executed.
    pub engine: Engine,
    /// How long code runs before it is compiled, if not as usual.
    pub patience: Option<u32>,
}

/// Assembles and runs the unit program `file`.
pub fn run(file: &Path, options: &sda::Options, bounds: Bounds) -> Verdict {
    let failures = match try_run(file, options, bounds) {
        Ok(failures) => failures,
        Err(error) => vec![format!("{error:#}")],
    };
    Verdict { failures }
}

fn try_run(file: &Path, options: &sda::Options, bounds: Bounds) -> Result<Vec<String>> {
    let mut directives = read_directives(file)?;
    directives.sanitize |= bounds.sanitize;
    let options = sda::Options { kernal: directives.kernal, ..options.clone() };
    let assembly = sda::assemble(&[file.to_path_buf()], &HostFiles, &options);
    let Some(assembled) = assembly.program else {
        return Ok(vec![assembly.diagnostics.render(false)]);
    };
    let program = program::from_assembly(assembled, directives.kernal)?;
    let mut session = start(&program, &directives)?;
    session.set_engine(bounds.engine, bounds.patience);
    let end = End::of(session.run(directives.max.unwrap_or(bounds.max)));
    let mut failures: Vec<String> = wrong_end(&mut session, &end).into_iter().collect();
    let memory = session.machine().memory();
    let checks = program.expectations.iter();
    failures.extend(checks.filter_map(|check| {
        let found = memory.read(check.address, check.width);
        unmet(check, found, &session.place(check.address).label_text())
    }));
    Ok(failures)
}

fn read_directives(file: &Path) -> Result<Directives> {
    let source = fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
    directives::parse(&String::from_utf8_lossy(&source))
        .map_err(|(line, text)| anyhow::anyhow!("{}:{line}: {text}", file.display()))
}

fn start(program: &Program, directives: &Directives) -> Result<Session> {
    let mut machine = Machine::new();
    machine.set_seed(directives.seed.unwrap_or(1));
    machine.set_sanitize(directives.sanitize);
    let keys = directives.keys.clone();
    machine.set_input(keys.map_or(Input::None, |keys| Input::List(keys.into())));
    let arguments = headless::argument_string(std::slice::from_ref(&directives.arguments))?;
    machine.start(&program.image, &arguments)?;
    let disk: Box<dyn Disk + Send> =
        if directives.disk { Box::new(MemoryDisk::new()) } else { Box::new(NoDisk) };
    Ok(Session::new(machine, disk, program.known()))
}

/// What is wrong with how the run ended.
fn wrong_end(session: &mut Session, end: &End) -> Option<String> {
    let machine = session.machine();
    let (ip, units) = (machine.ip(), machine.units());
    match end {
        End::Exit(0) => None,
        End::Exit(code) => Some(format!("ended with exit code {code} instead of 0")),
        End::Fault(fault) => Some(session.report(fault)),
        End::Max => Some(format!(
            "did not end within {} of machine time: at ${ip:06X}{}",
            number::count(units, "unit"),
            session.place(ip)
        )),
    }
}

/// What is wrong with what was `found`, if it is. A range may pass zero, as
/// -1 to 1 does.
fn unmet(check: &Expectation, found: u64, label: &str) -> Option<String> {
    let Expectation { low, high, file, line, text, address, .. } = check;
    let mask = u64::MAX >> (64 - 8 * u32::from(check.width));
    if found.wrapping_sub(*low) & mask <= high.wrapping_sub(*low) & mask {
        return None;
    }
    let digits = 2 * usize::from(check.width);
    let shown = |value: u64| format!("{value} (${value:0digits$X})");
    let expected = match low == high {
        true => shown(*low),
        false => format!("{} to {}", shown(*low), shown(*high)),
    };
    let found = shown(found);
    let label = if label.is_empty() { String::new() } else { format!(" ({label})") };
    Some(format!(
        "{file}:{line}: {text}: ${address:06X}{label}: expected {expected}, found {found}"
    ))
}
