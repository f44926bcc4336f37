//! Generated sources, for the assembler and for its peers: the same program in
//! each one's words, mixed like the sources of this workspace: three lines in
//! five an instruction, one in ten a label, one in ten a comment; of ten
//! instructions seven were there before, but for a name at their end.

use std::fmt::Write;

/// Lines of one generated routine.
pub const LINES_OF_A_ROUTINE: usize = 22;

/// Generated routines in one bank of the 65816.
const ROUTINES_OF_A_BANK: usize = 1_000;

/// Whose language a source is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// `.sda`.
    Sda,
    /// 64tass, 65816.
    Tass,
    /// ACME, 6502.
    Acme,
    /// ca65, 6502; assembled, not linked.
    Ca65,
    /// NASM, x86-64.
    Nasm,
}

/// A plain program of about `lines` lines: labels, loads, arithmetic, branches
/// forward and back, a call forward, data, comments and blank lines.
pub fn plain(dialect: Dialect, lines: usize) -> String {
    let routines = (lines / LINES_OF_A_ROUTINE).max(1);
    let mut source = String::with_capacity(lines * 24);
    source += match dialect {
        // Bank 3 and up: many lines don't fit under the file system's block.
        Dialect::Sda => ".address $030000\n",
        Dialect::Tass => ".cpu \"65816\"\n",
        Dialect::Acme => "!cpu 6502\n* = $0200\n",
        Dialect::Ca65 => ".segment \"CODE\"\n",
        Dialect::Nasm => "bits 64\n",
    };
    for n in 0..routines {
        let numbers = Numbers::of(n, routines);
        // Writing into a string cannot fail.
        let _ = match dialect {
            Dialect::Sda => sda(&mut source, &numbers),
            Dialect::Tass => {
                // A branch stays in its bank.
                if n % ROUTINES_OF_A_BANK == 0 {
                    let _ = writeln!(source, "* = ${:06X}", (1 + n / ROUTINES_OF_A_BANK) << 16);
                }
                six502(&mut source, &TASS, &numbers)
            }
            Dialect::Acme => six502(&mut source, &ACME, &numbers),
            Dialect::Ca65 => six502(&mut source, &CA65, &numbers),
            Dialect::Nasm => nasm(&mut source, &numbers),
        };
    }
    source
}

/// A program of about `lines` lines of which every third calls a macro; the
/// macros have parameters and labels of their own.
pub fn macros(lines: usize) -> String {
    const LINES_OF_A_ROUTINE: usize = 11;
    let mut source = String::from(
        ".address $030000\n\
         .macro store place\n    STA [\\place]\n.endm\n\
         .macro save p, q\n    PUSH \\p\n    PUSH \\q\n.endm\n\
         .macro raise place, n\n    LDA [\\place]\n    ADD A, \\n\n    JNC .done\n    INC B\n.done:\n    STA [\\place]\n.endm\n",
    );
    let routines = (lines / LINES_OF_A_ROUTINE).max(1);
    for n in 0..routines {
        let _ = write!(
            source,
            "routine_{n}:\n    save X, Y\n    raise $1000, {added}\n    CMP A, 5        ; five is enough\n    \
             JZ .out\n    store $2000\n.out:\n    CALL @routine_{next}\n    POP Y\n    POP X\n    RET\n",
            added = n % 1000,
            next = (n + 1) % routines,
        );
    }
    source
}

/// The numbers of a routine, by which it differs from the others.
struct Numbers {
    n: usize,
    /// The routine that it calls.
    next: usize,
    count: usize,
    added: usize,
    /// Of so many values that few were there lately.
    first: usize,
    place: usize,
}

impl Numbers {
    fn of(n: usize, routines: usize) -> Numbers {
        let (next, count, added) = ((n + 1) % routines, n % 100 + 2, n % 20);
        Numbers { n, next, count, added, first: n % 5_000, place: 0x1000 + n % 0xC000 }
    }
}

fn sda(out: &mut String, numbers: &Numbers) -> std::fmt::Result {
    let Numbers { n, next, count, added, first, place } = numbers;
    write!(
        out,
        "
; routine_{n} -- walks a table and adds what it finds
;   Out:  A = the sum
.equ COUNT_{n} {count}
routine_{n}:
    PUSH X
    LDELM @table_{n}
    LDI {first}
    LDA ${place:04X}
.next:
    LDBL [ELM + I]          ; the next byte
    CMP BL, ';'
    JZ .done
    ADD A, {added} + 3 * (COUNT_{n} - 1)
    INC I
    CMP I, COUNT_{n}
    JNZ .next
.done:
    CALL @routine_{next}
    POP X
    RET
table_{n}: .bytes \"text; not a comment\", $FF, 0
"
    )
}

/// How the assemblers for the 6502 differ.
struct Words {
    /// Begins a local label.
    local: &'static str,
    /// Ends a label.
    colon: &'static str,
    /// Calls; where addresses have 24 bits the long call.
    call: &'static str,
    bytes: &'static str,
    /// A character as a number.
    semicolon: &'static str,
}

const TASS: Words =
    Words { local: "_", colon: "", call: "jsl", bytes: ".text", semicolon: "\";\"" };
const ACME: Words = Words { local: "@", colon: "", call: "jsr", bytes: "!text", semicolon: "';'" };
const CA65: Words = Words { local: "@", colon: ":", call: "jsr", bytes: ".byte", semicolon: "';'" };

fn six502(out: &mut String, words: &Words, numbers: &Numbers) -> std::fmt::Result {
    let Numbers { n, next, count, added, first, place } = numbers;
    // These addresses and numbers have eight bits.
    let (first, place) = (first & 0xFF, place & 0x7F);
    let Words { local, colon, call, bytes, semicolon } = words;
    write!(
        out,
        "
; routine_{n} -- walks a table and adds what it finds
;   Out:  A = the sum
COUNT_{n} = {count}
routine_{n}{colon}
    pha
    lda #<table_{n}
    sta ${place:02x}
    ldy #{first}
{local}next{colon}
    lda (${place:02x}),y             ; the next byte
    cmp #{semicolon}
    beq {local}done
    adc #({added} + 3 * (COUNT_{n} - 1)) & 255
    iny
    cpy #COUNT_{n}
    bne {local}next
{local}done{colon}
    {call} routine_{next}
    pla
    rts
table_{n}{colon} {bytes} \"text; not a comment\", $ff, 0
"
    )
}

fn nasm(out: &mut String, numbers: &Numbers) -> std::fmt::Result {
    let Numbers { n, next, count, added, first, place } = numbers;
    write!(
        out,
        "
; routine_{n} -- walks a table and adds what it finds
;   Out:  EAX = the sum
COUNT_{n} equ {count}
routine_{n}:
    push rbx
    lea rdi, [rel table_{n}]
    mov ecx, {first}
    mov eax, {place}
.next:
    mov bl, [rdi + rcx]     ; the next byte
    cmp bl, ';'
    je .done
    add eax, {added} + 3 * (COUNT_{n} - 1)
    inc ecx
    cmp ecx, COUNT_{n}
    jne .next
.done:
    call routine_{next}
    pop rbx
    ret
table_{n}: db \"text; not a comment\", 0xFF, 0
"
    )
}
