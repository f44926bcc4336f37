//! Turns of Rogueima: the real turn loop with drawing, line of sight and
//! monsters, in the village.

use sd8516::{Image, Input, Key, Machine};

use crate::{services, start};

/// From the title screen into a new game.
const BEGIN: &[u8] = b"n\r";
/// A walk around a square.
const WALK: &[u8] = b"llllkkkkhhhhjjjj";
/// Turns of waiting after it.
const WAITS: usize = 200;

/// Turns of one measurement.
pub const TURNS: u64 = (WALK.len() + WAITS) as u64;

/// A game that has begun and waits for its first key.
///
/// # Panics
/// When the image doesn't fit, which the assembler has made sure of.
pub fn begun(image: &Image) -> Machine {
    let mut machine = start(image);
    press(&mut machine, BEGIN);
    machine
}

/// Plays [`TURNS`] turns.
pub fn play(machine: &mut Machine) {
    press(machine, &[WALK, &[b'.'; WAITS]].concat());
}

fn press(machine: &mut Machine, keys: &[u8]) {
    machine.set_input(Input::List(keys.iter().map(|&code| Key { code, flags: 0 }).collect()));
    machine.run(&mut services(), u64::MAX);
}
