//! Queues: VAX's doubly linked rings, with links of three bytes (machine
//! manual, section 3). Neighbours are not checked here.

use isa::flags::{N, V, Z};
use isa::memory_map::ADDRESS_MASK;

use super::Cpu;
use super::alu::bit;
use crate::fault::FaultKind;
use crate::memory::Memory;

/// Units of INSQUE and REMQUE.
pub(super) const UNITS: u64 = 4;
/// SCANQUE's limit: visiting this many nodes is a fault.
const BROKEN: u64 = 65_536;
/// Bytes of a link.
const LINK: u8 = 3;

/// The forward link of a node.
pub(crate) fn forward(memory: &Memory, node: u32) -> u32 {
    memory.read(node, LINK) as u32
}

/// The back link of a node.
pub(crate) fn back(memory: &Memory, node: u32) -> u32 {
    memory.read(node.wrapping_add(LINK.into()), LINK) as u32
}

fn set_forward(memory: &mut Memory, node: u32, to: u32) {
    memory.write(node, LINK, to.into());
}

fn set_back(memory: &mut Memory, node: u32, to: u32) {
    memory.write(node.wrapping_add(LINK.into()), LINK, to.into());
}

impl Cpu {
    /// INSQUE: the writes are in the manual's order, which shows when the
    /// nodes overlap.
    pub(super) fn insert_in_queue(&mut self, memory: &mut Memory, entry: u32, pred: u32) {
        let succ = forward(memory, pred);
        set_forward(memory, entry, succ);
        set_back(memory, entry, pred);
        set_back(memory, succ, entry);
        set_forward(memory, pred, entry);
        self.flags = self.flags & !(Z | N) | bit(Z, succ == pred);
    }

    /// REMQUE: the entry's own links stay.
    pub(super) fn remove_from_queue(&mut self, memory: &mut Memory, entry: u32) {
        let (succ, pred) = (forward(memory, entry), back(memory, entry));
        let alone = succ == entry && pred == entry;
        if !alone {
            set_forward(memory, pred, succ);
            set_back(memory, succ, pred);
        }
        self.flags = self.flags & !(Z | N | V) | bit(Z, succ == pred) | bit(V, alone);
    }

    /// SCANQUE: the first node behind `head` whose `width` bytes at `offset`
    /// are `value`, or `head`. Answers it and the nodes visited.
    pub(super) fn scan_queue(
        &mut self,
        memory: &Memory,
        head: u32,
        value: u64,
        width: u8,
        offset: u8,
    ) -> Result<(u32, u64), FaultKind> {
        let mut node = head;
        for visited in 0..BROKEN {
            node = forward(memory, node);
            if node == head {
                self.set_zc_n0(true, false);
                return Ok((head, visited));
            }
            let found = memory.read(node.wrapping_add(offset.into()), width) == value;
            if found && visited + 1 < BROKEN {
                self.set_zc_n0(false, true);
                return Ok((node & ADDRESS_MASK, visited + 1));
            }
        }
        Err(FaultKind::EndlessQueue)
    }
}
