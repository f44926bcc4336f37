//! The last changes of an open file, in the order of their versions: some
//! clients send what is typed fast in another order.

use std::collections::VecDeque;
use std::ops::Range;

use lsp_types::TextDocumentContentChangeEvent as Change;

use crate::document::Text;
use crate::encoding::Encoding;

/// Changes that are remembered at most, and the bytes in them: what comes too
/// late comes soon, and nobody types megabytes.
const MOST_STEPS: usize = 64;
const MOST_BYTES: usize = 1 << 16;

/// What was changed lately.
#[derive(Debug, Default)]
pub(crate) struct History {
    steps: VecDeque<Step>,
}

/// The changes of one message.
#[derive(Debug)]
struct Step {
    version: i32,
    changes: Vec<Change>,
    /// What takes them back, the first change's first.
    undone: Vec<(Range<usize>, String)>,
}

impl History {
    /// Applies the changes that make `version` of a text. What is of a later
    /// version already is taken back and applied again behind them.
    pub fn apply(
        &mut self,
        text: &Text,
        version: i32,
        changes: Vec<Change>,
        encoding: Encoding,
    ) -> Text {
        let first_later = self.steps.partition_point(|step| step.version <= version);
        let later = self.steps.split_off(first_later);
        let mut now = Text::new(text.text.clone());
        for (range, words) in later.iter().rev().flat_map(|step| step.undone.iter().rev()) {
            now.text.replace_range(range.clone(), words);
        }
        if !later.is_empty() {
            now = Text::new(now.text);
        }
        let later = later.into_iter().map(|step| (step.version, step.changes));
        for (version, changes) in std::iter::once((version, changes)).chain(later) {
            let undone = changes.iter().map(|change| now.change(change, encoding)).collect();
            self.steps.push_back(Step { version, changes, undone });
        }
        self.forget();
        now
    }

    fn forget(&mut self) {
        let mut bytes: usize = self.steps.iter().map(Step::bytes).sum();
        while self.steps.len() > MOST_STEPS || bytes > MOST_BYTES {
            bytes -= self.steps.pop_front().as_ref().map_or(0, Step::bytes);
        }
    }
}

impl Step {
    fn bytes(&self) -> usize {
        let old: usize = self.undone.iter().map(|(_, text)| text.len()).sum();
        let new: usize = self.changes.iter().map(|change| change.text.len()).sum();
        old + new
    }
}

#[cfg(test)]
mod tests {
    use lsp_types::{Position, Range as Span};

    use super::*;

    fn change(at: u32, old: u32, new: &str) -> Change {
        let range = Some(Span::new(Position::new(0, at), Position::new(0, at + old)));
        Change { range, range_length: None, text: new.to_string() }
    }

    fn after(steps: Vec<(i32, Change)>) -> String {
        let mut history = History::default();
        let mut text = Text::new(String::new());
        for (version, change) in steps {
            text = history.apply(&text, version, vec![change], Encoding::Utf16);
        }
        text.text
    }

    #[test]
    fn changes_that_overtake_each_other_make_the_same_text() {
        // Typed, then a piece is replaced and one removed.
        let steps: Vec<(i32, Change)> = ["C", "A", "L", "L", " ", "é", "\n"]
            .into_iter()
            .enumerate()
            .map(|(at, letter)| (at as i32 + 1, change(at as u32, 0, letter)))
            .chain([(8, change(1, 3, "\u{1F600}")), (9, change(0, 1, ""))])
            .collect();
        assert_eq!(after(steps.clone()), "\u{1F600} é\n");
        // Every order of swaps of neighbours up to four apart.
        for seed in 0..500_usize {
            let mut mixed = steps.clone();
            for at in 0..mixed.len() - 1 {
                mixed.swap(at, (at + (seed >> at) % 4).min(steps.len() - 1));
            }
            assert_eq!(after(mixed), "\u{1F600} é\n", "{seed}");
        }
    }

    #[test]
    fn a_client_that_does_not_count_is_taken_by_its_word() {
        let steps = vec![(0, change(0, 0, "a")), (0, change(1, 0, "b")), (0, change(1, 1, "c"))];
        assert_eq!(after(steps), "ac");
    }

    #[test]
    fn what_is_remembered_is_bounded() {
        let mut history = History::default();
        let mut text = Text::new(String::new());
        for version in (0..200).chain([i32::MIN, i32::MAX, -5]) {
            let all = Change { range: None, range_length: None, text: "x".repeat(3000) };
            text = history.apply(&text, version, vec![all, change(0, 0, "y")], Encoding::Utf16);
            assert!(history.steps.len() <= MOST_STEPS);
            assert!(history.steps.iter().map(Step::bytes).sum::<usize>() <= MOST_BYTES);
            assert!(text.text.len() == 3001);
        }
        let huge = Change { range: None, range_length: None, text: "x".repeat(1 << 20) };
        history.apply(&text, i32::MAX, vec![huge], Encoding::Utf16);
        assert!(history.steps.is_empty());
    }
}
