//! The drawing instructions: the PPU's operations with their operands in
//! registers (machine manual, section 7).

use isa::Reg;

use super::Machine;
use crate::ppu::{Drawn, Operands, Operation};

/// The opcode of PPIXEL; the other operations follow in their order.
const PPIXEL: u8 = 190;

const fn register(id: u8) -> Reg {
    Reg::from_id(id).expect("a number of the register table")
}

const X: Reg = register(2);
const Y: Reg = register(3);
const I: Reg = register(5);
const J: Reg = register(6);
const CL: Reg = register(24);
const FL: Reg = register(40);
const ELM: Reg = register(77);

impl Machine {
    /// Performs a drawing operation with the operands in X, Y, I, J, CL, ELM
    /// and FL. Carry is set when no pixel lies inside the picture or the mode
    /// is a text mode.
    pub fn draw(&mut self, operation: Operation) -> Drawn {
        let signed = |reg| self.reg(reg) as i16;
        let operands = Operands {
            x: signed(X),
            y: signed(Y),
            i: signed(I),
            j: signed(J),
            colour: self.reg(CL) as u8,
            source: self.reg(ELM) as u32,
            transparent: self.reg(FL) as u8,
        };
        let drawn = self.devices.ppu.draw(&mut self.memory, operation, &operands);
        self.set_carry(drawn.outside);
        drawn
    }

    /// The same for an instruction: opcode 190–195. Answers the pixels
    /// touched.
    pub(super) fn draw_by_opcode(&mut self, opcode: u8) -> u64 {
        let number = opcode.wrapping_sub(PPIXEL).wrapping_add(1);
        Operation::from_number(number).map_or(0, |operation| self.draw(operation).touched)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operands_are_in_the_registers_of_the_manual() {
        let names = [(X, "X"), (Y, "Y"), (I, "I"), (J, "J"), (CL, "CL"), (FL, "FL"), (ELM, "ELM")];
        for (reg, name) in names {
            assert_eq!(reg.name(), name);
        }
    }
}
