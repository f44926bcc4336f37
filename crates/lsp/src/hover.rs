//! What is said about the word under the pointer.

use std::fmt::Write;

use isa::services::{Carry, SERVICES, Service};
use isa::{Arg, Instruction, Reg, View, WORDS, reference};
use lsp_types::{Hover, HoverContents, MarkupContent, MarkupKind, Range as Span};
use sda::index::{NameKind, Space, WordKind, word_at};
use sda::{Program, SymbolKind};

use crate::document::Text;
use crate::names::{self, Target};
use crate::requests::{Context, Point};

/// Lines of a comment or structure that are shown at most.
const MOST_LINES: usize = 60;
/// Lines above an INT that are searched for the function's number.
const LINES_ABOVE: usize = 12;

/// What is to be said about a place.
pub(crate) fn hover(cx: &Context<'_>, point: &Point) -> Option<Hover> {
    if let Some(target) = cx.target(point)
        && let Some(text) = name(cx, &target)
    {
        let span = point.text.span(target.range.clone(), cx.workspace.encoding);
        return Some(said(text, span));
    }
    let (line, column) = point.line();
    let word = word_at(line, column)?;
    let start = point.offset - column;
    let range = start + word.range.start..start + word.range.end;
    let text = match word.kind {
        WordKind::Mnemonic { name, rows, glued } => {
            let mut text = mnemonic(name, &rows, glued);
            text.truncate(text.trim_end().len());
            text += &here(cx, point);
            text
        }
        WordKind::Register(reg) => register(reg),
        WordKind::Directive(name, what) => format!("**.{name}**\n\n{what}"),
        WordKind::Function(name) => function(name).to_string(),
        WordKind::Value(value) => {
            let services = service_asked(cx, point, value);
            services.unwrap_or_else(|| number(value.into()))
        }
    };
    Some(said(text, point.text.span(range, cx.workspace.encoding)))
}

fn said(value: String, range: Span) -> Hover {
    let contents = HoverContents::Markup(MarkupContent { kind: MarkupKind::Markdown, value });
    Hover { contents, range: Some(range) }
}

/// A name: its comment and definition as the source has them, and its value.
fn name(cx: &Context<'_>, target: &Target) -> Option<String> {
    let found = names::definitions(cx.workspace, target);
    let first = found.first()?;
    let text = cx.workspace.text(&first.path)?;
    let line = text.lines.line_of(first.range.start);
    let mut answer = fenced(&excerpt(&text, line, first.kind));
    if target.space == Space::Program
        && let Some(program) = cx.analysis.program_of(cx.workspace, &target.file)
    {
        answer += &value(program, &target.text);
    }
    if found.len() > 1 {
        let _ = write!(answer, "\n\nDefined at {} places.", found.len());
    }
    if first.path != target.file
        && let Some(file) = first.path.file_name()
    {
        let _ = write!(answer, "\n\n{}:{}", file.display(), line + 1);
    }
    Some(answer)
}

/// What the assembler makes of a name.
fn value(program: &Program, name: &str) -> String {
    match program.symbols.lookup(name) {
        Some(symbol) if symbol.kind == SymbolKind::Constant && !symbol.address => {
            format!("\n\n{}", number(symbol.value))
        }
        Some(symbol) => format!("\n\nat `${:06X}`", symbol.value),
        None => String::new(),
    }
}

/// The comment above a definition, the definition, and the promises below it.
fn excerpt(text: &Text, line: usize, kind: Option<NameKind>) -> String {
    let is_comment = |line: usize| {
        let line = text.line(line).trim_start();
        line.starts_with(';') || line.starts_with("//")
    };
    let first = (0..line).rev().take(MOST_LINES).take_while(|&above| is_comment(above)).last();
    let begins = |line: usize, word: &str| {
        text.line(line)
            .trim_start()
            .get(..word.len())
            .is_some_and(|text| text.eq_ignore_ascii_case(word))
    };
    let is_promise =
        |line: usize| [".pure", ".clobbers", ".returns"].iter().any(|word| begins(line, word));
    let below = (line + 1..text.lines.count()).take(MOST_LINES);
    let last = match kind {
        Some(NameKind::Label) => below.take_while(|&below| is_promise(below)).last(),
        Some(NameKind::Struct) => below.clone().find(|&below| begins(below, ".ends")),
        _ => None,
    };
    let lines = first.unwrap_or(line)..=last.unwrap_or(line);
    lines.map(|line| text.line(line).trim_end()).collect::<Vec<_>>().join("\n")
}

fn fenced(text: &str) -> String {
    let fence = if text.contains("```") { "````" } else { "```" };
    format!("{fence}sda\n{text}\n{fence}")
}

/// An instruction's forms.
fn mnemonic(name: &str, rows: &[&Instruction], glued: Option<Reg>) -> String {
    let mut text = match glued {
        Some(reg) => format!("**{name}{}**", reg.name()),
        None => format!("**{name}**"),
    };
    match name {
        "JA" => {
            text +=
                " – jump when above, unsigned: `BZ` over the next, `JC label`\n\n7 bytes, time 1-2"
        }
        "JBE" => {
            text += " – jump when below or equal, unsigned: `JNC label`, `JZ label`\n\n8 bytes, time 1-2"
        }
        _ => {}
    }
    let fits = |row: &&&Instruction| match (glued, row.args.first()) {
        (Some(reg), Some(Arg::Reg(class))) => class.accepts(reg, None),
        _ => true,
    };
    let rows: Vec<_> = rows.iter().filter(fits).collect();
    let Some(first) = rows.first() else { return text };
    if first.mnemonic != name {
        let _ = write!(text, " is another spelling of {}", first.mnemonic);
    }
    text += "\n\n| form | bytes | flags | time | effect |\n|---|---|---|---|---|\n";
    for row in &rows {
        let (units, more) = sda::time_of(row);
        let length = match glued {
            Some(reg) => row.length(reg.width()).to_string(),
            None => reference::length(row),
        };
        let _ = writeln!(
            text,
            "| `{}` | {length} | {} | {units}{} | {} |",
            written(row, glued),
            reference::flag_text(row.flags),
            if more { "+" } else { "" },
            row.effect.replace('|', "\\|"),
        );
    }
    text
}

/// A form as it is written, with the register where it is known.
fn written(row: &Instruction, glued: Option<Reg>) -> String {
    let form = reference::form(row);
    match (glued, form.split_once(' ')) {
        (Some(reg), Some((_, rest))) => format!("{}{} {rest}", row.mnemonic, reg.name()),
        _ => form,
    }
}

/// What the line became when the program was last assembled.
fn here(cx: &Context<'_>, point: &Point) -> String {
    let Some(program) = cx.analysis.program_of(cx.workspace, &point.path) else {
        return String::new();
    };
    let Some(line) = cx.analysis.line_of(cx.workspace, &point.path, point.line_number()) else {
        return String::new();
    };
    let line = line as u32 + 1;
    let is_file = |name: &str| sda::plain_path(std::path::Path::new(name)) == point.path;
    let emitted = program.emitted(is_file, line);
    let [one] = &emitted[..] else { return String::new() };
    let bytes: Vec<String> = one.bytes.iter().map(|byte| format!("{byte:02X}")).collect();
    let time = one.time.as_deref().unwrap_or("");
    format!("\n\nHere: `{}` at `${:06X}`, time {time}", bytes.join(" "), one.address)
}

fn register(reg: Reg) -> String {
    let word = |number: u8| WORDS[number as usize];
    let made = match reg.view() {
        View::Word(_) => "a word".to_string(),
        View::Low(w) => format!("the low byte of {}", word(w)),
        View::High(w) => format!("the high byte of {}", word(w)),
        View::Pair(low, high) => format!("{} above {}", word(high), word(low)),
        View::Quad => "D above C above B above A".to_string(),
        View::Sp => "the stack pointer, a register of its own".to_string(),
        View::Pointer { bank, offset } => {
            format!("a pointer: bank {}L above offset {}", word(bank), word(offset))
        }
    };
    let mut text = format!("**{}** – {} bits, {made}", reg.name(), 8 * reg.width());
    let aliases: Vec<_> = Reg::all()
        .filter(|other| *other != reg && other.halves() & reg.halves() != 0)
        .map(Reg::name)
        .collect();
    if !aliases.is_empty() {
        let _ = write!(text, "\n\nShares bits with {}", aliases.join(", "));
    }
    text
}

fn function(name: &str) -> &'static str {
    match name {
        "lo" => "**lo(x)** – bits 0–7 of x",
        "hi" => "**hi(x)** – bits 8–15 of x",
        "bank" => "**bank(x)** – bits 16–23 of x",
        _ => "**word(x)** – bits 0–15 of x",
    }
}

/// A number in the ways that people write it.
pub(crate) fn number(value: i128) -> String {
    let mut text = format!("`{value}`");
    if value >= 0 {
        let _ = write!(text, " = `${value:X}`");
    }
    if (0..0x1_0000).contains(&value) {
        let _ = write!(text, " = `%{value:b}`");
    }
    if let Some(c) = u8::try_from(value).ok().filter(|byte| (0x20..0x7F).contains(byte)) {
        let c = char::from(c);
        if c != '`' && c != '\'' && c != '\\' {
            let _ = write!(text, " = `'{c}'`");
        }
    }
    text
}

/// The services of the INT that a number belongs to, if it belongs to one;
/// first that which the AH above asks for.
fn service_asked(cx: &Context<'_>, point: &Point, value: u64) -> Option<String> {
    let (line, _) = point.line();
    let code = line.trim_start().trim_start_matches(|c| c != ':').trim_start_matches(':');
    let code = if code.is_empty() { line.trim_start() } else { code.trim_start() };
    let is_int = code.get(..4).is_some_and(|word| word.trim_end().eq_ignore_ascii_case("INT"));
    let vector = u8::try_from(value).ok().filter(|_| is_int)?;
    let mut services: Vec<&Service> = SERVICES.iter().filter(|one| one.vector == vector).collect();
    if services.is_empty() {
        return None;
    }
    let asked = function_above(cx, point);
    services.sort_by_key(|one| (Some(u64::from(one.function)) != asked, one.function));
    let mut text = format!("**INT ${vector:02X}**");
    if let Some(one) = services.first().filter(|one| Some(u64::from(one.function)) == asked) {
        let _ = write!(text, " – {}", one.name);
    }
    text += "\n\n| AH | service | reads | results | carry |\n|---|---|---|---|---|\n";
    for one in services {
        let carry = match one.carry {
            Carry::Clear => "clear",
            Carry::Error => "error, in AL",
            Carry::Compares => "not smaller; Z equal",
        };
        let _ = writeln!(
            text,
            "| ${:02X} | {} | {} | {} | {carry} |",
            one.function, one.name, one.inputs, one.outputs
        );
    }
    Some(text)
}

/// The value that AH is given above a line, as far as it is plain to see.
fn function_above(cx: &Context<'_>, point: &Point) -> Option<u64> {
    let line = point.line_number();
    for above in (line.saturating_sub(LINES_ABOVE)..line).rev() {
        let text = point.text.line(above);
        let code = text.split(';').next().unwrap_or("").trim();
        let words: Vec<&str> = code.split_whitespace().collect();
        match words[..] {
            [load, value] if load.eq_ignore_ascii_case("LDAH") => {
                let column = text.find(value).map_or(0, |at| at + value.len());
                let literal = word_at(text, column).and_then(|word| match word.kind {
                    WordKind::Value(value) => Some(value),
                    _ => None,
                });
                let program = cx.analysis.program_of(cx.workspace, &point.path);
                let constant = || {
                    let name = value.trim_start_matches(['@', '#']);
                    u64::try_from(program?.symbols.lookup(name)?.value).ok()
                };
                return literal.or_else(constant);
            }
            [word, ..] if word.eq_ignore_ascii_case("INT") || word.ends_with(':') => return None,
            _ => {}
        }
    }
    None
}
