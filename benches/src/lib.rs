//! What the benchmarks share: programs assembled from the workspace's
//! sources and machines that are ready to run them.

use std::path::{Path, PathBuf};

use bios::{Bios, NoDisk};
use sd8516::{Image, Input, Key, Machine};
use sda::{HostFiles, Options};

/// A file of the workspace, by its path from the root.
pub fn workspace(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)
}

/// Assembles one of the workspace's programs.
///
/// # Panics
/// With the assembler's message, when the source has an error.
pub fn assemble(path: &str) -> Image {
    let assembly = sda::assemble(&[workspace(path)], &HostFiles, &Options::default());
    let Some(program) = assembly.program else {
        panic!("{}", assembly.diagnostics.render(false));
    };
    Image::parse(&program.prg(), false).expect("the assembler writes valid images")
}

/// A fresh machine with the program started.
///
/// # Panics
/// When the image doesn't fit, which the assembler has made sure of.
pub fn start(image: &Image) -> Machine {
    let mut machine = Machine::new();
    machine.start(image, b"").expect("the image fits");
    machine
}

/// The same, with keys for the program to read.
pub fn start_with_keys(image: &Image, keys: &[u8]) -> Machine {
    let mut machine = start(image);
    let keys = keys.iter().map(|&code| Key { code, flags: 0 }).collect();
    machine.set_input(Input::List(keys));
    machine
}

/// The services, without a disk.
pub fn services() -> Bios<NoDisk> {
    Bios::new(NoDisk)
}

/// A program of about `lines` lines as people write them: labels, loads,
/// arithmetic, branches forward and back, data and comments.
pub fn generated_source(lines: usize) -> String {
    const LINES_OF_A_ROUTINE: usize = 20;
    let mut source = String::with_capacity(lines * 24);
    // Bank 3 and up: 100,000 lines don't fit under the file system's block.
    source += ".address $030000\n";
    for n in 0..lines / LINES_OF_A_ROUTINE {
        let next = (n + 1) % (lines / LINES_OF_A_ROUTINE);
        source += &format!(
            "; Routine {n}: walks a table and adds what it finds.\n\
             .equ COUNT_{n} {count}\n\
             routine_{n}:\n\
             \x20   PUSH X\n\
             \x20   LDELM @table_{n}\n\
             \x20   LDI 0\n\
             \x20   LDA $1234\n\
             .next:\n\
             \x20   LDBL [ELM + I]          ; the next byte\n\
             \x20   CMP BL, ';'\n\
             \x20   JZ .done\n\
             \x20   ADD A, {n} + 3 * (COUNT_{n} - 1)\n\
             \x20   INC I\n\
             \x20   CMP I, COUNT_{n}\n\
             \x20   JNZ .next\n\
             .done:\n\
             \x20   CALL @routine_{next}\n\
             \x20   POP X\n\
             \x20   RET\n\
             table_{n}: .bytes \"text; not a comment\", $FF, 0\n",
            count = n % 200 + 2,
        );
    }
    source
}
