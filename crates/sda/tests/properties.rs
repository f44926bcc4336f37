//! What holds for every input: nothing panics, disassembled text assembles
//! to the same bytes, and so does formatted text; what lint finds has a place.

mod memory;

use std::collections::BTreeMap;
use std::path::PathBuf;

use memory::Memory;
use proptest::prelude::*;
use sda::lint::{CODES, Rules, lint, shown};
use sda::{Options, assemble};

/// Assembles one file in memory and renders what there is to say.
fn run(source: &[u8]) -> (Option<sda::Program>, String) {
    let path = PathBuf::from("a.sda");
    let files = Memory(BTreeMap::from([(path.clone(), source.to_vec())]));
    let assembly = assemble(&[path], &files, &Options::default());
    let text = assembly.diagnostics.render(false);
    assert_eq!(assembly.program.is_none(), assembly.diagnostics.has_errors());
    for line in text.lines() {
        assert_eq!(line.trim_end(), line, "a trailing blank");
    }
    if let Some(program) = &assembly.program {
        program.listing();
        program.map();
        program.symbols_json();
        program.ihex();
        program.prg();
    }
    (assembly.program, text)
}

/// Words that sources are made of.
const WORDS: &[&str] = &[
    "LDA",
    "LDELM",
    "STB",
    "MOV",
    "JMP",
    "JA",
    "JBE",
    "BRA",
    "SHL",
    "JTAB",
    "SCANQUE",
    "DIV",
    "RET",
    "A",
    "BL",
    "ELM",
    "KL",
    "ABCD",
    "SP",
    "name",
    "name:",
    ".loop",
    ".loop:",
    "other",
    "other:",
    "@",
    "@name",
    "@.loop",
    "$",
    "$FF",
    "%101",
    "%",
    "0x1F",
    "255",
    "65536",
    "18446744073709551616",
    "'c'",
    "'",
    "\"text\"",
    "\"",
    "\\n",
    "\\p",
    "\\@",
    "[",
    "]",
    "(",
    ")",
    ",",
    ":",
    "+",
    "-",
    "*",
    "/",
    "~",
    "<<",
    ">>",
    "==",
    "=",
    "#",
    "&",
    "|",
    "^",
    "<",
    "lo(",
    "word",
    ".equ",
    ".bytes",
    ".words",
    ".ptrs",
    ".dwords",
    ".ascii",
    ".asciiz",
    ".fill",
    ".res",
    ".align",
    ".address",
    ".include \"a.sda\"",
    ".incbin \"a.sda\"",
    ".macro",
    ".macro m p\n",
    ".endm",
    "m",
    "m 1",
    ".rept",
    ".rept 3\n",
    ".endr",
    ".if",
    ".if 1\n",
    ".elif",
    ".else",
    ".endif",
    ".ifdef",
    ".ifndef",
    ".struct S\n",
    "f .bytes 1\n",
    ".ends",
    ".page $30000, 8\n",
    ".var v, 2\n",
    ".var",
    ".endp",
    ".assert",
    ".error",
    ".warn",
    ".entry",
    ".expect",
    ".clobbers",
    ".pure",
    ".returns",
    ";",
    "//",
    "\n",
    "\n",
    "\n",
    "\r\n",
    "\t",
    "é",
    "日",
    "\u{FEFF}",
    "\0",
];

/// Statements of programs that assemble; a digit stands for each `?`.
const STATEMENTS: &[&str] = &[
    "LDA 5",
    "LDAH 0",
    "LDELM @l?",
    "LDFLD $30000",
    "LDB [ELM + 2]",
    "LDC [SP + ?]",
    "STA [FLD]",
    "STDL [SP + ?]",
    "MOV A, B",
    "MOV AL, DH",
    "MOV CD, AB",
    "MOVZX A, BL",
    "XCHG D, L",
    "ADD ELM, 3",
    "ADD SP, ?",
    "SUB SP, ?",
    "SUB B, B",
    "LEA ELM, [SP + ?]",
    "ADDC A, B",
    "INC ELM",
    "CMP A, B",
    "CMP CL, 0",
    "PUSH A",
    "PUSH ELM",
    "POP B",
    "POP FLD",
    "PUSHA",
    "POPA",
    "PUSHF",
    "POPF",
    "SETF $0020",
    "CLRF $0020",
    "MEMCOPY FLD, ELM, B",
    "JZ l?",
    "JNC l?",
    "JMP l?",
    "BRA l?",
    "JA l?",
    "JTAB I, 2, @table",
    "JMPR ELM",
    "CALL @l?",
    "CALLR ELM",
    "BSR l?",
    "INT $10",
    "INT $20",
    "RET",
    "IRET",
    "HALT",
    "SED",
    ".ptrs @l?, @l?",
    ".bytes ?, 100, 0",
    "; lint: allow L0301 because",
    "; lint: allow L0?02",
    "NOP ; lint: allow",
];

/// What a label promises.
const PROMISES: &[&str] = &[
    "",
    "",
    "",
    "",
    "    .pure\n",
    "    .clobbers A, ELM\n",
    "    .returns CF\n",
    "    .clobbers A, B\n    .returns B, CF\n",
];

/// Ten labels with statements behind each.
fn programs() -> impl Strategy<Value = String> {
    let statement = (proptest::sample::select(STATEMENTS), 0u8..10);
    let block = (proptest::sample::select(PROMISES), proptest::collection::vec(statement, 0..8));
    proptest::collection::vec(block, 10).prop_map(|blocks| {
        let mut text = String::new();
        for (at, (promise, statements)) in blocks.iter().enumerate() {
            text += &format!("l{at}:\n{promise}");
            for (statement, digit) in statements {
                text += &format!("    {}\n", statement.replace('?', &digit.to_string()));
            }
        }
        text + "table: .ptrs @l0, @l9\n"
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn what_lint_finds_has_a_place_and_is_found_again(source in programs()) {
        let path = PathBuf::from("a.sda");
        let files = Memory(BTreeMap::from([(path.clone(), source.clone().into())]));
        let assembly = assemble(&[path], &files, &Options::default());
        let errors = assembly.diagnostics.render(false);
        let Some(program) = &assembly.program else { panic!("{errors}") };
        let report = lint(&assembly, &Rules::default());
        prop_assert!(report.given_up.is_empty(), "{:?} of\n{source}", report.given_up);
        for list in [&report.findings, &report.unused_notes] {
            for one in list.iter() {
                let place = list.location(one);
                let line = source.lines().nth(place.line as usize - 1).unwrap_or_default();
                let shown = line.get(place.column as usize - 1..).unwrap_or_default();
                prop_assert!(!shown.trim().is_empty(), "{} has no place in\n{source}", one.code());
            }
            prop_assert_eq!(list.json().lines().count(), list.iter().count());
        }
        let again = lint(&assembly, &Rules::default());
        prop_assert_eq!(again.findings.render(false), report.findings.render(false));
        let allowed = CODES.map(str::to_string).to_vec();
        let rules = Rules { allowed, ..Rules::default() };
        prop_assert!(lint(&assembly, &rules).findings.is_empty());
        shown(program);
    }

    #[test]
    fn any_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        run(&bytes);
    }

    #[test]
    fn any_words(
        words in proptest::collection::vec((proptest::sample::select(WORDS), any::<bool>()), 0..60)
    ) {
        let text: String =
            words.iter().map(|(word, blank)| format!("{word}{}", if *blank { " " } else { "" })).collect();
        run(text.as_bytes());
    }

    #[test]
    fn formatted_words_mean_the_same(
        words in proptest::collection::vec((proptest::sample::select(WORDS), any::<bool>()), 0..60)
    ) {
        let text: String =
            words.iter().map(|(word, blank)| format!("{word}{}", if *blank { " " } else { "" })).collect();
        same_when_formatted(&text);
    }

    #[test]
    fn formatted_lines_mean_the_same(
        lines in proptest::collection::vec(
            proptest::collection::vec(proptest::sample::select(WORDS), 0..7), 0..12)
    ) {
        let lines: Vec<String> = lines.iter().map(|words| words.join(" ")).collect();
        same_when_formatted(&lines.join("\n"));
    }

    #[test]
    fn any_text_can_be_formatted(text in any::<String>()) {
        same_when_formatted(&text);
    }

    #[test]
    fn any_instruction_survives_its_text(
        opcode in 0..isa::INSTRUCTIONS.len(),
        operands in proptest::collection::vec(any::<u8>(), isa::MAX_LENGTH),
        ids in proptest::collection::vec(proptest::sample::select(register_ids()), isa::MAX_LENGTH),
        from_ids in any::<u16>(),
    ) {
        // Register bytes are mostly legal ones, so that most rolls decode.
        let mut bytes = vec![isa::INSTRUCTIONS[opcode].opcode];
        for at in 0..isa::MAX_LENGTH {
            bytes.push(if from_ids >> at & 1 == 1 { ids[at] } else { operands[at] });
        }
        let Ok(decoded) = isa::decode(&bytes) else { return Ok(()) };
        same_bytes(&decoded);
    }
}

/// Formats `source`, twice to the same text, and assembles both texts.
fn same_when_formatted(source: &str) {
    let formatted = sda::fmt::format(source);
    assert_eq!(sda::fmt::format(&formatted), formatted, "{source:?}");
    let (before, after) = (what_it_means(source), what_it_means(&formatted));
    assert_eq!(before, after, "{source:?}\n{formatted:?}");
}

/// Bytes, symbols and entry; without a program the errors.
fn what_it_means(source: &str) -> Result<(Vec<u8>, Vec<String>), Vec<&'static str>> {
    let path = PathBuf::from("b.sda");
    let included = (PathBuf::from("a.sda"), b"NOP\n".to_vec());
    let files = Memory(BTreeMap::from([(path.clone(), source.into()), included]));
    let assembly = assemble(&[path], &files, &Options::default());
    let codes = || assembly.diagnostics.iter().map(|one| one.code()).collect::<Vec<_>>();
    let program = assembly.program.as_ref().ok_or_else(codes)?;
    let symbols = program.symbols.iter().map(|one| format!("{} = {}", one.name, one.value));
    Ok((program.prg(), symbols.collect()))
}

fn register_ids() -> Vec<u8> {
    isa::Reg::all().map(isa::Reg::id).collect()
}

fn same_bytes(decoded: &isa::Decoded) {
    let (wanted, length) = decoded.encode();
    let text = decoded.text(isa::memory_map::USER_ORIGIN, &|_| None).to_string();
    let (program, messages) = run(format!("    {text}\n").as_bytes());
    let program = program.unwrap_or_else(|| panic!("{text}: {messages}"));
    assert_eq!(program.segments[0].bytes, wanted[..length], "{text}");
}

#[test]
fn every_form_survives_its_text() {
    // Each row with many registers in each register's place and with the
    // edges of its numbers, all as one program.
    let ids = register_ids();
    let mut seed = 1u32;
    let mut next = |below: usize| {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (seed >> 8) as usize % below
    };
    for row in isa::INSTRUCTIONS {
        let mut text = String::new();
        let mut wanted = Vec::new();
        for _ in 0..2000 {
            let mut bytes = vec![row.opcode];
            for arg in row.args {
                let registers = match arg {
                    isa::Arg::Reg(_) | isa::Arg::MemReg | isa::Arg::MemDisp => 1,
                    isa::Arg::MemIndex => 2,
                    _ => 0,
                };
                bytes.extend((0..registers).map(|_| ids[next(ids.len())]));
            }
            let fill = [0x00, 0x01, 0x7F, 0x80, 0xFF][next(5)];
            bytes.resize(16, fill);
            if let Ok(decoded) = isa::decode(&bytes) {
                let address = isa::memory_map::USER_ORIGIN + wanted.len() as u32;
                text += &format!("    {}\n", decoded.text(address, &|_| None));
                wanted.extend_from_slice(&bytes[..decoded.length as usize]);
            }
        }
        assert!(!wanted.is_empty(), "no form of {} was tried", row.mnemonic);
        let (program, messages) = run(text.as_bytes());
        let program = program.unwrap_or_else(|| panic!("{messages}"));
        assert_eq!(program.segments[0].bytes, wanted, "{}", row.mnemonic);
    }
}
