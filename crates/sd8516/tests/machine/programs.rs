//! Programs that run programs: what is set aside, what the new one finds, and
//! what its caller gets back, however it ends.

use isa::flags::{C, N};
use sd8516::{FaultKind, Image, Machine, STOPPED_BY_FAULT, STOPPED_BY_USER, Segment, Stop};

use crate::support::{Few, ORIGIN, code, get, image_at, ld, set, set_vector};

const SHELL: u32 = 0x01_0100;

/// A shell that runs a program once and then counts B's code into memory:
/// AH = 1, INT $20, STAB [$0200.. bank 1], loop.
fn shell() -> (Machine, u32) {
    let program = code(&[&ld("A", 0x0100), &[136, 0x20], &[110, 0xFD, 0xFF]]);
    let mut m = Machine::new();
    m.start(&image_at(SHELL, &program), b"").unwrap();
    (m, SHELL + 6)
}

fn running(child: &[u8]) -> (Machine, Few, u32) {
    let (mut m, back) = shell();
    m.memory_mut().fill(0x5000, 0xEE, 0x100);
    m.memory_mut().fill(0x40_0000, 0xEE, 0x100);
    m.memory_mut().fill(0xF1_0000, 0xEE, 0x100);
    m.memory_mut().copy_in(0x01_EC00, b"typed");
    m.memory_mut().set_byte(0x01_EF06, 0x1E);
    set_vector(&mut m, 0x60, 0x01_0200);
    m.set_flags(N | 3);
    set(&mut m, "GLT", 0x12_3456);
    let mut few = Few { program: Some(image_at(ORIGIN, child)) };
    m.step(&mut few);
    assert_eq!(m.step(&mut few), None);
    (m, few, back)
}

#[test]
fn the_new_program_finds_a_fresh_machine() {
    let (m, _, _) = running(&[141]);
    assert_eq!(m.program_depth(), 1);
    assert_eq!((m.ip(), m.words(), m.flags(), m.sp()), (ORIGIN, [0; 16], 0, 0x01_DFFD));
    assert_eq!(m.units(), 2);
    assert_eq!(m.program_end(), ORIGIN + 1);
    assert_eq!(m.memory().slice(0x02_0000..0x02_0005), b"ARGS\0");
    let mut expected = Machine::new();
    expected.start(&image_at(ORIGIN, &[141]), b"ARGS").unwrap();
    // The clock goes on, all else is as at a start.
    assert_eq!(m.memory().slice(0..0x100_0000), expected.memory().slice(0..0x100_0000));
}

#[test]
fn exit_brings_registers_and_bank_1_back() {
    let child = code(&[
        &ld("A", 0x0407),
        &ld("AH", 0),
        // Spoil bank 1: vectors, the shell's code, its buffer.
        &ld("GLT", 0x01_0000),
        &ld("X", 0xE000),
        &ld("BL", 0x55),
        &[161, 95, 18, 2],
        &[136, 0x20],
    ]);
    let (before, ..) = running(&child);
    let (mut m, mut few, back) = running(&child);
    assert!(m == before);
    for _ in 0..7 {
        assert_eq!(m.step(&mut few), None);
    }
    assert_eq!((m.program_depth(), m.ip()), (0, back));
    assert_eq!((get(&m, "B"), get(&m, "C")), (7, 0));
    assert_eq!(get(&m, "A"), 0x0100);
    assert_eq!(get(&m, "GLT"), 0x12_3456);
    assert_eq!(m.flags() & C, 0);
    assert_eq!(m.flags() & 3, 3);
    assert_eq!(m.memory().slice(0x01_EC00..0x01_EC05), b"typed");
    assert_eq!(m.memory().read(0x01_E900 + 3 * 0x60, 3), 0x01_0200);
    assert_eq!(m.memory().byte(SHELL), 0);
    assert_eq!(m.memory().byte(SHELL + 4), 136);
    // Its colour is its own again.
    assert_eq!(m.memory().byte(0x01_EF06), 0x1E);
    // Memory outside bank 1 is not brought back.
    assert_eq!(m.memory().byte(0x5000), 0);
    assert_eq!(m.memory().byte(0x40_0000), 0);
    assert_eq!(m.run(&mut few, m.units() + 100), Stop::Budget);
}

#[test]
fn ret_and_halt_end_a_program_too() {
    for (child, steps) in [(&[133][..], 3), (&[140][..], 1)] {
        let (mut m, mut few, back) = running(child);
        for _ in 0..steps {
            assert_eq!(m.step(&mut few), None);
        }
        assert_eq!((m.program_depth(), m.ip()), (0, back));
        assert_eq!((get(&m, "B"), get(&m, "C")), (0, 0));
        assert_eq!(m.flags() & isa::flags::H, 0);
    }
}

#[test]
fn a_fault_ends_the_program_and_the_shell_goes_on() {
    let (mut m, mut few, back) = running(&[21, 0, 8]);
    assert_eq!(m.run(&mut few, 10), Stop::Budget);
    assert_eq!((m.program_depth(), m.ip()), (0, back));
    assert_eq!((get(&m, "B"), get(&m, "C")), (STOPPED_BY_FAULT.into(), 1));
    assert_eq!(m.flags() & (C | isa::flags::E), 0);
    let reports = m.take_fault_reports();
    assert_eq!(reports.len(), 1);
    assert_eq!(reports[0].kind, FaultKind::IllegalOpcode(8));
    assert_eq!((reports[0].ip, reports[0].units, reports[0].depth), (ORIGIN + 2, 3, 1));
    assert_eq!(reports[0].registers[0], 1);
    assert!(m.take_fault_reports().is_empty());
}

#[test]
fn the_user_stops_the_program_and_not_the_shell() {
    let (mut m, mut few, back) = running(&[110, 0xFD, 0xFF]);
    m.run(&mut few, 1000);
    m.request_stop();
    assert_eq!(m.run(&mut few, 1100), Stop::Budget);
    assert_eq!((m.program_depth(), m.ip()), (0, back));
    assert_eq!((get(&m, "B"), get(&m, "C")), (STOPPED_BY_USER.into(), 1));
    m.request_stop();
    assert_eq!(m.run(&mut few, u64::MAX), Stop::Stopped);
}

#[test]
fn what_a_program_printed_stays_and_a_held_picture_is_released() {
    // VIDEO_FLAGS ← 1, CURSOR ← (5, 6), CURSOR_STATE ← 0, INT (samples), exit.
    let child = code(&[
        &ld("AL", 1),
        &[6, 16, 0x07, 0xEF, 0x01],
        &ld("X", 0x0605),
        &[6, 2, 0x0E, 0xEF, 0x01],
        &[6, 17, 0x0D, 0xEF, 0x01],
        &[133],
    ]);
    let (mut m, mut few, _) = running(&child);
    m.memory_mut().copy_in(0xF0_0000, b"HELLO");
    m.run(&mut few, 20);
    assert_eq!(m.program_depth(), 0);
    assert_eq!(m.memory().slice(0xF0_0000..0xF0_0005), b"HELLO");
    assert_eq!(m.memory().slice(0x01_EF0D..0x01_EF10), [1, 5, 6]);
    assert_eq!(m.devices().ppu.cursor(), (5, 6));
    assert_eq!(m.memory().byte(0x01_EF07), 0);
    assert_eq!(m.picture().glyphs[0], b'H');
    assert_eq!(m.picture().cursor, Some((5, 6)));
}

#[test]
fn programs_that_wait_for_one_another_are_bounded() {
    // A program that runs itself: AH = 1, INT $20, then exit with the depth's error.
    let program = code(&[&ld("A", 0x0100), &[136, 0x20, 133]]);
    let mut few = Few { program: Some(image_at(ORIGIN, &program)) };
    let mut m = Machine::new();
    m.start(&image_at(ORIGIN, &program), b"").unwrap();
    let mut deepest = 0;
    loop {
        deepest = deepest.max(m.program_depth());
        if m.step(&mut few).is_some() || m.units() > 10_000 {
            break;
        }
    }
    assert_eq!(deepest, 16);
}

#[test]
fn the_frame_mark_of_before_is_not_the_new_programs() {
    let (mut m, back) = shell();
    m.memory_mut().copy_in(SHELL, &code(&[&[142], &ld("A", 0x0100), &[136, 0x20]]));
    // SEI, BRA: with vector 8 set by the program itself.
    let child = Image {
        entry: ORIGIN,
        segments: vec![Segment {
            address: ORIGIN,
            bytes: code(&[&ld("GLT", 0x03_0000), &[6, 95, 0x18, 0xE9, 1, 138, 110, 0xFD, 0xFF]]),
        }],
    };
    let mut few = Few { program: Some(child) };
    for _ in 0..7 {
        assert_eq!(m.step(&mut few), None);
    }
    assert_eq!((m.frames(), m.ip()), (1, ORIGIN + 11));
    assert!(back > SHELL);
}
