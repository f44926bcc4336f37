//! INT $15, whole files by name, and the command block that shows the last
//! call (machine manual, section 6).

use crate::disk::{Disk, DiskError, Entry, MAX_NAME, Name};
use crate::registers::{AB, B, ELM, FLD, KT, long, set, word};
use crate::reply::{DONE, Failed, Reply};
use isa::memory_map::{FS_COMMAND_BLOCK, MEMORY_SIZE};
use sd8516::{Machine, Memory};

/// Bytes of a name with its zeros, in a directory entry and in the block.
const NAME_FIELD: u32 = MAX_NAME as u32 + 1;
/// Bytes of a directory entry: name, size (4), zero (3).
const ENTRY_SIZE: u32 = 40;

/// Serves INT $15.
pub fn serve(machine: &mut Machine, disk: &mut impl Disk, function: u8) -> Result<Reply, Failed> {
    let mut shown = name_bytes(machine.memory(), long(machine, ELM));
    let result = match function {
        0x01 => load(machine, disk),
        0x02 => save(machine, disk),
        0x03 => name_at(machine, ELM).and_then(|name| disk.delete(&name)).map(|()| 0),
        0x04 => name_at(machine, ELM)
            .and_then(|from| Ok((from, name_at(machine, FLD)?)))
            .and_then(|(from, to)| disk.rename(&from, &to))
            .map(|()| 0),
        0x05 => name_at(machine, ELM).and_then(|name| disk.size(&name)).inspect(|&size| {
            set(machine, AB, size.into());
        }),
        0x06 => match directory_entry(machine, disk) {
            Ok(entry) => {
                shown = entry.name.as_str().into();
                Ok(entry.size)
            }
            Err(error) => {
                shown.clear();
                Err(error)
            }
        },
        0x07 => append(machine, disk),
        _ => return Ok(Reply::Unknown),
    };
    show(machine.memory_mut(), function, result, &shown);
    result?;
    DONE
}

/// The checked name at a pointer register.
pub fn name_at(machine: &Machine, pointer: isa::Reg) -> Result<Name, DiskError> {
    Name::new(&name_bytes(machine.memory(), long(machine, pointer)))
}

/// The characters at `address` up to the zero, one more than a name may have
/// at most.
fn name_bytes(memory: &Memory, address: u32) -> Vec<u8> {
    let mut bytes = memory.copy_out(address, NAME_FIELD);
    if let Some(zero) = bytes.iter().position(|&byte| byte == 0) {
        bytes.truncate(zero);
    }
    bytes
}

fn load(machine: &mut Machine, disk: &impl Disk) -> Result<u32, DiskError> {
    let name = name_at(machine, ELM)?;
    let most = long(machine, KT).min(MEMORY_SIZE as u32);
    let bytes = disk.load(&name, most)?;
    let target = long(machine, FLD);
    machine.memory_mut().overlay(target, &bytes);
    set(machine, AB, bytes.len() as u64);
    Ok(bytes.len() as u32)
}

fn save(machine: &Machine, disk: &mut impl Disk) -> Result<u32, DiskError> {
    let name = name_at(machine, ELM)?;
    let bytes = bytes_to_write(machine)?;
    disk.save(&name, &bytes)?;
    Ok(bytes.len() as u32)
}

fn append(machine: &Machine, disk: &mut impl Disk) -> Result<u32, DiskError> {
    let name = name_at(machine, ELM)?;
    let bytes = bytes_to_write(machine)?;
    disk.append(&name, &bytes)?;
    Ok(bytes.len() as u32)
}

/// KT bytes from FLD; more than memory has are refused.
fn bytes_to_write(machine: &Machine) -> Result<Vec<u8>, DiskError> {
    let count = long(machine, KT);
    if count as usize > MEMORY_SIZE {
        return Err(DiskError::NoRoom);
    }
    Ok(machine.memory().copy_out(long(machine, FLD), count))
}

/// Writes directory entry B to FLD. Past the last one the error number is 1.
fn directory_entry(machine: &mut Machine, disk: &impl Disk) -> Result<Entry, DiskError> {
    let wanted = usize::from(word(machine, B));
    let entry = disk.entries()?.get(wanted).cloned().ok_or(DiskError::NotFound)?;
    let target = long(machine, FLD);
    let memory = machine.memory_mut();
    memory.fill(target, 0, ENTRY_SIZE);
    memory.copy_in(target, entry.name.as_str().as_bytes());
    memory.write(target.wrapping_add(NAME_FIELD), 4, entry.size.into());
    Ok(entry)
}

/// Shows the call in the command block: function, error, length (4), name
/// (33), and zeros.
fn show(memory: &mut Memory, function: u8, result: Result<u32, DiskError>, name: &[u8]) {
    let block = FS_COMMAND_BLOCK.start;
    memory.slice_mut(FS_COMMAND_BLOCK).fill(0);
    memory.set_byte(block, function);
    memory.set_byte(block + 1, result.err().map_or(0, DiskError::number));
    memory.write(block + 2, 4, result.unwrap_or(0).into());
    memory.copy_in(block + 6, &name[..name.len().min(MAX_NAME)]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_read_no_further_than_one_character_too_far() {
        let mut memory = Memory::new();
        memory.fill(0xFF_FFF0, b'a', 0x100);
        assert_eq!(name_bytes(&memory, 0xFF_FFF0), [b'a'; 33]);
        memory.set_byte(4, 0);
        assert_eq!(name_bytes(&memory, 0xFF_FFF0), [b'a'; 20]);
    }
}
