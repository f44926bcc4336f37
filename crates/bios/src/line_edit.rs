//! INT $10 $1E: edits a line of text in the program's memory, on the screen,
//! with the keys as they arrive. Between two keys the service waits like any
//! other: what it remembers is in the machine.

use crate::console::place;
use crate::registers::{B, ELM, long, set, word};
use crate::reply::{ERROR_1, Failed, Reply};
use isa::keys::code;
use isa::keys::modifier::{ALT, CTRL};
use sd8516::devices::Devices;
use sd8516::keyboard::Key;
use sd8516::waiting::LineEdit;
use sd8516::{Machine, Memory, Wait};

/// Serves INT $10 $1E: B = length, or carry, AL = 1 and B when escaped.
pub fn serve(machine: &mut Machine) -> Result<Reply, Failed> {
    let (place, text, limit) = (place(machine), long(machine, ELM), word(machine, B));
    let (devices, memory) = machine.devices_and_memory();
    let edit = devices.waiting.take_edit(place, text, limit).unwrap_or_else(|| {
        let (x, y) = devices.ppu.cursor();
        let origin = i32::from(y) * i32::from(devices.ppu.mode().columns()) + i32::from(x);
        memory.set_byte(text, 0);
        LineEdit { place, text, limit, length: 0, caret: 0, origin, touched: 0 }
    });
    let mut editor = Editor { edit, devices, memory };
    loop {
        let Some(key) = editor.devices.keyboard.pop() else {
            let Editor { edit, devices, .. } = editor;
            devices.waiting.keep_edit(edit);
            return Ok(Reply::Wait(Wait::Key));
        };
        let escaped = match key.code {
            code::ENTER => false,
            code::ESCAPE => true,
            _ => {
                editor.key(key);
                continue;
            }
        };
        let LineEdit { length, touched, .. } = editor.edit;
        editor.move_caret(length);
        set(machine, B, length.into());
        return if escaped { Err(Failed { touched, ..ERROR_1 }) } else { Ok(Reply::Done(touched)) };
    }
}

struct Editor<'m> {
    edit: LineEdit,
    devices: &'m mut Devices,
    memory: &'m mut Memory,
}

impl Editor<'_> {
    /// Takes a key that doesn't end the line; one without a meaning is
    /// ignored.
    fn key(&mut self, key: Key) {
        let LineEdit { length, caret, .. } = self.edit;
        match key.code {
            code::BACKSPACE if caret > 0 => self.remove(caret - 1),
            code::DELETE if caret < length => self.remove(caret),
            code::LEFT => self.move_caret(caret.saturating_sub(1)),
            code::RIGHT => self.move_caret(length.min(caret.saturating_add(1))),
            code::HOME => self.move_caret(0),
            code::END => self.move_caret(length),
            b' '..=b'~' if key.flags & (CTRL | ALT) == 0 => self.insert(key.code),
            _ => {}
        }
    }

    fn insert(&mut self, character: u8) {
        let LineEdit { text, length, limit, caret, .. } = self.edit;
        if length >= limit {
            return;
        }
        let at = text.wrapping_add(caret.into());
        self.memory.copy_within(at.wrapping_add(1), at, u32::from(length - caret) + 1);
        self.memory.set_byte(at, character);
        self.edit.length += 1;
        self.make_room();
        self.draw(caret, self.edit.length);
        self.move_caret(caret + 1);
    }

    fn remove(&mut self, at: u16) {
        let LineEdit { text, length, .. } = self.edit;
        let address = text.wrapping_add(at.into());
        self.memory.copy_within(address, address.wrapping_add(1), u32::from(length - at));
        self.edit.length -= 1;
        // the cell behind the text still shows its last character
        self.draw(at, length);
        self.move_caret(at);
    }

    /// Scrolls so far that the whole text, or its end, is on the screen.
    fn make_room(&mut self) {
        let (columns, cells) = self.screen();
        let below = self.edit.origin + i32::from(self.edit.length) - cells;
        if below > 0 {
            let rows = (below + columns - 1) / columns;
            self.edit.origin -= rows * columns;
            let rows = rows.min(u8::MAX.into()) as u8;
            self.edit.touched += self.devices.ppu.scroll(self.memory, rows);
        }
    }

    /// Draws characters `from` up to `to`, as far as they are on the screen;
    /// beyond the text's end a space.
    fn draw(&mut self, from: u16, to: u16) {
        let (columns, cells) = self.screen();
        let LineEdit { text, length, origin, .. } = self.edit;
        let colour = self.devices.ppu.colour();
        let first = i32::from(from).max(-origin);
        let last = i32::from(to).min(cells - origin);
        for at in first..last {
            let glyph = if at < i32::from(length) {
                self.memory.byte(text.wrapping_add(at as u32))
            } else {
                b' '
            };
            let (x, y) = ((origin + at) % columns, (origin + at) / columns);
            self.devices.ppu.put(self.memory, x as u16, y as u16, glyph, colour);
            self.edit.touched += 1;
        }
    }

    /// Moves the caret and the cursor. Behind the last glyph of a row the
    /// cursor's column is COLUMNS, as after printing; there it also stays
    /// while nothing has been typed.
    fn move_caret(&mut self, caret: u16) {
        if self.edit.length == 0 && self.edit.caret == 0 {
            return;
        }
        self.edit.caret = caret;
        let (columns, _) = self.screen();
        let cell = (self.edit.origin + i32::from(caret)).max(0);
        let (mut x, mut y) = (cell % columns, cell / columns);
        if x == 0 && y > 0 && caret > 0 && caret == self.edit.length {
            (x, y) = (columns, y - 1);
        }
        let nearest = |at: i32| u8::try_from(at).unwrap_or(u8::MAX);
        self.devices.ppu.set_cursor(self.memory, nearest(x), nearest(y));
    }

    /// Columns and cells of the mode.
    fn screen(&self) -> (i32, i32) {
        let mode = self.devices.ppu.mode();
        (mode.columns().into(), mode.cells() as i32)
    }
}
