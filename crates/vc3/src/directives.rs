//! What a unit program says about its own run, in the comments that begin
//! its file: `; keys: jjl`, `; seed: 5`, `; max: 1000000`, `; args: a b`,
//! `; disk`, `; kernal` and `; sanitize`.

use sd8516::Key;

use crate::{keys, number};

/// The machine and the bounds that a unit program asks for.
#[derive(Debug, Clone, Default)]
pub struct Directives {
    /// Keys that the program receives; `None` without the directive.
    pub keys: Option<Vec<Key>>,
    /// Seed of the random numbers.
    pub seed: Option<u32>,
    /// Units of machine time after which the program has failed.
    pub max: Option<u64>,
    /// The argument string.
    pub arguments: String,
    /// Whether the machine has a disk, empty at first.
    pub disk: bool,
    /// Whether the image may lie in the kernal's area.
    pub kernal: bool,
    /// Whether the machine runs in its checking mode.
    pub sanitize: bool,
}

/// Reads the directives of `source`; the error is the line, from 1, and what
/// is wrong with it.
pub fn parse(source: &str) -> Result<Directives, (usize, String)> {
    let mut directives = Directives::default();
    let source = source.trim_start_matches('\u{FEFF}');
    for (at, line) in source.lines().enumerate() {
        let line = line.trim();
        let comment = line.strip_prefix(';').or_else(|| line.strip_prefix("//"));
        match comment {
            Some(comment) => directives.read(comment.trim()).map_err(|text| (at + 1, text))?,
            None if line.is_empty() => {}
            None => break,
        }
    }
    Ok(directives)
}

impl Directives {
    fn read(&mut self, comment: &str) -> Result<(), String> {
        match comment {
            "disk" => self.disk = true,
            "kernal" => self.kernal = true,
            "sanitize" => self.sanitize = true,
            _ => {
                if let Some((name, value)) = comment.split_once(':') {
                    self.set(name, value.trim())?;
                }
            }
        }
        Ok(())
    }

    /// Comments with any other name before the colon are only comments.
    fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        let say = |error: String| format!("`{name}: {value}`: {error}");
        match name {
            "keys" => self.keys = Some(keys::parse(value).map_err(|error| say(error.to_string()))?),
            "seed" => self.seed = Some(number::argument32(value).map_err(say)?),
            "max" => self.max = Some(number::argument(value).map_err(say)?),
            "args" => self.arguments = value.to_string(),
            _ => {}
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_comments_that_begin_a_file() {
        let source = "\u{FEFF}; Reads two keys.\r\n; keys: j<Enter>\r\n\r\n// seed: $10\n;max: 1_000\n; disk\n\
                      ; args: one two \n; note: nothing\n    LDA $1 ; keys: x\n; kernal\n";
        let directives = parse(source).unwrap();
        let codes: Vec<u8> = directives.keys.unwrap().iter().map(|key| key.code).collect();
        assert_eq!(codes, [b'j', 13]);
        assert_eq!((directives.seed, directives.max), (Some(16), Some(1000)));
        assert_eq!(directives.arguments, "one two");
        assert!(directives.disk && !directives.kernal && !directives.sanitize);
        assert!(parse("; kernal\n; sanitize").is_ok_and(|d| d.kernal && d.sanitize));
    }

    #[test]
    fn errors_name_the_line() {
        assert_eq!(parse("; a test\n; keys: <Lef>\n").unwrap_err().0, 2);
        assert_eq!(parse("; seed: x\n").unwrap_err().0, 1);
        assert!(parse("; max: -1\n").unwrap_err().1.starts_with("`max: -1`: not a number"));
    }
}
