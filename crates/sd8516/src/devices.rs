//! The devices together, and their cells: RAM from which the machine takes
//! what a program may set and into which it writes the rest (machine manual,
//! section 3, last note, and section 7).

use crate::Memory;
use crate::keyboard::Keyboard;
use crate::ppu::{Ppu, font};
use crate::rng::Rng;
use crate::sound::Sound;
use crate::waiting::Waiting;
use isa::keys::BUFFER_SIZE;
use isa::memory_map::device;
use isa::time::UNITS_PER_MILLISECOND;
use serde::{Deserialize, Serialize};

/// Frames of each half of a blinking cursor's life.
const BLINK_FRAMES: u64 = 16;

/// Everything beside CPU and memory that has a state.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Devices {
    /// Picture, text planes and drawing.
    pub ppu: Ppu,
    /// The key buffer.
    pub keyboard: Keyboard,
    /// The random number generator.
    pub rng: Rng,
    /// Voices and the tune.
    pub sound: Sound,
    /// BIOS services that wait.
    pub waiting: Waiting,
}

impl Devices {
    /// Puts the devices and their memory (character ROM, text planes,
    /// palette, cells) in the state every program starts in. Keys waiting
    /// and the random numbers go on.
    pub fn start_program(&mut self, memory: &mut Memory, units: u64, frames: u64) {
        font::load(memory);
        memory.slice_mut(device::CELLS).fill(0);
        self.ppu.reset(memory);
        self.sound = Sound::default();
        self.waiting.clear();
        self.publish(memory, units, frames);
    }

    /// End of a frame, YIELD, INT: first takes the cells a program may set,
    /// then rewrites the others.
    pub fn exchange(&mut self, memory: &mut Memory, units: u64, frames: u64) {
        self.sample(memory);
        self.sound.advance(memory, units);
        self.publish(memory, units, frames);
    }

    /// Takes VIDEO_CHAR_COLOR, VIDEO_FLAGS, CURSOR_STATE, CURSOR_X, CURSOR_Y
    /// and the sound cells.
    pub fn sample(&mut self, memory: &Memory) {
        self.ppu.sample(memory);
        self.sound.sample(memory);
    }

    /// Rewrites the cells that a program only reads. Those it may set are
    /// left as they are: the devices write them when they change.
    pub fn publish(&self, memory: &mut Memory, units: u64, frames: u64) {
        let mode = self.ppu.mode();
        memory.set_byte(device::VIDEO_MODE, mode.number());
        memory.set_byte(device::COLUMNS, mode.columns());
        memory.set_byte(device::ROWS, mode.rows());
        memory.set_byte(device::CHAR_WIDTH, font::WIDTH);
        memory.set_byte(device::CHAR_HEIGHT, font::HEIGHT);
        memory.set_byte(device::VIDEO_PALETTE, self.ppu.palette());
        memory.write(device::VIDEO_CLOCK, 4, units / UNITS_PER_MILLISECOND);
        let blink = (frames / BLINK_FRAMES).is_multiple_of(2);
        memory.set_byte(device::CURSOR_BLINK, u8::from(blink));
        memory.set_byte(device::KBD_STATUS_FLAGS, self.keyboard.last_flags());
        memory.set_byte(device::KEYBOARD_COUNT, self.keyboard.len() as u8);
        let mut keys = [[0; 2]; BUFFER_SIZE];
        for (slot, key) in keys.iter_mut().zip(self.keyboard.iter()) {
            *slot = [key.code, key.flags];
        }
        memory.copy_in(device::KEYBOARD_BUFFER, keys.as_flattened());
        memory.write(device::RNG_STATE, 4, self.rng.state().into());
        memory.write(device::FRAME_COUNTER, 4, frames);
    }
}
