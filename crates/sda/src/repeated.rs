//! Statements that are met again and again: `INC A` and `LDA [ELM + 3]` say the
//! same wherever they stand, `CALL @x` and `CALL @y` differ in a name only. What
//! they become is remembered by their text. Lines of macros come as tokens and
//! pass by.

use std::hash::Hasher;
use std::ops::Range;

use isa::Arg;
use rustc_hash::FxHasher;

use crate::expand::{Feed, Text as Feeding};
use crate::expression::{Expr, Op};
use crate::lanes;
use crate::layout::{Content, Slot};
use crate::lex::{self, Kind, Token};
use crate::pass::Pass;
use crate::session::Session;
use crate::source::Span;

/// Statements that are remembered, each at the place that its text gives.
const REMEMBERED: usize = 1024;
/// Bytes of the longest instruction.
const LONGEST: usize = 10;

/// The statements that were met lately.
pub(crate) struct Repeated {
    places: Box<[Remembered; REMEMBERED]>,
    /// The line that is being read, if it may be remembered.
    read: Option<Text>,
    /// Its values that are no plain numbers: how many, and the last one.
    values: u32,
    value: Option<(Expr, Slot)>,
}

/// A line without the blanks before and the comment behind, at most twice as
/// long as what is looked at together; and zeros.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Text {
    first: u128,
    second: u128,
    length: u8,
}

/// A statement and what it becomes.
#[derive(Clone, Copy, Default)]
struct Remembered {
    /// All of it, or what stands before the name at its end. Empty before there
    /// was any; no statement is.
    text: Text,
    bytes: [u8; LONGEST],
    size: u8,
    /// Characters of the whole statement, when no name ends it.
    length: u8,
    ending: Option<Ending>,
}

/// A statement's last operand that is nothing but a name.
#[derive(Clone, Copy)]
struct Ending {
    slot: Slot,
    /// `@` stands before the name, or only a label may stand there.
    at: bool,
    /// Dots of the name, which belong to it: one of a local label.
    dots: u8,
    /// Characters of the operand before the first letter.
    lead: u8,
}

/// A line of a source: the text, where it begins, and where that lies among all
/// sources.
#[derive(Clone, Copy)]
struct Place {
    source: usize,
    start: usize,
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
        if expr.literal().is_none() {
            self.values += 1;
            self.value = Some((expr, slot));
        }
    }
}

impl Pass<'_, '_> {
    /// Assembles the next line if it says nothing or is a statement that is
    /// remembered.
    pub(crate) fn repeat_statement(&mut self) -> bool {
        self.repeated.read = None;
        let Some(Feed { text: Feeding::File { source, at }, context, .. }) = self.feeds.last_mut()
        else {
            return false;
        };
        let bytes = self.session.sources.get(*source).text.as_bytes();
        let start = lex::blanks_end(bytes, *at);
        if lex::is_silent(bytes, start) {
            *at = lex::next_line(bytes, start);
            return true;
        }
        let Some(text) = Text::read(bytes, start) else { return false };
        let place = Place { source: *source, start };
        self.context = *context;
        if self.is_skipping() || self.open_struct.is_some() {
            return false;
        }
        let known = &self.repeated.places[text.place()];
        if known.text == text {
            let known = *known;
            return self.repeat_whole(&known, place);
        }
        let name = text.last_name().filter(|name| lex::is_letter(bytes, start + name.start));
        if let Some(name) = name {
            let beginning = text.up_to(name.start);
            let known = &self.repeated.places[beginning.place()];
            if known.text == beginning
                && let Some(ending) = known.ending
            {
                let known = *known;
                return self.repeat_with_name(&known, ending, name, place);
            }
        }
        self.repeated.read = Some(text);
        self.repeated.values = 0;
        false
    }

    fn repeat_whole(&mut self, known: &Remembered, place: Place) -> bool {
        let span = self.span_from(place, known.length.into());
        let size = known.size.into();
        if known.ending.is_some() || !self.pass_line(size, place.start, known.text.length.into()) {
            return false;
        }
        if self.count_statement(span) {
            self.layout.bytes.extend_from_slice(&known.bytes[..size]);
            self.close(size as u32, Content::Instruction, span);
        }
        true
    }

    fn repeat_with_name(
        &mut self,
        known: &Remembered,
        ending: Ending,
        name: Range<usize>,
        place: Place,
    ) -> bool {
        let Ending { slot, at, dots, lead } = ending;
        let Session { sources, names, .. } = &mut *self.session;
        let text = &sources.get(place.source).text;
        let first = place.start + name.start - usize::from(dots);
        let local = lex::intern(text, first, place.start + name.end, names);
        let size = known.size as usize + slot.width() as usize;
        // A register is no name, unless only a label may stand there.
        if !at && names.reg(local).is_some() || !self.pass_line(size, place.start, name.end) {
            return false;
        }
        let span = self.span_from(place, name.end);
        if !self.count_statement(span) {
            return true;
        }
        let kind = if dots > 0 { Kind::DotIdent } else { Kind::Ident };
        let token = Token { kind, span, value: local.0, scope: 0 };
        let op = self.parser(&[]).named(token, at);
        let lo = span.lo + name.start as u32 - u32::from(lead);
        let slot = match slot {
            Slot::Relative(_) => Slot::Relative(self.layout.here + size as u32),
            slot => slot,
        };
        self.layout.bytes.extend_from_slice(&known.bytes[..known.size.into()]);
        self.value(Expr::single(op, Span { lo, ..span }), slot);
        self.close(size as u32, Content::Instruction, span);
        true
    }

    /// Goes to the next line, if there is room for the `size` bytes of this one.
    fn pass_line(&mut self, size: usize, start: usize, length: usize) -> bool {
        if self.layout.room(size).is_err() {
            return false;
        }
        self.past_the_end = false;
        if let Some(Feed { text: Feeding::File { source, at }, .. }) = self.feeds.last_mut() {
            let bytes = self.session.sources.get(*source).text.as_bytes();
            *at = lex::next_line(bytes, start + length);
        }
        true
    }

    fn span_from(&self, place: Place, length: usize) -> Span {
        let lo = self.session.sources.get(place.source).base + place.start as u32;
        Span { lo, hi: lo + length as u32 }
    }

    /// Remembers the statement that was just read from `line`, if it stands
    /// there alone and depends on no place and on no name but its last word.
    /// `before` is what there was before it.
    pub(crate) fn remember_statement(&mut self, line: &[Token], before: Placed) {
        let Some(text) = self.repeated.read else { return };
        let now = self.placed();
        let ending = match now.references.wrapping_sub(before.references) {
            0 if now.fixups == before.fixups => None,
            1 => match self.ending(line, &text) {
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
        // What looked like a comment may have been in quotes.
        let length = span.hi - span.lo;
        if ending.is_some() || !is_relative && length <= u32::from(text.length) {
            let (size, length) = (size as u8, length as u8);
            let place = text.place();
            self.repeated.places[place] = Remembered { text, bytes, size, length, ending };
        }
    }

    /// The name that is all of the last operand of `line`, and where its
    /// letters begin in `text`.
    fn ending(&self, line: &[Token], text: &Text) -> Option<(Ending, usize)> {
        let (first, last) = (line.first()?, line.last()?);
        let dots = match last.kind {
            Kind::Ident => 0,
            Kind::DotIdent => 1,
            _ => return None,
        };
        let (expr, slot) = self.repeated.value.filter(|_| self.repeated.values == 1)?;
        let Some(Op::Name { at, .. }) = expr.alone() else { return None };
        let Range { start, end } = text.last_name()?;
        let ends_there =
            |place: usize, at: u32| at.checked_sub(first.span.lo) == Some(place as u32);
        let fits = expr.span.hi == last.span.hi
            && ends_there(end, last.span.hi)
            && ends_there(start, last.span.lo + u32::from(dots));
        let lead = u8::try_from(last.span.lo + u32::from(dots) - expr.span.lo).ok()?;
        fits.then_some((Ending { slot, at, dots, lead }, start))
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

impl Text {
    /// What stands at `at`, if that may be a statement.
    fn read(bytes: &[u8], at: usize) -> Option<Text> {
        if !lex::is_letter(bytes, at) {
            return None;
        }
        let block = lanes::block(bytes, at)?;
        let length = lanes::before_comment(block);
        let first = u128::from_le_bytes(*block);
        if length < lanes::BYTES {
            return Some(Text { first: beginning(first, length), second: 0, length: length as u8 });
        }
        let rest = lanes::block(bytes, at + length)?;
        let more = lanes::before_comment(rest);
        (more < lanes::BYTES).then(|| {
            let second = beginning(u128::from_le_bytes(*rest), more);
            Text { first, second, length: (length + more) as u8 }
        })
    }

    /// Where the name is with which it ends, if it does, but for blanks; a
    /// number looks like one, too.
    fn last_name(&self) -> Option<Range<usize>> {
        let (first, second) = (self.first.to_le_bytes(), self.second.to_le_bytes());
        let of_both = |mask: fn(&lanes::Block) -> u32| mask(&first) | mask(&second) << lanes::BYTES;
        let behind_last = |bits: u32| (u32::BITS - bits.leading_zeros()) as usize;
        let end = behind_last(!of_both(lanes::blank_mask) & !(u32::MAX << self.length));
        let start = behind_last(!of_both(lanes::name_mask) & !(u32::MAX << end));
        (0 < start && start < end).then_some(start..end)
    }

    /// The first `length` bytes of it, not all.
    fn up_to(&self, length: usize) -> Text {
        let (first, second) = match length.checked_sub(lanes::BYTES) {
            None => (beginning(self.first, length), 0),
            Some(more) => (self.first, beginning(self.second, more)),
        };
        Text { first, second, length: length as u8 }
    }

    /// Where the statement is remembered.
    fn place(&self) -> usize {
        let mut hasher = FxHasher::default();
        hasher.write_u128(self.first);
        hasher.write_u128(self.second);
        hasher.finish() as usize % REMEMBERED
    }
}

/// The first `length` bytes, fewer than all, and zeros.
fn beginning(bytes: u128, length: usize) -> u128 {
    bytes & !(u128::MAX << (8 * length))
}
