//! Every arithmetic, logic and shift instruction against the model: all pairs
//! at 8 bits, chosen and random ones at every width.

use isa::{Arg, Class, INSTRUCTIONS, Instruction, Reg};
use proptest::prelude::*;
use sd8516::Machine;

use crate::model::{self, Answer, Flags};
use crate::support::{Few, Numbers, ORIGIN, machine, reg};

/// Two disjoint registers of each width, in bits.
const WIDTHS: [(u32, &str, &str); 5] = [
    (8, "AH", "BL"),
    (16, "K", "D"),
    (24, "ELM", "FLD"),
    (32, "AB", "XY"),
    // 64 bits has one register only; the second operand is itself.
    (64, "ABCD", "ABCD"),
];

/// Executes one instruction over and over.
struct Bench {
    machine: Machine,
}

impl Bench {
    fn new() -> Self {
        Bench { machine: machine(&[]) }
    }

    /// Runs `bytes` with `first` = a and `second` = b; answers the first
    /// register and the flags.
    fn run(&mut self, bytes: &[u8], set: &[(Reg, u128)], flags: Flags) -> (u64, Flags) {
        let machine = &mut self.machine;
        machine.memory_mut().copy_in(ORIGIN, bytes);
        machine.set_ip(ORIGIN);
        machine.set_flags(pack(flags));
        for &(register, value) in set.iter().rev() {
            machine.set_reg(register, value as u64);
        }
        assert_eq!(machine.step(&mut Few::default()), None, "{bytes:?}");
        assert_eq!(machine.ip(), ORIGIN + bytes.len() as u32);
        let kept = !pack(Flags { z: true, n: true, c: true, v: true });
        assert_eq!(machine.flags() & kept, 0, "{bytes:?} touched other flags");
        (machine.reg(set[0].0), unpack(machine.flags()))
    }
}

fn pack(flags: Flags) -> u16 {
    u16::from(flags.z) << 7
        | u16::from(flags.n) << 6
        | u16::from(flags.c) << 5
        | u16::from(flags.v) << 4
}

fn unpack(flags: u16) -> Flags {
    let bit = |at: u16| flags >> at & 1 == 1;
    Flags { z: bit(7), n: bit(6), c: bit(5), v: bit(4) }
}

fn flag_states() -> impl Iterator<Item = Flags> {
    (0..16u16).map(|bits| unpack(bits << 4))
}

fn cut(value: u64, bits: u32) -> u128 {
    u128::from(value) % (1 << bits)
}

fn check(what: &str, got: (u64, Flags), a: u128, expected: Answer) {
    let result = expected.0.unwrap_or(a);
    assert_eq!((u128::from(got.0), got.1), (result, expected.1), "{what}");
}

/// What a row computes, as the model groups it.
#[derive(Clone, Copy, PartialEq)]
enum Form {
    One,
    Two,
    Immediate,
    Shift,
    ShiftImmediate,
    ShiftRegister,
}

fn form(row: &Instruction) -> Option<Form> {
    let shift = matches!(row.mnemonic, "SHL" | "SHR" | "SAR" | "ROL" | "ROR");
    let computes = (21..=58).contains(&row.opcode) || (70..=91).contains(&row.opcode);
    match row.args {
        _ if !computes => None,
        [Arg::Reg(Class::Any)] => Some(if shift { Form::Shift } else { Form::One }),
        [Arg::Reg(Class::Any), Arg::Imm8] => Some(Form::ShiftImmediate),
        [Arg::Reg(Class::Any), Arg::Reg(Class::Byte)] => Some(Form::ShiftRegister),
        [Arg::Reg(Class::Any), Arg::Reg(Class::SameAsFirst)] => Some(Form::Two),
        [Arg::Reg(Class::Any), Arg::Imm] => Some(Form::Immediate),
        _ => panic!("{} has a form without a model", row.mnemonic),
    }
}

fn rows() -> impl Iterator<Item = (&'static Instruction, Form)> {
    INSTRUCTIONS.iter().filter_map(|row| Some((row, form(row)?)))
}

/// One row at one width: `b` is the second operand or the count.
fn try_row(bench: &mut Bench, row: &Instruction, form: Form, at: usize, a: u64, b: u64, f: Flags) {
    let (bits, first, second) = WIDTHS[at];
    let (first, second) = (reg(first), reg(second));
    let a = cut(a, bits);
    let count = (b & 0xFF) as u8;
    let mut bytes = vec![row.opcode, first.id()];
    let mut state = vec![(first, a)];
    let (name, old) = (row.mnemonic, f);
    let expected = match form {
        Form::One => model::one(name, a, bits, old),
        Form::Two => {
            bytes.push(second.id());
            let b = if first == second { a } else { cut(b, bits) };
            state.push((second, b));
            model::two(name, a, b, bits, old)
        }
        Form::Immediate => {
            bytes.extend_from_slice(&b.to_le_bytes()[..bits as usize / 8]);
            model::two(name, a, cut(b, bits), bits, old)
        }
        Form::Shift => model::shift(name, a, 1, bits, old),
        Form::ShiftImmediate => {
            bytes.push(count);
            model::shift(name, a, count.into(), bits, old)
        }
        Form::ShiftRegister => {
            let register = reg("ZH");
            bytes.push(register.id());
            state.push((register, count.into()));
            model::shift(name, a, count.into(), bits, old)
        }
    };
    let got = bench.run(&bytes, &state, old);
    check(
        &format!("{name} ({}) {a:#x}, {b:#x}, {bits} bits, {old:?}", row.opcode),
        got,
        a,
        expected,
    );
}

#[test]
fn all_pairs_at_8_bits() {
    let mut bench = Bench::new();
    for (row, form) in rows() {
        for a in 0..=255 {
            match form {
                Form::One | Form::Shift => {
                    for flags in flag_states() {
                        try_row(&mut bench, row, form, 0, a, 0, flags);
                    }
                }
                _ => {
                    for b in 0..=255 {
                        for c in [false, true] {
                            let flags = Flags { z: c, n: !c, c, v: !c };
                            try_row(&mut bench, row, form, 0, a, b, flags);
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn every_count_at_every_width() {
    let mut bench = Bench::new();
    let mut numbers = Numbers(3);
    for (row, form) in
        rows().filter(|(_, f)| matches!(f, Form::ShiftImmediate | Form::ShiftRegister))
    {
        for at in 0..WIDTHS.len() {
            for count in 0..=255 {
                let flags = unpack(numbers.next() as u16);
                try_row(&mut bench, row, form, at, numbers.edgy(), count, flags);
            }
        }
    }
}

#[test]
fn edges_at_every_width() {
    let mut bench = Bench::new();
    for (row, form) in rows() {
        for (at, (bits, ..)) in WIDTHS.into_iter().enumerate() {
            let top = 1u64 << (bits - 1);
            let edges = [0, 1, 2, top - 1, top, top + 1, u64::MAX - 1, u64::MAX];
            for a in edges {
                for b in edges {
                    for c in [false, true] {
                        try_row(&mut bench, row, form, at, a, b, Flags { z: c, n: c, c, v: !c });
                    }
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn random_values_at_every_width(a: u64, b: u64, flags in 0u16..16) {
        let mut bench = Bench::new();
        for (row, form) in rows() {
            for at in 0..WIDTHS.len() {
                try_row(&mut bench, row, form, at, a, b, unpack(flags << 4));
            }
        }
    }
}

#[test]
fn overflow_of_add_with_carry_at_the_edges() {
    let mut bench = Bench::new();
    let carry = Flags { z: false, n: false, c: true, v: false };
    let none = Flags { c: false, ..carry };
    let (al, bl) = (reg("AL"), reg("BL"));
    // 127 + 127 + 1 = 255: overflow, though 127 + (127 + 1) looks like 127 − 128.
    let got = bench.run(&[40, al.id(), bl.id()], &[(al, 0x7F), (bl, 0x7F)], carry);
    assert_eq!(got, (0xFF, Flags { z: false, n: true, c: false, v: true }));
    // −128 − 127 − 1 = −256: overflow, though 127 + 1 looks like −128.
    let got = bench.run(&[41, al.id(), bl.id()], &[(al, 0x80), (bl, 0x7F)], none);
    assert_eq!(got, (0x00, Flags { z: true, n: false, c: true, v: true }));
    // 255 + 0 + 1 carries and does not overflow.
    let got = bench.run(&[40, al.id(), bl.id()], &[(al, 0xFF), (bl, 0)], carry);
    assert_eq!(got, (0, Flags { z: true, n: false, c: true, v: false }));
}

#[test]
fn mod_b_kl_is_an_illegal_width_and_mod_of_halves_works() {
    // The seed's MOD B, KL read REGS[30]; here it is a fault, and MOD BL, KL is right.
    let mut machine = machine(&[34, reg("B").id(), 30]);
    assert!(matches!(
        machine.step(&mut Few::default()),
        Some(sd8516::Stop::Fault(fault)) if fault.kind == sd8516::FaultKind::IllegalWidth(30)
    ));
    let mut bench = Bench::new();
    let (bl, kl) = (reg("BL"), reg("KL"));
    assert_eq!(kl.id(), 30);
    let none = unpack(0);
    assert_eq!(bench.run(&[34, bl.id(), 30], &[(bl, 100), (kl, 7)], none), (2, none));
}
