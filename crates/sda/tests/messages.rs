//! How the messages look: every file in `tests/messages` with the messages
//! that it gives, as people see them. Read a snapshot like an interface.

use std::io;
use std::path::{Path, PathBuf};

use sda::{Files, HostFiles, Options, assemble};

/// The folder of the sources, seen as if it were the current one.
struct Folder;

fn real(path: &Path) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/messages").join(path)
}

impl Files for Folder {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        std::fs::read(real(path))
    }

    fn exists(&self, path: &Path) -> bool {
        real(path).is_file()
    }

    fn names(&self, folder: &Path) -> Vec<String> {
        HostFiles.names(&real(folder))
    }
}

fn messages(file: &str) -> String {
    let assembly = assemble(&[file.into()], &Folder, &Options::default());
    assembly.diagnostics.render(false)
}

macro_rules! goldens {
    ($($name:ident)*) => {
        $(#[test]
        fn $name() {
            insta::assert_snapshot!(messages(concat!(stringify!($name), ".sda")));
        })*
    };
}

goldens! { beginning columns elsewhere expansions forms names places sizes unread values widths }

#[test]
fn every_source_is_a_golden() {
    let names = [
        "beginning",
        "columns",
        "elsewhere",
        "expansions",
        "forms",
        "names",
        "places",
        "sizes",
        "unread",
        "values",
        "widths",
    ];
    for entry in std::fs::read_dir(real(Path::new(""))).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let stem = name.trim_end_matches(".sda");
        assert!(names.contains(&stem) || stem.starts_with("part_"), "{name} is not looked at");
    }
}

#[test]
fn colour_adds_nothing_but_colour() {
    let assembly = assemble(&["widths.sda".into()], &Folder, &Options::default());
    let coloured = assembly.diagnostics.render(true);
    let mut plain = String::new();
    let mut rest = coloured.as_str();
    while let Some((before, after)) = rest.split_once("\u{1b}[") {
        plain.push_str(before);
        rest = after.split_once('m').unwrap().1;
    }
    plain.push_str(rest);
    let trimmed: Vec<&str> = plain.lines().map(str::trim_end).collect();
    let wanted = assembly.diagnostics.render(false);
    assert_eq!(trimmed, wanted.lines().collect::<Vec<_>>());
    assert!(coloured.contains("\u{1b}["));
}

#[test]
fn the_first_line_is_what_tools_read() {
    let text = messages("columns.sda");
    let first = text.lines().next().unwrap();
    assert_eq!(first, "columns.sda:2:7: error[E0304]: 300 ($12C) does not fit one byte");
}
