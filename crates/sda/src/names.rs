//! Names: every identifier of the source, stored once and known by a number,
//! together with what it may stand for (register, mnemonic, directive).

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use isa::{INSTRUCTIONS, Instruction, Reg};

use crate::directive::Directive;

/// The number of an interned identifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Name(pub u32);

/// What an identifier at the start of a statement is, as the machine sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Word {
    /// A mnemonic with its forms.
    Mnemonic(u16),
    /// LD or ST with the register that is its ending.
    Glued(u16, Reg),
    /// `JA label`: BZ over the next, JC label.
    JumpAbove,
    /// `JBE label`: JNC label, JZ label.
    JumpBelowOrEqual,
}

/// A spelling of a mnemonic with the rows of the table it stands for.
pub(crate) struct Mnemonic {
    /// Upper case, as the table or the list of aliases has it.
    pub name: &'static str,
    /// Its forms, by ascending opcode.
    pub rows: Vec<&'static Instruction>,
}

struct Entry {
    text: Box<str>,
    reg: Option<Reg>,
    word: Option<Word>,
    directive: Option<Directive>,
}

/// All identifiers met so far.
pub(crate) struct Names {
    numbers: HashMap<Box<str>, Name, BuildHasherDefault<FastHasher>>,
    entries: Vec<Entry>,
    mnemonics: Vec<Mnemonic>,
    /// Bytes of the longest mnemonic or register with LD or ST before it: a
    /// longer name need not be compared with them.
    longest: usize,
}

impl Names {
    pub fn new() -> Names {
        let mnemonics = mnemonics();
        let longest = mnemonics
            .iter()
            .map(|entry| entry.name.len())
            .chain(Reg::all().map(|reg| 2 + reg.name().len()))
            .max()
            .unwrap_or(0);
        Names { numbers: HashMap::default(), entries: Vec::new(), mnemonics, longest }
    }

    /// The number of `text`; directives and local labels come with their dot.
    pub fn intern(&mut self, text: &str) -> Name {
        if let Some(&name) = self.numbers.get(text) {
            return name;
        }
        let name = Name(self.entries.len() as u32);
        let short = text.len() <= self.longest;
        self.entries.push(Entry {
            text: text.into(),
            reg: if short { Reg::by_name(text) } else { None },
            word: if short { self.word_of(text) } else { None },
            directive: text.strip_prefix('.').and_then(Directive::by_name),
        });
        self.numbers.insert(text.into(), name);
        name
    }

    /// The number of `text` if it has been met.
    pub fn find(&self, text: &str) -> Option<Name> {
        self.numbers.get(text).copied()
    }

    pub fn len(&self) -> usize {
        self.entries.len()
    }

    pub fn text(&self, name: Name) -> &str {
        &self.entries[name.0 as usize].text
    }

    pub fn reg(&self, name: Name) -> Option<Reg> {
        self.entries[name.0 as usize].reg
    }

    pub fn word(&self, name: Name) -> Option<Word> {
        self.entries[name.0 as usize].word
    }

    pub fn directive(&self, name: Name) -> Option<Directive> {
        self.entries[name.0 as usize].directive
    }

    pub fn mnemonic(&self, number: u16) -> &Mnemonic {
        &self.mnemonics[number as usize]
    }

    /// Every spelling of a mnemonic, for suggestions.
    pub fn mnemonic_names(&self) -> impl Iterator<Item = &str> {
        self.mnemonics.iter().map(|mnemonic| mnemonic.name).chain(["JA", "JBE"])
    }

    fn word_of(&self, text: &str) -> Option<Word> {
        let find = |text: &str| {
            self.mnemonics.iter().position(|entry| entry.name.eq_ignore_ascii_case(text))
        };
        if let Some(at) = find(text) {
            return Some(Word::Mnemonic(at as u16));
        }
        if text.eq_ignore_ascii_case("JA") {
            return Some(Word::JumpAbove);
        }
        if text.eq_ignore_ascii_case("JBE") {
            return Some(Word::JumpBelowOrEqual);
        }
        let (stem, ending) = text.split_at_checked(2)?;
        let at = find(stem).filter(|&at| self.mnemonics[at].rows[0].glued)?;
        Some(Word::Glued(at as u16, Reg::by_name(ending)?))
    }
}

fn mnemonics() -> Vec<Mnemonic> {
    let mut list: Vec<Mnemonic> = Vec::new();
    for row in INSTRUCTIONS {
        match list.iter_mut().find(|entry| entry.name == row.mnemonic) {
            Some(entry) => entry.rows.push(row),
            None => list.push(Mnemonic { name: row.mnemonic, rows: vec![row] }),
        }
    }
    for &(alias, _) in isa::ALIASES {
        list.push(Mnemonic { name: alias, rows: isa::by_mnemonic(alias).collect() });
    }
    list
}

/// The multiply-and-rotate hash that compilers use for short identifiers;
/// the keys come from the user's own files, so no defence is needed.
#[derive(Default)]
pub(crate) struct FastHasher(u64);

impl FastHasher {
    fn add(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95);
    }
}

impl Hasher for FastHasher {
    fn write(&mut self, bytes: &[u8]) {
        let mut chunks = bytes.chunks_exact(8);
        for chunk in &mut chunks {
            let mut word = [0; 8];
            word.copy_from_slice(chunk);
            self.add(u64::from_le_bytes(word));
        }
        let mut rest = [0; 8];
        let remainder = chunks.remainder();
        rest[..remainder.len()].copy_from_slice(remainder);
        self.add(u64::from_le_bytes(rest) ^ (remainder.len() as u64) << 56);
    }

    fn write_u8(&mut self, value: u8) {
        self.add(value.into());
    }

    fn write_u32(&mut self, value: u32) {
        self.add(value.into());
    }

    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 32
    }
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
    fn words_are_told_apart() {
        let mut names = Names::new();
        let mut word = |text: &str| {
            let name = names.intern(text);
            names.word(name)
        };
        assert!(matches!(word("mov"), Some(Word::Mnemonic(_))));
        assert!(matches!(word("LdElm"), Some(Word::Glued(_, reg)) if reg.name() == "ELM"));
        assert!(matches!(word("STB"), Some(Word::Glued(_, reg)) if reg.name() == "B"));
        assert_eq!(word("ja"), Some(Word::JumpAbove));
        assert_eq!(word("LDQ"), None);
        assert_eq!(word("a"), None);
        assert_eq!(word("é"), None);
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
