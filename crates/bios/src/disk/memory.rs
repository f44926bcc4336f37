//! A disk in memory: for tests, and for the programs that are shipped.

use super::{Disk, DiskError, Entry, Name};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Bytes that a [`MemoryDisk`] holds unless told otherwise.
const DEFAULT_CAPACITY: usize = 64 << 20;

/// Files in memory, up to a total of `capacity` bytes.
#[derive(Clone, Debug)]
pub struct MemoryDisk {
    files: BTreeMap<Name, Vec<u8>>,
    capacity: usize,
}

impl Default for MemoryDisk {
    fn default() -> Self {
        MemoryDisk::with_capacity(DEFAULT_CAPACITY)
    }
}

impl MemoryDisk {
    /// An empty disk of 64 MB.
    pub fn new() -> Self {
        MemoryDisk::default()
    }

    /// An empty disk that holds `capacity` bytes in all.
    pub fn with_capacity(capacity: usize) -> Self {
        MemoryDisk { files: BTreeMap::new(), capacity }
    }

    /// A disk with these files.
    ///
    /// # Errors
    /// [`DiskError::BadName`] and [`DiskError::NoRoom`].
    pub fn from_files<'f>(
        files: impl IntoIterator<Item = (&'f str, &'f [u8])>,
    ) -> Result<Self, DiskError> {
        let mut disk = MemoryDisk::new();
        for (name, bytes) in files {
            disk.save(&Name::new(name.as_bytes())?, bytes)?;
        }
        Ok(disk)
    }

    /// Whether `bytes` more fit, when the `old` file goes.
    fn has_room(&self, old: Option<&Name>, bytes: usize) -> bool {
        let used: usize = self.files.values().map(Vec::len).sum();
        let freed = old.and_then(|name| self.files.get(name)).map_or(0, Vec::len);
        used - freed + bytes <= self.capacity
    }
}

impl Disk for MemoryDisk {
    fn load(&self, name: &Name, most: u32) -> Result<Vec<u8>, DiskError> {
        let bytes = self.files.get(name).ok_or(DiskError::NotFound)?;
        if bytes.len() > most as usize {
            return Err(DiskError::DoesNotFit);
        }
        Ok(bytes.clone())
    }

    fn save(&mut self, name: &Name, bytes: &[u8]) -> Result<(), DiskError> {
        if !self.has_room(Some(name), bytes.len()) {
            return Err(DiskError::NoRoom);
        }
        self.files.insert(name.clone(), bytes.to_vec());
        Ok(())
    }

    fn append(&mut self, name: &Name, bytes: &[u8]) -> Result<(), DiskError> {
        if !self.has_room(None, bytes.len()) {
            return Err(DiskError::NoRoom);
        }
        self.files.entry(name.clone()).or_default().extend_from_slice(bytes);
        Ok(())
    }

    fn delete(&mut self, name: &Name) -> Result<(), DiskError> {
        self.files.remove(name).map(drop).ok_or(DiskError::NotFound)
    }

    fn rename(&mut self, from: &Name, to: &Name) -> Result<(), DiskError> {
        if !self.files.contains_key(from) {
            return Err(DiskError::NotFound);
        }
        if self.files.contains_key(to) {
            return Err(DiskError::Exists);
        }
        if let Some(bytes) = self.files.remove(from) {
            self.files.insert(to.clone(), bytes);
        }
        Ok(())
    }

    fn size(&self, name: &Name) -> Result<u32, DiskError> {
        let bytes = self.files.get(name).ok_or(DiskError::NotFound)?;
        Ok(u32::try_from(bytes.len()).unwrap_or(u32::MAX))
    }

    fn entries(&self) -> Result<Arc<[Entry]>, DiskError> {
        let entry = |(name, bytes): (&Name, &Vec<u8>)| Entry {
            name: name.clone(),
            size: u32::try_from(bytes.len()).unwrap_or(u32::MAX),
        };
        Ok(self.files.iter().map(entry).collect())
    }
}
