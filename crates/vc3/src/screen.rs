//! The machine's screen in the formats that a headless run prints: plain text,
//! with colours, both planes (machine manual, section 9), or a picture.

use std::fmt::Write;

use clap::ValueEnum;
use isa::charset::glyph;
use sd8516::Picture;

use crate::svg::svg;

/// How a screen is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ScreenFormat {
    /// The rows of glyphs
    Text,
    /// The rows of glyphs in their colours, for a true-colour terminal
    Ansi,
    /// The rows of glyphs, then the rows of colour bytes in hex
    Planes,
    /// A picture, as an SVG document
    Svg,
}

/// The screen in this format: all rows, each of all its columns and ended by
/// a line feed. In a graphics mode text shows the text planes, which are then
/// not visible; the SVG picture shows the pixels.
pub fn render(picture: &Picture, format: ScreenFormat) -> String {
    match format {
        ScreenFormat::Text => text(picture),
        ScreenFormat::Ansi => ansi(picture),
        ScreenFormat::Planes => planes(picture),
        ScreenFormat::Svg => svg(picture),
    }
}

fn text(picture: &Picture) -> String {
    let mut out = String::new();
    for row in picture.glyphs.chunks(columns(picture)) {
        out.extend(row.iter().map(|&code| glyph(code)));
        out.push('\n');
    }
    out
}

fn ansi(picture: &Picture) -> String {
    let columns = columns(picture);
    let mut out = String::new();
    for (glyphs, colours) in picture.glyphs.chunks(columns).zip(picture.colours.chunks(columns)) {
        let mut current = None;
        for (&code, &colour) in glyphs.iter().zip(colours) {
            if current != Some(colour) {
                let [red, green, blue] = picture.palette[usize::from(colour & 15)];
                let _ = write!(out, "\x1B[38;2;{red};{green};{blue}");
                let [red, green, blue] = picture.palette[usize::from(colour >> 4)];
                let _ = write!(out, ";48;2;{red};{green};{blue}m");
                current = Some(colour);
            }
            out.push(glyph(code));
        }
        out.push_str("\x1B[0m\n");
    }
    out
}

fn planes(picture: &Picture) -> String {
    let mut out = String::from("glyphs\n");
    out.push_str(&text(picture));
    out.push_str("colours\n");
    for row in picture.colours.chunks(columns(picture)) {
        for (column, colour) in row.iter().enumerate() {
            let gap = if column == 0 { "" } else { " " };
            let _ = write!(out, "{gap}{colour:02X}");
        }
        out.push('\n');
    }
    out
}

/// Cells in a row, at least 1.
fn columns(picture: &Picture) -> usize {
    usize::from(picture.columns).max(1)
}
