//! What a client may set: which files are the program, and the options of
//! `vc3 asm`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;

/// The settings, as `initializationOptions` and `workspace/configuration`
/// name them. What is missing, or makes no sense, has its default.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Settings {
    /// The files that together are the program.
    pub root: Vec<PathBuf>,
    pub include_dirs: Vec<PathBuf>,
    pub defines: Vec<(String, i128)>,
    pub kernal: bool,
    /// Whether lint examines a program when it is opened and saved.
    pub lint: bool,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            root: Vec::new(),
            include_dirs: Vec::new(),
            defines: Vec::new(),
            kernal: false,
            lint: true,
        }
    }
}

#[derive(Deserialize)]
#[serde(untagged)]
enum OneOrMany {
    One(PathBuf),
    Many(Vec<PathBuf>),
}

impl Settings {
    /// The settings in `value`; paths are relative to `folder`.
    pub fn read(value: &Value, folder: Option<&Path>) -> Settings {
        let default = Settings::default();
        let place = |path: PathBuf| match folder {
            Some(folder) => sda::plain_path(&folder.join(path)),
            None => path,
        };
        let paths = |key| {
            let list = match get(value, key) {
                Some(OneOrMany::One(path)) => vec![path],
                Some(OneOrMany::Many(list)) => list,
                None => Vec::new(),
            };
            let named = list.into_iter().filter(|path| !path.as_os_str().is_empty());
            named.map(place).collect()
        };
        let defines: BTreeMap<String, i64> = get(value, "defines").unwrap_or_default();
        Settings {
            root: paths("root"),
            include_dirs: paths("include"),
            defines: defines.into_iter().map(|(name, value)| (name, value.into())).collect(),
            kernal: get(value, "kernal").unwrap_or(default.kernal),
            lint: get(value, "lint").unwrap_or(default.lint),
        }
    }

    /// The assembler's options.
    pub fn options(&self) -> sda::Options {
        sda::Options::of_sources(&self.defines, &self.include_dirs, self.kernal)
    }
}

fn get<T: for<'a> Deserialize<'a>>(value: &Value, key: &str) -> Option<T> {
    value.get(key).and_then(|value| T::deserialize(value).ok())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn settings_that_make_no_sense_have_their_default() {
        let folder = Path::new("/w");
        let read = |value| Settings::read(&value, Some(folder));
        assert_eq!(read(json!(null)), Settings::default());
        assert_eq!(read(json!({ "root": 5, "defines": [], "lint": "no" })), Settings::default());
        let settings = read(json!({
            "root": "a/../b.sda", "include": ["lib", "/x"], "defines": { "N": -4 }, "lint": false
        }));
        assert_eq!(settings.root, [Path::new("/w/b.sda")]);
        assert_eq!(settings.include_dirs, [Path::new("/w/lib"), Path::new("/x")]);
        assert_eq!(settings.defines, [("N".to_string(), -4)]);
        assert!(!settings.lint);
    }
}
