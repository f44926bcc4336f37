//! The registers that services use, and how they are read and written.

use isa::Reg;
use sd8516::Machine;

pub const B: Reg = reg("B");
pub const C: Reg = reg("C");
pub const X: Reg = reg("X");
pub const Y: Reg = reg("Y");
pub const AL: Reg = reg("AL");
pub const AH: Reg = reg("AH");
pub const BL: Reg = reg("BL");
pub const AB: Reg = reg("AB");
pub const CD: Reg = reg("CD");
pub const KT: Reg = reg("KT");
pub const ELM: Reg = reg("ELM");
pub const FLD: Reg = reg("FLD");
pub const BLX: Reg = reg("BLX");

/// A byte register, or the low byte of a wider one.
pub fn byte(machine: &Machine, register: Reg) -> u8 {
    machine.reg(register) as u8
}

/// A word register.
pub fn word(machine: &Machine, register: Reg) -> u16 {
    machine.reg(register) as u16
}

/// A pointer register (24 bits) or a pair (32 bits).
pub fn long(machine: &Machine, register: Reg) -> u32 {
    machine.reg(register) as u32
}

/// Sets a register; the value is cut to its width.
pub fn set(machine: &mut Machine, register: Reg, value: u64) {
    machine.set_reg(register, value);
}

/// The register of this name, when the crate is built.
const fn reg(name: &str) -> Reg {
    let mut id = 0;
    while id < u8::MAX {
        if let Some(register) = Reg::from_id(id)
            && equal(register.name().as_bytes(), name.as_bytes())
        {
            return register;
        }
        id += 1;
    }
    panic!("no register of this name")
}

const fn equal(a: &[u8], b: &[u8]) -> bool {
    let mut at = 0;
    while at < a.len() && at < b.len() && a[at] == b[at] {
        at += 1;
    }
    at == a.len() && at == b.len()
}
