//! Work is bounded: what no person would write may be given up, said so, but
//! it takes no time without end.

use std::io;
use std::path::Path;

use super::analysis::summaries;
use super::routine::Routines;
use super::{Rules, lint};
use crate::{Assembly, Files, Options, assemble};

struct Source(String);

impl Files for Source {
    fn read(&self, _: &Path) -> io::Result<Vec<u8>> {
        Ok(self.0.clone().into())
    }

    fn exists(&self, _: &Path) -> bool {
        false
    }
}

fn assembled(lines: impl Iterator<Item = String>) -> Assembly {
    // Above the areas that an image leaves alone.
    let text: Vec<String> = [".address $030000".into()].into_iter().chain(lines).collect();
    let assembly = assemble(&["a.sda".into()], &Source(text.join("\n")), &Options::default());
    assert!(assembly.program.is_some(), "{}", assembly.diagnostics.render(false));
    assembly
}

/// How often an instruction is looked at on average, and how many routines
/// are given up.
fn work(assembly: &Assembly) -> (usize, usize) {
    let program = assembly.program.as_ref().unwrap();
    let routines = Routines::of(program);
    let list = routines.all();
    let (summaries, visits) = summaries(&routines, &list);
    let instructions = program.statements().iter().filter(|one| one.code).count();
    let given_up = summaries.values().filter(|summary| summary.unknown).count();
    let walked = list.values().map(|routine| routine.steps.len()).sum::<usize>();
    assert!(walked <= 100_000 + 8 * instructions, "{walked} instructions in all routines");
    (visits.div_ceil(instructions), given_up)
}

/// Numbers below `below` that look like chance.
fn chance(below: usize) -> impl FnMut() -> usize {
    let mut seed = 1u32;
    move || {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (seed >> 8) as usize % below
    }
}

#[test]
fn ten_thousand_jumps_anywhere_are_followed() {
    let mut next = chance(10_000);
    let registers = ["A", "BL", "ELM", "FLD", "CD", "GH"];
    let jumps = ["JZ", "JNC", "JMP", "JN", "JC", "JNZ"];
    let lines = (0..10_000).map(|at| {
        let (register, jump, to) = (registers[next() % 6], jumps[next() % 6], next());
        let what = if at % 3 == 0 { "INC " } else { "LD" };
        let value = if at % 3 == 0 { "" } else { " 5" };
        format!(".l{at}: {what}{register}{value}\n    {jump} .l{to}")
    });
    let assembly = assembled(lines.chain(["    RET".into()]));
    let (visits, given_up) = work(&assembly);
    assert!(visits <= 40, "{visits} visits of each");
    assert_eq!(given_up, 0);
}

#[test]
fn routines_that_all_call_all_settle_in_a_few_rounds() {
    let routines = 44;
    let lines = (0..routines).flat_map(|at| {
        let calls = (0..routines).map(|to| format!("    CALL r{to}"));
        let begin = [format!("r{at}: JZ .end")];
        begin.into_iter().chain(calls).chain([".end: LDA 5".into(), "    RET".into()])
    });
    let (visits, given_up) = work(&assembled(lines));
    assert!(visits <= 8, "{visits} visits of each");
    assert_eq!(given_up, 0);
}

#[test]
fn entries_into_the_middle_of_each_other_are_not_all_walked() {
    let entries = 5000;
    let code = (0..entries).map(|at| format!("l{at}: INC A"));
    let table = (0..entries).map(|at| format!("    .ptrs @l{at}"));
    let start = ["    JMPR ELM".to_string()].into_iter();
    let assembly =
        assembled(start.chain(code).chain(["    RET".into(), "table:".into()]).chain(table));
    let (_, given_up) = work(&assembly);
    assert!(given_up > 0, "nothing was left out");
    assert_eq!(lint(&assembly, &Rules::default()).given_up.len(), given_up);
}

#[test]
fn a_stack_that_only_grows_is_given_up() {
    let pushes = (0..5000).map(|_| "    PUSHA".to_string());
    let jumps = (0..5000).map(|at| format!("    JZ .l{at}\n.l{at}: INC A"));
    let assembly = assembled(pushes.chain(jumps).chain(["    RET".into()]));
    let report = lint(&assembly, &Rules::default());
    assert_eq!(report.given_up, ["$030000"]);
}

#[test]
fn a_line_of_many_labels_is_read_once() {
    let labels = 20_000;
    let code = (0..labels).map(|at| format!("l{at}: RET"));
    let names: Vec<String> = (0..labels).map(|at| format!("@l{at}")).collect();
    let table = format!("table: .ptrs {}", names.join(", "));
    let (visits, given_up) = work(&assembled(code.chain([table])));
    assert_eq!((visits, given_up), (1, 0));
}
