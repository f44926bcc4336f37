//! Text planes, cursor, VSTOP, and drawing against a naive reference.

use super::*;
use isa::memory_map::FRAMEBUFFER;
use proptest::prelude::*;

fn started() -> (Ppu, Memory) {
    let (mut ppu, mut memory) = (Ppu::default(), Memory::new());
    ppu.reset(&mut memory);
    (ppu, memory)
}

fn write(ppu: &mut Ppu, memory: &mut Memory, text: &str) -> u64 {
    text.bytes().map(|glyph| ppu.write_glyph(memory, glyph)).sum()
}

fn row(ppu: &Ppu, memory: &Memory, y: usize) -> String {
    let picture = ppu.picture_drawn(memory);
    let columns = usize::from(picture.columns);
    let glyphs = &picture.glyphs[y * columns..][..columns];
    String::from_utf8_lossy(glyphs).trim_end().to_string()
}

#[test]
fn every_program_starts_in_mode_2_with_all_4096_cells_cleared() {
    let mut memory = Memory::new();
    memory.fill(TEXT_GLYPHS.start, 0xAA, 0x2000);
    let mut ppu = Ppu::default();
    ppu.set_mode(&mut memory, Mode::Text80x50);
    ppu.hold_picture(&mut memory);
    ppu.reset(&mut memory);
    assert!(memory.slice(TEXT_GLYPHS).iter().all(|&glyph| glyph == 0x20));
    assert!(memory.slice(TEXT_COLOURS).iter().all(|&colour| colour == 0x07));
    assert_eq!((ppu.mode().number(), ppu.palette(), ppu.colour()), (2, 5, 0x07));
    assert_eq!((ppu.cursor(), ppu.cursor_on()), ((0, 0), true));
    assert_eq!(memory.slice(device::VIDEO_CHAR_COLOR..device::VIDEO_FLAGS + 1), [7, 0]);
    assert_eq!(memory.slice(device::CURSOR_STATE..device::CURSOR_Y + 1), [1, 0, 0]);
    assert_eq!(memory.slice(PALETTE.start + 3..PALETTE.start + 6), [0, 0, 0xC4]);
}

#[test]
fn modes_have_the_manuals_sizes() {
    let sizes: Vec<(u8, u8, u8, u8)> = Mode::ALL
        .into_iter()
        .map(|mode| (mode.number(), mode.columns(), mode.rows(), mode.default_colour()))
        .collect();
    assert_eq!(
        sizes,
        [
            (1, 40, 25, 7),
            (2, 80, 25, 7),
            (3, 40, 25, 0),
            (4, 32, 28, 0),
            (6, 80, 50, 7),
            (8, 16, 16, 0)
        ]
    );
    for mode in Mode::ALL {
        assert!(mode.cells() <= TEXT_GLYPHS.end - TEXT_GLYPHS.start);
        if let Some(layout) = mode.layout() {
            assert!(layout.size() <= FRAMEBUFFER.end - FRAMEBUFFER.start);
        }
    }
    assert!([0, 5, 7, 9, 255].into_iter().all(|number| Mode::from_number(number).is_none()));
}

#[test]
fn the_bottom_right_cell_is_written_without_scrolling() {
    let (mut ppu, mut memory) = started();
    ppu.put(&mut memory, 0, 0, b'@', 1);
    ppu.set_cursor(&mut memory, 79, 24);
    assert_eq!(ppu.write_glyph(&mut memory, b'!'), 1);
    assert_eq!(ppu.cursor(), (80, 24));
    assert_eq!(memory.byte(device::CURSOR_X), 80);
    assert_eq!(memory.byte(TEXT_GLYPHS.start + 24 * 80 + 79), b'!');
    assert_eq!(row(&ppu, &memory, 0), "@");
    assert_eq!(ppu.write_glyph(&mut memory, b'?'), 1 + 2000);
    assert_eq!(ppu.cursor(), (1, 24));
    assert_eq!(row(&ppu, &memory, 24), "?");
    assert_eq!(memory.byte(TEXT_GLYPHS.start + 23 * 80 + 79), b'!');
    assert_eq!(row(&ppu, &memory, 0), "");
}

#[test]
fn control_codes_move_the_cursor_and_others_are_glyphs() {
    let (mut ppu, mut memory) = started();
    for (start, code, end) in [
        ((5, 3), 13, (0, 3)),
        ((80, 3), 13, (0, 3)),
        ((5, 3), 10, (0, 4)),
        ((80, 3), 10, (0, 4)),
        ((5, 3), 8, (4, 3)),
        ((0, 3), 8, (0, 3)),
        ((80, 3), 8, (79, 3)),
        ((0, 3), 9, (8, 3)),
        ((7, 3), 9, (8, 3)),
        ((8, 3), 9, (16, 3)),
        ((79, 3), 9, (80, 3)),
        ((80, 3), 9, (80, 3)),
    ] {
        ppu.set_cursor(&mut memory, start.0, start.1);
        assert_eq!(ppu.write_glyph(&mut memory, code), 0);
        assert_eq!(ppu.cursor(), end, "code {code} at {start:?}");
    }
    let before = ppu.picture_drawn(&memory).glyphs;
    assert!(before.iter().all(|&glyph| glyph == b' '));
    ppu.set_cursor(&mut memory, 0, 0);
    for code in [0, 1, 7, 11, 12, 27, 31, 127, 255] {
        assert_eq!(ppu.write_glyph(&mut memory, code), 1);
    }
    assert_eq!(
        memory.slice(TEXT_GLYPHS.start..TEXT_GLYPHS.start + 9),
        [0, 1, 7, 11, 12, 27, 31, 127, 255]
    );
}

#[test]
fn a_tab_stops_at_the_40th_column_of_mode_1() {
    let (mut ppu, mut memory) = started();
    ppu.set_mode(&mut memory, Mode::Text40x25);
    ppu.set_cursor(&mut memory, 33, 0);
    ppu.write_glyph(&mut memory, 9);
    assert_eq!(ppu.cursor(), (40, 0));
}

#[test]
fn a_new_line_on_the_last_row_scrolls_and_the_row_gets_the_default_colour() {
    let (mut ppu, mut memory) = started();
    ppu.set_colour(&mut memory, 0x4E);
    write(&mut ppu, &mut memory, "one\r\ntwo");
    ppu.set_cursor(&mut memory, 5, 24);
    assert_eq!(write(&mut ppu, &mut memory, "\r\n"), 2000);
    assert_eq!(ppu.cursor(), (0, 24));
    assert_eq!(row(&ppu, &memory, 0), "two");
    assert_eq!(memory.byte(TEXT_COLOURS.start), 0x4E);
    assert!(
        memory.slice(TEXT_COLOURS.start + 1920..TEXT_COLOURS.start + 2000).iter().all(|&c| c == 7)
    );
}

#[test]
fn scrolling_moves_both_planes_and_nothing_behind_the_screen() {
    let (mut ppu, mut memory) = started();
    memory.fill(TEXT_GLYPHS.start + 2000, 0xAA, 96);
    for y in 0..25 {
        ppu.put(&mut memory, 1, y, b'a' + y as u8, y as u8);
    }
    assert_eq!(ppu.scroll(&mut memory, 0), 0);
    assert_eq!(ppu.scroll(&mut memory, 3), 2000);
    for y in 0..25u32 {
        let cell = 80 * y + 1;
        let moved = y + 3 < 25;
        let glyph = if moved { b'a' + y as u8 + 3 } else { b' ' };
        let colour = if moved { y as u8 + 3 } else { 7 };
        assert_eq!(memory.byte(TEXT_GLYPHS.start + cell), glyph);
        assert_eq!(memory.byte(TEXT_COLOURS.start + cell), colour);
    }
    assert_eq!(memory.byte(TEXT_GLYPHS.start + 2000), 0xAA);
    assert_eq!(ppu.scroll(&mut memory, 255), 2000);
    assert!(memory.slice(TEXT_GLYPHS.start..TEXT_GLYPHS.start + 2000).iter().all(|&g| g == 32));
}

#[test]
fn putting_outside_writes_nothing() {
    let (mut ppu, mut memory) = started();
    let before = memory.clone();
    for (x, y) in [(80, 0), (0, 25), (65_535, 65_535), (256, 0)] {
        assert!(!ppu.put(&mut memory, x, y, b'x', 1));
    }
    assert!(memory == before);
    assert!(ppu.put(&mut memory, 79, 24, b'x', 0x1F));
    assert_eq!(memory.byte(TEXT_COLOURS.start + 1999), 0x1F);
}

#[test]
fn a_mode_change_clears_and_keeps_the_palette() {
    let (mut ppu, mut memory) = started();
    ppu.set_palette(&mut memory, 4);
    ppu.set_colour(&mut memory, 0x1F);
    write(&mut ppu, &mut memory, "text");
    memory.fill(FRAMEBUFFER.start, 0xFF, 32_000);
    assert_eq!(ppu.set_mode(&mut memory, Mode::Pixels320x200), 1000);
    assert_eq!((ppu.palette(), ppu.colour(), ppu.cursor()), (4, 0, (0, 0)));
    assert!(memory.slice(FRAMEBUFFER.start..FRAMEBUFFER.start + 32_000).iter().all(|&b| b == 0));
    assert_eq!(ppu.set_mode(&mut memory, Mode::Text80x50), 4000);
    assert_eq!((ppu.palette(), ppu.colour()), (4, 7));
}

#[test]
fn vstop_holds_the_picture_by_service_and_by_cell() {
    let (mut ppu, mut memory) = started();
    write(&mut ppu, &mut memory, "old");
    ppu.hold_picture(&mut memory);
    let held = ppu.picture(&memory);
    write(&mut ppu, &mut memory, "new");
    ppu.set_palette(&mut memory, 2);
    ppu.sample(&memory);
    assert_eq!(ppu.picture(&memory), held);
    assert_ne!(ppu.picture_drawn(&memory), held);
    ppu.release_picture(&mut memory);
    assert_eq!(ppu.picture(&memory), ppu.picture_drawn(&memory));

    memory.set_byte(device::VIDEO_FLAGS, 0xFF);
    ppu.sample(&memory);
    let held = ppu.picture(&memory);
    ppu.clear(&mut memory);
    assert_eq!(ppu.picture(&memory), held);
    memory.set_byte(device::VIDEO_FLAGS, 0xFE);
    ppu.sample(&memory);
    assert_eq!(ppu.picture(&memory), ppu.picture_drawn(&memory));
    assert_eq!(memory.byte(device::VIDEO_FLAGS), 0xFE);
}

#[test]
fn a_cursor_cell_outside_the_screen_is_taken_as_its_edge() {
    let (mut ppu, mut memory) = started();
    memory.set_byte(device::CURSOR_X, 200);
    memory.set_byte(device::CURSOR_Y, 200);
    memory.set_byte(device::CURSOR_STATE, 0);
    memory.set_byte(device::VIDEO_CHAR_COLOR, 0x2A);
    ppu.sample(&memory);
    assert_eq!((ppu.cursor(), ppu.cursor_on(), ppu.colour()), ((80, 24), false, 0x2A));
    assert_eq!(ppu.picture(&memory).cursor, None);
}

#[test]
fn a_held_picture_survives_a_snapshot() {
    let (mut ppu, mut memory) = started();
    ppu.hold_picture(&mut memory);
    let json = serde_json::to_string(&ppu).unwrap();
    assert_eq!(serde_json::from_str::<Ppu>(&json).unwrap(), ppu);
    assert!(serde_json::from_str::<Ppu>(&json.replace("[0,0,196],", "")).is_err());
}

/// The manual's words, pixel by pixel, without a thought for time.
fn naive(
    operation: Operation,
    operands: &Operands,
    source: &Memory,
) -> Vec<(i32, i32, Option<u8>)> {
    let (x, y) = (i32::from(operands.x), i32::from(operands.y));
    let (i, j) = (i32::from(operands.i), i32::from(operands.j));
    let colour = Some(operands.colour);
    let mut pixels = Vec::new();
    match operation {
        Operation::Pixel => pixels.push((x, y, colour)),
        Operation::Line => {
            let (dx, dy) = ((i - x).abs(), (j - y).abs());
            let (mut e, mut px, mut py) = (dx - dy, x, y);
            loop {
                pixels.push((px, py, colour));
                if (px, py) == (i, j) {
                    break;
                }
                let t = 2 * e;
                if t >= -dy {
                    e -= dy;
                    px += (i - x).signum();
                }
                if t <= dx {
                    e += dx;
                    py += (j - y).signum();
                }
            }
        }
        Operation::Rectangle | Operation::Fill => {
            for py in y.min(j)..=y.max(j) {
                for px in x.min(i)..=x.max(i) {
                    let edge = px == x || px == i || py == y || py == j;
                    if edge || operation == Operation::Fill {
                        pixels.push((px, py, colour));
                    }
                }
            }
        }
        Operation::Blit | Operation::Sprite => {
            for row in 0..j.max(0) {
                for column in 0..i.max(0) {
                    let at = operands.source.wrapping_add((row * i + column) as u32);
                    let pixel = source.byte(at);
                    let skipped = operation == Operation::Sprite && pixel == operands.transparent;
                    pixels.push((x + column, y + row, (!skipped).then_some(pixel)));
                }
            }
        }
    }
    pixels
}

fn check_against_naive(mode: Mode, operation: Operation, operands: &Operands) {
    let (mut ppu, mut memory) = started();
    ppu.set_mode(&mut memory, mode);
    for (at, byte) in memory.slice_mut(0x30000..0x40000).iter_mut().enumerate() {
        *byte = ((at * 7) >> 3) as u8;
    }
    memory.fill(FRAMEBUFFER.start, 0x5A, 0x20000);
    let mut expected = ppu.pixels_drawn(&memory).0;
    let (width, height) =
        (i32::from(mode.layout().unwrap().width), i32::from(mode.layout().unwrap().height));
    let mask = if mode.layout().unwrap().packed { 0x0F } else { 0xFF };
    let mut touched = 0;
    for (x, y, colour) in naive(operation, operands, &memory) {
        if (0..width).contains(&x) && (0..height).contains(&y) {
            touched += 1;
            if let Some(colour) = colour {
                expected[(y * width + x) as usize] = colour & mask;
            }
        }
    }
    let drawn = ppu.draw(&mut memory, operation, operands);
    assert!(ppu.pixels_drawn(&memory).0 == expected, "{operation:?} {operands:?}");
    assert_eq!(drawn, Drawn { outside: touched == 0, touched }, "{operation:?} {operands:?}");
    let size = mode.layout().unwrap().size();
    assert!(memory.slice(FRAMEBUFFER.start + size..FRAMEBUFFER.end).iter().all(|&b| b == 0x5A));
}

const GRAPHICS: [Mode; 3] = [Mode::Pixels320x200, Mode::Pixels256x224, Mode::Pixels128x128];

#[test]
fn long_lines_hit_the_pixels_of_the_unclipped_line() {
    let far = [i16::MIN, -300, -1, 0, 100, 319, 500, i16::MAX];
    for mode in GRAPHICS {
        for (n, x) in far.into_iter().enumerate() {
            for j in far {
                let (y, i) = (far[7 - n] / 3, far[(n + 5) % 8]);
                let operands = Operands { x, y, i, j, colour: 0xEC, ..Operands::default() };
                check_against_naive(mode, Operation::Line, &operands);
            }
        }
        let operands = Operands {
            x: i16::MIN,
            y: i16::MIN,
            i: i16::MAX,
            j: i16::MAX,
            colour: 3,
            ..Operands::default()
        };
        check_against_naive(mode, Operation::Line, &operands);
    }
}

#[test]
fn huge_rectangles_and_blits_visit_only_the_picture() {
    let (mut ppu, mut memory) = started();
    ppu.set_mode(&mut memory, Mode::Pixels320x200);
    let huge =
        Operands { x: i16::MIN, y: i16::MIN, i: i16::MAX, j: i16::MAX, ..Operands::default() };
    assert_eq!(ppu.draw(&mut memory, Operation::Fill, &huge).touched, 64_000);
    assert_eq!(ppu.draw(&mut memory, Operation::Rectangle, &huge).touched, 0);
    assert_eq!(ppu.draw(&mut memory, Operation::Blit, &huge).touched, 0);
    let blit = Operands { x: -32_000, y: -32_000, i: i16::MAX, j: i16::MAX, ..Operands::default() };
    assert_eq!(ppu.draw(&mut memory, Operation::Sprite, &blit).touched, 320 * 200);
    for size in [0, -1, i16::MIN] {
        let blit = Operands { i: size, j: 5, ..Operands::default() };
        assert!(ppu.draw(&mut memory, Operation::Blit, &blit).outside);
        let blit = Operands { i: 5, j: size, ..Operands::default() };
        assert!(ppu.draw(&mut memory, Operation::Blit, &blit).outside);
    }
}

#[test]
fn a_text_mode_has_no_pixels() {
    let (ppu, mut memory) = started();
    let before = memory.clone();
    for number in 1..=6 {
        let operation = Operation::from_number(number).unwrap();
        let operands = Operands { i: 3, j: 3, colour: 1, ..Operands::default() };
        let drawn = ppu.draw(&mut memory, operation, &operands);
        assert_eq!(drawn, Drawn { outside: true, touched: 0 });
    }
    assert!(memory == before);
    assert_eq!((Operation::from_number(0), Operation::from_number(7)), (None, None));
}

#[test]
fn the_low_nibble_is_the_left_pixel() {
    let (mut ppu, mut memory) = started();
    ppu.set_mode(&mut memory, Mode::Pixels128x128);
    ppu.draw(
        &mut memory,
        Operation::Pixel,
        &Operands { x: 2, y: 1, colour: 0xF9, ..Operands::default() },
    );
    ppu.draw(
        &mut memory,
        Operation::Pixel,
        &Operands { x: 3, y: 1, colour: 0x04, ..Operands::default() },
    );
    assert_eq!(memory.byte(FRAMEBUFFER.start + 64 + 1), 0x49);
}

#[test]
fn a_blit_reads_all_before_it_writes() {
    let (mut ppu, mut memory) = started();
    ppu.set_mode(&mut memory, Mode::Pixels256x224);
    memory.copy_in(FRAMEBUFFER.start, b"abcdef");
    let shifted = Operands { x: 1, i: 6, j: 1, source: FRAMEBUFFER.start, ..Operands::default() };
    ppu.draw(&mut memory, Operation::Blit, &shifted);
    assert_eq!(memory.slice(FRAMEBUFFER.start..FRAMEBUFFER.start + 7), b"aabcdef");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn drawing_equals_the_naive_reference(
        mode in prop::sample::select(GRAPHICS.to_vec()),
        number in 1u8..=6,
        (x, y, i, j) in (-60i16..400, -60i16..300, -60i16..400, -60i16..300),
        (colour, transparent) in (any::<u8>(), any::<u8>()),
        source in prop::sample::select(vec![0x30000, 0x38123, 0xFF_FFF0]),
    ) {
        let operation = Operation::from_number(number).unwrap();
        let operands = Operands { x, y, i, j, colour, source, transparent };
        check_against_naive(mode, operation, &operands);
    }
}
