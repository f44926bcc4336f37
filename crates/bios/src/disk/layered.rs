//! The shipped files under the user's disk: they can be read and run, and
//! saving over one writes the user's disk.

use super::{Disk, DiskError, Entry, MemoryDisk, Name};
use std::cell::RefCell;
use std::sync::Arc;

/// `upper` is read first and is the only one written.
#[derive(Clone, Debug)]
pub struct Layered<D> {
    upper: D,
    shipped: MemoryDisk,
    /// The last listing of the upper disk, and what became of it.
    listing: RefCell<Option<[Arc<[Entry]>; 2]>>,
}

impl<D: Disk> Layered<D> {
    /// Puts `upper` over the shipped files.
    pub fn new(upper: D, shipped: MemoryDisk) -> Self {
        Layered { upper, shipped, listing: RefCell::default() }
    }

    fn is_shipped(&self, name: &Name) -> bool {
        self.shipped.size(name).is_ok()
    }

    /// What a writing service says when the upper disk hasn't the file: a
    /// shipped one can't be removed.
    fn refuse_shipped<T>(&self, name: &Name, result: Result<T, DiskError>) -> Result<T, DiskError> {
        match result {
            Err(DiskError::NotFound) if self.is_shipped(name) => Err(DiskError::ReadOnly),
            result => result,
        }
    }
}

impl<D: Disk> Disk for Layered<D> {
    fn load(&self, name: &Name, most: u32) -> Result<Vec<u8>, DiskError> {
        match self.upper.load(name, most) {
            Err(DiskError::NotFound) => self.shipped.load(name, most),
            result => result,
        }
    }

    fn save(&mut self, name: &Name, bytes: &[u8]) -> Result<(), DiskError> {
        self.upper.save(name, bytes)
    }

    fn append(&mut self, name: &Name, bytes: &[u8]) -> Result<(), DiskError> {
        match self.upper.size(name) {
            Err(DiskError::NotFound) if self.is_shipped(name) => {
                let mut whole = self.shipped.load(name, u32::MAX)?;
                whole.extend_from_slice(bytes);
                self.upper.save(name, &whole)
            }
            _ => self.upper.append(name, bytes),
        }
    }

    fn delete(&mut self, name: &Name) -> Result<(), DiskError> {
        let result = self.upper.delete(name);
        self.refuse_shipped(name, result)
    }

    fn rename(&mut self, from: &Name, to: &Name) -> Result<(), DiskError> {
        let result = match self.size(from) {
            Ok(_) if self.is_shipped(to) => Err(DiskError::Exists),
            _ => self.upper.rename(from, to),
        };
        self.refuse_shipped(from, result)
    }

    fn size(&self, name: &Name) -> Result<u32, DiskError> {
        match self.upper.size(name) {
            Err(DiskError::NotFound) => self.shipped.size(name),
            result => result,
        }
    }

    fn entries(&self) -> Result<Arc<[Entry]>, DiskError> {
        let upper = self.upper.entries()?;
        let mut listing = self.listing.borrow_mut();
        if let Some([_, both]) = listing.as_ref().filter(|[last, _]| Arc::ptr_eq(last, &upper)) {
            return Ok(Arc::clone(both));
        }
        // stable sort: of two with one name, the upper stays in front
        let mut entries = [&*upper, &*self.shipped.entries()?].concat();
        entries.sort_by(|a, b| a.name.cmp(&b.name));
        entries.dedup_by(|later, first| later.name == first.name);
        let both = Arc::from(entries);
        *listing = Some([upper, Arc::clone(&both)]);
        Ok(both)
    }
}
