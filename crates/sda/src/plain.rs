//! Directives that are plain to see: constants that are a number, data that is
//! known. Their text is read at once, and whatever else there is to them is left to
//! the parser.

use isa::memory_map::MEMORY_SIZE;

use crate::directive::Directive;
use crate::expression::{Expr, Op};
use crate::fixups::Slot;
use crate::layout::Content;
use crate::lex::{self, Kind, Token};
use crate::pass::Pass;
use crate::repeated::Place;
use crate::source::Span;

impl Pass<'_, '_> {
    /// Assembles the directive with which `line` begins; where it ends, if it is a
    /// plain one.
    pub(crate) fn plain_directive(&mut self, line: Place<'_>) -> Option<usize> {
        let names = &mut self.session.names;
        let (name, end) = lex::name(line.source, line.start, 1, names);
        let length = end - line.start;
        match names.directive(name)? {
            Directive::Equ => self.plain_constant(line, length),
            Directive::Bytes => self.plain_data(line, length, 1, true),
            Directive::Words => self.plain_data(line, length, 2, false),
            Directive::Ptrs => self.plain_data(line, length, 3, false),
            Directive::Dwords => self.plain_data(line, length, 4, false),
            _ => None,
        }
    }

    /// `.equ NAME 5`
    fn plain_constant(&mut self, line: Place<'_>, length: usize) -> Option<usize> {
        let Place { source, base, start } = line;
        let bytes = source.as_bytes();
        let span = |lo: usize, hi: usize| Span { lo: base + lo as u32, hi: base + hi as u32 };
        let name = lex::few_blanks_end(bytes, start + length);
        if !lex::is_letter(bytes, name) {
            return None;
        }
        let (value, name_end) = lex::name(source, name, 0, &mut self.session.names);
        let value_start = lex::few_blanks_end(bytes, name_end);
        let (number, end) = lex::plain_number(bytes, value_start)?;
        if !lex::is_silent(bytes, lex::few_blanks_end(bytes, end)) {
            return None;
        }
        if self.count_short_statement(line.span(length)) {
            let name = span(name, name_end);
            let token = Token { kind: Kind::Ident, span: name, value: value.0, scope: 0 };
            let number = Op::Number(number.into());
            self.define_constant(token, Expr::single(number, span(value_start, end)));
        }
        Some(end)
    }

    /// `.bytes "text", SIZE + 1`, and values of `width` bytes.
    fn plain_data(
        &mut self,
        line: Place<'_>,
        length: usize,
        width: u8,
        takes_text: bool,
    ) -> Option<usize> {
        let start = self.layout.bytes.len();
        let end = self.append_members(line.source, line.start + length, width, takes_text);
        let size = self.layout.bytes.len() - start;
        let fits = self.layout.room(0).is_ok() && self.layout.here as usize + size <= MEMORY_SIZE;
        let Some(end) = end.filter(|_| fits) else {
            self.layout.bytes.truncate(start);
            return None;
        };
        self.past_the_end = false;
        let directive = line.span(length);
        if self.count_short_statement(directive) {
            let span = directive.to(line.span(end - line.start));
            self.close(size as u32, Content::Data, span);
        } else {
            self.layout.bytes.truncate(start);
        }
        Some(end)
    }

    /// Appends the members of the list that begins at `at`, and says where it
    /// ends; `None` when it has others than plain ones.
    fn append_members(
        &mut self,
        text: &str,
        mut at: usize,
        width: u8,
        takes_text: bool,
    ) -> Option<usize> {
        let bytes = text.as_bytes();
        let most = at + lex::MOST_TOKENS;
        // The parser has a word to say about longer lines.
        while at < most {
            at = lex::few_blanks_end(bytes, at);
            let end = if takes_text && bytes.get(at) == Some(&b'"') {
                let end = lex::plain_text(bytes, at)?;
                self.layout.bytes.extend_from_slice(&bytes[at + 1..end - 1]);
                end
            } else {
                let slot = Slot::Bytes(width);
                let (known, end) = self.known_value(text, at)?;
                if !slot.takes_sums() && text[at..end].contains(['+', '-', '*', '(']) {
                    return None;
                }
                let bits = known.bits(slot, self.layout.here)?;
                self.layout.append(&bits.to_le_bytes(), width.into());
                end
            };
            at = lex::few_blanks_end(bytes, end);
            if lex::is_silent(bytes, at) {
                return Some(end);
            }
            if bytes.get(at) != Some(&b',') {
                return None;
            }
            at += 1;
        }
        None
    }
}
