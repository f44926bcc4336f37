//! The rows as text: what stands in columns is measured in neighbouring rows
//! and filled up with blanks.

use super::row::{Code, Column, Place, Row};
use super::text::{Text, width};

/// Where comments behind statements begin, from 0.
const COMMENT: usize = 40;
/// Where the value of an `.equ` begins, from 0.
const EQU_VALUE: usize = 20;
/// Where the directive of a field begins, from 0.
const FIELD: usize = 8;
/// Columns are multiples of this where they are not given.
const STEP: usize = 4;
/// Something wider takes no part in a column.
const WIDEST: usize = 60;

/// The text of all rows.
pub(super) fn write(mut rows: Vec<Row>) -> String {
    for run in runs(&rows, |one, other| one.column == other.column && one.indent == other.indent) {
        align_keys(&mut rows, &run);
    }
    let is_table = |one: &Code, other: &Code| {
        one.is_list
            && (one.column, one.indent, &one.text.word)
                == (other.column, other.indent, &other.text.word)
    };
    for run in runs(&rows, is_table) {
        align_lists(&mut rows, &run);
    }
    let mut out = String::new();
    let mut at = 0;
    while at < rows.len() {
        at += write_commented(&rows[at..], &mut out);
    }
    out
}

/// Neighbours that are alike, by number; comments may stand between them.
fn runs(rows: &[Row], alike: impl Fn(&Code, &Code) -> bool) -> Vec<Vec<usize>> {
    let mut runs: Vec<Vec<usize>> = Vec::new();
    let mut last: Option<&Code> = None;
    for (at, row) in rows.iter().enumerate() {
        match row {
            Row::Comment { .. } => {}
            Row::Blank | Row::Verbatim(_) => last = None,
            Row::Code(code) => {
                match (last, runs.last_mut()) {
                    (Some(last), Some(run)) if alike(last, code) => run.push(at),
                    _ => runs.push(vec![at]),
                }
                last = Some(code);
            }
        }
    }
    runs
}

/// The texts of the rows of a run.
fn texts<'a>(rows: &'a [Row], run: &'a [usize]) -> impl Iterator<Item = &'a Text> {
    run.iter().filter_map(|&at| match &rows[at] {
        Row::Code(code) => Some(&code.text),
        _ => None,
    })
}

/// Fills the keys of a run up to where the values begin.
fn align_keys(rows: &mut [Row], run: &[usize]) {
    let Row::Code(Code { column, .. }) = rows[run[0]] else { return };
    let longest = texts(rows, run).map(|text| width(&text.key));
    let longest = longest.filter(|&width| width < WIDEST).max().unwrap_or(0);
    let to_step = |width: usize| (width + 1).next_multiple_of(STEP);
    let value = match column {
        Column::Label | Column::None => return,
        Column::Equ => to_step(longest).max(EQU_VALUE),
        Column::Constant => longest + 1,
        Column::Field => to_step(longest).max(FIELD),
        Column::Data => to_step(longest),
    };
    for &at in run {
        if let Row::Code(code) = &mut rows[at] {
            let blanks = value.saturating_sub(width(&code.text.key)).max(1);
            code.text.key.push_str(&" ".repeat(blanks));
        }
    }
}

/// Makes the lists of a run a table if somebody has begun to.
fn align_lists(rows: &mut [Row], run: &[usize]) {
    if !texts(rows, run).any(|text| text.is_padded) {
        return;
    }
    let mut widths: Vec<usize> = Vec::new();
    for text in texts(rows, run) {
        let cells = text.cells.len().saturating_sub(1);
        widths.resize(widths.len().max(cells), 0);
        for (widest, cell) in widths.iter_mut().zip(&text.cells[..cells]) {
            *widest = (*widest).max(Some(width(cell)).filter(|&width| width < WIDEST).unwrap_or(0));
        }
    }
    for &at in run {
        let Row::Code(code) = &mut rows[at] else { continue };
        let cells = &mut code.text.cells;
        for at in (1..cells.len()).rev() {
            let blanks = widths[at - 1].saturating_sub(width(&cells[at - 1]));
            if !cells[at].is_empty() {
                cells[at].insert_str(0, &" ".repeat(blanks));
            }
        }
    }
}

/// Appends the first row and those behind it whose comments stand in one
/// column with its; returns how many that are.
fn write_commented(rows: &[Row], out: &mut String) -> usize {
    let is_commented = |row: &Row| match row {
        Row::Code(code) => !code.comment.is_empty(),
        Row::Comment { place, .. } => *place == Place::Behind,
        Row::Blank | Row::Verbatim(_) => false,
    };
    let count = rows.iter().take_while(|row| is_commented(row)).count().max(1);
    let lines: Vec<String> = rows[..count].iter().map(line).collect();
    let widest = rows.iter().zip(&lines).filter(|(row, _)| matches!(row, Row::Code(_)));
    let widest = widest.map(|(_, line)| width(line)).filter(|&width| width < WIDEST).max();
    let column = widest.map_or(0, |widest| widest + 1).next_multiple_of(STEP).max(COMMENT);
    let mut behind = column;
    for (row, line) in rows.iter().zip(&lines) {
        out.push_str(line);
        let comment = match row {
            Row::Code(code) => {
                behind = column.max(if width(line) < WIDEST { 0 } else { width(line) + 2 });
                &code.comment
            }
            Row::Comment { text, place: Place::Behind, .. } => text,
            _ => "",
        };
        if !comment.is_empty() {
            out.push_str(&" ".repeat(behind - width(line)));
            out.push_str(comment);
        }
        out.push('\n');
    }
    count
}

/// A row without the comment behind it.
fn line(row: &Row) -> String {
    match row {
        Row::Blank | Row::Comment { place: Place::Behind, .. } => String::new(),
        Row::Verbatim(text) => text.clone(),
        Row::Comment { text, indent, .. } => " ".repeat(*indent) + text,
        Row::Code(code) => {
            let mut line = " ".repeat(code.indent);
            code.text.append_to(&mut line);
            line
        }
    }
}
