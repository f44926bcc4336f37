//! The bytes a terminal sends, to the keys that a program receives
//! (machine manual, section 7).

use std::time::Duration;

use isa::keys::{code, modifier};

use super::strokes::{
    Parameters, Stroke, letter_key, modifiers, push_byte, push_key, push_sequence,
};

/// How long the rest of a sequence may take to arrive; after that an ESC is
/// the Escape key. A terminal sends a sequence in one piece, so this only has
/// to bridge a network's gap, and nobody notices it.
const SEQUENCE_GAP: Duration = Duration::from_millis(30);
/// A paste whose end got lost is over after this much silence.
const PASTE_GAP: Duration = Duration::from_secs(1);
/// Bytes of the longest sequence that is looked at; longer ones are dropped.
const LONGEST_SEQUENCE: usize = 64;

const ESC: u8 = 0x1B;

/// Turns bytes into strokes; keeps an unfinished sequence between calls.
///
/// Understands what terminals send for keys: plain bytes, UTF-8 (skipped: a
/// key is ASCII), `ESC x` for Alt, CSI and SS3 sequences with modifiers, the
/// application keypad, bracketed paste, and the encodings that report
/// releases, of which only presses and repeats count.
#[derive(Debug, Default)]
pub struct Decoder {
    pending: Vec<u8>,
    pasting: bool,
    after_return: bool,
}

impl Decoder {
    /// Takes bytes as they were read and adds the strokes they complete to
    /// `strokes`.
    pub fn push(&mut self, bytes: &[u8], strokes: &mut Vec<Stroke>) {
        for &byte in bytes {
            self.pending.push(byte);
            // Most bytes are whole keys; a sequence is looked at afresh with
            // each byte, which its bounded length keeps cheap.
            while let Some(used) = self.decode(strokes) {
                self.pending.drain(..used);
                if self.pending.is_empty() {
                    break;
                }
            }
        }
    }

    /// How long to wait for more bytes before [`Decoder::flush`] is due;
    /// `None` when nothing is unfinished.
    pub fn patience(&self) -> Option<Duration> {
        if !self.pending.is_empty() {
            Some(SEQUENCE_GAP)
        } else if self.pasting {
            Some(PASTE_GAP)
        } else {
            None
        }
    }

    /// Nothing more came: what is unfinished is taken as it stands. An ESC
    /// alone is the Escape key, `ESC [` is Alt and a bracket, half a longer
    /// sequence is nothing.
    pub fn flush(&mut self, strokes: &mut Vec<Stroke>) {
        match self.pending.as_slice() {
            [] => self.pasting = false,
            [ESC] if self.pasting => {}
            [ESC] => push_key(strokes, code::ESCAPE, 0),
            [ESC, character] if character.is_ascii_graphic() => {
                push_key(strokes, *character, modifier::ALT);
            }
            _ => {}
        }
        self.pending.clear();
    }

    /// Decodes the start of what is pending; how many bytes that used, or
    /// `None` when more are needed.
    fn decode(&mut self, strokes: &mut Vec<Stroke>) -> Option<usize> {
        if self.pasting {
            return self.decode_pasted(strokes);
        }
        match *self.pending.first()? {
            ESC => self.decode_escape(strokes),
            first @ 0x80.. => skip_character(first, self.pending.len()),
            byte => {
                push_byte(strokes, byte, 0);
                Some(1)
            }
        }
    }

    fn decode_escape(&mut self, strokes: &mut Vec<Stroke>) -> Option<usize> {
        match *self.pending.get(1)? {
            // Escape, and a sequence or another Escape after it.
            ESC => {
                push_key(strokes, code::ESCAPE, 0);
                Some(1)
            }
            b'[' => self.decode_csi(strokes),
            b'O' => self.decode_ss3(strokes),
            b']' | b'P' | b'_' | b'^' => self.skip_string(strokes),
            // Alt and a character that is not ASCII: no key.
            0x80.. => Some(1),
            // The front end's own keys are never hidden behind an Escape.
            byte @ (0x03 | 0x1C) => {
                push_key(strokes, code::ESCAPE, 0);
                push_byte(strokes, byte, 0);
                Some(2)
            }
            byte => {
                push_byte(strokes, byte, modifier::ALT);
                Some(2)
            }
        }
    }

    fn decode_csi(&mut self, strokes: &mut Vec<Stroke>) -> Option<usize> {
        let body = &self.pending[2..];
        // The Linux console sends `ESC [ [ A` to `ESC [ [ E` for F1 to F5.
        if body.first() == Some(&b'[') {
            let letter = *body.get(1)?;
            if let b'A'..=b'E' = letter {
                push_key(strokes, code::F1 + (letter - b'A'), 0);
            }
            return Some(4);
        }
        let Some(length) = body.iter().position(|byte| !matches!(byte, 0x20..=0x3F)) else {
            return if self.pending.len() > LONGEST_SEQUENCE {
                Some(self.pending.len())
            } else {
                None
            };
        };
        let end = body[length];
        if !matches!(end, 0x40..=0x7E) {
            // A control byte or a new sequence breaks this one off.
            return Some(2 + length);
        }
        if end == b'M' && length == 0 {
            // An old mouse report, three more bytes. Never asked for.
            return if body.len() < 4 { None } else { Some(6) };
        }
        let parameters = Parameters::parse(&body[..length]);
        let used = 3 + length;
        match (end, parameters.number(0)) {
            (b'~', Some(200)) => {
                self.pasting = true;
                self.after_return = false;
            }
            _ => push_sequence(strokes, end, &parameters),
        }
        Some(used)
    }

    /// `ESC O x`: cursor and function keys, and the application keypad.
    fn decode_ss3(&mut self, strokes: &mut Vec<Stroke>) -> Option<usize> {
        let body = &self.pending[2..];
        // Some terminals put the modifiers between, `ESC O 5 P`.
        let digits = body.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if digits > 2 {
            return Some(2 + digits);
        }
        let end = *body.get(digits)?;
        if !matches!(end, b' '..=b'~') {
            return Some(2 + digits);
        }
        let parameters = Parameters::parse(&body[..digits]);
        let flags = modifiers(parameters.number(0).unwrap_or(1));
        let key = match end {
            b'p'..=b'y' => Some(b'0' + (end - b'p')),
            b'j'..=b'o' => Some(b'*' + (end - b'j')),
            b'X' => Some(b'='),
            b'M' => Some(code::ENTER),
            b'I' => Some(code::TAB),
            b' ' => Some(code::SPACE),
            _ => letter_key(end),
        };
        if let Some(key) = key {
            push_key(strokes, key, flags);
        }
        Some(3 + digits)
    }

    /// A string that some terminals send as an answer; never asked for, and
    /// no keys. Ends with BEL or `ESC \`.
    fn skip_string(&mut self, strokes: &mut Vec<Stroke>) -> Option<usize> {
        let body = &self.pending[2..];
        if let Some(end) = body.iter().position(|&byte| byte == 0x07) {
            return Some(3 + end);
        }
        if let Some(end) = body.windows(2).position(|pair| pair == [ESC, b'\\']) {
            return Some(4 + end);
        }
        // Alt and a bracket, and typing goes on: a string would have no
        // control byte in it.
        if body.iter().any(|&byte| byte < 0x20 && byte != ESC)
            || self.pending.len() > 16 * LONGEST_SEQUENCE
        {
            push_byte(strokes, self.pending[1], modifier::ALT);
            return Some(2);
        }
        None
    }

    /// Pasted text: characters and line ends are keys, nothing in it is a
    /// command to the front end, and other control bytes are no text.
    fn decode_pasted(&mut self, strokes: &mut Vec<Stroke>) -> Option<usize> {
        const END: &[u8] = b"\x1b[201~";
        let first = *self.pending.first()?;
        if first == ESC {
            if self.pending.starts_with(END) {
                self.pasting = false;
                return Some(END.len());
            }
            return if END.starts_with(&self.pending) { None } else { Some(1) };
        }
        let line_end = first == b'\r' || (first == b'\n' && !self.after_return);
        self.after_return = first == b'\r';
        match first {
            _ if line_end => push_key(strokes, code::ENTER, 0),
            b'\t' | b' '..=b'~' => push_key(strokes, first, 0),
            0x80.. => return skip_character(first, self.pending.len()),
            _ => {}
        }
        Some(1)
    }
}

/// The length of the UTF-8 character that begins with `first`, when `there`
/// bytes hold all of it. No key: codes from $80 on are cursor keys.
fn skip_character(first: u8, there: usize) -> Option<usize> {
    let length = match first {
        0xC0..0xE0 => 2,
        0xE0..0xF0 => 3,
        0xF0..0xF8 => 4,
        _ => 1,
    };
    (there >= length).then_some(length)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sd8516::Key;

    fn decode(bytes: &[u8]) -> Vec<Stroke> {
        let mut decoder = Decoder::default();
        let mut strokes = Vec::new();
        decoder.push(bytes, &mut strokes);
        if decoder.patience().is_some() {
            decoder.flush(&mut strokes);
        }
        strokes
    }

    fn key(code: u8, flags: u8) -> Stroke {
        Stroke::Key(Key { code, flags })
    }

    fn typed(text: &str) -> Vec<Stroke> {
        text.bytes().map(|byte| key(byte, 0)).collect()
    }

    #[test]
    fn characters_arrive_as_typed() {
        assert_eq!(decode(b"jJ?~ "), typed("jJ?~ "));
        assert_eq!(decode(b"\r\t"), [key(13, 0), key(9, 0)]);
    }

    #[test]
    fn backspace_and_delete_are_told_apart() {
        assert_eq!(decode(b"\x7f"), [key(8, 0)]);
        assert_eq!(decode(b"\x1b[3~"), [key(127, 0)]);
    }

    #[test]
    fn control_letters_are_1_to_26_with_the_flag() {
        for letter in b'a'..=b'z' {
            let byte = letter - b'a' + 1;
            let expected = match letter {
                b'c' => Stroke::Stop,
                b'i' | b'm' => key(byte, 0),
                _ => key(byte, modifier::CTRL),
            };
            assert_eq!(decode(&[byte]), [expected], "Ctrl-{}", letter as char);
        }
        assert_eq!(decode(b"\x1c"), [Stroke::Leave]);
    }

    #[test]
    fn cursor_keys_in_both_modes() {
        let codes =
            [(b'D', 0x80), (b'B', 0x81), (b'A', 0x82), (b'C', 0x83), (b'H', 0x84), (b'F', 0x85)];
        for (letter, code) in codes {
            assert_eq!(decode(&[ESC, b'[', letter]), [key(code, 0)]);
            assert_eq!(decode(&[ESC, b'O', letter]), [key(code, 0)]);
        }
        assert_eq!(
            decode(b"\x1b[1~\x1b[4~\x1b[5~\x1b[6~\x1b[2~"),
            [0x84, 0x85, 0x86, 0x87, 0x88].map(|code| key(code, 0))
        );
    }

    #[test]
    fn function_keys_of_every_dialect() {
        let sequences: [&[&[u8]]; 12] = [
            &[b"\x1bOP", b"\x1b[11~", b"\x1b[[A", b"\x1b[P"],
            &[b"\x1bOQ", b"\x1b[12~", b"\x1b[[B", b"\x1b[Q"],
            &[b"\x1bOR", b"\x1b[13~", b"\x1b[[C"],
            &[b"\x1bOS", b"\x1b[14~", b"\x1b[[D", b"\x1b[S"],
            &[b"\x1b[15~", b"\x1b[[E"],
            &[b"\x1b[17~"],
            &[b"\x1b[18~"],
            &[b"\x1b[19~"],
            &[b"\x1b[20~"],
            &[b"\x1b[21~"],
            &[b"\x1b[23~"],
            &[b"\x1b[24~"],
        ];
        for (code, dialects) in (0x90..).zip(sequences) {
            for bytes in dialects {
                assert_eq!(decode(bytes), [key(code, 0)], "{}", bytes.escape_ascii());
            }
        }
    }

    #[test]
    fn modifiers_become_flags() {
        assert_eq!(decode(b"\x1b[1;2D"), [key(0x80, modifier::SHIFT)]);
        assert_eq!(decode(b"\x1b[1;5A"), [key(0x82, modifier::CTRL)]);
        assert_eq!(decode(b"\x1b[3;3~"), [key(127, modifier::ALT)]);
        assert_eq!(decode(b"\x1b[Z"), [key(9, modifier::SHIFT)]);
        assert_eq!(decode(b"\x1bx"), [key(b'x', modifier::ALT)]);
        assert_eq!(decode(b"\x1b\x01"), [key(1, modifier::ALT | modifier::CTRL)]);
    }

    #[test]
    fn the_keypad_types_digits() {
        assert_eq!(decode(b"\x1bOp\x1bOu\x1bOy"), typed("059"));
        assert_eq!(
            decode(b"\x1bOj\x1bOk\x1bOm\x1bOn\x1bOo\x1bOM"),
            [typed("*+-./"), vec![key(13, 0)]].concat()
        );
        assert_eq!(decode(b"\x1b[E"), typed("5"));
        assert_eq!(decode(b"\x1b[57399u\x1b[57408u"), typed("09"));
    }

    #[test]
    fn case_27_releases_are_no_keys() {
        assert_eq!(decode(b"\x1b[106;1:1u\x1b[106;1:3u"), typed("j"));
        assert_eq!(decode(b"\x1b[106;1:2u"), typed("j"), "a repeat is a key");
        assert_eq!(decode(b"\x1b[1;1:1A\x1b[1;1:3A"), [key(0x82, 0)]);
        assert_eq!(decode(b"\x1b[3;1:3~"), []);
        assert_eq!(decode(b"\x1b[27;1:3u"), []);
    }

    #[test]
    fn encoded_characters_are_what_plain_ones_are() {
        assert_eq!(decode(b"\x1b[106:74;2u"), typed("J"));
        assert_eq!(decode(b"\x1b[106;2u"), typed("J"));
        assert_eq!(decode(b"\x1b[49:33;2u"), typed("!"));
        assert_eq!(decode(b"\x1b[112;5u"), [key(16, modifier::CTRL)]);
        assert_eq!(decode(b"\x1b[27;5;112~"), [key(16, modifier::CTRL)]);
        assert_eq!(decode(b"\x1b[99;5u\x1b[92;5u"), [Stroke::Stop, Stroke::Leave]);
        assert_eq!(decode(b"\x1b[27u"), [key(27, 0)]);
        assert_eq!(decode(b"\x1b[57441;2u"), [], "Shift alone");
    }

    #[test]
    fn escape_alone_is_a_key_once_nothing_follows() {
        let mut decoder = Decoder::default();
        let mut strokes = Vec::new();
        decoder.push(b"\x1b", &mut strokes);
        assert_eq!(strokes, []);
        assert_eq!(decoder.patience(), Some(SEQUENCE_GAP));
        decoder.flush(&mut strokes);
        assert_eq!(strokes, [key(27, 0)]);
        assert_eq!(decoder.patience(), None);
    }

    #[test]
    fn a_sequence_split_anywhere_is_one_key() {
        let bytes = b"\x1b[1;2A";
        for cut in 1..bytes.len() {
            let mut decoder = Decoder::default();
            let mut strokes = Vec::new();
            decoder.push(&bytes[..cut], &mut strokes);
            decoder.push(&bytes[cut..], &mut strokes);
            assert_eq!(strokes, [key(0x82, modifier::SHIFT)], "cut at {cut}");
        }
    }

    #[test]
    fn two_escapes_are_two_keys_and_one_before_a_sequence_is_its_own() {
        assert_eq!(decode(b"\x1b\x1b"), [key(27, 0), key(27, 0)]);
        assert_eq!(decode(b"\x1b\x1b[A"), [key(27, 0), key(0x82, 0)]);
    }

    #[test]
    fn pasted_text_is_only_text() {
        let strokes = decode(b"\x1b[200~a\r\nb\nc\td\x03\x1c\x1b[Ae\xc3\xa9f\x1b[201~\x03");
        let mut expected = typed("a");
        expected.push(key(13, 0));
        expected.extend(typed("b"));
        expected.push(key(13, 0));
        expected.extend(typed("c\td[Aef"));
        expected.push(Stroke::Stop);
        assert_eq!(strokes, expected);
    }

    #[test]
    fn a_paste_without_end_ends_in_silence() {
        let mut decoder = Decoder::default();
        let mut strokes = Vec::new();
        decoder.push(b"\x1b[200~a", &mut strokes);
        assert_eq!(decoder.patience(), Some(PASTE_GAP));
        decoder.flush(&mut strokes);
        decoder.push(b"\x03", &mut strokes);
        assert_eq!(strokes, [key(b'a', 0), Stroke::Stop]);
    }

    #[test]
    fn what_is_no_key_is_skipped_and_the_next_key_is_not() {
        let noise: [&[u8]; 9] = [
            b"\xc3\xa9",
            "\u{1F600}".as_bytes(),
            b"\xff",
            b"\x1b[I",
            b"\x1b[M !!",
            b"\x1b[<0;10;10M",
            b"\x1b[?1;2c",
            b"\x1b]11;rgb:0/0/0\x1b\\",
            b"\x1bP1+r\x07",
        ];
        for bytes in noise {
            assert_eq!(decode(&[bytes, b"j"].concat()), typed("j"), "{}", bytes.escape_ascii());
        }
    }

    #[test]
    fn alt_and_a_bracket_is_a_key() {
        assert_eq!(decode(b"\x1b["), [key(b'[', modifier::ALT)]);
        assert_eq!(decode(b"\x1b]"), [key(b']', modifier::ALT)]);
        assert_eq!(decode(b"\x1b]\r"), [key(b']', modifier::ALT), key(13, 0)]);
        assert_eq!(decode(b"\x1bO"), [key(b'O', modifier::ALT)]);
    }

    #[test]
    fn endless_sequences_keep_memory_bounded() {
        let mut decoder = Decoder::default();
        let mut strokes = Vec::new();
        for start in [&b"\x1b["[..], b"\x1b]", b"\x1bO"] {
            decoder.push(start, &mut strokes);
            for _ in 0..10_000 {
                decoder.push(b"1", &mut strokes);
                assert!(decoder.pending.len() <= 16 * LONGEST_SEQUENCE + 1);
            }
        }
        decoder.flush(&mut strokes);
        strokes.clear();
        decoder.push(b"j\x1b[A", &mut strokes);
        assert_eq!(strokes, [key(b'j', 0), key(0x82, 0)]);
    }
}
