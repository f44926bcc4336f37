//! INT $10, the console: mode, keys, cursor, text; and the three services of
//! INT $05 that print or read numbers (machine manual, section 6).

use crate::line_edit;
use crate::registers::{AL, B, BL, BLX, C, ELM, X, Y, byte, long, set, word};
use crate::reply::{DONE, ERROR_1, Failed, Reply};
use crate::text::{number, string_at};
use isa::Reg;
use sd8516::ppu::Mode;
use sd8516::waiting::Place;
use sd8516::{Machine, Wait};

/// Serves INT $10.
pub fn serve(machine: &mut Machine, function: u8) -> Result<Reply, Failed> {
    match function {
        0x00 => set_mode(machine),
        0x01 => {
            let on = byte(machine, AL) != 0;
            let (devices, memory) = machine.devices_and_memory();
            devices.ppu.set_cursor_on(memory, on);
            DONE
        }
        0x02 => read_key(machine),
        0x03 => {
            let key = machine.devices_and_memory().0.keyboard.pop();
            set(machine, AL, key.map_or(0, |key| key.code.into()));
            DONE
        }
        0x04 => {
            let waiting = machine.devices().keyboard.len();
            set(machine, AL, waiting as u64);
            DONE
        }
        0x05 => set_cursor(machine),
        0x06 => {
            let (x, y) = machine.devices().ppu.cursor();
            set(machine, X, x.into());
            set(machine, Y, y.into());
            DONE
        }
        0x07 => wait_frames(machine),
        0x0E => {
            let glyph = byte(machine, AL);
            print(machine, &[glyph])
        }
        0x0F => {
            let mode = machine.devices().ppu.mode();
            set(machine, AL, mode.number().into());
            DONE
        }
        0x10 => {
            let (devices, memory) = machine.devices_and_memory();
            Ok(Reply::Done(devices.ppu.clear(memory)))
        }
        0x11 => {
            let rows = byte(machine, AL);
            let (devices, memory) = machine.devices_and_memory();
            Ok(Reply::Done(devices.ppu.scroll(memory, rows)))
        }
        0x12 => {
            let colour = byte(machine, AL);
            let (devices, memory) = machine.devices_and_memory();
            devices.ppu.set_colour(memory, colour);
            DONE
        }
        0x13 => put_glyph(machine),
        0x16 => {
            let mode = machine.devices().ppu.mode();
            set(machine, B, mode.columns().into());
            set(machine, C, mode.rows().into());
            DONE
        }
        0x18 => print_string(machine, ELM),
        0x19 => {
            let digits = word(machine, B).to_string();
            print(machine, digits.as_bytes())
        }
        0x1A => new_line(machine),
        0x1B => {
            let (devices, memory) = machine.devices_and_memory();
            devices.ppu.hold_picture(memory);
            DONE
        }
        0x1C => {
            let (devices, memory) = machine.devices_and_memory();
            devices.ppu.release_picture(memory);
            DONE
        }
        0x1D => {
            let palette = byte(machine, AL);
            let (devices, memory) = machine.devices_and_memory();
            if devices.ppu.set_palette(memory, palette) { DONE } else { Err(ERROR_1) }
        }
        0x1E => line_edit::serve(machine),
        _ => Ok(Reply::Unknown),
    }
}

/// Serves INT $05, what is left of BASIC's services.
pub fn basic(machine: &mut Machine, function: u8) -> Result<Reply, Failed> {
    match function {
        0x62 => {
            let text = string_at(machine.memory(), long(machine, ELM));
            let touched = text.len() as u64;
            let value = number(&text).ok_or(Failed { error: 1, touched })?;
            set(machine, B, value.into());
            Ok(Reply::Done(touched))
        }
        0x64 => new_line(machine),
        0x66 => print_string(machine, BLX),
        _ => Ok(Reply::Unknown),
    }
}

fn set_mode(machine: &mut Machine) -> Result<Reply, Failed> {
    let mode = Mode::from_number(byte(machine, AL)).ok_or(ERROR_1)?;
    let (devices, memory) = machine.devices_and_memory();
    Ok(Reply::Done(devices.ppu.set_mode(memory, mode)))
}

fn read_key(machine: &mut Machine) -> Result<Reply, Failed> {
    let Some(key) = machine.devices_and_memory().0.keyboard.pop() else {
        return Ok(Reply::Wait(Wait::Key));
    };
    set(machine, AL, key.code.into());
    set(machine, BL, key.flags.into());
    DONE
}

fn set_cursor(machine: &mut Machine) -> Result<Reply, Failed> {
    let (x, y) = (word(machine, X), word(machine, Y));
    let (devices, memory) = machine.devices_and_memory();
    let mode = devices.ppu.mode();
    if x >= mode.columns().into() || y >= mode.rows().into() {
        return Err(ERROR_1);
    }
    devices.ppu.set_cursor(memory, x as u8, y as u8);
    DONE
}

fn wait_frames(machine: &mut Machine) -> Result<Reply, Failed> {
    let (place, count, now) = (place(machine), word(machine, B), machine.frames());
    if machine.devices_and_memory().0.waiting.frames_over(place, count, now) {
        DONE
    } else {
        Ok(Reply::Wait(Wait::Frame))
    }
}

/// Which call of a waiting service this is.
pub fn place(machine: &Machine) -> Place {
    Place { ip: machine.ip(), sp: long(machine, Reg::SP) }
}

fn put_glyph(machine: &mut Machine) -> Result<Reply, Failed> {
    let (x, y) = (word(machine, X), word(machine, Y));
    let (glyph, colour) = (byte(machine, AL), byte(machine, BL));
    let (devices, memory) = machine.devices_and_memory();
    if devices.ppu.put(memory, x, y, glyph, colour) { Ok(Reply::Done(1)) } else { Err(ERROR_1) }
}

/// Prints the string that a pointer register points to. It is read whole
/// before the first glyph is written: it may lie in the text plane.
fn print_string(machine: &mut Machine, pointer: Reg) -> Result<Reply, Failed> {
    let text = string_at(machine.memory(), long(machine, pointer));
    print(machine, &text)
}

fn print(machine: &mut Machine, text: &[u8]) -> Result<Reply, Failed> {
    let (devices, memory) = machine.devices_and_memory();
    let touched = text.iter().map(|&glyph| devices.ppu.write_glyph(memory, glyph)).sum();
    Ok(Reply::Done(touched))
}

fn new_line(machine: &mut Machine) -> Result<Reply, Failed> {
    let (devices, memory) = machine.devices_and_memory();
    Ok(Reply::Done(devices.ppu.new_line(memory)))
}
