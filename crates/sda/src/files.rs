//! Where sources come from: the host's file system, or whatever a caller
//! puts in its place.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// Bytes of the largest file that the assembler reads: room for the data of a
/// full memory, disassembled.
pub const LARGEST_FILE: u64 = 128 << 20;

/// Names of a folder that are looked at for a message.
const MOST_NAMES: usize = 10_000;
/// How long somebody may take to begin writing to a pipe.
const PATIENCE: Duration = Duration::from_secs(2);

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

    /// Names of files in `folder`, in any order, for messages about one that
    /// is not there; empty when they are not known.
    fn names(&self, _folder: &Path) -> Vec<String> {
        Vec::new()
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
        open(path)?.take(LARGEST_FILE + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > LARGEST_FILE { Err(too_large()) } else { Ok(bytes) }
    }

    fn exists(&self, path: &Path) -> bool {
        path.is_file()
    }

    fn no_file(&self, path: &Path) -> Option<&'static str> {
        let metadata = fs::metadata(path).ok().filter(|metadata| !metadata.is_file())?;
        Some(if metadata.is_dir() { "a folder" } else { "no ordinary file" })
    }

    fn names(&self, folder: &Path) -> Vec<String> {
        let folder = if folder == Path::new("") { Path::new(".") } else { folder };
        let entries = fs::read_dir(folder).into_iter().flatten().take(MOST_NAMES).flatten();
        let files = entries.filter(|entry| entry.path().is_file());
        files.filter_map(|entry| entry.file_name().into_string().ok()).collect()
    }
}

/// Opens a file to be read. A pipe that nobody writes to would be waited for
/// without an end.
fn open(path: &Path) -> io::Result<File> {
    if !is_pipe(path) {
        return File::open(path);
    }
    let (sender, opened) = mpsc::channel();
    let path = path.to_path_buf();
    thread::spawn(move || sender.send(File::open(path)));
    opened.recv_timeout(PATIENCE).unwrap_or_else(|_| {
        Err(io::Error::new(io::ErrorKind::TimedOut, "it is a pipe that nobody writes to"))
    })
}

#[cfg(unix)]
fn is_pipe(path: &Path) -> bool {
    use std::os::unix::fs::FileTypeExt;
    fs::metadata(path).is_ok_and(|metadata| metadata.file_type().is_fifo())
}

#[cfg(not(unix))]
fn is_pipe(_: &Path) -> bool {
    false
}
