//! What the assembler has to say about a source: errors and warnings with
//! code, place, notes and a fix. How they look is `render`'s business.

use std::sync::Arc;

use crate::render;
use crate::source::{Sources, Span};

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

    /// All messages as text for people: `file:line:column: error[E0304]: …`,
    /// the line with the place underlined, notes and fixes. With `colour`,
    /// ANSI sequences for a terminal. Empty when there is nothing to say.
    pub fn render(&self, colour: bool) -> String {
        render::all(self, colour)
    }
}
