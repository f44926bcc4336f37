//! The four loops in assembly. Every instruction of theirs takes one unit, so
//! that units are instructions.

/// One loop that never ends.
pub struct Loop {
    /// Its name, that of its file in `benches/loops`.
    pub name: &'static str,
    /// The `.sda` source.
    pub source: &'static str,
}

/// All of them.
pub const LOOPS: [Loop; 4] = [
    Loop { name: "countdown", source: include_str!("../loops/countdown.sda") },
    Loop { name: "arithmetic", source: include_str!("../loops/arithmetic.sda") },
    Loop { name: "copy", source: include_str!("../loops/copy.sda") },
    Loop { name: "calls", source: include_str!("../loops/calls.sda") },
];
