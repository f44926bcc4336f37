//! Rogueima's prompts: any key at any of them, and what happens when there is no
//! room for more: in the pack, among the objects, on the disk.

mod saving {
    pub mod game;
}

use bios::MemoryDisk;
use bios::disk::{Disk, Name};
use saving::game::Game;
use sd8516::Stop;

/// Units that no key of these tests takes.
const LIMIT: u64 = 400_000_000;

/// A player who cannot die soon, with some of everything in the pack and at the
/// feet, in a game where things can be conjured.
fn rich() -> Game {
    let mut game = Game::new(4);
    game.set("debug_on", 1, 1);
    for _ in 0..24 {
        assert_eq!(game.press("X,"), Stop::KeysUsedUp);
    }
    assert_eq!(game.press("XXXX"), Stop::KeysUsedUp);
    game
}

/// Every prompt, and the keys that lead to it from the prompt for a command.
const PROMPTS: &[(&str, &str)] = &[
    ("a command", ""),
    ("open where", "o"),
    ("close where", "c"),
    ("talk where", "t"),
    ("run where", "/"),
    ("travel where", "_"),
    ("really quit", "Q"),
    ("look about", "x"),
    ("what was said", "m"),
    ("help", "?"),
    ("the pack", "i"),
    ("the second page of the pack", "i "),
    ("a thing of the pack", "ia"),
    ("what is known", "\\"),
    ("drop what", "d"),
    ("eat what", "e"),
    ("drink what", "q"),
    ("read what", "r"),
    ("wield what", "E"),
    ("slots", "w"),
    ("what for a slot", "wC"),
    ("pick up what", ","),
    ("what for strength", "."),
    ("more", "v"),
];

/// Prompts of people: what they say, where the player stands, and the keys.
const ASKED: &[(&str, (u64, u64), &str)] = &[
    ("or sell (s)?", (26, 20), "b"),
    ("BUY WHAT?", (26, 20), "bb"),
    ("SELL WHAT?", (26, 20), "bs"),
    ("Say:", JIM, "tl"),
    ("Really attack?", JIM, "l"),
];
/// West of Farmer Jim.
const JIM: (u64, u64) = (18, 17);

#[test]
fn any_key_does_no_harm_where_people_ask() {
    // Something to sell; but Farmer Jim is at home in the first turn only.
    let starts = [rich(), Game::new(4)];
    for &(prompt, (x, y), keys) in ASKED {
        let start = &starts[usize::from(y == JIM.1)];
        for code in (0..=0x8F).chain([0xFF_u8]) {
            let mut game = start.clone();
            game.set("player_x", 1, x);
            game.set("player_y", 1, y);
            game.set("player_gold", 4, 500);
            assert_eq!(game.press(keys), Stop::KeysUsedUp, "{prompt}");
            let asked = game.text() + &game.said();
            assert!(asked.contains(prompt), "{prompt}: {asked}");
            assert_eq!(game.press_codes(&[code], LIMIT), Stop::KeysUsedUp, "{prompt}: ${code:02X}");
            assert_eq!(game.press("\x1b\x1bs\x1b\x1b"), Stop::KeysUsedUp, "{prompt}: ${code:02X}");
            assert!(game.is_framed(), "{prompt}: ${code:02X}\n{}", game.text());
            assert_eq!(game.press("v"), Stop::KeysUsedUp, "{prompt}: ${code:02X}");
            let said = game.said();
            assert!(said.contains("Rogueima 0."), "{prompt}: ${code:02X}: {said}");
        }
    }
}

#[test]
fn any_key_at_any_prompt_does_no_harm() {
    let start = rich();
    for &(prompt, keys) in PROMPTS {
        let mut game = start.clone();
        for code in (0..=0x8F).chain([0xFF_u8]) {
            match prompt {
                "what for strength" => game.set("stat_choices", 1, 1),
                "more" => game.set("msg_fresh", 1, 12),
                _ => {}
            }
            game.set("player_hp", 2, 900);
            game.set("player_hp_max", 2, 900);
            game.set("player_energy", 2, 4900);
            let stop = game.press_codes(&[keys.as_bytes(), &[code]].concat(), LIMIT);
            // Where a prompt is over by then, S saves and leaves.
            if stop == Stop::Exit(0) {
                let asked = code == b'S' || keys == "Q" && code.eq_ignore_ascii_case(&b'y');
                assert!(asked, "{prompt}: ${code:02X} left the game");
                game = start.clone();
                continue;
            }
            assert_eq!(stop, Stop::KeysUsedUp, "{prompt}: ${code:02X}");
            // Whatever it led to, Escape leads out of it; a choice needs its letter.
            assert_eq!(game.press("\x1b\x1bs\x1b\x1b"), Stop::KeysUsedUp, "{prompt}: ${code:02X}");
            assert!(game.is_framed(), "{prompt}: ${code:02X}\n{}", game.text());
            assert_eq!(game.press("v"), Stop::KeysUsedUp, "{prompt}: ${code:02X}");
            let said = game.said();
            assert!(said.contains("Rogueima 0."), "{prompt}: ${code:02X}: {said}");
        }
    }
}

#[test]
fn every_prompt_for_a_direction_says_so() {
    for (key, prompt) in [("o", "OPEN DOOR"), ("c", "CLOSE DOOR"), ("t", "TALK"), ("/", "RUN")] {
        let mut game = Game::new(1);
        game.press(key);
        let asked = game.said();
        assert!(asked.ends_with(&format!("{prompt} which direction?")), "{asked}");
        game.press("\x1b");
        let answered = game.said();
        assert!(answered.ends_with(&format!("{prompt} Never mind.")), "{answered}");
        // What was said before is still there, in the window and in the log.
        game.press("ouou");
        assert!(game.said().contains(answered.trim()), "{}", game.said());
        game.press("m");
        assert!(!game.text().contains("direction?"), "{}", game.text());
    }
}

#[test]
fn walking_into_a_door_opens_it_and_walking_over_gold_takes_it() {
    let mut game = Game::new(7);
    game.press("lljjjjjjjjjjjjjjjjjjjjjj>jjjj");
    assert!(game.said().ends_with("The door opens."), "{}", game.said());
    let column = game.text().lines().map(|row| row.as_bytes()[19]).collect::<Vec<_>>();
    assert_eq!(&column[5..8], b"@/.", "{}", game.text());
}

/// What the status says of the time.
fn clock(game: &Game) -> u32 {
    let text = game.text();
    let row = text.lines().nth(8).expect("a row");
    let digits = row.split("T:").nth(1).expect("a clock").trim_end_matches('|');
    digits.trim().parse().expect("a number")
}

#[test]
fn a_shops_list_takes_one_turn_however_much_is_traded() {
    let mut game = Game::new(1);
    let way = ["l".repeat(40), "j".repeat(6), "l".repeat(4), "j".repeat(7), "ojjjj".to_owned()];
    game.press(&way.concat());
    game.set("player_gold", 4, 5000);
    let before = clock(&game);
    game.press("tyb");
    assert!(game.text().contains("BUY WHAT?"), "{}", game.text());
    game.press("\x1b");
    assert_eq!(clock(&game), before, "looking was not free");
    game.press("tybaaa\x1b");
    assert_eq!(game.said().matches("You buy").count(), 3, "{}", game.said());
    assert_eq!(clock(&game), before + 1);
    game.press("tysaa\x1b");
    assert_eq!(game.said().matches("You sell").count(), 2, "{}", game.said());
    assert_eq!(clock(&game), before + 2);
}

#[test]
fn a_full_pack_says_so_and_takes_no_turn() {
    let mut game = rich();
    for _ in 0..40 {
        game.press("X,a\x1b");
    }
    assert!(game.said().contains("You cannot carry any more."), "{}", game.said());
    let before = clock(&game);
    game.press(",a\x1b");
    assert_eq!(clock(&game), before);
    assert!(game.said().contains("You cannot carry any more."), "{}", game.said());
    // Gold needs no room in the pack.
    game.press("d");
    game.press("a\x1b");
    game.press(",a\x1b");
    assert!(game.is_framed(), "{}", game.text());
}

#[test]
fn a_full_array_of_objects_says_so_and_the_game_goes_on() {
    let mut game = Game::new(3);
    game.set("debug_on", 1, 1);
    for _ in 0..430 {
        assert_eq!(game.press("X"), Stop::KeysUsedUp);
    }
    assert!(game.said().contains("No free object, or no free square."), "{}", game.said());
    for keys in ["M", "G", ",a", "d\x1b", "s", "lljjjjjjjjjjjjjjjjjjjjjj>", "....s", "<<"] {
        assert_eq!(game.press(keys), Stop::KeysUsedUp, "{keys}");
        assert!(game.is_framed(), "{keys}:\n{}", game.text());
    }
    assert_eq!(game.press("S"), Stop::Exit(0));
    assert!(game.resumed().is_framed());
}

#[test]
fn a_disk_that_takes_nothing_is_mentioned_once_and_again_at_s() {
    let mut game = Game::start(1, MemoryDisk::with_capacity(1000));
    game.press("n\rlljjjjjjjjjjjjjjjjjjjjjj>");
    game.press("<>");
    game.press("<>");
    game.press("m");
    let log = game.text();
    assert_eq!(log.matches("The game is not saved: the disk is full.").count(), 1, "{log}");
    game.press("\x1bSm");
    let log = game.text();
    assert_eq!(log.matches("The game is not saved: the disk is full.").count(), 2, "{log}");
}

#[test]
fn a_game_that_ends_on_a_full_disk_says_so_and_leaves_no_half_files() {
    for (capacity, is_told) in [(0, false), (120, false), (100_000, true)] {
        let mut game = Game::start(1, MemoryDisk::with_capacity(capacity));
        game.press("n\r");
        game.set("player_hp", 2, 1);
        game.set("player_energy", 2, 0);
        let died = (0..200).any(|_| {
            game.press("....");
            game.said().contains("You died.")
        });
        assert!(died, "{}", game.text());
        assert_eq!(game.press("\x1b\x1b\x1b\x1b"), Stop::Exit(0));
        let full = "The disk is full: not all that is left of this game is kept.";
        assert_eq!(game.text().contains(full), !is_told, "{capacity}: {}", game.text());
        let file = |name: &[u8]| {
            let bytes = game.disk().load(&Name::new(name).unwrap(), u32::MAX).ok()?;
            Some(String::from_utf8(bytes).unwrap())
        };
        let scores = file(b"ROGUEIMA.SCO");
        assert_eq!(scores.is_some(), capacity > 0);
        assert!(scores.is_none_or(|text| text.ends_with(" in Brynn\n")));
        let morgue = file(b"MORGUE.TXT");
        assert_eq!(morgue.is_some(), is_told);
        assert!(morgue.is_none_or(|text| text.ends_with("You died.\n")));
    }
}
