//! Files that a command leaves behind: all of them, whole, or none.

use std::fs::{self, Permissions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use tempfile::{Builder, NamedTempFile};

/// Writes to the standard output.
pub fn print(bytes: &[u8]) -> Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(bytes).and_then(|()| out.flush()).context(STANDARD_OUTPUT)
}

/// What an error says that came from the standard output.
pub const STANDARD_OUTPUT: &str = "cannot write to the standard output";

/// The outputs of one command. Nothing is at its place before
/// [`Outputs::commit`]; if that fails, no file has been replaced in part, and
/// none at all when it was a device or the standard output that failed.
#[derive(Default)]
pub struct Outputs {
    files: Vec<(PathBuf, Place)>,
}

enum Place {
    /// Written beside its target, to be renamed over it.
    Beside(NamedTempFile),
    /// A device or pipe, which can only be written to.
    Direct(Vec<u8>),
    /// `-`, the standard output.
    Standard(Vec<u8>),
}

impl Outputs {
    /// Prepares `bytes` for `path`; `-` is the standard output.
    pub fn add(&mut self, path: &Path, bytes: Vec<u8>) -> Result<()> {
        let place = if path == Path::new("-") {
            Place::Standard(bytes)
        } else {
            prepare(path, bytes).with_context(|| format!("cannot write {}", path.display()))?
        };
        self.files.push((path.to_path_buf(), place));
        Ok(())
    }

    /// Puts every file where it belongs. What may fail half-way goes first:
    /// then nothing else has been written.
    pub fn commit(mut self) -> Result<()> {
        self.files.sort_by_key(|(_, place)| matches!(place, Place::Beside(_)));
        for (path, place) in self.files {
            let done = match place {
                Place::Beside(file) => {
                    let target = fs::canonicalize(&path).unwrap_or_else(|_| path.clone());
                    file.persist(target).map(drop).map_err(|error| error.error)
                }
                Place::Direct(bytes) => fs::write(&path, bytes),
                Place::Standard(bytes) => {
                    print(&bytes)?;
                    Ok(())
                }
            };
            done.with_context(|| format!("cannot write {}", path.display()))?;
        }
        Ok(())
    }
}

fn prepare(path: &Path, bytes: Vec<u8>) -> Result<Place> {
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_dir() => bail!("it is a folder"),
        Ok(metadata) if !metadata.is_file() => return Ok(Place::Direct(bytes)),
        _ => {}
    }
    // A link stays a link: its target is what is replaced.
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let folder = match target.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    if !folder.is_dir() {
        bail!("there is no folder {}", folder.display());
    }
    let mut builder = Builder::new();
    builder.prefix(".vc3-");
    if let Some(permissions) = permissions(&target) {
        builder.permissions(permissions);
    }
    let mut file = builder.tempfile_in(folder).map_err(|error| io::Error::from(error.kind()))?;
    // An error with the name that the file has until then would tell nobody
    // anything.
    file.as_file_mut().write_all(&bytes)?;
    Ok(Place::Beside(file))
}

/// What the new file's permissions are: those of the one it replaces, or the
/// usual ones of a new file.
#[cfg(unix)]
fn permissions(target: &Path) -> Option<Permissions> {
    use std::os::unix::fs::PermissionsExt;
    let existing = fs::metadata(target).ok().map(|metadata| metadata.permissions());
    Some(existing.unwrap_or_else(|| Permissions::from_mode(0o666)))
}

#[cfg(not(unix))]
fn permissions(_: &Path) -> Option<Permissions> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_before_commit_and_no_leftovers() {
        let folder = tempfile::tempdir().unwrap();
        let (one, two) = (folder.path().join("one"), folder.path().join("two"));
        let mut outputs = Outputs::default();
        outputs.add(&one, b"1".to_vec()).unwrap();
        assert!(outputs.add(&folder.path().join("no/such/two"), b"2".to_vec()).is_err());
        assert!(!one.exists());
        drop(outputs);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);

        let mut outputs = Outputs::default();
        outputs.add(&one, b"1".to_vec()).unwrap();
        outputs.add(&two, b"2".to_vec()).unwrap();
        outputs.commit().unwrap();
        assert_eq!((fs::read(&one).unwrap(), fs::read(&two).unwrap()), (b"1".into(), b"2".into()));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_device_that_is_full_leaves_no_other_file() {
        let folder = tempfile::tempdir().unwrap();
        let one = folder.path().join("one");
        let mut outputs = Outputs::default();
        outputs.add(&one, b"1".to_vec()).unwrap();
        outputs.add(Path::new("/dev/full"), b"2".to_vec()).unwrap();
        let error = outputs.commit().unwrap_err().to_string();
        assert_eq!(error, "cannot write /dev/full");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    #[cfg(unix)]
    fn a_link_stays_a_link() {
        let folder = tempfile::tempdir().unwrap();
        let (real, link) = (folder.path().join("real"), folder.path().join("link"));
        fs::write(&real, "old").unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        let mut outputs = Outputs::default();
        outputs.add(&link, b"new".to_vec()).unwrap();
        outputs.commit().unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read(&real).unwrap(), b"new");
    }
}
