//! Looking back: the last instructions before a fault, found by running again
//! from an earlier copy of the machine, so that normal running records
//! nothing (machine manual, section 5).

use std::collections::VecDeque;

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

    /// The last `count` instructions up to and with the one of the fault, the
    /// oldest first. The services have to answer as they did; what they do to
    /// files should be done to a copy.
    pub fn history<S: Services>(&self, services: &mut S, fault: &Fault, count: usize) -> Vec<Past> {
        let mut machine = self.start.clone();
        let mut events = self.events.iter().peekable();
        let mut last = VecDeque::with_capacity(count.min(1024) + 1);
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
            last.push_back(Past { units: machine.units(), ip: machine.ip() });
            match machine.step(services) {
                None if machine.take_fault_reports().is_empty() => {}
                Some(Stop::Break) => {}
                Some(Stop::Wait) => {
                    last.pop_back();
                    machine.end_frame();
                }
                _ => break,
            }
            while last.len() > count {
                last.pop_front();
            }
        }
        last.split_off(last.len().saturating_sub(count)).into()
    }
}
