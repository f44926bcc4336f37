//! A rule for make: the program depends on every file that was read.

use std::path::Path;

/// The rule, and an empty one for each file but the first, so that make goes
/// on when one of them is deleted.
pub fn rule<'a>(target: &Path, files: impl Iterator<Item = &'a Path>) -> String {
    let files: Vec<&Path> = files.collect();
    let mut text = format!("{}:", escaped(target, Side::Target));
    for file in &files {
        text += " \\\n  ";
        text += &escaped(file, Side::Source);
    }
    text.push('\n');
    for file in files.iter().skip(1) {
        text += &format!("\n{}:\n", escaped(file, Side::Target));
    }
    text
}

/// Which side of the colon a name stands on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Target,
    Source,
}

/// The name as make reads it. A name with a line end, `;`, `=` or `|`, or
/// with a backslash at its end, cannot be said.
fn escaped(path: &Path, side: Side) -> String {
    let text = path.display().to_string();
    // Make knows of users' home folders.
    let mut name = String::from(if text.starts_with('~') { "./" } else { "" });
    for c in text.chars() {
        let is_special = match c {
            ' ' | '#' | '\t' | ':' | '*' | '?' | '[' => true,
            '%' => side == Side::Target,
            _ => false,
        };
        if is_special {
            // Backslashes in front of one that quotes count double.
            let before = name.len() - name.trim_end_matches('\\').len();
            name.push_str(&"\\".repeat(before + 1));
        } else if c == '$' {
            name.push('$');
        }
        name.push(c);
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_with_its_files() {
        let files = ["a.sda", "my lib/x.sda", "b$#.bin"].map(Path::new);
        assert_eq!(
            rule(Path::new("out/a.prg"), files.into_iter()),
            "out/a.prg: \\\n  a.sda \\\n  my\\ lib/x.sda \\\n  b$$\\#.bin\n\
             \nmy\\ lib/x.sda:\n\nb$$\\#.bin:\n"
        );
        assert_eq!(rule(Path::new("x"), std::iter::empty()), "x:\n");
        let files = ["a.sda", "~x%y:z", "t[1]*?.sda", "b\\ s"].map(Path::new);
        assert_eq!(
            rule(Path::new("50%"), files.into_iter()),
            "50\\%: \\\n  a.sda \\\n  ./~x%y\\:z \\\n  t\\[1]\\*\\?.sda \\\n  b\\\\\\ s\n\
             \n./~x\\%y\\:z:\n\nt\\[1]\\*\\?.sda:\n\nb\\\\\\ s:\n"
        );
    }

    /// What make itself makes of it: it builds, then has nothing to do, then
    /// builds again because of each file that is gone.
    #[test]
    fn make_reads_every_name() {
        let folder = tempfile::tempdir().unwrap();
        let names =
            ["a b", "c$d", "e#f", "g%h", "i:j", "k*l", "m?n", "o[p]q", "~r", "s\\t", "u\\ v"];
        for name in names {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        let files = ["first"].into_iter().chain(names).map(Path::new);
        std::fs::write(folder.path().join("first"), "").unwrap();
        let rule = rule(Path::new("out"), files);
        let makefile = format!("out:\n\t@echo built; touch out\n{rule}");
        std::fs::write(folder.path().join("Makefile"), makefile).unwrap();
        let make = || {
            let output = std::process::Command::new("make").current_dir(folder.path()).output();
            output.ok().map(|output| String::from_utf8_lossy(&output.stdout).into_owned())
        };
        // Where there is no make, nobody asks for its rules.
        let Some(first) = make() else { return };
        assert_eq!(first, "built\n");
        assert!(make().unwrap().contains("up to date"));
        for name in names {
            std::fs::remove_file(folder.path().join(name)).unwrap();
            assert_eq!(make().unwrap(), "built\n", "{name}");
            std::fs::write(folder.path().join(name), "").unwrap();
            std::fs::write(folder.path().join("out"), "").unwrap();
        }
    }
}
