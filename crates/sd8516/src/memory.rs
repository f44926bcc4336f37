//! The 16 MB of memory, little-endian, addresses modulo 2^24 (machine manual,
//! sections 3 and 7). No address has a side effect.

use std::ops::Range;

use isa::memory_map::{ADDRESS_MASK, MEMORY_SIZE};
use serde::{Deserialize, Serialize};

use crate::code_watch::CodeWatch;
use crate::engine::Translated;
use crate::pages::{Bytes, Pages};

/// Memory. Every function takes any address and uses its low 24 bits;
/// accesses that pass the top go on at 0.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Memory {
    bytes: Pages,
    /// What was done to each byte, while the machine is checking.
    marks: Option<Pages>,
    /// What the engines have made of the code in these bytes. No part of the
    /// state: it can be made again.
    #[serde(skip)]
    pub(crate) code: CodeWatch,
    #[serde(skip)]
    pub(crate) translated: Translated,
}

/// What the checking mode knows of a byte (`--sanitize`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    /// Nothing has written it.
    Untouched,
    /// Written, but no part of the image.
    Written,
    /// As the image has it.
    Loaded,
    /// Part of the image and written to afterwards.
    Overwritten,
}

/// Bank 1 as it was, with its marks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Bank {
    bytes: Bytes,
    marks: Option<Bytes>,
}

const BANK_1: Range<usize> = 0x01_0000..0x02_0000;

const UNTOUCHED: u8 = 0;
const WRITTEN: u8 = 1;
const LOADED: u8 = 2;
const OVERWRITTEN: u8 = 3;

impl PartialEq for Memory {
    fn eq(&self, other: &Self) -> bool {
        self.bytes == other.bytes && self.marks == other.marks
    }
}

impl Eq for Memory {}

impl Default for Memory {
    fn default() -> Self {
        Memory::new()
    }
}

impl Memory {
    /// 16 MB of zeros.
    pub fn new() -> Self {
        Memory::of(Pages::new(), None)
    }

    /// The byte at `address`.
    #[inline]
    pub fn byte(&self, address: u32) -> u8 {
        self.bytes.bytes()[index(address)]
    }

    /// Writes one byte.
    #[inline]
    pub fn set_byte(&mut self, address: u32, value: u8) {
        self.store(address, 1, value.into());
    }

    /// The `width` bytes at `address`, zero-extended. Widths of 1–8 are
    /// meant; others are taken as the nearest of these.
    #[inline]
    pub fn read(&self, address: u32, width: u8) -> u64 {
        let unused = 8 * (8 - u32::from(width.clamp(1, 8)));
        self.window(address) << unused >> unused
    }

    /// Writes the low `width` bytes of `value`; widths as in [`Memory::read`].
    #[inline]
    pub fn write(&mut self, address: u32, width: u8, value: u64) {
        self.store(address, width, value);
    }

    /// [`Memory::write`], which answers whether code that an engine has
    /// decoded was written to.
    #[inline(always)]
    pub(crate) fn store(&mut self, address: u32, width: u8, value: u64) -> bool {
        self.mark_written(address, width.into());
        self.set_bytes(address, width, value);
        self.code.is_near_code(address) && self.code.written(address, width.clamp(1, 8).into())
    }

    /// [`Memory::read`] for a width that is known where it is called.
    #[inline(always)]
    pub(crate) fn get<const WIDTH: u8>(&self, address: u32) -> u64 {
        let at = index(address);
        let all = self.bytes.bytes();
        if WIDTH > 1 && at > MEMORY_SIZE - 8 {
            return self.read(address, WIDTH);
        }
        match WIDTH {
            1 => all[at].into(),
            2 => u16::from_le_bytes([all[at], all[at + 1]]).into(),
            // In the two parts in which `set_bytes` writes it, so that a host
            // has a value that was just stored at hand.
            3 => {
                let [low, middle, high] = [all[at], all[at + 1], all[at + 2]];
                u64::from(high) << 16 | u64::from(u16::from_le_bytes([low, middle]))
            }
            4 => u32::from_le_bytes([all[at], all[at + 1], all[at + 2], all[at + 3]]).into(),
            _ => self.read(address, WIDTH),
        }
    }

    /// A store as nearly all are: far from decoded code and from the top of
    /// memory. `false`, and nothing is done, when it is another, for
    /// [`Memory::store`]. Not while the machine is checking.
    #[inline(always)]
    pub(crate) fn put<const WIDTH: u8>(&mut self, address: u32, value: u64) -> bool {
        debug_assert!(self.marks.is_none());
        let is_plain = index(address) <= MEMORY_SIZE - 8 && !self.code.is_near_code(address);
        if is_plain {
            self.set_bytes(address, WIDTH, value);
        }
        is_plain
    }

    /// The eight bytes at `address` as one number: an instruction's first
    /// bytes, or any operand.
    #[inline]
    pub(crate) fn window(&self, address: u32) -> u64 {
        let at = index(address);
        let all = self.bytes.bytes();
        if at <= MEMORY_SIZE - 8 {
            let mut bytes = [0; 8];
            bytes.copy_from_slice(&all[at..at + 8]);
            u64::from_le_bytes(bytes)
        } else {
            self.window_at_the_top(address)
        }
    }

    /// The bytes of a range within memory; what lies beyond 2^24 is left out
    /// and a range that ends before it starts is empty.
    pub fn slice(&self, range: Range<u32>) -> &[u8] {
        let end = (range.end as usize).min(MEMORY_SIZE);
        self.bytes.bytes().get(range.start as usize..end).unwrap_or_default()
    }

    /// The same range to write to; all of it counts as written.
    pub fn slice_mut(&mut self, range: Range<u32>) -> &mut [u8] {
        self.note_written(range.start, range.end.saturating_sub(range.start));
        let end = (range.end as usize).min(MEMORY_SIZE);
        self.bytes.bytes_mut().get_mut(range.start as usize..end).unwrap_or_default()
    }

    /// Copies `bytes` to `address` and on, wrapping at the top.
    pub fn copy_in(&mut self, address: u32, bytes: &[u8]) {
        self.note_written(address, bytes.len().min(MEMORY_SIZE) as u32);
        self.write_slowly(address, bytes);
    }

    /// The `length` bytes from `address` on, wrapping at the top; at most
    /// 2^24.
    pub fn copy_out(&self, address: u32, length: u32) -> Vec<u8> {
        let length = (length as usize).min(MEMORY_SIZE);
        let first = length.min(MEMORY_SIZE - index(address));
        let all = self.bytes.bytes();
        let mut bytes = Vec::with_capacity(length);
        bytes.extend_from_slice(&all[index(address)..][..first]);
        bytes.extend_from_slice(&all[..length - first]);
        bytes
    }

    /// Sets `length` bytes from `address` on to `value`, wrapping at the top;
    /// at most 2^24.
    pub fn fill(&mut self, address: u32, value: u8, length: u32) {
        self.note_written(address, length);
        let length = (length as usize).min(MEMORY_SIZE);
        let first = length.min(MEMORY_SIZE - index(address));
        let all = self.bytes.bytes_mut();
        all[index(address)..][..first].fill(value);
        all[..length - first].fill(value);
    }

    /// Copies `length` bytes as if through a buffer, so that overlap is safe;
    /// wrapping at the top.
    pub fn copy_within(&mut self, to: u32, from: u32, length: u32) {
        let (source, target, bytes) = (index(from), index(to), length as usize);
        if source.max(target) + bytes <= MEMORY_SIZE {
            self.note_written(to, length);
            self.bytes.bytes_mut().copy_within(source..source + bytes, target);
        } else {
            let buffer = self.copy_out(from, length);
            self.copy_in(to, &buffer);
        }
    }

    /// Copies an image's bytes in: the checking mode takes them for code and
    /// data as the assembler made them.
    pub(crate) fn load(&mut self, address: u32, bytes: &[u8]) {
        self.write_slowly(address, bytes);
        self.code.written(address, bytes.len().min(MEMORY_SIZE) as u32);
        self.mark_all(address, bytes.len() as u32, |_| LOADED);
    }

    /// Copies in what a service loads from a file while a program runs, as
    /// [`Memory::copy_in`] does. Only the checking mode sees a difference:
    /// over the program's image it is a new image, nothing the program wrote.
    pub fn overlay(&mut self, address: u32, bytes: &[u8]) {
        self.write_slowly(address, bytes);
        let length = bytes.len().min(MEMORY_SIZE) as u32;
        self.code.written(address, length);
        self.mark_all(address, length, |mark| match mark {
            UNTOUCHED | WRITTEN => WRITTEN,
            _ => LOADED,
        });
    }

    /// Zeros that nothing has written, with marks if these have some.
    pub(crate) fn fresh(&self) -> Self {
        let marks = self.marks.as_ref().map(|_| Pages::new());
        Memory::of(Pages::new(), marks)
    }

    /// Zeroes memory as for a new program: nothing has written it.
    pub(crate) fn clear(&mut self) {
        self.bytes.zero(0..MEMORY_SIZE);
        self.code.forget();
        if let Some(marks) = &mut self.marks {
            marks.zero(0..MEMORY_SIZE);
        }
    }

    /// A copy of bank 1, to be kept while another program uses it.
    pub(crate) fn bank_1(&self) -> Bank {
        let part = |pages: &Pages| Bytes(pages.bytes()[BANK_1].to_vec());
        Bank { bytes: part(&self.bytes), marks: self.marks.as_ref().map(part) }
    }

    /// Brings bank 1 back.
    pub(crate) fn set_bank_1(&mut self, bank: &Bank) {
        let restore = |pages: &mut Pages, kept: &Bytes| {
            for (byte, kept) in pages.bytes_mut()[BANK_1].iter_mut().zip(&kept.0) {
                *byte = *kept;
            }
        };
        restore(&mut self.bytes, &bank.bytes);
        self.code.written(BANK_1.start as u32, BANK_1.len() as u32);
        if let (Some(marks), Some(kept)) = (&mut self.marks, &bank.marks) {
            restore(marks, kept);
        }
    }

    /// Begins or ends keeping marks; what is there now counts as written.
    pub(crate) fn set_marking(&mut self, on: bool) {
        if !on {
            self.marks = None;
        } else if self.marks.is_none() {
            let mut marks = Pages::new();
            marks.bytes_mut().fill(WRITTEN);
            self.marks = Some(marks);
        }
    }

    pub(crate) fn is_marking(&self) -> bool {
        self.marks.is_some()
    }

    /// The mark of a byte; everything counts as written while none are kept.
    pub(crate) fn mark(&self, address: u32) -> Mark {
        match self.marks.as_ref().map_or(WRITTEN, |marks| marks.bytes()[index(address)]) {
            UNTOUCHED => Mark::Untouched,
            WRITTEN => Mark::Written,
            LOADED => Mark::Loaded,
            _ => Mark::Overwritten,
        }
    }

    fn of(bytes: Pages, marks: Option<Pages>) -> Self {
        Memory { bytes, marks, code: CodeWatch::default(), translated: Translated::default() }
    }

    /// The bytes, for code that looks for itself whether it writes to code.
    #[cfg(feature = "jit")]
    pub(crate) fn bytes_and_code(&mut self) -> (&mut [u8; MEMORY_SIZE], &mut CodeWatch) {
        (self.bytes.bytes_mut(), &mut self.code)
    }

    /// Bytes are written other than by a store of the CPU.
    fn note_written(&mut self, address: u32, length: u32) {
        self.code.written(address, length);
        self.mark_written(address, length);
    }

    #[inline(always)]
    fn mark_written(&mut self, address: u32, length: u32) {
        if self.marks.is_some() {
            self.mark_all(address, length, |mark| match mark {
                UNTOUCHED | WRITTEN => WRITTEN,
                _ => OVERWRITTEN,
            });
        }
    }

    #[cold]
    fn mark_all(&mut self, address: u32, length: u32, change: impl Fn(u8) -> u8) {
        let Some(marks) = &mut self.marks else { return };
        for offset in 0..length.min(MEMORY_SIZE as u32) {
            let mark = &mut marks.bytes_mut()[index(address.wrapping_add(offset))];
            *mark = change(*mark);
        }
    }

    #[cold]
    fn window_at_the_top(&self, address: u32) -> u64 {
        (0..8).rev().fold(0, |value, offset| {
            value << 8 | u64::from(self.byte(address.wrapping_add(offset)))
        })
    }

    #[inline(always)]
    fn set_bytes(&mut self, address: u32, width: u8, value: u64) {
        let at = index(address);
        let bytes = value.to_le_bytes();
        let all = self.bytes.bytes_mut();
        if width > 1 && at > MEMORY_SIZE - 8 {
            return self.set_bytes_at_the_top(address, width, value);
        }
        match width {
            0 | 1 => all[at] = bytes[0],
            2 => all[at..at + 2].copy_from_slice(&bytes[..2]),
            3 => all[at..at + 3].copy_from_slice(&bytes[..3]),
            4 => all[at..at + 4].copy_from_slice(&bytes[..4]),
            5..8 => self.set_bytes_at_the_top(address, width, value),
            _ => all[at..at + 8].copy_from_slice(&bytes),
        }
    }

    /// Any place and width; by value, so that the bytes needn't lie in memory
    /// for the sake of this alone.
    #[cold]
    #[inline(never)]
    fn set_bytes_at_the_top(&mut self, address: u32, width: u8, value: u64) {
        self.write_slowly(address, &value.to_le_bytes()[..usize::from(width.min(8))]);
    }

    fn write_slowly(&mut self, mut address: u32, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let at = index(address);
            let (now, later) = bytes.split_at(bytes.len().min(MEMORY_SIZE - at));
            self.bytes.bytes_mut()[at..at + now.len()].copy_from_slice(now);
            (address, bytes) = (0, later);
        }
    }
}

#[inline(always)]
fn index(address: u32) -> usize {
    (address & ADDRESS_MASK) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOP: u32 = ADDRESS_MASK;

    #[test]
    fn every_width_is_little_endian_and_leaves_its_neighbours() {
        for width in 1..=8u8 {
            for address in [0x1000, TOP - 7, TOP - 3, TOP] {
                let mut memory = Memory::new();
                memory.fill(address.wrapping_sub(4), 0xEE, 16);
                memory.write(address, width, 0x8877_6655_4433_2211);
                let mask = u64::MAX >> (64 - 8 * u32::from(width));
                assert_eq!(memory.read(address, width), 0x8877_6655_4433_2211 & mask);
                assert_eq!(memory.byte(address), 0x11);
                assert_eq!(memory.byte(address.wrapping_sub(1)), 0xEE);
                assert_eq!(memory.byte(address.wrapping_add(width.into())), 0xEE);
            }
        }
    }

    #[test]
    fn blocks_wrap_at_the_top() {
        let mut memory = Memory::new();
        memory.copy_in(TOP - 1, b"abcd");
        assert_eq!(memory.slice(0..2), b"cd");
        assert_eq!(memory.copy_out(TOP - 1, 4), b"abcd");
        memory.copy_within(TOP, TOP - 1, 4);
        assert_eq!(memory.copy_out(TOP - 1, 5), b"aabcd");
        memory.fill(TOP, 7, 2);
        assert_eq!((memory.byte(TOP), memory.byte(0), memory.byte(1)), (7, 7, b'c'));
        assert_eq!(memory.copy_out(5, u32::MAX).len(), MEMORY_SIZE);
    }

    #[test]
    fn slices_are_cut_at_the_top_and_never_panic() {
        let mut memory = Memory::new();
        assert_eq!(memory.slice(TOP..u32::MAX).len(), 1);
        assert_eq!(memory.slice(u32::MAX - 1..u32::MAX).len(), 0);
        let (start, end) = (9, 3);
        assert!(memory.slice(start..end).is_empty() && memory.slice_mut(start..end).is_empty());
        memory.slice_mut(2..4).copy_from_slice(b"xy");
        assert_eq!(memory.read(2, 2), u64::from(u16::from_le_bytes(*b"xy")));
    }

    #[test]
    fn marks_tell_image_from_data() {
        let mut memory = Memory::new();
        assert_eq!(memory.mark(9), Mark::Written);
        memory.set_marking(true);
        assert_eq!(memory.mark(9), Mark::Written);
        memory.clear();
        assert_eq!(memory.mark(9), Mark::Untouched);
        memory.load(8, b"code");
        memory.write(10, 4, 1);
        let marks: Vec<Mark> = (7..15).map(|address| memory.mark(address)).collect();
        use Mark::{Loaded, Overwritten, Untouched, Written};
        assert_eq!(
            marks,
            [Untouched, Loaded, Loaded, Overwritten, Overwritten, Written, Written, Untouched]
        );
        memory.overlay(11, b"again");
        let marks: Vec<Mark> = (10..17).map(|address| memory.mark(address)).collect();
        assert_eq!(marks, [Overwritten, Loaded, Written, Written, Written, Written, Untouched]);
        assert_eq!(memory.slice(11..16), b"again");
        memory.clear();
        assert_eq!((memory.mark(8), memory.byte(8)), (Untouched, 0));
    }
}
