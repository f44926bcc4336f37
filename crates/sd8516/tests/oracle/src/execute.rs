//! What instructions do that move, compute and compare; the others' arms lead
//! to the files of their own (section 3).

use crate::arithmetic::{self, Shift, add, divide, low, multiply, sign_extend, subtract, top};
use crate::decode::{Instruction, Value};
use crate::flags::{self, C, I, N, S, T, V, Z};
use crate::memory::wrap;
use crate::{Bios, Cost, Fault, Oracle};

impl Oracle {
    /// Executes an instruction; IP is behind it. A fault has changed nothing.
    pub(crate) fn execute(
        &mut self,
        instruction: &Instruction,
        bios: &mut dyn Bios,
    ) -> Result<Cost, Fault> {
        let operands = &instruction.operands[..];
        let operand = |index: usize| operands.get(index).copied().unwrap_or(NOTHING);
        let (first, second, third) = (operand(0), operand(1), operand(2));
        let (a, b, width) = (first.value, second.value, first.width);
        let carry = self.flag(C);
        let opcode = instruction.row.opcode;
        match opcode {
            // LD, with the address or number in each of its forms
            0 | 3 => self.load(first, b),
            1 | 4 | 2 | 5 => self.load_from(first, b as u32),
            150 | 152 => self.load_from(first, sum(second, third)),
            6 | 7 => self.memory.write(b as u32, width, a),
            151 | 153 => self.memory.write(sum(second, third), width, a),
            9 => self.set(first, b),
            10 => {
                self.set(first, b);
                self.set(second, a);
            }
            21 => self.step_by_one(first, add(a, 1, false, width).result),
            22 => self.step_by_one(first, subtract(a, 1, true, width).result),
            23 => {
                let answer = subtract(0, a, true, width);
                self.set(first, answer.result);
                self.set_all(answer, width);
            }
            30 | 35 => self.compute(first, add(a, b, false, width)),
            31 | 36 => self.compute(first, subtract(a, b, true, width)),
            32 | 37 => self.compute(first, multiply(a, b, width)),
            33 | 38 => self.compute(first, divide(a, b, false)),
            34 | 39 => self.compute(first, divide(a, b, true)),
            40 | 42 => self.compute(first, add(a, b, carry, width)),
            41 | 43 => self.compute(first, subtract(a, b, carry, width)),
            50 | 55 => self.compute(first, logic(a & b)),
            51 | 56 => self.compute(first, logic(a | b)),
            52 | 57 => self.compute(first, logic(a ^ b)),
            53 => self.compute(first, logic(low(!i128::from(a), width))),
            54 | 58 => self.set_all(logic(a & b), width),
            90 | 91 => self.set_all(subtract(a, b, true, width), width),
            60 => self.widen(first, b),
            61 => self.widen(first, sign_extend(b, second.width, width)),
            70 | 75 | 80 => self.shift(Shift::Left, first, times(second)),
            71 | 76 | 81 => self.shift(Shift::Right, first, times(second)),
            72 | 77 | 82 => self.shift(Shift::Arithmetic, first, times(second)),
            73 | 78 => self.shift(Shift::RotateLeft, first, times(second)),
            74 | 79 => self.shift(Shift::RotateRight, first, times(second)),
            83 => self.shift(Shift::ThroughCarryLeft, first, 1),
            84 => self.shift(Shift::ThroughCarryRight, first, 1),
            138 => self.set_flag(I, true),
            139 => self.set_flag(I, false),
            141 => {}
            143 => self.set_flag(T, true),
            144 => self.set_flag(T, false),
            145 => self.set_flag(S, true),
            146 => self.set_flag(S, false),
            147 => return Err(Fault::Break),
            154 | 155 => self.set(first, sum(second, third).into()),
            182 => self.flags = flags::written(self.flags, self.flags | a as u16),
            183 => self.flags = flags::written(self.flags, self.flags & !(a as u16)),
            184 => {
                let set = self.flags & a as u16;
                self.set_flag(Z, set == 0);
                self.set_flag(C, set == a as u16);
                self.set_flag(N, false);
            }
            11..=16 => self.stack(opcode, first)?,
            100..=137 | 140 | 142 | 175 => return self.control(instruction, bios),
            160..=172 => return self.block(opcode, operands),
            190..=195 => return Ok(self.draw(opcode)),
            _ => unreachable!("opcode {opcode} is in the table"),
        }
        Ok(Cost::Units(1))
    }

    pub(crate) fn flag(&self, flag: u16) -> bool {
        self.flags & flag != 0
    }

    pub(crate) fn set_flag(&mut self, flag: u16, on: bool) {
        self.flags = flags::with(self.flags, flag, on);
    }

    /// Writes the register that an operand is.
    pub(crate) fn set(&mut self, operand: Value, value: u64) {
        let register = operand.register.expect("the table has a register here");
        self.registers.write(register, value);
    }

    /// Z and N of a result.
    fn set_zn(&mut self, result: u64, width: u8) {
        self.set_flag(Z, result == 0);
        self.set_flag(N, top(result, width));
    }

    fn set_all(&mut self, answer: arithmetic::Answer, width: u8) {
        self.set_zn(answer.result, width);
        self.set_flag(C, answer.c);
        self.set_flag(V, answer.v);
    }

    fn compute(&mut self, target: Value, answer: arithmetic::Answer) {
        self.set(target, answer.result);
        self.set_all(answer, target.width);
    }

    /// LD: with fast flags they stay as they are.
    fn load(&mut self, target: Value, value: u64) {
        self.set(target, value);
        if !self.flag(S) {
            self.set_zn(value, target.width);
        }
    }

    fn load_from(&mut self, target: Value, address: u32) {
        let value = self.memory.read(address, target.width);
        self.load(target, value);
    }

    /// INC and DEC follow fast flags as LD does, and keep C and V.
    fn step_by_one(&mut self, target: Value, value: u64) {
        self.load(target, value);
    }

    fn widen(&mut self, target: Value, value: u64) {
        self.set(target, value);
        self.set_zn(value, target.width);
    }

    /// Shifts; by 0 changes nothing, flags included.
    fn shift(&mut self, kind: Shift, target: Value, times: u64) {
        if times == 0 {
            return;
        }
        let carry = self.flag(C);
        let (value, carry) = arithmetic::shift(kind, target.value, times, carry, target.width);
        self.widen(target, value);
        self.set_flag(C, carry);
    }
}

/// Stands where an instruction has no operand.
const NOTHING: Value = Value { register: None, width: 0, value: 0 };

/// AND, OR, XOR, NOT and TEST clear C and V.
fn logic(result: u64) -> arithmetic::Answer {
    arithmetic::Answer { result, c: false, v: false }
}

/// How often a shift shifts: once if it doesn't say.
fn times(count: Value) -> u64 {
    if count.width == 0 { 1 } else { count.value }
}

/// `[p + r16]` is an unsigned index, `[p + disp16]` a signed displacement.
fn sum(address: Value, offset: Value) -> u32 {
    let offset = match offset.register {
        Some(_) => offset.value,
        None => sign_extend(offset.value, 2, 8),
    };
    wrap(address.value.wrapping_add(offset))
}
