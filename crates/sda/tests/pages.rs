//! The examples of the documentation are true: those of `docs/language.md`
//! assemble, each on its own; `docs/symbols.md` shows what is written.

use std::io;
use std::path::Path;

use sda::{Assembly, Files, Options, assemble};

struct Example(String);

impl Files for Example {
    fn read(&self, _: &Path) -> io::Result<Vec<u8>> {
        Ok(self.0.clone().into_bytes())
    }

    fn exists(&self, _: &Path) -> bool {
        false
    }
}

/// Examples are pieces of programs: who uses their labels, and how it comes to
/// each statement, is not shown.
fn assembled(name: &str, source: &str) -> Assembly {
    let allowed = ["W0301", "W0801", "W0802"].map(str::to_string).to_vec();
    let options = Options { allowed, ..Options::default() };
    assemble(&[name.into()], &Example(source.into()), &options)
}

/// What stands on `page` in the first block of this kind.
fn block<'a>(page: &'a str, kind: &str) -> &'a str {
    let (_, rest) = page.split_once(&format!("```{kind}\n")).unwrap();
    rest.split_once("```").unwrap().0
}

#[test]
fn every_example_assembles() {
    let page = include_str!("../../../docs/language.md");
    let mut count = 0;
    for block in page.split("```sda\n").skip(1) {
        let (source, _) = block.split_once("```").unwrap();
        let assembly = assembled("example", source);
        assert!(assembly.diagnostics.is_empty(), "{}", assembly.diagnostics.render(false));
        count += 1;
    }
    assert!(count >= 10, "only {count} examples were found");
}

#[test]
fn the_message_on_the_page_is_the_real_one() {
    let page = include_str!("../../../docs/language.md");
    let assembly = assembled("look.sda", "\n\n\n\n\n\n    LDBL AL\n");
    assert_eq!(assembly.diagnostics.render(false).trim_end(), block(page, "text").trim_end());
}

#[test]
fn the_message_for_tools_on_the_page_is_the_real_one() {
    let page = include_str!("../../../docs/language.md");
    let assembly = assembled("look.sda", "\n\n\n\n\n\n    LDBL AL\n");
    let json = assembly.diagnostics.json();
    assert!(page.contains(&format!("```text\n{json}```\n")), "{json}");
    let fields = json.split("\":").filter_map(|text| text.rsplit('"').next());
    for field in fields.filter(|field| !field.contains('}') && *field != "text") {
        assert!(page.contains(&format!("`{field}`")), "the page does not say what `{field}` is");
    }
}

#[test]
fn the_symbols_on_the_page_are_the_real_ones() {
    let page = include_str!("../../../docs/symbols.md");
    let program = assembled("sum.sda", block(page, "sda")).program.unwrap();
    assert_eq!(program.symbols_json(), block(page, "json"));
    let json = program.symbols_json();
    let before_colons = json.split("\":").filter_map(|text| text.rsplit('"').next());
    let fields: Vec<&str> = before_colons.take(json.matches("\":").count()).collect();
    assert!(fields.contains(&"entry") && fields.contains(&"high"), "{fields:?}");
    for field in fields {
        assert!(page.contains(&format!("`{field}`")), "the page does not say what `{field}` is");
    }
}

#[test]
fn the_layout_is_what_fmt_writes() {
    let page = include_str!("../../../docs/language.md");
    let after_name = |name: &str| {
        let (_, rest) = page.split_once(&format!("```sda\n; {name}\n")).unwrap();
        rest.split_once("```").unwrap().0
    };
    assert_eq!(sda::fmt::format(after_name("before")), after_name("after"));
}
