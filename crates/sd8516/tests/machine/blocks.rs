//! MEMCOPY, MEMFILL, CMPC, LOCC, SKPC: results, flags and time against plain
//! lists, with overlap, at the top of memory, with n = 0.

use isa::flags::{C, N, V, Z};
use isa::memory_map::ADDRESS_MASK;
use sd8516::Machine;

use crate::support::{Few, Numbers, get, machine, reg, reload, set};

/// A machine about to execute one block instruction with ELM, FLD (or AL)
/// and T = n.
fn bench(m: &mut Machine, opcode: u8, second: &str) {
    reload(m, &[opcode, reg("ELM").id(), reg(second).id(), reg("T").id()]);
}

fn run(m: &mut Machine, n: u16) -> u64 {
    set(m, "T", n.into());
    m.set_flags(N | V);
    let (words, units) = (m.words(), m.units());
    assert_eq!(m.step(&mut Few::default()), None);
    let kept = [0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 13, 14, 15];
    assert!(kept.into_iter().all(|word| m.words()[word] == words[word]));
    m.units() - units
}

/// Places that don't overlap, that do either way, and that pass the top.
const PLACES: [(u32, u32); 6] = [
    (0x30_0000, 0x40_0000),
    (0x30_0000, 0x30_0005),
    (0x30_0005, 0x30_0000),
    (0x30_0000, 0x30_0000),
    (ADDRESS_MASK - 20, 0x50_0000),
    (ADDRESS_MASK - 20, ADDRESS_MASK - 33),
];
const LENGTHS: [u16; 9] = [0, 1, 3, 4, 5, 64, 100, 257, 65_535];

#[test]
fn memcopy_is_safe_when_source_and_target_overlap() {
    let mut m = machine(&[]);
    let mut numbers = Numbers(2);
    for (to, from) in PLACES {
        for n in LENGTHS {
            bench(&mut m, 160, "FLD");
            let bytes: Vec<u8> = (0..n).map(|_| numbers.next() as u8).collect();
            m.memory_mut().copy_in(from, &bytes);
            let behind = m.memory().byte(to.wrapping_add(n.into()));
            set(&mut m, "ELM", to.into());
            set(&mut m, "FLD", from.into());
            assert_eq!(run(&mut m, n), 1 + u64::from(n).div_ceil(4));
            assert_eq!(m.memory().copy_out(to, n.into()), bytes, "{n} from {from:X} to {to:X}");
            assert_eq!(m.memory().byte(to.wrapping_add(n.into())), behind);
            assert_eq!((get(&m, "ELM"), get(&m, "FLD")), (to.into(), from.into()));
            assert_eq!(m.flags(), N | V);
        }
    }
}

#[test]
fn memfill_fills_n_bytes() {
    let mut m = machine(&[]);
    for (to, _) in PLACES {
        for n in LENGTHS {
            bench(&mut m, 161, "AL");
            m.memory_mut().fill(to.wrapping_sub(1), 0, u32::from(n) + 2);
            set(&mut m, "ELM", to.into());
            set(&mut m, "AL", 0xA5);
            assert_eq!(run(&mut m, n), 1 + u64::from(n).div_ceil(4));
            assert!(m.memory().copy_out(to, n.into()).iter().all(|&byte| byte == 0xA5));
            assert_eq!(m.memory().byte(to.wrapping_sub(1)), 0);
            assert_eq!(m.memory().byte(to.wrapping_add(n.into())), 0);
            assert_eq!(m.flags(), N | V);
        }
    }
}

#[test]
fn a_word_is_a_place_in_bank_0() {
    let mut m = machine(&[160, 3, 2, 8]);
    m.memory_mut().copy_in(0xFFFE, b"abcd");
    set(&mut m, "X", 0xFFFE);
    set(&mut m, "Y", 0x100);
    set(&mut m, "T", 4);
    m.step(&mut Few::default());
    assert_eq!(m.memory().copy_out(0x100, 4), b"abcd");
}

#[test]
fn cmpc_stops_at_the_first_difference() {
    let mut m = machine(&[]);
    for n in LENGTHS {
        for difference in [None, Some(0), Some(2), Some(n.saturating_sub(1))] {
            for (left, right) in [(1, 2), (2, 1), (0x80, 0x7F)] {
                bench(&mut m, 162, "FLD");
                set(&mut m, "ELM", 0xFF_FFF0);
                set(&mut m, "FLD", 0x40_0000);
                m.memory_mut().fill(0xFF_FFF0, 7, n.into());
                m.memory_mut().fill(0x40_0000, 7, n.into());
                let found = difference.filter(|&at| at < n);
                if let Some(at) = found {
                    m.memory_mut().set_byte(0xFF_FFF0u32.wrapping_add(at.into()), left);
                    m.memory_mut().set_byte(0x40_0000 + u32::from(at), right);
                }
                let looked_at = found.map_or(u64::from(n), |at| u64::from(at) + 1);
                assert_eq!(run(&mut m, n), 1 + looked_at.div_ceil(4));
                let expected = match found {
                    None => Z | C,
                    Some(_) if left >= right => C,
                    Some(_) => 0,
                };
                assert_eq!(m.flags(), V | expected, "{n} {difference:?} {left} {right}");
                assert_eq!(get(&m, "ELM"), 0xFF_FFF0);
            }
        }
    }
}

#[test]
fn locc_and_skpc_move_their_pointer() {
    let mut m = machine(&[]);
    let start = ADDRESS_MASK - 1;
    for (opcode, filler, wanted) in [(163, 0x11, 0x22), (164, 0x22, 0x11)] {
        for n in LENGTHS {
            for place in [None, Some(0), Some(1), Some(5), Some(n.saturating_sub(1))] {
                bench(&mut m, opcode, "AL");
                set(&mut m, "ELM", start.into());
                set(&mut m, "AL", 0x22);
                m.memory_mut().fill(start, filler, n.into());
                let found = place.filter(|&at| at < n);
                if let Some(at) = found {
                    m.memory_mut().set_byte(start.wrapping_add(at.into()), wanted);
                }
                let looked_at = found.map_or(u64::from(n), |at| u64::from(at) + 1);
                assert_eq!(run(&mut m, n), 1 + looked_at.div_ceil(4));
                let target = start.wrapping_add(found.unwrap_or(n).into()) & ADDRESS_MASK;
                assert_eq!(get(&m, "ELM"), u64::from(target), "{opcode} {n} {place:?}");
                assert_eq!(m.flags(), V | if found.is_some() { C } else { Z });
            }
        }
    }
}

#[test]
fn the_pointer_of_locc_may_overlap_count_and_value() {
    // LOCC BLX, BL, X: the bank is the value, the offset the count.
    let mut m = machine(&[163, reg("BLX").id(), reg("BL").id(), reg("X").id()]);
    set(&mut m, "BLX", 0x05_0010);
    m.memory_mut().set_byte(0x05_0013, 5);
    assert_eq!(m.step(&mut Few::default()), None);
    assert_eq!(get(&m, "BLX"), 0x05_0013);
    assert_eq!((m.flags(), m.units()), (C, 2));
}
