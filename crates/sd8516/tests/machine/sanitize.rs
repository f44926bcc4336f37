//! The checking mode: running off into memory that nothing wrote, writing over
//! code, and broken queues are reported; nothing is when it is off.

use sd8516::{FaultKind, Machine, Served, Services, Stop};

use crate::support::{Few, ORIGIN, code, image_at, ld, reg};

fn run(program: &[u8], checking: bool) -> Stop {
    let mut m = Machine::new();
    m.set_sanitize(checking);
    m.start(&image_at(ORIGIN, program), b"").unwrap();
    m.run(&mut Few::default(), 5000)
}

fn reported(program: &[u8], kind: FaultKind, ip: u32) {
    let Stop::Fault(fault) = run(program, true) else { panic!("not reported: {kind}") };
    assert_eq!((fault.kind, fault.ip), (kind, ip));
    assert_eq!(run(program, false), Stop::Budget);
}

#[test]
fn running_off_the_end_is_reported() {
    reported(&[141, 141], FaultKind::NeverWritten(ORIGIN + 2), ORIGIN + 2);
    // Also when only the operands are missing.
    reported(&[141, 1, 0], FaultKind::NeverWritten(ORIGIN + 3), ORIGIN + 1);
    // And a jump into nowhere.
    reported(&[100, 0, 0, 5], FaultKind::NeverWritten(0x05_0000), 0x05_0000);
}

#[test]
fn writing_over_code_is_reported_when_it_is_executed() {
    // STAL [+5] over the operand of a later LDB.
    let program = code(&[&[6, 16, 7, 1, 2], &ld("B", 1), &[110, 0xFD, 0xFF]]);
    reported(&program, FaultKind::Overwritten(ORIGIN + 7), ORIGIN + 5);
    // By a block operation: ORIGIN + 14 and on.
    let program = code(&[
        &ld("ELM", 0x02_0110),
        &ld("T", 2),
        &ld("AL", 141),
        &[161, 77, 16, 8],
        &[141; 6],
        &[110, 0xFD, 0xFF],
    ]);
    reported(&program, FaultKind::Overwritten(ORIGIN + 0x10), ORIGIN + 0x10);
    // Data that is written over is nobody's business.
    let program = code(&[&[6, 16, 8, 1, 2], &[110, 0xFD, 0xFF], &[0, 0]]);
    assert_eq!(run(&program, true), Stop::Budget);
}

#[test]
fn code_that_a_program_copies_elsewhere_may_run() {
    // MEMCOPY of BRA −3 to bank 5, jump there.
    let program = code(&[
        &ld("ELM", 0x05_0000),
        &ld("FLD", u64::from(ORIGIN) + 22),
        &ld("T", 3),
        &[160, 77, 86, 8],
        &[100, 0, 0, 5],
        &[110, 0xFD, 0xFF],
    ]);
    assert_eq!(run(&program, true), Stop::Budget);
    // The exit stub is the machine's own.
    assert_eq!(run(&[133], true), Stop::Exit(0));
}

/// Any INT loads `INC A, RET` to $020110.
struct Loader;

impl Services for Loader {
    fn interrupt(&mut self, machine: &mut Machine, _: u8) -> Served {
        machine.memory_mut().overlay(ORIGIN + 0x10, &[21, 0, 133]);
        Served::Done { touched: 3 }
    }
}

#[test]
fn code_that_a_service_loads_over_the_image_may_run_until_it_is_written_over() {
    let call = [132, 0x10, 1, 2];
    let overlay = [&[136, 0x15][..], &call, &[6, 18, 0x10, 1, 2], &call, &[141], &[255, 133]];
    let mut m = Machine::new();
    m.set_sanitize(true);
    m.start(&image_at(ORIGIN, &overlay.concat()), b"").unwrap();
    let Stop::Fault(fault) = m.run(&mut Loader, 5000) else { panic!("not reported") };
    let there = ORIGIN + 0x10;
    assert_eq!((fault.kind, fault.ip), (FaultKind::Overwritten(there), there));
    assert_eq!((m.reg(reg("A")), m.units()), (1, 7));
}

#[test]
fn queue_nodes_whose_neighbours_do_not_link_back_are_reported() {
    let (elm, fld) = (reg("ELM").id(), reg("FLD").id());
    // FLD points to a head that was never made.
    let program =
        code(&[&ld("ELM", 0x05_0000), &ld("FLD", 0x05_1000), &[170, elm, fld, 110, 0xFD, 0xFF]]);
    reported(&program, FaultKind::BrokenQueue(0x05_1000), ORIGIN + 10);
    let program = code(&[&ld("ELM", 0x05_0000), &[171, elm, 110, 0xFD, 0xFF]]);
    reported(&program, FaultKind::BrokenQueue(0x05_0000), ORIGIN + 5);
    // A head made properly: insert, remove, and remove from the empty head.
    let program = code(&[
        &ld("FLD", 0x05_1000),
        &[6, fld, 0x00, 0x10, 5, 6, fld, 0x03, 0x10, 5],
        &ld("ELM", 0x05_0000),
        &[170, elm, fld, 171, elm, 171, fld],
        &[110, 0xFD, 0xFF],
    ]);
    assert_eq!(run(&program, true), Stop::Budget);
    // Removing it twice is found.
    let program = code(&[
        &ld("FLD", 0x05_1000),
        &[6, fld, 0x00, 0x10, 5, 6, fld, 0x03, 0x10, 5],
        &ld("ELM", 0x05_0000),
        &[170, elm, fld, 171, elm, 171, elm],
        &[110, 0xFD, 0xFF],
    ]);
    reported(&program, FaultKind::BrokenQueue(0x05_0000), ORIGIN + 25);
}

#[test]
fn a_program_under_a_shell_is_checked_and_the_shell_goes_on() {
    let shell = code(&[&ld("A", 0x0100), &[136, 0x20, 110, 0xFD, 0xFF]]);
    let mut m = Machine::new();
    m.set_sanitize(true);
    m.start(&image_at(0x01_0100, &shell), b"").unwrap();
    let mut few = Few { program: Some(image_at(ORIGIN, &[141])) };
    assert_eq!(m.run(&mut few, 500), Stop::Budget);
    let reports = m.take_fault_reports();
    assert_eq!(reports[0].kind, FaultKind::NeverWritten(ORIGIN + 1));
    assert_eq!(m.program_depth(), 0);
}
