//! The programs that ship, their unit programs and the examples of the
//! benchmarks assemble without a single warning.

use std::path::{Path, PathBuf};

use sda::{HostFiles, Options, assemble};

/// The sources below a folder that are assembled by themselves.
fn roots(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        // Their subject is what is wrong.
        if path.is_dir() && !["asm", "lint"].contains(&name) {
            roots(&path, found);
        } else if name.ends_with(".sda")
            && (name.starts_with("test_") || ["rogueima.sda", "shell.sda"].contains(&name))
        {
            found.push(path);
        }
    }
}

#[test]
fn our_own_programs_give_no_warning() {
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut found = Vec::new();
    roots(&top.join("programs"), &mut found);
    roots(&top.join("tests"), &mut found);
    for loops in std::fs::read_dir(top.join("benches/loops")).unwrap() {
        found.push(loops.unwrap().path());
    }
    assert!(found.len() > 70, "only {} programs were found", found.len());
    found.sort();
    let mut said = String::new();
    for root in found {
        let kernal = std::fs::read_to_string(&root).unwrap().lines().any(|line| line == "; kernal")
            || root.ends_with("shell.sda");
        let options = Options { kernal, ..Options::default() };
        let assembly = assemble(&[root], &HostFiles, &options);
        said += &assembly.diagnostics.render(false);
    }
    assert!(said.is_empty(), "{said}");
}
