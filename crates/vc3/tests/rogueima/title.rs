//! What is chosen on the title screen: difficulty, seed, and how a game starts.

use super::{Folder, play, rows, screen};

fn seeded(keys: &str, seed: &str) -> String {
    screen(keys, &["--seed", seed])
}

#[test]
fn the_title_takes_a_difficulty_and_a_seed() {
    insta::assert_snapshot!(screen("de4000000000<Enter>", &[]));
}

#[test]
fn a_typed_seed_makes_the_game_of_that_seed() {
    let game = |keys: &str, seed: &str| screen(keys, &["--seed", seed, "--", "-debug"]);
    let played = "n<Enter>MMMMMMMMllXGX......";
    for seed in ["2", "77", "4294967295"] {
        assert_eq!(game(&format!("e{seed}<Enter>{played}"), "9"), game(played, seed), "{seed}");
    }
    assert_ne!(game(played, "2"), game(played, "77"));
    // 0 is taken as 1, as everywhere.
    assert_eq!(game(&format!("e0<Enter>{played}"), "9"), game(played, "1"));
}

#[test]
fn what_is_no_seed_is_refused_and_the_old_one_stays() {
    for wrong in ["4294967296", "9999999999", "12a", "-1", "$F", "x"] {
        let title = seeded(&format!("e{wrong}<Enter>"), "42");
        assert!(title.contains("A seed is a number from 1 to 4294967295."), "{wrong}");
        assert!(title.contains("seed: 42 "), "{wrong}");
        let named = seeded(&format!("e{wrong}<Enter>n"), "42");
        assert!(!named.contains("A seed is"), "{wrong}: the complaint stays");
        // The screen goes on as if nothing had been typed.
        assert_eq!(seeded(&format!("e{wrong}<Enter>n<Enter>l"), "42"), seeded("n<Enter>l", "42"));
    }
    for kept in ["e<Enter>", "e<Esc>", "e17<Esc>"] {
        assert_eq!(seeded(kept, "42"), seeded("", "42"), "{kept}");
    }
}

#[test]
fn difficulty_goes_around_and_shows_on_the_panel() {
    let panel = |keys: &str| rows(&screen(keys, &[]))[3][60..79].iter().collect::<String>();
    assert_eq!(panel("n<Enter>"), "Energy: 5000       ");
    assert_eq!(panel("dn<Enter>"), "Energy: 5000   Hard");
    assert_eq!(panel("ddn<Enter>"), "Energy: 5000   Easy");
    assert_eq!(panel("Dddn<Enter>"), "Energy: 5000       ");
    assert_eq!(screen("dddn<Enter>ll", &[]), screen("n<Enter>ll", &[]));
    assert!(screen("ddn<Enter>", &[]).contains("HP: 20/20"));
}

#[test]
fn enter_and_space_begin_a_game_too() {
    let game = screen("n<Enter>l", &[]);
    assert_eq!(screen("<Enter><Enter>l", &[]), game);
    assert_eq!(screen("<Space><Enter>l", &[]), game);
}

#[test]
fn enter_goes_on_with_a_saved_game_which_keeps_its_difficulty() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("disk")).expect("a folder for the disk");
    let on_disk = |keys: &str| {
        let args = ["play", "rogueima", "--headless", "--disk", "disk", "--screen", "text"];
        folder.run(&[&args, &["--keys", keys][..]].concat()).ends_with(0).out
    };
    on_disk("dnConan<Enter>llS");
    let title = on_disk("");
    assert!(title.contains("R   resume the saved game (or Enter)"), "{title}");
    assert!(title.contains("(instead of the saved one)"), "{title}");
    // The difficulty on the title is that of a new game; the saved one has its own.
    let game = on_disk("d<Enter>");
    assert!(game.contains("Conan"), "{game}");
    assert!(game.contains("Energy: 4998   Hard"), "{game}");
}

#[test]
fn any_key_on_the_title_does_no_harm() {
    for code in (b'!'..=b'~').map(char::from) {
        if !"NnRrDdEeSsQq?".contains(code) {
            let key = if code == '<' { "<<".to_owned() } else { code.to_string() };
            assert_eq!(screen(&key, &[]), screen("", &[]), "{code}");
        }
    }
    for key in ["<Tab>", "<Up>", "<PgDn>", "<F2>", "<C-r>", "<BS>"] {
        assert_eq!(screen(key, &[]), screen("", &[]), "{key}");
    }
    play("Q", &["--screen", "text"]).ends_with(0);
}
