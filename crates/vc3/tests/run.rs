//! `vc3 run FILE --headless` and `vc3 play NAME --headless` as a user types
//! them: exit codes, formats, messages (machine manual, section 9).

mod support;

use support::{Folder, Outcome};

fn run(source: &str, args: &[&str]) -> Outcome {
    let folder = Folder::with(&[("a.sda", source)]);
    folder.run(&[&["run", "a.sda", "--headless"], args].concat())
}

/// Prints every key that it receives, until Escape.
const ECHO: &str = "
loop:   LDAH $02
        INT $10
        CMP AL, 27
        JZ done
        LDAH $0E
        INT $10
        JMP loop
done:   LDA $0005
        INT $20
";

#[test]
fn the_exit_code_is_the_program_s() {
    run("    RET", &[]).ends_with(0);
    run("    LDA $002A\n    INT $20", &[]).ends_with(42);
    run("    HALT", &[]).ends_with(0);
    run(ECHO, &["--keys", "<Esc>"]).ends_with(5);
    let used_up = run(ECHO, &["--keys", "a"]).ends_with(0);
    assert_eq!((used_up.out.as_str(), used_up.err.as_str()), ("", ""));
    run(ECHO, &[]).ends_with(0);
}

#[test]
fn registers_are_one_line_of_json() {
    let source = "
        LDELM $123456
        LDABCD $4444333322221111
        CMP A, A
        LDAH $00
        INT $20
";
    let outcome = run(source, &["--regs"]).ends_with(0x11);
    assert_eq!(
        outcome.out,
        "{\"A\":17,\"B\":8738,\"X\":0,\"Y\":0,\"C\":13107,\"I\":0,\"J\":0,\"K\":0,\"T\":0,\
         \"M\":13398,\"D\":17476,\"E\":18,\"F\":0,\"G\":0,\"L\":0,\"Z\":0,\"SP\":122877,\
         \"IP\":131351,\"FLAGS\":160,\"z\":1,\"n\":0,\"c\":1,\"v\":0,\"exit\":17,\"units\":5}\n"
    );
}

#[test]
fn a_program_ended_by_ret_and_one_stopped_by_max() {
    let outcome = run("    RET", &["--regs"]).ends_with(0);
    assert!(outcome.out.ends_with("\"exit\":0,\"units\":3}\n"), "{}", outcome.out);
    let spinning = "start:  JMP start\n";
    let outcome = run(spinning, &["--max", "1000", "--regs"]).ends_with(75);
    assert!(outcome.out.ends_with("\"exit\":75,\"units\":1000}\n"), "{}", outcome.out);
    outcome.says(&["--max ran out after 1000 units", "$020100", "start", "a.sda:1"]);
    run(spinning, &["--max", "1"]).ends_with(75).says(&["--max ran out after 1 unit, at"]);
    let outcome = run("    RET", &["--max", "$0", "--regs"]).ends_with(75);
    assert!(outcome.out.contains("\"IP\":131328,") && outcome.out.contains("\"units\":0"));
}

#[test]
fn memory_in_lines_of_sixteen() {
    let source = "    RET\n    .address $020FF8\n    .bytes \"0123456789abcdefXYZ\"\n";
    let outcome = run(source, &["--dump", "$020FF8:19", "--dump", "0x20100:1", "--dump", "0:0"]);
    assert_eq!(
        outcome.ends_with(0).out,
        "020FF8: 30 31 32 33 34 35 36 37 38 39 61 62 63 64 65 66\n\
         021008: 58 59 5A\n\
         020100: 85\n"
    );
    let outcome = run("    RET", &["--dump", "16777215:1"]).ends_with(0);
    assert_eq!(outcome.out, "FFFFFF: 00\n");
}

#[test]
fn the_screen_as_text() {
    let outcome = run(ECHO, &["--keys", "Hi <<3 <Esc>", "--screen", "text"]).ends_with(5);
    let lines: Vec<&str> = outcome.out.lines().collect();
    assert_eq!(lines.len(), 25);
    assert_eq!(lines[0], format!("{:80}", "Hi <3 "));
    assert!(lines[1..].iter().all(|line| *line == " ".repeat(80)));
}

#[test]
fn the_screen_as_planes_in_a_small_mode() {
    let source = "
        LDA $0001
        INT $10
        LDA $0013
        LDAL $03
        LDBL $4E
        LDAH $13
        LDX $0001
        LDY $0000
        INT $10
        LDAL $DB
        LDX $0002
        INT $10
        RET
";
    let outcome = run(source, &["--screen", "planes"]).ends_with(0);
    let lines: Vec<&str> = outcome.out.lines().collect();
    assert_eq!(lines.len(), 2 + 2 * 25);
    assert_eq!((lines[0], lines[26]), ("glyphs", "colours"));
    // A code below 32 shows as a space, and colours are hex pairs.
    assert_eq!(lines[1], format!("  █{}", " ".repeat(37)));
    assert_eq!(lines[27], format!("07 4E 4E{}", " 07".repeat(37)));
}

#[test]
fn the_screen_with_colours() {
    let outcome = run("    LDAL $41\n    LDAH $0E\n    INT $10\n    RET", &["--screen", "ansi"]);
    let first = outcome.ends_with(0).out.lines().next().expect("a line").to_string();
    let grey_on_black = "\u{1B}[38;2;196;196;196;48;2;0;0;0m";
    assert_eq!(first, format!("{grey_on_black}A{}\u{1B}[0m", " ".repeat(79)));
}

#[test]
fn all_that_is_asked_for_is_printed_once() {
    let outcome = run(
        "    RET",
        &["--regs", "--dump", "$020100:1", "--screen", "text", "--dump", "$020101:1"],
    );
    let out = outcome.ends_with(0).out;
    assert_eq!(out.lines().count(), 25 + 1 + 2);
    assert_eq!(out.lines().filter(|line| line.starts_with('{')).count(), 1);
    assert!(out.ends_with("020100: 85\n020101: 00\n"));
}

#[test]
fn a_fault_is_reported_with_its_place_in_the_source() {
    let source = "
main:   LDB $0004
loop:   DEC B
        JNZ loop
        CALL @broken
        RET
broken: INC A
        .bytes 255
";
    let outcome = run(source, &["--regs"]).ends_with(70);
    assert!(outcome.out.contains("\"exit\":70,"), "{}", outcome.out);
    insta::assert_snapshot!(outcome.err);
}

#[test]
fn a_fault_of_a_file_without_symbols_names_the_address() {
    let folder = Folder::with(&[("a.sda", "start: NOP\n    .bytes 255\n")]);
    folder.run(&["asm", "a.sda", "--sym", "a.json"]).ends_with(0);
    folder
        .run(&["run", "a.prg", "--headless"])
        .ends_with(70)
        .says(&["illegal opcode $FF at $020101"]);
    folder
        .run(&["run", "a.prg", "--headless", "--sym", "a.json"])
        .ends_with(70)
        .says(&["(start+1, a.sda:2)"]);
    folder.run(&["run", "a.prg", "--headless", "--sym", "a.prg"]).ends_with(2).says(&["a.prg"]);
}

#[test]
fn a_fault_far_from_the_start_shows_the_last_instructions() {
    let source = "
main:   LDELM $030000
        LDI $FFFF
again:  MEMFILL ELM, AL, I
        DEC B
        JNZ again
        BRK
";
    let outcome = run(source, &[]).ends_with(70).says(&["BRK at $02011"]);
    let listed = outcome.err.lines().filter(|line| line.starts_with("    $")).count();
    assert_eq!(listed, 16, "{}", outcome.err);
    assert!(outcome.err.trim_end().ends_with("a.sda:7"), "{}", outcome.err);
}

#[test]
fn a_run_through_memory_that_nothing_wrote_names_the_line_that_led_there() {
    let listed = |outcome: &Outcome| outcome.err.lines().filter(|l| l.starts_with("    $")).count();
    // Off the end, through all of memory until the video planes stop it.
    let off = run("start: NOP\n", &[]).ends_with(70);
    off.says(&[
        "the program was left here:\n    $020100  start",
        "a.sda:1",
        "memory full of zeros",
    ]);
    // Out of the program by a jump, after more than one period of looking back.
    let source = "
main:   LDX 300
outer:  LDI 30000
inner:  DEC I
        JNZ inner
        DEC X
        JNZ outer
        JMP $300000
";
    let far = run(source, &[]).ends_with(70);
    let far = far.says(&["the program was left here:", "JMP $300000", "a.sda:8"]);
    assert_eq!(listed(&far), 17, "{}", far.err);
    // Into zeros not far from a fault: the line is in the list itself.
    let near = run("    JMP $EFFF00\n    .address $EFFFF0\n    .bytes 255\n", &[]).ends_with(70);
    let near = near.says(&["a.sda:1", "LDA $0000\n    …        and 59 more like it", "a.sda:3"]);
    assert!(!near.err.contains("left here"), "{}", near.err);
}

#[test]
fn code_that_was_written_over_is_reported_as_it_ran() {
    let source = "
first:  INC A
        LDBL 255
        STBL [@first]
        BRK
";
    run(source, &[]).ends_with(70).says(&["first                INC A"]);
}

#[test]
fn a_fault_is_called_one_once() {
    let outcome = run("    LDA 1\nl:  POP A\n    JMP l\n", &[]).ends_with(70);
    let outcome = outcome.says(&["fault: SP would become $01E001, outside of the stack ($01DC00"]);
    assert_eq!(outcome.err.matches("fault:").count(), 1, "{}", outcome.err);
}

#[test]
fn the_checking_mode() {
    let into_zeros = "    JMP $030000\n";
    run(into_zeros, &["--max", "1000"]).ends_with(75);
    run(into_zeros, &["--sanitize"]).ends_with(70).says(&["$030000", "nothing has written"]);
    let over_itself = "
        LDAL 142
        STAL [@there]
        JMP @there
there:  RET
";
    run(over_itself, &["--max", "1000"]).ends_with(75);
    run(over_itself, &["--sanitize"]).ends_with(70).says(&["written over", "there", "a.sda:5"]);
}

#[test]
fn arguments_seed_and_disk() {
    let echo_arguments = "    LDELM $020000\n    LDAH $18\n    INT $10\n    RET\n";
    let folder = Folder::with(&[("a.sda", echo_arguments)]);
    let first = |args: &[&str]| {
        let outcome = folder.run(&[args, &["--screen", "text"]].concat()).ends_with(0);
        outcome.out.lines().next().expect("a line").trim_end().to_string()
    };
    assert_eq!(first(&["run", "a.sda", "one", "two", "--headless"]), "one two");
    assert_eq!(first(&["run", "a.sda", "--headless"]), "");
    let dashed = folder.run(&["run", "a.sda", "--headless", "--screen", "text", "--", "-x"]);
    assert!(dashed.ends_with(0).out.starts_with("-x "));
    assert_eq!(first(&["run", "a.sda", "-debug", "--headless", "x", "-y"]), "-debug x -y");
    assert_eq!(first(&["run", "--headless", "a.sda", "-d", "--seed", "3"]), "-d");
    let slip = folder.run(&["run", "a.sda", "--headles"]).ends_with(2);
    slip.says(&["'--headles'", "'--headless'"]);
    folder.run(&["run", "a.sda", "--headless", "日"]).ends_with(2).says(&["'日'"]);
    folder.run(&["run", "a.sda", "--headless", &"x".repeat(256)]).ends_with(2).says(&["255"]);

    let random = "    LDB 0\n    LDAH $02\n    INT $13\n    RET\n";
    let seeded =
        |seed: &[&str]| run(random, &[seed, &["--dump", "$01EF34:4", "--regs"]].concat()).out;
    assert!(seeded(&[]).contains("\"B\":4,"));
    assert_eq!(seeded(&[]), seeded(&["--seed", "1"]));
    assert_eq!(seeded(&["--seed", "0"]), seeded(&["--seed", "1"]));
    assert_ne!(seeded(&["--seed", "2"]), seeded(&["--seed", "1"]));

    let save = "
        LDELM @name
        LDFLD @name
        LDKT 5
        LDAH $02
        INT $15
        JC failed
        LDAL 0
failed: LDAH 0
        INT $20
name:   .asciiz \"NOTE\"
";
    folder.write("save.sda", save);
    folder.run(&["run", "save.sda", "--headless"]).ends_with(7);
    folder.write("disk/OLD", "");
    folder.run(&["run", "save.sda", "--headless", "--disk", "disk"]).ends_with(0);
    assert_eq!(folder.read("disk/NOTE"), b"NOTE\0");
    folder
        .run(&["run", "save.sda", "--headless", "--disk", "none"])
        .ends_with(2)
        .says(&["none", "disk"]);
}

#[test]
fn files_that_are_no_program() {
    let folder = Folder::with(&[
        ("lies.prg", "SDX1\u{0}\u{1}\u{2}\u{1}\u{0}\u{0}\u{1}\u{2}\u{7F}\u{7F}\u{0}x"),
        ("empty", ""),
        ("bad.sda", "    LDQ 1\n"),
    ]);
    folder.write("large", vec![1; 60_000]);
    folder.write("longer.prg", b"SDX1\0\x01\x02\x01\0\0\x01\x02\x01\0\0\x85\0");
    let headless = |file: &str| folder.run(&["run", file, "--headless"]);
    headless("none").ends_with(2).says(&["cannot read none"]);
    headless("lies.prg").ends_with(2).says(&["lies.prg is not a program", "32639"]);
    headless("longer.prg").ends_with(2).says(&["behind the last segment the file has 1 byte more"]);
    headless("empty").ends_with(2).says(&["empty is not a program"]);
    headless("large").ends_with(2).says(&["large is not a program", "60000"]);
    headless(".").ends_with(2).says(&["it is a folder"]);
    headless("bad.sda").ends_with(1).says(&["bad.sda:1:5: error["]);
    #[cfg(unix)]
    headless("/dev/zero").ends_with(2).says(&["larger than the machine's memory"]);
    folder.write("good", b"\x85");
    let symbols = |file: &str| folder.run(&["run", "good", "--headless", "--sym", file]);
    symbols("good").ends_with(2).says(&["good is no symbol file"]);
    #[cfg(unix)]
    symbols("/dev/zero").ends_with(2).says(&["/dev/zero is no symbol file: it is larger"]);
    assert_eq!(folder.names(), ["bad.sda", "empty", "good", "large", "lies.prg", "longer.prg"]);
}

#[test]
fn slips_in_the_command_line() {
    let folder = Folder::with(&[("a.sda", "    RET\n")]);
    let run = |args: &[&str]| folder.run(&[&["run", "a.sda", "--headless"], args].concat());
    run(&["--keys", "jj<Lef"]).ends_with(2).says(&["--keys", "`<` at character 3", "`<<`"]);
    run(&["--keys", "<Lefft>"]).ends_with(2).says(&["`<Lefft>` at character 1", "<S-Left>"]);
    run(&["--seed", "x"]).ends_with(2).says(&["--seed", "write 255, $FF or 0xFF"]);
    for option in ["--max", "--seed"] {
        run(&[option, "-1"]).ends_with(2).says(&[option, "'-1'", "write 255, $FF or 0xFF"]);
    }
    run(&["--max", "18446744073709551616"]).ends_with(2).says(&["too large; at most 1844674"]);
    run(&["--seed", "4294967296"]).ends_with(2).says(&["too large; at most 4294967295"]);
    run(&["--dump", "-1:4"]).ends_with(2).says(&["write ADDR:LEN"]);
    run(&["-I", "none"]).ends_with(2).says(&["'none'", "there is no such folder"]);
    run(&["--include", "a.sda"]).ends_with(2).says(&["it is a file, not a folder"]);
    run(&["--disk", "none"]).ends_with(2).says(&["no folder none for the disk; make it first"]);
    run(&["--dump", "12"]).ends_with(2).says(&["ADDR:LEN"]);
    run(&["--dump", "$FFFFFF:2"]).ends_with(2).says(&["memory ends at $FFFFFF"]);
    run(&["--screen", "png"]).ends_with(2).says(&["text, ansi, planes"]);
    run(&["--speed", "real"]).ends_with(2).says(&["--speed", "--headless"]);
    let live = |args: &[&str]| folder.run(&[&["run", "a.sda"], args].concat());
    live(&["--keys", "x"]).ends_with(2).says(&["--keys needs --headless"]);
    live(&["--max", "1"]).ends_with(2).says(&["--max needs --headless"]);
    live(&["--regs"]).ends_with(2).says(&["--regs needs --headless"]);
    live(&["--speed", "fast"]).ends_with(2).says(&["auto, real, max"]);
    live(&["--speed", "-1"]).ends_with(2).says(&["auto, real, max"]);
    let one_dash = live(&["-headless"]).ends_with(2).says(&["write '--headless'"]);
    assert_eq!(one_dash.out, "");
    folder.run(&["-headless"]).ends_with(2).says(&["'-h' stands by itself"]);
    folder.run(&["run", "-", "--headless"]).ends_with(2).says(&["cannot read -"]);
    live(&[]).ends_with(2).says(&["terminal", "--headless"]);
    folder.run(&["run"]).ends_with(2).says(&["<FILE>"]);
    folder.run(&["fly"]).ends_with(2).says(&["fly"]);
    folder.run(&[]).ends_with(2).says(&["terminal"]);
    folder.run(&["--speed", "0"]).ends_with(2).says(&["auto, real, max"]);
}

#[test]
fn the_same_run_is_the_same_everywhere_and_always() {
    let args = ["--keys", "abc<Esc>", "--regs", "--screen", "planes", "--dump", "$01EF00:192"];
    let first = run(ECHO, &args);
    assert_eq!(first, run(ECHO, &args));
}

#[test]
fn programs_that_vc3_carries() {
    let folder = Folder::new();
    let outcome = folder.run(&["play", "nothing", "--headless"]).ends_with(2);
    outcome.says(&["no program nothing"]);
    folder.run(&["play"]).ends_with(2).says(&["<NAME>"]);

    let help = folder.run(&["play", "rogueima", "--headless", "--keys", "?", "--screen", "text"]);
    assert!(help.ends_with(0).out.contains("HELP"));
    folder
        .run(&["play", "Rogueima.prg", "--headless", "--max", "5"])
        .ends_with(75)
        .says(&["programs/rogueima/", ".sda:"]);

    // The shell finds the others on its disk, with and without a folder.
    folder.write("disk/MINE.TXT", "mine");
    let dir = ["play", "shell", "--headless", "--screen", "text", "--keys", "dir<Enter>"];
    let alone = folder.run(&dir).ends_with(0).out;
    assert!(alone.contains("ROGUEIMA.PRG") && !alone.contains("MINE.TXT"), "{alone}");
    let both = folder.run(&[dir.as_slice(), &["--disk", "disk"]].concat()).ends_with(0).out;
    assert!(both.contains("ROGUEIMA.PRG") && both.contains("MINE.TXT"), "{both}");
}

#[test]
#[cfg(unix)]
fn a_reader_that_goes_away_is_no_error() {
    use std::io::Read;
    use std::process::Stdio;

    let folder = Folder::with(&[("a.sda", "loop: JMP loop\n")]);
    let mut command = folder.command(&["trace", "a.sda", "--max", "3000000"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("vc3");
    let mut first = [0; 8];
    child.stdout.take().expect("a pipe").read_exact(&mut first).expect("some output");
    let outcome = support::outcome(&child.wait_with_output().expect("vc3 ends"));
    assert_eq!((outcome.code, outcome.err.as_str()), (0, ""));
}

#[test]
fn a_fault_of_a_program_that_another_started() {
    // B is the exit code of a program stopped by a fault, 70, and C is 1.
    let parent = "
        .address $010100
parent: LDELM @name
        LDFLD @none
        LDAH $01
        INT $20
        SUB B, 60
        SUB B, C
        MOV A, B
        INT $20
name:   .asciiz \"child\"
none:   .bytes 0
";
    let folder = Folder::with(&[("parent.sda", parent), ("child.sda", "    BRK\n")]);
    folder.write("disk/readme", "");
    folder.run(&["asm", "child.sda", "-o", "disk/CHILD.PRG"]).ends_with(0);
    let args = ["run", "parent.sda", "--headless", "--kernal", "--disk", "disk"];
    let outcome = folder.run(&args).ends_with(9);
    outcome.says(&["a program was stopped by a fault: BRK at $020100", "parent+13"]);
}

#[test]
fn every_fault_under_another_program_is_reported_with_what_led_there() {
    // Two programs fault, one soon after the other; then much time passes.
    let parent = "
        .address $010100
        LDELM @one
        CALL @start
        LDELM @two
        CALL @start
        LDX 400
outer:  LDI 30000
inner:  DEC I
        JNZ inner
        DEC X
        JNZ outer
        LDA 0
        INT $20
start:  LDFLD @none
        LDAH $01
        INT $20
        RET
one:    .asciiz \"one\"
two:    .asciiz \"two\"
none:   .bytes 0
";
    let folder = Folder::with(&[("parent.sda", parent)]);
    folder.write("one.sda", "    INC A\n    BRK\n");
    folder.write("two.sda", "    DEC B\n    .bytes 255\n");
    folder.write("disk/readme", "");
    folder.run(&["asm", "one.sda", "-o", "disk/ONE.PRG"]).ends_with(0);
    folder.run(&["asm", "two.sda", "-o", "disk/TWO.PRG"]).ends_with(0);
    let args = ["run", "parent.sda", "--headless", "--kernal", "--disk", "disk"];
    let outcome = folder.run(&args).ends_with(0);
    let (one, two) = outcome.err.split_at(outcome.err.rfind("vc3: ").expect("two reports"));
    assert!(one.starts_with("vc3: a program was stopped by a fault: BRK at $020102"), "{one}");
    let last = |report: &str| report.lines().rev().take(2).collect::<Vec<_>>().join(" ");
    assert!(last(one).contains("BRK") && last(one).contains("INC A"), "{one}");
    assert!(two.contains("illegal opcode $FF at $020102"), "{two}");
    assert!(last(two).contains("no instruction") && last(two).contains("DEC B"), "{two}");
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_standard_output_is_an_error() {
    let folder = Folder::with(&[("a.sda", "    RET\n")]);
    for args in [
        ["run", "a.sda", "--headless", "--regs"].as_slice(),
        &["disasm", "a.sda"],
        &["trace", "a.sda"],
        &["completions", "bash"],
    ] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("/dev/full");
        let output = folder.command(args).stdout(full).output().expect("vc3 starts");
        support::outcome(&output).ends_with(2).says(&["cannot write to the standard output"]);
    }
}

#[test]
fn completions_and_the_manual_page() {
    let folder = Folder::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let outcome = folder.run(&["completions", shell]).ends_with(0);
        assert!(outcome.out.contains("headless"), "{shell}");
    }
    folder.run(&["completions", "tcsh"]).ends_with(2).says(&["bash", "fish"]);
    let page = folder.run(&["man"]).ends_with(0).out;
    assert!(page.contains(".TH vc3 1") && page.contains("COMMAND TRACE"), "{page}");
    assert!(page.contains("flagged"));
    for command in ["play", "shell", "asm", "disasm", "run", "trace", "test"] {
        let outcome = folder.run(&[command, "--help"]).ends_with(0);
        assert!(outcome.out.contains("Usage: vc3"), "{command}");
    }
    assert!(folder.run(&["--version"]).ends_with(0).out.starts_with("vc3 "));
    assert_eq!(folder.names(), [""; 0]);
}

#[test]
fn engines_change_nothing_but_speed() {
    let source =
        "    LDI 0\n.next: ADD A, I\n    INC I\n    CMP I, 50000\n    JNZ .next\n    RET\n";
    let folder = Folder::with(&[("a.sda", source)]);
    let run = |engine| folder.run(&["run", "a.sda", "--headless", "--regs", "--engine", engine]);
    let plain = run("plain").ends_with(0).out;
    assert!(plain.contains("\"units\":200004}"), "{plain}");
    for engine in support::engines() {
        assert_eq!(run(engine).ends_with(0).out, plain, "{engine}");
    }
    for engine in support::engine_options() {
        let options = ["run", "a.sda", "--headless", "--regs"];
        assert_eq!(folder.run(&[&options[..], &engine].concat()).ends_with(0).out, plain);
    }
    run("quick").ends_with(2).says(&["engines are plain, fast, jit and auto"]);
    if !sd8516::Engine::Jit.is_built_in() {
        run("jit").ends_with(2).says(&["built without the engine jit"]);
    }
}
