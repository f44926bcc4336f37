//! Every code has a page, and the pages tell the truth: the wrong example
//! gives the code, the right one nothing at all.

use std::io;
use std::path::{Path, PathBuf};

use sda::lint::{Rules, lint};
use sda::{Assembly, EXPLANATIONS, Explanation, Files, Options, assemble};

/// The name that an example may include or embed itself by.
const NAME: &str = "example.sda";

struct Example(Vec<u8>);

impl Files for Example {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        if self.exists(path) { Ok(self.0.clone()) } else { Err(io::ErrorKind::NotFound.into()) }
    }

    fn exists(&self, path: &Path) -> bool {
        path == Path::new(NAME)
    }
}

fn assembled(root: &str, source: Vec<u8>) -> Assembly {
    assemble(&[root.into()], &Example(source), &Options::default())
}

/// The example of a section: how its block is marked, and what it says.
fn example<'a>(page: &'a Explanation, section: &str) -> (&'a str, &'a str) {
    let heading = format!("\n## {section}\n\n```");
    let (_, rest) = page
        .page
        .split_once(&heading)
        .unwrap_or_else(|| panic!("{}: there is no section {section} with an example", page.code));
    let (kind, rest) = rest.split_once('\n').unwrap();
    (kind, rest.split_once("```\n").unwrap().0)
}

fn wrong(page: &Explanation) -> Assembly {
    match example(page, "Wrong") {
        ("sda", source) => assembled(NAME, source.into()),
        ("hex", bytes) => {
            let bytes = bytes.split_whitespace();
            assembled(NAME, bytes.map(|byte| u8::from_str_radix(byte, 16).unwrap()).collect())
        }
        ("missing", name) => assembled(name.trim_end(), Vec::new()),
        (kind, _) => panic!("{}: `{kind}` is no kind of example", page.code),
    }
}

#[test]
fn every_wrong_example_gives_its_code_and_no_other() {
    let mut lies = String::new();
    for page in EXPLANATIONS {
        let assembly = wrong(page);
        let mut codes: Vec<&str> = assembly.diagnostics.iter().map(|one| one.code()).collect();
        let report = lint(&assembly, &Rules::default());
        if page.is_finding() {
            let lists = [&report.findings, &report.unused_notes];
            codes.extend(lists.into_iter().flat_map(|list| list.iter().map(|one| one.code())));
        }
        codes.dedup();
        // A flood of other warnings is what the page of their limit is about.
        let only = codes == [page.code] || page.code == "W0509" && codes.contains(&page.code);
        let is_error = !page.is_warning() && !page.is_finding();
        if !only || assembly.program.is_none() != is_error {
            lies += &format!("{}: {}\n", page.code, assembly.diagnostics.render(false));
            lies += &report.findings.render(false);
        }
    }
    assert!(lies.is_empty(), "{lies}");
}

#[test]
fn every_right_example_assembles_without_a_word() {
    let mut lies = String::new();
    for page in EXPLANATIONS {
        let (kind, source) = example(page, "Right");
        assert_eq!(kind, "sda", "{}", page.code);
        let assembly = assembled(NAME, source.into());
        let report = lint(&assembly, &Rules::default());
        let found = !report.findings.is_empty() || !report.unused_notes.is_empty();
        if !assembly.diagnostics.is_empty() || page.is_finding() && found {
            lies += &format!("{}: {}\n", page.code, assembly.diagnostics.render(false));
            lies += &report.findings.render(false);
        }
    }
    assert!(lies.is_empty(), "{lies}");
}

#[test]
fn every_page_has_a_heading_and_a_text() {
    for page in EXPLANATIONS {
        let heading = format!("# {}: {}\n\n", page.code, page.title());
        assert!(page.page.starts_with(&heading) && !page.title().is_empty(), "{}", page.code);
        let text = page.page[heading.len()..].split_once("\n## Wrong").unwrap().0;
        assert!(text.split_whitespace().count() >= 15, "{}: {text}", page.code);
    }
    assert!(EXPLANATIONS.is_sorted_by_key(|page| page.code));
    assert_eq!(Explanation::of("e0304").map(|page| page.code), Some("E0304"));
    assert_eq!(Explanation::of("E9999"), None);
}

/// The codes that stand in the assembler's own source.
fn codes_in(folder: &Path, found: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            codes_in(&path, found);
        } else if path.extension().is_some_and(|end| end == "rs") {
            let text = std::fs::read_to_string(&path).unwrap();
            let quoted = text.split('"').skip(1).step_by(2);
            let is_code = |word: &&str| {
                word.len() == 5
                    && word.starts_with(['E', 'W', 'L'])
                    && word[1..].bytes().all(|byte| byte.is_ascii_digit())
            };
            // Quotes may be out of step behind a character such as '"'.
            let others = text.split('"').step_by(2);
            found.extend(quoted.chain(others).filter(is_code).map(str::to_string));
        }
    }
}

#[test]
fn every_code_that_can_be_given_has_a_page() {
    let mut found = Vec::new();
    codes_in(&PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src"), &mut found);
    found.sort();
    found.dedup();
    let pages: Vec<&str> = EXPLANATIONS.iter().map(|page| page.code).collect();
    assert!(found.len() > 50, "only {} codes were found", found.len());
    for code in &found {
        assert!(pages.contains(&code.as_str()), "{code} has no page");
    }
    for page in pages {
        assert!(found.iter().any(|code| code == page), "nothing gives {page}");
    }
}
