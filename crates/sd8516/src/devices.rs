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
        memory.set_byte(device::KEYBOARD_COUNT, self.keyboard.len().min(BUFFER_SIZE) as u8);
        let mut keys = [[0; 2]; BUFFER_SIZE];
        for (slot, key) in keys.iter_mut().zip(self.keyboard.iter()) {
            *slot = [key.code, key.flags];
        }
        memory.copy_in(device::KEYBOARD_BUFFER, keys.as_flattened());
        memory.write(device::RNG_STATE, 4, self.rng.state().into());
        memory.write(device::FRAME_COUNTER, 4, frames);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keyboard::Key;
    use crate::sound::Note;
    use isa::memory_map::CHARACTER_ROM;

    #[test]
    fn cells_a_program_sets_are_taken_and_the_others_rewritten() {
        let (mut devices, mut memory) = (Devices::default(), Memory::new());
        devices.start_program(&mut memory, 0, 0);
        memory.slice_mut(device::CELLS).fill(0x33);
        for code in 1..=3 {
            devices.keyboard.push(Key { code, flags: 0x10 * code });
        }
        devices.exchange(&mut memory, 1280 * 0x0001_0203 + 1279, 0x0004_0516);
        let cells = |range| memory.slice(range).to_vec();
        assert_eq!(cells(device::VIDEO_MODE..device::VIDEO_CHAR_COLOR), [2, 80, 25, 8, 8, 5]);
        let taken = cells(device::VIDEO_CHAR_COLOR..device::VIDEO_FLAGS + 1);
        assert_eq!(taken, [0x33, 0x33], "left as they are");
        assert_eq!((devices.ppu.colour(), devices.ppu.cursor()), (0x33, (51, 24)));
        assert_eq!(memory.read(device::VIDEO_CLOCK, 4), 0x0001_0203);
        let cursor = cells(device::CURSOR_BLINK..device::CURSOR_Y + 1);
        assert_eq!(cursor, [0, 0x33, 0x33, 0x33]);
        assert_eq!(memory.byte(device::KBD_STATUS_FLAGS), 0x30);
        let mut keys = vec![3, 1, 0x10, 2, 0x20, 3, 0x30];
        keys.resize(33, 0);
        assert_eq!(cells(device::KEYBOARD_COUNT..device::KEYBOARD_BUFFER + 32), keys);
        assert_eq!(memory.read(device::RNG_STATE, 4), 1);
        assert_eq!(memory.read(device::FRAME_COUNTER, 4), 0x0004_0516);
        assert_eq!(devices.sound.voice(2), [0x33; 10]);
        assert!(cells(device::SOUND).iter().all(|&byte| byte == 0x33));
    }

    #[test]
    fn a_program_starts_with_fresh_devices_but_keeps_keys_and_luck() {
        let (mut devices, mut memory) = (Devices::default(), Memory::new());
        devices.keyboard.push(Key { code: 65, flags: 0 });
        devices.rng.seed(99);
        memory.slice_mut(CHARACTER_ROM).fill(0xFF);
        memory.slice_mut(device::CELLS).fill(0x33);
        devices.start_program(&mut memory, 0, 0);
        assert_eq!(memory.slice(CHARACTER_ROM), font::GLYPHS);
        assert!(memory.slice(device::SOUND).iter().all(|&byte| byte == 0));
        assert_eq!((devices.keyboard.len(), devices.rng.state()), (1, 99));
        assert_eq!(memory.byte(device::VIDEO_CHAR_COLOR), 7);
        assert_eq!(memory.byte(device::CURSOR_BLINK), 1);
    }

    #[test]
    fn a_tune_moves_at_the_ends_of_frames() {
        let (mut devices, mut memory) = (Devices::default(), Memory::new());
        devices.start_program(&mut memory, 0, 0);
        let note = |frequency, ends| Note { frequency, volume: 200, ends };
        let tune = vec![note(0x01_0203, 100), note(0, 200), note(7, 300)];
        devices.sound.play(&mut memory, tune, 50);
        let voice = |memory: &Memory| {
            (memory.read(device::SOUND.start, 3), memory.byte(device::SOUND.start + 3))
        };
        assert_eq!(voice(&memory), (0x01_0203, 1));
        assert_eq!(memory.byte(device::SOUND.start + 4), 200);
        for (now, left, cells) in [
            (99, 3, (0x01_0203, 1)),
            (100, 2, (0x01_0203, 0)),
            (199, 2, (0x01_0203, 0)),
            (250, 1, (7, 1)),
            (300, 0, (7, 0)),
            (400, 0, (7, 0)),
        ] {
            assert_eq!(devices.sound.still_to_play(now), left);
            devices.exchange(&mut memory, now, 0);
            assert_eq!(voice(&memory), cells, "at {now}");
        }
        // a program's own sound is left alone when no tune plays
        memory.set_byte(device::SOUND.start + 3, 4);
        devices.exchange(&mut memory, 500, 0);
        assert_eq!(voice(&memory), (7, 4));
    }
}
