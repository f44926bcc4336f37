//! Rogueima on a machine of its own: a key goes in, and the game runs until it
//! wants the next one.

use std::path::Path;

use anyhow::{Context, Result, anyhow};
use bios::{Bios, MemoryDisk};
use isa::keys::code;
use sd8516::{Image, Input, Key, Machine, Stop};
use sda::{HostFiles, Options};

use crate::queues::Places;
use crate::screen::Screen;

/// Units that may pass between two keys: a rest of 2,000 turns at 60,000 units
/// each, and room for building a level.
const LIMIT: u64 = 200_000_000;

/// The game, assembled.
pub struct Rogueima {
    pub(crate) image: Image,
    pub(crate) places: Places,
    pub(crate) symbols: sda::Symbols,
}

impl Rogueima {
    /// Assembles the game.
    ///
    /// # Errors
    ///
    /// The assembler's diagnostics, or a symbol that the queues' check needs and
    /// the sources no longer have.
    pub fn assemble(source: &Path) -> Result<Rogueima> {
        let assembly = sda::assemble(&[source.to_owned()], &HostFiles, &Options::default());
        let program =
            assembly.program.ok_or_else(|| anyhow!("{}", assembly.diagnostics.render(false)))?;
        let image = Image::parse(&program.prg(), false).context("the assembled image")?;
        let places = Places::find(&program.symbols)?;
        Ok(Rogueima { image, places, symbols: program.symbols })
    }

    /// The game of this working tree.
    ///
    /// # Errors
    ///
    /// As [`Rogueima::assemble`].
    pub fn of_this_tree() -> Result<Rogueima> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        Rogueima::assemble(&root.join("../../programs/rogueima/rogueima.sda"))
    }
}

/// Where a game stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// It waits for a key.
    Waits,
    /// The program has ended.
    Over,
    /// The machine stopped it, or it never came back for a key: what and where.
    Fault(String),
}

/// One game being played.
#[derive(Clone)]
pub struct Game<'a> {
    rogueima: &'a Rogueima,
    machine: Machine,
    bios: Bios<MemoryDisk>,
    keys: Vec<u8>,
    state: State,
    last_units: u64,
}

impl<'a> Game<'a> {
    /// The title screen. `checked` is the machine's checking mode, which makes
    /// executing overwritten code and unlinked queue nodes faults.
    ///
    /// # Errors
    ///
    /// When the image does not fit the machine.
    pub fn new(rogueima: &'a Rogueima, seed: u32, checked: bool) -> Result<Game<'a>> {
        let mut machine = Machine::new();
        machine.set_seed(seed);
        machine.set_sanitize(checked);
        machine.start(&rogueima.image, b"")?;
        let bios = Bios::new(MemoryDisk::new());
        let state = State::Waits;
        let mut game = Game { rogueima, machine, bios, keys: Vec::new(), state, last_units: 0 };
        game.run(Input::None);
        Ok(game)
    }

    /// Gives the game a key, and lets it run until it wants another.
    pub fn press(&mut self, key: u8) {
        if self.state != State::Waits {
            return;
        }
        self.keys.push(key);
        self.run(Input::List([Key { code: key, flags: 0 }].into()));
    }

    fn run(&mut self, input: Input) {
        self.machine.set_input(input);
        let before = self.machine.units();
        let stop = self.machine.run(&mut self.bios, before + LIMIT);
        self.last_units = self.machine.units() - before;
        self.state = match stop {
            Stop::KeysUsedUp => State::Waits,
            Stop::Exit(_) => State::Over,
            Stop::Fault(fault) => State::Fault(format!("{fault}{}", self.place(fault.ip))),
            Stop::Budget => {
                let place = self.place(self.machine.ip());
                State::Fault(format!("no key was asked for in {LIMIT} units{place}"))
            }
            other => State::Fault(format!("stopped: {other:?}")),
        };
    }

    /// " in LABEL + OFFSET".
    fn place(&self, address: u32) -> String {
        let label = self.rogueima.symbols.nearest(address);
        label.map_or(String::new(), |(label, offset)| format!(" in {label} + {offset}"))
    }

    /// Where it stands.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// What is on the screen.
    pub fn screen(&self) -> Screen {
        Screen::of(&self.machine.picture())
    }

    /// Units from the last key to the wish for the next one.
    pub fn last_units(&self) -> u64 {
        self.last_units
    }

    /// How many keys were pressed.
    pub fn key_count(&self) -> usize {
        self.keys.len()
    }

    /// The keys pressed so far, as `vc3 run --keys` takes them.
    pub fn keys(&self) -> String {
        self.keys.iter().map(|&key| notation(key)).collect()
    }

    /// What is wrong with the game's objects and its code, if anything.
    ///
    /// # Errors
    ///
    /// A node that is on no queue or on two, a link that does not lead back, or a
    /// byte of the image that has changed.
    pub fn check(&self) -> Result<()> {
        self.rogueima.places.check(self.machine.memory())?;
        for segment in &self.rogueima.image.segments {
            let end = segment.address + segment.bytes.len() as u32;
            let now = self.machine.memory().slice(segment.address..end);
            if let Some(at) = (0..now.len()).find(|&at| now[at] != segment.bytes[at]) {
                let address = segment.address + at as u32;
                return Err(anyhow!(
                    "the image is overwritten at ${address:06X}{}",
                    self.place(address)
                ));
            }
        }
        Ok(())
    }
}

/// A key in the notation of `vc3 run --keys`.
fn notation(key: u8) -> String {
    match key {
        b'<' => "<<".to_owned(),
        code::ENTER => "<Enter>".to_owned(),
        code::ESCAPE => "<Esc>".to_owned(),
        code::TAB => "<Tab>".to_owned(),
        code::BACKSPACE => "<Backspace>".to_owned(),
        code::LEFT => "<Left>".to_owned(),
        code::RIGHT => "<Right>".to_owned(),
        code::UP => "<Up>".to_owned(),
        code::DOWN => "<Down>".to_owned(),
        code::HOME => "<Home>".to_owned(),
        code::END => "<End>".to_owned(),
        code::PAGE_UP => "<PgUp>".to_owned(),
        code::PAGE_DOWN => "<PgDn>".to_owned(),
        code::F1 => "<F1>".to_owned(),
        1..=26 => format!("<C-{}>", char::from(key + b'a' - 1)),
        _ => char::from(key).to_string(),
    }
}
