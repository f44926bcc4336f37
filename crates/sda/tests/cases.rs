//! The language, case by case: every file in `tests/asm` says in comments
//! what each of its lines assembles to, or which error it is.
//!
//! `;= 00 01` after a statement: its bytes; `;= 020100: 00 01` with their
//! address. `;! 9 E0304` the error (or warning, W…) that begins in column 9
//! of the line; several are separated by commas. What is not announced must
//! not happen; `;-A W0301` says which warnings the case is not about. `;== NAME`
//! begins another file of the same case, `;=+ NAME`
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
    allowed: Vec<String>,
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
        allowed: Vec::new(),
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
        if let Some(codes) = text.strip_prefix(";-A ") {
            case.allowed.extend(codes.split_whitespace().map(str::to_string));
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

/// What the case does otherwise than it announces.
fn check(case: &Case) -> Result<(), String> {
    let options = Options { allowed: case.allowed.clone(), ..Options::default() };
    let assembly = assemble(&case.roots, case, &options);
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
        let text = diagnostics.render(false);
        return Err(format!("announced only: {missing:?}\nfound only: {extra:?}\n{text}"));
    }
    let failed = case.errors.iter().any(|error| error.3.starts_with('E'));
    if assembly.program.is_none() != failed {
        return Err("a program in spite of errors, or none without".into());
    }
    assembly.program.map_or(Ok(()), |program| check_bytes(case, &program))
}

fn check_bytes(case: &Case, program: &Program) -> Result<(), String> {
    let mut lines: BTreeMap<(String, u32), (u32, Vec<u8>)> = BTreeMap::new();
    for (address, size, file, line) in program.lines.iter() {
        let place = (file.to_string(), line);
        let bytes = bytes_at(program, address, size);
        lines.entry(place).or_insert((address, Vec::new())).1.extend(bytes);
    }
    for ((file, line), (address, wanted)) in &case.bytes {
        let Some((at, found)) = lines.remove(&(file.clone(), *line)) else {
            return Err(format!("{file}:{line} emits nothing"));
        };
        if &found != wanted {
            return Err(format!("{file}:{line}: announced {wanted:02X?}, found {found:02X?}"));
        }
        if address.is_some_and(|address| address != at) {
            return Err(format!("{file}:{line} lies at {at:06X}"));
        }
    }
    if lines.is_empty() { Ok(()) } else { Err(format!("not announced: {lines:02X?}")) }
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
        allowed: case.allowed.clone(),
    }
}

#[test]
fn every_case_does_what_it_announces() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/asm");
    let mut count = 0;
    let mut wrong = String::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_string();
        let case = parse(&name, &std::fs::read_to_string(&path).unwrap());
        let announces = !case.bytes.is_empty() || !case.errors.is_empty();
        assert!(announces, "{name} announces nothing");
        let trimmed = |text: &str| text.trim_end_matches('\n').to_string();
        let done = check(&case)
            .and_then(|()| in_a_variant("CRLF", &variant(&case, |text| text.replace('\n', "\r\n"))))
            .and_then(|()| in_a_variant("BOM", &variant(&case, |text| format!("\u{FEFF}{text}"))))
            .and_then(|()| in_a_variant("no final newline", &variant(&case, trimmed)));
        if let Err(text) = done {
            wrong += &format!("{name}: {text}\n");
        }
        count += 1;
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert!(count >= 50, "only {count} cases were found");
}

fn in_a_variant(what: &str, case: &Case) -> Result<(), String> {
    check(case).map_err(|text| format!("with {what}: {text}"))
}
