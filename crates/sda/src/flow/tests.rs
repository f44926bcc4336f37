use std::path::{Path, PathBuf};

use super::*;
use crate::{Files, Options, Program, assemble};

struct One(&'static str);

impl Files for One {
    fn read(&self, _: &Path) -> std::io::Result<Vec<u8>> {
        Ok(self.0.into())
    }

    fn exists(&self, _: &Path) -> bool {
        true
    }
}

fn program(text: &'static str) -> Program {
    let assembly = assemble(&[PathBuf::from("x.sda")], &One(text), &Options::default());
    let messages = assembly.diagnostics.render(false);
    assembly.program.unwrap_or_else(|| panic!("{messages}"))
}

/// The labels of what is reached, in order; what a path strays to.
fn reached(text: &'static str) -> (Vec<String>, Vec<String>) {
    let program = program(text);
    let image = Image::of_segments(&program.segments);
    let flow = Flow::follow(&image, [program.entry], &|_| true);
    let name = |at: u32| match program.symbols.nearest(at) {
        Some((name, 0)) => name.to_string(),
        Some((name, more)) => format!("{name}+{more}"),
        None => format!("{at:06X}"),
    };
    let starts = flow.blocks().map(|block| name(block.start)).collect();
    (starts, flow.strays().map(|stray| name(stray.to)).collect())
}

#[test]
fn text_behind_a_return_is_no_code() {
    let (blocks, strays) = reached("start: CALL @f\n RET\ntext: .asciiz \"no\"\nf: RET\n.res 1");
    assert_eq!(blocks, ["start", "f"]);
    assert!(strays.is_empty());
}

#[test]
fn nothing_follows_a_call_that_never_returns() {
    let source = "start: CALL @die\ntext: .asciiz \"no\"\ndie: NOP\n.l: BRA .l";
    let (blocks, strays) = reached(source);
    assert_eq!(blocks, ["start", "die", "die.l"]);
    assert!(strays.is_empty());
}

#[test]
fn an_exit_ends_a_path_only_when_ah_is_surely_0() {
    assert_eq!(reached("start: LDA 5\n INT $20\ntext: .bytes 255").0, ["start"]);
    assert_eq!(reached("start: XOR A, A\n INT $20\ntext: .bytes 255").1, [""; 0]);
    assert_eq!(reached("start: SUB AB, AB\n INT $20\ntext: .bytes 255").1, [""; 0]);
    assert_eq!(reached("start: XOR AL, AL\n INT $20\ntext: .bytes 255").1, ["text"]);
    let both = "start: LDAH 0\n JZ two\n LDAH 1\ntwo: INT $20\nmore: .bytes 255";
    let (blocks, strays) = reached(both);
    assert_eq!(blocks, ["start", "start+7", "two"]);
    assert_eq!(strays, ["more"]);
}

#[test]
fn a_jump_table_is_data_and_leads_on() {
    let source =
        "start: JTAB I, 2, @table\n RET\ntable: .ptrs @one, @two\none: RET\ntwo: RET\nno: RET";
    let (blocks, strays) = reached(source);
    assert_eq!(blocks, ["start", "start+7", "one", "two"]);
    assert!(strays.is_empty());
}

#[test]
fn a_jump_into_an_instruction_strays() {
    let program = program("start: LDA $8585\n JMP start + 2\n");
    let image = Image::of_segments(&program.segments);
    let flow = Flow::follow(&image, [program.entry], &|_| true);
    let strays: Vec<_> = flow.strays().collect();
    let what = Stop::Within(program.entry);
    assert_eq!(strays, [Stray { from: Some(program.entry + 4), to: program.entry + 2, what }]);
}

#[test]
fn mutual_recursion_returns() {
    let source = "start: CALL @even\n RET\neven: DEC A\n JZ .end\n CALL @odd\n.end: RET\nodd: DEC A\n CALL @even\n RET\n";
    let (blocks, _) = reached(source);
    assert_eq!(blocks, ["start", "even", "even+6", "even.end", "odd"]);
}

#[test]
fn sixteen_megabytes_of_jump_tables_are_bounded() {
    // JTAB A, 65535, itself: every table is the rest of the image.
    let mut bytes = Vec::new();
    for at in 0..(1u32 << 16) {
        let [low, high, bank, _] = (7 * at).to_le_bytes();
        bytes.extend([175, 0, 0xFF, 0xFF, low, high, bank]);
    }
    let image = Image::new([(0, bytes.as_slice())]);
    let flow = Flow::follow(&image, [0], &|_| true);
    assert!(flow.steps().count() > 1000);
}
