//! Directives that place and emit data: `.address`, `.bytes` and its kin,
//! `.ascii`, `.fill`, `.res`, `.align`, `.incbin`.

use isa::memory_map::MEMORY_SIZE;

use crate::diagnostic::Diagnostic;
use crate::expression::Expr;
use crate::fixups::{Fixup, Slot};
use crate::instruction::statement_span;
use crate::layout::Content;
use crate::lex::{Kind, Token};
use crate::literal::{self, show};
use crate::parse::{Parsed, Parser};
use crate::pass::{Pass, past_memory};
use crate::source::Span;

/// One member of a list of data.
enum Item<'a> {
    Text(&'a [u8], Span),
    Value(Expr),
}

impl Pass<'_, '_> {
    /// `.address N`
    pub(crate) fn address(&mut self, tokens: &[Token]) -> Parsed<()> {
        let mut parser = self.parser_after_directive(tokens);
        let expr = parser.expression()?;
        parser.end()?;
        let Some(address) = self.sized(expr, "an address", MEMORY_SIZE as u32 - 1) else {
            self.layout.lose_place();
            return Ok(());
        };
        self.layout.move_to(address);
        Ok(())
    }

    /// `.bytes LIST`
    pub(crate) fn bytes(&mut self, tokens: &[Token]) -> Parsed<()> {
        self.list(tokens, |pass, item| match item {
            Item::Text(bytes, _) => {
                pass.layout.bytes.extend_from_slice(bytes);
                Ok(())
            }
            Item::Value(expr) => {
                let here = pass.layout.here;
                let address = match expr.alone().and_then(|op| pass.known(op)) {
                    Some(value) => value.address,
                    None => pass.is_address(expr, here),
                };
                pass.value(expr, Slot::Bytes(if address { 3 } else { 1 }));
                Ok(())
            }
        })
    }

    /// `.words`, `.ptrs` and `.dwords`: values of `width` bytes.
    pub(crate) fn numbers(&mut self, tokens: &[Token], width: u8) -> Parsed<()> {
        self.list(tokens, |pass, item| match item {
            Item::Value(expr) => {
                pass.value(expr, Slot::Bytes(width));
                Ok(())
            }
            Item::Text(_, span) => Err(Box::new(
                Diagnostic::error("E0204", span, "a string cannot stand among wider values")
                    .help("strings go into `.bytes`, `.ascii` and `.asciiz`"),
            )),
        })
    }

    /// `.ascii` and `.asciiz`
    pub(crate) fn ascii(&mut self, tokens: &[Token], zero: bool) -> Parsed<()> {
        let mut parser = self.parser_after_directive(tokens);
        let Some(token) = parser.take(Kind::Text) else {
            return Err(parser.unexpected("a string"));
        };
        if parser.kind() == Some(Kind::Comma) {
            return Err(Box::new(
                parser
                    .unexpected("the end of the statement")
                    .help("`.bytes` takes a list of strings and numbers"),
            ));
        }
        parser.end()?;
        let mut bytes = literal::quoted(parser.sources.text(token.span), token.span)?;
        bytes.extend(zero.then_some(0));
        if self.fits_memory(bytes.len(), tokens[0].span) {
            self.layout.bytes.extend_from_slice(&bytes);
            self.close(bytes.len() as u32, Content::Data, statement_span(tokens));
        }
        Ok(())
    }

    /// `.fill N [, V]`
    pub(crate) fn fill(&mut self, tokens: &[Token]) -> Parsed<()> {
        let (count, value) = self.one_or_two(tokens)?;
        match self.sized(count, "a number of bytes", MEMORY_SIZE as u32) {
            Some(count) => self.emit_filling(count, value, tokens),
            None => self.layout.lose_place(),
        }
        Ok(())
    }

    /// `.res N`
    pub(crate) fn reserve(&mut self, tokens: &[Token]) -> Parsed<()> {
        let mut parser = self.parser_after_directive(tokens);
        let expr = parser.expression()?;
        parser.end()?;
        let Some(count) = self.sized(expr, "a number of bytes", MEMORY_SIZE as u32) else {
            self.layout.lose_place();
            return Ok(());
        };
        if self.layout.here as usize + count as usize > MEMORY_SIZE {
            return Err(Box::new(past_memory(expr.span, "this")));
        }
        let span = statement_span(tokens);
        self.layout.reserve(count, span, self.context);
        Ok(())
    }

    /// `.align N [, V]`
    pub(crate) fn align(&mut self, tokens: &[Token]) -> Parsed<()> {
        let (multiple, value) = self.one_or_two(tokens)?;
        let Some(multiple) = self.sized(multiple, "an alignment", MEMORY_SIZE as u32) else {
            self.layout.lose_place();
            return Ok(());
        };
        if multiple == 0 {
            return Err(Box::new(Diagnostic::error(
                "E0607",
                tokens[1].span,
                "an alignment is 1 or more",
            )));
        }
        let count = self.layout.here.next_multiple_of(multiple) - self.layout.here;
        self.emit_filling(count, value, tokens);
        Ok(())
    }

    /// `.incbin "F" [, OFF [, LEN]]`
    pub(crate) fn incbin(&mut self, tokens: &[Token]) -> Parsed<()> {
        let mut parser = self.parser_after_directive(tokens);
        let name = parser.expect(Kind::Text, "the file's name in quotes")?;
        let mut arguments = [None, None];
        for argument in &mut arguments {
            if parser.take(Kind::Comma).is_some() {
                *argument = Some(parser.expression()?);
            }
        }
        parser.end()?;
        let path = self.find_file(name)?;
        let content = self.session.load_binary(&path).map_err(|reason| {
            let text = format!("cannot read `{}`: {reason}", path.display());
            Box::new(Diagnostic::error("E0501", name.span, text))
        })?;
        let [offset, length] = arguments;
        let wrong = |span, text: String| {
            let error = Diagnostic::error("E0608", span, text);
            let (name, size) = (path.display(), content.len());
            let bytes = literal::bytes(size as i128);
            Box::new(error.note(format!("`{name}` has {size} {bytes}")))
        };
        let start = match offset.map(|expr| (expr, self.sizing(expr))) {
            None => 0,
            Some((_, None)) => {
                self.layout.lose_place();
                return Ok(());
            }
            Some((expr, Some(value))) => usize::try_from(value.number)
                .ok()
                .filter(|&start| start <= content.len())
                .ok_or_else(|| {
                    let text = format!("the offset {} lies outside the file", show(value.number));
                    wrong(expr.span, text)
                })?,
        };
        let rest = content.len() - start;
        let count = match length.map(|expr| (expr, self.sizing(expr))) {
            None => rest,
            Some((_, None)) => {
                self.layout.lose_place();
                return Ok(());
            }
            Some((expr, Some(value))) => usize::try_from(value.number)
                .ok()
                .filter(|&count| count <= rest)
                .ok_or_else(|| {
                    let (size, bytes) = (show(value.number), literal::bytes(value.number));
                    let text = format!("the file has no {size} {bytes} there");
                    wrong(expr.span, text)
                })?,
        };
        if self.fits_memory(count, tokens[0].span) {
            self.layout.bytes.extend_from_slice(&content[start..start + count]);
            self.close(count as u32, Content::Data, statement_span(tokens));
        }
        Ok(())
    }

    /// The value of an argument that sets a size or a place, 0 to `most`.
    pub(crate) fn sized(&mut self, expr: Expr, what: &str, most: u32) -> Option<u32> {
        let value = self.sizing(expr)?;
        let fitting = u32::try_from(value.number).ok().filter(|&number| number <= most);
        if fitting.is_none() {
            let text = format!("{} is not {what}", show(value.number));
            self.report(
                Diagnostic::error("E0607", expr.span, text)
                    .note(format!("it may be 0 to {}", show(most.into()))),
            );
        }
        fitting
    }

    fn list(
        &mut self,
        tokens: &[Token],
        mut emit: impl FnMut(&mut Self, Item<'_>) -> Parsed<()>,
    ) -> Parsed<()> {
        let start = self.layout.bytes.len();
        let (exprs, fixups) = (self.session.exprs.len(), self.layout.fixups.len());
        let mut text = std::mem::take(&mut self.text);
        let mut at = 1;
        let result = loop {
            let mut parser = self.parser(tokens);
            parser.at = at;
            let item = match item(&mut parser, &mut text) {
                Ok(item) => item,
                Err(error) => break Err(error),
            };
            let more = parser.take(Kind::Comma).is_some();
            if !more && let Err(_) = parser.end() {
                break Err(parser.unexpected("`,` or the end of the statement"));
            }
            at = parser.at;
            if let Err(error) = emit(self, item) {
                break Err(error);
            }
            if !more {
                break Ok(());
            }
        };
        self.text = text;
        if self.layout.fixups.len() == fixups {
            self.session.exprs.truncate(exprs);
        }
        let size = self.layout.bytes.len() - start;
        if result.is_err() {
            self.layout.bytes.truncate(start);
            self.layout.fixups.truncate(fixups);
            return result;
        }
        if self.fits_memory(0, tokens[0].span) && self.layout.here as usize + size <= MEMORY_SIZE {
            self.close(size as u32, Content::Data, statement_span(tokens));
        } else {
            self.layout.bytes.truncate(start);
            self.layout.fixups.truncate(fixups);
            self.fits_memory(size.max(1), tokens[0].span);
        }
        Ok(())
    }

    /// `N` or `N, V`.
    fn one_or_two(&mut self, tokens: &[Token]) -> Parsed<(Expr, Option<Expr>)> {
        let mut parser = self.parser_after_directive(tokens);
        let first = parser.expression()?;
        let second =
            if parser.take(Kind::Comma).is_some() { Some(parser.expression()?) } else { None };
        parser.end()?;
        Ok((first, second))
    }

    /// `count` bytes of one value, which a fix-up of its own checks.
    fn emit_filling(&mut self, count: u32, value: Option<Expr>, tokens: &[Token]) {
        if !self.fits_memory(count as usize, tokens[0].span) {
            return;
        }
        let start = self.layout.bytes.len();
        let byte = value.map(|expr| {
            self.value(expr, Slot::Bytes(1));
            self.layout.bytes[start]
        });
        if count == 0 {
            self.layout.bytes.truncate(start);
            let pending = |fixup: &Fixup| fixup.offset as usize == start;
            if self.layout.fixups.last().is_some_and(pending) {
                self.layout.fixups.pop();
            }
            return;
        }
        self.layout.bytes.resize(start + count as usize, byte.unwrap_or(0));
        if self.layout.fixups.last().is_some_and(|fixup| fixup.offset as usize == start) {
            self.layout.fillings.push((start as u32, count));
        }
        self.close(count, Content::Data, statement_span(tokens));
    }
}

fn item<'a>(parser: &mut Parser<'_>, text: &'a mut Vec<u8>) -> Parsed<Item<'a>> {
    if let Some(token) = parser.take(Kind::Text) {
        text.clear();
        literal::append_quoted(parser.sources.text(token.span), token.span, text)?;
        return Ok(Item::Text(text, token.span));
    }
    Ok(Item::Value(parser.expression()?))
}
