//! Statements that are met again and again: `INC A` and `LDA [ELM + 3]` say the
//! same wherever they stand, `CALL @x` and `CALL @y` differ in a name only, `LDA 1`
//! and `LDA 2` in a number. What they become is remembered by their text. Lines of
//! macros come as tokens and pass by.

use std::ops::Range;
use std::sync::Arc;

use isa::Arg;

use crate::expand::{Feed, Text as Feeding};
use crate::expression::{Expr, Op};
use crate::layout::{Content, Slot};
use crate::lex::{self, Kind, Token};
use crate::pass::Pass;
use crate::source::Span;
use crate::text::{Line, Statement, Text};

/// Statements that are remembered, each at the place that its text gives.
const REMEMBERED: usize = 1024;
/// Bytes of the longest instruction.
const LONGEST: usize = 10;

/// The statements that were met lately.
pub(crate) struct Repeated {
    places: Box<[Remembered; REMEMBERED]>,
    /// The line that is being read, if it may be remembered.
    read: Option<Statement>,
    /// Its values: how many, and the last one.
    values: u32,
    value: Option<(Expr, Slot)>,
}

/// A statement and what it becomes.
#[derive(Clone, Copy, Default)]
struct Remembered {
    /// All of it, or what stands before the name or number at its end. Empty
    /// before there was any; no statement is.
    text: Text,
    outcome: Outcome,
}

#[derive(Clone, Copy, Default)]
struct Outcome {
    bytes: [u8; LONGEST],
    size: u8,
    /// Characters of the whole statement, when no value ends it.
    length: u8,
    ending: Option<Ending>,
}

/// A statement's last operand that is nothing but a name or a number.
#[derive(Clone, Copy)]
struct Ending {
    slot: Slot,
    /// Characters of the operand before the first letter or digit.
    lead: u8,
    /// What is known if it was a name; a number may stand there as well.
    name: Option<NameEnding>,
}

#[derive(Clone, Copy)]
struct NameEnding {
    /// `@` stands before the name, or only a label may stand there.
    at: bool,
    /// Dots of the name, which belong to it: one of a local label.
    dots: u8,
}

/// A line of a source.
#[derive(Clone, Copy)]
struct Place<'a> {
    /// All of the source.
    source: &'a str,
    /// Where its first byte lies among all sources.
    base: u32,
    /// Where the line begins, its blanks not counted.
    start: usize,
}

/// The word that ends a statement.
enum Written {
    /// With whether it is surely no register.
    Name(Token, bool),
    Number(u32),
}

/// How much there is: what has been placed, and what was asked for.
#[derive(Clone, Copy)]
pub(crate) struct Placed {
    records: usize,
    fixups: usize,
    references: u32,
}

impl Default for Repeated {
    fn default() -> Repeated {
        let places = Box::new([Remembered::default(); REMEMBERED]);
        Repeated { places, read: None, values: 0, value: None }
    }
}

impl Repeated {
    /// Notes a value that the statement being read asks for.
    pub fn note(&mut self, expr: Expr, slot: Slot) {
        self.values += 1;
        self.value = Some((expr, slot));
    }

    fn find(&self, text: &Text) -> Option<Outcome> {
        let known = &self.places[text.place(REMEMBERED)];
        (known.text == *text).then_some(known.outcome)
    }
}

impl Pass<'_, '_> {
    /// Assembles the next lines as long as each says nothing, is a label, or is a
    /// statement that is remembered.
    pub(crate) fn repeat_statements(&mut self) {
        self.repeated.read = None;
        let Some(Feed { text: Feeding::File { source, at }, context, .. }) = self.feeds.last()
        else {
            return;
        };
        let (source, mut start) = (self.session.sources.get(*source), *at);
        let (source, base) = (Arc::clone(&source.text), source.base);
        self.context = *context;
        let counts = !self.is_skipping() && self.open_struct.is_none();
        let bytes = source.as_bytes();
        while !self.stopped {
            start = lex::blanks_end(bytes, start);
            let line = Place { source: &source, base, start };
            let end = match () {
                () if lex::is_silent(bytes, start) => Some(start),
                () if !counts => None,
                () => self.repeat_line(line),
            };
            match end {
                Some(end) => start = lex::next_line(bytes, end),
                None => break,
            }
        }
        if let Some(Feed { text: Feeding::File { at, .. }, .. }) = self.feeds.last_mut() {
            *at = start;
        }
    }

    /// Assembles `line`; where that ends, if it is short and known.
    fn repeat_line(&mut self, line: Place<'_>) -> Option<usize> {
        match Line::read(line.source.as_bytes(), line.start)? {
            Line::Label(length) => {
                self.lone_label(line, length);
                Some(line.start + length)
            }
            Line::Statement(statement) => self.repeat_statement(line, &statement),
        }
    }

    /// Defines the label that is all of `line`.
    fn lone_label(&mut self, line: Place<'_>, length: usize) {
        let Place { source, start, .. } = line;
        let span = line.span(length - 1);
        let is_local = source.as_bytes()[start] == b'.';
        let kind = if is_local { Kind::DotIdent } else { Kind::Ident };
        if self.count_statement(span) {
            let end = start + length - 1;
            let value = lex::intern(source, start, end, &mut self.session.names).0;
            self.define_label(Token { kind, span, value, scope: 0 });
        }
    }

    fn repeat_statement(&mut self, line: Place<'_>, statement: &Statement) -> Option<usize> {
        if let Some(known) = self.repeated.find(&statement.text) {
            return self.repeat_whole(line, known, statement.text.length());
        }
        if let Some(word) = statement.last_word()
            && let Some(known) = self.repeated.find(&statement.text.up_to(word.start))
        {
            return self.repeat_with_value(line, known, word);
        }
        self.repeated.read = Some(*statement);
        self.repeated.values = 0;
        None
    }

    fn repeat_whole(&mut self, line: Place<'_>, known: Outcome, length: usize) -> Option<usize> {
        let end = line.start + length;
        let Outcome { bytes, size, length, ending } = known;
        if ending.is_some() || self.layout.room(size.into()).is_err() {
            return None;
        }
        self.past_the_end = false;
        let span = line.span(length.into());
        if self.count_statement(span) {
            self.layout.append(&bytes, size.into());
            self.close(size.into(), Content::Instruction, span);
        }
        Some(end)
    }

    fn repeat_with_value(
        &mut self,
        line: Place<'_>,
        known: Outcome,
        word: Range<usize>,
    ) -> Option<usize> {
        let Ending { slot, lead, name } = known.ending?;
        let size = known.size + slot.width();
        let slot = match slot {
            Slot::Relative(_) => Slot::Relative(self.layout.here + u32::from(size)),
            slot => slot,
        };
        let (first, end) = (line.start + word.start, line.start + word.end);
        let bytes = line.source.as_bytes();
        let number = match (bytes[first - 1], bytes[first]) {
            (b'$', _) => Some(lex::plain_number(&bytes[first..end], true)?),
            // Behind an `@`.
            (_, b'0'..=b'9') if lead > 0 => return None,
            (_, b'0'..=b'9') => Some(lex::plain_number(&bytes[first..end], false)?),
            _ => None,
        };
        let span = line.span(word.end);
        let written = match number {
            Some(number) => Written::Number(number),
            None => {
                let NameEnding { at, dots } = name?;
                let kind = if dots > 0 { Kind::DotIdent } else { Kind::Ident };
                let first = first - usize::from(dots);
                let name = lex::intern(line.source, first, end, &mut self.session.names);
                // A register is no name, unless only a label may stand there.
                if !at && self.session.names.reg(name).is_some() {
                    return None;
                }
                Written::Name(Token { kind, span, value: name.0, scope: 0 }, at)
            }
        };
        if self.layout.room(size.into()).is_err() {
            return None;
        }
        self.past_the_end = false;
        if self.count_statement(span) {
            let op = match written {
                Written::Name(token, at) => self.parser(&[]).named(token, at),
                Written::Number(number) => Op::Number(number.into()),
            };
            let lo = span.lo + word.start as u32 - u32::from(lead);
            self.layout.append(&known.bytes, known.size.into());
            self.value(Expr::single(op, Span { lo, ..span }), slot);
            self.close(size.into(), Content::Instruction, span);
        }
        Some(end)
    }

    /// Remembers the statement that was just read from `line`, if it stands
    /// there alone and depends on no place and on nothing but its last word.
    /// `before` is what there was before it.
    pub(crate) fn remember_statement(&mut self, line: &[Token], before: Placed) {
        let Some(read) = self.repeated.read.take() else { return };
        let text = read.text;
        let now = self.placed();
        let ending = match now.references.wrapping_sub(before.references) {
            0 if now.fixups == before.fixups => self.ending(line, &read),
            1 => match self.ending(line, &read) {
                Some(ending) => Some(ending),
                None => return,
            },
            _ => return,
        };
        let Some([record]) = self.layout.records.get(before.records..) else { return };
        let span = record.span();
        if !record.is_code() || line.first().is_none_or(|first| first.span.lo != span.lo) {
            return;
        }
        let (ending, text, width) = match ending {
            Some((ending, start)) => (Some(ending), text.up_to(start), ending.slot.width()),
            None => (None, text, 0),
        };
        let size = record.size as usize - usize::from(width);
        let mut bytes = [0; LONGEST];
        let emitted = &self.layout.bytes[record.offset as usize..];
        let Some(place) = bytes.get_mut(..size) else { return };
        place.copy_from_slice(&emitted[..size]);
        let is_relative = isa::by_opcode(bytes[0]).is_none_or(|row| row.args.contains(&Arg::Rel16));
        let length = span.hi - span.lo;
        if ending.is_some() || !is_relative && length as usize <= text.length() {
            let outcome = Outcome { bytes, size: size as u8, length: length as u8, ending };
            self.repeated.places[text.place(REMEMBERED)] = Remembered { text, outcome };
        }
    }

    /// The name or number that is all of the last operand of `line`, and where
    /// its letters or digits begin in its text.
    fn ending(&self, line: &[Token], read: &Statement) -> Option<(Ending, usize)> {
        let (first, last) = (line.first()?, line.last()?);
        let (expr, slot) = self.repeated.value.filter(|_| self.repeated.values == 1)?;
        let dots = u8::from(last.kind == Kind::DotIdent);
        let name = match (expr.alone()?, last.kind) {
            (Op::Name { at, .. }, _) => Some(NameEnding { at, dots }),
            (Op::Number(_), Kind::Number) => None,
            _ => return None,
        };
        let Range { start, end } = read.last_word()?;
        // Of a number only the digits: a `$` is like a `.`.
        let marks = if name.is_none() && read.text.byte(start - 1) == b'$' { 1 } else { dots };
        let lo = last.span.lo + u32::from(marks);
        let stands_at = |place: usize, at: u32| at.checked_sub(first.span.lo) == Some(place as u32);
        let fits =
            expr.span.hi == last.span.hi && stands_at(end, last.span.hi) && stands_at(start, lo);
        let lead = u8::try_from(lo - expr.span.lo).ok()?;
        fits.then_some((Ending { slot, lead, name }, start))
    }

    /// What has been placed so far.
    pub(crate) fn placed(&self) -> Placed {
        Placed {
            records: self.layout.records.len(),
            fixups: self.layout.fixups.len(),
            references: self.session.exprs.references(),
        }
    }
}

impl Place<'_> {
    /// Its first `length` bytes.
    fn span(self, length: usize) -> Span {
        let lo = self.base + self.start as u32;
        Span { lo, hi: lo + length as u32 }
    }
}
