//! RISC-V, on ckb-vm's interpreter in x86-64 assembly: every instruction counts
//! as one of its cycles, which are limited.

use ckb_vm::machine::asm::{AsmCoreMachine, AsmMachine};
use ckb_vm::machine::{DefaultMachineBuilder, VERSION2};
use ckb_vm::memory::{FLAG_EXECUTABLE, FLAG_FREEZED};
use ckb_vm::{
    Bytes, CoreMachine, DefaultMachineRunner, Error, ISA_IMC, Memory, RISCV_MAX_MEMORY,
    SupportMachine,
};

use crate::{Loop, Result, Run, stay};

/// Where programs begin, a whole page.
const START: u64 = 0x1_0000;
const PAGE: u64 = 4096;
/// Where data begins.
const DATA: u64 = 0x10_0000;

/// Registers: zero, return address, stack pointer, and those of a program.
const ZERO: u32 = 0;
const RA: u32 = 1;
const SP: u32 = 2;
const T0: u32 = 5;
const T1: u32 = 6;
const T2: u32 = 7;
const S0: u32 = 8;
const A0: u32 = 10;
const A1: u32 = 11;
const A2: u32 = 12;
const A3: u32 = 13;
const A4: u32 = 14;
const T3: u32 = 28;
const T4: u32 = 29;
const T5: u32 = 30;

fn program(a_loop: Loop) -> Vec<u32> {
    match a_loop {
        Loop::Countdown => vec![
            addi(T0, ZERO, -1),
            addi(T0, T0, -1), // next
            bne(T0, ZERO, -4),
        ],
        Loop::Arithmetic => vec![
            add(T0, T0, T1), // next
            xor(T2, T2, T0),
            slli(T1, T1, 5),
            sub(T3, T3, T4),
            addi(T4, T4, 1),
            mul(T5, T5, T4),
            add(T5, T5, T0),
            andi(A0, T5, 255),
            sltu(A1, A0, T5),
            jal(ZERO, -36),
        ],
        // A0 and A1 point to 4,096 bytes each.
        Loop::Copy => vec![
            addi(A2, ZERO, 0), // start
            add(T0, A0, A2),   // next
            lbu(T1, T0, 0),
            add(T0, A1, A2),
            sb(T1, T0, 0),
            addi(A2, A2, 1),
            bne(A2, A3, -20),
            jal(ZERO, -28),
        ],
        Loop::Calls => vec![
            andi(A0, S0, 3), // next
            jal(RA, 28),     // classify
            bne(A0, ZERO, 12),
            jal(RA, 40), // even
            jal(ZERO, 8),
            jal(RA, 52), // odd
            addi(S0, S0, 1),
            jal(ZERO, -28),
            addi(SP, SP, -16), // classify
            sd(A0, SP, 0),
            ld(A0, SP, 0),
            addi(SP, SP, 16),
            andi(A0, A0, 1),
            jalr(ZERO, RA),
            addi(T0, ZERO, 2), // even
            add(A4, A4, T0),
            jalr(ZERO, RA),
            addi(ZERO, ZERO, 0),
            addi(T1, ZERO, 1000), // odd
            bltu(A4, T1, 8),
            addi(A4, ZERO, 0),
            addi(A4, A4, 1), // small
            jalr(ZERO, RA),
        ],
    }
}

pub fn ckb_vm(a_loop: Loop, instructions: u64) -> Result<Run> {
    let core = <Box<AsmCoreMachine> as SupportMachine>::new_with_memory(
        ISA_IMC,
        VERSION2,
        instructions,
        RISCV_MAX_MEMORY,
    );
    let machine = DefaultMachineBuilder::new(core).instruction_cycle_func(Box::new(|_| 1)).build();
    let mut machine = AsmMachine::new(machine);
    let inner = machine.inner_mut();
    let code: Vec<u8> = program(a_loop).into_iter().flat_map(u32::to_le_bytes).collect();
    let code_length = code.len();
    let flags = FLAG_EXECUTABLE | FLAG_FREEZED;
    inner.init_pages(START, PAGE, flags, Some(Bytes::from(code)), 0)?;
    for (register, value) in [(SP, DATA), (A0, DATA), (A1, DATA + PAGE), (A3, PAGE)] {
        inner.set_register(register as usize, value);
    }
    inner.update_pc(START);
    inner.commit_pc();
    inner.set_running(true);
    let run = Run::of(|| match machine.run() {
        Err(Error::CyclesExceeded) => Ok(instructions),
        Ok(code) => Err(format!("the program ended with {code}").into()),
        Err(error) => Err(error.into()),
    })?;
    stay(a_loop, *machine.inner_mut().pc(), START, code_length)?;
    Ok(run)
}

fn add(d: u32, a: u32, b: u32) -> u32 {
    r_type(0, b, a, 0, d)
}

fn sub(d: u32, a: u32, b: u32) -> u32 {
    r_type(0x20, b, a, 0, d)
}

fn xor(d: u32, a: u32, b: u32) -> u32 {
    r_type(0, b, a, 4, d)
}

fn sltu(d: u32, a: u32, b: u32) -> u32 {
    r_type(0, b, a, 3, d)
}

fn mul(d: u32, a: u32, b: u32) -> u32 {
    r_type(1, b, a, 0, d)
}

fn addi(d: u32, a: u32, value: i32) -> u32 {
    i_type(value, a, 0, d, 0x13)
}

fn andi(d: u32, a: u32, value: i32) -> u32 {
    i_type(value, a, 7, d, 0x13)
}

fn slli(d: u32, a: u32, count: i32) -> u32 {
    i_type(count, a, 1, d, 0x13)
}

fn lbu(d: u32, base: u32, offset: i32) -> u32 {
    i_type(offset, base, 4, d, 0x03)
}

fn ld(d: u32, base: u32, offset: i32) -> u32 {
    i_type(offset, base, 3, d, 0x03)
}

fn jalr(d: u32, base: u32) -> u32 {
    i_type(0, base, 0, d, 0x67)
}

fn sb(value: u32, base: u32, offset: i32) -> u32 {
    s_type(offset, value, base, 0)
}

fn sd(value: u32, base: u32, offset: i32) -> u32 {
    s_type(offset, value, base, 3)
}

fn bne(a: u32, b: u32, offset: i32) -> u32 {
    b_type(offset, b, a, 1)
}

fn bltu(a: u32, b: u32, offset: i32) -> u32 {
    b_type(offset, b, a, 6)
}

fn jal(d: u32, offset: i32) -> u32 {
    let bits = offset as u32;
    (bits >> 20 & 1) << 31
        | (bits >> 1 & 0x3FF) << 21
        | (bits >> 11 & 1) << 20
        | (bits >> 12 & 0xFF) << 12
        | d << 7
        | 0x6F
}

fn r_type(function: u32, b: u32, a: u32, kind: u32, d: u32) -> u32 {
    function << 25 | b << 20 | a << 15 | kind << 12 | d << 7 | 0x33
}

fn i_type(value: i32, a: u32, kind: u32, d: u32, opcode: u32) -> u32 {
    (value as u32 & 0xFFF) << 20 | a << 15 | kind << 12 | d << 7 | opcode
}

fn s_type(offset: i32, value: u32, base: u32, kind: u32) -> u32 {
    let bits = offset as u32;
    (bits >> 5 & 0x7F) << 25 | value << 20 | base << 15 | kind << 12 | (bits & 0x1F) << 7 | 0x23
}

fn b_type(offset: i32, b: u32, a: u32, kind: u32) -> u32 {
    let bits = offset as u32;
    (bits >> 12 & 1) << 31
        | (bits >> 5 & 0x3F) << 25
        | b << 20
        | a << 15
        | kind << 12
        | (bits >> 1 & 0xF) << 8
        | (bits >> 11 & 1) << 7
        | 0x63
}
