//! A game that is won: found by the scripted player (`cargo run --release -p player
//! -- win`), and replayed here by the real command. A change of the game that makes it
//! go differently wants it found anew.

use super::planes;
use super::support::{self, Folder};

/// The seed, and the keys from the title screen to the end.
const RECORDED: &str = include_str!("won.keys");

#[test]
fn the_sunsword_is_carried_home_by_a_list_of_keys() {
    let (seed, keys) = RECORDED.trim_end().split_once('\n').expect("a seed and keys");
    let args = |keys| ["play", "rogueima", "--headless", "--seed", seed, "--keys", keys];

    let tombstone = keys.trim_end_matches("<Esc>"); // which leave it, and the scores
    let screen = planes(&[&args(tombstone)[..], &["--screen", "planes"]].concat());
    assert!(screen.contains("came home with"), "not won:\n{screen}");
    insta::assert_snapshot!("won", screen);

    // Whatever the engine, to the last unit and byte of the game's banks.
    let ends = support::engines().map(|engine| {
        let wanted = ["--engine", engine, "--regs", "--dump", "$010000:$70000"];
        Folder::new().run(&[&args(keys)[..], &wanted].concat()).ends_with(0).out
    });
    let ends: Vec<String> = ends.collect();
    assert!(ends.len() >= 2 && ends.iter().all(|end| *end == ends[0]), "engines differ");

    // The whole of it in the checking mode: nothing but the game itself ends it.
    let whole = Folder::new().run(&[&args(keys)[..], &["--sanitize"]].concat()).ends_with(0);
    assert_eq!(whole.err, "");
}
