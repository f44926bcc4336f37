//! What the TextMate grammar colours: `tests/grammar` in the form of
//! vscode-tmgrammar-test, every word of the tables, and our own sources.

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use fancy_regex::{Captures, Regex, RegexBuilder};
use isa::{ALIASES, INSTRUCTIONS, Reg};
use serde_json::Value;

#[test]
fn what_is_coloured_is_listed() {
    let grammar = Grammar::load();
    for path in sources("tests/grammar") {
        let text = fs::read_to_string(&path).unwrap();
        let mut lines = text.lines().enumerate().skip(1).peekable();
        while let Some((number, line)) = lines.next() {
            let scopes = grammar.scopes(line);
            let mut listed = vec![false; line.len()];
            while let Some((number, (range, wanted))) =
                lines.next_if_map(|one| listed_scopes(one.1).map(|found| (one.0, found)).ok_or(one))
            {
                let place = format!("{}:{}", path.display(), number + 1);
                assert!(range.end <= line.len() && !wanted.is_empty(), "{place}: out of the line");
                for at in range {
                    for scope in &wanted {
                        let has = scopes[at].iter().any(|one| one == scope);
                        assert!(has, "{place}: column {}: {:?}", at + 1, scopes[at]);
                    }
                    listed[at] = true;
                }
            }
            if line.starts_with(';') {
                continue;
            }
            for at in (0..line.len()).filter(|&at| !listed[at]) {
                // Comments are listed by their beginning.
                let rest = scopes[at].iter().filter(|scope| *scope != "comment.line.sda");
                assert_eq!(
                    rest.count(),
                    0,
                    "{}:{}: column {} is {:?}, which is not listed",
                    path.display(),
                    number + 1,
                    at + 1,
                    scopes[at]
                );
            }
        }
    }
}

#[test]
fn every_word_of_the_language_is_coloured() {
    let grammar = Grammar::load();
    let check = |before: &str, word: &str, kinds: &[&str]| {
        for word in [word.to_uppercase(), word.to_lowercase()] {
            let line = format!("    {before}{word}");
            let start = line.len() - word.len();
            for (at, scopes) in grammar.scopes(&line).iter().enumerate().skip(start) {
                let is_known = scopes.len() == 1 && kinds.contains(&scopes[0].as_str());
                assert!(is_known, "`{line}`, column {}: {scopes:?}", at + 1);
            }
        }
    };
    let instruction = ["keyword.mnemonic.sda", "keyword.control.sda"];
    let aliases = ALIASES.iter().map(|(alias, _)| *alias);
    let rows = INSTRUCTIONS.iter().filter(|row| !row.glued);
    for mnemonic in rows.map(|row| row.mnemonic).chain(aliases).chain(["JA", "JBE"]) {
        check("", mnemonic, &instruction);
        check("label: ", mnemonic, &instruction);
    }
    for reg in Reg::all() {
        check("MOV ", reg.name(), &["variable.language.register.sda"]);
        for glued in ["LD", "ST"] {
            check("", &format!("{glued}{}", reg.name()), &["keyword.mnemonic.sda"]);
        }
    }
    for (name, _) in sda::directives() {
        check("", &format!(".{name}"), &["keyword.other.directive.sda"]);
    }
}

#[test]
fn our_own_sources_have_nothing_that_is_illegal_or_unknown() {
    let grammar = Grammar::load();
    let folders = ["programs/lib", "programs/shell"];
    let mut count = 0;
    for path in folders.into_iter().flat_map(sources) {
        for (number, line) in fs::read_to_string(&path).unwrap().lines().enumerate() {
            count += 1;
            let place = format!("{}:{}: {line}", path.display(), number + 1);
            let scopes = grammar.scopes(line);
            assert!(!scopes.iter().flatten().any(|one| one.starts_with("invalid")), "{place}");
            // Numbers, quotes and capitals always mean something.
            for (at, byte) in line.bytes().enumerate() {
                let begins = at == 0 || !is_letter(line.as_bytes()[at - 1]);
                let always = matches!(byte, b'0'..=b'9' | b'A'..=b'Z' | b'$' | b'"' | b'\'');
                let is_plain = scopes[at].is_empty() && begins && always;
                assert!(!is_plain, "column {} has no colour: {place}", at + 1);
            }
        }
    }
    assert!(count > 3_000, "the sources are missing");
}

fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_?.".contains(&byte)
}

/// The sources in a folder of the project.
fn sources(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder);
    let entries = fs::read_dir(folder).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|end| end == "sda"));
    paths.sort();
    assert!(!paths.is_empty());
    paths
}

/// What a line lists of the one above: `; ^^^ SCOPE...` below the columns
/// that it is about, or `;<~-- SCOPE...` for the first ones: as many that do
/// not count as there are `~`, as many that do as there are `-`.
fn listed_scopes(line: &str) -> Option<(Range<usize>, Vec<&str>)> {
    let rest = line.strip_prefix(';')?;
    let signs = rest.trim_start();
    let (range, scopes) = match signs.strip_prefix('<') {
        Some(first) => {
            let after = first.trim_start_matches('~');
            let scopes = after.trim_start_matches('-');
            let start = first.len() - after.len();
            (start..start + after.len() - scopes.len(), scopes)
        }
        None => {
            let scopes = signs.trim_start_matches('^');
            let start = line.len() - signs.len();
            (start..start + signs.len() - scopes.len(), scopes)
        }
    };
    (!range.is_empty()).then(|| (range, scopes.split_whitespace().collect()))
}

/// A TextMate grammar, as far as ours goes: no rule of it spans lines.
struct Grammar(Vec<Rule>);

/// `end` and `inner` are those of a rule with a beginning and an end.
struct Rule {
    name: Option<String>,
    regex: Regex,
    captures: Vec<(usize, String)>,
    end: Option<Regex>,
    inner: Grammar,
}

impl Grammar {
    /// Reads the grammar that editors read.
    fn load() -> Grammar {
        let path = "../../editors/vscode/syntaxes/sda.tmLanguage.json";
        let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap();
        let grammar: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(grammar["scopeName"], "source.sda");
        Grammar::new(&grammar["patterns"])
    }

    fn new(patterns: &Value) -> Grammar {
        let patterns = patterns.as_array().into_iter().flatten();
        Grammar(patterns.map(Rule::new).collect())
    }

    /// The scopes of every byte of a line, outermost first.
    fn scopes(&self, line: &str) -> Vec<Vec<String>> {
        let mut scopes = vec![Vec::new(); line.len()];
        let end = self.walk(line, 0, None, &mut scopes);
        assert_eq!(end, line.len());
        scopes
    }

    /// Walks from `at` to the end of the line, or behind what `end` finds.
    fn walk(
        &self,
        line: &str,
        mut at: usize,
        end: Option<&Regex>,
        scopes: &mut [Vec<String>],
    ) -> usize {
        let mut ahead: Vec<_> = self.0.iter().map(|rule| (rule, rule.find(line, at))).collect();
        loop {
            for (rule, found) in &mut ahead {
                if start_of(found).is_some_and(|start| start < at) {
                    *found = rule.find(line, at);
                }
            }
            let end = end.and_then(|end| end.find_from_pos(line, at).unwrap());
            let end = end.map(|found| found.range());
            // What begins first, of these what is listed first.
            let found = ahead.iter().filter_map(|(rule, found)| Some((*rule, found.as_ref()?)));
            let found = found.map(|(rule, found)| (found.get(0).unwrap().start(), rule, found));
            let first = found.min_by_key(|found| found.0);
            match (first, end) {
                (Some((start, rule, captures)), end)
                    if end.as_ref().is_none_or(|end| start < end.start) =>
                {
                    let next = rule.apply(line, captures, scopes);
                    assert!(next > at, "a rule matches nothing: {}", rule.regex.as_str());
                    at = next;
                }
                (_, Some(end)) => return end.end,
                (_, None) => return line.len(),
            }
        }
    }
}

fn start_of(found: &Option<Captures<str>>) -> Option<usize> {
    found.as_ref().map(|found| found.get(0).unwrap().start())
}

impl Rule {
    fn new(value: &Value) -> Rule {
        let text = |key: &str| value[key].as_str().map(String::from);
        let regex = |text: String| {
            let mut builder = RegexBuilder::new(&text);
            builder.oniguruma_mode(true).build().unwrap_or_else(|error| panic!("{text}: {error}"))
        };
        let captures = value.get("captures").or(value.get("beginCaptures"));
        let captures = captures.and_then(Value::as_object).into_iter().flatten();
        let name_of = |value: &Value| value["name"].as_str().unwrap().to_string();
        Rule {
            name: text("name"),
            regex: regex(text("match").or(text("begin")).expect("a rule matches something")),
            captures: captures.map(|(key, one)| (key.parse().unwrap(), name_of(one))).collect(),
            end: text("end").map(regex),
            inner: Grammar::new(&value["patterns"]),
        }
    }

    fn find<'a>(&self, line: &'a str, at: usize) -> Option<Captures<'a, str>> {
        self.regex.captures_from_pos(line, at).unwrap()
    }

    /// Colours what the rule found, and what is in it; the result is where
    /// it ends.
    fn apply(&self, line: &str, captures: &Captures<str>, scopes: &mut [Vec<String>]) -> usize {
        let found = captures.get(0).unwrap();
        let mut inner = vec![Vec::new(); line.len()];
        for (group, name) in &self.captures {
            let range = captures.get(*group).unwrap().range();
            inner[range].iter_mut().for_each(|list| list.push(name.clone()));
        }
        let end = match &self.end {
            Some(end) => self.inner.walk(line, found.end(), Some(end), &mut inner),
            None => found.end(),
        };
        for at in found.start()..end {
            scopes[at].extend(self.name.iter().cloned().chain(inner[at].drain(..)));
        }
        end
    }
}
