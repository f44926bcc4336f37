//! Names: every identifier of the source, stored once and known by a number,
//! together with what else it may stand for.

use std::fmt::Write;
use std::hash::Hasher;
use std::ops::Range;

use hashbrown::HashTable;
use isa::Reg;
use rustc_hash::FxHasher;

use crate::directive::Directive;
use crate::expression::Function;
use crate::lanes;
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

/// The ASCII characters of a name of at most sixteen as one number, the first
/// one lowest: most names of a source, and compared at a stroke. No name has a
/// zero byte.
type Short = u128;

/// Characters of the longest of them.
pub(crate) const SHORT: usize = size_of::<Short>();

/// Short names that are remembered for being met lately.
const RECENT: usize = 256;

/// All identifiers met so far.
pub(crate) struct Names {
    /// Short names met lately, each at the place that its hash gives; before
    /// anything was met there, zero.
    recent: Box<[(Short, Name); RECENT]>,
    /// With their hashes, for the texts lie elsewhere.
    numbers: HashTable<(u32, Name)>,
    entries: Vec<Entry>,
    /// Their texts, end to end.
    texts: String,
}

impl Default for Names {
    fn default() -> Names {
        Names {
            recent: Box::new([(0, Name(0)); RECENT]),
            numbers: HashTable::new(),
            entries: Vec::new(),
            texts: String::new(),
        }
    }
}

impl Names {
    /// Makes room for so many more names of usual length.
    pub fn reserve(&mut self, count: usize) {
        self.numbers.reserve(count, |&(hash, _)| widened(hash));
        self.entries.reserve(count);
        self.texts.reserve(12 * count);
    }

    /// The number of `text`; directives and local labels come with their dot.
    pub fn intern(&mut self, text: &str) -> Name {
        self.intern_hashed(text, hash_of(text))
    }

    fn intern_hashed(&mut self, text: &str, hash: u32) -> Name {
        self.find_hashed(text, hash).unwrap_or_else(|| {
            let start = self.texts.len();
            self.texts.push_str(text);
            self.add(start, hash)
        })
    }

    /// The number of the name of at least one ASCII character, at most
    /// [`SHORT`], that lies at `range` of `text`; `bytes` are those from there
    /// on.
    pub fn intern_short(&mut self, text: &str, range: Range<usize>, bytes: &[u8; SHORT]) -> Name {
        let short = lanes::beginning(Short::from_le_bytes(*bytes), range.len());
        let hash = hash_of_short(short);
        let place = hash as usize % RECENT;
        let (known, name) = self.recent[place];
        if known == short {
            return name;
        }
        let name = self.intern_hashed(&text[range], hash);
        self.recent[place] = (short, name);
        name
    }

    /// Adds the name that is the end of the texts from `start` on.
    fn add(&mut self, start: usize, hash: u32) -> Name {
        let name = Name(self.entries.len() as u32);
        let text = &self.texts[start..];
        let (start, length) = (start as u32, text.len() as u32);
        self.entries.push(Entry { start, length, meaning: words::meaning(text), mentioned: false });
        self.numbers.insert_unique(widened(hash), (hash, name), |&(other, _)| widened(other));
        name
    }

    /// The number of the two names written as one.
    pub fn join(&mut self, first: Name, rest: Name) -> Name {
        let start = self.texts.len();
        self.texts.extend_from_within(self.range(first));
        self.texts.extend_from_within(self.range(rest));
        self.intern_end(start)
    }

    /// The number of the name with `number` written behind it.
    pub fn numbered(&mut self, name: Name, number: u32) -> Name {
        let start = self.texts.len();
        self.texts.extend_from_within(self.range(name));
        // Writing into a string cannot fail.
        let _ = write!(self.texts, "{number}");
        self.intern_end(start)
    }

    /// The number of the name that was written behind all texts, from `start`
    /// on.
    fn intern_end(&mut self, start: usize) -> Name {
        let text = &self.texts[start..];
        let hash = hash_of(text);
        match self.find_hashed(text, hash) {
            Some(known) => {
                self.texts.truncate(start);
                known
            }
            None => self.add(start, hash),
        }
    }

    /// The number of `text` if it has been met.
    pub fn find(&self, text: &str) -> Option<Name> {
        self.find_hashed(text, hash_of(text))
    }

    pub fn len(&self) -> usize {
        self.entries.len()
    }

    pub fn text(&self, name: Name) -> &str {
        &self.texts[self.range(name)]
    }

    /// Where the text of a name lies.
    fn range(&self, name: Name) -> Range<usize> {
        let Entry { start, length, .. } = self.entries[name.0 as usize];
        start as usize..(start + length) as usize
    }

    /// Whether a capital letter is in it.
    pub fn has_capital(&self, name: Name) -> bool {
        let Range { start, end } = self.range(name);
        let bytes = self.texts.as_bytes();
        let mut at = start;
        while let Some(block) = lanes::block(bytes, at).filter(|_| at < end) {
            let own = u32::MAX >> (u32::BITS as usize - (end - at).min(lanes::BYTES));
            if lanes::capital_mask(block) & own != 0 {
                return true;
            }
            at += lanes::BYTES;
        }
        at < end && bytes[at..end].iter().any(u8::is_ascii_uppercase)
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

    fn find_hashed(&self, text: &str, hash: u32) -> Option<Name> {
        let is_same = |&(other, name): &(u32, Name)| other == hash && self.text(name) == text;
        self.numbers.find(widened(hash), is_same).map(|&(_, name)| name)
    }
}

fn hash_of(text: &str) -> u32 {
    let mut bytes = [0; SHORT];
    match bytes.get_mut(..text.len()) {
        Some(place) => {
            place.copy_from_slice(text.as_bytes());
            hash_of_short(Short::from_le_bytes(bytes))
        }
        None => {
            let mut hasher = FxHasher::default();
            hasher.write(text.as_bytes());
            hasher.finish() as u32
        }
    }
}

fn hash_of_short(short: Short) -> u32 {
    // Bits that look like noise: of the fractions of two square roots.
    const NOISE: [u64; 2] = [0x6A09_E667_F3BC_C908, 0xBB67_AE85_84CA_A73B];
    let [low, high] = [short as u64 ^ NOISE[0], (short >> 64) as u64 ^ NOISE[1]];
    let product = u128::from(low) * u128::from(high);
    (product as u64 ^ (product >> 64) as u64) as u32
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
    fn a_capital_is_seen_wherever_it_stands() {
        let mut names = Names::default();
        for at in 0..40 {
            let mut text = "a".repeat(40);
            let plain = names.intern(&text);
            text.replace_range(at..=at, "Z");
            let last = names.intern(&text);
            let part = names.intern(&text[..at]);
            let is = |name| names.has_capital(name);
            assert!(!is(plain) && is(last) && !is(part), "{at}");
        }
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
