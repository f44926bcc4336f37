//! Keys as terminals name them: the codes and modifiers of sequences, and the
//! bytes that are keys by themselves.

use isa::keys::{code, modifier};
use sd8516::Key;

/// What the user did at the keyboard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stroke {
    /// A key for the program.
    Key(Key),
    /// Ctrl-C, which the front end keeps: twice stops the program.
    Stop,
    /// Ctrl-\: leaves vc3 at once.
    Leave,
}

/// The numbers of a CSI sequence: `;` between parameters, `:` between the
/// parts of one.
pub struct Parameters {
    numbers: Vec<Vec<Option<u32>>>,
}

impl Parameters {
    /// Parses what stands between `ESC [` and the last byte.
    pub fn parse(text: &[u8]) -> Self {
        let number = |part: &[u8]| std::str::from_utf8(part).ok()?.parse().ok();
        let numbers = text
            .split(|&byte| byte == b';')
            .map(|parameter| parameter.split(|&byte| byte == b':').map(number).collect())
            .collect();
        Parameters { numbers }
    }

    /// Parameter `index` from 0 on, when it is there and a number.
    pub fn number(&self, index: usize) -> Option<u32> {
        self.part(index, 0)
    }

    fn part(&self, index: usize, part: usize) -> Option<u32> {
        self.numbers.get(index)?.get(part).copied().flatten()
    }
}

/// Adds the key of a whole CSI sequence; nothing for a release or a sequence
/// that is no key.
pub fn push_sequence(strokes: &mut Vec<Stroke>, end: u8, parameters: &Parameters) {
    const RELEASE: u32 = 3;
    if parameters.part(1, 1) == Some(RELEASE) {
        return;
    }
    let number = parameters.number(0);
    let flags = modifiers(parameters.number(1).unwrap_or(1));
    match (end, number) {
        (b'u', Some(number)) => {
            // With Shift the terminal may name the shifted character too.
            let shifted = parameters.part(0, 1).filter(|_| flags & modifier::SHIFT != 0);
            let text = parameters.number(2).filter(|_| flags & !modifier::SHIFT == 0);
            push_code_point(strokes, text.or(shifted).unwrap_or(number), flags);
        }
        // xterm's modifyOtherKeys: `CSI 27 ; modifiers ; character ~`.
        (b'~', Some(27)) => {
            if let Some(character) = parameters.number(2) {
                push_code_point(strokes, character, flags);
            }
        }
        (b'~', Some(number)) => {
            if let Some(key) = numbered_key(number) {
                push_key(strokes, key, flags);
            }
        }
        (b'Z', _) => push_key(strokes, code::TAB, modifier::SHIFT),
        _ => {
            if let Some(key) = letter_key(end) {
                push_key(strokes, key, flags);
            }
        }
    }
}

/// A key that is told by its Unicode character or by a private number.
fn push_code_point(strokes: &mut Vec<Stroke>, point: u32, flags: u8) {
    let key = match point {
        127 => code::BACKSPACE,
        9 | 13 | 27 => point as u8,
        32..=126 => return push_character(strokes, point as u8, flags),
        57399..=57408 => b'0' + (point - 57399) as u8,
        57409 => b'.',
        57410 => b'/',
        57411 => b'*',
        57412 => b'-',
        57413 => b'+',
        57414 => code::ENTER,
        57415 => b'=',
        57416 => b',',
        57417 => code::LEFT,
        57418 => code::RIGHT,
        57419 => code::UP,
        57420 => code::DOWN,
        57421 => code::PAGE_UP,
        57422 => code::PAGE_DOWN,
        57423 => code::HOME,
        57424 => code::END,
        57425 => code::INSERT,
        57426 => code::DELETE,
        57427 => b'5',
        _ => return,
    };
    push_key(strokes, key, flags);
}

/// A printable character with its modifiers told apart.
fn push_character(strokes: &mut Vec<Stroke>, character: u8, flags: u8) {
    let character =
        if flags & modifier::SHIFT != 0 { character.to_ascii_uppercase() } else { character };
    let others = flags & !modifier::SHIFT;
    if flags & modifier::CTRL == 0 {
        // The character says already that Shift was held, and most terminals
        // tell it no other way: one key looks the same everywhere.
        return push_key(strokes, character, others);
    }
    match character.to_ascii_lowercase() {
        b'c' if others & modifier::ALT == 0 => strokes.push(Stroke::Stop),
        b'c' => {}
        b'\\' => strokes.push(Stroke::Leave),
        letter @ b'a'..=b'z' => push_key(strokes, letter - b'a' + 1, flags),
        _ => push_key(strokes, character, flags),
    }
}

/// A byte below $80 outside of any sequence.
pub fn push_byte(strokes: &mut Vec<Stroke>, byte: u8, alt: u8) {
    match byte {
        0x00 => push_key(strokes, code::SPACE, alt | modifier::CTRL),
        0x03 if alt == 0 => strokes.push(Stroke::Stop),
        0x03 => {}
        0x1C => strokes.push(Stroke::Leave),
        0x7F => push_key(strokes, code::BACKSPACE, alt),
        code::TAB | code::ENTER | code::ESCAPE | b' '..=b'~' => push_key(strokes, byte, alt),
        _ => push_key(strokes, byte, alt | modifier::CTRL),
    }
}

/// Adds a key with its flags.
pub fn push_key(strokes: &mut Vec<Stroke>, code: u8, flags: u8) {
    strokes.push(Stroke::Key(Key { code, flags }));
}

/// The key that ends in a letter, in CSI and SS3 sequences alike.
pub fn letter_key(letter: u8) -> Option<u8> {
    Some(match letter {
        b'A' => code::UP,
        b'B' => code::DOWN,
        b'C' => code::RIGHT,
        b'D' => code::LEFT,
        // The middle of the keypad without NumLock: it has only one name.
        b'E' => b'5',
        b'F' => code::END,
        b'H' => code::HOME,
        b'P'..=b'S' => code::F1 + (letter - b'P'),
        _ => return None,
    })
}

/// The key of `CSI number ~`.
fn numbered_key(number: u32) -> Option<u8> {
    Some(match number {
        1 | 7 => code::HOME,
        2 => code::INSERT,
        3 => code::DELETE,
        4 | 8 => code::END,
        5 => code::PAGE_UP,
        6 => code::PAGE_DOWN,
        11..=15 => code::F1 + (number - 11) as u8,
        17..=21 => code::F1 + (number - 12) as u8,
        23 | 24 => code::F1 + (number - 13) as u8,
        _ => return None,
    })
}

/// Modifiers as terminals count them: 1 + shift 1 + alt 2 + ctrl 4 + locks.
pub fn modifiers(parameter: u32) -> u8 {
    let bits = parameter.saturating_sub(1);
    let flag = |bit, flag| if bits & bit != 0 { flag } else { 0 };
    // 32 is a Meta key that has its own bit.
    flag(1, modifier::SHIFT) | flag(2 | 32, modifier::ALT) | flag(4, modifier::CTRL)
}
