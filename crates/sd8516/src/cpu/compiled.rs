//! The engine that compiles: code in which much time is spent runs as host
//! code, the fast core does the rest. What is compiled and how is the crate
//! `jit`'s; here it is measured where time is spent, and seen to that code is
//! dropped when it is written over.

use jit::{Compiler, Prepared, Price, State};

use super::fast::{self, Cache, Exit, Hook};
use super::{Cpu, Registers};
use crate::code_watch::Changes;
use crate::engine::{Left, Span};
use crate::memory::Memory;

/// The most units between two looks at what the fast core executes, on average.
const LONGEST_SAMPLE: u64 = 2048;
/// Looks while that is executed which costs as much as compiling one
/// instruction.
const SAMPLES: u64 = 8;
/// How much longer the fast core is left alone in a loop that it counts as a
/// whole, quicker than compiled code does.
const COUNTING: u64 = 16;

/// Host code for one memory, and where the fast core has spent its time in it.
/// A copy of the memory shares the code.
#[derive(Clone, Default)]
pub(crate) struct Compiled(Option<Box<Translation>>);

#[derive(Clone, Default)]
struct Translation {
    compiler: Compiler,
    clock: SampleClock,
}

impl std::fmt::Debug for Compiled {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Compiled")
    }
}

/// Executes until there is something for the machine to do.
pub(crate) fn run(cpu: &mut Cpu, memory: &mut Memory, span: &mut Span) -> Left {
    // Out of the memory that they work on, and back.
    let mut translation = memory.translated.compiled.0.take().unwrap_or_default();
    let mut cache = memory.translated.fast.take().unwrap_or_default();
    let left = run_with(&mut translation, &mut cache, cpu, memory, span);
    memory.translated.fast = Some(cache);
    memory.translated.compiled.0 = Some(translation);
    left
}

fn run_with(
    Translation { compiler, clock }: &mut Translation,
    cache: &mut Cache,
    cpu: &mut Cpu,
    memory: &mut Memory,
    span: &mut Span,
) -> Left {
    let price = price(span.patience);
    let is_eager = price.instruction == 0;
    cache.set_all_wanted(is_eager);
    let mut is_wanted = is_eager || compiler.is_compiled(cpu.ip);
    loop {
        hear_of_changes(compiler, cache, memory, span);
        if is_wanted && !span.is_interrupted(cpu.flags, memory) {
            match run_compiled(compiler, cache, price, cpu, memory, span) {
                Some(Ended::Left(left)) => return left,
                Some(Ended::Elsewhere) if is_eager => continue,
                Some(Ended::Elsewhere | Ended::Before) | None => {}
            }
        }
        let (sample, first) = (price.sample, Some(cpu.ip));
        let mut look = Look { compiler, clock, sample, kept: 0, first };
        match fast::run_with(cache, cpu, memory, span, &mut look) {
            Exit::Left(left) => return left,
            Exit::Hooked => is_wanted = true,
        }
    }
}

fn price(patience: u32) -> Price {
    let instruction = u64::from(patience);
    Price { instruction, sample: (instruction / SAMPLES).clamp(1, LONGEST_SAMPLE) }
}

/// Drops what has been written over, decoded and compiled.
fn hear_of_changes(compiler: &mut Compiler, cache: &mut Cache, memory: &mut Memory, span: &Span) {
    if memory.code.has_changed() {
        cache.drop_changed(memory, span.units);
    }
    match memory.code.take_untold() {
        Changes::Everything => compiler.forget(),
        Changes::Lines(lines) if lines.is_empty() => {}
        Changes::Lines(lines) => compiler.drop_lines(&lines),
    }
}

/// When the next look is due. The times between two looks vary, so that none
/// falls into step with a loop; they follow from machine time alone.
#[derive(Clone, Debug)]
struct SampleClock {
    left: u64,
    random: u64,
}

impl Default for SampleClock {
    fn default() -> Self {
        SampleClock { left: 0, random: 1 }
    }
}

impl SampleClock {
    /// Sets the time until the next look, `sample` units on average.
    fn restart(&mut self, sample: u64) {
        // A step of a linear congruential generator; its upper bits are good.
        self.random = self.random.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(1);
        self.left = sample - sample / 2 + (((self.random >> 32) * sample) >> 32);
    }
}

/// Looks now and then at what the fast core executes.
struct Look<'a> {
    compiler: &'a mut Compiler,
    clock: &'a mut SampleClock,
    /// Units between two looks.
    sample: u64,
    /// Units until the horizon that the fast core hasn't been given yet.
    kept: u64,
    /// The block that has been left to the fast core.
    first: Option<u32>,
}

impl Look<'_> {
    /// What the fast core may use until the next look.
    fn part(&mut self) -> u64 {
        let part = self.clock.left.min(self.kept);
        self.kept -= part;
        self.clock.left -= part;
        part
    }
}

impl Hook for Look<'_> {
    fn begin(&mut self, left: u64) -> u64 {
        self.kept = left;
        self.part()
    }

    fn end(&mut self, left: u64) -> u64 {
        self.clock.left += left;
        left + std::mem::take(&mut self.kept)
    }

    fn kept(&self) -> u64 {
        self.kept
    }

    fn go_on(&mut self) -> u64 {
        // The next look falls into the block that comes now.
        let part = self.kept.min(1);
        self.kept -= part;
        part
    }

    fn look(&mut self, at: u32, is_count: bool) -> u64 {
        if self.kept == 0 {
            return 0;
        }
        self.clock.restart(self.sample);
        if is_count {
            self.clock.left *= COUNTING;
        } else {
            self.compiler.sample(at);
        }
        self.part()
    }

    fn takes(&mut self, ip: u32) -> bool {
        if self.first == Some(ip) {
            self.first = None;
            return false;
        }
        true
    }
}

/// How a run of compiled code ended.
enum Ended {
    /// There is something for the machine to do.
    Left(Left),
    /// After a control instruction, where nothing is compiled.
    Elsewhere,
    /// Before an instruction that isn't compiled.
    Before,
}

/// Runs compiled code, or compiles it first. `None` when there is none.
fn run_compiled(
    compiler: &mut Compiler,
    cache: &mut Cache,
    price: Price,
    cpu: &mut Cpu,
    memory: &mut Memory,
    span: &mut Span,
) -> Option<Ended> {
    let remaining = span.horizon - span.units;
    let words = cpu.regs.words();
    let mut state = State::new(words, cpu.regs.sp(), cpu.ip, cpu.flags, remaining)?;
    let (bytes, code) = memory.bytes_and_code();
    if !compiler.is_compiled(cpu.ip) {
        match compiler.prepare(&state, bytes, price) {
            Prepared::Compiled(places) => {
                for (address, length) in places {
                    code.watch(address, length);
                }
                cache.want(cpu.ip, cpu.flags);
            }
            Prepared::NotYet => cache.want_later(cpu.ip, cpu.flags),
            Prepared::Never => cache.want_never(cpu.ip, cpu.flags),
        }
    }
    if code.has_changed() {
        // There was no room to watch its bytes.
        return None;
    }
    let ran = compiler.run(&mut state, bytes, code.as_watch())?;
    cpu.regs = Registers::new(state.words, state.sp);
    cpu.ip = state.ip;
    cpu.flags = state.flags();
    span.units = span.horizon - state.remaining;
    Some(match (state.remaining, ran.at_control, ran.interpret) {
        (0, true, _) => Ended::Left(Left::Control),
        (0, false, _) => Ended::Left(Left::Horizon),
        (_, _, false) => Ended::Elsewhere,
        (_, _, true) => Ended::Before,
    })
}
