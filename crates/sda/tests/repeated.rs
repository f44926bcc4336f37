//! Statements that repeat are assembled from memory: whatever stands before
//! them, they mean what they would mean alone.

mod memory;

use std::collections::BTreeMap;
use std::path::PathBuf;

use memory::Memory;
use sda::{Options, assemble};

const PRELUDE: &str = "\
.equ COUNT 7
.equ ZERO 0
.equ A 3
.struct OBJ
hp .words 1
.ends
hp = 5
FF = 6
X: RET
lo: RET
plain:
.near: RET
";

/// Among them some that are wrong, and some that only look like another.
const STATEMENTS: [&str; 96] = [
    "INC A",
    "INC A ; one more",
    "INC A;one more",
    "INC A // one; more",
    "INC A   ",
    "INC\tA",
    "INC  A",
    "inc A",
    "INC A\0",
    "INC A \\",
    "INC A, A",
    "INC COUNT",
    "x: INC A",
    "INC: INC A",
    ".x: INC A",
    "CMP BL, ';'",
    "CMP BL, '",
    "CMP BL, ';' + 1",
    "CMP BL, ','",
    "CMP BL, '\\n'",
    "CMP BL, '''",
    "CMP BL, 'a\"",
    "CMP BL, 'é'",
    "LDA COUNT",
    "LDA @COUNT",
    "LDA @ COUNT",
    "LDA #COUNT",
    "LDA -COUNT",
    "LDA COUNT + 1",
    "LDA COUNT ; the count",
    "LDA (COUNT + 1) * 2 ; twice",
    "LDA COUNT + A",
    "LDA COUNT 1",
    "LDA 1 + 2 * (COUNT - 3)",
    "LDA 1+2*(COUNT-3)*2-1",
    "LDA (((((COUNT)))))",
    "LDA (COUNT",
    "LDA COUNT) + 1",
    "LDA COUNT - 8",
    "LDA 1 - COUNT * 2 + 20",
    "LDA 2 * 4294967296 * 4294967296 * 4294967296",
    "LDA 1 + 2 << 3",
    "LDA 7 / 2 + 1",
    "LDA 1 + lo",
    "LDA 1 + A",
    "LDA 1 + lo(plain)",
    "LDA 1 + OBJ.size",
    "LDA 1 + ",
    "LDA ';' + 1 ; not 2",
    "LDA 1 + _2",
    "LDABCD 1 + COUNT",
    "LDA -5",
    "LDA ~COUNT",
    "LDA 5 // five, not 6",
    "LDA plain - .near",
    "LDA [$1000]",
    "LDA unknown",
    "LDA X",
    "LDA A",
    "LDA @A",
    "LDA lo",
    "LDA lo(5)",
    "LDA $FF",
    "LDA $1F0 ; hexadecimal",
    "LDA $F_F",
    "LDA $10000",
    "LDA 12",
    "LDA 1_2",
    "LDA 12A",
    "LDA 0x12",
    "LDA #12",
    "LDA -12",
    "LDA @12",
    "LDA %12",
    "LDA %10",
    "LDA FF",
    "LDA 65536",
    "LDA OBJ.hp",
    "LDA OBJ.size",
    "LDA hp",
    "LDA .near",
    "LDELM .near",
    "LDELM @.near",
    "LDELM $",
    "DIV A, ZERO",
    "DIV A, 0",
    "DIV A, 3",
    "BRA 131330",
    "JMP 131330",
    "JMP X",
    "JMP lo",
    "BRA plain",
    "JA plain",
    "JBE plain",
    "JTAB I, 1, @plain",
    "MOV A, a_name_that_is_much_longer_than_others",
];

/// Lines around labels, some of them wrong, too.
const LABELS: [&str; 12] = [
    "_new:",
    "_new: ; a comment",
    "_new:  // another",
    "._new:",
    "._new: INC A",
    "_new: INC A",
    "_new :",
    "_new.er:",
    "5_new:",
    "_a_name_that_is_much_longer_than_others:",
    "    JMP _new",
    "    JMP ._new",
];

/// The bytes, or the codes of what is wrong.
fn outcome(source: String) -> Result<Vec<u8>, Vec<String>> {
    let path = PathBuf::from("a.sda");
    let files = Memory(BTreeMap::from([(path.clone(), source.into_bytes())]));
    let assembly = assemble(&[path], &files, &Options::default());
    let codes = || assembly.diagnostics.iter().map(|one| one.code().to_string());
    match &assembly.program {
        Some(program) => Ok([program.prg(), codes().collect::<String>().into_bytes()].concat()),
        None => Err(codes().collect()),
    }
}

#[test]
fn a_statement_means_the_same_after_every_other() {
    for first in STATEMENTS {
        for second in STATEMENTS {
            let lines = [first, second, first, second];
            let plain: String = lines.iter().map(|line| format!("    {line}\n")).collect();
            // What is repeated comes as tokens, not as text.
            let as_tokens: String =
                lines.iter().map(|line| format!(".rept 1\n    {line}\n.endr\n")).collect();
            let end = "; the end of the source\n";
            assert_eq!(
                outcome(format!("{PRELUDE}{plain}{end}")),
                outcome(format!("{PRELUDE}{as_tokens}{end}")),
                "`{first}` and `{second}`"
            );
        }
    }
}

#[test]
fn a_label_means_the_same_alone_and_among_tokens() {
    for first in LABELS {
        for second in LABELS {
            let as_token = |line: &str| format!(".rept 1\n{line}\n.endr\n");
            let plain = format!("{PRELUDE}{first}\n{second}\n; the end of the source\n");
            let (first, second) = (as_token(first), as_token(second));
            let as_tokens = format!("{PRELUDE}{first}{second}; the end of the source\n");
            assert_eq!(outcome(plain), outcome(as_tokens), "`{first}` and `{second}`");
        }
    }
}

#[test]
fn a_statement_is_itself_where_lines_do_not_count() {
    let bytes = |source: &str| outcome(source.to_string()).expect("no error");
    assert_eq!(
        bytes("INC A\n.if 0\nINC A\n.endif\n.macro m\nINC A\n.endm\nRET\n"),
        bytes("INC A\n.rept 1\nRET\n.endr\n")
    );
    let in_struct = outcome("INC A\n.struct S\nINC A\n.ends\n".into());
    assert_eq!(in_struct, Err(vec!["E0201".into()]));
}

#[test]
fn a_statement_that_repeats_stops_where_memory_ends() {
    let source = ".address $FFFFFC\n    INC A\n    INC A\n    INC A\n    INC A\n";
    let path = PathBuf::from("a.sda");
    let files = Memory(BTreeMap::from([(path.clone(), source.into())]));
    let diagnostics = assemble(&[path], &files, &Options::default()).diagnostics;
    let places: Vec<(&str, u32)> =
        diagnostics.iter().map(|one| (one.code(), diagnostics.place(one).1)).collect();
    assert_eq!(
        places.iter().filter(|(code, _)| *code == "E0603").collect::<Vec<_>>(),
        [&("E0603", 4)]
    );
}

#[test]
fn the_names_of_long_statements_that_repeat_are_counted() {
    use std::fmt::Write;
    const NAMES: usize = 1_000_000;
    const OF_A_LINE: usize = 1_000;
    let mut source = String::from("    RET\n    LDA 1\n");
    for line in 0..NAMES / OF_A_LINE + 2 {
        source += "    LDA 1";
        for name in 0..OF_A_LINE {
            // Writing into a string cannot fail.
            let _ = write!(source, "+n{}", line * OF_A_LINE + name);
        }
        source += "\n";
    }
    // Not a word about each of them, which nobody defines.
    assert_eq!(outcome(source), Err(vec!["E0509".into()]));
}
