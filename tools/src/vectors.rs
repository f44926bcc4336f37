//! The single-step vectors of tests/vectors, made from the oracle; the format
//! is docs/vectors.md's.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use differential::vectors;

/// Where the files are, relative to the repository.
pub const FOLDER: &str = "tests/vectors";

/// Writes every file of vectors below `root`; their names.
///
/// # Errors
/// When a file can't be written.
pub fn write(root: &Path) -> Result<Vec<String>> {
    fs::create_dir_all(root.join(FOLDER)).context(FOLDER)?;
    let mut written = Vec::new();
    for (name, vectors) in vectors::files() {
        let path = format!("{FOLDER}/{name}.json.gz");
        let file = vectors::packed(&vectors::text(&vectors)?)?;
        fs::write(root.join(&path), file).with_context(|| path.clone())?;
        written.push(path);
    }
    Ok(written)
}

/// The files that aren't what the oracle says. Texts are compared: the same
/// one may be packed differently.
///
/// # Errors
/// When vectors can't be written as text.
pub fn stale(root: &Path) -> Result<Vec<String>> {
    let mut stale = Vec::new();
    for (name, vectors) in vectors::files() {
        let path = format!("{FOLDER}/{name}.json.gz");
        let there = fs::read(root.join(&path)).and_then(|file| vectors::unpacked(&file));
        if there.ok() != Some(vectors::text(&vectors)?) {
            stale.push(path);
        }
    }
    Ok(stale)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_vectors_are_what_the_oracle_says() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let stale = stale(&root).unwrap_or_else(|error| panic!("{error:#}"));
        assert!(stale.is_empty(), "run `cargo run -p tools -- vectors`: {stale:?}");
    }
}
