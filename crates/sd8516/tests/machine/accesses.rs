//! The access columns of the instruction table, every row: from random
//! states only what they name is written, and nothing that they leave out
//! makes a difference.

use std::ops::Range;

use isa::flags::{C, N, S, V, WRITABLE, Z};
use isa::memory_map::device::CELLS;
use isa::memory_map::{MEMORY_SIZE, VECTORS};
use isa::{Decoded, INSTRUCTIONS, Instruction, Reg};
use sd8516::{Machine, Stop};

use crate::flag_column::{encoding, scramble};
use crate::support::{Few, Numbers, ORIGIN, machine};

/// Pairs of runs for each row that stores, memory compared.
const STORING: usize = 4;
/// Pairs of runs for each other row, and how many of them compare memory.
const LOOKING: (usize, usize) = (60, 1);
/// Bytes on either side of SP where the stack is written.
const STACK: u32 = 64;

/// Registers and flags around one instruction.
#[derive(Clone, Copy, Debug, PartialEq)]
struct State {
    words: [u16; 16],
    sp: u32,
    flags: u16,
    ip: u32,
}

impl State {
    fn of(machine: &Machine) -> State {
        State {
            words: std::array::from_fn(|id| machine.reg(word(id)) as u16),
            sp: machine.sp(),
            flags: machine.flags(),
            ip: machine.ip(),
        }
    }

    fn put(&self, machine: &mut Machine) {
        for (id, &value) in self.words.iter().enumerate() {
            machine.set_reg(word(id), value.into());
        }
        machine.set_reg(Reg::SP, self.sp.into());
        machine.set_flags(self.flags);
        machine.set_ip(self.ip);
    }

    /// The bytes of the words that differ, as in [`Reg::halves`].
    fn changes(&self, other: &State) -> u32 {
        let bytes = (0..32).filter(|&at| self.byte(at) != other.byte(at));
        bytes.fold(0, |all, at| all | 1 << at)
    }

    fn byte(&self, at: usize) -> u8 {
        self.words[at / 2].to_le_bytes()[at % 2]
    }

    /// The same where `decoded` looks, and anything elsewhere.
    fn other_than(&self, decoded: &Decoded, numbers: &mut Numbers) -> State {
        let mut other = *self;
        for at in (0..32).filter(|at| decoded.reads() >> at & 1 == 0) {
            let mut bytes = other.words[at / 2].to_le_bytes();
            bytes[at % 2] = numbers.next() as u8;
            other.words[at / 2] = u16::from_le_bytes(bytes);
        }
        let free = (Z | N | C | V) & !decoded.flags_read();
        other.flags = self.flags & !free | numbers.next() as u16 & free;
        other
    }
}

fn word(id: usize) -> Reg {
    Reg::from_id(id as u8).unwrap()
}

/// Executes the instruction; `None` when it stops the machine.
fn step(machine: &mut Machine, before: &State) -> Option<State> {
    before.put(machine);
    machine.set_seed(7);
    match machine.step(&mut Few::default()) {
        None | Some(Stop::Break) => Some(State::of(machine)),
        Some(_) => None,
    }
}

/// A machine at an encoding of the row.
fn prepare(machine: &mut Machine, row: &Instruction, numbers: &mut Numbers) -> (State, Decoded) {
    scramble(machine, numbers);
    if row.opcode >= 190 {
        // Drawing is only found inside in a graphics mode.
        let mode = sd8516::ppu::Mode::from_number([2, 8][numbers.below(2) as usize]);
        let (devices, memory) = machine.devices_and_memory();
        devices.ppu.set_mode(memory, mode.unwrap());
    }
    let bytes = encoding(row, numbers);
    machine.memory_mut().copy_in(ORIGIN, &bytes);
    machine.memory_mut().slice_mut(VECTORS).fill(0);
    machine.set_ip(ORIGIN);
    machine.set_flags(numbers.next() as u16 & WRITABLE);
    (State::of(machine), isa::decode(&bytes).unwrap())
}

/// What one run changed is listed, and the other run did the same. Both may
/// also leave a listed register or flag alone, as a shift by 0 does.
fn compare(decoded: &Decoded, before: [&State; 2], after: [&State; 2]) {
    let text = decoded.text(ORIGIN, &|_| None).to_string();
    let effect = decoded.row.flags;
    // Under S fast rows leave the flags that they would compute.
    let flags = match effect.fast && before[0].flags & S != 0 {
        true => effect.cleared | effect.set,
        false => decoded.flags_written(),
    };
    let writes = decoded.writes();
    for (before, after) in before.into_iter().zip(after) {
        let changed = before.changes(after) & !writes;
        assert_eq!(changed, 0, "{text} writes a register that is not listed");
        let changed = (before.flags ^ after.flags) & (Z | N | C | V) & !flags;
        assert_eq!(changed, 0, "{text} writes a flag that is not listed");
    }
    let [one, other] = after;
    let kept = !(before[0].changes(one) | before[1].changes(other));
    let differs = one.changes(other) & writes & !kept;
    assert_eq!(differs, 0, "{text}: a register that is not listed changes a result: {before:?}");
    let kept = !((before[0].flags ^ one.flags) | (before[1].flags ^ other.flags));
    let differs = (one.flags ^ other.flags) & (Z | N | C | V) & flags & !kept;
    assert_eq!(differs, 0, "{text}: something that is not listed changes a flag: {before:?}");
    assert_eq!((one.ip, one.sp), (other.ip, other.sp), "{text} goes elsewhere: {before:?}");
}

/// A pair of runs from the same memory, which is compared.
fn with_memory(machine: &Machine, row: &Instruction, numbers: &mut Numbers) -> bool {
    let mut one = machine.clone();
    let (before, decoded) = prepare(&mut one, row, numbers);
    let changed = before.other_than(&decoded, numbers);
    let (start, mut other) = (one.clone(), one.clone());
    let (Some(after), Some(also)) = (step(&mut one, &before), step(&mut other, &changed)) else {
        return false;
    };
    compare(&decoded, [&before, &changed], [&after, &also]);
    let text = decoded.text(ORIGIN, &|_| None).to_string();
    let same = |a: &Machine, b: &Machine, range: Range<u32>| {
        a.memory().slice(range.clone()) == b.memory().slice(range)
    };
    let end = MEMORY_SIZE as u32;
    let is_same = same(&one, &other, 0..end);
    assert!(is_same, "{text}: something that is not listed changes memory: {before:?}");
    if !row.access.stores {
        // The stack is no listed store, and the machine writes its cells.
        let others = [0..before.sp - STACK, before.sp + STACK..CELLS.start, CELLS.end..end];
        let is_same = others.into_iter().all(|range| same(&start, &one, range));
        assert!(is_same, "{text} stores, which is not listed: {before:?}");
    }
    true
}

/// A pair of runs of what does not store, in one machine.
fn without_memory(machine: &mut Machine, row: &Instruction, numbers: &mut Numbers) -> bool {
    let (before, decoded) = prepare(machine, row, numbers);
    let changed = before.other_than(&decoded, numbers);
    let stack = before.sp - STACK..before.sp + STACK;
    let saved = machine.memory().slice(stack.clone()).to_vec();
    let after = step(machine, &before);
    let pushed = machine.memory().slice(stack.clone()).to_vec();
    machine.memory_mut().copy_in(stack.start, &saved);
    let (Some(after), Some(also)) = (after, step(machine, &changed)) else { return false };
    compare(&decoded, [&before, &changed], [&after, &also]);
    let text = decoded.text(ORIGIN, &|_| None).to_string();
    assert!(machine.memory().slice(stack) == pushed, "{text}: what is pushed differs: {before:?}");
    true
}

/// INT is the services' business; HALT and YIELD end what can be compared.
fn is_special(row: &Instruction) -> bool {
    matches!(row.mnemonic, "INT" | "HALT" | "YIELD")
}

#[test]
fn every_row_reads_and_writes_what_the_table_says() {
    let mut numbers = Numbers(11);
    let mut fresh = machine(&[]);
    fresh.set_break_stops(true);
    let noise: Vec<u8> = (0..1 << 16).map(|_| numbers.edgy() as u8).collect();
    for bank in (0..0x100_0000).step_by(1 << 16) {
        fresh.memory_mut().copy_in(bank, &noise);
    }
    let mut looking = fresh.clone();
    for row in INSTRUCTIONS.iter().filter(|row| !is_special(row)) {
        let (pairs, compared) = if row.access.stores { (STORING, STORING) } else { LOOKING };
        let mut executed = 0;
        for _ in 0..compared {
            executed += usize::from(with_memory(&fresh, row, &mut numbers));
        }
        for _ in compared..pairs {
            executed += usize::from(without_memory(&mut looking, row, &mut numbers));
        }
        assert!(executed >= pairs / 4, "{} was executed {executed} times", row.mnemonic);
    }
}
