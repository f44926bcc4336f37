//! The registers: sixteen words, and every byte, 24-, 32- and 64-bit view of
//! them, by encoding number and by name (machine manual, section 1).

/// The sixteen word registers in the order of their numbers, 0 to 15.
pub const WORDS: [&str; 16] =
    ["A", "B", "X", "Y", "C", "I", "J", "K", "T", "M", "D", "E", "F", "G", "L", "Z"];

/// A legal register number as it stands in an instruction's encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Reg(u8);

/// How a register is made of the sixteen words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// A whole word, by its number 0–15.
    Word(u8),
    /// The low byte of a word.
    Low(u8),
    /// The high byte of a word.
    High(u8),
    /// 32 bits: the word that is the low half, the word that is the high half.
    Pair(u8, u8),
    /// 64 bits: D:C:B:A, with A the lowest word.
    Quad,
    /// The stack pointer, 24 bits, a register of its own.
    Sp,
    /// 24 bits: the low byte of the bank word above the offset word.
    Pointer {
        /// The word whose low byte is bits 16–23.
        bank: u8,
        /// The word that is bits 0–15.
        offset: u8,
    },
}

/// The word number of `name` in [`WORDS`]; only called in constants.
const fn word(name: u8) -> u8 {
    let mut at = 0;
    while at < 16 {
        if WORDS[at].as_bytes()[0] == name {
            return at as u8;
        }
        at += 1;
    }
    panic!("no such word register")
}

const PAIRS: [(&str, u8, u8); 5] = [
    ("AB", word(b'A'), word(b'B')),
    ("CD", word(b'C'), word(b'D')),
    ("XY", word(b'X'), word(b'Y')),
    ("IJ", word(b'I'), word(b'J')),
    ("KT", word(b'K'), word(b'T')),
];
const BANKS: &[u8; 4] = b"BEFG";
const OFFSETS: &[u8; 8] = b"XYIJKMDT";

const FIRST_HALF: u8 = 16;
const FIRST_PAIR: u8 = 48;
const QUAD: u8 = 53;
const STACK_POINTER: u8 = 54;
const FIRST_POINTER: u8 = 64;
const LAST: u8 = 95;

impl Reg {
    /// The stack pointer.
    pub const SP: Reg = Reg(STACK_POINTER);

    /// The register with this encoding number, or `None` when the number
    /// names no register (55–63 and 96–255).
    #[inline]
    pub const fn from_id(id: u8) -> Option<Reg> {
        match id {
            0..=STACK_POINTER | FIRST_POINTER..=LAST => Some(Reg(id)),
            _ => None,
        }
    }

    /// The encoding number, 0–54 or 64–95.
    #[inline]
    pub const fn id(self) -> u8 {
        self.0
    }

    /// How the register is made of the sixteen words.
    #[inline]
    pub const fn view(self) -> View {
        match self.0 {
            id @ 0..FIRST_HALF => View::Word(id),
            id @ FIRST_HALF..FIRST_PAIR => {
                let word = (id - FIRST_HALF) / 2;
                if id % 2 == 0 { View::Low(word) } else { View::High(word) }
            }
            id @ FIRST_PAIR..QUAD => {
                let (_, low, high) = PAIRS[(id - FIRST_PAIR) as usize];
                View::Pair(low, high)
            }
            QUAD => View::Quad,
            STACK_POINTER => View::Sp,
            id => {
                let at = (id - FIRST_POINTER) as usize;
                View::Pointer { bank: word(BANKS[at / 8]), offset: word(OFFSETS[at % 8]) }
            }
        }
    }

    /// The width in bytes: 1, 2, 3, 4 or 8.
    #[inline]
    pub const fn width(self) -> u8 {
        WIDTHS[self.0 as usize]
    }

    /// One bit for each byte of the word registers that this register
    /// covers: bit `2 * word` for a low half, `2 * word + 1` for a high half.
    /// Registers whose masks meet are aliases. SP, no word's view, is 0.
    pub const fn halves(self) -> u32 {
        const fn whole(word: u8) -> u32 {
            0b11 << (2 * word)
        }
        match self.view() {
            View::Word(w) => whole(w),
            View::Low(w) => 1 << (2 * w),
            View::High(w) => 2 << (2 * w),
            View::Pair(low, high) => whole(low) | whole(high),
            View::Quad => {
                whole(word(b'A')) | whole(word(b'B')) | whole(word(b'C')) | whole(word(b'D'))
            }
            View::Sp => 0,
            View::Pointer { bank, offset } => whole(offset) | 1 << (2 * bank),
        }
    }

    /// The register's name in upper case, such as `KL`, `ELM` or `ABCD`.
    pub const fn name(self) -> &'static str {
        NAMES[self.0 as usize]
    }

    /// The register of this name, in any case.
    pub fn by_name(name: &str) -> Option<Reg> {
        Reg::all().find(|reg| reg.name().eq_ignore_ascii_case(name))
    }

    /// Every register, by ascending number.
    pub fn all() -> impl Iterator<Item = Reg> {
        (0..=LAST).filter_map(Reg::from_id)
    }
}

/// Widths by encoding number; numbers that are no register have 0.
const WIDTHS: [u8; LAST as usize + 1] = {
    let mut widths = [0; LAST as usize + 1];
    let mut id = 0;
    while id <= LAST {
        if let Some(reg) = Reg::from_id(id) {
            widths[id as usize] = match reg.view() {
                View::Low(_) | View::High(_) => 1,
                View::Word(_) => 2,
                View::Sp | View::Pointer { .. } => 3,
                View::Pair(..) => 4,
                View::Quad => 8,
            };
        }
        id += 1;
    }
    widths
};

/// Names by encoding number; numbers that are no register have an empty one.
const NAMES: [&str; LAST as usize + 1] = [
    "A", "B", "X", "Y", "C", "I", "J", "K", "T", "M", "D", "E", "F", "G", "L", "Z", "AL", "AH",
    "BL", "BH", "XL", "XH", "YL", "YH", "CL", "CH", "IL", "IH", "JL", "JH", "KL", "KH", "TL", "TH",
    "ML", "MH", "DL", "DH", "EL", "EH", "FL", "FH", "GL", "GH", "LL", "LH", "ZL", "ZH", "AB", "CD",
    "XY", "IJ", "KT", "ABCD", "SP", "", "", "", "", "", "", "", "", "", "BLX", "BLY", "BLI", "BLJ",
    "BLK", "BLM", "BLD", "BLT", "ELX", "ELY", "ELI", "ELJ", "ELK", "ELM", "ELD", "ELT", "FLX",
    "FLY", "FLI", "FLJ", "FLK", "FLM", "FLD", "FLT", "GLX", "GLY", "GLI", "GLJ", "GLK", "GLM",
    "GLD", "GLT",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_agree_with_views() {
        for reg in Reg::all() {
            let w = |n: u8| WORDS[n as usize];
            let made = match reg.view() {
                View::Word(n) => w(n).to_string(),
                View::Low(n) => format!("{}L", w(n)),
                View::High(n) => format!("{}H", w(n)),
                View::Pair(low, high) => format!("{}{}", w(low), w(high)),
                View::Quad => "ABCD".to_string(),
                View::Sp => "SP".to_string(),
                View::Pointer { bank, offset } => format!("{}L{}", w(bank), w(offset)),
            };
            assert_eq!(reg.name(), made, "register {}", reg.id());
            assert_eq!(Reg::by_name(&made.to_lowercase()), Some(reg));
        }
    }

    #[test]
    fn fixed_numbers_of_the_manual() {
        for (name, id) in [("AL", 16), ("AH", 17), ("BL", 18), ("KL", 30), ("AB", 48), ("SP", 54)] {
            assert_eq!(Reg::by_name(name).unwrap().id(), id);
        }
        assert_eq!(Reg::by_name("ELM").unwrap().id(), 64 + 8 + 5);
        assert_eq!(Reg::by_name("GLT").unwrap().id(), 95);
        assert!(Reg::from_id(55).is_none() && Reg::from_id(63).is_none());
        assert!(Reg::from_id(96).is_none() && Reg::from_id(255).is_none());
    }
}
