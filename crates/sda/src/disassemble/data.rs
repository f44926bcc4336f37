//! What the bytes between the instructions are, as far as they show it:
//! strings, fillings, pointers and bytes.

/// Equal bytes from which on a filling is shorter to read.
const FILLING: usize = 8;
/// Characters of a string that ends in a zero, at least.
const ENDED_TEXT: usize = 3;
/// Characters of any other string, at least.
const OPEN_TEXT: usize = 8;
/// Characters that are looked at to see whether they are words.
const SAMPLE: usize = 32;

/// What stands at the beginning of some bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Data {
    /// A string of so many bytes; the last one is a zero when it `ends`.
    Text {
        length: usize,
        ends: bool,
    },
    /// So many equal bytes.
    Filling(usize),
    /// Three bytes that are an address.
    Pointer(u32),
    Byte(u8),
}

impl Data {
    /// Bytes of it.
    pub fn length(self) -> usize {
        match self {
            Data::Text { length, .. } | Data::Filling(length) => length,
            Data::Pointer(_) => 3,
            Data::Byte(_) => 1,
        }
    }
}

/// Takes bytes apart that no label divides, from the first on; `is_pointed`
/// says which addresses something is known to stand at.
pub(super) fn parts<'a>(
    mut bytes: &'a [u8],
    is_pointed: &'a dyn Fn(u32) -> bool,
) -> impl Iterator<Item = (Data, &'a [u8])> {
    std::iter::from_fn(move || {
        let first = part(bytes, is_pointed)?;
        let (own, rest) = bytes.split_at(first.length());
        bytes = rest;
        Some((first, own))
    })
}

fn part(bytes: &[u8], is_pointed: &dyn Fn(u32) -> bool) -> Option<Data> {
    let &first = bytes.first()?;
    if let Some(text) = text(bytes) {
        return Some(text);
    }
    let equal = bytes.iter().take_while(|&&byte| byte == first).count();
    if equal >= FILLING {
        return Some(Data::Filling(equal));
    }
    if let [low, high, bank, ..] = *bytes {
        let address = u32::from_le_bytes([low, high, bank, 0]);
        if is_pointed(address) {
            return Some(Data::Pointer(address));
        }
    }
    Some(Data::Byte(first))
}

/// The string at the beginning.
fn text(bytes: &[u8]) -> Option<Data> {
    let is_character = |byte: &&u8| matches!(**byte, b' '..=b'~' | b'\n' | b'\r' | b'\t');
    let sample = bytes.iter().take(SAMPLE).take_while(is_character).count();
    let words = bytes[..sample].iter();
    let words = words.filter(|byte| byte.is_ascii_alphanumeric() || **byte == b' ').count();
    if sample < ENDED_TEXT || words * 3 < sample * 2 {
        return None;
    }
    let length = bytes.iter().take_while(is_character).count();
    let is_filling = length >= FILLING && bytes[..length].iter().all(|&byte| byte == bytes[0]);
    match bytes.get(length) {
        _ if is_filling => None,
        Some(0) => Some(Data::Text { length: length + 1, ends: true }),
        _ if length >= OPEN_TEXT => Some(Data::Text { length, ends: false }),
        _ => None,
    }
}
