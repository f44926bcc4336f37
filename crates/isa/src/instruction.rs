//! The shape of one row of the instruction table: mnemonic, operands in the
//! order of their encoding, and what the instruction does to the flags.

use crate::{access::Access, flags, register::Reg};

/// One opcode.
#[derive(Debug, PartialEq, Eq)]
pub struct Instruction {
    /// The first byte of the encoding.
    pub opcode: u8,
    /// The mnemonic without the register that LD and ST are glued to.
    pub mnemonic: &'static str,
    /// Whether the first operand, a register, is written as the mnemonic's
    /// ending: `LDELM`, `STB`.
    pub glued: bool,
    /// The operands, in the order of writing and of encoding.
    pub args: &'static [Arg],
    /// What happens to FLAGS.
    pub flags: FlagEffect,
    /// What is read and written beside FLAGS.
    pub access: Access,
    /// A control instruction: after it has been executed a pending interrupt
    /// is served and a store into code is sure to be seen.
    pub control: bool,
    /// The effect in one line, for the reference.
    pub effect: &'static str,
}

impl Instruction {
    /// Bytes of the encoding, 1–10, opcode included. `width` is that of the
    /// first operand, and so of an [`Arg::Imm`]; 0 leaves the immediate out.
    pub const fn length(&self, width: u8) -> u8 {
        let mut length = 1;
        let mut at = 0;
        while at < self.args.len() {
            length += match self.args[at] {
                Arg::Reg(_) | Arg::Imm8 | Arg::MemReg => 1,
                Arg::Imm16 | Arg::Rel16 | Arg::MemIndex => 2,
                Arg::Addr | Arg::MemAbs | Arg::MemDisp => 3,
                Arg::Imm => width,
            };
            at += 1;
        }
        length
    }
}

/// One operand as it is written and encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arg {
    /// One byte, a register number.
    Reg(Class),
    /// An immediate as wide as the first operand.
    Imm,
    /// An immediate of one byte, 0–255: shift counts, INT numbers, offsets.
    Imm8,
    /// An immediate of two bytes: flag masks, table sizes.
    Imm16,
    /// Three bytes, an absolute address to jump to or to call.
    Addr,
    /// Two bytes, signed, from the address of the next instruction.
    Rel16,
    /// `[a]`: three bytes, an absolute address.
    MemAbs,
    /// `[p]`: one byte, an address register.
    MemReg,
    /// `[p + r16]`: one byte each; the index is unsigned.
    MemIndex,
    /// `[p + disp16]`: a register byte and two bytes, signed.
    MemDisp,
}

/// The registers that may stand in a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Any register.
    Any,
    /// A byte half.
    Byte,
    /// A word.
    Word,
    /// A byte half or a word.
    ByteOrWord,
    /// Any register but the byte halves.
    Wide,
    /// An address register: a word (zero-extended), SP or a pointer.
    Address,
    /// A 24-bit register: SP or a pointer.
    Far,
    /// Any register as wide as the first operand.
    SameAsFirst,
    /// Any register narrower than the first operand.
    NarrowerThanFirst,
}

impl Class {
    /// Whether `reg` may stand here; `first` is the instruction's first
    /// operand if that is a register.
    pub const fn accepts(self, reg: Reg, first: Option<Reg>) -> bool {
        let first_width = match first {
            Some(first) => first.width(),
            None => 0,
        };
        self.accepts_width(reg.width(), first_width)
    }

    /// The same by widths in bytes, 0 for no first operand: no two kinds of
    /// register that a class tells apart have one width.
    #[inline]
    pub const fn accepts_width(self, width: u8, first_width: u8) -> bool {
        match self {
            Class::Any => true,
            Class::Byte => width == 1,
            Class::Word => width == 2,
            Class::ByteOrWord => width <= 2,
            Class::Wide => width > 1,
            Class::Address => width == 2 || width == 3,
            Class::Far => width == 3,
            Class::SameAsFirst => width == first_width,
            Class::NarrowerThanFirst => width < first_width,
        }
    }

    /// What may stand here, in words, for messages and the reference.
    pub const fn describe(self) -> &'static str {
        match self {
            Class::Any => "any register",
            Class::Byte => "a byte register",
            Class::Word => "a word register",
            Class::ByteOrWord => "a byte or word register",
            Class::Wide => "a register of 16 bits or more",
            Class::Address => "a word, SP or a 24-bit pointer",
            Class::Far => "SP or a 24-bit pointer",
            Class::SameAsFirst => "a register as wide as the first operand",
            Class::NarrowerThanFirst => "a register narrower than the first operand",
        }
    }
}

/// What an instruction does to FLAGS; bits in neither mask are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlagEffect {
    /// Bits that depend on the operation.
    pub changed: u16,
    /// Bits that are always cleared.
    pub cleared: u16,
    /// Bits that are always set.
    pub set: u16,
    /// Whether fast mode (FLAGS.S) keeps the bits of `changed` as they are.
    pub fast: bool,
}

impl FlagEffect {
    const fn changing(changed: u16) -> FlagEffect {
        FlagEffect { changed, cleared: 0, set: 0, fast: false }
    }

    const fn clearing(self, cleared: u16) -> FlagEffect {
        FlagEffect { cleared, ..self }
    }

    /// FLAGS is left alone.
    pub const NONE: FlagEffect = FlagEffect::changing(0);
    /// Z and N from the result.
    pub const ZN: FlagEffect = FlagEffect::changing(flags::Z | flags::N);
    /// Z and N from the result, unless fast mode is on.
    pub const ZN_UNLESS_FAST: FlagEffect = FlagEffect { fast: true, ..FlagEffect::ZN };
    /// All four arithmetic flags.
    pub const ZNCV: FlagEffect = FlagEffect::changing(flags::Z | flags::N | flags::C | flags::V);
    /// Z, N and C; V is kept.
    pub const ZNC: FlagEffect = FlagEffect::changing(flags::Z | flags::N | flags::C);
    /// Z, N and C; V is cleared.
    pub const ZNC_V0: FlagEffect = FlagEffect::ZNC.clearing(flags::V);
    /// Z and N from the result; C and V cleared.
    pub const ZN_CV0: FlagEffect = FlagEffect::ZN.clearing(flags::C | flags::V);
    /// Z and C; there is no result, so N is cleared.
    pub const ZC_N0: FlagEffect = FlagEffect::changing(flags::Z | flags::C).clearing(flags::N);
    /// Z and V; N is cleared.
    pub const ZV_N0: FlagEffect = FlagEffect::changing(flags::Z | flags::V).clearing(flags::N);
    /// Z alone; N is cleared.
    pub const Z_N0: FlagEffect = FlagEffect::changing(flags::Z).clearing(flags::N);
    /// C alone.
    pub const C: FlagEffect = FlagEffect::changing(flags::C);
    /// Every writable bit.
    pub const ALL: FlagEffect = FlagEffect::changing(flags::WRITABLE);
    /// The bits that the operand names.
    pub const NAMED: FlagEffect = FlagEffect::changing(flags::WRITABLE);

    /// One bit set.
    pub const fn setting(bit: u16) -> FlagEffect {
        FlagEffect { set: bit, ..FlagEffect::NONE }
    }

    /// One bit cleared.
    pub const fn clearing_only(bit: u16) -> FlagEffect {
        FlagEffect::NONE.clearing(bit)
    }
}
