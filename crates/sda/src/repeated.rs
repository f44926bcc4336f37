//! Statements that are met again and again: `INC A` and `LDA [ELM + 3]` say the
//! same wherever they stand, `CALL @x` and `CALL y`, `ADD A, 1` and `ADD A, SIZE + 2`
//! differ in the value that ends them. What they become is remembered by their
//! text, up to that value. Lines of macros come as tokens and pass by.

use std::ops::Range;
use std::sync::Arc;

use isa::Arg;

use crate::evaluate::Known;
use crate::expand::{Feed, Text as Feeding};
use crate::expression::{Expr, Op};
use crate::fixups::Slot;
use crate::instruction::statement_span;
use crate::layout::Content;
use crate::lex::{self, Kind, Token};
use crate::parse;
use crate::pass::Pass;
use crate::session::Session;
use crate::source::Span;
use crate::text::{Line, Text};

/// Statements that are remembered, each at the place that its text gives.
const REMEMBERED: usize = 1024;
/// Bytes that are remembered of one; few have more.
const LONGEST: usize = size_of::<u64>();

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
    /// Its bytes, the first one lowest; none for the value with which it ends.
    bytes: u64,
    /// How many they are, that value counted.
    size: u8,
    /// How many stand before that value.
    before_value: u8,
    /// Characters of the whole statement, when it does not end with a value.
    length: u8,
    /// What the value must fit with which it ends.
    ending: Option<Slot>,
}

/// The value at the end of a statement.
#[derive(Clone, Copy)]
enum Value {
    /// What it becomes: it is known, and there is nothing to say about it.
    Bits(u64),
    /// What it is, and what that must fit.
    Open(Expr, Slot),
}

/// A line of a source.
#[derive(Clone, Copy)]
pub(crate) struct Place<'a> {
    /// All of the source.
    pub source: &'a str,
    /// Where its first byte lies among all sources.
    pub base: u32,
    /// Where the line begins, its blanks not counted.
    pub start: usize,
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
    /// Assembles the next lines as long as each says nothing, or labels and a
    /// statement that is remembered or a directive that is plain to see.
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
        let source = source.as_str();
        let bytes = source.as_bytes();
        while !self.stopped {
            start = lex::blanks_end(bytes, start);
            while lex::is_silent(bytes, start) {
                start = lex::blanks_end(bytes, lex::next_line(bytes, start));
            }
            if !counts {
                break;
            }
            let line = Place { source, base, start };
            match Line::read(bytes, start) {
                Some(Line::Label(length)) => {
                    self.label_before(line, length);
                    start += length;
                }
                Some(Line::Statement(text, length)) => {
                    match self.repeat_statement(line, text, length) {
                        Some(end) => start = lex::next_line(bytes, end),
                        None => break,
                    }
                }
                Some(Line::Directive) => match self.plain_directive(line) {
                    Some(end) => start = lex::next_line(bytes, end),
                    None => break,
                },
                None => break,
            }
        }
        if let Some(Feed { text: Feeding::File { at, .. }, .. }) = self.feeds.last_mut() {
            *at = start;
        }
    }

    /// Defines the label with which `line` begins, in so many bytes with its colon.
    fn label_before(&mut self, line: Place<'_>, length: usize) {
        let Place { source, start, .. } = line;
        let span = line.span(length - 1);
        let is_local = source.as_bytes()[start] == b'.';
        let kind = if is_local { Kind::DotIdent } else { Kind::Ident };
        if self.count_short_statement(span) {
            let end = start + length - 1;
            let value = lex::intern(source, start, end, &mut self.session.names).0;
            self.define_label(Token { kind, span, value, scope: 0 });
        }
    }

    /// Assembles the statement of so many bytes that `line` and `text` begin with;
    /// where it ends, if it is known.
    fn repeat_statement(&mut self, line: Place<'_>, text: Text, length: usize) -> Option<usize> {
        let known = self.repeated.find(&text).filter(|_| length == text.length());
        let done = match known {
            // Of one that ends with a value it is not all.
            Some(known) if known.ending.is_some() => None,
            Some(known) => self.emit(known.bytes, known.size, line.span(known.length.into())),
            None => self.repeat_with_value(line, &text, length),
        };
        if done.is_some() {
            return Some(line.start + length);
        }
        self.repeated.read = Some(text);
        self.repeated.values = 0;
        None
    }

    /// The same for one that ends with a value.
    #[inline(never)]
    fn repeat_with_value(&mut self, line: Place<'_>, text: &Text, length: usize) -> Option<()> {
        let mut operand = text.last_operand()?;
        if length > text.length() {
            // It may say a lot: what it adds is counted before the next one.
            self.spent.expect_much();
            operand.end = length;
        }
        let known = self.repeated.find(&text.up_to(operand.start))?;
        let exprs = self.session.exprs.len();
        let done = self.emit_with_value(line, &operand, known);
        if done.is_none() {
            self.session.exprs.truncate(exprs);
        }
        done
    }

    fn emit_with_value(
        &mut self,
        line: Place<'_>,
        operand: &Range<usize>,
        known: Outcome,
    ) -> Option<()> {
        let (value, span) = self.value_at(line, operand, known)?;
        match value {
            Value::Bits(bits) => {
                let bytes = known.bytes | bits << (u8::BITS * u32::from(known.before_value));
                self.emit(bytes, known.size, span)
            }
            Value::Open(expr, slot) => {
                if self.counts(known.size, span)? {
                    self.layout.append(&known.bytes.to_le_bytes(), known.before_value.into());
                    self.open_value(expr, slot);
                    self.close(known.size.into(), Content::Instruction, span);
                }
                Some(())
            }
        }
    }

    /// Emits the instruction at `span` of so many bytes, the first one lowest;
    /// `None` when there is no room for it.
    #[inline(always)]
    fn emit(&mut self, bytes: u64, size: u8, span: Span) -> Option<()> {
        if self.counts(size, span)? {
            self.layout.append(&bytes.to_le_bytes(), size.into());
            self.close(size.into(), Content::Instruction, span);
        }
        Some(())
    }

    /// Counts the instruction at `span`; `None` when there is no room for it.
    #[inline(always)]
    fn counts(&mut self, size: u8, span: Span) -> Option<bool> {
        self.layout.room(size.into()).ok()?;
        self.past_the_end = false;
        Some(self.count_short_statement(span))
    }

    /// The value that is all of the operand with which `known` ends, and the span
    /// of the statement.
    fn value_at(
        &mut self,
        line: Place<'_>,
        operand: &Range<usize>,
        known: Outcome,
    ) -> Option<(Value, Span)> {
        let slot = known.ending?;
        let end = self.layout.here + u32::from(known.size);
        let labels = matches!(slot, Slot::Relative | Slot::Address);
        let span = line.span(operand.end);
        let operand = line.start + operand.start..line.start + operand.end;
        if let Some((op, known)) = self.lone_value(line.source, &operand, labels) {
            if let Some(bits) = known.and_then(|known| known.bits(slot, end)) {
                return Some((Value::Bits(bits), span));
            }
            let lo = line.base + operand.start as u32;
            return Some((Value::Open(Expr::single(op, Span { lo, ..span }), slot), span));
        }
        if slot.takes_sums()
            && let Some((known, sum_end)) = self.known_sum(line.source, operand.start)
            && sum_end == operand.end
            && let Some(bits) = known.bits(slot, end)
        {
            return Some((Value::Bits(bits), span));
        }
        let exprs = self.session.exprs.len();
        let expr = self.expression_at(line, operand.start, labels)?;
        // A comment may begin in the text.
        let span = Span { hi: expr.span.hi, ..span };
        let bits = self.bits_of(end, expr, slot);
        if bits.is_some() {
            self.session.exprs.truncate(exprs);
        }
        Some((bits.map_or(Value::Open(expr, slot), Value::Bits), span))
    }

    /// The number or name that is all of the operand, where only `labels` may
    /// stand or something else; and what it is worth, if that is known.
    fn lone_value(
        &mut self,
        source: &str,
        operand: &Range<usize>,
        labels: bool,
    ) -> Option<(Op, Option<Known>)> {
        let Range { start, end } = *operand;
        let bytes = source.as_bytes();
        if let Some((number, number_end)) = lex::plain_number(bytes, start) {
            let number = number.into();
            let known = Some(Known { number, address: false });
            return (number_end == end).then_some((Op::Number(number), known));
        }
        let name = start + usize::from(bytes[start] == b'@');
        let is_local = bytes[name] == b'.';
        let letters = name + usize::from(is_local);
        if !lex::is_letter(bytes, letters) {
            return None;
        }
        let (value, name_end) = lex::name(source, name, letters - name, &mut self.session.names);
        let at = labels || letters > start;
        if name_end != end || !at && self.session.names.reg(value).is_some() {
            return None;
        }
        let kind = if is_local { Kind::DotIdent } else { Kind::Ident };
        let token = Token { kind, span: Span::default(), value: value.0, scope: 0 };
        let Session { names, exprs, .. } = &mut *self.session;
        let op = parse::named(token, at, names, exprs, &mut self.scopes);
        Some((op, self.known(op)))
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
        let mut bytes = [0; LONGEST];
        let emitted = &self.layout.bytes[before.bytes..];
        let size = emitted.len();
        if size > LONGEST {
            return;
        }
        let before_value = size - usize::from(width);
        bytes[..before_value].copy_from_slice(&emitted[..before_value]);
        let is_relative = isa::by_opcode(bytes[0]).is_none_or(|row| row.args.contains(&Arg::Rel16));
        let length = span.hi - span.lo;
        let is_fixed = (now.references, now.fixups) == (before.references, before.fixups)
            && !is_relative
            && length as usize <= text.length();
        if ending.is_some() || is_fixed {
            let bytes = u64::from_le_bytes(bytes);
            let (size, before_value) = (size as u8, before_value as u8);
            let outcome = Outcome { bytes, size, before_value, length: length as u8, ending };
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
    pub fn span(self, length: usize) -> Span {
        let lo = self.base + self.start as u32;
        Span { lo, hi: lo + length as u32 }
    }
}
