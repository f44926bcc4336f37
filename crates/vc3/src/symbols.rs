//! Labels and lines of a program, as `vc3 asm --sym` writes them: what an
//! address is in the words of the source.

use anyhow::{Context, Result};
use isa::memory_map::ADDRESS_MASK;
use sda::SymbolKind;
use serde::Deserialize;

/// The symbols of one program.
#[derive(Debug, Clone, Default)]
pub struct SymbolTable {
    /// Address and name, by ascending address.
    labels: Vec<(u32, String)>,
    /// The files that lines are counted in.
    files: Vec<String>,
    /// Statements by ascending address.
    lines: Vec<Line>,
}

/// The bytes of one statement.
#[derive(Debug, Clone, Copy)]
struct Line {
    start: u32,
    end: u32,
    /// Index in `files`.
    file: usize,
    line: u32,
}

/// What is read of a symbol file.
#[derive(Deserialize)]
struct Json {
    symbols: Vec<JsonSymbol>,
    files: Vec<String>,
    /// Address, bytes, number of the file, line.
    lines: Vec<(u32, u32, usize, u32)>,
}

#[derive(Deserialize)]
struct JsonSymbol {
    name: String,
    scope: String,
    kind: String,
    /// A number, or a string when it has more than 53 bits.
    value: serde_json::Value,
}

impl SymbolTable {
    /// The symbols of a program that was assembled just now.
    pub fn of(program: &sda::Program) -> SymbolTable {
        let mut table = SymbolTable::default();
        for symbol in program.symbols.iter().filter(|symbol| symbol.scope.is_empty()) {
            if symbol.kind != SymbolKind::Constant {
                table.add_label(symbol.value as u32, &symbol.name);
            }
        }
        for (start, bytes, file, line) in program.lines.iter() {
            table.add_line(start, bytes, file, line);
        }
        table.sorted()
    }

    /// Reads the JSON of a symbol file.
    pub fn from_json(json: &str) -> Result<SymbolTable> {
        let json: Json = serde_json::from_str(json)?;
        let mut table = SymbolTable::default();
        let labels = json.symbols.iter().filter(|symbol| symbol.scope.is_empty());
        for symbol in labels.filter(|symbol| symbol.kind != "constant") {
            let address = symbol.value.as_u64().and_then(|value| u32::try_from(value).ok());
            let address = address.filter(|address| *address <= ADDRESS_MASK);
            let address = address.with_context(|| format!("{} has no address", symbol.name))?;
            table.add_label(address, &symbol.name);
        }
        for (start, bytes, file, line) in json.lines {
            let file = json.files.get(file).context("a line of no file")?;
            table.add_line(start, bytes, file, line);
        }
        Ok(table.sorted())
    }

    fn add_label(&mut self, address: u32, name: &str) {
        self.labels.push((address, name.to_string()));
    }

    fn add_line(&mut self, start: u32, bytes: u32, file: &str, line: u32) {
        let known = self.files.iter().rposition(|known| known == file);
        let file = known.unwrap_or_else(|| {
            self.files.push(file.to_string());
            self.files.len() - 1
        });
        self.lines.push(Line { start, end: start.saturating_add(bytes), file, line });
    }

    /// Of several labels at one address the last is found: the first plain
    /// one, as they are written.
    fn sorted(mut self) -> SymbolTable {
        self.labels.reverse();
        self.labels.sort_by_key(|(address, name)| (*address, !name.contains('.')));
        self.lines.sort_by_key(|line| line.start);
        self
    }

    /// Every label with its address, in the order that [`SymbolTable::nearest`]
    /// prefers them in, the last first.
    pub fn labels(&self) -> impl Iterator<Item = (u32, &str)> {
        self.labels.iter().rev().map(|(address, name)| (*address, name.as_str()))
    }

    /// The nearest label at or below `address` and how far above it that is.
    /// Labels of another bank are none.
    pub fn nearest(&self, address: u32) -> Option<(&str, u32)> {
        let after = self.labels.partition_point(|(at, _)| *at <= address);
        let (at, name) = self.labels[..after].last()?;
        (at >> 16 == address >> 16).then(|| (name.as_str(), address - at))
    }

    /// File and line of the statement that `address` belongs to.
    pub fn line(&self, address: u32) -> Option<(&str, u32)> {
        let after = self.lines.partition_point(|line| line.start <= address);
        let line = self.lines[..after].last().filter(|line| address < line.end)?;
        Some((self.files.get(line.file)?, line.line))
    }

    /// The address of a label.
    pub fn address(&self, name: &str) -> Option<u32> {
        self.labels.iter().find(|(_, label)| label == name).map(|(address, _)| *address)
    }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::path::{Path, PathBuf};

    use sda::{Files, Options, assemble};

    use super::*;

    struct OneFile(&'static str);

    impl Files for OneFile {
        fn read(&self, _: &Path) -> io::Result<Vec<u8>> {
            Ok(self.0.as_bytes().to_vec())
        }

        fn exists(&self, _: &Path) -> bool {
            true
        }
    }

    fn program() -> sda::Program {
        let source = "HUGE = $FFFFFFFFFFFFFFFF\nmain: NOP\n.skip: LDA 1\nlast:\nalso: RET\n";
        assemble(&[PathBuf::from("a.sda")], &OneFile(source), &Options::default())
            .program
            .expect("the source is right")
    }

    #[test]
    fn both_ways_to_the_symbols_agree() {
        let program = program();
        let table = SymbolTable::of(&program);
        let read = SymbolTable::from_json(&program.symbols_json()).unwrap();
        for address in 0x02_00F0..0x02_0110 {
            assert_eq!(table.nearest(address), read.nearest(address), "{address:06X}");
            assert_eq!(table.line(address), read.line(address), "{address:06X}");
        }
    }

    #[test]
    fn addresses_in_the_words_of_the_source() {
        let table = SymbolTable::of(&program());
        assert_eq!(table.nearest(0x02_0100), Some(("main", 0)));
        assert_eq!(table.nearest(0x02_0102), Some(("main.skip", 1)));
        assert_eq!(table.nearest(0x02_0105), Some(("last", 0)));
        assert_eq!(table.nearest(0x02_00FF), None);
        assert_eq!(table.nearest(0x03_0000), None);
        assert_eq!(table.line(0x02_0104), Some(("a.sda", 3)));
        assert_eq!(table.line(0x02_0106), None);
        assert_eq!(table.address("main.skip"), Some(0x02_0101));
        assert_eq!(table.address("HUGE"), None);
    }

    #[test]
    fn damaged_symbol_files() {
        for json in [
            "",
            "{}",
            "[]",
            r#"{"symbols":[],"files":[],"lines":[[0,1,0,1]]}"#,
            r#"{"symbols":[{"name":"a","scope":"","kind":"label","value":-1}],"files":[],"lines":[]}"#,
        ] {
            assert!(SymbolTable::from_json(json).is_err(), "{json}");
        }
    }
}
