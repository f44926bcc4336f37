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
    let text = folder.text("disk/MORGUE.TXT");
    let parts = [
        "ROGUEIMA\n",
        " ROGUE, killed by a ",
        " in Brynn\n\nLevel 1, hit points 0 of 10, energy 4",
        "\nSTR 4, DEX 2, INT 3, experience 0\nGold 60, turns ",
        ", deepest depth 0\n\nINVENTORY\n  nothing\n\nKILLED\n  nobody\n\nBrynn\nTTTTTTT",
        "\nT=@==",
        "\n\nLAST MESSAGES\n",
        "\nYou died.\n",
    ];
    let mut rest = &text[..];
    for part in parts {
        let at = rest.find(part).unwrap_or_else(|| panic!("no {part:?} in its place:\n{text}"));
        rest = &rest[at + part.len()..];
    }
    assert_eq!(rest, "");
    assert!(text.lines().all(|line| line == line.trim_end()), "no blanks at the ends of lines");
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
