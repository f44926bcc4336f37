//! A few games of the player's, so that a change of the game that it can't cope
//! with is noticed: many seeds are for docs/balance.md.

use player::{Difficulty, End, Rogueima, Style, fuzz, play};

fn rogueima() -> Rogueima {
    Rogueima::of_this_tree().expect("a game that assembles")
}

#[test]
fn a_game_is_played_by_the_screen_alone() {
    let rogueima = rogueima();
    let style = Style { careless: false, turns: 400, difficulty: Difficulty::Normal };
    for seed in 1..=3 {
        let report = play(&rogueima, seed, style).expect("a machine");
        let ended = matches!(report.end, End::Turns | End::Died { .. } | End::Won);
        assert!(ended, "seed {seed}: {:?}\n{}\n{}", report.end, report.screen, report.keys);
        assert!(report.depth >= 1, "seed {seed} never left the village\n{}", report.screen);
        assert_eq!(report.broken_frame, None, "seed {seed}: keys that break the frame");
    }
}

#[test]
fn a_game_with_the_same_seed_is_the_same_game() {
    let rogueima = rogueima();
    let style = Style { careless: true, turns: 400, difficulty: Difficulty::Normal };
    let keys = |seed| play(&rogueima, seed, style).expect("a machine").keys;
    assert_eq!(keys(3), keys(3));
    assert_ne!(keys(3), keys(4));
}

#[test]
fn random_keys_break_nothing() {
    let rogueima = rogueima();
    for seed in 1..=2 {
        let run = fuzz::run(&rogueima, seed, 150, seed == 1);
        let run = run.unwrap_or_else(|error| panic!("{error}"));
        assert!(run.turns >= 100, "only {run:?}");
    }
}
