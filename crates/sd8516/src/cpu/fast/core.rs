//! The state of the CPU while the fast core executes: the same registers, and
//! flags that are worked out only when somebody looks at them.

use isa::flags::{C, N, V, Z};

use crate::cpu::alu::{Width, bit};
use crate::cpu::{Cpu, Registers};
use crate::engine::Span;

/// Registers, IP and FLAGS of a CPU at work.
pub(super) struct Core {
    pub(super) regs: Registers,
    /// Z and N in one: what they are the flags of, sign-extended. Z is that it
    /// is 0, N that it is negative.
    pub(super) result: i64,
    pub(super) carry: bool,
    pub(super) overflow: bool,
    /// FLAGS without Z, N, C and V.
    pub(super) rest: u16,
    /// 24 bits. Kept only between blocks: an operation within one knows where
    /// it stands.
    pub(super) ip: u32,
    /// Units until the horizon; within a block, at its beginning.
    pub(super) left: u64,
}

/// The flags that are kept apart.
const ZNCV: u16 = Z | N | C | V;

impl Core {
    /// The core of a CPU. `None` when Z and N are both set, which no result
    /// is: only a program that writes FLAGS itself comes to that.
    pub(super) fn of(cpu: &Cpu, span: &Span) -> Option<Core> {
        let mut core = Core {
            regs: cpu.regs.clone(),
            result: 0,
            carry: false,
            overflow: false,
            rest: 0,
            ip: cpu.ip,
            left: span.horizon - span.units,
        };
        core.set_flags(cpu.flags).then_some(core)
    }

    /// Gives the state back.
    pub(super) fn write_to(&self, cpu: &mut Cpu, span: &mut Span) {
        span.units = span.horizon - self.left;
        cpu.regs = self.regs.clone();
        cpu.flags = self.flags();
        cpu.ip = self.ip;
    }

    /// FLAGS as programs see it.
    pub(super) fn flags(&self) -> u16 {
        self.rest
            | bit(Z, self.result == 0)
            | bit(N, self.result < 0)
            | bit(C, self.carry)
            | bit(V, self.overflow)
    }

    /// Sets all of FLAGS; `false`, and nothing is changed, when it has Z and N
    /// both.
    pub(super) fn set_flags(&mut self, flags: u16) -> bool {
        self.result = match (flags & Z != 0, flags & N != 0) {
            (true, true) => return false,
            (true, false) => 0,
            (false, true) => -1,
            (false, false) => 1,
        };
        self.carry = flags & C != 0;
        self.overflow = flags & V != 0;
        self.rest = flags & !ZNCV;
        true
    }

    /// Z and N of a result of `W` bytes.
    #[inline(always)]
    pub(super) fn set_zn<const W: u8>(&mut self, result: u64) {
        self.result = Width::of_bytes(W).sign_extend(result) as i64;
    }

    /// Runs an operation that works on FLAGS as the plain CPU's do, and takes
    /// Z and N from its result: so they needn't be worked out in between.
    #[inline(always)]
    pub(super) fn with_flags<const W: u8>(
        &mut self,
        operation: impl FnOnce(&mut u16, Width) -> u64,
    ) -> u64 {
        let mut flags = bit(C, self.carry) | bit(V, self.overflow);
        let result = operation(&mut flags, Width::of_bytes(W));
        self.set_zn::<W>(result);
        self.carry = flags & C != 0;
        self.overflow = flags & V != 0;
        result
    }

    /// The register of `W` bytes at these offsets, zero-extended.
    #[inline(always)]
    pub(super) fn get<const W: u8>(&self, low: u8, bank: u8) -> u64 {
        match W {
            1 => u8::from_le_bytes(self.regs.at(low)).into(),
            2 => u16::from_le_bytes(self.regs.at(low)).into(),
            3 => self.regs.far(low, bank).into(),
            4 => u32::from_le_bytes(self.regs.at(low)).into(),
            _ => u64::from_le_bytes(self.regs.at(low)),
        }
    }

    /// Sets it to the low bytes of `value`.
    #[inline(always)]
    pub(super) fn set<const W: u8>(&mut self, low: u8, bank: u8, value: u64) {
        match W {
            1 => self.regs.set_at(low, (value as u8).to_le_bytes()),
            2 => self.regs.set_at(low, (value as u16).to_le_bytes()),
            3 => self.regs.set_far(low, bank, value as u32),
            4 => self.regs.set_at(low, (value as u32).to_le_bytes()),
            _ => self.regs.set_at(low, value.to_le_bytes()),
        }
    }
}
