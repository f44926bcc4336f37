//! Random keys: no fault, no overwritten code, no lost object.

use anyhow::{Result, anyhow};

use crate::game::{Game, Rogueima, State};
use crate::player::{Difficulty, Player, Style};
use crate::screen::Asked;

/// Keys for every turn that is asked for: most prompts take some without a turn.
const KEYS_A_TURN: usize = 8;

/// Turns between two looks at all objects and at the image. In the checking mode,
/// executing what was overwritten and losing a neighbour are faults at once.
const LOOK: u64 = 50;

/// Turns that the scripted player plays first, at most.
const PROLOGUE: usize = 300;

/// What one run did.
#[derive(Clone, Copy, Debug, Default)]
pub struct Run {
    /// Turns, in all games of the run together.
    pub turns: u64,
    /// Keys.
    pub keys: usize,
    /// Games that were begun.
    pub games: u32,
    /// The deepest depth.
    pub depth: u32,
}

/// Presses random keys for so many turns, after the scripted player has gone some
/// way; a game that ends is followed by another. `checked` is the machine's checking
/// mode, in which the same keys take three times as long.
///
/// # Errors
///
/// What went wrong, with the keys that lead there.
pub fn run(rogueima: &Rogueima, seed: u32, turns: u64, checked: bool) -> Result<Run> {
    let mut dice = Dice(u64::from(seed));
    let mut run = Run::default();
    while run.turns < turns && run.keys < turns as usize * KEYS_A_TURN {
        let game_seed = seed.wrapping_add(run.games.wrapping_mul(7919)).max(1);
        run.games += 1;
        let game = Game::new(rogueima, game_seed, checked)?;
        let (report, mut game) = Player::new(game, game_seed, dice.prologue()).play_and_leave();
        let mut played = u64::from(report.turns);
        let mut framed = true;
        let mut looked = played;
        let mut wrong = game.check().err();
        while *game.state() == State::Waits
            && run.turns + played < turns
            && run.keys + game.key_count() < turns as usize * KEYS_A_TURN
        {
            let screen = game.screen();
            let status = screen.status();
            played = played.max(u64::from(status.turns));
            run.depth = run.depth.max(status.depth);
            framed &= screen.asked() == Asked::Title || screen.is_framed();
            if played >= looked + LOOK {
                looked = played;
                wrong = game.check().err();
            }
            if !framed || wrong.is_some() {
                break;
            }
            let key = dice.key(screen.asked());
            game.press(key);
        }
        let failed = match game.state() {
            State::Fault(what) => Some(what.clone()),
            _ if !framed => Some("something has written over the screen's frame".to_owned()),
            _ => wrong.or_else(|| game.check().err()).map(|error| error.to_string()),
        };
        if let Some(what) = failed {
            return Err(anyhow!("seed {game_seed}: {what}\n    --keys '{}'", game.keys()));
        }
        run.turns += played;
        run.keys += game.key_count();
    }
    Ok(run)
}

/// Random numbers that are the same on every host (SplitMix64).
struct Dice(u64);

impl Dice {
    /// Random keys alone never find the well: somebody careless plays first.
    fn prologue(&mut self) -> Style {
        Style {
            careless: true,
            turns: 1 + self.below(PROLOGUE) as u32,
            difficulty: Difficulty::Normal,
        }
    }

    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ (mixed >> 31)) % bound as u64) as usize
    }

    /// A key: often a step, often one that the prompt wants, sometimes any byte.
    fn key(&mut self, asked: Asked) -> u8 {
        const STEPS: &[u8] = b"hjklyubnHJKLYUBN12346789\x80\x81\x82\x83";
        const COMMANDS: &[u8] = b".,,,>><oocgtdiEwWReeqrrx;:\\mz/s_<>aCvp?S";
        let from: &[u8] = match (asked, self.below(100)) {
            (_, 0..2) => return self.below(255) as u8 + 1,
            (Asked::More, _) => b" ",
            (Asked::Letter | Asked::Slot, 0..80) => b"abcdefghijklm,->",
            (Asked::Command, 2..70) => STEPS,
            (Asked::Command, _) => COMMANDS,
            _ => b" yndsi\x1B\r",
        };
        match from[self.below(from.len())] {
            3 => b'.', // Ctrl-C never reaches a game
            key => key,
        }
    }
}
