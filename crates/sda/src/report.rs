//! What other tools read about a program: symbols and lines as JSON, and the
//! use of the banks as text.

use std::fmt::Write;

use isa::Reg;

use crate::json::{number, string};
use crate::program::{Program, SymbolKind};

impl Program {
    /// Symbols, line table, segments and expectations as one JSON object:
    /// `entry`, `segments` (`address`, `length`), `symbols` (`name`,
    /// `scope`, `kind`, `value` – a string when over 53 bits –, `address`,
    /// `file`, `line`), `files`, `lines` (`[address, length, file, line]`,
    /// the file by its number in `files`), `expectations`, `contracts`.
    pub fn symbols_json(&self) -> String {
        let mut out = String::from("{\n");
        let _ = writeln!(out, "  \"entry\": {},", self.entry);
        let segments = self.segments.iter().map(|segment| {
            format!("{{\"address\": {}, \"length\": {}}}", segment.address, segment.bytes.len())
        });
        list(&mut out, "segments", segments, ",");
        let symbols = self.symbols.iter().map(|symbol| {
            let kind = match symbol.kind {
                SymbolKind::Label => "label",
                SymbolKind::Local => "local",
                SymbolKind::Variable => "variable",
                SymbolKind::Constant => "constant",
            };
            format!(
                "{{\"name\": {}, \"scope\": {}, \"kind\": \"{kind}\", \"value\": {}, \"address\": {}, \"file\": {}, \"line\": {}}}",
                string(&symbol.name),
                string(&symbol.scope),
                number(symbol.value),
                symbol.address,
                string(&symbol.file),
                symbol.line
            )
        });
        list(&mut out, "symbols", symbols, ",");
        list(&mut out, "files", self.lines.files().map(string), ",");
        let lines = self
            .lines
            .entries()
            .iter()
            .map(|(address, size, file, line)| format!("[{address}, {size}, {file}, {line}]"));
        list(&mut out, "lines", lines, ",");
        let expectations = self.expectations.iter().map(|one| {
            format!(
                "{{\"address\": {}, \"width\": {}, \"low\": {}, \"high\": {}, \"text\": {}, \"file\": {}, \"line\": {}}}",
                one.address,
                one.width,
                number(one.low.into()),
                number(one.high.into()),
                string(&one.text),
                string(&one.file),
                one.line
            )
        });
        list(&mut out, "expectations", expectations, ",");
        let contracts = self.contracts.iter().map(|one| {
            let names = |regs: &[Reg]| regs.iter().map(|reg| string(reg.name())).collect();
            let clobbers = one.clobbers.as_ref().map_or("null".into(), |regs| array(names(regs)));
            let mut returns: Vec<String> = names(&one.returns);
            returns.extend(one.flag_names().map(string));
            format!(
                "{{\"label\": {}, \"address\": {}, \"pure\": {}, \"clobbers\": {clobbers}, \"returns\": {}, \"file\": {}, \"line\": {}}}",
                string(&one.label),
                one.address,
                one.pure,
                array(returns),
                string(&one.file),
                one.line
            )
        });
        list(&mut out, "contracts", contracts, "");
        out.push_str("}\n");
        out
    }

    /// The banks with their use: bytes loaded, bytes reserved, and each
    /// piece with the label that it begins with.
    pub fn map(&self) -> String {
        let mut pieces: Vec<(u32, u32, bool)> = Vec::new();
        let loaded = self.segments.iter().map(|segment| (segment.address, segment.end(), true));
        let reserved = self.facts.reserved().map(|(start, end)| (start, end, false));
        for (mut start, end, loaded) in loaded.chain(reserved) {
            // A piece ends where its bank does.
            while start < end {
                let stop = end.min((start | 0xFFFF) + 1);
                pieces.push((start, stop, loaded));
                start = stop;
            }
        }
        pieces.sort_unstable();
        pieces.dedup_by(|b, a| {
            let join = a.2 == b.2 && a.1 == b.0 && a.0 >> 16 == b.0 >> 16;
            if join {
                a.1 = b.1;
            }
            join
        });
        let mut out = format!("entry ${:06X}\n", self.entry);
        let mut bank = None;
        for &(start, end, loaded) in &pieces {
            if bank != Some(start >> 16) {
                bank = Some(start >> 16);
                let sum = |wanted: bool| -> u32 {
                    pieces
                        .iter()
                        .filter(|piece| piece.0 >> 16 == start >> 16 && piece.2 == wanted)
                        .map(|piece| piece.1 - piece.0)
                        .sum()
                };
                let (bytes, places) = (sum(true), sum(false));
                let percent = u64::from(bytes + places) * 100 / 0x1_0000;
                let _ = writeln!(
                    out,
                    "\nbank ${:02X}: {bytes} bytes loaded, {places} reserved, {percent} % used",
                    start >> 16
                );
            }
            let kind = if loaded { "loaded" } else { "reserved" };
            let label = match self.symbols.nearest(start) {
                Some((name, 0)) => format!("  {name}"),
                _ => String::new(),
            };
            let _ =
                writeln!(out, "  ${start:06X}–${:06X}  {:>6}  {kind}{label}", end - 1, end - start);
        }
        out
    }
}

fn array(items: Vec<String>) -> String {
    format!("[{}]", items.join(", "))
}

fn list(out: &mut String, name: &str, items: impl Iterator<Item = String>, separator: &str) {
    let _ = write!(out, "  \"{name}\": [");
    let mut first = true;
    for item in items {
        out.push_str(if first { "\n    " } else { ",\n    " });
        out.push_str(&item);
        first = false;
    }
    out.push_str(if first { "]" } else { "\n  ]" });
    out.push_str(separator);
    out.push('\n');
}
