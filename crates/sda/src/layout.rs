//! Placing: the bytes of every statement at its address, what is reserved,
//! and the places whose values are filled in when all symbols are known.

use isa::Instruction;
use isa::memory_map::MEMORY_SIZE;

use crate::fixups::Fixup;
use crate::source::Span;
use crate::statements::Statements;

/// Bytes that a run may emit: the whole memory.
pub(crate) const MOST_BYTES: usize = MEMORY_SIZE;

/// A statement's bytes or reserved place.
#[derive(Clone, Copy, Debug, Default)]
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Content {
    #[default]
    Instruction,
    Data,
    /// Nothing: `.res`, `.var`.
    Reserved,
}

impl Record {
    /// The record of the statement whose `length` characters begin at `lo`.
    pub fn new(content: Content, labelled: bool, lo: u32, length: u16) -> Record {
        Record { address: 0, size: 0, offset: 0, context: 0, lo, length, content, labelled }
    }

    /// The same where it is placed.
    pub fn at(self, address: u32, size: u32, offset: u32, context: u32) -> Record {
        Record { address, size, offset, context, ..self }
    }

    /// The first address behind it.
    pub fn end(&self) -> u32 {
        self.address + self.size
    }

    /// The statement.
    pub fn span(&self) -> Span {
        Span { lo: self.lo, hi: self.lo + u32::from(self.length) }
    }

    /// Characters of the statement.
    pub fn length(&self) -> u16 {
        self.length
    }

    /// Where the bytes of the next one begin in [`Layout::bytes`].
    pub fn next_offset(&self) -> u32 {
        self.offset + if self.is_reserved() { 0 } else { self.size }
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

/// The opcode of what is no code.
const NO_CODE: u16 = 256;

/// What may not stand behind a statement, unless it is labelled.
#[derive(Clone, Copy, PartialEq)]
enum Seam {
    Code,
    NoCode,
    Never,
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
    pub records: Statements,
    /// The runs that have ended.
    pub runs: Vec<Run>,
    pub variables: Vec<Variable>,
    pub fixups: Vec<Fixup>,
    /// Where `.fill` and `.align` repeat the byte of a fix-up, how often.
    pub fillings: Vec<(u32, u32)>,
    /// Statements, by number, that may be the end of a way: code without a label
    /// behind what never goes on, and no code behind what does.
    pub seams: Vec<u32>,
    /// A label stands before the next statement.
    pub labelled: bool,
    /// By what the statement before the next one is: what is behind it goes
    /// against it.
    seams_behind: [Seam; 257],
    /// Its opcode, or [`NO_CODE`].
    before: u16,
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
            records: Statements::default(),
            runs: Vec::new(),
            variables: Vec::new(),
            fixups: Vec::new(),
            fillings: Vec::new(),
            seams: Vec::new(),
            labelled: false,
            seams_behind: std::array::from_fn(|before| match u8::try_from(before) {
                Ok(opcode) if isa::by_opcode(opcode).is_some_and(never_goes_on) => Seam::Code,
                Ok(_) => Seam::NoCode,
                Err(_) => Seam::Never,
            }),
            before: NO_CODE,
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
    #[inline]
    pub fn append<const N: usize>(&mut self, bytes: &[u8; N], width: usize) {
        let length = self.bytes.len() + width;
        self.bytes.extend_from_slice(bytes);
        self.bytes.truncate(length);
    }

    /// Closes a statement whose `size` bytes are the last ones of `bytes`.
    #[inline]
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
        let record = Record::new(content, labelled, lo, length).at(address, size, offset, context);
        let behind = self.records.len() as u32;
        self.variables.push(Variable { record, behind });
    }

    /// The number in the order of reading that the next statement will have.
    pub fn next_order(&self) -> u32 {
        (self.records.len() + self.variables.len()) as u32
    }

    #[inline]
    fn place(&mut self, size: u32, offset: u32, content: Content, span: Span, context: u32) {
        if size == 0 {
            return;
        }
        if self.moved {
            self.begin_run();
        }
        let labelled = std::mem::take(&mut self.labelled);
        self.note_seam(offset, content, labelled);
        self.records.push(Record {
            address: self.here,
            size,
            offset,
            context,
            lo: span.lo,
            length: length_of(span),
            content,
            labelled,
        });
        self.here += size;
        self.has_holes |= content == Content::Reserved;
    }

    /// Notes where a way may end, before the statement that emitted its bytes
    /// from `offset` on.
    fn note_seam(&mut self, offset: u32, content: Content, labelled: bool) {
        let is_code = content == Content::Instruction;
        let seam = if is_code { Seam::Code } else { Seam::NoCode };
        if self.seams_behind[usize::from(self.before)] == seam && !(is_code && labelled) {
            self.seams.push(self.records.len() as u32);
        }
        self.before = match self.bytes.get(offset as usize) {
            Some(&opcode) if is_code && !self.lost => opcode.into(),
            _ => NO_CODE,
        };
    }

    fn begin_run(&mut self) {
        self.moved = false;
        self.has_holes = false;
        self.before = NO_CODE;
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

    /// Whether the last statement is code of a run.
    pub fn ends_with_code(&self) -> bool {
        self.before != NO_CODE
    }

    /// The statement that emitted the byte at `offset` of the bytes.
    pub fn statement_of(&self, offset: u32) -> Option<(usize, Record)> {
        let last = self.records.len().checked_sub(1)?;
        self.records.last_where(0, last as u32, |record| record.offset <= offset)
    }

    /// The record of `run` that holds `address`.
    pub fn record_at(&self, run: &Run, address: u32) -> Option<Record> {
        let is_before = |record: &Record| record.address <= address;
        let (_, record) = self.records.last_where(run.first, run.last, is_before)?;
        (address < record.end()).then_some(record)
    }

    /// The last statement.
    pub fn last_span(&self) -> Span {
        self.records.last().map_or_else(Span::default, |last| last.span())
    }

    /// The records of `run`.
    pub fn records_of(&self, run: &Run) -> impl Iterator<Item = Record> {
        self.records.between(run.first, run.last)
    }
}

/// Whether nothing comes after it in memory on any path.
fn never_goes_on(row: &Instruction) -> bool {
    row.control && matches!(row.mnemonic, "JMP" | "JMPR" | "BRA" | "RET" | "IRET")
}

/// Characters of a statement that emits or reserves something: it begins with a
/// mnemonic or a directive, and what stands too far from that does not count.
fn length_of(span: Span) -> u16 {
    u16::try_from(span.hi - span.lo).unwrap_or(u16::MAX)
}
