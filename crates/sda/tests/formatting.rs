//! The formatter over every source of the project: twice is once, and what a
//! program assembles to stays as it is.

use std::io;
use std::path::{Path, PathBuf};

use sda::{Files, HostFiles, Options, Program, assemble};

/// The project's folder.
fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> =
        folder.read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "sda") {
            found.push(path);
        }
    }
}

/// The host's files, each source formatted.
struct Formatted;

impl Files for Formatted {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        let bytes = HostFiles.read(path)?;
        if path.extension().is_none_or(|extension| extension != "sda") {
            return Ok(bytes);
        }
        let text = String::from_utf8(bytes).map_err(io::Error::other)?;
        Ok(sda::fmt::format(&text).into_bytes())
    }

    fn exists(&self, path: &Path) -> bool {
        HostFiles.exists(path)
    }
}

#[test]
fn formatting_twice_is_formatting_once() {
    let mut found = Vec::new();
    sources(&project().join("programs"), &mut found);
    sources(&project().join("tests"), &mut found);
    assert!(found.len() > 100, "there are only {} sources", found.len());
    for path in found {
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        let once = sda::fmt::format(&text);
        let twice = sda::fmt::format(&once);
        assert!(once == twice, "{} changes again", path.display());
    }
}

#[test]
fn formatted_programs_have_the_same_bytes() {
    let mut found = Vec::new();
    sources(&project().join("programs"), &mut found);
    sources(&project().join("tests"), &mut found);
    let options = Options { kernal: true, ..Options::default() };
    let parts = |program: &Program| {
        let symbols: Vec<_> = program
            .symbols
            .iter()
            .map(|symbol| (symbol.name.clone(), symbol.value, symbol.kind))
            .collect();
        let expectations: Vec<_> = program
            .expectations
            .iter()
            .map(|one| (one.address, one.width, one.low, one.high, one.text.clone()))
            .collect();
        (program.prg(), symbols, expectations)
    };
    let mut programs = 0;
    for path in found {
        let files = [path];
        let Some(before) = assemble(&files, &HostFiles, &options).program else { continue };
        let after = assemble(&files, &Formatted, &options);
        let after = after.program.unwrap_or_else(|| panic!("{}", after.diagnostics.render(false)));
        let is_same = parts(&before) == parts(&after);
        assert!(is_same, "{} assembles to something else", files[0].display());
        programs += 1;
    }
    assert!(programs > 100, "only {programs} programs were assembled");
}
