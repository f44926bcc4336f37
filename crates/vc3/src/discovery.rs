//! The sources below a folder, and those among them that are unit programs:
//! files named `test_*.sda`.

use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::program::is_source;

/// Folders that are searched when none is named, as far as they exist; where
/// there is neither, the current folder is.
pub const DEFAULT_FOLDERS: [&str; 2] = ["programs", "tests"];

/// The unit programs that `paths` name: a file as it is, a folder with all
/// that lie in it at any depth. Sorted, each once.
pub fn unit_programs(paths: &[PathBuf]) -> Result<Vec<PathBuf>> {
    find(&starting_points(paths), "unit program", is_unit_program)
}

/// The sources that `paths` name, in the same way.
pub fn sources(paths: &[PathBuf]) -> Result<Vec<PathBuf>> {
    find(paths, "source", |path| is_source(path) && path.is_file())
}

/// The files that are named, and in the folders those that are `wanted`.
fn find(paths: &[PathBuf], what: &str, wanted: fn(&Path) -> bool) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for path in paths {
        let metadata =
            path.metadata().with_context(|| format!("cannot read {}", path.display()))?;
        if metadata.is_dir() {
            search(path, wanted, &mut found)
                .with_context(|| format!("cannot read the folder {}", path.display()))?;
        } else if !is_source(path) {
            bail!("{} is no {what}: those are .sda files", path.display());
        } else {
            found.push(path.clone());
        }
    }
    // `.` as a folder does not show in the names.
    for path in &mut found {
        if let Ok(short) = path.strip_prefix(".") {
            *path = short.to_path_buf();
        }
    }
    found.sort();
    found.dedup();
    Ok(found)
}

fn starting_points(paths: &[PathBuf]) -> Vec<PathBuf> {
    if !paths.is_empty() {
        return paths.to_vec();
    }
    let present: Vec<PathBuf> =
        DEFAULT_FOLDERS.iter().map(PathBuf::from).filter(|folder| folder.is_dir()).collect();
    if present.is_empty() { vec![PathBuf::from(".")] } else { present }
}

/// Links to folders are not followed, so that no ring of them is.
fn search(folder: &Path, wanted: fn(&Path) -> bool, found: &mut Vec<PathBuf>) -> io::Result<()> {
    let mut waiting = vec![folder.to_path_buf()];
    while let Some(folder) = waiting.pop() {
        for entry in folder.read_dir()? {
            let entry = entry?;
            if entry.file_type()?.is_dir() {
                waiting.push(entry.path());
            } else if wanted(&entry.path()) {
                found.push(entry.path());
            }
        }
    }
    Ok(())
}

fn is_unit_program(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str());
    name.is_some_and(|name| name.starts_with("test_") && name.ends_with(".sda")) && path.is_file()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn finds_unit_programs_at_any_depth() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        fs::create_dir_all(root.join("a/b")).unwrap();
        for name in ["test_z.sda", "a/test_1.sda", "a/b/test_2.sda", "a/other.sda", "a/test_3.txt"]
        {
            fs::write(root.join(name), "").unwrap();
        }
        fs::create_dir(root.join("test_dir.sda")).unwrap();
        let found = unit_programs(&[root.to_path_buf(), root.join("test_z.sda")]).unwrap();
        let names: Vec<_> = found.iter().map(|path| path.strip_prefix(root).unwrap()).collect();
        let expected = ["a/b/test_2.sda", "a/test_1.sda", "test_z.sda"].map(Path::new);
        assert_eq!(names, expected);
        assert!(unit_programs(&[root.join("none")]).is_err());
        let error = unit_programs(&[root.join("a/test_3.txt")]).unwrap_err().to_string();
        assert!(error.ends_with("test_3.txt is no unit program: those are .sda files"));
        assert_eq!(sources(&[root.to_path_buf()]).unwrap().len(), 4);
    }
}
