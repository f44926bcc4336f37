//! The stack: every push and pop is checked at its two ends (machine manual,
//! section 5).

use isa::flags::{I, WRITABLE};
use isa::memory_map::{ADDRESS_MASK, STACK};

use super::Cpu;
use crate::fault::FaultKind;
use crate::memory::Memory;

/// Bytes of a return address.
const ADDRESS: u8 = 3;
/// Bytes of FLAGS.
const FLAGS: u8 = 2;
/// Bytes that PUSHA and POPA move: the sixteen words.
pub(super) const ALL: u8 = 32;

/// Whether SP is in the stack; its end, the empty stack, included.
fn in_stack(sp: u32) -> bool {
    (STACK.start..=STACK.end).contains(&sp)
}

/// Where SP is after a push of `bytes`.
#[inline(always)]
pub(super) fn pushed(sp: u32, bytes: u8) -> Result<u32, FaultKind> {
    checked(sp, sp.wrapping_sub(bytes.into()) & ADDRESS_MASK)
}

/// Where SP is after a pop of `bytes`.
#[inline(always)]
pub(super) fn popped(sp: u32, bytes: u8) -> Result<u32, FaultKind> {
    checked(sp, sp.wrapping_add(bytes.into()) & ADDRESS_MASK)
}

#[inline(always)]
fn checked(sp: u32, end: u32) -> Result<u32, FaultKind> {
    if in_stack(sp) && !in_stack(end) { Err(FaultKind::Stack(end)) } else { Ok(end) }
}

/// FLAGS after a program wrote `value` to the bits in `mask`.
#[inline(always)]
pub(super) fn with_writable(flags: u16, mask: u16, value: u16) -> u16 {
    let mask = mask & WRITABLE;
    flags & !mask | value & mask
}

impl Cpu {
    #[inline(always)]
    pub(super) fn push(
        &mut self,
        memory: &mut Memory,
        value: u64,
        bytes: u8,
    ) -> Result<(), FaultKind> {
        let sp = pushed(self.regs.sp(), bytes)?;
        memory.write(sp, bytes, value);
        self.regs.set_sp(sp);
        Ok(())
    }

    #[inline(always)]
    pub(super) fn pop(&mut self, memory: &Memory, bytes: u8) -> Result<u64, FaultKind> {
        let sp = popped(self.regs.sp(), bytes)?;
        let value = memory.read(self.regs.sp(), bytes);
        self.regs.set_sp(sp);
        Ok(value)
    }

    /// A first, so Z is lowest in memory.
    pub(super) fn push_all(&mut self, memory: &mut Memory) -> Result<(), FaultKind> {
        let sp = pushed(self.regs.sp(), ALL)?;
        for (at, &word) in (sp..).step_by(2).zip(self.regs.words().iter().rev()) {
            memory.write(at, 2, word.into());
        }
        self.regs.set_sp(sp);
        Ok(())
    }

    pub(super) fn pop_all(&mut self, memory: &Memory) -> Result<(), FaultKind> {
        let sp = popped(self.regs.sp(), ALL)?;
        for (at, number) in (self.regs.sp()..).step_by(2).zip((0..16).rev()) {
            self.regs.set_word(number, memory.read(at, 2) as u16);
        }
        self.regs.set_sp(sp);
        Ok(())
    }

    #[inline(always)]
    pub(super) fn call(&mut self, memory: &mut Memory, target: u32) -> Result<(), FaultKind> {
        self.push(memory, self.ip.into(), ADDRESS)?;
        self.ip = target & ADDRESS_MASK;
        Ok(())
    }

    #[inline(always)]
    pub(super) fn ret(&mut self, memory: &Memory) -> Result<(), FaultKind> {
        self.ip = self.pop(memory, ADDRESS)? as u32;
        Ok(())
    }

    /// Calls a handler: pushes `back`, then FLAGS, and clears I.
    pub(crate) fn interrupt(
        &mut self,
        memory: &mut Memory,
        back: u32,
        handler: u32,
    ) -> Result<(), FaultKind> {
        let sp = pushed(self.regs.sp(), ADDRESS + FLAGS)?;
        memory.write(sp, FLAGS, self.flags.into());
        memory.write(sp.wrapping_add(FLAGS.into()), ADDRESS, back.into());
        self.regs.set_sp(sp);
        self.flags &= !I;
        self.ip = handler & ADDRESS_MASK;
        Ok(())
    }

    pub(super) fn iret(&mut self, memory: &Memory) -> Result<(), FaultKind> {
        let sp = popped(self.regs.sp(), ADDRESS + FLAGS)?;
        let flags = memory.read(self.regs.sp(), FLAGS) as u16;
        self.ip = memory.read(self.regs.sp().wrapping_add(FLAGS.into()), ADDRESS) as u32;
        self.regs.set_sp(sp);
        self.set_writable_flags(WRITABLE, flags);
        Ok(())
    }

    /// The bits of FLAGS that are in `mask` and that programs may write.
    #[inline(always)]
    pub(super) fn set_writable_flags(&mut self, mask: u16, value: u16) {
        self.flags = with_writable(self.flags, mask, value);
    }
}
