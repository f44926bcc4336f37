//! `vc3 disasm` with the names of a source, of a symbol file, and without.

mod support;

use std::process::Stdio;

use support::{Folder, outcome};

const PROGRAM: &str = "
start:
    LDA $0201
    STA [@cell]
    RET
cell:
    .words 0
";

#[test]
fn names_of_a_source_or_a_symbol_file_come_back() {
    let folder = Folder::with(&[("a.sda", PROGRAM)]);
    folder.run(&["asm", "a.sda", "--sym", "a.json"]).ends_with(0);
    let text = "\
.entry @start

.address $020100

start:
    LDA $0201
    STA [@cell]
    RET

cell:
    .bytes $00, $00
";
    assert_eq!(folder.run(&["disasm", "a.sda"]).ends_with(0).out, text);
    assert_eq!(folder.run(&["disasm", "a.prg", "--sym", "a.json"]).ends_with(0).out, text);
    let made = text.replace("start", "sub_020100").replace("cell", "data_02010A");
    assert_eq!(folder.run(&["disasm", "a.prg"]).ends_with(0).out, made);
    let listed = folder.run(&["disasm", "a.prg", "--addresses"]).ends_with(0).out;
    assert!(listed.contains("RET                                 ; 020109: 85  "), "{listed}");
    folder.run(&["disasm", "a.prg", "--sym", "none.json"]).ends_with(2);
}

/// The assembler reads 128 MB; a few jumps to a label with a very long name
/// are more.
#[test]
fn a_source_that_the_assembler_would_refuse_is_told_of() {
    let name = "x".repeat(60_000);
    let program = |jumps| format!("{name}:\n.rept {jumps}\n    JZ {name}\n.endr\n    RET\n");
    let folder = Folder::with(&[("long.sda", &program(2300)), ("short.sda", &program(2000))]);
    let said = |file| {
        let mut command = folder.command(&["disasm", file]);
        let output = command.stdout(Stdio::null()).stderr(Stdio::piped()).output().expect("vc3");
        outcome(&output).ends_with(0).err
    };
    assert_eq!(said("short.sda"), "");
    let warning = "vc3: the source is too large to be assembled again: over 128 MB\n";
    assert_eq!(said("long.sda"), warning);
}
