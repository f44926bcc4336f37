//! The register file: sixteen words and SP as bytes in one array. Every register
//! is a view of it (machine manual, section 1), so aliases need no care.

use isa::memory_map::ADDRESS_MASK;
use isa::{Reg, View};
use serde::{Deserialize, Deserializer, Serialize};

/// The words, SP and a zero, little-endian. The words lie in an order in which
/// every pair and ABCD are bytes that follow one another; only the 24-bit
/// pointers are in two parts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Saved", into = "Saved")]
pub(crate) struct Registers {
    bytes: [u8; BYTES],
}

/// Where a register lies in the file, and its width. As an operand it can be
/// worked out once and used many times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// The offset of its lowest byte.
    pub(crate) low: u8,
    /// The offset of bits 16 to 23, for a register of 24 bits or an address;
    /// for a word as an address, the byte that is always zero.
    pub(crate) bank: u8,
    /// Bytes: 1, 2, 3, 4 or 8.
    pub(crate) width: u8,
}

/// Registers in a snapshot.
#[derive(Serialize, Deserialize)]
struct Saved {
    words: [u16; 16],
    #[serde(deserialize_with = "address")]
    sp: u32,
}

/// A 24-bit address from a snapshot.
pub(crate) fn address<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    Ok(u32::deserialize(deserializer)? & ADDRESS_MASK)
}

/// The file's size: every offset below [`OFFSETS`] with eight bytes behind it.
const BYTES: usize = OFFSETS + 8;
/// Offsets are taken modulo this, which spares a check.
const OFFSETS: usize = 64;
/// The words by their numbers, in the order of the file.
const ORDER: [u8; 16] = [0, 1, 4, 10, 2, 3, 5, 6, 7, 8, 9, 11, 12, 13, 14, 15];
/// SP: three bytes behind the words.
const SP: u8 = 32;
/// A byte that is never written.
const ZERO: u8 = 35;

/// The offset of the word with this number.
const fn word(number: u8) -> u8 {
    let mut at = 0;
    while ORDER[at] != number {
        at += 1;
    }
    2 * at as u8
}

/// Where each register number lies; those that are no register aren't reached.
pub(crate) const PLACES: [Place; 256] = {
    let mut places = [Place { low: ZERO, bank: ZERO, width: 0 }; 256];
    let mut id = 0;
    while id < 256 {
        if let Some(reg) = Reg::from_id(id as u8) {
            let (low, bank) = match reg.view() {
                View::Word(number) | View::Low(number) => (word(number), ZERO),
                View::High(number) => (word(number) + 1, ZERO),
                View::Pair(low, high) => {
                    assert!(word(high) == word(low) + 2);
                    (word(low), ZERO)
                }
                View::Quad => (word(0), ZERO),
                View::Sp => (SP, SP + 2),
                View::Pointer { bank, offset } => (word(offset), word(bank)),
            };
            places[id] = Place { low, bank, width: reg.width() };
        }
        id += 1;
    }
    places
};

impl Place {
    /// Where `reg` lies.
    #[inline(always)]
    pub(crate) fn of(reg: Reg) -> Place {
        PLACES[usize::from(reg.id())]
    }
}

impl Default for Registers {
    fn default() -> Self {
        Registers { bytes: [0; BYTES] }
    }
}

impl Registers {
    /// Words in the order of their numbers, and SP.
    pub(crate) fn new(words: [u16; 16], sp: u32) -> Self {
        let mut registers = Registers::default();
        for (number, value) in (0..).zip(words) {
            registers.set_word(number, value);
        }
        registers.set_sp(sp);
        registers
    }

    /// The words in the order of their numbers.
    pub(crate) fn words(&self) -> [u16; 16] {
        std::array::from_fn(|number| self.word(number as u8))
    }

    /// The word with this number, 0 to 15.
    #[inline(always)]
    pub(crate) fn word(&self, number: u8) -> u16 {
        u16::from_le_bytes(self.at(word(number & 15)))
    }

    /// Sets the word with this number.
    #[inline(always)]
    pub(crate) fn set_word(&mut self, number: u8, value: u16) {
        self.set_at(word(number & 15), value.to_le_bytes());
    }

    /// SP.
    #[inline(always)]
    pub(crate) fn sp(&self) -> u32 {
        u32::from_le_bytes(self.at(SP))
    }

    /// Sets SP to the low 24 bits of `value`.
    #[inline(always)]
    pub(crate) fn set_sp(&mut self, value: u32) {
        self.set_at(SP, (value & ADDRESS_MASK).to_le_bytes());
    }

    /// The register's value, zero-extended.
    #[inline(always)]
    pub(crate) fn read(&self, reg: Reg) -> u64 {
        let Place { low, bank, width } = Place::of(reg);
        match width {
            1 => u8::from_le_bytes(self.at(low)).into(),
            2 => u16::from_le_bytes(self.at(low)).into(),
            3 => self.far(low, bank).into(),
            4 => u32::from_le_bytes(self.at(low)).into(),
            _ => u64::from_le_bytes(self.at(low)),
        }
    }

    /// Sets the register to the low bits of `value`; what the register
    /// doesn't cover stays.
    #[inline(always)]
    pub(crate) fn write(&mut self, reg: Reg, value: u64) {
        let Place { low, bank, width } = Place::of(reg);
        match width {
            1 => self.set_at(low, (value as u8).to_le_bytes()),
            2 => self.set_at(low, (value as u16).to_le_bytes()),
            3 => self.set_far(low, bank, value as u32),
            4 => self.set_at(low, (value as u32).to_le_bytes()),
            _ => self.set_at(low, value.to_le_bytes()),
        }
    }

    /// An address register's value; a word is zero-extended.
    #[inline(always)]
    pub(crate) fn address(&self, reg: Reg) -> u32 {
        self.read(reg) as u32
    }

    /// The bytes at an offset of the file.
    #[inline(always)]
    pub(crate) fn at<const N: usize>(&self, offset: u8) -> [u8; N] {
        const { assert!(N <= 8) };
        let at = usize::from(offset) % OFFSETS;
        let mut bytes = [0; N];
        bytes.copy_from_slice(&self.bytes[at..at + N]);
        bytes
    }

    /// Sets the bytes at an offset of the file.
    #[inline(always)]
    pub(crate) fn set_at<const N: usize>(&mut self, offset: u8, bytes: [u8; N]) {
        const { assert!(N <= 8) };
        let at = usize::from(offset) % OFFSETS;
        self.bytes[at..at + N].copy_from_slice(&bytes);
    }

    /// The 24 bits whose low word and bank are at these offsets.
    #[inline(always)]
    pub(crate) fn far(&self, low: u8, bank: u8) -> u32 {
        let [bank] = self.at(bank);
        u32::from(bank) << 16 | u32::from(u16::from_le_bytes(self.at(low)))
    }

    /// Sets 24 bits; the rest of the bank's word stays.
    #[inline(always)]
    pub(crate) fn set_far(&mut self, low: u8, bank: u8, value: u32) {
        self.set_at(low, (value as u16).to_le_bytes());
        self.set_at(bank, [(value >> 16) as u8]);
    }
}

impl From<Saved> for Registers {
    fn from(saved: Saved) -> Self {
        Registers::new(saved.words, saved.sp)
    }
}

impl From<Registers> for Saved {
    fn from(registers: Registers) -> Self {
        Saved { words: registers.words(), sp: registers.sp() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bytes of the sixteen words, by the bits of [`Reg::halves`].
    fn halves(registers: &Registers) -> Vec<u8> {
        registers.words().iter().flat_map(|word| word.to_le_bytes()).collect()
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
        usize::from(Reg::by_name(half).unwrap().id()) - 16
    }

    #[test]
    fn every_view_reads_and_writes_exactly_its_halves() {
        for reg in Reg::all().filter(|&reg| reg != Reg::SP) {
            let mut registers = Registers::default();
            for number in 0..16 {
                registers.set_word(number, 0x4101 + 0x0202 * u16::from(number));
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
            assert_eq!(registers.sp(), 0);
            assert_eq!(registers.at(ZERO), [0]);
        }
    }

    #[test]
    fn sp_is_a_register_of_its_own() {
        let mut registers = Registers::new([0x5555; 16], 0);
        registers.write(Reg::SP, 0x12_3456_789A);
        assert_eq!(registers.sp(), 0x56_789A);
        assert_eq!(registers.read(Reg::SP), 0x56_789A);
        assert_eq!(registers.words(), [0x5555; 16]);
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
