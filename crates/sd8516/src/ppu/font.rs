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

#[cfg(test)]
mod tests {
    use super::*;
    use isa::charset;

    /// Up, right, down, left: 0 no line, 1 a single, 2 a double one.
    const LINES: [(&str, [u8; 4]); 40] = [
        ("│", [1, 0, 1, 0]),
        ("┤", [1, 0, 1, 1]),
        ("╡", [1, 0, 1, 2]),
        ("╢", [2, 0, 2, 1]),
        ("╖", [0, 0, 2, 1]),
        ("╕", [0, 0, 1, 2]),
        ("╣", [2, 0, 2, 2]),
        ("║", [2, 0, 2, 0]),
        ("╗", [0, 0, 2, 2]),
        ("╝", [2, 0, 0, 2]),
        ("╜", [2, 0, 0, 1]),
        ("╛", [1, 0, 0, 2]),
        ("┐", [0, 0, 1, 1]),
        ("└", [1, 1, 0, 0]),
        ("┴", [1, 1, 0, 1]),
        ("┬", [0, 1, 1, 1]),
        ("├", [1, 1, 1, 0]),
        ("─", [0, 1, 0, 1]),
        ("┼", [1, 1, 1, 1]),
        ("╞", [1, 2, 1, 0]),
        ("╟", [2, 1, 2, 0]),
        ("╚", [2, 2, 0, 0]),
        ("╔", [0, 2, 2, 0]),
        ("╩", [2, 2, 0, 2]),
        ("╦", [0, 2, 2, 2]),
        ("╠", [2, 2, 2, 0]),
        ("═", [0, 2, 0, 2]),
        ("╬", [2, 2, 2, 2]),
        ("╧", [1, 2, 0, 2]),
        ("╨", [2, 1, 0, 1]),
        ("╤", [0, 2, 1, 2]),
        ("╥", [0, 1, 2, 1]),
        ("╙", [2, 1, 0, 0]),
        ("╘", [1, 2, 0, 0]),
        ("╒", [0, 2, 1, 0]),
        ("╓", [0, 1, 2, 0]),
        ("╫", [2, 1, 2, 1]),
        ("╪", [1, 2, 1, 2]),
        ("┘", [1, 0, 0, 1]),
        ("┌", [0, 1, 1, 0]),
    ];

    fn rows(code: u8) -> [u8; 8] {
        let mut rows = [0; 8];
        rows.copy_from_slice(&GLYPHS[8 * usize::from(code)..][..8]);
        rows
    }

    fn code(character: &str) -> u8 {
        let wanted = |&code: &u8| charset::glyph(code).to_string() == character;
        (128..=255).find(wanted).unwrap_or_else(|| panic!("no glyph {character}"))
    }

    /// A column from the top, the top row as bit 7.
    fn column(rows: [u8; 8], x: usize) -> u8 {
        (0..8).fold(0, |bits, y| bits | (rows[y] << x & 0x80) >> y)
    }

    #[test]
    fn lines_join_at_the_edges_of_their_cells() {
        const EDGE: [u8; 3] = [0, 0b0001_1000, 0b0110_0110];
        let mut codes = Vec::new();
        for (character, [up, right, down, left]) in LINES {
            let glyph = rows(code(character));
            let got = [glyph[0], column(glyph, 7), glyph[7], column(glyph, 0)];
            let want = [up, right, down, left].map(|weight| EDGE[usize::from(weight)]);
            assert_eq!(got, want, "{character}");
            codes.push(code(character));
        }
        codes.sort_unstable();
        assert_eq!(codes, (179..=218).collect::<Vec<u8>>());
        // the halves of the integral sign join, too
        assert_eq!((rows(code("⌠"))[7], rows(code("⌡"))[0]), (EDGE[1], EDGE[1]));
    }

    #[test]
    fn the_strokes_of_a_line_hang_together() {
        for (character, arms) in LINES {
            let glyph = rows(code(character));
            let lit = |x: usize, y: usize| glyph[y] >> (7 - x) & 1 != 0;
            let mut strokes = 0;
            let mut seen = [[false; 8]; 8];
            for start in 0..64 {
                let mut stack = vec![(start % 8, start / 8)];
                let before = seen;
                while let Some((x, y)) = stack.pop() {
                    if x < 8 && y < 8 && lit(x, y) && !seen[y][x] {
                        seen[y][x] = true;
                        let near = [(1, 0), (0, 1), (usize::MAX, 0), (0, usize::MAX)];
                        stack.extend(near.map(|(a, b)| (x.wrapping_add(a), y.wrapping_add(b))));
                    }
                }
                strokes += u32::from(seen != before);
            }
            // two lines cross: one piece; two double ones leave a channel
            let doubles = arms.iter().filter(|&&weight| weight == 2).count();
            let singles = arms.iter().filter(|&&weight| weight == 1).count();
            let tied = match (doubles, singles) {
                (0 | 1, _) | (2, 2) => 1,
                (2, _) => 2,
                (doubles, _) => doubles as u32,
            };
            assert_eq!(strokes, tied, "{character}");
        }
    }

    #[test]
    fn blocks_and_shades_are_exact() {
        assert_eq!(rows(code("█")), [0xFF; 8]);
        assert_eq!(rows(code("▀")), [255, 255, 255, 255, 0, 0, 0, 0]);
        assert_eq!(rows(code("▄")), [0, 0, 0, 0, 255, 255, 255, 255]);
        assert_eq!((rows(code("▌")), rows(code("▐"))), ([0xF0; 8], [0x0F; 8]));
        for (shade, pixels) in [("░", 16), ("▒", 32), ("▓", 48)] {
            let lit: u32 = rows(code(shade)).iter().map(|row| row.count_ones()).sum();
            assert_eq!(lit, pixels, "{shade}");
        }
    }

    #[test]
    fn every_character_has_a_glyph_of_its_own() {
        for blank in [0, b' ', 255] {
            assert_eq!(rows(blank), [0; 8]);
        }
        let mut glyphs: Vec<[u8; 8]> = (1..255).map(rows).collect();
        glyphs.sort_unstable();
        glyphs.dedup();
        assert_eq!(glyphs.len(), 254);
        // letters and digits keep a free column, so that text does not run together
        for letter in (b'0'..=b'9').chain(b'A'..=b'Z').chain(b'a'..=b'z') {
            assert!(rows(letter).iter().all(|row| row & 1 == 0), "{}", char::from(letter));
        }
    }

    #[test]
    fn a_letter_looks_as_drawn() {
        let drawn = ["..####..", ".##..##.", ".##..##.", ".######.", ".##..##.", ".##..##."];
        for (row, pixels) in rows(b'A').iter().zip(drawn) {
            let bits = pixels.bytes().fold(0, |bits, pixel| bits << 1 | u8::from(pixel == b'#'));
            assert_eq!(*row, bits);
        }
    }

    #[test]
    fn loading_fills_the_copy_that_programs_see() {
        let mut memory = Memory::new();
        load(&mut memory);
        assert_eq!(memory.slice(CHARACTER_ROM), GLYPHS);
    }
}
