//! Machines with a few bytes of code, and services that are just enough to
//! end a program, wait and run another.

use isa::Reg;
use isa::memory_map::{STACK, USER_ORIGIN, VECTORS};
use sd8516::waiting::Place;
use sd8516::{Engine, Image, Machine, Segment, Served, Services, Stop, Wait};

/// Where code under test stands.
pub const ORIGIN: u32 = USER_ORIGIN;

/// INT $10 $02 (read a key, wait), $07 (wait B frames); INT $11 (touch B);
/// INT $20 $00 (exit), $01 (run `program`).
#[derive(Clone, Default)]
pub struct Few {
    pub program: Option<Image>,
}

impl Services for Few {
    fn interrupt(&mut self, machine: &mut Machine, vector: u8) -> Served {
        let a = get(machine, "A");
        match (vector, a >> 8) {
            (0x10, 0x02) => match machine.devices_and_memory().0.keyboard.pop() {
                Some(key) => {
                    set(machine, "AL", key.code.into());
                    set(machine, "BL", key.flags.into());
                    machine.set_carry(false);
                    Served::Done { touched: 0 }
                }
                None => Served::Wait(Wait::Key),
            },
            (0x10, 0x07) => {
                let place = Place { ip: machine.ip(), sp: machine.sp() };
                let (count, now) = (get(machine, "B") as u16, machine.frames());
                if machine.devices_and_memory().0.waiting.frames_over(place, count, now) {
                    machine.set_carry(false);
                    Served::Done { touched: 0 }
                } else {
                    Served::Wait(Wait::Frame)
                }
            }
            (0x11, _) => {
                machine.set_carry(false);
                Served::Done { touched: get(machine, "B") }
            }
            (0x20, 0) => Served::Exit(a as u8),
            (0x20, 1) => {
                let Some(image) = self.program.clone() else { return Served::Unknown };
                match machine.push_program(&image, b"ARGS") {
                    Ok(()) => Served::Done { touched: 0 },
                    Err(_) => {
                        set(machine, "AL", 8);
                        machine.set_carry(true);
                        Served::Done { touched: 0 }
                    }
                }
            }
            _ => Served::Unknown,
        }
    }
}

/// A register by its name.
pub fn reg(name: &str) -> Reg {
    Reg::by_name(name).unwrap_or_else(|| panic!("no register {name}"))
}

pub fn get(machine: &Machine, name: &str) -> u64 {
    machine.reg(reg(name))
}

pub fn set(machine: &mut Machine, name: &str, value: u64) {
    machine.set_reg(reg(name), value);
}

/// An image of one segment that starts at its first byte.
pub fn image_at(address: u32, code: &[u8]) -> Image {
    Image { entry: address, segments: vec![Segment { address, bytes: code.to_vec() }] }
}

/// A machine about to execute `code` at the origin.
pub fn machine(code: &[u8]) -> Machine {
    let mut machine = Machine::new();
    machine.start(&image_at(ORIGIN, code), b"").unwrap();
    machine
}

/// Other code for a machine that exists, with registers as at a start. It
/// saves making 16 MB; what was in memory stays.
pub fn reload(machine: &mut Machine, code: &[u8]) {
    machine.memory_mut().copy_in(ORIGIN, code);
    machine.set_ip(ORIGIN);
    machine.set_flags(0);
    for id in 0..16 {
        machine.set_reg(Reg::from_id(id).unwrap(), 0);
    }
    machine.set_reg(Reg::SP, u64::from(STACK.end) - 3);
}

/// A machine that has executed all of `code`, which is `count` instructions.
/// Every engine comes to the same.
pub fn after(code: &[u8], count: usize) -> Machine {
    let start = machine(code);
    let mut machine = start.clone();
    for at in 0..count {
        let stop = machine.step(&mut Few::default());
        assert_eq!(stop, None, "instruction {at}");
    }
    for engine in Engine::ALL.into_iter().filter(|engine| engine.is_built_in()) {
        let mut other = start.clone();
        other.set_engine(engine);
        other.set_patience(0);
        assert_eq!(other.run(&mut Few::default(), machine.units()), Stop::Budget);
        assert!(other == machine, "{engine} differs");
    }
    machine
}

/// Points a vector at a handler.
pub fn set_vector(machine: &mut Machine, number: u8, handler: u32) {
    machine.memory_mut().write(VECTORS.start + 3 * u32::from(number), 3, handler.into());
}

/// The bytes of code in one list.
pub fn code(parts: &[&[u8]]) -> Vec<u8> {
    parts.concat()
}

/// LD of a word, pair, pointer or ABCD with an immediate.
pub fn ld(name: &str, value: u64) -> Vec<u8> {
    let register = reg(name);
    let opcode = if register.width() == 1 { 3 } else { 0 };
    let mut bytes = vec![opcode, register.id()];
    bytes.extend_from_slice(&value.to_le_bytes()[..usize::from(register.width())]);
    bytes
}

/// A generator for states, small and repeatable.
pub struct Numbers(pub u64);

impl Numbers {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    /// Often 0, all ones, an edge of a width, or small.
    pub fn edgy(&mut self) -> u64 {
        let bits = 8 * (1 + self.below(8));
        match self.below(8) {
            0 => 0,
            1 => u64::MAX,
            2 => 1 << (bits - 1),
            3 => (1 << (bits - 1)) - 1,
            4 => self.below(4),
            5 => u64::MAX >> (64 - bits),
            _ => self.next(),
        }
    }
}
