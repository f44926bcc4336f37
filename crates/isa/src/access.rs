//! What an instruction reads and writes: registers byte by byte, flags, and
//! whether it stores to memory. The columns of the table that a control-flow
//! analysis needs.

use crate::decode::{Decoded, Operand};
use crate::flags;
use crate::instruction::Instruction;
use crate::register::Reg;

/// Every byte of the sixteen words, as in [`Reg::halves`].
pub const EVERY_WORD: u32 = u32::MAX;

/// What a row of the table does beside setting flags. Registers within a
/// memory operand are always read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// What happens to the register operands.
    pub operands: Operands,
    /// Bytes of registers read without being named, as in [`Reg::halves`].
    pub reads: u32,
    /// Bytes of registers written without being named.
    pub writes: u32,
    /// Flags that the instruction depends on.
    pub tested: u16,
    /// Whether memory other than the stack is written.
    pub stores: bool,
}

/// What happens to the register operands of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operands {
    /// All are read.
    Read,
    /// The first is written, the others are read.
    Written,
    /// The first is read and written, the others are read.
    Updated,
    /// Both are read and written.
    Swapped,
}

impl Access {
    /// Operands are read, nothing else happens.
    pub(crate) const NONE: Access =
        Access { operands: Operands::Read, reads: 0, writes: 0, tested: 0, stores: false };
}

/// How the table says what a row accesses.
impl Instruction {
    pub(crate) const fn writing(self) -> Instruction {
        self.with_operands(Operands::Written)
    }

    pub(crate) const fn updating(self) -> Instruction {
        self.with_operands(Operands::Updated)
    }

    pub(crate) const fn swapping(self) -> Instruction {
        self.with_operands(Operands::Swapped)
    }

    pub(crate) const fn storing(self) -> Instruction {
        Instruction { access: Access { stores: true, ..self.access }, ..self }
    }

    pub(crate) const fn also(self, reads: u32, writes: u32) -> Instruction {
        Instruction { access: Access { reads, writes, ..self.access }, ..self }
    }

    pub(crate) const fn testing(self, tested: u16) -> Instruction {
        Instruction { access: Access { tested, ..self.access }, ..self }
    }

    const fn with_operands(self, operands: Operands) -> Instruction {
        Instruction { access: Access { operands, ..self.access }, ..self }
    }
}

impl Decoded {
    /// The bytes of the word registers that are read, as in [`Reg::halves`].
    pub fn reads(&self) -> u32 {
        let access = self.row.access;
        let read = |(at, operand): (usize, Option<Operand>)| match operand {
            Some(Operand::Reg(reg)) => {
                let written = at == 0 && access.operands == Operands::Written;
                if written { 0 } else { reg.halves() }
            }
            Some(Operand::MemReg(base) | Operand::MemDisp(base, _)) => base.halves(),
            Some(Operand::MemIndex(base, index)) => base.halves() | index.halves(),
            _ => 0,
        };
        let named = self.operands.into_iter().enumerate().map(read);
        named.fold(access.reads, |all, one| all | one)
    }

    /// The bytes of the word registers that are written.
    pub fn writes(&self) -> u32 {
        let access = self.row.access;
        let count = match access.operands {
            Operands::Read => 0,
            Operands::Written | Operands::Updated => 1,
            Operands::Swapped => 2,
        };
        let written = |operand: &Option<Operand>| match operand {
            Some(Operand::Reg(reg)) => reg.halves(),
            _ => 0,
        };
        self.operands[..count].iter().map(written).fold(access.writes, |all, one| all | one)
    }

    /// The flags that the instruction depends on.
    pub fn flags_read(&self) -> u16 {
        let mask = match (self.row.mnemonic, self.operands[0]) {
            ("TESTF", Some(Operand::Imm { value, .. })) => value as u16,
            _ => flags::WRITABLE,
        };
        self.row.access.tested & mask
    }

    /// The flags that are set, cleared or computed.
    pub fn flags_written(&self) -> u16 {
        let effect = self.row.flags;
        let named = match (self.row.mnemonic, self.operands[0]) {
            ("SETF" | "CLRF", Some(Operand::Imm { value, .. })) => value as u16,
            _ => effect.changed,
        };
        effect.changed & named | effect.cleared | effect.set
    }
}

/// The bytes of the registers of a list such as `X Y CL`; only called in
/// constants.
pub(crate) const fn halves(names: &str) -> u32 {
    let names = names.as_bytes();
    let mut mask = 0;
    let mut start = 0;
    while start < names.len() {
        let mut end = start;
        while end < names.len() && names[end] != b' ' {
            end += 1;
        }
        mask |= named(names, start, end).halves();
        start = end + 1;
    }
    mask
}

const fn named(names: &[u8], start: usize, end: usize) -> Reg {
    let mut id = 0;
    while id < u8::MAX {
        if let Some(reg) = Reg::from_id(id) {
            let name = reg.name().as_bytes();
            let mut at = 0;
            while at < name.len() && start + at < end && name[at] == names[start + at] {
                at += 1;
            }
            if at == name.len() && start + at == end {
                return reg;
            }
        }
        id += 1;
    }
    panic!("no register of this name")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode;

    fn access(bytes: &[u8]) -> (u32, u32) {
        let decoded = decode(bytes).unwrap();
        (decoded.reads(), decoded.writes())
    }

    #[test]
    fn registers_of_each_kind_of_row() {
        let id = |name| Reg::by_name(name).unwrap().id();
        let mask = halves;
        assert_eq!(access(&[0, id("A"), 1, 2]), (0, mask("A")), "LDA imm");
        assert_eq!(access(&[2, id("FLD"), id("ELM")]), (mask("ELM"), mask("FLD")), "LDFLD [ELM]");
        assert_eq!(access(&[151, id("B"), id("ELM"), id("I")]), (mask("B ELM I"), 0));
        assert_eq!(access(&[9, id("A"), id("B")]), (mask("B"), mask("A")), "MOV");
        assert_eq!(access(&[10, id("A"), id("B")]), (mask("A B"), mask("A B")), "XCHG");
        assert_eq!(access(&[30, id("AL"), id("BL")]), (mask("AL BL"), mask("AL")), "ADD");
        assert_eq!(access(&[90, id("AL"), id("BL")]), (mask("AL BL"), 0), "CMP");
        assert_eq!(access(&[11, id("CD")]), (mask("C D"), 0), "PUSH");
        assert_eq!(access(&[12, id("CD")]), (0, mask("C D")), "POP");
        assert_eq!(access(&[14]), (0, EVERY_WORD), "POPA");
        assert_eq!(access(&[195]), (mask("ELM X Y I J FL"), 0), "PSPRITE");
        let scan = [172, id("GLK"), id("ELM"), id("A"), 6];
        assert_eq!(access(&scan), (mask("ELM A"), mask("GLK")), "SCANQUE");
    }

    #[test]
    fn flags_of_each_kind_of_row() {
        let flags = |bytes: &[u8]| {
            let decoded = decode(bytes).unwrap();
            (decoded.flags_read(), decoded.flags_written())
        };
        use crate::flags::{C, N, V, Z};
        assert_eq!(flags(&[103, 0, 0, 0]), (C, 0), "JC");
        assert_eq!(flags(&[182, 0x20, 0]), (0, 0x20), "SETF");
        assert_eq!(flags(&[184, 0x20, 0]), (0x20, Z | C | N), "TESTF");
        assert_eq!(flags(&[40, 0, 1]), (C, Z | N | C | V), "ADDC");
        assert_eq!(flags(&[50, 0, 1]), (0, Z | N | C | V), "AND");
    }
}
