//! Music strings: notes as letters, in machine time (machine manual,
//! section 6, INT $11).

use isa::time::UNITS_PER_SECOND;
use sd8516::sound::Note;

/// Units of a whole note at a tempo of one quarter a minute.
const WHOLE_NOTE_MINUTE: u64 = 4 * 60 * UNITS_PER_SECOND;
/// C to B in octave 8, in the machine's unit of 0.0596 Hz; each octave below
/// is half of the one above. A of octave 4 is 440 Hz.
const OCTAVE_8: [u32; 12] = [
    70_235, 74_412, 78_836, 83_524, 88_491, 93_753, 99_328, 105_234, 111_491, 118_121, 125_145,
    132_586,
];
const HIGHEST_OCTAVE: u32 = 8;
/// Semitones of A to G above the octave's C.
const SEMITONES: [i32; 7] = [9, 11, 0, 2, 4, 5, 7];
/// Dots that still lengthen a note.
const MOST_DOTS: u32 = 8;

/// Reads a music string that begins to play at `now`.
///
/// `A`–`G` is a note, sharp after `#` or `+`, flat after `-`; `R` a rest; a
/// number behind either is its length (4 a quarter), each dot adds half of
/// what was added before. `T` 32–255 is the tempo in quarters a minute, `L`
/// 1–64 the length of what has none, `O` 0–8 the octave, `<` and `>` one
/// octave down and up, `V` 0–15 the volume. In front: T120 L4 O4 V15. Case
/// and spaces don't count. `None` when there is anything else.
pub fn parse(text: &[u8], now: u64) -> Option<Vec<Note>> {
    let mut text = Text { rest: text };
    let mut tune = Vec::new();
    let (mut tempo, mut length, mut octave, mut volume) = (120, 4, 4, 15);
    let mut ends = now;
    while let Some(letter) = text.next() {
        match letter {
            b'T' => tempo = text.number(32..=255)?,
            b'L' => length = text.number(1..=64)?,
            b'O' => octave = text.number(0..=HIGHEST_OCTAVE)?,
            b'V' => volume = text.number(0..=15)?,
            b'<' => octave = octave.checked_sub(1)?,
            b'>' => octave = Some(octave + 1).filter(|&octave| octave <= HIGHEST_OCTAVE)?,
            b'A'..=b'G' | b'R' => {
                let frequency =
                    if letter == b'R' { 0 } else { frequency(letter, octave, text.accidental()) };
                let parts = text.optional_number(1..=64)?.unwrap_or(length);
                ends += text.dotted(WHOLE_NOTE_MINUTE / u64::from(tempo) / u64::from(parts));
                tune.push(Note { frequency, volume: volume as u8 * 17, ends });
            }
            _ => return None,
        }
    }
    Some(tune)
}

/// A note's frequency; C flat is the B below, B sharp the C above.
fn frequency(letter: u8, octave: u32, accidental: i32) -> u32 {
    let semitone = SEMITONES[usize::from(letter - b'A')] + accidental;
    let octave = octave as i32 + semitone.div_euclid(12);
    let top = OCTAVE_8[semitone.rem_euclid(12) as usize];
    match HIGHEST_OCTAVE as i32 - octave {
        0 => top,
        below @ 1.. => (top + (1 << (below - 1))) >> below,
        above => top << -above,
    }
}

/// What is left of the string.
struct Text<'t> {
    rest: &'t [u8],
}

impl Text<'_> {
    /// The next character, in upper case; spaces are stepped over.
    fn next(&mut self) -> Option<u8> {
        let letter = self.peek()?;
        self.rest = &self.rest[1..];
        Some(letter)
    }

    fn peek(&mut self) -> Option<u8> {
        self.rest = self.rest.trim_ascii_start();
        self.rest.first().map(u8::to_ascii_uppercase)
    }

    fn take(&mut self, wanted: impl Fn(u8) -> bool) -> Option<u8> {
        self.peek().filter(|&letter| wanted(letter))?;
        self.next()
    }

    fn accidental(&mut self) -> i32 {
        match self.take(|letter| b"#+-".contains(&letter)) {
            Some(b'-') => -1,
            Some(_) => 1,
            None => 0,
        }
    }

    fn number(&mut self, range: std::ops::RangeInclusive<u32>) -> Option<u32> {
        self.optional_number(range)?
    }

    /// `Some(None)` without a digit, `None` for a number out of range.
    fn optional_number(&mut self, range: std::ops::RangeInclusive<u32>) -> Option<Option<u32>> {
        let mut value = None;
        while let Some(digit) = self.take(|letter| letter.is_ascii_digit()) {
            let before: u32 = value.unwrap_or(0);
            value = Some(before.saturating_mul(10).saturating_add(u32::from(digit - b'0')));
        }
        match value {
            Some(value) if !range.contains(&value) => None,
            value => Some(value),
        }
    }

    /// The length with the dots that follow.
    fn dotted(&mut self, units: u64) -> u64 {
        let mut dots = 0;
        while self.take(|letter| letter == b'.').is_some() {
            dots += 1;
        }
        (0..=dots.min(MOST_DOTS)).map(|halvings| units >> halvings).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lengths(text: &str) -> Vec<u64> {
        let tune = parse(text.as_bytes(), 1000).unwrap();
        let mut before = 1000;
        tune.iter().map(|note| note.ends - std::mem::replace(&mut before, note.ends)).collect()
    }

    fn frequencies(text: &str) -> Vec<u32> {
        parse(text.as_bytes(), 0).unwrap().iter().map(|note| note.frequency).collect()
    }

    #[test]
    fn lengths_are_machine_time() {
        const QUARTER: u64 = 640_000;
        assert_eq!(lengths("C"), [QUARTER]);
        assert_eq!(lengths("C8 C2 R1"), [QUARTER / 2, 2 * QUARTER, 4 * QUARTER]);
        assert_eq!(lengths("L16C C4"), [QUARTER / 4, QUARTER]);
        assert_eq!(lengths("C. C.. C8."), [QUARTER * 3 / 2, QUARTER * 7 / 4, QUARTER * 3 / 4]);
        assert_eq!(lengths("T60C T240C"), [2 * QUARTER, QUARTER / 2]);
        assert_eq!(lengths(""), [0; 0]);
    }

    #[test]
    fn frequencies_are_in_units_of_0_0596_hz() {
        let a440 = (440.0 / 0.0596_f64).round() as u32;
        assert_eq!(frequencies("A"), [a440]);
        assert_eq!(frequencies("O5A"), frequencies(">A"));
        assert_eq!(frequencies("O3A"), frequencies("<A"));
        assert_eq!(frequencies("C# D- F+ G-"), frequencies("D-C#G-F#"));
        assert_eq!(frequencies("O4C-O4B#O4E#O4F-"), frequencies("O3BO5CO4FO4E"));
        assert_eq!(frequencies("R"), [0]);
        for (octave, low) in (1..=8).zip(0..8) {
            let high = frequencies(&format!("O{octave}CDEFGAB"));
            for (high, low) in high.iter().zip(frequencies(&format!("O{low}CDEFGAB"))) {
                assert!(high.abs_diff(2 * low) <= 1 + high / 60);
            }
        }
        assert!(frequencies("O8B#").into_iter().all(|f| f < 1 << 24));
    }

    #[test]
    fn what_is_no_music_is_refused() {
        for text in [
            "H",
            "C0",
            "C65",
            "T31",
            "T256",
            "T",
            "L",
            "L0",
            "O9",
            "O",
            "V16",
            "V",
            "1",
            ".",
            "#",
            "O8>",
            "O0<",
            "C99999999999999999999",
            "C,D",
            "\u{e9}",
        ] {
            assert_eq!(parse(text.as_bytes(), 0), None, "{text:?}");
        }
        assert_eq!(parse(b"t120 l8 o4 v7 c d e r >c<b-.", 5).unwrap().len(), 6);
        assert!(parse(&[b'.'; 60_000], 0).is_none());
        let mut dots = vec![b'.'; 60_000];
        dots[0] = b'C';
        assert!(parse(&dots, 0).unwrap()[0].ends < 2 * 640_000);
    }
}
