//! Code of the SD-8516 compiled to the host's.
//!
//! This crate knows instructions and memory, and nothing of a machine: who
//! runs programs tells a [`Compiler`] where time is spent, has compiled what is
//! worth it, and runs that for as long as nothing else has to be done. From an
//! address where much time is spent, the crate finds a *region*, all that is reached from there
//! by jumps and calls; translates it to Cranelift's language with registers in
//! variables; and keeps the function that Cranelift makes of it. Compiled code
//! leaves where an interpreter has to go on, always between two instructions.
//!
//! On hosts that are neither x86-64 nor AArch64 nothing is ever compiled.

mod addresses;
mod compiler;
#[cfg_attr(not(any(target_arch = "x86_64", target_arch = "aarch64")), path = "no_host.rs")]
mod host;
mod left;
mod region;
mod stack;
mod state;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod translate;
mod watch;

pub use compiler::{Compiler, Prepared, Price, Ran};
pub use region::Bytes;
pub use state::State;
pub use watch::{LINE_BITS, LINE_BYTES, LINES, Watch};
