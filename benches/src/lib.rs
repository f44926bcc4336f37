//! What the benchmarks of the workspace and `vc3 bench` share: the programs
//! that are measured, machines that are ready to run them, and generated
//! sources.

pub mod command;
pub mod loops;
pub mod process;
pub mod sources;
pub mod spread;
pub mod turns;

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};

use bios::{Bios, NoDisk};
use sd8516::{Engine, Image, Machine};
use sda::{Assembly, Files, HostFiles, Options};

/// A file of the workspace, by its path from the root.
pub fn workspace(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)
}

/// Assembles one of the workspace's programs.
///
/// # Panics
/// With the assembler's message, when the source has an error.
pub fn assemble(path: &str) -> Image {
    image(sda::assemble(&[workspace(path)], &HostFiles, &Options::default()))
}

/// Assembles a source that is text.
///
/// # Panics
/// With the assembler's message, when the source has an error.
pub fn assemble_text(source: &str) -> Image {
    image(InMemory::new(source).assemble())
}

fn image(assembly: Assembly) -> Image {
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

/// The engines of this build, the slowest first.
pub fn engines() -> impl Iterator<Item = Engine> {
    Engine::ALL.into_iter().filter(|engine| *engine != Engine::Auto && engine.is_built_in())
}

/// The services, without a disk.
pub fn services() -> Bios<NoDisk> {
    Bios::new(NoDisk)
}

/// One source in memory, so that no disk is measured.
pub struct InMemory {
    path: PathBuf,
    files: HashMap<PathBuf, Vec<u8>>,
}

impl InMemory {
    /// A source of this text.
    pub fn new(source: &str) -> InMemory {
        let path = PathBuf::from("generated.sda");
        let files = HashMap::from([(path.clone(), source.as_bytes().to_vec())]);
        InMemory { path, files }
    }

    /// Assembles it.
    pub fn assemble(&self) -> Assembly {
        sda::assemble(std::slice::from_ref(&self.path), self, &Options::default())
    }
}

impl Files for InMemory {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.files.get(path).cloned().ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn exists(&self, path: &Path) -> bool {
        self.files.contains_key(path)
    }
}
