//! Single-step vectors: what is before an instruction and what is after it,
//! made from the oracle, in the format of docs/vectors.md.

use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use std::sync::{Arc, OnceLock};

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use oracle::memory::{Memory, SIZE, wrap};
use oracle::registers::{self, Registers, is_pointer, is_word, width};
use oracle::table::{self, Operand, Row, TABLE};
use oracle::{Answer, Bios, Fault, Oracle, Step};
use serde::{Deserialize, Serialize};

use crate::case::{ORIGIN, hex, listing};
use crate::choices::Choices;
use crate::grammar::instruction_of;
use crate::places::Places;
use crate::scene::stack_pointer;

/// Vectors of each opcode and width that are executed.
const EXECUTED: usize = 100;
/// Vectors of each opcode and width that are faults, at most.
const FAULTS: usize = 12;
/// Candidates that are tried for them, at most.
const TRIES: usize = 1000;
/// Hex digits of memory in a vector; more would be nothing new.
const LONGEST: usize = 400;
/// The device cells belong to no vector.
const CELLS: std::ops::Range<u32> = 0x01_EF00..0x01_EFC0;
/// Words that are not named hold 257 times this number plus their own.
const FILLER: u16 = 0xA0;
/// SP where it isn't named.
pub const USUAL_SP: u32 = 0x01_DF00;

/// One instruction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Vector {
    /// The instruction for people.
    pub name: String,
    /// The bytes at IP, in hex.
    pub code: String,
    /// What is not as usual before it.
    pub before: State,
    /// What has changed after it; IP is always named.
    pub after: State,
    /// Units that have passed.
    pub units: u64,
    /// The program has ended with this code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit: Option<u8>,
    /// The instruction is a fault.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<Wrong>,
}

/// Registers by name (the sixteen words, SP, IP, FLAGS), units, and memory in
/// hex by its address in hex.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    /// Machine time before.
    #[serde(default, skip_serializing_if = "is_zero", rename = "units")]
    pub start: u64,
    /// The video mode before, if it isn't 2.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<u8>,
    /// Runs of bytes.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub memory: BTreeMap<String, String>,
    /// Registers.
    #[serde(flatten)]
    pub registers: BTreeMap<String, u32>,
}

impl Vector {
    /// Whether it is of that width, short, and independent of the devices.
    fn is_fit(&self, wide: u8) -> bool {
        let first = self.code.get(2..4).and_then(|id| u8::from_str_radix(id, 16).ok());
        let other = wide != 0 && self.fault.is_none() && first.and_then(width) != Some(wide);
        let cell = |start: &String| start.starts_with("01EE") || start.starts_with("01EF");
        let cells = self.before.memory.keys().chain(self.after.memory.keys()).any(cell);
        !other && !cells && self.before.digits() + self.after.digits() <= LONGEST
    }
}

impl State {
    /// Hex digits of its memory.
    fn digits(&self) -> usize {
        self.memory.values().map(String::len).sum()
    }
}

fn is_zero(units: &u64) -> bool {
    *units == 0
}

/// A fault: what kind, and the opcode, the register's number or the SP that is
/// wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wrong {
    /// "opcode", "register", "width", "stack", "ring" or "break".
    pub kind: String,
    /// Nothing for the last two.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<u32>,
}

/// Nothing is served: INT n with a zero vector answers that.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoBios;

impl Bios for NoBios {
    fn serve(&mut self, _: &mut Oracle, _: u8) -> Answer {
        Answer::Unknown
    }
}

/// A file of vectors: its name, and those in it.
pub type File = (String, Vec<Vector>);

/// The files: one for each opcode, and one for what is none.
pub fn files() -> impl Iterator<Item = File> {
    let rows = TABLE.iter().map(|row| {
        let name = format!("{:03}-{}", row.opcode, row.mnemonic.to_lowercase());
        (name, of_row(row))
    });
    rows.chain(std::iter::once_with(|| ("illegal".to_string(), illegal())))
}

/// The text of a file: a list in JSON, one vector a line.
///
/// # Errors
/// Never: a vector is data that JSON can hold.
pub fn text(vectors: &[Vector]) -> serde_json::Result<String> {
    let lines: Vec<String> = vectors.iter().map(serde_json::to_string).collect::<Result<_, _>>()?;
    Ok(format!("[\n{}\n]\n", lines.join(",\n")))
}

/// A file as it is kept, gzipped.
///
/// # Errors
/// Never: a vector of bytes takes everything.
pub fn packed(text: &str) -> io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(text.as_bytes())?;
    encoder.finish()
}

/// The text of a file that is kept.
///
/// # Errors
/// When it isn't gzipped text.
pub fn unpacked(file: &[u8]) -> io::Result<String> {
    let mut text = String::new();
    GzDecoder::new(file).read_to_string(&mut text)?;
    Ok(text)
}

/// The value of a word that a vector doesn't name.
pub fn filler(word: u8) -> u16 {
    (FILLER + u16::from(word)) * 257
}

/// Memory that is nowhere zero for long, so that every byte read counts.
fn noise() -> Arc<[u8]> {
    static NOISE: OnceLock<Arc<[u8]>> = OnceLock::new();
    NOISE
        .get_or_init(|| {
            let mut choices = Choices::seeded(8516);
            let bytes: Vec<u8> =
                (0..SIZE / 8).flat_map(|_| choices.number().to_le_bytes()).collect();
            bytes.into()
        })
        .clone()
}

/// The widths that an opcode's first operand can have.
fn widths(row: &Row) -> Vec<u8> {
    match row.operands.first() {
        Some(Operand::Any) if row.operands.get(1) == Some(&Operand::Narrower) => vec![2, 3, 4, 8],
        Some(Operand::Any) => vec![1, 2, 3, 4, 8],
        Some(Operand::NotByte) => vec![2, 3, 4, 8],
        Some(Operand::Address) => vec![2, 3],
        Some(operand) if operand.is_register() => vec![0],
        _ => vec![0],
    }
}

fn of_row(row: &Row) -> Vec<Vector> {
    let mut all = Vec::new();
    for wide in widths(row) {
        let mut choices = Choices::seeded(u64::from(row.opcode) << 8 | u64::from(wide));
        let (mut executed, mut faults) = (0, 0);
        for _ in 0..TRIES {
            let vector = vector(row, wide, &mut choices);
            if !vector.is_fit(wide) {
                continue;
            }
            let (count, most) = match vector.fault {
                Some(_) if row.mnemonic != "BRK" => (&mut faults, FAULTS),
                _ => (&mut executed, EXECUTED),
            };
            if *count < most {
                *count += 1;
                all.push(vector);
            }
            if executed == EXECUTED && faults == FAULTS {
                break;
            }
        }
    }
    all
}

/// Every opcode that is none.
fn illegal() -> Vec<Vector> {
    let mut choices = Choices::seeded(0);
    let opcodes = (0..=255).filter(|&opcode| table::find(opcode).is_none());
    opcodes.map(|opcode| finish(vec![opcode], Setting::usual(), &mut choices)).collect()
}

/// What a vector begins with.
struct Setting {
    ip: u32,
    sp: u32,
    words: [u16; 16],
    patches: Vec<(u32, Vec<u8>)>,
    start: u64,
    mode: u8,
}

impl Setting {
    fn usual() -> Setting {
        let words = std::array::from_fn(|word| filler(word as u8));
        Setting { ip: ORIGIN, sp: USUAL_SP, words, patches: Vec::new(), start: 0, mode: 2 }
    }
}

fn vector(row: &Row, wide: u8, choices: &mut Choices<'_>) -> Vector {
    let places = Places::new(choices);
    let mut code = instruction_of(row, wide, choices, &places);
    if code.len() > 1 && choices.percent(7) {
        let registers = row.operands.iter().filter(|operand| operand.is_register()).count();
        let at = 1 + choices.below(registers.max(1) as u64) as usize;
        code[at] = choices.number() as u8;
    }
    let mut setting = Setting::usual();
    setting.words = words(row, &code, choices, &places);
    if choices.percent(8) {
        setting.ip = choices.pick(&[0, 0x0F_FFFE, 0xFF_FFFC, 0xFF_FFFF]);
    }
    match row.opcode {
        11..=16 | 132..=135 | 137 => setting.sp = stack_pointer(choices, &places),
        136 if choices.percent(70) => setting.sp = stack_pointer(choices, &places),
        136 => {
            // No handler and, from 64 on, no service.
            code[1] |= 0x40;
            setting.patches.push((0x01_E900 + 3 * u32::from(code[1]), vec![0; 3]));
        }
        162..=164 => setting.patches = alike(&mut setting.words, &code, choices),
        170..=172 => setting.patches = places.queue(choices),
        190..=195 => setting.mode = choices.pick(&[2, 3, 3, 4, 4, 8]),
        _ => {}
    }
    if row.control {
        time(row, &mut setting, choices, &places);
    }
    finish(code, setting, choices)
}

/// Time before an instruction behind which interrupts are served, and where
/// vector 8 points.
fn time(row: &Row, setting: &mut Setting, choices: &mut Choices<'_>, places: &Places) {
    let waits = matches!(row.mnemonic, "HALT" | "YIELD");
    if choices.percent(if waits { 90 } else { 15 }) {
        setting.start = choices.pick(&[0, 21_330, 21_331, 21_332, 21_333, 42_665, 50_000]);
        let vector = if choices.percent(70) { places.address(choices) } else { 0 };
        setting.patches.push((0x01_E918, vector.to_le_bytes()[..3].to_vec()));
    } else if waits {
        setting.patches.push((0x01_E918, vec![0; 3]));
    }
}

/// The words that an instruction works with are anything, the others filler.
fn words(row: &Row, code: &[u8], choices: &mut Choices<'_>, places: &Places) -> [u16; 16] {
    let mut registers = Registers::default();
    for word in 0..16 {
        registers.write(word, filler(word).into());
    }
    let mut used: Vec<u8> = match row.opcode {
        13 => (0..16).collect(),
        190..=195 => vec![2, 3, 4, 5, 6, 12],
        _ => Vec::new(),
    };
    let operands = row.operands.iter().filter(|operand| operand.is_register());
    used.extend(operands.zip(&code[1..]).map(|(_, &id)| id));
    for id in used.into_iter().filter(|&id| width(id).is_some() && id != registers::SP) {
        let queue = (170..=172).contains(&row.opcode);
        let value = match row.opcode {
            // Two corners near each other, or a place and a size.
            192 | 193 if id == 5 || id == 6 => {
                registers.read(id - 3).wrapping_add(choices.below(20)).wrapping_sub(10)
            }
            194 | 195 if id == 5 || id == 6 => choices.below(14).wrapping_sub(2),
            // Within the picture more often than not.
            190..=195 if choices.percent(80) => choices.below(330).wrapping_sub(20),
            // Counts of bytes, and small fields of nodes.
            160..=172 if id < 64 => choices.below(40),
            _ if is_pointer(id) && queue => choices.pick(&places.nodes).into(),
            _ if is_pointer(id) || is_word(id) && choices.percent(30) => {
                places.address(choices).into()
            }
            _ => choices.edgy(),
        };
        registers.write(id, value);
    }
    std::array::from_fn(|word| registers.read(word as u8) as u16)
}

/// Memory for CMPC, LOCC and SKPC in which bytes are equal for a while.
fn alike(words: &mut [u16; 16], code: &[u8], choices: &mut Choices<'_>) -> Vec<(u32, Vec<u8>)> {
    let mut registers = Registers::default();
    for (word, &value) in (0..).zip(words.iter()) {
        registers.write(word, value.into());
    }
    let known = |id: u8| width(id).is_some();
    let mut values = code[1..].iter().map(|&id| if known(id) { registers.read(id) } else { 0 });
    let (first, second) = (values.next().unwrap_or(0), values.next().unwrap_or(0));
    let byte = if code[0] == 162 { choices.below(256) as u8 } else { second as u8 };
    let mut block = |equal: u64| -> Vec<u8> {
        (0..40).map(|_| if choices.percent(equal) { byte } else { byte.wrapping_add(1) }).collect()
    };
    match code[0] {
        162 => vec![(second as u32, block(96)), (first as u32, block(96))],
        163 => vec![(first as u32, block(6))],
        _ => vec![(first as u32, block(94))],
    }
}

/// Executes the code and writes down what was used and what has changed.
fn finish(code: Vec<u8>, setting: Setting, choices: &mut Choices<'_>) -> Vector {
    let mut oracle = Oracle::new(Memory::new(noise()));
    oracle.mode = setting.mode;
    oracle.pass(setting.start);
    for (address, bytes) in setting.patches.iter().chain([&(setting.ip, code.clone())]) {
        for (offset, &byte) in bytes.iter().enumerate() {
            oracle.memory.set_byte(wrap(u64::from(*address) + offset as u64), byte);
        }
    }
    for (word, value) in (0..).zip(setting.words) {
        oracle.registers.write(word, value.into());
    }
    oracle.registers.write(registers::SP, setting.sp.into());
    oracle.ip = setting.ip;
    oracle.flags = choices.number() as u16 & oracle::flags::WRITABLE;
    let before = oracle.clone();
    // What is read is what matters, whoever wrote it.
    oracle.memory.settle();
    oracle.memory.watch_reads();
    let step = oracle.step(&mut NoBios);
    describe(code, &before, &oracle, step)
}

fn describe(code: Vec<u8>, before: &Oracle, after: &Oracle, step: Step) -> Vector {
    let in_code = |address: u32| {
        wrap(u64::from(address) + SIZE as u64 - u64::from(before.ip)) < code.len() as u32
    };
    let read: BTreeMap<u32, u8> = after
        .memory
        .reads()
        .filter(|&address| !in_code(address))
        .map(|address| (address, before.memory.peek(address)))
        .collect();
    let mut written: BTreeMap<u32, u8> = after.memory.written().clone();
    // Behind INT, YIELD and others the machine itself may have written them.
    if table::find(code[0]).is_some_and(|row| row.control) {
        written.retain(|address, _| !CELLS.contains(address));
    }

    let mut was = registers(before);
    let mut is = registers(after);
    is.retain(|name, value| name == "IP" || was[name] != *value);
    let usual = |name: &str, value: u32| match name {
        "IP" => value == ORIGIN,
        "SP" => value == USUAL_SP,
        "FLAGS" => value == 0,
        _ => (0..16).any(|word| registers::name(word) == name && u32::from(filler(word)) == value),
    };
    was.retain(|name, value| !usual(name, *value));
    let wrong = |kind: &str, number: Option<u32>| Wrong { kind: kind.to_string(), number };
    Vector {
        name: listing(&code),
        code: hex(&code).replace(' ', ""),
        before: State {
            start: before.units,
            mode: Some(before.mode).filter(|&mode| mode != 2),
            memory: runs(&read),
            registers: was,
        },
        after: State { memory: runs(&written), registers: is, ..State::default() },
        units: after.units - before.units,
        exit: if let Step::Ended(code) = step { Some(code) } else { None },
        fault: match step {
            Step::Fault(Fault::Opcode(opcode)) => Some(wrong("opcode", Some(opcode.into()))),
            Step::Fault(Fault::Register(id)) => Some(wrong("register", Some(id.into()))),
            Step::Fault(Fault::Width(id)) => Some(wrong("width", Some(id.into()))),
            Step::Fault(Fault::Stack(sp)) => Some(wrong("stack", Some(sp))),
            Step::Fault(Fault::Ring) => Some(wrong("ring", None)),
            Step::Fault(Fault::Break) => Some(wrong("break", None)),
            Step::Done | Step::Ended(_) => None,
        },
    }
}

/// All registers by name.
fn registers(oracle: &Oracle) -> BTreeMap<String, u32> {
    let word = |id| (registers::name(id), oracle.registers.read(id) as u32);
    let mut all: BTreeMap<String, u32> = (0..16).chain([registers::SP]).map(word).collect();
    all.insert("IP".to_string(), oracle.ip);
    all.insert("FLAGS".to_string(), oracle.flags.into());
    all
}

/// Bytes that lie beside each other in one piece.
fn runs(bytes: &BTreeMap<u32, u8>) -> BTreeMap<String, String> {
    let mut pieces: Vec<(u32, Vec<u8>)> = Vec::new();
    for (&address, &byte) in bytes {
        match pieces.last_mut() {
            Some((start, piece)) if *start + piece.len() as u32 == address => piece.push(byte),
            _ => pieces.push((address, vec![byte])),
        }
    }
    let text =
        |(address, piece): (u32, Vec<u8>)| (format!("{address:06X}"), hex(&piece).replace(' ', ""));
    pieces.into_iter().map(text).collect()
}
