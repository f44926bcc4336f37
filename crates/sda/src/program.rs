//! A finished program: segments, symbols, line table, expectations. How it
//! is written to files is `output`'s business.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use crate::contract::Contract;
use crate::facts::Facts;
use crate::source::Sources;

/// Bytes that lie together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Where the first byte goes, 24 bits.
    pub address: u32,
    /// At least one byte.
    pub bytes: Vec<u8>,
}

impl Segment {
    /// The first address behind it.
    pub fn end(&self) -> u32 {
        self.address + self.bytes.len() as u32
    }
}

/// A `.expect`: what memory must hold after a unit program's run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expectation {
    /// Where the value lies, 24 bits.
    pub address: u32,
    /// Its bytes: 1, 2, 3, 4 or 8, little-endian.
    pub width: u8,
    /// The lowest value that is right, unsigned.
    pub low: u64,
    /// The highest value that is right, unsigned; `low` when only one is.
    pub high: u64,
    /// What it means.
    pub text: String,
    /// The source file that says so; within a macro, the caller's.
    pub file: String,
    /// Its line.
    pub line: u32,
}

/// What sort of name a symbol is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SymbolKind {
    /// `name:`
    Label,
    /// `.name:`, called `plain.name`.
    Local,
    /// `.var`
    Variable,
    /// `.equ`, `=`, a field, `-D`.
    Constant,
}

/// One symbol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// Its name; a local label's begins with its plain label.
    pub name: String,
    /// The macro expansion it belongs to, `macro#number`; empty for the
    /// program.
    pub scope: String,
    /// Its value.
    pub value: i128,
    /// Whether the value is an address.
    pub address: bool,
    /// What sort of name it is.
    pub kind: SymbolKind,
    /// Where it is defined.
    pub file: String,
    /// The line there.
    pub line: u32,
}

/// The symbols of a program.
#[derive(Clone, Debug, Default)]
pub struct Symbols {
    facts: Arc<Facts>,
    table: OnceLock<SymbolTable>,
}

#[derive(Clone, Debug)]
struct SymbolTable {
    list: Vec<Symbol>,
    by_name: HashMap<String, usize>,
    /// Labels and variables of the program by address.
    labels: Vec<(u32, usize)>,
}

impl SymbolTable {
    fn new(list: Vec<Symbol>) -> SymbolTable {
        let program = || list.iter().enumerate().filter(|(_, symbol)| symbol.scope.is_empty());
        let by_name = program().map(|(at, symbol)| (symbol.name.clone(), at)).collect();
        let mut labels: Vec<(u32, usize)> = program()
            .filter(|(_, symbol)| symbol.kind != SymbolKind::Constant)
            .map(|(at, symbol)| (symbol.value as u32, at))
            .collect();
        // Of several at one address the first plain one is found.
        labels.sort_by_key(|&(address, at)| (address, list[at].kind == SymbolKind::Local, at));
        SymbolTable { list, by_name, labels }
    }
}

impl Symbols {
    pub(crate) fn new(facts: Arc<Facts>) -> Symbols {
        Symbols { facts, table: OnceLock::new() }
    }

    fn table(&self) -> &SymbolTable {
        self.table.get_or_init(|| SymbolTable::new(self.facts.symbols()))
    }

    /// The program's symbol of this name, such as `main`, `main.loop` or
    /// `OBJ.hp`.
    pub fn lookup(&self, name: &str) -> Option<&Symbol> {
        let table = self.table();
        table.by_name.get(name).map(|&at| &table.list[at])
    }

    /// The label or variable at or before `address`, and how far before; at
    /// most 64 KB away.
    pub fn nearest(&self, address: u32) -> Option<(&str, u32)> {
        let SymbolTable { list, labels, .. } = self.table();
        let behind = labels.partition_point(|&(at, _)| at <= address);
        let place = labels[..behind].last()?.0;
        let first = labels.partition_point(|&(at, _)| at < place);
        let offset = address - place;
        (offset < 0x1_0000).then(|| (list[labels[first].1].name.as_str(), offset))
    }

    /// Every symbol, in the order of definition.
    pub fn iter(&self) -> impl Iterator<Item = &Symbol> {
        self.table().list.iter()
    }
}

/// From addresses to source lines. A macro's bytes belong to the line that
/// called it.
#[derive(Clone, Debug, Default)]
pub struct LineTable {
    facts: Arc<Facts>,
    /// (address, bytes, file, line), by ascending address.
    entries: OnceLock<Vec<(u32, u32, u32, u32)>>,
}

impl LineTable {
    pub(crate) fn new(facts: Arc<Facts>) -> LineTable {
        LineTable { facts, entries: OnceLock::new() }
    }

    pub(crate) fn entries(&self) -> &[(u32, u32, u32, u32)] {
        self.entries.get_or_init(|| {
            let mut entries = self.facts.lines();
            entries.sort_unstable();
            entries
        })
    }

    pub(crate) fn files(&self) -> impl Iterator<Item = &str> {
        self.facts.sources.names()
    }

    fn file(&self, number: u32) -> &str {
        &self.facts.sources.get(number as usize).name
    }

    /// The file and line whose statement emitted the byte at `address`.
    pub fn at(&self, address: u32) -> Option<(&str, u32)> {
        let entries = self.entries();
        let behind = entries.partition_point(|&(start, ..)| start <= address);
        let &(start, size, file, line) = entries[..behind].last()?;
        (address - start < size).then(|| (self.file(file), line))
    }

    /// The statements that have a byte from `start` up to `end`.
    pub(crate) fn within(
        &self,
        start: u32,
        end: u32,
    ) -> impl Iterator<Item = (u32, u32, &str, u32)> {
        let entries = self.entries();
        let first = entries.partition_point(|&(address, size, ..)| address + size <= start);
        let behind = entries.partition_point(|&(address, ..)| address < end);
        entries[first..behind]
            .iter()
            .map(|&(address, size, file, line)| (address, size, self.file(file), line))
    }

    /// Every statement: address, bytes, file, line; by ascending address.
    pub fn iter(&self) -> impl Iterator<Item = (u32, u32, &str, u32)> {
        self.entries()
            .iter()
            .map(|&(address, size, file, line)| (address, size, self.file(file), line))
    }
}

/// What a statement emitted or reserved.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Statement {
    pub address: u32,
    pub size: u32,
    /// It has no bytes.
    pub is_reserved: bool,
    pub source: usize,
    pub line: u32,
    /// Source and line of the outermost macro call, or its own.
    pub caller: (usize, u32),
    /// What a file itself says: the statement, or the macro's call or the
    /// repetition that it comes from.
    pub anchor: Anchor,
    /// Within a macro or repetition.
    pub expanded: bool,
    /// Within an included file.
    pub included: bool,
    /// An instruction, not data.
    pub code: bool,
    /// Its number in the order of reading.
    pub order: u32,
}

/// A line of one reading of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Anchor {
    /// The inclusion; 0 is a file given to the assembler.
    pub context: u32,
    pub source: usize,
    pub line: u32,
}

/// One reading of a file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reading {
    pub context: u32,
    pub source: usize,
    /// The number of the first statement that may lie in it.
    pub order: u32,
    /// The `.include`; `None` for a file given to the assembler.
    pub from: Option<Anchor>,
}

/// A program that assembled without errors.
#[derive(Clone, Debug)]
pub struct Program {
    /// The address at which it starts, 24 bits.
    pub entry: u32,
    /// Its bytes by ascending address; touching ones are joined.
    pub segments: Vec<Segment>,
    /// Its symbols.
    pub symbols: Symbols,
    /// Which line made which byte.
    pub lines: LineTable,
    /// What must hold after a unit program's run.
    pub expectations: Vec<Expectation>,
    /// What its routines promise, by ascending address.
    pub contracts: Vec<Contract>,
    pub(crate) sources: Arc<Sources>,
    pub(crate) facts: Arc<Facts>,
    pub(crate) statements: OnceLock<Vec<Statement>>,
}

impl Program {
    /// Every statement that emitted or reserved something, in source order;
    /// variables come last.
    pub(crate) fn statements(&self) -> &[Statement] {
        self.statements.get_or_init(|| self.facts.statements())
    }

    /// The bytes of a statement, which lie in one segment.
    pub(crate) fn bytes_of(&self, statement: &Statement) -> &[u8] {
        if statement.is_reserved {
            return &[];
        }
        let Statement { address, size, .. } = *statement;
        let behind = self.segments.partition_point(|segment| segment.address <= address);
        let segment = self.segments[..behind].last();
        let bytes = segment.and_then(|segment| {
            let start = (address - segment.address) as usize;
            segment.bytes.get(start..start + size as usize)
        });
        bytes.unwrap_or_default()
    }
}
