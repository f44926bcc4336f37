//! The decoded blocks of one memory: found by where they begin, dropped when
//! their bytes are written to.

use std::fmt;

use isa::memory_map::{FRAME_VECTOR, VECTOR_SIZE, VECTORS};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::code_watch::{Changes, line};
use crate::memory::Memory;

use super::block::{Block, key};
use super::core::Core;
use super::decode::decode;

/// Blocks that were found last, by the low bits of their keys.
const RECENT: usize = 4096;
/// The most blocks. They take some ten megabytes.
const MOST_BLOCKS: usize = 16_384;
/// Units for which nothing more is decoded once there are so many; then all are
/// dropped. A program that is larger than that runs in part on the plain CPU
/// rather than being decoded all the time.
const FULL_FOR: u64 = 20_000_000;
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
    /// The keys with which decoding went on where a block had become too long,
    /// `MOST_BLOCKS` at most. Others end there, too: so they lead to the blocks
    /// that are there wherever a frame's end has cut one.
    seams: FxHashSet<u32>,
    /// Since when there is room for no more blocks.
    full_since: Option<u64>,
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
            seams: FxHashSet::default(),
            full_since: None,
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

    /// Whether the code at IP isn't decoded: it is written to so often, or there
    /// is no room.
    pub(super) fn is_shunned(&self, ip: u32, flags: u16, units: u64) -> bool {
        is_shunned(&self.rewritten, line(ip), units)
            || self.is_full(units) && !self.places.contains_key(&key(ip, flags))
    }

    fn is_full(&self, units: u64) -> bool {
        let is_recent = |since| units.saturating_sub(since) < FULL_FOR;
        self.blocks.len() > MOST_BLOCKS && self.full_since.is_some_and(is_recent)
    }

    #[cold]
    #[inline(never)]
    fn find(&mut self, memory: &mut Memory, core: &Core, units: u64) -> u32 {
        let key = key(core.ip, core.rest);
        let place = match self.places.get(&key) {
            Some(&place) => place,
            None if self.is_shunned(core.ip, core.rest, units) => return 0,
            None => {
                if self.blocks.len() > MOST_BLOCKS {
                    if self.full_since.is_none() {
                        self.full_since = Some(units);
                        return 0;
                    }
                    memory.code.forget();
                    self.drop_changed(memory, units);
                }
                let shunned = |line| is_shunned(&self.rewritten, line, units);
                let is_seam = |ip| self.seams.contains(&self::key(ip, core.rest));
                let (mut block, leaves_seam) = decode(memory, core.ip, core.rest, shunned, is_seam);
                if self.all_wanted {
                    block.want();
                }
                if memory.code.has_changed() {
                    // There was no room to watch its bytes.
                    return 0;
                }
                if leaves_seam {
                    self.add_seam(self::key(block.next, core.rest));
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

    fn add_seam(&mut self, key: u32) {
        if self.seams.len() >= MOST_BLOCKS {
            self.seams.clear();
        }
        self.seams.insert(key);
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

/// What the compiler, the only hook there is, says of blocks.
#[cfg(feature = "jit")]
impl Cache {
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

#[cfg(test)]
mod tests {
    use isa::memory_map::PROGRAM_MEMORY;

    use super::MOST_BLOCKS;
    use crate::cpu::fast::block::LONGEST;
    use crate::{Engine, Image, Machine, Segment, Served, Services};

    /// No services: every INT answers that there is none.
    struct NoServices;

    impl Services for NoServices {
        fn interrupt(&mut self, _: &mut Machine, _: u8) -> Served {
            Served::Unknown
        }
    }

    /// A machine with `count` times INC A, and a jump to the first.
    fn counting(count: usize, engine: Engine) -> Machine {
        const INC_A: [u8; 2] = [21, 0];
        let address = PROGRAM_MEMORY.start + 0x1_0000;
        let jump = [&[100][..], &address.to_le_bytes()[..3]].concat();
        let bytes = [INC_A.repeat(count), jump].concat();
        let image = Image { entry: address, segments: vec![Segment { address, bytes }] };
        let mut machine = Machine::new();
        machine.set_engine(engine);
        machine.start(&image, b"").unwrap();
        machine
    }

    fn blocks(machine: &Machine) -> usize {
        machine.memory().translated.fast.as_ref().map_or(0, |cache| cache.blocks.len())
    }

    #[test]
    fn ends_of_frames_made_new_blocks_of_all_of_a_long_stretch() {
        let count = 50_000;
        let mut machine = counting(count, Engine::Fast);
        machine.run(&mut NoServices, 10_000_000);
        let most = count / LONGEST + machine.frames() as usize + 10;
        assert!(blocks(&machine) <= most, "{} of {most}", blocks(&machine));
    }

    /// Eleven instructions and a jump back: the blocks of 32 begin at every one.
    #[test]
    fn rounds_of_a_short_loop_were_cut_to_pieces() {
        let mut machine = counting(10, Engine::Fast);
        machine.run(&mut NoServices, 1_000_000);
        let cache = machine.memory().translated.fast.as_ref().unwrap();
        assert!(cache.seams.is_empty(), "{:?}", cache.seams);
    }

    #[test]
    fn a_program_too_large_for_all_blocks_runs_as_on_the_plain_cpu() {
        let count = (MOST_BLOCKS + MOST_BLOCKS / 8) * LONGEST;
        let [mut plain, mut fast] =
            [Engine::Plain, Engine::Fast].map(|engine| counting(count, engine));
        // Full once, for as long as that lasts, and full again.
        for until in [1_000_000, 9_000_000, 25_000_000] {
            plain.run(&mut NoServices, until);
            fast.run(&mut NoServices, until);
            assert!(plain == fast, "until {until}");
            assert!((MOST_BLOCKS / 4..=MOST_BLOCKS + 1).contains(&blocks(&fast)));
        }
    }
}
