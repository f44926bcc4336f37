//! The table of instructions (section 3): opcodes, mnemonics and operands,
//! row by row as the manual has them.

use Operand::{
    Absolute, Address, Any, Byte, ByteOrWord, Disp16, Imm8, Imm16, Immediate, Narrower, NotByte,
    Pointer, Relative, Same, Word,
};

/// What stands behind an opcode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operand {
    /// `r`: any register.
    Any,
    /// `r`: as wide as the first.
    Same,
    /// `r`: strictly narrower than the first.
    Narrower,
    /// `r8`.
    Byte,
    /// `r16`: a word.
    Word,
    /// `r8/r16`.
    ByteOrWord,
    /// A register of 16 bits or more.
    NotByte,
    /// `p`: a word, SP or a pointer.
    Address,
    /// `p24` and `r24`: SP or a pointer.
    Pointer,
    /// `imm`: as wide as the first.
    Immediate,
    /// `imm8`.
    Imm8,
    /// `imm16`.
    Imm16,
    /// `disp16`: signed, added to an address.
    Disp16,
    /// `rel16`: signed, from the next instruction.
    Relative,
    /// `a`: 24 bits.
    Absolute,
}

impl Operand {
    /// Whether it is a register's number.
    pub fn is_register(self) -> bool {
        !matches!(self, Immediate | Imm8 | Imm16 | Disp16 | Relative | Absolute)
    }
}

/// An instruction.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// Its opcode.
    pub opcode: u8,
    /// Its mnemonic; LD and ST without their register.
    pub mnemonic: &'static str,
    /// What follows the opcode.
    pub operands: &'static [Operand],
    /// Interrupts may be served behind it (section 5).
    pub control: bool,
}

const fn row(opcode: u8, mnemonic: &'static str, operands: &'static [Operand]) -> Row {
    Row { opcode, mnemonic, operands, control: false }
}

const fn control(opcode: u8, mnemonic: &'static str, operands: &'static [Operand]) -> Row {
    Row { opcode, mnemonic, operands, control: true }
}

/// Every instruction.
pub const TABLE: &[Row] = &[
    row(0, "LD", &[NotByte, Immediate]),
    row(1, "LD", &[NotByte, Absolute]),
    row(2, "LD", &[NotByte, Address]),
    row(3, "LD", &[Byte, Immediate]),
    row(4, "LD", &[Byte, Absolute]),
    row(5, "LD", &[Byte, Address]),
    row(6, "ST", &[Any, Absolute]),
    row(7, "ST", &[Any, Address]),
    row(9, "MOV", &[Any, Same]),
    row(10, "XCHG", &[Any, Same]),
    row(11, "PUSH", &[Any]),
    row(12, "POP", &[Any]),
    row(13, "PUSHA", &[]),
    row(14, "POPA", &[]),
    row(15, "PUSHF", &[]),
    row(16, "POPF", &[]),
    row(21, "INC", &[Any]),
    row(22, "DEC", &[Any]),
    row(23, "NEG", &[Any]),
    row(30, "ADD", &[Any, Same]),
    row(31, "SUB", &[Any, Same]),
    row(32, "MUL", &[Any, Same]),
    row(33, "DIV", &[Any, Same]),
    row(34, "MOD", &[Any, Same]),
    row(35, "ADD", &[Any, Immediate]),
    row(36, "SUB", &[Any, Immediate]),
    row(37, "MUL", &[Any, Immediate]),
    row(38, "DIV", &[Any, Immediate]),
    row(39, "MOD", &[Any, Immediate]),
    row(40, "ADDC", &[Any, Same]),
    row(41, "SUBC", &[Any, Same]),
    row(42, "ADDC", &[Any, Immediate]),
    row(43, "SUBC", &[Any, Immediate]),
    row(50, "AND", &[Any, Same]),
    row(51, "OR", &[Any, Same]),
    row(52, "XOR", &[Any, Same]),
    row(53, "NOT", &[Any]),
    row(54, "TEST", &[Any, Same]),
    row(55, "AND", &[Any, Immediate]),
    row(56, "OR", &[Any, Immediate]),
    row(57, "XOR", &[Any, Immediate]),
    row(58, "TEST", &[Any, Immediate]),
    row(60, "MOVZX", &[Any, Narrower]),
    row(61, "MOVSX", &[Any, Narrower]),
    row(70, "SHL", &[Any]),
    row(71, "SHR", &[Any]),
    row(72, "SAR", &[Any]),
    row(73, "ROL", &[Any]),
    row(74, "ROR", &[Any]),
    row(75, "SHL", &[Any, Imm8]),
    row(76, "SHR", &[Any, Imm8]),
    row(77, "SAR", &[Any, Imm8]),
    row(78, "ROL", &[Any, Imm8]),
    row(79, "ROR", &[Any, Imm8]),
    row(80, "SHL", &[Any, Byte]),
    row(81, "SHR", &[Any, Byte]),
    row(82, "SAR", &[Any, Byte]),
    row(83, "RCL", &[Any]),
    row(84, "RCR", &[Any]),
    row(90, "CMP", &[Any, Same]),
    row(91, "CMP", &[Any, Immediate]),
    control(100, "JMP", &[Absolute]),
    control(101, "JZ", &[Absolute]),
    control(102, "JNZ", &[Absolute]),
    control(103, "JC", &[Absolute]),
    control(104, "JNC", &[Absolute]),
    control(105, "JN", &[Absolute]),
    control(106, "JNN", &[Absolute]),
    control(107, "JV", &[Absolute]),
    control(108, "JNV", &[Absolute]),
    control(109, "JMPR", &[Address]),
    control(110, "BRA", &[Relative]),
    control(111, "BZ", &[Relative]),
    control(112, "BNZ", &[Relative]),
    control(113, "BC", &[Relative]),
    control(114, "BNC", &[Relative]),
    control(115, "BN", &[Relative]),
    control(116, "BNN", &[Relative]),
    control(117, "BV", &[Relative]),
    control(118, "BNV", &[Relative]),
    control(132, "CALL", &[Absolute]),
    control(133, "RET", &[]),
    control(134, "CALLR", &[Address]),
    control(135, "BSR", &[Relative]),
    control(136, "INT", &[Imm8]),
    control(137, "IRET", &[]),
    row(138, "SEI", &[]),
    row(139, "CLI", &[]),
    control(140, "HALT", &[]),
    row(141, "NOP", &[]),
    control(142, "YIELD", &[]),
    row(143, "SED", &[]),
    row(144, "CLD", &[]),
    row(145, "SEF", &[]),
    row(146, "CLF", &[]),
    row(147, "BRK", &[]),
    row(150, "LD", &[Any, Address, Word]),
    row(151, "ST", &[Any, Address, Word]),
    row(152, "LD", &[Any, Address, Disp16]),
    row(153, "ST", &[Any, Address, Disp16]),
    row(154, "LEA", &[Pointer, Address, Disp16]),
    row(155, "LEA", &[Pointer, Address, Word]),
    row(160, "MEMCOPY", &[Address, Address, Word]),
    row(161, "MEMFILL", &[Address, Byte, Word]),
    row(162, "CMPC", &[Address, Address, Word]),
    row(163, "LOCC", &[Pointer, Byte, Word]),
    row(164, "SKPC", &[Pointer, Byte, Word]),
    row(170, "INSQUE", &[Pointer, Pointer]),
    row(171, "REMQUE", &[Pointer]),
    row(172, "SCANQUE", &[Pointer, Pointer, ByteOrWord, Imm8]),
    control(175, "JTAB", &[Word, Imm16, Absolute]),
    row(182, "SETF", &[Imm16]),
    row(183, "CLRF", &[Imm16]),
    row(184, "TESTF", &[Imm16]),
    row(190, "PPIXEL", &[]),
    row(191, "PLINE", &[]),
    row(192, "PRECT", &[]),
    row(193, "PFILL", &[]),
    row(194, "PBLIT", &[]),
    row(195, "PSPRITE", &[]),
];

/// The row of an opcode.
pub fn find(opcode: u8) -> Option<&'static Row> {
    TABLE.iter().find(|row| row.opcode == opcode)
}
