//! INT $13, arithmetic and random numbers (machine manual, section 6).

use crate::registers::{AB, B, C, CD, long, set, word};
use crate::reply::{DONE, ERROR_1, Failed, Reply};
use sd8516::Machine;

/// Serves INT $13.
pub fn serve(machine: &mut Machine, function: u8) -> Result<Reply, Failed> {
    let (b, c) = (word(machine, B), word(machine, C));
    match function {
        0x00 => set(machine, AB, u64::from(b) * u64::from(c)),
        0x01 => {
            let quotient = b.checked_div(c).ok_or(ERROR_1)?;
            set(machine, B, quotient.into());
            set(machine, C, (b % c).into());
        }
        0x02 => {
            let random = machine.devices_and_memory().0.rng.next(b);
            set(machine, B, random.into());
        }
        0x03 => set(machine, B, (b as i16).unsigned_abs().into()),
        0x04 => {
            let seed = long(machine, CD);
            machine.devices_and_memory().0.rng.seed(seed);
        }
        _ => return Ok(Reply::Unknown),
    }
    DONE
}
