//! The disk: one flat folder of named files, whatever is behind it (machine
//! manual, section 6, INT $15).

mod host;
mod kept;
mod layered;
mod memory;
mod name;

pub use host::HostDisk;
pub use layered::Layered;
pub use memory::MemoryDisk;
pub use name::{MAX_NAME, Name};

use std::sync::Arc;
use thiserror::Error;

/// Why a file service failed; the discriminant is the error number in AL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[repr(u8)]
pub enum DiskError {
    /// There is no file of this name.
    #[error("file not found")]
    NotFound = 1,
    /// Not 1–32 of `A–Z a–z 0–9 _ - .`, or a `.` in front.
    #[error("bad file name")]
    BadName = 2,
    /// The file is larger than the caller's room.
    #[error("the file does not fit")]
    DoesNotFit = 3,
    /// The disk is full.
    #[error("no room on the disk")]
    NoRoom = 4,
    /// The host failed in another way.
    #[error("the host's disk failed")]
    Host = 5,
    /// A file of the new name is there already.
    #[error("the file exists already")]
    Exists = 6,
    /// The disk or the file cannot be written.
    #[error("read-only")]
    ReadOnly = 7,
}

impl DiskError {
    /// The number in AL, 1–7.
    pub fn number(self) -> u8 {
        self as u8
    }
}

/// A directory entry.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    /// The file's name.
    pub name: Name,
    /// Its length in bytes; 2³² − 1 for anything longer.
    pub size: u32,
}

/// Whole-file access by checked name. Every method leaves the disk as it was
/// when it fails.
pub trait Disk {
    /// The file's bytes, if there are no more than `most`; a larger file is
    /// [`DiskError::DoesNotFit`] and is not read.
    fn load(&self, name: &Name, most: u32) -> Result<Vec<u8>, DiskError>;
    /// Writes the whole file, new or in place of the old one.
    fn save(&mut self, name: &Name, bytes: &[u8]) -> Result<(), DiskError>;
    /// Writes behind the file's end; a file that is not there is made.
    fn append(&mut self, name: &Name, bytes: &[u8]) -> Result<(), DiskError>;
    /// Removes the file.
    fn delete(&mut self, name: &Name) -> Result<(), DiskError>;
    /// Gives a file another name, which must be free.
    fn rename(&mut self, from: &Name, to: &Name) -> Result<(), DiskError>;
    /// The file's length in bytes; 2³² − 1 for anything longer.
    fn size(&self, name: &Name) -> Result<u32, DiskError>;
    /// All files, sorted by name bytewise. It is asked for again and again: a
    /// disk that can keep a listing shares the same one.
    fn entries(&self) -> Result<Arc<[Entry]>, DiskError>;
}

impl<D: Disk + ?Sized> Disk for Box<D> {
    fn load(&self, name: &Name, most: u32) -> Result<Vec<u8>, DiskError> {
        (**self).load(name, most)
    }
    fn save(&mut self, name: &Name, bytes: &[u8]) -> Result<(), DiskError> {
        (**self).save(name, bytes)
    }
    fn append(&mut self, name: &Name, bytes: &[u8]) -> Result<(), DiskError> {
        (**self).append(name, bytes)
    }
    fn delete(&mut self, name: &Name) -> Result<(), DiskError> {
        (**self).delete(name)
    }
    fn rename(&mut self, from: &Name, to: &Name) -> Result<(), DiskError> {
        (**self).rename(from, to)
    }
    fn size(&self, name: &Name) -> Result<u32, DiskError> {
        (**self).size(name)
    }
    fn entries(&self) -> Result<Arc<[Entry]>, DiskError> {
        (**self).entries()
    }
}

/// No disk folder: an empty disk that cannot be written.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoDisk;

impl Disk for NoDisk {
    fn load(&self, _: &Name, _: u32) -> Result<Vec<u8>, DiskError> {
        Err(DiskError::NotFound)
    }
    fn save(&mut self, _: &Name, _: &[u8]) -> Result<(), DiskError> {
        Err(DiskError::ReadOnly)
    }
    fn append(&mut self, _: &Name, _: &[u8]) -> Result<(), DiskError> {
        Err(DiskError::ReadOnly)
    }
    fn delete(&mut self, _: &Name) -> Result<(), DiskError> {
        Err(DiskError::NotFound)
    }
    fn rename(&mut self, _: &Name, _: &Name) -> Result<(), DiskError> {
        Err(DiskError::NotFound)
    }
    fn size(&self, _: &Name) -> Result<u32, DiskError> {
        Err(DiskError::NotFound)
    }
    fn entries(&self) -> Result<Arc<[Entry]>, DiskError> {
        Ok(Arc::from([]))
    }
}
