//! Arithmetic, logic and shifts as the manual's sentences put them, in exact
//! wide integers and one bit at a time. Nothing is taken from the CPU.

/// The four flags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flags {
    pub z: bool,
    pub n: bool,
    pub c: bool,
    pub v: bool,
}

/// A result (`None`: the register is left alone) and the flags.
pub type Answer = (Option<u128>, Flags);

fn signed(value: u128, bits: u32) -> i128 {
    let value = value as i128;
    if value >= 1 << (bits - 1) { value - (1 << bits) } else { value }
}

/// What fits a signed number of so many bits.
fn fits(value: i128, bits: u32) -> bool {
    (-(1i128 << (bits - 1))..1i128 << (bits - 1)).contains(&value)
}

fn with_zn(flags: Flags, result: u128, bits: u32) -> Flags {
    Flags { z: result == 0, n: result >> (bits - 1) == 1, ..flags }
}

/// Two operands, by mnemonic.
pub fn two(mnemonic: &str, a: u128, b: u128, bits: u32, old: Flags) -> Answer {
    let size = 1u128 << bits;
    let (ia, ib) = (signed(a, bits), signed(b, bits));
    let carry = u128::from(old.c);
    let (result, c, v) = match mnemonic {
        "ADD" => (a + b, a + b >= size, !fits(ia + ib, bits)),
        "ADDC" => (a + b + carry, a + b + carry >= size, !fits(ia + ib + carry as i128, bits)),
        "SUB" | "CMP" => (size + a - b, a >= b, !fits(ia - ib, bits)),
        "SUBC" => {
            let borrow = 1 - carry;
            (2 * size + a - b - borrow, a >= b + borrow, !fits(ia - ib - borrow as i128, bits))
        }
        "MUL" => (a.wrapping_mul(b), a * b >= size, a * b >= size),
        "DIV" if b == 0 => (0, true, false),
        "MOD" if b == 0 => (0, true, false),
        "DIV" => (a / b, false, false),
        "MOD" => (a % b, false, false),
        "AND" | "TEST" => (a & b, false, false),
        "OR" => (a | b, false, false),
        "XOR" => (a ^ b, false, false),
        _ => panic!("{mnemonic} is not modelled"),
    };
    let result = result % size;
    let flags = with_zn(Flags { c, v, ..old }, result, bits);
    (if matches!(mnemonic, "CMP" | "TEST") { None } else { Some(result) }, flags)
}

/// One operand, by mnemonic.
pub fn one(mnemonic: &str, a: u128, bits: u32, old: Flags) -> Answer {
    let size = 1u128 << bits;
    match mnemonic {
        "INC" | "DEC" => {
            let step = if mnemonic == "INC" { 1 } else { size - 1 };
            let result = (a + step) % size;
            (Some(result), with_zn(old, result, bits))
        }
        "NEG" => {
            let result = (size - a) % size;
            let flags = Flags { c: a == 0, v: a == size / 2, ..old };
            (Some(result), with_zn(flags, result, bits))
        }
        "NOT" => {
            let result = size - 1 - a;
            (Some(result), with_zn(Flags { c: false, v: false, ..old }, result, bits))
        }
        "RCL" | "RCR" => {
            let mut all = to_bits(a, bits);
            let out = if mnemonic == "RCL" {
                all.insert(0, old.c);
                all.pop()
            } else {
                all.push(old.c);
                Some(all.remove(0))
            };
            let result = from_bits(&all);
            (Some(result), with_zn(Flags { c: out == Some(true), ..old }, result, bits))
        }
        _ => panic!("{mnemonic} is not modelled"),
    }
}

/// A shift by a count, bit by bit; the rotations' rule for multiples of the
/// width follows from that.
pub fn shift(mnemonic: &str, a: u128, count: u32, bits: u32, old: Flags) -> Answer {
    if count == 0 {
        return (Some(a), old);
    }
    let mut all = to_bits(a, bits);
    let sign = *all.last().expect("a width has bits");
    let mut c = old.c;
    for _ in 0..count {
        match mnemonic {
            "SHL" => {
                c = all.pop().expect("bits");
                all.insert(0, false);
            }
            "SHR" | "SAR" => {
                c = all.remove(0);
                all.push(mnemonic == "SAR" && sign);
            }
            "ROL" => {
                c = all.pop().expect("bits");
                all.insert(0, c);
            }
            "ROR" => {
                c = all.remove(0);
                all.push(c);
            }
            _ => panic!("{mnemonic} is not modelled"),
        }
    }
    let result = from_bits(&all);
    (Some(result), with_zn(Flags { c, ..old }, result, bits))
}

/// The lowest bit first.
fn to_bits(value: u128, bits: u32) -> Vec<bool> {
    (0..bits).map(|at| value >> at & 1 == 1).collect()
}

fn from_bits(bits: &[bool]) -> u128 {
    bits.iter().rev().fold(0, |value, &bit| value << 1 | u128::from(bit))
}
