//! Shifts and rotations (machine manual, section 3, "Counts"). V stays, and a
//! count of 0 changes nothing.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value};
use isa::{Operand, Reg};

use super::Translator;
use super::arithmetic::bits;

/// What 70–74 do by one, 75–79 by a number and 80–82 by a register.
#[derive(Clone, Copy)]
enum Shift {
    Left,
    Right,
    Arithmetic,
    RotateLeft,
    RotateRight,
}

impl Translator<'_> {
    pub(super) fn shift(&mut self, opcode: u8, reg: Reg, count: Option<Operand>) {
        let a = self.register(reg);
        if opcode >= 83 {
            return self.through_carry(opcode == 83, reg, a);
        }
        let operation = match opcode % 5 {
            0 => Shift::Left,
            1 => Shift::Right,
            2 => Shift::Arithmetic,
            3 => Shift::RotateLeft,
            _ => Shift::RotateRight,
        };
        match count {
            Some(Operand::Reg(count)) => {
                let count = self.register(count);
                self.shift_by_value(operation, reg, a, count);
            }
            Some(Operand::Imm { value: 0, .. }) => {}
            Some(Operand::Imm { value, .. }) => self.shift_by(operation, reg, a, value as u32),
            _ => self.shift_by(operation, reg, a, 1),
        }
    }

    /// By a number that is known, 1–255.
    fn shift_by(&mut self, operation: Shift, reg: Reg, a: Value, count: u32) {
        let bits = bits(reg);
        let (result, carry) = match operation {
            Shift::RotateLeft => {
                let result = self.rotate_left(a, count % bits, bits);
                (result, self.cut(result, 1))
            }
            Shift::RotateRight => {
                let result = self.rotate_left(a, (bits - count % bits) % bits, bits);
                (result, self.shift_right(result, bits - 1))
            }
            _ => {
                let count = self.number(count.into());
                self.shifted(operation, a, count, bits)
            }
        };
        self.set_register(reg, result);
        self.set_zn(result, bits);
        self.set_carry(carry);
    }

    /// By the value of a byte register.
    fn shift_by_value(&mut self, operation: Shift, reg: Reg, a: Value, count: Value) {
        let bits = bits(reg);
        let old = self.znc();
        let (result, carry) = self.shifted(operation, a, count, bits);
        self.set_zn(result, bits);
        self.set_carry(carry);
        let new = self.znc();
        // By 0 the flags stay; the result is a in any case.
        let chosen =
            std::array::from_fn(|flag| self.builder.ins().select(count, new[flag], old[flag]));
        self.set_register(reg, result);
        self.set_znc(chosen);
    }

    /// Result and last bit out of a shift by 1–255; by 0 the result is right.
    fn shifted(&mut self, operation: Shift, a: Value, count: Value, bits: u32) -> (Value, Value) {
        let one = self.number(1);
        let before_last = self.builder.ins().isub(count, one);
        match operation {
            Shift::Left => {
                let result = self.shift_left_or_out(a, count);
                let last = self.shift_left_or_out(a, before_last);
                let carry = self.shift_right(last, bits - 1);
                (self.cut(result, bits), self.cut(carry, 1))
            }
            Shift::Arithmetic => {
                let signed = self.sign_extend(a, bits);
                let result = self.shift_right_signed(signed, count);
                let last = self.shift_right_signed(signed, before_last);
                (self.cut(result, bits), self.cut(last, 1))
            }
            _ => {
                let result = self.shift_right_or_out(a, count);
                let last = self.shift_right_or_out(a, before_last);
                (result, self.cut(last, 1))
            }
        }
    }

    fn shift_left_or_out(&mut self, a: Value, count: Value) -> Value {
        let shifted = self.builder.ins().ishl(a, count);
        self.unless_out(shifted, count)
    }

    fn shift_right_or_out(&mut self, a: Value, count: Value) -> Value {
        let shifted = self.builder.ins().ushr(a, count);
        self.unless_out(shifted, count)
    }

    /// `shifted`, but 0 when everything has been shifted out: the host takes
    /// counts modulo 64.
    fn unless_out(&mut self, shifted: Value, count: Value) -> Value {
        let width = self.number(64);
        let zero = self.number(0);
        let is_within = self.builder.ins().icmp(IntCC::UnsignedLessThan, count, width);
        self.builder.ins().select(is_within, shifted, zero)
    }

    /// From 63 on all bits are the sign.
    fn shift_right_signed(&mut self, a: Value, count: Value) -> Value {
        let most = self.number(63);
        let count = self.builder.ins().umin(count, most);
        self.builder.ins().sshr(a, count)
    }

    fn rotate_left(&mut self, a: Value, count: u32, bits: u32) -> Value {
        if count == 0 {
            return a;
        }
        let high = self.shift_left(a, count);
        let low = self.shift_right(a, bits - count);
        let both = self.builder.ins().bor(high, low);
        self.cut(both, bits)
    }

    /// RCL and RCR, by one.
    fn through_carry(&mut self, left: bool, reg: Reg, a: Value) {
        let bits = bits(reg);
        let carry_in = self.carry();
        let (result, carry) = if left {
            let up = self.shift_left(a, 1);
            let all = self.builder.ins().bor(up, carry_in);
            (self.cut(all, bits), self.shift_right(a, bits - 1))
        } else {
            let down = self.shift_right(a, 1);
            let top = self.shift_left(carry_in, bits - 1);
            (self.builder.ins().bor(down, top), self.cut(a, 1))
        };
        self.set_register(reg, result);
        self.set_zn(result, bits);
        self.set_carry(carry);
    }
}
