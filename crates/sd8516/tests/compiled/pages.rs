//! The pages of compiled code: none can be written to while it can be executed.

use std::fs;

use super::{None, compiling, machine};

/// Addresses of a mapping, and what may be done there, such as `r-xp`.
struct Mapping {
    permissions: String,
    /// The file that it is of; empty for memory of the process's own.
    file: String,
}

/// The mappings of this process.
fn mappings() -> Vec<Mapping> {
    let text = fs::read_to_string("/proc/self/maps").unwrap();
    let mapping = |line: &str| {
        let mut words = line.split_whitespace();
        let permissions = words.nth(1).unwrap().to_owned();
        Mapping { permissions, file: words.nth(3).unwrap_or_default().to_owned() }
    };
    text.lines().map(mapping).collect()
}

#[test]
fn no_page_is_writable_and_executable_while_compiled_code_is_there() {
    // loop: INC A; BRA loop
    let mut machine = compiling(&machine(&[21, 0, 110, 0xFB, 0xFF]), 0);
    machine.run(&mut None, 1_000);
    // Compiled code is kept by the copy, whose pages are the same.
    let mut copy = machine.clone();
    drop(machine);
    copy.run(&mut None, 2_000);

    let mappings = mappings();
    let is_own_code = |of: &&Mapping| of.file.is_empty() && of.permissions.contains('x');
    assert!(mappings.iter().any(|of| is_own_code(&of)), "something is compiled");
    for of in &mappings {
        let both = of.permissions.contains('w') && of.permissions.contains('x');
        assert!(!both, "{} {}", of.permissions, of.file);
    }
}
