//! Rogueima played by keys, on fixed seeds: golden screens with both planes,
//! and long games of random keys under the checking mode.

#[path = "rogueima/items.rs"]
mod items;
#[path = "rogueima/morgue.rs"]
mod morgue;
#[path = "rogueima/nodes.rs"]
mod nodes;
mod support;
#[path = "rogueima/title.rs"]
mod title;
#[path = "rogueima/won.rs"]
mod won;
#[path = "rogueima/world.rs"]
mod world;

use std::fmt::Write;

use support::{Folder, Outcome};

/// From the start of a game to the well of Brynn.
const TO_WELL: &str = "lljjjjjjjjjjjjjjjjjjjjjj";

/// The screen after these keys, the glyphs as they are and each row's colours
/// as runs: `07×59 0E×1`.
fn screen(keys: &str, extra: &[&str]) -> String {
    let args = ["play", "rogueima", "--headless", "--keys", keys, "--screen", "planes"];
    planes(&[&args, extra].concat())
}

/// What `--screen planes` printed, the same on each engine, in a form that a
/// person can review.
fn planes(args: &[&str]) -> String {
    let on = |engine| Folder::new().run(&[args, &["--engine", engine]].concat()).ends_with(0);
    let outcome = support::on_each_engine(on);
    let (glyphs, colours) = outcome.out.split_once("colours\n").expect("two planes");
    let mut text = String::new();
    for row in glyphs.lines().skip(1) {
        // The bar ends the row, so that no blank ends a line of a snapshot.
        let _ = writeln!(text, "{row}|");
    }
    for (number, row) in colours.lines().enumerate() {
        let _ = writeln!(text, "{number:2}: {}", runs(row));
    }
    text
}

fn runs(row: &str) -> String {
    let cells: Vec<&str> = row.split(' ').collect();
    let runs = cells.chunk_by(|left, right| left == right);
    runs.map(|run| format!("{}×{}", run[0], run.len())).collect::<Vec<_>>().join(" ")
}

fn game(keys: &str) -> String {
    screen(&format!("n<Enter>{keys}"), &[])
}

/// The glyph at a column and row of the screen.
fn rows(screen: &str) -> Vec<Vec<char>> {
    screen.lines().take(25).map(|line| line.chars().collect()).collect()
}

#[test]
fn the_title_screen() {
    insta::assert_snapshot!(screen("", &[]));
}

#[test]
fn a_new_game_begins_on_the_road_into_the_village() {
    insta::assert_snapshot!(game(""));
}

#[test]
fn three_redraws_leave_both_planes_as_they_were() {
    assert_eq!(game(""), game("<C-r><C-r><C-r>"));
    assert_eq!(game("lll"), game("lll<Esc><C-r><Esc><C-r>"));
}

#[test]
fn walking_leaves_a_dim_trail_behind_the_light() {
    insta::assert_snapshot!(game("llllllllllll"));
}

#[test]
fn down_the_well_a_passage_shows_its_walls_and_nothing_beyond() {
    insta::assert_snapshot!(game(&format!("{TO_WELL}>jj")));
}

#[test]
fn a_direction_is_asked_for_and_echoed() {
    insta::assert_snapshot!(game("ou"));
}

#[test]
fn the_help_pages() {
    insta::assert_snapshot!("help_1", game("?"));
    insta::assert_snapshot!("help_2", game("?<Space>"));
    insta::assert_snapshot!("help_3", game("?<Space><Space>"));
    insta::assert_snapshot!("help_4", game("?<Space><Space><Space>"));
    assert_eq!(game(""), game("?<Space><Space><Space><Space>"));
}

#[test]
fn the_log_loses_nothing() {
    insta::assert_snapshot!(game("oqcqtqm"));
}

#[test]
fn looking_about_names_a_square() {
    insta::assert_snapshot!(game("xlllkk"));
}

#[test]
fn the_name_is_typed_on_the_title_screen() {
    let named = screen("nConan<Enter>", &[]);
    assert_eq!(rows(&named)[1][60..65], ['C', 'o', 'n', 'a', 'n']);
    let rogue = game("");
    assert_eq!(rows(&rogue)[1][60..65], ['R', 'O', 'G', 'U', 'E']);
    // Escape at the name goes back to the title.
    assert_eq!(screen("n<Esc>", &[]), screen("", &[]));
}

#[test]
fn free_keys_do_not_move_the_clock() {
    let clock = |keys: &str| {
        let screen = game(keys);
        rows(&screen)[8][69..79].iter().collect::<String>().trim().to_owned()
    };
    assert_eq!(clock(""), "T:0");
    assert_eq!(clock("l"), "T:1");
    assert_eq!(clock("."), "T:1");
    assert_eq!(clock("5"), "T:1");
    for free in [
        "f", "M", "G", "X", "<Esc>", "ok", "oq", "ck", "tk", "<<", ">", ",", ":", "v", "x<Esc>",
        "Qn", "i", "w<Esc>", "wF", "E", "R", "d", "e", "q", "r", "p", "\\<Esc>",
    ] {
        assert_eq!(clock(free), "T:0", "{free}");
    }
}

#[test]
fn every_spelling_of_a_movement_key_does_the_same() {
    for keys in ["h H 4 <Left>", "j J 2 <Down>", "k K 8 <Up>", "l L 6 <Right>"] {
        same_for_all(keys);
    }
    for keys in ["y Y 7 <Home>", "u U 9 <PgUp>", "b B 1 <End>", "n N 3 <PgDn>"] {
        same_for_all(keys);
    }
}

fn same_for_all(keys: &str) {
    let screens: Vec<String> = keys.split(' ').map(game).collect();
    assert!(screens.iter().all(|screen| screen == &screens[0]), "{keys}");
}

#[test]
fn debug_keys_exist_only_with_debug() {
    let has = |screen: &str, text: &str| screen.contains(text);
    assert!(has(&game("M"), "Unknown key. ? is  |"));
    let debugging = |keys: &str| {
        let args =
            ["play", "rogueima", "--headless", "--keys", keys, "--screen", "text", "--", "-debug"];
        Folder::new().run(&args).ends_with(0).out
    };
    assert!(has(&debugging("n<Enter>M"), "appears"));
    assert!(has(&debugging("n<Enter>G"), "gold appears"));
    assert!(has(&debugging("n<Enter>X"), "You see"));
}

#[test]
fn a_turn_takes_at_most_60_000_units() {
    let units = |keys: &str| -> u64 {
        let args = ["play", "rogueima", "--headless", "--keys", keys, "--regs", "--", "-debug"];
        let out = Folder::new().run(&args).ends_with(0).out;
        let (_, rest) = out.split_once("\"units\":").expect("units");
        rest.trim_end().trim_end_matches('}').parse().expect("a number")
    };
    for (place, then) in [("", ""), (TO_WELL, ""), (TO_WELL, ">MMMMMMMM")] {
        let start = format!("n<Enter>{place}{then}");
        let turns = 20;
        let waited = units(&format!("{start}{}", ".".repeat(turns))) - units(&start);
        assert!(waited / (turns as u64) < 60_000, "{place}{then}: {waited} units in {turns} turns");
    }
}

/// Twelve monsters come and the player only waits. No key that was meant for
/// waiting takes the last words away.
fn death(then: &str) -> Vec<String> {
    let keys = format!("n<Enter>{}{}{then}", "M".repeat(12), ".".repeat(1500));
    ["--keys", &keys, "--", "-debug"].map(str::to_owned).to_vec()
}

#[test]
fn death_shows_a_tombstone() {
    let folder = Folder::new();
    let keys = death("<Enter>");
    let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
    let args = ["play", "rogueima", "--headless", "--screen", "text"];
    insta::assert_snapshot!(folder.run(&[&args, &keys[..]].concat()).ends_with(0).out);
}

#[test]
fn death_leaves_a_score_behind() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("disk")).expect("a folder for the disk");
    let keys = death("<Enter><Space><Space>");
    let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
    let args = ["play", "rogueima", "--headless", "--disk", "disk"];
    for games in 1..=2 {
        folder.run(&[&args, &keys[..]].concat()).ends_with(0);
        let scores = folder.text("disk/ROGUEIMA.SCO");
        assert_eq!(scores.lines().count(), games, "{scores}");
        assert!(scores.lines().all(|line| line.contains(" ROGUE, killed by ")), "{scores}");
    }
}

#[test]
fn quitting_asks_and_leaves_a_clean_screen() {
    let outcome = play("n<Enter>lQy", &["--screen", "text"]).ends_with(0);
    assert!(outcome.out.lines().all(|row| row.trim().is_empty()));
}

#[test]
fn long_games_of_random_keys_end_well() {
    let keys = "hjklyubn.hjklyubn.z/o<>ctgx:m?vQ,\u{1B} \r";
    for seed in 1..=6_u32 {
        let mut state = seed;
        let mut typed = String::from("n<Enter>");
        for _ in 0..1500 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let at = (state >> 16) as usize % keys.chars().count();
            match keys.chars().nth(at).expect("a key") {
                '<' => typed.push_str("<<"),
                '\u{1B}' => typed.push_str("<Esc>"),
                '\r' => typed.push_str("<Enter>"),
                // Qn, so that a y by chance does not end the game.
                'Q' => typed.push_str("Qn"),
                key => typed.push(key),
            }
        }
        let seed = seed.to_string();
        play(&typed, &["--seed", &seed, "--sanitize", "--max", "2000000000"]).ends_with(0);
    }
}

fn play(keys: &str, extra: &[&str]) -> Outcome {
    let args = ["play", "rogueima", "--headless", "--keys", keys];
    Folder::new().run(&[&args, extra].concat())
}
