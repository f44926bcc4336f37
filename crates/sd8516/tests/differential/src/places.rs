//! Addresses that matter: where the code is, data, queues, the stack's edges,
//! vectors, device cells, the top of memory.

use crate::choices::Choices;

/// Bytes between the nodes of a queue.
const NODE: u32 = 12;

/// The addresses that a case works with.
#[derive(Clone, Debug)]
pub struct Places {
    /// Where the code stands.
    pub origin: u32,
    /// Bytes to work on.
    pub data: u32,
    /// The nodes of a queue, the head first.
    pub nodes: Vec<u32>,
}

impl Places {
    /// Some places.
    pub fn new(choices: &mut Choices<'_>) -> Places {
        let origin = match choices.below(20) {
            0..10 => 0x02_0100,
            10..13 => 0x02_0000 + choices.below(0x2000) as u32,
            13..16 => choices.below(0x1_0000) as u32,
            16 => 0x100_0000 - 1 - choices.below(48) as u32,
            17 => 0x01_EF00 - choices.below(32) as u32,
            // Beside what engines may take as a page's edge.
            _ => (0x03_0000 + 0x100 * choices.below(0x20) as u32) - 1 - choices.below(24) as u32,
        };
        let data = match choices.below(4) {
            0 => choices.below(0xFF00) as u32,
            1 => 0xF0_0000 + choices.below(0x3_0000) as u32,
            _ => 0x04_0000 + choices.below(0x100) as u32,
        };
        let queue = choices.pick(&[0x05_0000, 0xFF_FFF0, data]);
        let count = 1 + choices.below(5) as u32;
        let nodes = (0..count).map(|node| queue.wrapping_add(node * NODE) & 0xFF_FFFF).collect();
        Places { origin, data, nodes }
    }

    /// An address that a program is likely to use.
    pub fn address(&self, choices: &mut Choices<'_>) -> u32 {
        let (base, spread) = match choices.below(20) {
            0..6 => (self.origin, 64),
            6..11 => (self.data, 64),
            11..14 => (choices.pick(&self.nodes), 2),
            14 => (0xFF_FFF4, 16),
            15 => (0x01_E900, 0x40),
            16 => (0x01_EEF8, 0x48),
            17 => (choices.pick(&[0x01_DBF8, 0x01_DFF0]), 24),
            18 => (self.origin & 0xFF_FF00, 0x200),
            _ => (0, 1 << 24),
        };
        base.wrapping_add(choices.below(spread) as u32) & 0xFF_FFFF
    }

    /// The queue's memory: a ring through all nodes, seldom a broken one.
    pub fn queue(&self, choices: &mut Choices<'_>) -> Vec<(u32, Vec<u8>)> {
        let count = self.nodes.len();
        let link = |node: u32| node.to_le_bytes()[..3].to_vec();
        let mut memory: Vec<(u32, Vec<u8>)> = Vec::new();
        for (index, &node) in self.nodes.iter().enumerate() {
            let mut bytes = link(self.nodes[(index + 1) % count]);
            bytes.extend(link(self.nodes[(index + count - 1) % count]));
            bytes.extend((0..4).map(|_| choices.below(4) as u8));
            memory.push((node, bytes));
        }
        if choices.percent(10) {
            let broken = choices.pick(&self.nodes).wrapping_add(3 * choices.below(2) as u32);
            let to =
                if choices.percent(50) { choices.pick(&self.nodes) } else { self.address(choices) };
            memory.push((broken, link(to)));
        }
        memory
    }
}
