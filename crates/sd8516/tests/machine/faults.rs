//! Every fault: its kind, its place, and that nothing but FLAGS.E changes.

use isa::flags::{B, C, E, V, Z};
use isa::memory_map::STACK;
use sd8516::{FaultKind, Machine, Stop};

use crate::support::{Few, ORIGIN, code, get, machine, reg, reload, set, set_vector};

/// Steps into a fault; the machine is as before but for FLAGS.
fn faults(mut m: Machine, kind: FaultKind) {
    m.set_flags(Z | C | V);
    let mut before = m.clone();
    let Some(Stop::Fault(fault)) = m.step(&mut Few::default()) else { panic!("no {kind}") };
    let e = if kind == FaultKind::Break { E | B } else { E };
    assert_eq!(fault.kind, kind);
    assert_eq!((fault.ip, fault.units, fault.sp), (before.ip(), before.units(), before.sp()));
    assert_eq!((fault.registers, fault.flags), (before.words(), Z | C | V | e));
    assert_eq!(m.flags(), Z | C | V | e);
    before.set_flags(m.flags());
    assert!(m == before, "{kind} changed something");
    // Running on finds the same fault.
    assert_eq!(m.run(&mut Few::default(), u64::MAX), Stop::Fault(fault));
}

#[test]
fn illegal_opcodes() {
    for opcode in (0..=255).filter(|&opcode| isa::by_opcode(opcode).is_none()) {
        if opcode % 16 == 8 || opcode == 255 {
            faults(machine(&[opcode, 0, 0, 0]), FaultKind::IllegalOpcode(opcode));
        }
    }
}

#[test]
fn illegal_registers() {
    for id in [55, 63, 96, 255] {
        faults(machine(&[0, id, 0, 0]), FaultKind::IllegalRegister(id));
        faults(machine(&[30, 0, id]), FaultKind::IllegalRegister(id));
        faults(machine(&[30, id, 0]), FaultKind::IllegalRegister(id));
        faults(machine(&[11, id]), FaultKind::IllegalRegister(id));
    }
}

#[test]
fn illegal_widths() {
    let cases: [(&[u8], u8); 14] = [
        (&[0, 16, 1], 16),       // LD with an immediate: opcode 3 is for bytes
        (&[3, 0, 1], 0),         // and 0 for the rest
        (&[9, 0, 16], 16),       // MOV A, AL
        (&[30, 77, 48], 48),     // ADD ELM, AB
        (&[34, 1, 30], 30),      // MOD B, KL
        (&[2, 0, 48], 48),       // [AB] is no address
        (&[150, 0, 77, 16], 16), // the index is a word
        (&[154, 0, 77, 0, 0], 0),
        (&[60, 0, 0], 0), // MOVZX needs a narrower source
        (&[61, 16, 0], 0),
        (&[80, 0, 1], 1),      // the count is a byte
        (&[163, 0, 16, 1], 0), // LOCC's pointer is no word
        (&[172, 77, 78, 77, 0], 77),
        (&[109, 53], 53),
    ];
    for (bytes, id) in cases {
        faults(machine(bytes), FaultKind::IllegalWidth(id));
    }
}

/// Each instruction that pushes, with the bytes it pushes.
const PUSHES: [(&[u8], u32); 10] = [
    (&[11, 16], 1),
    (&[11, 0], 2),
    (&[11, 77], 3),
    (&[11, 54], 3),
    (&[11, 48], 4),
    (&[11, 53], 8),
    (&[13], 32),
    (&[15], 2),
    (&[132, 0, 2, 2], 3),
    (&[135, 0, 0], 3),
];
/// Each that pops; POP SP is never checked.
const POPS: [(&[u8], u32); 9] = [
    (&[12, 16], 1),
    (&[12, 0], 2),
    (&[12, 77], 3),
    (&[12, 48], 4),
    (&[12, 53], 8),
    (&[14], 32),
    (&[16], 2),
    (&[133], 3),
    (&[137], 5),
];

fn with_sp(bytes: &[u8], sp: u32) -> Machine {
    let mut m = machine(bytes);
    set(&mut m, "SP", sp.into());
    m
}

#[test]
fn pushes_may_fill_the_stack_to_its_last_byte() {
    for (bytes, width) in PUSHES {
        let mut m = with_sp(bytes, STACK.start + width);
        assert_eq!(m.step(&mut Few::default()), None, "{bytes:?}");
        assert_eq!(m.sp(), STACK.start);
        for missing in [1, width] {
            let sp = STACK.start + width - missing;
            faults(with_sp(bytes, sp), FaultKind::Stack(STACK.start - missing));
        }
    }
}

#[test]
fn pops_may_empty_the_stack() {
    for (bytes, width) in POPS {
        let mut m = with_sp(bytes, STACK.end - width);
        assert_eq!(m.step(&mut Few::default()), None, "{bytes:?}");
        assert_eq!(m.sp(), STACK.end);
        for over in [1, width] {
            let sp = STACK.end - width + over;
            faults(with_sp(bytes, sp), FaultKind::Stack(STACK.end + over));
        }
    }
}

#[test]
fn outside_the_stack_nothing_is_checked() {
    let mut m = machine(&[]);
    for sp in [0u32, 3, 0x01_DBFF, 0x01_E001, 0x05_0000, 0xFF_FFFF] {
        for (bytes, width) in PUSHES {
            reload(&mut m, bytes);
            set(&mut m, "SP", sp.into());
            assert_eq!(m.step(&mut Few::default()), None, "{bytes:?} at {sp:X}");
            assert_eq!(m.sp(), sp.wrapping_sub(width) & 0xFF_FFFF);
        }
        for (bytes, width) in POPS {
            reload(&mut m, bytes);
            set(&mut m, "SP", sp.into());
            assert_eq!(m.step(&mut Few::default()), None, "{bytes:?} at {sp:X}");
            assert_eq!(m.sp(), (sp + width) & 0xFF_FFFF);
        }
    }
}

#[test]
fn pop_sp_takes_any_value_from_anywhere() {
    let mut m = with_sp(&[12, 54], STACK.end);
    m.memory_mut().write(STACK.end, 3, 0x12_3456);
    assert_eq!(m.step(&mut Few::default()), None);
    assert_eq!(m.sp(), 0x12_3456);
}

#[test]
fn other_instructions_set_sp_to_anything() {
    let mut m = machine(&code(&[&[0, 54, 0, 0, 0], &[21, 54], &[36, 54, 2, 0, 0]]));
    for _ in 0..3 {
        assert_eq!(m.step(&mut Few::default()), None);
    }
    assert_eq!(m.sp(), 0xFF_FFFF);
}

#[test]
fn a_hooked_int_and_an_interrupt_need_five_bytes() {
    for sp in [STACK.start + 4, STACK.start] {
        let mut m = with_sp(&[136, 0x50], sp);
        set_vector(&mut m, 0x50, 0x03_0000);
        faults(m, FaultKind::Stack(sp - 5));
    }
    // The interrupt of the frame: the fault is at the instruction that would be next.
    let mut m = with_sp(&[138, 142, 141], STACK.start + 4);
    set_vector(&mut m, 8, 0x03_0000);
    let Stop::Fault(fault) = m.run(&mut Few::default(), u64::MAX) else { panic!("no fault") };
    assert_eq!((fault.kind, fault.ip), (FaultKind::Stack(STACK.start - 1), ORIGIN + 2));
    assert_eq!(m.sp(), STACK.start + 4);
    // An INT that the BIOS serves pushes nothing.
    let mut m = with_sp(&[136, 0x50], STACK.start);
    assert_eq!(m.step(&mut Few::default()), None);
}

#[test]
fn brk_without_a_debugger_is_a_fault_and_with_one_a_stop() {
    faults(machine(&[147]), FaultKind::Break);
    let mut m = machine(&[147, 21, 0]);
    m.set_break_stops(true);
    assert_eq!(m.run(&mut Few::default(), u64::MAX), Stop::Break);
    assert_eq!((m.ip(), m.units(), m.flags()), (ORIGIN + 1, 1, B));
    assert_eq!(m.step(&mut Few::default()), None);
    assert_eq!(get(&m, "A"), 1);
}

#[test]
fn e_is_cleared_by_the_next_instruction() {
    let mut m = machine(&[8]);
    m.step(&mut Few::default());
    assert_eq!(m.flags(), E);
    m.memory_mut().set_byte(ORIGIN, 141);
    m.step(&mut Few::default());
    assert_eq!(m.flags(), 0);
}

#[test]
fn reports_read_well() {
    let mut m = machine(&[34, reg("B").id(), 30]);
    let Some(Stop::Fault(fault)) = m.step(&mut Few::default()) else { panic!("no fault") };
    assert_eq!(fault.to_string(), "illegal width: KL can't stand here at $020100");
    let mut m = machine(&[9, 200, 0]);
    let Some(Stop::Fault(fault)) = m.step(&mut Few::default()) else { panic!("no fault") };
    assert_eq!(fault.to_string(), "illegal register number 200 at $020100");
}
