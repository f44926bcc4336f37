//! A folder of the host as the disk. It is opened once, through `cap-std`, so
//! that no name and no link leads out of it.

use super::kept::Kept;
use super::{Disk, DiskError, Entry, Name};
use cap_std::ambient_authority;
use cap_std::fs::{Dir, DirEntry, File, Metadata, OpenOptions};
use std::cell::RefCell;
use std::io::{self, ErrorKind, Read, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::{Instant, SystemTime};

/// Files being written begin like this: no [`Name`] does, so what a crash
/// leaves behind is never seen as a file.
const TEMPORARY: &str = ".vc3-save";
/// How many left-over temporary files are stepped over.
const MOST_LEFT_OVER: u32 = 100_000;

/// One host folder. Plain files in it whose names the machine allows are its
/// files; everything else in it is not seen.
#[derive(Debug)]
pub struct HostDisk {
    folder: Dir,
    listing: RefCell<Option<Kept>>,
}

impl HostDisk {
    /// Opens a folder.
    ///
    /// # Errors
    /// The host's own, when there is no such folder or it can't be read.
    pub fn open(folder: &Path) -> io::Result<HostDisk> {
        let folder = Dir::open_ambient_dir(folder, ambient_authority())?;
        folder.entries()?;
        Ok(HostDisk { folder, listing: RefCell::default() })
    }

    /// The metadata of a plain file. A folder, a device or a link that leads
    /// out is no file of this disk.
    fn metadata(&self, name: &Name) -> Result<Metadata, DiskError> {
        match self.folder.metadata(name.as_str()) {
            Ok(metadata) if metadata.is_file() => Ok(metadata),
            Ok(_) => Err(DiskError::NotFound),
            Err(error) if error.kind() == ErrorKind::PermissionDenied => Err(DiskError::NotFound),
            Err(error) => Err(disk_error(&error)),
        }
    }

    /// When a name in the folder was changed last, as far as the host says.
    fn modified(&self) -> Option<SystemTime> {
        Some(self.folder.dir_metadata().ok()?.modified().ok()?.into_std())
    }

    fn read_entries(&self) -> Result<Vec<Entry>, DiskError> {
        let mut entries = Vec::new();
        for found in self.folder.entries().map_err(|error| disk_error(&error))? {
            let found = found.map_err(|error| disk_error(&error))?;
            let file_name = found.file_name();
            let name = file_name.to_str().and_then(|name| Name::new(name.as_bytes()).ok());
            if let Some(name) = name
                && let Some(size) = self.listed_size(&found, &name)
            {
                entries.push(Entry { name, size });
            }
        }
        entries.sort();
        Ok(entries)
    }

    /// The size of what a listing found, if it is a file of this disk. Only
    /// for a link does it matter where it leads.
    fn listed_size(&self, found: &DirEntry, name: &Name) -> Option<u32> {
        if found.file_type().ok()?.is_file() {
            Some(size_of(&found.metadata().ok()?))
        } else {
            self.size(name).ok()
        }
    }

    /// Refuses to touch a file, or a folder, that is marked read-only.
    fn check_writable(&self, name: &Name) -> Result<(), DiskError> {
        let folder = self.folder.dir_metadata().map_err(|error| disk_error(&error))?;
        let file = self.metadata(name);
        if folder.permissions().readonly() || file.is_ok_and(|file| file.permissions().readonly()) {
            return Err(DiskError::ReadOnly);
        }
        Ok(())
    }

    /// Whether the folder has anything of this name, file or not.
    fn is_taken(&self, name: &Name) -> bool {
        self.folder.symlink_metadata(name.as_str()).is_ok()
    }

    /// A new file beside the others, under a name that isn't one.
    fn create_temporary(&self) -> io::Result<(String, File)> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        for number in 0..MOST_LEFT_OVER {
            let name = format!("{TEMPORARY}-{}-{number}", std::process::id());
            match self.folder.open_with(&name, &options) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                result => return Ok((name, result?)),
            }
        }
        Err(ErrorKind::AlreadyExists.into())
    }

    /// Makes a change of names last: the folder itself is synced. Hosts that
    /// can't do that keep their own promise.
    fn sync_folder(&self) {
        if let Ok(folder) = self.folder.try_clone() {
            let _ = folder.into_std_file().sync_all();
        }
    }
}

impl Disk for HostDisk {
    fn load(&self, name: &Name, most: u32) -> Result<Vec<u8>, DiskError> {
        let metadata = self.metadata(name)?;
        if metadata.len() > u64::from(most) {
            return Err(DiskError::DoesNotFit);
        }
        let file = self.folder.open(name.as_str()).map_err(|error| read_error(&error))?;
        let mut bytes = Vec::new();
        // a file that grows meanwhile is read no further than one byte too far
        file.take(u64::from(most) + 1)
            .read_to_end(&mut bytes)
            .map_err(|error| read_error(&error))?;
        if bytes.len() as u64 > u64::from(most) {
            return Err(DiskError::DoesNotFit);
        }
        Ok(bytes)
    }

    fn save(&mut self, name: &Name, bytes: &[u8]) -> Result<(), DiskError> {
        self.check_writable(name)?;
        *self.listing.get_mut() = None;
        let (temporary, mut file) = self.create_temporary().map_err(|error| write_error(&error))?;
        let written = file
            .write_all(bytes)
            .and_then(|()| file.sync_all())
            .and_then(|()| self.folder.rename(&temporary, &self.folder, name.as_str()));
        if let Err(error) = written {
            let _ = self.folder.remove_file(&temporary);
            return Err(write_error(&error));
        }
        self.sync_folder();
        Ok(())
    }

    fn append(&mut self, name: &Name, bytes: &[u8]) -> Result<(), DiskError> {
        let old = match self.metadata(name) {
            Ok(metadata) => metadata.len(),
            Err(DiskError::NotFound) if !self.is_taken(name) => return self.save(name, bytes),
            Err(DiskError::NotFound) => return Err(DiskError::Host),
            Err(error) => return Err(error),
        };
        self.check_writable(name)?;
        *self.listing.get_mut() = None;
        let mut file = self
            .folder
            .open_with(name.as_str(), OpenOptions::new().append(true))
            .map_err(|error| disk_error(&error))?;
        if let Err(error) = file.write_all(bytes).and_then(|()| file.sync_all()) {
            // all or nothing: what was written goes again
            let _ = file.set_len(old);
            return Err(disk_error(&error));
        }
        Ok(())
    }

    fn delete(&mut self, name: &Name) -> Result<(), DiskError> {
        self.metadata(name)?;
        self.check_writable(name)?;
        *self.listing.get_mut() = None;
        self.folder.remove_file(name.as_str()).map_err(|error| disk_error(&error))?;
        self.sync_folder();
        Ok(())
    }

    fn rename(&mut self, from: &Name, to: &Name) -> Result<(), DiskError> {
        self.metadata(from)?;
        if self.is_taken(to) {
            return Err(DiskError::Exists);
        }
        self.check_writable(from)?;
        *self.listing.get_mut() = None;
        self.folder
            .rename(from.as_str(), &self.folder, to.as_str())
            .map_err(|error| disk_error(&error))?;
        self.sync_folder();
        Ok(())
    }

    fn size(&self, name: &Name) -> Result<u32, DiskError> {
        Ok(size_of(&self.metadata(name)?))
    }

    fn entries(&self) -> Result<Arc<[Entry]>, DiskError> {
        let modified = self.modified();
        let kept = self.listing.borrow().as_ref().and_then(|kept| kept.entries(modified));
        if let Some(entries) = kept {
            return Ok(entries);
        }
        let began = Instant::now();
        let entries: Arc<[Entry]> = self.read_entries()?.into();
        *self.listing.borrow_mut() = Kept::new(Arc::clone(&entries), began, modified);
        Ok(entries)
    }
}

/// A file's length as the machine shows it.
fn size_of(metadata: &Metadata) -> u32 {
    u32::try_from(metadata.len()).unwrap_or(u32::MAX)
}

/// Of a file being read: one that the host doesn't let us read is not what
/// the machine calls read-only.
fn read_error(error: &io::Error) -> DiskError {
    match disk_error(error) {
        DiskError::ReadOnly => DiskError::Host,
        error => error,
    }
}

/// Of a file being made: that something is not there, or is there already,
/// is then no fault of the name.
fn write_error(error: &io::Error) -> DiskError {
    match disk_error(error) {
        DiskError::NotFound | DiskError::Exists => DiskError::Host,
        error => error,
    }
}

fn disk_error(error: &io::Error) -> DiskError {
    match error.kind() {
        ErrorKind::NotFound => DiskError::NotFound,
        ErrorKind::AlreadyExists => DiskError::Exists,
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => DiskError::ReadOnly,
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => {
            DiskError::NoRoom
        }
        _ => DiskError::Host,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_must_not_be_read_is_a_host_error_not_read_only() {
        for (kind, reading, writing) in [
            (ErrorKind::PermissionDenied, DiskError::Host, DiskError::ReadOnly),
            (ErrorKind::ReadOnlyFilesystem, DiskError::Host, DiskError::ReadOnly),
            (ErrorKind::NotFound, DiskError::NotFound, DiskError::Host),
            (ErrorKind::StorageFull, DiskError::NoRoom, DiskError::NoRoom),
            (ErrorKind::Interrupted, DiskError::Host, DiskError::Host),
        ] {
            let error = io::Error::from(kind);
            assert_eq!((read_error(&error), write_error(&error)), (reading, writing), "{kind}");
        }
    }
}
