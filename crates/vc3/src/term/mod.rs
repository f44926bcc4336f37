//! The live terminal: plays a session with the user's keys, in real time.
//!
//! Pure parts, tested alone: `decoder` and `strokes` (bytes to keys), `colour`,
//! `canvas` (what the window shows), `diff` (what to write), `pacing`. Around
//! them `guard` takes the terminal over and gives it back, `events` and
//! `writer` are the threads that wait for it, `display` and `live` bring all
//! together.

mod canvas;
mod colour;
mod decoder;
mod diff;
mod display;
mod events;
mod guard;
mod live;
mod pacing;
mod strokes;
mod writer;

use std::env;
use std::io::{self, IsTerminal};

use anyhow::{Context, Result, bail};
use sd8516::Picture;

use crate::screen::{self, ScreenFormat};
use crate::session::PlaySession;

use colour::Depth;
use guard::Guard;
use live::Live;

/// Plays `session` in the terminal until its program ends, the user leaves or
/// the terminal is gone; gives the exit code. The terminal is restored when
/// this returns, the text that a program started directly left on its screen
/// stands on the terminal, and reports of faults are on the standard error.
///
/// # Errors
/// When the standard input and output are no terminal that can show the
/// machine.
pub fn play(session: PlaySession) -> Result<u8> {
    check_terminal()?;
    let depth = match session.no_colour {
        true => Depth::None,
        false => Depth::detect(|name| env::var(name).ok()),
    };
    let (sender, events) = events::queue();
    let guard = Guard::enter().context("cannot take over the terminal")?;
    events::start(&sender).context("cannot wait for keys")?;
    let outcome = Live::new(session, &guard, depth, sender, events)?.run();
    // A program that prints and ends would have shown nothing otherwise.
    guard.leave(&outcome.last_picture.map(|picture| left_behind(&picture)).unwrap_or_default());
    for report in &outcome.reports {
        eprint!("{report}");
    }
    Ok(outcome.code)
}

/// Whether there is a terminal that can show the machine, to be asked before
/// anything is made for it.
///
/// # Errors
/// When there is none, with what to do instead.
pub fn check_terminal() -> Result<()> {
    const INSTEAD: &str = "`vc3 run FILE --headless` needs none";
    if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
        bail!("playing needs a terminal as standard input and output; {INSTEAD}");
    }
    let term = env::var("TERM").unwrap_or_default();
    if term == "dumb" {
        bail!("this terminal (TERM={term}) cannot place the cursor; {INSTEAD}");
    }
    Ok(())
}

/// The rows of a text screen to the last one that has something in it, without
/// the blanks behind them. Nothing in a graphics mode.
fn left_behind(picture: &Picture) -> String {
    if !picture.pixels.is_empty() {
        return String::new();
    }
    let text = screen::render(picture, ScreenFormat::Text);
    let mut rows = String::new();
    for row in text.trim_end().lines() {
        rows.push_str(row.trim_end());
        rows.push('\n');
    }
    rows
}
