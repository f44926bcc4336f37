//! The BIOS services of the VC-3: what INT n does while its vector is zero
//! (machine manual, section 6), over a machine and a disk.
//!
//! The function is in AH; small input in AL, else in B; pointers in ELM and
//! FLD. Carry set means an error, whose number is then in AL. A service
//! changes no register that isn't a result of it and no flag but C, the two
//! compares Z and C.

mod console;
pub mod disk;
mod files;
mod graphics;
mod line_edit;
mod maths;
mod memory;
mod music;
mod programs;
mod registers;
mod reply;
mod sound;
mod strings;
mod text;

pub use disk::{Disk, DiskError, Entry, HostDisk, Layered, MemoryDisk, Name, NoDisk};
use registers::{AH, AL, byte, set};
use reply::{Failed, Reply};
use sd8516::{Machine, Served, Services};

/// The services, with the disk that INT $15 and INT $20 use. Everything else
/// they need is in the machine, so a snapshot of the machine is complete.
#[derive(Clone, Debug, Default)]
pub struct Bios<D> {
    disk: D,
}

impl<D: Disk> Bios<D> {
    /// The services over this disk.
    pub fn new(disk: D) -> Self {
        Bios { disk }
    }

    /// The disk.
    pub fn disk(&self) -> &D {
        &self.disk
    }

    /// The disk, to change its files.
    pub fn disk_mut(&mut self) -> &mut D {
        &mut self.disk
    }

    fn reply(&mut self, machine: &mut Machine, vector: u8) -> Result<Reply, Failed> {
        let function = byte(machine, AH);
        match vector {
            0x03 => graphics::ppu(machine, function),
            0x05 => console::basic(machine, function),
            0x10 => console::serve(machine, function),
            0x11 => sound::serve(machine, function),
            0x12 => strings::serve(machine, function),
            0x13 => maths::serve(machine, function),
            0x14 => memory::serve(machine, function),
            0x15 => files::serve(machine, &mut self.disk, function),
            0x18 => graphics::serve(machine, function),
            0x20 => programs::serve(machine, &self.disk, function),
            _ => Ok(Reply::Unknown),
        }
    }
}

impl<D: Disk> Services for Bios<D> {
    fn interrupt(&mut self, machine: &mut Machine, vector: u8) -> Served {
        match self.reply(machine, vector) {
            Ok(Reply::Done(touched)) => {
                machine.set_carry(false);
                Served::Done { touched }
            }
            Ok(Reply::Compared(order, touched)) => {
                machine.set_zero(order.is_eq());
                machine.set_carry(order.is_ge());
                Served::Done { touched }
            }
            Ok(Reply::Wait(wait)) => Served::Wait(wait),
            Ok(Reply::Exit(code)) => Served::Exit(code),
            Ok(Reply::Unknown) => Served::Unknown,
            Err(Failed { error, touched }) => {
                machine.set_carry(true);
                set(machine, AL, error.into());
                Served::Done { touched }
            }
        }
    }
}
