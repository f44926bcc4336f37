//! The target `disassembler` of tools/fuzz for cargo-fuzz.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzzing::disassembler(data));
