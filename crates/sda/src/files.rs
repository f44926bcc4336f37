//! Where sources come from: the host's file system, or whatever a caller
//! puts in its place.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

/// Bytes of the largest file that the assembler reads: room for the data of a
/// full memory, disassembled.
pub const LARGEST_FILE: u64 = 128 << 20;

/// A place to read files from.
pub trait Files {
    /// The whole content of the file at `path`.
    ///
    /// # Errors
    /// What the host says; a file over [`LARGEST_FILE`] should be refused.
    fn read(&self, path: &Path) -> io::Result<Vec<u8>>;

    /// Whether there is a file at `path`.
    fn exists(&self, path: &Path) -> bool;

    /// What stands at `path` in place of a file, for messages, such as
    /// `a folder`; `None` when nothing does.
    fn no_file(&self, _path: &Path) -> Option<&'static str> {
        None
    }
}

/// The host's file system.
#[derive(Clone, Copy, Debug, Default)]
pub struct HostFiles;

impl Files for HostFiles {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        // Devices tell no length, so the reading itself has a bound too.
        let too_large = || io::Error::new(io::ErrorKind::FileTooLarge, "a file is at most 128 MB");
        if fs::metadata(path)?.len() > LARGEST_FILE {
            return Err(too_large());
        }
        let mut bytes = Vec::new();
        File::open(path)?.take(LARGEST_FILE + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > LARGEST_FILE { Err(too_large()) } else { Ok(bytes) }
    }

    fn exists(&self, path: &Path) -> bool {
        path.is_file()
    }

    fn no_file(&self, path: &Path) -> Option<&'static str> {
        let metadata = fs::metadata(path).ok().filter(|metadata| !metadata.is_file())?;
        Some(if metadata.is_dir() { "a folder" } else { "no ordinary file" })
    }
}
