//! Compiled code against the plain CPU: the same state after every run,
//! wherever it stops.

#[cfg(target_os = "linux")]
mod pages;
mod program;
mod random;
mod stops;
mod writes;

use sd8516::{Engine, Image, Machine, Served, Services};

/// No BIOS: every call is unknown.
struct None;

impl Services for None {
    fn interrupt(&mut self, _: &mut Machine, _: u8) -> Served {
        Served::Unknown
    }
}

/// A machine with a program at its start.
fn machine(code: &[u8]) -> Machine {
    let mut machine = Machine::new();
    machine.start(&Image::parse(code, false).unwrap(), b"").unwrap();
    machine
}

/// The same machine, compiling everything at once or what runs for a while.
fn compiling(machine: &Machine, patience: u32) -> Machine {
    let mut machine = machine.clone();
    machine.set_engine(Engine::Jit);
    machine.set_patience(patience);
    machine
}

/// Runs both to the same times and compares them at each, memory at the last.
fn assert_same(machine: &Machine, stops: impl IntoIterator<Item = u64> + Clone, what: &str) {
    for patience in [0, 20] {
        assert_same_with(machine, patience, stops.clone(), what);
    }
}

fn assert_same_with(
    machine: &Machine,
    patience: u32,
    stops: impl IntoIterator<Item = u64>,
    what: &str,
) {
    let mut plain = machine.clone();
    plain.set_engine(Engine::Plain);
    let mut compiled = compiling(&plain, patience);
    for (number, until) in stops.into_iter().enumerate() {
        if number % 16 == 15 {
            // A copy goes on with what is compiled.
            compiled = compiled.clone();
        }
        let (wanted, stop) = (plain.run(&mut None, until), compiled.run(&mut None, until));
        let seen = |machine: &Machine| {
            (machine.words(), machine.sp(), machine.ip(), machine.flags(), machine.units())
        };
        assert_eq!(stop, wanted, "how it stops at {until} in {what}");
        assert_eq!(
            seen(&compiled),
            seen(&plain),
            "words, SP, IP, FLAGS, units at {until} in {what}"
        );
    }
    assert!(compiled == plain, "memory or devices differ at the end of {what}");
}
