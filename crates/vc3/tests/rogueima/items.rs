//! Golden screens of what the player carries: the pages, the messages and the
//! colours, on the pack of `screen_items.sda`, which is always the same.

use super::{game, planes, rows};

const PACK: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../programs/rogueima/screen_items.sda");

fn pack(keys: &str) -> String {
    planes(&["run", PACK, "--headless", "--keys", keys, "--screen", "planes"])
}

/// The rows of the message window, without the blanks around them.
fn messages(keys: &str) -> Vec<String> {
    let screen = pack(keys);
    let window = rows(&screen).into_iter().skip(11).take(13);
    window.map(|row| row[60..79].iter().collect::<String>().trim().to_owned()).collect()
}

/// Does the message window end with these rows?
#[track_caller]
fn says(keys: &str, last: &[&str]) {
    let messages = messages(keys);
    assert!(
        messages.ends_with(&last.iter().map(|row| (*row).to_owned()).collect::<Vec<_>>()),
        "{keys}: {messages:#?}"
    );
}

#[test]
fn things_on_the_ground_show_in_their_colours() {
    insta::assert_snapshot!("items_ground", pack(""));
}

#[test]
fn the_pack_is_a_page_by_type() {
    insta::assert_snapshot!("items_pack", pack("i"));
}

#[test]
fn letters_begin_again_on_every_page() {
    insta::assert_snapshot!("items_pack_2", pack("i>"));
    assert_eq!(pack("i"), pack("i><<"));
    assert_eq!(pack("i>"), pack("i "));
    assert_eq!(pack("i>"), pack("i>>"));
    assert_eq!(pack(""), pack("i>x"));
}

#[test]
fn thirteen_slots_are_on_one_page() {
    insta::assert_snapshot!("items_slots", pack("w"));
}

/// The title was lost while the list was made: row 1 was garbage, through the
/// frame.
#[test]
fn the_list_of_what_fits_a_slot_has_its_title() {
    let rows = rows(&pack("wCwC"));
    let title: String = rows[1][..59].iter().collect();
    assert_eq!(title.trim_end(), "| WEAR WHAT?");
    assert_eq!((rows[1][59], rows[1][79]), ('|', '|'));
}

#[test]
fn several_things_on_a_square_are_a_list() {
    insta::assert_snapshot!("items_here", pack(","));
}

#[test]
fn what_is_known_is_a_page() {
    insta::assert_snapshot!("items_known", pack("\\"));
}

#[test]
fn every_message_names_the_thing() {
    says("Ed", &["You wield the club."]);
    says("ED", &["You wield the club."]); // a letter in a list is folded
    says("E-", &["You put away the", "blessed long sword."]);
    says("wA", &["You cannot take off", "the cursed helm."]);
    says("wL<Esc>", &["Never mind."]);
    says("wLa", &["You put on", "the uncursed boots."]);
    says("wK", &["You take off", "the rusty gloves."]);
    says("dd", &["You drop the club."]);
    says("ea", &["You eat the apple."]);
    says("ec", &["You eat Edna's pie.", "You feel warm all", "the way down."]);
    says(
        "qb",
        &["You drink", "the milky potion.", "A potion of poison!", "It burns all", "the way down!"],
    );
    says(
        "ra",
        &[
            "You read the",
            "scroll of gibberish",
            "A scroll of",
            "identify!",
            "The milky potion",
            "turns out to be",
            "a potion of poison.",
        ],
    );
    says(",a", &["You take", "the halberd."]);
    says(",,", &["You take", "the halberd.", "You take", "the potion of swamp", "water."]);
}

/// From the start to the gap in the counter of the weapon shop, its keeper to the
/// north-west.
fn in_the_weapon_shop(keys: &str) -> String {
    game(&format!(
        "{}{}{}ojjjj{keys}",
        "l".repeat(40),
        "j".repeat(6),
        "llll".to_owned() + &"j".repeat(7)
    ))
}

#[test]
fn a_shop_lists_its_goods_with_their_prices() {
    insta::assert_snapshot!("items_shop", in_the_weapon_shop("tyb"));
}

#[test]
fn the_keeper_stands_in_the_door_while_something_is_unpaid() {
    let door = |keys: &str| {
        let screen = rows(&in_the_weapon_shop(keys));
        let walls = screen[14][24..38].iter().collect::<String>();
        walls.replace(['#', '.', ' '], "")
    };
    assert_eq!(door(""), "/");
    assert_eq!(door("b,"), "@");
    assert_eq!(door("b,da"), "/");
    assert_eq!(door("b,p"), "/");
}

#[test]
fn gloves_do_not_take_the_plate_off() {
    let defence = |keys: &str| {
        let screen = pack(keys);
        rows(&screen)[2][74..77].iter().collect::<String>().trim().to_owned()
    };
    assert_eq!(defence(""), "68"); // plate 50, helm 6, gloves 4 less 2 of rust
    assert_eq!(defence("wK"), "66");
    assert_eq!(defence("wKwKa"), "68");
    assert_eq!(defence("wC"), "18");
    assert_eq!(defence("R<Space>"), "16"); // the helm is cursed
}

#[test]
fn lists_and_pages_are_free() {
    let clock = |keys: &str| {
        let screen = pack(keys);
        rows(&screen)[8][69..79].iter().collect::<String>().trim().to_owned()
    };
    for free in [
        "i<Esc>", "w<Esc>", "wA", "wM", "E<Esc>", "Ez", "d<Esc>", "e<Esc>", "q<Esc>", "r<Esc>",
        ",<Esc>", "\\<Esc>", "Eb",
    ] {
        assert_eq!(clock(free), "T:0", "{free}");
    }
    for turn in ["wK", "Ea", "da", "ea", "qa", "ra", ",a", "R<Space>", "E-"] {
        assert_eq!(clock(turn), "T:1", "{turn}");
    }
}
