//! The machine from outside: bytes in, states out. One file a subject; the
//! models share no code with the CPU.

mod accesses;
mod arithmetic;
mod blocks;
mod decoding;
mod faults;
mod flag_column;
mod images;
mod input;
mod interrupts;
mod model;
mod moves;
mod programs;
mod queues;
mod replay;
mod sanitize;
mod snapshots;
mod support;
mod time;
mod vectors;
