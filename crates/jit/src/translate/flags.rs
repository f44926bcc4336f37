//! FLAGS while compiled code runs: each of the four arithmetic flags is a
//! number it follows from. What no one asks for is never computed: Cranelift
//! moves it to the exits that need it.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{InstBuilder, Value};
use cranelift_frontend::{FunctionBuilder, Variable};
use isa::Operand;
use isa::flags::{self, C, N, V, Z};

use super::Translator;
use crate::region::{Condition, Flag};
use crate::state::offset;

/// The flags as in [`crate::State`].
pub(super) struct Flags {
    /// Z is set when this is 0, N when it is below 0.
    result: Variable,
    /// C, 0 or 1.
    carry: Variable,
    /// V is set when this is below 0.
    overflow: Variable,
}

impl Flags {
    pub(super) fn declare(builder: &mut FunctionBuilder) -> Self {
        Flags {
            result: builder.declare_var(I64),
            carry: builder.declare_var(I64),
            overflow: builder.declare_var(I64),
        }
    }

    fn places(&self) -> [(Variable, i32); 3] {
        [
            (self.result, offset::RESULT),
            (self.carry, offset::CARRY),
            (self.overflow, offset::OVERFLOW),
        ]
    }
}

impl Translator<'_> {
    /// Z and N of the low bits of a value.
    pub(super) fn set_zn(&mut self, value: Value, bits: u32) {
        let result = self.shift_left(value, 64 - bits);
        self.builder.def_var(self.flags.result, result);
    }

    /// C is 0 or 1.
    pub(super) fn set_carry(&mut self, carry: Value) {
        self.builder.def_var(self.flags.carry, carry);
    }

    /// V is the top bit of a value of so many bits.
    pub(super) fn set_overflow(&mut self, value: Value, bits: u32) {
        let overflow = self.shift_left(value, 64 - bits);
        self.builder.def_var(self.flags.overflow, overflow);
    }

    pub(super) fn carry(&mut self) -> Value {
        self.builder.use_var(self.flags.carry)
    }

    /// What Z, N and C follow from, for an instruction that may leave them.
    pub(super) fn znc(&mut self) -> [Value; 2] {
        [self.flags.result, self.flags.carry].map(|variable| self.builder.use_var(variable))
    }

    pub(super) fn set_znc(&mut self, [result, carry]: [Value; 2]) {
        self.builder.def_var(self.flags.result, result);
        self.builder.def_var(self.flags.carry, carry);
    }

    /// Not 0 when a jump is taken.
    pub(super) fn condition(&mut self, condition: Condition) -> Value {
        let variable = match condition.flag {
            Flag::Zero | Flag::Negative => self.flags.result,
            Flag::Carry => self.flags.carry,
            Flag::Overflow => self.flags.overflow,
        };
        let value = self.builder.use_var(variable);
        let code = match (condition.flag, condition.set) {
            (Flag::Zero, true) | (Flag::Carry, false) => IntCC::Equal,
            (Flag::Zero, false) | (Flag::Carry, true) => IntCC::NotEqual,
            (_, true) => IntCC::SignedLessThan,
            (_, false) => IntCC::SignedGreaterThanOrEqual,
        };
        let zero = self.number(0);
        self.builder.ins().icmp(code, value, zero)
    }

    /// FLAGS in one word.
    pub(super) fn flags_word(&mut self) -> Value {
        let (access, state) = (self.of_state(), self.pointers.state);
        let mut word = self.builder.ins().load(I64, access, state, offset::OTHER_FLAGS);
        for (flag, bit) in
            [(Flag::Zero, Z), (Flag::Negative, N), (Flag::Carry, C), (Flag::Overflow, V)]
        {
            let is_set = self.condition(Condition { flag, set: true });
            let is_set = self.builder.ins().uextend(I64, is_set);
            let is_set = self.shift_left(is_set, bit.trailing_zeros());
            word = self.builder.ins().bor(word, is_set);
        }
        word
    }

    /// CLI, SED, CLD, SEF, CLF, SETF, CLRF, TESTF.
    pub(super) fn flag_bits(&mut self, opcode: u8, mask: Option<Operand>) {
        let mask = match mask {
            Some(Operand::Imm { value, .. }) => value as u16,
            _ => 0,
        };
        match opcode {
            139 => self.change_flags(flags::I, false),
            143 => self.change_flags(flags::T, true),
            144 => self.change_flags(flags::T, false),
            145 => self.change_flags(flags::S, true),
            146 => self.change_flags(flags::S, false),
            182 => self.change_flags(mask & flags::WRITABLE, true),
            183 => self.change_flags(mask & flags::WRITABLE, false),
            _ => self.test_flags(mask),
        }
    }

    fn change_flags(&mut self, mask: u16, on: bool) {
        let (one, below) = if on { (1, u64::MAX) } else { (0, 0) };
        for (flag, variable, value) in [(C, self.flags.carry, one), (V, self.flags.overflow, below)]
        {
            if mask & flag != 0 {
                let value = self.number(value);
                self.builder.def_var(variable, value);
            }
        }
        let others = u64::from(mask & !(Z | N | C | V));
        if others != 0 {
            let (access, state) = (self.of_state(), self.pointers.state);
            let old = self.builder.ins().load(I64, access, state, offset::OTHER_FLAGS);
            let new = if on {
                let others = self.number(others);
                self.builder.ins().bor(old, others)
            } else {
                self.mask(old, !others)
            };
            self.builder.ins().store(access, new, state, offset::OTHER_FLAGS);
        }
    }

    /// TESTF: Z if none of the mask is set, C if all of it, N clear.
    fn test_flags(&mut self, mask: u16) {
        let word = self.flags_word();
        let masked = self.mask(word, mask.into());
        let all = self.number(mask.into());
        let is_all = self.builder.ins().icmp(IntCC::Equal, masked, all);
        let carry = self.builder.ins().uextend(I64, is_all);
        self.set_zn(masked, 63);
        self.set_carry(carry);
    }

    pub(super) fn load_flags(&mut self) {
        let (access, state) = (self.of_state(), self.pointers.state);
        for (variable, place) in self.flags.places() {
            let value = self.builder.ins().load(I64, access, state, place);
            self.builder.def_var(variable, value);
        }
    }

    pub(super) fn store_flags(&mut self) {
        let (access, state) = (self.of_state(), self.pointers.state);
        for (variable, place) in self.flags.places() {
            let value = self.builder.use_var(variable);
            self.builder.ins().store(access, value, state, place);
        }
    }
}
