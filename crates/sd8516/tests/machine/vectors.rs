//! Single steps from a table that a person wrote from the manual and can
//! read: `vectors.txt`. Opcodes and register numbers in it are the manual's.

use sd8516::Machine;

use crate::support::{Few, ORIGIN, reg, reload, set};

const LETTERS: [(char, u16); 11] = [
    ('Z', 7),
    ('N', 6),
    ('C', 5),
    ('V', 4),
    ('3', 3),
    ('2', 2),
    ('1', 1),
    ('0', 0),
    ('S', 9),
    ('I', 10),
    ('T', 14),
];

fn flags(letters: &str) -> u16 {
    letters.chars().fold(0, |flags, letter| {
        let (_, bit) = LETTERS.iter().find(|(name, _)| *name == letter).expect("a flag's letter");
        flags | 1 << bit
    })
}

fn number(text: &str) -> u8 {
    match text.strip_prefix('$') {
        Some(hex) => u8::from_str_radix(hex, 16).expect("hex"),
        None => text.parse().expect("a number"),
    }
}

fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect()
}

/// What a state in the table sets in a machine and expects beside it.
struct Beside {
    ip: u32,
    units: u64,
}

fn apply(m: &mut Machine, state: &str, beside: &mut Beside) {
    for item in state.split_whitespace() {
        let (name, value) = item.split_once('=').expect("NAME=VALUE");
        let hex = || u64::from_str_radix(value, 16).expect("hex");
        match name {
            "F" => m.set_flags(flags(value)),
            "U" => beside.units = value.parse().expect("units"),
            "IP" => beside.ip = hex() as u32,
            _ => match name.strip_prefix('[').and_then(|name| name.strip_suffix(']')) {
                Some(address) => {
                    let address = u32::from_str_radix(address, 16).expect("an address");
                    m.memory_mut().copy_in(address, &bytes(value));
                }
                None => set(m, name, hex()),
            },
        }
    }
}

#[test]
fn one_step_for_every_opcode() {
    let mut seen = [false; 256];
    let mut wrong = Vec::new();
    for line in include_str!("vectors.txt").lines().filter(|line| !line.starts_with('#')) {
        let fields: Vec<&str> = line.split('|').map(str::trim).collect();
        let [code, text, before, after] = fields[..] else { panic!("{line}: four fields") };
        let code: Vec<u8> = code.split_whitespace().map(number).collect();
        let decoded = isa::decode(&code).unwrap_or_else(|error| panic!("{line}: {error:?}"));
        assert_eq!(decoded.text(ORIGIN, &|_| None).to_string(), text, "{line}");
        assert_eq!(usize::from(decoded.length), code.len(), "{line}");
        seen[usize::from(code[0])] = true;

        let mut m = Machine::new();
        reload(&mut m, &code);
        m.set_reg(reg("SP"), 0x01_DF00);
        let mut beside = Beside { ip: ORIGIN + code.len() as u32, units: 1 };
        apply(&mut m, before, &mut beside);
        let mut expected = m.clone();
        apply(&mut expected, after, &mut beside);
        assert_eq!(m.step(&mut Few::default()), None, "{line}");
        let place = |m: &Machine| (m.words(), m.sp(), m.flags());
        if place(&m) != place(&expected) || (m.ip(), m.units()) != (beside.ip, beside.units) {
            wrong.push(format!(
                "{line}\n  words {:04X?} SP {:06X} FLAGS {:04X} IP {:06X} units {}",
                m.words(),
                m.sp(),
                m.flags(),
                m.ip(),
                m.units()
            ));
        }
        // All memory, but for the device cells that a frame's end rewrites.
        for range in [0..0x01_EF00, 0x01_EFC0..0x100_0000] {
            if m.memory().slice(range.clone()) != expected.memory().slice(range) {
                wrong.push(format!("{line}\n  memory"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    for row in isa::INSTRUCTIONS.iter().filter(|row| row.mnemonic != "BRK") {
        assert!(seen[usize::from(row.opcode)], "{} ({}) has no vector", row.mnemonic, row.opcode);
    }
}
