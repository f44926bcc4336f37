//! A case of `tests/asm`: its files, and what their comments announce.
//!
//! `;= 00 01` after a statement: its bytes; `;= 020100: 00 01` with their
//! address. `;! 9 E0304` the error (or warning, W…) that begins in column 9
//! of the line, `x3` behind it that it comes three times; several are separated
//! by commas. `;!^` speaks of the line above, where a comment has no place. What
//! is not announced must not happen; `;-A W0301` says which warnings the case is
//! not about. `;== NAME` begins another file of the same case, `;=+ NAME`
//! another one that is given to the assembler too, `;=# NAME HEX` is a file of
//! bytes, `;=- NAME` takes a file away, and `;=@ NAME ;! 2:9 E0101` announces an
//! error in either.

// Each test that uses it uses its own part.
#![allow(dead_code)]

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use sda::Files;

/// (file, line, column, code).
pub type Place = (String, u32, u32, String);

/// A case's files in memory.
pub struct Case {
    pub roots: Vec<PathBuf>,
    pub files: BTreeMap<PathBuf, Vec<u8>>,
    /// (file, line) → (address, bytes).
    pub bytes: BTreeMap<(String, u32), (Option<u32>, Vec<u8>)>,
    pub errors: Vec<Place>,
    pub allowed: Vec<String>,
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

/// Every case of `tests/asm`, by the name of its file.
pub fn all() -> Vec<(String, Case)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/asm");
    let mut cases: Vec<(String, Case)> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap().to_string();
            let case = parse(&name, &std::fs::read_to_string(&path).unwrap());
            (name, case)
        })
        .collect();
    cases.sort_by(|a, b| a.0.cmp(&b.0));
    cases
}

pub fn parse(name: &str, text: &str) -> Case {
    let mut case = Case {
        roots: vec![PathBuf::from(name)],
        files: BTreeMap::new(),
        bytes: BTreeMap::new(),
        errors: Vec::new(),
        allowed: Vec::new(),
    };
    let mut file = name.to_string();
    let mut missing = Vec::new();
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
        if let Some(name) = text.strip_prefix(";=- ") {
            missing.push(PathBuf::from(name));
            continue;
        }
        if let Some(rest) = text.strip_prefix(";=@ ") {
            let (name, wanted) = rest.split_once(" ;! ").unwrap();
            let (line, wanted) = wanted.split_once(':').unwrap();
            announce(&mut case.errors, name, line.parse().unwrap(), wanted);
            continue;
        }
        if let Some(codes) = text.strip_prefix(";-A ") {
            case.allowed.extend(codes.split_whitespace().map(str::to_string));
        }
        line += 1;
        content.push_str(text);
        content.push('\n');
        let (text, wanted) = match text.split_once(";!") {
            Some((text, wanted)) => (text, Some(wanted)),
            None => (text, None),
        };
        if let Some((_, wanted)) = text.split_once(";=") {
            let (address, bytes) = match wanted.split_once(':') {
                Some((address, bytes)) => {
                    (Some(u32::from_str_radix(address.trim(), 16).unwrap()), bytes)
                }
                None => (None, wanted),
            };
            case.bytes.insert((file.clone(), line), (address, hex(bytes)));
        }
        if let Some(wanted) = wanted {
            let (above, wanted) = match wanted.strip_prefix('^') {
                Some(wanted) => (1, wanted),
                None => (0, wanted),
            };
            announce(&mut case.errors, &file, line - above, wanted);
        }
    }
    case.files.insert(PathBuf::from(&file), content.into_bytes());
    for name in missing {
        case.files.remove(&name);
    }
    case.errors.sort();
    case
}

/// `9 E0304, 12 E0301 x3`: columns, codes, and how often.
fn announce(errors: &mut Vec<Place>, file: &str, line: u32, wanted: &str) {
    for one in wanted.split(',') {
        let mut words = one.split_whitespace();
        let column = words.next().unwrap().parse().unwrap();
        let code = words.next().unwrap();
        let times = words.next().map_or(1, |times| times.trim_start_matches('x').parse().unwrap());
        let place = (file.to_string(), line, column, code.to_string());
        errors.extend(std::iter::repeat_n(place, times));
    }
}

/// The case with every text changed by `change`.
pub fn variant(case: &Case, change: impl Fn(&str) -> String) -> Case {
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
        allowed: case.allowed.clone(),
    }
}
