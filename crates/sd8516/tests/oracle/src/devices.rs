//! The device cells (section 7): what the machine writes into them at the end
//! of a frame, at YIELD and at INT. Nobody types, nothing draws random
//! numbers and no mode but that of the start is set while the program runs.

use crate::Oracle;

const CELLS: u32 = 0x01_EF00;
const CLOCK: u32 = 0x01_EF08;
const CURSOR_BLINK: u32 = 0x01_EF0C;
const KEYBOARD: u32 = 0x01_EF10;
const RANDOM_STATE: u32 = 0x01_EF34;
const FRAME_COUNTER: u32 = 0x01_EF38;

impl Oracle {
    /// Rewrites the cells that a program only reads.
    pub(crate) fn publish(&mut self) {
        let (columns, rows) = match self.mode {
            1 => (40, 25),
            2 => (80, 25),
            6 => (80, 50),
            _ => self.size().map_or((0, 0), |(width, height)| (width / 8, height / 8)),
        };
        let (character, palette) = (8, 5);
        for (cell, value) in
            (CELLS..).zip([self.mode.into(), columns, rows, character, character, palette])
        {
            self.memory.write(cell, 1, value as u64);
        }
        self.memory.write(CLOCK, 4, self.units / 1280);
        self.memory.write(CURSOR_BLINK, 1, u64::from(self.frames % 32 < 16));
        // Flags, count and sixteen times a code with its flags.
        for cell in KEYBOARD..KEYBOARD + 2 + 2 * 16 {
            self.memory.write(cell, 1, 0);
        }
        self.memory.write(RANDOM_STATE, 4, 1);
        self.memory.write(FRAME_COUNTER, 4, self.frames);
    }
}
