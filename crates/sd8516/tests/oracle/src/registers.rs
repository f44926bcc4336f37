//! The registers (section 1): a register is a list of places in one file of
//! bytes, lowest first, so that registers which share bytes are views of them.

/// Bytes of the file: sixteen words, then the three of SP.
const BYTES: usize = 2 * 16 + 3;

/// The number of SP.
pub const SP: u8 = 54;

/// The sixteen words and SP.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Registers {
    bytes: [u8; BYTES],
}

impl Default for Registers {
    fn default() -> Self {
        Registers { bytes: [0; BYTES] }
    }
}

/// The words by their letter, in the order of their numbers.
const WORDS: [char; 16] =
    ['A', 'B', 'X', 'Y', 'C', 'I', 'J', 'K', 'T', 'M', 'D', 'E', 'F', 'G', 'L', 'Z'];

/// 48 to 52: low word, high word.
const PAIRS: [[char; 2]; 5] = [['A', 'B'], ['C', 'D'], ['X', 'Y'], ['I', 'J'], ['K', 'T']];

/// Pointers: `64 + 8 * bank + offset`.
const BANKS: [char; 4] = ['B', 'E', 'F', 'G'];
const OFFSETS: [char; 8] = ['X', 'Y', 'I', 'J', 'K', 'M', 'D', 'T'];

/// The places of a word's two bytes.
fn word(letter: char) -> Vec<usize> {
    let number = WORDS.iter().position(|&word| word == letter).expect("a word's letter");
    vec![2 * number, 2 * number + 1]
}

/// The places of a register's bytes, lowest first; none if there is no such
/// register.
fn places(id: u8) -> Option<Vec<usize>> {
    let number = usize::from(id);
    Some(match id {
        0..=15 => word(WORDS[number]),
        16..=47 => vec![number - 16],
        48..=52 => PAIRS[number - 48].iter().flat_map(|&letter| word(letter)).collect(),
        53 => ['A', 'B', 'C', 'D'].iter().flat_map(|&letter| word(letter)).collect(),
        SP => vec![32, 33, 34],
        64..=95 => {
            let (bank, offset) = (BANKS[(number - 64) / 8], OFFSETS[(number - 64) % 8]);
            let mut places = word(offset);
            places.push(word(bank)[0]);
            places
        }
        _ => return None,
    })
}

/// A register's width in bytes; none if there is no such register.
pub fn width(id: u8) -> Option<u8> {
    places(id).map(|places| places.len() as u8)
}

/// What a register is called; `?` if there is no such register.
pub fn name(id: u8) -> String {
    let number = usize::from(id);
    match id {
        0..=15 => WORDS[number].to_string(),
        16..=47 => format!("{}{}", WORDS[(number - 16) / 2], ['L', 'H'][number % 2]),
        48..=52 => PAIRS[number - 48].iter().collect(),
        53 => "ABCD".to_string(),
        SP => "SP".to_string(),
        64..=95 => format!("{}L{}", BANKS[(number - 64) / 8], OFFSETS[(number - 64) % 8]),
        _ => "?".to_string(),
    }
}

/// A word register can hold an address of bank 0.
pub fn is_word(id: u8) -> bool {
    id < 16
}

/// SP and the pointers hold an address.
pub fn is_pointer(id: u8) -> bool {
    width(id) == Some(3)
}

impl Registers {
    /// A register's value. The number must be one of a register.
    pub fn read(&self, id: u8) -> u64 {
        let places = places(id).expect("decoding has checked the number");
        places.iter().rev().fold(0, |value, &place| value << 8 | u64::from(self.bytes[place]))
    }

    /// Sets a register to the low bits of a value. The number must be one of
    /// a register.
    pub fn write(&mut self, id: u8, value: u64) {
        let places = places(id).expect("decoding has checked the number");
        for (place, byte) in places.into_iter().zip(value.to_le_bytes()) {
            self.bytes[place] = byte;
        }
    }
}
