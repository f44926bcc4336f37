//! The engines against one another: random programs, stopped at random times,
//! are the same machine whichever executes them. Loops, self-modification, the
//! top of memory and the stack's ends come up often.

use isa::memory_map::{ADDRESS_MASK, STACK, USER_ORIGIN};
use isa::{Arg, INSTRUCTIONS, Instruction, MAX_LENGTH, Operand, Reg};
use sd8516::{Engine, Image, Machine, Served, Services, Stop};

/// No services: every INT answers that there is none.
struct NoServices;

impl Services for NoServices {
    fn interrupt(&mut self, _: &mut Machine, _: u8) -> Served {
        Served::Unknown
    }
}

/// Numbers that are the same in every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 8
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u64) as usize]
    }
}

/// Rows that are chosen more often than one of a hundred.
const FREQUENT: [u8; 24] = [
    0, 3, 2, 5, 7, 9, 21, 22, 30, 35, 54, 58, 60, 90, 91, 101, 102, 103, 104, 112, 113, 150, 151,
    91,
];

/// A random program at `origin`: its bytes.
fn program(random: &mut Random, origin: u32) -> Vec<u8> {
    let count = 4 + random.below(40) as usize;
    let mut starts = Vec::new();
    let mut rows: Vec<&Instruction> = Vec::new();
    let mut at = origin;
    let mut encodings: Vec<Vec<u8>> = Vec::new();
    let mut register = 0;
    // Opcodes of the phrase that is being written, and its register.
    let mut phrase: Vec<u8> = Vec::new();
    for _ in 0..count {
        if phrase.is_empty() && random.below(6) == 0 {
            (phrase, register) = random_phrase(random);
        }
        let opcode = match (phrase.pop(), random.below(3)) {
            (Some(opcode), _) => opcode,
            (None, 0) => INSTRUCTIONS[random.below(INSTRUCTIONS.len() as u64) as usize].opcode,
            (None, _) => random.pick(&FREQUENT),
        };
        let row = INSTRUCTIONS.iter().find(|row| row.opcode == opcode).unwrap();
        let mut bytes = encoding(random, row, register);
        if !phrase.is_empty() && !row.control {
            bytes[1] = register;
        }
        if opcode == 91 && bytes.len() <= 4 {
            // A limit that a count may meet.
            bytes[2..].fill(0);
            bytes[2] = random.below(40) as u8;
        }
        if bytes.len() > 1 && !row.control {
            register = bytes[1];
        }
        starts.push(at);
        at = at.wrapping_add(bytes.len() as u32) & ADDRESS_MASK;
        encodings.push(bytes);
        rows.push(row);
    }
    // Jumps lead to instructions of the program, now and then into one.
    for number in 0..count {
        let target = match random.below(2) {
            0 => starts[number.saturating_sub(random.below(4) as usize)],
            _ => random.pick(&starts).wrapping_add(u32::from(random.below(30) == 0)),
        };
        let bytes = &mut encodings[number];
        let length = bytes.len();
        let next = starts[number].wrapping_add(length as u32);
        match rows[number].args {
            [Arg::Addr] => bytes[1..4].copy_from_slice(&target.to_le_bytes()[..3]),
            [Arg::Rel16] => {
                let offset = target.wrapping_sub(next) as u16;
                bytes[1..3].copy_from_slice(&offset.to_le_bytes());
            }
            [.., Arg::MemAbs] => {
                let address = address(random, origin);
                bytes[length - 3..].copy_from_slice(&address.to_le_bytes()[..3]);
            }
            _ => {}
        }
    }
    // And at its end it begins anew, mostly.
    let mut bytes = encodings.concat();
    if random.below(4) != 0 {
        bytes.push(100);
        bytes.extend_from_slice(&random.pick(&starts).to_le_bytes()[..3]);
    }
    bytes
}

/// The opcodes of a count or load, or two, a comparison and a jump, the last
/// first, and a register that all of them take.
fn random_phrase(random: &mut Random) -> (Vec<u8>, u8) {
    let (register, loads) = random.pick(&[(16, [4, 5, 150, 152]), (5, [1, 2, 150, 152])]);
    let mut opcodes = vec![random.pick(&[101, 102, 103, 104, 112])];
    if random.below(4) != 0 {
        opcodes.push(random.pick(&[91, 91, 58]));
    }
    for _ in 0..=random.below(2) {
        let load = random.pick(&loads);
        opcodes.push(random.pick(&[21, 21, 22, load]));
    }
    (opcodes, register)
}

/// Random bytes that the table takes for this instruction. Its first register
/// is often that of the instruction before it.
fn encoding(random: &mut Random, row: &Instruction, register: u8) -> Vec<u8> {
    const REGISTERS: [u8; 14] = [0, 1, 5, 16, 18, 20, 48, 49, 51, 53, 54, 77, 64, 66];
    loop {
        let mut bytes = [0; MAX_LENGTH];
        bytes[0] = row.opcode;
        for byte in &mut bytes[1..] {
            *byte = match random.below(3) {
                0 => random.pick(&REGISTERS),
                1 => random.below(96) as u8,
                _ => random.next() as u8,
            };
        }
        if random.below(2) == 0 {
            bytes[1] = register;
        }
        if let Ok(decoded) = isa::decode(&bytes) {
            // POP SP and the like leave the stack for good too often.
            let is_sp = decoded.operands[0] == Some(Operand::Reg(Reg::SP));
            if !is_sp || random.below(8) == 0 {
                return bytes[..usize::from(decoded.length)].to_vec();
            }
        }
    }
}

/// An address where something happens.
fn address(random: &mut Random, origin: u32) -> u32 {
    let near = random.below(96) as u32;
    let base =
        random.pick(&[origin, origin, 0x300, STACK.end - 64, 0, ADDRESS_MASK - 40, 0x01_E910]);
    base.wrapping_add(near) & ADDRESS_MASK
}

/// A machine with a random program and random registers.
fn machine(random: &mut Random) -> Machine {
    let origin = match random.below(8) {
        0 => ADDRESS_MASK - 60,
        1 => 0x02_01F0,
        _ => USER_ORIGIN,
    };
    let bytes = program(random, origin);
    let mut machine = Machine::new();
    machine.start(&Image::parse(&[141], false).unwrap(), b"").unwrap();
    machine.memory_mut().copy_in(origin, &bytes);
    machine.set_ip(origin);
    for reg in Reg::all().filter(|reg| reg.width() == 2) {
        machine.set_reg(reg, random.next());
    }
    for _ in 0..6 {
        let reg = Reg::from_id(random.pick(&[64, 72, 77, 85, 90, 93])).unwrap();
        machine.set_reg(reg, address(random, origin).into());
    }
    if random.below(2) == 0 {
        let low = machine.reg(Reg::from_id(5).unwrap()) & 63;
        machine.set_reg(Reg::from_id(5).unwrap(), low);
    }
    machine.set_reg(Reg::SP, u64::from(STACK.start) + random.below(0x400));
    machine.set_flags(random.next() as u16 & !isa::flags::S);
    if random.below(3) == 0 {
        machine.memory_mut().write(0x01_E918, 3, address(random, origin).into());
    }
    machine
}

/// Everything but memory.
fn state(machine: &Machine) -> ([u16; 16], u64, u32, u16, u64) {
    let sp = machine.reg(Reg::SP);
    (machine.words(), sp, machine.ip(), machine.flags(), machine.units())
}

/// Runs both to the same times; the number of instructions executed.
fn compare(number: u64, random: &mut Random, mut plain: Machine, engine: Engine) -> u64 {
    let mut other = plain.clone();
    plain.set_engine(Engine::Plain);
    other.set_engine(engine);
    let steps = random.pick(&[1, 3, 40, 1000]);
    let mut until = 0;
    for _ in 0..60 {
        until += 1 + random.below(steps);
        let stops = [&mut plain, &mut other].map(|machine| machine.run(&mut NoServices, until));
        assert_eq!(stops[0], stops[1], "program {number}, until {until}");
        assert_eq!(state(&plain), state(&other), "program {number}, until {until}");
        if stops[0] != Stop::Budget {
            break;
        }
        if random.below(40) == 0 {
            // A copy goes on as well as the original.
            other = other.clone();
        }
    }
    assert!(plain == other, "program {number}: memory differs");
    plain.units()
}

#[test]
fn fast_and_plain_are_the_same_machine() {
    let mut units = 0;
    for number in 1..=250 {
        let mut random = Random(u64::wrapping_mul(number, 0x9E37_79B9_7F4A_7C15));
        let machine = machine(&mut random);
        units += compare(number, &mut random, machine, Engine::Fast);
    }
    assert!(units > 40_000, "programs run, {units} units");
}

/// What compares, counts or loads and jumps to its own beginning, which the
/// fast engine makes one operation of; stopped at every time and after it.
#[test]
fn loops_to_themselves_stop_at_every_unit() {
    let before: &[u8] = &[0, 5, 0, 0, 0, 2, 9, 0]; // LDI 0, LDX 9
    let loops: [&[&[u8]]; 11] = [
        &[&[21, 5], &[21, 5], &[91, 5, 8, 0]], // INC I, INC I, CMP I, 8
        &[&[5, 16, 2], &[21, 16], &[21, 16], &[91, 16, 2]], // LDAL [X], INC AL twice, CMP AL, 2
        &[&[21, 5], &[91, 5, 7, 0]],           // INC I, CMP I, 7
        &[&[22, 5], &[91, 5, 0xF0, 0xFF]],     // DEC I, CMP I, -16
        &[&[22, 2]],                           // DEC X
        &[&[21, 20]],                          // INC XL
        &[&[22, 50]],                          // DEC XY
        &[&[22, 64]],                          // DEC BLX
        &[&[5, 16, 2], &[91, 16, 3]],          // LDAL [X], CMP AL, 3
        &[&[1, 0, 0x10, 0x01, 0x02]],          // LDA [$020110]
        &[&[58, 16, 1]],                       // TEST AL, 1
    ];
    for body in loops {
        for jump in 101..=108 {
            let target = USER_ORIGIN + before.len() as u32;
            let back = [&[jump], &target.to_le_bytes()[..3]].concat();
            let code = [before, &body.concat(), &back, &[21, 1, 140]].concat();
            let image = Image::parse(&code, false).unwrap();
            let [mut plain, mut fast] = [Engine::Plain, Engine::Fast].map(|engine| {
                let mut machine = Machine::new();
                machine.set_engine(engine);
                machine.start(&image, b"").unwrap();
                machine
            });
            for until in (1..40).chain([70_001]) {
                plain.run(&mut NoServices, until);
                fast.start(&image, b"").unwrap();
                fast.run(&mut NoServices, until);
                assert_eq!(state(&plain), state(&fast), "{code:?} until {until}");
            }
        }
    }
}
