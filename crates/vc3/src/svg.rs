//! The screen as an SVG picture: the character ROM's own pixels in the
//! palette's own colours, so that it looks the same wherever it is shown.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use sd8516::Picture;
use sd8516::ppu::font::{GLYPHS, HEIGHT, WIDTH};

/// Height of a text pixel in widths: 80 × 25 cells of 8 × 8 fill a 4:3 tube
/// when a pixel is twice as high as wide.
const TEXT_PIXEL_HEIGHT: usize = 2;

/// Runs of equal colour: colour, then (x, y, length) of each.
type Runs = BTreeMap<u8, Vec<(usize, usize, usize)>>;

/// The whole picture as an SVG document.
pub fn svg(picture: &Picture) -> String {
    if picture.pixels.is_empty() { text_mode(picture) } else { graphics_mode(picture) }
}

fn text_mode(picture: &Picture) -> String {
    let (cell_width, cell_height) = (usize::from(WIDTH), usize::from(HEIGHT));
    let columns = usize::from(picture.columns);
    let (width, height) = (columns * cell_width, usize::from(picture.rows) * cell_height);
    let mut out = head(width, height, TEXT_PIXEL_HEIGHT, picture.palette[0]);

    let visible = |code: u8| pixels_of(code).iter().any(|&row| row != 0);
    let used: BTreeSet<u8> = picture.glyphs.iter().copied().filter(|&code| visible(code)).collect();
    out.push_str("<defs>\n");
    for code in used {
        let _ = writeln!(out, "<path id=\"g{code:02X}\" d=\"{}\"/>", outline(code));
    }
    out.push_str("</defs>\n");

    let backgrounds: Vec<u8> = picture.colours.iter().map(|colour| colour >> 4).collect();
    for (colour, cells) in runs(&backgrounds, columns) {
        let _ = writeln!(out, "<g fill=\"{}\">", hex(picture.palette[usize::from(colour)]));
        for (x, y, length) in cells {
            rect(&mut out, x * cell_width, y * cell_height, length * cell_width, cell_height);
        }
        out.push_str("</g>\n");
    }
    let mut glyphs: BTreeMap<u8, String> = BTreeMap::new();
    for (at, (&code, colour)) in picture.glyphs.iter().zip(&picture.colours).enumerate() {
        if visible(code) {
            let (x, y) = (at % columns * cell_width, at / columns * cell_height);
            let group = glyphs.entry(colour & 15).or_default();
            let _ = writeln!(group, "<use href=\"#g{code:02X}\" x=\"{x}\" y=\"{y}\"/>");
        }
    }
    for (colour, group) in glyphs {
        let fill = hex(picture.palette[usize::from(colour)]);
        let _ = write!(out, "<g fill=\"{fill}\">\n{group}</g>\n");
    }
    out.push_str("</g>\n</svg>\n");
    out
}

fn graphics_mode(picture: &Picture) -> String {
    let width = usize::from(picture.width);
    let mut out = head(width, picture.height.into(), 1, picture.palette[0]);
    for (colour, pixels) in runs(&picture.pixels, width) {
        let _ = writeln!(out, "<g fill=\"{}\">", hex(picture.palette[usize::from(colour)]));
        for (x, y, length) in pixels {
            rect(&mut out, x, y, length, 1);
        }
        out.push_str("</g>\n");
    }
    out.push_str("</g>\n</svg>\n");
    out
}

fn head(width: usize, height: usize, stretch: usize, ground: [u8; 3]) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{tall}\" \
         viewBox=\"0 0 {width} {tall}\" shape-rendering=\"crispEdges\">\n\
         <rect width=\"{width}\" height=\"{tall}\" fill=\"{}\"/>\n\
         <g transform=\"scale(1 {stretch})\">\n",
        hex(ground),
        tall = height * stretch,
    )
}

/// Horizontal runs of one value, by value; 0, the ground, is left out.
fn runs(values: &[u8], columns: usize) -> Runs {
    let mut runs = Runs::new();
    for (y, row) in values.chunks(columns).enumerate() {
        let mut x = 0;
        for run in row.chunk_by(|a, b| a == b) {
            if run[0] != 0 {
                runs.entry(run[0]).or_default().push((x, y, run.len()));
            }
            x += run.len();
        }
    }
    runs
}

/// A glyph's pixels as one path of horizontal strips.
fn outline(code: u8) -> String {
    let mut path = String::new();
    for (y, &row) in pixels_of(code).iter().enumerate() {
        let mut x = 0;
        while x < 8 {
            let length = (row << x).leading_ones() as usize;
            if length > 0 {
                let _ = write!(path, "M{x} {y}h{length}v1h-{length}z");
            }
            x += length.max(1);
        }
    }
    path
}

/// The eight rows of a glyph; what a text screen prints as a blank is one.
fn pixels_of(code: u8) -> &'static [u8] {
    let height = usize::from(HEIGHT);
    let code = usize::from(code);
    &GLYPHS[code * height..(code + 1) * height]
}

fn rect(out: &mut String, x: usize, y: usize, width: usize, height: usize) {
    let _ = writeln!(out, "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\"/>");
}

fn hex([red, green, blue]: [u8; 3]) -> String {
    format!("#{red:02X}{green:02X}{blue:02X}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_glyph_is_drawn_as_its_pixels() {
        for code in 0..=255 {
            let set: u32 = pixels_of(code).iter().map(|row| row.count_ones()).sum();
            let drawn: u32 = outline(code)
                .split('h')
                .filter_map(|part| part.split_once("v1")?.0.parse::<u32>().ok())
                .sum();
            assert_eq!(drawn, set, "glyph {code}");
        }
    }

    #[test]
    fn runs_never_cross_a_row_and_leave_the_ground_out() {
        let runs = runs(&[7, 7, 0, 7, 7, 5], 3);
        assert_eq!(runs[&7], [(0, 0, 2), (0, 1, 2)]);
        assert_eq!(runs[&5], [(2, 1, 1)]);
        assert_eq!(runs.len(), 2);
    }
}
