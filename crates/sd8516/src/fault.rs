//! Faults: what stops a program that does what the CPU can't (machine manual,
//! section 5).

use std::fmt;

use isa::Reg;
use serde::{Deserialize, Serialize};

/// What was wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[non_exhaustive]
pub enum FaultKind {
    /// No instruction has this opcode.
    #[error("illegal opcode ${0:02X}")]
    IllegalOpcode(u8),
    /// No register has this number.
    #[error("illegal register number {0}")]
    IllegalRegister(u8),
    /// A register that is too wide, too narrow or of the wrong kind here; its
    /// number.
    #[error("illegal width: {} can't stand here", register_name(*.0))]
    IllegalWidth(u8),
    /// A push or pop that leaves the stack, and where it would have ended.
    #[error("SP would become ${0:06X}, outside of the stack ($01DC00–$01E000),")]
    Stack(u32),
    /// SCANQUE came to its 65,536th node.
    #[error("SCANQUE visited 65,536 nodes: the ring is broken")]
    EndlessQueue,
    /// BRK without a debugger.
    #[error("BRK")]
    Break,
    /// Checking mode: executing a byte that nothing has written.
    #[error("executing ${0:06X}, which nothing has written")]
    NeverWritten(u32),
    /// Checking mode: executing a byte that the program has overwritten.
    #[error("executing ${0:06X}, which the program has written over")]
    Overwritten(u32),
    /// Checking mode: a neighbour of this queue node doesn't link back.
    #[error("the neighbours of the queue node at ${0:06X} don't link back to it")]
    BrokenQueue(u32),
}

fn register_name(id: u8) -> &'static str {
    Reg::from_id(id).map_or("this register", Reg::name)
}

/// A fault with the state of the CPU, which is that before the instruction
/// except for FLAGS.E.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// What was wrong.
    pub kind: FaultKind,
    /// The address of the instruction, 24 bits.
    pub ip: u32,
    /// The sixteen words in the order of their numbers.
    pub registers: [u16; 16],
    /// SP, 24 bits.
    pub sp: u32,
    /// FLAGS, with E set.
    pub flags: u16,
    /// Machine time.
    pub units: u64,
    /// Programs that waited for this one.
    pub depth: usize,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at ${:06X}", self.kind, self.ip)
    }
}

impl std::error::Error for Fault {}
