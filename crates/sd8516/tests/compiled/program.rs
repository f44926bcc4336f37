//! Random programs: every row of the instruction table, with registers that
//! overlap, addresses in data, in the code itself, in the stack and at the
//! top, and jumps that mostly lead to instructions.

use isa::{Arg, Class, INSTRUCTIONS, Instruction, Reg};
use sd8516::Machine;

const ORIGIN: u32 = isa::memory_map::USER_ORIGIN;

/// Numbers that only depend on the seed.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// Below `bound`.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % bound
    }

    fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }
}

/// A program that goes back to its start when it comes to its end.
pub fn random(random: &mut Random) -> Vec<u8> {
    let mut code = Vec::new();
    let (mut starts, mut jumps) = (Vec::new(), Vec::new());
    for _ in 0..4 + random.below(40) {
        starts.push(code.len());
        let row = row(random);
        code.push(row.opcode);
        let mut first = None;
        for &arg in row.args {
            operand(arg, row, &mut first, random, &mut code, &mut jumps);
        }
    }
    let back = -(code.len() as i16 + 3);
    code.push(110);
    code.extend(back.to_le_bytes());
    for (at, width) in jumps {
        let to =
            starts[random.below(starts.len() as u64) as usize] + usize::from(random.one_in(40));
        let bytes = match width {
            3 => (ORIGIN + to as u32).to_le_bytes(),
            _ => (to as i32 - at as i32 - 2).to_le_bytes(),
        };
        code[at..at + width].copy_from_slice(&bytes[..width]);
    }
    code
}

fn row(random: &mut Random) -> &'static Instruction {
    loop {
        let row = &INSTRUCTIONS[random.below(INSTRUCTIONS.len() as u64) as usize];
        let rare = match row.opcode {
            140 | 142 | 147 | 190.. => 20,
            13 | 14 | 16 | 109 | 134 | 137 | 160..=172 => 4,
            _ => 1,
        };
        if random.one_in(rare) {
            return row;
        }
    }
}

fn operand(
    arg: Arg,
    row: &Instruction,
    first: &mut Option<Reg>,
    random: &mut Random,
    code: &mut Vec<u8>,
    jumps: &mut Vec<(usize, usize)>,
) {
    match arg {
        Arg::Reg(class) => {
            let reg = register(class, *first, random);
            *first = first.or(Some(reg));
            code.push(reg.id());
        }
        Arg::Imm => {
            let width = first.map_or(1, Reg::width);
            let value = match random.below(4) {
                0 => address(random).into(),
                1 | 2 => random.below(4),
                _ => random.below(u64::MAX),
            };
            code.extend(&value.to_le_bytes()[..width.into()]);
        }
        Arg::Imm8 => {
            let most = if random.one_in(3) { 256 } else { 20 };
            code.push(random.below(most) as u8);
        }
        Arg::Imm16 => {
            let most = if row.opcode == 175 { 4 } else { 0x1_0000 };
            code.extend((random.below(most) as u16).to_le_bytes());
        }
        Arg::Addr => {
            jumps.push((code.len(), 3));
            code.extend([0; 3]);
        }
        Arg::Rel16 => {
            jumps.push((code.len(), 2));
            code.extend([0; 2]);
        }
        Arg::MemAbs => code.extend(&address(random).to_le_bytes()[..3]),
        Arg::MemReg => code.push(register(Class::Address, None, random).id()),
        Arg::MemIndex => {
            code.push(register(Class::Address, None, random).id());
            code.push(register(Class::Word, None, random).id());
        }
        Arg::MemDisp => {
            code.push(register(Class::Address, None, random).id());
            code.extend((random.below(40) as i16 - 20).to_le_bytes());
        }
    }
}

fn register(class: Class, first: Option<Reg>, random: &mut Random) -> Reg {
    for _ in 0..200 {
        let id = match random.below(12) {
            0 => 53,
            1 if random.one_in(8) => 54,
            2 | 3 => 48 + random.below(5),
            4 | 5 => 64 + random.below(32),
            6 | 7 => 16 + random.below(32),
            _ => random.below(16),
        };
        if let Some(reg) = Reg::from_id(id as u8).filter(|&reg| class.accepts(reg, first)) {
            return reg;
        }
    }
    // None fits, as none is narrower than a byte: an illegal width.
    Reg::SP
}

fn address(random: &mut Random) -> u32 {
    let (start, size) = match random.below(10) {
        0 => (0xFF_FFF0, 16),
        1 => (ORIGIN, 200),
        2 => (0, 1 << 24),
        3 => (0x01_DC00, 0x400),
        _ => (0x03_0000, 64),
    };
    start + random.below(size) as u32
}

/// Registers, stack, flags and the frame vector as a program may find them.
pub fn set_the_scene(machine: &mut Machine, random: &mut Random) {
    for reg in Reg::all().take(16) {
        let value = match random.below(4) {
            0 => random.below(0x1_0000),
            1 => random.below(8),
            2 => 0xFFFF - random.below(8),
            _ => random.below(256),
        };
        machine.set_reg(reg, value);
    }
    for name in ["ELM", "FLD", "BLX", "GLK"] {
        if random.one_in(2) {
            machine.set_reg(Reg::by_name(name).unwrap(), address(random).into());
        }
    }
    match random.below(8) {
        0 => machine.set_reg(Reg::SP, 0x03_0040),
        1 => machine.set_reg(Reg::SP, 0x01_DC08),
        2 => machine.set_reg(Reg::SP, random.below(1 << 24)),
        _ => {}
    }
    if random.one_in(4) {
        machine.set_flags(random.below(0x1_0000) as u16);
    }
    if random.one_in(4) {
        machine.memory_mut().write(isa::memory_map::VECTORS.start + 3 * 8, 3, ORIGIN.into());
    }
}
