//! INT $11, sound: the voices' cells and tunes in machine time (machine
//! manual, section 6).

use crate::music;
use crate::registers::{AL, B, ELM, byte, long, set};
use crate::reply::{DONE, ERROR_1, Failed, Reply};
use crate::text::string_at;
use sd8516::Machine;
use sd8516::sound::VOICE_RECORD;

/// Serves INT $11.
pub fn serve(machine: &mut Machine, function: u8) -> Result<Reply, Failed> {
    let (voice, now) = (byte(machine, AL), machine.units());
    match function {
        0x00 => {
            let (devices, memory) = machine.devices_and_memory();
            devices.sound.silence(memory);
        }
        0x01 => {
            let mut record = [0; VOICE_RECORD as usize];
            record.copy_from_slice(&machine.memory().copy_out(long(machine, ELM), VOICE_RECORD));
            let (devices, memory) = machine.devices_and_memory();
            if !devices.sound.set_voice(memory, voice, record) {
                return Err(ERROR_1);
            }
        }
        0x02 => {
            let (devices, memory) = machine.devices_and_memory();
            if !devices.sound.note_off(memory, voice) {
                return Err(ERROR_1);
            }
        }
        0x03 => {
            let text = string_at(machine.memory(), long(machine, ELM));
            let tune = music::parse(&text, now).ok_or(ERROR_1)?;
            let (devices, memory) = machine.devices_and_memory();
            devices.sound.play(memory, tune, now);
        }
        0x04 => {
            let notes = machine.devices().sound.still_to_play(now);
            set(machine, B, notes.min(u16::MAX.into()) as u64);
        }
        _ => return Ok(Reply::Unknown),
    }
    DONE
}
