//! Keys as a terminal sends them, and what of them reaches the program.

use crate::{headless_screen, play, play_with};

/// Plays keys.sda, which shows code and flags of every key: what it shows
/// for `bytes`.
fn shown_for(bytes: &str) -> String {
    let mut session = play("keys.sda");
    session.wait_for("ready>");
    session.send(bytes);
    session.send("~");
    session.wait_for("126/0");
    let text: String = session.text().lines().map(|line| line.to_string() + " ").collect();
    let keys = text.strip_prefix("ready>").unwrap().split_whitespace();
    keys.take_while(|key| *key != "126/0").collect::<Vec<_>>().join(" ")
}

#[test]
fn arrows_digits_and_control_letters() {
    assert_eq!(shown_for("j\x1b[A\x1b[B\x1b[C\x1b[D"), "106/0 130/0 129/0 131/0 128/0");
    assert_eq!(shown_for("\x1bOp\x1bOy5\x1bOM"), "48/0 57/0 53/0 13/0");
    assert_eq!(shown_for("\x10\x1b[1;2D\x1bx"), "16/32 128/16 120/64");
    assert_eq!(shown_for("\r\t\x7f\x1b[3~\x1b[24~"), "13/0 9/0 8/0 127/0 155/0");
}

#[test]
fn case_27_a_terminal_that_reports_releases_types_each_key_once() {
    assert_eq!(shown_for("\x1b[106;1:1u\x1b[106;1:3u\x1b[1;1:1A\x1b[1;1:3A"), "106/0 130/0");
    assert_eq!(shown_for("\x1b[106;1:1u\x1b[106;1:2u\x1b[106;1:3u"), "106/0 106/0", "a repeat");
}

#[test]
fn escape_alone_arrives_without_another_key() {
    let mut session = play("keys.sda");
    session.wait_for("ready>");
    session.send("\x1b");
    session.wait_for("ready> 27/0");
}

#[test]
fn pasted_text_is_held_back_while_the_buffer_is_full() {
    let mut session = play("flood.sda");
    session.wait_settled();
    let text = "0123456789".repeat(100);
    session.send(format!("\x1b[200~{text}\x1b[201~"));
    session.wait_for("1000999");
    session.send("q");
    assert_eq!(session.wait_exit(), 0);
}

#[test]
fn the_same_keys_give_the_same_screen_with_and_without_a_terminal() {
    let mut session = play("keys.sda");
    session.wait_for("ready>");
    session.send("hello\x1b[A\r");
    session.wait_for("13/0");
    let rows: Vec<String> =
        session.screen(|screen| screen.rows(0, 80).map(|row| row.trim_end().to_string()).collect());
    assert_eq!(rows, headless_screen("keys.sda", "hello<Up><Enter>"));
}

#[test]
fn keys_reach_the_program_while_the_window_is_too_small() {
    let mut session = play_with("keys.sda", (40, 12), &[]);
    session.wait_for("needs 80 columns");
    session.send("j");
    session.send("q");
    assert_eq!(session.wait_exit(), 7);
    session.assert_restored();
}

#[test]
fn case_31_a_slow_terminal_skips_frames_and_no_keys() {
    let mut session = play("flood.sda");
    session.wait_settled();
    let before = session.bytes().len();
    session.pause_reading();
    for _ in 0..100 {
        session.send("ab");
    }
    std::thread::sleep(std::time::Duration::from_millis(500));
    session.resume_reading();
    session.wait_for("200bbb");
    session.wait_settled();
    let written = session.bytes().len() - before;
    assert!(written < 100 * 2000, "{written} bytes for a screen of 2,000 cells");
    session.send("q");
    assert_eq!(session.wait_exit(), 0);
}

#[test]
fn case_31_a_terminal_that_takes_nothing_does_not_hold_the_program() {
    let mut session = play("churn.sda");
    session.wait_until("something is drawn", |session| session.bytes().len() > 2000);
    session.pause_reading();
    std::thread::sleep(std::time::Duration::from_secs(1));
    // It ends after a key.
    session.send("x");
    session.wait_until_ended();
}
