//! A case: a state and a program, as data that can be printed, shrunk and
//! given to the oracle and to a real machine.

use std::fmt;

use isa::Reg;
use oracle::memory::Memory;
use oracle::{flags, registers, table};
use sd8516::Machine;
use sd8516::ppu::Mode;

/// Everything that a run begins with, and how far its parts go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// The sixteen words.
    pub words: [u16; 16],
    /// SP.
    pub sp: u32,
    /// FLAGS.
    pub flags: u16,
    /// Where the program begins.
    pub ip: u32,
    /// Where the code stands.
    pub origin: u32,
    /// The code by instructions, or what was meant to be one.
    pub code: Vec<Vec<u8>>,
    /// Other memory, by address; later ones over earlier ones, code over all.
    pub data: Vec<(u32, Vec<u8>)>,
    /// Units that have passed before.
    pub start: u64,
    /// The video mode.
    pub mode: u8,
    /// Each run goes on until this many units more have passed.
    pub budgets: Vec<u64>,
}

impl Default for Case {
    fn default() -> Self {
        Case {
            words: [0; 16],
            sp: STACK_TOP,
            flags: 0,
            ip: ORIGIN,
            origin: ORIGIN,
            code: Vec::new(),
            data: Vec::new(),
            start: 0,
            mode: 2,
            budgets: vec![1],
        }
    }
}

/// The stack's upper end.
pub const STACK_TOP: u32 = 0x01_E000;
/// Where programs stand.
pub const ORIGIN: u32 = 0x02_0100;
/// The register number of the first word.
const FIRST_WORD: u8 = 0;

impl Case {
    /// The memory that isn't as it is at first: data, then code.
    pub fn patches(&self) -> impl Iterator<Item = (u32, Vec<u8>)> {
        self.data.iter().cloned().chain([(self.origin, self.code.concat())])
    }

    /// A real machine in the case's state.
    pub fn machine(&self) -> Machine {
        let mut machine = self.fresh_machine();
        self.set_up(&mut machine);
        machine
    }

    /// A real machine in the case's mode, at its time.
    pub fn fresh_machine(&self) -> Machine {
        let mut machine = Machine::new();
        if let Some(mode) = Mode::from_number(self.mode).filter(|mode| mode.number() != 2) {
            let (devices, memory) = machine.devices_and_memory();
            devices.ppu.set_mode(memory, mode);
        }
        self.pass(&mut machine);
        machine
    }

    /// Puts memory and registers of a machine in the case's state.
    pub fn set_up(&self, machine: &mut Machine) {
        for (address, bytes) in self.patches() {
            machine.memory_mut().copy_in(address, &bytes);
        }
        for (id, &word) in (FIRST_WORD..).zip(&self.words) {
            machine.set_reg(register(id), word.into());
        }
        machine.set_reg(Reg::SP, self.sp.into());
        machine.set_flags(self.flags);
        machine.set_ip(self.ip);
    }

    /// The oracle in the same state; `memory` is that of a real machine
    /// before anything was done to it.
    pub fn oracle(&self, memory: Memory) -> oracle::Oracle {
        let mut oracle = oracle::Oracle::new(memory);
        oracle.mode = self.mode;
        oracle.pass(self.start);
        for (address, bytes) in self.patches() {
            for (offset, byte) in bytes.into_iter().enumerate() {
                let address = oracle::memory::wrap(u64::from(address) + offset as u64);
                oracle.memory.set_byte(address, byte);
            }
        }
        for (id, &word) in (FIRST_WORD..).zip(&self.words) {
            oracle.registers.write(id, word.into());
        }
        oracle.registers.write(registers::SP, self.sp.into());
        oracle.flags = self.flags;
        oracle.ip = self.ip;
        oracle
    }

    /// Lets a fresh machine's time pass: a jump to itself, taken away again.
    fn pass(&self, machine: &mut Machine) {
        if self.start == 0 {
            return;
        }
        let [low, middle, high, _] = ORIGIN.to_le_bytes();
        machine.memory_mut().copy_in(ORIGIN, &[100, low, middle, high]);
        machine.set_ip(ORIGIN);
        machine.run(&mut crate::services::Few, self.start);
        machine.memory_mut().copy_in(ORIGIN, &[0; 4]);
    }
}

/// A register of the real machine by its number.
pub fn register(id: u8) -> Reg {
    Reg::from_id(id).unwrap_or_else(|| panic!("the machine has no register {id}"))
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "IP={:06X} SP={:06X} FLAGS={:04X}", self.ip, self.sp, self.flags)?;
        for (flag, name) in FLAG_NAMES {
            if self.flags & flag != 0 {
                write!(f, " {name}")?;
            }
        }
        for (id, word) in (FIRST_WORD..).zip(self.words).filter(|&(_, word)| word != 0) {
            write!(f, " {}={word:04X}", registers::name(id))?;
        }
        writeln!(
            f,
            "\nat {} units, mode {}, runs of {:?} units",
            self.start, self.mode, self.budgets
        )?;
        for (address, bytes) in &self.data {
            writeln!(f, "  {address:06X}: {}", hex(bytes))?;
        }
        let mut address = self.origin;
        for bytes in &self.code {
            writeln!(f, "  {address:06X}: {:<24} {}", hex(bytes), listing(bytes))?;
            address = address.wrapping_add(bytes.len() as u32) & 0xFF_FFFF;
        }
        Ok(())
    }
}

const FLAG_NAMES: [(u16, char); 10] = [
    (flags::Z, 'Z'),
    (flags::N, 'N'),
    (flags::C, 'C'),
    (flags::V, 'V'),
    (flags::H, 'H'),
    (flags::T, 'T'),
    (flags::B, 'B'),
    (flags::E, 'E'),
    (flags::I, 'I'),
    (flags::S, 'S'),
];

/// Bytes in hex with spaces between.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02X}")).collect::<Vec<_>>().join(" ")
}

/// Bytes as an instruction, if they are one.
pub fn listing(bytes: &[u8]) -> String {
    let Some((&opcode, mut rest)) = bytes.split_first() else { return String::new() };
    let Some(row) = table::find(opcode) else { return "?".to_string() };
    let mut text = row.mnemonic.to_string();
    for (index, operand) in row.operands.iter().enumerate() {
        text += if index == 0 { " " } else { ", " };
        match rest.split_first() {
            Some((&id, after)) if operand.is_register() => {
                text += &registers::name(id);
                rest = after;
            }
            _ => {
                // JTAB alone has a number that isn't the last one.
                let last = index + 1 == row.operands.len();
                let (number, after) =
                    rest.split_at(if last { rest.len() } else { 2.min(rest.len()) });
                let digits = number.iter().rev().map(|byte| format!("{byte:02X}"));
                text += &format!("${}", digits.collect::<String>());
                rest = after;
            }
        }
    }
    text
}
