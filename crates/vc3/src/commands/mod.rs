//! The commands, one file each.

pub mod asm;
pub mod bench;
pub mod completions;
pub mod disasm;
pub mod explain;
pub mod fmt;
pub mod lint;
pub mod lsp;
pub mod man;
pub mod play;
pub mod run;
pub mod shell;
pub mod test;
pub mod trace;
