//! Where the machine's disk lies when no `--disk` is given: a folder among
//! the user's own data, as each system has it.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};

/// The folder that is the disk; made when it is not there yet.
pub fn disk_folder() -> Result<PathBuf> {
    let folder = data_folder(&|name| env::var_os(name)).context(
        "there is no home folder to keep the machine's disk in; name one with --disk DIR",
    )?;
    let folder = folder.join("vc3").join("disk");
    fs::create_dir_all(&folder)
        .with_context(|| format!("cannot make the disk's folder {}", folder.display()))?;
    Ok(folder)
}

/// The folder for the data of programs, from the variables of the
/// environment. Relative ones do not count, as the XDG rules say.
fn data_folder(variable: &dyn Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let absolute = |name: &str| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
    absolute("XDG_DATA_HOME").or_else(|| {
        if cfg!(windows) {
            absolute("APPDATA")
        } else if cfg!(target_os = "macos") {
            Some(absolute("HOME")?.join("Library/Application Support"))
        } else {
            Some(absolute("HOME")?.join(".local/share"))
        }
    })
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn where_the_data_lies() {
        let folder = |xdg: Option<&str>, home: Option<&str>| {
            data_folder(&|name| match name {
                "XDG_DATA_HOME" => xdg.map(OsString::from),
                "HOME" => home.map(OsString::from),
                _ => None,
            })
        };
        assert_eq!(folder(Some("/data"), Some("/home/me")), Some(PathBuf::from("/data")));
        let home = folder(Some("relative"), Some("/home/me")).unwrap();
        assert!(home.starts_with("/home/me") && home != *"/home/me");
        assert_eq!(folder(None, None), None);
        assert_eq!(folder(Some(""), Some("")), None);
    }
}
