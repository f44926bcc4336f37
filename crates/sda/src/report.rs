//! What other tools read about a program: symbols, lines, expectations and
//! contracts as JSON.

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
