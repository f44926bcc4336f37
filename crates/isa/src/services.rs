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
    /// The bytes of registers that it may read beside AH, as in
    /// [`crate::Reg::halves`].
    pub reads: u32,
    /// The bytes of registers that a success writes. A failure may write
    /// them as well.
    pub results: u32,
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

const fn row(vector: u8, function: u8, reads: &str, results: &str, carry: Carry) -> Service {
    let (reads, results) = (halves(reads), halves(results));
    Service { vector, function, reads, results, carry, effect: Effect::Acts }
}

const fn look(vector: u8, function: u8, reads: &str, results: &str, carry: Carry) -> Service {
    Service { effect: Effect::Looks, ..row(vector, function, reads, results, carry) }
}

use Carry::{Clear, Compares, Error};

/// Every service, by ascending interrupt and function.
pub const SERVICES: &[Service] = &[
    row(0x03, 0x01, "AL X Y I J CL ELM FL", "", Error),
    look(0x05, 0x62, "ELM", "B", Error),
    row(0x05, 0x64, "", "", Clear),
    row(0x05, 0x66, "BLX", "", Clear),
    row(0x10, 0x00, "AL", "", Error),
    row(0x10, 0x01, "AL", "", Clear),
    row(0x10, 0x02, "", "AL BL", Clear),
    row(0x10, 0x03, "", "AL", Clear),
    look(0x10, 0x04, "", "AL", Clear),
    row(0x10, 0x05, "X Y", "", Error),
    look(0x10, 0x06, "", "X Y", Clear),
    row(0x10, 0x07, "B", "", Clear),
    row(0x10, 0x0E, "AL", "", Clear),
    look(0x10, 0x0F, "", "AL", Clear),
    row(0x10, 0x10, "", "", Clear),
    row(0x10, 0x11, "AL", "", Clear),
    row(0x10, 0x12, "AL", "", Clear),
    row(0x10, 0x13, "X Y AL BL", "", Error),
    look(0x10, 0x16, "", "B C", Clear),
    row(0x10, 0x18, "ELM", "", Clear),
    row(0x10, 0x19, "B", "", Clear),
    row(0x10, 0x1A, "", "", Clear),
    row(0x10, 0x1B, "", "", Clear),
    row(0x10, 0x1C, "", "", Clear),
    row(0x10, 0x1D, "AL", "", Error),
    row(0x10, 0x1E, "ELM B", "B", Error),
    row(0x11, 0x00, "", "", Clear),
    row(0x11, 0x01, "AL ELM", "", Error),
    row(0x11, 0x02, "AL", "", Error),
    row(0x11, 0x03, "ELM", "", Error),
    look(0x11, 0x04, "", "B", Clear),
    look(0x12, 0x00, "ELM", "B", Clear),
    row(0x12, 0x01, "ELM FLD", "", Clear),
    look(0x12, 0x02, "ELM FLD", "", Compares),
    row(0x12, 0x03, "ELM FLD", "", Clear),
    look(0x12, 0x04, "ELM", "AB", Error),
    row(0x12, 0x05, "KT FLD", "", Clear),
    row(0x12, 0x06, "B FLD", "", Clear),
    look(0x13, 0x00, "B C", "AB", Clear),
    look(0x13, 0x01, "B C", "B C", Error),
    row(0x13, 0x02, "B", "B", Clear),
    look(0x13, 0x03, "B", "B", Clear),
    row(0x13, 0x04, "CD", "", Clear),
    row(0x14, 0x00, "ELM FLD B", "", Clear),
    row(0x14, 0x01, "AL FLD B", "", Clear),
    look(0x14, 0x02, "ELM FLD B", "", Compares),
    look(0x14, 0x03, "", "AB", Clear),
    row(0x15, 0x01, "ELM FLD KT", "AB", Error),
    row(0x15, 0x02, "ELM FLD KT", "", Error),
    row(0x15, 0x03, "ELM", "", Error),
    row(0x15, 0x04, "ELM FLD", "", Error),
    row(0x15, 0x05, "ELM", "AB", Error),
    row(0x15, 0x06, "B FLD", "", Error),
    row(0x15, 0x07, "ELM FLD KT", "", Error),
    row(0x18, 0x00, "AL", "", Error),
    row(0x18, 0x01, "X Y CL", "", Error),
    row(0x18, 0x02, "X Y I J CL", "", Error),
    row(0x18, 0x03, "X Y I J CL", "", Error),
    row(0x18, 0x04, "X Y I J CL", "", Error),
    row(0x18, 0x05, "ELM X Y I J", "", Error),
    look(0x18, 0x06, "", "B C", Clear),
    Service { effect: Effect::Exits, ..row(0x20, 0x00, "AL", "", Clear) },
    row(0x20, 0x01, "ELM FLD", "B", Error),
    row(0x20, 0x02, "ELM", "FLD", Error),
    row(0x20, 0x03, "FLD", "", Clear),
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
