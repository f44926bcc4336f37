//! What the benchmarks share: programs assembled from the workspace's
//! sources, machines that are ready to run them, and generated sources.

pub mod sources;

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
