//! What a service answers, before it becomes carry, AL and machine time.

use crate::disk::DiskError;
use sd8516::Wait;
use std::cmp::Ordering;

/// A service's answer. "Touched" is what it counts in machine time: bytes,
/// cells or pixels (machine manual, section 4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reply {
    /// Served; carry is cleared.
    Done(u64),
    /// A comparison: Z and C as CMPC sets them.
    Compared(Ordering, u64),
    /// To be tried again after a key or a frame; nothing is counted.
    Wait(Wait),
    /// The program ends.
    Exit(u8),
    /// There is no such service: carry and AL = 255.
    Unknown,
}

/// An error: carry is set and the number goes to AL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failed {
    /// The error number.
    pub error: u8,
    /// Counted all the same.
    pub touched: u64,
}

impl Failed {
    /// An error that touched nothing.
    pub fn with(error: u8) -> Failed {
        Failed { error, touched: 0 }
    }
}

impl From<DiskError> for Failed {
    fn from(error: DiskError) -> Failed {
        Failed::with(error.number())
    }
}

/// The commonest answer: served, nothing counted beyond the INT itself.
pub const DONE: Result<Reply, Failed> = Ok(Reply::Done(0));

/// Error 1, whatever the service means by it.
pub const ERROR_1: Failed = Failed { error: 1, touched: 0 };
