//! Calls services the way a program does: a real INT in a real machine, with
//! registers, flags and units looked at before and after.

#![allow(dead_code)] // each test file uses its own part

use bios::{Bios, Disk, MemoryDisk};
use isa::memory_map::USER_ORIGIN;
use isa::{Reg, flags};
use sd8516::{Image, Input, Key, Machine, Stop};

/// Where the strings of the tests stand.
pub const TEXT: u32 = 0x03_0000;

/// A machine with a program that does nothing but call services.
#[derive(Clone)]
pub struct Fixture<D> {
    pub machine: Machine,
    pub bios: Bios<D>,
}

impl Fixture<MemoryDisk> {
    pub fn new() -> Self {
        Fixture::with_disk(MemoryDisk::new())
    }
}

impl<D: Disk> Fixture<D> {
    pub fn with_disk(disk: D) -> Self {
        let mut machine = Machine::new();
        let image = Image::parse(&[0x88, 0x00, 0x8D], false).unwrap();
        machine.start(&image, b"").unwrap();
        Fixture { machine, bios: Bios::new(disk) }
    }

    /// Sets registers: `AH=5 X=4F`, values in hex.
    pub fn set(&mut self, registers: &str) -> &mut Self {
        for (reg, value) in parse(registers).0 {
            self.machine.set_reg(reg, value);
        }
        self
    }

    pub fn reg(&self, name: &str) -> u64 {
        self.machine.reg(Reg::by_name(name).unwrap())
    }

    pub fn string(&mut self, address: u32, text: &str) -> &mut Self {
        let memory = self.machine.memory_mut();
        memory.copy_in(address, text.as_bytes());
        memory.set_byte(address + text.len() as u32, 0);
        self
    }

    pub fn string_at(&self, address: u32) -> String {
        let bytes = self.machine.memory().copy_out(address, 256);
        let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(256);
        String::from_utf8_lossy(&bytes[..end]).to_string()
    }

    pub fn keys(&mut self, codes: &[u8]) -> &mut Self {
        let keys = codes.iter().map(|&code| Key { code, flags: 0 }).collect();
        self.machine.set_input(Input::List(keys));
        self
    }

    /// Executes `INT vector` at USER_ORIGIN, however often it has to wait.
    pub fn int(&mut self, vector: u8) -> Option<Stop> {
        self.machine.memory_mut().set_byte(USER_ORIGIN + 1, vector);
        self.machine.set_ip(USER_ORIGIN);
        for _ in 0..100_000 {
            let stop = self.machine.step(&mut self.bios);
            if stop.is_some() || self.machine.ip() != USER_ORIGIN {
                return stop;
            }
        }
        panic!("INT ${vector:02X} never ends");
    }

    pub fn carry(&self) -> bool {
        self.machine.flags() & flags::C != 0
    }

    /// Calls a service and looks at everything: `after` names the registers
    /// that may change and, by the words `carry` and `zero`, the flags; all
    /// others stay. The service takes exactly `units`.
    #[track_caller]
    pub fn check(&mut self, vector: u8, before: &str, after: &str, units: u64) -> &mut Self {
        let wide = flags::WRITABLE & !flags::I;
        let compares = after.contains("compared");
        let (results, named) = parse(after);
        let expected_flags = named.iter().fold(0, |sum, name| {
            sum | match name.as_str() {
                "carry" => flags::C,
                "zero" => flags::Z,
                _ => 0,
            }
        });
        let touchable = if compares { flags::C | flags::Z } else { flags::C };
        let saved = self.machine.clone();
        for start in [wide, 0] {
            self.machine = saved.clone();
            // every register holds something that no service gives
            for (n, name) in isa::WORDS.iter().enumerate() {
                let odd = 0x9E37u16.wrapping_mul(n as u16 + 3);
                self.machine.set_reg(Reg::by_name(name).unwrap(), odd.into());
            }
            self.set(before);
            self.machine.set_flags(start);
            let mut expected = self.machine.clone();
            for (reg, value) in &results {
                expected.set_reg(*reg, *value);
            }
            let from = self.machine.units();
            let stop = self.int(vector);
            let what = format!("INT ${vector:02X} {before}");
            assert_eq!(stop, None, "{what}");
            for (n, name) in isa::WORDS.iter().enumerate() {
                let (got, want) = (self.machine.words()[n], expected.words()[n]);
                assert_eq!(got, want, "{what}: {name} is ${got:04X}, not ${want:04X}");
            }
            assert_eq!(self.machine.sp(), expected.sp(), "{what}: SP");
            let flags = self.machine.flags();
            let want = start & !touchable | expected_flags;
            assert_eq!(flags, want, "{what}: flags {flags:04X}, not {want:04X}");
            assert_eq!(self.machine.units() - from, units, "{what}: units");
        }
        self
    }

    /// The rows of the screen without trailing spaces; empty rows at the end
    /// left out.
    pub fn screen(&self) -> Vec<String> {
        let picture = self.machine.picture();
        let mut rows: Vec<String> = picture
            .glyphs
            .chunks(picture.columns.into())
            .map(|row| row.iter().map(|&glyph| isa::charset::glyph(glyph)).collect::<String>())
            .map(|row| row.trim_end().to_string())
            .collect();
        while rows.last().is_some_and(String::is_empty) {
            rows.pop();
        }
        rows
    }
}

/// `NAME=hex` as registers, everything else as words.
fn parse(text: &str) -> (Vec<(Reg, u64)>, Vec<String>) {
    let (mut registers, mut words) = (Vec::new(), Vec::new());
    for token in text.split_whitespace() {
        match token.split_once('=') {
            Some((name, value)) => registers.push((
                Reg::by_name(name).unwrap_or_else(|| panic!("no register {name}")),
                u64::from_str_radix(value, 16).unwrap_or_else(|_| panic!("no number {value}")),
            )),
            None => words.push(token.to_string()),
        }
    }
    (registers, words)
}
