//! Budgets that end at every unit, in loops of every shape.

use isa::Reg;

use super::{assert_same, machine};

fn id(name: &str) -> u8 {
    Reg::by_name(name).unwrap().id()
}

fn assert_same_at_every_unit(code: &[u8], what: &str) {
    assert_same(&machine(code), 1..400, what);
    // Compiled first, then stopped at every unit.
    assert_same(&machine(code), 50_000..50_200, what);
}

#[test]
fn a_countdown_stops_between_its_two_instructions() {
    let cd = id("CD");
    let code = [0, cd, 5, 0, 0, 0, 22, cd, 102, 6, 1, 2, 110, 0xEF, 0xFF];
    assert_same_at_every_unit(&code, "a countdown");
}

#[test]
fn calls_taken_in_stop_within_the_routine() {
    // BSR +4; INC A; BRA start; PUSH B; INC B; POP C; RET
    let code = [135, 5, 0, 21, 0, 110, 0xF8, 0xFF, 11, 1, 21, 1, 12, 4, 133];
    assert_same_at_every_unit(&code, "a call");
}

#[test]
fn a_routine_that_drops_its_return_address_goes_where_it_says() {
    // start: LDA addr of X; BSR r; BRA start; r: POP BLX; PUSH ELM...; RET to elsewhere
    let elsewhere = 0x02_0100 + 17;
    let code = [
        &[0, id("ELM")][..],
        &u32::to_le_bytes(elsewhere)[..3],
        &[135, 3, 0, 110, 0xF5, 0xFF],
        // the routine: its return address is replaced
        &[12, id("FLD"), 11, id("ELM"), 133, 141],
        // elsewhere: back to the start
        &[21, 0, 110, 0xEA, 0xFF],
    ]
    .concat();
    assert_same_at_every_unit(&code, "a changed return address");
}

#[test]
fn interrupts_come_where_they_do_in_plain_code() {
    // SEI; loop: INC A; BRA loop; handler: INC B; IRET
    let code = [138, 21, 0, 110, 0xFB, 0xFF, 21, 1, 137];
    let mut machine = machine(&code);
    machine.memory_mut().write(isa::memory_map::VECTORS.start + 24, 3, 0x02_0106);
    assert_same(&machine, (21_320..21_350).chain(42_650..42_680).chain([200_000]), "interrupts");
}

#[test]
fn a_program_that_sets_its_own_vector_is_interrupted_at_once() {
    // Wait until a frame has passed, then set the vector from within the loop:
    // SEI; LDELM $020115; loop: INC IJ; BNC -> ... ; STELM [$01E918] on a round
    let (ij, elm) = (id("IJ"), id("ELM"));
    let code = [
        &[138, 0, elm, 0x20, 1, 2][..],
        &[21, ij, 91, ij, 0xE8, 3, 1, 0],
        // BNZ over the store
        &[112, 5, 0, 6, elm, 0x18, 0xE9, 1],
        &[110, 0xEE, 0xFF],
    ]
    .concat();
    let mut code = code;
    code.resize(0x20, 141);
    // the handler: INC B; IRET
    code.extend([21, 1, 137]);
    let around = (0..400).map(|more| 130_000 + 97 * more).chain([400_000]);
    assert_same(&machine(&code), around, "a vector set by the program");
}

#[test]
fn pushes_past_the_end_of_the_stack_are_faults_there() {
    // loop: PUSH ABCD; BRA loop
    assert_same(&machine(&[11, id("ABCD"), 110, 0xFB, 0xFF]), 1..400, "pushes");
    // loop: POPA; BRA loop
    assert_same(&machine(&[14, 110, 0xFC, 0xFF]), 1..20, "pops");
}

#[test]
fn a_stack_elsewhere_works_and_may_pass_the_top() {
    // LDSP $000004; loop: PUSH AB; PUSHA; POPA; POP CD; INC A; BRA loop
    let code = [0, id("SP"), 4, 0, 0, 11, id("AB"), 13, 14, 12, id("CD"), 21, 0, 110, 0xF5, 0xFF];
    assert_same_at_every_unit(&code, "a stack at the bottom of memory");
}

#[test]
fn fast_flags_are_as_plain() {
    // loop: SEF; INC A; CLF; INC B; BRA loop
    let code = [145, 21, 0, 146, 21, 1, 110, 0xF7, 0xFF];
    assert_same_at_every_unit(&code, "fast flags");
}
