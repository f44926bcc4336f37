//! The programs that vc3 carries, assembled when it was built.

/// One carried program.
pub struct Shipped {
    /// Its name in lower case, that of its folder below `programs`.
    pub name: &'static str,
    /// Whether it is a kernal, the machine's first program.
    pub kernal: bool,
    /// The `.prg` file.
    pub image: &'static [u8],
    /// Symbols and lines, as `vc3 asm --sym` writes them.
    pub symbols: &'static str,
}

/// All of them, sorted by name.
pub const ALL: &[Shipped] = include!(concat!(env!("OUT_DIR"), "/shipped.rs"));

/// The program of this name, in any case and with or without `.prg`.
pub fn by_name(name: &str) -> Option<&'static Shipped> {
    let name = name.to_ascii_lowercase();
    let name = name.strip_suffix(".prg").unwrap_or(&name);
    ALL.iter().find(|program| program.name == name)
}

/// The program that the machine boots, the shell.
pub fn kernal() -> Option<&'static Shipped> {
    ALL.iter().find(|program| program.kernal)
}

impl Shipped {
    /// The name of its file on the machine's disk, such as `ROGUEIMA.PRG`.
    pub fn file_name(&self) -> String {
        format!("{}.PRG", self.name.to_ascii_uppercase())
    }
}
