//! The game's objects, looked at from outside: every node is on exactly one of
//! the two queues, every link leads back, and the map of who stands where is that
//! of the monsters.

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
    kind: u32,
    x: u32,
    y: u32,
    level: u32,
    monster: u8,
    level_index: u32,
    level_height: u32,
    crowd: u32,
    crowd_size: u32,
    crowd_width: u32,
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
            kind: find("OBJ.type")?,
            x: find("OBJ.x")?,
            y: find("OBJ.y")?,
            level: find("OBJ.level")?,
            monster: u8::try_from(find("OT_MONSTER")?)?,
            level_index: find("level_index")?,
            level_height: find("level_height")?,
            crowd: find("plan_crowd")?,
            crowd_size: find("crowd_size")?,
            crowd_width: find("PLAN_W")?,
        })
    }

    /// Walks both queues and the map of the crowd.
    ///
    /// # Errors
    ///
    /// Says which node is lost, doubled, foreign or badly linked, or which square
    /// is taken for one where somebody stands, or for a free one.
    pub fn check(&self, memory: &Memory) -> Result<()> {
        self.check_queues(memory)?;
        self.check_crowd(memory)
    }

    fn check_crowd(&self, memory: &Memory) -> Result<()> {
        let level = memory.byte(self.level_index);
        let area = memory.read(self.level_height, 2) as u32 * self.crowd_width;
        let mut stands = vec![false; area as usize];
        for number in 0..self.count {
            let object = self.array + number * self.size;
            let byte = |field| memory.byte(object + field);
            if byte(self.kind) == self.monster && byte(self.level) == level {
                let square = u32::from(byte(self.y)) * self.crowd_width + u32::from(byte(self.x));
                let Some(taken) = stands.get_mut(square as usize) else {
                    bail!("object {number} stands outside the map");
                };
                if std::mem::replace(taken, true) {
                    bail!("object {number} stands where another does");
                }
            }
        }
        let size = memory.read(self.crowd_size, 2);
        let standing = stands.iter().filter(|stands| **stands).count();
        if size != standing as u64 {
            bail!("{standing} monsters are on the level, crowd_size is {size}");
        }
        let marked = memory.slice(self.crowd..self.crowd + area);
        match (0..stands.len()).find(|&at| stands[at] != (marked[at] != 0)) {
            Some(at) => {
                let (x, y) = (at as u32 % self.crowd_width, at as u32 / self.crowd_width);
                bail!("somebody stands at {x},{y}: {}, the map says {}", stands[at], !stands[at]);
            }
            None => Ok(()),
        }
    }

    fn check_queues(&self, memory: &Memory) -> Result<()> {
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
