//! From a region to a function in Cranelift's language: its blocks, the time
//! they take and the ways out. What instructions do is in the other modules.
//!
//! A block first takes the time that all of it needs, and asks whether all that
//! it pushes and pops lies in the stack; where a loop begins it is asked whether
//! there is time for all that comes until it is asked again.
//! Everything else that isn't sure in advance (a store into code, an
//! address at the very top, a push out of the stack) is asked *before* the
//! instruction has changed anything; then the code is left, the time not used
//! is given back, and the interpreter goes on at that instruction. So every
//! exit shows the state between two instructions.

mod arithmetic;
mod control;
mod flags;
mod memory;
mod registers;
mod shifts;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{self, AliasRegion, AliasRegionData, InstBuilder, MemFlagsData, Value};
use cranelift_codegen::isa::TargetFrontendConfig;
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext, Variable};
use isa::Operand;

use crate::left;
use crate::region::{Block, Region, Step};
use crate::stack::Reach;
use crate::state::offset;
use flags::Flags;
use registers::Registers;

/// Translates a region. `own_stack`: SP is outside of the machine's stack, so
/// pushes and pops are to be compiled for any place.
pub(crate) fn translate(
    region: &Region,
    own_stack: bool,
    function: &mut ir::Function,
    context: &mut FunctionBuilderContext,
    target: TargetFrontendConfig,
) {
    let mut builder = FunctionBuilder::new(function, context);
    let entry = builder.create_block();
    builder.append_block_params_for_function_params(entry);
    builder.switch_to_block(entry);
    let [state, memory, marks, decoded] = builder.block_params(entry) else { return };
    let pointers = Pointers { state: *state, memory: *memory, marks: *marks, decoded: *decoded };
    let alias = |id, description: &'static str, builder: &mut FunctionBuilder| {
        let data = AliasRegionData { user_id: id, description: description.into() };
        builder.func.dfg.alias_regions.insert(data)
    };
    let regions = AliasRegions {
        state: alias(0, "state", &mut builder),
        memory: alias(1, "memory", &mut builder),
    };
    let registers = Registers::declare(region, &mut builder);
    let flags = Flags::declare(&mut builder);
    let time = builder.declare_var(I64);
    let exit = Exit {
        block: builder.create_block(),
        ip: builder.declare_var(I64),
        answer: builder.declare_var(I64),
    };
    let blocks = region.blocks.iter().map(|_| builder.create_block()).collect();
    let translator = Translator {
        builder,
        pointers,
        regions,
        registers,
        flags,
        time,
        exit,
        blocks,
        own_stack,
        asked: 0,
        current: 0,
        ahead: 0,
        at: 0,
        fast: false,
    };
    translator.region(region, target);
}

/// The function's parameters.
struct Pointers {
    state: Value,
    memory: Value,
    /// For each line of memory a word, not 0 when a store that begins there
    /// may write to code.
    marks: Value,
    /// What a mark points to: a bit for each byte of a line.
    decoded: Value,
}

/// Memory that no pointer into the other reaches.
struct AliasRegions {
    state: AliasRegion,
    memory: AliasRegion,
}

/// The one place where registers are written back.
struct Exit {
    block: ir::Block,
    ip: Variable,
    answer: Variable,
}

struct Translator<'a> {
    builder: FunctionBuilder<'a>,
    pointers: Pointers,
    regions: AliasRegions,
    registers: Registers,
    flags: Flags,
    /// Units that are left, those of the current block taken off.
    time: Variable,
    exit: Exit,
    /// Of each block of the region, the function's.
    blocks: Vec<ir::Block>,
    own_stack: bool,
    /// How many of the block's steps, from its first on, have been asked for
    /// what they push and pop.
    asked: usize,
    /// The number of the current step.
    current: usize,
    /// Instructions of the block that aren't done: this one and those behind.
    ahead: usize,
    /// Where the current instruction stands.
    at: u32,
    /// FLAGS.S.
    fast: bool,
}

impl Translator<'_> {
    fn region(mut self, region: &Region, target: TargetFrontendConfig) {
        self.enter();
        for (block, &place) in region.blocks.iter().zip(&self.blocks.clone()) {
            self.builder.switch_to_block(place);
            self.registers.forget();
            let length = block.steps.len();
            self.begin(block);
            for (number, step) in block.steps.iter().enumerate() {
                self.ahead = length - number;
                self.current = number;
                (self.at, self.fast) = (step.at, step.fast);
                if !step.decoded.row.control {
                    self.step(step);
                }
            }
            self.end(block);
        }
        self.leave();
        self.builder.seal_all_blocks();
        self.builder.finalize(target);
    }

    fn enter(&mut self) {
        let flags = self.of_state();
        let state = self.pointers.state;
        let remaining = self.builder.ins().load(I64, flags, state, offset::REMAINING);
        self.builder.def_var(self.time, remaining);
        self.load_registers();
        self.load_flags();
        let first = self.blocks[0];
        self.builder.ins().jump(first, &[]);
    }

    /// At the start of a block: leaves when there isn't time for all that comes
    /// until the next question, or a push or pop would leave the stack.
    fn begin(&mut self, block: &Block) {
        let length = block.steps.len();
        self.asked = 0;
        if length == 0 {
            return;
        }
        let time = self.builder.use_var(self.time);
        let is_short = (block.asks > 0).then(|| {
            let needed = self.number(block.asks);
            self.builder.ins().icmp(IntCC::UnsignedLessThan, time, needed)
        });
        let outside = if self.own_stack { None } else { self.leaves_stack_of(block) };
        let refused = match (is_short, outside) {
            (Some(is_short), Some(outside)) => Some(self.builder.ins().bor(is_short, outside)),
            (one, other) => one.or(other),
        };
        if let Some(refused) = refused {
            let answer = left::INTERPRET | if block.after_control { left::AT_CONTROL } else { 0 };
            let go_on = self.fork(refused);
            self.go_out_constant(block.at, answer, 0);
            self.builder.switch_to_block(go_on);
        }
        let length = self.number(length as u64);
        let time = self.builder.ins().isub(time, length);
        self.builder.def_var(self.time, time);
    }

    /// Whether a block that begins in the stack leaves it; `None` when it
    /// neither pushes nor pops.
    fn leaves_stack_of(&mut self, block: &Block) -> Option<Value> {
        let reach = Reach::of(block);
        self.asked = reach.steps;
        reach.is_anywhere().then(|| self.leaves_stack(&reach))
    }

    /// When `condition` isn't 0 the interpreter does the current instruction;
    /// nothing of it must have been done.
    fn interpret_if(&mut self, condition: Value) {
        let go_on = self.fork(condition);
        let at = self.at;
        self.go_out_constant(at, left::INTERPRET, self.ahead);
        self.builder.switch_to_block(go_on);
    }

    /// Goes on in a new block, which is rarely run, when `condition` isn't 0.
    /// Answers the block for the usual case.
    fn fork(&mut self, condition: Value) -> ir::Block {
        let usual = self.fork_open(condition);
        self.builder.seal_block(usual);
        usual
    }

    /// The same, when the usual block will be come to from elsewhere too.
    fn fork_open(&mut self, condition: Value) -> ir::Block {
        let rare = self.builder.create_block();
        let usual = self.builder.create_block();
        self.builder.ins().brif(condition, rare, &[], usual, &[]);
        self.builder.set_cold_block(rare);
        self.builder.seal_block(rare);
        self.builder.switch_to_block(rare);
        usual
    }

    /// Ends the current block by leaving the function, `unused` units early.
    fn go_out(&mut self, ip: Value, answer: i64, unused: usize) {
        if unused > 0 {
            let time = self.builder.use_var(self.time);
            let unused = self.number(unused as u64);
            let time = self.builder.ins().iadd(time, unused);
            self.builder.def_var(self.time, time);
        }
        let answer = self.number(answer as u64);
        self.builder.def_var(self.exit.ip, ip);
        self.builder.def_var(self.exit.answer, answer);
        self.builder.ins().jump(self.exit.block, &[]);
    }

    fn go_out_constant(&mut self, ip: u32, answer: i64, unused: usize) {
        let ip = self.number(ip.into());
        self.go_out(ip, answer, unused);
    }

    /// The exit: writes back what the region may have changed.
    fn leave(&mut self) {
        let (flags, state) = (self.of_state(), self.pointers.state);
        self.builder.switch_to_block(self.exit.block);
        self.builder.set_cold_block(self.exit.block);
        self.store_registers();
        self.store_flags();
        let time = self.builder.use_var(self.time);
        self.builder.ins().store(flags, time, state, offset::REMAINING);
        let ip = self.builder.use_var(self.exit.ip);
        self.builder.ins().istore32(flags, ip, state, offset::IP);
        let answer = self.builder.use_var(self.exit.answer);
        self.builder.ins().return_(&[answer]);
    }

    /// An instruction that isn't a control instruction.
    fn step(&mut self, step: &Step) {
        let opcode = step.decoded.row.opcode;
        match (opcode, step.decoded.operands) {
            (0 | 3, [Some(Operand::Reg(reg)), Some(Operand::Imm { value, .. }), ..]) => {
                let value = self.number(value);
                self.loaded(reg, value);
            }
            (1 | 2 | 4 | 5 | 150 | 152, [Some(Operand::Reg(reg)), Some(from), ..]) => {
                let address = self.address(from);
                let value = self.read(address, reg.width());
                self.loaded(reg, value);
            }
            (6 | 7 | 151 | 153, [Some(Operand::Reg(reg)), Some(to), ..]) => {
                let address = self.address(to);
                let value = self.register(reg);
                self.write(address, reg.width(), value);
            }
            (154 | 155, [Some(Operand::Reg(reg)), Some(from), ..]) => {
                let address = self.address(from);
                let address = self.address_value(address);
                self.set_register(reg, address);
            }
            (9, [Some(Operand::Reg(to)), Some(Operand::Reg(from)), ..]) => {
                let value = self.register(from);
                self.set_register(to, value);
            }
            (10, [Some(Operand::Reg(first)), Some(Operand::Reg(second)), ..]) => {
                let (a, b) = (self.register(first), self.register(second));
                self.set_register(first, b);
                self.set_register(second, a);
            }
            (11..=15, [reg, ..]) => self.stack(opcode, reg),
            (70..=84, [Some(Operand::Reg(reg)), count, ..]) => self.shift(opcode, reg, count),
            (139 | 143..=146 | 182..=184, [mask, ..]) => self.flag_bits(opcode, mask),
            (_, [Some(Operand::Reg(reg)), other, ..]) => self.arithmetic(opcode, reg, other),
            _ => {}
        }
    }

    /// A constant.
    fn number(&mut self, value: u64) -> Value {
        self.builder.ins().iconst(I64, value as i64)
    }

    /// Flags of an access to the state.
    fn of_state(&self) -> MemFlagsData {
        MemFlagsData::trusted().with_alias_region(Some(self.regions.state))
    }
}
