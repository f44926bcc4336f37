//! Reserved words: what an identifier may stand for beside a label – register,
//! mnemonic, directive, function. Worked out once for the whole process.

use std::sync::LazyLock;

use isa::{Arg, INSTRUCTIONS, Instruction, MAX_OPERANDS, Reg};
use rustc_hash::FxHashMap;

use crate::directive::Directive;
use crate::expression::Function;
use crate::operand::{self, Shapes};

/// What an identifier may stand for, in any case of its letters.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Meaning {
    pub reg: Option<Reg>,
    pub word: Option<Word>,
    pub directive: Option<Directive>,
    pub function: Option<Function>,
}

/// What an identifier at the start of a statement is, as the machine sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Word {
    /// A mnemonic with its forms.
    Mnemonic(&'static Mnemonic),
    /// LD or ST with the register that is its ending.
    Glued(&'static Mnemonic, Reg),
    /// `JA label`: BZ over the next, JC label.
    JumpAbove,
    /// `JBE label`: JNC label, JZ label.
    JumpBelowOrEqual,
}

/// A spelling of a mnemonic with the rows of the table it stands for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Mnemonic {
    /// Upper case, as the table or the list of aliases has it.
    pub name: &'static str,
    /// Its forms, by ascending opcode.
    pub rows: Vec<&'static Instruction>,
    /// What the source tells them apart by.
    written: Vec<Written>,
    /// For each operand as it is encoded: whether it may be a jump's target.
    pub takes_label: [bool; MAX_OPERANDS],
    /// Whether an immediate is a divisor.
    pub divides: bool,
    /// What its immediate of one byte is.
    pub count: Count,
}

/// A form of a mnemonic as it is written.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Written {
    pub row: &'static Instruction,
    shapes: Shapes,
    /// Bytes of the encoding without an immediate as wide as the first operand.
    size: u8,
    has_immediate: bool,
}

impl Written {
    /// Bytes of the encoding; `width` is that of the first operand.
    pub fn size(&self, width: u8) -> u8 {
        self.size + if self.has_immediate { width } else { 0 }
    }
}

/// What an immediate of one byte, without sign, is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Count {
    Interrupt,
    Offset,
    Shift,
}

impl Count {
    /// In words, for messages.
    pub fn describe(self) -> &'static str {
        match self {
            Count::Interrupt => "an interrupt number",
            Count::Offset => "an offset in a node",
            Count::Shift => "a shift count",
        }
    }
}

/// Bytes of the longest reserved word; a longer name need not be looked up.
const LONGEST: usize = 12;

static MNEMONICS: LazyLock<Vec<Mnemonic>> = LazyLock::new(mnemonics);

static VOCABULARY: LazyLock<Vocabulary> = LazyLock::new(Vocabulary::new);

/// Every reserved word, directives with their dot.
struct Vocabulary {
    /// By number; the first is that of all other words.
    meanings: Vec<Meaning>,
    numbers: FxHashMap<Spelling, MeaningId>,
    /// By first character, one bit for each length that such a word has: most
    /// names need no further look.
    lengths: [u16; 256],
}

/// A word in upper case, padded with zeros, so that it is compared and hashed
/// as a number.
type Spelling = u128;

/// The number of a meaning: a name keeps this much of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct MeaningId(u16);

impl MeaningId {
    pub fn get(self) -> &'static Meaning {
        &VOCABULARY.meanings[usize::from(self.0)]
    }
}

/// What `text` may stand for.
pub(crate) fn meaning(text: &str) -> MeaningId {
    let vocabulary = &*VOCABULARY;
    let first = text.as_bytes().first().copied().unwrap_or_default();
    let lengths = vocabulary.lengths[usize::from(first.to_ascii_uppercase())];
    if text.len() > LONGEST || lengths >> text.len() & 1 == 0 {
        return MeaningId::default();
    }
    spelling(text).and_then(|word| vocabulary.numbers.get(&word).copied()).unwrap_or_default()
}

/// `None` for a text that is too long to be a reserved word.
fn spelling(text: &str) -> Option<Spelling> {
    const BYTES: usize = size_of::<Spelling>();
    const { assert!(LONGEST <= BYTES) };
    let mut upper = [0; BYTES];
    upper[..LONGEST].get_mut(..text.len())?.copy_from_slice(text.as_bytes());
    upper.make_ascii_uppercase();
    Some(Spelling::from_le_bytes(upper))
}

/// The first opcode of a mnemonic of the table.
pub(crate) fn opcode(name: &str) -> u8 {
    match meaning(name).get().word {
        Some(Word::Mnemonic(mnemonic)) => mnemonic.rows[0].opcode,
        _ => 0,
    }
}

/// Every spelling of a mnemonic, for suggestions.
pub(crate) fn mnemonic_names<'a>() -> impl Iterator<Item = &'a str> {
    MNEMONICS.iter().map(|mnemonic| mnemonic.name).chain(["JA", "JBE"])
}

fn mnemonics() -> Vec<Mnemonic> {
    let mut list: Vec<(&'static str, Vec<&'static Instruction>)> = Vec::new();
    for row in INSTRUCTIONS {
        match list.iter_mut().find(|(name, _)| *name == row.mnemonic) {
            Some((_, rows)) => rows.push(row),
            None => list.push((row.mnemonic, vec![row])),
        }
    }
    for &(alias, _) in isa::ALIASES {
        list.push((alias, isa::by_mnemonic(alias).collect()));
    }
    list.into_iter().map(|(name, rows)| Mnemonic::new(name, rows)).collect()
}

impl Mnemonic {
    fn new(name: &'static str, rows: Vec<&'static Instruction>) -> Mnemonic {
        let takes_label = std::array::from_fn(|at| {
            rows.iter().any(|row| matches!(row.args.get(at), Some(Arg::Addr | Arg::Rel16)))
        });
        let count = match name {
            "INT" => Count::Interrupt,
            "SCANQUE" => Count::Offset,
            _ => Count::Shift,
        };
        let written = |&row: &&'static Instruction| Written {
            row,
            shapes: operand::shapes(&row.args[usize::from(row.glued)..]),
            size: row.length(0),
            has_immediate: row.args.contains(&Arg::Imm),
        };
        let written = rows.iter().map(written).collect();
        let divides = matches!(name, "DIV" | "MOD");
        Mnemonic { name, rows, written, takes_label, divides, count }
    }

    /// The forms whose operands are written like this.
    pub fn written_like(&self, shapes: Shapes) -> impl Iterator<Item = &Written> {
        self.written.iter().filter(move |form| form.shapes == shapes)
    }
}

impl Vocabulary {
    fn new() -> Vocabulary {
        let mut vocabulary = Vocabulary {
            meanings: vec![Meaning::default()],
            numbers: FxHashMap::default(),
            lengths: [0; 256],
        };
        for mnemonic in MNEMONICS.iter().filter(|mnemonic| mnemonic.rows[0].glued) {
            for reg in Reg::all() {
                let text = format!("{}{}", mnemonic.name, reg.name());
                vocabulary.entry(&text).word = Some(Word::Glued(mnemonic, reg));
            }
        }
        vocabulary.entry("JA").word = Some(Word::JumpAbove);
        vocabulary.entry("JBE").word = Some(Word::JumpBelowOrEqual);
        for mnemonic in MNEMONICS.iter() {
            vocabulary.entry(mnemonic.name).word = Some(Word::Mnemonic(mnemonic));
        }
        for reg in Reg::all() {
            vocabulary.entry(reg.name()).reg = Some(reg);
        }
        for (name, directive) in Directive::all() {
            vocabulary.entry(&format!(".{name}")).directive = Some(directive);
        }
        for (name, function) in Function::ALL {
            vocabulary.entry(name).function = Some(function);
        }
        vocabulary
    }

    /// The meaning of a reserved word, to be filled in.
    fn entry(&mut self, text: &str) -> &mut Meaning {
        let word = spelling(text).expect("no reserved word is longer than LONGEST");
        self.lengths[usize::from(text.as_bytes()[0].to_ascii_uppercase())] |= 1 << text.len();
        let next = MeaningId(self.meanings.len() as u16);
        let id = *self.numbers.entry(word).or_insert(next);
        if id == next {
            self.meanings.push(Meaning::default());
        }
        &mut self.meanings[usize::from(id.0)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_takes_labels_in_every_form_or_in_none() {
        for mnemonic in MNEMONICS.iter() {
            for (at, &takes_label) in mnemonic.takes_label.iter().enumerate() {
                let mut args = mnemonic.rows.iter().filter_map(|row| row.args.get(at));
                let takes_number = args.any(|arg| matches!(arg, Arg::Imm | Arg::Imm8 | Arg::Imm16));
                assert!(!takes_label || !takes_number, "{}", mnemonic.name);
            }
        }
    }

    #[test]
    fn words_are_told_apart() {
        let meaning = |text: &str| *meaning(text).get();
        let word = |text: &str| meaning(text).word;
        assert!(matches!(word("mov"), Some(Word::Mnemonic(_))));
        assert!(matches!(word("LdElm"), Some(Word::Glued(_, reg)) if reg.name() == "ELM"));
        assert!(matches!(word("STB"), Some(Word::Glued(_, reg)) if reg.name() == "B"));
        assert_eq!(word("ja"), Some(Word::JumpAbove));
        assert_eq!(word("LDQ"), None);
        assert_eq!(word("a"), None);
        assert_eq!(word("é"), None);
        assert_eq!(meaning("gLm").reg.map(Reg::name), Some("GLM"));
        assert_eq!(meaning(".Org").directive, Some(Directive::Address));
        assert_eq!(meaning("org").directive, None);
        assert_eq!(meaning("BANK").function, Some(Function::Bank));
    }
}
