//! One executed instruction of a trace: what it was, what it changed, and
//! what it read and wrote, as text or as JSON.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, Write};

use isa::{Decoded, MAX_LENGTH, Reg, WORDS, decode, flags};
use sd8516::{Machine, Stop};
use serde::Serialize;

use crate::accesses::{Access, accesses};
use crate::session::Session;

/// Bytes of one access that are shown; the length says how many there were.
const SHOWN_BYTES: u32 = 16;

/// The flags that programs see change, by letter.
const FLAGS: [(&str, u16); 11] = [
    ("Z", flags::Z),
    ("N", flags::N),
    ("C", flags::C),
    ("V", flags::V),
    ("H", flags::H),
    ("T", flags::T),
    ("B", flags::B),
    ("E", flags::E),
    ("I", flags::I),
    ("S", flags::S),
    ("U", flags::USER),
];

/// What is remembered of the machine before an instruction.
pub struct Before {
    units: u64,
    ip: u32,
    decoded: Option<Decoded>,
    bytes: [u8; MAX_LENGTH],
    registers: [u64; WORDS.len() + 1],
    flags: u16,
    reads: Vec<(Access, Vec<u8>)>,
    writes: Vec<Access>,
}

/// An executed instruction.
pub struct Record {
    units: u64,
    ip: u32,
    decoded: Decoded,
    bytes: [u8; MAX_LENGTH],
    /// Register and its value afterwards, for those that changed.
    registers: Vec<(&'static str, u64)>,
    flags_before: u16,
    flags_after: u16,
    /// The bytes that were read, and those that were written.
    memory: Vec<(Access, Vec<u8>)>,
}

impl Before {
    /// The machine as it is, with the instruction that it will execute next.
    pub fn new(machine: &Machine) -> Before {
        let ip = machine.ip();
        let mut bytes = [0; MAX_LENGTH];
        for (offset, byte) in (0..).zip(&mut bytes) {
            *byte = machine.memory().byte(ip.wrapping_add(offset));
        }
        let decoded = decode(&bytes).ok();
        let accesses = decoded.map_or(Vec::new(), |decoded| accesses(machine, &decoded));
        let (writes, reads): (Vec<Access>, Vec<Access>) =
            accesses.into_iter().partition(|access| access.write);
        Before {
            units: machine.units(),
            ip,
            decoded,
            bytes,
            registers: registers(machine),
            flags: machine.flags(),
            reads: reads.into_iter().map(|access| (access, shown(machine, access))).collect(),
            writes,
        }
    }

    /// What the instruction did. `None` when it was not executed: it
    /// faulted, or has to be tried again.
    pub fn record(self, machine: &Machine, stop: Option<&Stop>) -> Option<Record> {
        let decoded = self.decoded?;
        let faulted = matches!(stop, Some(Stop::Fault(_)));
        // A waiting service let a frame pass; its INT is tried again.
        let waits = decoded.row.mnemonic == "INT" && machine.ip() == self.ip;
        if faulted || waits || machine.units() == self.units {
            return None;
        }
        let names = WORDS.iter().copied().chain(["SP"]);
        let now = registers(machine);
        let registers = names
            .zip(self.registers.iter().zip(now))
            .filter(|(_, (before, after))| *before != after)
            .map(|(name, (_, after))| (name, after))
            .collect();
        let writes = self.writes.into_iter().map(|access| (access, shown(machine, access)));
        Some(Record {
            units: self.units,
            ip: self.ip,
            decoded,
            bytes: self.bytes,
            registers,
            flags_before: self.flags,
            flags_after: machine.flags(),
            memory: self.reads.into_iter().chain(writes).collect(),
        })
    }
}

fn registers(machine: &Machine) -> [u64; WORDS.len() + 1] {
    let mut values = [0; WORDS.len() + 1];
    let regs = (0..WORDS.len() as u8).filter_map(Reg::from_id).chain([Reg::SP]);
    for (value, reg) in values.iter_mut().zip(regs) {
        *value = machine.reg(reg);
    }
    values
}

fn shown(machine: &Machine, access: Access) -> Vec<u8> {
    machine.memory().copy_out(access.address, access.length.min(SHOWN_BYTES))
}

impl Record {
    /// Writes the line for people: machine time, address, label, bytes,
    /// instruction, then what changed.
    pub fn write_text(&self, session: &Session, out: &mut impl Write) -> io::Result<()> {
        let place = session.place(self.ip);
        let line = format!(
            "{:>10}  {:06X}  {:<20} {:<18} {:<28} {}",
            self.units,
            self.ip,
            place.label_text(),
            hex(self.code(), " "),
            self.text(session),
            self.changes(),
        );
        writeln!(out, "{}", line.trim_end())
    }

    /// The same for tools.
    pub fn json<'a>(&'a self, session: &'a Session) -> JsonRecord<'a> {
        let place = session.place(self.ip);
        let memory = |write: bool| {
            let wanted = self.memory.iter().filter(move |(access, _)| access.write == write);
            wanted
                .map(|(access, bytes)| JsonAccess {
                    address: access.address,
                    length: access.length,
                    bytes: hex(bytes, ""),
                })
                .collect()
        };
        JsonRecord {
            units: self.units,
            address: self.ip,
            label: place.label.map(|(label, _)| label),
            offset: place.label.map(|(_, offset)| offset),
            file: place.line.map(|(file, _)| file),
            line: place.line.map(|(_, line)| line),
            bytes: hex(self.code(), ""),
            text: self.text(session),
            registers: self.registers.iter().copied().collect(),
            flags: self.changed_flags().collect(),
            reads: memory(false),
            writes: memory(true),
        }
    }

    fn code(&self) -> &[u8] {
        &self.bytes[..usize::from(self.decoded.length)]
    }

    fn text(&self, session: &Session) -> String {
        session.instruction_text(self.ip, &self.decoded)
    }

    /// The flags that changed, with their new values; the four user flags
    /// are one number.
    fn changed_flags(&self) -> impl Iterator<Item = (&'static str, u16)> {
        let (before, after) = (self.flags_before, self.flags_after);
        FLAGS
            .into_iter()
            .filter(move |(_, mask)| (before ^ after) & mask != 0)
            .map(move |(name, mask)| (name, (after & mask) >> mask.trailing_zeros()))
    }

    fn changes(&self) -> String {
        let mut out = String::new();
        for (name, value) in &self.registers {
            let digits = if *name == "SP" { 6 } else { 4 };
            let _ = write!(out, "{name}={value:0digits$X} ");
        }
        for (name, value) in self.changed_flags() {
            let _ = write!(out, "{name}={value} ");
        }
        for (access, bytes) in &self.memory {
            let verb = if access.write { "write" } else { "read" };
            let more = if access.length > SHOWN_BYTES { ".." } else { "" };
            let _ = write!(out, "{verb} {:06X}", access.address);
            if access.length > SHOWN_BYTES {
                let _ = write!(out, "+{}", access.length);
            }
            let _ = write!(out, "={}{more} ", hex(bytes, ""));
        }
        out
    }
}

fn hex(bytes: &[u8], between: &str) -> String {
    let each: Vec<String> = bytes.iter().map(|byte| format!("{byte:02X}")).collect();
    each.join(between)
}

/// A line of `vc3 trace --json`.
#[derive(Serialize)]
pub struct JsonRecord<'a> {
    /// Machine time before the instruction.
    units: u64,
    address: u32,
    label: Option<&'a str>,
    offset: Option<u32>,
    file: Option<&'a str>,
    line: Option<u32>,
    /// The instruction's bytes in hex.
    bytes: String,
    text: String,
    /// Registers that changed, with their new values.
    registers: BTreeMap<&'a str, u64>,
    /// Flags that changed, with their new values.
    flags: BTreeMap<&'a str, u16>,
    reads: Vec<JsonAccess>,
    writes: Vec<JsonAccess>,
}

/// Memory that was read or written.
#[derive(Serialize)]
struct JsonAccess {
    address: u32,
    length: u32,
    /// The first sixteen bytes in hex, in the order of their addresses.
    bytes: String,
}
