//! The examples of `docs/language.md` assemble, each on its own.

use std::io;
use std::path::Path;

use sda::{Files, Options, assemble};

struct Example(String);

impl Files for Example {
    fn read(&self, _: &Path) -> io::Result<Vec<u8>> {
        Ok(self.0.clone().into_bytes())
    }

    fn exists(&self, _: &Path) -> bool {
        false
    }
}

#[test]
fn every_example_assembles() {
    let page = include_str!("../../../docs/language.md");
    let mut count = 0;
    for block in page.split("```sda\n").skip(1) {
        let (source, _) = block.split_once("```").unwrap();
        let assembly = assemble(&["example".into()], &Example(source.into()), &Options::default());
        assert!(assembly.diagnostics.is_empty(), "{}", assembly.diagnostics.render(false));
        count += 1;
    }
    assert!(count >= 10, "only {count} examples were found");
}

#[test]
fn the_message_on_the_page_is_the_real_one() {
    let page = include_str!("../../../docs/language.md");
    let (_, rest) = page.split_once("```text\n").unwrap();
    let (shown, _) = rest.split_once("```").unwrap();
    let source = "\n\n\n\n\n\n    LDBL AL\n";
    let assembly = assemble(&["look.sda".into()], &Example(source.into()), &Options::default());
    assert_eq!(assembly.diagnostics.render(false).trim_end(), shown.trim_end());
}
