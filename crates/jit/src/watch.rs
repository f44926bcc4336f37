//! How compiled code is told which bytes of memory are code, so that it does
//! not write to them.

use isa::memory_map::MEMORY_SIZE;

/// log2 of the bytes of a line of memory.
pub const LINE_BITS: u32 = 8;
/// Bytes of a line.
pub const LINE_BYTES: u32 = 1 << LINE_BITS;
/// Lines of memory.
pub const LINES: usize = MEMORY_SIZE / LINE_BYTES as usize;

/// The bytes that are known to be code. It doesn't change while compiled code
/// runs.
#[derive(Clone, Copy)]
pub struct Watch<'a> {
    /// For each line 0, or one more than its place in `decoded`. A line is
    /// marked when a store of up to eight bytes that begins in it can reach
    /// code.
    pub marks: &'a [u16; LINES],
    /// A bit for each byte of a line that is marked.
    pub decoded: &'a [[u64; LINE_BYTES as usize / 64]],
}
