//! Statements that are met again and again: `INC A` and `LDA [ELM + 3]` say the
//! same wherever they stand, `CALL @x` and `CALL y`, `ADD A, 1` and `ADD A, SIZE + 2`
//! differ in the value that ends them. What they become is remembered by their
//! text, up to that value. Lines of macros come as tokens and pass by.

use std::ops::Range;
use std::sync::Arc;

use isa::Arg;

use crate::expand::{Feed, Text as Feeding};
use crate::expression::{Expr, Op};
use crate::fixups::Slot;
use crate::instruction::statement_span;
use crate::layout::Content;
use crate::lex::{self, Kind, Token};
use crate::pass::Pass;
use crate::source::Span;
use crate::text::{Line, Text};

/// Statements that are remembered, each at the place that its text gives.
const REMEMBERED: usize = 1024;
/// Bytes of the longest instruction.
const LONGEST: usize = 10;

/// The statements that were met lately.
pub(crate) struct Repeated {
    places: Box<[Remembered; REMEMBERED]>,
    /// The line that is being read, if it may be remembered.
    read: Option<Text>,
    /// Its values: how many, and the last one.
    values: u32,
    value: Option<(Expr, Slot)>,
}

/// A statement and what it becomes.
#[derive(Clone, Copy, Default)]
struct Remembered {
    /// All of it, or what stands before the value at its end. Empty before there
    /// was any; no statement is.
    text: Text,
    outcome: Outcome,
}

#[derive(Clone, Copy, Default)]
struct Outcome {
    bytes: [u8; LONGEST],
    size: u8,
    /// Characters of the whole statement, when it does not end with a value.
    length: u8,
    /// What the value must fit with which it ends.
    ending: Option<Slot>,
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

/// How much there is: what has been placed, and what was asked for.
#[derive(Clone, Copy)]
pub(crate) struct Placed {
    records: usize,
    bytes: usize,
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
        if self.read.is_some() {
            self.values += 1;
            self.value = Some((expr, slot));
        }
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
            Line::Statement(text) => self.repeat_statement(line, text),
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

    fn repeat_statement(&mut self, line: Place<'_>, text: Text) -> Option<usize> {
        let end = match self.repeated.find(&text) {
            Some(known) => self.repeat_whole(line, known, text.length()),
            None => text.last_operand().and_then(|operand| {
                let known = self.repeated.find(&text.up_to(operand.start))?;
                self.repeat_with_value(line, known, operand)
            }),
        };
        if end.is_none() {
            self.repeated.read = Some(text);
            self.repeated.values = 0;
        }
        end
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

    /// The value is at `operand` of the statement's text.
    fn repeat_with_value(
        &mut self,
        line: Place<'_>,
        known: Outcome,
        operand: Range<usize>,
    ) -> Option<usize> {
        let slot = known.ending?;
        let size = known.size + slot.width();
        let (exprs, fixups) = (self.session.exprs.len(), self.layout.fixups.len());
        let operand = line.start + operand.start..line.start + operand.end;
        let labels = matches!(slot, Slot::Relative | Slot::Address);
        let expr = self.lone_value(line, &operand, labels).or_else(|| {
            let expr = self.expression_at(line, operand.start, labels);
            if expr.is_none() {
                self.session.exprs.truncate(exprs);
            }
            expr
        })?;
        if self.layout.room(size.into()).is_err() {
            return None;
        }
        self.past_the_end = false;
        let span = Span { hi: expr.span.hi, ..line.span(0) };
        if self.count_statement(span) {
            self.layout.append(&known.bytes, known.size.into());
            self.value_before(self.layout.here + u32::from(size), expr, slot);
            self.close(size.into(), Content::Instruction, span);
            if self.layout.fixups.len() == fixups {
                self.session.exprs.truncate(exprs);
            }
        }
        Some(operand.end)
    }

    /// The number or name that is all of the operand, where only `labels` may
    /// stand or something else.
    fn lone_value(
        &mut self,
        line: Place<'_>,
        operand: &Range<usize>,
        labels: bool,
    ) -> Option<Expr> {
        let Range { start, end } = *operand;
        let bytes = line.source.as_bytes();
        let position = |at: usize| line.base + at as u32;
        let span = Span { lo: position(start), hi: position(end) };
        if let Some(number) = lex::plain_number(&bytes[start..end]) {
            return Some(Expr::single(Op::Number(number.into()), span));
        }
        let name = start + usize::from(bytes[start] == b'@');
        let is_local = bytes[name] == b'.';
        let letters = name + usize::from(is_local);
        if !lex::is_letter(bytes, letters) || lex::word_end(bytes, letters) != end {
            return None;
        }
        let at = labels || letters > start;
        let value = lex::intern(line.source, name, end, &mut self.session.names);
        if !at && self.session.names.reg(value).is_some() {
            return None;
        }
        let kind = if is_local { Kind::DotIdent } else { Kind::Ident };
        let op = self.parser(&[]).named(Token { kind, span, value: value.0, scope: 0 }, at);
        Some(Expr::single(op, span))
    }

    /// The expression that is all of the statement from byte `start` on.
    fn expression_at(&mut self, line: Place<'_>, start: usize, labels: bool) -> Option<Expr> {
        let mut tokens = std::mem::take(&mut self.line);
        tokens.clear();
        lex::line(line.source, start, line.base, &mut self.session.names, &mut tokens);
        let mut parser = self.parser(&tokens);
        parser.labels = labels;
        let is_value =
            parser.kind() != Some(Kind::OpenBracket) && (labels || parser.reg_ahead(0).is_none());
        let expr = match is_value {
            true => parser.expression().ok().filter(|_| parser.is_at_end()),
            false => None,
        };
        self.line = tokens;
        expr
    }

    /// Remembers the statement that was just read from `line`, if it stands
    /// there alone and depends on no place and on nothing but its last operand.
    /// `before` is what there was before it.
    pub(crate) fn remember_statement(&mut self, line: &[Token], before: Placed) {
        let Some(text) = self.repeated.read.take() else { return };
        let now = self.placed();
        let begins_with_label = line.get(1).is_some_and(|second| second.kind == Kind::Colon);
        if now.records != before.records + 1 || !self.layout.ends_with_code() || begins_with_label {
            return;
        }
        let span = statement_span(line);
        let (ending, text, width) = match self.ending(line, &text) {
            Some((slot, start)) => (Some(slot), text.up_to(start), slot.width()),
            None => (None, text, 0),
        };
        let size = now.bytes - before.bytes - usize::from(width);
        let mut bytes = [0; LONGEST];
        let emitted = &self.layout.bytes[before.bytes..];
        let Some(place) = bytes.get_mut(..size) else { return };
        place.copy_from_slice(&emitted[..size]);
        let is_relative = isa::by_opcode(bytes[0]).is_none_or(|row| row.args.contains(&Arg::Rel16));
        let length = span.hi - span.lo;
        let is_fixed = (now.references, now.fixups) == (before.references, before.fixups)
            && !is_relative
            && length as usize <= text.length();
        if ending.is_some() || is_fixed {
            let outcome = Outcome { bytes, size: size as u8, length: length as u8, ending };
            self.repeated.places[text.place(REMEMBERED)] = Remembered { text, outcome };
        }
    }

    /// What the value must fit that is all of the last operand of `line`, and
    /// where that begins in its text.
    fn ending(&self, line: &[Token], text: &Text) -> Option<(Slot, usize)> {
        let (first, last) = (line.first()?, line.last()?);
        let (expr, slot) = self.repeated.value.filter(|_| self.repeated.values == 1)?;
        let start = text.last_operand()?.start;
        let is_all = expr.span.lo.checked_sub(first.span.lo) == Some(start as u32)
            && expr.span.hi == last.span.hi;
        is_all.then_some((slot, start))
    }

    /// What has been placed so far.
    pub(crate) fn placed(&self) -> Placed {
        Placed {
            records: self.layout.records.len(),
            bytes: self.layout.bytes.len(),
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
