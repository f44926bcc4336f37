//! An image as source text that assembles to the same bytes: instructions
//! where bytes are some, `.bytes` and `.fill` where not.

use std::io::{self, Write};

use isa::memory_map::MEMORY_SIZE;
use isa::{Decoded, Operand, decode};
use sd8516::Image;

/// A run of zeros from this length on is a `.fill`, not `LDA $0000` again
/// and again.
const ZERO_RUN: usize = 16;
/// Bytes in one `.bytes` statement.
const BYTES_IN_A_LINE: usize = 8;
/// The column of the comment with address and bytes.
const COMMENT_COLUMN: usize = 40;

/// Writes the source of `image`.
pub fn write(image: &Image, out: &mut impl Write) -> io::Result<()> {
    let labels = Labels::of(image);
    match labels.name(image.entry) {
        Some(name) => writeln!(out, "    .entry @{name}")?,
        None => writeln!(out, "    .entry ${:06X}", image.entry)?,
    }
    for segment in &image.segments {
        writeln!(out, "\n    .address ${:06X}", segment.address)?;
        for statement in Statements::new(segment.address, &segment.bytes, &labels.targets) {
            write_statement(&statement, &labels, out)?;
        }
    }
    Ok(())
}

fn write_statement(
    statement: &Statement<'_>,
    labels: &Labels,
    out: &mut impl Write,
) -> io::Result<()> {
    if let Some(name) = labels.name(statement.address) {
        writeln!(out, "{name}:")?;
    }
    let text = match &statement.kind {
        Kind::Instruction(decoded) => {
            decoded.text(statement.address, &|address| labels.name(address)).to_string()
        }
        Kind::Bytes => format!(".bytes {}", hex(statement.bytes, "$", ", ")),
        Kind::Zeros => {
            return writeln!(out, "    .fill {}", statement.bytes.len());
        }
    };
    let address = statement.address;
    let bytes = hex(statement.bytes, "", " ");
    writeln!(out, "    {text:width$} ; {address:06X}: {bytes}", width = COMMENT_COLUMN - 5)
}

fn hex(bytes: &[u8], prefix: &str, between: &str) -> String {
    let each: Vec<String> = bytes.iter().map(|byte| format!("{prefix}{byte:02X}")).collect();
    each.join(between)
}

/// One line of the source.
struct Statement<'a> {
    address: u32,
    bytes: &'a [u8],
    kind: Kind,
}

enum Kind {
    Instruction(Decoded),
    Bytes,
    Zeros,
}

/// The statements of a segment, from its first byte on.
struct Statements<'a> {
    address: u32,
    rest: &'a [u8],
    /// Where an instruction is known to begin: data ends before it.
    targets: &'a AddressSet,
}

impl<'a> Statements<'a> {
    fn new(address: u32, bytes: &'a [u8], targets: &'a AddressSet) -> Self {
        Statements { address, rest: bytes, targets }
    }

    fn next_kind(&self) -> (Kind, usize) {
        let data = |most: usize, goes_on: &dyn Fn(usize) -> bool| {
            let end = self.rest.len().min(most);
            let more =
                |&at: &usize| goes_on(at) && !self.targets.contains(self.address + at as u32);
            1 + (1..end).take_while(more).count()
        };
        let zeros = data(self.rest.len(), &|at| self.rest[at] == 0);
        if self.rest[0] == 0 && zeros >= ZERO_RUN {
            return (Kind::Zeros, zeros);
        }
        if let Some(decoded) = instruction(self.address, self.rest) {
            return (Kind::Instruction(decoded), decoded.length.into());
        }
        let is_data = |at: usize| instruction(self.address + at as u32, &self.rest[at..]).is_none();
        (Kind::Bytes, data(BYTES_IN_A_LINE, &is_data))
    }
}

impl<'a> Iterator for Statements<'a> {
    type Item = Statement<'a>;

    fn next(&mut self) -> Option<Statement<'a>> {
        if self.rest.is_empty() {
            return None;
        }
        let (kind, length) = self.next_kind();
        let (bytes, rest) = self.rest.split_at(length);
        let statement = Statement { address: self.address, bytes, kind };
        self.address += length as u32;
        self.rest = rest;
        Some(statement)
    }
}

/// The instruction at the start of `bytes`, unless it is one that a source
/// cannot say: a branch across the end of memory.
fn instruction(address: u32, bytes: &[u8]) -> Option<Decoded> {
    let decoded = decode(bytes).ok()?;
    let next = i64::from(address) + i64::from(decoded.length);
    let sayable = decoded.operands.iter().flatten().all(|operand| match *operand {
        Operand::Rel(offset) => (0..MEMORY_SIZE as i64).contains(&(next + i64::from(offset))),
        _ => true,
    });
    sayable.then_some(decoded)
}

/// What the source names: the addresses that instructions refer to and where
/// a statement begins.
struct Labels {
    /// Where jumps, calls and the entry go.
    targets: AddressSet,
    named: AddressSet,
}

impl Labels {
    fn of(image: &Image) -> Labels {
        // Twice: only when the jumps are known it is known where data ends.
        let (mut entry, mut found) = (AddressSet::new(), AddressSet::new());
        entry.insert(image.entry);
        found.insert(image.entry);
        for statement in statements(image, &entry) {
            statement.references(|address, is_target| {
                if is_target {
                    found.insert(address);
                }
            });
        }
        let (mut starts, mut wanted) = (AddressSet::new(), AddressSet::new());
        wanted.insert(image.entry);
        for statement in statements(image, &found) {
            starts.insert(statement.address);
            statement.references(|address, _| wanted.insert(address));
        }
        Labels { targets: found, named: starts.and(&wanted) }
    }

    fn name(&self, address: u32) -> Option<String> {
        self.named.contains(address).then(|| format!("L{address:06X}"))
    }
}

fn statements<'a>(
    image: &'a Image,
    targets: &'a AddressSet,
) -> impl Iterator<Item = Statement<'a>> {
    let segments = image.segments.iter();
    segments.flat_map(|segment| Statements::new(segment.address, &segment.bytes, targets))
}

/// A set of 24-bit addresses.
struct AddressSet(Vec<u64>);

impl AddressSet {
    fn new() -> AddressSet {
        AddressSet(vec![0; MEMORY_SIZE / 64])
    }

    fn insert(&mut self, address: u32) {
        if let Some(bits) = self.0.get_mut(address as usize / 64) {
            *bits |= 1 << (address % 64);
        }
    }

    fn contains(&self, address: u32) -> bool {
        self.0.get(address as usize / 64).is_some_and(|bits| bits >> (address % 64) & 1 == 1)
    }

    fn and(&self, other: &AddressSet) -> AddressSet {
        AddressSet(self.0.iter().zip(&other.0).map(|(one, other)| one & other).collect())
    }
}

impl Statement<'_> {
    /// The addresses that the instruction's text shows, and whether the
    /// instruction goes there.
    fn references(&self, mut each: impl FnMut(u32, bool)) {
        let Kind::Instruction(decoded) = &self.kind else { return };
        let next = self.address + u32::from(decoded.length);
        for operand in decoded.operands.iter().flatten() {
            match *operand {
                Operand::Addr(target) => each(target, true),
                Operand::Rel(offset) => each(next.wrapping_add_signed(offset.into()), true),
                Operand::MemAbs(address) => each(address, false),
                Operand::Imm { value, width: 3 } => each(value as u32, false),
                _ => {}
            }
        }
    }
}
