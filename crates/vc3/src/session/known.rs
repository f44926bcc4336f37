//! Programs whose symbols are known, and which of them lies in memory.

use std::cell::OnceCell;
use std::fmt;
use std::ops::Range;

use isa::Decoded;
use sd8516::{Image, Memory};

use crate::shipped::Shipped;
use crate::symbols::SymbolTable;

/// Bytes before and behind an address that tell whose it is.
const NEIGHBOURHOOD: usize = 16;

/// A program with its symbols.
pub struct KnownProgram {
    image: Image,
    /// The JSON that `symbols` is read from when it is wanted.
    json: &'static str,
    symbols: OnceCell<Option<SymbolTable>>,
}

/// An address in the words of a source.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Place<'a> {
    /// The nearest label at or below it, and how far above that it is.
    pub label: Option<(&'a str, u32)>,
    /// File and line of the statement there.
    pub line: Option<(&'a str, u32)>,
}

impl KnownProgram {
    /// A program that was assembled just now.
    pub fn assembled(image: Image, symbols: SymbolTable) -> KnownProgram {
        KnownProgram { image, json: "", symbols: OnceCell::from(Some(symbols)) }
    }

    /// A program that vc3 carries; `image` is its image.
    pub fn shipped(program: &Shipped, image: Image) -> KnownProgram {
        KnownProgram { image, json: program.symbols, symbols: OnceCell::new() }
    }

    /// The symbols.
    pub fn symbols(&self) -> Option<&SymbolTable> {
        self.symbols.get_or_init(|| SymbolTable::from_json(self.json).ok()).as_ref()
    }

    /// Whether the image has bytes at `address` and memory still has them
    /// around there. A program that writes into its code changes little.
    fn lies_at(&self, memory: &Memory, address: u32) -> bool {
        let covering = self.image.segments.iter().find(|segment| {
            address
                .checked_sub(segment.address)
                .is_some_and(|at| (at as usize) < segment.bytes.len())
        });
        covering.is_some_and(|segment| {
            let at = (address - segment.address) as usize;
            let start = at.saturating_sub(NEIGHBOURHOOD);
            let end = (at + NEIGHBOURHOOD).min(segment.bytes.len());
            let now = memory.slice(segment.address + start as u32..segment.address + end as u32);
            2 * likeness(&segment.bytes[start..end], now) >= end - start
        })
    }

    /// Whether most of the image is in memory as it was loaded. Programs
    /// change their data, so all is not to be expected.
    fn is_loaded(&self, memory: &Memory) -> bool {
        let mut same = 0;
        let mut all = 0;
        for segment in &self.image.segments {
            let end = segment.address + segment.bytes.len() as u32;
            same += likeness(&segment.bytes, memory.slice(segment.address..end));
            all += segment.bytes.len();
        }
        4 * same >= 3 * all
    }

    /// Whether it is a kernal just as what lies at `address` is one.
    fn may_own(&self, address: u32) -> bool {
        let bank_one = |address: u32| address >> 16 == 1;
        bank_one(address) == bank_one(self.image.entry)
    }
}

fn likeness(was: &[u8], is: &[u8]) -> usize {
    was.iter().zip(is).filter(|(was, is)| was == is).count()
}

/// The code of the programs that are loaded and whose lines are known.
pub fn code(programs: &[KnownProgram], memory: &Memory) -> Vec<Range<u32>> {
    let loaded = programs.iter().filter(|program| program.is_loaded(memory));
    let segments = loaded.flat_map(|program| &program.image.segments);
    segments.map(|segment| segment.address..segment.address + segment.bytes.len() as u32).collect()
}

/// Describes `address`, with the symbols of the program that is loaded there.
pub fn place<'a>(programs: &'a [KnownProgram], memory: &Memory, address: u32) -> Place<'a> {
    let owner = programs.iter().find(|program| program.lies_at(memory, address)).or_else(|| {
        // Outside of every image: in the variables of one, or run off.
        programs.iter().find(|program| program.may_own(address) && program.is_loaded(memory))
    });
    match owner.and_then(KnownProgram::symbols) {
        Some(symbols) => Place { label: symbols.nearest(address), line: symbols.line(address) },
        None => Place::default(),
    }
}

/// `decoded`, which stands at `address`, as text with the labels that it
/// refers to.
pub fn instruction_text(
    programs: &[KnownProgram],
    memory: &Memory,
    address: u32,
    decoded: &Decoded,
) -> String {
    let label = |target| {
        let place = place(programs, memory, target);
        place.label.filter(|(_, offset)| *offset == 0).map(|(label, _)| label.to_string())
    };
    decoded.text(address, &label).to_string()
}

impl Place<'_> {
    /// `label` or `label+3`; empty when no label is known.
    pub fn label_text(&self) -> String {
        match self.label {
            Some((label, 0)) => label.to_string(),
            Some((label, offset)) => format!("{label}+{offset}"),
            None => String::new(),
        }
    }

    /// `file:line`; empty when that is not known.
    pub fn line_text(&self) -> String {
        self.line.map_or(String::new(), |(file, line)| format!("{file}:{line}"))
    }
}

/// ` (label+3, file:12)`, with as much as is known, or nothing.
impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known: Vec<String> = [self.label_text(), self.line_text()]
            .into_iter()
            .filter(|text| !text.is_empty())
            .collect();
        if known.is_empty() { Ok(()) } else { write!(f, " ({})", known.join(", ")) }
    }
}
