//! The stack, and instructions that go elsewhere (sections 3 and 5).

use std::ops::RangeInclusive;

use crate::arithmetic::sign_extend;
use crate::decode::{Instruction, Value};
use crate::flags::{self, C, H, I, N, V, Z};
use crate::memory::wrap;
use crate::registers::SP;
use crate::{Answer, Bios, Cost, Fault, Oracle};

/// Where SP may be; outside, nothing is checked.
const STACK: RangeInclusive<u32> = 0x01_DC00..=0x01_E000;
/// Bytes that PUSHA pushes.
const ALL_WORDS: i64 = 32;
/// Bytes of a return address, and with FLAGS those of an interrupt's frame.
const RETURN: i64 = 3;
const FRAME: i64 = RETURN + 2;

impl Oracle {
    /// PUSH, POP, PUSHA, POPA, PUSHF, POPF.
    pub(crate) fn stack(&mut self, opcode: u8, operand: Value) -> Result<(), Fault> {
        let width = operand.width;
        match opcode {
            11 => {
                let sp = self.move_sp(-i64::from(width))?;
                self.memory.write(sp, width, operand.value);
            }
            12 => {
                let from = self.sp();
                // What POP SP ends with is the value, which is not checked.
                if operand.register != Some(SP) {
                    self.move_sp(width.into())?;
                }
                let value = self.memory.read(from, width);
                self.set(operand, value);
            }
            13 => {
                let sp = self.move_sp(-ALL_WORDS)?;
                for word in 0..16 {
                    let place = wrap(u64::from(sp) + 2 * u64::from(15 - word));
                    self.memory.write(place, 2, self.registers.read(word));
                }
            }
            14 => {
                let from = self.sp();
                self.move_sp(ALL_WORDS)?;
                for word in 0..16 {
                    let place = wrap(u64::from(from) + 2 * u64::from(15 - word));
                    let value = self.memory.read(place, 2);
                    self.registers.write(word, value);
                }
            }
            15 => {
                let sp = self.move_sp(-2)?;
                self.memory.write(sp, 2, self.flags.into());
            }
            _ => {
                let from = self.sp();
                self.move_sp(2)?;
                let popped = self.memory.read(from, 2) as u16;
                self.flags = flags::written(self.flags, popped);
            }
        }
        Ok(())
    }

    /// Jumps, branches, calls, INT and the instructions that wait.
    pub(crate) fn control(
        &mut self,
        instruction: &Instruction,
        bios: &mut dyn Bios,
    ) -> Result<Cost, Fault> {
        let opcode = instruction.row.opcode;
        let first = instruction.operands.first().map_or(0, |first| first.value);
        let (absolute, relative) = (wrap(first), branch(self.ip, first));
        match opcode {
            100..=108 if self.condition(opcode - 100) => self.ip = absolute,
            110..=118 if self.condition(opcode - 110) => self.ip = relative,
            100..=108 | 110..=118 => {}
            109 => self.ip = absolute,
            132 | 134 => self.call(absolute)?,
            135 => self.call(relative)?,
            133 => {
                let from = self.sp();
                self.move_sp(RETURN)?;
                self.ip = self.memory.read(from, 3) as u32;
            }
            136 => return self.int(first as u8, bios),
            137 => {
                let from = self.sp();
                self.move_sp(FRAME)?;
                let popped = self.memory.read(from, 2) as u16;
                self.flags = flags::written(self.flags, popped);
                self.ip = self.memory.read(wrap(u64::from(from) + 2), 3) as u32;
            }
            140 => return Ok(self.halt()),
            142 => {
                self.publish();
                return Ok(Cost::Frame);
            }
            _ => self.jump_table(&instruction.operands),
        }
        Ok(Cost::Units(1))
    }

    /// Pushes where the program was and FLAGS, clears I and goes where the
    /// vector points.
    pub(crate) fn enter(&mut self, vector: u8) -> Result<(), Fault> {
        let target = self.vector(vector);
        let sp = self.move_sp(-FRAME)?;
        self.memory.write(wrap(u64::from(sp) + 2), 3, self.ip.into());
        self.memory.write(sp, 2, self.flags.into());
        self.set_flag(I, false);
        self.ip = target;
        Ok(())
    }

    /// INT n: a handler, or what the BIOS answers.
    fn int(&mut self, vector: u8, bios: &mut dyn Bios) -> Result<Cost, Fault> {
        if self.vector(vector) != 0 {
            self.enter(vector)?;
            self.publish();
            return Ok(Cost::Units(1));
        }
        self.publish();
        Ok(match bios.serve(self, vector) {
            Answer::Done(touched) => {
                self.publish();
                Cost::Units(1 + touched.div_ceil(4))
            }
            Answer::Exit(code) => Cost::Last(1, code),
            Answer::Unknown => {
                self.set_flag(C, true);
                self.registers.write(16, 255);
                Cost::Units(1)
            }
        })
    }

    /// HALT: waits for the end of the frame, if that can interrupt, and not
    /// when one is due already; otherwise the program has ended.
    fn halt(&mut self) -> Cost {
        self.set_flag(H, true);
        match (self.frame_can_interrupt(), self.mark) {
            (true, true) => Cost::Units(1),
            (true, false) => Cost::Frame,
            (false, _) => Cost::Last(1, 0),
        }
    }

    /// JTAB.
    fn jump_table(&mut self, operands: &[Value]) {
        let (index, count, table) = (operands[0].value, operands[1].value, operands[2].value);
        if index < count {
            self.ip = self.memory.read(wrap(table + 3 * index), 3) as u32;
        }
    }

    fn call(&mut self, target: u32) -> Result<(), Fault> {
        let sp = self.move_sp(-RETURN)?;
        self.memory.write(sp, 3, self.ip.into());
        self.ip = target;
        Ok(())
    }

    /// The conditions in the order of the opcodes.
    fn condition(&self, number: u8) -> bool {
        match number {
            0 => true,
            1 => self.flag(Z),
            2 => !self.flag(Z),
            3 => self.flag(C),
            4 => !self.flag(C),
            5 => self.flag(N),
            6 => !self.flag(N),
            7 => self.flag(V),
            _ => !self.flag(V),
        }
    }

    fn sp(&self) -> u32 {
        self.registers.read(SP) as u32
    }

    /// Moves SP, which may leave the stack only if it wasn't there; gives the
    /// new one.
    fn move_sp(&mut self, by: i64) -> Result<u32, Fault> {
        let sp = self.sp();
        let new = wrap(u64::from(sp).wrapping_add_signed(by));
        if STACK.contains(&sp) && !STACK.contains(&new) {
            return Err(Fault::Stack(new));
        }
        self.registers.write(SP, new.into());
        Ok(new)
    }
}

/// Where a branch goes: signed, from the next instruction.
fn branch(next: u32, relative: u64) -> u32 {
    wrap(u64::from(next).wrapping_add(sign_extend(relative & 0xFFFF, 2, 8)))
}
