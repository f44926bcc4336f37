//! The register file: sixteen words and SP. Everything else is a view of them
//! (machine manual, section 1).

use isa::memory_map::ADDRESS_MASK;
use isa::{Reg, View};
use serde::{Deserialize, Deserializer, Serialize};

/// The words in the order of their numbers, and SP.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Registers {
    pub(crate) words: [u16; 16],
    /// 24 bits.
    #[serde(deserialize_with = "address")]
    pub(crate) sp: u32,
}

/// A 24-bit address from a snapshot.
pub(crate) fn address<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    Ok(u32::deserialize(deserializer)? & ADDRESS_MASK)
}

const FIRST_HALF: usize = 16;
const FIRST_PAIR: usize = 48;

/// [`Reg::view`] of every number; those that are no register aren't reached.
const VIEWS: [View; 256] = {
    let mut views = [View::Sp; 256];
    let mut id = 0;
    while id < 256 {
        if let Some(reg) = Reg::from_id(id as u8) {
            views[id] = reg.view();
        }
        id += 1;
    }
    views
};

/// A, B, C, D: ABCD from the lowest word up.
const QUAD: [usize; 4] = [0, 1, 4, 10];

impl Registers {
    /// The register's value, zero-extended.
    #[inline(always)]
    pub(crate) fn read(&self, reg: Reg) -> u64 {
        let id = usize::from(reg.id());
        if id < FIRST_HALF {
            self.words[id].into()
        } else if id < FIRST_PAIR {
            self.words[(id - FIRST_HALF) / 2].to_le_bytes()[id % 2].into()
        } else {
            self.read_wide(reg)
        }
    }

    /// Sets the register to the low bits of `value`; what the register
    /// doesn't cover stays.
    #[inline(always)]
    pub(crate) fn write(&mut self, reg: Reg, value: u64) {
        let id = usize::from(reg.id());
        if id < FIRST_HALF {
            self.words[id] = value as u16;
        } else if id < FIRST_PAIR {
            let word = &mut self.words[(id - FIRST_HALF) / 2];
            let shift = 8 * (id % 2);
            *word = *word & !(0xFF << shift) | u16::from(value as u8) << shift;
        } else {
            self.write_wide(reg, value);
        }
    }

    /// An address register's value; a word is zero-extended.
    #[inline(always)]
    pub(crate) fn address(&self, reg: Reg) -> u32 {
        self.read(reg) as u32
    }

    #[inline]
    fn read_wide(&self, reg: Reg) -> u64 {
        let word = |number: u8| u64::from(self.words[usize::from(number & 15)]);
        match VIEWS[usize::from(reg.id())] {
            View::Word(number) => word(number),
            View::Low(number) => word(number) & 0xFF,
            View::High(number) => word(number) >> 8,
            View::Pair(low, high) => word(high) << 16 | word(low),
            View::Pointer { bank, offset } => (word(bank) & 0xFF) << 16 | word(offset),
            View::Sp => self.sp.into(),
            View::Quad => {
                QUAD.iter().rev().fold(0, |value, &word| value << 16 | u64::from(self.words[word]))
            }
        }
    }

    #[inline]
    fn write_wide(&mut self, reg: Reg, value: u64) {
        let words = &mut self.words;
        match VIEWS[usize::from(reg.id())] {
            View::Word(number) => words[usize::from(number & 15)] = value as u16,
            View::Low(number) => set_low(&mut words[usize::from(number & 15)], value as u8),
            View::High(number) => {
                let word = &mut words[usize::from(number & 15)];
                *word = *word & 0xFF | (value as u16) << 8;
            }
            View::Pair(low, high) => {
                words[usize::from(low & 15)] = value as u16;
                words[usize::from(high & 15)] = (value >> 16) as u16;
            }
            View::Pointer { bank, offset } => {
                words[usize::from(offset & 15)] = value as u16;
                set_low(&mut words[usize::from(bank & 15)], (value >> 16) as u8);
            }
            View::Sp => self.sp = value as u32 & ADDRESS_MASK,
            View::Quad => {
                for (place, word) in QUAD.into_iter().enumerate() {
                    words[word] = (value >> (16 * place)) as u16;
                }
            }
        }
    }
}

fn set_low(word: &mut u16, value: u8) {
    *word = *word & 0xFF00 | u16::from(value);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bytes of the sixteen words, by the bits of [`Reg::halves`].
    fn halves(registers: &Registers) -> Vec<u8> {
        registers.words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    /// The byte halves that a register is made of, its lowest first, from the
    /// manual's text and by names alone.
    fn parts(name: &str) -> Vec<String> {
        let both = |word: char| [format!("{word}L"), format!("{word}H")];
        let letters: Vec<char> = name.chars().collect();
        match letters.len() {
            1 => both(letters[0]).to_vec(),
            2 if "LH".contains(letters[1]) => vec![name.to_string()],
            3 => {
                let [low, high] = both(letters[2]);
                vec![low, high, format!("{}L", letters[0])]
            }
            _ => letters.into_iter().flat_map(both).collect(),
        }
    }

    fn place(half: &str) -> usize {
        usize::from(Reg::by_name(half).unwrap().id()) - FIRST_HALF
    }

    #[test]
    fn every_view_reads_and_writes_exactly_its_halves() {
        for reg in Reg::all().filter(|&reg| reg != Reg::SP) {
            let mut registers = Registers::default();
            for (number, word) in (0u16..).zip(&mut registers.words) {
                *word = 0x4101 + 0x0202 * number;
            }
            let before = halves(&registers);
            let places: Vec<usize> = parts(reg.name()).iter().map(|half| place(half)).collect();
            assert_eq!(places.len(), usize::from(reg.width()), "{}", reg.name());

            let expected = places.iter().rev().fold(0u64, |v, &at| v << 8 | u64::from(before[at]));
            assert_eq!(registers.read(reg), expected, "reading {}", reg.name());

            registers.write(reg, 0xF8F7_F6F5_F4F3_F2F1);
            let after = halves(&registers);
            for at in 0..32 {
                let wanted = match places.iter().position(|&place| place == at) {
                    Some(byte) => 0xF1 + byte as u8,
                    None => before[at],
                };
                assert_eq!(after[at], wanted, "half {at} after writing {}", reg.name());
            }
            assert_eq!(registers.sp, 0);
        }
    }

    #[test]
    fn sp_is_a_register_of_its_own() {
        let mut registers = Registers { words: [0x5555; 16], sp: 0 };
        registers.write(Reg::SP, 0x12_3456_789A);
        assert_eq!(registers.sp, 0x56_789A);
        assert_eq!(registers.read(Reg::SP), 0x56_789A);
        assert_eq!(registers.words, [0x5555; 16]);
    }

    #[test]
    fn the_games_old_bug_writing_d_changes_fld() {
        let name = |name| Reg::by_name(name).unwrap();
        let mut registers = Registers::default();
        registers.write(name("FLD"), 0x04_1234);
        registers.write(name("D"), 0x9999);
        assert_eq!(registers.read(name("FLD")), 0x04_9999);
        registers.write(name("F"), 0xAB07);
        assert_eq!(registers.read(name("FLD")), 0x07_9999);
        registers.write(name("FLD"), 0);
        assert_eq!(registers.read(name("F")), 0xAB00);
    }
}
