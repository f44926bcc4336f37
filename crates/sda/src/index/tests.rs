//! What an index tells from a text.

use super::*;

/// Every occurrence as `text@start role`, in order.
fn shown(source: &str) -> Vec<String> {
    let index = Index::new(source);
    let show = |one: &Occurrence| {
        let space = match one.space {
            Space::Program => String::new(),
            Space::Body(number) => format!("in body {number} "),
            Space::Macros => "macro ".into(),
        };
        let role = match one.role {
            Role::Definition(kind) => format!("{kind:?}"),
            Role::Use => "use".into(),
            Role::Argument(name, at) => format!("argument {at} of {}", index.text(name)),
        };
        format!("{space}{} `{}` {role}", index.text(one.name), &source[one.range.clone()])
    };
    index.occurrences().iter().map(show).collect()
}

#[test]
fn labels_locals_and_their_uses() {
    let source =
        "main: LDELM @text\n.loop: JNZ .loop ; no@name\n  JMP A\nA: MOV A, BL\n  LDA @main.loop\n";
    assert_eq!(
        shown(source),
        [
            "main `main` Label",
            "text `text` use",
            "main.loop `.loop` Local",
            "main.loop `.loop` use",
            "A `A` use",
            "A `A` Label",
            "main `main` use",
            "main.loop `loop` use",
        ]
    );
}

#[test]
fn constants_structures_and_variables() {
    let source = ".struct OBJ\nhp .words COUNT\n.ends\n.equ N OBJ.size\nM = lo(N) + hi\n.page $1000, 16\n.var seen, OBJ.hp\n.endp\n";
    assert_eq!(
        shown(source),
        [
            "OBJ `OBJ` Struct",
            "OBJ.hp `hp` Field",
            "COUNT `COUNT` use",
            "OBJ.size `.ends` Field",
            "N `N` Constant",
            "OBJ `OBJ` use",
            "OBJ.size `size` use",
            "M `M` Constant",
            "N `N` use",
            "hi `hi` use",
            "seen `seen` Variable",
            "OBJ `OBJ` use",
            "OBJ.hp `hp` use",
        ]
    );
}

#[test]
fn a_body_has_its_own_labels() {
    let source = ".macro twice name, count\nloop\\@: DEC \\count\n JNZ loop\\@\n CALL print\n\\name: RET\n.endm\nstart: twice other, A\n";
    assert_eq!(
        shown(source),
        [
            "macro twice `twice` Macro",
            "in body 0 \\name `name` Parameter",
            "in body 0 \\count `count` Parameter",
            "in body 0 loop\\@ `loop` Label",
            "in body 0 \\count `count` use",
            "in body 0 loop\\@ `loop` use",
            "print `print` use",
            "in body 0 \\name `name` use",
            "start `start` Label",
            "macro twice `twice` use",
            "other `other` argument 0 of twice",
        ]
    );
    let index = Index::new(source);
    assert_eq!(index.macros()[0].parameters, ["name", "count"]);
    assert_eq!(index.macros()[0].defines, [0]);
}

#[test]
fn files_that_a_source_asks_for() {
    let index =
        Index::new("\u{FEFF}.include \"a.sda\"\r\n.incbin \"b.bin\", 1\r\n.include oops\r\n");
    let list: Vec<_> =
        index.inclusions().iter().map(|one| (one.file.as_str(), one.is_source)).collect();
    assert_eq!(list, [("a.sda", true), ("b.bin", false)]);
    assert_eq!(index.inclusions()[0].range, 13..18);
}

#[test]
fn any_text_has_an_index() {
    for source in [
        "",
        ":",
        ".macro",
        ".macro m\n.macro n\n",
        "\\x:",
        ".ends\n.endm",
        "a.b: c.d.e",
        "\"",
        "x\\@\\@=1",
    ] {
        Index::new(source);
        for column in 0..=source.len() + 1 {
            word_at(source, column);
        }
        cursor(source);
    }
}

#[test]
fn words_at_a_place() {
    let kind = |line: &str, column| word_at(line, column).map(|word| word.kind);
    let mnemonic = |line: &str, column| match kind(line, column) {
        Some(WordKind::Mnemonic { name, glued, .. }) => Some((name, glued.map(isa::Reg::name))),
        _ => None,
    };
    assert_eq!(mnemonic("x: LDELM [A]", 4), Some(("LD", Some("ELM"))));
    assert_eq!(mnemonic("jae x", 0), Some(("JAE", None)));
    assert_eq!(mnemonic("JA = 4", 0), None);
    assert_eq!(kind("INC [A]", 6), Some(WordKind::Register(isa::Reg::by_name("A").unwrap())));
    assert_eq!(kind("LDA %101", 5), Some(WordKind::Value(5)));
    assert_eq!(kind("x = 7 % 10", 9), Some(WordKind::Value(10)));
    assert_eq!(kind("x = 7 %10", 9), Some(WordKind::Value(10)));
    assert_eq!(kind("CMP AL, 'A'", 9), Some(WordKind::Value(65)));
    assert_eq!(kind("LDA lo(x)", 5), Some(WordKind::Function("lo")));
    assert!(matches!(kind(".WORDS 1", 3), Some(WordKind::Directive("words", _))));
    assert_eq!(kind("NOP ; INC A", 8), None);
}

#[test]
fn what_is_being_typed() {
    let at = |line: &str| {
        let cursor = cursor(line);
        (line[cursor.start..].to_string(), cursor.place)
    };
    let word = |text: &str, place| (text.to_string(), place);
    let operand = |label, behind_at| Place::Operand { label, behind_at };
    assert_eq!(at(""), word("", Place::Statement));
    assert_eq!(at("main: LDE"), word("LDE", Place::Statement));
    assert_eq!(at("  .by"), word(".by", Place::Dotted));
    assert_eq!(at("  JMP ma"), word("ma", operand(true, false)));
    assert_eq!(at("  JMP .lo"), word(".lo", Place::Local));
    assert_eq!(at("  JTAB I, 4, "), word("", operand(true, false)));
    assert_eq!(at("  LDELM @"), word("", operand(false, true)));
    assert_eq!(at("  LDA [ELM + OBJ.h"), word("h", Place::Field("OBJ".into())));
    assert_eq!(at("  LDA OBJ."), word("", Place::Field("OBJ".into())));
    assert_eq!(at("  LDA \\c"), word("\\c", Place::Parameter));
    assert_eq!(at(".include \"../li"), word("../li", Place::File { is_source: true }));
    assert_eq!(at(".clobbers A, "), word("", Place::Promise));
    assert_eq!(at("  NOP ; com").1, Place::Nothing);
    assert_eq!(at("  LDA $1").1, Place::Nothing);
    assert_eq!(at(".equ na").1, Place::Nothing);
    assert_eq!(at(".ascii \"te").1, Place::Nothing);
}
