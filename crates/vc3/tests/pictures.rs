//! The README's pictures are what the game really draws. To draw them anew:
//! `UPDATE_PICTURES=1 cargo test -p vc3 --test pictures`, then look at them.

mod support;

use support::Folder;

/// File, seed, keys.
const PICTURES: [(&str, &str, &str); 1] =
    [("rogueima.svg", "1", "n<Enter>jjjjllllllllllllkkkklllll")];

#[test]
fn the_readme_s_pictures_are_fresh() {
    for (file, seed, keys) in PICTURES {
        let args = ["play", "rogueima", "--headless", "--seed", seed, "--keys", keys];
        let drawn = Folder::new().run(&[&args[..], &["--screen", "svg"]].concat()).ends_with(0).out;
        let path = format!("{}/../../docs/{file}", env!("CARGO_MANIFEST_DIR"));
        if std::env::var_os("UPDATE_PICTURES").is_some() {
            std::fs::write(&path, &drawn).expect("docs can be written");
        }
        let kept = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(kept == drawn, "docs/{file} is stale; see the head of this test");
    }
}
