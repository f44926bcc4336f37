//! File names: checked before anything else looks at them, so that no name
//! can mean another folder.

use super::DiskError;
use std::fmt;

/// The most characters of a name.
pub const MAX_NAME: usize = 32;

/// A checked name: 1–32 of `A–Z a–z 0–9 _ - .`, not starting with `.`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name(String);

impl Name {
    /// Checks a name.
    ///
    /// # Errors
    /// [`DiskError::BadName`] for anything else.
    pub fn new(bytes: &[u8]) -> Result<Name, DiskError> {
        let allowed = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-.".contains(byte);
        let right_length = (1..=MAX_NAME).contains(&bytes.len());
        if !right_length || bytes[0] == b'.' || !bytes.iter().all(allowed) {
            return Err(DiskError::BadName);
        }
        String::from_utf8(bytes.to_vec()).map(Name).map_err(|_| DiskError::BadName)
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The name with `.PRG` behind it, if that is not too long.
    pub fn with_prg(&self) -> Option<Name> {
        Name::new(format!("{self}.PRG").as_bytes()).ok()
    }

    /// Whether the names differ in case at most.
    pub fn equals_folded(&self, other: &Name) -> bool {
        self.0.eq_ignore_ascii_case(&other.0)
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_checked() {
        for good in ["A", "save-1.dat", "a..b", "_", "-", "x.", "ABCDEFGHIJKLMNOPQRSTUVWXYZ012345"]
        {
            assert_eq!(Name::new(good.as_bytes()).unwrap().as_str(), good);
        }
        let long = "A".repeat(33);
        for bad in
            ["", ".", "..", ".x", "a/b", "../a", "/etc", "a b", "a\\b", "C:", "é", "a\n", &long]
        {
            assert_eq!(Name::new(bad.as_bytes()), Err(DiskError::BadName), "{bad:?}");
        }
        assert_eq!(Name::new(b"a\xff"), Err(DiskError::BadName));
    }

    #[test]
    fn prg_is_added_where_it_fits() {
        let name = |text: &str| Name::new(text.as_bytes()).unwrap();
        assert_eq!(name("game").with_prg(), Some(name("game.PRG")));
        assert_eq!(name(&"a".repeat(28)).with_prg().unwrap().as_str().len(), 32);
        assert_eq!(name(&"a".repeat(29)).with_prg(), None);
    }
}
