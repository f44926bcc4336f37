//! `; lint: allow L0301 reason`: notes in the source that let one place be
//! as it is, on its line or on the line above it.

use crate::source::{Sources, Span};

/// One note.
#[derive(Clone, Debug)]
pub(super) struct Note {
    pub span: Span,
    pub source: usize,
    /// The line it stands in.
    pub line: u32,
    /// Nothing else stands in that line: the next one is meant.
    pub alone: bool,
    /// Codes, in upper case.
    pub codes: Vec<String>,
    pub has_reason: bool,
    pub used: bool,
}

impl Note {
    /// Whether it speaks of this line.
    pub fn covers(&self, source: usize, line: u32) -> bool {
        self.source == source && line == self.line + u32::from(self.alone)
    }
}

/// What a note begins with, behind the `;`.
const MARK: &str = "lint: allow";

/// Every note of the sources.
pub(super) fn notes(sources: &Sources) -> Vec<Note> {
    let mut notes = Vec::new();
    for number in 0..sources.count() {
        let source = sources.get(number);
        if source.broken || !source.text.contains(MARK) {
            continue;
        }
        for line in 1..=source.line_count() {
            let (text, start) = source.line(line);
            let Some(at) = comment(text) else { continue };
            let comment = text[at..].trim_start_matches([';', '/']).trim_start();
            let Some(rest) = comment.strip_prefix(MARK) else { continue };
            let words: Vec<&str> =
                rest.split([' ', '\t', ',']).filter(|word| !word.is_empty()).collect();
            let count = words.iter().take_while(|word| is_code(word)).count();
            let lo = source.base + (start + at) as u32;
            notes.push(Note {
                span: Span { lo, hi: source.base + (start + text.trim_end().len()) as u32 },
                source: number,
                line,
                alone: text[..at].trim().is_empty(),
                codes: words[..count].iter().map(|word| word.to_ascii_uppercase()).collect(),
                has_reason: words.len() > count,
                used: false,
            });
        }
    }
    notes
}

fn is_code(word: &str) -> bool {
    word.len() == 5 && word.starts_with(['L', 'l']) && word[1..].bytes().all(|b| b.is_ascii_digit())
}

/// Where a line's comment begins.
pub(super) fn comment(line: &str) -> Option<usize> {
    let bytes = line.as_bytes();
    let mut quote = None;
    let mut at = 0;
    while at < bytes.len() {
        match (quote, bytes[at]) {
            (Some(_), b'\\') => at += 1,
            (Some(open), byte) if byte == open => quote = None,
            (None, byte @ (b'"' | b'\'')) => quote = Some(byte),
            (None, b';') => return Some(at),
            (None, b'/') if bytes.get(at + 1) == Some(&b'/') => return Some(at),
            _ => {}
        }
        at += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::comment;

    #[test]
    fn comments_are_found_behind_strings_only() {
        assert_eq!(comment("  NOP ; x"), Some(6));
        assert_eq!(comment(".bytes ';', \"; // \\\"\" // y"), Some(22));
        assert_eq!(comment("LDA 6 / 2"), None);
    }
}
