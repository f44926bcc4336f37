//! Looking back from a fault.

use sd8516::{History, Input, Key, Past, Replay, Stop};

use crate::support::{Few, ORIGIN, code, image_at, ld, machine, reg, set_vector};

/// Machine time and address.
fn moment(past: &Past) -> (u64, u32) {
    (past.units, past.ip)
}

fn places(history: &[Past]) -> Vec<u32> {
    history.iter().map(|past| past.ip - ORIGIN).collect()
}

#[test]
fn the_last_instructions_up_to_the_fault() {
    // DEC X until it is 0, then an illegal opcode.
    let program = code(&[&ld("X", 33_000), &[22, 2, 112, 0xFB, 0xFF, 8]]);
    let mut m = machine(&program);
    let mut replay = Replay::new(&m);
    let mut few = Few::default();
    let fault = loop {
        let until = m.units() + 10_000;
        match m.run(&mut few, until) {
            Stop::Budget => replay = Replay::new(&m),
            Stop::Fault(fault) => break fault,
            other => panic!("{other:?}"),
        }
    };
    assert!(replay.start_units() >= 60_000);
    let history = replay.history(&mut few, &fault, 16, &[]).last;
    assert_eq!(history.len(), 16);
    assert_eq!(moment(&history[15]), (fault.units, fault.ip));
    for pair in history.windows(2) {
        assert_eq!(pair[1].units, pair[0].units + 1);
    }
    assert_eq!(places(&history[12..]), [6, 4, 6, 9]);
    assert_eq!(replay.history(&mut few, &fault, 3, &[]).last.len(), 3);
    assert!(replay.history(&mut few, &fault, 0, &[]).last.is_empty());
}

#[test]
fn a_short_run_gives_what_there_was() {
    let mut m = machine(&[141, 21, 0, 8]);
    let replay = Replay::new(&m);
    let Stop::Fault(fault) = m.run(&mut Few::default(), u64::MAX) else { panic!("no fault") };
    let history = replay.history(&mut Few::default(), &fault, 16, &[]).last;
    assert_eq!(places(&history), [0, 1, 3]);
}

#[test]
fn keys_frames_and_a_request_to_stop_are_played_again() {
    // Reads a key, waits for a frame, reads another; vector 9's handler is an illegal opcode.
    let program = code(&[&ld("AH", 2), &[136, 0x10, 142, 136, 0x10, 110, 0xFD, 0xFF]]);
    let mut m = machine(&program);
    m.memory_mut().copy_in(ORIGIN + 0x20, &[8]);
    set_vector(&mut m, 9, ORIGIN + 0x20);
    m.set_input(Input::Live);
    let mut replay = Replay::new(&m);
    let mut few = Few::default();
    let mut waits = 0;
    let fault = loop {
        let until = m.units() + 1000;
        match m.run(&mut few, until) {
            Stop::Wait => {
                waits += 1;
                if waits % 3 == 0 {
                    let key = Key { code: waits, flags: 0 };
                    replay.key(m.units(), key);
                    m.key(key);
                } else {
                    m.end_frame();
                }
            }
            Stop::Budget if m.units() > 100_000 => {
                replay.stop_request(m.units());
                m.request_stop();
            }
            Stop::Budget => {}
            Stop::Fault(fault) => break fault,
            other => panic!("{other:?}"),
        }
    };
    let history = replay.history(&mut few, &fault, 16, &[]).last;
    assert_eq!(moment(&history[15]), (fault.units, fault.ip));
    assert_eq!(places(&history[13..]), [8, 8, 0x20]);
}

#[test]
fn a_fault_under_a_shell_is_found_too() {
    let shell = code(&[&ld("A", 0x0100), &[136, 0x20, 110, 0xFD, 0xFF]]);
    let mut m = machine(&[]);
    m.start(&image_at(0x01_0100, &shell), b"").unwrap();
    let mut few = Few { program: Some(image_at(ORIGIN, &[141, 9, 0, 99])) };
    let replay = Replay::new(&m);
    assert_eq!(m.run(&mut few, 500), Stop::Budget);
    let fault = m.take_fault_reports().remove(0);
    let history = replay.history(&mut few, &fault, 16, &[]).last;
    let ips: Vec<u32> = history.iter().map(|past| past.ip).collect();
    assert_eq!(ips, [0x01_0100, 0x01_0104, ORIGIN, ORIGIN + 1]);
}

#[test]
fn a_run_through_zeros_tells_where_it_left_the_program() {
    // NOP, then zeros up to an illegal opcode far behind them.
    let far = ORIGIN + 1 + 4 * 50_000;
    let mut m = machine(&[141]);
    m.memory_mut().copy_in(far, &[8]);
    let replay = Replay::new(&m);
    let mut few = Few::default();
    let Stop::Fault(fault) = m.run(&mut few, u64::MAX) else { panic!("no fault") };
    let program = ORIGIN..ORIGIN + 1;
    let known = std::slice::from_ref(&program);

    let History { last, left } = replay.history(&mut few, &fault, 16, known);
    let shown: Vec<(u32, u32)> = last.iter().map(|past| (past.ip, past.more)).collect();
    assert_eq!(shown, [(ORIGIN, 0), (ORIGIN + 1, 49_999), (far, 0)]);
    assert_eq!(left, None, "it is among the last ones");

    let History { last, left } = replay.history(&mut few, &fault, 2, known);
    assert_eq!((last.len(), left.map(|past| past.ip)), (2, Some(ORIGIN)));
    assert_eq!(replay.history(&mut few, &fault, 2, &[]).left, None);
}

#[test]
fn code_that_a_program_changed_is_shown_as_it_was() {
    // STAL over the NOP in front, then an illegal opcode.
    let [low, middle, high, _] = ORIGIN.to_le_bytes();
    let store = [6, reg("AL").id(), low, middle, high];
    let program = code(&[&[141], &ld("AL", 133), &store, &[8]]);
    let mut m = machine(&program);
    let replay = Replay::new(&m);
    let mut few = Few::default();
    let Stop::Fault(fault) = m.run(&mut few, u64::MAX) else { panic!("no fault") };
    assert_eq!(m.memory().byte(ORIGIN), 133);
    let last = replay.history(&mut few, &fault, 16, &[]).last;
    assert_eq!((last[0].ip, last[0].bytes[0]), (ORIGIN, 141));
}
