//! Placing: the bytes of every statement at its address, what is reserved,
//! and the places whose values are filled in when all symbols are known.

use isa::memory_map::MEMORY_SIZE;

use crate::expression::Expr;
use crate::source::Span;
use crate::words::Count;

/// Bytes that a run may emit: the whole memory.
pub(crate) const MOST_BYTES: usize = MEMORY_SIZE;

/// A statement's bytes or reserved place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Record {
    pub address: u32,
    pub size: u32,
    /// Where its bytes begin in [`Layout::bytes`]; when reserved, where those
    /// of the next one do.
    pub offset: u32,
    pub span: Span,
    pub context: u32,
    /// Emits nothing: `.res`, `.var`.
    pub reserved: bool,
    /// An instruction, not data.
    pub code: bool,
    /// A label stands before it.
    pub labelled: bool,
    /// Its number in the order of reading.
    pub order: u32,
}

impl Record {
    /// The first address behind it.
    pub fn end(&self) -> u32 {
        self.address + self.size
    }
}

/// Statements that follow each other without a gap.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Run {
    pub address: u32,
    pub end: u32,
    /// Its records, by number.
    pub first: u32,
    pub last: u32,
}

/// What a value must fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Slot {
    /// So many bytes, signed or unsigned.
    Bytes(u8),
    /// The same, and a zero is worth a warning.
    Divisor(u8),
    /// 0–255, and what the number is.
    Count(Count),
    /// An address to jump to or to access, 3 bytes.
    Address,
    /// 2 bytes, signed, from this address on.
    Relative(u32),
    /// 2 bytes, signed.
    Displacement,
}

impl Slot {
    /// Bytes of the encoding.
    pub fn width(self) -> u8 {
        match self {
            Slot::Bytes(width) | Slot::Divisor(width) => width,
            Slot::Count(_) => 1,
            Slot::Address => 3,
            Slot::Relative(_) | Slot::Displacement => 2,
        }
    }
}

/// A value still to be filled in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fixup {
    /// Where in [`Layout::bytes`].
    pub offset: u32,
    pub expr: Expr,
    pub slot: Slot,
    /// The value of `$`.
    pub here: u32,
    pub context: u32,
}

/// Why something could not be placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Full {
    /// Behind $FFFFFF.
    Memory,
    /// More bytes than the machine has.
    Bytes,
}

/// Everything that has been placed.
pub(crate) struct Layout {
    /// Where the next byte goes, up to 2^24.
    pub here: u32,
    pub bytes: Vec<u8>,
    pub records: Vec<Record>,
    pub runs: Vec<Run>,
    pub variables: Vec<Record>,
    pub fixups: Vec<Fixup>,
    /// Where `.fill` and `.align` repeat the byte of a fix-up, how often.
    pub fillings: Vec<(u32, u32)>,
    /// A label stands before the next statement.
    pub labelled: bool,
    /// The next statement begins a run.
    moved: bool,
    /// Statements lie nobody knows where, until the next `.address`; they
    /// belong to no run.
    lost: bool,
}

impl Layout {
    pub fn new(origin: u32) -> Layout {
        Layout {
            here: origin,
            bytes: Vec::new(),
            records: Vec::new(),
            runs: Vec::new(),
            variables: Vec::new(),
            fixups: Vec::new(),
            fillings: Vec::new(),
            labelled: false,
            moved: true,
            lost: false,
        }
    }

    /// `.address`.
    pub fn move_to(&mut self, address: u32) {
        self.here = address;
        self.labelled = false;
        self.moved = true;
        self.lost = false;
    }

    /// A size or place is wrong: nothing that follows can be said to overlap.
    pub fn lose_place(&mut self) {
        self.moved = true;
        self.lost = true;
    }

    /// Bytes that still fit, by address and by amount.
    pub fn room(&self, size: usize) -> Result<(), Full> {
        if self.here as usize + size > MEMORY_SIZE {
            Err(Full::Memory)
        } else if self.bytes.len() + size > MOST_BYTES {
            Err(Full::Bytes)
        } else {
            Ok(())
        }
    }

    /// Makes room for the statements of a source of so many characters, as
    /// people write them: lists that grow are copied.
    pub fn expect(&mut self, characters: usize) {
        self.records.reserve(characters / 24);
        self.bytes.reserve(characters / 6);
    }

    /// Appends the lowest `width` bytes, at most eight, of a value.
    pub fn append(&mut self, bits: u64, width: usize) {
        let length = self.bytes.len() + width;
        self.bytes.extend_from_slice(&bits.to_le_bytes());
        self.bytes.truncate(length);
    }

    /// Closes a statement whose `size` bytes are the last ones of `bytes`.
    pub fn emitted(&mut self, size: u32, code: bool, span: Span, context: u32) {
        let offset = self.bytes.len() as u32 - size;
        let record = Record { code, ..self.record(size, offset, span, context) };
        self.place(record);
    }

    /// `.res`.
    pub fn reserve(&mut self, size: u32, span: Span, context: u32) {
        let offset = self.bytes.len() as u32;
        let record = Record { reserved: true, ..self.record(size, offset, span, context) };
        self.place(record);
    }

    /// What stands at the place that comes next.
    fn record(&mut self, size: u32, offset: u32, span: Span, context: u32) -> Record {
        Record {
            address: self.here,
            size,
            offset,
            span,
            context,
            reserved: false,
            code: false,
            labelled: self.labelled,
            order: self.next_order(),
        }
    }

    /// `.var`, wherever the statements go.
    pub fn variable(&mut self, address: u32, size: u32, span: Span, context: u32) {
        let order = self.next_order();
        let (offset, reserved, code, labelled) = (0, true, false, true);
        let record =
            Record { address, size, offset, span, context, reserved, code, labelled, order };
        self.variables.push(record);
    }

    /// The number that the next statement will have.
    pub fn next_order(&self) -> u32 {
        (self.records.len() + self.variables.len()) as u32
    }

    fn place(&mut self, record: Record) {
        if record.size == 0 {
            return;
        }
        self.here = record.end();
        self.labelled = false;
        let number = self.records.len() as u32;
        self.records.push(record);
        if self.lost {
            return;
        }
        match self.runs.last_mut() {
            Some(run) if !self.moved => {
                run.end = record.end();
                run.last = number;
            }
            _ => self.runs.push(Run {
                address: record.address,
                end: record.end(),
                first: number,
                last: number,
            }),
        }
        self.moved = false;
    }

    /// The statement that emitted the byte at `offset` of the bytes.
    pub fn statement_of(&self, offset: u32) -> Option<&Record> {
        let behind = self.records.partition_point(|record| record.offset <= offset);
        self.records[..behind].last()
    }

    /// The record of `run` that holds `address`.
    pub fn record_at(&self, run: &Run, address: u32) -> Option<&Record> {
        let records = self.records.get(run.first as usize..=run.last as usize)?;
        let at = records.partition_point(|record| record.end() <= address);
        records.get(at)
    }
}
