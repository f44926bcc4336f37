//! The 6502: on mos6502, and on w65c02s, which is exact to the bus cycle. Its
//! numbers have eight bits, and it has one accumulator.

use mos6502::cpu::CPU;
use mos6502::instruction::Nmos6502;
use mos6502::memory::{Bus, Memory};
use w65c02s::{System, W65C02S};

use crate::{Loop, Result, Run};

/// Where programs begin.
const START: u16 = 0x0400;

const COUNTDOWN: &[u8] = &[
    0xA2, 0x00, //       ldx #0        start
    0xCA, //             dex           next
    0xD0, 0xFD, //       bne next
    0x4C, 0x00, 0x04, // jmp start
];

const ARITHMETIC: &[u8] = &[
    0xA9, 0x78, //       lda #$78
    0x85, 0x10, //       sta x
    0x18, //             clc           next
    0x65, 0x11, //       adc y
    0x45, 0x12, //       eor z
    0x2A, //             rol
    0x38, //             sec
    0xE5, 0x13, //       sbc i
    0xE6, 0x13, //       inc i
    0x85, 0x10, //       sta x
    0x29, 0x7F, //       and #$7F
    0xC5, 0x10, //       cmp x
    0x4C, 0x04, 0x04, // jmp next
];

/// Sixteen pages from $2000 to $4000.
const COPY: &[u8] = &[
    0xA9, 0x00, //       lda #0        start
    0x85, 0x10, //       sta from
    0x85, 0x12, //       sta to
    0xA9, 0x20, //       lda #$20
    0x85, 0x11, //       sta from + 1
    0xA9, 0x40, //       lda #$40
    0x85, 0x13, //       sta to + 1
    0xA2, 0x10, //       ldx #16
    0xA0, 0x00, //       ldy #0        page
    0xB1, 0x10, //       lda (from),y  next
    0x91, 0x12, //       sta (to),y
    0xC8, //             iny
    0xD0, 0xF9, //       bne next
    0xE6, 0x11, //       inc from + 1
    0xE6, 0x13, //       inc to + 1
    0xCA, //             dex
    0xD0, 0xF0, //       bne page
    0x4C, 0x00, 0x04, // jmp start
];

const CALLS: &[u8] = &[
    0xA9, 0x00, //       lda #0
    0x85, 0x10, //       sta i
    0xA5, 0x10, //       lda i         next
    0x29, 0x03, //       and #3
    0x20, 0x1B, 0x04, // jsr classify
    0xB0, 0x06, //       bcs is_odd
    0x20, 0x1F, 0x04, // jsr even
    0x4C, 0x16, 0x04, // jmp step
    0x20, 0x2A, 0x04, // jsr odd       is_odd
    0xE6, 0x10, //       inc i         step
    0x4C, 0x04, 0x04, // jmp next
    0x48, //             pha           classify
    0x4A, //             lsr
    0x68, //             pla
    0x60, //             rts
    0x8A, //             txa           even
    0x48, //             pha
    0xA9, 0x02, //       lda #2
    0x18, //             clc
    0x65, 0x11, //       adc b
    0x85, 0x11, //       sta b
    0x68, //             pla
    0xAA, //             tax
    0x60, //             rts
    0xA5, 0x11, //       lda b         odd
    0xC9, 0x64, //       cmp #100
    0x90, 0x02, //       bcc small
    0xA9, 0x00, //       lda #0
    0x18, //             clc           small
    0x69, 0x01, //       adc #1
    0x85, 0x11, //       sta b
    0x60, //             rts
];

fn program(a_loop: Loop) -> &'static [u8] {
    match a_loop {
        Loop::Countdown => COUNTDOWN,
        Loop::Arithmetic => ARITHMETIC,
        Loop::Copy => COPY,
        Loop::Calls => CALLS,
    }
}

pub fn mos6502(a_loop: Loop, instructions: u64) -> Result<Run> {
    let mut memory = Memory::new();
    memory.set_bytes(START, program(a_loop));
    let mut cpu = CPU::new(memory, Nmos6502);
    cpu.registers.program_counter = START;
    let run = Run::of(|| {
        let executed = (0..instructions).filter(|_| cpu.single_step()).count();
        Ok(executed as u64)
    })?;
    stay(a_loop, cpu.registers.program_counter)?;
    Ok(run)
}

/// 64 KB and nothing else.
struct Ram(Box<[u8; 0x1_0000]>);

impl System for Ram {
    fn read(&mut self, _: &mut W65C02S, address: u16) -> u8 {
        self.0[usize::from(address)]
    }

    fn write(&mut self, _: &mut W65C02S, address: u16, value: u8) {
        self.0[usize::from(address)] = value;
    }
}

pub fn w65c02s(a_loop: Loop, instructions: u64) -> Result<Run> {
    let mut ram = Ram(Box::new([0; 0x1_0000]));
    let bytes = program(a_loop);
    ram.0[usize::from(START)..][..bytes.len()].copy_from_slice(bytes);
    ram.0[0xFFFC..][..2].copy_from_slice(&START.to_le_bytes());
    let mut cpu = W65C02S::new();
    // The reset, which takes a step of its own.
    cpu.step(&mut ram);
    let run = Run::of(|| {
        for _ in 0..instructions {
            cpu.step(&mut ram);
        }
        Ok(instructions)
    })?;
    stay(a_loop, cpu.get_pc())?;
    Ok(run)
}

fn stay(a_loop: Loop, pc: u16) -> Result<()> {
    crate::stay(a_loop, pc.into(), START.into(), program(a_loop).len())
}
