//! The report of a fault, for people: what, where, the registers, the last
//! instructions.

use std::fmt::Write;

use isa::{MAX_LENGTH, WORDS, decode, flags};
use sd8516::{Fault, Memory, Past};

use super::known::{KnownProgram, instruction_text, place};

/// Registers in one line.
const IN_A_LINE: usize = 8;

/// The report, several lines, each ended by a line feed.
pub fn render(fault: &Fault, past: &[Past], memory: &Memory, programs: &[KnownProgram]) -> String {
    let mut out = String::new();
    let at = place(programs, memory, fault.ip);
    let _ = writeln!(out, "fault: {fault}{at}");
    for line in 0..WORDS.len() / IN_A_LINE {
        let range = line * IN_A_LINE..(line + 1) * IN_A_LINE;
        let words: Vec<String> = WORDS[range.clone()]
            .iter()
            .zip(&fault.registers[range])
            .map(|(name, value)| format!("{name} {value:04X}"))
            .collect();
        let _ = writeln!(out, "  {}", words.join("  "));
    }
    let _ = writeln!(
        out,
        "  SP {:06X}  IP {:06X}  FLAGS {:04X} {}  after {} units",
        fault.sp,
        fault.ip,
        fault.flags,
        flag_letters(fault.flags),
        fault.units,
    );
    if !past.is_empty() {
        let _ = writeln!(out, "  the last instructions, the one that faulted at the end:");
    }
    for step in past {
        let at = place(programs, memory, step.ip);
        let text = match decode(&memory.copy_out(step.ip, MAX_LENGTH as u32)) {
            Ok(decoded) => instruction_text(programs, memory, step.ip, &decoded),
            Err(_) => "no instruction".to_string(),
        };
        let line =
            format!("    ${:06X}  {:<20} {text:<28} {}", step.ip, at.label_text(), at.line_text(),);
        let _ = writeln!(out, "{}", line.trim_end());
    }
    out
}

/// The flags that are set, by letter, from bit 15 down; `.` for the others.
fn flag_letters(value: u16) -> String {
    flags::LETTERS
        .iter()
        .zip((0..16).rev())
        .map(|(&letter, bit)| if value >> bit & 1 == 1 { letter } else { '.' })
        .collect()
}
