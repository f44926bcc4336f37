//! A BIOS of a few lines, the same for the oracle and the machine, that does
//! everything a service can do to a CPU.

use oracle::{Answer, Bios, Oracle};
use sd8516::{Machine, Served, Services};

use crate::case::register;

/// INT $20 ends the program with AL. The other even ones are unknown. Odd
/// ones touch B bytes and clear the carry, those from $80 on also write AL to
/// the address in ELM, which may be code.
#[derive(Clone, Copy, Debug, Default)]
pub struct Few;

const EXIT: u8 = 0x20;
const AL: u8 = 16;
const B: u8 = 1;
const ELM: u8 = 77;

/// What a vector asks for.
enum Asked {
    Exit,
    Touch,
    Write,
    Nothing,
}

fn asked(vector: u8) -> Asked {
    match vector {
        EXIT => Asked::Exit,
        _ if vector.is_multiple_of(2) => Asked::Nothing,
        0x80.. => Asked::Write,
        _ => Asked::Touch,
    }
}

impl Services for Few {
    fn interrupt(&mut self, machine: &mut Machine, vector: u8) -> Served {
        let read = |id| machine.reg(register(id));
        let (al, touched, address) = (read(AL) as u8, read(B), read(ELM) as u32);
        match asked(vector) {
            Asked::Exit => return Served::Exit(al),
            Asked::Nothing => return Served::Unknown,
            Asked::Touch => {}
            Asked::Write => machine.memory_mut().set_byte(address, al),
        }
        machine.set_carry(false);
        Served::Done { touched }
    }
}

impl Bios for Few {
    fn serve(&mut self, oracle: &mut Oracle, vector: u8) -> Answer {
        let read = |id| oracle.registers.read(id);
        let (al, touched, address) = (read(AL) as u8, read(B), read(ELM) as u32);
        match asked(vector) {
            Asked::Exit => return Answer::Exit(al),
            Asked::Nothing => return Answer::Unknown,
            Asked::Touch => {}
            Asked::Write => oracle.memory.set_byte(address, al),
        }
        oracle.flags &= !oracle::flags::C;
        Answer::Done(touched)
    }
}
