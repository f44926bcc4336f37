//! Random states for random programs: registers that point somewhere, a stack
//! at its edges, vectors, time just before the end of a frame.

use oracle::flags::{B, H, I, N, WRITABLE, Z};
use oracle::registers::{Registers, is_pointer, is_word};

use crate::case::Case;
use crate::choices::Choices;
use crate::grammar;
use crate::places::Places;

/// When the first frames end.
const FRAME_ENDS: [u64; 3] = [21_333, 42_666, 64_000];

/// The framebuffer.
const PIXELS: u32 = 0xF1_0000;

/// A program with its state.
pub fn case(choices: &mut Choices<'_>) -> Case {
    let places = Places::new(choices);
    let mut data = places.queue(choices);
    let bytes = 1 + choices.below(48);
    data.push((places.data, (0..bytes).map(|_| choices.below(8) as u8).collect()));
    let start = start(choices);
    vectors(&mut data, start, choices, &places);
    let mode = if choices.percent(80) { 2 } else { choices.pick(&[1, 3, 4, 6, 8]) };
    let draws = [3, 4, 8].contains(&mode);
    let code = grammar::program(choices, &places, draws);
    let mut words = words(choices, &places);
    if draws {
        data.push((PIXELS, (0..0x1000).map(|_| choices.number() as u8).collect()));
        for_drawing(mode, &mut words, choices);
    }
    let middle = if choices.percent(5) { choices.below(32) as u32 } else { 0 };
    Case {
        words,
        sp: stack_pointer(choices, &places),
        flags: flags(choices),
        ip: places.origin.wrapping_add(middle) & 0xFF_FFFF,
        origin: places.origin,
        code,
        data,
        start,
        mode,
        budgets: budgets(choices),
    }
}

/// Words: edges, and some pointers into the places.
pub fn words(choices: &mut Choices<'_>, places: &Places) -> [u16; 16] {
    let mut registers = Registers::default();
    for id in 0..16 {
        registers.write(id, choices.edgy());
    }
    for _ in 0..choices.below(8) {
        let pointer = 64 + choices.below(32) as u8;
        registers.write(pointer, places.address(choices).into());
    }
    for _ in 0..choices.below(4) {
        let word = choices.below(16) as u8;
        registers.write(word, places.address(choices).into());
    }
    debug_assert!((64..96).all(is_pointer) && (0..16).all(is_word));
    std::array::from_fn(|id| registers.read(id as u8) as u16)
}

/// Coordinates and sizes that are often inside the picture, and a source that
/// often is the picture itself, just before where it is drawn to.
fn for_drawing(mode: u8, words: &mut [u16; 16], choices: &mut Choices<'_>) {
    let [x, y, i, j, m, e] = [2, 3, 5, 6, 9, 11];
    for word in [x, y, i, j] {
        if choices.percent(80) {
            let most = choices.pick(&[8, 20, 130, 330]);
            words[word] = choices.below(most) as u16;
        }
    }
    if choices.percent(40) {
        let stride = match mode {
            3 => 160,
            4 => 256,
            _ => 64,
        };
        let place = PIXELS + stride * u32::from(words[y].min(200)) + u32::from(words[x].min(64));
        let source = place - choices.below(40) as u32;
        (words[e], words[m]) = ((source >> 16) as u16, source as u16);
    }
}

/// SP: within the stack, at its edges, or somewhere else.
pub fn stack_pointer(choices: &mut Choices<'_>, places: &Places) -> u32 {
    match choices.below(10) {
        0..4 => 0x01_DF00 + choices.below(64) as u32,
        4 | 5 => 0x01_DC00 + choices.below(34) as u32,
        6 | 7 => 0x01_E000 - choices.below(34) as u32,
        8 => places.address(choices),
        _ => choices.pick(&[0x01_DBFF, 0x01_E001, 0, 3, 0xFF_FFFF, 0x01_EF04]),
    }
}

/// Vector 8 and some others point into the code, or to a handler.
fn vectors(data: &mut Vec<(u32, Vec<u8>)>, start: u64, choices: &mut Choices<'_>, places: &Places) {
    // INC A, IRET
    const HANDLER: [u8; 3] = [21, 0, 137];
    let handler = 0x06_0000;
    data.push((handler, HANDLER.to_vec()));
    let mut set = |number: u32, choices: &mut Choices<'_>| {
        let target = if choices.percent(60) { handler } else { places.address(choices) };
        data.push((0x01_E900 + 3 * number, target.to_le_bytes()[..3].to_vec()));
    };
    // A frame that is about to end needs it, one that has ended may wait for it.
    let is_about_to_end = FRAME_ENDS.iter().any(|&end| (end - 40..end).contains(&start));
    if choices.percent(if is_about_to_end { 80 } else { 40 }) {
        set(8, choices);
    }
    for _ in 0..choices.below(3) {
        let number = choices.below(256) as u32;
        // Vector 9 is for stopping, which a program doesn't do itself.
        set(if number == 9 { 10 } else { number }, choices);
    }
}

/// FLAGS: any, but seldom Z with N, which no result is.
fn flags(choices: &mut Choices<'_>) -> u16 {
    let mut flags = choices.number() as u16 & (WRITABLE | B | H);
    if choices.percent(50) {
        flags |= I;
    }
    if choices.percent(80) {
        flags &= !choices.pick(&[Z, N]);
    }
    flags
}

/// Time: none has passed, or a frame is about to end or has just ended.
fn start(choices: &mut Choices<'_>) -> u64 {
    let end = choices.pick(&FRAME_ENDS);
    match choices.below(20) {
        0..13 => 0,
        13 | 14 => end + choices.below(20),
        15..19 => end - choices.below(40),
        _ => choices.below(70_000),
    }
}

/// Runs of single units, of some, or of many.
fn budgets(choices: &mut Choices<'_>) -> Vec<u64> {
    match choices.below(10) {
        0..3 => vec![1; 80],
        3..5 => (0..30).map(|_| 1 + choices.below(6)).collect(),
        5..8 => (0..8).map(|_| 1 + choices.below(100)).collect(),
        8 => (0..4).map(|_| 1 + choices.below(1000)).collect(),
        _ => vec![500, 1, 5000, 1],
    }
}
