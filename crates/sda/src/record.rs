//! Records and variables: `.struct` names the fields of a record, `.page`
//! with `.var` lays variables out so that no two overlap.

use isa::memory_map::MEMORY_SIZE;

use crate::diagnostic::Diagnostic;
use crate::directive::Directive;
use crate::expression::{Expr, Op};
use crate::instruction::statement_span;
use crate::lex::{Kind, Token};
use crate::names::Name;
use crate::parse::{Parsed, Parser};
use crate::pass::{Pass, past_memory};
use crate::source::Span;
use crate::symbols::{Defined, Sort, Symbol};

/// A `.struct` whose `.ends` is still to come.
pub(crate) struct OpenStruct {
    pub span: Span,
    /// Poisoned when the name was wrong: fields are read, not defined.
    name: Option<Token>,
    size: u32,
    /// A field's size is unknown: so is everything behind it.
    lost: bool,
    /// Something stands in it that is no field: its `.ends` is probably missing,
    /// and what follows is read as usual.
    strayed: bool,
}

impl OpenStruct {
    fn new(span: Span, name: Option<Token>) -> OpenStruct {
        OpenStruct { span, name, size: 0, lost: false, strayed: false }
    }
}

/// A `.page` whose `.endp` is still to come.
pub(crate) struct OpenPage {
    pub span: Span,
    next: u32,
    end: u32,
    /// The page's own place is unknown; its variables are defined all the
    /// same.
    lost: bool,
}

impl Pass<'_, '_> {
    /// `.struct NAME`
    pub(crate) fn begin_struct(&mut self, tokens: &[Token]) -> Parsed<()> {
        let span = tokens[0].span;
        if let Some(open) = &self.open_struct {
            let error = Diagnostic::error("E0508", span, "structures do not nest")
                .also(open.span, "this structure is open; `.ends` ends it");
            self.report(error);
            self.finish_struct();
        }
        self.open_struct = Some(OpenStruct::new(span, None));
        let mut parser = self.parser_after_directive(tokens);
        let name = parser.name("the structure's name")?;
        parser.end()?;
        if let Some(&first) = self.structs.get(&name.name()) {
            let text = self.session.names.text(name.name());
            return Err(Box::new(
                Diagnostic::error("E0302", name.span, format!("`{text}` is defined twice"))
                    .also(first, format!("`{text}` is first defined here")),
            ));
        }
        self.structs.insert(name.name(), name.span);
        self.open_struct = Some(OpenStruct::new(span, Some(name)));
        Ok(())
    }

    /// Whether a statement that begins with a name before `rest` is a field of the
    /// open structure.
    pub(crate) fn is_field(&self, rest: &[Token]) -> bool {
        let Some(open) = &self.open_struct else { return false };
        !open.strayed || rest.first().is_some_and(|next| self.unit(*next).is_some())
    }

    /// `field: .words 1`, which would be a label before data elsewhere.
    pub(crate) fn is_field_with_colon(&self, name: Token, rest: &[Token]) -> bool {
        self.open_struct.as_ref().is_some_and(|open| !open.strayed)
            && name.kind == Kind::Ident
            && rest.first().is_some_and(|next| self.unit(*next).is_some())
    }

    /// A label within a structure.
    pub(crate) fn label_in_struct(&mut self, label: Token) {
        if let Some(open) = self.open_struct.as_ref().filter(|open| !open.strayed) {
            let error = Diagnostic::error("E0201", label.span, "a label within a structure")
                .also(open.span, "this structure is open; `.ends` ends it");
            self.report(error);
            self.stray();
        }
    }

    /// A directive within a structure. `None` when it means what it means
    /// elsewhere.
    pub(crate) fn directive_in_struct(
        &mut self,
        directive: Directive,
        tokens: &[Token],
    ) -> Option<Parsed<()>> {
        use Directive::*;
        let strayed = self.open_struct.as_ref()?.strayed;
        match directive {
            Ends | If | Elif | Else | Endif | Ifdef | Ifndef | Struct => None,
            _ if strayed => None,
            // Data without a field's name.
            Bytes | Words | Ptrs | Dwords | Res | Fill | Ascii | Asciiz => {
                Some(self.struct_field(tokens))
            }
            _ => {
                if let Err(error) = self.struct_field(tokens) {
                    let error = self.used_in(tokens[0].span, *error);
                    self.report(error);
                }
                self.stray();
                None
            }
        }
    }

    /// What follows is read as if the structure had ended.
    fn stray(&mut self) {
        if let Some(open) = &mut self.open_struct {
            open.strayed = true;
            open.lost = true;
        }
    }

    /// The size of one of a field's units, if `token` says it.
    fn unit(&self, token: Token) -> Option<u32> {
        let word = Some(token).filter(|token| token.kind == Kind::DotIdent)?;
        match self.session.names.directive(word.name())? {
            Directive::Bytes | Directive::Res => Some(1),
            Directive::Words => Some(2),
            Directive::Ptrs => Some(3),
            Directive::Dwords => Some(4),
            _ => None,
        }
    }

    /// `field .words 1` within a structure.
    pub(crate) fn struct_field(&mut self, tokens: &[Token]) -> Parsed<()> {
        let mut parser = self.parser(tokens);
        let Some(field) = parser.take(Kind::Ident) else {
            return Err(Box::new(
                parser
                    .unexpected("the name of a field")
                    .note("in a structure a line is `name .bytes N`, with .bytes .words .ptrs .dwords or .res; `.ends` ends it"),
            ));
        };
        let colon = tokens.get(1).filter(|colon| colon.kind == Kind::Colon);
        if let Some(colon) = colon {
            let error = Diagnostic::error("E0201", colon.span, "no colon follows a field's name");
            self.report(error.replace(colon.span, ""));
        }
        let at = if colon.is_some() { 2 } else { 1 };
        let Some(unit) = tokens.get(at).and_then(|token| self.unit(*token)) else {
            let parser = Parser { at, ..self.parser(tokens) };
            return Err(parser.unexpected("`.bytes`, `.words`, `.ptrs`, `.dwords` or `.res`"));
        };
        let mut parser = self.parser(tokens);
        parser.at = at + 1;
        if parser.is_at_end() {
            return Err(Box::new(
                parser.unexpected("how many there are").help("one is written `1`"),
            ));
        }
        let count = parser.expression()?;
        parser.end()?;
        let count = self.sized(count, "a number of fields", MEMORY_SIZE as u32);
        let Some(open) = &mut self.open_struct else { return Ok(()) };
        let offset = open.size;
        match count.and_then(|count| count.checked_mul(unit)?.checked_add(offset)) {
            Some(size) if size <= MEMORY_SIZE as u32 => open.size = size,
            Some(_) => {
                open.lost = true;
                return Err(Box::new(Diagnostic::error(
                    "E0607",
                    field.span,
                    "the structure is larger than the memory",
                )));
            }
            None => open.lost = true,
        }
        self.define_field(field, offset);
        Ok(())
    }

    /// `.ends`
    pub(crate) fn end_struct(&mut self, tokens: &[Token]) -> Parsed<()> {
        if self.open_struct.is_none() {
            return Err(Box::new(
                Diagnostic::error("E0508", tokens[0].span, "no structure is open here")
                    .note("a structure begins with `.struct NAME`"),
            ));
        }
        self.finish_struct();
        self.parser_after_directive(tokens).end()
    }

    /// Defines the size of the open structure, which ends.
    fn finish_struct(&mut self) {
        let open = self.open_struct.as_ref();
        if let Some((name, size)) = open.and_then(|open| Some((open.name?, open.size))) {
            let field = self.session.names.intern("size");
            self.define_field(Token { value: field.0, ..name }, size);
        }
        self.open_struct = None;
    }

    /// A structure that the sources do not end.
    pub(crate) fn close_struct(&mut self) {
        if let Some(open) = &self.open_struct {
            let error = Diagnostic::error("E0507", open.span, "the structure is not closed");
            self.report(error.help("`.ends` ends it"));
            self.finish_struct();
        }
    }

    /// `.page START, SIZE`
    pub(crate) fn begin_page(&mut self, tokens: &[Token]) -> Parsed<()> {
        let span = tokens[0].span;
        if let Some(page) = &self.open_page {
            return Err(Box::new(
                Diagnostic::error("E0508", span, "pages do not nest")
                    .also(page.span, "this page is open; `.endp` ends it"),
            ));
        }
        self.open_page = Some(OpenPage { span, next: 0, end: 0, lost: true });
        let mut parser = self.parser_after_directive(tokens);
        let start = parser.expression()?;
        parser.expect(Kind::Comma, "`,` and the page's size")?;
        let size = parser.expression()?;
        parser.end()?;
        let start_at = self.sized(start, "an address", MEMORY_SIZE as u32 - 1);
        let bytes = self.sized(size, "a number of bytes", MEMORY_SIZE as u32);
        let (Some(next), Some(bytes)) = (start_at, bytes) else { return Ok(()) };
        let end = next + bytes;
        if end > MEMORY_SIZE as u32 {
            return Err(Box::new(past_memory(size.span, "the page")));
        }
        self.open_page = Some(OpenPage { span, next, end, lost: false });
        Ok(())
    }

    /// `.var NAME, N`
    pub(crate) fn variable(&mut self, tokens: &[Token]) -> Parsed<()> {
        let mut parser = self.parser_after_directive(tokens);
        let name = parser.name("the variable's name")?;
        parser.expect(Kind::Comma, "`,` and the number of bytes")?;
        let expr = parser.expression()?;
        parser.end()?;
        let size = self.sized(expr, "a number of bytes", MEMORY_SIZE as u32);
        let Some(page) = &mut self.open_page else {
            let span = tokens[0].span;
            self.define_variable(name, 0);
            return Err(Box::new(
                Diagnostic::error("E0605", span, "a variable stands within a page")
                    .help("`.page START, SIZE` begins one, `.endp` ends it"),
            ));
        };
        let (address, span) = (page.next, page.span);
        let mut error = None;
        let size = size.unwrap_or_else(|| {
            page.lost = true;
            0
        });
        if !page.lost {
            let left = page.end - page.next;
            if size > left {
                let bytes =
                    |n: u32| if n == 1 { "1 byte is".into() } else { format!("{n} bytes are") };
                error = Some(Box::new(
                    Diagnostic::error(
                        "E0604",
                        name.span,
                        format!("the page is full: {} left", bytes(left)),
                    )
                    .also(span, "the page begins here"),
                ));
                page.lost = true;
            } else {
                page.next += size;
            }
        }
        let lost = page.lost;
        self.define_variable(name, address);
        if !lost && size > 0 {
            let span = statement_span(tokens);
            let context = self.context;
            self.layout.variable(address, size, span, context);
        }
        error.map_or(Ok(()), Err)
    }

    /// `.endp`
    pub(crate) fn end_page(&mut self, tokens: &[Token]) -> Parsed<()> {
        if self.open_page.take().is_none() {
            return Err(Box::new(
                Diagnostic::error("E0508", tokens[0].span, "no page is open here")
                    .note("a page begins with `.page START, SIZE`"),
            ));
        }
        self.parser_after_directive(tokens).end()
    }

    fn define_variable(&mut self, token: Token, address: u32) {
        let kind = Defined::Label { address, sort: Sort::Variable };
        let (scope, span, context) = (token.scope, token.span, self.context);
        self.define(Symbol { name: token.name(), scope, span, context, kind });
    }

    /// `NAME.field`, where NAME is the open structure.
    fn define_field(&mut self, field: Token, offset: u32) {
        let Some(OpenStruct { name: Some(name), lost, .. }) = &self.open_struct else { return };
        let op = if *lost { Op::Poison } else { Op::Number(offset.into()) };
        let names = &mut self.session.names;
        let text = format!("{}.{}", names.text(name.name()), names.text(Name(field.value)));
        let full = names.intern(&text);
        let expr = Expr::single(op, field.span);
        self.define_constant(Token { value: full.0, ..field }, expr);
    }
}
