//! Which bytes of memory an engine has decoded or compiled, and which of them
//! have been written to since: code may modify itself.

use std::ops::Range;

use isa::memory_map::{ADDRESS_MASK, MEMORY_SIZE};

/// log2 of the bytes of a line, the unit in which decoded code is dropped.
const LINE_BITS: u32 = 8;
const LINE: usize = 1 << LINE_BITS;
const LINES: usize = MEMORY_SIZE / LINE;

/// The most bytes that one store writes. A line is marked when a store that
/// begins in it can reach a decoded byte, so that a store has to look at one
/// mark only.
const WIDEST_STORE: u32 = 8;

/// More changed lines than this are told as "everything".
const MOST_CHANGES: usize = 64;

/// One bit for each byte of a line.
type Bytes = [u64; LINE / 64];

/// The decoded bytes of one memory.
///
/// A new one says that everything has changed, so that an engine's code for
/// the bytes that were there before is dropped.
#[derive(Clone, Debug)]
pub(crate) struct CodeWatch {
    /// For each line 0, or one more than its place in `decoded`.
    marks: Box<[u16; LINES]>,
    decoded: Vec<Bytes>,
    changes: Changes,
    /// Whether `changes` holds any.
    has_changed: bool,
    /// Those that have been taken from `changes` and that the compiler hasn't
    /// been told.
    #[cfg(feature = "jit")]
    untold: Changes,
}

/// What has been written to since an engine asked last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Changes {
    /// These lines, as ranges of addresses; may be none.
    Lines(Vec<u32>),
    /// All of memory.
    Everything,
}

#[cfg(feature = "jit")]
impl Changes {
    fn add(&mut self, more: &Changes) {
        match (&mut *self, more) {
            (Changes::Everything, _) => {}
            (Changes::Lines(lines), Changes::Lines(more))
                if lines.len() + more.len() <= MOST_CHANGES =>
            {
                lines.extend(more);
            }
            _ => *self = Changes::Everything,
        }
    }
}

impl Default for CodeWatch {
    fn default() -> Self {
        let marks = vec![0; LINES].into_boxed_slice();
        CodeWatch {
            marks: marks.try_into().expect("the vector has LINES marks"),
            decoded: Vec::new(),
            changes: Changes::Everything,
            has_changed: true,
            #[cfg(feature = "jit")]
            untold: Changes::Everything,
        }
    }
}

/// The line of an address.
pub(crate) fn line(address: u32) -> u32 {
    (address & ADDRESS_MASK) >> LINE_BITS
}

impl CodeWatch {
    /// Whether a store of up to eight bytes at `address` may write to decoded
    /// code: one load, the price that every store pays.
    #[inline(always)]
    pub(crate) fn is_near_code(&self, address: u32) -> bool {
        self.marks[line(address) as usize] != 0
    }

    /// The `length` bytes from `address` on have been decoded: writing to them
    /// is to be told. Up to 2^16 bytes, wrapping at the top.
    pub(crate) fn watch(&mut self, address: u32, length: u32) {
        for offset in 0..length {
            let address = address.wrapping_add(offset);
            let place = self.place(line(address));
            let Some(bytes) = self.decoded.get_mut(place) else { continue };
            let bit = address as usize % LINE;
            bytes[bit / 64] |= 1 << (bit % 64);
        }
        self.place(line(address.wrapping_sub(WIDEST_STORE - 1)));
    }

    /// `length` bytes from `address` on have been written, wrapping at the
    /// top; whether one of them was decoded.
    #[cold]
    #[inline(never)]
    pub(crate) fn written(&mut self, address: u32, length: u32) -> bool {
        if self.decoded.is_empty() || length == 0 {
            return false;
        }
        let first = address & ADDRESS_MASK;
        let end = first as usize + (length as usize).min(MEMORY_SIZE);
        let mut is_code = false;
        for number in first as usize / LINE..end.div_ceil(LINE) {
            let start = number * LINE;
            let within = (first as usize).max(start) - start..end.min(start + LINE) - start;
            is_code |= self.line_written((number % LINES) as u32, within);
        }
        is_code
    }

    /// Whether decoded code has been written to and [`CodeWatch::take_changes`]
    /// has not been asked for it.
    #[inline(always)]
    pub(crate) fn has_changed(&self) -> bool {
        self.has_changed
    }

    /// The lines with decoded bytes that were written to. An engine drops all
    /// code that has a byte in them; they aren't watched any more.
    pub(crate) fn take_changes(&mut self) -> Changes {
        self.has_changed = false;
        let changes = std::mem::replace(&mut self.changes, Changes::Lines(Vec::new()));
        match &changes {
            Changes::Lines(lines) => {
                for &line in lines {
                    let place = self.place_of_mark(line);
                    if let Some(bytes) = self.decoded.get_mut(place) {
                        *bytes = Bytes::default();
                    }
                }
            }
            Changes::Everything => {
                self.marks.fill(0);
                self.decoded.clear();
            }
        }
        #[cfg(feature = "jit")]
        self.untold.add(&changes);
        changes
    }

    /// What has been taken as changes since this was asked last: the fast core
    /// and the compiler both have to hear of them.
    #[cfg(feature = "jit")]
    pub(crate) fn take_untold(&mut self) -> Changes {
        std::mem::replace(&mut self.untold, Changes::Lines(Vec::new()))
    }

    /// What compiled code needs to see for itself what it may write to.
    #[cfg(feature = "jit")]
    pub(crate) fn as_watch(&self) -> jit::Watch<'_> {
        jit::Watch { marks: &self.marks, decoded: &self.decoded }
    }

    /// All code is to be dropped.
    pub(crate) fn forget(&mut self) {
        self.changes = Changes::Everything;
        self.has_changed = true;
    }

    fn line_written(&mut self, line: u32, within: Range<usize>) -> bool {
        let Some(bytes) = self.decoded.get(self.place_of_mark(line)) else { return false };
        if !within.clone().any(|bit| bytes[bit / 64] >> (bit % 64) & 1 != 0) {
            return false;
        }
        self.has_changed = true;
        if let Changes::Lines(lines) = &mut self.changes {
            if lines.len() >= MOST_CHANGES {
                self.changes = Changes::Everything;
            } else if !lines.contains(&line) {
                lines.push(line);
            }
        }
        true
    }

    /// The place in `decoded` of a line that is marked.
    fn place_of_mark(&self, line: u32) -> usize {
        usize::from(self.marks[line as usize % LINES]).wrapping_sub(1)
    }

    /// The same, marked now if it wasn't.
    fn place(&mut self, line: u32) -> usize {
        let mark = &mut self.marks[line as usize % LINES];
        if *mark == 0 {
            // No mark is left when code lies in nearly every line.
            let Ok(next) = u16::try_from(self.decoded.len() + 1) else {
                self.forget();
                return usize::MAX;
            };
            self.decoded.push(Bytes::default());
            *mark = next;
        }
        usize::from(*mark) - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn watched(address: u32, length: u32) -> CodeWatch {
        let mut watch = CodeWatch::default();
        assert_eq!(watch.take_changes(), Changes::Everything);
        watch.watch(address, length);
        watch
    }

    #[test]
    fn a_new_watch_drops_what_was_decoded_before() {
        let mut watch = CodeWatch::default();
        assert!(watch.has_changed());
        assert_eq!(watch.take_changes(), Changes::Everything);
        assert!(!watch.has_changed());
    }

    #[test]
    fn only_decoded_bytes_are_told() {
        let mut watch = watched(0x1234, 5);
        assert!(!watch.written(0x1233, 1) && !watch.written(0x1239, 8));
        assert!(!watch.has_changed());
        for address in [0x1233, 0x1234, 0x1238] {
            assert!(watch.written(address, 2));
            assert!(watch.has_changed());
        }
        assert_eq!(watch.take_changes(), Changes::Lines(vec![0x12]));
        assert!(!watch.written(0x1234, 5));
    }

    #[test]
    fn every_store_that_can_reach_code_is_near_it() {
        for first in [0x1200, 0x12FE, 0, ADDRESS_MASK] {
            let mut watch = watched(first, 3);
            for before in 0..8 {
                let address = first.wrapping_sub(before);
                assert!(watch.is_near_code(address));
                assert!(watch.clone().written(address, before + 1));
                assert!(!watch.written(address, before));
            }
            assert!(watch.is_near_code(first.wrapping_add(2)));
            assert!(!watch.is_near_code(first.wrapping_add(0x1000)));
        }
    }

    #[test]
    fn a_block_that_passes_the_top_reaches_both_ends() {
        let mut watch = watched(ADDRESS_MASK, 2);
        assert!(watch.written(ADDRESS_MASK - 0x300, 0x302));
        assert_eq!(watch.take_changes(), Changes::Lines(vec![0xFFFF, 0]));
    }

    #[test]
    fn many_changes_are_everything() {
        let mut watch = CodeWatch::default();
        watch.take_changes();
        for line in 0..100 {
            watch.watch(line * 0x100, 1);
        }
        assert!(watch.written(0, MEMORY_SIZE as u32));
        assert_eq!(watch.take_changes(), Changes::Everything);
        assert!(!watch.is_near_code(0));
    }

    #[test]
    fn code_in_every_line_is_forgotten_rather_than_missed() {
        let mut watch = watched(0, 1);
        for line in 0..LINES as u32 {
            watch.watch(line << LINE_BITS, 1);
        }
        assert_eq!(watch.take_changes(), Changes::Everything);
    }
}
