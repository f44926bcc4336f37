//! Random programs: every instruction in every form and width, what is no
//! instruction, and the pieces in which an engine can go wrong (loops, code
//! that writes code, interrupts between two instructions).

use oracle::registers::{is_pointer, is_word, width};
use oracle::table::{Operand, Row, TABLE};

use crate::choices::Choices;
use crate::places::Places;

/// Instructions of a program, at most.
const LONGEST: u64 = 20;

/// Writes a program, instruction by instruction.
pub struct Writer<'c, 'b, 'p> {
    choices: &'c mut Choices<'b>,
    places: &'p Places,
    code: Vec<Vec<u8>>,
    /// Where the next instruction will stand.
    address: u32,
    /// Where the ones before stand.
    starts: Vec<u32>,
}

/// A program that stands at the places' origin; one that `draws` does little
/// else.
pub fn program(choices: &mut Choices<'_>, places: &Places, draws: bool) -> Vec<Vec<u8>> {
    let address = places.origin;
    let mut writer = Writer { choices, places, code: Vec::new(), address, starts: Vec::new() };
    let length = 1 + writer.choices.below(LONGEST);
    while (writer.code.len() as u64) < length {
        if draws && writer.choices.percent(30) {
            let operation = 190 + writer.choices.below(6) as u8;
            writer.push(vec![operation]);
            continue;
        }
        match writer.choices.below(20) {
            0..12 => writer.any_instruction(),
            12 => writer.noise(),
            13 => writer.counted_loop(),
            14 => writer.index_loop(),
            15 => writer.compare_and_jump(),
            16 | 17 => writer.write_code(),
            18 => writer.wait(),
            _ => writer.subroutine(),
        }
    }
    if writer.choices.percent(50) {
        writer.jump_to(100, places.origin);
    }
    writer.code
}

/// An instruction of a row: opcode and operands that may stand there.
pub fn instruction(row: &Row, choices: &mut Choices<'_>, places: &Places) -> Vec<u8> {
    let wide = choices.pick(&[1, 2, 3, 4, 8]);
    instruction_of(row, wide, choices, places)
}

/// The same with a first register of `wide` bytes, if one may stand there.
pub fn instruction_of(row: &Row, wide: u8, choices: &mut Choices<'_>, places: &Places) -> Vec<u8> {
    let mut bytes = vec![row.opcode];
    let mut first = None;
    for &operand in row.operands {
        if operand.is_register() {
            let id = register(operand, first.unwrap_or(wide), first.is_none(), choices);
            bytes.push(id);
            first = first.or(width(id));
            continue;
        }
        let (length, value) = match operand {
            Operand::Imm8 => (1, choices.edgy()),
            Operand::Absolute => (3, places.address(choices).into()),
            Operand::Relative => (2, choices.below(48).wrapping_sub(24)),
            Operand::Disp16 if choices.percent(60) => (2, choices.below(32).wrapping_sub(16)),
            Operand::Imm16 if row.mnemonic == "JTAB" => (2, choices.below(4)),
            Operand::Immediate => {
                let width = first.unwrap_or(wide);
                let pointer = width == 3 && choices.percent(70);
                (width, if pointer { places.address(choices).into() } else { choices.edgy() })
            }
            _ => (2, choices.edgy()),
        };
        bytes.extend(&value.to_le_bytes()[..usize::from(length)]);
    }
    bytes
}

/// A register that may stand there.
fn register(kind: Operand, first: u8, is_first: bool, choices: &mut Choices<'_>) -> u8 {
    let fits = |id: &u8| {
        let wide = width(*id).unwrap_or(0);
        match kind {
            Operand::Any => !is_first || wide == first,
            Operand::Same => wide == first,
            Operand::Narrower => wide < first,
            Operand::NotByte => wide != 1 && (!is_first || wide == first.max(2)),
            Operand::Byte => wide == 1,
            Operand::Word => is_word(*id),
            Operand::ByteOrWord => wide == 1 || is_word(*id),
            Operand::Address => is_word(*id) || is_pointer(*id),
            _ => is_pointer(*id),
        }
    };
    let all: Vec<u8> = (0..=95).filter(|&id| width(id).is_some()).filter(fits).collect();
    // A byte has no narrower one: then it is a fault.
    if all.is_empty() { choices.below(96) as u8 } else { choices.pick(&all) }
}

impl Writer<'_, '_, '_> {
    fn push(&mut self, bytes: Vec<u8>) {
        self.starts.push(self.address);
        self.address = self.address.wrapping_add(bytes.len() as u32) & 0xFF_FFFF;
        self.code.push(bytes);
    }

    /// An instruction of the table, seldom with a byte that is wrong.
    fn any_instruction(&mut self) {
        let row = self.choices.pick(TABLE);
        let mut bytes = instruction(&row, self.choices, self.places);
        if self.choices.percent(2) {
            let at = self.choices.below(bytes.len() as u64) as usize;
            bytes[at] = self.choices.number() as u8;
        }
        self.push(bytes);
    }

    fn noise(&mut self) {
        let length = 1 + self.choices.below(6);
        let bytes = (0..length).map(|_| self.choices.below(256) as u8).collect();
        self.push(bytes);
    }

    fn jump_to(&mut self, opcode: u8, target: u32) {
        let mut bytes = vec![opcode];
        bytes.extend(&target.to_le_bytes()[..3]);
        self.push(bytes);
    }

    /// The start of an instruction before, or one that is to come.
    fn somewhere(&mut self) -> u32 {
        if self.starts.is_empty() || self.choices.percent(30) {
            return self.address.wrapping_add(self.choices.below(24) as u32) & 0xFF_FFFF;
        }
        self.choices.pick(&self.starts)
    }

    fn any_register(&mut self, wide: u8) -> u8 {
        register(Operand::Same, wide, true, self.choices)
    }

    /// LD with a number.
    fn load(&mut self, id: u8, value: u64) {
        let wide = width(id).unwrap_or(1);
        let mut bytes = vec![if wide == 1 { 3 } else { 0 }, id];
        bytes.extend(&value.to_le_bytes()[..usize::from(wide)]);
        self.push(bytes);
    }

    /// LD r, n; a body; DEC r; JNZ or BNZ to the body.
    fn counted_loop(&mut self) {
        let wide = self.choices.pick(&[1, 2, 3, 4, 8]);
        let id = self.any_register(wide);
        let count = if self.choices.percent(80) { 1 + self.choices.below(40) } else { 1000 };
        self.load(id, count);
        let start = self.address;
        for _ in 0..self.choices.below(4) {
            self.any_instruction();
        }
        // Seldom INC, which goes on for longer than anybody waits.
        let opcode = if self.choices.percent(95) { 22 } else { 21 };
        self.push(vec![opcode, id]);
        if self.choices.percent(50) {
            self.jump_to(102, start);
        } else {
            let next = self.address.wrapping_add(3);
            let [low, high, ..] = start.wrapping_sub(next).to_le_bytes();
            self.push(vec![112, low, high]);
        }
    }

    /// LD or ST [p + r16]; INC r16; CMP r16, n; JNZ or JNC back.
    fn index_loop(&mut self) {
        let index = self.any_register(2);
        let value = if self.choices.percent(50) { 1 } else { 2 };
        let value = self.any_register(value);
        let pointer = register(Operand::Address, 3, true, self.choices);
        self.load(index, 0);
        let start = self.address;
        let opcode = self.choices.pick(&[150, 151]);
        self.push(vec![opcode, value, pointer, index]);
        self.push(vec![21, index]);
        let count = 1 + self.choices.below(30) as u8;
        self.push(vec![91, index, count, 0]);
        let opcode = self.choices.pick(&[102, 104]);
        self.jump_to(opcode, start);
    }

    /// CMP, TEST or a load, and a jump or branch behind it.
    fn compare_and_jump(&mut self) {
        let opcode = self.choices.pick(&[90, 91, 54, 58, 31, 36, 1, 4]);
        let row = oracle::table::find(opcode).expect("these are instructions");
        let bytes = instruction(row, self.choices, self.places);
        self.push(bytes);
        if self.choices.percent(50) {
            let target = self.somewhere();
            let opcode = 101 + self.choices.below(8) as u8;
            self.jump_to(opcode, target);
        } else {
            self.branch();
        }
    }

    /// A conditional branch to what is to come.
    fn branch(&mut self) {
        let opcode = 111 + self.choices.below(8) as u8;
        let distance = self.choices.below(20) as u8;
        self.push(vec![opcode, distance, 0]);
    }

    /// Writes over the code: the next instruction, this one, one before, or
    /// the middle of one.
    fn write_code(&mut self) {
        let opcode = self.choices.pick(TABLE).opcode;
        let wide = self.choices.pick(&[1, 1, 1, 2, 3, 4, 8]);
        let id = self.any_register(wide);
        if self.choices.percent(70) {
            let rest = self.choices.number() << 8;
            self.load(id, rest | u64::from(opcode));
        }
        let target = match self.choices.below(4) {
            // ST [a] is five bytes
            0 => self.address.wrapping_add(5),
            1 => self.address.wrapping_add(self.choices.below(16) as u32),
            _ => self.somewhere(),
        };
        let [low, middle, high, _] = target.to_le_bytes();
        self.push(vec![6, id, low, middle, high]);
        if self.choices.percent(30) {
            let target = self.somewhere();
            self.jump_to(100, target);
        }
    }

    /// What lets frames end and interrupts in, or opens the way for them.
    fn wait(&mut self) {
        if self.choices.percent(30) {
            return self.set_frame_vector();
        }
        let opcode = self.choices.pick(&[138, 138, 139, 142, 140, 15, 16, 137]);
        self.push(vec![opcode]);
    }

    /// LD of a pointer, ST of it to vector 8, and often a branch, behind which
    /// the interrupt may be due.
    fn set_frame_vector(&mut self) {
        let pointer = 64 + self.choices.below(32) as u8;
        let target = if self.choices.percent(80) { self.somewhere() } else { 0 };
        self.load(pointer, target.into());
        self.push(vec![6, pointer, 0x18, 0xE9, 0x01]);
        if self.choices.percent(60) {
            self.branch();
        }
    }

    /// A call over a subroutine to it, and its return.
    fn subroutine(&mut self) {
        let opcode = self.choices.pick(&[132, 135]);
        let jump = 4;
        if opcode == 132 {
            let target = self.address.wrapping_add(4 + jump);
            self.jump_to(132, target);
        } else {
            self.push(vec![135, jump as u8, 0]);
        }
        let over = self.somewhere();
        self.jump_to(100, over);
        for _ in 0..self.choices.below(3) {
            self.any_instruction();
        }
        self.push(vec![133]);
    }
}
