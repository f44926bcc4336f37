//! INT $12, strings that end in a zero byte (machine manual, section 6).

use crate::registers::{AB, B, ELM, FLD, KT, long, set, word};
use crate::reply::{Failed, Reply};
use crate::text::{number, put_string, string_at};
use sd8516::Machine;

/// Serves INT $12. What is copied is read whole before it is written, so
/// that source and target may overlap.
pub fn serve(machine: &mut Machine, function: u8) -> Result<Reply, Failed> {
    let (source, target) = (long(machine, ELM), long(machine, FLD));
    let touched = match function {
        0x00 => {
            let text = string_at(machine.memory(), source);
            set(machine, B, text.len() as u64);
            text.len()
        }
        0x01 => {
            let text = string_at(machine.memory(), source);
            put_string(machine.memory_mut(), target, &text);
            text.len()
        }
        0x02 => {
            let (left, right) =
                (string_at(machine.memory(), source), string_at(machine.memory(), target));
            let touched = left.len().min(right.len()) as u64;
            return Ok(Reply::Compared(left.cmp(&right), touched));
        }
        0x03 => {
            let (text, before) =
                (string_at(machine.memory(), source), string_at(machine.memory(), target));
            let end = target.wrapping_add(before.len() as u32);
            put_string(machine.memory_mut(), end, &text);
            text.len() + before.len()
        }
        0x04 => {
            let text = string_at(machine.memory(), source);
            let touched = text.len() as u64;
            let value = number(&text).ok_or(Failed { error: 1, touched })?;
            set(machine, AB, value.into());
            text.len()
        }
        0x05 => {
            let digits = long(machine, KT).to_string();
            put_string(machine.memory_mut(), target, digits.as_bytes());
            0
        }
        0x06 => {
            let digits = format!("{:04X}", word(machine, B));
            put_string(machine.memory_mut(), target, digits.as_bytes());
            0
        }
        _ => return Ok(Reply::Unknown),
    };
    Ok(Reply::Done(touched as u64))
}
