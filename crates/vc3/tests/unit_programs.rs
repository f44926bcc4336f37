//! `vc3 test` as a user types it.

mod support;

use support::Folder;

const PASSES: &str = "; Adds.
    LDA 2
    ADD A, 3
    STA [@sum]
    RET
sum: .res 2
    .expect @sum, 2, 5, \"the sum\"
    .expect @sum, 2, 4, 6, \"about the sum\"
";

#[test]
fn all_pass() {
    let folder = Folder::with(&[
        ("tests/test_b.sda", PASSES),
        ("tests/deep/er/test_a.sda", "    RET\n"),
        ("programs/x/test_c.sda", "    RET\n"),
        ("programs/x/x.sda", "    .bytes 255\n"),
        ("elsewhere/test_d.sda", "    .bytes 255\n"),
    ]);
    let outcome = folder.run(&["test"]).ends_with(0);
    assert_eq!(
        outcome.out,
        "ok   programs/x/test_c.sda\n\
         ok   tests/deep/er/test_a.sda\n\
         ok   tests/test_b.sda\n\
         3 passed, 0 failed\n"
    );
    assert_eq!(outcome.err, "");
}

#[test]
fn without_a_name_the_current_folder_is_searched() {
    let folder = Folder::with(&[("test_a.sda", "    RET\n"), ("b/test_b.sda", "    RET\n")]);
    let outcome = folder.run(&["test"]).ends_with(0);
    assert_eq!(outcome.out, "ok   b/test_b.sda\nok   test_a.sda\n2 passed, 0 failed\n");
}

/// The instruction groups, the services, the library, the shell and the
/// games: all of them on the machine itself, however it executes them.
#[test]
fn every_unit_program_of_the_project_passes_on_each_engine() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    for engine in support::engines() {
        let mut command = Folder::new().command(&["test", "--engine", engine]);
        let output = command.current_dir(root).output().expect("vc3 starts");
        let outcome = support::outcome(&output).ends_with(0);
        assert!(outcome.out.ends_with(" passed, 0 failed\n"), "{engine}:\n{}", outcome.out);
    }
}

/// What each instruction and service does, compiled: in all of the game that
/// would take minutes.
#[test]
fn the_unit_programs_of_cpu_and_bios_pass_where_everything_is_compiled() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    for engine in support::engine_options() {
        let paths = ["test", "tests/cpu", "tests/bios", "programs/lib", "programs/shell"];
        let mut command = Folder::new().command(&[&paths[..], &engine].concat());
        let output = command.current_dir(root).output().expect("vc3 starts");
        let outcome = support::outcome(&output).ends_with(0);
        assert!(outcome.out.ends_with(" passed, 0 failed\n"), "{engine:?}:\n{}", outcome.out);
    }
}

#[test]
fn every_way_to_fail_says_what_and_where() {
    let folder = Folder::with(&[
        ("test_code.sda", "    LDA $0003\n    INT $20\n"),
        ("test_endless.sda", "; max: 1000\nloop: JMP loop\n"),
        ("test_expect.sda", &PASSES.replace("ADD A, 3", "ADD A, 7")),
        ("test_fault.sda", "start: NOP\n    BRK\n"),
        ("test_keys.sda", "; a test\n; keys: <Lef>\n    RET\n"),
        ("test_range.sda", "    RET\nx: .bytes $FC\n    .expect @x, 1, -3, -1, \"below zero\"\n"),
        ("test_good.sda", "    RET\n"),
    ]);
    let outcome = folder.run(&["test", "."]).ends_with(1);
    insta::assert_snapshot!(outcome.out);
}

#[test]
fn an_error_in_the_source_is_a_failure() {
    let folder = Folder::with(&[("test_source.sda", "    LDQ 1\n")]);
    let outcome = folder.run(&["test", "."]).ends_with(1);
    let start = "FAIL test_source.sda\n     test_source.sda:1:5: error[";
    assert!(outcome.out.starts_with(start), "{}", outcome.out);
    assert!(outcome.out.ends_with("0 passed, 1 failed\n"), "{}", outcome.out);
}

#[test]
fn what_a_unit_program_may_ask_for() {
    let keys = "; keys: xy\n    LDAH 2\n    INT $10\n    INT $10\n    STAL [@got]\n    RET\n\
                got: .res 1\n    .expect @got, 1, 'y', \"the second key\"\n";
    let arguments = "; args: one two\n    RET\n    .expect $020004, 1, 't', \"the argument\"\n";
    let disk = "; disk\n    LDELM @name\n    LDFLD @name\n    LDKT 1\n    LDAH 2\n    INT $15\n\
                \x20   JC fail\n    RET\nfail: LDAH 0\n    INT $20\nname: .asciiz \"N\"\n";
    let seed = "; seed: 2\n    RET\n    .expect $01EF34, 4, 2, \"the seed\"\n";
    let kernal = "; kernal\n    .address $010100\n    RET\n";
    let folder = Folder::with(&[
        ("test_keys.sda", keys),
        ("test_arguments.sda", arguments),
        ("test_disk.sda", disk),
        ("test_seed.sda", seed),
        ("test_kernal.sda", kernal),
    ]);
    let outcome = folder.run(&["test", "."]).ends_with(0);
    assert!(outcome.out.ends_with("5 passed, 0 failed\n"), "{}", outcome.out);
    let without = disk.replace("; disk", "; no disk");
    folder.write("test_disk.sda", without);
    folder.run(&["test", "test_disk.sda"]).ends_with(1);
}

#[test]
fn the_checking_mode_for_all_and_for_one() {
    let source = "    LDAL $85\n    STAL [$030000]\n    CALL $030000\n    CALL $030001\n    RET\n";
    let folder = Folder::with(&[("test_a.sda", source), ("test_b.sda", "    RET\n")]);
    let checked = folder.run(&["test", ".", "--sanitize"]).ends_with(1);
    assert!(checked.out.contains("executing $030001"), "{}", checked.out);
    assert!(checked.out.ends_with("1 passed, 1 failed\n"));
    folder.write("test_a.sda", format!("; sanitize\n{source}"));
    assert!(folder.run(&["test", "."]).ends_with(1).out.contains("executing $030001"));
}

#[test]
fn slips_in_the_command_line() {
    let folder = Folder::with(&[("empty/readme", ""), ("test_a.sda", "    RET\n")]);
    folder.run(&["test", "none"]).ends_with(2).says(&["cannot read none"]);
    folder.run(&["test", "empty"]).ends_with(2).says(&["test_*.sda", "empty"]);
    folder.write("a.prg", b"SDX1\xFF");
    folder.run(&["test", "a.prg"]).ends_with(2).says(&["a.prg is no unit program", ".sda files"]);
    folder.run(&["test", "-I", "none"]).ends_with(2).says(&["there is no such folder"]);
    folder.run(&["test", "test_a.sda", "--max", "-1"]).ends_with(2).says(&["write 255"]);
    folder.run(&["test", "test_a.sda", "--max", "x"]).ends_with(2).says(&["--max"]);
    let outcome = folder.run(&["test", "test_a.sda", "--max", "1"]).ends_with(1);
    assert!(outcome.out.contains("did not end within"), "{}", outcome.out);
}
