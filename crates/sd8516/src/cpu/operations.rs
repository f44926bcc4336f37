//! The shapes that instructions share: load, store, one operand, two, with an
//! immediate. What they compute is in `alu` and `shift`.

use isa::flags::S;
use isa::{Class, Reg};

use super::alu::{self, Width};
use super::code::{Code, width_of};
use super::shift::{self, Shift};
use super::{Cpu, Executed, Flow};
use crate::fault::FaultKind;
use crate::memory::Memory;

impl Cpu {
    #[inline(always)]
    pub(super) fn load_immediate(&mut self, reg: Reg, code: Code, memory: &Memory) -> Executed {
        let value = self.take_immediate(code, memory, reg);
        self.loaded(reg, value)
    }

    #[inline(always)]
    pub(super) fn load(&mut self, reg: Reg, address: u32, memory: &Memory) -> Executed {
        self.loaded(reg, memory.read(address, width_of(reg)))
    }

    #[inline(always)]
    fn loaded(&mut self, reg: Reg, value: u64) -> Executed {
        self.regs.write(reg, value);
        self.set_zn_unless_fast(value, Width::of_bytes(width_of(reg)));
        Ok(Flow::Next)
    }

    #[inline(always)]
    pub(super) fn store(&mut self, reg: Reg, address: u32, memory: &mut Memory) -> Executed {
        memory.write(address, width_of(reg), self.regs.read(reg));
        Ok(Flow::Next)
    }

    /// MOV.
    #[inline(always)]
    pub(super) fn copy(&mut self, code: Code) -> Executed {
        let (to, from, _) = pair(code)?;
        self.regs.write(to, self.regs.read(from));
        Ok(Flow::Next)
    }

    /// XCHG: the first operand is written first, which shows when they
    /// overlap.
    pub(super) fn exchange(&mut self, code: Code) -> Executed {
        let (first, second, _) = pair(code)?;
        let (a, b) = (self.regs.read(first), self.regs.read(second));
        self.regs.write(first, b);
        self.regs.write(second, a);
        Ok(Flow::Next)
    }

    #[inline(always)]
    pub(super) fn push_register(&mut self, code: Code, memory: &mut Memory) -> Executed {
        let reg = code.any(1)?;
        self.push(memory, self.regs.read(reg), width_of(reg))?;
        Ok(Flow::Next)
    }

    /// POP. SP itself becomes what lies there, unchecked.
    #[inline(always)]
    pub(super) fn pop_register(&mut self, code: Code, memory: &Memory) -> Executed {
        let reg = code.any(1)?;
        let value = if reg == Reg::SP {
            memory.read(self.regs.sp(), 3)
        } else {
            self.pop(memory, width_of(reg))?
        };
        self.regs.write(reg, value);
        Ok(Flow::Next)
    }

    /// INC and DEC: C and V are kept.
    #[inline(always)]
    pub(super) fn count(&mut self, code: Code, step: u64) -> Executed {
        let (reg, width) = single(code)?;
        let value = width.cut(self.regs.read(reg).wrapping_add(step));
        self.regs.write(reg, value);
        self.set_zn_unless_fast(value, width);
        Ok(Flow::Next)
    }

    #[inline(always)]
    pub(super) fn unary(
        &mut self,
        code: Code,
        operation: impl FnOnce(&mut u16, u64, Width) -> u64,
    ) -> Executed {
        let (reg, width) = single(code)?;
        let result = operation(&mut self.flags, self.regs.read(reg), width);
        self.regs.write(reg, result);
        Ok(Flow::Next)
    }

    #[inline(always)]
    pub(super) fn binary(
        &mut self,
        code: Code,
        operation: impl FnOnce(&mut u16, u64, u64, Width) -> u64,
    ) -> Executed {
        let (reg, other, width) = pair(code)?;
        let (a, b) = (self.regs.read(reg), self.regs.read(other));
        let result = operation(&mut self.flags, a, b, width);
        self.regs.write(reg, result);
        Ok(Flow::Next)
    }

    #[inline(always)]
    pub(super) fn immediate(
        &mut self,
        code: Code,
        memory: &Memory,
        operation: impl FnOnce(&mut u16, u64, u64, Width) -> u64,
    ) -> Executed {
        let (reg, width) = single(code)?;
        let value = self.take_immediate(code, memory, reg);
        let result = operation(&mut self.flags, self.regs.read(reg), value, width);
        self.regs.write(reg, result);
        Ok(Flow::Next)
    }

    /// CMP and TEST: only the flags are kept.
    #[inline(always)]
    pub(super) fn compare(
        &mut self,
        code: Code,
        operation: impl FnOnce(&mut u16, u64, u64, Width) -> u64,
    ) -> Executed {
        let (reg, other, width) = pair(code)?;
        operation(&mut self.flags, self.regs.read(reg), self.regs.read(other), width);
        Ok(Flow::Next)
    }

    #[inline(always)]
    pub(super) fn compare_immediate(
        &mut self,
        code: Code,
        memory: &Memory,
        operation: impl FnOnce(&mut u16, u64, u64, Width) -> u64,
    ) -> Executed {
        let (reg, width) = single(code)?;
        let value = self.take_immediate(code, memory, reg);
        operation(&mut self.flags, self.regs.read(reg), value, width);
        Ok(Flow::Next)
    }

    /// MOVZX and MOVSX.
    #[inline(always)]
    pub(super) fn widen(&mut self, code: Code, extend: impl FnOnce(u64, Width) -> u64) -> Executed {
        let (reg, width) = single(code)?;
        let from = code.narrower(2, reg)?;
        let value = extend(self.regs.read(from), Width::of_bytes(width_of(from)));
        let value = width.cut(value);
        self.regs.write(reg, value);
        alu::set_zn(&mut self.flags, value, width);
        Ok(Flow::Next)
    }

    #[inline(always)]
    pub(super) fn shift(&mut self, code: Code, operation: Shift, count: u8) -> Executed {
        self.unary(code, |flags, a, width| shift::shift(flags, a, count, operation, width))
    }

    #[inline(always)]
    pub(super) fn shift_by_register(&mut self, code: Code, operation: Shift) -> Executed {
        code.any(1)?;
        let count = self.regs.read(code.reg(2, Class::Byte)?) as u8;
        self.shift(code, operation, count)
    }

    /// LEA.
    #[inline(always)]
    pub(super) fn set_address(&mut self, reg: Reg, address: u32) -> Executed {
        self.regs.write(reg, address.into());
        Ok(Flow::Next)
    }

    #[inline(always)]
    fn set_zn_unless_fast(&mut self, value: u64, width: Width) {
        if self.flags & S == 0 {
            alu::set_zn(&mut self.flags, value, width);
        }
    }
}

/// The only register operand and its width.
#[inline(always)]
fn single(code: Code) -> Result<(Reg, Width), FaultKind> {
    let reg = code.any(1)?;
    Ok((reg, Width::of_bytes(width_of(reg))))
}

/// Two register operands of one width.
#[inline(always)]
fn pair(code: Code) -> Result<(Reg, Reg, Width), FaultKind> {
    let (first, width) = single(code)?;
    Ok((first, code.same(2, first)?, width))
}
