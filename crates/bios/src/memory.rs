//! INT $14, blocks of memory (machine manual, section 6).

use crate::registers::{AB, AL, B, ELM, FLD, byte, long, set, word};
use crate::reply::{DONE, Failed, Reply};
use sd8516::Machine;

/// The last byte of a bank, as the low half of its address.
const BANK: u32 = 0xFFFF;

/// Serves INT $14.
pub fn serve(machine: &mut Machine, function: u8) -> Result<Reply, Failed> {
    let (source, target) = (long(machine, ELM), long(machine, FLD));
    let count = word(machine, B).into();
    match function {
        0x00 => machine.memory_mut().copy_within(target, source, count),
        0x01 => {
            let value = byte(machine, AL);
            machine.memory_mut().fill(target, value, count);
        }
        0x02 => {
            let memory = machine.memory();
            let order = memory.copy_out(source, count).cmp(&memory.copy_out(target, count));
            return Ok(Reply::Compared(order, count.into()));
        }
        0x03 => {
            let end = machine.program_end();
            let bank_end = end.saturating_sub(1) | BANK;
            set(machine, AB, u64::from(bank_end + 1 - end));
            return DONE;
        }
        _ => return Ok(Reply::Unknown),
    }
    Ok(Reply::Done(count.into()))
}
