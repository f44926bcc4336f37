//! The registers while compiled code runs: one variable for each word, or for
//! a pair of words that the region uses as a pair more than apart. All the
//! other views are made of them.

use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{InstBuilder, Value};
use cranelift_frontend::{FunctionBuilder, Variable};
use isa::{Operand, Reg, View};

use super::Translator;
use crate::region::Region;
use crate::state::offset;

/// A, B, C, D: ABCD from the lowest word up.
const QUAD: [u8; 4] = [0, 1, 4, 10];
/// Numbers of the registers AB to KT.
const PAIRS: std::ops::Range<u8> = 48..53;
const NUMBERS: usize = 96;

pub(super) struct Registers {
    words: [Home; 16],
    sp: Variable,
    /// The words that the region writes, as in [`Reg::halves`].
    written: u32,
    /// Views that have been read or written in this block and are still so.
    known: [Option<Value>; NUMBERS],
}

/// Where a word is: bits of a variable.
#[derive(Clone, Copy)]
struct Home {
    variable: Variable,
    part: Part,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Whole,
    LowHalf,
    HighHalf,
}

impl Registers {
    pub(super) fn declare(region: &Region, builder: &mut FunctionBuilder) -> Self {
        let sp = builder.declare_var(I64);
        let words = std::array::from_fn(|_| builder.declare_var(I64));
        let mut words = words.map(|variable| Home { variable, part: Part::Whole });
        for pair in PAIRS.filter_map(Reg::from_id).filter(|&pair| is_used_as_one(region, pair)) {
            if let View::Pair(low, high) = pair.view() {
                let variable = words[usize::from(low)].variable;
                words[usize::from(low)] = Home { variable, part: Part::LowHalf };
                words[usize::from(high)] = Home { variable, part: Part::HighHalf };
            }
        }
        let steps = || region.blocks.iter().flat_map(|block| &block.steps);
        let written = steps().fold(0, |all, step| all | step.decoded.writes());
        Registers { words, sp, written, known: [None; NUMBERS] }
    }

    /// Nothing is known of the views any more: a block begins.
    pub(super) fn forget(&mut self) {
        self.known = [None; NUMBERS];
    }
}

/// Whether a pair's words are used together more often than not.
fn is_used_as_one(region: &Region, pair: Reg) -> bool {
    let (mut together, mut apart) = (0, 0);
    for step in region.blocks.iter().flat_map(|block| &block.steps) {
        let all = step.decoded.reads() | step.decoded.writes();
        let mut others = all;
        for operand in step.decoded.operands.into_iter().flatten() {
            if operand == Operand::Reg(pair) {
                together += 1;
                others &= !pair.halves();
            }
        }
        apart += u32::from(others & pair.halves() != 0);
    }
    together > apart
}

impl Translator<'_> {
    /// A register's value, zero-extended.
    pub(super) fn register(&mut self, reg: Reg) -> Value {
        if let Some(value) = self.registers.known[usize::from(reg.id())] {
            return value;
        }
        let value = match reg.view() {
            View::Word(word) => self.word(word),
            View::Low(word) => {
                let value = self.word(word);
                self.cut(value, 8)
            }
            View::High(word) => {
                let value = self.word(word);
                self.shift_right(value, 8)
            }
            View::Pair(low, high) => match self.registers.words[usize::from(low)] {
                Home { variable, part: Part::LowHalf } => self.builder.use_var(variable),
                _ => {
                    let (low, high) = (self.word(low), self.word(high));
                    self.join(low, high, 16)
                }
            },
            View::Quad => {
                let [lowest, second, third, highest] = QUAD.map(|word| self.word(word));
                let high = self.join(third, highest, 16);
                let low = self.join(lowest, second, 16);
                self.join(low, high, 32)
            }
            View::Sp => self.builder.use_var(self.registers.sp),
            View::Pointer { bank, offset } => {
                let (bank, offset) = (self.word(bank), self.word(offset));
                let bank = self.cut(bank, 8);
                self.join(offset, bank, 16)
            }
        };
        self.registers.known[usize::from(reg.id())] = Some(value);
        value
    }

    /// Sets a register to a value that is no wider.
    pub(super) fn set_register(&mut self, reg: Reg, value: Value) {
        match reg.view() {
            View::Word(word) => self.set_word(word, value),
            View::Low(word) => {
                let old = self.word(word);
                let rest = self.mask(old, 0xFF00);
                let new = self.builder.ins().bor(rest, value);
                self.set_word(word, new);
            }
            View::High(word) => {
                let old = self.word(word);
                let rest = self.cut(old, 8);
                let new = self.join(rest, value, 8);
                self.set_word(word, new);
            }
            View::Pair(low, high) => match self.registers.words[usize::from(low)] {
                Home { variable, part: Part::LowHalf } => self.builder.def_var(variable, value),
                _ => {
                    let (low_value, high_value) =
                        (self.cut(value, 16), self.shift_right(value, 16));
                    self.set_word(low, low_value);
                    self.set_word(high, high_value);
                }
            },
            View::Quad => {
                for (place, word) in QUAD.into_iter().enumerate() {
                    let part = self.shift_right(value, 16 * place as u32);
                    let part = if place < 3 { self.cut(part, 16) } else { part };
                    self.set_word(word, part);
                }
            }
            View::Sp => self.builder.def_var(self.registers.sp, value),
            View::Pointer { bank, offset } => {
                let old = self.word(bank);
                let rest = self.mask(old, 0xFF00);
                let high = self.shift_right(value, 16);
                let low = self.cut(value, 16);
                let high = self.builder.ins().bor(rest, high);
                self.set_word(offset, low);
                self.set_word(bank, high);
            }
        }
        for (id, known) in self.registers.known.iter_mut().enumerate() {
            let other = Reg::from_id(id as u8);
            if other.is_some_and(|other| other.halves() & reg.halves() != 0) {
                *known = None;
            }
        }
        self.registers.known[usize::from(reg.id())] = Some(value);
    }

    /// One of the sixteen words, by its number.
    pub(super) fn word(&mut self, number: u8) -> Value {
        let Home { variable, part } = self.registers.words[usize::from(number)];
        let value = self.builder.use_var(variable);
        match part {
            Part::Whole => value,
            Part::LowHalf => self.cut(value, 16),
            Part::HighHalf => self.shift_right(value, 16),
        }
    }

    fn set_word(&mut self, number: u8, value: Value) {
        let Home { variable, part } = self.registers.words[usize::from(number)];
        let whole = match part {
            Part::Whole => value,
            Part::LowHalf => {
                let old = self.builder.use_var(variable);
                let rest = self.mask(old, 0xFFFF_0000);
                self.builder.ins().bor(rest, value)
            }
            Part::HighHalf => {
                let old = self.builder.use_var(variable);
                let rest = self.cut(old, 16);
                self.join(rest, value, 16)
            }
        };
        self.builder.def_var(variable, whole);
    }

    /// On entry: every variable gets its value.
    pub(super) fn load_registers(&mut self) {
        let (flags, state) = (self.of_state(), self.pointers.state);
        let sp = self.builder.ins().uload32(flags, state, offset::SP);
        self.builder.def_var(self.registers.sp, sp);
        let words: [Value; 16] = std::array::from_fn(|number| {
            self.builder.ins().uload16(I64, flags, state, offset::word(number as u8))
        });
        for (home, word) in self.registers.words.into_iter().zip(words) {
            if home.part == Part::Whole {
                self.builder.def_var(home.variable, word);
            }
        }
        for pair in PAIRS.filter_map(Reg::from_id) {
            if let View::Pair(low, high) = pair.view()
                && let Home { variable, part: Part::LowHalf } =
                    self.registers.words[usize::from(low)]
            {
                let both = self.join(words[usize::from(low)], words[usize::from(high)], 16);
                self.builder.def_var(variable, both);
            }
        }
    }

    /// At the exit: what the region writes goes back.
    pub(super) fn store_registers(&mut self) {
        let (flags, state) = (self.of_state(), self.pointers.state);
        for number in 0..16 {
            if self.registers.written >> (2 * number) & 3 != 0 {
                let value = self.word(number);
                self.builder.ins().istore16(flags, value, state, offset::word(number));
            }
        }
        let sp = self.builder.use_var(self.registers.sp);
        self.builder.ins().istore32(flags, sp, state, offset::SP);
    }

    /// The low bits of a value.
    pub(super) fn cut(&mut self, value: Value, bits: u32) -> Value {
        if bits >= 64 { value } else { self.mask(value, (1 << bits) - 1) }
    }

    pub(super) fn mask(&mut self, value: Value, mask: u64) -> Value {
        let mask = self.number(mask);
        self.builder.ins().band(value, mask)
    }

    pub(super) fn shift_right(&mut self, value: Value, bits: u32) -> Value {
        let bits = self.number(bits.into());
        self.builder.ins().ushr(value, bits)
    }

    pub(super) fn shift_left(&mut self, value: Value, bits: u32) -> Value {
        let bits = self.number(bits.into());
        self.builder.ins().ishl(value, bits)
    }

    /// `high` above the `bits` bits of `low`.
    fn join(&mut self, low: Value, high: Value, bits: u32) -> Value {
        let high = self.shift_left(high, bits);
        self.builder.ins().bor(low, high)
    }
}
