//! The map of a program: how full each bank is, drawn, and what lies where in
//! it.

use std::fmt::Write;

use isa::memory_map::PROGRAM_AREAS;

use crate::literal;
use crate::program::Program;

/// Bytes of a bank.
const BANK: u32 = 0x1_0000;
/// Bytes that one character of the picture stands for: 64 make a bank.
const CELL: u32 = 1024;

/// The addresses above a picture: one for each quarter.
const SCALE: &str = "  0000             4000             8000             C000\n";

/// Bytes that lie together in one bank.
struct Piece {
    start: u32,
    end: u32,
    /// Bytes of the image, or places that `.res` and `.var` take.
    loaded: bool,
}

impl Program {
    /// The banks with their use as text. For each bank that the program
    /// takes something of: bytes loaded, bytes reserved, a picture of one
    /// character for each kilobyte, and every piece with the label that it
    /// begins with and the sources that it is made of.
    pub fn map(&self) -> String {
        let pieces = self.pieces();
        let sum = |pieces: &[Piece], loaded: bool| -> u32 {
            let wanted = pieces.iter().filter(|piece| piece.loaded == loaded);
            wanted.map(|piece| piece.end - piece.start).sum()
        };
        let (loaded, reserved) = (sum(&pieces, true), sum(&pieces, false));
        let amount = |loaded: u32, reserved: u32| {
            format!("{loaded} {} loaded, {reserved} reserved", literal::bytes(loaded.into()))
        };
        let mut out = format!("entry ${:06X}: {}\n", self.entry, amount(loaded, reserved));
        if !pieces.is_empty() {
            out.push_str("# loaded  + partly  = reserved  - partly  . free  x the system's; a character is 1 KB\n");
        }
        for bank in pieces.chunk_by(|a, b| a.start / BANK == b.start / BANK) {
            let (loaded, reserved) = (sum(bank, true), sum(bank, false));
            let percent = (loaded + reserved) * 100 / BANK;
            let number = bank[0].start / BANK;
            let amount = amount(loaded, reserved);
            let _ = writeln!(out, "\nbank ${number:02X}: {amount}, {percent} % used");
            out.push_str(SCALE);
            let _ = writeln!(out, "  {}", picture(number * BANK, bank));
            for piece in bank {
                let &Piece { start, end, loaded } = piece;
                let kind = if loaded { "loaded" } else { "reserved" };
                let label = match self.symbols.nearest(start) {
                    Some((name, 0)) => format!("  {name}"),
                    _ => String::new(),
                };
                let (last, size) = (end - 1, end - start);
                let _ = writeln!(out, "  ${start:06X}–${last:06X}  {size:>6}  {kind}{label}");
                if loaded {
                    self.files_of(start, end, &mut out);
                }
            }
        }
        out
    }

    /// The sources that a loaded piece is made of, when there are several.
    fn files_of(&self, start: u32, end: u32, out: &mut String) {
        let mut parts: Vec<(u32, u32, &str)> = Vec::new();
        for (address, size, file, _) in self.lines.within(start, end) {
            let (from, to) = (address.max(start), (address + size).min(end));
            match parts.last_mut() {
                Some(last) if last.1 == from && last.2 == file => last.1 = to,
                _ => parts.push((from, to, file)),
            }
        }
        for (from, to, file) in parts.iter().filter(|_| parts.len() > 1) {
            let (last, size) = (to - 1, to - from);
            let _ = writeln!(out, "    ${from:06X}–${last:06X}  {size:>6}  {file}");
        }
    }

    /// Everything that takes a place, by ascending address; a piece ends
    /// where its bank does, and touching ones of one kind are joined.
    fn pieces(&self) -> Vec<Piece> {
        let mut pieces = Vec::new();
        let loaded = self.segments.iter().map(|segment| (segment.address, segment.end(), true));
        let reserved = self.facts.reserved().map(|(start, end)| (start, end, false));
        for (mut start, end, loaded) in loaded.chain(reserved) {
            while start < end {
                let stop = end.min((start / BANK + 1) * BANK);
                pieces.push(Piece { start, end: stop, loaded });
                start = stop;
            }
        }
        pieces.sort_unstable_by_key(|piece| (piece.start, piece.end));
        pieces.dedup_by(|b, a| {
            let join = a.loaded == b.loaded && a.end == b.start && a.start / BANK == b.start / BANK;
            if join {
                a.end = b.end;
            }
            join
        });
        pieces
    }
}

/// A bank as 64 characters, a blank after each quarter.
fn picture(base: u32, pieces: &[Piece]) -> String {
    let mut out = String::new();
    for start in (base..base + BANK).step_by(CELL as usize) {
        let within = |loaded: bool| -> u32 {
            let wanted = pieces.iter().filter(|piece| piece.loaded == loaded);
            wanted
                .map(|piece| piece.end.min(start + CELL).saturating_sub(piece.start.max(start)))
                .sum()
        };
        let free =
            || PROGRAM_AREAS.iter().any(|area| start < area.end && area.start < start + CELL);
        if start > base && start % (BANK / 4) == 0 {
            out.push(' ');
        }
        out.push(match (within(true), within(false)) {
            (CELL, _) => '#',
            (1.., _) => '+',
            (0, CELL) => '=',
            (0, 1..) => '-',
            (0, 0) if free() => '.',
            (0, 0) => 'x',
        });
    }
    out
}
