//! The picture processing unit: text planes, cursor, palette and the held
//! picture, over the machine's memory (machine manual, section 7).

mod draw;
pub mod font;
mod mode;
pub mod palette;
mod picture;

pub use draw::{Drawn, Operands, Operation};
pub use mode::{Layout, Mode};
pub use picture::Picture;

use crate::Memory;
use isa::memory_map::{FRAMEBUFFER, PALETTE, TEXT_COLOURS, TEXT_GLYPHS, device};
use serde::{Deserialize, Serialize};

/// What a cleared cell shows.
const SPACE: u8 = b' ';

/// The PPU's own state. What it draws into is memory; the cells that a
/// program may set too (colour, cursor, VSTOP) are kept equal to it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ppu {
    mode: Mode,
    palette: u8,
    colour: u8,
    cursor_x: u8,
    cursor_y: u8,
    cursor_on: bool,
    /// What stays visible under VSTOP.
    held: Option<Box<Picture>>,
}

impl Ppu {
    /// The state every program starts in: mode 2, palette 5, all 4,096 cells
    /// of both planes cleared, cursor at 0, 0 and on, VSTOP off.
    pub fn reset(&mut self, memory: &mut Memory) {
        *self = Ppu::default();
        self.set_palette(memory, palette::DEFAULT);
        self.set_mode(memory, Mode::default());
        memory.slice_mut(TEXT_GLYPHS).fill(SPACE);
        memory.slice_mut(TEXT_COLOURS).fill(self.mode.default_colour());
        self.set_cursor_on(memory, true);
        self.release_picture(memory);
    }

    /// The video mode.
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// Changes the mode, clears its picture, reloads its default colour into
    /// VIDEO_CHAR_COLOR and keeps the palette. Gives the cells touched.
    pub fn set_mode(&mut self, memory: &mut Memory, mode: Mode) -> u64 {
        self.mode = mode;
        self.set_colour(memory, mode.default_colour());
        if let Some(layout) = mode.layout() {
            memory.fill(FRAMEBUFFER.start, 0, layout.size());
        }
        self.clear(memory)
    }

    /// Number of the palette last chosen.
    pub fn palette(&self) -> u8 {
        self.palette
    }

    /// Loads a palette, all 256 entries; false when there is none of this
    /// number.
    pub fn set_palette(&mut self, memory: &mut Memory, number: u8) -> bool {
        let Some(entries) = palette::entries(number) else { return false };
        self.palette = number;
        memory.copy_in(PALETTE.start, entries.as_flattened());
        true
    }

    /// The colour byte of the next glyph written.
    pub fn colour(&self) -> u8 {
        self.colour
    }

    /// Sets VIDEO_CHAR_COLOR.
    pub fn set_colour(&mut self, memory: &mut Memory, colour: u8) {
        self.colour = colour;
        memory.set_byte(device::VIDEO_CHAR_COLOR, colour);
    }

    /// Cursor column, 0 to columns (after the last glyph of a row), and row.
    pub fn cursor(&self) -> (u8, u8) {
        (self.cursor_x, self.cursor_y)
    }

    /// Moves the cursor; the column is at most columns, the row at most
    /// rows − 1.
    pub fn set_cursor(&mut self, memory: &mut Memory, x: u8, y: u8) {
        self.cursor_x = x.min(self.mode.columns());
        self.cursor_y = y.min(self.mode.rows() - 1);
        memory.set_byte(device::CURSOR_X, self.cursor_x);
        memory.set_byte(device::CURSOR_Y, self.cursor_y);
    }

    /// Whether the cursor is on.
    pub fn cursor_on(&self) -> bool {
        self.cursor_on
    }

    /// Switches the cursor on or off.
    pub fn set_cursor_on(&mut self, memory: &mut Memory, on: bool) {
        self.cursor_on = on;
        memory.set_byte(device::CURSOR_STATE, u8::from(on));
    }

    /// VSTOP: what is visible now stays so, whatever is drawn.
    pub fn hold_picture(&mut self, memory: &mut Memory) {
        let flags = memory.byte(device::VIDEO_FLAGS);
        memory.set_byte(device::VIDEO_FLAGS, flags | device::VSTOP);
        self.hold(memory);
    }

    /// VSTART: what was drawn becomes visible.
    pub fn release_picture(&mut self, memory: &mut Memory) {
        let flags = memory.byte(device::VIDEO_FLAGS);
        memory.set_byte(device::VIDEO_FLAGS, flags & !device::VSTOP);
        self.held = None;
    }

    /// Takes what a program may set from its cells. A cursor outside the
    /// screen counts as the nearest place on it; the cells stay as they are.
    pub(crate) fn sample(&mut self, memory: &Memory) {
        self.colour = memory.byte(device::VIDEO_CHAR_COLOR);
        self.cursor_on = memory.byte(device::CURSOR_STATE) != 0;
        self.cursor_x = memory.byte(device::CURSOR_X).min(self.mode.columns());
        self.cursor_y = memory.byte(device::CURSOR_Y).min(self.mode.rows() - 1);
        if memory.byte(device::VIDEO_FLAGS) & device::VSTOP != 0 {
            self.hold(memory);
        } else {
            self.held = None;
        }
    }

    fn hold(&mut self, memory: &Memory) {
        if self.held.is_none() {
            self.held = Some(Box::new(self.picture_drawn(memory)));
        }
    }

    /// Clears both planes of the mode's text: glyphs to space, colours to the
    /// mode's default, cursor home. Gives the cells touched.
    pub fn clear(&mut self, memory: &mut Memory) -> u64 {
        self.fill_cells(memory, 0, self.mode.cells());
        self.set_cursor(memory, 0, 0);
        u64::from(self.mode.cells())
    }

    /// Scrolls both planes up; the rows that come in are cleared. The cursor
    /// stays. Gives the cells touched.
    pub fn scroll(&mut self, memory: &mut Memory, rows: u8) -> u64 {
        if rows == 0 {
            return 0;
        }
        let cells = self.mode.cells();
        let gone = (u32::from(rows) * u32::from(self.mode.columns())).min(cells);
        for plane in [TEXT_GLYPHS.start, TEXT_COLOURS.start] {
            memory.copy_within(plane, plane + gone, cells - gone);
        }
        self.fill_cells(memory, cells - gone, cells);
        u64::from(cells)
    }

    fn fill_cells(&self, memory: &mut Memory, from: u32, to: u32) {
        memory.fill(TEXT_GLYPHS.start + from, SPACE, to - from);
        memory.fill(TEXT_COLOURS.start + from, self.mode.default_colour(), to - from);
    }

    /// Puts a glyph and its colour into a cell; false, and nothing is
    /// written, outside the screen.
    pub fn put(&mut self, memory: &mut Memory, x: u16, y: u16, glyph: u8, colour: u8) -> bool {
        let (columns, rows) = (u16::from(self.mode.columns()), u16::from(self.mode.rows()));
        if x >= columns || y >= rows {
            return false;
        }
        let cell = u32::from(y) * u32::from(columns) + u32::from(x);
        memory.set_byte(TEXT_GLYPHS.start + cell, glyph);
        memory.set_byte(TEXT_COLOURS.start + cell, colour);
        true
    }

    /// Writes a character at the cursor in VIDEO_CHAR_COLOR and advances;
    /// 13, 10, 8 and 9 move the cursor. Wrapping and scrolling happen before
    /// the glyph, so the bottom-right cell can be written without scrolling.
    /// Gives the cells touched.
    pub fn write_glyph(&mut self, memory: &mut Memory, glyph: u8) -> u64 {
        let (x, y) = self.cursor();
        let columns = self.mode.columns();
        match glyph {
            8 => self.set_cursor(memory, x.saturating_sub(1), y),
            9 => self.set_cursor(memory, ((x / 8 + 1) * 8).min(columns), y),
            10 => return self.new_line(memory),
            13 => self.set_cursor(memory, 0, y),
            _ => {
                let mut touched = 1;
                if x >= columns {
                    touched += self.new_line(memory);
                }
                let (x, y) = self.cursor();
                self.put(memory, x.into(), y.into(), glyph, self.colour);
                self.set_cursor(memory, x.saturating_add(1), y);
                return touched;
            }
        }
        0
    }

    /// Moves the cursor to column 0 of the next row; on the last row the
    /// screen scrolls. Gives the cells touched.
    pub fn new_line(&mut self, memory: &mut Memory) -> u64 {
        let y = self.cursor_y;
        let below = y.saturating_add(1);
        let touched = if below < self.mode.rows() { 0 } else { self.scroll(memory, 1) };
        self.set_cursor(memory, 0, below);
        touched
    }

    /// What is visible: the held picture under VSTOP, else what is drawn.
    pub fn picture(&self, memory: &Memory) -> Picture {
        match &self.held {
            Some(held) => (**held).clone(),
            None => self.picture_drawn(memory),
        }
    }

    /// What is drawn, VSTOP or not.
    pub fn picture_drawn(&self, memory: &Memory) -> Picture {
        let cells = self.mode.cells();
        let (columns, rows) = (self.mode.columns(), self.mode.rows());
        let plane = |start: u32| memory.slice(start..start + cells).to_vec();
        let mut palette = [[0; 3]; palette::ENTRIES];
        palette.as_flattened_mut().copy_from_slice(memory.slice(PALETTE));
        let cursor =
            self.cursor_on.then(|| (self.cursor_x.min(columns - 1), self.cursor_y.min(rows - 1)));
        let (pixels, width, height) = self.pixels_drawn(memory);
        Picture {
            mode: self.mode,
            columns,
            rows,
            glyphs: plane(TEXT_GLYPHS.start),
            colours: plane(TEXT_COLOURS.start),
            palette,
            cursor,
            pixels,
            width,
            height,
        }
    }
}

#[cfg(test)]
mod tests;
