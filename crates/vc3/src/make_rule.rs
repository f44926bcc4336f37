//! A rule for make: the program depends on every file that was read.

use std::path::Path;

/// The rule, and an empty one for each file but the first, so that make goes
/// on when one of them is deleted.
pub fn rule<'a>(target: &Path, files: impl Iterator<Item = &'a Path>) -> String {
    let files: Vec<String> = files.map(escaped).collect();
    let mut text = format!("{}:", escaped(target));
    for file in &files {
        text += " \\\n  ";
        text += file;
    }
    text.push('\n');
    for file in files.iter().skip(1) {
        text += &format!("\n{file}:\n");
    }
    text
}

/// The name as make reads it. A name with a line end cannot be said.
fn escaped(path: &Path) -> String {
    let mut name = String::new();
    for c in path.display().to_string().chars() {
        match c {
            ' ' | '#' | '\t' => name.push('\\'),
            '$' => name.push('$'),
            _ => {}
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
    }
}
