//! A second SD-8516, written from the machine manual alone and for reading:
//! what the real CPU does must be what this one does. It shares no code with
//! it, not even the table of instructions, and knows no BIOS: what INT asks
//! of one is somebody else's ([`Bios`]).
//!
//! Sections are the manual's. One file a subject: `table` and `decode` say
//! what the bytes mean, `execute`, `control`, `blocks` and `drawing` what the
//! instructions do, this file what time and interrupts make of it.

mod arithmetic;
mod blocks;
mod control;
mod decode;
mod devices;
mod drawing;
mod execute;
pub mod flags;
pub mod memory;
pub mod registers;
pub mod table;

use flags::{B, E, H, I};
use memory::Memory;
use registers::Registers;

/// What is wrong with an instruction (section 5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// There is no such opcode.
    Opcode(u8),
    /// There is no such register.
    Register(u8),
    /// This register can't stand there.
    Width(u8),
    /// SP would be there, outside of the stack.
    Stack(u32),
    /// SCANQUE came to its 65,536th node.
    Ring,
    /// BRK.
    Break,
}

/// What a step led to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The next instruction can be executed.
    Done,
    /// The program has ended with this exit code.
    Ended(u8),
    /// The instruction at IP can't be executed, or the interrupt before it
    /// can't be entered.
    Fault(Fault),
}

/// What INT n found behind a zero vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// A service, which touched so many bytes, cells or pixels.
    Done(u64),
    /// The program ends.
    Exit(u8),
    /// No such service.
    Unknown,
}

/// Whoever serves INT n when vector n is zero.
pub trait Bios {
    /// Serves INT `vector`; IP is behind it.
    fn serve(&mut self, oracle: &mut Oracle, vector: u8) -> Answer;
}

/// What an instruction costs.
enum Cost {
    /// Units.
    Units(u64),
    /// All time to the end of the frame.
    Frame,
    /// Units, and the program ends.
    Last(u64, u8),
}

/// The machine: CPU, memory, time, and as much of the devices as programs see
/// in memory.
#[derive(Clone, Debug)]
pub struct Oracle {
    /// The registers.
    pub registers: Registers,
    /// The address of the next instruction.
    pub ip: u32,
    /// FLAGS.
    pub flags: u16,
    /// Memory.
    pub memory: Memory,
    /// Machine time.
    pub units: u64,
    /// Frames that have ended.
    pub frames: u64,
    /// A frame has ended for which vector 8 has not been called.
    pub mark: bool,
    /// The video mode, section 7.
    pub mode: u8,
}

/// Where the vectors are.
const VECTORS: u32 = 0x01_E900;
/// The vector called at a frame's end.
const FRAME_VECTOR: u8 = 8;

impl Oracle {
    /// A machine at time 0 in mode 2 with zero registers.
    pub fn new(memory: Memory) -> Oracle {
        Oracle {
            registers: Registers::default(),
            ip: 0,
            flags: 0,
            memory,
            units: 0,
            frames: 0,
            mark: false,
            mode: 2,
        }
    }

    /// Lets time pass without a program, unit by unit.
    pub fn pass(&mut self, units: u64) {
        for _ in 0..units {
            self.units += 1;
            self.end_frames();
        }
    }

    /// When the current frame ends: frame n does at ⌊64000 n / 3⌋.
    pub fn frame_end(&self) -> u64 {
        64_000 * (self.frames + 1) / 3
    }

    /// Executes one instruction, and enters the interrupt that is due behind
    /// it.
    pub fn step(&mut self, bios: &mut dyn Bios) -> Step {
        let address = self.ip;
        self.flags &= !E;
        let decoded = decode::decode(&mut self.memory, &self.registers, address);
        let done = decoded.and_then(|instruction| {
            self.ip = instruction.next;
            let cost = self.execute(&instruction, bios)?;
            Ok((instruction, cost))
        });
        let (instruction, cost) = match done {
            Ok(done) => done,
            Err(fault) => {
                self.ip = address;
                return self.fault(fault);
            }
        };
        match cost {
            Cost::Units(units) | Cost::Last(units, _) => self.units += units,
            Cost::Frame => self.units = self.frame_end(),
        }
        self.end_frames();
        if let Cost::Last(_, code) = cost {
            return Step::Ended(code);
        }
        if instruction.row.control { self.interrupt() } else { Step::Done }
    }

    /// Notices the ends of frames that the units have come to.
    fn end_frames(&mut self) {
        while self.units >= self.frame_end() {
            self.frames += 1;
            self.mark = true;
            self.publish();
        }
    }

    /// Serves the end of a frame, if it can be.
    fn interrupt(&mut self) -> Step {
        if !self.mark || !self.frame_can_interrupt() {
            return Step::Done;
        }
        match self.enter(FRAME_VECTOR) {
            Ok(()) => {
                self.mark = false;
                self.flags &= !H;
                Step::Done
            }
            Err(fault) => self.fault(fault),
        }
    }

    /// Whether the end of a frame is served when it comes.
    fn frame_can_interrupt(&mut self) -> bool {
        self.flags & I != 0 && self.vector(FRAME_VECTOR) != 0
    }

    /// Where vector `number` points.
    fn vector(&mut self, number: u8) -> u32 {
        self.memory.read(VECTORS + 3 * u32::from(number), 3) as u32
    }

    /// A fault changes nothing but E; BRK's also B.
    fn fault(&mut self, fault: Fault) -> Step {
        self.flags |= if fault == Fault::Break { E | B } else { E };
        Step::Fault(fault)
    }
}
