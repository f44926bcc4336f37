//! INT $18, graphics, and INT $03, the PPU's operations as a service
//! (machine manual, sections 6 and 7).

use crate::registers::{AL, B, C, byte, set};
use crate::reply::{DONE, ERROR_1, Failed, Reply};
use sd8516::Machine;
use sd8516::ppu::{Drawn, Operation, font};

/// The function of INT $03 that there is.
const OPERATION: u8 = 1;

/// Serves INT $18.
pub fn serve(machine: &mut Machine, function: u8) -> Result<Reply, Failed> {
    match function {
        0x00 => {
            let colour = byte(machine, AL);
            let (devices, memory) = machine.devices_and_memory();
            drawn(devices.ppu.clear_pixels(memory, colour))
        }
        0x01..=0x05 => draw(machine, function),
        0x06 => {
            let mode = machine.devices().ppu.mode();
            let (width, height) = match mode.layout() {
                Some(layout) => (layout.width, layout.height),
                None => (
                    u16::from(mode.columns()) * u16::from(font::WIDTH),
                    u16::from(mode.rows()) * u16::from(font::HEIGHT),
                ),
            };
            set(machine, B, width.into());
            set(machine, C, height.into());
            DONE
        }
        _ => Ok(Reply::Unknown),
    }
}

/// Serves INT $03: AH = 1, the operation's number in AL.
pub fn ppu(machine: &mut Machine, function: u8) -> Result<Reply, Failed> {
    if function != OPERATION {
        return Ok(Reply::Unknown);
    }
    let number = byte(machine, AL);
    draw(machine, number)
}

fn draw(machine: &mut Machine, number: u8) -> Result<Reply, Failed> {
    let Some(operation) = Operation::from_number(number) else { return Ok(Reply::Unknown) };
    drawn(machine.draw(operation))
}

fn drawn(result: Drawn) -> Result<Reply, Failed> {
    if result.outside { Err(ERROR_1) } else { Ok(Reply::Done(result.touched)) }
}
