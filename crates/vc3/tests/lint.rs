//! `vc3 lint`: our own programs are clean; what is said, and how it ends.

mod support;

use std::path::Path;
use std::process::Command;

use support::Folder;

const WRONG: &str = "start:\n    CALL @f\n    RET\nf:\n    PUSH A\n    RET\n";

/// The programs that ship stay without a finding, with few notes that allow
/// one. `.ci/run` looks at all of their unit programs, too.
#[test]
fn our_own_programs_have_no_findings() {
    let programs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs");
    for program in ["rogueima/rogueima.sda", "shell/shell.sda", "lib"] {
        let mut vc3 = Command::new(env!("CARGO_BIN_EXE_vc3"));
        let output = vc3.arg("lint").arg(programs.join(program)).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && said.is_empty(), "{said}");
    }
    assert!(notes(&programs) <= 10, "{} notes allow findings", notes(&programs));
}

/// The notes that allow a finding, in the sources below a folder.
fn notes(folder: &Path) -> usize {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let count = |path: &Path| match path.is_dir() {
        true => notes(path),
        false => std::fs::read_to_string(path).unwrap_or_default().matches("lint: allow L").count(),
    };
    entries.map(|path| count(&path)).sum()
}

#[test]
fn a_finding_ends_with_1_and_nothing_is_written() {
    let folder = Folder::with(&[("a.sda", WRONG)]);
    let run = folder.run(&["lint", "a.sda"]).ends_with(1);
    assert!(run.out.is_empty());
    assert!(run.err.starts_with("a.sda:6:5: warning[L0301]: `f` returns with 2 bytes still"));
    assert!(run.err.contains("a.sda:5:5"), "the other place: {}", run.err);
    assert!(!folder.path("a.prg").exists());

    let run = folder.run(&["lint", "a.sda", "--deny", "l0301"]).ends_with(1);
    assert!(run.err.starts_with("a.sda:6:5: error[L0301]"), "{}", run.err);
    for all in [["-W", "error"], ["-W", "L0301"], ["--deny", "all"]] {
        let run = folder.run(&[&["lint", "a.sda"], &all[..]].concat()).ends_with(1);
        assert!(run.err.starts_with("a.sda:6:5: error[L0301]"), "{all:?}: {}", run.err);
    }
    assert!(folder.run(&["lint", "a.sda", "-A", "L0301"]).ends_with(0).err.is_empty());
    folder.run(&["lint", "a.sda", "-A", "L9999"]).ends_with(2);
    folder.run(&["lint", "none.sda"]).ends_with(2);
    folder.run(&["lint"]).ends_with(2);

    let run = folder.run(&["lint", "a.sda", "--message-format", "json"]).ends_with(1);
    assert!(run.err.starts_with("{\"code\":\"L0301\",\"severity\":\"warning\""), "{}", run.err);
    assert_eq!(run.err.lines().count(), 1);
}

/// The assembler's warnings can be denied, too, and do not keep lint from
/// looking further.
#[test]
fn warnings_that_are_denied_are_errors_beside_findings() {
    let source = format!("{WRONG}unused:\n    RET\n");
    let folder = Folder::with(&[("a.sda", &source)]);
    for denied in ["error", "w0301"] {
        let run = folder.run(&["lint", "a.sda", "-W", denied]).ends_with(1);
        assert!(run.err.contains("a.sda:7:1: error[W0301]"), "{denied}: {}", run.err);
        assert!(run.err.contains("[L0301]"), "{denied}: {}", run.err);
    }
    let run = folder.run(&["lint", "a.sda", "-A", "W0301,L0301"]).ends_with(0);
    assert!(run.err.is_empty(), "{}", run.err);
    folder.run(&["lint", "a.sda", "-W", "E0201"]).ends_with(2);
}

/// In a folder every source that no other one includes is a program; what two
/// include is said once, and a note is of use when one of them needs it.
#[test]
fn a_folder_is_its_programs() {
    let shared =
        "f:\n    PUSH A\n    RET         ; lint: allow L0301 to show it\ng:\n    POP A\n    RET\n";
    let folder = Folder::with(&[
        ("one.sda", "start: CALL @f\n    CALL @g\n    RET\n.include \"shared.inc.sda\"\n"),
        ("two.sda", "start: CALL @g\n    RET\n  .INCLUDE \"shared.inc.sda\"\n"),
        ("shared.inc.sda", shared),
    ]);
    let run = folder.run(&["lint", "."]).ends_with(1);
    assert_eq!(run.err.matches("warning[").count(), 1, "{}", run.err);
    assert!(run.err.contains("shared.inc.sda:5:5: warning[L0302]"), "{}", run.err);
}

#[test]
fn promises_are_written_to_be_copied() {
    let folder = Folder::with(&[(
        "a.sda",
        "start:\n    CALL @f\n    RET\nf:\n    PUSH B\n    LDB 1\n    LDELM $30000\n    LDAL [ELM]\n    POP B\n    SETF $20\n    RET\n",
    )]);
    let run = folder.run(&["lint", "--promises", "a.sda"]).ends_with(0);
    assert!(run.out.contains("a.sda:4: f: .pure .clobbers AL, ELM .returns CF\n"), "{}", run.out);
}

#[test]
fn errors_of_the_source_are_said_and_nothing_else() {
    let folder = Folder::with(&[("a.sda", "start:\n    PUSH A\n    LDBL AL\n    RET\n")]);
    let run = folder.run(&["lint", "a.sda"]).ends_with(1);
    assert!(run.err.starts_with("a.sda:3:10: error[E0404]"), "{}", run.err);
    assert!(!run.err.contains("L0301"));
}
