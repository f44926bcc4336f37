//! Starting a program, running one for another, and the end of it (machine
//! manual, section 5, "Start of a program", and section 6, INT $20).

use isa::flags::{B, E};
use isa::memory_map::{ADDRESS_MASK, ARGUMENTS, EXIT_STUB, EXIT_STUB_CODE, STACK, device};
use serde::{Deserialize, Serialize};

use super::{Machine, StopRequest};
use crate::clock::Clock;
use crate::cpu::{Cpu, Registers};
use crate::fault::{Fault, FaultKind};
use crate::image::{Image, ImageError};
use crate::memory::Bank;
use crate::services::Stop;

/// The exit code a caller sees when the program it ran had a fault.
pub const STOPPED_BY_FAULT: u8 = 70;
/// The exit code a caller sees when the user stopped the program it ran.
pub const STOPPED_BY_USER: u8 = 130;

/// The words that tell a caller how the program ended.
const B_NUMBER: u8 = 1;
const C_NUMBER: u8 = 4;

/// Most programs that may wait for one another: a bound on memory.
const MOST_CALLERS: usize = 16;
/// Most fault reports that are kept.
const MOST_REPORTS: usize = 16;

/// A program that waits for another to end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Caller {
    cpu: Cpu,
    bank: Bank,
    program_end: u32,
}

impl Machine {
    /// Loads a program into a fresh machine and sets the registers for its
    /// first instruction. Seed, keys and settings stay as they are.
    ///
    /// # Errors
    /// [`ImageError`] when the image or the arguments don't fit; the machine
    /// is unchanged then.
    pub fn start(&mut self, image: &Image, arguments: &[u8]) -> Result<(), ImageError> {
        check(image, arguments)?;
        self.callers.clear();
        self.reports.clear();
        self.clock = Clock::new();
        self.stop = StopRequest::None;
        self.memory = self.memory.fresh();
        self.load(image, arguments);
        Ok(())
    }

    /// Sets the running program aside and starts another in its place, as
    /// INT $20 $01 does: called by that service, with IP behind its INT.
    ///
    /// # Errors
    /// As [`Machine::start`], and when too many programs wait already.
    pub fn push_program(&mut self, image: &Image, arguments: &[u8]) -> Result<(), ImageError> {
        check(image, arguments)?;
        if self.callers.len() >= MOST_CALLERS {
            return Err(ImageError::Depth(MOST_CALLERS));
        }
        self.devices.sample(&self.memory);
        self.callers.push(Caller {
            cpu: self.cpu.clone(),
            bank: self.memory.bank_1(),
            program_end: self.program_end,
        });
        self.memory.clear();
        self.load(image, arguments);
        Ok(())
    }

    /// Over zeroed memory: devices, stack and registers as at the start of
    /// every program, IP at `entry`.
    pub(super) fn reset_for_program(&mut self, entry: u32) {
        self.devices.start_program(&mut self.memory, self.clock.units, self.clock.frames());
        self.memory.copy_in(EXIT_STUB, &EXIT_STUB_CODE);
        self.cpu = Cpu {
            regs: Registers::new([0; 16], STACK.end - 3),
            ip: entry & ADDRESS_MASK,
            flags: 0,
        };
        self.memory.write(STACK.end - 3, 3, EXIT_STUB.into());
        self.frame_mark = false;
        self.waiting = None;
        self.at_control = false;
        self.exit = None;
    }

    fn load(&mut self, image: &Image, arguments: &[u8]) {
        self.reset_for_program(image.entry);
        self.memory.copy_in(ARGUMENTS.start, arguments);
        for segment in &image.segments {
            self.memory.load(segment.address, &segment.bytes);
        }
        self.program_end = image.end();
    }

    /// The program has ended by itself.
    pub(super) fn end_program(&mut self, code: u8) -> Option<Stop> {
        if self.return_to_caller(code, false) {
            return None;
        }
        self.exit = Some(code);
        self.stop = StopRequest::None;
        Some(Stop::Exit(code))
    }

    /// The user's or the host's patience is over.
    pub(super) fn stop_program(&mut self) -> Option<Stop> {
        self.stop = StopRequest::None;
        if self.return_to_caller(STOPPED_BY_USER, true) { None } else { Some(Stop::Stopped) }
    }

    /// The instruction at IP, or the entry of an interrupt before it, is a
    /// fault.
    pub(super) fn fault(&mut self, kind: FaultKind) -> Option<Stop> {
        self.cpu.flags |= if kind == FaultKind::Break { E | B } else { E };
        let fault = Fault {
            kind,
            ip: self.cpu.ip,
            registers: self.cpu.regs.words(),
            sp: self.cpu.regs.sp(),
            flags: self.cpu.flags,
            units: self.clock.units,
            depth: self.callers.len(),
        };
        if self.return_to_caller(STOPPED_BY_FAULT, true) {
            if self.reports.len() >= MOST_REPORTS {
                self.reports.remove(0);
            }
            self.reports.push(fault);
            None
        } else {
            Some(Stop::Fault(fault))
        }
    }

    /// Brings back the program that waited for this one: its registers, its
    /// bank 1, B = exit code, C = whether it was stopped. False when none
    /// waited.
    ///
    /// The cursor's place stays, so that what the program printed does; its
    /// colour and shape are the caller's again, VSTOP is released and the
    /// voices are silent.
    fn return_to_caller(&mut self, code: u8, stopped: bool) -> bool {
        let Some(caller) = self.callers.pop() else { return false };
        self.devices.sample(&self.memory);
        let cursor = self.memory.read(device::CURSOR_X, 2);
        self.memory.set_bank_1(&caller.bank);
        self.memory.write(device::CURSOR_X, 2, cursor);
        self.memory.set_byte(device::VIDEO_FLAGS, 0);
        self.devices.sound.silence(&mut self.memory);
        self.devices.waiting.clear();
        self.devices.exchange(&mut self.memory, self.clock.units, self.clock.frames());

        self.cpu = caller.cpu;
        self.program_end = caller.program_end;
        self.cpu.regs.set_word(B_NUMBER, code.into());
        self.cpu.regs.set_word(C_NUMBER, stopped.into());
        self.set_carry(false);
        self.stop = StopRequest::None;
        self.waiting = None;
        true
    }
}

/// Whether a program with these arguments can be loaded. The kernal's area
/// was allowed or refused when the file was read.
fn check(image: &Image, arguments: &[u8]) -> Result<(), ImageError> {
    image.check(true)?;
    if arguments.len() >= ARGUMENTS.len() {
        return Err(ImageError::Arguments(arguments.len()));
    }
    Ok(())
}
