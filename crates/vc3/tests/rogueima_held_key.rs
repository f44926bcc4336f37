//! Rogueima with a key held down: y is a step northwest and an answer, b a step
//! southwest and a wish to buy, and who holds it down does not mean the answer.

use std::path::Path;

use bios::{Bios, MemoryDisk};
use sd8516::{Image, Input, Key, Machine, Stop};
use sda::{HostFiles, Options, Program};

struct Game {
    program: Program,
    machine: Machine,
    bios: Bios<MemoryDisk>,
}

impl Game {
    /// A new game, its keys coming while time passes.
    fn new() -> Game {
        let source = Path::new(env!("CARGO_MANIFEST_DIR"));
        let source = source.join("../../programs/rogueima/rogueima.sda");
        let assembly = sda::assemble(&[source], &HostFiles, &Options::default());
        let program = assembly.program.expect("a game that assembles");
        let image = Image::parse(&program.prg(), false).expect("an image");
        let mut machine = Machine::new();
        machine.set_input(Input::Live);
        machine.start(&image, b"").expect("it fits");
        let mut game = Game { program, machine, bios: Bios::new(MemoryDisk::new()) };
        for key in *b"n\r" {
            game.frames(5);
            game.press(key);
        }
        game.frames(60);
        game
    }

    fn press(&mut self, code: u8) {
        self.machine.key(Key { code, flags: 0 });
    }

    /// So many frames pass.
    fn frames(&mut self, count: u64) {
        let until = self.machine.frames() + count;
        while self.machine.frames() < until {
            match self.machine.run(&mut self.bios, self.machine.units() + 20_000) {
                Stop::Wait => self.machine.end_frame(),
                Stop::Budget => {}
                other => panic!("the game has ended: {other:?}"),
            }
        }
    }

    fn place(&self, name: &str) -> u32 {
        let symbol = self.program.symbols.lookup(name).unwrap_or_else(|| panic!("no {name}"));
        symbol.value as u32
    }

    /// The screen, a line a row.
    fn text(&self) -> String {
        let picture = self.machine.picture();
        let rows = picture.glyphs.chunks(picture.columns.into());
        rows.map(|row| String::from_utf8_lossy(row).into_owned() + "\n").collect()
    }

    /// The player stands on a square.
    fn stand(&mut self, x: u8, y: u8) {
        for (axis, at) in [("player_x", x), ("player_y", y)] {
            let axis = self.place(axis);
            self.machine.memory_mut().set_byte(axis, at);
        }
    }

    /// The first dog of the village.
    fn dog(&self) -> u32 {
        let (array, size) = (self.place("object_array"), self.place("OBJ.size"));
        let kind = self.place("MON_DOG");
        (0..self.place("OBJ_COUNT"))
            .map(|number| array + number * size)
            .find(|object| {
                self.byte(object + self.place("OBJ.type")) == self.place("OT_MONSTER") as u8
                    && u32::from(self.byte(object + self.place("OBJ.data2"))) == kind
            })
            .expect("Rufus")
    }

    fn byte(&self, address: u32) -> u8 {
        self.machine.memory().byte(address)
    }

    fn is_angry(&self, object: u32) -> bool {
        self.byte(object + self.place("OBJ.bits")) & self.place("OB_ANGRY") as u8 != 0
    }
}

#[test]
fn holding_y_down_attacks_nobody_who_is_peaceful() {
    let mut game = Game::new();
    let dog = game.dog();
    let [x, y] = ["OBJ.x", "OBJ.y"].map(|axis| game.byte(dog + game.place(axis)));
    game.stand(x + 1, y + 1);
    for _ in 0..30 {
        game.press(b'y');
        game.frames(2);
    }
    assert!(!game.is_angry(dog), "y was an answer while it was held down");
    game.frames(10);
    game.press(b'y');
    game.frames(10);
    assert!(game.is_angry(dog), "y was no answer once it had been let go");
}

#[test]
fn holding_b_down_opens_no_list_of_a_shop() {
    let mut game = Game::new();
    game.stand(26, 20); // in the door of the general store, its keeper to the southwest
    for _ in 0..30 {
        game.press(b'b');
        game.frames(2);
    }
    let asked = game.text();
    assert!(asked.contains("or sell (s)?"), "{asked}");
    assert!(!asked.contains("BUY WHAT?"), "b was an answer while it was held down\n{asked}");
    game.frames(10);
    game.press(b'b');
    game.frames(10);
    let bought = game.text();
    assert!(bought.contains("BUY WHAT?"), "b was no answer once it had been let go\n{bought}");
}
