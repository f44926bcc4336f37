//! Values that are filled in when all symbols are known: where each goes, what
//! it must fit, and the statement it belongs to.

use crate::expression::Expr;
use crate::layout::{Layout, Record};
use crate::statements::Cursor;
use crate::words::Count;

/// What a value must fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Slot {
    /// So many bytes, signed or unsigned.
    Bytes(u8),
    /// The same, and a zero is worth a warning.
    Divisor(u8),
    /// 0–255, and what the number is.
    Count(Count),
    /// An address to jump to or to access, 3 bytes.
    Address,
    /// 2 bytes, signed, from the end of the instruction on.
    Relative,
    /// 2 bytes, signed.
    Displacement,
}

impl Slot {
    /// Bytes of the encoding.
    pub fn width(self) -> u8 {
        match self {
            Slot::Bytes(width) | Slot::Divisor(width) => width,
            Slot::Count(_) => 1,
            Slot::Address => 3,
            Slot::Relative | Slot::Displacement => 2,
        }
    }

    /// Whether more than a lone number or name is worked out as soon as all of
    /// it is known: an address, and what is as wide, stays for the warnings to
    /// look at.
    pub fn takes_sums(self) -> bool {
        self.width() < 3
    }
}

/// A value still to be filled in. What it is within, where `$` is and the end of
/// the instruction are its statement's.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fixup {
    /// Where in [`Layout::bytes`].
    pub offset: u32,
    pub expr: Expr,
    pub slot: Slot,
}

const _: () = assert!(size_of::<Fixup>() == 28);

/// Finds statements by ascending places in [`Layout::bytes`].
#[derive(Default)]
pub(crate) struct StatementFinder {
    /// Behind the one that was found last.
    behind: Cursor,
    found: Record,
}

impl Layout {
    /// The statement that emitted the byte at `offset`, which is no smaller than
    /// the last one asked for.
    pub fn statement_from(&self, finder: &mut StatementFinder, offset: u32) -> Record {
        let mut ahead = finder.behind;
        while let Some(record) = self.records.next(&mut ahead)
            && record.offset <= offset
        {
            (finder.found, finder.behind) = (record, ahead);
        }
        finder.found
    }

    /// All fix-ups, in order, with their statements.
    pub fn fixups(&self) -> impl Iterator<Item = (Fixup, Record)> {
        let mut finder = StatementFinder::default();
        self.fixups
            .iter()
            .map(move |&fixup| (fixup, self.statement_from(&mut finder, fixup.offset)))
    }
}
