//! The BIOS services as data: which registers each reads, which it writes,
//! what its carry means (machine manual, section 6). What they do is the
//! `bios` crate's business, which tests itself against this table.

use crate::access::halves;

/// One function of one interrupt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Service {
    /// The interrupt.
    pub vector: u8,
    /// The function, as it stands in AH.
    pub function: u8,
    /// What it does, in a few words.
    pub name: &'static str,
    /// The bytes of registers that it may read beside AH, as in
    /// [`crate::Reg::halves`].
    pub reads: u32,
    /// The bytes of registers that a success writes. A failure may write
    /// them as well.
    pub results: u32,
    /// The registers of `reads` by name, in the manual's order.
    pub inputs: &'static str,
    /// The registers of `results` by name.
    pub outputs: &'static str,
    /// What carry says afterwards.
    pub carry: Carry,
    /// What else happens.
    pub effect: Effect,
}

/// What carry says after a service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Carry {
    /// Nothing: the service cannot fail.
    Clear,
    /// It failed; the number of the error is in AL, which a success keeps
    /// unless it is a result.
    Error,
    /// The first was not the smaller one; Z says whether they are equal.
    Compares,
}

/// What a service does beside its results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Nothing at all.
    Looks,
    /// It writes memory or a device, waits, or takes a key or a random number.
    Acts,
    /// It ends the program.
    Exits,
}

const fn row(
    vector: u8,
    function: u8,
    name: &'static str,
    inputs: &'static str,
    outputs: &'static str,
    carry: Carry,
) -> Service {
    let (reads, results) = (halves(inputs), halves(outputs));
    let effect = Effect::Acts;
    Service { vector, function, name, reads, results, inputs, outputs, carry, effect }
}

const fn look(
    vector: u8,
    function: u8,
    name: &'static str,
    inputs: &'static str,
    outputs: &'static str,
    carry: Carry,
) -> Service {
    Service { effect: Effect::Looks, ..row(vector, function, name, inputs, outputs, carry) }
}

use Carry::{Clear, Compares, Error};

/// Every service, by ascending interrupt and function.
pub const SERVICES: &[Service] = &[
    row(0x03, 0x01, "draw with the PPU", "AL X Y I J CL ELM FL", "", Error),
    look(0x05, 0x62, "number in a string", "ELM", "B", Error),
    row(0x05, 0x64, "new line", "", "", Clear),
    row(0x05, 0x66, "print a string", "BLX", "", Clear),
    row(0x10, 0x00, "set the video mode", "AL", "", Error),
    row(0x10, 0x01, "cursor on or off", "AL", "", Clear),
    row(0x10, 0x02, "wait for a key", "", "AL BL", Clear),
    row(0x10, 0x03, "poll for a key", "", "AL", Clear),
    look(0x10, 0x04, "count the keys that wait", "", "AL", Clear),
    row(0x10, 0x05, "set the cursor", "X Y", "", Error),
    look(0x10, 0x06, "where the cursor is", "", "X Y", Clear),
    row(0x10, 0x07, "wait for frames", "B", "", Clear),
    row(0x10, 0x0E, "write a character", "AL", "", Clear),
    look(0x10, 0x0F, "the video mode", "", "AL", Clear),
    row(0x10, 0x10, "clear the screen", "", "", Clear),
    row(0x10, 0x11, "scroll up", "AL", "", Clear),
    row(0x10, 0x12, "set the colour", "AL", "", Clear),
    row(0x10, 0x13, "put a glyph", "X Y AL BL", "", Error),
    look(0x10, 0x16, "size of the screen", "", "B C", Clear),
    row(0x10, 0x18, "print a string", "ELM", "", Clear),
    row(0x10, 0x19, "print a number", "B", "", Clear),
    row(0x10, 0x1A, "new line", "", "", Clear),
    row(0x10, 0x1B, "hold the picture", "", "", Clear),
    row(0x10, 0x1C, "show the picture", "", "", Clear),
    row(0x10, 0x1D, "load a palette", "AL", "", Error),
    row(0x10, 0x1E, "edit a line", "ELM B", "B", Error),
    row(0x11, 0x00, "silence", "", "", Clear),
    row(0x11, 0x01, "set a voice", "AL ELM", "", Error),
    row(0x11, 0x02, "note off", "AL", "", Error),
    row(0x11, 0x03, "play music", "ELM", "", Error),
    look(0x11, 0x04, "count the notes left", "", "B", Clear),
    look(0x12, 0x00, "length of a string", "ELM", "B", Clear),
    row(0x12, 0x01, "copy a string", "ELM FLD", "", Clear),
    look(0x12, 0x02, "compare strings", "ELM FLD", "", Compares),
    row(0x12, 0x03, "append a string", "ELM FLD", "", Clear),
    look(0x12, 0x04, "number in a string", "ELM", "AB", Error),
    row(0x12, 0x05, "number in decimal", "KT FLD", "", Clear),
    row(0x12, 0x06, "number in hex", "B FLD", "", Clear),
    look(0x13, 0x00, "multiply", "B C", "AB", Clear),
    look(0x13, 0x01, "divide", "B C", "B C", Error),
    row(0x13, 0x02, "random number", "B", "B", Clear),
    look(0x13, 0x03, "absolute value", "B", "B", Clear),
    row(0x13, 0x04, "seed the random numbers", "CD", "", Clear),
    row(0x14, 0x00, "copy memory", "ELM FLD B", "", Clear),
    row(0x14, 0x01, "fill memory", "AL FLD B", "", Clear),
    look(0x14, 0x02, "compare memory", "ELM FLD B", "", Compares),
    look(0x14, 0x03, "count the free memory", "", "AB", Clear),
    row(0x15, 0x01, "load a file", "ELM FLD KT", "AB", Error),
    row(0x15, 0x02, "save a file", "ELM FLD KT", "", Error),
    row(0x15, 0x03, "delete a file", "ELM", "", Error),
    row(0x15, 0x04, "rename a file", "ELM FLD", "", Error),
    row(0x15, 0x05, "size of a file", "ELM", "AB", Error),
    row(0x15, 0x06, "directory entry", "B FLD", "", Error),
    row(0x15, 0x07, "append to a file", "ELM FLD KT", "", Error),
    row(0x18, 0x00, "clear the pixels", "AL", "", Error),
    row(0x18, 0x01, "plot a pixel", "X Y CL", "", Error),
    row(0x18, 0x02, "draw a line", "X Y I J CL", "", Error),
    row(0x18, 0x03, "draw a box", "X Y I J CL", "", Error),
    row(0x18, 0x04, "fill a box", "X Y I J CL", "", Error),
    row(0x18, 0x05, "copy pixels", "ELM X Y I J", "", Error),
    look(0x18, 0x06, "size of the picture", "", "B C", Clear),
    Service { effect: Effect::Exits, ..row(0x20, 0x00, "exit", "AL", "", Clear) },
    row(0x20, 0x01, "run a program", "ELM FLD", "B C", Error),
    row(0x20, 0x02, "load a program", "ELM", "FLD", Error),
    row(0x20, 0x03, "argument string", "FLD", "", Clear),
];

/// The service of `INT vector` with AH = `function`, or `None` when there is
/// none: carry is then set and AL is 255.
pub fn service(vector: u8, function: u8) -> Option<&'static Service> {
    let at = SERVICES.binary_search_by_key(&(vector, function), |one| (one.vector, one.function));
    at.ok().map(|at| &SERVICES[at])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn services_ascend_and_are_found() {
        assert!(SERVICES.is_sorted_by_key(|one| (one.vector, one.function)));
        for one in SERVICES {
            assert_eq!(service(one.vector, one.function), Some(one));
        }
        assert_eq!(service(0x10, 0x08), None);
    }
}
