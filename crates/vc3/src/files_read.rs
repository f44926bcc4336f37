//! The host's files as the assembler reads them, with a list of those that it
//! read and of those that it looked for in vain.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use sda::{Files, HostFiles, LARGEST_FILE};

/// What the standard input is called as a source.
pub const STANDARD_INPUT: &str = "<stdin>";

/// Length and time of a file; `None` where there is none.
pub type Stamp = Option<(u64, Option<SystemTime>)>;

/// What the file at `path` is like now.
pub fn stamp(path: &Path) -> Stamp {
    let metadata = path.metadata().ok()?;
    Some((metadata.len(), metadata.modified().ok()))
}

/// The host's files, and which of them a run depends on.
#[derive(Default)]
pub struct FilesRead {
    read: RefCell<Vec<PathBuf>>,
    /// What was read, and what was looked for in vain, as it was then.
    stamps: RefCell<BTreeMap<PathBuf, Stamp>>,
}

impl FilesRead {
    /// The files that were read, in the order of their first reading.
    pub fn read_paths(&self) -> Vec<PathBuf> {
        self.read.borrow().clone()
    }

    /// Every path whose change may change the outcome, and what was there
    /// when the run looked.
    pub fn stamps(&self) -> Vec<(PathBuf, Stamp)> {
        self.stamps.borrow().iter().map(|(path, stamp)| (path.clone(), *stamp)).collect()
    }

    fn depend_on(&self, path: &Path) {
        self.stamps.borrow_mut().entry(path.to_path_buf()).or_insert_with(|| stamp(path));
    }
}

impl Files for FilesRead {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        if path == Path::new(STANDARD_INPUT) {
            return standard_input();
        }
        self.depend_on(path);
        let content = HostFiles.read(path)?;
        let mut read = self.read.borrow_mut();
        if !read.iter().any(|known| known == path) {
            read.push(path.to_path_buf());
        }
        Ok(content)
    }

    fn exists(&self, path: &Path) -> bool {
        self.depend_on(path);
        HostFiles.exists(path)
    }

    fn no_file(&self, path: &Path) -> Option<&'static str> {
        HostFiles.no_file(path)
    }

    fn names(&self, folder: &Path) -> Vec<String> {
        HostFiles.names(folder)
    }
}

fn standard_input() -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    io::stdin().lock().take(LARGEST_FILE + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LARGEST_FILE {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, "a source is at most 128 MB"));
    }
    Ok(bytes)
}
