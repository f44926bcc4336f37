//! Control flow over a program's bytes: which of them are instructions, how
//! one leads to the next, what is called, where a path leaves the code.
//!
//! Instructions are found by following every path from the entries; nothing
//! is decoded that no path reaches. A call leads on only when what it calls
//! can return, `INT $20` only when AH is not known to be 0.

mod follow;
mod image;
mod marks;
#[cfg(test)]
mod tests;
mod ways;

use std::collections::{BTreeMap, BTreeSet};

use isa::Decoded;

pub use image::Image;
use marks::{Marks, mark};

/// One instruction that a path reaches.
#[derive(Clone, Debug)]
pub struct Step {
    /// Where it stands, 24 bits.
    pub address: u32,
    /// What it is.
    pub decoded: Decoded,
    /// Whether the next instruction in memory can come after it.
    pub falls: bool,
    /// Where else it can lead within the routine: the target of a jump or
    /// branch, the entries of a jump table. A call's target is not here.
    pub jumps: Vec<u32>,
    /// The target of `CALL` and `BSR`.
    pub call: Option<u32>,
}

impl Step {
    /// The address of the next instruction in memory.
    pub fn next(&self) -> u32 {
        (self.address + u32::from(self.decoded.length)) & isa::memory_map::ADDRESS_MASK
    }

    /// Every address of the routine that it can lead to.
    pub fn successors(&self) -> impl Iterator<Item = u32> + '_ {
        self.falls.then(|| self.next()).into_iter().chain(self.jumps.iter().copied())
    }
}

/// A table that `JTAB` jumps through.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Table {
    /// Its first byte.
    pub address: u32,
    /// Entries of 3 bytes.
    pub entries: u16,
    /// The `JTAB`.
    pub user: u32,
}

/// A path that leads to something that is no instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Stray {
    /// The instruction that leads there; `None` when it is an entry.
    pub from: Option<u32>,
    /// Where it leads.
    pub to: u32,
    /// What is there.
    pub what: Stop,
}

/// Why a path cannot be followed on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stop {
    /// No byte of the image, or none that may be code.
    Outside,
    /// Bytes that are no instruction.
    Undecodable,
    /// The middle of another instruction, at this address.
    Within(u32),
}

/// A run of instructions that is entered at its first and left at its last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// The first instruction.
    pub start: u32,
    /// The last instruction.
    pub last: u32,
    /// The first address behind it.
    pub end: u32,
    /// The blocks it can lead to, by their first instruction.
    pub successors: Vec<u32>,
}

/// The code of an image.
#[derive(Clone, Debug)]
pub struct Flow<'a> {
    image: Image<'a>,
    marks: Marks,
    tables: BTreeSet<Table>,
    /// Ascending, as the two lists below.
    strays: Vec<Stray>,
    entries: BTreeSet<u32>,
    calls: Vec<u32>,
    /// What is jumped or branched to, and from where.
    jumps: Vec<(u32, u32)>,
}

impl<'a> Flow<'a> {
    /// Follows every path from `entries`. A byte for which `may_be_code` is
    /// false ends a path as if it were outside the image.
    pub fn follow(
        image: &Image<'a>,
        entries: impl IntoIterator<Item = u32>,
        may_be_code: &dyn Fn(u32) -> bool,
    ) -> Flow<'a> {
        follow::follow(image.clone(), entries.into_iter().collect(), may_be_code)
    }

    /// Every instruction, by ascending address.
    pub fn steps(&self) -> impl Iterator<Item = Step> + '_ {
        self.marks.all(mark::STEP).filter_map(|address| self.at(address))
    }

    /// The instruction that begins at `address`, if a path reaches it.
    pub fn at(&self, address: u32) -> Option<Step> {
        if !self.marks.has(address, mark::STEP) {
            return None;
        }
        let decoded = isa::decode(self.image.from(address)).ok()?;
        let next = address + u32::from(decoded.length);
        let target = follow::target(&decoded, next);
        let calls = matches!(decoded.row.mnemonic, "CALL" | "BSR");
        let mut jumps: Vec<u32> = target.filter(|_| !calls).into_iter().collect();
        if decoded.row.mnemonic == "JTAB" {
            let table = follow::table(&self.image, address, &decoded);
            if let Some(table) = table.filter(|table| self.tables.contains(table)) {
                jumps.extend(follow::entries(&self.image, table));
                jumps.sort_unstable();
                jumps.dedup();
            }
        }
        Some(Step {
            address,
            decoded,
            falls: self.marks.has(address, mark::FALLS),
            jumps,
            call: target.filter(|_| calls),
        })
    }

    /// What stands at `address`, if a path reaches it: all of [`Flow::at`]
    /// that the bytes say.
    pub fn decoded(&self, address: u32) -> Option<Decoded> {
        let is_step = self.marks.has(address, mark::STEP);
        is_step.then(|| isa::decode(self.image.from(address)).ok()).flatten()
    }

    /// Where the instructions begin, by ascending address.
    pub fn starts(&self) -> impl Iterator<Item = u32> + '_ {
        self.marks.all(mark::STEP)
    }

    /// Whether the next instruction in memory can come after the one at
    /// `address`.
    pub fn falls(&self, address: u32) -> bool {
        self.marks.has(address, mark::FALLS)
    }

    /// What AH holds before the instruction at `address`, when it is the same
    /// on every path that leads there.
    pub fn ah(&self, address: u32) -> Option<u8> {
        self.marks.ah(address)
    }

    /// Where the instruction begins that the byte at `address` belongs to.
    pub fn covering(&self, address: u32) -> Option<u32> {
        follow::covering(&self.marks, address)
    }

    /// The tables that `JTAB` jumps through, as far as they lie in the image.
    pub fn tables(&self) -> impl Iterator<Item = Table> + '_ {
        self.tables.iter().copied()
    }

    /// Where paths leave the code.
    pub fn strays(&self) -> impl Iterator<Item = Stray> + '_ {
        self.strays.iter().copied()
    }

    /// The addresses that were given to begin with.
    pub fn entries(&self) -> impl Iterator<Item = u32> + '_ {
        self.entries.iter().copied()
    }

    /// What is called, by ascending address.
    pub fn calls(&self) -> impl Iterator<Item = u32> + '_ {
        self.calls.iter().copied()
    }

    /// Jumps and branches, tables included: where to, and from where; by
    /// ascending target.
    pub fn jumps(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.jumps.iter().copied()
    }

    /// Whether an entry, a call, a jump or a branch leads to `address`.
    pub fn is_target(&self, address: u32) -> bool {
        self.entries.contains(&address)
            || self.calls.binary_search(&address).is_ok()
            || self.jumps.binary_search_by_key(&address, |&(to, _)| to).is_ok()
    }

    /// Whether a path from `address` reaches a return, as far as is known:
    /// an address in a register is taken to return.
    pub fn returns(&self, address: u32) -> bool {
        self.marks.has(address, mark::RETURNS)
    }

    /// The instructions of the routine at `entry`, by ascending address: what
    /// its paths reach without passing one of `others`, the entries of other
    /// routines. `None` when these are more than `most`.
    pub fn routine(&self, entry: u32, others: &BTreeSet<u32>, most: usize) -> Option<Vec<Step>> {
        let mut reached = BTreeMap::new();
        let mut waiting = vec![entry];
        while let Some(at) = waiting.pop() {
            if reached.contains_key(&at) {
                continue;
            }
            let Some(step) = self.at(at) else { continue };
            if reached.len() == most {
                return None;
            }
            waiting.extend(step.successors().filter(|to| *to == entry || !others.contains(to)));
            reached.insert(at, step);
        }
        Some(reached.into_values().collect())
    }

    /// The code in blocks, by ascending address.
    pub fn blocks(&self) -> impl Iterator<Item = Block> + '_ {
        let mut steps = self.steps().peekable();
        std::iter::from_fn(move || {
            let first = steps.next()?;
            let (start, mut last) = (first.address, first);
            while last.falls
                && last.jumps.is_empty()
                && let Some(next) = steps
                    .next_if(|next| next.address == last.next() && !self.is_target(next.address))
            {
                last = next;
            }
            let reached = last.successors().filter(|&to| self.marks.has(to, mark::STEP));
            let successors: BTreeSet<u32> = reached.collect();
            Some(Block {
                start,
                last: last.address,
                end: last.next(),
                successors: successors.into_iter().collect(),
            })
        })
    }
}
