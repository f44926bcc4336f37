//! Rogueima in a terminal that is taken away: whatever ends it, the game goes
//! on where it was.

use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::Duration;

use tempfile::TempDir;

use crate::pty::Session;
use crate::vc3;

/// Moments at which a game is ended.
const MOMENTS: u32 = 100;

fn play(disk: &Path, seed: u32) -> Session {
    let seed = seed.to_string();
    let disk = disk.to_str().expect("a name in UTF-8");
    let session =
        Session::start(vc3(), ["play", "rogueima", "--seed", seed.as_str(), "--disk", disk]);
    session.wait_for("new game");
    session
}

/// The screen of the game on this disk, resumed.
fn resumed(disk: &TempDir) -> String {
    let output = Command::new(vc3())
        .args(["play", "rogueima", "--headless", "--keys", "r", "--screen", "text", "--disk"])
        .arg(disk.path())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[track_caller]
fn assert_goes_on(screen: &str) {
    assert!(screen.contains("|ROGUE ") && screen.contains(" T:"), "not the game:\n{screen}");
    assert!(!screen.contains("The saved game"), "refused:\n{screen}");
}

/// A small generator, so that the moments are the same in every run.
fn moments() -> impl FnMut(u32) -> u32 {
    let mut state = 0x2545_F491_u32;
    move |bound| {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state % bound
    }
}

#[test]
fn a_killed_game_can_be_resumed() {
    let mut random = moments();
    const KEYS: [&str; 12] = ["l", "j", "k", "h", "\t", "o", "i", "t", "m", "?", "w", "_>\r"];
    for moment in 0..MOMENTS {
        let disk = tempfile::tempdir().unwrap();
        let mut session = play(disk.path(), moment + 1);
        session.send("n\r");
        session.wait_for("Welcome to Brynn");
        for _ in 0..random(12) {
            session.send(KEYS[random(12) as usize]);
            thread::sleep(Duration::from_millis(random(30).into()));
        }
        match moment % 3 {
            0 => {
                session.signal("KILL");
                session.wait_until_ended();
            }
            kind => {
                session.signal(["TERM", "HUP"][(kind % 2) as usize]);
                session.wait_exit();
                session.assert_restored();
            }
        }
        assert_goes_on(&resumed(&disk));
    }
}

#[test]
fn ctrl_c_twice_and_a_closed_window_save_too() {
    let disk = tempfile::tempdir().unwrap();
    let mut session = play(disk.path(), 1);
    session.send("n\rllll");
    session.wait_for("T:4");
    session.send("\x03\x03");
    session.wait_for("\n>");
    session.send("\x1c");
    session.wait_exit();
    let screen = resumed(&disk);
    assert_goes_on(&screen);
    assert!(screen.contains("T:4 "), "{screen}");

    let mut session = play(disk.path(), 1);
    session.send("r");
    session.wait_for("T:4");
    session.send("ll");
    session.wait_for("T:6");
    session.hang_up("\x03");
    session.wait_until_ended();
    let screen = resumed(&disk);
    assert_goes_on(&screen);
    assert!(screen.contains("T:6 "), "{screen}");
}

#[test]
fn a_game_whose_host_dies_goes_on_from_its_beginning_or_last_staircase() {
    let disk = tempfile::tempdir().unwrap();
    let mut session = play(disk.path(), 1);
    session.send("n\rll");
    session.wait_for("T:2");
    session.signal("KILL");
    session.wait_until_ended();
    assert_goes_on(&resumed(&disk));
}

/// Every staircase saves: down the well and up again, until nothing is left of the
/// host, perhaps in the middle of a save.
#[test]
fn a_host_that_dies_while_it_saves_leaves_a_whole_game() {
    let mut random = moments();
    for moment in 0..20 {
        let disk = tempfile::tempdir().unwrap();
        let mut session = play(disk.path(), moment + 1);
        session.send("n\rlljjjjjjjjjjjjjjjjjjjjjj");
        session.wait_for("T:24");
        session.send("><".repeat(200));
        session.wait_for("BrynnWell");
        thread::sleep(Duration::from_millis(random(300).into()));
        session.signal("KILL");
        session.wait_until_ended();
        assert_goes_on(&resumed(&disk));
    }
}
