//! The engine that compiles: what is often come to runs as host code, the fast
//! core does the rest. What is compiled and how is the crate `jit`'s; here it
//! is decided when, and seen to that it is dropped when it is written over.

use jit::{Compiler, State};

use super::fast::{self, Cache, Exit, Hook};
use super::{Cpu, Registers};
use crate::code_watch::Changes;
use crate::engine::{Left, Span};
use crate::memory::Memory;

/// Host code for one memory. A copy of the memory begins without.
#[derive(Default)]
pub(crate) struct Compiled(Option<Box<Compiler>>);

impl Clone for Compiled {
    fn clone(&self) -> Self {
        Compiled::default()
    }
}

impl std::fmt::Debug for Compiled {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Compiled")
    }
}

/// Executes until there is something for the machine to do.
pub(crate) fn run(cpu: &mut Cpu, memory: &mut Memory, span: &mut Span) -> Left {
    // Out of the memory that they work on, and back.
    let mut compiler = memory.translated.compiled.0.take().unwrap_or_default();
    let mut cache = memory.translated.fast.take().unwrap_or_default();
    let left = run_with(&mut compiler, &mut cache, cpu, memory, span);
    memory.translated.fast = Some(cache);
    memory.translated.compiled.0 = Some(compiler);
    left
}

fn run_with(
    compiler: &mut Compiler,
    cache: &mut Cache,
    cpu: &mut Cpu,
    memory: &mut Memory,
    span: &mut Span,
) -> Left {
    let mut is_wanted = compiler.come_to(cpu.ip, span.patience);
    loop {
        hear_of_changes(compiler, cache, memory, span);
        if is_wanted && !span.is_interrupted(cpu.flags, memory) {
            match run_compiled(compiler, cpu, memory, span) {
                Some(Ended::Left(left)) => return left,
                Some(Ended::Elsewhere) => {
                    is_wanted = compiler.come_to(cpu.ip, span.patience);
                    if is_wanted {
                        continue;
                    }
                }
                Some(Ended::Before) | None => {}
            }
        }
        let mut look = Look { compiler, patience: span.patience, is_first: true };
        match fast::run_with(cache, cpu, memory, span, &mut look) {
            Exit::Left(left) => return left,
            Exit::Hooked => is_wanted = true,
        }
    }
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

/// Looks at the blocks that the fast core comes to.
struct Look<'a> {
    compiler: &'a mut Compiler,
    patience: u32,
    is_first: bool,
}

impl Hook for Look<'_> {
    /// Takes what is compiled, or is to be. The first block has been left to
    /// the fast core.
    #[inline(always)]
    fn takes(&mut self, ip: u32) -> bool {
        !std::mem::take(&mut self.is_first) && self.compiler.come_to(ip, self.patience)
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
    cpu: &mut Cpu,
    memory: &mut Memory,
    span: &mut Span,
) -> Option<Ended> {
    let remaining = span.horizon - span.units;
    let words = cpu.regs.words();
    let mut state = State::new(words, cpu.regs.sp(), cpu.ip, cpu.flags, remaining)?;
    let (bytes, code) = memory.bytes_and_code();
    for (address, length) in compiler.prepare(&state, bytes, span.patience) {
        code.watch(address, length);
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
