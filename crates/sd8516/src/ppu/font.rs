//! The character ROM: 256 glyphs of code page 437, 8×8 pixels, drawn as text
//! in `font.txt` (machine manual, section 7).

use crate::Memory;
use isa::memory_map::CHARACTER_ROM;

/// Pixels of a character across.
pub const WIDTH: u8 = 8;
/// Pixels of a character down.
pub const HEIGHT: u8 = 8;

/// The glyphs: 8 bytes each, a row a byte, bit 7 leftmost.
pub static GLYPHS: [u8; 2048] = parse(include_bytes!("font.txt"));

/// Copies the character ROM to where programs may redefine it.
pub fn load(memory: &mut Memory) {
    memory.copy_in(CHARACTER_ROM.start, &GLYPHS);
}

/// Reads the drawing, when the crate is built. Eight glyphs stand side by
/// side; a pixel is `#` or `.`, and a line that does not begin with one of
/// them is a heading.
const fn parse(text: &[u8]) -> [u8; 2048] {
    let mut glyphs = [0; 2048];
    let (mut at, mut row) = (0, 0);
    while at < text.len() {
        let pixels = text[at] == b'#' || text[at] == b'.';
        let mut column = 0;
        while at < text.len() && text[at] != b'\n' {
            if pixels && text[at] != b' ' {
                let glyph = row / 8 * 8 + column / 8;
                if text[at] == b'#' {
                    glyphs[glyph * 8 + row % 8] |= 0x80 >> (column % 8);
                }
                column += 1;
            }
            at += 1;
        }
        at += 1;
        if pixels {
            assert!(column == 64, "a row of the font is eight glyphs of eight pixels");
            row += 1;
        }
    }
    assert!(row == 256, "the font is 32 bands of eight rows");
    glyphs
}
