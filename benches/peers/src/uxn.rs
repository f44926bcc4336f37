//! Uxn, on raven: a stack machine with 64 KB. It runs until BRK, so a program
//! here is rounds without end but for a count, and each of its instructions
//! stands with how often it is executed in a round.

use raven_uxn::{Backend, EmptyDevice, Uxn, UxnMem, backend};

use crate::{Loop, Result, Run};

pub fn safe(a_loop: Loop, instructions: u64) -> Result<Run> {
    run::<backend::Interpreter>(a_loop, instructions)
}

pub fn native(a_loop: Loop, instructions: u64) -> Result<Run> {
    run::<backend::Native>(a_loop, instructions)
}

/// Where programs begin.
const START: u16 = 0x0100;
/// The variable that counts rounds, in the zero page.
const ROUNDS: u8 = 0x00;

/// How often an instruction is executed in a round, and its bytes.
type Line = (u64, &'static [u8]);

/// The end of every program: another round, or the end.
const NEXT_ROUND: [Line; 9] = [
    (1, &[0x80, ROUNDS]),     // LIT rounds
    (1, &[0x30]),             // LDZ2
    (1, &[0xA0, 0x00, 0x01]), // LIT2 1
    (1, &[0x39]),             // SUB2
    (1, &[0x26]),             // DUP2
    (1, &[0x80, ROUNDS]),     // LIT rounds
    (1, &[0x31]),             // STZ2
    (1, &[0x1D]),             // ORA
    (1, &[0x20]),             // JCI to the start, and BRK
];

const COUNTDOWN: &[Line] = &[
    (1, &[0xA0, 0xFF, 0xFF]),     // LIT2 65535
    (65535, &[0xA0, 0x00, 0x01]), // LIT2 1          next
    (65535, &[0x39]),             // SUB2
    (65535, &[0x26]),             // DUP2
    (65535, &[0x1D]),             // ORA
    (65535, &[0x20, 0xFF, 0xF7]), // JCI next
    (1, &[0x22]),                 // POP2
];

/// Ten instructions of arithmetic and eight for a counter in memory: a stack
/// machine has none in a register.
const ARITHMETIC: &[Line] = &[
    (1, &[0x80, 0x00]),         // LIT 0
    (1, &[0x80, 0x02]),         // LIT count
    (1, &[0x11]),               // STZ
    (1, &[0xA0, 0x12, 0x34]),   // LIT2 $1234
    (1, &[0xA0, 0x9E, 0x37]),   // LIT2 $9E37
    (256, &[0x27]),             // OVR2            next
    (256, &[0x38]),             // ADD2
    (256, &[0x24]),             // SWP2
    (256, &[0xA0, 0x56, 0x78]), // LIT2 $5678
    (256, &[0x3E]),             // EOR2
    (256, &[0x80, 0x11]),       // LIT $11
    (256, &[0x3F]),             // SFT2
    (256, &[0x21]),             // INC2
    (256, &[0x27]),             // OVR2
    (256, &[0x3A]),             // MUL2
    (256, &[0x80, 0x02]),       // LIT count
    (256, &[0x10]),             // LDZ
    (256, &[0x80, 0x01]),       // LIT 1
    (256, &[0x19]),             // SUB
    (256, &[0x06]),             // DUP
    (256, &[0x80, 0x02]),       // LIT count
    (256, &[0x11]),             // STZ
    (256, &[0x20, 0xFF, 0xE6]), // JCI next
    (1, &[0x22]),               // POP2
    (1, &[0x22]),               // POP2
];

/// 4,096 bytes from $2000 to $4000, the target's address on the return stack.
const COPY: &[Line] = &[
    (1, &[0xA0, 0x20, 0x00]),    // LIT2 $2000
    (1, &[0xA0, 0x40, 0x00]),    // LIT2 $4000
    (1, &[0x2F]),                // STH2
    (4096, &[0x94]),             // LDAk            next
    (4096, &[0xEF]),             // STH2kr
    (4096, &[0x15]),             // STA
    (4096, &[0x21]),             // INC2
    (4096, &[0x61]),             // INC2r
    (4096, &[0x26]),             // DUP2
    (4096, &[0xA0, 0x30, 0x00]), // LIT2 $3000
    (4096, &[0x29]),             // NEQ2
    (4096, &[0x20, 0xFF, 0xF3]), // JCI next
    (1, &[0x22]),                // POP2
    (1, &[0x62]),                // POP2r
];

/// The loop of the same name, with its index and B in the zero page. B stays
/// below 1,000 within a round.
const CALLS: &[Line] = &[
    (1, &[0x80, 0x00]),         // LIT 0
    (1, &[0x80, 0x02]),         // LIT index
    (1, &[0x11]),               // STZ
    (1, &[0xA0, 0x00, 0x00]),   // LIT2 0
    (1, &[0x80, 0x04]),         // LIT b
    (1, &[0x31]),               // STZ2
    (256, &[0x80, 0x02]),       // LIT index       next
    (256, &[0x10]),             // LDZ
    (256, &[0x80, 0x03]),       // LIT 3
    (256, &[0x1C]),             // AND
    (256, &[0x60, 0x00, 0x1A]), // JSI classify
    (256, &[0x20, 0x00, 0x06]), // JCI odd
    (128, &[0x60, 0x00, 0x18]), // JSI even
    (128, &[0x40, 0x00, 0x03]), // JMI step
    (128, &[0x60, 0x00, 0x1D]), // JSI odd         odd
    (256, &[0x80, 0x02]),       // LIT index       step
    (256, &[0x10]),             // LDZ
    (256, &[0x01]),             // INC
    (256, &[0x06]),             // DUP
    (256, &[0x80, 0x02]),       // LIT index
    (256, &[0x11]),             // STZ
    (256, &[0x20, 0xFF, 0xE0]), // JCI next
    (1, &[0x40, 0x00, 0x23]),   // JMI end
    (256, &[0x80, 0x01]),       // LIT 1           classify ( i -- odd )
    (256, &[0x1C]),             // AND
    (256, &[0x6C]),             // JMP2r
    (128, &[0x80, 0x04]),       // LIT b           even ( -- )
    (128, &[0x30]),             // LDZ2
    (128, &[0xA0, 0x00, 0x02]), // LIT2 2
    (128, &[0x38]),             // ADD2
    (128, &[0x80, 0x04]),       // LIT b
    (128, &[0x31]),             // STZ2
    (128, &[0x6C]),             // JMP2r
    (128, &[0x80, 0x04]),       // LIT b           odd ( -- )
    (128, &[0x30]),             // LDZ2
    (128, &[0x26]),             // DUP2
    (128, &[0xA0, 0x03, 0xE8]), // LIT2 1000
    (128, &[0x2B]),             // LTH2
    (128, &[0x20, 0x00, 0x04]), // JCI small
    (0, &[0x22]),               // POP2
    (0, &[0xA0, 0x00, 0x00]),   // LIT2 0
    (128, &[0x21]),             // INC2            small
    (128, &[0x80, 0x04]),       // LIT b
    (128, &[0x31]),             // STZ2
    (128, &[0x6C]),             // JMP2r
]; //                 end

fn run<B: Backend>(a_loop: Loop, instructions: u64) -> Result<Run> {
    let lines = match a_loop {
        Loop::Countdown => COUNTDOWN,
        Loop::Arithmetic => ARITHMETIC,
        Loop::Copy => COPY,
        Loop::Calls => CALLS,
    };
    let (rom, a_round) = assemble(lines);
    let rounds = u16::try_from(instructions.div_ceil(a_round)).map_err(|_| "too many rounds")?;
    let mut memory = UxnMem::boxed();
    let mut machine = Uxn::<B>::new(&mut memory);
    if !machine.reset(&rom).is_empty() {
        return Err("the program doesn't fit".into());
    }
    let [high, low] = rounds.to_be_bytes();
    machine.ram_write_byte(ROUNDS.into(), high);
    machine.ram_write_byte(u16::from(ROUNDS) + 1, low);
    let run = Run::of(|| {
        machine.run(&mut EmptyDevice, START);
        // BRK is the last.
        Ok(u64::from(rounds) * a_round + 1)
    })?;
    let is_over = machine.ram_read_word(ROUNDS.into()) == 0;
    if is_over && machine.stack().is_empty() && machine.ret().is_empty() {
        Ok(run)
    } else {
        Err(format!("its {} went astray", a_loop.name()).into())
    }
}

/// A program, and the instructions that it executes in a round.
fn assemble(lines: &[Line]) -> (Vec<u8>, u64) {
    let all = || lines.iter().chain(&NEXT_ROUND);
    let mut rom: Vec<u8> = all().flat_map(|(_, bytes)| *bytes).copied().collect();
    // The distance is counted from behind it.
    let back = -(i16::try_from(rom.len()).unwrap_or(i16::MAX) + 2);
    rom.extend(back.to_be_bytes());
    rom.push(0x00);
    (rom, all().map(|(times, _)| times).sum())
}
