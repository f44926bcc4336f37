//! What the corpora hold, found failures among it, stays right without any
//! fuzzing.

use std::path::{Path, PathBuf};

use fuzzing::TARGETS;

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = folder.read_dir().unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

#[test]
fn every_input_of_the_corpora_holds() {
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for (name, target) in TARGETS {
        let inputs = files(&top.join("fuzz/corpus").join(name));
        assert!(!inputs.is_empty(), "{name} has no corpus");
        for path in inputs {
            let input = std::fs::read(&path).unwrap();
            let done = std::panic::catch_unwind(|| target(&input));
            assert!(done.is_ok(), "{name} fails with {}", path.display());
        }
    }
}
