//! Rogueima's saved games: a game that is saved and resumed is the same game, a
//! bad file is refused, and whoever asks the game to stop leaves one to resume.

mod saving {
    pub mod game;
}

use bios::MemoryDisk;
use saving::game::{Dice, Game, disk_with};
use sd8516::Stop;

/// A sound saved game of some age.
fn saved() -> Vec<u8> {
    let mut game = Game::new(5);
    assert_eq!(game.press("ll\t\t\t.S"), Stop::Exit(0));
    game.file().expect("a saved game")
}

/// The title screen of a disk with this file, after R.
fn refused(bytes: &[u8]) -> Game {
    let mut game = Game::start(3, disk_with(bytes));
    assert_eq!(game.press("r"), Stop::KeysUsedUp);
    game
}

#[test]
fn fifty_games_saved_and_resumed_end_as_if_played_through() {
    let (mut wandered, mut saves) = (0, 0);
    for seed in 1..=50 {
        let mut dice = Dice::new(seed);
        let mut through = Game::new(seed);
        let turns = 10 + dice.roll(80);
        for _ in 0..turns {
            if through.press(&dice.command()) != Stop::KeysUsedUp {
                break;
            }
        }
        // S that answers a question saves nothing: the next command's turn, then.
        let mut resumed = loop {
            let mut other = through.clone();
            match other.press("S") {
                Stop::Exit(0) if other.file().is_some() => break Some(other.resumed()),
                Stop::KeysUsedUp => {}
                stop => assert_eq!(stop, Stop::Exit(0), "seed {seed}"),
            }
            if through.press(&(dice.command() + "\x1b")) != Stop::KeysUsedUp {
                break None;
            }
        };
        let Some(resumed) = &mut resumed else { continue };
        saves += 1;
        wandered += usize::from(!through.text().contains("Brynn            D0"));
        for turn in 0..40 {
            let keys = dice.command();
            let stops = (through.press(&keys), resumed.press(&keys));
            assert_eq!(stops.0, stops.1, "seed {seed}, {turn} commands later");
            let same = through.picture() == resumed.picture();
            let pictures = [through.text(), resumed.text()].concat();
            assert!(same, "seed {seed}, {turn} commands later ({keys:?}):\n{pictures}");
            if stops.0 != Stop::KeysUsedUp {
                break;
            }
        }
    }
    assert!(saves >= 40 && wandered >= 10, "{saves} saved, {wandered} of them off the village");
}

#[test]
fn resume_is_offered_when_there_is_something_to_resume() {
    assert!(!Game::start(1, MemoryDisk::new()).text().contains("resume"));
    let mut nothing = Game::start(1, MemoryDisk::new());
    let title = nothing.text();
    nothing.press("r");
    assert_eq!(nothing.text(), title, "R is no key then");
    assert!(Game::start(1, disk_with(&saved())).text().contains("R   resume"));
}

#[test]
fn a_torn_game_is_refused_with_a_reason_and_a_new_one_begins() {
    let whole = saved();
    for length in (0..whole.len()).step_by(97).chain([whole.len() - 1]) {
        let mut game = refused(&whole[..length]);
        assert!(game.text().contains("The saved game is "), "{length} bytes:\n{}", game.text());
        assert_eq!(game.press("\rl"), Stop::KeysUsedUp, "{length} bytes");
        assert!(game.said().contains("The saved game is "), "{length} bytes: {}", game.said());
    }
}

#[test]
fn an_edited_game_is_refused() {
    let whole = saved();
    for place in (0..whole.len()).step_by(97) {
        let mut edited = whole.clone();
        edited[place] ^= 1 << (place % 8);
        let game = refused(&edited);
        assert!(game.text().contains("The saved game is "), "byte {place}:\n{}", game.text());
    }
}

#[test]
fn each_kind_of_bad_file_has_its_reason() {
    let whole = saved();
    let mut other_version = whole.clone();
    other_version[8] += 1;
    let mut longer = whole.clone();
    longer.extend([0; 4]);
    for (bytes, reason) in [
        (&b""[..], "no game of Rogueima's"),
        (b"Dear diary, today I went down a well.", "no game of Rogueima's"),
        (&[0xFF; 300_000], "no game of Rogueima's"),
        (&other_version, "from another version"),
        (&longer, "damaged"),
        (&whole[..whole.len() / 2], "damaged"),
    ] {
        let text = refused(bytes).text();
        assert!(text.contains(&format!("The saved game is {reason}")), "{reason}:\n{text}");
    }
}

#[test]
fn a_disk_that_takes_nothing_is_no_end_of_the_game() {
    let mut game = Game::start(1, MemoryDisk::with_capacity(1000));
    assert_eq!(game.press("n\rllS"), Stop::KeysUsedUp);
    assert!(game.said().contains("not saved: the disk is full"), "{}", game.said());
    assert_eq!(game.press("l"), Stop::KeysUsedUp);
    assert_eq!(game.stop(), Stop::Exit(0));
}

#[test]
fn a_staircase_saves() {
    let mut game = Game::new(1);
    let before = game.file().expect("a game is saved when it begins");
    assert_eq!(game.press("lljjjjjjjjjjjjjjjjjjjjjj>"), Stop::KeysUsedUp);
    assert!(game.text().contains("BrynnWell"), "{}", game.text());
    assert_ne!(game.file().expect("a saved game"), before);
    // Whatever happens to the machine now, the game goes on here.
    assert!(game.resumed().text().contains("BrynnWell        D1"));
}

#[test]
fn the_file_stays_until_death() {
    let mut game = Game::new(1);
    assert_eq!(game.press("llS"), Stop::Exit(0));
    let mut game = game.resumed();
    assert_eq!(game.press("llQy"), Stop::Exit(0));
    let mut game = game.resumed();
    game.set("player_hp", 2, 1);
    game.set("player_energy", 2, 0);
    for _ in 0..200 {
        game.press("........");
        if game.file().is_none() {
            break;
        }
    }
    assert!(game.file().is_none(), "a starved player's game is gone");
    assert_eq!(game.press("\x1b\x1b\x1b\x1b"), Stop::Exit(0));
    assert!(!Game::start(1, game.disk().clone()).text().contains("resume"));
}

/// Vector 9 in the middle of turns, questions, walks and lists.
#[test]
fn a_game_that_is_stopped_at_any_moment_is_saved() {
    for seed in 1..=100 {
        let mut dice = Dice::new(seed);
        let mut game = Game::new(seed);
        for _ in 0..dice.roll(25) {
            game.press(&dice.command());
        }
        if game.file().is_none() {
            continue; // dead already
        }
        let keys: String = (0..5).map(|_| dice.command()).collect();
        let keys = &keys[..dice.roll(keys.len() as u32) as usize];
        match game.press_for(keys, u64::from(1 + dice.roll(200_000))) {
            Stop::Budget | Stop::KeysUsedUp => {}
            stop => {
                assert_eq!(stop, Stop::Exit(0), "seed {seed}");
                continue;
            }
        }
        assert_eq!(game.stop(), Stop::Exit(0), "seed {seed}");
        if game.file().is_some() {
            let mut resumed = game.resumed();
            assert_eq!(resumed.press("\x1b\x1bhjkl"), Stop::KeysUsedUp, "seed {seed}");
        } else {
            let table = game.disk().clone();
            let mut scores = Game::start(1, table);
            scores.press("s");
            assert!(scores.text().contains("ROGUE, "), "seed {seed}: neither saved nor dead");
        }
    }
}
