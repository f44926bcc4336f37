//! From bytes to an instruction with its operands and back, and from that to
//! text: the table read in both directions.

use std::fmt;

use crate::instruction::{Arg, Class, Instruction};
use crate::register::Reg;
use crate::table;

/// Bytes of the longest encoding: opcode, ABCD, an immediate of 8.
pub const MAX_LENGTH: usize = 10;
/// Operands of the instruction that has the most.
pub const MAX_OPERANDS: usize = 4;

/// One operand with its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operand {
    /// A register.
    Reg(Reg),
    /// An immediate of `width` bytes.
    Imm {
        /// The value, zero-extended.
        value: u64,
        /// Bytes in the encoding: 1, 2, 3, 4 or 8.
        width: u8,
    },
    /// An absolute address, 24 bits, to jump to.
    Addr(u32),
    /// A displacement from the next instruction.
    Rel(i16),
    /// `[a]`.
    MemAbs(u32),
    /// `[p]`.
    MemReg(Reg),
    /// `[p + r16]`.
    MemIndex(Reg, Reg),
    /// `[p + disp]`.
    MemDisp(Reg, i16),
}

/// A decoded instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decoded {
    /// Its row in the table.
    pub row: &'static Instruction,
    /// One operand for each of the row's args; the rest are `None`.
    pub operands: [Option<Operand>; MAX_OPERANDS],
    /// Bytes of the encoding, 1–10.
    pub length: u8,
}

/// Why bytes are no instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecodeError {
    /// No row has this opcode.
    Opcode(u8),
    /// A register number that names no register.
    Register(u8),
    /// A register that is too wide, too narrow or of the wrong kind here.
    Width(Reg),
    /// The bytes end within the instruction.
    Truncated,
}

struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Cursor<'_> {
    fn number(&mut self, width: u8) -> Result<u64, DecodeError> {
        let end = self.at + width as usize;
        let bytes = self.bytes.get(self.at..end).ok_or(DecodeError::Truncated)?;
        self.at = end;
        Ok(bytes.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte)))
    }

    fn reg(&mut self, class: Class, first: Option<Reg>) -> Result<Reg, DecodeError> {
        let id = self.number(1)? as u8;
        let reg = Reg::from_id(id).ok_or(DecodeError::Register(id))?;
        if class.accepts(reg, first) { Ok(reg) } else { Err(DecodeError::Width(reg)) }
    }

    fn signed16(&mut self) -> Result<i16, DecodeError> {
        Ok(self.number(2)? as u16 as i16)
    }
}

/// Decodes the instruction at the start of `bytes`, of which at most
/// [`MAX_LENGTH`] are looked at.
pub fn decode(bytes: &[u8]) -> Result<Decoded, DecodeError> {
    let mut cursor = Cursor { bytes, at: 0 };
    let opcode = cursor.number(1)? as u8;
    let row = table::by_opcode(opcode).ok_or(DecodeError::Opcode(opcode))?;
    let mut operands = [None; MAX_OPERANDS];
    let mut first = None;
    for (slot, &arg) in operands.iter_mut().zip(row.args) {
        let operand = match arg {
            Arg::Reg(class) => {
                let reg = cursor.reg(class, first)?;
                first = first.or(Some(reg));
                Operand::Reg(reg)
            }
            Arg::Imm => {
                let width = first.map_or(0, Reg::width);
                Operand::Imm { value: cursor.number(width)?, width }
            }
            Arg::Imm8 => Operand::Imm { value: cursor.number(1)?, width: 1 },
            Arg::Imm16 => Operand::Imm { value: cursor.number(2)?, width: 2 },
            Arg::Addr => Operand::Addr(cursor.number(3)? as u32),
            Arg::Rel16 => Operand::Rel(cursor.signed16()?),
            Arg::MemAbs => Operand::MemAbs(cursor.number(3)? as u32),
            Arg::MemReg => Operand::MemReg(cursor.reg(Class::Address, None)?),
            Arg::MemIndex => {
                Operand::MemIndex(cursor.reg(Class::Address, None)?, cursor.reg(Class::Word, None)?)
            }
            Arg::MemDisp => Operand::MemDisp(cursor.reg(Class::Address, None)?, cursor.signed16()?),
        };
        *slot = Some(operand);
    }
    Ok(Decoded { row, operands, length: cursor.at as u8 })
}

impl Decoded {
    /// The bytes of the instruction; the inverse of [`decode`].
    pub fn encode(&self) -> ([u8; MAX_LENGTH], usize) {
        let mut bytes = [0; MAX_LENGTH];
        let mut at = 0;
        let mut put = |value: u64, width: usize| {
            bytes[at..at + width].copy_from_slice(&value.to_le_bytes()[..width]);
            at += width;
        };
        put(self.row.opcode.into(), 1);
        for operand in self.operands.iter().flatten() {
            match *operand {
                Operand::Reg(reg) | Operand::MemReg(reg) => put(reg.id().into(), 1),
                Operand::Imm { value, width } => put(value, width.into()),
                Operand::Addr(address) | Operand::MemAbs(address) => put(address.into(), 3),
                Operand::Rel(offset) => put(offset as u16 as u64, 2),
                Operand::MemIndex(base, index) => {
                    put(base.id().into(), 1);
                    put(index.id().into(), 1);
                }
                Operand::MemDisp(base, disp) => {
                    put(base.id().into(), 1);
                    put(disp as u16 as u64, 2);
                }
            }
        }
        (bytes, at)
    }

    /// The instruction as source text. `address` is where it stands, so that
    /// branches show their target; `symbol` may give a name such as `loop` or
    /// `table+3` for an address, which is then written `@loop`.
    pub fn text<'a>(
        &'a self,
        address: u32,
        symbol: &'a dyn Fn(u32) -> Option<String>,
    ) -> impl fmt::Display + 'a {
        Text { decoded: self, address, symbol }
    }
}

struct Text<'a> {
    decoded: &'a Decoded,
    address: u32,
    symbol: &'a dyn Fn(u32) -> Option<String>,
}

impl Text<'_> {
    fn address(&self, f: &mut fmt::Formatter<'_>, address: u32) -> fmt::Result {
        match (self.symbol)(address) {
            Some(name) => write!(f, "@{name}"),
            None => write!(f, "${address:06X}"),
        }
    }

    fn operand(&self, f: &mut fmt::Formatter<'_>, operand: Operand) -> fmt::Result {
        match operand {
            Operand::Reg(reg) => f.write_str(reg.name()),
            Operand::Imm { value, width: 3 } => self.address(f, value as u32),
            Operand::Imm { value, width } => {
                write!(f, "${value:0digits$X}", digits = 2 * width as usize)
            }
            Operand::Addr(address) => self.address(f, address),
            Operand::Rel(offset) => {
                let next = self.address + u32::from(self.decoded.length);
                let target = next.wrapping_add_signed(offset.into());
                self.address(f, target & crate::memory_map::ADDRESS_MASK)
            }
            Operand::MemAbs(address) => {
                f.write_str("[")?;
                self.address(f, address)?;
                f.write_str("]")
            }
            Operand::MemReg(base) => write!(f, "[{}]", base.name()),
            Operand::MemIndex(base, index) => write!(f, "[{} + {}]", base.name(), index.name()),
            Operand::MemDisp(base, disp) => {
                let sign = if disp < 0 { '-' } else { '+' };
                write!(f, "[{} {sign} {}]", base.name(), disp.unsigned_abs())
            }
        }
    }
}

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let row = self.decoded.row;
        f.write_str(row.mnemonic)?;
        for (at, operand) in self.decoded.operands.iter().flatten().enumerate() {
            match (at, row.glued) {
                (0, true) => {}
                (0, false) | (1, true) => f.write_str(" ")?,
                _ => f.write_str(", ")?,
            }
            self.operand(f, *operand)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(bytes: &[u8]) -> String {
        let decoded = decode(bytes).unwrap();
        assert_eq!(decoded.length as usize, bytes.len());
        let width = match decoded.operands[0] {
            Some(Operand::Reg(first)) => first.width(),
            _ => 0,
        };
        assert_eq!(decoded.length, decoded.row.length(width));
        let (again, length) = decoded.encode();
        assert_eq!(&again[..length], bytes);
        decoded.text(0x02_0100, &|_| None).to_string()
    }

    #[test]
    fn encodings_of_the_manual() {
        assert_eq!(text(&[0x00, 0x00, 0x01, 0x02]), "LDA $0201");
        assert_eq!(text(&[0x09, 0x00, 0x01]), "MOV A, B");
        assert_eq!(text(&[136, 0x20]), "INT $20");
        assert_eq!(text(&[151, 18 - 17, 77, 5]), "STB [ELM + I]");
        assert_eq!(text(&[152, 16, 77, 0xFD, 0xFF]), "LDAL [ELM - 3]");
        assert_eq!(text(&[1, 77, 0x00, 0xED, 0x01]), "LDELM [$01ED00]");
        assert_eq!(text(&[110, 0xFD, 0xFF]), "BRA $020100");
        assert_eq!(text(&[172, 64, 77, 0, 6]), "SCANQUE BLX, ELM, A, $06");
    }

    #[test]
    fn what_is_no_instruction() {
        assert_eq!(decode(&[8]), Err(DecodeError::Opcode(8)));
        assert_eq!(decode(&[9, 55, 0]), Err(DecodeError::Register(55)));
        assert_eq!(decode(&[34, 1, 30]), Err(DecodeError::Width(Reg::from_id(30).unwrap())));
        assert_eq!(decode(&[0, 16, 0]), Err(DecodeError::Width(Reg::from_id(16).unwrap())));
        assert_eq!(decode(&[0, 0, 1]), Err(DecodeError::Truncated));
        assert_eq!(decode(&[]), Err(DecodeError::Truncated));
    }
}
