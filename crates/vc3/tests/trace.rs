//! `vc3 trace` as a user types it.

mod support;

use support::{Folder, Outcome};

const PROGRAM: &str = "
main:   LDELM @data
        LDB [ELM + 2]
        ADD BL, 1
        CALL @twice
        SED
        PUSH B
        STB [@data]
        CLD
        POP C
        MEMCOPY FLD, ELM, C
        RET
twice:  SHL B
        RET
data:   .words 1, 2
";

fn trace(args: &[&str]) -> Outcome {
    let folder = Folder::with(&[("a.sda", PROGRAM)]);
    folder.run(&[&["trace", "a.sda"], args].concat())
}

#[test]
fn every_instruction_with_what_it_changed() {
    insta::assert_snapshot!(trace(&[]).ends_with(0).out);
}

#[test]
fn only_what_is_flagged() {
    let out = trace(&["--flagged"]).ends_with(0).out;
    insta::assert_snapshot!(out);
}

#[test]
fn from_one_label_to_another() {
    let out = trace(&["--from", "twice", "--to", "twice+2"]).ends_with(0).out;
    assert_eq!(out.lines().count(), 2, "{out}");
    assert!(out.contains("SHL B") && out.contains("RET"));
    let out = trace(&["--from", "$020100", "--to", "main"]).ends_with(0).out;
    assert_eq!(out.lines().count(), 1);
    trace(&["--from", "nowhere"]).ends_with(2).says(&["--from", "no label nowhere"]);
    trace(&["--to", "$1000000"]).ends_with(2).says(&["--to"]);
}

#[test]
fn only_the_last_lines() {
    let all = trace(&[]).out;
    let out = trace(&["--last", "3"]).ends_with(0).out;
    assert!(all.ends_with(&out) && out.lines().count() == 3, "{out}");
    assert_eq!(trace(&["--last", "0"]).ends_with(0).out, "");
    trace(&["--last", "x"]).ends_with(2).says(&["--last"]);
}

#[test]
fn json_for_tools() {
    let out = trace(&["--json", "--last", "1"]).ends_with(0).out;
    insta::assert_snapshot!(out);
    for line in trace(&["--json"]).ends_with(0).out.lines() {
        let value: serde_json::Value = serde_json::from_str(line).expect("one object a line");
        assert!(value["units"].is_u64() && value["text"].is_string());
    }
}

#[test]
fn an_instruction_that_waits_is_listed_when_it_has_been_served() {
    let source = "    LDB 3\n    LDAH 7\n    INT $10\n    LDAH 2\n    INT $10\n    RET\n";
    let folder = Folder::with(&[("a.sda", source)]);
    let out = folder.run(&["trace", "a.sda", "--keys", "x"]).ends_with(0).out;
    assert_eq!(out.lines().count(), 8, "{out}");
    assert!(out.lines().nth(4).is_some_and(|line| line.contains("A=0278")), "{out}");
}

#[test]
fn a_trace_ends_as_the_run_does() {
    let folder =
        Folder::with(&[("a.sda", "start: NOP\n    .bytes 255\n"), ("b.sda", "x: JMP x\n")]);
    let outcome = folder.run(&["trace", "a.sda"]).ends_with(70);
    assert_eq!(outcome.out.lines().count(), 1);
    outcome.says(&["illegal opcode", "start+1"]);
    let outcome = folder.run(&["trace", "b.sda", "--max", "5"]).ends_with(75);
    assert_eq!(outcome.out.lines().count(), 5);
}
