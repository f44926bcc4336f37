//! The listing: for each source line the address, the bytes, the machine
//! time and the text; expansions and inclusions are marked.

use std::fmt::Write;

use isa::Instruction;

use crate::program::{Anchor, Program, Reading, Statement};

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
        let mut writer = Writer { program: self, out: String::new(), open: Vec::new() };
        let mut statements: Vec<&Statement> = self.statements().iter().collect();
        statements.sort_by_key(|statement| statement.order);
        let readings = self.facts.readings();
        let mut readings = readings.iter().peekable();
        for statement in statements {
            while let Some(reading) = readings.next_if(|one| one.order <= statement.order) {
                writer.begin(reading);
            }
            writer.statement(statement);
        }
        for reading in readings {
            writer.begin(reading);
        }
        writer.close_all();
        writer.out
    }
}

struct Writer<'a> {
    program: &'a Program,
    out: String,
    /// The files being listed, outermost first: inclusion, source, and the
    /// next line.
    open: Vec<(u32, usize, u32)>,
}

impl Writer<'_> {
    /// Begins a file, behind the line that includes it.
    fn begin(&mut self, reading: &Reading) {
        match reading.from {
            Some(from) => self.lines_before(Anchor { line: from.line + 1, ..from }),
            None => self.close_all(),
        }
        let name = &self.program.sources.get(reading.source).name;
        let _ = writeln!(self.out, "{}; {name}", " ".repeat(40));
        self.open.push((reading.context, reading.source, 1));
    }

    fn statement(&mut self, statement: &Statement) {
        let mark = match (statement.expanded, statement.included) {
            (true, _) => '+',
            (false, true) => '|',
            (false, false) => ' ',
        };
        let anchor = statement.anchor;
        self.lines_before(Anchor { line: anchor.line + u32::from(statement.expanded), ..anchor });
        if let Some(file) = self.open.last_mut() {
            file.2 = file.2.max(anchor.line + 1);
        }
        let source = self.program.sources.get(statement.source);
        let text = source.line(statement.line).0;
        if statement.is_reserved {
            let size = format!("({} reserved)", statement.size);
            self.line(Some(statement.address), &size, "", mark, Some(statement.line), text);
            return;
        }
        let bytes = self.program.bytes_of(statement);
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

    /// Lists what is left of the files that end before `anchor`, and the
    /// lines of its own file before it.
    fn lines_before(&mut self, anchor: Anchor) {
        while let Some(&(context, source, next)) = self.open.last() {
            if (context, source) == (anchor.context, anchor.source) {
                for line in next..anchor.line {
                    self.plain(source, line, context);
                }
                if let Some(file) = self.open.last_mut() {
                    file.2 = next.max(anchor.line);
                }
                return;
            }
            self.close();
        }
    }

    /// Lists the rest of the innermost file.
    fn close(&mut self) {
        let Some((context, source, next)) = self.open.pop() else { return };
        let count = self.program.sources.get(source).line_count();
        for line in next..=count {
            if line < count || !self.program.sources.get(source).line(line).0.is_empty() {
                self.plain(source, line, context);
            }
        }
    }

    fn close_all(&mut self) {
        while !self.open.is_empty() {
            self.close();
        }
    }

    fn plain(&mut self, source: usize, line: u32, context: u32) {
        let text = self.program.sources.get(source).line(line).0;
        let mark = if context == 0 { ' ' } else { '|' };
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

/// The units of machine time that an instruction takes, and whether what it
/// touches counts besides (machine manual, section 4).
pub fn time_of(row: &Instruction) -> (u32, bool) {
    match row.mnemonic {
        "INSQUE" | "REMQUE" => (4, false),
        "MEMCOPY" | "MEMFILL" | "CMPC" | "LOCC" | "SKPC" | "SCANQUE" | "INT" | "PPIXEL"
        | "PLINE" | "PRECT" | "PFILL" | "PBLIT" | "PSPRITE" => (1, true),
        _ => (1, false),
    }
}

/// The units that the code of one statement takes.
pub(crate) fn units(bytes: &[u8]) -> String {
    let mut total = 0;
    let mut count = 0;
    let mut more = "";
    let mut at = 0;
    while let Ok(decoded) = isa::decode(&bytes[at..]) {
        at += decoded.length as usize;
        count += 1;
        let (units, grows) = time_of(decoded.row);
        total += units;
        if grows {
            more = "+";
        }
    }
    // JA and JBE: the first of the two may leave.
    if count > 1 { format!("1-{total}") } else { format!("{total}{more}") }
}
