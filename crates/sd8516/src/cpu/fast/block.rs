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
    /// Whether it is a loop that counts, executed as a whole.
    pub(super) is_count: bool,
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
    /// where the plain CPU has to begin. More than there is ever time for, by
    /// the bit [`WANTED`], when a hook wants to be asked before.
    units: u64,
    pub(super) ops: Arc<[Op]>,
    /// IP after the last operation, unless that jumps.
    pub(super) next: u32,
    /// Whether the last instruction is a control instruction: a branch that
    /// isn't taken, or a jump or call that leads to `next`.
    pub(super) ends_in_control: bool,
    /// The lines of memory that it was decoded from.
    pub(super) lines: Arc<[u16]>,
    /// How often a hook has seen it at work.
    looks: u32,
    /// The hook wants it when it has seen it that often; 0 for never.
    wanted_at: u32,
}

/// See [`Block::cost`].
const WANTED: u64 = 1 << 63;
/// Looks at a block for each of its units until its hook wants it, and the least
/// of them: to ask whether it is worth compiling takes long itself.
const LOOKS_A_UNIT: u32 = 8;
const FEWEST_LOOKS: u32 = 16;

/// The most instructions of a block.
pub(super) const LONGEST: usize = 32;

impl Block {
    /// A block of so many units that no hook has seen.
    pub(super) fn new(
        key: u32,
        units: u64,
        ops: Arc<[Op]>,
        (next, ends_in_control): (u32, bool),
        lines: Arc<[u16]>,
    ) -> Block {
        let looks = 0;
        let wanted_at = (units as u32).saturating_mul(LOOKS_A_UNIT).max(FEWEST_LOOKS);
        Block { key, units, ops, next, ends_in_control, lines, looks, wanted_at }
    }

    /// What stands for code that isn't decoded.
    pub(super) fn none() -> Block {
        Block::new(u32::MAX, 0, Arc::from([]), (0, false), Arc::from([]))
    }

    /// Units when it is executed to its end; every instruction takes one. 0
    /// where the plain CPU has to begin.
    #[inline(always)]
    pub(super) fn units(&self) -> u64 {
        self.units & !WANTED
    }

    /// The same, but more than there is ever time for when a hook is to be
    /// asked before: one comparison answers for both.
    #[inline(always)]
    pub(super) fn cost(&self) -> u64 {
        self.units
    }

    /// Whether a hook is to be asked before it is executed.
    pub(super) fn is_wanted(&self) -> bool {
        self.units & WANTED != 0
    }

    /// A hook wants it, when it can be executed at all.
    pub(super) fn want(&mut self) {
        if self.units != 0 {
            self.units |= WANTED;
        }
    }

    /// The hook has seen it as often again before it wants it.
    #[cfg(feature = "jit")]
    pub(super) fn want_later(&mut self) {
        self.units &= !WANTED;
        self.wanted_at = self.looks.max(FEWEST_LOOKS).saturating_mul(2);
    }

    /// No hook wants it.
    #[cfg(feature = "jit")]
    pub(super) fn want_never(&mut self) {
        self.units &= !WANTED;
        self.wanted_at = 0;
    }

    /// A hook has looked while it was executed.
    pub(super) fn looked_at(&mut self) {
        self.looks = self.looks.saturating_add(1);
        if self.looks == self.wanted_at {
            self.want();
        }
    }
}

/// What a block is found by: its address, and FLAGS.S, with which loads set no
/// flags.
#[inline(always)]
pub(super) fn key(ip: u32, flags: u16) -> u32 {
    ip | u32::from(flags & isa::flags::S) << 16
}
