//! Machine time: what an instruction, a block, a service and a wait count,
//! and where frames end.

use sd8516::{Input, Machine, Served, Services, Stop};

use crate::support::{Few, ORIGIN, after, code, get, ld, machine, set, set_vector};

#[test]
fn an_instruction_is_one_unit() {
    // LDA, ADD A A, PUSHA, POPA, STA, BRA, NOP
    let program = code(&[&ld("A", 3), &[30, 0, 0, 13, 14, 6, 0, 0, 0, 3, 110, 0, 0, 141]]);
    assert_eq!(after(&program, 7).units(), 7);
}

#[test]
fn the_budget_stops_before_an_instruction_that_would_begin_at_it() {
    for limit in 0..10 {
        let mut m = machine(&[21, 0, 110, 0xFB, 0xFF]);
        assert_eq!(m.run(&mut Few::default(), limit), Stop::Budget);
        assert_eq!(m.units(), limit);
        assert_eq!(get(&m, "A"), limit.div_ceil(2));
    }
    // One that begins in time is finished.
    let mut m = machine(&[161, 2, 16, 0]);
    set(&mut m, "A", 4000);
    assert_eq!(m.run(&mut Few::default(), 1), Stop::Budget);
    assert_eq!(m.units(), 1001);
}

#[test]
fn a_served_int_counts_what_it_touched_and_an_unknown_one_is_one_unit() {
    for (touched, units) in [(0, 1), (1, 2), (4, 2), (5, 3), (2000, 501), (65_535, 16_385)] {
        let mut m = machine(&[136, 0x11]);
        set(&mut m, "B", touched);
        assert_eq!(m.step(&mut Few::default()), None);
        assert_eq!((m.units(), m.ip()), (units, ORIGIN + 2));
    }
    let m = after(&code(&[&ld("A", 0x1234), &[136, 0x77]]), 2);
    assert_eq!((m.units(), get(&m, "A")), (2, 0x12FF));
    assert_eq!(m.flags(), isa::flags::C);
}

/// Services that want a pause whenever they are asked.
struct Tired(Few);

impl Services for Tired {
    fn interrupt(&mut self, machine: &mut Machine, vector: u8) -> Served {
        self.0.interrupt(machine, vector)
    }

    fn wants_pause(&mut self) -> bool {
        true
    }
}

#[test]
fn pauses_for_slow_services_come_after_each_and_change_nothing() {
    // INT $11; INC X; BRA, and at the end of each frame INC Y; IRET.
    let mut plain = machine(&[138, 136, 0x11, 21, 2, 110, 0xF9, 0xFF, 21, 3, 137]);
    set_vector(&mut plain, 8, ORIGIN + 8);
    let mut paused = plain.clone();
    assert_eq!(plain.run(&mut Few::default(), 50_000), Stop::Budget);
    let mut pauses = 0;
    while paused.units() < 50_000 {
        assert_eq!(paused.run(&mut Tired(Few::default()), 50_000), Stop::Budget);
        pauses += 1;
    }
    assert_eq!((get(&plain, "Y"), pauses > get(&plain, "X")), (2, true));
    assert_eq!(paused, plain);
    // A step is one instruction, pause or not.
    assert_eq!(paused.step(&mut Tired(Few::default())), None);
}

#[test]
fn the_instruction_that_ends_the_program_counts_and_ip_is_behind_it() {
    let mut m = machine(&code(&[&ld("A", 9), &[136, 0x20]]));
    assert_eq!(m.run(&mut Few::default(), u64::MAX), Stop::Exit(9));
    assert_eq!((m.units(), m.ip()), (2, ORIGIN + 6));
    assert_eq!(m.run(&mut Few::default(), u64::MAX), Stop::Exit(9));
    assert_eq!(m.step(&mut Few::default()), Some(Stop::Exit(9)));
    // A plain RET goes to the stub: RET, LDA $0000, INT $20.
    let mut m = machine(&code(&[&ld("A", 9), &[133]]));
    assert_eq!(m.run(&mut Few::default(), u64::MAX), Stop::Exit(0));
    assert_eq!((m.units(), m.ip()), (4, 0x01_E8F6));
}

#[test]
fn yield_moves_time_to_the_frames_end() {
    let mut m = machine(&[142, 142, 142, 141]);
    for (frames, units) in [(1, 21_333), (2, 42_666), (3, 64_000)] {
        assert_eq!(m.step(&mut Few::default()), None);
        assert_eq!((m.frames(), m.units()), (frames, units));
    }
    // A YIELD whose own unit reaches the end doesn't wait for another one.
    let mut m = machine(&[110, 0xFD, 0xFF]);
    assert_eq!(m.run(&mut Few::default(), 21_332), Stop::Budget);
    m.memory_mut().set_byte(ORIGIN, 142);
    assert_eq!(m.step(&mut Few::default()), None);
    assert_eq!((m.frames(), m.units()), (1, 21_333));
}

#[test]
fn the_clock_cells_show_frames_and_milliseconds() {
    let mut m = machine(&[142, 110, 0xFC, 0xFF]);
    m.run(&mut Few::default(), 1_280_000);
    assert_eq!(m.frames(), 60);
    assert_eq!(m.memory().read(0x01_EF38, 4), 60);
    assert_eq!(m.memory().read(0x01_EF08, 4), 1000);
}

#[test]
fn an_int_exchanges_the_cells_before_and_after() {
    let mut m = machine(&[136, 0x77]);
    m.memory_mut().set_byte(0x01_EF0E, 200);
    m.memory_mut().set_byte(0x01_EF0F, 200);
    m.memory_mut().set_byte(0x01_EF00, 77);
    assert!(m.key(sd8516::Key { code: 65, flags: 0x10 }));
    m.step(&mut Few::default());
    assert_eq!(m.devices().ppu.cursor(), (80, 24));
    assert_eq!(m.memory().byte(0x01_EF00), 2);
    assert_eq!(m.memory().slice(0x01_EF10..0x01_EF14), [0x10, 1, 65, 0x10]);
}

#[test]
fn a_wait_for_frames_leaves_ip_on_the_int() {
    let program = code(&[&ld("A", 0x0700), &ld("B", 3), &[136, 0x10, 141]]);
    let mut m = machine(&program);
    for input in [Input::None, Input::List([].into())] {
        let mut m = m.clone();
        m.set_input(input);
        m.step(&mut Few::default());
        m.step(&mut Few::default());
        for end in [21_333, 42_666, 64_000] {
            assert_eq!(m.step(&mut Few::default()), None);
            assert_eq!((m.ip(), m.units()), (ORIGIN + 8, end));
        }
        assert_eq!(m.step(&mut Few::default()), None);
        assert_eq!((m.ip(), m.units()), (ORIGIN + 10, 64_001));
    }
    m.set_input(Input::Live);
    assert_eq!(m.run(&mut Few::default(), u64::MAX), Stop::Wait);
    assert_eq!((m.ip(), m.units()), (ORIGIN + 8, 2));
    assert_eq!(m.run(&mut Few::default(), u64::MAX), Stop::Wait);
    for end in [21_333, 42_666, 64_000] {
        m.end_frame();
        m.end_frame();
        assert_eq!(m.units(), end);
        let stop = m.run(&mut Few::default(), end + 1);
        assert_eq!(stop, if end < 64_000 { Stop::Wait } else { Stop::Budget });
    }
    assert_eq!((m.ip(), m.units()), (ORIGIN + 10, 64_001));
}

#[test]
fn drawing_counts_pixels_inside_the_picture() {
    // PFILL in a text mode: outside; in mode 8: 3 × 2 pixels of 10 × 10.
    let mut m = machine(&[193, 193]);
    for (name, value) in [("X", 0xFFF9u64), ("Y", 0xFFF8), ("I", 2), ("J", 1), ("CL", 5)] {
        set(&mut m, name, value);
    }
    m.step(&mut Few::default());
    assert_eq!((m.units(), m.flags()), (1, isa::flags::C));
    let (devices, memory) = m.devices_and_memory();
    devices.ppu.set_mode(memory, sd8516::ppu::Mode::Pixels128x128);
    m.step(&mut Few::default());
    assert_eq!((m.units(), m.flags()), (1 + 1 + 2, 0));
    assert_eq!(m.memory().slice(0xF1_0000..0xF1_0002), [0x55, 0x05]);
}

#[test]
fn the_instruction_that_ends_a_program_may_end_the_frame_too() {
    // After 21,331 units of BRA to itself: NOP, HALT; or NOP, INT $20.
    for last in [&[140][..], &[136, 0x20]] {
        let mut m = machine(&code(&[&[110, 0xFD, 0xFF, 141], last]));
        assert_eq!(m.run(&mut Few::default(), 21_331), Stop::Budget);
        m.set_ip(ORIGIN + 3);
        assert_eq!(m.run(&mut Few::default(), u64::MAX), Stop::Exit(0));
        assert_eq!((m.units(), m.frames()), (21_333, 1));
        assert_eq!(m.memory().read(0x01_EF38, 4), 1, "the frame counter's cell");
    }
}
