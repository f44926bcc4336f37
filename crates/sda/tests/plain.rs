//! Directives that are plain to see are read from their text at once: they mean
//! what they mean as tokens.

mod memory;

use std::collections::BTreeMap;
use std::path::PathBuf;

use memory::Memory;
use sda::{Options, assemble};

const PRELUDE: &str = "\
.equ COUNT 7
.equ LATE_SUM LATE + 1
.struct OBJ
hp .words 1
.ends
table: RET
lo: RET
";

/// Among them some that are wrong, and some that only look plain.
const LINES: [&str; 69] = [
    ".equ X_1 5",
    ".equ X_1 $FF ; hexadecimal",
    ".equ X_1 ';'",
    ".equ X_1 5 // five",
    ".equ X_1 5 5",
    ".equ X_1 5 + 1",
    ".equ X_1 COUNT",
    ".equ X_1, 5",
    ".equ X_1 = 5",
    ".equ X_1",
    ".equ X_1 5_",
    ".equ 5 5",
    ".equ COUNT 5",
    ".equ A 5",
    ".equ OBJ.x 5",
    ".equ X_1$5",
    ".EQU X_1 5",
    ".equ\tX_1\t5",
    "_x: .equ X_1 5",
    "._x: .equ X_1 5",
    ".equ.x 5",
    ".bytes 5",
    ".bytes 5,6,7",
    ".bytes 5 , 6 ; six",
    ".bytes 5, 6 // six",
    ".bytes 5,",
    ".bytes ,5",
    ".bytes 5 6",
    ".bytes",
    ".bytes ; none",
    ".bytes 255, 256",
    ".bytes -1",
    ".bytes 2 - 3",
    ".bytes COUNT, COUNT + 1, 2 * (COUNT - 3)",
    ".bytes COUNT << 1",
    ".bytes lo(COUNT)",
    ".bytes lo",
    ".bytes table",
    ".bytes @table",
    ".bytes table + 1, 5",
    ".bytes LATE",
    ".bytes LATE_SUM",
    ".bytes A",
    ".bytes OBJ.size",
    ".bytes $",
    ".bytes 'a', ';', ','",
    ".bytes 'ab'",
    ".bytes \"text; not a comment\", $FF, 0",
    ".bytes \"\"",
    ".bytes \"don't\"",
    ".bytes \"a\\n\"",
    ".bytes \"\u{e9}\"",
    ".bytes \"\u{20ac}\"",
    ".bytes \"open",
    ".bytes \"a\" \"b\"",
    ".bytes \"a\" + 1",
    ".bytes \"a string that takes more than a block of sixteen bytes\", 1",
    "_x: .bytes \"abc\", 0",
    "_x:.bytes 1",
    "_x: _y: .bytes 1",
    ".words 5, 65535, 65536",
    ".words 5, COUNT",
    ".words \"a\"",
    ".ptrs 5, 16777215",
    ".ptrs 16777216",
    ".ptrs COUNT, table",
    ".dwords 5, 999999999, 4294967295",
    ".word 1, 2",
    ".ascii \"abc\"",
];

/// What the line becomes, or everything that is said about it.
fn outcome(line: &str) -> (Option<Vec<u8>>, Vec<String>) {
    let end = "\n    RET\n.equ LATE 9\n; the end of the source\n";
    let source = format!("{PRELUDE}{line}{end}");
    let path = PathBuf::from("a.sda");
    let files = Memory(BTreeMap::from([(path.clone(), source.into_bytes())]));
    let assembly = assemble(&[path], &files, &Options::default());
    let said = assembly.diagnostics.iter().map(|one| format!("{} {}", one.code(), one.message()));
    (assembly.program.map(|program| program.prg()), said.collect())
}

#[test]
fn a_plain_directive_means_the_same_among_tokens() {
    for line in LINES {
        // What is repeated comes as tokens, not as text.
        assert_eq!(outcome(line), outcome(&format!(".rept 1\n{line}\n.endr")), "`{line}`");
    }
}

/// The warnings take what lies there for the address of the code.
#[test]
fn a_sum_in_a_table_of_addresses_reaches_code() {
    let table = |sum: &str| {
        let code = ".equ BASE $020104\n_start: JMP go\n    INC A\n    RET\ngo:\n    HALT\n";
        let (_, said) = outcome(&format!("{code}_table: .ptrs {sum}"));
        said.iter().filter(|said| said.starts_with("W0801")).count()
    };
    assert_eq!(table("BASE + 2"), table("BASE\t+ 2"));
    assert_eq!((table("BASE + 100"), table("BASE + 2")), (1, 0));
}

#[test]
fn plain_data_stops_where_memory_ends() {
    let ends = |line: &str| {
        let (_, said) = outcome(&format!(".address $FFFFFE\n{line}\n.address $20000"));
        said.iter().any(|said| said.starts_with("E0603"))
    };
    assert!(!ends(".bytes 1, 2"));
    assert!(ends(".bytes 1, 2, 3"));
    assert!(ends(".bytes \"abc\""));
}
