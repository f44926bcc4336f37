//! The game's objects, looked at from outside: every node is on exactly one of
//! the two queues, and every link leads back.

use anyhow::{Context, Result, bail};
use sd8516::Memory;
use sda::Symbols;

/// Addresses and offsets, taken from the program's own symbols.
pub struct Places {
    heads: [u32; 2],
    array: u32,
    size: u32,
    count: u32,
    next: u32,
    prev: u32,
}

impl Places {
    /// Looks them up.
    ///
    /// # Errors
    ///
    /// Names the symbol that is missing.
    pub fn find(symbols: &Symbols) -> Result<Places> {
        let find = |name: &str| -> Result<u32> {
            let symbol = symbols.lookup(name).with_context(|| format!("no symbol {name}"))?;
            u32::try_from(symbol.value).with_context(|| format!("{name} is no address"))
        };
        Ok(Places {
            heads: [find("world_head")?, find("pack_head")?],
            array: find("object_array")?,
            size: find("OBJ.size")?,
            count: find("OBJ_COUNT")?,
            next: find("OBJ.next")?,
            prev: find("OBJ.prev")?,
        })
    }

    /// Walks both queues.
    ///
    /// # Errors
    ///
    /// Says which node is lost, doubled, foreign or badly linked.
    pub fn check(&self, memory: &Memory) -> Result<()> {
        let mut seen = vec![false; self.count as usize];
        for head in self.heads {
            if memory.read(head + self.next, 3) == 0 {
                continue; // no game has begun
            }
            let mut at = head;
            loop {
                let next = memory.read(at + self.next, 3) as u32;
                if memory.read(next + self.prev, 3) as u32 != at {
                    bail!("the node behind ${at:06X} does not link back to it");
                }
                if next == head {
                    break;
                }
                let Some(number) = self.number(next) else {
                    bail!("${next:06X} is on a queue and is no object");
                };
                if std::mem::replace(&mut seen[number], true) {
                    bail!("object {number} is on a queue twice");
                }
                at = next;
            }
        }
        match seen.iter().position(|seen| !seen) {
            Some(lost) if seen.contains(&true) => bail!("object {lost} is on no queue"),
            _ => Ok(()),
        }
    }

    /// Which object of the array begins at an address.
    fn number(&self, address: u32) -> Option<usize> {
        let offset = address.checked_sub(self.array)?;
        let number = offset / self.size;
        (offset.is_multiple_of(self.size) && number < self.count).then_some(number as usize)
    }
}
