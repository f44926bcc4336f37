//! Names: every identifier of the source, stored once and known by a number,
//! together with what else it may stand for.

use std::fmt::Write;
use std::hash::Hasher;

use hashbrown::HashTable;
use isa::Reg;
use rustc_hash::FxHasher;

use crate::directive::Directive;
use crate::expression::Function;
use crate::words::{self, Meaning, MeaningId, Word};

/// The number of an interned identifier.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Name(pub u32);

/// Where the text of a name lies among all of them, and its meaning.
#[derive(Clone, Copy, Debug)]
struct Entry {
    start: u32,
    length: u32,
    meaning: MeaningId,
    mentioned: bool,
}

/// The ASCII characters of a name of at most eight as one number, the first
/// one lowest: most names of a source, and compared at a stroke. No name has a
/// zero byte.
type Short = u64;

/// Characters of the longest of them.
pub(crate) const SHORT: usize = size_of::<Short>();

/// Short names that are remembered for being met lately.
const RECENT: usize = 512;

/// All identifiers met so far.
pub(crate) struct Names {
    /// Short names met lately, each at the place that its hash gives; before
    /// anything was met there, zero.
    recent: Box<[(Short, Name); RECENT]>,
    short: HashTable<(Short, Name)>,
    /// With their hashes, for the texts lie elsewhere.
    long: HashTable<(u32, Name)>,
    entries: Vec<Entry>,
    /// Their texts, end to end.
    texts: String,
    /// Where joined names are put together.
    scratch: String,
}

impl Default for Names {
    fn default() -> Names {
        Names {
            recent: Box::new([(0, Name(0)); RECENT]),
            short: HashTable::new(),
            long: HashTable::new(),
            entries: Vec::new(),
            texts: String::new(),
            scratch: String::new(),
        }
    }
}

impl Names {
    /// Makes room for so many more names of usual length.
    pub fn reserve(&mut self, count: usize) {
        self.entries.reserve(count);
        self.texts.reserve(12 * count);
    }

    /// The number of `text`; directives and local labels come with their dot.
    pub fn intern(&mut self, text: &str) -> Name {
        match packed(text) {
            Some(short) => self.intern_packed(short),
            None => self.intern_long(text),
        }
    }

    /// The number of the name that the first `length` of these bytes are, all
    /// of them ASCII: at least one, at most [`SHORT`].
    pub fn intern_short(&mut self, bytes: &[u8; SHORT], length: usize) -> Name {
        self.intern_packed(Short::from_le_bytes(*bytes) & Short::MAX >> (8 * (SHORT - length)))
    }

    fn intern_packed(&mut self, short: Short) -> Name {
        let hash = hash_of(short);
        let place = hash as usize % RECENT;
        if self.recent[place].0 == short {
            return self.recent[place].1;
        }
        let name = self.find_short(short).unwrap_or_else(|| {
            let bytes = short.to_le_bytes();
            let length = SHORT - short.leading_zeros() as usize / 8;
            let name = self.add(str::from_utf8(&bytes[..length]).unwrap_or_default());
            self.short.insert_unique(hash, (short, name), |&(other, _)| hash_of(other));
            name
        });
        self.recent[place] = (short, name);
        name
    }

    fn intern_long(&mut self, text: &str) -> Name {
        let hash = hash_of_text(text);
        self.find_long(text, hash).unwrap_or_else(|| {
            let name = self.add(text);
            self.long.insert_unique(widened(hash), (hash, name), |&(other, _)| widened(other));
            name
        })
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
        match packed(text) {
            Some(short) => self.find_short(short),
            None => self.find_long(text, hash_of_text(text)),
        }
    }

    pub fn len(&self) -> usize {
        self.entries.len()
    }

    pub fn text(&self, name: Name) -> &str {
        let Entry { start, length, .. } = self.entries[name.0 as usize];
        &self.texts[start as usize..(start + length) as usize]
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

    fn meaning(&self, name: Name) -> &'static Meaning {
        self.entries[name.0 as usize].meaning.get()
    }

    fn find_short(&self, short: Short) -> Option<Name> {
        let found = self.short.find(hash_of(short), |&(other, _)| other == short);
        found.map(|&(_, name)| name)
    }

    fn find_long(&self, text: &str, hash: u32) -> Option<Name> {
        let is_same = |&(other, name): &(u32, Name)| {
            let Entry { start, length, .. } = self.entries[name.0 as usize];
            let known = &self.texts.as_bytes()[start as usize..(start + length) as usize];
            other == hash && known == text.as_bytes()
        };
        self.long.find(widened(hash), is_same).map(|&(_, name)| name)
    }
}

fn packed(text: &str) -> Option<Short> {
    let mut bytes = [0; SHORT];
    bytes.get_mut(..text.len())?.copy_from_slice(text.as_bytes());
    text.is_ascii().then_some(Short::from_le_bytes(bytes))
}

fn hash_of(short: Short) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write_u64(short);
    hasher.finish()
}

fn hash_of_text(text: &str) -> u32 {
    let mut hasher = FxHasher::default();
    hasher.write(text.as_bytes());
    hasher.finish() as u32
}

/// A table looks at both ends of a hash.
fn widened(hash: u32) -> u64 {
    u64::from(hash) << 32 | u64::from(hash)
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
    if wanted.len() < 3 { None } else { nearest_register(wanted) }
}

/// The register that is nearest to a name; of several the one that programs
/// use most.
pub(crate) fn nearest_register(wanted: &str) -> Option<&'static str> {
    let usual = ["ELM", "FLD", "GLK", "BLX"];
    nearest(wanted, usual.into_iter()).or_else(|| nearest(wanted, Reg::all().map(Reg::name)))
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
