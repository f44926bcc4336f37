//! The flags column of the instruction table, every row: from random states,
//! bits outside it are kept, cleared ones are 0, set ones are 1, and those
//! said to change do.

use isa::flags::{N, S, WRITABLE};
use isa::memory_map::VECTORS;
use isa::{Arg, Class, FlagEffect, INSTRUCTIONS, Instruction, Reg};
use sd8516::{Machine, Stop};

use crate::support::{Few, Numbers, ORIGIN, machine, set};

const ROUNDS: u32 = 800;
/// Where pointers point: a few links to itself, so that queues are found.
const NODES: u32 = 0x05_0000;

/// A legal encoding of the row with random operands.
pub fn encoding(row: &Instruction, numbers: &mut Numbers) -> Vec<u8> {
    let mut bytes = vec![row.opcode];
    let mut first: Option<Reg> = None;
    for arg in row.args {
        let register = |class: Class, numbers: &mut Numbers| loop {
            let id = numbers.below(96) as u8;
            if let Some(reg) = Reg::from_id(id).filter(|&reg| class.accepts(reg, first)) {
                break reg;
            }
        };
        let raw = match arg {
            Arg::Reg(Class::NarrowerThanFirst) => 1,
            Arg::Reg(class) if first.is_none() => {
                let needs_narrower = row.args.contains(&Arg::Reg(Class::NarrowerThanFirst));
                let class = if needs_narrower { Class::Wide } else { *class };
                let reg = register(class, numbers);
                first = Some(reg);
                bytes.push(reg.id());
                continue;
            }
            Arg::Reg(_) | Arg::MemReg | Arg::Imm8 => 1,
            Arg::MemIndex | Arg::Imm16 | Arg::Rel16 => 2,
            Arg::MemDisp | Arg::Addr | Arg::MemAbs => 3,
            Arg::Imm => usize::from(first.map_or(0, Reg::width)),
        };
        let value = numbers.edgy().to_le_bytes();
        match arg {
            Arg::Reg(class) => bytes.push(register(*class, numbers).id()),
            Arg::MemReg => bytes.push(register(Class::Address, numbers).id()),
            Arg::MemIndex => {
                bytes.push(register(Class::Address, numbers).id());
                bytes.push(register(Class::Word, numbers).id());
            }
            Arg::MemDisp => {
                bytes.push(register(Class::Address, numbers).id());
                bytes.extend_from_slice(&value[..2]);
            }
            _ => bytes.extend_from_slice(&value[..raw]),
        }
    }
    bytes
}

/// Random registers; pointers often into the nodes, blocks often short.
pub fn scramble(machine: &mut Machine, numbers: &mut Numbers) {
    for reg in Reg::all().take(16) {
        let value = numbers.edgy();
        machine.set_reg(reg, value);
    }
    for name in ["BLX", "ELM", "FLD", "GLK"] {
        if numbers.below(3) > 0 {
            let node = u64::from(NODES) + 8 * numbers.below(6);
            set(machine, name, node);
        }
    }
    // Nodes link to themselves, to the next one, or to anything.
    for at in (NODES..NODES + 64).step_by(8) {
        for link in [at, at + 3] {
            let to = match numbers.below(3) {
                0 => u64::from(at),
                _ => u64::from(NODES) + 8 * numbers.below(6),
            };
            machine.memory_mut().write(link, 3, to);
        }
        machine.memory_mut().write(at + 6, 2, numbers.below(2));
    }
    let sp = 0x01_DE00 + numbers.below(16) * 2;
    machine.set_reg(Reg::SP, sp);
    for offset in (0..40).step_by(8) {
        machine.memory_mut().write(sp as u32 + offset, 8, numbers.edgy());
    }
}

/// A served INT sets C and a hooked one clears I, HALT sets H and ends or
/// waits: they have tests of their own.
fn is_special(row: &Instruction) -> bool {
    matches!(row.mnemonic, "INT" | "HALT")
}

/// What follows from the result: the top bit of a zero-extended or right-shifted
/// value is 0.
fn never_set(row: &Instruction) -> u16 {
    match row.args {
        [_] if row.mnemonic == "SHR" => N,
        _ if row.mnemonic == "MOVZX" => N,
        _ => 0,
    }
}

#[test]
fn every_row_keeps_changes_clears_and_sets_what_the_table_says() {
    let mut numbers = Numbers(5);
    for row in INSTRUCTIONS.iter().filter(|row| !is_special(row)) {
        let FlagEffect { changed, cleared, set, fast } = row.flags;
        let (mut seen_0, mut seen_1, mut executed) = (0, 0, 0);
        let mut m = machine(&[]);
        m.set_break_stops(true);
        let noise: Vec<u8> = (0..1 << 16).map(|_| numbers.edgy() as u8).collect();
        for bank in (0..0x100_0000).step_by(1 << 16) {
            m.memory_mut().copy_in(bank, &noise);
        }
        for _ in 0..ROUNDS {
            scramble(&mut m, &mut numbers);
            if row.opcode >= 190 {
                // Drawing is only found inside in a graphics mode.
                let mode = sd8516::ppu::Mode::from_number([2, 8][numbers.below(2) as usize]);
                let (devices, memory) = m.devices_and_memory();
                devices.ppu.set_mode(memory, mode.unwrap());
            }
            m.memory_mut().copy_in(ORIGIN, &encoding(row, &mut numbers));
            m.memory_mut().slice_mut(VECTORS).fill(0);
            m.set_ip(ORIGIN);
            let before = numbers.next() as u16 & WRITABLE;
            m.set_flags(before);
            match m.step(&mut Few::default()) {
                None | Some(Stop::Break) => executed += 1,
                Some(stop) => {
                    assert!(row.mnemonic == "SCANQUE", "{} {stop:?}", row.mnemonic);
                    continue;
                }
            }
            let after = m.flags();
            let may_change =
                if fast && before & S != 0 { cleared | set } else { changed | cleared | set };
            assert_eq!((before ^ after) & !may_change, 0, "{} keeps", row.mnemonic);
            assert_eq!(after & cleared, 0, "{} clears", row.mnemonic);
            assert_eq!(after & set, set, "{} sets", row.mnemonic);
            if !(fast && before & S != 0) {
                seen_0 |= !after;
                seen_1 |= after;
            }
        }
        assert!(executed >= ROUNDS / 4, "{} was executed {executed} times", row.mnemonic);
        assert_eq!(seen_0 & changed, changed, "{} can clear", row.mnemonic);
        let changed = changed & !never_set(row);
        assert_eq!(seen_1 & changed, changed, "{} ({}) can set", row.mnemonic, row.opcode);
    }
}
