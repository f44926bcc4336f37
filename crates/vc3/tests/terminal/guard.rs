//! The guard that holds the terminal, by itself: what a panic leaves behind.
//! Each test starts this test program again in a pseudo-terminal, as a child
//! that takes the terminal over and then goes wrong.

use std::env;
use std::thread;

use crate::pty::Session;

#[allow(dead_code)]
#[path = "../../src/term/guard.rs"]
mod guarded;

use guarded::Guard;

const CHILD: &str = "VC3_TERMINAL_TEST_CHILD";
const TAKEN: &str = "the terminal is taken";

/// Runs `child` in a pseudo-terminal, as the test `name` of this file; `None`
/// in the child itself.
fn in_terminal(name: &str, child: fn()) -> Option<Session> {
    if env::var_os(CHILD).is_some() {
        child();
        return None;
    }
    let program = env::current_exe().unwrap();
    let test = format!("guard::{name}");
    let session = Session::start_with(
        &program,
        [test.as_str(), "--exact", "--nocapture"],
        (80, 25),
        &[(CHILD, "1"), ("RUST_BACKTRACE", "0")],
    );
    Some(session)
}

fn take() -> Guard {
    let guard = Guard::enter().unwrap();
    guard.terminal().write(TAKEN.as_bytes()).unwrap();
    guard
}

#[track_caller]
fn assert_was_taken_and_restored(session: &Session) {
    let bytes = String::from_utf8_lossy(&session.bytes()).into_owned();
    let taken = bytes.find(TAKEN).expect("the terminal was never taken");
    assert!(bytes[..taken].contains("\x1b[?1049h"), "the other screen");
    session.assert_restored();
}

#[test]
fn a_panic_restores_the_terminal_and_its_message_can_be_read() {
    fn child() {
        let _guard = take();
        panic!("something went wrong here");
    }
    let name = "a_panic_restores_the_terminal_and_its_message_can_be_read";
    let Some(mut session) = in_terminal(name, child) else { return };
    assert_eq!(session.wait_exit(), 101);
    assert_was_taken_and_restored(&session);
    let text = session.text();
    assert!(text.contains("something went wrong here"), "{text}");
    assert!(!text.contains(TAKEN), "{text}");
}

#[test]
fn a_panic_in_another_thread_restores_it_and_nothing_is_drawn_afterwards() {
    fn child() {
        let guard = take();
        let _ = thread::spawn(|| panic!("another thread went wrong")).join();
        guard.terminal().write(b"a late frame").unwrap();
    }
    let name = "a_panic_in_another_thread_restores_it_and_nothing_is_drawn_afterwards";
    let Some(mut session) = in_terminal(name, child) else { return };
    assert_eq!(session.wait_exit(), 0);
    assert_was_taken_and_restored(&session);
    let text = session.text();
    assert!(text.contains("another thread went wrong"), "{text}");
    assert!(!text.contains("late frame"), "{text}");
}

#[test]
fn an_error_on_the_way_restores_it() {
    fn child() {
        fn fails() -> Result<(), &'static str> {
            let _guard = take();
            Err("an error")?;
            unreachable!("the error was returned");
        }
        assert_eq!(fails(), Err("an error"));
    }
    let Some(mut session) = in_terminal("an_error_on_the_way_restores_it", child) else { return };
    assert_eq!(session.wait_exit(), 0);
    assert_was_taken_and_restored(&session);
}

#[test]
fn it_can_be_given_back_and_taken_again() {
    fn child() {
        let guard = take();
        guard.release();
        println!("between");
        guard.retake().unwrap();
        guard.terminal().write(b"again").unwrap();
    }
    let name = "it_can_be_given_back_and_taken_again";
    let Some(mut session) = in_terminal(name, child) else { return };
    assert_eq!(session.wait_exit(), 0);
    assert_was_taken_and_restored(&session);
    let bytes = String::from_utf8_lossy(&session.bytes()).into_owned();
    let between = bytes.find("between").unwrap();
    assert!(bytes[..between].ends_with("\x1b[?25h"), "given back");
    assert!(bytes[between..].contains("\x1b[?1049h"), "taken again");
    assert!(session.text().contains("between"));
}
