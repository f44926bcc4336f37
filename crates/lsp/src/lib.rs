//! A language server for `.sda` sources, over any pair of byte streams: what
//! editors ask of the assembler, in the Language Server Protocol 3.17.
//!
//! The names of a program are read from its texts (`sda::index`), so that they
//! are there while it has errors; values, bytes and messages come from
//! assembling the whole program with the open files laid over the disk.

mod actions;
mod analysis;
mod completion;
mod document;
mod encoding;
mod framing;
mod grammar;
mod history;
mod hover;
mod lifecycle;
mod names;
mod paths;
mod programs;
mod rename;
mod requests;
mod server;
mod settings;
mod symbols;
mod vim;
mod words;
mod worker;
mod workspace;

pub use grammar::grammar;
pub use lifecycle::serve;
pub use vim::vim_syntax;
