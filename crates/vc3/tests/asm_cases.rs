//! The cases of `tests/asm` through the command: from a file and from the
//! standard input, with LF and with CRLF behind a byte-order mark.

mod support;

#[path = "../../sda/tests/case/mod.rs"]
mod case;

use std::io::Write;
use std::process::Stdio;

use case::{Case, Place, variant};
use rayon::prelude::*;
use support::{Folder, Outcome, outcome};

/// `vc3 asm` over the case's files, the first from the standard input if
/// asked for. What comes out is in `out.prg`.
fn run(folder: &Folder, case: &Case, from_stdin: bool) -> Outcome {
    let _ = std::fs::remove_file(folder.path("out.prg"));
    let allowed = case.allowed.join(",");
    let mut args = vec!["asm", "-o", "out.prg"];
    if !allowed.is_empty() {
        args.extend(["-A", &allowed]);
    }
    let roots: Vec<&str> = case.roots.iter().map(|root| root.to_str().unwrap()).collect();
    args.push(if from_stdin { "-" } else { roots[0] });
    args.extend(&roots[1..]);
    let mut command = folder.command(&args);
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("vc3 starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    // Nobody reads it when the source is a file.
    let _ = stdin.write_all(&case.files[&case.roots[0]]);
    drop(stdin);
    outcome(&child.wait_with_output().expect("vc3 ends"))
}

/// The places and codes at the beginnings of messages.
fn places(outcome: &Outcome) -> Vec<Place> {
    let place = |line: &str| {
        let (place, rest) = line.split_once(": ")?;
        let (level, rest) = rest.split_once('[')?;
        let code = rest.split_once("]: ")?.0.to_string();
        let mut parts = place.rsplitn(3, ':');
        let (column, line, file) = (parts.next()?, parts.next()?, parts.next()?);
        let place = (file.to_string(), line.parse().ok()?, column.parse().ok()?, code);
        ["error", "warning"].contains(&level).then_some(place)
    };
    let mut places: Vec<Place> = outcome.err.lines().filter_map(place).collect();
    places.sort();
    places
}

fn check(name: &str, case: &Case) -> Result<(), String> {
    let folder = Folder::new();
    for (path, bytes) in &case.files {
        folder.write(path.to_str().unwrap(), bytes);
    }
    let from_file = run(&folder, case, false);
    let code = i32::from(case.errors.iter().any(|error| error.3.starts_with('E')));
    if from_file.code != code || places(&from_file) != case.errors {
        return Err(format!("exit code {}, says {}", from_file.code, from_file.err));
    }
    let program = std::fs::read(folder.path("out.prg")).ok();
    if program.is_some() != (code == 0) {
        return Err("an output in spite of errors, or none without".into());
    }
    // A source that names itself as a file is another one then.
    let itself = format!("\"{name}\"");
    let names_itself = case
        .files
        .values()
        .any(|text| text.windows(itself.len()).any(|window| window == itself.as_bytes()));
    if names_itself {
        return Ok(());
    }
    let from_stdin = run(&folder, case, true);
    if std::fs::read(folder.path("out.prg")).ok() != program {
        return Err("another program from the standard input".into());
    }
    let renamed = |mut place: Place| {
        if place.0 == "<stdin>" {
            place.0 = name.to_string();
        }
        place
    };
    let mut found: Vec<Place> = places(&from_stdin).into_iter().map(renamed).collect();
    found.sort();
    if from_stdin.code != code || found != case.errors {
        return Err(format!("from the standard input: {}", from_stdin.err));
    }
    Ok(())
}

#[test]
fn every_case_comes_out_the_same_from_a_file_and_from_the_standard_input() {
    let wrong: Vec<String> = case::all()
        .par_iter()
        .filter_map(|(name, case)| {
            let windows = variant(case, |text| format!("\u{FEFF}{}", text.replace('\n', "\r\n")));
            let plain = check(name, case).map_err(|text| format!("{name}: {text}"));
            let done = plain.and_then(|()| {
                check(name, &windows).map_err(|text| format!("{name} with CRLF and a BOM: {text}"))
            });
            done.err()
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
