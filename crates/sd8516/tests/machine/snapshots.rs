//! A machine is a value: copies, snapshots in the middle of a run, many on
//! threads, and damaged snapshots.

use sd8516::{Input, Key, Machine, Stop};

use crate::support::{Few, Numbers, code, image_at, ld, machine, set_vector};

/// A program that computes, stores, waits for frames, is interrupted, reads
/// keys and never ends.
fn busy() -> Machine {
    let program = code(&[
        &[138],
        // loop: MUL A, 25173; ADD A, 13849; MOV M, A; STA [FLM]; ADDC IJ, A…
        &[37, 0, 0x55, 0x62, 35, 0, 0x19, 0x36, 9, 9, 0, 7, 0, 85, 41, 51, 52],
        // PUSH A, POP X, CALL to the next instruction and drop its address
        &[11, 0, 12, 2, 135, 0, 0, 12, 72],
        // T = 300: MEMFILL M, AH, T
        &ld("T", 300),
        &[161, 9, 17, 8],
        // AH = 2, INT $10; YIELD; back to the loop
        &ld("AH", 2),
        &[136, 0x10, 142, 100, 1, 1, 2],
    ]);
    let mut m = machine(&program);
    m.memory_mut().copy_in(0x03_0000, &[21, 15, 137]);
    set_vector(&mut m, 8, 0x03_0000);
    let keys = (0..2000u32).map(|n| Key { code: n as u8, flags: (n >> 8) as u8 });
    m.set_input(Input::List(keys.collect()));
    m
}

const END: u64 = 1_000_000;

fn finished() -> Machine {
    let mut m = busy();
    assert_eq!(m.run(&mut Few::default(), END), Stop::Budget);
    m
}

#[test]
fn a_snapshot_in_the_middle_has_the_same_end() {
    let end = finished();
    for middle in [0, 1, 17, 21_333, 21_334, 500_001] {
        let mut m = busy();
        assert_eq!(m.run(&mut Few::default(), middle), Stop::Budget);
        let text = serde_json::to_string(&m).unwrap();
        assert!(text.len() < 1_000_000, "{} bytes", text.len());
        let mut restored: Machine = serde_json::from_str(&text).unwrap();
        assert!(restored == m);
        assert_eq!(restored.run(&mut Few::default(), END), Stop::Budget);
        assert!(restored == end, "from {middle}");
    }
}

#[test]
fn running_in_small_pieces_or_steps_is_running() {
    let end = finished();
    let mut pieces = busy();
    let mut numbers = Numbers(1);
    while pieces.units() < END {
        let until = (pieces.units() + numbers.below(3000)).min(END);
        assert_eq!(pieces.run(&mut Few::default(), until), Stop::Budget);
    }
    assert!(pieces == end);
    let mut steps = busy();
    while steps.units() < END {
        assert_eq!(steps.step(&mut Few::default()), None);
    }
    assert!(steps == end);
}

#[test]
fn a_copy_is_independent() {
    let mut m = busy();
    m.run(&mut Few::default(), 1000);
    let copy = m.clone();
    assert!(copy == m);
    let units = m.units();
    m.step(&mut Few::default());
    assert!(copy != m);
    assert_eq!(copy.units(), units);
}

#[test]
fn many_machines_on_threads_give_the_same_result() {
    let end = finished();
    std::thread::scope(|scope| {
        let runs: Vec<_> = (0..8).map(|_| scope.spawn(finished)).collect();
        for run in runs {
            assert!(run.join().unwrap() == end);
        }
    });
}

#[test]
fn a_snapshot_while_waiting_is_an_ordinary_one() {
    let start = || {
        let mut m = machine(&code(&[&ld("AH", 2), &[136, 0x10, 142, 140]]));
        m.set_input(Input::Live);
        m
    };
    let again = |m: &Machine| -> Machine {
        serde_json::from_str(&serde_json::to_string(m).unwrap()).unwrap()
    };
    let mut straight = start();
    let mut stored = start();
    for _ in 0..4 {
        assert_eq!(straight.run(&mut Few::default(), u64::MAX), Stop::Wait);
        assert_eq!(stored.run(&mut Few::default(), u64::MAX), Stop::Wait);
        stored = again(&stored);
        straight.end_frame();
        stored.end_frame();
        stored = again(&stored);
    }
    for m in [&mut straight, &mut stored] {
        m.key(Key { code: 65, flags: 0 });
        assert_eq!(m.run(&mut Few::default(), u64::MAX), Stop::Wait);
        m.end_frame();
        assert_eq!(m.run(&mut Few::default(), u64::MAX), Stop::Exit(0));
    }
    assert!(again(&stored) == straight);
}

/// Every number in a snapshot made extreme, one after another: it is refused,
/// or the machine runs on without a panic.
#[test]
fn damaged_snapshots_do_no_harm() {
    use serde_json::Value;

    fn numbers(value: &mut Value, at: &mut usize, to: &Value) -> bool {
        match value {
            Value::Number(_) => {
                if *at == 0 {
                    *value = to.clone();
                    return true;
                }
                *at -= 1;
                false
            }
            Value::Array(list) => list.iter_mut().any(|item| numbers(item, at, to)),
            Value::Object(map) => map.values_mut().any(|item| numbers(item, at, to)),
            _ => false,
        }
    }

    let mut m = machine(&[142, 136, 0x10, 193, 110, 0xFA, 0xFF]);
    m.set_input(Input::List([Key { code: 1, flags: 2 }].into()));
    m.push_program(&image_at(0x02_0100, &[142, 141, 136, 0x11, 140]), b"").unwrap();
    m.run(&mut Few::default(), 10);
    let mut whole = serde_json::to_value(&m).unwrap();
    // The pages themselves are tested elsewhere, and long.
    if let Some(pages) = whole.pointer_mut("/memory/bytes").and_then(Value::as_array_mut) {
        pages.truncate(2);
    }
    let mut tried = 0;
    for to in ["18446744073709551615", "4294967295", "65535", "255", "-1", "0"] {
        let to: Value = serde_json::from_str(to).unwrap();
        for place in 0.. {
            let mut damaged = whole.clone();
            if !numbers(&mut damaged, &mut place.clone(), &to) {
                break;
            }
            if let Ok(mut m) = serde_json::from_value::<Machine>(damaged) {
                let _ = m.picture();
                let until = m.units().saturating_add(2000);
                let _ = m.run(&mut Few::default(), until);
                let _ = m.step(&mut Few::default());
                m.request_stop();
                m.end_frame();
                let _ = m.program_end();
                tried += 1;
            }
        }
    }
    assert!(tried > 100, "{tried}");
}

#[test]
fn machines_can_be_sent() {
    fn sendable<T: Send + Sync + Clone + 'static>() {}
    sendable::<Machine>();
}
