//! The six palettes (machine manual, section 7). Number 5 is CGA as an IBM
//! 5153 showed it; entries 16–255 are the same in all of them.

/// Entries of the active palette.
pub const ENTRIES: usize = 256;
/// How many palettes there are.
pub const COUNT: u8 = 6;
/// The palette every program starts with.
pub const DEFAULT: u8 = 5;

const SETS: [[u32; 16]; COUNT as usize] = [
    // 0: like a C64's
    [
        0x000000, 0xFFFFFF, 0x8E3C37, 0x74C2C9, 0x8F4A9E, 0x59A650, 0x3A3B99, 0xD3DB7A, //
        0x925A2C, 0x5B4100, 0xC4736D, 0x545454, 0x7F7F7F, 0xA0E896, 0x7778D4, 0xB3B3B3,
    ],
    // 1: VGA's sixteen
    [
        0x000000, 0x0000AA, 0x00AA00, 0x00AAAA, 0xAA0000, 0xAA00AA, 0xAA5500, 0xAAAAAA, //
        0x555555, 0x5555FF, 0x55FF55, 0x55FFFF, 0xFF5555, 0xFF55FF, 0xFFFF55, 0xFFFFFF,
    ],
    // 2: a ramp of greys
    [
        0x000000, 0x111111, 0x222222, 0x333333, 0x444444, 0x555555, 0x666666, 0x777777, //
        0x888888, 0x999999, 0xAAAAAA, 0xBBBBBB, 0xCCCCCC, 0xDDDDDD, 0xEEEEEE, 0xFFFFFF,
    ],
    // 3: EGA as it starts: its sixteen are the ones VGA took over
    [
        0x000000, 0x0000AA, 0x00AA00, 0x00AAAA, 0xAA0000, 0xAA00AA, 0xAA5500, 0xAAAAAA, //
        0x555555, 0x5555FF, 0x55FF55, 0x55FFFF, 0xFF5555, 0xFF55FF, 0xFFFF55, 0xFFFFFF,
    ],
    // 4: an amber screen, by brightness
    [
        0x000000, 0x110B00, 0x221700, 0x332200, 0x442E00, 0x553900, 0x664500, 0x775000, //
        0x885C00, 0x996700, 0xAA7300, 0xBB7E00, 0xCC8A00, 0xDD9500, 0xEEA100, 0xFFB000,
    ],
    // 5: CGA on an IBM 5153
    [
        0x000000, 0x0000C4, 0x00C400, 0x00C4C4, 0xC40000, 0xC400C4, 0xC47E00, 0xC4C4C4, //
        0x4E4E4E, 0x4E4EDC, 0x4EDC4E, 0x4EF3F3, 0xDC4E4E, 0xF34EF3, 0xF3F34E, 0xFFFFFF,
    ],
];

/// All 256 entries of a palette as (red, green, blue); `None` when there is
/// no palette of this number.
pub fn entries(number: u8) -> Option<[[u8; 3]; ENTRIES]> {
    let set = SETS.get(usize::from(number))?;
    let mut entries = [[0; 3]; ENTRIES];
    for (entry, rgb) in entries.iter_mut().zip(set) {
        let [_, red, green, blue] = rgb.to_be_bytes();
        *entry = [red, green, blue];
    }
    for (index, entry) in (0u8..216).zip(&mut entries[16..]) {
        *entry = [cube_level(index / 36), cube_level(index / 6 % 6), cube_level(index % 6)];
    }
    for (index, entry) in (0u8..24).zip(&mut entries[232..]) {
        *entry = [8 + 10 * index; 3];
    }
    Some(entries)
}

/// The six levels of the colour cube that terminals use.
fn cube_level(step: u8) -> u8 {
    if step == 0 { 0 } else { 55 + 40 * step }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn palette_5_has_the_manuals_figures() {
        let entries = entries(5).unwrap();
        assert_eq!(entries[1], [0x00, 0x00, 0xC4]);
        assert_eq!(entries[6], [0xC4, 0x7E, 0x00]);
        assert_eq!(entries[8], [0x4E, 0x4E, 0x4E]);
        assert_eq!(entries[13], [0xF3, 0x4E, 0xF3]);
        assert_eq!(entries[15], [0xFF, 0xFF, 0xFF]);
    }

    #[test]
    fn cube_and_greys_fill_entries_16_to_255() {
        for number in 0..COUNT {
            let entries = entries(number).unwrap();
            assert_eq!(entries[16], [0, 0, 0]);
            assert_eq!(entries[16 + 36 * 5], [255, 0, 0]);
            assert_eq!(entries[231], [255, 255, 255]);
            assert_eq!(entries[232], [8, 8, 8]);
            assert_eq!(entries[255], [238, 238, 238]);
        }
        assert!(entries(COUNT).is_none());
    }
}
