//! A machine with its BIOS, its disk, and the programs whose symbols are
//! known: what runs in the terminal and without one alike.

mod disk;
mod known;
mod patience;
mod report;

use std::time::{Duration, Instant};

use bios::{Bios, Disk};
use isa::Decoded;
use sd8516::{Engine, Fault, History, Key, Machine, Picture, Replay, Stop};

use crate::cli::Speed;

pub use self::known::{KnownProgram, Place};

use self::disk::RecordedDisk;
use self::patience::Patience;

/// Units between two snapshots: what a fault's report has to run again.
const SNAPSHOT_UNITS: u64 = 16_000_000;
/// Reports of faults that are kept until somebody takes them.
const MOST_EARLIER: usize = 16;
/// Instructions that a fault's report shows.
const SHOWN: usize = 16;

/// A machine and everything around it. Time passes and input arrives only
/// through its functions, so that it can be replayed for a fault's report.
pub struct Session {
    machine: Machine,
    bios: Bios<RecordedDisk>,
    programs: Vec<KnownProgram>,
    replay: Replay,
    /// Faults before the last snapshot, which can't be looked back at any
    /// more, with their reports: those still to be taken, and those taken.
    earlier: Vec<(Fault, String)>,
    taken: Vec<(Fault, String)>,
}

/// A session that is to be played in the terminal.
pub struct PlaySession {
    /// The machine, with a program started in it and `Input::Live`.
    pub session: Session,
    /// How fast machine time passes.
    pub speed: Speed,
    /// Whether no colours are shown, whatever the terminal can.
    pub no_colour: bool,
    /// Whether a kernal, the shell, is the machine's first program: at its
    /// prompt Ctrl-C leaves vc3.
    pub kernal: bool,
}

impl Session {
    /// A session over a machine in which a program has been started.
    /// `programs` are those whose symbols are known.
    pub fn new(
        machine: Machine,
        disk: Box<dyn Disk + Send>,
        programs: Vec<KnownProgram>,
    ) -> Session {
        let replay = Replay::new(&machine);
        Session {
            machine,
            bios: Bios::new(RecordedDisk::new(disk)),
            programs,
            replay,
            earlier: Vec::new(),
            taken: Vec::new(),
        }
    }

    /// The machine, to look at.
    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// What the screen shows.
    pub fn picture(&self) -> Picture {
        self.machine.picture()
    }

    /// Runs until an instruction would begin at `until` units or later, or
    /// until the machine stops for another reason.
    pub fn run(&mut self, until: u64) -> Stop {
        self.run_with(until, None)
    }

    /// The same, but comes back with [`Stop::Budget`] before `until` when so
    /// much of the host's time has passed: a service that the machine counts
    /// as one unit, such as saving a file, may take milliseconds.
    pub fn run_within(&mut self, until: u64, time: Duration) -> Stop {
        self.run_with(until, Some(Instant::now() + time))
    }

    fn run_with(&mut self, until: u64, deadline: Option<Instant>) -> Stop {
        loop {
            let end = until.min(self.next_snapshot());
            let mut services = Patience { bios: &mut self.bios, deadline };
            let stop = self.machine.run(&mut services, end);
            let is_late = services.is_over();
            if self.is_snapshot_due() && !matches!(stop, Stop::Fault(_)) {
                self.take_snapshot();
            }
            match stop {
                Stop::Budget if self.machine.units() < until && !is_late => {}
                stop => return stop,
            }
        }
    }

    /// How instructions are executed, and if it isn't the usual, how long code
    /// runs before it is compiled; both change nothing but speed.
    pub fn set_engine(&mut self, engine: Engine, patience: Option<u32>) {
        self.machine.set_engine(engine);
        if let Some(units) = patience {
            self.machine.set_patience(units);
        }
    }

    /// Executes one instruction; `None` when nothing stopped the machine.
    pub fn step(&mut self) -> Option<Stop> {
        self.machine.step(&mut self.bios)
    }

    /// Gives the machine a key; `false` when its buffer was full and the key
    /// is lost.
    pub fn key(&mut self, key: Key) -> bool {
        self.replay.key(self.machine.units(), key);
        self.machine.key(key)
    }

    /// Lets machine time go on to the frame's end, after [`Stop::Wait`].
    pub fn end_frame(&mut self) {
        self.machine.end_frame();
    }

    /// Asks the program to stop (vector 9), or stops it.
    pub fn request_stop(&mut self) {
        self.replay.stop_request(self.machine.units());
        self.machine.request_stop();
    }

    /// The faults of programs that ended under the shell since the last call.
    pub fn take_faults(&mut self) -> Vec<Fault> {
        self.taken = std::mem::take(&mut self.earlier);
        let mut faults: Vec<Fault> = self.taken.iter().map(|(fault, _)| fault.clone()).collect();
        faults.extend(self.machine.take_fault_reports());
        faults
    }

    /// The report of a fault, several lines: what, where, the registers and
    /// the last instructions. They are found by running again from the last
    /// snapshot, so this may take a moment.
    pub fn report(&self, fault: &Fault) -> String {
        if let Some((_, report)) = self.taken.iter().find(|(taken, _)| taken == fault) {
            return report.clone();
        }
        let history = self.history(fault);
        report::render(fault, &history, self.machine.memory(), &self.programs)
    }

    /// `address` as `label+offset` and as `file:line`, as far as the program
    /// that lies there is known.
    pub fn place(&self, address: u32) -> Place<'_> {
        known::place(&self.programs, self.machine.memory(), address)
    }

    /// An instruction that stands at `address` as text, with labels.
    pub fn instruction_text(&self, address: u32, decoded: &Decoded) -> String {
        known::instruction_text(&self.programs, self.machine.memory(), address, decoded)
    }

    /// What led to the fault; nothing when that can't be found again.
    fn history(&self, fault: &Fault) -> History {
        let Some(disk) = self.bios.disk().replay() else { return History::default() };
        let code = known::code(&self.programs, self.machine.memory());
        self.replay.history(&mut Bios::new(disk), fault, SHOWN, &code)
    }

    /// When to look next whether a snapshot is due.
    fn next_snapshot(&self) -> u64 {
        let due = self.replay.start_units().saturating_add(SNAPSHOT_UNITS);
        if self.machine.units() < due { due } else { due.saturating_add(SNAPSHOT_UNITS) }
    }

    /// Whether to begin looking back from here. A program that has run off
    /// gets as much time again to come to its fault, since what led there is
    /// what its report is about.
    fn is_snapshot_due(&self) -> bool {
        let age = self.machine.units().saturating_sub(self.replay.start_units());
        self.bios.disk().has_overflowed()
            || age >= 2 * SNAPSHOT_UNITS
            || age >= SNAPSHOT_UNITS && !self.has_run_off()
    }

    fn has_run_off(&self) -> bool {
        let (memory, ip) = (self.machine.memory(), self.machine.ip());
        memory.read(ip, 4) == 0
            || !known::code(&self.programs, memory).iter().any(|range| range.contains(&ip))
    }

    fn take_snapshot(&mut self) {
        for fault in self.machine.take_fault_reports() {
            let report = self.report(&fault);
            self.earlier.push((fault, report));
        }
        let surplus = self.earlier.len().saturating_sub(MOST_EARLIER);
        self.earlier.drain(..surplus);
        self.bios.disk().forget();
        self.replay = Replay::new(&self.machine);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use bios::{DiskError, Entry, MemoryDisk, Name};
    use sd8516::Image;

    use super::*;

    /// A disk that is slow to save.
    struct SlowDisk(MemoryDisk);

    impl Disk for SlowDisk {
        fn load(&self, name: &Name, most: u32) -> Result<Vec<u8>, DiskError> {
            self.0.load(name, most)
        }
        fn save(&mut self, name: &Name, bytes: &[u8]) -> Result<(), DiskError> {
            std::thread::sleep(Duration::from_millis(2));
            self.0.save(name, bytes)
        }
        fn append(&mut self, name: &Name, bytes: &[u8]) -> Result<(), DiskError> {
            self.0.append(name, bytes)
        }
        fn delete(&mut self, name: &Name) -> Result<(), DiskError> {
            self.0.delete(name)
        }
        fn rename(&mut self, from: &Name, to: &Name) -> Result<(), DiskError> {
            self.0.rename(from, to)
        }
        fn size(&self, name: &Name) -> Result<u32, DiskError> {
            self.0.size(name)
        }
        fn entries(&self) -> Result<Arc<[Entry]>, DiskError> {
            self.0.entries()
        }
    }

    /// ELM at a name, then without end: LDA $0200, INT $15, BRA.
    fn saving() -> Session {
        let code = b"\x00\x4D\x0E\x01\x02\x00\x00\x00\x02\x88\x15\x6E\xF7\xFFNAME\0";
        let mut machine = Machine::new();
        machine.start(&Image::parse(code, false).unwrap(), b"").unwrap();
        Session::new(machine, Box::new(SlowDisk(MemoryDisk::new())), Vec::new())
    }

    #[test]
    fn a_program_that_saves_without_end_can_be_stopped_soon() {
        let mut session = saving();
        assert_eq!(session.run_within(64_000, Duration::from_millis(10)), Stop::Budget);
        let units = session.machine().units();
        assert!((1..64_000).contains(&units), "{units} units");
        session.request_stop();
        assert_eq!(session.run_within(64_000, Duration::from_millis(10)), Stop::Stopped);
        assert_eq!(session.machine().units(), units);
    }

    #[test]
    fn without_a_limit_of_time_a_run_ends_at_its_units() {
        let mut session = saving();
        assert_eq!(session.run(30), Stop::Budget);
        assert_eq!(session.machine().units(), 30);
    }
}
