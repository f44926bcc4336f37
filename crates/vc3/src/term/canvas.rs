//! What the terminal's window is to show: the machine's picture in its
//! middle, or what it needs when it is too small, and a notice on top.

use isa::charset::glyph;
use sd8516::Picture;

use super::colour::{Depth, Style};

/// The part of a window that is ever drawn; a terminal may claim any size.
const LARGEST: Size = Size { columns: 1_000, rows: 500 };

/// Columns and rows of a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// Cells in a row.
    pub columns: u16,
    /// Rows.
    pub rows: u16,
}

impl Size {
    fn holds(self, other: Size) -> bool {
        self.columns >= other.columns && self.rows >= other.rows
    }
}

/// One cell of the window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cell {
    /// The character; one column wide.
    pub character: char,
    /// Its colours; `None` is the terminal's own, as an erased cell has.
    pub style: Option<Style>,
}

const BLANK: Cell = Cell { character: ' ', style: None };

/// A whole window, row by row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Canvas {
    /// Its size.
    pub size: Size,
    /// Row × columns + column.
    pub cells: Vec<Cell>,
    /// Column and row of the cursor when it is shown.
    pub cursor: Option<(u16, u16)>,
}

impl Canvas {
    /// An empty window.
    pub fn blank(size: Size) -> Canvas {
        let size =
            Size { columns: size.columns.min(LARGEST.columns), rows: size.rows.min(LARGEST.rows) };
        let cells = vec![BLANK; usize::from(size.columns) * usize::from(size.rows)];
        Canvas { size, cells, cursor: None }
    }

    /// Writes from `column` on as much of `text` as fits in the row.
    fn write(&mut self, column: u16, row: u16, text: &str, style: Option<Style>) {
        if row >= self.size.rows {
            return;
        }
        let start = usize::from(row) * usize::from(self.size.columns);
        let cells = &mut self.cells[start..start + usize::from(self.size.columns)];
        for (cell, character) in cells.iter_mut().skip(usize::from(column)).zip(text.chars()) {
            *cell = Cell { character, style };
        }
    }
}

/// Makes canvases; remembers the colours it has translated.
pub struct Painter {
    depth: Depth,
    palette: [[u8; 3]; 16],
    styles: Vec<Style>,
}

impl Painter {
    /// For a terminal that shows `depth`.
    pub fn new(depth: Depth) -> Painter {
        let mut painter = Painter { depth, palette: [[0; 3]; 16], styles: Vec::new() };
        painter.translate();
        painter
    }

    /// The window with the picture centred in it; `notice` covers the bottom
    /// row of the window.
    pub fn paint(&mut self, picture: &Picture, window: Size, notice: Option<&str>) -> Canvas {
        let mut canvas = Canvas::blank(window);
        let needed = Size { columns: picture.columns.into(), rows: picture.rows.into() };
        if picture.width > 0 {
            explain(&mut canvas, &graphics_text(picture));
        } else if window.holds(needed) {
            self.paint_text(&mut canvas, picture, needed);
        } else {
            explain(&mut canvas, &small_text(needed, window));
        }
        if let Some(notice) = notice {
            self.paint_notice(&mut canvas, notice);
        }
        canvas
    }

    fn paint_text(&mut self, canvas: &mut Canvas, picture: &Picture, needed: Size) {
        if picture.palette[..16] != self.palette {
            self.palette.copy_from_slice(&picture.palette[..16]);
            self.translate();
        }
        let left = (canvas.size.columns - needed.columns) / 2;
        let top = (canvas.size.rows - needed.rows) / 2;
        let columns = usize::from(needed.columns);
        let rows = picture.glyphs.chunks_exact(columns).zip(picture.colours.chunks_exact(columns));
        for (row, (glyphs, colours)) in rows.take(needed.rows.into()).enumerate() {
            let start =
                (usize::from(top) + row) * usize::from(canvas.size.columns) + usize::from(left);
            let cells = &mut canvas.cells[start..start + columns];
            for ((cell, &code), &colour) in cells.iter_mut().zip(glyphs).zip(colours) {
                let hidden = self.depth == Depth::None && self.is_invisible(colour);
                let character = if hidden { ' ' } else { glyph(code) };
                *cell = Cell { character, style: Some(self.styles[usize::from(colour)]) };
            }
        }
        canvas.cursor = picture.cursor.map(|(column, row)| {
            // After the last glyph of a row the cursor stands beyond it.
            let column = u16::from(column).min(needed.columns - 1);
            let row = u16::from(row).min(needed.rows - 1);
            (left + column, top + row)
        });
    }

    fn paint_notice(&self, canvas: &mut Canvas, notice: &str) {
        let Some(row) = canvas.size.rows.checked_sub(1) else { return };
        let style = Some(Style::nearest(self.depth, [0, 0, 0], [0xF3, 0xF3, 0x4E]));
        let width = usize::from(canvas.size.columns);
        canvas.write(0, row, &format!(" {notice:<width$}"), style);
        canvas.cursor = canvas.cursor.filter(|&(_, cursor_row)| cursor_row != row);
    }

    /// Whether the machine shows nothing there: text in its background's
    /// colour.
    fn is_invisible(&self, colour: u8) -> bool {
        self.palette[usize::from(colour & 15)] == self.palette[usize::from(colour >> 4)]
    }

    /// All 256 colour bytes in what the terminal can show.
    fn translate(&mut self) {
        let palette = &self.palette;
        self.styles = (0..=255u8)
            .map(|colour| {
                let foreground = palette[usize::from(colour & 15)];
                let background = palette[usize::from(colour >> 4)];
                Style::nearest(self.depth, foreground, background)
            })
            .collect();
    }
}

fn small_text(needed: Size, window: Size) -> String {
    format!(
        "This screen needs {} columns and {} rows; the window has {} and {}. \
         Make the window larger or its font smaller. \
         The program goes on and gets your keys; Ctrl-\\ leaves.",
        needed.columns, needed.rows, window.columns, window.rows
    )
}

fn graphics_text(picture: &Picture) -> String {
    format!(
        "The program draws graphics, {} by {} pixels, and this terminal shows text. \
         It goes on and gets your keys; Ctrl-C twice stops it, Ctrl-\\ leaves.",
        picture.width, picture.height
    )
}

/// Writes `text` in the terminal's own colours, wrapped at words.
fn explain(canvas: &mut Canvas, text: &str) {
    let width = usize::from(canvas.size.columns);
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let length = lines.last().map_or(0, |line| line.len());
        match lines.last_mut() {
            Some(line) if length == 0 => line.push_str(word),
            Some(line) if length + 1 + word.len() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_string()),
        }
    }
    for (row, line) in (0..).zip(&lines) {
        canvas.write(0, row, line, None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sd8516::Machine;

    const WINDOW: Size = Size { columns: 80, rows: 25 };

    /// The picture of a machine that was just switched on, with a text in the
    /// first row.
    fn picture(text: &str) -> Picture {
        let mut picture = Machine::new().picture();
        picture.glyphs[..text.len()].copy_from_slice(text.as_bytes());
        picture
    }

    fn row(canvas: &Canvas, row: usize) -> String {
        let columns = usize::from(canvas.size.columns);
        canvas.cells[row * columns..(row + 1) * columns].iter().map(|cell| cell.character).collect()
    }

    #[test]
    fn a_window_of_the_mode_s_size_is_all_picture() {
        let canvas = Painter::new(Depth::True).paint(&picture("Hello"), WINDOW, None);
        assert_eq!(row(&canvas, 0).trim_end(), "Hello");
        let grey = [0xC4; 3];
        assert!(canvas.cells.iter().all(|cell| cell.style == Some(Style::True(grey, [0; 3]))));
        assert_eq!(canvas.cursor, Some((0, 0)));
    }

    #[test]
    fn a_larger_window_has_the_picture_in_its_middle() {
        let window = Size { columns: 91, rows: 30 };
        let canvas = Painter::new(Depth::True).paint(&picture("Hello"), window, None);
        assert_eq!(row(&canvas, 2), format!("     {:<86}", "Hello"));
        assert_eq!(canvas.cells[0], BLANK);
        assert_eq!(canvas.cursor, Some((5, 2)));
    }

    #[test]
    fn a_smaller_window_says_what_is_needed() {
        for (columns, rows) in [(79, 25), (80, 24), (40, 10)] {
            let window = Size { columns, rows };
            let canvas = Painter::new(Depth::True).paint(&picture("Hello"), window, None);
            let text: String =
                (0..usize::from(rows)).map(|line| row(&canvas, line) + " ").collect();
            let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(text.contains("needs 80 columns and 25 rows"), "{text}");
            assert!(text.contains(&format!("has {columns} and {rows}")), "{text}");
            assert_eq!(canvas.cursor, None);
        }
    }

    #[test]
    fn no_window_is_too_small_or_too_large_to_paint() {
        for (columns, rows) in [(0, 0), (1, 1), (3, 200), (u16::MAX, u16::MAX)] {
            let window = Size { columns, rows };
            let canvas = Painter::new(Depth::True).paint(&picture("Hello"), window, Some("notice"));
            assert!(canvas.cells.len() <= 500_000);
        }
    }

    #[test]
    fn graphics_are_explained() {
        let mut picture = picture("");
        (picture.width, picture.height) = (320, 200);
        let canvas = Painter::new(Depth::True).paint(&picture, WINDOW, None);
        assert!(row(&canvas, 0).contains("graphics, 320 by 200 pixels"), "{}", row(&canvas, 0));
    }

    #[test]
    fn a_notice_covers_the_bottom_row_only() {
        let mut painter = Painter::new(Depth::True);
        let without = painter.paint(&picture("Hello"), WINDOW, None);
        let with = painter.paint(&picture("Hello"), WINDOW, Some("Ctrl-C again"));
        assert_eq!(row(&with, 24).trim(), "Ctrl-C again");
        assert_eq!(with.cells[..24 * 80], without.cells[..24 * 80]);
    }

    #[test]
    fn the_palette_in_force_is_the_one_shown() {
        let mut painter = Painter::new(Depth::True);
        let mut picture = picture("Hello");
        picture.palette[7] = [1, 2, 3];
        let canvas = painter.paint(&picture, WINDOW, None);
        assert_eq!(canvas.cells[0].style, Some(Style::True([1, 2, 3], [0; 3])));
    }

    #[test]
    fn what_is_invisible_stays_so_without_colours() {
        let mut picture = picture("Hello");
        picture.colours[0] = 0x00;
        let canvas = Painter::new(Depth::None).paint(&picture, WINDOW, None);
        assert_eq!(row(&canvas, 0).trim_end(), " ello");
    }

    #[test]
    fn a_cursor_behind_the_last_column_is_shown_on_it() {
        let mut picture = picture("Hello");
        picture.cursor = Some((80, 24));
        let canvas = Painter::new(Depth::True).paint(&picture, WINDOW, None);
        assert_eq!(canvas.cursor, Some((79, 24)));
    }
}
