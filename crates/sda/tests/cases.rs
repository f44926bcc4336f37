//! The language, case by case: every file in `tests/cases` says in comments
//! what each of its lines assembles to, or which error it is.
//!
//! `;= 00 01` after a statement: its bytes; `;= 020100: 00 01` with their
//! address. `;! 9 E0304` the error (or warning, W…) that begins in column 9
//! of the line; several are separated by commas. What is not announced must
//! not happen. `;== NAME` begins another file of the same case, `;=+ NAME`
//! another one that is given to the assembler too, `;=# NAME HEX` a file of
//! bytes. Each case is run as it is, with CRLF, with a byte-order mark and
//! without final newlines.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use sda::{Files, Options, Program, assemble};

/// A case's files in memory.
struct Case {
    roots: Vec<PathBuf>,
    files: BTreeMap<PathBuf, Vec<u8>>,
    /// (file, line) → (address, bytes).
    bytes: BTreeMap<(String, u32), (Option<u32>, Vec<u8>)>,
    /// (file, line, column, code).
    errors: Vec<(String, u32, u32, String)>,
}

impl Files for Case {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.files.get(path).cloned().ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn exists(&self, path: &Path) -> bool {
        self.files.contains_key(path)
    }
}

fn hex(text: &str) -> Vec<u8> {
    text.split_whitespace()
        .map(|byte| u8::from_str_radix(byte, 16).unwrap_or_else(|_| panic!("`{byte}` is no byte")))
        .collect()
}

fn parse(name: &str, text: &str) -> Case {
    let mut case = Case {
        roots: vec![PathBuf::from(name)],
        files: BTreeMap::new(),
        bytes: BTreeMap::new(),
        errors: Vec::new(),
    };
    let mut file = name.to_string();
    let mut line = 0;
    let mut content = String::new();
    for text in text.lines() {
        let other = text.strip_prefix(";== ").map(|name| (name, false));
        if let Some((name, root)) = other.or(text.strip_prefix(";=+ ").map(|name| (name, true))) {
            case.files.insert(PathBuf::from(&file), std::mem::take(&mut content).into_bytes());
            file = name.trim().to_string();
            line = 0;
            if root {
                case.roots.push(PathBuf::from(&file));
            }
            continue;
        }
        if let Some(rest) = text.strip_prefix(";=# ") {
            let (name, bytes) = rest.split_once(' ').unwrap_or((rest, ""));
            case.files.insert(PathBuf::from(name), hex(bytes));
            continue;
        }
        line += 1;
        content.push_str(text);
        content.push('\n');
        if let Some((_, wanted)) = text.split_once(";=") {
            let (address, bytes) = match wanted.split_once(':') {
                Some((address, bytes)) => {
                    (Some(u32::from_str_radix(address.trim(), 16).unwrap()), bytes)
                }
                None => (None, wanted),
            };
            case.bytes.insert((file.clone(), line), (address, hex(bytes)));
        }
        if let Some((_, wanted)) = text.split_once(";!") {
            for one in wanted.split(',') {
                let (column, code) = one.trim().split_once(' ').unwrap();
                case.errors.push((file.clone(), line, column.parse().unwrap(), code.trim().into()));
            }
        }
    }
    case.files.insert(PathBuf::from(&file), content.into_bytes());
    case.errors.sort();
    case
}

/// What a program holds at an address.
fn bytes_at(program: &Program, address: u32, size: u32) -> Vec<u8> {
    let segment = program
        .segments
        .iter()
        .find(|segment| segment.address <= address && address < segment.end())
        .expect("a statement lies in a segment");
    let at = (address - segment.address) as usize;
    segment.bytes[at..at + size as usize].to_vec()
}

fn check(name: &str, case: &Case) {
    let assembly = assemble(&case.roots, case, &Options::default());
    let diagnostics = &assembly.diagnostics;
    let mut found: Vec<(String, u32, u32, String)> = diagnostics
        .iter()
        .map(|one| {
            let (file, line, column) = diagnostics.place(one);
            (file.to_string(), line, column, one.code().to_string())
        })
        .collect();
    found.sort();
    if found != case.errors {
        let missing: Vec<_> = case.errors.iter().filter(|one| !found.contains(one)).collect();
        let extra: Vec<_> = found.iter().filter(|one| !case.errors.contains(one)).collect();
        panic!(
            "{name}: announced only: {missing:?}\nfound only: {extra:?}\n{}",
            diagnostics.render(false)
        );
    }
    let failed = case.errors.iter().any(|error| error.3.starts_with('E'));
    assert_eq!(assembly.program.is_none(), failed, "{name}");
    let Some(program) = assembly.program else { return };
    let mut lines: BTreeMap<(String, u32), (u32, Vec<u8>)> = BTreeMap::new();
    for (address, size, file, line) in program.lines.iter() {
        lines
            .entry((file.to_string(), line))
            .or_insert((address, Vec::new()))
            .1
            .extend(bytes_at(&program, address, size));
    }
    for ((file, line), (address, wanted)) in &case.bytes {
        let (at, found) = lines
            .remove(&(file.clone(), *line))
            .unwrap_or_else(|| panic!("{name}: {file}:{line} emits nothing"));
        assert_eq!(
            &found, wanted,
            "{name}: {file}:{line}: found (left), announced (right): {found:02X?}"
        );
        if let Some(address) = address {
            assert_eq!(at, *address, "{name}: {file}:{line} lies at {at:06X}");
        }
    }
    assert!(lines.is_empty(), "{name}: bytes that were not announced: {lines:02X?}");
}

/// The case with every text changed by `change`.
fn variant(case: &Case, change: impl Fn(&str) -> String) -> Case {
    let files = case
        .files
        .iter()
        .map(|(path, bytes)| {
            let changed = match std::str::from_utf8(bytes) {
                Ok(text) if path.extension().is_some_and(|end| end == "sda") => {
                    change(text).into_bytes()
                }
                _ => bytes.clone(),
            };
            (path.clone(), changed)
        })
        .collect();
    Case {
        files,
        roots: case.roots.clone(),
        bytes: case.bytes.clone(),
        errors: case.errors.clone(),
    }
}

#[test]
fn every_case_does_what_it_announces() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cases");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_string();
        let case = parse(&name, &std::fs::read_to_string(&path).unwrap());
        assert!(!case.bytes.is_empty() || !case.errors.is_empty(), "{name} announces nothing");
        check(&name, &case);
        check(&format!("{name} with CRLF"), &variant(&case, |text| text.replace('\n', "\r\n")));
        check(&format!("{name} with BOM"), &variant(&case, |text| format!("\u{FEFF}{text}")));
        let trimmed = |text: &str| text.trim_end_matches('\n').to_string();
        check(&format!("{name} without final newline"), &variant(&case, trimmed));
        count += 1;
    }
    assert!(count >= 20, "only {count} cases were found");
}
