//! The report of a fault, for people: what, where, the registers, the last
//! instructions.

use std::fmt::Write;

use isa::{WORDS, decode, flags};
use sd8516::{Fault, History, Memory, Past};

use crate::number;

use super::known::{KnownProgram, instruction_text, place};

/// Registers in one line.
const IN_A_LINE: usize = 8;

/// The report, several lines, each ended by a line feed.
pub fn render(
    fault: &Fault,
    history: &History,
    memory: &Memory,
    programs: &[KnownProgram],
) -> String {
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
        "  SP {:06X}  IP {:06X}  FLAGS {:04X} {}  after {}",
        fault.sp,
        fault.ip,
        fault.flags,
        flag_letters(fault.flags),
        number::count(fault.units, "unit"),
    );
    if let Some(left) = &history.left {
        let _ = writeln!(out, "  the program was left here:");
        step(&mut out, left, memory, programs);
    }
    if !history.last.is_empty() {
        let _ = writeln!(out, "  the last instructions, the one that faulted at the end:");
    }
    for past in &history.last {
        step(&mut out, past, memory, programs);
    }
    out
}

/// One line for an instruction, and one for those of zeros that followed.
fn step(out: &mut String, past: &Past, memory: &Memory, programs: &[KnownProgram]) {
    let at = place(programs, memory, past.ip);
    // What stands there now may be something else.
    let text = match decode(&past.bytes) {
        Ok(decoded) => instruction_text(programs, memory, past.ip, &decoded),
        Err(_) => "no instruction".to_string(),
    };
    let line =
        format!("    ${:06X}  {:<20} {text:<28} {}", past.ip, at.label_text(), at.line_text());
    let _ = writeln!(out, "{}", line.trim_end());
    if past.more > 0 {
        let _ = writeln!(out, "    …        and {} more like it: memory full of zeros", past.more);
    }
}

/// The flags that are set, by letter, from bit 15 down; `.` for the others.
fn flag_letters(value: u16) -> String {
    flags::LETTERS
        .iter()
        .zip((0..16).rev())
        .map(|(&letter, bit)| if value >> bit & 1 == 1 { letter } else { '.' })
        .collect()
}
