//! Lint, case by case: every file in `tests/lint` says in comments what is
//! found in it, by lint or by the assembler.
//!
//! `;! L0101` on a line: the finding is there. `;~ L0101`: it names this
//! line, too. What is not announced must not be found.

use std::path::{Path, PathBuf};
use std::{fs, io};

use sda::lint::{CODES, Rules, lint};
use sda::{Assembly, Diagnostics, Files, HostFiles, Options, assemble};

/// Line and code.
type Places = Vec<(u32, String)>;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/lint")
}

fn cases() -> Vec<PathBuf> {
    let entries = fs::read_dir(folder()).unwrap();
    let mut cases: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    cases.sort();
    cases
}

/// What the comments announce. A mark on a line of its own speaks of the
/// line above.
fn announced(text: &str, mark: &str) -> Places {
    let mut places = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let alone = line.trim_start().starts_with(mark);
        let Some((_, codes)) = line.split_once(mark) else { continue };
        for code in codes.split(',') {
            places.push((at as u32 + 1 - u32::from(alone), code.trim().to_string()));
        }
    }
    places.sort();
    places
}

fn assembled(case: &Path) -> Assembly {
    assemble(&[case.to_path_buf()], &HostFiles, &Options::default())
}

fn found(list: &Diagnostics, at: &mut Places, also: &mut Places) {
    for one in list.iter() {
        at.push((list.location(one).line, one.code().to_string()));
        let related = list.related(one);
        also.extend(related.iter().map(|(place, _)| (place.line, one.code().to_string())));
    }
}

#[test]
fn every_case_finds_what_it_announces() {
    let mut seeds = 0;
    let mut wrong = String::new();
    for case in cases() {
        let text = fs::read_to_string(&case).unwrap();
        let name = case.file_name().unwrap().to_string_lossy().to_string();
        seeds += usize::from(name.starts_with("seed_"));
        let assembly = assembled(&case);
        let report = lint(&assembly, &Rules::default());
        let (mut at, mut also) = (Vec::new(), Vec::new());
        let lists = [&assembly.diagnostics, &report.findings, &report.unused_notes];
        lists.into_iter().for_each(|list| found(list, &mut at, &mut also));
        at.sort();
        also.sort();
        also.dedup();
        let places = announced(&text, ";! ");
        if at != places {
            wrong += &format!("{name}: announced {places:?}, found {at:?}\n");
            lists.into_iter().for_each(|list| wrong += &list.render(false));
        }
        for place in announced(&text, ";~ ").iter().filter(|place| !also.contains(place)) {
            wrong += &format!("{name}: {place:?} is not named, but {also:?}\n");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert!(seeds >= 8, "{seeds} cases of the seeds");
}

#[test]
fn every_code_has_a_case() {
    let all: String = cases().iter().map(|case| fs::read_to_string(case).unwrap()).collect();
    for code in CODES {
        assert!(all.contains(&format!(";! {code}")), "no case in tests/lint finds {code}");
    }
}

#[test]
fn what_is_allowed_is_left_out_and_what_is_denied_is_an_error() {
    let assembly = assembled(&folder().join("notes.sda"));
    let rules = Rules { allowed: vec!["l0501".into(), "L0901".into()], denied: Vec::new() };
    let report = lint(&assembly, &rules);
    assert!(report.findings.is_empty() && report.unused_notes.is_empty());

    let rules = Rules { allowed: Vec::new(), denied: vec!["L0501".into()] };
    let report = lint(&assembly, &rules);
    let errors = report.findings.iter().filter(|one| one.code() == "L0501").count();
    assert_eq!((errors, report.findings.error_count()), (3, 3), "notes do not hold");
    assert_eq!(report.used_notes.len(), 3);
}

#[test]
fn a_finding_says_what_is_read_and_who_changes_it() {
    let report = lint(&assembled(&folder().join("drawn_in_a_loop.sda")), &Rules::default());
    let said = report.findings.render(false);
    assert!(said.contains("`put` reads XH and YH, but nothing has written them"), "{said}");
    assert!(said.contains("`put` changes AL, which it does not promise to"), "{said}");
    assert!(said.contains("a service that fails leaves the number of its error in AL"), "{said}");
}

struct Page(&'static str);

impl Files for Page {
    fn read(&self, _: &Path) -> io::Result<Vec<u8>> {
        Ok(self.0.into())
    }

    fn exists(&self, _: &Path) -> bool {
        false
    }
}

#[test]
fn the_page_of_lint_shows_what_is_found() {
    let page = include_str!("../../../docs/lint.md");
    let block = |kind| page.split_once(kind).unwrap().1.split_once("```").unwrap().0;
    let source = block("```sda\n");
    let assembly = assemble(&["game.sda".into()], &Page(source), &Options::default());
    let report = lint(&assembly, &Rules::default());
    let shown = block("$ vc3 lint game.sda\n");
    assert_eq!(report.findings.render(false).trim_end(), shown.trim_end());
    for code in CODES {
        assert!(page.contains(&format!("\n| {code} | ")), "{code} is not on the page");
    }
}
