//! Keys: lists, none at all, and live ones; what waits for them.

use std::collections::VecDeque;

use sd8516::{Input, Key, Machine, Stop, Wait};

use crate::support::{Few, ORIGIN, code, get, ld, machine, set_vector};

fn keys(text: &str) -> VecDeque<Key> {
    text.bytes().map(|code| Key { code, flags: 0 }).collect()
}

/// Reads keys for ever: AH = 2, INT $10, STAL [FLM], INC M, again.
fn reader() -> Machine {
    let program = code(&[&ld("AH", 2), &[136, 0x10, 7, 16, 85, 21, 9, 110, 0xF3, 0xFF]]);
    machine(&program)
}

#[test]
fn a_list_is_read_to_its_end_without_time_for_waiting() {
    let mut m = reader();
    m.set_input(Input::List(keys("abc")));
    assert_eq!(m.run(&mut Few::default(), u64::MAX), Stop::KeysUsedUp);
    assert_eq!(m.memory().slice(0..4), b"abc\0");
    // Three rounds of five, and the LDAH before the INT that waits.
    assert_eq!((m.units(), m.ip()), (16, ORIGIN + 3));
    assert_eq!(m.run(&mut Few::default(), u64::MAX), Stop::KeysUsedUp);
    assert_eq!(m.units(), 16);
    assert_eq!(m.input(), &Input::List(VecDeque::new()));
}

#[test]
fn a_key_of_the_list_arrives_only_when_the_program_waits() {
    // YIELD twice, then read: each YIELD with an empty buffer brings a key.
    let program = code(&[&[142, 142], &ld("AH", 2), &[136, 0x10]]);
    let mut m = machine(&program);
    m.set_input(Input::List(keys("xyz")));
    for frames in 1..=2 {
        m.step(&mut Few::default());
        assert_eq!(m.frames(), frames);
        // The second one finds the first key still there.
        assert_eq!(m.devices().keyboard.len(), 1);
        assert_eq!(m.input(), &Input::List(keys("yz")));
    }
    m.step(&mut Few::default());
    m.step(&mut Few::default());
    assert_eq!(get(&m, "AL"), u64::from(b'x'));
}

#[test]
fn yield_and_halt_with_a_used_up_list_end_the_run_where_they_stand() {
    let mut m = machine(&[142, 142]);
    m.set_input(Input::List(keys("")));
    assert_eq!(m.run(&mut Few::default(), u64::MAX), Stop::KeysUsedUp);
    assert_eq!((m.ip(), m.units(), m.frames()), (ORIGIN, 0, 0));

    let mut m = machine(&[138, 140]);
    set_vector(&mut m, 8, 0x03_0000);
    m.set_input(Input::List(keys("")));
    assert_eq!(m.run(&mut Few::default(), u64::MAX), Stop::KeysUsedUp);
    assert_eq!((m.ip(), m.units(), m.flags()), (ORIGIN + 1, 1, isa::flags::I));

    // A key in the buffer lets them pass time.
    let mut m = machine(&[142, 142]);
    m.set_input(Input::List(keys("")));
    m.key(Key { code: 65, flags: 0 });
    m.step(&mut Few::default());
    assert_eq!(m.units(), 21_333);
}

#[test]
fn a_halt_that_can_never_end_is_the_end_and_takes_no_key() {
    let mut m = machine(&[140]);
    m.set_input(Input::List(keys("")));
    assert_eq!(m.run(&mut Few::default(), u64::MAX), Stop::Exit(0));
    assert_eq!((m.ip(), m.units(), m.flags()), (ORIGIN + 1, 1, isa::flags::H));
}

#[test]
fn without_keys_time_passes_but_waiting_for_one_ends_the_run() {
    let mut m = reader();
    assert_eq!(m.run(&mut Few::default(), u64::MAX), Stop::KeysUsedUp);
    assert_eq!((m.ip(), m.units()), (ORIGIN + 3, 1));
    let mut m = machine(&[142, 110, 0xFC, 0xFF]);
    assert_eq!(m.run(&mut Few::default(), 1_000_000), Stop::Budget);
    assert!(m.units() >= 1_000_000);
}

#[test]
fn live_keys_are_waited_for() {
    let mut m = reader();
    m.set_input(Input::Live);
    assert_eq!(m.run(&mut Few::default(), u64::MAX), Stop::Wait);
    assert_eq!((m.waiting(), m.ip(), m.units()), (Some(Wait::Key), ORIGIN + 3, 1));
    // No key yet: the frame ends, and another.
    m.end_frame();
    assert_eq!(m.units(), 21_333);
    assert_eq!(m.run(&mut Few::default(), u64::MAX), Stop::Wait);
    m.end_frame();
    assert_eq!(m.run(&mut Few::default(), u64::MAX), Stop::Wait);
    assert_eq!(m.units(), 42_666);
    // A key: no time passes.
    m.key(Key { code: b'k', flags: 0x40 });
    assert_eq!(m.run(&mut Few::default(), u64::MAX), Stop::Wait);
    assert_eq!((m.units(), m.memory().byte(0)), (42_666 + 5, b'k'));
    assert_eq!(get(&m, "BL"), 0x40);
}

#[test]
fn a_live_yield_waits_for_the_frame_whatever_keys_come() {
    let mut m = machine(&[142, 141, 110, 0xFD, 0xFF]);
    m.set_input(Input::Live);
    assert_eq!(m.run(&mut Few::default(), u64::MAX), Stop::Wait);
    assert_eq!((m.waiting(), m.ip(), m.units()), (Some(Wait::Frame), ORIGIN + 1, 0));
    m.key(Key { code: 1, flags: 0 });
    assert_eq!(m.run(&mut Few::default(), u64::MAX), Stop::Wait);
    assert_eq!(m.units(), 0);
    m.end_frame();
    assert_eq!(m.run(&mut Few::default(), 21_334), Stop::Budget);
    assert_eq!((m.ip(), m.units()), (ORIGIN + 2, 21_334));
    // Nothing waits now.
    m.end_frame();
    assert_eq!(m.units(), 21_334);
}

#[test]
fn live_and_headless_frames_give_the_same_machine() {
    let program = code(&[&[138], &[142, 21, 0, 140, 21, 1, 110, 0xF6, 0xFF]]);
    let handler = [21, 2, 137];
    let start = |input| {
        let mut m = machine(&program);
        m.memory_mut().copy_in(0x03_0000, &handler);
        set_vector(&mut m, 8, 0x03_0000);
        m.set_input(input);
        m
    };
    let mut headless = start(Input::None);
    let mut live = start(Input::Live);
    let limit = 30 * 21_333;
    assert_eq!(headless.run(&mut Few::default(), limit), Stop::Budget);
    loop {
        match live.run(&mut Few::default(), limit) {
            Stop::Wait => live.end_frame(),
            Stop::Budget => break,
            other => panic!("{other:?}"),
        }
    }
    live.set_input(Input::None);
    assert!(live.frames() >= 29 && get(&live, "X") >= 29);
    assert!(live == headless);
}
