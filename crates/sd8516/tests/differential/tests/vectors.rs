//! The single-step vectors that are kept, on every engine.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use differential::case::{Case, ORIGIN, register};
use differential::engines;
use differential::vectors::{State, USUAL_SP, Vector, Wrong, filler, unpacked};
use isa::Reg;
use isa::memory_map::device;
use sd8516::{Engine, FaultKind, Machine, Served, Services, Stop};

/// INT n with a zero vector finds no service.
struct NoServices;

impl Services for NoServices {
    fn interrupt(&mut self, _: &mut Machine, _: u8) -> Served {
        Served::Unknown
    }
}

/// An opcode that is none, behind the instruction.
const NO_OPCODE: u8 = 255;
const E: u16 = 1 << 12;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../../tests/vectors")
}

fn files() -> Vec<(String, Vec<Vector>)> {
    let mut paths: Vec<PathBuf> =
        fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let read = |path: PathBuf| {
        let text = unpacked(&fs::read(&path).unwrap()).unwrap();
        (path.file_name().unwrap().display().to_string(), serde_json::from_str(&text).unwrap())
    };
    paths.into_iter().map(read).collect()
}

#[test]
fn every_engine_agrees_with_every_vector() {
    for (file, vectors) in files() {
        for engine in engines() {
            let mut bench = Bench::new(engine);
            for (number, vector) in vectors.iter().enumerate() {
                let place = format!("{file}, vector {number}, engine {engine}: {}", vector.name);
                for alone in [true, false] {
                    bench.check(vector, patience(number), alone, &place);
                }
            }
            bench.look_for_strays(&file);
        }
    }
}

#[test]
fn every_opcode_and_width_has_a_hundred_vectors() {
    let files = files();
    let mut opcodes = BTreeSet::new();
    for (file, vectors) in files.iter().filter(|(file, _)| file != "illegal.json.gz") {
        let mut widths: BTreeMap<Option<u8>, usize> = BTreeMap::new();
        let executed = |vector: &&Vector| vector.fault.is_none() || vector.name == "BRK";
        for vector in vectors.iter().filter(executed) {
            let code = bytes(&vector.code);
            opcodes.insert(code[0]);
            let row = oracle::table::find(code[0]).unwrap();
            let first = row.operands.first().filter(|operand| operand.is_register());
            let width = first.and_then(|_| oracle::registers::width(code[1]));
            *widths.entry(width).or_default() += 1;
        }
        assert!(widths.values().all(|&count| count >= 100), "{file}: {widths:?}");
    }
    assert_eq!(opcodes.len(), oracle::table::TABLE.len());
    let illegal = &files.iter().find(|(file, _)| file == "illegal.json.gz").unwrap().1;
    assert_eq!(illegal.len() + opcodes.len(), 256);
}

fn bytes(hex: &str) -> Vec<u8> {
    let pairs = hex.as_bytes().chunks(2).map(|pair| std::str::from_utf8(pair).unwrap());
    pairs.map(|pair| u8::from_str_radix(pair, 16).unwrap()).collect()
}

fn address(hex: &str) -> u32 {
    u32::from_str_radix(hex, 16).unwrap()
}

/// Compiling takes long: one vector in eight is compiled, the others pass code
/// that is.
fn patience(number: usize) -> u32 {
    if number.is_multiple_of(8) { 0 } else { 100 }
}

/// The machines that are used for many vectors, by mode; what a vector writes
/// is taken back.
struct Bench {
    engine: Engine,
    machines: BTreeMap<u8, Machine>,
}

impl Bench {
    fn new(engine: Engine) -> Bench {
        Bench { engine, machines: BTreeMap::new() }
    }

    /// Executes a vector: alone, or with an instruction behind it that is
    /// none, so that engines which look ahead can.
    fn check(&mut self, vector: &Vector, patience: u32, alone: bool, place: &str) {
        let ip_after = vector.after.registers["IP"];
        let mut used = used(vector);
        let over = vector.fault.is_some() || vector.exit.is_some();
        let taken = used.contains(&ip_after) || device::CELLS.contains(&ip_after);
        if !alone && (over || taken) {
            return;
        }
        // Time doesn't go back, and what has ended has ended.
        let lasting = vector.before.start == 0 && vector.exit.is_none();
        let mode = vector.before.mode.unwrap_or(2);
        // A frame must not end in the middle of a vector that doesn't say so.
        let known = if lasting { self.machines.remove(&mode) } else { None };
        let mut machine = match known.filter(|machine| machine.units() < 10_000) {
            Some(machine) => machine,
            None => new_machine(self.engine, &vector.before),
        };
        machine.set_patience(patience);
        used.insert(ip_after);
        let byte = |address| (address, machine.memory().byte(address));
        let was: Vec<(u32, u8)> = used.into_iter().map(byte).collect();
        let begun = machine.units();
        set_up(&mut machine, vector);
        let mut until = begun + 1;
        if !alone {
            machine.memory_mut().set_byte(ip_after, NO_OPCODE);
            until += vector.units + 100;
        }
        let stop = machine.run(&mut NoServices, until);
        assert_eq!(machine.units() - begun, vector.units, "units, {place}");
        compare(&machine, vector, &stop, alone, place);
        for (address, byte) in was {
            machine.memory_mut().set_byte(address, byte);
        }
        if lasting {
            self.machines.insert(mode, machine);
        }
    }

    /// Nothing but what the vectors name was written, and device cells.
    fn look_for_strays(&mut self, file: &str) {
        for (&mode, machine) in &mut self.machines {
            let fresh = new_machine(self.engine, &State { mode: Some(mode), ..State::default() });
            let cells = fresh.memory().slice(device::CELLS);
            machine.memory_mut().copy_in(device::CELLS.start, cells);
            assert!(machine.memory() == fresh.memory(), "something else was written by {file}");
        }
    }
}

fn compare(machine: &Machine, vector: &Vector, stop: &Stop, alone: bool, place: &str) {
    let behind = if alone { 0 } else { E };
    for name in NAMES {
        let before = vector.before.registers.get(name).copied();
        let after = vector.after.registers.get(name).copied();
        let right = after.or(before).unwrap_or_else(|| usual(name));
        let right = if name == "FLAGS" { right | u32::from(behind) } else { right };
        assert_eq!(get(machine, name), right, "{name}, {place}");
    }
    for (start, piece) in &vector.after.memory {
        let piece = bytes(piece);
        let is = machine.memory().copy_out(address(start), piece.len() as u32);
        assert_eq!(is, piece, "memory at {start}, {place}");
    }
    let no_opcode = Wrong { kind: "opcode".to_string(), number: Some(NO_OPCODE.into()) };
    let right = match (&vector.fault, vector.exit) {
        (Some(wrong), _) => ended_with(stop, wrong),
        (None, Some(code)) => *stop == Stop::Exit(code),
        (None, None) if alone => *stop == Stop::Budget,
        (None, None) => ended_with(stop, &no_opcode),
    };
    assert!(right, "ended with {stop:?}, {place}");
}

/// A machine at the time and in the mode of a state.
fn new_machine(engine: Engine, state: &State) -> Machine {
    let mode = state.mode.unwrap_or(2);
    let mut machine = Case { start: state.start, mode, ..Case::default() }.machine();
    machine.set_engine(engine);
    machine
}

/// The addresses that a vector names.
fn used(vector: &Vector) -> BTreeSet<u32> {
    let code = (ip(vector), vector.code.len() / 2);
    let pieces = vector.before.memory.iter().chain(&vector.after.memory);
    let pieces = pieces.map(|(start, piece)| (address(start), piece.len() / 2));
    let all = pieces.chain([code]).flat_map(|(start, length)| start..start + length as u32);
    all.map(|address| address & 0xFF_FFFF).collect()
}

fn ip(vector: &Vector) -> u32 {
    vector.before.registers.get("IP").copied().unwrap_or(ORIGIN)
}

fn set_up(machine: &mut Machine, vector: &Vector) {
    for (start, piece) in &vector.before.memory {
        machine.memory_mut().copy_in(address(start), &bytes(piece));
    }
    machine.memory_mut().copy_in(ip(vector), &bytes(&vector.code));
    for name in NAMES {
        let value = vector.before.registers.get(name).copied().unwrap_or_else(|| usual(name));
        match name {
            "IP" => machine.set_ip(value),
            "FLAGS" => machine.set_flags(value as u16),
            _ => machine.set_reg(Reg::by_name(name).unwrap(), value.into()),
        }
    }
}

/// The registers that a state has.
const NAMES: [&str; 19] = [
    "A", "B", "X", "Y", "C", "I", "J", "K", "T", "M", "D", "E", "F", "G", "L", "Z", "SP", "IP",
    "FLAGS",
];

/// What a register holds that a vector doesn't name.
fn usual(name: &str) -> u32 {
    match name {
        "SP" => USUAL_SP,
        "IP" => ORIGIN,
        "FLAGS" => 0,
        _ => {
            let number = NAMES.iter().position(|&word| word == name).unwrap();
            filler(number as u8).into()
        }
    }
}

fn get(machine: &Machine, name: &str) -> u32 {
    match name {
        "SP" => machine.sp(),
        "IP" => machine.ip(),
        "FLAGS" => machine.flags().into(),
        _ => {
            let number = NAMES.iter().position(|&word| word == name).unwrap();
            machine.reg(register(number as u8)) as u32
        }
    }
}

fn ended_with(stop: &Stop, wrong: &Wrong) -> bool {
    let Stop::Fault(fault) = stop else { return false };
    let (kind, number) = match fault.kind {
        FaultKind::IllegalOpcode(opcode) => ("opcode", Some(opcode.into())),
        FaultKind::IllegalRegister(id) => ("register", Some(id.into())),
        FaultKind::IllegalWidth(id) => ("width", Some(id.into())),
        FaultKind::Stack(sp) => ("stack", Some(sp)),
        FaultKind::EndlessQueue => ("ring", None),
        FaultKind::Break => ("break", None),
        _ => return false,
    };
    wrong.kind == kind && wrong.number == number
}
