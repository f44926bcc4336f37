//! The 68000: on m68k exactly and in batches, on r68k, and on Musashi, which a
//! Python package carries.

use std::process::{Command, Stdio};

use m68k::core::memory::LinearMemoryBus;
use m68k::{CpuCore, CpuType};
use r68k::cpu::ConfiguredCore;
use r68k::interrupts::AutoInterruptController;
use r68k::ram::{AddressBus, AddressSpace};

use crate::{Loop, Result, Run};

/// Bytes of memory.
const MEMORY: usize = 1 << 18;
/// Where programs and the stack begin.
const START: u32 = 0x1000;
const STACK: u32 = 0x8000;
/// Instructions by which it is found what cycles they take.
const PROBE: u32 = 100_000;

const COUNTDOWN: &[u16] = &[
    0x203C, 0xFFFF, 0xFFFF, // move.l #-1,d0     start
    0x5380, //                 subq.l #1,d0      next
    0x66FC, //                 bne.s next
    0x60F4, //                 bra.s start
];

const ARITHMETIC: &[u16] = &[
    0x203C, 0x1234, 0x5678, // move.l #$12345678,d0
    0x223C, 0x9E37, 0x79B9, // move.l #$9E3779B9,d1
    0x7403, //                 moveq #3,d2
    0xD081, //                 add.l d1,d0       next
    0xB143, //                 eor.w d0,d3
    0xEB59, //                 rol.w #5,d1
    0x9842, //                 sub.w d2,d4
    0x5242, //                 addq.w #1,d2
    0xCAC2, //                 mulu.w d2,d5
    0xDA40, //                 add.w d0,d5
    0x3C05, //                 move.w d5,d6
    0x0246, 0x00FF, //         andi.w #$FF,d6
    0xBC45, //                 cmp.w d5,d6
    0x60E8, //                 bra.s next
];

const COPY: &[u16] = &[
    0x41F9, 0x0001, 0x0000, // lea $10000,a0
    0x43F9, 0x0002, 0x0000, // lea $20000,a1
    0x7000, //                 moveq #0,d0       start
    0x1230, 0x0000, //         move.b (a0,d0.w),d1   next
    0x1381, 0x0000, //         move.b d1,(a1,d0.w)
    0x5240, //                 addq.w #1,d0
    0x0C40, 0x1000, //         cmpi.w #4096,d0
    0x66F0, //                 bne.s next
    0x60EC, //                 bra.s start
];

const CALLS: &[u16] = &[
    0x7600, //                 moveq #0,d3
    0x3003, //                 move.w d3,d0      next
    0x0240, 0x0003, //         andi.w #3,d0
    0x610C, //                 bsr.s classify
    0x6504, //                 bcs.s is_odd
    0x6110, //                 bsr.s even
    0x6002, //                 bra.s step
    0x6116, //                 bsr.s odd         is_odd
    0x5243, //                 addq.w #1,d3      step
    0x60EC, //                 bra.s next
    0x3F00, //                 move.w d0,-(sp)   classify
    0x3C1F, //                 move.w (sp)+,d6
    0xE24E, //                 lsr.w #1,d6
    0x4E75, //                 rts
    0x3F01, //                 move.w d1,-(sp)   even
    0x7202, //                 moveq #2,d1
    0xD441, //                 add.w d1,d2
    0x321F, //                 move.w (sp)+,d1
    0x4E75, //                 rts
    0x0C42, 0x03E8, //         cmpi.w #1000,d2   odd
    0x6502, //                 bcs.s small
    0x7400, //                 moveq #0,d2
    0x5242, //                 addq.w #1,d2      small
    0x4E75, //                 rts
];

fn program(a_loop: Loop) -> &'static [u16] {
    match a_loop {
        Loop::Countdown => COUNTDOWN,
        Loop::Arithmetic => ARITHMETIC,
        Loop::Copy => COPY,
        Loop::Calls => CALLS,
    }
}

/// Memory with a program, its entry and its stack.
fn memory(a_loop: Loop) -> Vec<u8> {
    let words = program(a_loop);
    let mut bytes = vec![0; MEMORY];
    bytes[..4].copy_from_slice(&STACK.to_be_bytes());
    bytes[4..8].copy_from_slice(&START.to_be_bytes());
    for (place, word) in bytes[START as usize..].chunks_exact_mut(2).zip(words) {
        place.copy_from_slice(&word.to_be_bytes());
    }
    bytes
}

/// Every bus cycle at its time.
pub fn m68k(a_loop: Loop, instructions: u64) -> Result<Run> {
    let (mut cpu, mut bus) = m68k_machine(a_loop, CpuType::M68000);
    let probe = cpu.run_for_cycles(&mut bus, i32::try_from(PROBE)?);
    let cycles = f64::from(probe.cycles) / f64::from(probe.instructions) * instructions as f64;
    let (mut cpu, mut bus) = m68k_machine(a_loop, CpuType::M68000);
    let run = Run::of(|| Ok(cpu.run_for_cycles(&mut bus, cycles as i32).instructions.into()))?;
    stay(a_loop, cpu.pc)?;
    Ok(run)
}

/// The path that counts instructions only, decodes once, and compiles.
pub fn m68k_batch(a_loop: Loop, instructions: u64) -> Result<Run> {
    let (mut cpu, mut bus) = m68k_machine(a_loop, CpuType::M68020);
    let instructions = u32::try_from(instructions)?;
    let run = Run::of(|| Ok(cpu.run_batch(&mut bus, instructions, &[]).instructions.into()))?;
    stay(a_loop, cpu.pc)?;
    Ok(run)
}

fn m68k_machine(a_loop: Loop, kind: CpuType) -> (CpuCore, LinearMemoryBus) {
    let mut bus = LinearMemoryBus::from_vec(memory(a_loop));
    let mut cpu = CpuCore::new();
    cpu.set_cpu_type(kind);
    cpu.reset(&mut bus);
    (cpu, bus)
}

/// It counts cycles, so what the instructions take is found first.
pub fn r68k(a_loop: Loop, instructions: u64) -> Result<Run> {
    let mut machine = r68k_machine(a_loop);
    let cycles: u64 = (0..PROBE).map(|_| machine.execute1().0 as u64).sum();
    let of_one = cycles as f64 / f64::from(PROBE);
    let mut machine = r68k_machine(a_loop);
    let budget = (of_one * instructions as f64) as i32;
    let run = Run::of(|| {
        let taken = machine.execute(budget).0;
        Ok((f64::from(taken) / of_one) as u64)
    })?;
    stay(a_loop, machine.pc)?;
    Ok(run)
}

fn r68k_machine(a_loop: Loop) -> ConfiguredCore<AutoInterruptController, Flat> {
    let memory = Flat(memory(a_loop));
    let mut machine = ConfiguredCore::new_with(0, AutoInterruptController::new(), memory);
    machine.reset();
    machine
}

/// Memory as one array, faster than the pages that the crate has.
struct Flat(Vec<u8>);

impl Flat {
    fn read<const N: usize>(&self, address: u32) -> [u8; N] {
        std::array::from_fn(|offset| self.0[(address as usize + offset) % MEMORY])
    }

    fn write<const N: usize>(&mut self, address: u32, bytes: [u8; N]) {
        for (offset, byte) in bytes.into_iter().enumerate() {
            self.0[(address as usize + offset) % MEMORY] = byte;
        }
    }
}

impl AddressBus for Flat {
    fn copy_from(&mut self, other: &Self) {
        self.0.copy_from_slice(&other.0);
    }

    fn read_byte(&self, _: AddressSpace, address: u32) -> u32 {
        let [byte] = self.read(address);
        byte.into()
    }

    fn read_word(&self, _: AddressSpace, address: u32) -> u32 {
        u16::from_be_bytes(self.read(address)).into()
    }

    fn read_long(&self, _: AddressSpace, address: u32) -> u32 {
        u32::from_be_bytes(self.read(address))
    }

    fn write_byte(&mut self, _: AddressSpace, address: u32, value: u32) {
        self.write(address, [value as u8]);
    }

    fn write_word(&mut self, _: AddressSpace, address: u32, value: u32) {
        self.write(address, (value as u16).to_be_bytes());
    }

    fn write_long(&mut self, _: AddressSpace, address: u32, value: u32) {
        self.write(address, value.to_be_bytes());
    }
}

/// Runs a program on machine68k and says the instructions and the seconds of
/// the processor's time; the instructions by the cycles that a sample takes.
const MUSASHI: &str = r#"
import sys, time
import machine68k

code, start, stack, probe, instructions = sys.argv[1], *map(int, sys.argv[2:])

def machine():
    machine = machine68k.Machine(machine68k.CPUType.M68000, 256)
    machine.mem.w32(0, stack)
    machine.mem.w32(4, start)
    machine.mem.w_block(start, bytes.fromhex(code))
    machine.cpu.pulse_reset()
    return machine

sample = machine()
count = 0
def one(*_):
    global count
    count += 1
sample.cpu.set_instr_hook_callback(one)
cycles = sample.cpu.execute(probe).cycles
sample.cpu.set_instr_hook_callback(None)
sample.cleanup()
timed = machine()
begin = time.process_time()
taken = timed.cpu.execute(cycles * instructions // count).cycles
seconds = time.process_time() - begin
print(taken * count // cycles, seconds, timed.cpu.r_pc())
"#;

/// Where there is a Python with machine68k; `PYTHON` names another than
/// `python3`.
pub fn musashi(a_loop: Loop, instructions: u64) -> Result<Run> {
    let python = std::env::var_os("PYTHON").unwrap_or_else(|| "python3".into());
    let code = &memory(a_loop)[START as usize..][..2 * program(a_loop).len()];
    let hex: String = code.iter().map(|byte| format!("{byte:02x}")).collect();
    let output = Command::new(python)
        .args(["-c", MUSASHI, &hex])
        .args([START, STACK, PROBE].map(|number| number.to_string()))
        .arg(instructions.to_string())
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("no python3: {error}"))?;
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stderr);
        return Err(text.lines().last().unwrap_or("it fails").to_string().into());
    }
    let text = String::from_utf8(output.stdout)?;
    let words: Vec<&str> = text.split_whitespace().collect();
    let [instructions, seconds, pc] = words[..] else { return Err("it says nothing".into()) };
    stay(a_loop, pc.parse()?)?;
    Ok(Run { instructions: instructions.parse()?, seconds: seconds.parse()? })
}

fn stay(a_loop: Loop, pc: u32) -> Result<()> {
    crate::stay(a_loop, pc.into(), START.into(), 2 * program(a_loop).len())
}
