//! The SD-8516 as a table: registers, opcodes with their operand forms and
//! flags, addresses, key codes and the constants of machine time.
//!
//! The CPU, the assembler, the disassembler and the reference page
//! (`docs/isa.md`) all come from here. There is no logic beyond look-up and
//! no dependency.

mod access;
mod decode;
mod instruction;
pub mod reference;
mod register;
mod table;

pub mod charset;
pub mod flags;
pub mod keys;
pub mod memory_map;
pub mod services;
pub mod time;

pub use access::{Access, EVERY_WORD, Operands};
pub use decode::{DecodeError, Decoded, MAX_LENGTH, MAX_OPERANDS, Operand, decode};
pub use instruction::{Arg, Class, FlagEffect, Instruction};
pub use reference::reference;
pub use register::{Reg, View, WORDS};
pub use table::{ALIASES, INSTRUCTIONS, by_mnemonic, by_opcode};
