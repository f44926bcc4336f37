//! The CPU: fetch, decode, execute as one step over memory. One arm for each
//! row of the instruction table (machine manual, section 3).

mod alu;
mod block;
mod code;
#[cfg(feature = "jit")]
mod compiled;
mod control;
pub(crate) mod fast;
mod operations;
pub(crate) mod queue;
mod registers;
mod shift;
mod stack;

use isa::Class::{Address, Byte, ByteOrWord, Far, Word};
use isa::flags::{self, C, N, V, Z};
use isa::memory_map::ADDRESS_MASK;
use isa::time::units_for;
use serde::{Deserialize, Deserializer, Serialize};

use crate::fault::FaultKind;
use crate::memory::Memory;
use alu::Width;
use code::{Code, LENGTHS, width_of};
#[cfg(feature = "jit")]
pub(crate) use compiled::{Compiled, run as run_compiled};
pub(crate) use registers::Registers;
use shift::Shift;

/// Registers, IP and FLAGS.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Cpu {
    pub(crate) regs: Registers,
    /// 24 bits.
    #[serde(deserialize_with = "registers::address")]
    pub(crate) ip: u32,
    #[serde(deserialize_with = "existing_flags")]
    pub(crate) flags: u16,
}

/// FLAGS from a snapshot: bits 8 and P are always 0.
fn existing_flags<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u16, D::Error> {
    let all = flags::WRITABLE | flags::E | flags::B | flags::H;
    Ok(u16::deserialize(deserializer)? & all)
}

/// What the CPU did with one instruction, and what is left to the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flow {
    /// Executed in one unit.
    Next,
    /// Executed; so many units more than one.
    Longer(u32),
    /// A control instruction, executed in one unit.
    Control,
    /// INT: IP is behind it, the rest is the machine's.
    Interrupt(u8),
    /// HALT, as INT.
    Halt,
    /// YIELD, as INT.
    Yield,
    /// BRK, as INT.
    Break,
    /// A drawing instruction, by its opcode, as INT.
    Draw(u8),
}

type Executed = Result<Flow, FaultKind>;

/// A block or queue instruction's time; at most 65,536 units.
fn longer(units: u64) -> Flow {
    Flow::Longer(units as u32)
}

impl Cpu {
    /// Executes the instruction at IP. After a fault nothing has changed.
    #[inline(always)]
    pub(crate) fn execute(&mut self, memory: &mut Memory) -> Executed {
        let at = self.ip;
        let code = Code::fetch(memory, at);
        self.ip = at.wrapping_add(LENGTHS[usize::from(code.opcode())].into()) & ADDRESS_MASK;
        let executed = self.dispatch(code, memory);
        if executed.is_err() {
            self.ip = at;
        }
        executed
    }

    /// The same, not repeated wherever an engine leaves an instruction.
    #[inline(never)]
    pub(crate) fn execute_one(&mut self, memory: &mut Memory) -> Executed {
        self.execute(memory)
    }

    #[inline(always)]
    fn dispatch(&mut self, code: Code, memory: &mut Memory) -> Executed {
        match code.opcode() {
            0 => self.load_immediate(code.reg(1, isa::Class::Wide)?, code, memory),
            1 => self.load(code.reg(1, isa::Class::Wide)?, code.address(2), memory),
            2 => self.load(code.reg(1, isa::Class::Wide)?, self.pointer(code, 2)?, memory),
            3 => self.load_immediate(code.reg(1, Byte)?, code, memory),
            4 => self.load(code.reg(1, Byte)?, code.address(2), memory),
            5 => self.load(code.reg(1, Byte)?, self.pointer(code, 2)?, memory),
            6 => self.store(code.any(1)?, code.address(2), memory),
            7 => self.store(code.any(1)?, self.pointer(code, 2)?, memory),

            9 => self.copy(code),
            10 => self.exchange(code),
            11 => self.push_register(code, memory),
            12 => self.pop_register(code, memory),
            13 => self.push_all(memory).map(|()| Flow::Next),
            14 => self.pop_all(memory).map(|()| Flow::Next),
            15 => self.push(memory, self.flags.into(), 2).map(|()| Flow::Next),
            16 => {
                let value = self.pop(memory, 2)? as u16;
                self.set_writable_flags(flags::WRITABLE, value);
                Ok(Flow::Next)
            }

            21 => self.count(code, 1),
            22 => self.count(code, u64::MAX),
            23 => self.unary(code, |f, a, w| alu::sub(f, 0, a, true, w)),
            30 => self.binary(code, |f, a, b, w| alu::add(f, a, b, false, w)),
            31 => self.binary(code, |f, a, b, w| alu::sub(f, a, b, true, w)),
            32 => self.binary(code, alu::mul),
            33 => self.binary(code, alu::div),
            34 => self.binary(code, alu::rem),
            35 => self.immediate(code, memory, |f, a, b, w| alu::add(f, a, b, false, w)),
            36 => self.immediate(code, memory, |f, a, b, w| alu::sub(f, a, b, true, w)),
            37 => self.immediate(code, memory, alu::mul),
            38 => self.immediate(code, memory, alu::div),
            39 => self.immediate(code, memory, alu::rem),
            40 => self.binary(code, |f, a, b, w| alu::add(f, a, b, *f & C != 0, w)),
            41 => self.binary(code, |f, a, b, w| alu::sub(f, a, b, *f & C != 0, w)),
            42 => self.immediate(code, memory, |f, a, b, w| alu::add(f, a, b, *f & C != 0, w)),
            43 => self.immediate(code, memory, |f, a, b, w| alu::sub(f, a, b, *f & C != 0, w)),

            50 => self.binary(code, |f, a, b, w| alu::logic(f, a & b, w)),
            51 => self.binary(code, |f, a, b, w| alu::logic(f, a | b, w)),
            52 => self.binary(code, |f, a, b, w| alu::logic(f, a ^ b, w)),
            53 => self.unary(code, |f, a, w| alu::logic(f, !a, w)),
            54 => self.compare(code, |f, a, b, w| alu::logic(f, a & b, w)),
            55 => self.immediate(code, memory, |f, a, b, w| alu::logic(f, a & b, w)),
            56 => self.immediate(code, memory, |f, a, b, w| alu::logic(f, a | b, w)),
            57 => self.immediate(code, memory, |f, a, b, w| alu::logic(f, a ^ b, w)),
            58 => self.compare_immediate(code, memory, |f, a, b, w| alu::logic(f, a & b, w)),

            60 => self.widen(code, |value, _| value),
            61 => self.widen(code, |value, from| from.sign_extend(value)),

            70 => self.shift(code, Shift::Left, 1),
            71 => self.shift(code, Shift::Right, 1),
            72 => self.shift(code, Shift::Arithmetic, 1),
            73 => self.shift(code, Shift::RotateLeft, 1),
            74 => self.shift(code, Shift::RotateRight, 1),
            75 => self.shift(code, Shift::Left, code.byte(2)),
            76 => self.shift(code, Shift::Right, code.byte(2)),
            77 => self.shift(code, Shift::Arithmetic, code.byte(2)),
            78 => self.shift(code, Shift::RotateLeft, code.byte(2)),
            79 => self.shift(code, Shift::RotateRight, code.byte(2)),
            80 => self.shift_by_register(code, Shift::Left),
            81 => self.shift_by_register(code, Shift::Right),
            82 => self.shift_by_register(code, Shift::Arithmetic),
            83 => self.unary(code, shift::through_carry_left),
            84 => self.unary(code, shift::through_carry_right),

            90 => self.compare(code, |f, a, b, w| alu::sub(f, a, b, true, w)),
            91 => self.compare_immediate(code, memory, |f, a, b, w| alu::sub(f, a, b, true, w)),

            100 => self.jump_if(true, code),
            101 => self.jump_if(self.flags & Z != 0, code),
            102 => self.jump_if(self.flags & Z == 0, code),
            103 => self.jump_if(self.flags & C != 0, code),
            104 => self.jump_if(self.flags & C == 0, code),
            105 => self.jump_if(self.flags & N != 0, code),
            106 => self.jump_if(self.flags & N == 0, code),
            107 => self.jump_if(self.flags & V != 0, code),
            108 => self.jump_if(self.flags & V == 0, code),
            109 => self.jump_to(self.pointer(code, 1)?),
            110 => self.branch_if(true, code),
            111 => self.branch_if(self.flags & Z != 0, code),
            112 => self.branch_if(self.flags & Z == 0, code),
            113 => self.branch_if(self.flags & C != 0, code),
            114 => self.branch_if(self.flags & C == 0, code),
            115 => self.branch_if(self.flags & N != 0, code),
            116 => self.branch_if(self.flags & N == 0, code),
            117 => self.branch_if(self.flags & V != 0, code),
            118 => self.branch_if(self.flags & V == 0, code),

            132 => self.call(memory, code.address(1)).map(|()| Flow::Control),
            133 => self.ret(memory).map(|()| Flow::Control),
            134 => self.call(memory, self.pointer(code, 1)?).map(|()| Flow::Control),
            135 => {
                let target = self.ip.wrapping_add(code.signed_word(1));
                self.call(memory, target).map(|()| Flow::Control)
            }
            136 => Ok(Flow::Interrupt(code.byte(1))),
            137 => self.iret(memory).map(|()| Flow::Control),
            138 => self.set_flags(flags::I),
            139 => self.clear_flags(flags::I),
            140 => Ok(Flow::Halt),
            141 => Ok(Flow::Next),
            142 => Ok(Flow::Yield),
            143 => self.set_flags(flags::T),
            144 => self.clear_flags(flags::T),
            145 => self.set_flags(flags::S),
            146 => self.clear_flags(flags::S),
            147 => Ok(Flow::Break),

            150 => self.load(code.any(1)?, self.indexed(code)?, memory),
            151 => self.store(code.any(1)?, self.indexed(code)?, memory),
            152 => self.load(code.any(1)?, self.displaced(code)?, memory),
            153 => self.store(code.any(1)?, self.displaced(code)?, memory),
            154 => self.set_address(code.reg(1, Far)?, self.displaced(code)?),
            155 => self.set_address(code.reg(1, Far)?, self.indexed(code)?),

            160 => {
                let (to, from) = (self.pointer(code, 1)?, self.pointer(code, 2)?);
                let n = self.regs.read(code.reg(3, Word)?) as u32;
                memory.copy_within(to, from, n);
                Ok(longer(units_for(n.into())))
            }
            161 => {
                let to = self.pointer(code, 1)?;
                let value = self.regs.read(code.reg(2, Byte)?) as u8;
                let n = self.regs.read(code.reg(3, Word)?) as u32;
                memory.fill(to, value, n);
                Ok(longer(units_for(n.into())))
            }
            162 => {
                let (a, b) = (self.pointer(code, 1)?, self.pointer(code, 2)?);
                let n = self.regs.read(code.reg(3, Word)?) as u16;
                Ok(longer(units_for(self.compare_blocks(memory, a, b, n))))
            }
            163 => self.locate_byte(code, memory, true),
            164 => self.locate_byte(code, memory, false),

            170 => {
                let (entry, pred) = (code.reg(1, Far)?, code.reg(2, Far)?);
                let (entry, pred) = (self.regs.address(entry), self.regs.address(pred));
                self.insert_in_queue(memory, entry, pred);
                Ok(longer(queue::UNITS - 1))
            }
            171 => {
                let entry = self.regs.address(code.reg(1, Far)?);
                self.remove_from_queue(memory, entry);
                Ok(longer(queue::UNITS - 1))
            }
            172 => {
                let (to, head) = (code.reg(1, Far)?, code.reg(2, Far)?);
                let value = code.reg(3, ByteOrWord)?;
                let head = self.regs.address(head);
                let (wanted, width) = (self.regs.read(value), width_of(value));
                let (node, visited) = self.scan_queue(memory, head, wanted, width, code.byte(4))?;
                self.regs.write(to, node.into());
                Ok(longer(visited))
            }
            175 => self.jump_by_table(code, memory),

            182 => self.set_flags(code.word(1)),
            183 => self.clear_flags(code.word(1)),
            184 => {
                let mask = code.word(1);
                self.set_zc_n0(self.flags & mask == 0, self.flags & mask == mask);
                Ok(Flow::Next)
            }
            190..=195 => Ok(Flow::Draw(code.opcode())),
            opcode => Err(FaultKind::IllegalOpcode(opcode)),
        }
    }

    /// LOCC and SKPC.
    fn locate_byte(&mut self, code: Code, memory: &Memory, equal: bool) -> Executed {
        let pointer = code.reg(1, Far)?;
        let value = self.regs.read(code.reg(2, Byte)?) as u8;
        let n = self.regs.read(code.reg(3, Word)?) as u16;
        let start = self.regs.address(pointer);
        let (found, looked_at) = self.locate(memory, start, value, n, equal);
        self.regs.write(pointer, found.into());
        Ok(longer(units_for(looked_at)))
    }

    /// The value of the address register `at` bytes behind the opcode.
    #[inline(always)]
    fn pointer(&self, code: Code, at: u32) -> Result<u32, FaultKind> {
        Ok(self.regs.address(code.reg(at, Address)?))
    }

    /// `[p + r16]`, the index unsigned.
    #[inline(always)]
    fn indexed(&self, code: Code) -> Result<u32, FaultKind> {
        let base = self.pointer(code, 2)?;
        let index = self.regs.address(code.reg(3, Word)?);
        Ok(base.wrapping_add(index) & ADDRESS_MASK)
    }

    /// `[p + disp16]`, the displacement signed.
    #[inline(always)]
    fn displaced(&self, code: Code) -> Result<u32, FaultKind> {
        Ok(self.pointer(code, 2)?.wrapping_add(code.signed_word(3)) & ADDRESS_MASK)
    }

    /// Takes the immediate behind a register operand, as wide as that is, and
    /// moves IP over it.
    #[inline(always)]
    fn take_immediate(&mut self, code: Code, memory: &Memory, reg: isa::Reg) -> u64 {
        let bytes = width_of(reg);
        let at = self.ip;
        self.ip = at.wrapping_add(bytes.into()) & ADDRESS_MASK;
        if bytes < 8 {
            Width::of_bytes(bytes).cut(code.after_register())
        } else {
            memory.read(at, 8)
        }
    }
}
