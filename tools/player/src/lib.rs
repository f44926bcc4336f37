//! A scripted player of Rogueima: it has the keys and the screen, and nothing
//! else. It plays many seeds to show what the game is like to play
//! (docs/balance.md), and presses keys at random to show that nothing breaks.
//!
//! ```no_run
//! use player::{Difficulty, Rogueima, Style, play};
//!
//! let rogueima = Rogueima::of_this_tree()?;
//! let style = Style { careless: false, turns: 20_000, difficulty: Difficulty::Normal };
//! let report = play(&rogueima, 1, style)?;
//! println!("{:?} at depth {}", report.end, report.depth);
//! # Ok::<(), anyhow::Error>(())
//! ```

mod fight;
mod foes;
pub mod fuzz;
mod game;
mod gear;
mod map;
mod player;
mod queues;
mod report;
mod screen;
mod things;
mod travel;
mod village;
pub mod win;

use anyhow::Result;

pub use game::{Game, Rogueima, State};
pub use player::{Difficulty, Player, Style};
pub use report::{End, Report, tables};

/// Plays one game to its end.
///
/// # Errors
///
/// When the game does not fit the machine.
pub fn play(rogueima: &Rogueima, seed: u32, style: Style) -> Result<Report> {
    Ok(Player::new(Game::new(rogueima, seed, false)?, seed, style).play())
}
