//! The machine: CPU, memory, devices, time and the programs that wait for
//! another to end. Running it is in `run`, starting and ending programs in
//! `program`.

mod draw;
mod program;
mod run;

use isa::Reg;
use isa::flags::{C, Z};
use isa::memory_map::{ADDRESS_MASK, MEMORY_SIZE};
use serde::{Deserialize, Serialize};

use crate::clock::Clock;
use crate::cpu::Cpu;
use crate::devices::Devices;
use crate::engine::{Choice, Engine};
use crate::fault::Fault;
use crate::keyboard::Key;
use crate::memory::Memory;
use crate::ppu::Picture;
use crate::rng::Rng;
use crate::services::{Input, Wait};
use program::Caller;
pub use program::{STOPPED_BY_FAULT, STOPPED_BY_USER};

/// An SD-8516 in a VC-3.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    cpu: Cpu,
    memory: Memory,
    devices: Devices,
    clock: Clock,
    input: Input,
    /// Programs that wait for another to end, the oldest first.
    callers: Vec<Caller>,
    /// The address after the program's highest byte.
    program_end: u32,
    /// A frame has ended and vector 8 has not been called for it.
    frame_mark: bool,
    stop: StopRequest,
    /// Under [`Input::Live`]: what the program waits for.
    waiting: Option<Wait>,
    /// The next run begins where interrupts may be served.
    at_control: bool,
    break_stops: bool,
    /// The exit code of a program that nothing waited for.
    exit: Option<u8>,
    reports: Vec<Fault>,
    #[serde(skip)]
    engine: Choice,
}

/// Whether the user or the host wants the program to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum StopRequest {
    None,
    /// Asked; vector 9 hasn't been called. The program's time is up at that
    /// many units.
    Asked {
        until: u64,
    },
    /// Vector 9 has been called.
    Called {
        until: u64,
    },
}

impl Default for Machine {
    fn default() -> Self {
        Machine::new()
    }
}

impl Machine {
    /// A machine just switched on: memory and devices as at the start of a
    /// program, seed 1, no keys, no program.
    pub fn new() -> Self {
        let mut machine = Machine {
            cpu: Cpu::default(),
            memory: Memory::new(),
            devices: Devices::default(),
            clock: Clock::new(),
            input: Input::None,
            callers: Vec::new(),
            program_end: isa::memory_map::USER_ORIGIN,
            frame_mark: false,
            stop: StopRequest::None,
            waiting: None,
            at_control: false,
            break_stops: false,
            exit: None,
            reports: Vec::new(),
            engine: Choice::default(),
        };
        machine.reset_for_program(isa::memory_map::USER_ORIGIN);
        machine
    }

    /// Seeds the random numbers; 0 is taken as 1.
    pub fn set_seed(&mut self, seed: u32) {
        self.devices.rng = Rng::new(seed);
        self.devices.publish(&mut self.memory, self.clock.units, self.clock.frames());
    }

    /// Says where keys come from.
    pub fn set_input(&mut self, input: Input) {
        self.input = input;
    }

    /// Where keys come from; a list shows what is left of it.
    pub fn input(&self) -> &Input {
        &self.input
    }

    /// Whether BRK stops the run (a debugger is there) or is a fault.
    pub fn set_break_stops(&mut self, on: bool) {
        self.break_stops = on;
    }

    /// The checking mode, to be chosen before the program starts: executing
    /// bytes that nothing has written or that the program has written over
    /// since they were loaded ([`Memory::overlay`] loads anew), and INSQUE or REMQUE beside nodes that don't link back, are faults.
    pub fn set_sanitize(&mut self, on: bool) {
        self.memory.set_marking(on);
    }

    /// How instructions are executed. No part of the machine's state: a
    /// snapshot doesn't hold it and two machines may differ in it and be
    /// equal. The checking mode and [`Machine::step`] always execute plainly.
    pub fn set_engine(&mut self, engine: Engine) {
        self.engine.engine = engine;
    }

    /// The engine that was chosen.
    pub fn engine(&self) -> Engine {
        self.engine.engine
    }

    /// How many units [`Engine::Jit`] lets pass in code for each of its
    /// instructions before it compiles it. As the engine itself it makes no
    /// difference but in speed. With 0 everything is compiled before it is
    /// executed at all, as tests of the compiler want it.
    pub fn set_patience(&mut self, units: u32) {
        self.engine.patience = units;
    }

    /// Machine time in units; 1,280,000 are a second.
    pub fn units(&self) -> u64 {
        self.clock.units
    }

    /// Frames that have ended.
    pub fn frames(&self) -> u64 {
        self.clock.frames()
    }

    /// When the current frame ends, in units.
    pub fn frame_end(&self) -> u64 {
        self.clock.frame_end()
    }

    /// The address of the next instruction, 24 bits. During a service it is
    /// behind the INT.
    pub fn ip(&self) -> u32 {
        self.cpu.ip
    }

    /// Sets IP to the low 24 bits of `address`.
    pub fn set_ip(&mut self, address: u32) {
        self.cpu.ip = address & ADDRESS_MASK;
    }

    /// FLAGS.
    pub fn flags(&self) -> u16 {
        self.cpu.flags
    }

    /// Sets FLAGS; bit 8 and P stay 0.
    pub fn set_flags(&mut self, flags: u16) {
        use isa::flags::{B, E, H, WRITABLE};
        self.cpu.flags = flags & (WRITABLE | B | E | H);
    }

    /// A register's value, zero-extended.
    pub fn reg(&self, reg: Reg) -> u64 {
        self.cpu.regs.read(reg)
    }

    /// Sets a register to the low bits of `value`.
    pub fn set_reg(&mut self, reg: Reg, value: u64) {
        self.cpu.regs.write(reg, value);
    }

    /// The sixteen words in the order of their numbers.
    pub fn words(&self) -> [u16; 16] {
        self.cpu.regs.words()
    }

    /// SP, 24 bits.
    pub fn sp(&self) -> u32 {
        self.cpu.regs.sp()
    }

    /// Sets or clears FLAGS.C: how a service reports an error.
    pub fn set_carry(&mut self, on: bool) {
        self.set_flag(C, on);
    }

    /// Sets or clears FLAGS.Z.
    pub fn set_zero(&mut self, on: bool) {
        self.set_flag(Z, on);
    }

    fn set_flag(&mut self, flag: u16, on: bool) {
        self.cpu.flags = if on { self.cpu.flags | flag } else { self.cpu.flags & !flag };
    }

    /// Memory.
    pub fn memory(&self) -> &Memory {
        &self.memory
    }

    /// Memory, to write to.
    pub fn memory_mut(&mut self) -> &mut Memory {
        &mut self.memory
    }

    /// The devices.
    pub fn devices(&self) -> &Devices {
        &self.devices
    }

    /// Devices and memory at once, for services that use both.
    pub fn devices_and_memory(&mut self) -> (&mut Devices, &mut Memory) {
        (&mut self.devices, &mut self.memory)
    }

    /// Puts a key into the buffer; false when it is full and the key dropped.
    pub fn key(&mut self, key: Key) -> bool {
        self.devices.keyboard.push(key)
    }

    /// What is visible: under VSTOP the picture that is held.
    pub fn picture(&self) -> Picture {
        self.devices.ppu.picture(&self.memory)
    }

    /// Programs that wait for the running one to end; 0 when it was started
    /// directly, as the kernal is.
    pub fn program_depth(&self) -> usize {
        self.callers.len()
    }

    /// The address after the highest byte of the running program's image;
    /// 2^24 at most.
    pub fn program_end(&self) -> u32 {
        self.program_end.min(MEMORY_SIZE as u32)
    }

    /// Faults of programs that another waited for, since it was asked last;
    /// the last 16 at most.
    pub fn take_fault_reports(&mut self) -> Vec<Fault> {
        std::mem::take(&mut self.reports)
    }

    /// Whether a program waits, under [`Input::Live`], and for what.
    pub fn waiting(&self) -> Option<Wait> {
        self.waiting
    }

    fn vector(&self, number: u8) -> u32 {
        crate::engine::vector(&self.memory, number)
    }
}
