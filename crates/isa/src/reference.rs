//! The reference page `docs/isa.md`, written from the table.

use crate::instruction::{Arg, FlagEffect, Instruction};
use crate::{ALIASES, INSTRUCTIONS, Reg, flags};

/// The whole text of `docs/isa.md`.
pub fn reference() -> String {
    let mut page = String::from(
        "# SD-8516 instruction reference\n\n\
         Generated from the table in `crates/isa`; do not edit. To write it anew:\n\
         `cargo run -p isa --example reference > docs/isa.md`.\n\n\
         ## Registers\n\n\
         All registers but SP are views of the sixteen words; two that share a word are aliases.\n\n\
         | id | name | bits |\n|---|---|---|\n",
    );
    for reg in Reg::all() {
        page += &format!("| {} | {} | {} |\n", reg.id(), reg.name(), 8 * reg.width());
    }
    page += "\n## Flags\n\n| bit | letter | writable |\n|---|---|---|\n";
    for (at, letter) in flags::LETTERS.iter().enumerate() {
        let bit = 15 - at;
        let writable = if flags::WRITABLE & 1 << bit != 0 { "yes" } else { "no" };
        page += &format!("| {bit} | {letter} | {writable} |\n");
    }
    page += "\n## Instructions\n\n\
         Encoding: the opcode byte, then the operands in the order of writing, little-endian.\n\
         In *flags*, a letter is set from the result, `0` after a letter clears it, `1` sets it, the rest are kept;\n\
         `*` marks the instructions that fast mode (SEF) keeps from changing Z and N.\n\
         In *control*, `yes` marks the instructions after which a pending interrupt is served.\n\n\
         | op | instruction | bytes | flags | control | effect |\n|---|---|---|---|---|---|\n";
    for row in INSTRUCTIONS {
        let control = if row.control { "yes" } else { "" };
        page += &format!(
            "| {} | `{}` | {} | {} | {control} | {} |\n",
            row.opcode,
            form(row),
            length(row),
            flag_text(row.flags),
            row.effect
        );
    }
    page += "\n## Other spellings\n\n| written | assembles as |\n|---|---|\n";
    for (alias, canonical) in ALIASES {
        page += &format!("| {alias} | {canonical} |\n");
    }
    page += "| JA label | BZ over the next, JC label |\n| JBE label | JNC label, JZ label |\n";
    page += "\n## Operands\n\n| written | means |\n|---|---|\n";
    for (name, means) in [
        ("r", "any register"),
        ("r8, r16, r24", "a byte half; a word; SP or a pointer"),
        ("r≥16", "any register but a byte half"),
        ("r=", "a register as wide as the first operand"),
        ("r<", "a register narrower than the first operand"),
        ("p", "an address register: a word (bank 0), SP or a 24-bit pointer"),
        ("imm", "an immediate as wide as the first operand"),
        ("imm8, imm16", "an immediate of one byte, of two"),
        ("a", "an absolute address, 3 bytes"),
        ("rel16", "a label within 32 KB of the next instruction, 2 bytes"),
        ("disp16", "−32768 to 32767, 2 bytes"),
    ] {
        page += &format!("| {name} | {means} |\n");
    }
    page
}

/// The form as it is written, with the placeholders of the reference:
/// `LDr≥16 [p + disp16]`.
pub fn form(row: &Instruction) -> String {
    let args: Vec<String> = row.args.iter().map(|arg| placeholder(*arg)).collect();
    match args.split_first() {
        None => row.mnemonic.into(),
        Some((first, rest)) if row.glued => {
            format!("{}{first} {}", row.mnemonic, rest.join(", "))
        }
        Some(_) => format!("{} {}", row.mnemonic, args.join(", ")),
    }
}

fn placeholder(arg: Arg) -> String {
    use crate::Class::*;
    let text = match arg {
        Arg::Reg(Any) => "r",
        Arg::Reg(Byte) => "r8",
        Arg::Reg(Word) => "r16",
        Arg::Reg(ByteOrWord) => "r8/r16",
        Arg::Reg(Wide) => "r≥16",
        Arg::Reg(Address) => "p",
        Arg::Reg(Far) => "r24",
        Arg::Reg(SameAsFirst) => "r=",
        Arg::Reg(NarrowerThanFirst) => "r<",
        Arg::Imm => "imm",
        Arg::Imm8 => "imm8",
        Arg::Imm16 => "imm16",
        Arg::Addr => "a",
        Arg::Rel16 => "rel16",
        Arg::MemAbs => "[a]",
        Arg::MemReg => "[p]",
        Arg::MemIndex => "[p + r16]",
        Arg::MemDisp => "[p + disp16]",
    };
    text.into()
}

/// The bytes of an encoding in words: `2 + w`, where `w` is the width of the
/// first operand.
pub fn length(row: &Instruction) -> String {
    let wide = if row.args.contains(&Arg::Imm) { " + w" } else { "" };
    format!("{}{wide}", row.length(0))
}

/// What happens to FLAGS in words: a letter is set from the result, `0` behind
/// it clears it, `1` sets it; `*` marks what fast mode leaves alone.
pub fn flag_text(effect: FlagEffect) -> String {
    if effect.changed == flags::WRITABLE {
        return "all".into();
    }
    let mut text = String::new();
    for (at, letter) in flags::LETTERS.iter().enumerate() {
        let bit = 1 << (15 - at);
        let mark = match () {
            () if effect.changed & bit != 0 => "",
            () if effect.cleared & bit != 0 => "0",
            () if effect.set & bit != 0 => "1",
            () => continue,
        };
        text += &format!("{}{letter}{mark}", if text.is_empty() { "" } else { " " });
    }
    match (text.is_empty(), effect.fast) {
        (true, _) => "–".into(),
        (false, true) => format!("{text} *"),
        (false, false) => text,
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_reference_page_is_fresh() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/isa.md");
        let page = std::fs::read_to_string(path).unwrap_or_default();
        assert!(
            page == super::reference(),
            "docs/isa.md is stale: run `cargo run -p isa --example reference > docs/isa.md`"
        );
    }
}
