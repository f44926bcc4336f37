//! The language, case by case: every file in `tests/asm` says in comments
//! what each of its lines assembles to, or which error it is. Each case is run
//! as it is, with CRLF, with a byte-order mark and without final newlines.

mod case;

use std::collections::{BTreeMap, BTreeSet};

use case::{Case, Place, variant};
use sda::{EXPLANATIONS, Options, Program, assemble};

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
    let mut found: Vec<Place> = diagnostics
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

#[test]
fn every_case_does_what_it_announces() {
    let mut wrong = String::new();
    let cases = case::all();
    for (name, case) in &cases {
        let announces = !case.bytes.is_empty() || !case.errors.is_empty();
        assert!(announces, "{name} announces nothing");
        let trimmed = |text: &str| text.trim_end_matches('\n').to_string();
        let done = check(case)
            .and_then(|()| in_a_variant("CRLF", case, |text| text.replace('\n', "\r\n")))
            .and_then(|()| in_a_variant("a BOM", case, |text| format!("\u{FEFF}{text}")))
            .and_then(|()| in_a_variant("no final newline", case, trimmed));
        if let Err(text) = done {
            wrong += &format!("{name}: {text}\n");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert!(cases.len() >= 200, "only {} cases were found", cases.len());
}

fn in_a_variant(what: &str, case: &Case, change: impl Fn(&str) -> String) -> Result<(), String> {
    check(&variant(case, change)).map_err(|text| format!("with {what}: {text}"))
}

/// The first word of each statement that announces bytes, in upper case, with
/// its first byte; and every word of all sources.
fn statements_and_words() -> (BTreeSet<(String, u8)>, BTreeSet<String>) {
    let (mut statements, mut words) = (BTreeSet::new(), BTreeSet::new());
    for (_, case) in case::all() {
        for (path, text) in &case.files {
            let Ok(text) = std::str::from_utf8(text) else { continue };
            for (number, line) in (1..).zip(text.lines()) {
                let code = line.split(';').next().unwrap_or("");
                let of_name = |c: char| !(c.is_ascii_alphanumeric() || "._".contains(c));
                let all = code.split(of_name).filter(|word| !word.is_empty());
                words.extend(all.map(str::to_ascii_uppercase));
                let place = (path.to_string_lossy().into_owned(), number);
                let Some((_, bytes)) = case.bytes.get(&place) else { continue };
                let statement = code.rsplit_once(": ").map_or(code, |(_, statement)| statement);
                let first = statement.trim_start().split(of_name).next().unwrap_or("");
                if let Some(&byte) = bytes.first() {
                    statements.insert((first.to_ascii_uppercase(), byte));
                }
            }
        }
    }
    (statements, words)
}

#[test]
fn every_form_of_every_instruction_has_a_case() {
    let (statements, _) = statements_and_words();
    for row in isa::INSTRUCTIONS {
        let covered = statements.iter().any(|(word, byte)| {
            let mnemonic = if row.glued { word.get(..2) } else { Some(word.as_str()) };
            mnemonic == Some(row.mnemonic) && *byte == row.opcode
        });
        assert!(covered, "{} with opcode {} has no case", row.mnemonic, row.opcode);
    }
    let aliases = isa::ALIASES.iter().map(|(alias, _)| *alias).chain(["JA", "JBE"]);
    for alias in aliases {
        assert!(statements.iter().any(|(word, _)| word == alias), "{alias} has no case");
    }
}

#[test]
fn every_register_and_every_directive_has_a_case() {
    let (_, words) = statements_and_words();
    for reg in isa::Reg::all() {
        assert!(words.contains(reg.name()), "{} has no case", reg.name());
    }
    let mut count = 0;
    for (name, _) in sda::directives() {
        assert!(words.contains(&format!(".{}", name.to_ascii_uppercase())), ".{name} has no case");
        count += 1;
    }
    assert!(count >= 38, "only {count} directives");
}

#[test]
fn every_code_has_a_case() {
    let cases = case::all();
    let announced: BTreeSet<&str> =
        cases.iter().flat_map(|(_, case)| &case.errors).map(|place| place.3.as_str()).collect();
    for page in EXPLANATIONS {
        let of_lint = page.code.starts_with('L');
        assert!(of_lint || announced.contains(page.code), "{} has no case", page.code);
    }
}
