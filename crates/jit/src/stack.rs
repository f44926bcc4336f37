//! How far the pushes and pops of a block reach, so that one question at its
//! start answers for all of them.

use isa::memory_map::STACK;
use isa::{Operand, Reg};

use crate::region::{Block, Step};

/// What a block's first steps do to SP.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Reach {
    /// Steps, up to the first that sets SP to something else or for which there
    /// would be no room in any case.
    pub(crate) steps: usize,
    /// The farthest below the SP that the block begins with, in bytes.
    pub(crate) below: u32,
    /// The farthest above it.
    pub(crate) above: u32,
}

impl Reach {
    pub(crate) fn of(block: &Block) -> Reach {
        let mut reach = Reach::default();
        let mut at = 0;
        for step in &block.steps {
            let Some(bytes) = movement(step) else { break };
            at += bytes;
            let below = reach.below.max(u32::try_from(-at).unwrap_or(0));
            let above = reach.above.max(u32::try_from(at).unwrap_or(0));
            if below + above > STACK.end - STACK.start {
                break;
            }
            reach = Reach { steps: reach.steps + 1, below, above };
        }
        reach
    }

    /// Whether there is anything to ask.
    pub(crate) fn is_anywhere(&self) -> bool {
        self.below > 0 || self.above > 0
    }
}

/// How far an instruction moves SP, down if below 0; `None` when it sets it.
fn movement(step: &Step) -> Option<i32> {
    let width = |operand: Option<Operand>| match operand {
        Some(Operand::Reg(reg)) => i32::from(reg.width()),
        _ => 0,
    };
    let decoded = &step.decoded;
    let [first, second, ..] = decoded.operands;
    let is_sp = |operand| operand == Some(Operand::Reg(Reg::SP));
    match decoded.row.opcode {
        11 => Some(-width(first)),
        12 if is_sp(first) => None,
        12 => Some(width(first)),
        13 => Some(-32),
        14 => Some(32),
        15 => Some(-2),
        132 | 134 | 135 => Some(-3),
        133 => Some(3),
        // Stores, comparisons and tests only read it.
        6 | 7 | 151 | 153 | 54 | 58 | 90 | 91 | 109 => Some(0),
        _ if is_sp(first) || decoded.row.opcode == 10 && is_sp(second) => None,
        _ => Some(0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::region::{Bytes, Region};

    fn reach(code: &[u8]) -> Reach {
        let mut memory: Box<Bytes> = vec![0; 1 << 24].into_boxed_slice().try_into().unwrap();
        memory[..code.len()].copy_from_slice(code);
        Reach::of(&Region::find(&memory, 0, false, &|_| true).unwrap().blocks[0])
    }

    #[test]
    fn pushes_and_pops_reach_from_the_deepest_to_the_highest() {
        let sp = Reg::SP.id();
        // PUSH A; POP ABCD; PUSHA; RET
        assert_eq!(reach(&[11, 0, 12, 53, 13, 133]), Reach { steps: 4, below: 26, above: 6 });
        // ADD A, B; JMP 0
        assert_eq!(reach(&[30, 0, 1, 100, 0, 0, 0]), Reach { steps: 2, below: 0, above: 0 });
        // PUSH A; INC SP; PUSH A; RET
        assert_eq!(reach(&[11, 0, 21, sp, 11, 0, 133]), Reach { steps: 1, below: 2, above: 0 });
        // PUSH SP; POP SP; RET
        assert_eq!(reach(&[11, sp, 12, sp, 133]), Reach { steps: 1, below: 3, above: 0 });
        // XCHG SP, SP; XCHG BLX, SP; RET
        assert_eq!(reach(&[10, 64, sp, 133]), Reach::default());
    }
}
