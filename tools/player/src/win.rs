//! A game that is won, found by trying: where a game is lost, an earlier moment of
//! it is gone back to, a turn is waited there, and all dice fall differently. What
//! comes out is an ordinary list of keys on an ordinary seed, and anybody can
//! replay it.

use anyhow::{Result, bail};

use crate::game::{Game, Rogueima};
use crate::player::{Difficulty, Player, Style};
use crate::report::{End, Report};

/// Tries from one moment before an earlier one is gone back to.
const TRIES: u32 = 6;
/// Tries in all.
const PATIENCE: u32 = 2000;
/// Experience between two moments that are remembered.
const STRIDE: u32 = 60;
/// Turns of a game, at most.
const TURNS: u32 = 40_000;

/// A moment that can be gone back to.
struct Moment<'a> {
    player: Player<'a>,
    tries: u32,
}

/// Plays one seed until it is won.
///
/// # Errors
///
/// When no try wins, or the game does not fit the machine.
pub fn find(rogueima: &Rogueima, seed: u32) -> Result<Report> {
    let style = Style { careless: false, turns: TURNS, difficulty: Difficulty::Normal };
    let first = Player::new(Game::new(rogueima, seed, false)?, seed, style);
    let mut moments = vec![Moment { player: first, tries: 0 }];
    for _ in 0..PATIENCE {
        let Some(moment) = moments.last_mut() else { break };
        if moment.tries >= TRIES && moments.len() > 1 {
            moments.pop();
            continue;
        }
        let Some(moment) = moments.last_mut() else { break };
        let mut player = moment.player.clone();
        player.dither(moment.tries);
        moment.tries += 1;
        let mut reached = player.progress();
        while !player.has_ended() {
            player.go_on();
            let progress = player.progress();
            let further = progress.0 > reached.0
                || progress.0 == reached.0 && progress.1 >= reached.1 + STRIDE;
            if further && player.is_well() {
                reached = progress;
                moments.push(Moment { player: player.clone(), tries: 1 });
            }
        }
        let report = player.into_report();
        match report.end {
            End::Won => return Ok(report),
            End::Fault(what) => bail!("seed {seed}: {what}\n    --keys '{}'", report.keys),
            _ => {}
        }
    }
    bail!("seed {seed} was not won in {PATIENCE} tries")
}
