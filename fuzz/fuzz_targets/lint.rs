//! The target `lint` of tools/fuzz for cargo-fuzz.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzzing::lint(data));
