//! The morgue file: what is left of a game as text, and of the nine before it.

use std::fs;

use super::{Folder, death};

fn die(folder: &Folder) {
    let keys = death("<Enter>");
    let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
    let args = ["play", "rogueima", "--headless", "--disk", "disk"];
    folder.run(&[&args, &keys[..]].concat()).ends_with(0);
}

#[test]
fn a_game_leaves_a_text_for_a_person() {
    let folder = Folder::new();
    fs::create_dir(folder.path("disk")).expect("a folder for the disk");
    die(&folder);
    insta::assert_snapshot!("morgue", folder.text("disk/MORGUE.TXT"));
}

#[test]
fn the_last_ten_games_are_kept_and_no_more() {
    let folder = Folder::new();
    fs::create_dir(folder.path("disk")).expect("a folder for the disk");
    fs::write(folder.path("disk/MORGUE-9.TXT"), "the oldest").expect("a file");
    fs::write(folder.path("disk/MORGUE-8.TXT"), "the one behind it").expect("a file");
    fs::write(folder.path("disk/MORGUE.TXT"), "the last one").expect("a file");
    die(&folder);
    assert_eq!(folder.text("disk/MORGUE-9.TXT"), "the one behind it");
    assert_eq!(folder.text("disk/MORGUE-1.TXT"), "the last one");
    assert!(folder.text("disk/MORGUE.TXT").starts_with("ROGUEIMA\n"));
    assert!(!folder.path("disk/MORGUE-8.TXT").exists());
}
