//! Loads, stores, moves, the stack, LEA and the flag instructions: each with
//! every register, each addressing mode, across the top of memory.

use isa::flags::{C, N, S, V, Z};
use isa::memory_map::{ADDRESS_MASK, STACK};
use isa::{Reg, View};

use crate::support::{Few, Numbers, ORIGIN, after, code, get, ld, machine, reg, reload, set};

const PATTERN: u64 = 0x8796_A5B4_C3D2_E1F0;

fn cut(value: u64, width: u8) -> u64 {
    value & u64::MAX >> (64 - 8 * u32::from(width))
}

/// Flags of a load: Z and N from the value.
fn zn(value: u64, width: u8) -> u16 {
    let top = value >> (8 * width - 1) & 1 == 1;
    if value == 0 {
        Z
    } else if top {
        N
    } else {
        0
    }
}

#[test]
fn loads_and_stores_of_every_register_and_addressing_mode() {
    let base = reg("GLT");
    let mut m = machine(&[]);
    for register in Reg::all().filter(|r| !overlap(*r, base) && !overlap(*r, reg("J"))) {
        let (id, width) = (register.id(), register.width());
        let opcode = if width == 1 { 4 } else { 1 };
        for address in [0x03_1000u32, ADDRESS_MASK - 1, 0x02_FFFF] {
            let [low, middle, high, _] = address.to_le_bytes();
            // base = address + 3, J = $FFFD: [base - 3], [base + J] wraps to address + $10000.
            let modes: [(Vec<u8>, Vec<u8>, u32); 4] = [
                (vec![opcode, id, low, middle, high], vec![6, id, low, middle, high], address),
                (vec![opcode + 1, id, base.id()], vec![7, id, base.id()], address + 3),
                (
                    vec![152, id, base.id(), 0xFD, 0xFF],
                    vec![153, id, base.id(), 0xFD, 0xFF],
                    address,
                ),
                (vec![150, id, base.id(), 6], vec![151, id, base.id(), 6], address + 0x1_0000),
            ];
            for (load, store, place) in modes {
                for value in [cut(PATTERN, width), 0] {
                    reload(&mut m, &load);
                    m.memory_mut().write(place, width, value);
                    m.memory_mut().set_byte(place.wrapping_add(width.into()), 0x77);
                    set(&mut m, "GLT", u64::from(address) + 3);
                    set(&mut m, "J", 0xFFFD);
                    m.set_flags(Z | N | C | V);
                    assert_eq!(m.step(&mut Few::default()), None);
                    assert_eq!(m.reg(register), value, "{} {load:?}", register.name());
                    assert_eq!(m.flags(), C | V | zn(value, width));

                    reload(&mut m, &store);
                    set(&mut m, "GLT", u64::from(address) + 3);
                    set(&mut m, "J", 0xFFFD);
                    m.set_reg(register, value);
                    m.memory_mut().set_byte(place.wrapping_add(width.into()), 0x77);
                    m.set_flags(Z | N | C | V);
                    assert_eq!(m.step(&mut Few::default()), None);
                    assert_eq!(
                        m.memory().read(place, width),
                        value,
                        "{} {store:?}",
                        register.name()
                    );
                    assert_eq!(m.memory().byte(place.wrapping_add(width.into())), 0x77);
                    assert_eq!(m.flags(), Z | N | C | V);
                }
            }
        }
    }
}

fn overlap(a: Reg, b: Reg) -> bool {
    a.halves() & b.halves() != 0
}

#[test]
fn load_immediate_of_every_register() {
    let mut m = machine(&[]);
    for register in Reg::all() {
        let width = register.width();
        for value in [cut(PATTERN, width), 0, 1] {
            reload(&mut m, &ld(register.name(), value));
            assert_eq!(m.step(&mut Few::default()), None);
            assert_eq!(m.reg(register), value, "{}", register.name());
            assert_eq!(m.flags(), zn(value, width));
            assert_eq!(m.ip(), ORIGIN + 2 + u32::from(width));
            let sp_is_kept = register == Reg::SP || m.sp() == STACK.end - 3;
            assert!(sp_is_kept);
        }
    }
}

#[test]
fn the_manuals_encodings() {
    let m = after(&[0x00, 0x00, 0x01, 0x02], 1);
    assert_eq!(get(&m, "A"), 0x0201);
    let mut m = machine(&[0x09, 0x00, 0x01]);
    set(&mut m, "B", 77);
    m.step(&mut Few::default());
    assert_eq!(get(&m, "A"), 77);
}

#[test]
fn a_word_points_into_bank_0() {
    let mut m = machine(&[2, 0, reg("M").id()]);
    m.memory_mut().write(0x9000, 2, 0xBEEF);
    set(&mut m, "ELM", 0x45_9000);
    m.step(&mut Few::default());
    assert_eq!(get(&m, "A"), 0xBEEF);
}

#[test]
fn loading_a_pointer_through_itself_reads_before_it_writes() {
    let mut m = machine(&[2, reg("ELM").id(), reg("ELM").id()]);
    m.memory_mut().write(0x04_0000, 3, 0x12_3456);
    set(&mut m, "ELM", 0x04_0000);
    m.step(&mut Few::default());
    assert_eq!(get(&m, "ELM"), 0x12_3456);
}

#[test]
fn fast_flags_keep_z_and_n_of_loads_and_counts() {
    let loads: [&[u8]; 8] = [
        &[0, 0, 0, 0],
        &[1, 0, 0, 0, 0],
        &[2, 0, 2],
        &[3, 16, 0],
        &[150, 0, 2, 3],
        &[152, 0, 2, 0, 0],
        &[21, 9],
        &[22, 9],
    ];
    for bytes in loads {
        for flags in [0, Z | N | C | V] {
            let mut m = machine(bytes);
            set(&mut m, "M", 5);
            m.set_flags(flags | S);
            m.step(&mut Few::default());
            assert_eq!(m.flags(), flags | S, "{bytes:?}");
        }
    }
    // Everything else sets flags as ever.
    let mut m = machine(&[30, 0, 1]);
    m.set_flags(S | N);
    m.step(&mut Few::default());
    assert_eq!(m.flags(), S | Z);
}

#[test]
fn xchg_writes_its_first_operand_first() {
    let mut m = machine(&[10, reg("ELM").id(), reg("ELD").id()]);
    set(&mut m, "ELM", 0x11_AAAA);
    set(&mut m, "D", 0xBBBB);
    m.step(&mut Few::default());
    assert_eq!((get(&m, "M"), get(&m, "D")), (0xBBBB, 0xAAAA));
    assert_eq!(get(&m, "EL"), 0x11);

    // ELM and FLM share M: first ELM ← FLM, then FLM ← ELM.
    let mut m = machine(&[10, reg("ELM").id(), reg("FLM").id()]);
    set(&mut m, "E", 0x2201);
    set(&mut m, "F", 0x3302);
    m.step(&mut Few::default());
    assert_eq!((get(&m, "E"), get(&m, "F")), (0x2202, 0x3301));
}

#[test]
fn movzx_and_movsx_for_every_pair_of_widths() {
    let mut m = machine(&[]);
    let registers: Vec<Reg> = ["AL", "AH", "X", "ELM", "IJ", "SP", "ABCD"].map(reg).to_vec();
    for &to in &registers {
        for &from in registers.iter().filter(|from| from.width() < to.width()) {
            for (opcode, signed) in [(60, false), (61, true)] {
                for value in [0, 1, cut(PATTERN, from.width()), cut(u64::MAX, from.width()) / 2] {
                    reload(&mut m, &[opcode, to.id(), from.id()]);
                    m.set_reg(from, value);
                    m.set_flags(C | V);
                    assert_eq!(m.step(&mut Few::default()), None);
                    let bits = 8 * u32::from(from.width());
                    let negative = signed && value >> (bits - 1) == 1;
                    let wide = if negative { value | u64::MAX << bits } else { value };
                    let wide = cut(wide, to.width());
                    assert_eq!(m.reg(to), wide, "{} ← {}", to.name(), from.name());
                    assert_eq!(m.flags(), C | V | zn(wide, to.width()));
                }
            }
        }
    }
}

#[test]
fn counting_a_pointer_carries_into_its_bank_and_not_beyond() {
    for (name, bank, word) in [("ELM", "E", "M"), ("BLX", "B", "X"), ("GLT", "G", "T")] {
        let mut m = machine(&code(&[&[21, reg(name).id()], &[22, reg(name).id()]]));
        set(&mut m, bank, 0x9904);
        set(&mut m, word, 0xFFFF);
        m.step(&mut Few::default());
        assert_eq!((get(&m, bank), get(&m, word)), (0x9905, 0));
        m.step(&mut Few::default());
        assert_eq!((get(&m, bank), get(&m, word)), (0x9904, 0xFFFF));
        let mut m = machine(&[21, reg(name).id()]);
        set(&mut m, bank, 0x99FF);
        set(&mut m, word, 0xFFFF);
        m.step(&mut Few::default());
        assert_eq!((get(&m, bank), get(&m, word)), (0x9900, 0));
        assert_eq!(m.flags(), Z);
    }
}

#[test]
fn push_and_pop_of_every_register() {
    let mut m = machine(&[]);
    for register in Reg::all() {
        let width = register.width();
        reload(&mut m, &[11, register.id(), 12, register.id()]);
        if register != Reg::SP {
            m.set_reg(register, PATTERN);
        }
        m.set_flags(Z | N | C | V);
        let value = m.reg(register);
        let sp = m.sp();
        m.step(&mut Few::default());
        assert_eq!(m.sp(), sp - u32::from(width), "{}", register.name());
        assert_eq!(m.memory().read(m.sp(), width), value);
        if register != Reg::SP {
            m.set_reg(register, 0);
        }
        m.step(&mut Few::default());
        assert_eq!((m.reg(register), m.sp()), (value, sp), "{}", register.name());
        assert_eq!(m.flags(), Z | N | C | V);
    }
}

#[test]
fn pusha_puts_a_highest_and_z_lowest() {
    let mut m = machine(&[13, 14]);
    for id in 0..16 {
        m.set_reg(Reg::from_id(id).unwrap(), 0x1100 + u64::from(id));
    }
    let sp = m.sp();
    m.step(&mut Few::default());
    assert_eq!(m.sp(), sp - 32);
    assert_eq!(m.memory().read(m.sp(), 2), 0x110F);
    assert_eq!(m.memory().read(sp - 2, 2), 0x1100);
    let words = m.words();
    for id in 0..16 {
        m.set_reg(Reg::from_id(id).unwrap(), 0);
    }
    m.step(&mut Few::default());
    assert_eq!((m.words(), m.sp()), (words, sp));
}

#[test]
fn programs_write_flag_bits_0_to_7_9_10_and_14_only() {
    let writable = 0x46FF;
    let m = after(&code(&[&ld("A", 0xFFFF), &[11, 0], &[16]]), 3);
    assert_eq!(m.flags(), writable);
    let m = after(&[182, 0xFF, 0xFF, 15], 2);
    assert_eq!(m.flags(), writable);
    assert_eq!(m.memory().read(m.sp(), 2), u64::from(writable));
    let m = after(&[182, 0xFF, 0xFF, 183, 0xF0, 0xFF], 2);
    assert_eq!(m.flags(), 0x000F);
    for (set_one, clear_one, bit) in [(138, 139, 10), (143, 144, 14), (145, 146, 9)] {
        assert_eq!(after(&[set_one], 1).flags(), 1 << bit);
        assert_eq!(after(&[182, 0xFF, 0xFF, clear_one], 2).flags(), writable & !(1 << bit));
    }
}

#[test]
fn testf_tells_none_and_all() {
    for (flags, mask, z, c) in [
        (0x000F, 0x0003u16, false, true),
        (0x0001, 0x0003, false, false),
        (0x0004, 0x0003, true, false),
        (0x0004, 0x0000, true, true),
        (0x4000, 0x4000, false, true),
    ] {
        let [low, high] = mask.to_le_bytes();
        let mut m = machine(&[184, low, high]);
        m.set_flags(flags | N | V);
        m.step(&mut Few::default());
        let expected = flags | V | if z { Z } else { 0 } | if c { C } else { 0 };
        assert_eq!(m.flags(), expected, "{flags:04X} {mask:04X}");
    }
}

#[test]
fn lea_is_address_arithmetic_modulo_2_to_24_and_sets_no_flags() {
    let mut m = machine(&[154, 77, 77, 0xFF, 0x7F, 155, 54, 2, 3, 154, 54, 54, 0xFE, 0xFF]);
    set(&mut m, "ELM", 0xFF_F000);
    set(&mut m, "X", 0xFFFF);
    set(&mut m, "Y", 0x8001);
    m.set_flags(Z | N);
    m.step(&mut Few::default());
    assert_eq!(get(&m, "ELM"), 0x00_6FFF);
    m.step(&mut Few::default());
    assert_eq!(m.sp(), 0x01_8000);
    m.step(&mut Few::default());
    assert_eq!(m.sp(), 0x01_7FFE);
    assert_eq!(m.flags(), Z | N);
}

#[test]
fn fetch_goes_on_at_0_behind_the_top() {
    let mut numbers = Numbers(11);
    for start in ADDRESS_MASK - 9..=ADDRESS_MASK {
        let value = numbers.next();
        let mut m = machine(&[]);
        m.memory_mut().copy_in(start, &ld("ABCD", value));
        m.set_ip(start);
        assert_eq!(m.step(&mut Few::default()), None);
        assert_eq!(get(&m, "ABCD"), value);
        assert_eq!(m.ip(), (start + 10) & ADDRESS_MASK);
    }
}

#[test]
fn the_stack_pointer_wraps_at_the_top() {
    let mut m = machine(&[11, 53, 12, 53]);
    set(&mut m, "ABCD", PATTERN);
    set(&mut m, "SP", 3);
    m.step(&mut Few::default());
    assert_eq!(m.sp(), ADDRESS_MASK - 4);
    assert_eq!(m.memory().byte(ADDRESS_MASK), (PATTERN >> 32) as u8);
    assert_eq!(m.memory().byte(0), (PATTERN >> 40) as u8);
    set(&mut m, "ABCD", 0);
    m.step(&mut Few::default());
    assert_eq!((get(&m, "ABCD"), m.sp()), (PATTERN, 3));
}

#[test]
fn views_are_checked_by_the_table_too() {
    for register in Reg::all() {
        let halves = match register.view() {
            View::Sp => 0,
            _ => u32::from(register.width()),
        };
        assert_eq!(register.halves().count_ones(), halves);
    }
}
