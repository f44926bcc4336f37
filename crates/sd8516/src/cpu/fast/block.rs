//! What decoded code is made of: operations, each a function with its operands
//! worked out, in blocks that are entered only at their beginning.

use std::sync::Arc;

use crate::memory::Memory;

use super::core::Core;

/// One instruction, or a few that are executed as one.
#[derive(Clone, Copy)]
pub(super) struct Op {
    /// Executes it.
    pub(super) run: Run,
    /// The immediate, address or displacement. Where an operation needs two
    /// numbers the second is in the upper half.
    pub(super) imm: u64,
    /// Where a control instruction goes, 24 bits.
    pub(super) target: u32,
    /// The address behind it, 24 bits.
    pub(super) next: u32,
    /// Its own address, 24 bits.
    pub(super) at: u32,
    /// The first register, as offsets in the register file.
    pub(super) a: u8,
    pub(super) a_bank: u8,
    /// The second register, or the base of a memory operand.
    pub(super) b: u8,
    pub(super) b_bank: u8,
    /// The index of a memory operand.
    pub(super) c: u8,
    /// Instructions of the block before it.
    pub(super) before: u8,
    /// The same with its own.
    pub(super) count: u8,
    /// Whether its last instruction is a control instruction.
    pub(super) is_control: bool,
}

/// The function of an operation.
pub(super) type Run = fn(&mut Core, &mut Memory, &Op) -> Then;

/// How an operation ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Then {
    /// With the next operation.
    Next,
    /// IP has been set: the block is left.
    Jumped,
    /// Decoded code was written to: the block, which may be it, is left.
    Changed,
    /// Both.
    JumpedChanged,
    /// Nothing was done: the plain CPU has to execute it.
    Plain,
}

/// A sequence of instructions as they are executed when no branch is taken.
/// Jumps and calls to fixed places are followed.
#[derive(Clone)]
#[repr(align(64))]
pub(super) struct Block {
    /// Where it begins, and in which mode of flags: see [`key`].
    pub(super) key: u32,
    /// Units when it is executed to its end; every instruction takes one. 0
    /// where the plain CPU has to begin.
    pub(super) units: u64,
    pub(super) ops: Arc<[Op]>,
    /// IP after the last operation, unless that jumps.
    pub(super) next: u32,
    /// Whether the last instruction is a control instruction: a branch that
    /// isn't taken, or a jump or call that leads to `next`.
    pub(super) ends_in_control: bool,
    /// The lines of memory that it was decoded from.
    pub(super) lines: Arc<[u16]>,
}

impl Block {
    /// What stands for code that isn't decoded.
    pub(super) fn none() -> Block {
        let (ops, lines) = (Arc::from([]), Arc::from([]));
        Block { key: u32::MAX, units: 0, ops, next: 0, ends_in_control: false, lines }
    }
}

/// What a block is found by: its address, and FLAGS.S, with which loads set no
/// flags.
#[inline(always)]
pub(super) fn key(ip: u32, flags: u16) -> u32 {
    ip | u32::from(flags & isa::flags::S) << 16
}
