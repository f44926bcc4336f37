//! The programs that vc3 carries, in the terminal: the shell's prompt, what
//! it does with programs that are stopped or fault, and the game.

use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

use crate::pty::Session;
use crate::{fixture, vc3};

/// What the shell writes before a command.
const PROMPT: &str = "\n>";

/// A disk folder with some fixtures assembled in it.
fn disk(names: &[&str]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for name in names {
        let source = fixture(&format!("{name}.sda"));
        let program = folder.path().join(format!("{}.PRG", name.to_uppercase()));
        let status =
            Command::new(vc3()).arg("asm").arg(source).arg("-o").arg(program).status().unwrap();
        assert!(status.success());
    }
    folder
}

fn shell(disk: &Path) -> Session {
    let session = Session::start(vc3(), ["shell".as_ref(), "--disk".as_ref(), disk.as_os_str()]);
    session.wait_for(PROMPT);
    session
}

#[test]
fn ctrl_c_twice_at_the_prompt_leaves_vc3() {
    let disk = disk(&[]);
    let mut session = shell(disk.path());
    session.send("\x03");
    session.wait_for("Ctrl-C once more leaves vc3");
    session.send("\x03");
    assert_eq!(session.wait_exit(), 0);
    session.assert_restored();
}

#[test]
fn ctrl_c_twice_in_a_program_returns_to_the_prompt() {
    let disk = disk(&["spin", "keys"]);
    let mut session = shell(disk.path());
    session.send("spin\r");
    session.wait_for("spinning");
    session.send("\x03");
    session.wait_for("Ctrl-C once more stops the program");
    session.send("\x03");
    session.send("keys\r");
    session.wait_for("ready>");
    session.send("q");
    session.wait_for("ended with code 7");
    session.send("\x03\x03");
    assert_eq!(session.wait_exit(), 0);
    session.assert_restored();
}

#[test]
fn a_fault_under_the_shell_is_said_at_once_and_reported_afterwards() {
    let disk = disk(&["fault"]);
    let mut session = shell(disk.path());
    session.send("fault\r");
    session.wait_for("about to break");
    session.send("x");
    session.wait_for("illegal opcode $FF");
    session.send("\x03\x03");
    assert_eq!(session.wait_exit(), 0);
    session.assert_restored();
    // The report is longer than the screen.
    let bytes = String::from_utf8_lossy(&session.bytes()).into_owned();
    let (_, after) = bytes.rsplit_once("\x1b[?1049l").unwrap();
    assert!(after.contains("fault: illegal opcode $FF at $02010F"), "{after}");
}

#[test]
fn a_signal_ends_the_program_and_the_shell() {
    let disk = disk(&["stubborn"]);
    let mut session = shell(disk.path());
    session.send("stubborn\r");
    session.wait_for("stubborn");
    session.signal("TERM");
    assert_eq!(session.wait_exit(), 143);
    session.assert_restored();
}

#[test]
fn rogueima_is_played_as_it_is_without_a_terminal() {
    const KEYS: [&str; 9] = ["n", "\r", "l", "j", "4", "\x1b[A", "?", "\x1b", "\x1b[B"];
    const KEY_LIST: &str = "n<Enter>lj4<Up>?<Esc><Down>";
    let disk = disk(&[]);
    let mut session = Session::start(
        vc3(),
        ["play", "rogueima", "--seed", "7", "--disk", disk.path().to_str().unwrap()],
    );
    session.wait_for("new game");
    for key in KEYS {
        session.wait_settled();
        session.send(key);
    }
    session.wait_for("+-----");
    session.wait_settled();
    let output = Command::new(vc3())
        .args(["play", "rogueima", "--headless", "--seed", "7", "--keys", KEY_LIST])
        .args(["--screen", "text"])
        .output()
        .unwrap();
    let expected = String::from_utf8(output.stdout).unwrap();
    let rows = session.screen(|screen| screen.rows(0, 80).collect::<Vec<_>>());
    for (row, expected) in rows.iter().zip(expected.lines()) {
        assert_eq!(row.trim_end(), expected.trim_end(), "\n{}", session.text());
    }
    assert_eq!(rows.len(), expected.lines().count());
    session.send("\x03\x03");
    session.wait_for("\n>");
    session.send("\x1c");
    assert_eq!(session.wait_exit(), 0);
    session.assert_restored();
}
