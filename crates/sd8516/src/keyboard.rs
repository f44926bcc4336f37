//! The keyboard: a buffer of 16 keys between the front end and the program
//! (machine manual, sections 4 and 7).

use isa::keys::BUFFER_SIZE;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// One key as it arrives: its code and the modifiers held.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Key {
    /// ASCII or one of [`isa::keys::code`].
    pub code: u8,
    /// Bits of [`isa::keys::modifier`].
    pub flags: u8,
}

/// The keys waiting, and the modifiers of the last one that arrived.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Keyboard {
    waiting: VecDeque<Key>,
    last_flags: u8,
}

impl Keyboard {
    /// Adds a key; a full buffer drops it, never an older one, and the
    /// answer is false.
    pub fn push(&mut self, key: Key) -> bool {
        if self.waiting.len() >= BUFFER_SIZE {
            return false;
        }
        self.last_flags = key.flags;
        self.waiting.push_back(key);
        true
    }

    /// Takes the oldest key.
    pub fn pop(&mut self) -> Option<Key> {
        self.waiting.pop_front()
    }

    /// How many keys wait, 0–16.
    pub fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Whether no key waits.
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Throws away the keys waiting.
    pub fn clear(&mut self) {
        self.waiting.clear();
    }

    /// The keys waiting, the oldest first.
    pub fn iter(&self) -> impl Iterator<Item = Key> {
        self.waiting.iter().copied()
    }

    /// The modifiers of the last key that arrived.
    pub fn last_flags(&self) -> u8 {
        self.last_flags
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_seventeenth_key_is_dropped_and_the_first_sixteen_stay() {
        let mut keyboard = Keyboard::default();
        for code in 1..=20 {
            assert_eq!(keyboard.push(Key { code, flags: code }), code <= 16);
        }
        assert_eq!(keyboard.len(), 16);
        assert_eq!(keyboard.last_flags(), 16);
        let codes: Vec<u8> = std::iter::from_fn(|| keyboard.pop()).map(|key| key.code).collect();
        assert_eq!(codes, (1..=16).collect::<Vec<u8>>());
        assert!(keyboard.is_empty());
    }
}
