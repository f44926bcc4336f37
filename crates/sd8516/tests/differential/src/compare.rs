//! Runs a case on the oracle and on an engine, and compares everything each
//! time the engine stops.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, OnceLock};

use oracle::memory::{Memory, SIZE};
use oracle::{Fault, Oracle, Step, registers};
use sd8516::{Engine, FaultKind, Machine, Stop};

use crate::case::{Case, register};
use crate::services::Few;

/// Instructions that the oracle executes in one case, at most.
const LONGEST: u64 = 200_000;

/// Where an engine and the oracle differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The engine.
    pub engine: Engine,
    /// Which case, from 0.
    pub number: usize,
    /// Runs that were equal before.
    pub runs: usize,
    /// The instruction that the oracle executed last.
    pub last: u32,
    /// What differs, one line each.
    pub what: Vec<String>,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Difference { engine, number, runs, last, what } = self;
        write!(f, "{engine} differs in case {number} after {runs} equal runs; ")?;
        writeln!(f, "last at {last:06X}:")?;
        what.iter().try_for_each(|line| writeln!(f, "  {line}"))
    }
}

/// What a case can be sure of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Thorough {
    /// Registers, flags, time, outcome, and all that the oracle wrote.
    Touched,
    /// And that nothing else in 16 MB has changed.
    Everything,
}

/// Memory as a machine has it that was just switched on, in each mode.
fn first_memory(mode: u8) -> Arc<[u8]> {
    static FIRST: [OnceLock<Arc<[u8]>>; 16] = [const { OnceLock::new() }; 16];
    let make = || {
        let machine = Case { mode, ..Case::default() }.machine();
        machine.memory().slice(0..SIZE as u32).into()
    };
    FIRST[usize::from(mode) % FIRST.len()].get_or_init(make).clone()
}

/// The oracle in the state of a case.
pub fn oracle(case: &Case) -> Oracle {
    case.oracle(Memory::new(first_memory(case.mode)))
}

/// Runs cases on an engine beside the oracle, one after the other on the same
/// machine as far as that can be, so that what an engine keeps of one program
/// is in the way of the next. The first difference.
pub fn compare(cases: &[Case], engine: Engine, thorough: Thorough) -> Option<Difference> {
    let mut bench = Bench { engine, thorough, machine: None };
    cases.iter().enumerate().find_map(|(number, case)| bench.compare(case, number).err())
}

/// Time from which on a machine isn't used again: a frame might end.
const LATEST: u64 = 12_000;

/// Units that pass in code for each of its instructions before it is compiled,
/// one number for each case in turn: these programs are short. To compile
/// everything, at 0, takes longest.
const PATIENCE: [u32; 4] = [1, 0, 6, 2];

/// Where cases are run.
struct Bench {
    engine: Engine,
    thorough: Thorough,
    /// One in mode 2 before [`LATEST`], its memory as it was at first.
    machine: Option<Machine>,
}

impl Bench {
    fn compare(&mut self, case: &Case, number: usize) -> Result<(), Difference> {
        let mut oracle = oracle(case);
        let used = if case.start == 0 && case.mode == 2 { self.machine.take() } else { None };
        let mut machine = match used {
            Some(machine) => {
                oracle.units = machine.units();
                machine
            }
            None => case.fresh_machine(),
        };
        machine.set_engine(self.engine);
        machine.set_patience(PATIENCE[number % PATIENCE.len()]);
        case.set_up(&mut machine);
        let goes_on = self.run(case, number, &mut oracle, &mut machine)?;
        if goes_on && machine.units() < LATEST && case.mode == 2 {
            for &address in oracle.memory.written().keys() {
                machine.memory_mut().set_byte(address, oracle.memory.at_first(address));
            }
            self.machine = Some(machine);
        }
        Ok(())
    }

    /// Runs a case to its end. Whether the machine can run another one.
    fn run(
        &self,
        case: &Case,
        number: usize,
        oracle: &mut Oracle,
        machine: &mut Machine,
    ) -> Result<bool, Difference> {
        let (mut executed, mut last, mut step) = (0, case.ip, Step::Done);
        for (runs, &budget) in case.budgets.iter().enumerate() {
            let until = oracle.units + budget;
            oracle.memory.forget_changes();
            while step == Step::Done && oracle.units < until {
                if executed == LONGEST {
                    return Ok(false);
                }
                executed += 1;
                last = oracle.ip;
                step = oracle.step(&mut Few);
            }
            let stop = machine.run(&mut Few, until);
            let mut what = differences(oracle, step, machine, &stop);
            let over = step != Step::Done || runs + 1 == case.budgets.len();
            if over && self.thorough == Thorough::Everything {
                what.extend(elsewhere(oracle, machine));
            }
            if !what.is_empty() {
                return Err(Difference { engine: self.engine, number, runs, last, what });
            }
            if over {
                break;
            }
        }
        Ok(!matches!(step, Step::Ended(_)))
    }
}

/// Everything that differs, in words.
fn differences(oracle: &Oracle, step: Step, machine: &Machine, stop: &Stop) -> Vec<String> {
    let mut what = Vec::new();
    let hex = |what: &mut Vec<String>, name: String, right: u64, is: u64| {
        what.push(format!("{name} should be {right:X}, is {is:X}"));
    };
    for id in (0..16).chain([registers::SP]) {
        let (right, is) = (oracle.registers.read(id), machine.reg(register(id)));
        if right != is {
            hex(&mut what, registers::name(id), right, is);
        }
    }
    for (name, right, is) in
        [("IP", oracle.ip, machine.ip()), ("FLAGS", oracle.flags.into(), machine.flags().into())]
    {
        if right != is {
            hex(&mut what, name.to_string(), right.into(), is.into());
        }
    }
    let changes: BTreeSet<u32> = oracle.memory.changes().collect();
    for address in changes {
        let (right, is) = (oracle.memory.peek(address), machine.memory().byte(address));
        if right != is {
            hex(&mut what, format!("[{address:06X}]"), right.into(), is.into());
        }
    }
    if oracle.units != machine.units() {
        what.push(format!("units should be {}, are {}", oracle.units, machine.units()));
    }
    if oracle.frames != machine.frames() {
        what.push(format!("frames should be {}, are {}", oracle.frames, machine.frames()));
    }
    what.extend(outcome(oracle, step, stop));
    what
}

/// Whether the runs ended alike.
fn outcome(oracle: &Oracle, step: Step, stop: &Stop) -> Option<String> {
    let same = match (step, stop) {
        (Step::Done, Stop::Budget) => true,
        (Step::Ended(right), Stop::Exit(is)) => right == *is,
        (Step::Fault(right), Stop::Fault(is)) => {
            let words: Vec<u64> = (0..16).map(|id| oracle.registers.read(id)).collect();
            fault(is.kind) == Some(right)
                && is.ip == oracle.ip
                && is.flags == oracle.flags
                && is.units == oracle.units
                && u64::from(is.sp) == oracle.registers.read(registers::SP)
                && is.registers.map(u64::from)[..] == words
        }
        _ => false,
    };
    if same { None } else { Some(format!("should end with {step:?}, ends with {stop:?}")) }
}

/// The machine's name for a fault is another one.
fn fault(kind: FaultKind) -> Option<Fault> {
    Some(match kind {
        FaultKind::IllegalOpcode(opcode) => Fault::Opcode(opcode),
        FaultKind::IllegalRegister(register) => Fault::Register(register),
        FaultKind::IllegalWidth(register) => Fault::Width(register),
        FaultKind::Stack(sp) => Fault::Stack(sp),
        FaultKind::EndlessQueue => Fault::Ring,
        FaultKind::Break => Fault::Break,
        _ => return None,
    })
}

/// Bytes that the oracle didn't write and the machine has changed.
fn elsewhere(oracle: &Oracle, machine: &Machine) -> Vec<String> {
    const CHUNK: usize = 4096;
    let (first, is) = (oracle.memory.first(), machine.memory().slice(0..SIZE as u32));
    let chunks = first.chunks(CHUNK).zip(is.chunks(CHUNK)).zip((0..).step_by(CHUNK));
    let differing = chunks.filter(|((first, is), _)| first != is);
    differing
        .flat_map(|((_, is), address)| (address..).zip(is))
        .filter(|&(address, &is)| oracle.memory.peek(address) != is)
        .take(8)
        .map(|(address, is)| {
            format!("[{address:06X}] should be {:X}, is {is:X}", oracle.memory.peek(address))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// NOP, a store of A to $030000.
    fn case() -> Case {
        let code = vec![vec![141], vec![6, 0, 0, 0, 3]];
        Case { code, budgets: vec![1, 1], ..Case::default() }
    }

    /// What is found when the machine has been through `change` and the
    /// oracle has not.
    fn found(change: impl Fn(&mut Machine)) -> Vec<String> {
        let (mut oracle, mut machine) = (oracle(&case()), case().machine());
        for _ in 0..2 {
            assert_eq!(oracle.step(&mut Few), Step::Done);
        }
        assert_eq!(machine.run(&mut Few, 2), Stop::Budget);
        change(&mut machine);
        let mut what = differences(&oracle, Step::Done, &machine, &Stop::Budget);
        what.extend(elsewhere(&oracle, &machine));
        what
    }

    #[test]
    fn everything_that_differs_is_found() {
        assert_eq!(found(|_| ()), Vec::<String>::new());
        let word = |machine: &mut Machine| machine.set_reg(register(15), 9);
        assert_eq!(found(word), ["Z should be 0, is 9"]);
        assert_eq!(found(|machine| machine.set_ip(1)), ["IP should be 20106, is 1"]);
        assert_eq!(found(|machine| machine.set_flags(16)), ["FLAGS should be 0, is 10"]);
        let elsewhere = |machine: &mut Machine| machine.memory_mut().set_byte(0xABCDEF, 5);
        assert_eq!(found(elsewhere), ["[ABCDEF] should be 0, is 5"]);
        let written = |machine: &mut Machine| machine.memory_mut().set_byte(0x030001, 5);
        assert!(found(written).contains(&"[030001] should be 0, is 5".to_string()));
        let time = |machine: &mut Machine| assert_eq!(machine.run(&mut Few, 3), Stop::Budget);
        assert!(found(time).contains(&"units should be 2, are 3".to_string()));
    }

    #[test]
    fn a_fault_must_be_the_same_one() {
        let (oracle, mut machine) = (oracle(&case()), case().machine());
        machine.memory_mut().set_byte(crate::case::ORIGIN, 255);
        let stop = machine.run(&mut Few, 1);
        let wrong = Step::Fault(Fault::Opcode(254));
        assert!(outcome(&oracle, wrong, &stop).is_some_and(|text| text.contains("Opcode(254)")));
        assert!(outcome(&oracle, Step::Ended(0), &Stop::Exit(1)).is_some());
    }
}
