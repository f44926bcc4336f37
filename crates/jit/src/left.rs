//! How compiled code was left: bits of what its functions answer.

/// The last instruction was a control instruction.
pub(crate) const AT_CONTROL: i64 = 1;
/// The next instruction is one for the interpreter.
pub(crate) const INTERPRET: i64 = 2;
