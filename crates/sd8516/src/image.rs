//! Program images: `.prg` files and raw binaries, checked completely before
//! anything is loaded (machine manual, section 8).

use std::ops::Range;

use isa::memory_map::{
    IMAGE_MAGIC, KERNAL_AREAS, MEMORY_SIZE, PROGRAM_AREAS, RAW_AREA, USER_ORIGIN,
};
use serde::{Deserialize, Serialize};

/// A program ready to be loaded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Image {
    /// Where the program starts, 24 bits.
    pub entry: u32,
    /// What is loaded where, in the order of the file.
    pub segments: Vec<Segment>,
}

/// Bytes for one stretch of memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Segment {
    /// Where the first byte goes, 24 bits.
    pub address: u32,
    /// The bytes.
    pub bytes: Vec<u8>,
}

/// Why a file is no program for this machine.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ImageError {
    /// Nothing is in the file.
    #[error("the file is empty")]
    Empty,
    /// The file ends within its header or a segment's.
    #[error("the file ends within {0}")]
    Truncated(String),
    /// A segment claims more bytes than the file has.
    #[error("segment {number} says it has {}, the file has {left} more", bytes(*.length))]
    Length {
        /// Which segment, from 1.
        number: usize,
        /// Bytes it claims.
        length: usize,
        /// Bytes left in the file.
        left: usize,
    },
    /// Bytes after the last segment.
    #[error("behind the last segment the file has {} more", bytes(*.0))]
    Trailing(usize),
    /// A segment that passes the end of memory.
    #[error("segment {number} at ${address:06X} with {} passes the end of memory", bytes(*.length))]
    PastMemory {
        /// Which segment, from 1.
        number: usize,
        /// Its address.
        address: u32,
        /// Its bytes.
        length: usize,
    },
    /// A segment where the machine has something else.
    #[error(
        "segment {number} covers ${address:06X}–${last:06X}; \
         a program may cover $000000–$00FFFF, $020100–$02DCFF and $02DF00–$EFFFFF{}",
        if *.kernal { ", a kernal $010100–$01DBFF too" } else { "" }
    )]
    Area {
        /// Which segment, from 1.
        number: usize,
        /// Its first address.
        address: u32,
        /// Its last address.
        last: u32,
        /// Whether the kernal's area was allowed.
        kernal: bool,
    },
    /// Two segments that want the same byte.
    #[error("segments {first} and {second} both cover ${address:06X}")]
    Overlap {
        /// The one that begins lower.
        first: usize,
        /// The other.
        second: usize,
        /// The first byte that both cover.
        address: u32,
    },
    /// A raw binary that doesn't fit its area.
    #[error("a raw binary has at most 56,320 bytes ($020100–$02DCFF), this one has {0}")]
    RawSize(usize),
    /// The argument string and its zero don't fit.
    #[error("the arguments have {0} bytes, there is room for 255")]
    Arguments(usize),
    /// Programs that run programs, too deep.
    #[error("more than {0} programs wait for one another")]
    Depth(usize),
}

impl Image {
    /// Reads a `.prg`, or a raw binary when `bytes` don't begin with its
    /// magic. With `kernal` the kernal's area may be covered too.
    ///
    /// # Errors
    /// Everything section 8 refuses, with the place and the figures.
    pub fn parse(bytes: &[u8], kernal: bool) -> Result<Image, ImageError> {
        let image = match bytes.strip_prefix(&IMAGE_MAGIC) {
            Some(rest) => parse_prg(rest)?,
            None => parse_raw(bytes)?,
        };
        image.check(kernal)?;
        Ok(image)
    }

    /// Checks that the segments lie where a program's (or a kernal's) may
    /// and that no two meet.
    ///
    /// # Errors
    /// [`ImageError::PastMemory`], [`ImageError::Area`],
    /// [`ImageError::Overlap`].
    pub fn check(&self, kernal: bool) -> Result<(), ImageError> {
        let areas: &[Range<u32>] = if kernal { &KERNAL_AREAS } else { &PROGRAM_AREAS };
        let mut ranges = Vec::with_capacity(self.segments.len());
        for (number, segment) in (1..).zip(&self.segments) {
            let Segment { address, bytes } = segment;
            let (address, length) = (*address, bytes.len());
            let end = address as usize + length;
            if end > MEMORY_SIZE {
                return Err(ImageError::PastMemory { number, address, length });
            }
            if length == 0 {
                continue;
            }
            let range = address..end as u32;
            if !areas.iter().any(|area| area.start <= range.start && range.end <= area.end) {
                return Err(ImageError::Area { number, address, last: range.end - 1, kernal });
            }
            ranges.push((range.start, range.end, number));
        }
        ranges.sort_unstable();
        for pair in ranges.windows(2) {
            let ((_, end, first), (start, _, second)) = (pair[0], pair[1]);
            if start < end {
                return Err(ImageError::Overlap { first, second, address: start });
            }
        }
        Ok(())
    }

    /// The address after the highest byte; the entry when there are none.
    pub fn end(&self) -> u32 {
        self.segments
            .iter()
            .filter(|segment| !segment.bytes.is_empty())
            .map(|segment| segment.address.saturating_add(segment.bytes.len() as u32))
            .max()
            .unwrap_or(self.entry)
    }
}

/// The rest of a `.prg` behind its magic.
fn parse_prg(bytes: &[u8]) -> Result<Image, ImageError> {
    let mut rest = bytes;
    let header = || ImageError::Truncated("its header".to_string());
    let entry = take_number(&mut rest, 3).ok_or_else(header)?;
    let count = take_number(&mut rest, 2).ok_or_else(header)?;
    let mut segments = Vec::new();
    for number in 1..=count as usize {
        let header = || ImageError::Truncated(format!("the header of segment {number} of {count}"));
        let address = take_number(&mut rest, 3).ok_or_else(header)?;
        let length = take_number(&mut rest, 3).ok_or_else(header)? as usize;
        let left = rest.len();
        let (bytes, after) =
            rest.split_at_checked(length).ok_or(ImageError::Length { number, length, left })?;
        segments.push(Segment { address, bytes: bytes.to_vec() });
        rest = after;
    }
    if !rest.is_empty() {
        return Err(ImageError::Trailing(rest.len()));
    }
    Ok(Image { entry, segments })
}

fn parse_raw(bytes: &[u8]) -> Result<Image, ImageError> {
    match bytes.len() {
        0 => Err(ImageError::Empty),
        length if length > RAW_AREA.len() => Err(ImageError::RawSize(length)),
        _ => Ok(Image {
            entry: USER_ORIGIN,
            segments: vec![Segment { address: USER_ORIGIN, bytes: bytes.to_vec() }],
        }),
    }
}

/// Takes a little-endian number off the front.
fn take_number(bytes: &mut &[u8], width: usize) -> Option<u32> {
    let (number, rest) = bytes.split_at_checked(width)?;
    *bytes = rest;
    Some(number.iter().rev().fold(0, |value, &byte| value << 8 | u32::from(byte)))
}

/// `1 byte`, `2 bytes`.
fn bytes(count: usize) -> String {
    format!("{count} byte{}", if count == 1 { "" } else { "s" })
}
