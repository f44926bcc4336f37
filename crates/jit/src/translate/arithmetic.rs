//! Arithmetic and logic at any width, and the flags they set (machine manual,
//! sections 2 and 3). Values are kept zero-extended in 64 bits.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I32, I64};
use cranelift_codegen::ir::{InstBuilder, Value};
use isa::{Operand, Reg};

use super::Translator;

impl Translator<'_> {
    /// What a load or a count ends with: fast flags leave Z and N alone.
    pub(super) fn loaded(&mut self, reg: Reg, value: Value) {
        self.set_register(reg, value);
        if !self.fast {
            self.set_zn(value, bits(reg));
        }
    }

    /// An instruction with a register and, if it has two operands, a register
    /// or an immediate.
    pub(super) fn arithmetic(&mut self, opcode: u8, reg: Reg, other: Option<Operand>) {
        let a = self.register(reg);
        let b = match other {
            Some(Operand::Reg(other)) => self.register(other),
            Some(Operand::Imm { value, .. }) => self.number(value),
            _ => self.number(0),
        };
        match opcode {
            21 => self.count(reg, a, 1),
            22 => self.count(reg, a, u64::MAX),
            23 => {
                let zero = self.number(0);
                let result = self.subtract(zero, a, bits(reg));
                self.set_register(reg, result);
            }
            30 | 35 => {
                let result = self.add(a, b, None, bits(reg));
                self.set_register(reg, result);
            }
            31 | 36 => {
                let result = self.subtract(a, b, bits(reg));
                self.set_register(reg, result);
            }
            32 | 37 => self.multiply(reg, a, b),
            33 | 38 => self.divide(reg, a, b, true),
            34 | 39 => self.divide(reg, a, b, false),
            40 | 42 => {
                let carry = self.carry();
                let result = self.add(a, b, Some(carry), bits(reg));
                self.set_register(reg, result);
            }
            41 | 43 => {
                let result = self.subtract_with_carry(a, b, bits(reg));
                self.set_register(reg, result);
            }
            50..=58 => self.logic(opcode, reg, a, b),
            60 => self.widen(reg, b, None),
            61 => {
                let from = match other {
                    Some(Operand::Reg(from)) => bits(from),
                    _ => 64,
                };
                self.widen(reg, b, Some(from));
            }
            90 | 91 => {
                self.subtract(a, b, bits(reg));
            }
            _ => {}
        }
    }

    /// INC and DEC: C and V stay.
    fn count(&mut self, reg: Reg, a: Value, step: u64) {
        let step = self.number(step);
        let sum = self.builder.ins().iadd(a, step);
        let result = self.cut(sum, bits(reg));
        self.loaded(reg, result);
    }

    fn add(&mut self, a: Value, b: Value, carry: Option<Value>, bits: u32) -> Value {
        let mut sum = self.builder.ins().iadd(a, b);
        if let Some(carry) = carry {
            sum = self.builder.ins().iadd(sum, carry);
        }
        let result = self.cut(sum, bits);
        let carry_out = if bits < 64 {
            self.shift_right(sum, bits)
        } else {
            // The top bit of a & b | (a | b) & !result.
            let both = self.builder.ins().band(a, b);
            let either = self.builder.ins().bor(a, b);
            let passed = self.builder.ins().band_not(either, result);
            let out = self.builder.ins().bor(both, passed);
            self.shift_right(out, 63)
        };
        let left = self.builder.ins().bxor(a, result);
        let right = self.builder.ins().bxor(b, result);
        let overflow = self.builder.ins().band(left, right);
        self.set_zn(result, bits);
        self.set_carry(carry_out);
        self.set_overflow(overflow, bits);
        result
    }

    /// a − b: C is set when there was no borrow.
    fn subtract(&mut self, a: Value, b: Value, bits: u32) -> Value {
        let difference = self.builder.ins().isub(a, b);
        let no_borrow = self.builder.ins().icmp(IntCC::UnsignedGreaterThanOrEqual, a, b);
        let carry = self.builder.ins().uextend(I64, no_borrow);
        let result = self.subtracted(a, b, difference, bits);
        self.set_carry(carry);
        result
    }

    /// a − b, one less when C is clear.
    fn subtract_with_carry(&mut self, a: Value, b: Value, bits: u32) -> Value {
        let carry = self.carry();
        let one = self.number(1);
        let borrow = self.builder.ins().bxor(carry, one);
        let difference = self.builder.ins().isub(a, b);
        let difference = self.builder.ins().isub(difference, borrow);
        let result = self.subtracted(a, b, difference, bits);
        let borrow_out = if bits < 64 {
            difference
        } else {
            // The top bit of !a & b | (!a | b) & result.
            let not_a = self.builder.ins().bnot(a);
            let only_b = self.builder.ins().band(not_a, b);
            let either = self.builder.ins().bor(not_a, b);
            let passed = self.builder.ins().band(either, result);
            self.builder.ins().bor(only_b, passed)
        };
        let borrow_out = self.shift_right(borrow_out, 63);
        let carry = self.builder.ins().bxor(borrow_out, one);
        self.set_carry(carry);
        result
    }

    /// The result of a subtraction; sets Z, N and V.
    fn subtracted(&mut self, a: Value, b: Value, difference: Value, bits: u32) -> Value {
        let result = self.cut(difference, bits);
        let signs = self.builder.ins().bxor(a, b);
        let turned = self.builder.ins().bxor(a, result);
        let overflow = self.builder.ins().band(signs, turned);
        self.set_zn(difference, bits);
        self.set_overflow(overflow, bits);
        result
    }

    /// The low half of a × b; C = V = whether bits were lost.
    fn multiply(&mut self, reg: Reg, a: Value, b: Value) {
        let bits = bits(reg);
        let product = self.builder.ins().imul(a, b);
        let (result, lost) = if bits < 64 {
            (self.cut(product, bits), self.shift_right(product, bits))
        } else {
            (product, self.builder.ins().umulhi(a, b))
        };
        let carry = self.is_not_zero(lost);
        self.set_register(reg, result);
        self.set_zn(result, bits);
        self.set_carry(carry);
        self.set_overflow(carry, 1);
    }

    /// DIV (`quotient`) and MOD; by zero 0 with C set.
    fn divide(&mut self, reg: Reg, a: Value, b: Value, quotient: bool) {
        let zero = self.number(0);
        let one = self.number(1);
        let by_zero = self.builder.ins().icmp(IntCC::Equal, b, zero);
        let divisor = self.builder.ins().select(by_zero, one, b);
        let bits = bits(reg);
        let divided = if bits <= 32 {
            let a = self.builder.ins().ireduce(I32, a);
            let divisor = self.builder.ins().ireduce(I32, divisor);
            let divided = self.quotient_or_rest(a, divisor, quotient);
            self.builder.ins().uextend(I64, divided)
        } else {
            self.quotient_or_rest(a, divisor, quotient)
        };
        let result = self.builder.ins().select(by_zero, zero, divided);
        let carry = self.builder.ins().uextend(I64, by_zero);
        self.set_register(reg, result);
        self.set_zn(result, bits);
        self.set_carry(carry);
        self.set_overflow(zero, 64);
    }

    fn quotient_or_rest(&mut self, a: Value, divisor: Value, quotient: bool) -> Value {
        if quotient {
            self.builder.ins().udiv(a, divisor)
        } else {
            self.builder.ins().urem(a, divisor)
        }
    }

    /// AND, OR, XOR, NOT, TEST: C and V are cleared.
    fn logic(&mut self, opcode: u8, reg: Reg, a: Value, b: Value) {
        let result = match opcode {
            51 | 56 => self.builder.ins().bor(a, b),
            52 | 57 => self.builder.ins().bxor(a, b),
            53 => {
                let inverted = self.builder.ins().bnot(a);
                self.cut(inverted, bits(reg))
            }
            _ => self.builder.ins().band(a, b),
        };
        if opcode != 54 && opcode != 58 {
            self.set_register(reg, result);
        }
        let zero = self.number(0);
        self.set_zn(result, bits(reg));
        self.set_carry(zero);
        self.set_overflow(zero, 64);
    }

    /// MOVZX, and MOVSX from so many bits.
    fn widen(&mut self, reg: Reg, value: Value, signed_bits: Option<u32>) {
        let value = match signed_bits {
            Some(from) => {
                let extended = self.sign_extend(value, from);
                self.cut(extended, bits(reg))
            }
            None => value,
        };
        self.set_register(reg, value);
        self.set_zn(value, bits(reg));
    }

    pub(super) fn sign_extend(&mut self, value: Value, bits: u32) -> Value {
        let up = self.shift_left(value, 64 - bits);
        let down = self.number((64 - bits).into());
        self.builder.ins().sshr(up, down)
    }

    /// 1 or 0.
    pub(super) fn is_not_zero(&mut self, value: Value) -> Value {
        let zero = self.number(0);
        let is = self.builder.ins().icmp(IntCC::NotEqual, value, zero);
        self.builder.ins().uextend(I64, is)
    }
}

pub(super) fn bits(reg: Reg) -> u32 {
    8 * u32::from(reg.width())
}
