//! Rogueima's levels judged from outside: the game's own routines run on the
//! machine, the squares are read out of memory, and rules written here a second
//! time say whether they are right.

mod dungeon {
    pub mod game;
    pub mod level;
    pub mod sight;
}

use dungeon::game::Game;
use dungeon::level::{Kind, Level};
use dungeon::sight;

const SEEDS: u32 = 1000;
/// Level indices of the generated levels.
const GENERATED: std::ops::Range<u8> = 2..11;
/// The one of them that is a cave.
const CAVE: u8 = 2;
const LEVELS: std::ops::Range<u8> = 0..12;

#[test]
fn generated_levels_are_levels_in_a_thousand_games() {
    let wrong = in_two_threads(SEEDS, |game, seed| {
        game.new_game(seed);
        GENERATED
            .filter_map(|index| {
                let fault = judge(&game.enter(index), index == CAVE).err()?;
                Some(format!("seed {seed}, level {index}: {fault}"))
            })
            .collect()
    });
    assert!(wrong.is_empty(), "{} of {SEEDS} games:\n{}", wrong.len(), wrong.join("\n"));
}

/// The same seed makes the same levels, today and next year.
#[test]
fn the_levels_of_game_1_are_these() {
    let mut game = Game::new();
    game.new_game(1);
    let maps = GENERATED.map(|index| format!("level {index}\n{}", game.enter(index).drawn()));
    insta::assert_snapshot!(maps.collect::<Vec<_>>().join("\n"));
}

#[test]
fn levels_of_one_game_differ_and_so_do_games() {
    let mut game = Game::new();
    let mut seen = Vec::new();
    for seed in 1..=20 {
        game.new_game(seed);
        for index in GENERATED {
            let level = game.enter(index);
            assert!(!seen.contains(&level.kinds), "seed {seed}, level {index} is an old one");
            seen.push(level.kinds);
        }
    }
}

#[test]
fn what_is_lit_is_what_the_rules_say() {
    let wrong = in_two_threads(60, |game, seed| {
        game.new_game(seed);
        let mut wrong = Vec::new();
        for index in LEVELS {
            let level = game.enter(index);
            let places: Vec<_> = level.squares().filter(|&at| level.is_walkable(at)).collect();
            for &at in places.iter().skip(seed as usize % 7).step_by(41) {
                let lit = game.look_from(at);
                if lit != sight::lit(&level, at) {
                    wrong.push(format!("seed {seed}, level {index}, from {at:?}"));
                }
            }
        }
        wrong
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn looking_about_takes_62_000_units_at_most() {
    let mut game = Game::new();
    game.new_game(1);
    let mut worst = 0;
    for index in LEVELS {
        let level = game.enter(index);
        for at in level.squares().filter(|&at| level.is_walkable(at)).step_by(5) {
            game.look_from(at);
            worst = worst.max(game.units_of_last_call());
        }
    }
    assert!((1..=62_000).contains(&worst), "{worst} units");
}

/// A level hangs together like a tree of rooms, and a few doors more: who flees has
/// somewhere to run.
#[test]
fn most_generated_levels_have_a_way_around() {
    let without = in_two_threads(SEEDS, |game, seed| {
        game.new_game(seed);
        let index = CAVE + 1 + (seed % 8) as u8;
        let level = game.enter(index);
        let around = doors_with_a_way_around(&level);
        if around >= 3 { vec![] } else { vec![format!("seed {seed}, level {index}: {around}")] }
    });
    assert!(without.len() <= 50, "{} of {SEEDS}:\n{}", without.len(), without.join("\n"));
}

/// No game is lost to hunger alone: what a player has in the stomach at the start, a
/// point of energy a turn, is enough to walk from stairs to stairs, down through all
/// levels and up again, twice over; and every level has food besides (test_item).
#[test]
fn who_starts_on_a_full_stomach_can_walk_down_and_home_again() {
    const FULL: usize = 5000;
    const GAMES: u32 = 200;
    let hungry = in_two_threads(GAMES, |game, seed| {
        game.new_game(seed);
        let ways = LEVELS.map(|index| {
            let level = game.enter(index);
            let pairs =
                level.stairs.iter().flat_map(|up| level.stairs.iter().map(move |to| (up, to)));
            pairs.map(|(up, to)| level.steps_between(up.0, to.0).unwrap_or(FULL)).max()
        });
        let steps: usize = ways.map(Option::unwrap_or_default).sum();
        if 2 * steps <= FULL / 2 { vec![] } else { vec![format!("seed {seed}: {steps} steps")] }
    });
    assert!(hungry.is_empty(), "{} of {GAMES}:\n{}", hungry.len(), hungry.join("\n"));
}

/// How many doors of a level are no one's only way: with one of them walled up,
/// everything else can still be walked to.
fn doors_with_a_way_around(level: &Level) -> usize {
    let start = level.stairs[0].0;
    let reached = level.reachable_from(start).len();
    let doors = level.squares().filter(|&at| level.kind(at) == Kind::DOOR);
    let is_spare = |&at: &_| level.without(at).reachable_from(start).len() == reached - 1;
    doors.filter(is_spare).count()
}

/// What must hold of every generated level.
fn judge(level: &Level, is_cave: bool) -> Result<(), String> {
    let count = |kind| level.squares().filter(|&at| level.kind(at) == kind).count();
    if let Some(at) = level.border().find(|&at| !level.is_solid(at)) {
        return Err(format!("a hole in the border at {at:?}"));
    }
    if level.stairs.len() != count(Kind::UP) + count(Kind::DOWN) {
        return Err(format!("{} stairs up, {} down", count(Kind::UP), count(Kind::DOWN)));
    }
    if level.stairs.iter().any(|&(at, kind)| level.kind(at) != kind) {
        return Err("the stairs are not where the level's row says".into());
    }
    let reached = level.reachable_from(level.stairs[0].0);
    let is_lost =
        |at| !level.is_solid(at) && level.kind(at) != Kind::WATER && !reached.contains(&at);
    let lost = level.squares().filter(|&at| is_lost(at)).count();
    if lost > 0 {
        return Err(format!("{lost} squares cannot be walked to"));
    }
    let bare = |&at: &_| level.kind(at) == Kind::ROCK;
    if let Some(at) = reached.iter().flat_map(|&at| level.around(at)).find(bare) {
        return Err(format!("bare rock at {at:?}"));
    }
    let halls = level.squares().filter(|&at| level.is_corridor(at)).count();
    let figures = (count(Kind::FLOOR), count(Kind::DOOR), halls);
    if is_cave {
        let is_good = figures.0 >= 500 && figures.1 == 0;
        return is_good.then_some(()).ok_or_else(|| format!("{figures:?} of a cave"));
    }
    if figures.0 < 200 || figures.1 < 8 || figures.2 < 20 {
        return Err(format!("{figures:?} floor, doors, corridor squares"));
    }
    Ok(())
}

/// Collects what `judge_game` finds wrong with the games of seeds 1 to `seeds`.
fn in_two_threads(
    seeds: u32,
    judge_game: impl Fn(&mut Game, u32) -> Vec<String> + Sync,
) -> Vec<String> {
    let judge_every_second = |first| {
        let mut game = Game::new();
        (first..=seeds).step_by(2).flat_map(|seed| judge_game(&mut game, seed)).collect::<Vec<_>>()
    };
    std::thread::scope(|scope| {
        let even = scope.spawn(|| judge_every_second(2));
        let mut wrong = judge_every_second(1);
        wrong.extend(even.join().expect("no panic"));
        wrong
    })
}
