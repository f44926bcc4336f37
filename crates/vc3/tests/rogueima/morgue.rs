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
        "Rogueima ",
        " ROGUE, killed by a ",
        " in Brynn\n\nDifficulty normal, seed 1, turns ",
        ", deepest depth 0\nExperience level 1, points 0, hit points 0 of 10\n",
        "STR 4, DEX 2, INT 3, AC 10, gold 60\nEnergy: 4",
        "\n\nINVENTORY\n  nothing\n\nKILLED\n  nobody\n\nMAP (Brynn, depth 0)\nTTTTTTT",
        "\nT=@",
        "\n\nIN SIGHT\n  a",
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

/// The dead need no secrets: what they carried is named for what it was.
#[test]
fn an_easy_game_says_so_and_shows_who_was_killed_and_what_was_carried() {
    let folder = Folder::new();
    fs::create_dir(folder.path("disk")).expect("a folder for the disk");
    let fight = "llljjjlhjkyubn".repeat(40);
    let wait = ".".repeat(1500);
    let keys = format!("ddnConan<Enter>XXXXXX,,Ea<Esc>MMMMMMMMM{fight}{wait}<Enter>  ");
    let (mut died, mut killed) = (0, 0);
    for seed in ["1", "2", "3", "4", "5", "6", "7", "8"] {
        let args = ["play", "rogueima", "--headless", "--disk", "disk", "--seed", seed];
        folder.run(&[&args, &["--keys", &keys, "--", "-debug"][..]].concat()).ends_with(0);
        let Ok(text) = fs::read_to_string(folder.path("disk/MORGUE.TXT")) else { continue };
        fs::remove_file(folder.path("disk/MORGUE.TXT")).expect("a file to remove");
        assert!(text.contains(" Conan (easy), killed by "), "{text}");
        assert!(text.contains(&format!("Difficulty easy, seed {seed}, turns ")), "{text}");
        let part = |title: &str| {
            let (_, rest) = text.split_once(&format!("\n{title}\n")).expect(title);
            rest.split("\n\n").next().expect("a part")
        };
        let is_told = |line: &str| line.contains("blessed ") || line.contains("cursed ");
        assert!(part("INVENTORY").lines().any(is_told), "{text}");
        assert!(!part("INVENTORY").contains("gibberish"), "{text}");
        killed += usize::from(!part("KILLED").contains("nobody"));
        died += 1;
    }
    assert!(died > 0 && killed > 0, "{died} died, {killed} killed somebody first");
    let scores = folder.text("disk/ROGUEIMA.SCO");
    assert_eq!(scores.matches(" Conan (easy), killed by ").count(), died, "{scores}");
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
    assert!(folder.text("disk/MORGUE.TXT").starts_with("Rogueima "));
    assert!(!folder.path("disk/MORGUE-8.TXT").exists());
}
