//! Sound: four voices in the device cells, and the tune that INT $11 plays on
//! the first of them in machine time (machine manual, sections 6 and 7).

use crate::Memory;
use isa::memory_map::device;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Voices of the machine.
pub const VOICES: u8 = 4;
/// Bytes of a voice that mean something: FREQ (3), GATE, VOLUME, ATTACK,
/// DECAY, SUSTAIN, RELEASE, DATA1.
pub const VOICE_RECORD: u32 = 10;

/// The voice that plays the tune.
const TUNE_VOICE: u8 = 0;
const GATE: u32 = 3;
const VOLUME: u32 = 4;
const GATE_OFF: u8 = 0;
const GATE_SQUARE: u8 = 1;

/// One note, or a rest, of a tune.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// In units of 0.0596 Hz, 24 bits; 0 is a rest.
    pub frequency: u32,
    /// 0–255.
    pub volume: u8,
    /// When it is over, in machine time.
    pub ends: u64,
}

/// The voices as last sampled, and the rest of the tune.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sound {
    voices: [[u8; VOICE_RECORD as usize]; VOICES as usize],
    tune: VecDeque<Note>,
    /// Whether the first note of `tune` is on its voice already.
    begun: bool,
}

impl Sound {
    /// Silence: every voice's cells become 0 and the tune ends.
    pub fn silence(&mut self, memory: &mut Memory) {
        *self = Sound::default();
        memory.slice_mut(device::SOUND).fill(0);
    }

    /// Sets a voice from its ten bytes; false when there is no such voice.
    pub fn set_voice(
        &mut self,
        memory: &mut Memory,
        voice: u8,
        record: [u8; VOICE_RECORD as usize],
    ) -> bool {
        if voice >= VOICES {
            return false;
        }
        self.voices[usize::from(voice)] = record;
        memory.copy_in(voice_cells(voice), &record);
        true
    }

    /// Takes a voice's gate away, so that its release begins; false when there is
    /// no such voice.
    pub fn note_off(&mut self, memory: &mut Memory, voice: u8) -> bool {
        if voice >= VOICES {
            return false;
        }
        self.voices[usize::from(voice)][GATE as usize] = GATE_OFF;
        memory.set_byte(voice_cells(voice) + GATE, GATE_OFF);
        true
    }

    /// Plays a tune from `now` on, in place of the one that may be playing.
    pub fn play(&mut self, memory: &mut Memory, tune: Vec<Note>, now: u64) {
        if self.begun {
            self.note_off(memory, TUNE_VOICE);
        }
        self.tune = tune.into();
        self.begun = false;
        self.advance(memory, now);
    }

    /// Notes and rests that are not over at `now`.
    pub fn still_to_play(&self, now: u64) -> usize {
        self.tune.len() - self.tune.partition_point(|note| note.ends <= now)
    }

    /// The ten bytes of a voice as last sampled; `voice` is taken modulo 4.
    pub fn voice(&self, voice: u8) -> [u8; VOICE_RECORD as usize] {
        self.voices[usize::from(voice % VOICES)]
    }

    /// Takes the voices from their cells.
    pub(crate) fn sample(&mut self, memory: &Memory) {
        for (voice, record) in (0..).zip(&mut self.voices) {
            let cells = voice_cells(voice);
            record.copy_from_slice(memory.slice(cells..cells + VOICE_RECORD));
        }
    }

    /// Brings the tune to `now`: a note that begins is put on its voice, the
    /// end of the tune closes it.
    pub(crate) fn advance(&mut self, memory: &mut Memory, now: u64) {
        if self.tune.is_empty() {
            return;
        }
        while self.tune.front().is_some_and(|note| note.ends <= now) {
            self.tune.pop_front();
            self.begun = false;
        }
        if self.begun {
            return;
        }
        match self.tune.front().copied() {
            Some(Note { frequency: 0, .. }) | None => {
                self.note_off(memory, TUNE_VOICE);
            }
            Some(note) => {
                let mut record = self.voices[usize::from(TUNE_VOICE)];
                record[..3].copy_from_slice(&note.frequency.to_le_bytes()[..3]);
                if record[GATE as usize] == GATE_OFF {
                    record[GATE as usize] = GATE_SQUARE;
                }
                record[VOLUME as usize] = note.volume;
                self.set_voice(memory, TUNE_VOICE, record);
            }
        }
        self.begun = !self.tune.is_empty();
    }
}

fn voice_cells(voice: u8) -> u32 {
    device::SOUND.start + u32::from(voice) * device::VOICE_SIZE
}
