//! What the assembler has to say about a source: errors and warnings with
//! code, place, notes and a fix. How they look is `render`'s business.

use std::ops::Range;
use std::sync::Arc;

use crate::source::{Sources, Span};
use crate::{json, render};

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// There is no program.
    Error,
    /// The program is made, but look here.
    Warning,
}

/// One message.
#[derive(Clone, Debug)]
pub struct Diagnostic {
    pub(crate) level: Level,
    pub(crate) code: &'static str,
    pub(crate) message: String,
    pub(crate) span: Span,
    /// Words under the underline.
    pub(crate) label: String,
    /// The expansion or inclusion that the place belongs to.
    pub(crate) context: u32,
    /// Other places that have to do with it.
    pub(crate) related: Vec<(Span, String)>,
    pub(crate) notes: Vec<String>,
    pub(crate) helps: Vec<String>,
    /// The text that would be right in place of another.
    pub(crate) edit: Option<(Span, String)>,
    /// Said behind all others: why there are no more of them.
    pub(crate) last: bool,
}

impl Diagnostic {
    pub(crate) fn error(code: &'static str, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            level: Level::Error,
            code,
            message: message.into(),
            span,
            label: String::new(),
            context: 0,
            related: Vec::new(),
            notes: Vec::new(),
            helps: Vec::new(),
            edit: None,
            last: false,
        }
    }

    pub(crate) fn warning(
        code: &'static str,
        span: Span,
        message: impl Into<String>,
    ) -> Diagnostic {
        Diagnostic { level: Level::Warning, ..Diagnostic::error(code, span, message) }
    }

    pub(crate) fn label(mut self, text: impl Into<String>) -> Diagnostic {
        self.label = text.into();
        self
    }

    pub(crate) fn note(mut self, text: impl Into<String>) -> Diagnostic {
        self.notes.push(text.into());
        self
    }

    pub(crate) fn help(mut self, text: impl Into<String>) -> Diagnostic {
        self.helps.push(text.into());
        self
    }

    /// What to write instead of the text at `span`, for editors. A help says
    /// the same to people.
    pub(crate) fn replace(mut self, span: Span, text: impl Into<String>) -> Diagnostic {
        self.edit = Some((span, text.into()));
        self
    }

    pub(crate) fn also(mut self, span: Span, text: impl Into<String>) -> Diagnostic {
        self.related.push((span, text.into()));
        self
    }

    pub(crate) fn at_the_end(mut self) -> Diagnostic {
        self.last = true;
        self
    }

    pub(crate) fn within(mut self, context: u32) -> Diagnostic {
        self.context = context;
        self
    }

    /// Error or warning.
    pub fn level(&self) -> Level {
        self.level
    }

    /// The code, such as `E0304`; warnings begin with W.
    pub fn code(&self) -> &'static str {
        self.code
    }

    /// The message without its place.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// What else there is to know about it.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// What to write instead, in words.
    pub fn helps(&self) -> &[String] {
        &self.helps
    }
}

/// A piece of a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// The file as it was named; `<command line>` for what `-D` says.
    pub file: String,
    /// The first line, from 1.
    pub line: u32,
    /// The first column, in characters from 1.
    pub column: u32,
    /// The line of the end.
    pub end_line: u32,
    /// The column behind the last character.
    pub end_column: u32,
    /// The bytes of the file, a byte-order mark counted.
    pub bytes: Range<usize>,
}

/// The messages of a run, in the order of their places in the sources; why
/// there are no more comes last.
#[derive(Clone, Debug, Default)]
pub struct Diagnostics {
    pub(crate) list: Vec<Diagnostic>,
    pub(crate) sources: Arc<Sources>,
}

impl Diagnostics {
    /// Whether there is nothing to say.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Whether one of them is an error.
    pub fn has_errors(&self) -> bool {
        self.error_count() > 0
    }

    /// The number of errors.
    pub fn error_count(&self) -> usize {
        self.list.iter().filter(|one| one.level == Level::Error).count()
    }

    /// The number of warnings.
    pub fn warning_count(&self) -> usize {
        self.list.len() - self.error_count()
    }

    /// The messages, in order.
    pub fn iter(&self) -> impl Iterator<Item = &Diagnostic> {
        self.list.iter()
    }

    /// File, line and column (both from 1, the column in characters) of a
    /// message of this run.
    pub fn place(&self, diagnostic: &Diagnostic) -> (&str, u32, u32) {
        let place = self.sources.place(diagnostic.span.lo);
        (&self.sources.get(place.source).name, place.line, place.column)
    }

    /// The piece of a source that a message of this run underlines.
    pub fn location(&self, diagnostic: &Diagnostic) -> Location {
        self.piece(diagnostic.span)
    }

    /// Other pieces that have to do with a message of this run, with what is
    /// said about each: first definitions, macro calls, inclusions.
    pub fn related<'a>(&'a self, diagnostic: &'a Diagnostic) -> Vec<(Location, &'a str)> {
        let related = diagnostic.related.iter();
        related.map(|(span, text)| (self.piece(*span), text.as_str())).collect()
    }

    /// The suggested edit of a message of this run: the piece to replace, and
    /// by what. An empty piece is a place to insert at.
    pub fn edit<'a>(&'a self, diagnostic: &'a Diagnostic) -> Option<(Location, &'a str)> {
        diagnostic.edit.as_ref().map(|(span, text)| (self.piece(*span), text.as_str()))
    }

    fn piece(&self, span: Span) -> Location {
        let start = self.sources.place(span.lo);
        let source = self.sources.get(start.source);
        // A macro's statement may end with an argument of another line.
        let (text, first) = source.line(start.line);
        let line_end = source.base + (first + text.len()) as u32;
        let span = Span { hi: span.hi.min(line_end).max(span.lo), ..span };
        let end = self.sources.place(span.hi);
        let offset = |at: u32| (at.saturating_sub(source.base) as usize).min(source.text.len());
        let bytes = offset(span.lo)..offset(span.hi).max(offset(span.lo));
        Location {
            file: source.name.clone(),
            line: start.line,
            column: start.column,
            end_line: end.line,
            end_column: end.column,
            bytes,
        }
    }

    /// The messages for tools: one JSON object a line, as
    /// `docs/language.md` describes. Empty when there is nothing to say.
    pub fn json(&self) -> String {
        json::messages(self)
    }

    /// All messages as text for people: `file:line:column: error[E0304]: …`,
    /// the line with the place underlined, notes and fixes. With `colour`,
    /// ANSI sequences for a terminal. Empty when there is nothing to say.
    pub fn render(&self, colour: bool) -> String {
        render::all(self, colour)
    }
}
