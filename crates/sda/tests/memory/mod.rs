//! Files that a test has in memory.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use sda::Files;

/// Their contents by path.
pub struct Memory(pub BTreeMap<PathBuf, Vec<u8>>);

impl Files for Memory {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.0.get(path).cloned().ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn exists(&self, path: &Path) -> bool {
        self.0.contains_key(path)
    }
}
