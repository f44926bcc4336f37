//! The ends of blocks: jumps, calls, returns.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self, InstBuilder, Value};

use super::Translator;
use super::memory::Address;
use crate::left;
use crate::region::{Block, End, Target};

impl Translator<'_> {
    /// Does the last step, if it is a control instruction, and goes on.
    pub(super) fn end(&mut self, block: &Block) {
        let next = block.steps.last().map_or(block.at, |step| step.next());
        match block.end {
            End::Next(target) => {
                let answer = match block.steps.last() {
                    Some(step) if step.decoded.row.control => left::AT_CONTROL,
                    _ => 0,
                };
                self.go(target, answer);
            }
            End::Branch(condition, taken, not_taken) => {
                let is_taken = self.condition(condition);
                let (taken_block, not_taken_block) = (self.place(taken), self.place(not_taken));
                self.builder.ins().brif(is_taken, taken_block, &[], not_taken_block, &[]);
                self.go_out_from(taken_block, taken);
                self.go_out_from(not_taken_block, not_taken);
            }
            End::Call(target) => {
                self.push_address(next);
                self.go(target, left::AT_CONTROL);
            }
            End::CallRegister(reg) => {
                // Read before the push: SP may be the register.
                let to = self.register(reg);
                self.push_address(next);
                self.go_out(to, left::AT_CONTROL, 0);
            }
            End::JumpRegister(reg) => {
                let to = self.register(reg);
                self.go_out(to, left::AT_CONTROL, 0);
            }
            End::Return(expected) => {
                let to = self.pop_address();
                if let Some((back, target)) = expected {
                    self.return_to(to, back, target);
                } else {
                    self.go_out(to, left::AT_CONTROL, 0);
                }
            }
            End::Table { index, count, table, beyond } => {
                let index = self.register(index);
                self.jump_by_table(index, count, table, beyond);
            }
            End::Interpret(at) => self.go_out_constant(at, left::INTERPRET, 0),
        }
    }

    fn return_to(&mut self, to: Value, back: u32, target: Target) {
        let back = self.number(back.into());
        let elsewhere = self.builder.ins().icmp(IntCC::NotEqual, to, back);
        let as_expected = self.fork(elsewhere);
        self.go_out(to, left::AT_CONTROL, 0);
        self.builder.switch_to_block(as_expected);
        self.go(target, left::AT_CONTROL);
    }

    fn jump_by_table(&mut self, index: Value, count: u16, table: u32, beyond: Target) {
        let count = self.number(count.into());
        let is_beyond = self.builder.ins().icmp(IntCC::UnsignedGreaterThanOrEqual, index, count);
        let within = self.builder.create_block();
        let beyond_block = self.place(beyond);
        self.builder.ins().brif(is_beyond, beyond_block, &[], within, &[]);
        self.builder.switch_to_block(within);
        let three = self.number(3);
        let offset = self.builder.ins().imul(index, three);
        let table = self.number(table.into());
        let entry = self.builder.ins().iadd(table, offset);
        let entry = self.mask(entry, isa::memory_map::ADDRESS_MASK.into());
        let to = self.read(Address::Value(entry, isa::memory_map::ADDRESS_MASK), 3);
        self.go_out(to, left::AT_CONTROL, 0);
        self.go_out_from(beyond_block, beyond);
    }

    /// Ends the current block.
    fn go(&mut self, target: Target, answer: i64) {
        match target {
            Target::Block(number) => {
                let block = self.blocks[number];
                self.builder.ins().jump(block, &[]);
            }
            Target::Leave(at) => self.go_out_constant(at, answer, 0),
        }
    }

    /// The block to jump to; one that leaves is to be filled by
    /// [`Translator::go_out_from`].
    fn place(&mut self, target: Target) -> ir::Block {
        match target {
            Target::Block(number) => self.blocks[number],
            Target::Leave(_) => self.builder.create_block(),
        }
    }

    fn go_out_from(&mut self, block: ir::Block, target: Target) {
        if let Target::Leave(at) = target {
            self.builder.switch_to_block(block);
            self.go_out_constant(at, left::AT_CONTROL, 0);
        }
    }
}
