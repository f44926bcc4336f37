//! What becomes of single lines, of neighbours and of whole small sources.

use super::format;

/// Each line of `before` alone, but for its end.
#[track_caller]
fn line(before: &str, after: &str) {
    assert_eq!(format(before), format!("{after}\n"), "{before:?}");
    assert_eq!(format(after), format!("{after}\n"), "{after:?}");
}

#[test]
fn blanks_between_tokens() {
    line("LDA   5", "    LDA 5");
    line("\tMOV\tA ,B", "    MOV A, B");
    line("    LDA[$1:$C000]", "    LDA [$1:$C000]");
    line("    LDA [ E : M+I ]", "    LDA [E:M + I]");
    line("    LDAL [ELM-3]", "    LDAL [ELM - 3]");
    line("    LDA ( 1+2 )*-3", "    LDA (1 + 2) * -3");
    line("    LDA # 5", "    LDA #5");
    line("    LDELM @ label+1", "    LDELM @label + 1");
    line("    LDA ~ $0F&1<<3", "    LDA ~$0F & 1 << 3");
    line("    LDA $+5", "    LDA $ + 5");
    line("    .bytes 'a','b',\"c,  d\"", "    .bytes 'a', 'b', \"c,  d\"");
    line("    SUB A, - -5", "    SUB A, --5");
}

#[test]
fn a_percent_sign_stays_what_it_is() {
    line("    LDA %101%3", "    LDA %101 % 3");
    line("    LDA 7%%101", "    LDA 7 % %101");
    line(".equ MASK %1010", ".equ MASK           %1010");
    line(".equ REST 10 %3", ".equ REST           10 % 3");
    line("    m X %101", "    m X %101");
    line("    m X % 101", "    m X % 101");
    line("    LDA \\p %101", "    LDA \\p %101");
}

#[test]
fn case_of_the_languages_own_words() {
    line("    ldelm [flD+i]", "    LDELM [FLD + I]");
    line("    mov al,bl", "    MOV AL, BL");
    line("    .BYTES LO(x), 0Xff, $c0_de, 0B11", "    .bytes lo(x), 0xFF, $C0_DE, 0b11");
    line("Start:", "Start:");
    line("    ja Elm", "    JA Elm");
    line("    .clobbers elm, A", "    .clobbers ELM, A");
    line("    .Returns cf", "    .returns CF");
}

#[test]
fn names_that_look_like_the_languages_words_are_left_alone() {
    line("    jmp a", "    JMP a");
    line("    jtab i, 2, @a", "    JTAB I, 2, @a");
    line("    ldb @a", "    LDB @a");
    line(".Bytes:", ".Bytes:");
    line("mov:", "mov:");
    line("a = 5", "a = 5");
    line(".equ b 5", ".equ b              5");
    line("    draw a, lo(x)", "    draw a, lo(x)");
    line("    call \\p a", "    CALL \\p a");
    line("mov .words 1", "    mov .words 1");
    assert_eq!(format(".struct S\nmov .WORDS 1\n.ends"), ".struct S\nmov     .words 1\n.ends\n");
}

#[test]
fn words_that_a_macro_joins_stay_joined() {
    line("    LD\\reg 5", "    LD\\reg 5");
    line("loop\\@: NOP", "loop\\@: NOP");
    line("    BNZ loop\\@", "    BNZ loop\\@");
    line("\\p: NOP", "\\p: NOP");
    line("    \\op  a,b", "    \\op a, b");
}

#[test]
fn an_error_before_a_colon_does_not_become_two() {
    // Outside of a macro nothing expands the `\@`: no label, but one error.
    line("LDA\\@ : @ LDA", "LDA\\@: @ LDA");
    line("KL\\@:] word", "KL\\@: ] word");
    line("a: loop\\@: .b: NOP", "a: loop\\@: .b: NOP");
    assert_eq!(format("x\\@: .bytes 1\n.bytes 2"), "x\\@: .bytes 1\n    .bytes 2\n");
}

#[test]
fn labels_leave_their_statements_but_not_single_data() {
    line("a:b: .loop : NOP ; x", "a:\nb:\n.loop:\n    NOP                                 ; x");
    line("text:   .asciiz \"x\"", "text:   .asciiz \"x\"");
    line("x: .endm", "x: .endm");
    assert_eq!(
        format("data: .bytes 1\n .bytes 2\nlast: .res 1"),
        "data:\n    .bytes 1\n    .bytes 2\nlast:   .res 1\n"
    );
}

#[test]
fn blocks_are_indented() {
    let source = "\
.macro m x
.if \\x
nop
.else
again:
.rept 2
.bytes 1
.endr
.endif
ret
.endm
.ifdef DEBUG
DEEP = 1
.endif
.endif
nop
";
    let formatted = "\
.macro m x
    .if \\x
        NOP
    .else
again:
        .rept 2
            .bytes 1
        .endr
    .endif
    RET
.endm
.ifdef DEBUG
    DEEP = 1
.endif
.endif
    NOP
";
    assert_eq!(format(source), formatted);
}

#[test]
fn neighbours_stand_in_columns() {
    let source = "\
.equ A 1
; between
.equ A_NAME_OF_MANY_LETTERS 2
X = 1
LONGER = 2

one: .res 1
three: .res 3
.struct S
a .bytes 1 ; it
longest .words 2
.ends
";
    let formatted = "\
.equ A                      1
; between
.equ A_NAME_OF_MANY_LETTERS 2
X      = 1
LONGER = 2

one:    .res 1
three:  .res 3
.struct S
a       .bytes 1                        ; it
longest .words 2
.ends
";
    assert_eq!(format(source), formatted);
}

#[test]
fn a_list_is_a_table_when_somebody_began_one() {
    let source = ".bytes 'K',@north,  1\n.bytes KEY_UP,@up,2\n\n.bytes 1,2\n.bytes 10,2";
    let formatted = "    .bytes 'K',    @north, 1\n    .bytes KEY_UP, @up,    2\n\n    \
                     .bytes 1, 2\n    .bytes 10, 2\n";
    assert_eq!(format(source), formatted);
    assert_eq!(format(formatted), formatted);
}

#[test]
fn comments_stand_in_a_column_and_keep_their_text() {
    let source = "\
;first   column
   ; of the code
nop//two
lda 5 ;  three
      ;  goes on
nop
    ; before a label
there:
.bytes \"a string that is long\", 1 ; far
ret ; near
";
    let formatted = "\
;first   column
    ; of the code
    NOP                                 //two
    LDA 5                               ;  three
                                        ;  goes on
    NOP
    ; before a label
there:
    .bytes \"a string that is long\", 1   ; far
    RET                                 ; near
";
    assert_eq!(format(source), formatted);
    assert_eq!(format(formatted), formatted);
}

#[test]
fn lines_end_and_blank_lines_come_singly() {
    assert_eq!(format("\u{FEFF}\r\n\r\nNOP\r\n\r\n\n \t\nRET\rNOP  ; x \t\r\n\n\n"), {
        "    NOP\n\n    RET\n    NOP                                 ; x\n"
    });
    assert_eq!(format(""), "");
    assert_eq!(format(" \n\n"), "");
}

#[test]
fn a_line_that_cannot_be_read_is_left_alone() {
    line("  lda  \"open ; no comment  ", "  lda  \"open ; no comment  ");
    line("lda  5 ! 3 ; x", "lda  5 ! 3 ; x");
    assert_eq!(format("\n\u{FEFF}é"), "\u{FEFF}\u{FEFF}é\n");
    assert_eq!(format("\u{FEFF}\u{FEFF}é"), "\u{FEFF}\u{FEFF}é\n");
}

#[test]
fn sources_without_end_take_no_room_without_end() {
    let deep = ".if 1\n".repeat(10_000);
    assert!(format(&deep).len() < deep.len() * 16);
    let name = "n".repeat(100_000);
    let wide = format!("{name}: .res 1\n{}", "a: .res 1\n".repeat(1000));
    assert!(format(&wide).len() < wide.len() * 2);
    let cells = format!(".bytes \"{name}\",  1\n{}", ".bytes 1,  1\n".repeat(1000));
    assert!(format(&cells).len() < cells.len() * 2);
}
