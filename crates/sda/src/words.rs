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
    /// How the operands of each form are written.
    shapes: Vec<Shapes>,
    /// For each operand as it is encoded: whether it may be a jump's target.
    pub takes_label: [bool; MAX_OPERANDS],
    /// Whether an immediate is a divisor.
    pub divides: bool,
    /// What its immediate of one byte is.
    pub count: Count,
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

/// By upper-case spelling; directives with their dot.
static MEANINGS: LazyLock<FxHashMap<Vec<u8>, Meaning>> = LazyLock::new(meanings);

/// What `text` may stand for.
pub(crate) fn meaning(text: &str) -> Meaning {
    let mut upper = [0; LONGEST];
    let Some(upper) = upper.get_mut(..text.len()) else { return Meaning::default() };
    upper.copy_from_slice(text.as_bytes());
    upper.make_ascii_uppercase();
    MEANINGS.get(&*upper).copied().unwrap_or_default()
}

/// The first opcode of a mnemonic of the table.
pub(crate) fn opcode(name: &str) -> u8 {
    match meaning(name).word {
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
        let written = |row: &&Instruction| operand::shapes(&row.args[usize::from(row.glued)..]);
        let shapes = rows.iter().map(written).collect();
        let divides = matches!(name, "DIV" | "MOD");
        Mnemonic { name, rows, shapes, takes_label, divides, count }
    }

    /// The forms whose operands are written like this.
    pub fn written_like(&self, shapes: Shapes) -> impl Iterator<Item = &'static Instruction> {
        let all = self.rows.iter().zip(&self.shapes);
        all.filter(move |&(_, &other)| other == shapes).map(|(&row, _)| row)
    }
}

fn meanings() -> FxHashMap<Vec<u8>, Meaning> {
    let mut map: FxHashMap<Vec<u8>, Meaning> = FxHashMap::default();
    let mut entry = |text: String, set: &dyn Fn(&mut Meaning)| {
        set(map.entry(text.to_ascii_uppercase().into_bytes()).or_default());
    };
    for mnemonic in MNEMONICS.iter().filter(|mnemonic| mnemonic.rows[0].glued) {
        for reg in Reg::all() {
            entry(format!("{}{}", mnemonic.name, reg.name()), &|meaning| {
                meaning.word = Some(Word::Glued(mnemonic, reg));
            });
        }
    }
    entry("JA".into(), &|meaning| meaning.word = Some(Word::JumpAbove));
    entry("JBE".into(), &|meaning| meaning.word = Some(Word::JumpBelowOrEqual));
    for mnemonic in MNEMONICS.iter() {
        entry(mnemonic.name.into(), &|meaning| {
            meaning.word = Some(Word::Mnemonic(mnemonic));
        });
    }
    for reg in Reg::all() {
        entry(reg.name().into(), &|meaning| meaning.reg = Some(reg));
    }
    for (name, directive) in Directive::all() {
        entry(format!(".{name}"), &|meaning| meaning.directive = Some(directive));
    }
    for (name, function) in Function::ALL {
        entry(name.into(), &|meaning| meaning.function = Some(function));
    }
    map
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_told_apart() {
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

    #[test]
    fn no_reserved_word_is_too_long_to_be_looked_up() {
        assert!(MEANINGS.keys().all(|word| word.len() <= LONGEST));
    }
}
