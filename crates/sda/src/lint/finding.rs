//! A finding before it is a message: code, place, other places, all by the
//! addresses of instructions; and how registers are named in it.

use isa::{Reg, WORDS};

use super::value::{Cells, FIRST_FLAG, FLAG_CELLS, each};
use crate::source::Span;

/// Where something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Place {
    /// The statement at an address.
    At(u32),
    /// A piece of a source.
    Span(Span),
}

/// Something that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Finding {
    pub code: &'static str,
    pub place: Place,
    pub message: String,
    /// Words under the underline.
    pub label: String,
    pub related: Vec<(Place, String)>,
    pub notes: Vec<String>,
    pub helps: Vec<String>,
}

impl Finding {
    pub fn new(code: &'static str, at: u32, message: String) -> Finding {
        Finding {
            code,
            place: Place::At(at),
            message,
            label: String::new(),
            related: Vec::new(),
            notes: Vec::new(),
            helps: Vec::new(),
        }
    }

    pub fn label(self, text: impl Into<String>) -> Finding {
        Finding { label: text.into(), ..self }
    }

    pub fn also(mut self, place: Place, text: impl Into<String>) -> Finding {
        if place != self.place && !self.related.iter().any(|(other, _)| *other == place) {
            self.related.push((place, text.into()));
        }
        self
    }

    pub fn note(mut self, text: impl Into<String>) -> Finding {
        self.notes.push(text.into());
        self
    }

    pub fn help(mut self, text: impl Into<String>) -> Finding {
        self.helps.push(text.into());
        self
    }
}

/// The registers and flags that a set of cells makes up: `B`, `AL and carry`.
pub(super) fn names(cells: Cells) -> String {
    let mut names: Vec<String> = Vec::new();
    for (word, name) in WORDS.iter().enumerate() {
        match cells >> (2 * word) & 3 {
            1 => names.push(format!("{name}L")),
            2 => names.push(format!("{name}H")),
            3 => names.push((*name).to_string()),
            _ => {}
        }
    }
    names.sort();
    names.extend(each(cells).filter_map(|cell| {
        let flag = cell.checked_sub(FIRST_FLAG)?;
        Some(FLAG_CELLS[flag].1.to_string())
    }));
    match names.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
        None => String::new(),
    }
}

/// The register that is exactly these cells, or their names.
pub(super) fn register(cells: Cells) -> String {
    let exact = Reg::all().find(|reg| cells != 0 && Cells::from(reg.halves()) == cells);
    exact.map_or_else(|| names(cells), |reg| reg.name().to_string())
}

/// `is` or `are`.
pub(super) fn is(names: &str) -> &'static str {
    if names.contains(" and ") { "are" } else { "is" }
}

/// `it` or `them`.
pub(super) fn it(names: &str) -> &'static str {
    if names.contains(" and ") { "them" } else { "it" }
}
