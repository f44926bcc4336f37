//! The bytes that are followed: the segments of a program or of a file.

use crate::program::Segment;

/// Bytes by address.
#[derive(Clone, Debug, Default)]
pub struct Image<'a> {
    /// By ascending address, without overlap.
    pieces: Vec<(u32, &'a [u8])>,
}

impl<'a> Image<'a> {
    /// The bytes of these pieces, each with its first address. Pieces do not
    /// overlap.
    pub fn new(pieces: impl IntoIterator<Item = (u32, &'a [u8])>) -> Image<'a> {
        let mut pieces: Vec<_> =
            pieces.into_iter().filter(|(_, bytes)| !bytes.is_empty()).collect();
        pieces.sort_unstable_by_key(|&(address, _)| address);
        Image { pieces }
    }

    /// The bytes of a program.
    pub fn of_segments(segments: &'a [Segment]) -> Image<'a> {
        Image::new(segments.iter().map(|segment| (segment.address, segment.bytes.as_slice())))
    }

    /// The bytes from `address` to the end of their piece; empty outside.
    pub fn from(&self, address: u32) -> &'a [u8] {
        let behind = self.pieces.partition_point(|&(start, _)| start <= address);
        let Some(&(start, bytes)) = self.pieces[..behind].last() else { return &[] };
        bytes.get((address - start) as usize..).unwrap_or(&[])
    }

    /// The 3-byte address at `address`.
    pub fn pointer(&self, address: u32) -> Option<u32> {
        match *self.from(address).get(..3)? {
            [low, high, bank] => Some(u32::from_le_bytes([low, high, bank, 0])),
            _ => None,
        }
    }

    /// Every piece with its first address, by ascending address.
    pub fn pieces(&self) -> impl Iterator<Item = (u32, &'a [u8])> + '_ {
        self.pieces.iter().copied()
    }
}
