//! A machine with its BIOS, its disk, and the programs whose symbols are
//! known: what runs in the terminal and without one alike.

mod disk;
mod known;
mod report;

use bios::{Bios, Disk};
use isa::Decoded;
use sd8516::{Fault, Key, Machine, Past, Picture, Replay, Stop};

use crate::cli::Speed;

pub use self::known::{KnownProgram, Place};

use self::disk::RecordedDisk;

/// Units between two snapshots: what a fault's report has to run again.
const SNAPSHOT_UNITS: u64 = 16_000_000;
/// Instructions that a fault's report shows.
const SHOWN: usize = 16;

/// A machine and everything around it. Time passes and input arrives only
/// through its functions, so that it can be replayed for a fault's report.
pub struct Session {
    machine: Machine,
    bios: Bios<RecordedDisk>,
    programs: Vec<KnownProgram>,
    replay: Replay,
}

/// A session that is to be played in the terminal.
pub struct PlaySession {
    /// The machine, with a program started in it and [`Input::Live`].
    pub session: Session,
    /// How fast machine time passes.
    pub speed: Speed,
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
        Session { machine, bios: Bios::new(RecordedDisk::new(disk)), programs, replay }
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
        loop {
            let end = until.min(self.next_snapshot());
            let stop = self.machine.run(&mut self.bios, end);
            let snapshot_due =
                self.machine.units() >= self.next_snapshot() || self.bios.disk().has_overflowed();
            if snapshot_due {
                self.take_snapshot();
            }
            match stop {
                Stop::Budget if self.machine.units() < until => {}
                stop => return stop,
            }
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
        self.machine.take_fault_reports()
    }

    /// The report of a fault, several lines: what, where, the registers and
    /// the last instructions. They are found by running again from the last
    /// snapshot, so this may take a moment.
    pub fn report(&self, fault: &Fault) -> String {
        let past = self.past(fault);
        report::render(fault, &past, self.machine.memory(), &self.programs)
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
    fn past(&self, fault: &Fault) -> Vec<Past> {
        match self.bios.disk().replay() {
            Some(disk) => self.replay.history(&mut Bios::new(disk), fault, SHOWN),
            None => Vec::new(),
        }
    }

    fn next_snapshot(&self) -> u64 {
        self.replay.start_units().saturating_add(SNAPSHOT_UNITS)
    }

    fn take_snapshot(&mut self) {
        self.bios.disk().forget();
        self.replay = Replay::new(&self.machine);
    }
}
