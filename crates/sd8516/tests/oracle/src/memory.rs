//! Memory (section 3): 2^24 bytes, little-endian, every access wraps at the
//! top. It knows what was read and written, for those who compare.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Bytes of memory.
pub const SIZE: usize = 1 << 24;

/// What memory held at first, and what has been written since.
#[derive(Clone, Debug)]
pub struct Memory {
    first: Arc<[u8]>,
    /// Written before it was settled that this is how memory was at first.
    settled: BTreeMap<u32, u8>,
    written: BTreeMap<u32, u8>,
    /// Addresses written since somebody asked to forget them.
    changes: Vec<u32>,
    /// What was read before anything wrote it; only if somebody asked.
    read: Option<BTreeSet<u32>>,
}

/// An address is 24 bits.
pub fn wrap(address: u64) -> u32 {
    (address % SIZE as u64) as u32
}

impl Memory {
    /// Memory that holds these bytes; what is missing to 2^24 is zero.
    pub fn new(first: Arc<[u8]>) -> Memory {
        Memory {
            first,
            settled: BTreeMap::new(),
            written: BTreeMap::new(),
            changes: Vec::new(),
            read: None,
        }
    }

    /// What has been written counts as what memory held at first.
    pub fn settle(&mut self) {
        self.settled.append(&mut self.written);
        self.changes.clear();
    }

    /// Remembers from now on which bytes are read that nothing has written.
    pub fn watch_reads(&mut self) {
        self.read = Some(BTreeSet::new());
    }

    /// What was read before it was written, since
    /// [`Memory::watch_reads`], by address.
    pub fn reads(&self) -> impl Iterator<Item = u32> {
        self.read.iter().flatten().copied()
    }

    /// What has been written, by address.
    pub fn written(&self) -> &BTreeMap<u32, u8> {
        &self.written
    }

    /// Where writes went since [`Memory::forget_changes`], in their order.
    pub fn changes(&self) -> impl Iterator<Item = u32> {
        self.changes.iter().copied()
    }

    /// Forgets where writes went.
    pub fn forget_changes(&mut self) {
        self.changes.clear();
    }

    /// What memory held at first.
    pub fn first(&self) -> &[u8] {
        &self.first
    }

    /// The byte that was there at first.
    pub fn at_first(&self, address: u32) -> u8 {
        let first = || self.first.get(address as usize).copied().unwrap_or(0);
        self.settled.get(&address).copied().unwrap_or_else(first)
    }

    /// The byte there, without its being a read of the machine.
    pub fn peek(&self, address: u32) -> u8 {
        self.written.get(&address).copied().unwrap_or_else(|| self.at_first(address))
    }

    /// Reads one byte.
    pub fn byte(&mut self, address: u32) -> u8 {
        if let Some(read) = &mut self.read
            && !self.written.contains_key(&address)
        {
            read.insert(address);
        }
        self.peek(address)
    }

    /// Writes one byte.
    pub fn set_byte(&mut self, address: u32, value: u8) {
        self.changes.push(address);
        self.written.insert(address, value);
    }

    /// Reads a number of `width` bytes.
    pub fn read(&mut self, address: u32, width: u8) -> u64 {
        (0..u64::from(width)).rev().fold(0, |value, offset| {
            value << 8 | u64::from(self.byte(wrap(u64::from(address) + offset)))
        })
    }

    /// Writes the low `width` bytes of a number.
    pub fn write(&mut self, address: u32, width: u8, value: u64) {
        for (offset, byte) in value.to_le_bytes().into_iter().enumerate().take(width.into()) {
            self.set_byte(wrap(u64::from(address) + offset as u64), byte);
        }
    }
}
