//! The programs that vc3 carries, in the terminal: the shell's prompt, what
//! it does with programs that are stopped or fault, and the game.

use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

use crate::pty::Session;
use crate::{fixture, vc3};

/// What the shell writes before a command.
const PROMPT: &str = ">";

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
    session.wait_without("ready>");
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
    let text = session.text();
    assert!(text.contains("fault: illegal opcode $FF at $02010F"), "{text}");
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
