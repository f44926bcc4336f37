//! INSQUE, REMQUE, SCANQUE against a model: rings as lists of nodes.

use isa::flags::{C, N, V, Z};
use isa::memory_map::ADDRESS_MASK;
use sd8516::{FaultKind, Machine, Stop};

use crate::support::{Few, Numbers, ORIGIN, get, machine, reg, set};

const HEAD: u32 = 0x03_0000;

fn node(number: u32) -> u32 {
    HEAD + 16 * number
}

fn one(m: &mut Machine, bytes: &[u8]) -> u64 {
    let units = m.units();
    m.memory_mut().copy_in(ORIGIN, bytes);
    m.set_ip(ORIGIN);
    assert_eq!(m.step(&mut Few::default()), None);
    m.units() - units
}

fn insert(m: &mut Machine, entry: u32, pred: u32) -> u16 {
    set(m, "ELM", entry.into());
    set(m, "FLD", pred.into());
    m.set_flags(N | C | V);
    assert_eq!(one(m, &[170, reg("ELM").id(), reg("FLD").id()]), 4);
    m.flags()
}

fn remove(m: &mut Machine, entry: u32) -> u16 {
    set(m, "ELM", entry.into());
    m.set_flags(N | C | V);
    assert_eq!(one(m, &[171, reg("ELM").id()]), 4);
    m.flags()
}

/// The nodes behind the head, checked in both directions.
fn ring(m: &Machine) -> Vec<u32> {
    let link = |at: u32| m.memory().read(at, 3) as u32;
    let mut nodes = vec![];
    let (mut at, mut last) = (link(HEAD), HEAD);
    while at != HEAD {
        assert_eq!(link(at + 3), last, "back link of {at:06X}");
        nodes.push(at);
        (last, at) = (at, link(at));
    }
    assert_eq!(link(HEAD + 3), last);
    nodes
}

#[test]
fn random_insertions_and_removals_equal_a_list() {
    let mut numbers = Numbers(9);
    let mut m = machine(&[]);
    m.memory_mut().write(HEAD, 3, HEAD.into());
    m.memory_mut().write(HEAD + 3, 3, HEAD.into());
    let mut model: Vec<u32> = vec![];
    for _ in 0..2000 {
        let entry = node(1 + numbers.below(20) as u32);
        match model.iter().position(|&at| at == entry) {
            Some(at) => {
                let flags = remove(&mut m, entry);
                model.remove(at);
                assert_eq!(flags, C | if model.is_empty() { Z } else { 0 });
            }
            None => {
                // Before `at`: its predecessor is the node there, or the head.
                let at = numbers.below(model.len() as u64 + 1) as usize;
                let pred = if at == 0 { HEAD } else { model[at - 1] };
                let flags = insert(&mut m, entry, pred);
                assert_eq!(flags, C | V | if model.is_empty() { Z } else { 0 });
                model.insert(at, entry);
            }
        }
        assert_eq!(ring(&m), model);
    }
}

#[test]
fn removing_from_an_empty_queue_writes_nothing_and_sets_v_and_z() {
    let mut m = machine(&[]);
    m.memory_mut().write(HEAD, 3, HEAD.into());
    m.memory_mut().write(HEAD + 3, 3, HEAD.into());
    let flags = remove(&mut m, HEAD);
    assert_eq!(flags, Z | V | C);
    assert!(ring(&m).is_empty());
}

#[test]
fn a_removed_entry_keeps_its_links() {
    let mut m = machine(&[]);
    m.memory_mut().write(HEAD, 3, HEAD.into());
    m.memory_mut().write(HEAD + 3, 3, HEAD.into());
    insert(&mut m, node(1), HEAD);
    insert(&mut m, node(2), node(1));
    remove(&mut m, node(1));
    assert_eq!(m.memory().read(node(1), 3), u64::from(node(2)));
    assert_eq!(m.memory().read(node(1) + 3, 3), u64::from(HEAD));
    assert_eq!(ring(&m), [node(2)]);
}

#[test]
fn insque_writes_in_the_manuals_order_when_nodes_overlap() {
    // succ + 3 is pred itself: the last write wins.
    let mut m = machine(&[]);
    let (entry, pred) = (0x04_0000u32, 0x05_0003u32);
    m.memory_mut().write(pred, 3, 0x05_0000);
    insert(&mut m, entry, pred);
    assert_eq!(m.memory().read(pred, 3), u64::from(entry));
    assert_eq!(m.memory().read(entry, 3), 0x05_0000);
    // Entry is its own predecessor: [entry] is written first with succ, then with entry.
    m.memory_mut().write(entry, 3, 0x06_0000);
    insert(&mut m, entry, entry);
    assert_eq!(m.memory().read(entry, 3), u64::from(entry));
    assert_eq!(m.memory().read(entry + 3, 3), u64::from(entry));
    assert_eq!(m.memory().read(0x06_0003, 3), u64::from(entry));
}

fn scan(m: &mut Machine, bytes: &[u8], flags: u16) -> u64 {
    m.set_flags(flags);
    one(m, bytes)
}

#[test]
fn scanque_finds_the_first_node_and_counts_visits() {
    let mut m = machine(&[]);
    m.memory_mut().write(HEAD, 3, HEAD.into());
    m.memory_mut().write(HEAD + 3, 3, HEAD.into());
    let by_word = [172, reg("GLK").id(), reg("ELM").id(), reg("X").id(), 6];
    let by_byte = [172, reg("GLK").id(), reg("ELM").id(), reg("YH").id(), 8];
    set(&mut m, "ELM", HEAD.into());
    assert_eq!(scan(&mut m, &by_word, N | V | C), 1);
    assert_eq!((get(&m, "GLK"), m.flags()), (HEAD.into(), V | Z));

    for number in (1..=30u32).rev() {
        insert(&mut m, node(number), HEAD);
        m.memory_mut().write(node(number) + 6, 2, (number / 3).into());
        m.memory_mut().write(node(number) + 8, 1, number.into());
    }
    set(&mut m, "ELM", HEAD.into());
    for value in 0..12u32 {
        set(&mut m, "X", value.into());
        let found = (1..=30).find(|number| number / 3 == value);
        let units = scan(&mut m, &by_word, N | V | Z);
        assert_eq!(units, 1 + u64::from(found.unwrap_or(30)));
        assert_eq!(get(&m, "GLK"), u64::from(found.map_or(HEAD, node)));
        assert_eq!(m.flags(), V | if found.is_some() { C } else { Z });
        set(&mut m, "YH", value.into());
        let found = Some(value).filter(|&value| value > 0);
        assert_eq!(scan(&mut m, &by_byte, 0), 1 + u64::from(found.unwrap_or(30)));
        assert_eq!(get(&m, "GLK"), u64::from(found.map_or(HEAD, node)));
    }
}

#[test]
fn scanques_target_may_overlap_head_and_value() {
    let mut m = machine(&[]);
    m.memory_mut().write(HEAD, 3, HEAD.into());
    m.memory_mut().write(HEAD + 3, 3, HEAD.into());
    insert(&mut m, node(1), HEAD);
    m.memory_mut().write(node(1) + 6, 2, 0x1234);
    set(&mut m, "ELM", HEAD.into());
    m.memory_mut().write(node(1) + 6, 2, u64::from(HEAD & 0xFFFF));
    // SCANQUE ELM, ELM, M, 6
    assert_eq!(scan(&mut m, &[172, 77, 77, reg("M").id(), 6], 0), 2);
    assert_eq!((get(&m, "ELM"), m.flags()), (node(1).into(), C));
}

#[test]
fn nodes_at_the_top_of_memory_wrap() {
    let head = ADDRESS_MASK - 1;
    let mut m = machine(&[]);
    m.memory_mut().write(head, 3, head.into());
    m.memory_mut().write(head.wrapping_add(3), 3, head.into());
    insert(&mut m, 0x10, head);
    assert_eq!(m.memory().read(head, 3), 0x10);
    assert_eq!(m.memory().read(1, 3), 0x10);
    assert_eq!(m.memory().read(0x13, 3), u64::from(head));
}

/// A chain of so many nodes behind the head, each with value 1 but the last,
/// which has 2 and leads back to the head when `closed`.
fn chain(count: u32, closed: bool) -> Machine {
    let mut m = machine(&[172, reg("GLK").id(), reg("ELM").id(), reg("XL").id(), 3]);
    let at = |number: u32| 0x20_0000 + 4 * number;
    for number in 0..=count {
        let next = if number == count && closed { at(0) } else { at(number + 1) };
        m.memory_mut().write(at(number), 3, next.into());
        m.memory_mut().write(at(number) + 3, 1, if number == count { 2 } else { 1 });
    }
    set(&mut m, "ELM", at(0).into());
    set(&mut m, "XL", 2);
    m
}

#[test]
fn the_65536th_node_is_a_fault_even_if_it_would_match() {
    let mut m = chain(65_535, true);
    assert_eq!(m.step(&mut Few::default()), None);
    assert_eq!((get(&m, "GLK"), m.flags(), m.units()), (0x20_0000 + 4 * 65_535, C, 65_536));

    let mut m = chain(65_535, true);
    set(&mut m, "XL", 3);
    assert_eq!(m.step(&mut Few::default()), None);
    assert_eq!((get(&m, "GLK"), m.flags(), m.units()), (0x20_0000, Z, 65_536));

    let mut m = chain(65_536, true);
    let Some(Stop::Fault(fault)) = m.step(&mut Few::default()) else { panic!("no fault") };
    assert_eq!(fault.kind, FaultKind::EndlessQueue);
    assert_eq!((get(&m, "GLK"), m.units()), (0, 0));
}
