//! From an image back to a source that assembles to the same bytes: code
//! where paths lead, and strings, tables and fillings in between.

mod address_set;
mod code;
mod data;
mod labels;
mod names;
mod paragraphs;
mod reach;
mod write;

use std::io::{self, Write};

use isa::memory_map::{ADDRESS_MASK, MEMORY_SIZE};
use isa::{Decoded, Operand};

use crate::flow::{Flow, Image};

use names::Names;
use write::Writer;

/// A program to be written as source.
#[derive(Clone, Debug)]
pub struct Disassembly<'a> {
    /// Its bytes.
    pub image: Image<'a>,
    /// Where it starts, 24 bits.
    pub entry: u32,
    /// Addresses with names, in the image and elsewhere, as a symbol file has
    /// them; a local label's begins with its plain label. What is no name is
    /// passed over, and of several for one address the first plain one holds.
    pub names: Vec<(u32, String)>,
    /// Whether a comment beside every instruction says its address, its bytes
    /// and the units of machine time that it takes.
    pub addresses: bool,
}

impl Disassembly<'_> {
    /// Writes the source, in the layout of [`crate::fmt::format`].
    ///
    /// Code is what paths from the entry reach, and what an address in code
    /// or data or a name leads to if it looks like a routine. All else is
    /// data: strings, runs of one byte, addresses of what has a name, bytes.
    ///
    /// # Errors
    /// What `out` says.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let flow = code::find(&self.image, self.entry, &self.names);
        let names = Names::of(self, &flow);
        let mut writer = Writer::new(&flow, &names, self.addresses, out);
        writer.head(self.entry)?;
        for (start, bytes) in self.image.pieces() {
            writer.piece(start, bytes)?;
        }
        writer.finish()
    }
}

/// The instruction that begins at `address`, unless a source cannot say it: a
/// branch across the end of memory.
fn code_at(flow: &Flow<'_>, address: u32) -> Option<Decoded> {
    let decoded = flow.decoded(address)?;
    let next = i64::from(address) + i64::from(decoded.length);
    let is_sayable = decoded.operands.iter().flatten().all(|operand| match *operand {
        Operand::Rel(offset) => (0..MEMORY_SIZE as i64).contains(&(next + i64::from(offset))),
        _ => true,
    });
    is_sayable.then_some(decoded)
}

/// The addresses that the text of an instruction shows.
fn references(address: u32, decoded: &Decoded) -> impl Iterator<Item = u32> + '_ {
    let next = address + u32::from(decoded.length);
    decoded.operands.iter().flatten().filter_map(move |operand| match *operand {
        Operand::Addr(address) | Operand::MemAbs(address) => Some(address),
        Operand::Rel(offset) => Some(next.wrapping_add_signed(offset.into()) & ADDRESS_MASK),
        Operand::Imm { value, width: 3 } => Some(value as u32),
        _ => None,
    })
}
