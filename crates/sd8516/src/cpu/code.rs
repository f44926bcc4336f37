//! Fetch: the bytes of the instruction at IP, and its operands checked against
//! what may stand in their places (machine manual, section 3).

use isa::{Class, INSTRUCTIONS, Reg};

use crate::fault::FaultKind;
use crate::memory::Memory;

/// The first eight bytes of an instruction. Only an immediate of 64 bits
/// lies beyond them.
#[derive(Clone, Copy)]
pub(super) struct Code(u64);

/// Bytes of each opcode's encoding without an immediate that is as wide as
/// the first operand; 0 for an illegal opcode.
pub(super) const LENGTHS: [u8; 256] = {
    let mut lengths = [0; 256];
    let mut at = 0;
    while at < INSTRUCTIONS.len() {
        lengths[INSTRUCTIONS[at].opcode as usize] = INSTRUCTIONS[at].length(0);
        at += 1;
    }
    lengths
};

/// Width in bytes of each register number; 0 for an illegal one.
const WIDTHS: [u8; 256] = {
    let mut widths = [0; 256];
    let mut id = 0;
    while id < 256 {
        if let Some(reg) = Reg::from_id(id as u8) {
            widths[id] = reg.width();
        }
        id += 1;
    }
    widths
};

/// A register's width in bytes, by look-up.
#[inline(always)]
pub(super) fn width_of(reg: Reg) -> u8 {
    WIDTHS[usize::from(reg.id())]
}

impl Code {
    #[inline(always)]
    pub(super) fn fetch(memory: &Memory, ip: u32) -> Self {
        Code(memory.window(ip))
    }

    #[inline(always)]
    pub(super) fn opcode(self) -> u8 {
        self.0 as u8
    }

    /// The byte `at` bytes behind the opcode, 1–7, as are the next ones.
    #[inline(always)]
    pub(super) fn byte(self, at: u32) -> u8 {
        (self.0 >> (8 * at)) as u8
    }

    #[inline(always)]
    pub(super) fn word(self, at: u32) -> u16 {
        (self.0 >> (8 * at)) as u16
    }

    /// A sign-extended word, to be added to an address.
    #[inline(always)]
    pub(super) fn signed_word(self, at: u32) -> u32 {
        i32::from(self.word(at) as i16) as u32
    }

    #[inline(always)]
    pub(super) fn address(self, at: u32) -> u32 {
        (self.0 >> (8 * at)) as u32 & isa::memory_map::ADDRESS_MASK
    }

    /// Everything behind opcode and one register: an immediate of up to 48
    /// bits with more behind it.
    #[inline(always)]
    pub(super) fn after_register(self) -> u64 {
        self.0 >> 16
    }

    /// A register of any width.
    #[inline(always)]
    pub(super) fn any(self, at: u32) -> Result<Reg, FaultKind> {
        let id = self.byte(at);
        Reg::from_id(id).ok_or(FaultKind::IllegalRegister(id))
    }

    /// A register of a class that doesn't depend on the other operands.
    #[inline(always)]
    pub(super) fn reg(self, at: u32, class: Class) -> Result<Reg, FaultKind> {
        let reg = self.any(at)?;
        if class.accepts_width(width_of(reg), 0) {
            Ok(reg)
        } else {
            Err(FaultKind::IllegalWidth(reg.id()))
        }
    }

    /// The second register, which is as wide as the first.
    #[inline(always)]
    pub(super) fn same(self, at: u32, first: Reg) -> Result<Reg, FaultKind> {
        let reg = self.any(at)?;
        if width_of(reg) == width_of(first) {
            Ok(reg)
        } else {
            Err(FaultKind::IllegalWidth(reg.id()))
        }
    }

    /// The second register, which is narrower than the first.
    #[inline(always)]
    pub(super) fn narrower(self, at: u32, first: Reg) -> Result<Reg, FaultKind> {
        let reg = self.any(at)?;
        if width_of(reg) < width_of(first) {
            Ok(reg)
        } else {
            Err(FaultKind::IllegalWidth(reg.id()))
        }
    }
}
