//! The checking mode: what is legal but surely not meant (machine manual,
//! section 3, last notes). Nothing here runs unless it was asked for.

use isa::{MAX_LENGTH, Operand};

use crate::cpu::{Registers, queue};
use crate::fault::FaultKind;
use crate::memory::{Mark, Memory};

const INSQUE: u8 = 170;
const REMQUE: u8 = 171;

/// Checks the instruction at `ip` before it is executed.
pub(crate) fn check(memory: &Memory, registers: &Registers, ip: u32) -> Result<(), FaultKind> {
    let mut bytes = [0; MAX_LENGTH];
    for (address, byte) in (ip..).zip(&mut bytes) {
        *byte = memory.byte(address);
    }
    let decoded = isa::decode(&bytes);
    let length = decoded.as_ref().map_or(1, |decoded| decoded.length);
    for offset in 0..u32::from(length) {
        let address = ip.wrapping_add(offset) & isa::memory_map::ADDRESS_MASK;
        match memory.mark(address) {
            Mark::Untouched => return Err(FaultKind::NeverWritten(address)),
            Mark::Overwritten => return Err(FaultKind::Overwritten(address)),
            Mark::Written | Mark::Loaded => {}
        }
    }
    let Ok(decoded) = decoded else { return Ok(()) };
    let node = |at: usize| match decoded.operands[at] {
        Some(Operand::Reg(reg)) => registers.address(reg),
        _ => 0,
    };
    let linked = match decoded.row.opcode {
        INSQUE => queue::back(memory, queue::forward(memory, node(1))) == node(1),
        REMQUE => {
            let entry = node(0);
            let (succ, pred) = (queue::forward(memory, entry), queue::back(memory, entry));
            queue::forward(memory, pred) == entry && queue::back(memory, succ) == entry
        }
        _ => true,
    };
    let place = if decoded.row.opcode == INSQUE { 1 } else { 0 };
    if linked { Ok(()) } else { Err(FaultKind::BrokenQueue(node(place))) }
}
