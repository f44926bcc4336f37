//! The listing: for each source line the address, the bytes, the machine
//! time and the text; expansions and inclusions are marked.

use std::fmt::Write;

use crate::program::{Program, Statement};

/// Bytes on one line of the listing.
const BYTES_A_LINE: usize = 8;
/// Lines of bytes for one statement; the rest is counted only.
const MOST_LINES: usize = 8;

impl Program {
    /// The listing as text. Columns: address, bytes (at most 64 of a
    /// statement), units of machine time (`1+` where it depends on the
    /// amount), line number, source. A `+` before the line number marks a
    /// macro's or repetition's line, a `|` an included file's.
    pub fn listing(&self) -> String {
        let mut writer = Writer { program: self, out: String::new(), next_line: Vec::new() };
        let mut statements: Vec<&Statement> = self.statements.iter().collect();
        statements.sort_by_key(|statement| statement.order);
        for statement in statements {
            writer.statement(statement);
        }
        writer.rest();
        writer.out
    }
}

struct Writer<'a> {
    program: &'a Program,
    out: String,
    /// For each inclusion of a file: context, source, the next line to list.
    next_line: Vec<(u32, usize, u32)>,
}

impl Writer<'_> {
    fn statement(&mut self, statement: &Statement) {
        let mark = match (statement.expanded, statement.included) {
            (true, _) => '+',
            (false, true) => '|',
            (false, false) => ' ',
        };
        self.lines_up_to(statement, if statement.included { '|' } else { ' ' });
        let source = self.program.sources.get(statement.source);
        let text = source.line(statement.line).0;
        let Some(offset) = statement.offset else {
            let size = format!("({} reserved)", statement.size);
            self.line(Some(statement.address), &size, "", mark, Some(statement.line), text);
            return;
        };
        let bytes = &self.program.bytes[offset as usize..(offset + statement.size) as usize];
        let time = if statement.code { units(bytes) } else { String::new() };
        for (at, row) in bytes.chunks(BYTES_A_LINE).enumerate() {
            let address = statement.address + (at * BYTES_A_LINE) as u32;
            let mut hex = String::new();
            for byte in row {
                let _ = write!(hex, "{byte:02X} ");
            }
            if at == 0 {
                self.line(Some(address), &hex, &time, mark, Some(statement.line), text);
            } else if at < MOST_LINES {
                self.line(Some(address), &hex, "", mark, None, "");
            } else {
                let rest = bytes.len() - at * BYTES_A_LINE;
                self.line(Some(address), &format!("… {rest} more"), "", mark, None, "");
                break;
            }
        }
    }

    /// The lines without bytes between the last statement and this one; for
    /// an expansion with the line that asked for it.
    fn lines_up_to(&mut self, statement: &Statement, mark: char) {
        let (source, line, context) = statement.anchor;
        let known = self.next_line.iter().position(|one| (one.0, one.1) == (context, source));
        let at = known.unwrap_or_else(|| {
            let name = &self.program.sources.get(source).name;
            let _ = writeln!(self.out, "{}; {name}", " ".repeat(40));
            self.next_line.push((context, source, 1));
            self.next_line.len() - 1
        });
        let from = self.next_line[at].2;
        let to = if statement.expanded { line + 1 } else { line };
        for line in from..to {
            self.plain(source, line, mark);
        }
        self.next_line[at].2 = from.max(line + 1);
    }

    /// The lines behind the last statement of each file.
    fn rest(&mut self) {
        for (context, source, from) in std::mem::take(&mut self.next_line) {
            let count = self.program.sources.get(source).line_count();
            for line in from..=count {
                if line < count || !self.program.sources.get(source).line(line).0.is_empty() {
                    self.plain(source, line, if context == 0 { ' ' } else { '|' });
                }
            }
        }
    }

    fn plain(&mut self, source: usize, line: u32, mark: char) {
        let text = self.program.sources.get(source).line(line).0;
        self.line(None, "", "", mark, Some(line), text);
    }

    fn line(
        &mut self,
        address: Option<u32>,
        bytes: &str,
        time: &str,
        mark: char,
        line: Option<u32>,
        text: &str,
    ) {
        let address = address.map_or(String::new(), |address| format!("{address:06X}"));
        let number = line.map_or(String::new(), |line| line.to_string());
        let start = self.out.len();
        let _ = write!(self.out, "{address:6}  {bytes:24} {time:>4} {mark}{number:>5}  {text}");
        self.out.truncate(start + self.out[start..].trim_end().len());
        self.out.push('\n');
    }
}

/// The units that the code of one statement takes.
fn units(bytes: &[u8]) -> String {
    let mut total = 0;
    let mut more = "";
    let mut at = 0;
    while let Ok(decoded) = isa::decode(&bytes[at..]) {
        at += decoded.length as usize;
        total += match decoded.row.mnemonic {
            "INSQUE" | "REMQUE" => 4,
            "MEMCOPY" | "MEMFILL" | "CMPC" | "LOCC" | "SKPC" | "SCANQUE" | "INT" | "PPIXEL"
            | "PLINE" | "PRECT" | "PFILL" | "PBLIT" | "PSPRITE" => {
                more = "+";
                1
            }
            _ => 1,
        };
    }
    format!("{total}{more}")
}
