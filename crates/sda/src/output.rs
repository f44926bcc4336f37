//! The files that a program is written as: `.prg`, raw, Intel HEX.

use thiserror::Error;

use crate::program::Program;

/// Why a program cannot be written in a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum OutputError {
    /// A raw binary that would be taken for a `.prg`.
    #[error("a raw binary cannot begin with the bytes `SDX1`: it would be read as a .prg image")]
    LooksLikeImage,
}

impl Program {
    /// The `.prg` image (machine manual, section 8): `SDX1`, entry, number
    /// of segments, then each with address, length and bytes.
    pub fn prg(&self) -> Vec<u8> {
        let size: usize = self.segments.iter().map(|segment| 6 + segment.bytes.len()).sum();
        let mut image = Vec::with_capacity(9 + size);
        image.extend_from_slice(&isa::memory_map::IMAGE_MAGIC);
        image.extend_from_slice(&self.entry.to_le_bytes()[..3]);
        image.extend_from_slice(&(self.segments.len() as u16).to_le_bytes());
        for segment in &self.segments {
            image.extend_from_slice(&segment.address.to_le_bytes()[..3]);
            image.extend_from_slice(&(segment.bytes.len() as u32).to_le_bytes()[..3]);
            image.extend_from_slice(&segment.bytes);
        }
        image
    }

    /// The bytes from the lowest to the highest emitted one, holes zero; at
    /// most 16 MB.
    ///
    /// # Errors
    /// When they begin with the magic of a `.prg`.
    pub fn raw(&self) -> Result<Vec<u8>, OutputError> {
        let (Some(first), Some(last)) = (self.segments.first(), self.segments.last()) else {
            return Ok(Vec::new());
        };
        let mut bytes = vec![0; (last.end() - first.address) as usize];
        for segment in &self.segments {
            let at = (segment.address - first.address) as usize;
            bytes[at..at + segment.bytes.len()].copy_from_slice(&segment.bytes);
        }
        if bytes.starts_with(&isa::memory_map::IMAGE_MAGIC) {
            return Err(OutputError::LooksLikeImage);
        }
        Ok(bytes)
    }

    /// Intel HEX with extended linear addresses, 16 bytes a line, the entry
    /// as start address, lines ended by a newline.
    pub fn ihex(&self) -> String {
        let mut text = String::new();
        let mut bank = None;
        for segment in &self.segments {
            let mut at = 0;
            while at < segment.bytes.len() {
                let address = segment.address + at as u32;
                if bank != Some(address >> 16) {
                    bank = Some(address >> 16);
                    ihex_record(&mut text, 0, 4, &((address >> 16) as u16).to_be_bytes());
                }
                // A line lies in one bank.
                let left = 0x1_0000 - (address & 0xFFFF) as usize;
                let size = (segment.bytes.len() - at).min(16).min(left);
                ihex_record(&mut text, address as u16, 0, &segment.bytes[at..at + size]);
                at += size;
            }
        }
        ihex_record(&mut text, 0, 5, &self.entry.to_be_bytes());
        ihex_record(&mut text, 0, 1, &[]);
        text
    }
}

fn ihex_record(text: &mut String, address: u16, kind: u8, data: &[u8]) {
    let [high, low] = address.to_be_bytes();
    let mut sum = 0u8;
    text.push(':');
    for &byte in [data.len() as u8, high, low, kind].iter().chain(data) {
        sum = sum.wrapping_add(byte);
        *text += &format!("{byte:02X}");
    }
    *text += &format!("{:02X}\n", sum.wrapping_neg());
}
