//! The instruction table: one row for each opcode (machine manual,
//! section 3). The CPU, the assembler, the disassembler and the reference
//! page all read it; nothing about an instruction's form is said elsewhere.

use crate::access::{Access, EVERY_WORD, halves};
use crate::flags::{B, C, I, N, S, T, V, WRITABLE as EVERY_FLAG, Z};
use crate::instruction::{
    Arg::{self, Addr, Imm, Imm8, Imm16, MemAbs, MemDisp, MemIndex, MemReg, Rel16},
    Class::{Address, Any, Byte, ByteOrWord, Far, NarrowerThanFirst, SameAsFirst, Wide, Word},
    FlagEffect, Instruction,
};

const ANY: Arg = Arg::Reg(Any);
const SAME: Arg = Arg::Reg(SameAsFirst);
const NARROW: Arg = Arg::Reg(NarrowerThanFirst);
const BYTE: Arg = Arg::Reg(Byte);
const WIDE: Arg = Arg::Reg(Wide);
const WORD: Arg = Arg::Reg(Word);
const ADDRESS: Arg = Arg::Reg(Address);
const FAR: Arg = Arg::Reg(Far);

const NONE: FlagEffect = FlagEffect::NONE;
const ZN: FlagEffect = FlagEffect::ZN;
const FAST: FlagEffect = FlagEffect::ZN_UNLESS_FAST;
const ZNCV: FlagEffect = FlagEffect::ZNCV;
const ZNC: FlagEffect = FlagEffect::ZNC;
const LOGIC: FlagEffect = FlagEffect::ZN_CV0;

const fn row(
    opcode: u8,
    mnemonic: &'static str,
    args: &'static [Arg],
    flags: FlagEffect,
    effect: &'static str,
) -> Instruction {
    let access = Access::NONE;
    Instruction { opcode, mnemonic, glued: false, args, flags, access, control: false, effect }
}

/// LD and ST: the register is the mnemonic's ending.
const fn glued(
    opcode: u8,
    mnemonic: &'static str,
    args: &'static [Arg],
    flags: FlagEffect,
    effect: &'static str,
) -> Instruction {
    Instruction { glued: true, ..row(opcode, mnemonic, args, flags, effect) }
}

const fn control(
    opcode: u8,
    mnemonic: &'static str,
    args: &'static [Arg],
    flags: FlagEffect,
    effect: &'static str,
) -> Instruction {
    Instruction { control: true, ..row(opcode, mnemonic, args, flags, effect) }
}

/// Every instruction, by ascending opcode.
pub const INSTRUCTIONS: &[Instruction] = &[
    glued(0, "LD", &[WIDE, Imm], FAST, "r ← immediate").writing(),
    glued(1, "LD", &[WIDE, MemAbs], FAST, "r ← memory").writing(),
    glued(2, "LD", &[WIDE, MemReg], FAST, "r ← memory at p").writing(),
    glued(3, "LD", &[BYTE, Imm], FAST, "r ← immediate").writing(),
    glued(4, "LD", &[BYTE, MemAbs], FAST, "r ← memory").writing(),
    glued(5, "LD", &[BYTE, MemReg], FAST, "r ← memory at p").writing(),
    glued(6, "ST", &[ANY, MemAbs], NONE, "memory ← r").storing(),
    glued(7, "ST", &[ANY, MemReg], NONE, "memory at p ← r").storing(),
    row(9, "MOV", &[ANY, SAME], NONE, "copy the second register to the first").writing(),
    row(10, "XCHG", &[ANY, SAME], NONE, "swap the two registers").swapping(),
    row(11, "PUSH", &[ANY], NONE, "SP −= width, memory at SP ← r; PUSH SP stores the old SP"),
    row(12, "POP", &[ANY], NONE, "r ← memory at SP, SP += width; POP SP ends with the value").writing(),
    row(13, "PUSHA", &[], NONE, "push the 16 words, A first: Z lowest in memory, 32 bytes").also(EVERY_WORD, 0),
    row(14, "POPA", &[], NONE, "pop the 16 words that PUSHA pushed").also(0, EVERY_WORD),
    row(15, "PUSHF", &[], NONE, "push FLAGS, 2 bytes").testing(EVERY_FLAG),
    row(16, "POPF", &[], FlagEffect::ALL, "pop FLAGS, 2 bytes"),
    row(21, "INC", &[ANY], FAST, "r + 1; C and V kept").updating(),
    row(22, "DEC", &[ANY], FAST, "r − 1; C and V kept").updating(),
    row(23, "NEG", &[ANY], ZNCV, "0 − r; C only for r = 0, V for the most negative").updating(),
    row(30, "ADD", &[ANY, SAME], ZNCV, "first += second").updating(),
    row(31, "SUB", &[ANY, SAME], ZNCV, "first −= second; C set when there was no borrow").updating(),
    row(32, "MUL", &[ANY, SAME], ZNCV, "unsigned product, low half kept; C = V = bits lost").updating(),
    row(
        33,
        "DIV",
        &[ANY, SAME],
        FlagEffect::ZNC_V0,
        "unsigned quotient; by zero 0 with Z and C set",
    ).updating(),
    row(
        34,
        "MOD",
        &[ANY, SAME],
        FlagEffect::ZNC_V0,
        "unsigned remainder; by zero 0 with Z and C set",
    ).updating(),
    row(35, "ADD", &[ANY, Imm], ZNCV, "r += immediate").updating(),
    row(36, "SUB", &[ANY, Imm], ZNCV, "r −= immediate; C set when there was no borrow").updating(),
    row(37, "MUL", &[ANY, Imm], ZNCV, "unsigned product, low half kept; C = V = bits lost").updating(),
    row(
        38,
        "DIV",
        &[ANY, Imm],
        FlagEffect::ZNC_V0,
        "unsigned quotient; by zero 0 with Z and C set",
    ).updating(),
    row(
        39,
        "MOD",
        &[ANY, Imm],
        FlagEffect::ZNC_V0,
        "unsigned remainder; by zero 0 with Z and C set",
    ).updating(),
    row(40, "ADDC", &[ANY, SAME], ZNCV, "first += second + C").testing(C).updating(),
    row(41, "SUBC", &[ANY, SAME], ZNCV, "first −= second, one more when C is clear").testing(C).updating(),
    row(42, "ADDC", &[ANY, Imm], ZNCV, "r += immediate + C").testing(C).updating(),
    row(43, "SUBC", &[ANY, Imm], ZNCV, "r −= immediate, one more when C is clear").testing(C).updating(),
    row(50, "AND", &[ANY, SAME], LOGIC, "bitwise and").updating(),
    row(51, "OR", &[ANY, SAME], LOGIC, "bitwise or").updating(),
    row(52, "XOR", &[ANY, SAME], LOGIC, "bitwise exclusive or").updating(),
    row(53, "NOT", &[ANY], LOGIC, "every bit inverted").updating(),
    row(54, "TEST", &[ANY, SAME], LOGIC, "AND whose result only sets flags"),
    row(55, "AND", &[ANY, Imm], LOGIC, "bitwise and").updating(),
    row(56, "OR", &[ANY, Imm], LOGIC, "bitwise or").updating(),
    row(57, "XOR", &[ANY, Imm], LOGIC, "bitwise exclusive or").updating(),
    row(58, "TEST", &[ANY, Imm], LOGIC, "AND whose result only sets flags"),
    row(60, "MOVZX", &[ANY, NARROW], ZN, "first ← second, zero-extended; C and V kept").writing(),
    row(61, "MOVSX", &[ANY, NARROW], ZN, "first ← second, sign-extended; C and V kept").writing(),
    row(70, "SHL", &[ANY], ZNC, "shift left by one").updating(),
    row(71, "SHR", &[ANY], ZNC, "shift right by one").updating(),
    row(72, "SAR", &[ANY], ZNC, "shift right by one, the sign stays").updating(),
    row(73, "ROL", &[ANY], ZNC, "rotate left by one, not through C").updating(),
    row(74, "ROR", &[ANY], ZNC, "rotate right by one, not through C").updating(),
    row(75, "SHL", &[ANY, Imm8], ZNC, "shift left by 0–255; by 0 changes no flag").updating(),
    row(76, "SHR", &[ANY, Imm8], ZNC, "shift right by 0–255; by 0 changes no flag").updating(),
    row(77, "SAR", &[ANY, Imm8], ZNC, "shift right with sign by 0–255; by 0 changes no flag").updating(),
    row(78, "ROL", &[ANY, Imm8], ZNC, "rotate left by 0–255; by 0 changes no flag").updating(),
    row(79, "ROR", &[ANY, Imm8], ZNC, "rotate right by 0–255; by 0 changes no flag").updating(),
    row(80, "SHL", &[ANY, BYTE], ZNC, "shift left by a byte register").updating(),
    row(81, "SHR", &[ANY, BYTE], ZNC, "shift right by a byte register").updating(),
    row(82, "SAR", &[ANY, BYTE], ZNC, "shift right with sign by a byte register").updating(),
    row(83, "RCL", &[ANY], ZNC, "rotate left by one through C").testing(C).updating(),
    row(84, "RCR", &[ANY], ZNC, "rotate right by one through C").testing(C).updating(),
    row(90, "CMP", &[ANY, SAME], ZNCV, "SUB whose result only sets flags"),
    row(91, "CMP", &[ANY, Imm], ZNCV, "SUB whose result only sets flags"),
    control(100, "JMP", &[Addr], NONE, "jump"),
    control(101, "JZ", &[Addr], NONE, "jump when Z is set").testing(Z),
    control(102, "JNZ", &[Addr], NONE, "jump when Z is clear").testing(Z),
    control(103, "JC", &[Addr], NONE, "jump when C is set: unsigned ≥ after CMP").testing(C),
    control(104, "JNC", &[Addr], NONE, "jump when C is clear: unsigned < after CMP").testing(C),
    control(105, "JN", &[Addr], NONE, "jump when N is set").testing(N),
    control(106, "JNN", &[Addr], NONE, "jump when N is clear").testing(N),
    control(107, "JV", &[Addr], NONE, "jump when V is set").testing(V),
    control(108, "JNV", &[Addr], NONE, "jump when V is clear").testing(V),
    control(109, "JMPR", &[ADDRESS], NONE, "jump to the address in p"),
    control(110, "BRA", &[Rel16], NONE, "branch"),
    control(111, "BZ", &[Rel16], NONE, "branch when Z is set").testing(Z),
    control(112, "BNZ", &[Rel16], NONE, "branch when Z is clear").testing(Z),
    control(113, "BC", &[Rel16], NONE, "branch when C is set: unsigned ≥ after CMP").testing(C),
    control(114, "BNC", &[Rel16], NONE, "branch when C is clear: unsigned < after CMP").testing(C),
    control(115, "BN", &[Rel16], NONE, "branch when N is set").testing(N),
    control(116, "BNN", &[Rel16], NONE, "branch when N is clear").testing(N),
    control(117, "BV", &[Rel16], NONE, "branch when V is set").testing(V),
    control(118, "BNV", &[Rel16], NONE, "branch when V is clear").testing(V),
    control(132, "CALL", &[Addr], NONE, "push the 3-byte address of the next instruction, jump"),
    control(133, "RET", &[], NONE, "pop a 3-byte address, jump there"),
    control(134, "CALLR", &[ADDRESS], NONE, "call the address in p"),
    control(135, "BSR", &[Rel16], NONE, "call, relative"),
    control(136, "INT", &[Imm8], NONE, "call the vector, or the BIOS when it is zero"),
    control(137, "IRET", &[], FlagEffect::ALL, "pop FLAGS (2 bytes) and the return address (3)"),
    row(138, "SEI", &[], FlagEffect::setting(I), "interrupts on"),
    row(139, "CLI", &[], FlagEffect::clearing_only(I), "interrupts off"),
    control(140, "HALT", &[], NONE, "wait for the next interrupt; the end when none can come"),
    row(141, "NOP", &[], NONE, "nothing"),
    control(142, "YIELD", &[], NONE, "machine time goes to the frame's end"),
    row(143, "SED", &[], FlagEffect::setting(T), "CPU trace on"),
    row(144, "CLD", &[], FlagEffect::clearing_only(T), "CPU trace off"),
    row(
        145,
        "SEF",
        &[],
        FlagEffect::setting(S),
        "fast flags: loads, INC and DEC leave Z and N alone",
    ),
    row(146, "CLF", &[], FlagEffect::clearing_only(S), "fast flags off"),
    row(147, "BRK", &[], FlagEffect::setting(B), "debugger stop; without one, a fault"),
    glued(150, "LD", &[ANY, MemIndex], FAST, "r ← memory at p + unsigned index").writing(),
    glued(151, "ST", &[ANY, MemIndex], NONE, "memory at p + unsigned index ← r").storing(),
    glued(152, "LD", &[ANY, MemDisp], FAST, "r ← memory at p + signed displacement").writing(),
    glued(153, "ST", &[ANY, MemDisp], NONE, "memory at p + signed displacement ← r").storing(),
    row(154, "LEA", &[FAR, MemDisp], NONE, "r ← the address p + signed displacement").writing(),
    row(155, "LEA", &[FAR, MemIndex], NONE, "r ← the address p + unsigned index").writing(),
    row(
        160,
        "MEMCOPY",
        &[ADDRESS, ADDRESS, WORD],
        NONE,
        "copy n bytes from the second to the first; overlap is safe",
    ).storing(),
    row(161, "MEMFILL", &[ADDRESS, BYTE, WORD], NONE, "fill n bytes").storing(),
    row(
        162,
        "CMPC",
        &[ADDRESS, ADDRESS, WORD],
        FlagEffect::ZC_N0,
        "compare n bytes: Z if equal, C as CMP of the first difference, set when equal",
    ),
    row(
        163,
        "LOCC",
        &[FAR, BYTE, WORD],
        FlagEffect::ZC_N0,
        "p ← first byte of n that is equal, C set; none: p + n, C clear; Z = not C",
    ).updating(),
    row(
        164,
        "SKPC",
        &[FAR, BYTE, WORD],
        FlagEffect::ZC_N0,
        "p ← first byte of n that is unequal, C set; none: p + n, C clear; Z = not C",
    ).updating(),
    row(
        170,
        "INSQUE",
        &[FAR, FAR],
        FlagEffect::Z_N0,
        "insert the entry after its predecessor; Z when the queue was empty",
    ).storing(),
    row(
        171,
        "REMQUE",
        &[FAR],
        FlagEffect::ZV_N0,
        "remove the entry; Z when the queue is empty now, V when nothing was removed",
    ).storing(),
    row(
        172,
        "SCANQUE",
        &[FAR, FAR, Arg::Reg(ByteOrWord), Imm8],
        FlagEffect::ZC_N0,
        "first ← first node after the head whose field at the offset equals the value, C set; none: the head, C clear; Z = not C",
    ).writing(),
    control(
        175,
        "JTAB",
        &[WORD, Imm16, Addr],
        NONE,
        "jump through a table of n 3-byte addresses; index ≥ n falls through",
    ),
    row(182, "SETF", &[Imm16], FlagEffect::NAMED, "set the bits of the mask"),
    row(183, "CLRF", &[Imm16], FlagEffect::NAMED, "clear the bits of the mask"),
    row(184, "TESTF", &[Imm16], FlagEffect::ZC_N0, "Z if none of the mask is set, C if all of it").testing(EVERY_FLAG),
    row(190, "PPIXEL", &[], FlagEffect::C, "draw a pixel at X, Y in colour CL; C when outside").storing().also(halves("X Y CL"), 0),
    row(
        191,
        "PLINE",
        &[],
        FlagEffect::C,
        "draw a line from X, Y to I, J in colour CL; C when wholly outside",
    ).storing().also(halves("X Y I J CL"), 0),
    row(
        192,
        "PRECT",
        &[],
        FlagEffect::C,
        "draw a rectangle with corners X, Y and I, J; C when wholly outside",
    ).storing().also(halves("X Y I J CL"), 0),
    row(
        193,
        "PFILL",
        &[],
        FlagEffect::C,
        "fill a rectangle with corners X, Y and I, J; C when wholly outside",
    ).storing().also(halves("X Y I J CL"), 0),
    row(
        194,
        "PBLIT",
        &[],
        FlagEffect::C,
        "copy I × J pixels, one byte each, from ELM to X, Y; C when wholly outside",
    ).storing().also(halves("ELM X Y I J"), 0),
    row(
        195,
        "PSPRITE",
        &[],
        FlagEffect::C,
        "PBLIT that skips pixels equal to FL; C when wholly outside",
    ).storing().also(halves("ELM X Y I J FL"), 0),
];

/// Other spellings: each assembles to the opcodes of the mnemonic beside it.
pub const ALIASES: &[(&str, &str)] = &[
    ("JE", "JZ"),
    ("JNE", "JNZ"),
    ("JAE", "JC"),
    ("JB", "JNC"),
    ("BE", "BZ"),
    ("BNE", "BNZ"),
    ("BAE", "BC"),
    ("BB", "BNC"),
    ("CMPC3", "CMPC"),
];

const INDEX: [u8; 256] = {
    let mut index = [u8::MAX; 256];
    let mut at = 0;
    while at < INSTRUCTIONS.len() {
        index[INSTRUCTIONS[at].opcode as usize] = at as u8;
        at += 1;
    }
    index
};

/// The instruction with this opcode, or `None` for an illegal one.
pub const fn by_opcode(opcode: u8) -> Option<&'static Instruction> {
    match INDEX[opcode as usize] {
        u8::MAX => None,
        at => Some(&INSTRUCTIONS[at as usize]),
    }
}

/// Every form of a mnemonic, in any case; aliases are resolved. For LD and
/// ST the register is not part of the name.
pub fn by_mnemonic(name: &str) -> impl Iterator<Item = &'static Instruction> {
    let canonical = ALIASES
        .iter()
        .find(|(alias, _)| alias.eq_ignore_ascii_case(name))
        .map_or(name, |(_, canonical)| canonical);
    INSTRUCTIONS.iter().filter(move |row| row.mnemonic.eq_ignore_ascii_case(canonical))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opcodes_ascend_and_are_found() {
        assert!(INSTRUCTIONS.is_sorted_by(|a, b| a.opcode < b.opcode));
        assert!(INSTRUCTIONS.len() < u8::MAX as usize);
        for row in INSTRUCTIONS {
            assert_eq!(by_opcode(row.opcode), Some(row));
        }
        assert!(by_opcode(8).is_none() && by_opcode(255).is_none());
    }

    #[test]
    fn a_form_is_found_by_one_row_only() {
        for (at, a) in INSTRUCTIONS.iter().enumerate() {
            for b in &INSTRUCTIONS[at + 1..] {
                assert!(a.mnemonic != b.mnemonic || a.args != b.args, "{} twice", a.mnemonic);
            }
        }
    }

    #[test]
    fn aliases_name_real_mnemonics_and_shadow_none() {
        for (alias, canonical) in ALIASES {
            assert!(INSTRUCTIONS.iter().any(|row| row.mnemonic == *canonical));
            assert!(INSTRUCTIONS.iter().all(|row| row.mnemonic != *alias));
        }
    }
}
