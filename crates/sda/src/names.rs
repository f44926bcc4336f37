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

/// Where the text of a name begins among all of them, up to that of the next
/// one, and its meaning.
#[derive(Clone, Copy, Debug)]
struct Entry {
    start: u32,
    meaning: MeaningId,
    mentioned: bool,
    /// A capital letter is in it.
    capital: bool,
}

/// The ASCII characters of a name of at most sixteen as one number, the first
/// one lowest: most names of a source, and compared at a stroke. No name has a
/// zero byte.
type Short = u128;

/// Characters of the longest of them.
pub(crate) const SHORT: usize = size_of::<Short>();

/// Characters of all names: a local name has its plain label's in it, and many
/// local names of a very long one would take any amount of memory.
pub(crate) const MOST_CHARACTERS: usize = 256 << 20;

/// Short names that are remembered for being met lately.
const RECENT: usize = 256;

/// All identifiers met so far.
pub(crate) struct Names {
    /// Short names met lately, each at the place that its hash gives; before
    /// anything was met there, zero.
    recent: Box<[(Short, Name); RECENT]>,
    /// By the hashes of their texts.
    numbers: HashTable<Name>,
    texts: Texts,
}

/// The texts of all names, and what they may stand for.
#[derive(Default)]
struct Texts {
    entries: Vec<Entry>,
    /// End to end; behind them may lie one that is being made.
    texts: String,
    /// Where the text of the last name ends.
    end: u32,
}

impl Default for Names {
    fn default() -> Names {
        Names {
            recent: Box::new([(0, Name(0)); RECENT]),
            numbers: HashTable::new(),
            texts: Texts::default(),
        }
    }
}

impl Names {
    /// Makes room for so many more names of usual length.
    pub fn reserve(&mut self, count: usize) {
        // Places of the table lie anywhere: all of it is touched.
        self.numbers.reserve(count, |&name| hash_of(self.texts.of(name)));
        // What these don't use costs nothing.
        self.texts.entries.reserve(2 * count);
        self.texts.texts.reserve(2 * 12 * count);
    }

    /// The number of `text`; directives and local labels come with their dot.
    pub fn intern(&mut self, text: &str) -> Name {
        let has_capital = || text.bytes().any(|byte| byte.is_ascii_uppercase());
        self.intern_hashed(text, hash_of(text), has_capital)
    }

    fn intern_hashed(&mut self, text: &str, hash: u64, has_capital: impl FnOnce() -> bool) -> Name {
        self.find_hashed(text, hash).unwrap_or_else(|| {
            self.texts.begun().push_str(text);
            self.add(hash, has_capital())
        })
    }

    /// The number of the name of at least one ASCII character, at most
    /// [`SHORT`], that lies at `range` of `text`; `bytes` are those from there
    /// on.
    #[inline]
    pub fn intern_short(&mut self, text: &str, range: Range<usize>, bytes: &[u8; SHORT]) -> Name {
        let short = lanes::beginning(Short::from_le_bytes(*bytes), range.len());
        let hash = hash_of_short(short);
        let place = hash as usize % RECENT;
        let (known, name) = self.recent[place];
        if known == short {
            return name;
        }
        let has_capital = || lanes::capital_mask(&short.to_le_bytes()) != 0;
        let name = self.intern_hashed(&text[range], hash, has_capital);
        self.recent[place] = (short, name);
        name
    }

    /// Adds the name whose text has been begun.
    fn add(&mut self, hash: u64, capital: bool) -> Name {
        let name = self.texts.end_one(capital);
        self.numbers.insert_unique(hash, name, |&name| hash_of(self.texts.of(name)));
        name
    }

    /// The number of the two names written as one; of `rest` when there is no
    /// more room.
    pub fn join(&mut self, first: Name, rest: Name) -> Name {
        if self.are_full() {
            return rest;
        }
        let capital = self.has_capital(first) || self.has_capital(rest);
        let (first, rest) = (self.texts.range(first), self.texts.range(rest));
        let text = self.texts.begun();
        text.extend_from_within(first);
        text.extend_from_within(rest);
        self.intern_begun(capital)
    }

    /// The number of the name with `number` written behind it; of `name` when
    /// there is no more room.
    pub fn numbered(&mut self, name: Name, number: u32) -> Name {
        if self.are_full() {
            return name;
        }
        let capital = self.has_capital(name);
        let name = self.texts.range(name);
        let text = self.texts.begun();
        text.extend_from_within(name);
        // Writing into a string cannot fail.
        let _ = write!(text, "{number}");
        self.intern_begun(capital)
    }

    /// The number of the name whose text has been begun.
    fn intern_begun(&mut self, capital: bool) -> Name {
        let text = &self.texts.texts[self.texts.end as usize..];
        let hash = hash_of(text);
        self.find_hashed(text, hash).unwrap_or_else(|| self.add(hash, capital))
    }

    /// The number of `text` if it has been met.
    pub fn find(&self, text: &str) -> Option<Name> {
        self.find_hashed(text, hash_of(text))
    }

    fn find_hashed(&self, text: &str, hash: u64) -> Option<Name> {
        self.numbers.find(hash, |&name| self.texts.of(name) == text).copied()
    }

    pub fn len(&self) -> usize {
        self.texts.entries.len()
    }

    /// Whether they have more characters than they may: the pass has to end.
    pub fn are_full(&self) -> bool {
        self.texts.end as usize > MOST_CHARACTERS
    }

    pub fn text(&self, name: Name) -> &str {
        self.texts.of(name)
    }

    /// Whether a capital letter is in it.
    pub fn has_capital(&self, name: Name) -> bool {
        self.texts.entries[name.0 as usize].capital
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
        self.texts.entries[name.0 as usize].mentioned = true;
    }

    pub fn is_mentioned(&self, name: Name) -> bool {
        self.texts.entries[name.0 as usize].mentioned
    }

    fn meaning(&self, name: Name) -> &'static Meaning {
        self.texts.entries[name.0 as usize].meaning.get()
    }
}

impl Texts {
    fn of(&self, name: Name) -> &str {
        &self.texts[self.range(name)]
    }

    /// Where the text of a name lies.
    fn range(&self, name: Name) -> Range<usize> {
        let start = self.entries[name.0 as usize].start;
        let end = self.entries.get(name.0 as usize + 1).map_or(self.end, |next| next.start);
        start as usize..end as usize
    }

    /// To write the text of another name behind the last one's.
    fn begun(&mut self) -> &mut String {
        self.texts.truncate(self.end as usize);
        &mut self.texts
    }

    /// Makes what has been written a name.
    fn end_one(&mut self, capital: bool) -> Name {
        let (start, name) = (self.end, Name(self.entries.len() as u32));
        let meaning = words::meaning(&self.texts[start as usize..]);
        self.entries.push(Entry { start, meaning, mentioned: false, capital });
        self.end = self.texts.len() as u32;
        name
    }
}

fn hash_of(text: &str) -> u64 {
    let mut bytes = [0; SHORT];
    match bytes.get_mut(..text.len()) {
        Some(place) => {
            place.copy_from_slice(text.as_bytes());
            hash_of_short(Short::from_le_bytes(bytes))
        }
        None => {
            let mut hasher = FxHasher::default();
            hasher.write(text.as_bytes());
            hasher.finish()
        }
    }
}

fn hash_of_short(short: Short) -> u64 {
    // Bits that look like noise: of the fractions of two square roots.
    const NOISE: [u64; 2] = [0x6A09_E667_F3BC_C908, 0xBB67_AE85_84CA_A73B];
    let [low, high] = [short as u64 ^ NOISE[0], (short >> 64) as u64 ^ NOISE[1]];
    let product = u128::from(low) * u128::from(high);
    product as u64 ^ (product >> 64) as u64
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
            let (with, without) = (names.join(part, last), names.join(plain, part));
            let numbered = names.numbered(last, 1);
            let is = |name| names.has_capital(name);
            assert!(!is(plain) && is(last) && !is(part), "{at}");
            assert!(is(with) && !is(without) && is(numbered), "{at}");
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
