//! The ways out: the program's own, Ctrl-C twice, Ctrl-\, signals, a closed
//! window. The terminal is restored after each (case 28).

use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::{fixture, play, play_with, vc3};

#[test]
fn the_program_s_exit_code_is_vc3_s() {
    let mut session = play("keys.sda");
    session.wait_for("ready>");
    assert!(session.is_raw());
    assert!(session.screen(|screen| screen.alternate_screen()));
    session.send("q");
    assert_eq!(session.wait_exit(), 7);
    session.assert_restored();
}

#[test]
fn what_a_program_printed_can_be_read_after_it_has_ended() {
    let mut session = play("hello.sda");
    assert_eq!(session.wait_exit(), 0);
    session.assert_restored();
    assert_eq!(session.text().trim(), "Hello,\n  this is all.");
}

#[test]
fn a_stopped_program_and_one_that_is_left_leave_nothing_on_the_screen() {
    for keys in ["\x03\x03", "\x1C"] {
        let mut session = play("keys.sda");
        session.wait_for("ready>");
        session.send(keys);
        session.wait_exit();
        session.assert_restored();
        assert_eq!(session.text().trim(), "", "{keys:?}");
    }
}

#[test]
fn ctrl_c_once_says_so_on_the_bottom_line_for_two_seconds() {
    let mut session = play("keys.sda");
    session.wait_for("ready>");
    let before = session.text();
    session.send("\x03");
    session.wait_for("Ctrl-C once more stops the program");
    let bottom = session.screen(|screen| screen.rows(0, 80).nth(24).unwrap());
    assert!(bottom.contains("Ctrl-C once more"), "{bottom}");
    session.wait_without("Ctrl-C once more");
    assert_eq!(session.text(), before, "the program's screen is as it was");
    session.send("\x03");
    session.wait_for("Ctrl-C once more");
    session.send("jq");
    assert_eq!(session.wait_exit(), 7, "it goes on");
}

#[test]
fn ctrl_c_twice_stops_a_program_that_computes() {
    let mut session = play("spin.sda");
    session.wait_for("spinning");
    session.send("\x03\x03");
    assert_eq!(session.wait_exit(), 130);
    session.assert_restored();
}

#[test]
fn ctrl_c_twice_stops_a_program_that_waits_for_a_key() {
    let mut session = play("keys.sda");
    session.wait_for("ready>");
    session.send("\x03");
    session.wait_for("Ctrl-C once more");
    session.send("\x03");
    assert_eq!(session.wait_exit(), 130);
    session.assert_restored();
}

#[test]
fn a_program_with_vector_9_puts_things_in_order_first() {
    let mut session = play("tidy.sda");
    session.wait_for("tidy");
    session.send("\x03\x03");
    assert_eq!(session.wait_exit(), 5);
    session.assert_restored();
}

#[test]
fn a_program_that_does_not_end_is_stopped_after_the_grace() {
    let mut session = play("stubborn.sda");
    session.wait_for("stubborn");
    let start = Instant::now();
    session.send("\x03\x03");
    assert_eq!(session.wait_exit(), 130);
    assert!(start.elapsed() > Duration::from_millis(500), "it had time");
    session.assert_restored();
}

#[test]
fn ctrl_backslash_leaves_at_once() {
    for name in ["keys.sda", "spin.sda", "stubborn.sda"] {
        let mut session = play(name);
        session.wait_for(if name == "keys.sda" { "ready>" } else { &name[..4] });
        session.send("\x1c");
        assert_eq!(session.wait_exit(), 0, "{name}");
        session.assert_restored();
    }
}

#[test]
fn ctrl_backslash_leaves_a_terminal_that_takes_nothing() {
    let mut session = play("churn.sda");
    session.wait_until("something is drawn", |session| session.bytes().len() > 2000);
    session.pause_reading();
    thread::sleep(Duration::from_millis(500));
    session.send("\x1c");
    session.wait_until_ended();
}

#[test]
fn signals_end_the_program_and_restore_the_terminal() {
    for (name, code) in [("TERM", 143), ("HUP", 129), ("INT", 130)] {
        for program in ["keys.sda", "spin.sda"] {
            let mut session = play(program);
            session.wait_for(if program == "keys.sda" { "ready>" } else { "spinning" });
            session.signal(name);
            assert_eq!(session.wait_exit(), code, "SIG{name} in {program}");
            session.assert_restored();
        }
    }
}

#[test]
fn a_signal_gives_vector_9_its_time() {
    let mut session = play("tidy.sda");
    session.wait_for("tidy");
    session.signal("TERM");
    assert_eq!(session.wait_exit(), 5);
    session.assert_restored();
    let mut session = play("stubborn.sda");
    session.wait_for("stubborn");
    session.signal("TERM");
    assert_eq!(session.wait_exit(), 143);
    session.assert_restored();
}

#[test]
fn a_second_signal_does_not_wait() {
    let mut session = play("stubborn.sda");
    session.wait_for("stubborn");
    let start = Instant::now();
    session.signal("TERM");
    session.signal("TERM");
    session.wait_exit();
    assert!(start.elapsed() < Duration::from_secs(30));
    session.assert_restored();
}

#[test]
fn a_closed_window_ends_vc3() {
    for name in ["keys.sda", "stubborn.sda"] {
        let mut session = play(name);
        session.wait_for(if name == "keys.sda" { "ready>" } else { "stubborn" });
        // The first Ctrl-C makes even a program write that ignores keys.
        session.hang_up("\x03");
        session.wait_until_ended();
    }
}

#[test]
fn a_closed_window_gives_vector_9_its_time() {
    let mut session = play("tidy.sda");
    session.wait_for("tidy");
    session.hang_up("\x03");
    assert_eq!(session.wait_exit(), 5);
}

#[test]
fn a_suspended_vc3_gives_the_terminal_back_and_takes_it_again() {
    let mut session = play("keys.sda");
    session.wait_for("ready>");
    session.signal("TSTP");
    session.wait_until("the terminal is given back", |session| {
        !session.is_raw() && session.screen(|screen| !screen.alternate_screen())
    });
    session.assert_restored();
    session.signal("CONT");
    session.wait_for("ready>");
    session.send("j");
    session.wait_for("106/0");
    assert!(session.is_raw());
    session.send("q");
    assert_eq!(session.wait_exit(), 7);
    session.assert_restored();
}

#[test]
fn a_fault_is_reported_after_the_terminal_is_restored() {
    let mut session = play("fault.sda");
    session.wait_for("about to break");
    session.send("x");
    assert_eq!(session.wait_exit(), 70);
    session.assert_restored();
    let text = session.text();
    assert!(text.contains("illegal opcode $FF"), "{text}");
    assert!(text.contains("fault.sda:8"), "{text}");
}

#[test]
fn without_a_terminal_one_message_says_what_to_do() {
    let output = Command::new(vc3())
        .arg("run")
        .arg(fixture("keys.sda"))
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(text.contains("needs a terminal"), "{text}");
    assert!(text.contains("--headless"), "{text}");
    assert_eq!(output.stdout, b"");
}

#[test]
fn a_terminal_that_cannot_place_the_cursor_is_refused() {
    let mut session = play_with("keys.sda", (80, 25), &[("TERM", "dumb")]);
    assert_eq!(session.wait_exit(), 2);
    assert!(session.text().contains("TERM=dumb"), "{}", session.text());
    session.assert_restored();
}
