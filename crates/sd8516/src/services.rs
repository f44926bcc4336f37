//! What the machine asks of its surroundings: services for INT, keys, and
//! what it answers when it stops (machine manual, sections 4 to 6).

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use crate::fault::Fault;
use crate::keyboard::Key;
use crate::machine::Machine;

/// The BIOS as the CPU sees it: called for INT n when vector n is zero.
pub trait Services {
    /// Serves INT `vector`. IP is behind the INT; the carry of the answer is
    /// the service's to set.
    fn interrupt(&mut self, machine: &mut Machine, vector: u8) -> Served;

    /// Whether [`Machine::run`] should come back to its caller now, though
    /// time is left: asked after each INT and at the end of each frame. A
    /// service is one unit to the program but may take the host long, and the
    /// user must be heard meanwhile. What the machine does isn't changed.
    fn wants_pause(&mut self) -> bool {
        false
    }
}

/// How a service ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Served {
    /// Done, having touched so many bytes, cells or pixels.
    Done {
        /// Counted as one unit for four, rounded up.
        touched: u64,
    },
    /// It has to wait; IP goes back to the INT, which is tried again later.
    Wait(Wait),
    /// The program ends with this code.
    Exit(u8),
    /// There is no such service: carry, AL = 255.
    Unknown,
}

/// What a program waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Wait {
    /// A key, in the empty buffer.
    Key,
    /// The end of the frame.
    Frame,
}

/// Where keys come from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Input {
    /// There are none: waiting for one ends the run.
    #[default]
    None,
    /// A list: the next key arrives when the program waits and the buffer is
    /// empty. When the list is used up, waiting ends the run.
    List(VecDeque<Key>),
    /// The front end gives keys as they are typed and lets frames pass.
    Live,
}

/// Why [`Machine::run`] came back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The next instruction would begin at the limit or later, or the
    /// services wanted a pause ([`Services::wants_pause`]).
    Budget,
    /// The program ended with this exit code.
    Exit(u8),
    /// It waits for a key that can't come: the run ends with exit code 0, IP
    /// is on the instruction that waits.
    KeysUsedUp,
    /// It did what the CPU can't do.
    Fault(Fault),
    /// It waits for a key or the frame's end, [`Input::Live`] only.
    Wait,
    /// BRK, when a debugger asked for it.
    Break,
    /// The user or the host stopped it.
    Stopped,
}
