//! What is compiled, when, and until it is written over.

use std::collections::HashMap;
use std::sync::Arc;

use isa::memory_map::STACK;

use crate::addresses::Addresses;
use crate::host::{Function, Host};
use crate::left;
use crate::region::{Bytes, Region};
use crate::state::State;
use crate::watch::{LINE_BITS, Watch};

/// Host code beyond which all of it is dropped.
const MOST_BYTES: usize = 8 << 20;
/// Times that compiled code of a line may be written over before it is left
/// to the interpreter.
const MOST_WRITES: u8 = 8;
/// A block is left out of a region when less than this part of what compiling
/// it costs has been spent in it.
const WARM: u64 = 8;
/// Runs of a region after which it is asked whether it is worth keeping.
const RUNS: u32 = 64;
/// What a run of it must take on average: to enter and to leave compiled code
/// costs as much as some instructions otherwise.
const SHORTEST: u64 = 32;
/// What may be paid for compiling before it is to bring more than it costs: so
/// much, and one part in so many of the time that has passed.
const GRANT: u64 = 2_000_000;
const SHARE: u64 = 16;
/// What a region costs beside its instructions, as that many of them.
const ENTRY: u64 = 8;

/// Compiled code for one memory. Copies share the code.
#[derive(Default)]
pub struct Compiler {
    /// Made when something is compiled.
    host: Option<Box<Host>>,
    regions: Vec<Compiled>,
    addresses: Addresses,
    /// Bytes of the host's code.
    bytes: usize,
    /// How often compiled code of a line has been written to.
    written: HashMap<u32, u8>,
    /// Calls of [`Compiler::sample`].
    samples: u64,
    /// Time that compiled code has run.
    ran: u64,
    /// What all compiling so far has cost.
    paid: u64,
}

#[derive(Clone, Debug)]
struct Compiled {
    entry: u32,
    /// `None` once it has been dropped.
    function: Option<Arc<Function>>,
    /// FLAGS.S as it was compiled for.
    fast: bool,
    /// The lines of its instructions.
    lines: Arc<[u32]>,
    /// How often it has been run since [`RUNS`] were counted last, and how long.
    runs: u32,
    units: u64,
    /// Whether it is kept however long it runs.
    is_kept: bool,
}

/// What is worth compiling: where an interpreter spends more time than that
/// takes. Time is told in instructions that the interpreter executes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Price {
    /// What compiling an instruction costs. 0: all is compiled at once.
    pub instruction: u64,
    /// What each call of [`Compiler::sample`] stands for.
    pub sample: u64,
}

/// What has come of [`Compiler::prepare`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Prepared {
    /// There is compiled code, just made or from earlier: these places are to
    /// be watched from now on, address and length.
    Compiled(Vec<(u32, u32)>),
    /// Not enough time has been spent there.
    NotYet,
    /// Nothing can be compiled there.
    Never,
}

/// How a run of compiled code ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ran {
    /// Whether the last instruction was a control instruction; that before,
    /// when none was executed.
    pub at_control: bool,
    /// Whether the next instruction is one for the interpreter in any case.
    pub interpret: bool,
}

impl Clone for Compiler {
    fn clone(&self) -> Self {
        Compiler {
            host: None,
            regions: self.regions.clone(),
            addresses: self.addresses.clone(),
            bytes: self.bytes,
            written: self.written.clone(),
            ..*self
        }
    }
}

impl Compiler {
    /// Nothing compiled yet.
    pub fn new() -> Self {
        Compiler::default()
    }

    /// Whether code can be made for hosts such as this.
    pub const fn is_supported() -> bool {
        cfg!(all(any(target_arch = "x86_64", target_arch = "aarch64"), not(miri)))
    }

    /// Whether a region begins at `ip`.
    #[inline]
    pub fn is_compiled(&self, ip: u32) -> bool {
        self.addresses.region(ip).is_some()
    }

    /// The interpreter was seen at the instruction at `ip`.
    #[inline]
    pub fn sample(&mut self, ip: u32) {
        self.samples += 1;
        self.addresses.see(ip);
    }

    /// Runs what is compiled from `state.ip` on, if anything is, until time is
    /// up or the interpreter is needed. `None` when nothing is compiled there.
    #[inline]
    pub fn run(&mut self, state: &mut State, memory: &mut Bytes, watch: Watch<'_>) -> Option<Ran> {
        let mut ran = None;
        while let Some(number) = self.addresses.region(state.ip) {
            let Some(region) = self.regions.get_mut(number) else { break };
            let Some(function) = region.function.as_deref() else { break };
            if region.fast != state.is_fast() || ran.is_none() && !may_run(watch) {
                break;
            }
            let before = state.remaining;
            let answer = function.call(state, memory, watch);
            region.runs += 1;
            region.units += before - state.remaining;
            self.ran += before - state.remaining;
            if region.runs == RUNS {
                self.judge(number);
            }
            let at_control = answer & left::AT_CONTROL != 0;
            let interpret = answer & left::INTERPRET != 0;
            ran = Some(Ran { at_control, interpret });
            if interpret || state.remaining == 0 {
                break;
            }
        }
        ran
    }

    /// Drops a region that is left too soon to be worth entering.
    #[cold]
    fn judge(&mut self, number: usize) {
        let Some(region) = self.regions.get_mut(number) else { return };
        if region.units < u64::from(RUNS) * SHORTEST && !region.is_kept {
            self.bytes -= region.function.take().map_or(0, |function| function.bytes());
            self.addresses.refuse(region.entry);
        }
        (region.runs, region.units) = (0, 0);
    }

    /// Compiles what begins at `state.ip`, if that hasn't been done and is
    /// worth its price.
    pub fn prepare(&mut self, state: &State, memory: &Bytes, price: Price) -> Prepared {
        if self.is_compiled(state.ip) {
            return Prepared::Compiled(Vec::new());
        }
        if self.addresses.is_refused(state.ip) {
            return Prepared::Never;
        }
        if self.bytes > MOST_BYTES || !Addresses::has_room_for(self.regions.len()) {
            self.forget();
        }
        let is_warm = |addresses: &[u32]| {
            let spent = self.spent(addresses, price, Addresses::seen);
            WARM * spent >= addresses.len() as u64 * price.instruction
        };
        let Some(region) = Region::find(memory, state.ip, state.is_fast(), &is_warm) else {
            return Prepared::Never;
        };
        let mut addresses: Vec<u32> = region.code().map(|(address, _)| address).collect();
        let cost = (addresses.len() as u64 + ENTRY) * price.instruction;
        addresses.sort_unstable();
        addresses.dedup();
        let is_eager = price.instruction == 0;
        let spent = self.spent(&addresses, price, Addresses::unpaid);
        let is_worth = is_eager || region.has_loop() && self.is_worth(cost, spent, price);
        if !is_worth {
            return Prepared::NotYet;
        }
        self.paid += cost;
        // What has been spent pays for one region only.
        addresses.into_iter().for_each(|address| self.addresses.pay(address));
        self.compile(state, &region, is_eager)
    }

    /// Whether compiling for `cost` pays where `spent` has been spent. The more
    /// has been paid already the more it has to bring.
    fn is_worth(&self, cost: u64, spent: u64, price: Price) -> bool {
        let time = self.samples * price.sample + self.ran;
        let allowed = GRANT + time / SHARE;
        let factor = (self.paid + cost) as f64 / allowed as f64;
        spent as f64 >= cost as f64 * factor.max(1.0)
    }

    /// The time that the interpreter has spent in some instructions.
    fn spent(&self, addresses: &[u32], price: Price, times: fn(&Addresses, u32) -> u16) -> u64 {
        let times = addresses.iter().map(|&address| u64::from(times(&self.addresses, address)));
        times.sum::<u64>() * price.sample
    }

    fn compile(&mut self, state: &State, region: &Region, is_kept: bool) -> Prepared {
        let mut lines: Vec<u32> = region.code().flat_map(lines_of).collect();
        lines.sort_unstable();
        lines.dedup();
        let is_settled = |line| self.written.get(line).is_none_or(|&written| written < MOST_WRITES);
        if !is_kept && !lines.iter().all(is_settled) {
            return Prepared::Never;
        }
        if self.host.is_none() {
            self.host = Host::new().map(Box::new);
        }
        let own_stack = !(STACK.start..=STACK.end).contains(&state.sp);
        let host = self.host.as_mut();
        let Some(function) = host.and_then(|host| host.compile(region, own_stack)) else {
            return Prepared::Never;
        };
        self.bytes += function.bytes();
        self.addresses.set_region(state.ip, Some(self.regions.len()));
        self.regions.push(Compiled {
            entry: state.ip,
            function: Some(Arc::new(function)),
            fast: state.is_fast(),
            lines: lines.into(),
            runs: 0,
            units: 0,
            is_kept,
        });
        Prepared::Compiled(region.code().collect())
    }

    /// Code in these lines has been written to: what was compiled of them is
    /// dropped.
    pub fn drop_lines(&mut self, lines: &[u32]) {
        for &line in lines {
            (line << LINE_BITS..(line + 1) << LINE_BITS).for_each(|at| self.addresses.forget(at));
        }
        for region in &mut self.regions {
            if !region.lines.iter().any(|line| lines.contains(line)) {
                continue;
            }
            let Some(function) = region.function.take() else { continue };
            self.bytes -= function.bytes();
            self.addresses.set_region(region.entry, None);
            for &line in region.lines.iter().filter(|line| lines.contains(line)) {
                let written = self.written.entry(line).or_default();
                *written = written.saturating_add(1);
            }
        }
    }

    /// Drops everything.
    pub fn forget(&mut self) {
        *self = Compiler { host: self.host.take(), ..Compiler::default() };
    }
}

/// Whether no code lies where pushes write without looking.
fn may_run(watch: Watch<'_>) -> bool {
    let lines = (STACK.start >> LINE_BITS) as usize..=(STACK.end >> LINE_BITS) as usize;
    watch.marks[lines].iter().all(|&mark| mark == 0)
}

fn lines_of((address, length): (u32, u32)) -> impl Iterator<Item = u32> {
    address >> LINE_BITS..=(address + length - 1) >> LINE_BITS
}
