//! Looking back: the last instructions before a fault, found by running again
//! from an earlier copy of the machine, so that normal running records
//! nothing (machine manual, section 5).

use std::collections::VecDeque;
use std::ops::Range;

use isa::MAX_LENGTH;
use isa::memory_map::ADDRESS_MASK;

use crate::fault::Fault;
use crate::keyboard::Key;
use crate::machine::Machine;
use crate::services::{Services, Stop};

/// A copy of a machine and what came to it from outside since.
#[derive(Clone, Debug)]
pub struct Replay {
    start: Machine,
    /// With the machine time of each, ascending.
    events: VecDeque<(u64, Event)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Event {
    Key(Key),
    StopRequest,
}

/// An instruction that was executed, or tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Past {
    /// Machine time before it.
    pub units: u64,
    /// Where it stands, 24 bits.
    pub ip: u32,
    /// What stood there then, as much as the longest instruction has.
    pub bytes: [u8; MAX_LENGTH],
    /// How many more of its kind were executed right behind it, each made of
    /// zeros as it is: memory that nothing has been written to.
    pub more: u32,
}

/// What led to a fault.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct History {
    /// The last instructions, the oldest first, the one of the fault last.
    pub last: Vec<Past>,
    /// When none of them stands in code that was asked about: the last one
    /// before them that does, from where the program ran off.
    pub left: Option<Past>,
}

/// Bytes of the instruction that four zeros are.
const ZEROS: usize = 4;

impl Past {
    fn next(machine: &Machine) -> Past {
        let mut bytes = [0; MAX_LENGTH];
        for (address, byte) in (machine.ip()..).zip(&mut bytes) {
            *byte = machine.memory().byte(address);
        }
        Past { units: machine.units(), ip: machine.ip(), bytes, more: 0 }
    }

    /// Whether `next` goes on with zeros where these end.
    fn goes_on_with(&self, next: &Past) -> bool {
        let end = self.ip.wrapping_add((self.more + 1).wrapping_mul(ZEROS as u32)) & ADDRESS_MASK;
        let zeros = [0; ZEROS];
        next.ip == end && self.bytes[..ZEROS] == zeros && next.bytes[..ZEROS] == zeros
    }
}

impl Replay {
    /// Begins at the machine as it is now. A front end that wants to look
    /// back begins anew every few million units, which bounds the time
    /// [`Replay::history`] takes.
    pub fn new(machine: &Machine) -> Self {
        Replay { start: machine.clone(), events: VecDeque::new() }
    }

    /// Machine time of the copy.
    pub fn start_units(&self) -> u64 {
        self.start.units()
    }

    /// A key is being given to the machine, at its time of `units`.
    pub fn key(&mut self, units: u64, key: Key) {
        self.events.push_back((units, Event::Key(key)));
    }

    /// The machine is being asked to stop, at its time of `units`.
    pub fn stop_request(&mut self, units: u64) {
        self.events.push_back((units, Event::StopRequest));
    }

    /// The last `count` instructions up to and with the one of the fault, and
    /// from where it left `code`, the addresses of code that is known. The
    /// services have to answer as they did; what they do to files should be
    /// done to a copy.
    pub fn history<S: Services>(
        &self,
        services: &mut S,
        fault: &Fault,
        count: usize,
        code: &[Range<u32>],
    ) -> History {
        let mut machine = self.start.clone();
        let mut events = self.events.iter().peekable();
        let mut last: VecDeque<Past> = VecDeque::with_capacity(count.min(1024) + 1);
        let is_known = |past: &Past| code.iter().any(|range| range.contains(&past.ip));
        let mut left = None;
        machine.take_fault_reports();
        while machine.units() <= fault.units {
            while let Some((_, event)) = events.next_if(|(units, _)| *units <= machine.units()) {
                match *event {
                    Event::Key(key) => {
                        machine.key(key);
                    }
                    Event::StopRequest => machine.request_stop(),
                }
            }
            join_zeros(&mut last);
            last.push_back(Past::next(&machine));
            match machine.step(services) {
                // Another program may have had a fault before.
                None if machine.take_fault_reports().iter().all(|one| one.units < fault.units) => {}
                Some(Stop::Break) => {}
                Some(Stop::Wait) => {
                    last.pop_back();
                    machine.end_frame();
                }
                _ => break,
            }
            while last.len() > count {
                left = last.pop_front().filter(is_known).or(left);
            }
        }
        let last: Vec<Past> = last.split_off(last.len().saturating_sub(count)).into();
        let left = left.filter(|_| !last.iter().any(is_known));
        History { last, left }
    }
}

/// Makes one of the last two when both are of the same zeros. The one behind
/// them, which may be the fault's, stays by itself.
fn join_zeros(last: &mut VecDeque<Past>) {
    let count = last.len();
    if count >= 2 && last[count - 2].goes_on_with(&last[count - 1]) {
        last.pop_back();
        last[count - 2].more = last[count - 2].more.saturating_add(1);
    }
}
