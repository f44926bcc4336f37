//! `vc3 fmt` as a user types it.

mod support;

use std::io::Write;
use std::process::Stdio;

use support::Folder;

const UGLY: &str = "start: lda 5;five\r\n\r\n\r\n ret";
const NEAT: &str = "start:\n    LDA 5                               ;five\n\n    RET\n";

#[test]
fn files_and_folders_are_formatted_in_place() {
    let folder = Folder::with(&[
        ("a.sda", UGLY),
        ("below/deep/b.sda", UGLY),
        ("below/notes.txt", UGLY),
        ("other.sda", UGLY),
    ]);
    let outcome = folder.run(&["fmt", "a.sda", "below"]).ends_with(0);
    assert_eq!((outcome.out.as_str(), outcome.err.as_str()), ("", ""));
    assert_eq!(folder.text("a.sda"), NEAT);
    assert_eq!(folder.text("below/deep/b.sda"), NEAT);
    assert_eq!(folder.text("below/notes.txt"), UGLY);
    assert_eq!(folder.text("other.sda"), UGLY);
}

#[test]
fn check_names_what_would_change_and_changes_nothing() {
    let folder = Folder::with(&[("a.sda", UGLY), ("b.sda", NEAT), ("c/d.sda", UGLY)]);
    let outcome = folder.run(&["fmt", "--check", "."]).ends_with(1);
    assert_eq!((outcome.out.as_str(), outcome.err.as_str()), ("a.sda\nc/d.sda\n", ""));
    assert_eq!(folder.text("a.sda"), UGLY);
    assert_eq!(folder.run(&["fmt", "--check", "b.sda"]).ends_with(0).out, "");
}

#[test]
fn a_formatted_file_is_not_written_again() {
    let folder = Folder::with(&[("a.sda", NEAT)]);
    let written = || folder.path("a.sda").metadata().unwrap().modified().unwrap();
    let before = written();
    folder.run(&["fmt", "a.sda"]).ends_with(0);
    assert_eq!(written(), before);
    assert_eq!(folder.names(), ["a.sda"]);
}

#[test]
fn one_bad_file_and_none_is_changed() {
    let folder = Folder::with(&[("a.sda", UGLY), ("x.txt", "")]);
    folder.write("b.sda", b"NOP\n; \xFF\n");
    let outcome = folder.run(&["fmt", "."]).ends_with(2);
    assert_eq!(outcome.err, "vc3: b.sda:2: the source is not UTF-8; no file was changed\n");
    assert_eq!(folder.text("a.sda"), UGLY);
    folder.run(&["fmt", "a.sda", "x.txt"]).ends_with(2);
    folder.run(&["fmt", "a.sda", "none.sda"]).ends_with(2);
    folder.run(&["fmt"]).ends_with(2);
    folder.run(&["fmt", "a.sda", "-"]).ends_with(2);
    assert_eq!(folder.text("a.sda"), UGLY);
}

#[test]
fn errors_in_a_source_are_no_hindrance() {
    let folder = Folder::with(&[("a.sda", "  mov A\n  lda \"open\n banana\n")]);
    folder.run(&["fmt", "a.sda"]).ends_with(0);
    assert_eq!(folder.text("a.sda"), "    MOV A\n  lda \"open\n    banana\n");
}

#[test]
fn the_standard_input_goes_to_the_standard_output() {
    let folder = Folder::new();
    let fmt = |args: &[&str], input: &str| {
        let mut child = folder
            .command(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("vc3 runs");
        child.stdin.take().expect("a pipe").write_all(input.as_bytes()).expect("written");
        let output = child.wait_with_output().expect("vc3 ends");
        (output.status.code(), String::from_utf8(output.stdout).expect("text"))
    };
    assert_eq!(fmt(&["fmt", "-"], UGLY), (Some(0), NEAT.into()));
    assert_eq!(fmt(&["fmt", "--check", "-"], UGLY), (Some(1), "-\n".into()));
    assert_eq!(fmt(&["fmt", "--check", "-"], NEAT), (Some(0), "".into()));
}
