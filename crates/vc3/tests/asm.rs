//! `vc3 asm` and `vc3 disasm` as a user types them.

mod support;

use support::Folder;

const PROGRAM: &str = "
start:  LDA $0201
        STA [@cell]
        RET
cell:   .words 0
";
/// What PROGRAM is at $020100.
const BYTES: [u8; 12] = [0x00, 0, 0x01, 0x02, 6, 0, 0x0A, 0x01, 0x02, 133, 0, 0];

fn prg() -> Vec<u8> {
    let header = [b'S', b'D', b'X', b'1', 0, 1, 2, 1, 0, 0, 1, 2, 12, 0, 0];
    [header.as_slice(), BYTES.as_slice()].concat()
}

#[test]
fn the_program_file_is_named_after_the_source() {
    let folder = Folder::with(&[("hello.sda", PROGRAM)]);
    let outcome = folder.run(&["asm", "hello.sda"]).ends_with(0);
    assert_eq!((outcome.out.as_str(), outcome.err.as_str()), ("", ""));
    assert_eq!(folder.read("hello.prg"), prg());
    folder.run(&["asm", "hello.sda", "--format", "raw"]).ends_with(0);
    assert_eq!(folder.read("hello.bin"), BYTES);
    folder.run(&["asm", "hello.sda", "--format", "ihex"]).ends_with(0);
    assert!(folder.text("hello.hex").starts_with(':'));
    assert_eq!(folder.names(), ["hello.bin", "hello.hex", "hello.prg", "hello.sda"]);
}

#[test]
fn every_output() {
    let folder = Folder::with(&[("a.sda", PROGRAM), ("b.sda", "more: JMP @start\n")]);
    let args = ["asm", "a.sda", "b.sda", "-o", "x.prg", "--list", "x.lst", "--sym", "x.json"];
    folder.run(&[args.as_slice(), &["--map", "x.map"]].concat()).ends_with(0);
    assert_eq!(folder.read("x.prg").len(), prg().len() + 4);
    assert!(folder.text("x.lst").contains("LDA $0201"));
    assert!(folder.text("x.json").contains("\"start\""));
    assert!(!folder.text("x.map").is_empty());
    assert_eq!(folder.names(), ["a.sda", "b.sda", "x.json", "x.lst", "x.map", "x.prg"]);
}

#[test]
fn the_standard_output_is_a_dash() {
    let folder = Folder::with(&[("a.sda", PROGRAM)]);
    let outcome = folder.run(&["asm", "a.sda", "-o", "-", "--format", "ihex"]).ends_with(0);
    assert!(outcome.out.starts_with(':') && outcome.out.contains(":00000001FF"));
    assert_eq!(folder.names(), ["a.sda"]);
}

#[test]
fn errors_in_the_source_leave_no_file() {
    let folder = Folder::with(&[("bad.sda", "    LDA $12345\n    MOV B, KL\n"), ("x.map", "old")]);
    let outcome = folder.run(&["asm", "bad.sda", "--list", "x.lst", "--map", "x.map"]).ends_with(1);
    assert!(outcome.err.starts_with("bad.sda:1:"), "{}", outcome.err);
    assert!(outcome.err.contains("\nbad.sda:2:"), "{}", outcome.err);
    assert_eq!(folder.names(), ["bad.sda", "x.map"]);
    assert_eq!(folder.text("x.map"), "old");
}

#[test]
fn an_output_that_cannot_be_written_leaves_no_file() {
    let folder = Folder::with(&[("a.sda", PROGRAM)]);
    let outcome = folder.run(&["asm", "a.sda", "--list", "no/such/x.lst"]).ends_with(1);
    outcome.says(&["cannot write no/such/x.lst: there is no folder no/such"]);
    assert_eq!(folder.names(), ["a.sda"]);
    folder.run(&["asm", "a.sda", "-o", "."]).ends_with(1).says(&["it is a folder"]);
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_device_among_the_outputs_leaves_no_file() {
    let folder = Folder::with(&[("a.sda", PROGRAM)]);
    let args = ["asm", "a.sda", "-o", "A", "--list", "L", "--sym", "/dev/full", "--map", "M"];
    folder.run(&args).ends_with(1).says(&["cannot write /dev/full"]);
    assert_eq!(folder.names(), ["a.sda"]);
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("/dev/full");
    let mut command = folder.command(&["asm", "a.sda", "-o", "A", "--list", "-"]);
    let output = command.stdout(full).output().expect("vc3 starts");
    support::outcome(&output).ends_with(1).says(&["cannot write to the standard output"]);
    assert_eq!(folder.names(), ["a.sda"]);
}

#[test]
#[cfg(target_os = "linux")]
fn the_standard_input_is_a_file_with_a_name() {
    use std::io::Write;
    use std::process::Stdio;

    for name in ["-", "/dev/stdin"] {
        let folder = Folder::new();
        let mut command = folder.command(&["asm", name, "-o", "x.prg"]);
        let mut child = command.stdin(Stdio::piped()).spawn().expect("vc3 starts");
        child.stdin.take().expect("a pipe").write_all(PROGRAM.as_bytes()).expect("a reader");
        assert!(child.wait().expect("vc3 ends").success());
        assert_eq!(folder.read("x.prg"), prg());
    }
}

#[test]
fn slips_in_the_command_line() {
    let folder = Folder::with(&[("a.sda", PROGRAM)]);
    folder.run(&["asm"]).ends_with(2).says(&["<FILE>"]);
    folder.run(&["asm", "a.sda", "--format", "elf"]).ends_with(2).says(&["prg, raw, ihex"]);
    folder.run(&["asm", "a.sda", "-o", "a.sda"]).ends_with(2).says(&["a.sda is a source"]);
    folder.run(&["asm", "a.sda", "-o", "x", "--map", "x"]).ends_with(2).says(&["x is named twice"]);
    let twice = folder.run(&["asm", "a.sda", "-o", "./x", "--map", "x"]).ends_with(2);
    twice.says(&["x is named twice"]);
    folder.run(&["asm", "a.sda", "-D", "1x=2"]).ends_with(2).says(&["NAME=V"]);
    folder.run(&["asm", "a.sda", "-D", "x=two"]).ends_with(2).says(&["`two` is no number"]);
    let all = folder.run(&["asm", "a.sda", "-W", "all"]).ends_with(2);
    all.says(&["no warning has the code `all`, `vc3 explain` lists them; `error` means all"]);
    folder.run(&["asm", "a.sda", "-A", "E0304"]).ends_with(2).says(&["E0304 is no warning"]);
    folder.run(&["asm", "a.sda", "-F", "x"]).ends_with(2).says(&["-M"]);
    folder.run(&["asm", "-"]).ends_with(2).says(&["has no name", "-o OUT"]);
    folder.run(&["asm", "-", "-", "-o", "x"]).ends_with(2).says(&["only once"]);
    folder.run(&["asm", "-", "-o", "x", "--watch"]).ends_with(2).says(&["needs files"]);
    folder.run(&["asm", "a.sda", "-I", "none"]).ends_with(2).says(&["there is no such folder"]);
    folder.run(&["asm", "a.sda", "-list", "x"]).ends_with(2).says(&["write '--list'"]);
    folder.run(&["asm", "a.sda", "--frob"]).ends_with(2).says(&["--frob"]);
    assert_eq!(folder.names(), ["a.sda"]);
}

#[test]
fn no_output_takes_the_place_of_an_included_source() {
    let folder = Folder::with(&[
        ("a.sda", "    .include \"lib/inc.sda\"\n    .incbin \"data.bin\"\n"),
        ("lib/inc.sda", "    NOP\n"),
        ("data.bin", "x"),
    ]);
    for args in [["-o", "lib/../lib/inc.sda"], ["--map", "lib/inc.sda"], ["--list", "data.bin"]] {
        let outcome = folder.run(&[&["asm", "a.sda"], args.as_slice()].concat()).ends_with(2);
        outcome.says(&[args[1], "is a source"]);
    }
    assert_eq!(folder.text("lib/inc.sda"), "    NOP\n");
    assert_eq!(folder.names(), ["a.sda", "data.bin", "lib"]);
}

#[test]
fn an_included_folder_is_called_one() {
    let folder = Folder::with(&[
        ("a.sda", ".include \".\"\n.incbin \"lib\"\n.incbin \"one\", 2\n.include \"none\"\n"),
        ("lib/b.sda", ""),
        ("one", "1"),
    ]);
    let outcome = folder.run(&["asm", "a.sda"]).ends_with(1);
    outcome.says(&["`.` is a folder", "`lib` is a folder", "has 1 byte\n", "no file `none`"]);
}

#[test]
fn constants_and_folders_from_the_command_line() {
    let folder = Folder::with(&[
        ("a.sda", ".include \"inc.sda\"\n    .bytes SIZE, lo(DELTA), FLAG, THREE\n"),
        ("lib/inc.sda", ".equ THREE 3\n"),
    ]);
    let args = ["asm", "a.sda", "--format", "raw", "-o", "-", "-D", "SIZE=$41", "-D", "DELTA=-190"];
    let outcome =
        folder.run(&[args.as_slice(), &["-D", "FLAG", "-I", "lib"]].concat()).ends_with(0);
    assert_eq!(outcome.out.as_bytes(), [0x41, 0x42, 1, 3]);
}

#[test]
fn warnings_can_be_errors_or_left_out() {
    let folder = Folder::with(&[("a.sda", ".warn \"beware\"\n    DIV A, 0\n    RET\n")]);
    let asm = |args: &[&str]| {
        let _ = std::fs::remove_file(folder.path("a.prg"));
        let outcome = folder.run(&[&["asm", "a.sda"], args].concat());
        assert_eq!(folder.path("a.prg").exists(), outcome.code == 0, "{args:?}");
        outcome
    };
    asm(&[])
        .ends_with(0)
        .says(&["a.sda:1:1: warning[W0702]: beware", "a.sda:2:12: warning[W0401]"]);
    asm(&["-W", "error"]).ends_with(1).says(&["error[W0702]: beware", "error[W0401]"]);
    asm(&["-W", "w0401"]).ends_with(1).says(&["warning[W0702]", "error[W0401]"]);
    assert_eq!(asm(&["-A", "W0401,W0702", "-W", "error"]).ends_with(0).err, "");
    asm(&["-A", "W0401", "-W", "error"]).ends_with(1).says(&["error[W0702]"]);
}

#[test]
fn messages_for_tools_are_one_object_a_line() {
    let source = "\u{FEFF}; é\r\n.macro m x\r\n    LDA \\x\r\n.endm\r\n  m 70_000\r\n    HLAT\r\n";
    let folder = Folder::with(&[("a.sda", source)]);
    let outcome = folder.run(&["asm", "a.sda", "--message-format", "json"]).ends_with(1);
    let messages: Vec<serde_json::Value> =
        outcome.err.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(messages.len(), 2);
    let [wide, typo] = &messages[..] else { panic!("{}", outcome.err) };
    assert_eq!(wide["code"], "E0304");
    assert_eq!(wide["severity"], "error");
    assert_eq!(wide["message"], "70000 ($11170) does not fit 2 bytes");
    let spans = wide["spans"].as_array().expect("spans");
    let place = |span: &serde_json::Value| {
        let [start, end] =
            ["byte_start", "byte_end"].map(|key| span[key].as_u64().unwrap() as usize);
        (
            span["line"].as_u64().unwrap(),
            span["column"].as_u64().unwrap(),
            source[start..end].to_string(),
        )
    };
    assert_eq!(spans[0]["primary"], true);
    assert_eq!(place(&spans[0]), (5, 5, "70_000".into()));
    assert_eq!(
        (place(&spans[1]), &spans[1]["text"]),
        ((3, 5, "LDA \\x".into()), &"used here".into())
    );
    assert_eq!(spans[2]["text"], "in the expansion of `m`");
    assert_eq!(place(&spans[2]).0, 5);
    assert!(wide["notes"][0].as_str().unwrap().contains("16 bits hold"), "{wide}");
    assert_eq!(wide["edit"], serde_json::Value::Null);
    assert_eq!(typo["edit"]["text"], "HALT");
    assert_eq!(place(&typo["edit"]).2, "HLAT");
    assert_eq!(typo["spans"][0]["end_column"], 9);
    // What cannot be written is an object, too.
    folder.write("b.sda", "    RET\n");
    let args = ["asm", "b.sda", "-o", "no/such", "--message-format", "json"];
    let outcome = folder.run(&args).ends_with(1);
    let message: serde_json::Value = serde_json::from_str(&outcome.err).expect("JSON");
    assert_eq!(message["message"], "cannot write no/such: there is no folder no");
    assert_eq!(message["code"], serde_json::Value::Null);
    // What is left of a run without a word is nothing.
    folder.write("b.sda", "    RET\n");
    assert_eq!(folder.run(&["asm", "b.sda", "--message-format", "json"]).ends_with(0).err, "");
}

#[test]
fn every_suggested_edit_makes_the_error_go_away() {
    let wrong = [
        "HLAT",
        "hlat",
        "LDELN 1",
        "start NOP",
        "    .byte 1",
        "    JMP strt\nstart: RET",
        "    LDA @strt\n.equ start 1",
        "    LDA 12A",
        "    LDX @start\nstart: RET",
        "    LDA B + 1\n.equ B 1",
        "    LDA [EL:M]",
        "    LDBL AL",
        "    STA B",
        "    LDA BL",
        "    LEA FLD, [ELM]",
        "    MOV AL, B",
        "    ADD AL, B",
        "    REMQUE [ELM]",
        "    MOV A, B\n    INC ELN",
        "    LDA [eln + 3]",
        "    LDA @A + B\n.equ A 1\n.equ B 2",
        "start: JSR start",
        "    RTS",
        "    LDA (ELM)",
        "    .db 1",
        "    DB 1",
        "    .bytes 0FFh, 1",
        "    .bytes 101b",
        "text .bytes 1",
        "done",
        ".banana",
    ];
    for source in wrong {
        let folder = Folder::with(&[("a.sda", source)]);
        let args = ["asm", "a.sda", "-A", "W0301,W0402", "--message-format", "json"];
        let mut text = source.to_string();
        let outcome = folder.run(&args).ends_with(1);
        for line in outcome.err.lines().rev() {
            let message: serde_json::Value = serde_json::from_str(line).expect("JSON");
            let edit = &message["edit"];
            assert!(edit.is_object(), "{source}: {line}");
            let [start, end] =
                ["byte_start", "byte_end"].map(|key| edit[key].as_u64().unwrap() as usize);
            text.replace_range(start..end, edit["text"].as_str().unwrap());
        }
        folder.write("a.sda", &text);
        let outcome = folder.run(&args);
        assert_eq!(outcome.code, 0, "{source} became {text}: {}", outcome.err);
    }
}

#[test]
fn a_file_that_is_a_slip_away_is_named() {
    let folder = Folder::with(&[
        ("game.sda", "    .include \"lib/Screen\"\n    .incbin \"lib/font.bni\"\n"),
        ("lib/screen.sda", "    RET\n"),
        ("lib/Screen.sda", "    RET\n"),
        ("lib/font.bin", "x"),
    ]);
    let outcome = folder.run(&["asm", "game.sda"]).ends_with(1);
    outcome.says(&["help: there is `lib/Screen.sda`", "help: there is `lib/font.bin`"]);
    let outcome = folder.run(&["asm", "gmae.sda"]).ends_with(1);
    let text = "gmae.sda:1:1: error[E0109]: cannot be read: there is no such file";
    assert_eq!(outcome.err, format!("{text}\n = help: there is `game.sda`\n\n"));
    folder.run(&["asm", "game"]).ends_with(1).says(&["help: there is `game.sda`"]);
    for file in ["elsewhere/x.sda", "note.sda"] {
        let outcome = folder.run(&["asm", file]).ends_with(1);
        assert!(!outcome.err.contains("help"), "{}", outcome.err);
    }
}

#[test]
fn codes_are_explained() {
    let folder = Folder::new();
    let list = folder.run(&["explain"]).ends_with(0).out;
    assert!(
        list.lines().count() > 50 && list.contains("E0304  a value that does not fit"),
        "{list}"
    );
    let page = folder.run(&["explain", "e0304"]).ends_with(0).out;
    assert!(
        page.starts_with("# E0304: ") && page.contains("## Wrong") && page.contains("LDAL 300")
    );
    let two = folder.run(&["explain", "error[E0304]:", "W0301"]).ends_with(0).out;
    assert!(two.starts_with(&page) && two.contains("# W0301: "));
    folder.run(&["explain", "E9999"]).ends_with(2).says(&["there is no code E9999"]);
}

#[test]
fn a_rule_for_make() {
    let folder = Folder::with(&[
        (
            "a.sda",
            "    .include \"lib/my inc.sda\"\n    .incbin \"data.bin\"\n    .include \"late.sda\"\n",
        ),
        ("lib/my inc.sda", ".equ ONE 1\n"),
        ("data.bin", "x"),
        ("more/late.sda", ""),
    ]);
    let rule = "a.prg: \\\n  a.sda \\\n  lib/my\\ inc.sda \\\n  data.bin \\\n  more/late.sda\n\n\
                lib/my\\ inc.sda:\n\ndata.bin:\n\nmore/late.sda:\n";
    assert_eq!(folder.run(&["asm", "a.sda", "-I", "more", "-M"]).ends_with(0).out, rule);
    assert!(!folder.path("a.prg").exists());
    folder.run(&["asm", "a.sda", "-I", "more", "-MF", "a.d"]).ends_with(0);
    assert_eq!(folder.text("a.d"), rule);
    assert!(folder.path("a.prg").exists());
    let outcome = folder.run(&["asm", "a.sda", "-M"]).ends_with(1);
    assert_eq!(outcome.out, "", "an include is missing without -I");
    folder
        .run(&["asm", "a.sda", "-MF", "data.bin", "-I", "more"])
        .ends_with(2)
        .says(&["is a source"]);
}

#[test]
fn a_kernal_is_allowed_in_its_area_when_built_as_one() {
    let folder = Folder::with(&[("k.sda", ".address $010100\n    RET\n")]);
    folder.run(&["asm", "k.sda"]).ends_with(1).says(&["k.sda:"]);
    folder.run(&["asm", "k.sda", "--kernal"]).ends_with(0);
    folder.run(&["run", "k.prg", "--headless"]).ends_with(2).says(&["k.prg is not a program"]);
    folder.run(&["run", "k.prg", "--headless", "--kernal"]).ends_with(0);
    folder.run(&["run", "k.sda", "--headless", "--kernal"]).ends_with(0);
}

#[test]
fn a_program_disassembles_to_its_own_bytes() {
    let source = "
        .entry main
data:   .bytes 8, 8, 255, $FF, \"text\"
        .fill 40
main:   LDELM @data
loop:   LDBL [ELM + 3]
        ADD B, $FFFF
        CMP BL, 5
        BNZ @loop
        CALL @sub
        SHL A, 3
        JTAB I, 2, @table
table:  .ptrs @main, @sub
        .address $0080000 / 16
sub:    SCANQUE BLX, ELM, A, 6
        STABCD [SP - 8]
        RET
        .address $EFFFFD
        BRA @sub2
sub2 = $EFFFFD
";
    let folder = Folder::with(&[("a.sda", source)]);
    folder.run(&["asm", "a.sda"]).ends_with(0);
    let text = folder.run(&["disasm", "a.prg"]).ends_with(0).out;
    assert!(text.contains("LDELM @data_020100"), "{text}");
    assert!(text.contains(".bytes $08, $08, $FF, $FF"), "{text}");
    folder.write("b.sda", &text);
    folder.run(&["asm", "b.sda"]).ends_with(0);
    assert_eq!(folder.read("a.prg"), folder.read("b.prg"), "{text}");
    assert_eq!(folder.run(&["disasm", "--no-names", "a.sda"]).ends_with(0).out, text);
}

/// Every byte may stand anywhere: whatever is no instruction is data.
#[test]
fn any_bytes_disassemble_to_themselves() {
    let folder = Folder::new();
    let mut state = 1_u32;
    let bytes: Vec<u8> = (0..40_000)
        .map(|at| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            // Opcodes and register numbers more often than not.
            if at % 3 == 0 { (state >> 24) as u8 } else { (state >> 24) as u8 % 96 }
        })
        .collect();
    folder.write("a.bin", &bytes);
    let text = folder.run(&["disasm", "a.bin"]).ends_with(0).out;
    folder.write("b.sda", &text);
    folder.run(&["asm", "b.sda", "--format", "raw"]).ends_with(0);
    assert!(folder.read("b.bin") == bytes);
}

/// What is made depends on the sources alone: not on the folder they lie in,
/// their line ends, or what was made before.
#[test]
fn the_same_sources_give_the_same_files() {
    let files = [
        (
            "a.sda",
            "; main\n    .include \"lib/inc.sda\"\nstart:\n.rept 3\n    twice A\n.endr\n    LDELM @text\n    RET\n",
        ),
        (
            "lib/inc.sda",
            ".macro twice reg\nl: ADD \\reg, \\reg\n    JC l\n.endm\n    .page $030000, 9\n.var v, 2\n    .endp\n",
        ),
        ("b.sda", "text: .asciiz \"text\"\n.expect @v, 2, 0, \"v\"\n"),
    ];
    let args = ["asm", "a.sda", "b.sda", "-o", "o.prg", "--list", "o.lst", "--sym", "o.json"];
    let args = [args.as_slice(), &["--map", "o.map", "-MF", "o.d"]].concat();
    let outputs = ["o.prg", "o.lst", "o.json", "o.map", "o.d"];
    let made = |folder: &Folder| {
        folder.run(&args).ends_with(0);
        outputs.map(|name| folder.read(name))
    };
    let folder = Folder::with(&files);
    let first = made(&folder);
    assert!(made(&folder) == first, "the second time");
    assert!(made(&Folder::with(&files)) == first, "in another folder");
    let windows = files.map(|(name, text)| (name, text.replace('\n', "\r\n")));
    let windows: Vec<(&str, &str)> =
        windows.iter().map(|(name, text)| (*name, text.as_str())).collect();
    assert!(made(&Folder::with(&windows)) == first, "with other line ends");
    let deep = Folder::new();
    for (name, text) in files {
        deep.write(&format!("x y/{name}"), text);
    }
    let mut command = deep.command(&args);
    assert!(command.current_dir(deep.path("x y")).status().expect("vc3 starts").success());
    assert!(outputs.map(|name| deep.read(&format!("x y/{name}"))) == first, "deeper");
}
