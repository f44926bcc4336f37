//! Placing: the bytes of every statement at its address, what is reserved,
//! and the places whose values are filled in when all symbols are known.

use isa::memory_map::MEMORY_SIZE;

use crate::expression::Expr;
use crate::source::Span;
use crate::words::Count;

/// Bytes that a run may emit: the whole memory.
pub(crate) const MOST_BYTES: usize = MEMORY_SIZE;

/// A statement's bytes or reserved place. There is one for almost every line of
/// a source: it is kept small.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Record {
    pub address: u32,
    pub size: u32,
    /// Where its bytes begin in [`Layout::bytes`]; when reserved, where those
    /// of the next one do.
    pub offset: u32,
    pub context: u32,
    /// Where its text begins, and the characters of it.
    lo: u32,
    length: u16,
    pub content: Content,
    /// A label stands before it.
    pub labelled: bool,
}

/// What a statement places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    Instruction,
    Data,
    /// Nothing: `.res`, `.var`.
    Reserved,
}

impl Record {
    /// The first address behind it.
    pub fn end(&self) -> u32 {
        self.address + self.size
    }

    /// The statement.
    pub fn span(&self) -> Span {
        Span { lo: self.lo, hi: self.lo + u32::from(self.length) }
    }

    pub fn is_code(&self) -> bool {
        self.content == Content::Instruction
    }

    pub fn is_reserved(&self) -> bool {
        self.content == Content::Reserved
    }
}

/// A `.var`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Variable {
    pub record: Record,
    /// How many statements stand before it.
    pub behind: u32,
}

/// Statements that follow each other without a gap.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Run {
    pub address: u32,
    pub end: u32,
    /// Its records, by number.
    pub first: u32,
    pub last: u32,
    /// Some of it is reserved.
    pub has_holes: bool,
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
    /// The runs that have ended.
    pub runs: Vec<Run>,
    pub variables: Vec<Variable>,
    pub fixups: Vec<Fixup>,
    /// Where `.fill` and `.align` repeat the byte of a fix-up, how often.
    pub fillings: Vec<(u32, u32)>,
    /// A label stands before the next statement.
    pub labelled: bool,
    /// The run that goes on: its address, the number of its first record.
    open_run: Option<(u32, u32)>,
    /// Some of it is reserved.
    has_holes: bool,
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
            open_run: None,
            has_holes: false,
            moved: true,
            lost: false,
        }
    }

    /// `.address`.
    pub fn move_to(&mut self, address: u32) {
        self.end_run();
        self.here = address;
        self.labelled = false;
        self.moved = true;
        self.lost = false;
    }

    /// A size or place is wrong: nothing that follows can be said to overlap.
    pub fn lose_place(&mut self) {
        self.end_run();
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

    /// Makes room for so many more statements and bytes.
    pub fn reserve_room(&mut self, statements: usize, bytes: usize) {
        self.records.reserve(statements);
        self.bytes.reserve(bytes);
        self.fixups.reserve(statements / 4);
    }

    /// Appends the first `width` of `bytes`; a fixed number is fast to copy.
    pub fn append<const N: usize>(&mut self, bytes: &[u8; N], width: usize) {
        let length = self.bytes.len() + width;
        self.bytes.extend_from_slice(bytes);
        self.bytes.truncate(length);
    }

    /// Closes a statement whose `size` bytes are the last ones of `bytes`.
    pub fn emitted(&mut self, size: u32, content: Content, span: Span, context: u32) {
        let offset = self.bytes.len() as u32 - size;
        self.place(size, offset, content, span, context);
    }

    /// `.res`.
    pub fn reserve(&mut self, size: u32, span: Span, context: u32) {
        let offset = self.bytes.len() as u32;
        self.place(size, offset, Content::Reserved, span, context);
    }

    /// `.var`, wherever the statements go.
    pub fn variable(&mut self, address: u32, size: u32, span: Span, context: u32) {
        let (lo, length) = (span.lo, length_of(span));
        let (offset, content, labelled) = (0, Content::Reserved, true);
        let record = Record { address, size, offset, context, lo, length, content, labelled };
        let behind = self.records.len() as u32;
        self.variables.push(Variable { record, behind });
    }

    /// The number in the order of reading that the next statement will have.
    pub fn next_order(&self) -> u32 {
        (self.records.len() + self.variables.len()) as u32
    }

    fn place(&mut self, size: u32, offset: u32, content: Content, span: Span, context: u32) {
        if size == 0 {
            return;
        }
        if self.moved {
            self.begin_run();
        }
        let labelled = std::mem::take(&mut self.labelled);
        let (address, lo, length) = (self.here, span.lo, length_of(span));
        self.records.push(Record { address, size, offset, context, lo, length, content, labelled });
        self.here += size;
        self.has_holes |= content == Content::Reserved;
    }

    fn begin_run(&mut self) {
        self.moved = false;
        self.has_holes = false;
        if !self.lost {
            self.open_run = Some((self.here, self.records.len() as u32));
        }
    }

    /// Ends the run to which statements are being added, if there is one.
    pub fn end_run(&mut self) {
        if let Some((address, first)) = self.open_run.take() {
            let last = self.records.len() as u32 - 1;
            let (end, has_holes) = (self.here, self.has_holes);
            self.runs.push(Run { address, end, first, last, has_holes });
        }
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

/// Characters of a statement that emits or reserves something: it begins with a
/// mnemonic or a directive, and what stands too far from that does not count.
fn length_of(span: Span) -> u16 {
    u16::try_from(span.hi - span.lo).unwrap_or(u16::MAX)
}
