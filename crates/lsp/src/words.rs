//! The words of the language by what they are, for files that colour them;
//! longer ones come first, so that none hides another.

use isa::{ALIASES, INSTRUCTIONS, Reg};

/// Mnemonics that change the path of the program.
pub(crate) fn jumps() -> Vec<&'static str> {
    longest_first(mnemonics().filter(|name| is_jump(name)))
}

/// The other mnemonics, without those that have a register in them.
pub(crate) fn others() -> Vec<&'static str> {
    longest_first(mnemonics().filter(|name| !is_jump(name)))
}

/// The names of the registers.
pub(crate) fn registers() -> Vec<&'static str> {
    longest_first(Reg::all().map(Reg::name))
}

/// The names of the directives, without their dot.
pub(crate) fn directives() -> Vec<&'static str> {
    longest_first(sda::directives().map(|(name, _)| name))
}

/// Every mnemonic that stands by itself.
fn mnemonics() -> impl Iterator<Item = &'static str> {
    let rows = INSTRUCTIONS.iter().filter(|row| !row.glued).map(|row| row.mnemonic);
    rows.chain(ALIASES.iter().map(|(alias, _)| *alias)).chain(["JA", "JBE"])
}

fn is_jump(name: &str) -> bool {
    let is_branch = isa::by_mnemonic(name)
        .any(|row| row.args.iter().any(|arg| matches!(arg, isa::Arg::Addr | isa::Arg::Rel16)));
    is_branch || ["JA", "JBE", "JMPR", "CALLR", "RET", "IRET", "INT", "HALT"].contains(&name)
}

/// The words once each.
fn longest_first<'a>(words: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut list: Vec<&str> = words.collect();
    list.sort_by_key(|word| (std::cmp::Reverse(word.len()), *word));
    list.dedup();
    list
}
