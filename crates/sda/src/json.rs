//! JSON as other tools read it: the messages of a run, one object a line, and
//! how numbers and strings are written in it.

use std::fmt::Write;

use crate::diagnostic::{Diagnostic, Diagnostics, Level, Location};

/// Every message of a run, one object a line.
pub(crate) fn messages(diagnostics: &Diagnostics) -> String {
    let mut out = String::new();
    for diagnostic in diagnostics.iter() {
        message(&mut out, diagnostics, diagnostic);
        out.push('\n');
    }
    out
}

fn message(out: &mut String, diagnostics: &Diagnostics, diagnostic: &Diagnostic) {
    let severity = match diagnostic.level() {
        Level::Error => "error",
        Level::Warning => "warning",
    };
    let code = string(diagnostic.code());
    let text = string(diagnostic.message());
    let _ = write!(out, "{{\"code\":{code},\"severity\":\"{severity}\",\"message\":{text}");
    let primary = diagnostics.location(diagnostic);
    let _ = write!(out, ",\"spans\":[{}", span(&primary, true, &diagnostic.label));
    for (location, text) in diagnostics.related(diagnostic) {
        let _ = write!(out, ",{}", span(&location, false, text));
    }
    let _ = write!(out, "],\"notes\":{}", strings(diagnostic.notes()));
    let _ = write!(out, ",\"helps\":{}", strings(diagnostic.helps()));
    let edit = diagnostics.edit(diagnostic).map_or("null".into(), |(place, text)| {
        format!("{{{},\"text\":{}}}", location(&place), string(text))
    });
    let _ = write!(out, ",\"edit\":{edit}}}");
}

fn span(place: &Location, primary: bool, text: &str) -> String {
    format!("{{{},\"primary\":{primary},\"text\":{}}}", location(place), string(text))
}

fn location(place: &Location) -> String {
    format!(
        "\"file\":{},\"line\":{},\"column\":{},\"end_line\":{},\"end_column\":{},\"byte_start\":{},\"byte_end\":{}",
        string(&place.file),
        place.line,
        place.column,
        place.end_line,
        place.end_column,
        place.bytes.start,
        place.bytes.end
    )
}

fn strings(list: &[String]) -> String {
    let list: Vec<String> = list.iter().map(|text| string(text)).collect();
    format!("[{}]", list.join(","))
}

/// A number that every reader of JSON keeps exactly: a string beyond 2^53.
pub(crate) fn number(value: i128) -> String {
    if value.unsigned_abs() <= 1 << 53 { value.to_string() } else { format!("\"{value}\"") }
}

/// A string in quotes.
pub(crate) fn string(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            c if c < ' ' || c == '\u{7F}' => {
                let _ = write!(out, "\\u{:04x}", c as u32);
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
