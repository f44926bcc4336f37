//! The real `vc3` in a pseudo-terminal: played by keys, its screen compared,
//! the terminal restored after every way out (cases 27–31).

mod display;
mod guard;
mod keyboard;
mod leaving;
mod pacing;
mod programs;
mod pty;
mod saving;

use std::path::{Path, PathBuf};
use std::process::Command;

use pty::Session;

/// The command under test.
fn vc3() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_vc3"))
}

/// A small program that only these tests run.
fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/terminal/fixtures").join(name)
}

/// Plays a fixture in a terminal of 80 columns and 25 rows.
fn play(name: &str) -> Session {
    Session::start(vc3(), ["run".as_ref(), fixture(name).as_os_str()])
}

/// Plays a fixture in another terminal.
fn play_with(name: &str, size: (u16, u16), variables: &[(&str, &str)]) -> Session {
    Session::start_with(vc3(), ["run".as_ref(), fixture(name).as_os_str()], size, variables)
}

/// The rows of a fixture's screen after `keys`, without a terminal.
fn headless_screen(name: &str, keys: &str) -> Vec<String> {
    let output = Command::new(vc3())
        .arg("run")
        .arg(fixture(name))
        .args(["--headless", "--keys", keys, "--screen", "text"])
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(text.lines().count(), 25, "{}", String::from_utf8_lossy(&output.stderr));
    text.lines().map(|line| line.trim_end().to_string()).collect()
}
