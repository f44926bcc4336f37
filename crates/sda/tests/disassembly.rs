//! Disassembled programs assemble to the same bytes, whatever the bytes are.

mod memory;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use memory::Memory;
use proptest::prelude::*;
use sda::disassemble::Disassembly;
use sda::flow::Image;
use sda::{HostFiles, Options, Program, SymbolKind, assemble};

fn options() -> Options {
    Options { kernal: true, ..Options::default() }
}

#[track_caller]
fn assembled(source: &str) -> Program {
    let path = PathBuf::from("a.sda");
    let files = Memory(BTreeMap::from([(path.clone(), source.into())]));
    let assembly = assemble(&[path], &files, &options());
    let Some(program) = assembly.program else {
        panic!("{}\n{source}", assembly.diagnostics.render(false));
    };
    program
}

fn text(program: &Program, names: Vec<(u32, String)>, addresses: bool) -> String {
    let image = Image::of_segments(&program.segments);
    let mut out = Vec::new();
    let disassembly = Disassembly { image, entry: program.entry, names, addresses };
    disassembly.write(&mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// The labels and variables of a program, as a symbol file has them.
fn names(program: &Program) -> Vec<(u32, String)> {
    let symbols = program.symbols.iter().filter(|symbol| symbol.scope.is_empty());
    let labels = symbols.filter(|symbol| symbol.kind != SymbolKind::Constant);
    labels.map(|symbol| (symbol.value as u32, symbol.name.clone())).collect()
}

/// Disassembles with and without names, assembles that, and compares.
#[track_caller]
fn survives(program: &Program, names: Vec<(u32, String)>) {
    for (names, addresses) in [(Vec::new(), false), (names, true)] {
        let text = text(program, names, addresses);
        let again = assembled(&text);
        assert!(again.prg() == program.prg(), "{text}");
        assert_eq!(sda::fmt::format(&text), text);
    }
}

fn programs(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in folder.read_dir().unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            programs(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "sda") {
            found.push(path);
        }
    }
}

#[test]
fn every_program_survives() {
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut found = Vec::new();
    programs(&project.join("programs"), &mut found);
    programs(&project.join("tests"), &mut found);
    found.sort();
    let mut seen = 0;
    for path in found {
        let Some(program) = assemble(&[path], &HostFiles, &options()).program else { continue };
        // Parts of a program without an instruction of their own say little.
        if program.segments.is_empty() {
            continue;
        }
        survives(&program, names(&program));
        seen += 1;
    }
    assert!(seen > 100, "only {seen} programs were seen");
}

#[test]
fn code_and_data_are_told_apart() {
    let source = "\
start:
    LDELM @greeting
    LDAH $18
    INT $10
    LDI 1
    JTAB I, 2, @ways
    LDELM @handler
    CALLR ELM
    LDAL [@cell + 1]
    LDFLD @rows
.loop:
    DEC I
    JNZ .loop
    RET
stop:
    LDA 0
    INT $20
handler:
    LDX 5
    RET
ways:
    .ptrs stop, start.loop
rows:
    .bytes 'a', @first, 'b', @second
first:
    ADD A, 1
    RET
second:
    SUB A, 1
    RET
greeting:
    .asciiz \"Say \\\"hello\\\",\\r\\nand more.\"
table:
    .fill 20, $FF
    .bytes 1, 2
cell:
    .words $1234
";
    let program = assembled(source);
    insta::assert_snapshot!("without_names", text(&program, Vec::new(), false));
    insta::assert_snapshot!("with_names", text(&program, names(&program), true));
}

#[test]
fn names_outside_of_the_image_become_constants() {
    let source = "    LDA [$034100]\n    STA [$034102]\n    LDB [$01EF38]\n    RET\n";
    let program = assembled(source);
    let names = vec![(0x034100, "turns".into()), (0x034102, "a b".into())];
    let text = text(&program, names, false);
    assert!(text.contains(".equ turns          $034100\n"), "{text}");
    assert!(text.contains("LDA [@turns]\n    STA [$034102]\n    LDB [$01EF38]\n"), "{text}");
}

#[test]
fn names_that_cannot_be_are_made_so() {
    let source = "start:\n    JMP start\n    .bytes 1\n    JMP $020105\n";
    let program = assembled(source);
    let name = |address, name: &str| (address, name.to_string());
    let names = vec![
        name(0x020100, "start"),
        name(0x020104, "start"),
        name(0x020105, "other.loop"),
        name(0x020101, "within"),
        name(0x020108, "3rd"),
        name(0xFFFFFF, "start"),
    ];
    survives(&program, names);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn any_image_survives(
        first in proptest::collection::vec(byte(), 1..600),
        second in proptest::collection::vec(byte(), 0..200),
        entry in 0u32..700,
        labels in proptest::collection::vec((0u32..700, "[a-c]{1,2}(\\.[a-c])?"), 0..20),
    ) {
        let origin = isa::memory_map::USER_ORIGIN;
        let lines = |bytes: &[u8]| -> String {
            bytes.iter().map(|byte| format!("    .bytes {byte}\n")).collect()
        };
        let source = format!(
            ".entry {}\n.address {origin}\n{}.address {}\n{}",
            origin + entry % first.len() as u32,
            lines(&first),
            origin + 0x300,
            lines(&second),
        );
        let names = labels.into_iter().map(|(at, name)| (origin + at, name)).collect();
        survives(&assembled(&source), names);
    }
}

/// Bytes as programs have them: opcodes, register numbers, zeros, letters and
/// the bank of the program.
fn byte() -> impl Strategy<Value = u8> {
    prop_oneof![
        4 => any::<u8>(),
        2 => Just(0u8),
        2 => 1u8..4,
        2 => b'a'..=b'z',
        3 => proptest::sample::select(vec![0x64u8, 0x65, 0x84, 0x85, 0x87, 0x15, 0x4D, 0x88]),
    ]
}

/// Every instruction goes to another one, and every one is gone to: forwards
/// and backwards, within and across areas.
#[test]
fn a_program_of_nothing_but_labelled_jumps_survives() {
    const COUNT: u32 = 4096;
    let origin = isa::memory_map::USER_ORIGIN;
    let place = |number: u32| if number < 512 { 4 * number } else { origin + 4 * number };
    for (mnemonics, step) in
        [(["JZ", "JZ"], 1021), (["JMP", "JMP"], 1021), (["CALL", "JZ"], COUNT - 3)]
    {
        let mut source = format!(".entry {}\n", place(600));
        for number in 0..COUNT {
            if number == 0 || number == 512 {
                source += &format!(".address {}\n", place(number));
            }
            let to = place((number + step) % COUNT);
            source += &format!("    {} {to}\n", mnemonics[number as usize % 2]);
        }
        survives(&assembled(&source), vec![(place(700), "loc_000010".into())]);
    }
}

/// The assembler takes a million names: what has no room is written as a
/// number.
#[test]
fn more_labels_than_the_assembler_takes_survive() {
    let jump = isa::by_mnemonic("JZ").next().unwrap().opcode;
    let start = 0x03_0000;
    let addresses = (0..600_000).map(|number| start + 4 * number);
    let bytes: Vec<u8> =
        addresses.flat_map(|at: u32| (at << 8 | u32::from(jump)).to_le_bytes()).collect();
    let disassembly = Disassembly {
        image: Image::new([(start, &bytes[..])]),
        entry: start,
        names: vec![(start + 4 * 599_999, "named".into())],
        addresses: false,
    };
    let mut text = Vec::new();
    disassembly.write(&mut text).unwrap();
    let text = String::from_utf8(text).unwrap();
    assert!(text.contains("\n.loc_030004:\n    JZ @.loc_030004\n"));
    assert!(text.ends_with("\n    JZ $279EF8\nnamed:\n    JZ @named\n"));
    assert!(assembled(&text).segments[0].bytes == bytes);
}

/// A jump table that lies over code holds addresses within instructions, and
/// data that holds the same address is no reference to a label.
#[test]
fn an_address_within_an_instruction_is_no_label() {
    let bytes =
        "AF 05 02 00 00 01 12 AF 00 FF FF 00 01 02 AD 0F 00 00 03 01 02 AF 02 04 00 00 00 03";
    let listed = bytes.replace(' ', ", $");
    survives(&assembled(&format!("    .bytes ${listed}\n")), Vec::new());
}

/// The text of a whole memory of bytes that are nothing in particular is no
/// larger than the assembler reads.
#[test]
fn the_data_of_a_full_memory_is_not_too_much_text() {
    let mut seed = 1u32;
    let noise = (0..1 << 20).map(|_| {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        // No letters, which would be strings, and none equal to the last.
        (seed >> 24) as u8 | 0x80
    });
    let ret = isa::by_mnemonic("RET").next().unwrap().opcode;
    let bytes: Vec<u8> = [ret].into_iter().chain(noise).collect();
    let disassembly = Disassembly {
        image: Image::new([(0x03_0000, &bytes[..])]),
        entry: 0x03_0000,
        names: Vec::new(),
        addresses: true,
    };
    let mut text = Vec::new();
    disassembly.write(&mut text).unwrap();
    let whole = text.len() as u64 * isa::memory_map::MEMORY_SIZE as u64 / bytes.len() as u64;
    assert!(whole <= sda::LARGEST_FILE, "{whole} bytes of text");
}
