//! The README's pictures are what the game really draws. To draw them anew:
//! `UPDATE_PICTURES=1 cargo test -p vc3 --test pictures`, then look at them;
//! when the game has changed, its keys in `pictures/` may lead elsewhere.

mod support;

use std::path::Path;

use support::Folder;

/// Picture, seed, file of keys.
const PICTURES: [(&str, &str, &str); 2] =
    [("rogueima.svg", "1", "village.keys"), ("rogueima-dungeon.svg", "2", "dungeon.keys")];

#[test]
fn the_readme_s_pictures_are_fresh() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for (picture, seed, keys) in PICTURES {
        let keys = std::fs::read_to_string(root.join("tests/pictures").join(keys)).expect("keys");
        let args = ["--seed", seed, "--keys", keys.trim_end(), "--screen", "svg"];
        let command = [&["play", "rogueima", "--headless"][..], &args].concat();
        let drawn = Folder::new().run(&command).ends_with(0).out;
        let path = root.join("../../docs").join(picture);
        if std::env::var_os("UPDATE_PICTURES").is_some() {
            std::fs::write(&path, &drawn).expect("docs can be written");
        }
        let kept = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(kept == drawn, "docs/{picture} is stale; see the head of this test");
    }
}
