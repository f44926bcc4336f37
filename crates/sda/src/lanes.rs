//! Text sixteen bytes at a time: each question is asked of all of them at once.

use wide::u8x16;

/// Bytes looked at together.
pub(crate) const BYTES: usize = 16;

/// So many bytes of a text.
pub(crate) type Block = [u8; BYTES];

/// The sixteen bytes from `at` on; `None` at the end of a text.
pub(crate) fn block(bytes: &[u8], at: usize) -> Option<&Block> {
    bytes.get(at..)?.first_chunk()
}

/// Two blocks.
pub(crate) type Pair = [u8; 2 * BYTES];

/// The blocks of a pair.
#[inline(always)]
pub(crate) fn halves(pair: &Pair) -> (&Block, &Block) {
    let (blocks, _) = pair.as_chunks();
    (&blocks[0], &blocks[1])
}

/// A pair as numbers, the first byte lowest.
#[inline(always)]
pub(crate) fn words(pair: &Pair) -> [u64; 4] {
    let (words, _) = pair.as_chunks();
    std::array::from_fn(|at| u64::from_le_bytes(words[at]))
}

/// The pair that those numbers are.
#[inline(always)]
pub(crate) fn pair(words: [u64; 4]) -> Pair {
    let mut pair = [0; 2 * BYTES];
    let (places, _) = pair.as_chunks_mut();
    for (place, word) in places.iter_mut().zip(words) {
        *place = word.to_le_bytes();
    }
    pair
}

/// The first `length` bytes of a block that is read as a number, lowest first,
/// and zeros.
#[inline]
pub(crate) fn beginning(block: u128, length: usize) -> u128 {
    const MASKS: [u128; BYTES + 1] = {
        let mut masks = [u128::MAX; BYTES + 1];
        let mut length = 0;
        while length < BYTES {
            masks[length] = !(u128::MAX << (8 * length));
            length += 1;
        }
        masks
    };
    block & MASKS[length.min(BYTES)]
}

/// With how many letters, digits, `_` and `?` the block begins.
pub(crate) fn name_bytes(block: &Block) -> usize {
    name_mask(block).trailing_ones() as usize
}

/// With how many blanks the block begins.
pub(crate) fn blanks(block: &Block) -> usize {
    blank_mask(block).trailing_ones() as usize
}

/// One bit for each byte, the first one lowest: letters, digits, `_` and `?`.
pub(crate) fn name_mask(block: &Block) -> u32 {
    let bytes = u8x16::new(*block);
    // Capital letters become small ones; nothing else becomes one.
    let small = bytes | u8x16::splat(0x20);
    let letters = within(small, b'a', b'z');
    let digits = within(bytes, b'0', b'9');
    (letters | digits | equal(bytes, b'_') | equal(bytes, b'?')).to_bitmask()
}

/// One bit for each byte, the first one lowest: capital letters.
pub(crate) fn capital_mask(block: &Block) -> u32 {
    within(u8x16::new(*block), b'A', b'Z').to_bitmask()
}

/// One bit for each byte, the first one lowest: commas.
pub(crate) fn comma_mask(block: &Block) -> u32 {
    equal(u8x16::new(*block), b',').to_bitmask()
}

/// One bit for each byte, the first one lowest: blanks.
pub(crate) fn blank_mask(block: &Block) -> u32 {
    equal(u8x16::new(*block), b' ').to_bitmask()
}

/// One bit for each byte, the first one lowest: the ends of lines.
pub(crate) fn line_mask(block: &Block) -> u32 {
    let bytes = u8x16::new(*block);
    (equal(bytes, b'\n') | equal(bytes, b'\r')).to_bitmask()
}

/// One bit for each byte, the first one lowest: what is not only itself in a
/// string, the quotes, backslashes and ends of lines.
pub(crate) fn string_mask(block: &Block) -> u32 {
    let bytes = u8x16::new(*block);
    let quotes = equal(bytes, b'"') | equal(bytes, b'\'');
    (quotes | equal(bytes, b'\\')).to_bitmask() | line_mask(block)
}

/// One bit for each byte, the first one lowest: what is not ASCII.
pub(crate) fn high_mask(block: &Block) -> u32 {
    u8x16::new(*block).to_bitmask()
}

/// One bit for each byte, the first one lowest: where a label or a statement
/// ends, or a quote begins in which it does not.
pub(crate) fn stop_mask(block: &Block) -> u32 {
    let bytes = u8x16::new(*block);
    let quotes = equal(bytes, b'"') | equal(bytes, b'\'');
    // They differ by the lowest bit.
    let colons = equal(bytes | u8x16::splat(b':' ^ b';'), b';');
    (quotes | colons | equal(bytes, b'\n') | equal(bytes, b'\r')).to_bitmask()
}

fn equal(bytes: u8x16, byte: u8) -> u8x16 {
    bytes.simd_eq(u8x16::splat(byte))
}

fn within(bytes: u8x16, first: u8, last: u8) -> u8x16 {
    bytes.max(u8x16::splat(first)).min(u8x16::splat(last)).simd_eq(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_is_judged_alike_in_every_place() {
        let is_of_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'?');
        let up_to = |place, is_meant: bool| if is_meant { BYTES } else { place };
        for byte in 0..=u8::MAX {
            for place in 0..BYTES {
                let with = |other: u8| {
                    let mut block = [other; BYTES];
                    block[place] = byte;
                    block
                };
                for other in [b'a', b'Z', b'9', b'_', b'?'] {
                    assert_eq!(name_bytes(&with(other)), up_to(place, is_of_name(byte)), "{byte}");
                }
                assert_eq!(blanks(&with(b' ')), up_to(place, byte == b' '), "{byte}");
                let bit = |is_meant: bool| u32::from(is_meant) << place;
                let among = |bytes: &[u8]| bit(bytes.contains(&byte));
                assert_eq!(stop_mask(&with(b'a')), among(b":;\n\r\"'"), "{byte}");
                assert_eq!(comma_mask(&with(b'a')), among(b","), "{byte}");
                assert_eq!(line_mask(&with(b'a')), among(b"\n\r"), "{byte}");
                assert_eq!(string_mask(&with(b'a')), among(b"\"'\\\n\r"), "{byte}");
                assert_eq!(high_mask(&with(b'a')), bit(!byte.is_ascii()), "{byte}");
                assert_eq!(capital_mask(&with(b'a')), bit(byte.is_ascii_uppercase()), "{byte}");
            }
        }
    }
}
