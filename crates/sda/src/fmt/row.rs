//! The rows of the formatted source: a row a line, but that labels come off
//! their statements and blank lines fall away.

use super::block::{Blocks, Depth};
use super::line::Line;
use super::statement::{Sort, Statement};
use super::text::Text;
use crate::directive::Directive;
use crate::lex::Token;
use crate::names::Names;

/// A comment alone on its line is still part of the one above it when it
/// begins within so many columns of it.
const NEAR: usize = 2;

/// A line to be.
pub(super) enum Row {
    Blank,
    /// A line that cannot be read.
    Verbatim(String),
    Comment {
        text: String,
        place: Place,
        /// Columns before it.
        indent: usize,
    },
    Code(Code),
}

/// Where a comment alone on its line stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// In column 1.
    First,
    /// Where the statement below it does.
    Code,
    /// Under the comment of the statement above.
    Behind,
}

/// Labels, a statement and the comment behind them.
pub(super) struct Code {
    pub indent: usize,
    /// Columns before what emits here.
    pub inner: usize,
    pub column: Column,
    pub text: Text,
    /// Whether the operands may be columns of a table.
    pub is_list: bool,
    pub comment: String,
}

/// Whether and as what the parts of a row stand in columns.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Column {
    /// The row is only labels.
    Label,
    None,
    Equ,
    Constant,
    Field,
    /// A label with the data beside it.
    Data,
}

/// The rows so far.
#[derive(Default)]
pub(super) struct Rows {
    rows: Vec<Row>,
    blocks: Blocks,
    /// Where the comment began that the next line may go on with.
    comment_column: Option<usize>,
}

impl Rows {
    /// Appends what becomes of a line.
    pub fn push(&mut self, line: &Line<'_>, names: &Names) {
        let above = self.comment_column.take();
        if !line.is_readable() {
            self.rows.push(Row::Verbatim(line.text.into()));
        } else if !line.tokens.is_empty() {
            self.code(line, names);
            self.comment_column = Some(line.comment_column).filter(|_| !line.comment.is_empty());
        } else if line.comment.is_empty() {
            self.blank();
        } else {
            let column = line.comment_column;
            let place = match above {
                _ if column == 0 => Place::First,
                Some(above) if above.abs_diff(column) <= NEAR => Place::Behind,
                _ => Place::Code,
            };
            self.comment_column = above.filter(|_| place == Place::Behind);
            let indent = self.blocks.depth().inner();
            self.rows.push(Row::Comment { text: line.comment.into(), place, indent });
        }
    }

    /// All rows, with the comments put to the statements below them.
    pub fn finish(mut self) -> Vec<Row> {
        if let Some(Row::Blank) = self.rows.last() {
            self.rows.pop();
        }
        let mut below = None;
        for row in self.rows.iter_mut().rev() {
            match row {
                Row::Blank | Row::Verbatim(_) => below = None,
                Row::Code(code) if code.column == Column::Label => below = Some(code.inner),
                Row::Code(code) => below = Some(code.indent),
                Row::Comment { place: Place::First, indent, .. } => *indent = 0,
                Row::Comment { indent, .. } => *indent = below.unwrap_or(*indent),
            }
        }
        self.rows
    }

    fn blank(&mut self) {
        if !matches!(self.rows.last(), None | Some(Row::Blank)) {
            self.rows.push(Row::Blank);
        }
    }

    fn code(&mut self, line: &Line<'_>, names: &Names) {
        let statement = Statement::new(line, self.blocks.in_struct, names);
        let sort = statement.sort;
        let depth = match sort {
            Sort::Directive(directive) => self.blocks.directive(directive),
            _ => self.blocks.depth(),
        };
        let text = Text::new(line, sort, statement.tokens, names);
        let mut code = Code {
            indent: if sort.is_inner() { depth.inner() } else { depth.outer() },
            inner: depth.inner(),
            column: match sort {
                Sort::Directive(Directive::Equ) if !text.key.is_empty() => Column::Equ,
                Sort::Constant => Column::Constant,
                Sort::Field => Column::Field,
                _ => Column::None,
            },
            text,
            is_list: sort.is_list(),
            comment: line.comment.into(),
        };
        let labels: Vec<String> =
            statement.labels.iter().map(|label| spell_label(line, label)).collect();
        match &labels[..] {
            [] if sort.is_data() => self.detach_label(),
            [] => {}
            [others @ .., last] if sort.is_data() && !statement.has_open_label() => {
                others.iter().for_each(|label| self.label(label, depth));
                code.indent = 0;
                code.column = Column::Data;
                code.text.key.clone_from(last);
            }
            [others @ .., last] if sort.leaves_labels() && !statement.has_open_label() => {
                others.iter().for_each(|label| self.label(label, depth));
                if sort != Sort::Nothing {
                    self.label(last, depth);
                } else {
                    code.indent = 0;
                    code.column = Column::Label;
                    code.text.word.clone_from(last);
                }
            }
            _ => {
                code.indent = 0;
                code.column = Column::None;
                code.text.prepend(&labels.join(" "));
            }
        }
        self.rows.push(Row::Code(code));
    }

    /// A label on a line of its own.
    fn label(&mut self, label: &str, depth: Depth) {
        self.rows.push(Row::Code(Code {
            indent: 0,
            inner: depth.inner(),
            column: Column::Label,
            text: Text { word: label.into(), ..Text::default() },
            is_list: false,
            comment: String::new(),
        }));
    }

    /// Data goes on: the label beside its first line gets a line of its own.
    fn detach_label(&mut self) {
        if let Some(Row::Code(code)) = self.rows.last_mut()
            && code.column == Column::Data
        {
            let label = std::mem::take(&mut code.text.key);
            code.column = Column::None;
            code.indent = code.inner;
            let depth = self.blocks.depth();
            if let Some(data) = self.rows.pop() {
                self.label(&label, depth);
                self.rows.push(data);
            }
        }
    }
}

/// A label with its colon, without blanks.
fn spell_label(line: &Line<'_>, label: &[Token]) -> String {
    label.iter().map(|&token| line.word(token)).collect()
}
