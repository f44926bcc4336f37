//! The source texts of one run and the places in them: a position is a byte
//! offset into all texts laid end to end.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

/// Bytes `lo` to `hi` of the sources laid end to end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Span {
    pub lo: u32,
    pub hi: u32,
}

impl Span {
    /// From the start of `self` to the end of `last`, when both stand in the
    /// same line of text as written; otherwise `self` (macro arguments).
    pub fn to(self, last: Span) -> Span {
        if last.hi >= self.lo && last.hi - self.lo < 4096 {
            Span { lo: self.lo, hi: last.hi }
        } else {
            self
        }
    }

    /// The empty place behind it.
    pub fn end(self) -> Span {
        Span { lo: self.hi, hi: self.hi }
    }
}

/// One text.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    /// As it is named in messages.
    pub name: String,
    pub path: PathBuf,
    /// Shared with the one who reads it.
    pub text: Arc<String>,
    /// The position of its first byte.
    pub base: u32,
    /// Not UTF-8: there is nothing to read in it, only something to show.
    pub broken: bool,
    line_starts: OnceLock<Vec<u32>>,
}

impl Source {
    fn line_starts(&self) -> &[u32] {
        self.line_starts.get_or_init(|| {
            let bytes = self.text.as_bytes();
            let mut starts = vec![0];
            for (at, &byte) in bytes.iter().enumerate() {
                if byte == b'\n' || byte == b'\r' && bytes.get(at + 1) != Some(&b'\n') {
                    starts.push(at as u32 + 1);
                }
            }
            starts
        })
    }

    /// The number of lines, an unfinished last one included.
    pub fn line_count(&self) -> u32 {
        self.line_starts().len() as u32
    }

    /// The text of line `number` (from 1) without its end, and the byte
    /// offset at which it begins.
    pub fn line(&self, number: u32) -> (&str, usize) {
        let starts = self.line_starts();
        let at = (number.max(1) as usize - 1).min(starts.len() - 1);
        let start = starts[at] as usize;
        let end = starts.get(at + 1).map_or(self.text.len(), |&end| end as usize);
        let line = self.text[start..end].trim_end_matches(['\n', '\r']);
        match line.strip_prefix('\u{FEFF}') {
            Some(line) if start == 0 => (line, 3),
            _ => (line, start),
        }
    }

    /// The number of the line that holds byte `offset`.
    pub fn line_of(&self, offset: u32) -> u32 {
        self.line_starts().partition_point(|&start| start <= offset) as u32
    }
}

/// A position as people name it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    /// The number of the source.
    pub source: usize,
    /// From 1.
    pub line: u32,
    /// In characters, from 1.
    pub column: u32,
}

/// All texts of a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sources {
    list: Vec<Source>,
}

impl Sources {
    /// Adds a text; `None` when positions would no longer fit 32 bits.
    pub fn add(
        &mut self,
        name: String,
        path: PathBuf,
        text: String,
        broken: bool,
    ) -> Option<usize> {
        let base = self.list.last().map_or(0, |last| last.base + last.text.len() as u32 + 1);
        let length = u32::try_from(text.len()).ok()?;
        base.checked_add(length)?.checked_add(1)?;
        let text = Arc::new(text);
        self.list.push(Source { name, path, text, base, broken, line_starts: OnceLock::new() });
        Some(self.list.len() - 1)
    }

    pub fn get(&self, number: usize) -> &Source {
        &self.list[number]
    }

    /// The number of texts.
    pub fn count(&self) -> usize {
        self.list.len()
    }

    /// The names of all texts, by number.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.list.iter().map(|source| source.name.as_str())
    }

    /// The number of the source that holds position `at`.
    pub fn source_of(&self, at: u32) -> usize {
        self.list.partition_point(|source| source.base <= at).saturating_sub(1)
    }

    /// The source and line of a position.
    pub fn line_at(&self, at: u32) -> (usize, u32) {
        let source = self.source_of(at);
        let file = &self.list[source];
        (source, file.line_of((at - file.base).min(file.text.len() as u32)))
    }

    /// For many positions that mostly ascend.
    pub fn line_finder(&self) -> LineFinder<'_> {
        LineFinder { sources: self, found: (0, 0), span: Span::default() }
    }

    pub fn place(&self, at: u32) -> Place {
        let (source, line) = self.line_at(at);
        let file = &self.list[source];
        let offset = (at - file.base).min(file.text.len() as u32);
        let (text, start) = file.line(line);
        let within = (offset as usize).saturating_sub(start).min(text.len());
        let column = text.char_indices().take_while(|&(at, _)| at < within).count() as u32 + 1;
        Place { source, line, column }
    }

    /// `file:line:column` of a position.
    pub fn location(&self, at: u32) -> String {
        let place = self.place(at);
        format!("{}:{}:{}", self.list[place.source].name, place.line, place.column)
    }

    /// The text under a span.
    pub fn text(&self, span: Span) -> &str {
        let file = &self.list[self.source_of(span.lo)];
        let lo = (span.lo - file.base) as usize;
        let hi = (span.hi - file.base) as usize;
        file.text.get(lo..hi).unwrap_or("")
    }
}

/// Finds lines like [`Sources::line_at`], but remembers the last one: a
/// position in it, or in one of the lines behind it, needs no search.
pub(crate) struct LineFinder<'a> {
    sources: &'a Sources,
    found: (usize, u32),
    /// The bytes of the line that was found.
    span: Span,
}

/// Lines to look at before searching.
const NEAR: usize = 8;

impl LineFinder<'_> {
    /// The source and line of a position.
    pub fn line_at(&mut self, at: u32) -> (usize, u32) {
        if (self.span.lo..self.span.hi).contains(&at) {
            return self.found;
        }
        let (source, line) = self.found;
        let near = self.sources.list.get(source).and_then(|file| {
            let offset = at.checked_sub(file.base)?;
            let behind = file.line_starts().get(line as usize..)?;
            let steps = behind.iter().take(NEAR).take_while(|&&start| start <= offset).count();
            (steps > 0 && steps < behind.len().min(NEAR)).then(|| line + steps as u32)
        });
        let (source, line) = match near {
            Some(line) => (source, line),
            None => self.sources.line_at(at),
        };
        let file = &self.sources.list[source];
        let start = |line: u32| file.line_starts().get(line as usize).map(|&at| file.base + at);
        self.found = (source, line);
        self.span = match (start(line - 1), start(line)) {
            (Some(lo), Some(hi)) => Span { lo, hi },
            _ => Span::default(),
        };
        self.found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_found_from_wherever_the_last_one_was() {
        let mut sources = Sources::default();
        let (breaks, short) = ("\n".repeat(40), "a\n".repeat(30));
        let texts = ["", "one\ntwo\r\n\n\nfive", &breaks, &short, ""];
        for text in texts {
            sources.add("x".into(), PathBuf::new(), text.into(), false).unwrap();
        }
        let last = &sources.list[texts.len() - 1];
        let positions: Vec<u32> = (0..=last.base).collect();
        let mut finder = sources.line_finder();
        for step in [1, 2, 7, 30, positions.len() - 1] {
            for start in 0..step {
                for &at in positions[start..].iter().step_by(step) {
                    assert_eq!(finder.line_at(at), sources.line_at(at), "{at} by {step}");
                }
            }
        }
    }
}
