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

/// One bit for each byte, the first one lowest: blanks.
pub(crate) fn blank_mask(block: &Block) -> u32 {
    equal(u8x16::new(*block), b' ').to_bitmask()
}

/// How many bytes stand before a `;` or the end of the line.
pub(crate) fn before_comment(block: &Block) -> usize {
    let bytes = u8x16::new(*block);
    let ends = equal(bytes, b';') | equal(bytes, b'\n') | equal(bytes, b'\r');
    ends.to_bitmask().trailing_zeros().min(BYTES as u32) as usize
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
        let ends = |byte: u8| matches!(byte, b';' | b'\n' | b'\r');
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
                assert_eq!(before_comment(&with(b'a')), up_to(place, !ends(byte)), "{byte}");
            }
        }
    }
}
