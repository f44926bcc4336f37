//! What a program says about itself: `.assert`, `.error`, `.warn`, `.entry`,
//! `.expect`.

use isa::memory_map::ADDRESS_MASK;

use crate::diagnostic::Diagnostic;
use crate::evaluate::{Failure, Mode, Value};
use crate::expression::Expr;
use crate::lex::{Kind, Token};
use crate::literal::{self, show};
use crate::parse::{Parsed, Parser};
use crate::pass::Pass;
use crate::program::Expectation;
use crate::source::Span;

/// `.entry`
pub(crate) struct Entry {
    expr: Expr,
    here: u32,
    span: Span,
    context: u32,
}

/// `.assert`
pub(crate) struct Assertion {
    expr: Expr,
    text: String,
    here: u32,
    context: u32,
}

/// `.expect`
pub(crate) struct Expected {
    address: Expr,
    width: Expr,
    low: Expr,
    high: Option<Expr>,
    text: String,
    here: u32,
    span: Span,
    context: u32,
}

impl Pass<'_, '_> {
    /// `.assert EXPR, "text"`
    pub(crate) fn assert(&mut self, tokens: &[Token]) -> Parsed<()> {
        let mut parser = self.parser_after_directive(tokens);
        let expr = parser.expression()?;
        let text =
            if parser.take(Kind::Comma).is_some() { text(&mut parser)? } else { String::new() };
        parser.end()?;
        let (here, context) = (self.layout.here, self.context);
        self.assertions.push(Assertion { expr, text, here, context });
        Ok(())
    }

    /// `.error "text"` and `.warn "text"`
    pub(crate) fn say(&mut self, tokens: &[Token], error: bool) -> Parsed<()> {
        let mut parser = self.parser_after_directive(tokens);
        let text = text(&mut parser)?;
        parser.end()?;
        let span = tokens[0].span;
        self.report(if error {
            Diagnostic::error("E0702", span, text)
        } else {
            Diagnostic::warning("W0702", span, text)
        });
        Ok(())
    }

    /// `.entry LABEL`
    pub(crate) fn entry(&mut self, tokens: &[Token]) -> Parsed<()> {
        let mut parser = self.parser_after_directive(tokens);
        parser.labels = true;
        let expr = parser.expression()?;
        parser.end()?;
        let span = tokens[0].span;
        if let Some(first) = &self.entry {
            return Err(Box::new(
                Diagnostic::error("E0703", span, "the program has an entry already")
                    .also(first.span, "the first `.entry`"),
            ));
        }
        self.entry = Some(Entry { expr, here: self.layout.here, span, context: self.context });
        Ok(())
    }

    /// `.expect ADDR, WIDTH, LOW [, HIGH], "text"`
    pub(crate) fn expect(&mut self, tokens: &[Token]) -> Parsed<()> {
        let mut parser = self.parser_after_directive(tokens);
        let address = parser.expression()?;
        parser.expect(Kind::Comma, "`,` and the width in bytes")?;
        let width = parser.expression()?;
        parser.expect(Kind::Comma, "`,` and the value")?;
        let low = parser.expression()?;
        parser.expect(Kind::Comma, "`,` and the highest value or a text")?;
        let mut high = None;
        if parser.kind() != Some(Kind::Text) {
            high = Some(parser.expression()?);
            parser.expect(Kind::Comma, "`,` and a text")?;
        }
        let text = text(&mut parser)?;
        parser.end()?;
        let span = tokens[0].span;
        let (here, context) = (self.layout.here, self.context);
        self.expectations.push(Expected { address, width, low, high, text, here, span, context });
        Ok(())
    }

    /// Evaluates all assertions.
    pub(crate) fn check_assertions(&mut self) {
        for Assertion { expr, text, here, context } in std::mem::take(&mut self.assertions) {
            let Some(value) = self.last_value(expr, here, context) else { continue };
            if value.number == 0 {
                let message =
                    if text.is_empty() { "the assertion does not hold".into() } else { text };
                self.report(Diagnostic::error("E0701", expr.span, message).within(context));
            }
        }
    }

    /// The address at which the program starts.
    pub(crate) fn entry_address(&mut self) -> u32 {
        let first = self.first_emitted.unwrap_or(isa::memory_map::USER_ORIGIN);
        let Some(Entry { expr, here, context, .. }) = self.entry.take() else { return first };
        let Some(value) = self.last_value(expr, here, context) else { return first };
        match u32::try_from(value.number) {
            Ok(address) if address <= ADDRESS_MASK => address,
            _ => {
                let text = format!("{} is no address", show(value.number));
                self.report(
                    Diagnostic::error("E0304", expr.span, text)
                        .note("addresses are 0 to $FFFFFF")
                        .within(context),
                );
                first
            }
        }
    }

    /// Evaluates all expectations.
    pub(crate) fn finish_expectations(&mut self) -> Vec<Expectation> {
        let mut list = Vec::new();
        for expected in std::mem::take(&mut self.expectations) {
            if let Some(done) = self.expectation(expected) {
                list.push(done);
            }
        }
        list
    }

    fn expectation(&mut self, expected: Expected) -> Option<Expectation> {
        let Expected { here, context, .. } = expected;
        let address = self.last_value(expected.address, here, context);
        let width = self.last_value(expected.width, here, context);
        let low = self.last_value(expected.low, here, context);
        let high = match expected.high {
            Some(expr) => self.last_value(expr, here, context)?,
            None => low?,
        };
        let (address, width, low) = (address?, width?, low?);
        let mut wrong = |expr: Expr, value: Value, what: &str, note: String| {
            let text = format!("{} is no {what}", show(value.number));
            self.report(Diagnostic::error("E0704", expr.span, text).note(note).within(context));
        };
        let Some(bytes) = u8::try_from(width.number).ok().filter(|n| [1, 2, 3, 4, 8].contains(n))
        else {
            wrong(expected.width, width, "width", "a width is 1, 2, 3, 4 or 8 bytes".into());
            return None;
        };
        let bits = 8 * u32::from(bytes);
        let place = u32::try_from(address.number)
            .ok()
            .filter(|&address| address <= ADDRESS_MASK + 1 - u32::from(bytes));
        let Some(place) = place else {
            let note = "all bytes of the value lie at 0 to $FFFFFF".into();
            wrong(expected.address, address, "address", note);
            return None;
        };
        let range = -(1i128 << (bits - 1))..1i128 << bits;
        let value_note = format!("{bits} bits hold {} to {}", range.start, range.end - 1);
        if !range.contains(&low.number) {
            wrong(expected.low, low, "value of that width", value_note);
            return None;
        }
        let high_expr = expected.high.unwrap_or(expected.low);
        if !range.contains(&high.number) {
            wrong(high_expr, high, "value of that width", value_note);
            return None;
        }
        let mask = u64::MAX >> (64 - bits);
        let (low, top) = (low.number as u64 & mask, high.number as u64 & mask);
        if low > top {
            let note = "the range is read as unsigned numbers, lowest first".into();
            wrong(high_expr, high, "end of that range", note);
            return None;
        }
        let (file, line) = self.caller_line(expected.span, context);
        Some(Expectation {
            address: place,
            width: bytes,
            low,
            high: top,
            text: expected.text,
            file,
            line,
        })
    }

    /// The value of an expression now that everything is placed.
    pub(crate) fn last_value(&mut self, expr: Expr, here: u32, context: u32) -> Option<Value> {
        match self.evaluate(expr, here, context, Mode::Final) {
            Ok(value) => Some(value),
            Err(Failure::Known) => None,
            Err(Failure::New(error)) => {
                let context = if error.context == 0 { context } else { error.context };
                self.report(error.within(context));
                None
            }
        }
    }

    /// File and line of a statement; within macros, of the outermost call.
    pub(crate) fn caller_line(&self, span: Span, context: u32) -> (String, u32) {
        let place = self.session.sources.place(self.scopes.caller_span(span, context).lo);
        (self.session.sources.get(place.source).name.clone(), place.line)
    }
}

fn text(parser: &mut Parser<'_>) -> Parsed<String> {
    let token = parser.expect(Kind::Text, "a text in quotes")?;
    let bytes = literal::quoted(parser.sources.text(token.span), token.span)?;
    Ok(bytes.iter().map(|&byte| char::from(byte)).collect())
}
