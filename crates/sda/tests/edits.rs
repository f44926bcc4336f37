//! The edits that messages suggest: the line as it becomes, which then has
//! nothing wrong any more.

use std::io;
use std::path::Path;

use sda::{Diagnostics, Files, Options, assemble};

struct Source<'a>(&'a str);

impl Files for Source<'_> {
    fn read(&self, _: &Path) -> io::Result<Vec<u8>> {
        Ok(self.0.into())
    }

    fn exists(&self, _: &Path) -> bool {
        false
    }
}

fn messages(source: &str) -> Diagnostics {
    assemble(&["a.sda".into()], &Source(source), &Options::default()).diagnostics
}

/// The source with the first suggested edit made.
fn edited(source: &str) -> Option<String> {
    let messages = messages(source);
    let (place, text) = messages.iter().find_map(|one| messages.edit(one))?;
    let mut edited = source.to_string();
    edited.replace_range(place.bytes, text);
    Some(edited)
}

#[test]
fn a_slip_of_another_language_becomes_ours() {
    let slips = [
        ("LD A, 5", "LDA 5"),
        ("ld elm, @name", "ldelm @name"),
        ("ST A , [ELM]", "STA [ELM]"),
        ("LD A, B", "MOV A, B"),
        ("MOV A, 5", "LDA 5"),
        ("mov bl, [elm + 3]", "ldbl [elm + 3]"),
        ("LDA A, 5", "LDA 5"),
        ("STBL BL, [name]", "STBL [name]"),
        ("LDB AL", "MOVZX B, AL"),
        ("LDA (ELM)", "LDA [ELM]"),
        ("loop", "loop:"),
        ("DB 1", ".bytes 1"),
        (".equ WIDE = 1 + 2", ".equ WIDE 1 + 2"),
        (".equ WIDE, 1 + 2", ".equ WIDE 1 + 2"),
    ];
    for (slip, right) in slips {
        let source = |line: &str| format!("name: NOP\n    {line}\n    JMP name\n");
        assert_eq!(edited(&source(slip)), Some(source(right)), "{slip}");
        assert!(!messages(&source(right)).has_errors(), "{right}");
    }
}

#[test]
fn a_constant_that_is_written_wrong_exists_all_the_same() {
    for slip in [".equ WIDE = 5", ".equ WIDE, 5", ".equ WIDE", ".equ WIDE =", "WIDE = +"] {
        let messages = messages(&format!("{slip}\n    LDA WIDE\n    LDB WIDE * 2\n    RET\n"));
        assert_eq!(messages.error_count(), 1, "{slip}: {}", messages.render(false));
    }
}

#[test]
fn what_one_call_of_a_macro_gets_is_not_written_into_its_body() {
    for body in ["LDA \\x", "LDA (\\x)", "MOV A, \\x", "LD \\x, 5", ".equ C = \\x"] {
        for distance in [0, 5000] {
            let comment = "; ".repeat(distance);
            let source = format!(".macro m x\n    {body}\n.endm\n{comment}\n    m B\n    m 5\n");
            assert!(messages(&source).has_errors(), "{body}");
            assert_eq!(edited(&source), None, "{body}");
        }
    }
    // A mistake that lies in the argument alone is mended there.
    let source = |line: &str| format!(".macro m x\n    MOV AL, \\x\n.endm\n    m {line}\n");
    assert_eq!(edited(&source("B")), Some(source("BL")));
}
