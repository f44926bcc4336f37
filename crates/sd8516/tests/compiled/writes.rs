//! Programs that write to their own code, and to the top of memory.

use isa::Reg;

use super::{assert_same, machine};

fn id(name: &str) -> u8 {
    Reg::by_name(name).unwrap().id()
}

#[test]
fn a_loop_that_changes_its_next_instruction_sees_it_as_plain_code_does() {
    // loop: INC BL; STBL [next + 2]; next: LDAL 0; ADD C, ... ; BRA loop
    let code = [21, id("BL"), 6, id("BL"), 0x08, 1, 2, 3, id("AL"), 0, 30, 4, 0, 110, 0xF1, 0xFF];
    let mut code = code;
    // the immediate of LDAL is at offset 9
    code[4] = 0x09;
    assert_same(&machine(&code), (1..300).chain([30_000]), "a loop that writes its own immediate");
}

#[test]
fn a_routine_that_is_rewritten_after_it_was_compiled_is_compiled_anew() {
    // outer: LDI 50; inner: BSR r; DEC I; BNZ inner; INC AL; STAL [r + 3]; BRA outer; r: ADD B, n; RET
    let code = [
        0, 5, 50, 0, 135, 15, 0, 22, 5, 112, 0xF8, 0xFF, 21, 16, 6, 16, 0x18, 1, 2, 110, 0xEA,
        0xFF, 35, 1, 1, 0, 133,
    ];
    assert_same(&machine(&code), (1..2_000).step_by(7).chain([90_000]), "a rewritten routine");
}

#[test]
fn data_beside_the_code_may_be_written() {
    // loop: INC A; STA [data]; LDB [data]; BRA loop; data
    let code = [21, 0, 6, 0, 0x0F, 1, 2, 1, 1, 0x0F, 1, 2, 110, 0xF1, 0xFF, 0, 0];
    assert_same(&machine(&code), (1..100).chain([50_000]), "a variable behind the code");
}

#[test]
fn accesses_at_the_top_go_on_at_the_bottom() {
    // LDELM $FFFFF8; loop: STABCD [ELM]; LDXY [ELM]; ADD A, X; INC ELM; STFLD [ELM]; LDGLK [ELM]; BRA loop
    let (elm, abcd) = (id("ELM"), id("ABCD"));
    let code = [
        &[0, elm, 0xF0, 0xFF, 0xFF][..],
        &[7, abcd, elm, 2, id("XY"), elm, 30, 0, 2, 21, elm, 7, id("FLD"), elm, 2, id("GLK"), elm],
        &[110, 0xEC, 0xFF],
    ]
    .concat();
    assert_same(&machine(&code), (1..400).chain([5_000]), "the top of memory");
}

#[test]
fn code_that_wraps_at_the_top_runs_on() {
    let mut machine = machine(&[141]);
    // INC A at the top, its register byte at 0; then BRA back
    machine.memory_mut().write(0xFF_FFFF, 1, 21);
    machine.memory_mut().copy_in(0, &[1, 110, 0xFB, 0xFF]);
    machine.set_ip(0xFF_FFFF);
    assert_same(&machine, (1..200).chain([40_000]), "code across the top");
}

#[test]
fn code_in_the_stack_runs_and_is_seen_when_pushes_change_it() {
    let mut machine = machine(&[141]);
    // at $01DD00: INC A; BSR +0; ... in the stack itself
    machine.memory_mut().copy_in(0x01_DD00, &[21, 0, 11, 0, 12, 1, 110, 0xF7, 0xFF]);
    machine.set_ip(0x01_DD00);
    machine.set_reg(Reg::SP, 0x01_DD03);
    assert_same(&machine, (1..200).chain([3_000]), "code in the stack");
}
