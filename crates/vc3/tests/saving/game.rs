//! Rogueima on a machine with a disk in memory, played key by key.

// Each test file uses its own part of this.
#![allow(dead_code)]

use std::collections::VecDeque;
use std::path::Path;
use std::sync::OnceLock;

use bios::disk::{Disk, Name};
use bios::{Bios, MemoryDisk};
use sd8516::{Image, Input, Key, Machine, Picture, Stop};
use sda::{HostFiles, Options, Program};

/// The file of a saved game.
pub const FILE: &str = "ROGUEIMA.SAV";
/// Units that no key of these tests takes.
const LIMIT: u64 = 400_000_000;

/// A machine that has been started with the game, and its disk.
#[derive(Clone)]
pub struct Game {
    machine: Machine,
    bios: Bios<MemoryDisk>,
}

impl Game {
    /// The title screen.
    pub fn start(seed: u32, disk: MemoryDisk) -> Game {
        let image = Image::parse(&program().prg(), false).expect("a sound image");
        let mut machine = Machine::new();
        machine.set_seed(seed);
        machine.set_sanitize(true);
        machine.start(&image, b"").expect("an image that fits");
        let mut game = Game { machine, bios: Bios::new(disk) };
        assert_eq!(game.press(""), Stop::KeysUsedUp);
        game
    }

    /// The first turn of a new game.
    pub fn new(seed: u32) -> Game {
        let mut game = Game::start(seed, MemoryDisk::new());
        assert_eq!(game.press("n\r"), Stop::KeysUsedUp);
        game
    }

    /// The game on this one's disk, on a machine that knows nothing of it.
    pub fn resumed(&self) -> Game {
        let mut game = Game::start(77, self.disk().clone());
        assert_eq!(game.press("r"), Stop::KeysUsedUp);
        assert!(!game.text().contains("The saved game"), "{}", game.text());
        game
    }

    /// Presses keys and runs until they are used up, or the game ends.
    pub fn press(&mut self, keys: &str) -> Stop {
        self.press_for(keys, LIMIT)
    }

    /// Presses keys and runs for so many units.
    pub fn press_for(&mut self, keys: &str, units: u64) -> Stop {
        self.press_codes(keys.as_bytes(), units)
    }

    /// Presses keys that may have no character, and runs for so many units.
    pub fn press_codes(&mut self, codes: &[u8], units: u64) -> Stop {
        let keys = codes.iter().map(|&code| Key { code, flags: 0 }).collect::<VecDeque<_>>();
        self.machine.set_input(Input::List(keys));
        let until = self.machine.units() + units;
        self.machine.run(&mut self.bios, until)
    }

    /// The host asks the game to stop, as in a terminal: vector 9, and a second
    /// of machine time for it.
    pub fn stop(&mut self) -> Stop {
        self.machine.set_input(Input::Live);
        self.machine.request_stop();
        let until = self.machine.units() + 1_280_000;
        loop {
            match self.machine.run(&mut self.bios, until) {
                Stop::Wait => self.machine.end_frame(),
                stop => return stop,
            }
        }
    }

    pub fn picture(&self) -> Picture {
        self.machine.picture()
    }

    /// The screen, a line a row.
    pub fn text(&self) -> String {
        let picture = self.picture();
        let rows = picture.glyphs.chunks(picture.columns.into());
        rows.map(|row| String::from_utf8_lossy(row).trim_end().to_owned() + "\n").collect()
    }

    /// Is the frame around map, status and messages whole?
    pub fn is_framed(&self) -> bool {
        let picture = self.picture();
        let cell = |x: usize, y: usize| picture.glyphs[y * usize::from(picture.columns) + x];
        let post = |x: usize, y: usize| match (x, y) {
            (0, 10) => b'|',
            (_, 0 | 10 | 24) => b'+',
            _ => b'|',
        };
        (0..25).all(|y| [0, 59, 79].iter().all(|&x| cell(x, y) == post(x, y)))
    }

    /// What the message window says, its lines joined.
    pub fn said(&self) -> String {
        let picture = self.picture();
        let rows = picture.glyphs.chunks(picture.columns.into()).skip(11).take(13);
        let lines = rows.map(|row| String::from_utf8_lossy(&row[60..79]).trim().to_owned());
        lines.collect::<Vec<_>>().join(" ")
    }

    pub fn disk(&self) -> &MemoryDisk {
        self.bios.disk()
    }

    /// The saved game on the disk.
    pub fn file(&self) -> Option<Vec<u8>> {
        self.disk().load(&name(), u32::MAX).ok()
    }

    /// Writes a variable of the game.
    pub fn set(&mut self, variable: &str, width: u8, value: u64) {
        let symbol = program().symbols.lookup(variable).expect("a variable");
        let address = u32::try_from(symbol.value).expect("an address");
        self.machine.memory_mut().write(address, width, value);
    }
}

/// A disk with a file that may be a saved game.
pub fn disk_with(bytes: &[u8]) -> MemoryDisk {
    let mut disk = MemoryDisk::new();
    disk.save(&name(), bytes).expect("room");
    disk
}

fn name() -> Name {
    Name::new(FILE.as_bytes()).expect("a name")
}

fn program() -> &'static Program {
    static PROGRAM: OnceLock<Program> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        let source =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs/rogueima/rogueima.sda");
        let assembly = sda::assemble(&[source], &HostFiles, &Options::default());
        assembly.program.unwrap_or_else(|| panic!("{}", assembly.diagnostics.render(false)))
    })
}

/// Small random numbers, the same in every run.
pub struct Dice(u32);

impl Dice {
    pub fn new(seed: u32) -> Dice {
        Dice(seed.wrapping_mul(0x9E37_79B9) | 1)
    }

    /// 0 … `bound` − 1.
    pub fn roll(&mut self, bound: u32) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        ((u64::from(self.0) * u64::from(bound)) >> 32) as u32
    }

    /// One command of a player who tries everything, with what it asks for.
    pub fn command(&mut self) -> String {
        const STEPS: &[u8] = b"hjklyubn";
        const LETTERS: &[u8] = b"abcdefABCF";
        let step = char::from(STEPS[self.roll(8) as usize]);
        let letter = char::from(LETTERS[self.roll(10) as usize]);
        match self.roll(26) {
            0..=8 => format!("{step}{step}{step}"),
            9..=12 => "\t".to_owned(),
            13 => "_>\r".to_owned(),
            14..=15 => ">".to_owned(),
            16 => "<".to_owned(),
            17..=18 => ",\x1b".to_owned(),
            19 => format!("d{letter}\x1b"),
            20 => format!("w{letter}{letter}\x1b\x1b"),
            21 => format!("q{letter}\x1b"),
            22 => format!("r{letter}\x1b"),
            23 => format!("o{step}t{step}\x1b\x1b"),
            24 => format!("e{letter}\x1b"),
            _ => "zs".to_owned(),
        }
    }
}
