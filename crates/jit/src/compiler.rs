//! What is compiled, when, and until it is written over.

use std::collections::HashMap;

use isa::memory_map::STACK;

use crate::host::Code;
use crate::left;
use crate::region::{Bytes, Region};
use crate::state::State;
use crate::watch::{LINE_BITS, LINES, Watch};

/// What has been come to less than this part of what was waited for is left
/// out of a region.
const WARM: u32 = 32;
/// Host code beyond which all of it is dropped.
const MOST_BYTES: usize = 8 << 20;
/// Times that compiled code of a line may be written over before it is left
/// to the interpreter.
const MOST_WRITES: u8 = 8;

/// Compiled code for one memory.
pub struct Compiler {
    code: Option<Code>,
    regions: Vec<Compiled>,
    addresses: Addresses,
    /// How often compiled code of a line has been written to.
    written: HashMap<u32, u8>,
}

struct Compiled {
    entry: u32,
    number: usize,
    /// FLAGS.S as it was compiled for.
    fast: bool,
    /// The lines of its instructions.
    lines: Vec<u32>,
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

impl Default for Compiler {
    fn default() -> Self {
        Compiler::new()
    }
}

impl Compiler {
    /// Nothing compiled yet.
    pub fn new() -> Self {
        Compiler {
            code: None,
            regions: Vec::new(),
            addresses: Addresses::new(),
            written: HashMap::new(),
        }
    }

    /// Whether code can be made for hosts such as this.
    pub const fn is_supported() -> bool {
        cfg!(any(target_arch = "x86_64", target_arch = "aarch64"))
    }

    /// Runs what is compiled from `state.ip` on, if anything is, until time is
    /// up or the interpreter is needed. `None` when nothing is compiled there.
    #[inline]
    pub fn run(&self, state: &mut State, memory: &mut Bytes, watch: Watch<'_>) -> Option<Ran> {
        let code = self.code.as_ref()?;
        if !may_run(watch) {
            return None;
        }
        let mut ran = None;
        while let Some(region) = self.region(state) {
            let answer = code.call(region.number, state, memory, watch);
            let at_control = answer & left::AT_CONTROL != 0;
            let interpret = answer & left::INTERPRET != 0;
            ran = Some(Ran { at_control, interpret });
            if interpret || state.remaining == 0 {
                break;
            }
        }
        ran
    }

    fn region(&self, state: &State) -> Option<&Compiled> {
        let Slot::Compiled(number) = self.addresses.get(state.ip) else { return None };
        let region = self.regions.get(number)?;
        let fast = state.other_flags as u16 & isa::flags::S != 0;
        (region.fast == fast).then_some(region)
    }

    /// The interpreter has come to `ip`. Whether there is compiled code for it
    /// or, as it has been come to `patience` times, it is time to make some:
    /// see [`Compiler::prepare`].
    #[inline]
    pub fn come_to(&mut self, ip: u32, patience: u32) -> bool {
        self.addresses.come_to(ip, patience)
    }

    /// Compiles what begins at `state.ip`, if that hasn't been done. Answers
    /// the places that are to be watched from now on: address and length.
    pub fn prepare(&mut self, state: &State, memory: &Bytes, patience: u32) -> Vec<(u32, u32)> {
        match self.addresses.get(state.ip) {
            Slot::Compiled(_) => Vec::new(),
            Slot::Heat(_) => self.compile(state, memory, patience),
        }
    }

    fn compile(&mut self, state: &State, memory: &Bytes, patience: u32) -> Vec<(u32, u32)> {
        if self.code.as_ref().is_some_and(|code| code.bytes() > MOST_BYTES) {
            self.forget();
        }
        if self.code.is_none() {
            self.code = Code::new();
        }
        let fast = state.other_flags as u16 & isa::flags::S != 0;
        let own_stack = !(STACK.start..=STACK.end).contains(&state.sp);
        let Some(code) = &mut self.code else { return Vec::new() };
        let addresses = &self.addresses;
        let is_warm = |at| match addresses.get(at) {
            Slot::Heat(heat) => heat > patience / WARM,
            Slot::Compiled(_) => true,
        };
        let found = Region::find(memory, state.ip, fast, &is_warm);
        let Some(region) = found else { return Vec::new() };
        let mut lines: Vec<u32> = region.code().flat_map(lines_of).collect();
        lines.sort_unstable();
        lines.dedup();
        let is_settled = |line| self.written.get(line).is_none_or(|&written| written < MOST_WRITES);
        if !lines.iter().all(is_settled) {
            return Vec::new();
        }
        let Some(number) = code.add(&region, own_stack) else { return Vec::new() };
        self.addresses.set(state.ip, Slot::Compiled(self.regions.len()));
        self.regions.push(Compiled { entry: state.ip, number, fast, lines });
        region.code().collect()
    }

    /// Code in these lines has been written to: what was compiled of them is
    /// dropped.
    pub fn drop_lines(&mut self, lines: &[u32]) {
        for region in &mut self.regions {
            if region.lines.iter().any(|line| lines.contains(line)) {
                self.addresses.set(region.entry, Slot::Heat(0));
                for &line in region.lines.iter().filter(|line| lines.contains(line)) {
                    let written = self.written.entry(line).or_default();
                    *written = written.saturating_add(1);
                }
                region.lines.clear();
            }
        }
    }

    /// Drops everything.
    pub fn forget(&mut self) {
        self.code = None;
        self.regions.clear();
        self.addresses = Addresses::new();
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

/// What is known of each address that the interpreter has come to.
struct Addresses {
    /// For each line 0, or one more than its place in `slots`.
    lines: Vec<u16>,
    slots: Vec<[u32; 1 << LINE_BITS]>,
}

/// What is known of an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Slot {
    /// How often it has been come to.
    Heat(u32),
    /// The region that begins there.
    Compiled(usize),
}

/// The bit of a slot that says it is compiled.
const COMPILED: u32 = 1 << 31;

impl Addresses {
    fn new() -> Self {
        Addresses { lines: vec![0; LINES], slots: Vec::new() }
    }

    #[inline]
    fn get(&self, address: u32) -> Slot {
        let slot = self.slot(address).unwrap_or(0);
        if slot & COMPILED == 0 {
            Slot::Heat(slot)
        } else {
            Slot::Compiled((slot & !COMPILED) as usize)
        }
    }

    fn slot(&self, address: u32) -> Option<u32> {
        let line = *self.lines.get((address >> LINE_BITS) as usize)?;
        let slots = self.slots.get(usize::from(line).wrapping_sub(1))?;
        Some(slots[address as usize % slots.len()])
    }

    fn slot_mut(&mut self, address: u32) -> Option<&mut u32> {
        let line = self.lines.get_mut((address >> LINE_BITS) as usize)?;
        if *line == 0 {
            self.slots.push([0; 1 << LINE_BITS]);
            *line = u16::try_from(self.slots.len()).ok()?;
        }
        let slots = self.slots.get_mut(usize::from(*line) - 1)?;
        Some(&mut slots[address as usize % (1 << LINE_BITS)])
    }

    fn set(&mut self, address: u32, new: Slot) {
        if let Some(slot) = self.slot_mut(address) {
            *slot = match new {
                Slot::Heat(heat) => heat,
                Slot::Compiled(number) => number as u32 | COMPILED,
            };
        }
    }

    #[inline]
    fn come_to(&mut self, address: u32, patience: u32) -> bool {
        let Some(slot) = self.slot_mut(address) else { return false };
        if *slot & COMPILED != 0 {
            return true;
        }
        *slot = (*slot + 1) & !COMPILED;
        *slot == patience
    }
}
