//! Fetching an instruction (section 3): opcode, one byte a register operand,
//! then numbers; the first thing that is wrong is the fault.

use crate::Fault;
use crate::memory::{Memory, wrap};
use crate::registers::{Registers, is_pointer, is_word, width};
use crate::table::{Operand, Row, find};

/// An operand with its value, read before anything is written.
#[derive(Clone, Copy, Debug)]
pub struct Value {
    /// The register's number; a number in the code has none.
    pub register: Option<u8>,
    /// Bytes.
    pub width: u8,
    /// The register's value, or the number.
    pub value: u64,
}

/// What is about to be executed.
#[derive(Clone, Debug)]
pub struct Instruction {
    /// Its row of the table.
    pub row: &'static Row,
    /// Its operands, in order.
    pub operands: Vec<Value>,
    /// Where the next instruction begins. JTAB's table begins there.
    pub next: u32,
}

/// The instruction at `address`.
pub fn decode(
    memory: &mut Memory,
    registers: &Registers,
    address: u32,
) -> Result<Instruction, Fault> {
    let mut next = address;
    let mut fetch = |width: u8| {
        let number = memory.read(next, width);
        next = wrap(u64::from(next) + u64::from(width));
        number
    };
    let opcode = fetch(1) as u8;
    let row = find(opcode).ok_or(Fault::Opcode(opcode))?;
    let mut operands: Vec<Value> = Vec::new();
    for &kind in row.operands {
        let first = operands.first().map_or(0, |first| first.width);
        operands.push(if kind.is_register() {
            let id = fetch(1) as u8;
            let width = check(kind, id, first)?;
            Value { register: Some(id), width, value: registers.read(id) }
        } else {
            let width = match kind {
                Operand::Imm8 => 1,
                Operand::Imm16 | Operand::Disp16 | Operand::Relative => 2,
                Operand::Absolute => 3,
                _ => first,
            };
            Value { register: None, width, value: fetch(width) }
        });
    }
    Ok(Instruction { row, operands, next })
}

/// The width of the register, if it may stand there.
fn check(kind: Operand, id: u8, first: u8) -> Result<u8, Fault> {
    let width = width(id).ok_or(Fault::Register(id))?;
    let fits = match kind {
        Operand::Same => width == first,
        Operand::Narrower => width < first,
        Operand::Byte => width == 1,
        Operand::Word => is_word(id),
        Operand::ByteOrWord => width == 1 || is_word(id),
        Operand::NotByte => width != 1,
        Operand::Address => is_word(id) || is_pointer(id),
        Operand::Pointer => is_pointer(id),
        _ => true,
    };
    if fits { Ok(width) } else { Err(Fault::Width(id)) }
}
