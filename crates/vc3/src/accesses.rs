//! Which memory an instruction is about to read and write, worked out from
//! its operands and the registers (machine manual, section 3). What BIOS
//! services and PPU operations do is theirs and is not listed.

use isa::memory_map::{ADDRESS_MASK, VECTOR_SIZE, VECTORS};
use isa::{Decoded, Operand, Reg};
use sd8516::Machine;

/// The most nodes of a queue that are listed.
const MOST_NODES: usize = 64;
const LINK: u32 = 3;

/// Bytes of memory that an instruction touches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Access {
    /// Whether they are written.
    pub write: bool,
    /// The first byte.
    pub address: u32,
    /// How many; the addresses wrap at 2^24.
    pub length: u32,
}

/// What `decoded`, which `machine` will execute next, reads and writes, in
/// the order of doing so.
pub fn accesses(machine: &Machine, decoded: &Decoded) -> Vec<Access> {
    let mut list = List { machine, accesses: Vec::new() };
    list.instruction(decoded);
    list.accesses
}

struct List<'a> {
    machine: &'a Machine,
    accesses: Vec<Access>,
}

impl List<'_> {
    fn instruction(&mut self, decoded: &Decoded) {
        let operand = |at: usize| decoded.operands[at];
        match decoded.row.mnemonic {
            "LD" | "ST" => {
                let width = register(operand(0)).map_or(0, Reg::width);
                let write = decoded.row.mnemonic == "ST";
                if let Some(address) = operand(1).and_then(|operand| self.effective(operand)) {
                    self.push(write, address, width.into());
                }
            }
            "PUSH" => self.stack_write(register(operand(0)).map_or(0, Reg::width).into()),
            "POP" => self.stack_read(register(operand(0)).map_or(0, Reg::width).into()),
            "PUSHA" => self.stack_write(32),
            "POPA" => self.stack_read(32),
            "PUSHF" => self.stack_write(2),
            "POPF" => self.stack_read(2),
            "CALL" | "CALLR" | "BSR" => self.stack_write(3),
            "RET" => self.stack_read(3),
            "IRET" => self.stack_read(5),
            "INT" => self.interrupt(operand(0)),
            "JTAB" => self.table(decoded),
            "MEMCOPY" | "MEMFILL" | "CMPC" | "LOCC" | "SKPC" => self.block(decoded),
            "INSQUE" | "REMQUE" | "SCANQUE" => self.queue(decoded),
            _ => {}
        }
    }

    fn interrupt(&mut self, vector: Option<Operand>) {
        let vector = immediate(vector) as u32;
        let cell = VECTORS.start + VECTOR_SIZE * vector;
        self.push(false, cell, VECTOR_SIZE);
        if self.machine.memory().read(cell, VECTOR_SIZE as u8) != 0 {
            self.stack_write(3);
            let below = self.sp().wrapping_sub(5);
            self.push(true, below, 2);
        }
    }

    fn table(&mut self, decoded: &Decoded) {
        let [index, count, table, _] = decoded.operands;
        let index = self.value(index);
        if let Some(Operand::Addr(table) | Operand::MemAbs(table)) = table
            && index < immediate(count)
        {
            self.push(false, table.wrapping_add(3 * index as u32), 3);
        }
    }

    fn block(&mut self, decoded: &Decoded) {
        let [first, second, count, _] = decoded.operands;
        let (to, from) = (self.value(first) as u32, self.value(second) as u32);
        let count = self.value(count) as u32;
        let memory = self.machine.memory();
        let byte = |address: u32| memory.byte(address & ADDRESS_MASK);
        // The bytes up to and with the one that decides.
        let until = |decides: &dyn Fn(u32) -> bool| {
            (0..count).find(|&at| decides(at)).map_or(count, |at| at + 1)
        };
        match decoded.row.mnemonic {
            "MEMCOPY" => {
                self.push(false, from, count);
                self.push(true, to, count);
            }
            "MEMFILL" => self.push(true, to, count),
            "CMPC" => {
                let length = until(&|at| byte(to.wrapping_add(at)) != byte(from.wrapping_add(at)));
                self.push(false, to, length);
                self.push(false, from, length);
            }
            name => {
                let equal = name == "LOCC";
                let length = until(&|at| (u32::from(byte(to.wrapping_add(at))) == from) == equal);
                self.push(false, to, length);
            }
        }
    }

    fn queue(&mut self, decoded: &Decoded) {
        let [first, second, value, offset] = decoded.operands;
        let memory = self.machine.memory();
        let link = |address: u32| memory.read(address & ADDRESS_MASK, LINK as u8) as u32;
        let (entry, other) = (self.value(first) as u32, self.value(second) as u32);
        match decoded.row.mnemonic {
            "INSQUE" => {
                let next = link(other);
                self.push(false, other, LINK);
                self.push(true, entry, 2 * LINK);
                self.push(true, next.wrapping_add(LINK), LINK);
                self.push(true, other, LINK);
            }
            "REMQUE" => {
                let (next, previous) = (link(entry), link(entry.wrapping_add(LINK)));
                self.push(false, entry, 2 * LINK);
                if (next, previous) != (entry, entry) {
                    self.push(true, previous, LINK);
                    self.push(true, next.wrapping_add(LINK), LINK);
                }
            }
            _ => {
                let (head, offset) = (other, immediate(offset) as u32);
                let width = register(value).map_or(1, Reg::width);
                let wanted = self.value(value);
                self.push(false, head, LINK);
                let mut node = link(head);
                for _ in 0..MOST_NODES {
                    if node == head {
                        break;
                    }
                    let field = node.wrapping_add(offset) & ADDRESS_MASK;
                    self.push(false, field, width.into());
                    if memory.read(field, width) == wanted {
                        break;
                    }
                    self.push(false, node, LINK);
                    node = link(node);
                }
            }
        }
    }

    /// The address that a memory operand means; `None` for other operands.
    fn effective(&self, operand: Operand) -> Option<u32> {
        let address = match operand {
            Operand::MemAbs(address) => address,
            Operand::MemReg(base) => self.machine.reg(base) as u32,
            Operand::MemIndex(base, index) => {
                (self.machine.reg(base) as u32).wrapping_add(self.machine.reg(index) as u32)
            }
            Operand::MemDisp(base, disp) => {
                (self.machine.reg(base) as u32).wrapping_add_signed(disp.into())
            }
            _ => return None,
        };
        Some(address & ADDRESS_MASK)
    }

    fn value(&self, operand: Option<Operand>) -> u64 {
        register(operand).map_or(0, |reg| self.machine.reg(reg))
    }

    fn sp(&self) -> u32 {
        self.machine.reg(Reg::SP) as u32
    }

    fn stack_write(&mut self, length: u32) {
        let address = self.sp().wrapping_sub(length);
        self.push(true, address, length);
    }

    fn stack_read(&mut self, length: u32) {
        self.push(false, self.sp(), length);
    }

    fn push(&mut self, write: bool, address: u32, length: u32) {
        if length > 0 {
            self.accesses.push(Access { write, address: address & ADDRESS_MASK, length });
        }
    }
}

fn register(operand: Option<Operand>) -> Option<Reg> {
    match operand {
        Some(Operand::Reg(reg)) => Some(reg),
        _ => None,
    }
}

fn immediate(operand: Option<Operand>) -> u64 {
    match operand {
        Some(Operand::Imm { value, .. }) => value,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use bios::{Bios, NoDisk};
    use isa::memory_map::{STACK, USER_ORIGIN};
    use isa::{INSTRUCTIONS, Instruction, MAX_LENGTH, decode};
    use sd8516::Stop;

    use super::*;

    /// What BIOS services and PPU operations write is not listed, and an
    /// interrupt may be called after a control instruction.
    const WITHOUT: [&str; 7] = ["INT", "PPIXEL", "PLINE", "PRECT", "PFILL", "PBLIT", "PSPRITE"];

    /// The part of memory that the registers point into.
    const SEEN: u32 = 0x4_0000;

    struct Random(u64);

    impl Random {
        fn next(&mut self) -> u64 {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            self.0
        }
    }

    /// One machine for all cases up to the next that stops it: a new one is
    /// 16 MB to be zeroed.
    struct Bench {
        machine: Machine,
        has_stopped: bool,
        /// The part of memory that is seen, as it is in a new machine.
        fresh: Vec<u8>,
        random: Random,
    }

    impl Bench {
        fn new(seed: u64) -> Bench {
            let machine = Machine::new();
            let fresh = machine.memory().slice(0..SEEN).to_vec();
            Bench { machine, has_stopped: false, fresh, random: Random(seed) }
        }

        /// Leaves the machine about to execute a random instruction of this
        /// opcode, with random registers that point into a small part of
        /// memory.
        fn prepare(&mut self, row: &Instruction) -> Option<Decoded> {
            let Bench { machine, has_stopped, fresh, random } = self;
            let mut bytes = [0; MAX_LENGTH];
            bytes[0] = row.opcode;
            for byte in &mut bytes[1..] {
                // Register numbers more often than not.
                *byte = (random.next() % 96) as u8;
            }
            let decoded = decode(&bytes).ok()?;
            if std::mem::take(has_stopped) {
                *machine = Machine::new();
            }
            machine.memory_mut().slice_mut(0..SEEN).copy_from_slice(fresh);
            machine.memory_mut().copy_in(USER_ORIGIN, &bytes);
            machine.set_ip(USER_ORIGIN);
            machine.set_flags(0);
            for reg in Reg::all().filter(|reg| reg.width() == 2) {
                let is_bank = "BEFG".contains(reg.name());
                machine.set_reg(reg, random.next() % if is_bank { 4 } else { 0x400 });
            }
            machine.set_reg(Reg::SP, u64::from(STACK.end) - 64);
            for address in (0..SEEN).step_by(0x1_0000).chain([0x300, 0x2_0300]) {
                machine.memory_mut().write(address + 0x20, 8, random.next());
            }
            Some(decoded)
        }

        fn step(&mut self) -> Option<Stop> {
            let stop = self.machine.step(&mut Bios::new(NoDisk));
            self.has_stopped = stop.is_some();
            stop
        }
    }

    fn changed(before: &[u8], after: &[u8]) -> Vec<u32> {
        const CHUNK: usize = 256;
        let chunks = before.chunks(CHUNK).zip(after.chunks(CHUNK)).enumerate();
        let unequal = chunks.filter(|(_, (before, after))| before != after);
        unequal
            .flat_map(|(number, (before, after))| {
                let bytes = before.iter().zip(after).enumerate();
                bytes.filter(|(_, (b, a))| b != a).map(move |(at, _)| (number * CHUNK + at) as u32)
            })
            .collect()
    }

    /// Every byte that changes is in a write that was foretold.
    #[test]
    fn no_write_is_missed() {
        let mut bench = Bench::new(88_172_645_463_325_252);
        for row in INSTRUCTIONS.iter().filter(|row| !WITHOUT.contains(&row.mnemonic)) {
            let (mut executed, mut stopped) = (0, 0);
            for _ in 0..400 {
                let Some(decoded) = bench.prepare(row) else { continue };
                let foretold = accesses(&bench.machine, &decoded);
                let before = bench.machine.memory().slice(0..SEEN).to_vec();
                let stop = bench.step();
                if matches!(stop, Some(Stop::Fault(_))) {
                    stopped += 1;
                    // BRK always does.
                    if stopped == 40 {
                        break;
                    }
                    continue;
                }
                executed += 1;
                let is_foretold = |address: u32| {
                    foretold.iter().any(|access| {
                        access.write && address.wrapping_sub(access.address) < access.length
                    })
                };
                for address in changed(&before, bench.machine.memory().slice(0..SEEN)) {
                    let is_device_cell = isa::memory_map::device::CELLS.contains(&address);
                    assert!(
                        is_foretold(address) || is_device_cell,
                        "{} writes ${address:06X}, foretold {foretold:?}",
                        decoded.text(USER_ORIGIN, &|_| None),
                    );
                }
                if executed == 8 {
                    break;
                }
            }
            assert!(executed > 0 || row.mnemonic == "BRK", "{} never executed", row.mnemonic);
        }
    }

    /// A load sees exactly the bytes that were foretold.
    #[test]
    fn loads_read_what_was_foretold() {
        let mut bench = Bench::new(1);
        let rows = INSTRUCTIONS.iter().filter(|row| row.mnemonic == "LD");
        for row in rows.filter(|row| !row.args.contains(&isa::Arg::Imm)) {
            for _ in 0..50 {
                let Some(decoded) = bench.prepare(row) else { continue };
                let [access] = accesses(&bench.machine, &decoded)[..] else { panic!("one access") };
                assert!(!access.write);
                let marked = 0x5A5A_A5A5_1234_5678_u64;
                let memory = bench.machine.memory_mut();
                memory.write(access.address, access.length as u8, marked);
                let ran = bench.step().is_none();
                let value = register(decoded.operands[0]).map(|reg| bench.machine.reg(reg));
                let unused = 64 - 8 * access.length;
                let overwrote_itself = access.address.abs_diff(USER_ORIGIN) < 16;
                assert!(overwrote_itself || ran && value == Some(marked << unused >> unused));
            }
        }
    }
}
