//! Golden screens of the village, its people and what lies below, and walking by
//! itself.

use super::{TO_WELL, game, planes, rows};

const TALK: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../programs/rogueima/screen_talk.sda");

fn talk(keys: &str) -> String {
    planes(&["run", TALK, "--headless", "--keys", keys, "--screen", "planes"])
}

/// The text of some rows and columns of a screen.
fn part(screen: &str, row: usize, columns: std::ops::Range<usize>) -> String {
    rows(screen)[row][columns].iter().collect::<String>().trim().to_owned()
}

#[test]
fn the_village_explored() {
    // Nobody moves there, so nothing but the map decides what is seen.
    insta::assert_snapshot!("world_brynn", talk("<Tab>"));
}

#[test]
fn a_conversation() {
    insta::assert_snapshot!("world_talk", talk("tlsunsword<Enter>"));
    let answer = |words: &str| part(&talk(&format!("tl{words}<Enter>")), 4, 1..59);
    assert_eq!(answer("job"), "I work the orchard. Apples, mostly. It's a living.");
    assert_eq!(answer("What is your JOB, Jim?"), answer("job"));
    assert_eq!(answer("wombat"), "They shrug, and say nothing about that.");
}

#[test]
fn a_conversation_is_in_the_log() {
    insta::assert_snapshot!("world_talk_log", talk("tljob<Enter>wombat<Enter>bye<Enter>m"));
}

#[test]
fn bye_nothing_and_escape_end_a_conversation() {
    let ends = |keys: &str| part(&talk(&format!("tl{keys}")), 22, 60..79);
    assert_eq!(ends("bye<Enter>"), "You take your leave");
    assert_eq!(ends("BYE<Enter>"), "You take your leave");
    assert_eq!(ends("<Enter>"), "You take your leave");
    assert_eq!(ends("job<Esc>"), "You take your leave");
}

#[test]
fn travelling_takes_stairs_that_were_seen() {
    let refused = game("_>");
    assert_eq!(part(&refused, 22, 60..79), "You have seen no");
    let there = game("<Tab>_>");
    assert_eq!(rows(&there)[22][5], '@', "on the well");
    assert_eq!(part(&game("<Tab>__<Enter>"), 22, 1..20), part(&there, 22, 1..20));
}

#[test]
fn the_look_cursor_finds_stairs() {
    let named = game(&format!("{TO_WELL}hx>"));
    assert_eq!(part(&named, 1, 1..59), "a well with rungs that lead down");
}

#[test]
fn the_well_can_be_drunk_from() {
    let drunk = game(&format!("{TO_WELL}a"));
    assert_eq!(part(&drunk, 23, 60..79), "cold water.");
    let again = game(&format!("{TO_WELL}aa"));
    assert_eq!(part(&again, 23, 60..79), "dry.");
}
