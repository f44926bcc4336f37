//! INT $20, programs: exit, run, load, arguments (machine manual, section 6).

use crate::disk::{Disk, DiskError, Name};
use crate::files::name_at;
use crate::registers::{AL, ELM, FLD, byte, long, set};
use crate::reply::{DONE, Failed, Reply};
use crate::text::{put_string, string_at};
use isa::memory_map::{ARGUMENTS, MEMORY_SIZE};
use sd8516::{Image, ImageError, Machine};

const DOES_NOT_FIT: u8 = DiskError::DoesNotFit as u8;
const NOT_A_PROGRAM: u8 = 8;
const OUTSIDE_BANK_1: u8 = 9;

/// The bank whose programs may run others.
const KERNAL_BANK: u32 = 1;

/// The largest file that could be a program: all of memory in as many
/// segments as the header can count, 6 bytes each.
const LARGEST_IMAGE: u32 = MEMORY_SIZE as u32 + 9 + 6 * 0xFFFF;

/// Serves INT $20.
pub fn serve(machine: &mut Machine, disk: &impl Disk, function: u8) -> Result<Reply, Failed> {
    match function {
        0x00 => Ok(Reply::Exit(byte(machine, AL))),
        0x01 => run(machine, disk),
        0x02 => load_only(machine, disk),
        0x03 => {
            let text = string_at(machine.memory(), ARGUMENTS.start);
            let target = long(machine, FLD);
            put_string(machine.memory_mut(), target, &text);
            DONE
        }
        _ => Ok(Reply::Unknown),
    }
}

/// Starts a program under this one. The registers and bank 1 that come back
/// when it ends are the machine's to keep.
fn run(machine: &mut Machine, disk: &impl Disk) -> Result<Reply, Failed> {
    // IP is behind the INT, whose two bytes are the caller's place
    if machine.ip().wrapping_sub(2) >> 16 != KERNAL_BANK {
        return Err(Failed::with(OUTSIDE_BANK_1));
    }
    let image = find_image(machine, disk)?;
    let arguments = string_at(machine.memory(), long(machine, FLD));
    machine.push_program(&image, &arguments).map_err(|error| failed(&error))?;
    DONE
}

/// Puts a program's segments into memory: FLD = its entry.
fn load_only(machine: &mut Machine, disk: &impl Disk) -> Result<Reply, Failed> {
    let image = find_image(machine, disk)?;
    for segment in &image.segments {
        machine.memory_mut().overlay(segment.address, &segment.bytes);
    }
    set(machine, FLD, image.entry.into());
    DONE
}

/// The program whose name is at ELM.
fn find_image(machine: &Machine, disk: &impl Disk) -> Result<Image, Failed> {
    let name = find_name(disk, &name_at(machine, ELM)?)?;
    let bytes = disk.load(&name, LARGEST_IMAGE)?;
    Image::parse(&bytes, false).map_err(|error| failed(&error))
}

/// The file meant by `name`: of this name, then of this name and `.PRG`,
/// each first exactly, then in any case.
fn find_name(disk: &impl Disk, name: &Name) -> Result<Name, DiskError> {
    let entries = disk.entries()?;
    for tried in [Some(name.clone()), name.with_prg()].into_iter().flatten() {
        let exact = entries.iter().find(|entry| entry.name == tried);
        let folded = || entries.iter().find(|entry| entry.name.equals_folded(&tried));
        if let Some(entry) = exact.or_else(folded) {
            return Ok(entry.name.clone());
        }
    }
    Err(DiskError::NotFound)
}

fn failed(error: &ImageError) -> Failed {
    Failed::with(match error {
        ImageError::RawSize(_) | ImageError::Arguments(_) | ImageError::Depth(_) => DOES_NOT_FIT,
        _ => NOT_A_PROGRAM,
    })
}
