//! The decoded blocks of one memory: found by where they begin, dropped when
//! their bytes are written to.

use std::fmt;

use isa::memory_map::{FRAME_VECTOR, VECTOR_SIZE, VECTORS};
use rustc_hash::FxHashMap;

use crate::code_watch::{Changes, line};
use crate::memory::Memory;

use super::block::{Block, key};
use super::core::Core;
use super::decode::decode;

/// Blocks that were found last, by the low bits of their keys.
const RECENT: usize = 4096;
/// The most blocks; then all are dropped. They take some ten megabytes.
const MOST_BLOCKS: usize = 16_384;
/// A key that no block has.
const NO_KEY: u32 = u32::MAX;

/// Code that is written to so often, in so many units, isn't decoded again
/// for so long.
const OFTEN: u32 = 8;
const OFTEN_WITHIN: u64 = 100_000;
const SHUNNED_FOR: u64 = 1_000_000;
/// The most lines that are remembered as written to.
const MOST_REWRITTEN: usize = 4096;

/// Decoded blocks.
#[derive(Clone)]
pub(crate) struct Cache {
    /// The first is none: it stands for code that isn't decoded.
    blocks: Vec<Block>,
    /// Places in `blocks`.
    places: FxHashMap<u32, u32>,
    recent: Box<[Recent; RECENT]>,
    rewritten: FxHashMap<u32, Rewritten>,
    /// Whether a hook wants every new block.
    all_wanted: bool,
}

#[derive(Clone, Copy)]
struct Recent {
    key: u32,
    place: u32,
}

/// How often a line of code was written to.
#[derive(Clone, Copy)]
struct Rewritten {
    times: u32,
    since: u64,
}

impl Default for Cache {
    fn default() -> Self {
        let recent = vec![Recent { key: NO_KEY, place: 0 }; RECENT].into_boxed_slice();
        Cache {
            blocks: vec![Block::none()],
            places: FxHashMap::default(),
            recent: recent.try_into().ok().expect("the vector has RECENT items"),
            rewritten: FxHashMap::default(),
            all_wanted: false,
        }
    }
}

impl fmt::Debug for Cache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Cache({} blocks)", self.blocks.len() - 1)
    }
}

impl Cache {
    /// The block at IP, decoded now if it wasn't. Without units when the plain
    /// CPU has to execute the first instruction.
    #[inline(always)]
    pub(super) fn block(&mut self, memory: &mut Memory, core: &Core, units: u64) -> &mut Block {
        let key = key(core.ip, core.rest);
        let recent = self.recent[key as usize % RECENT];
        let place = if recent.key == key { recent.place } else { self.find(memory, core, units) };
        &mut self.blocks[place as usize]
    }

    /// Drops the blocks whose bytes have been written to.
    pub(crate) fn drop_changed(&mut self, memory: &mut Memory, units: u64) {
        let changes = memory.code.take_changes();
        self.apply(&changes, units);
        watch_vector(memory);
    }

    /// Drops the blocks that have a byte in the lines of `changes`.
    pub(crate) fn apply(&mut self, changes: &Changes, units: u64) {
        match changes {
            Changes::Everything => {
                *self = Cache { all_wanted: self.all_wanted, ..Cache::default() };
            }
            Changes::Lines(lines) => {
                for &line in lines {
                    self.note_rewritten(line, units);
                }
                self.drop_lines(lines);
            }
        }
    }

    /// Whether a hook wants every block that is decoded from now on.
    pub(crate) fn set_all_wanted(&mut self, on: bool) {
        self.all_wanted = on;
    }

    /// A hook wants to be asked before the block at `ip` is executed.
    pub(crate) fn want(&mut self, ip: u32, flags: u16) {
        self.with_block(ip, flags, Block::want);
    }

    /// It doesn't, until it has seen it as often again.
    pub(crate) fn want_later(&mut self, ip: u32, flags: u16) {
        self.with_block(ip, flags, Block::want_later);
    }

    /// It never does.
    pub(crate) fn want_never(&mut self, ip: u32, flags: u16) {
        self.with_block(ip, flags, Block::want_never);
    }

    fn with_block(&mut self, ip: u32, flags: u16, change: impl FnOnce(&mut Block)) {
        let place = self.places.get(&key(ip, flags));
        if let Some(block) = place.and_then(|&place| self.blocks.get_mut(place as usize)) {
            change(block);
        }
    }

    /// Whether the code at an address is written to so often that it isn't
    /// decoded.
    pub(super) fn is_shunned(&self, address: u32, units: u64) -> bool {
        is_shunned(&self.rewritten, line(address), units)
    }

    #[cold]
    #[inline(never)]
    fn find(&mut self, memory: &mut Memory, core: &Core, units: u64) -> u32 {
        let key = key(core.ip, core.rest);
        let place = match self.places.get(&key) {
            Some(&place) => place,
            None if self.is_shunned(core.ip, units) => return 0,
            None => {
                if self.blocks.len() > MOST_BLOCKS {
                    memory.code.forget();
                    self.drop_changed(memory, units);
                }
                let shunned = |line| is_shunned(&self.rewritten, line, units);
                let mut block = decode(memory, core.ip, core.rest, shunned);
                if self.all_wanted {
                    block.want();
                }
                if memory.code.has_changed() {
                    // There was no room to watch its bytes.
                    return 0;
                }
                let place = self.blocks.len() as u32;
                self.blocks.push(block);
                self.places.insert(key, place);
                place
            }
        };
        self.recent[key as usize % RECENT] = Recent { key, place };
        place
    }

    fn drop_lines(&mut self, lines: &[u32]) {
        let is_hit = |block: &Block| block.lines.iter().any(|&line| lines.contains(&line.into()));
        for place in (1..self.blocks.len()).rev() {
            if is_hit(&self.blocks[place]) {
                let block = self.blocks.swap_remove(place);
                self.places.remove(&block.key);
                if let Some(moved) = self.blocks.get(place) {
                    self.places.insert(moved.key, place as u32);
                }
            }
        }
        self.recent.fill(Recent { key: NO_KEY, place: 0 });
    }

    fn note_rewritten(&mut self, line: u32, units: u64) {
        if self.rewritten.len() >= MOST_REWRITTEN {
            self.rewritten.clear();
        }
        let new = Rewritten { times: 0, since: units };
        let rewritten = self.rewritten.entry(line).or_insert(new);
        if units.saturating_sub(rewritten.since) > OFTEN_WITHIN {
            *rewritten = new;
        }
        rewritten.times += 1;
    }
}

fn is_shunned(rewritten: &FxHashMap<u32, Rewritten>, line: u32, units: u64) -> bool {
    rewritten.get(&line).is_some_and(|rewritten| {
        rewritten.times >= OFTEN && units.saturating_sub(rewritten.since) < SHUNNED_FOR
    })
}

/// Writing to vector 8 ends a block as writing to its code does: it may make
/// an interrupt possible.
fn watch_vector(memory: &mut Memory) {
    memory.code.watch(VECTORS.start + VECTOR_SIZE * u32::from(FRAME_VECTOR), VECTOR_SIZE);
}
