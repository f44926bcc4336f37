//! Limits: what a run may cost, so that no source, however it expands, takes
//! unbounded time or memory.

use crate::diagnostic::Diagnostic;
use crate::lex::Token;
use crate::pass::Pass;
use crate::source::Span;

/// Statements of a program once everything is expanded.
const MOST_STATEMENTS: u64 = 8_000_000;
/// Characters of all statements once everything is expanded, and of all files
/// as often as they are read.
const MOST_TEXT: u64 = 256 << 20;
/// Inclusions of files, again and again of the same ones too.
const MOST_INCLUSIONS: u64 = 100_000;
/// Different names, and symbols.
const MOST_NAMES: usize = 1_000_000;
/// Steps of all expressions that have to be kept.
const MOST_STEPS: u32 = 8_000_000;
/// How often all of it may be spent when a program needs several passes.
const MOST_REPEATED: u64 = 4;
/// Names that are compared with misspelt ones.
const MOST_COMPARED: usize = 500_000;

/// What has been spent.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Spent {
    statements: u64,
    text: u64,
    /// Characters of the files that were read, comments and all.
    read: u64,
    inclusions: u64,
    compared: usize,
}

impl Pass<'_, '_> {
    /// Counts a statement, also one that is only stored or skipped; false
    /// when the pass ends because of it.
    pub(crate) fn count_statement(&mut self, line: &[Token]) -> bool {
        let Some(first) = line.first() else { return true };
        let text: u64 = line.iter().map(|token| 1 + u64::from(token.span.hi - token.span.lo)).sum();
        self.spend(text, first.span)
    }

    /// Counts one round of a repetition.
    pub(crate) fn count_round(&mut self, span: Span) -> bool {
        self.spend(1, span)
    }

    /// Counts a file that is included; false when the pass ends because of it.
    pub(crate) fn count_inclusion(&mut self, span: Span) -> bool {
        self.spent.inclusions += 1;
        if self.spent.inclusions > MOST_INCLUSIONS {
            self.too_many("inclusions", MOST_INCLUSIONS, span);
        }
        !self.stopped
    }

    /// Counts the text of a file that is about to be read; false when the pass
    /// ends because of it.
    pub(crate) fn count_file(&mut self, source: usize, span: Span) -> bool {
        let length = self.session.sources.get(source).text.len() as u64;
        self.spent.read += length;
        self.session.characters += length;
        if self.spent.read > MOST_TEXT || self.session.characters > MOST_REPEATED * MOST_TEXT {
            self.too_many("characters", MOST_TEXT, span);
        }
        !self.stopped
    }

    /// Whether `candidates` may be searched for one that is spelt alike.
    pub(crate) fn may_suggest(&mut self, candidates: usize) -> bool {
        self.spent.compared += candidates;
        self.spent.compared <= MOST_COMPARED
    }

    fn spend(&mut self, text: u64, span: Span) -> bool {
        self.spent.statements += 1;
        self.spent.text += text;
        self.session.statements += 1;
        let (what, most) = match () {
            () if self.spent.statements > MOST_STATEMENTS
                || self.session.statements > MOST_REPEATED * MOST_STATEMENTS =>
            {
                ("statements", MOST_STATEMENTS)
            }
            () if self.spent.text > MOST_TEXT => ("characters", MOST_TEXT),
            () if self.session.names.len().max(self.symbols.len()) > MOST_NAMES => {
                ("names", MOST_NAMES as u64)
            }
            () if self.session.exprs.len() > MOST_STEPS => {
                ("operations in expressions", MOST_STEPS.into())
            }
            () => return !self.stopped,
        };
        self.too_many(what, most, span);
        false
    }

    fn too_many(&mut self, what: &str, most: u64, span: Span) {
        let text = format!("the program expands to too many {what}");
        let error = Diagnostic::error("E0509", span, text);
        self.stop(error.note(format!("at most {most}, every repetition counted")));
    }

    /// A message that ends the pass.
    pub(crate) fn stop(&mut self, diagnostic: Diagnostic) {
        self.report(diagnostic.at_the_end());
        self.stopped = true;
        self.text_is_missing = true;
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped
    }
}
