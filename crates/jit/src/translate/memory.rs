//! Loads, stores and the stack. Every address is below 2^24; what would pass
//! the top, or might write to code, is left to the interpreter.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Value};
use isa::memory_map::{ADDRESS_MASK, MEMORY_SIZE, STACK};
use isa::{Operand, Reg};

use super::Translator;
use crate::left;
use crate::stack::Reach;
use crate::state::offset;
use crate::watch::{LINE_BITS, LINE_BYTES};

/// Bytes of a return address.
const ADDRESS: u8 = 3;
/// Bytes of FLAGS.
const FLAGS: u8 = 2;
/// Bytes that PUSHA and POPA move.
const ALL: u8 = 32;

/// An address in memory, below 2^24.
#[derive(Clone, Copy)]
pub(super) enum Address {
    Known(u32),
    /// And the highest it can be.
    Value(Value, u32),
}

impl Translator<'_> {
    /// The address of a memory operand.
    pub(super) fn address(&mut self, operand: Operand) -> Address {
        match operand {
            Operand::MemAbs(address) => Address::Known(address & ADDRESS_MASK),
            Operand::MemReg(base) => {
                let most = if base.width() == 2 { 0xFFFF } else { ADDRESS_MASK };
                Address::Value(self.register(base), most)
            }
            Operand::MemIndex(base, index) => {
                let most = if base.width() == 2 { 0x1_FFFE } else { ADDRESS_MASK };
                let (base, index) = (self.register(base), self.register(index));
                let sum = self.builder.ins().iadd(base, index);
                Address::Value(self.mask(sum, ADDRESS_MASK.into()), most)
            }
            Operand::MemDisp(base, displacement) => {
                let base = self.register(base);
                let displacement = self.number(i64::from(displacement) as u64);
                let sum = self.builder.ins().iadd(base, displacement);
                Address::Value(self.mask(sum, ADDRESS_MASK.into()), ADDRESS_MASK)
            }
            _ => Address::Known(0),
        }
    }

    pub(super) fn address_value(&mut self, address: Address) -> Value {
        match address {
            Address::Known(address) => self.number(address.into()),
            Address::Value(value, _) => value,
        }
    }

    /// The `width` bytes at an address.
    pub(super) fn read(&mut self, address: Address, width: u8) -> Value {
        let address = self.below_the_top(address, width);
        self.read_checked(address, width)
    }

    /// Writes the `width` bytes of a value; its higher bits don't matter.
    pub(super) fn write(&mut self, address: Address, width: u8, value: Value) {
        let address = self.below_the_top(address, width);
        self.spare_code(address, width);
        self.write_checked(address, width, value);
    }

    /// The value of an address from which `width` bytes lie below the top.
    pub(super) fn below_the_top(&mut self, address: Address, width: u8) -> Value {
        let last = MEMORY_SIZE as u32 - u32::from(width);
        let value = self.address_value(address);
        let is_safe = match address {
            Address::Known(address) => address <= last,
            Address::Value(_, most) => most <= last,
        };
        if !is_safe {
            let last = self.number(last.into());
            let passes = self.builder.ins().icmp(IntCC::UnsignedGreaterThan, value, last);
            self.interpret_if(passes);
        }
        value
    }

    /// Leaves when one of `width` bytes is known to be code.
    fn spare_code(&mut self, address: Value, width: u8) {
        let readonly = MemFlagsData::trusted().with_readonly();
        let unaligned = MemFlagsData::new().with_notrap();
        let line = self.shift_right(address, LINE_BITS);
        let place = self.shift_left(line, 1);
        let place = self.builder.ins().iadd(self.pointers.marks, place);
        let mark = self.builder.ins().uload16(I64, readonly, place, 0);
        // Where both ways come together, so it isn't complete yet.
        let go_on = self.fork_open(mark);

        // The bits of the bytes, when they lie in one line.
        let within = self.cut(address, LINE_BITS);
        let last = self.number(u64::from(LINE_BYTES) - u64::from(width));
        let passes = self.builder.ins().icmp(IntCC::UnsignedGreaterThan, within, last);
        let group = self.shift_right(within, 3);
        let most = self.number(u64::from(LINE_BYTES) / 8 - 2);
        let group = self.builder.ins().umin(group, most);
        let one = self.number(1);
        let place = self.builder.ins().isub(mark, one);
        let (of_state, state) = (self.of_state(), self.pointers.state);
        let last = self.builder.ins().load(I64, of_state, state, offset::LAST_LINE);
        let place = self.builder.ins().umin(place, last);
        let bits = self.shift_left(place, LINE_BITS - 3);
        let bits = self.builder.ins().iadd(bits, group);
        let bits = self.builder.ins().iadd(self.pointers.decoded, bits);
        let bits = self.builder.ins().uload16(I64, unaligned, bits, 0);
        let before = self.shift_left(group, 3);
        let before = self.builder.ins().isub(within, before);
        let bits = self.builder.ins().ushr(bits, before);
        let bits = self.cut(bits, width.into());
        let passes = self.builder.ins().uextend(I64, passes);
        let is_code = self.builder.ins().bor(bits, passes);
        self.interpret_or(is_code, go_on);
    }

    /// In a rare block: leaves when `condition` isn't 0, else goes on there.
    fn interpret_or(&mut self, condition: Value, go_on: cranelift_codegen::ir::Block) {
        let leave = self.builder.create_block();
        self.builder.ins().brif(condition, leave, &[], go_on, &[]);
        self.builder.set_cold_block(leave);
        self.builder.seal_block(leave);
        self.builder.seal_block(go_on);
        self.builder.switch_to_block(leave);
        let at = self.at;
        self.go_out_constant(at, left::INTERPRET, self.ahead);
        self.builder.switch_to_block(go_on);
    }

    fn read_checked(&mut self, address: Value, width: u8) -> Value {
        let flags = self.of_memory();
        let place = self.builder.ins().iadd(self.pointers.memory, address);
        match width {
            1 => self.builder.ins().uload8(I64, flags, place, 0),
            2 => self.builder.ins().uload16(I64, flags, place, 0),
            // In the parts in which it is written: a wider load would have to
            // wait for both to reach the cache.
            3 => {
                let low = self.builder.ins().uload16(I64, flags, place, 0);
                let high = self.builder.ins().uload8(I64, flags, place, 2);
                let high = self.shift_left(high, 16);
                self.builder.ins().bor(low, high)
            }
            4 => self.builder.ins().uload32(flags, place, 0),
            _ => self.builder.ins().load(I64, flags, place, 0),
        }
    }

    fn write_checked(&mut self, address: Value, width: u8, value: Value) {
        let flags = self.of_memory();
        let place = self.builder.ins().iadd(self.pointers.memory, address);
        match width {
            1 => self.builder.ins().istore8(flags, value, place, 0),
            2 => self.builder.ins().istore16(flags, value, place, 0),
            3 => {
                self.builder.ins().istore16(flags, value, place, 0);
                let high = self.shift_right(value, 16);
                self.builder.ins().istore8(flags, high, place, 2)
            }
            4 => self.builder.ins().istore32(flags, value, place, 0),
            _ => self.builder.ins().store(flags, value, place, 0),
        };
    }

    /// PUSH, POP, PUSHA, POPA, PUSHF.
    pub(super) fn stack(&mut self, opcode: u8, reg: Option<Operand>) {
        match (opcode, reg) {
            (11, Some(Operand::Reg(reg))) => {
                let value = self.register(reg);
                self.push(value, reg.width());
            }
            (12, Some(Operand::Reg(Reg::SP))) => {
                let sp = self.register(Reg::SP);
                let value = self.read(Address::Value(sp, ADDRESS_MASK), ADDRESS);
                self.set_register(Reg::SP, value);
            }
            (12, Some(Operand::Reg(reg))) => {
                let value = self.pop(reg.width());
                self.set_register(reg, value);
            }
            (13, _) => self.push_all(),
            (14, _) => self.pop_all(),
            _ => {
                let flags = self.flags_word();
                self.push(flags, FLAGS);
            }
        }
    }

    pub(super) fn push(&mut self, value: Value, width: u8) {
        let sp = self.make_room(width);
        self.write_checked(sp, width, value);
        self.set_register(Reg::SP, sp);
    }

    pub(super) fn push_address(&mut self, address: u32) {
        let address = self.number(address.into());
        self.push(address, ADDRESS);
    }

    pub(super) fn pop(&mut self, width: u8) -> Value {
        let (sp, next) = self.next_sp(width);
        let value = self.read_checked(sp, width);
        self.set_register(Reg::SP, next);
        value
    }

    pub(super) fn pop_address(&mut self) -> Value {
        self.pop(ADDRESS)
    }

    /// A first, so Z is lowest in memory.
    fn push_all(&mut self) {
        let sp = self.make_room(ALL);
        for (place, number) in (0..16).rev().enumerate() {
            let value = self.word(number);
            let offset = self.number(2 * place as u64);
            let at = self.builder.ins().iadd(sp, offset);
            self.write_checked(at, 2, value);
        }
        self.set_register(Reg::SP, sp);
    }

    fn pop_all(&mut self) {
        let (sp, next) = self.next_sp(ALL);
        for number in (0..16).rev() {
            let offset = self.number(2 * u64::from(15 - number));
            let at = self.builder.ins().iadd(sp, offset);
            let value = self.read_checked(at, 2);
            if let Some(word) = Reg::from_id(number) {
                self.set_register(word, value);
            }
        }
        self.set_register(Reg::SP, next);
    }

    /// SP after a push, where that may be written: code is never in the
    /// machine's stack (`Region` refuses it and [`crate::Compiler`] looks).
    fn make_room(&mut self, width: u8) -> Value {
        let sp = self.register(Reg::SP);
        let width_value = self.number(width.into());
        let below = self.builder.ins().isub(sp, width_value);
        let new = self.mask(below, ADDRESS_MASK.into());
        if self.own_stack {
            self.fault_when_left(sp, new);
            let new = self.below_the_top(Address::Value(new, ADDRESS_MASK), width);
            for part in (0..width).step_by(8) {
                let offset = self.number(part.into());
                let at = self.builder.ins().iadd(new, offset);
                self.spare_code(at, (width - part).min(8));
            }
            return new;
        }
        self.stay_in_stack(new);
        new
    }

    /// SP, from which `width` bytes may be read, and SP after the pop.
    fn next_sp(&mut self, width: u8) -> (Value, Value) {
        let sp = self.register(Reg::SP);
        let width_value = self.number(width.into());
        let above = self.builder.ins().iadd(sp, width_value);
        let new = self.mask(above, ADDRESS_MASK.into());
        if self.own_stack {
            self.fault_when_left(sp, new);
            self.below_the_top(Address::Value(sp, ADDRESS_MASK), width);
            return (sp, new);
        }
        self.stay_in_stack(new);
        (sp, new)
    }

    /// Leaves when an SP isn't in the stack, unless the block has asked.
    fn stay_in_stack(&mut self, sp: Value) {
        if self.current >= self.asked {
            let outside = self.is_outside_stack(sp);
            self.interpret_if(outside);
        }
    }

    /// Whether a block would leave the stack, or begins outside of it.
    pub(super) fn leaves_stack(&mut self, reach: &Reach) -> Value {
        let sp = self.register(Reg::SP);
        let lowest = self.number((STACK.start + reach.below).into());
        let size = STACK.end - STACK.start;
        let room = self.number((size - reach.below - reach.above).into());
        let depth = self.builder.ins().isub(sp, lowest);
        self.builder.ins().icmp(IntCC::UnsignedGreaterThan, depth, room)
    }

    /// The interpreter does a push or pop that ends outside of the stack and
    /// began within: it is a fault.
    fn fault_when_left(&mut self, from: Value, to: Value) {
        let from_outside = self.is_outside_stack(from);
        let to_outside = self.is_outside_stack(to);
        let left = self.builder.ins().band_not(to_outside, from_outside);
        self.interpret_if(left);
    }

    fn is_outside_stack(&mut self, sp: Value) -> Value {
        let start = self.number(STACK.start.into());
        let size = self.number((STACK.end - STACK.start).into());
        let depth = self.builder.ins().isub(sp, start);
        self.builder.ins().icmp(IntCC::UnsignedGreaterThan, depth, size)
    }

    fn of_memory(&self) -> MemFlagsData {
        MemFlagsData::new().with_notrap().with_alias_region(Some(self.regions.memory))
    }
}
