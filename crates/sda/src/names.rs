//! Names: every identifier of the source, stored once and known by a number,
//! together with what else it may stand for.

use std::fmt::Write;
use std::hash::Hasher;

use hashbrown::HashTable;
use isa::Reg;
use rustc_hash::FxHasher;

use crate::directive::Directive;
use crate::expression::Function;
use crate::words::{self, Meaning, Word};

/// The number of an interned identifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Name(pub u32);

/// Where the text of a name lies among all of them, and its meaning.
#[derive(Clone, Copy, Debug)]
struct Entry {
    start: u32,
    length: u32,
    meaning: Meaning,
    mentioned: bool,
}

/// All identifiers met so far.
#[derive(Default)]
pub(crate) struct Names {
    /// Names of at most eight bytes, with those bytes as one number: most of a
    /// source, and compared at a stroke.
    short: HashTable<(u64, Name)>,
    long: HashTable<Name>,
    entries: Vec<Entry>,
    /// Their texts, end to end.
    texts: String,
    /// Where joined names are put together.
    scratch: String,
}

impl Names {
    /// The number of `text`; directives and local labels come with their dot.
    pub fn intern(&mut self, text: &str) -> Name {
        self.intern_part(text, 0, text.len())
    }

    /// The number of the name at bytes `start..end` of `line`, which knows
    /// what follows and so needs not be read byte by byte.
    pub fn intern_part(&mut self, line: &str, start: usize, end: usize) -> Name {
        let text = || &line[start..end];
        match packed(line.as_bytes(), start, end) {
            Some(key) => {
                let hash = hash_of(key);
                if let Some(&(_, name)) = self.short.find(hash, |&(other, _)| other == key) {
                    return name;
                }
                let name = self.add(text());
                self.short.insert_unique(hash, (key, name), |&(other, _)| hash_of(other));
                name
            }
            None => {
                let text = text();
                let hash = hash_of_text(text);
                if let Some(name) = self.find_long(text, hash) {
                    return name;
                }
                let name = self.add(text);
                let Names { long, entries, texts, .. } = self;
                let rehash = |name: &Name| hash_of_text(slice(texts, entries[name.0 as usize]));
                long.insert_unique(hash, name, rehash);
                name
            }
        }
    }

    fn add(&mut self, text: &str) -> Name {
        let name = Name(self.entries.len() as u32);
        let (start, length) = (self.texts.len() as u32, text.len() as u32);
        self.texts.push_str(text);
        self.entries.push(Entry { start, length, meaning: words::meaning(text), mentioned: false });
        name
    }

    /// The number of the two names written as one.
    pub fn join(&mut self, first: Name, rest: Name) -> Name {
        self.joined(first, |names, joined| joined.push_str(names.text(rest)))
    }

    /// The number of the name with `number` written behind it.
    pub fn numbered(&mut self, name: Name, number: u32) -> Name {
        self.joined(name, |_, joined| {
            // Writing into a string cannot fail.
            let _ = write!(joined, "{number}");
        })
    }

    fn joined(&mut self, first: Name, append: impl FnOnce(&Names, &mut String)) -> Name {
        let mut joined = std::mem::take(&mut self.scratch);
        joined.clear();
        joined.push_str(self.text(first));
        append(self, &mut joined);
        let name = self.intern(&joined);
        self.scratch = joined;
        name
    }

    /// The number of `text` if it has been met.
    pub fn find(&self, text: &str) -> Option<Name> {
        match packed(text.as_bytes(), 0, text.len()) {
            Some(key) => {
                self.short.find(hash_of(key), |&(other, _)| other == key).map(|&(_, name)| name)
            }
            None => self.find_long(text, hash_of_text(text)),
        }
    }

    pub fn len(&self) -> usize {
        self.entries.len()
    }

    pub fn text(&self, name: Name) -> &str {
        slice(&self.texts, self.entries[name.0 as usize])
    }

    pub fn reg(&self, name: Name) -> Option<Reg> {
        self.meaning(name).reg
    }

    pub fn word(&self, name: Name) -> Option<Word> {
        self.meaning(name).word
    }

    pub fn directive(&self, name: Name) -> Option<Directive> {
        self.meaning(name).directive
    }

    pub fn function(&self, name: Name) -> Option<Function> {
        self.meaning(name).function
    }

    /// Notes that something uses the name, or would.
    pub fn mention(&mut self, name: Name) {
        self.entries[name.0 as usize].mentioned = true;
    }

    pub fn is_mentioned(&self, name: Name) -> bool {
        self.entries[name.0 as usize].mentioned
    }

    fn meaning(&self, name: Name) -> &Meaning {
        &self.entries[name.0 as usize].meaning
    }

    fn find_long(&self, text: &str, hash: u64) -> Option<Name> {
        let is_same = |name: &Name| {
            let Entry { start, length, .. } = self.entries[name.0 as usize];
            let other = &self.texts.as_bytes()[start as usize..(start + length) as usize];
            other == text.as_bytes()
        };
        self.long.find(hash, is_same).copied()
    }
}

fn slice(texts: &str, entry: Entry) -> &str {
    &texts[entry.start as usize..(entry.start + entry.length) as usize]
}

/// The bytes `start..end`, if they are at most eight, as one number; names
/// have no zero byte.
fn packed(bytes: &[u8], start: usize, end: usize) -> Option<u64> {
    match (end - start, bytes[start..].first_chunk::<8>()) {
        (9.., _) => None,
        (length @ 1.., Some(chunk)) => Some(u64::from_be_bytes(*chunk) >> (64 - 8 * length)),
        _ => Some(bytes[start..end].iter().fold(0, |key, &byte| key << 8 | u64::from(byte))),
    }
}

fn hash_of(key: u64) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write_u64(key);
    hasher.finish()
}

fn hash_of_text(text: &str) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(text.as_bytes());
    hasher.finish()
}

/// The candidate nearest to `wanted`, if near enough to be a slip.
pub(crate) fn nearest<'a>(
    wanted: &str,
    candidates: impl Iterator<Item = &'a str>,
) -> Option<&'a str> {
    if wanted.len() > 64 {
        return None;
    }
    let wanted_lower = wanted.to_ascii_lowercase();
    let limit = match wanted.len() {
        0..=1 => return None,
        2..=4 => 1,
        5..=7 => 2,
        _ => 3,
    };
    candidates
        .filter(|candidate| candidate.len().abs_diff(wanted.len()) <= limit)
        .map(|candidate| (distance(&wanted_lower, &candidate.to_ascii_lowercase()), candidate))
        .filter(|&(steps, candidate)| steps <= limit && steps < candidate.len())
        .min_by_key(|&(steps, candidate)| {
            (steps, candidate.len().abs_diff(wanted.len()), candidate)
        })
        .map(|(_, candidate)| candidate)
}

/// The register that a name is a slip away from.
pub(crate) fn nearest_reg(wanted: &str) -> Option<&'static str> {
    // Of names this short every one is near every other.
    if wanted.len() < 3 { None } else { nearest(wanted, Reg::all().map(Reg::name)) }
}

/// `word`, which is in upper case, in lower case where `written` is.
pub(crate) fn in_case_of(written: &str, word: &str) -> String {
    let is_lower = !written.bytes().any(|byte| byte.is_ascii_uppercase());
    if is_lower { word.to_ascii_lowercase() } else { word.to_string() }
}

/// Edits between two words; two neighbours swapped count as one.
fn distance(a: &str, b: &str) -> usize {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut before = vec![0; b.len() + 1];
    let mut above: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let changed = usize::from(a[i - 1] != b[j - 1]);
            row[j] = (above[j] + 1).min(row[j - 1] + 1).min(above[j - 1] + changed);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before[j - 2] + 1);
            }
        }
        before = std::mem::replace(&mut above, row);
    }
    above[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_one_number() {
        let mut names = Names::default();
        let (plain, local) = (names.intern("main"), names.intern(".loop"));
        let joined = names.join(plain, local);
        assert_eq!(names.text(joined), "main.loop");
        let numbered = names.numbered(joined, 12);
        assert_eq!(names.text(numbered), "main.loop12");
        assert_eq!(names.intern("main.loop"), joined);
        assert_eq!(names.find("main.loop"), Some(joined));
        assert_eq!(names.find("other"), None);
        let many: Vec<Name> = (0..1000).map(|n| names.intern(&format!("n{n}"))).collect();
        assert_eq!(names.text(many[777]), "n777");
        assert_eq!(names.intern("n777"), many[777]);
    }

    #[test]
    fn the_nearest_name_is_a_slip_away() {
        let names = ["MOV", "MOVZX", "HALT", "REMQUE"];
        let near = |wanted| nearest(wanted, names.iter().copied());
        assert_eq!(near("HLAT"), Some("HALT"));
        assert_eq!(near("remqeu"), Some("REMQUE"));
        assert_eq!(near("banana"), None);
    }
}
