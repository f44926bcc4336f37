//! Limits: what a run may cost, so that no source, however it expands, takes
//! unbounded time or memory.

use crate::diagnostic::Diagnostic;
use crate::lex::Token;
use crate::names;
use crate::pass::Pass;
use crate::source::Span;

/// Statements of a program once everything is expanded.
pub(crate) const MOST_STATEMENTS: u64 = 8_000_000;
/// Characters of all statements that expansions made, and of all files as often
/// as they are read.
const MOST_TEXT: u64 = 256 << 20;
/// Inclusions of files, again and again of the same ones too.
const MOST_INCLUSIONS: u64 = 100_000;
/// Different names, and symbols.
pub(crate) const MOST_NAMES: usize = 1_000_000;
/// Steps of all expressions that have to be kept.
const MOST_STEPS: u32 = 8_000_000;
/// How often all of it may be spent when a program needs several passes.
const MOST_REPEATED: u64 = 4;
/// Names, or steps of expressions, that a statement adds at most which is counted
/// as a short one.
const MOST_OF_A_SHORT_ONE: usize = 64;
/// Names that are compared with misspelt ones.
const MOST_COMPARED: usize = 500_000;

/// What a pass has spent.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Spent {
    statements: u64,
    /// Up to so many statements no limit is met as long as they are short ones.
    safe: u64,
    text: u64,
    /// Characters of the files that were read, comments and all.
    read: u64,
    inclusions: u64,
    compared: usize,
}

impl Spent {
    /// Counts the text of a line that an expansion made; that of the files
    /// counts when they are read.
    pub fn count_text(&mut self, line: &[Token]) {
        let length = |token: &Token| 1 + u64::from(token.span.hi - token.span.lo);
        self.text += line.iter().map(length).sum::<u64>();
    }

    /// Notes that a statement may be a long one, behind which all limits are
    /// looked at.
    pub fn expect_much(&mut self) {
        self.safe = 0;
    }
}

impl Pass<'_, '_> {
    /// Counts the statement at `span`, also one that is only stored or
    /// skipped, or a round of a repetition; false when the pass ends because of
    /// it.
    pub(crate) fn count_statement(&mut self, span: Span) -> bool {
        self.spent.statements += 1;
        self.spent.expect_much();
        let Spent { statements, text, .. } = self.spent;
        let (what, most) = match () {
            () if statements > self.most_statements() => ("statements", MOST_STATEMENTS),
            () if text > MOST_TEXT => ("characters", MOST_TEXT),
            () if self.names() > MOST_NAMES => ("names", MOST_NAMES as u64),
            () if self.session.names.are_full() => return self.check_names(span),
            () if self.session.exprs.len() > MOST_STEPS => {
                ("operations in expressions", MOST_STEPS.into())
            }
            () => return !self.stopped,
        };
        self.too_many(what, most, span);
        false
    }

    /// The same for the statement or label that is all of a short line: of most
    /// it is clear that they meet no limit.
    #[inline(always)]
    pub(crate) fn count_short_statement(&mut self, span: Span) -> bool {
        if self.spent.statements < self.spent.safe {
            self.spent.statements += 1;
            return true;
        }
        self.count_first_short_statement(span)
    }

    #[cold]
    fn count_first_short_statement(&mut self, span: Span) -> bool {
        let counts = self.count_statement(span);
        if counts {
            let steps = (MOST_STEPS - self.session.exprs.len()) as usize;
            let room = (MOST_NAMES - self.names()).min(steps) / MOST_OF_A_SHORT_ONE;
            self.spent.safe = self.most_statements().min(self.spent.statements + room as u64);
        }
        counts
    }

    /// Statements that this pass may have.
    fn most_statements(&self) -> u64 {
        let left = (MOST_REPEATED * MOST_STATEMENTS).saturating_sub(self.session.statements);
        left.min(MOST_STATEMENTS)
    }

    /// Names and symbols, of what there is more.
    fn names(&self) -> usize {
        self.session.names.len().max(self.symbols.len())
    }

    /// Whether there is room for more characters of names; the pass ends when
    /// there is none.
    pub(crate) fn check_names(&mut self, span: Span) -> bool {
        if self.session.names.are_full() && !self.stopped {
            self.too_many("characters of names", names::MOST_CHARACTERS as u64, span);
        }
        !self.stopped
    }

    /// Adds what this pass has cost to what all have.
    pub(crate) fn settle_spent(&mut self) {
        self.session.statements += std::mem::take(&mut self.spent.statements);
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
