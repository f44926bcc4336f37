//! The map files of the game on a machine, their routines called one by one.

use std::collections::BTreeSet;
use std::path::Path;

use bios::{Bios, NoDisk};
use isa::Reg;
use sd8516::{Image, Machine, Stop};
use sda::{HostFiles, Options};

use super::level::{Kind, Level, Square};

/// Where a BRK stands that the routines return to, in free memory.
const RETURN: u32 = 0x00_0100;
const BRK: u8 = 147;
const STACK_TOP: u32 = 0x01_E000;
/// Units no routine of the map may take.
const LIMIT: u64 = 20_000_000;
const TF_VISIBLE: u8 = 0x08;

/// A machine with `map_parts.sda` loaded.
pub struct Game {
    machine: Machine,
    places: Places,
    last_call: u64,
}

/// Addresses and offsets, taken from the program's own symbols.
struct Places {
    init_levels: u32,
    enter_level: u32,
    los_update: u32,
    game_seed: u32,
    level_index: u32,
    player_x: u32,
    player_y: u32,
    level_table: u32,
    row_size: u32,
    width: u32,
    height: u32,
    stairs: u32,
    stair_count: u32,
    stair_size: u32,
    stair_kind: u32,
    tiles: u32,
}

impl Game {
    pub fn new() -> Game {
        let source =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs/rogueima/map_parts.sda");
        let assembly = sda::assemble(&[source], &HostFiles, &Options::default());
        let program =
            assembly.program.unwrap_or_else(|| panic!("{}", assembly.diagnostics.render(false)));
        let find = |name: &str| {
            let symbol = program.symbols.lookup(name);
            u32::try_from(symbol.unwrap_or_else(|| panic!("no symbol {name}")).value)
                .expect("an address or an offset")
        };
        let places = Places {
            init_levels: find("init_levels"),
            enter_level: find("enter_level"),
            los_update: find("los_update"),
            game_seed: find("game_seed"),
            level_index: find("level_index"),
            player_x: find("player_x"),
            player_y: find("player_y"),
            level_table: find("level_table"),
            row_size: find("LEVEL.size"),
            width: find("LEVEL.width"),
            height: find("LEVEL.height"),
            stairs: find("LEVEL.stairs"),
            stair_count: find("STAIR_COUNT"),
            stair_size: find("STAIR.size"),
            stair_kind: find("STAIR.kind"),
            tiles: find("LEVEL.tiles"),
        };
        let image = Image::parse(&program.prg(), false).expect("a sound image");
        let mut machine = Machine::new();
        machine.start(&image, b"").expect("an image that fits");
        machine.memory_mut().set_byte(RETURN, BRK);
        machine.set_break_stops(true);
        Game { machine, places, last_call: 0 }
    }

    /// Builds the hand-made levels of a new game.
    pub fn new_game(&mut self, seed: u32) {
        self.machine.memory_mut().write(self.places.game_seed, 4, u64::from(seed));
        self.call(self.places.init_levels);
    }

    /// Makes a level the current one and reads it.
    pub fn enter(&mut self, index: u8) -> Level {
        self.machine.set_reg(register("AL"), u64::from(index));
        self.call(self.places.enter_level);
        let row = self.row();
        let stairs = (0..self.places.stair_count).filter_map(|number| {
            let stair = row + self.places.stairs + number * self.places.stair_size;
            let kind = self.byte(stair + self.places.stair_kind) as u8;
            (kind != 0).then(|| ((self.byte(stair), self.byte(stair + 1)), Kind(kind)))
        });
        Level {
            width: self.byte(row + self.places.width),
            height: self.byte(row + self.places.height),
            kinds: self.tiles().chunks(2).map(|square| Kind(square[0])).collect(),
            stairs: stairs.collect(),
        }
    }

    /// What is visible after the player has looked about from a square of the
    /// current level.
    pub fn look_from(&mut self, (x, y): Square) -> BTreeSet<Square> {
        let memory = self.machine.memory_mut();
        memory.set_byte(self.places.player_x, x as u8);
        memory.set_byte(self.places.player_y, y as u8);
        self.call(self.places.los_update);
        let width = self.byte(self.row() + self.places.width);
        let flags = self.tiles().iter().skip(1).step_by(2);
        flags
            .enumerate()
            .filter(|(_, flags)| *flags & TF_VISIBLE != 0)
            .map(|(at, _)| (at % width, at / width))
            .collect()
    }

    /// Machine time the last routine took.
    pub fn units_of_last_call(&self) -> u64 {
        self.last_call
    }

    /// Address of the current level's row.
    fn row(&self) -> u32 {
        let index = self.byte(self.places.level_index) as u32;
        self.places.level_table + index * self.places.row_size
    }

    /// Kind and flags of every square of the current level.
    fn tiles(&self) -> &[u8] {
        let row = self.row();
        let squares = self.byte(row + self.places.width) * self.byte(row + self.places.height);
        let start = self.machine.memory().read(row + self.places.tiles, 3) as u32;
        self.machine.memory().slice(start..start + 2 * squares as u32)
    }

    fn byte(&self, address: u32) -> usize {
        usize::from(self.machine.memory().byte(address))
    }

    /// Calls a routine, until it returns.
    fn call(&mut self, routine: u32) {
        let stack = STACK_TOP - 3;
        self.machine.memory_mut().write(stack, 3, u64::from(RETURN));
        self.machine.set_reg(register("SP"), u64::from(stack));
        self.machine.set_ip(routine);
        let before = self.machine.units();
        let stop = self.machine.run(&mut Bios::new(NoDisk), before + LIMIT);
        assert_eq!(stop, Stop::Break);
        self.last_call = self.machine.units() - before;
    }
}

fn register(name: &str) -> Reg {
    Reg::by_name(name).expect("a register")
}
