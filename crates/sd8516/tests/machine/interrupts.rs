//! INT through vectors, IRET, vector 8 at the end of frames, vector 9 when
//! the program is asked to stop, HALT.

use isa::flags::{C, H, I, N, S, T, Z};
use sd8516::{Input, Machine, Stop};

use crate::support::{Few, ORIGIN, code, get, ld, machine, set, set_vector};

const HANDLER: u32 = 0x03_0000;

fn hooked(program: &[u8], vector: u8, handler: &[u8]) -> Machine {
    let mut m = machine(program);
    m.memory_mut().copy_in(HANDLER, handler);
    set_vector(&mut m, vector, HANDLER);
    m
}

fn steps(m: &mut Machine, count: usize) {
    for _ in 0..count {
        assert_eq!(m.step(&mut Few::default()), None);
    }
}

#[test]
fn a_hooked_int_pushes_address_then_flags_and_clears_i() {
    let mut m = hooked(&[136, 0x20, 141], 0x20, &[137]);
    m.set_flags(Z | C | I | T | S | 0x000A);
    let (flags, sp) = (m.flags(), m.sp());
    steps(&mut m, 1);
    assert_eq!((m.ip(), m.sp(), m.units()), (HANDLER, sp - 5, 1));
    assert_eq!(m.flags(), flags & !I);
    assert_eq!(m.memory().read(m.sp(), 2), u64::from(flags));
    assert_eq!(m.memory().read(m.sp() + 2, 3), u64::from(ORIGIN) + 2);
    steps(&mut m, 1);
    assert_eq!((m.ip(), m.sp(), m.flags()), (ORIGIN + 2, sp, flags));
}

#[test]
fn a_handler_answers_by_the_flags_it_left_on_the_stack() {
    // LDA [SP]; OR A, C; STA [SP]; IRET
    let handler = [2, 0, 54, 56, 0, C as u8, 0, 7, 0, 54, 137];
    let mut m = hooked(&[136, 0x10], 0x10, &handler);
    m.set_flags(N);
    steps(&mut m, 5);
    assert_eq!((m.ip(), m.flags()), (ORIGIN + 2, N | C));
}

#[test]
fn every_vector_has_its_place() {
    for number in [0u8, 1, 8, 9, 0x7F, 0xFF] {
        let mut m = hooked(&[136, number], number, &[]);
        assert_eq!(m.memory().read(0x01_E900 + 3 * u32::from(number), 3), u64::from(HANDLER));
        steps(&mut m, 1);
        assert_eq!(m.ip(), HANDLER);
    }
}

/// So many NOPs behind SEI, then a branch to itself.
fn nops_then_loop(nops: usize) -> Vec<u8> {
    code(&[&[138], &vec![141; nops], &[110, 0xFD, 0xFF]])
}

#[test]
fn the_frame_is_served_after_the_next_control_instruction() {
    // The frame ends at 21,333; straight code goes on to 30,000.
    let mut m = hooked(&nops_then_loop(29_999), 8, &[137]);
    assert_eq!(m.run(&mut Few::default(), 30_000), Stop::Budget);
    assert_eq!((m.ip(), m.frames()), (ORIGIN + 30_000, 1));
    m.set_flags(m.flags() | N);
    // The branch is executed, then the handler is entered without a unit.
    steps(&mut m, 1);
    assert_eq!((m.ip(), m.units(), m.flags()), (HANDLER, 30_001, N));
    assert_eq!(m.memory().read(m.sp() + 2, 3), u64::from(ORIGIN) + 30_000);
    assert_eq!(m.memory().read(m.sp(), 2), u64::from(I | N));
    steps(&mut m, 1);
    assert_eq!((m.ip(), m.flags()), (ORIGIN + 30_000, I | N));
    steps(&mut m, 1);
    assert_eq!(m.ip(), ORIGIN + 30_000);
}

#[test]
fn a_control_instruction_that_ends_the_frame_is_followed_by_the_handler() {
    let mut m = hooked(&[138, 110, 0xFD, 0xFF], 8, &[137]);
    assert_eq!(m.run(&mut Few::default(), 21_332), Stop::Budget);
    assert_eq!(m.ip(), ORIGIN + 1);
    assert_eq!(m.run(&mut Few::default(), 21_333), Stop::Budget);
    assert_eq!((m.ip(), m.units()), (HANDLER, 21_333));
}

#[test]
fn an_untaken_branch_is_a_control_instruction_too() {
    let mut m = hooked(&code(&[&[138], &vec![141; 22_000], &[111, 0, 0, 141]]), 8, &[137]);
    assert_eq!(m.run(&mut Few::default(), 22_002), Stop::Budget);
    assert_eq!(m.ip(), HANDLER);
    assert_eq!(m.memory().read(m.sp() + 2, 3), u64::from(ORIGIN) + 22_004);
}

#[test]
fn the_mark_outlives_cli_and_a_zero_vector_and_at_most_one_is_pending() {
    let program = [142, 142, 142, 138, 110, 0, 0, 110, 0xFD, 0xFF];
    let mut m = hooked(&program, 8, &[21, 0, 137]);
    set_vector(&mut m, 8, 0);
    // Three frames with I clear and no vector, then SEI: no control instruction.
    steps(&mut m, 4);
    assert_eq!((m.frames(), m.ip()), (3, ORIGIN + 4));
    // A branch with a zero vector: still nothing.
    steps(&mut m, 1);
    assert_eq!(m.ip(), ORIGIN + 7);
    set_vector(&mut m, 8, HANDLER);
    steps(&mut m, 1);
    assert_eq!(m.ip(), HANDLER);
    steps(&mut m, 20);
    assert_eq!((get(&m, "A"), m.frames()), (1, 3));
}

#[test]
fn halt_waits_for_the_frame_and_h_is_cleared_when_it_is_over() {
    let mut m = hooked(&[138, 140, 21, 0], 8, &[137]);
    steps(&mut m, 2);
    assert_eq!((m.ip(), m.units(), m.flags()), (HANDLER, 21_333, 0));
    // FLAGS on the stack still say halted; IRET doesn't write that bit.
    assert_eq!(m.memory().read(m.sp(), 2), u64::from(I | H));
    steps(&mut m, 1);
    assert_eq!((m.ip(), m.flags()), (ORIGIN + 2, I));

    let mut live = hooked(&[138, 140, 21, 0], 8, &[137]);
    live.set_input(Input::Live);
    assert_eq!(live.run(&mut Few::default(), u64::MAX), Stop::Wait);
    assert_eq!((live.flags(), live.units()), (I | H, 1));
    live.end_frame();
    assert_eq!(live.run(&mut Few::default(), 0), Stop::Budget);
    assert_eq!((live.ip(), live.units(), live.flags()), (HANDLER, 21_333, 0));
}

#[test]
fn halt_does_not_wait_when_an_interrupt_is_due() {
    // CLI state: a frame passes, SEI, HALT.
    let mut m = hooked(&[142, 138, 140, 141], 8, &[137]);
    steps(&mut m, 3);
    assert_eq!((m.ip(), m.units(), m.flags()), (HANDLER, 21_333 + 2, 0));
    // FLAGS on the stack don't tell how near the frame's end was.
    assert_eq!(m.memory().read(m.sp(), 2), u64::from(I | H));
    // Or when its own unit ends the frame.
    let mut m = hooked(&[138, 110, 0xFD, 0xFF], 8, &[137]);
    m.run(&mut Few::default(), 21_332);
    m.memory_mut().set_byte(ORIGIN + 1, 140);
    steps(&mut m, 1);
    assert_eq!((m.ip(), m.units()), (HANDLER, 21_333));
    assert_eq!(m.memory().read(m.sp(), 2), u64::from(I | H));
}

#[test]
fn halt_without_a_possible_interrupt_is_the_end() {
    for program in [&[140][..], &[139, 140]] {
        let mut m = hooked(program, 8, &[137]);
        assert_eq!(m.run(&mut Few::default(), u64::MAX), Stop::Exit(0));
        assert_eq!((m.flags(), m.ip()), (H, ORIGIN + program.len() as u32));
    }
    let mut m = machine(&[138, 140]);
    assert_eq!(m.run(&mut Few::default(), u64::MAX), Stop::Exit(0));
    assert_eq!((m.flags(), m.units()), (H | I, 2));
    // A mark that can't be served doesn't help.
    let mut m = machine(&[142, 138, 140]);
    assert_eq!(m.run(&mut Few::default(), u64::MAX), Stop::Exit(0));
}

#[test]
fn a_waiting_int_is_interrupted_and_tried_again() {
    let program = code(&[&[138], &ld("A", 0x0700), &ld("B", 2), &[136, 0x10, 141]]);
    let mut m = hooked(&program, 8, &[21, 2, 137]);
    let int = ORIGIN + 9;
    steps(&mut m, 3);
    for frame in 1..=2u64 {
        steps(&mut m, 1);
        assert_eq!((m.ip(), m.frames()), (HANDLER, frame));
        assert_eq!(m.memory().read(m.sp() + 2, 3), u64::from(int));
        steps(&mut m, 2);
        assert_eq!(m.ip(), int);
    }
    steps(&mut m, 1);
    assert_eq!((m.ip(), get(&m, "X"), m.units()), (int + 2, 2, 42_666 + 3));
}

#[test]
fn a_request_to_stop_without_vector_9_stops_at_once() {
    let mut m = machine(&[110, 0xFD, 0xFF]);
    m.run(&mut Few::default(), 100);
    m.request_stop();
    assert_eq!(m.run(&mut Few::default(), u64::MAX), Stop::Stopped);
    assert_eq!(m.units(), 100);
    // Also while it waits.
    for program in [&[142, 141][..], &code(&[&ld("AH", 2), &[136, 0x10]])] {
        let mut m = machine(program);
        m.set_input(Input::Live);
        assert_eq!(m.run(&mut Few::default(), u64::MAX), Stop::Wait);
        m.request_stop();
        assert_eq!(m.run(&mut Few::default(), u64::MAX), Stop::Stopped);
    }
}

#[test]
fn vector_9_is_called_whatever_i_says_and_gives_one_second() {
    // The handler counts for ever.
    let mut m = hooked(&[141, 141, 110, 0xFB, 0xFF], 9, &[21, 0, 110, 0xFB, 0xFF]);
    m.run(&mut Few::default(), 301);
    assert_eq!(m.ip(), ORIGIN + 1);
    m.request_stop();
    assert_eq!(m.run(&mut Few::default(), 303), Stop::Budget);
    assert_eq!((m.ip(), m.flags() & I), (HANDLER, 0));
    assert_eq!(m.run(&mut Few::default(), u64::MAX), Stop::Stopped);
    assert_eq!(m.units(), 301 + 1_280_000);
}

#[test]
fn a_program_may_put_things_in_order_and_exit() {
    let handler = code(&[&ld("A", 5), &[136, 0x20]]);
    let mut m = hooked(&[110, 0xFD, 0xFF], 9, &handler);
    m.run(&mut Few::default(), 10);
    m.request_stop();
    assert_eq!(m.run(&mut Few::default(), u64::MAX), Stop::Exit(5));
    assert_eq!(m.units(), 13);
}

#[test]
fn a_second_request_ends_the_patience() {
    let mut m = hooked(&[110, 0xFD, 0xFF], 9, &[110, 0xFD, 0xFF]);
    m.request_stop();
    assert_eq!(m.run(&mut Few::default(), 1000), Stop::Budget);
    assert_eq!(m.ip(), HANDLER);
    m.request_stop();
    assert_eq!(m.run(&mut Few::default(), u64::MAX), Stop::Stopped);
    assert_eq!(m.units(), 1000);
}

#[test]
fn straight_code_without_control_instructions_is_stopped_too() {
    // 16 MB of NOP.
    let mut m = hooked(&[], 9, &[]);
    m.memory_mut().fill(0, 141, u32::MAX);
    set_vector(&mut m, 9, HANDLER);
    m.request_stop();
    assert_eq!(m.run(&mut Few::default(), u64::MAX), Stop::Stopped);
    assert_eq!(m.units(), 1_280_000);
}

#[test]
fn vector_9_ends_a_halt_and_a_wait_for_a_key() {
    let mut m = hooked(&[138, 140, 141], 8, &[137]);
    m.memory_mut().copy_in(0x04_0000, &[137]);
    set_vector(&mut m, 9, 0x04_0000);
    m.set_input(Input::Live);
    assert_eq!(m.run(&mut Few::default(), u64::MAX), Stop::Wait);
    m.request_stop();
    assert_eq!(m.run(&mut Few::default(), 0), Stop::Budget);
    assert_eq!((m.ip(), m.flags() & (H | I)), (0x04_0000, 0));

    let mut m = hooked(&code(&[&ld("AH", 2), &[136, 0x10]]), 9, &[137]);
    m.set_input(Input::Live);
    assert_eq!(m.run(&mut Few::default(), u64::MAX), Stop::Wait);
    m.request_stop();
    assert_eq!(m.run(&mut Few::default(), 0), Stop::Budget);
    assert_eq!((m.ip(), m.units()), (HANDLER, 1));
    assert_eq!(m.memory().read(m.sp() + 2, 3), u64::from(ORIGIN) + 3);
    assert_eq!(m.run(&mut Few::default(), u64::MAX), Stop::Wait);
}

#[test]
fn a_store_into_code_is_seen_behind_the_next_control_instruction() {
    // STAL [after the branch]; BRA 0; (8 becomes 21) INC B
    let program = [6, 16, 8, 1, 2, 110, 0, 0, 8, 1];
    let mut m = machine(&program);
    set(&mut m, "AL", 21);
    steps(&mut m, 3);
    assert_eq!(get(&m, "B"), 1);
}

#[test]
fn zeroed_memory_is_lda_0() {
    let mut m = machine(&[]);
    set(&mut m, "A", 7);
    steps(&mut m, 1);
    assert_eq!((get(&m, "A"), m.ip(), m.flags()), (0, ORIGIN + 4, Z));
}

#[test]
fn jumps_branches_and_calls_go_where_they_say() {
    use isa::flags::V;
    let conditions = [(101, 111, Z), (103, 113, C), (105, 115, N), (107, 117, V)];
    for (jump, branch, flag) in conditions {
        for (offset, wanted) in [(0, true), (1, false)] {
            for flags in [0, flag, Z | C | N | V, (Z | C | N | V) & !flag] {
                let taken = (flags & flag != 0) == wanted;
                let mut m = machine(&[jump + offset, 0x10, 0x20, 0x30]);
                m.set_flags(flags);
                steps(&mut m, 1);
                assert_eq!(m.ip(), if taken { 0x30_2010 } else { ORIGIN + 4 });
                let mut m = machine(&[branch + offset, 0x00, 0x80]);
                m.set_flags(flags);
                steps(&mut m, 1);
                assert_eq!(m.ip(), if taken { ORIGIN + 3 - 0x8000 } else { ORIGIN + 3 });
                assert_eq!(m.flags(), flags);
            }
        }
    }
    // CALL, CALLR through a word and a pointer, BSR backwards past 0.
    let mut m = machine(&[132, 3, 2, 1]);
    steps(&mut m, 1);
    assert_eq!((m.ip(), m.memory().read(m.sp(), 3)), (0x01_0203, u64::from(ORIGIN) + 4));
    let mut m = machine(&[134, 2]);
    set(&mut m, "X", 0x1234);
    steps(&mut m, 1);
    assert_eq!((m.ip(), m.memory().read(m.sp(), 3)), (0x1234, u64::from(ORIGIN) + 2));
    let mut m = machine(&[]);
    m.memory_mut().copy_in(0, &[135, 0xF0, 0xFF]);
    m.set_ip(0);
    steps(&mut m, 1);
    assert_eq!((m.ip(), m.memory().read(m.sp(), 3)), (0xFF_FFF3, 3));
    let mut m = machine(&[109, 95]);
    set(&mut m, "GLT", 0x99_8877);
    steps(&mut m, 1);
    assert_eq!(m.ip(), 0x99_8877);
}

#[test]
fn a_jump_table_falls_through_behind_its_end() {
    let table = 0x05_0000u32;
    for (index, n, target) in
        [(0, 3, 0x11_1111), (2, 3, 0x33_3333), (3, 3, ORIGIN + 7), (0, 0, ORIGIN + 7)]
    {
        let mut m = machine(&[175, 2, n, 0, 0, 0, 5]);
        for entry in 0..3 {
            m.memory_mut().write(table + 3 * entry, 3, 0x11_1111 * u64::from(entry + 1));
        }
        set(&mut m, "X", index);
        steps(&mut m, 1);
        assert_eq!((m.ip(), m.units()), (target, 1));
    }
    let mut m = machine(&[175, 2, 0xFF, 0xFF, 0xFE, 0xFF, 0xFF]);
    m.memory_mut().write(0xFF_FFFE + 3 * 0xFFFE, 3, 0x12_3456);
    set(&mut m, "X", 0xFFFE);
    steps(&mut m, 1);
    assert_eq!(m.ip(), 0x12_3456);
}
