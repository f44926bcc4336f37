//! Engines: ways to execute instructions, of which a machine uses one. All give
//! the same results to the bit, so the choice is no part of a machine's state.

use std::fmt;
use std::str::FromStr;

use isa::flags::I;
use isa::memory_map::{FRAME_VECTOR, VECTOR_SIZE, VECTORS};

use crate::cpu::{Cpu, fast};
use crate::memory::Memory;

/// How a machine executes instructions. It changes its speed only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Engine {
    /// Every instruction is fetched, decoded and checked each time.
    Plain,
    /// Code is decoded once.
    Fast,
    /// Code that runs often is compiled to the host's.
    Jit,
    /// The fastest that is built in.
    #[default]
    Auto,
}

impl Engine {
    /// Every engine, in the order of their speeds; `Auto`, which is one of
    /// them, last.
    pub const ALL: [Engine; 4] = [Engine::Plain, Engine::Fast, Engine::Jit, Engine::Auto];

    /// The name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Engine::Plain => "plain",
            Engine::Fast => "fast",
            Engine::Jit => "jit",
            Engine::Auto => "auto",
        }
    }

    /// Whether this build has it. A machine that is given one it doesn't have
    /// uses `Auto`.
    pub const fn is_built_in(self) -> bool {
        match self {
            Engine::Plain | Engine::Fast | Engine::Auto => true,
            #[cfg(feature = "jit")]
            Engine::Jit => jit::Compiler::is_supported(),
            #[cfg(not(feature = "jit"))]
            Engine::Jit => false,
        }
    }

    /// The engine that is used for this choice; never `Auto`.
    pub const fn resolved(self) -> Engine {
        match self {
            Engine::Plain => self,
            Engine::Jit | Engine::Auto if Engine::Jit.is_built_in() => Engine::Jit,
            Engine::Fast | Engine::Jit | Engine::Auto => Engine::Fast,
        }
    }
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A word that names no engine.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("engines are plain, fast, jit and auto")]
pub struct NoSuchEngine;

impl FromStr for Engine {
    type Err = NoSuchEngine;

    fn from_str(name: &str) -> Result<Engine, NoSuchEngine> {
        Engine::ALL.into_iter().find(|engine| engine.name() == name).ok_or(NoSuchEngine)
    }
}

/// The engine that a machine was told to use. Machines that differ in nothing
/// else are equal.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Choice {
    pub(crate) engine: Engine,
    /// Units that pass in code for each of its instructions before it is
    /// compiled.
    pub(crate) patience: u32,
}

/// Compiling an instruction takes as long as executing so many otherwise.
const PATIENCE: u32 = 14_000;

impl Default for Choice {
    fn default() -> Self {
        Choice { engine: Engine::default(), patience: PATIENCE }
    }
}

impl PartialEq for Choice {
    fn eq(&self, _: &Choice) -> bool {
        true
    }
}

impl Eq for Choice {}

/// What the engines have made of the code in one memory. It lives beside the
/// bytes ([`Memory`]), so that it is never used with others.
#[derive(Clone, Debug, Default)]
pub(crate) struct Translated {
    pub(crate) fast: Option<Box<fast::Cache>>,
    #[cfg(feature = "jit")]
    pub(crate) compiled: crate::cpu::Compiled,
}

/// How long an engine may execute.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    /// Machine time; the engine moves it on.
    pub(crate) units: u64,
    /// No instruction may begin at this time or later.
    pub(crate) horizon: u64,
    /// What may interrupt after a control instruction.
    pub(crate) pending: Pending,
    /// As in [`Choice`].
    #[cfg_attr(not(feature = "jit"), expect(dead_code, reason = "for the compiler"))]
    pub(crate) patience: u32,
}

/// An interrupt that waits for a control instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pending {
    /// None. It stays so while an engine executes: frames end and stops are
    /// asked for between two spans.
    None,
    /// Vector 8, when I is set and the vector isn't zero.
    Frame,
    /// Vector 9: the machine is to look at it.
    Stop,
}

impl Span {
    /// Whether, after a control instruction, an interrupt may have to be
    /// served: the engine leaves then, with [`Left::Control`].
    #[inline(always)]
    pub(crate) fn is_interrupted(&self, flags: u16, memory: &Memory) -> bool {
        match self.pending {
            Pending::None => false,
            Pending::Frame => flags & I != 0 && vector(memory, FRAME_VECTOR) != 0,
            Pending::Stop => true,
        }
    }
}

/// The vector with this number.
#[inline]
pub(crate) fn vector(memory: &Memory, number: u8) -> u32 {
    memory.read(VECTORS.start + VECTOR_SIZE * u32::from(number), VECTOR_SIZE as u8) as u32
}

/// Why an engine left. Everything the CPU has done is in CPU and memory, and
/// its time in the span's units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Left {
    /// The horizon is reached, with an instruction that is no control
    /// instruction.
    Horizon,
    /// After a control instruction: the horizon is reached or an interrupt may
    /// have to be served.
    Control,
    /// The next instruction is one for the plain CPU, which executes at least
    /// one: the engine doesn't know it, or it would be a fault, or there isn't
    /// enough time left for all that the engine would do in one go. Not at
    /// the horizon, nor where an interrupt may have to be served.
    Plain,
}

/// Executes until there is something for the machine to do. Before the horizon
/// when it is called.
pub(crate) fn run(engine: Engine, cpu: &mut Cpu, memory: &mut Memory, span: &mut Span) -> Left {
    debug_assert!(engine != Engine::Plain);
    match engine {
        #[cfg(feature = "jit")]
        Engine::Jit => crate::cpu::run_compiled(cpu, memory, span),
        Engine::Plain => Left::Plain,
        _ => {
            // Out of the memory that it works on, and back.
            let mut cache = memory.translated.fast.take().unwrap_or_default();
            let left = fast::run(&mut cache, cpu, memory, span);
            memory.translated.fast = Some(cache);
            left
        }
    }
}
