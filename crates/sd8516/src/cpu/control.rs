//! Jumps, branches, the jump table and the flag bits (machine manual,
//! section 3). Calls and returns are in `stack`.

use isa::Class::Word;
use isa::memory_map::ADDRESS_MASK;

use super::code::Code;
use super::{Cpu, Executed, Flow};
use crate::fault::FaultKind;
use crate::memory::Memory;

impl Cpu {
    /// An absolute jump. Taken or not, it is a control instruction.
    #[inline(always)]
    pub(super) fn jump_if(&mut self, condition: bool, code: Code) -> Executed {
        if condition {
            self.ip = code.address(1);
        }
        Ok(Flow::Control)
    }

    #[inline(always)]
    pub(super) fn jump_to(&mut self, address: u32) -> Executed {
        self.ip = address;
        Ok(Flow::Control)
    }

    /// A jump relative to the next instruction, which IP already shows.
    #[inline(always)]
    pub(super) fn branch_if(&mut self, condition: bool, code: Code) -> Executed {
        if condition {
            self.ip = self.ip.wrapping_add(code.signed_word(1)) & ADDRESS_MASK;
        }
        Ok(Flow::Control)
    }

    /// JTAB.
    pub(super) fn jump_by_table(&mut self, code: Code, memory: &Memory) -> Result<Flow, FaultKind> {
        let index = self.regs.read(code.reg(1, Word)?) as u16;
        if index < code.word(2) {
            let entry = code.address(4).wrapping_add(3 * u32::from(index));
            self.ip = memory.read(entry, 3) as u32;
        }
        Ok(Flow::Control)
    }

    /// SETF and the instructions that set one bit.
    #[inline(always)]
    pub(super) fn set_flags(&mut self, mask: u16) -> Executed {
        self.set_writable_flags(mask, mask);
        Ok(Flow::Next)
    }

    /// CLRF and the instructions that clear one bit.
    #[inline(always)]
    pub(super) fn clear_flags(&mut self, mask: u16) -> Executed {
        self.set_writable_flags(mask, 0);
        Ok(Flow::Next)
    }
}
