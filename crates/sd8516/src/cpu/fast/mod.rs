//! The fast core: code is decoded once, into blocks of operations.
//!
//! An operation is a function, chosen for one opcode, width and kind of
//! operand, with the operands as offsets in the register file. Executing a
//! block is calling its functions one after the other. Nothing between them
//! asks for the time or for interrupts: a block is begun only when all of it
//! fits into the time that is left, and only while no interrupt waits. What is
//! rare (services, queues, block operations, everything that is a fault) is
//! left to the plain CPU, which says what it does.
//!
//! * [`core`]: registers and lazy flags.
//! * [`block`]: what decoded code is made of.
//! * [`decode`], [`select`], [`fuse`]: from bytes to blocks.
//! * [`moves`], [`arithmetic`], [`control`], [`fused`]: the operations.
//! * [`cache`]: the blocks, and what happens when their bytes are written to.

mod arithmetic;
mod block;
mod cache;
mod control;
mod core;
mod decode;
mod fuse;
mod fused;
mod moves;
mod select;

use crate::cpu::{Cpu, Flow};
use crate::engine::{Left, Pending, Span};
use crate::memory::Memory;

use block::{Block, Op, Then, key};
pub(crate) use cache::Cache;
use core::Core;

/// Somebody who looks now and then at what is executed, and may take over
/// before blocks that it wants. In between it costs nothing, since the fast
/// core is given time only until the next look.
pub(crate) trait Hook {
    /// The core begins with so many units until the horizon; how many of them
    /// it may use.
    fn begin(&mut self, left: u64) -> u64;
    /// The core ends with so many of them unused; how many there are until the
    /// horizon.
    fn end(&mut self, left: u64) -> u64;
    /// Units until the horizon that haven't been given to the core.
    fn kept(&self) -> u64;
    /// All units have been used at the end of a block: some more, 0 at the
    /// horizon.
    fn go_on(&mut self) -> u64;
    /// All units have been used up to the instruction at `at`, which may be a
    /// loop that the core counts as a whole: a look, and more units, 0 near
    /// the horizon.
    fn look(&mut self, at: u32, is_count: bool) -> u64;
    /// The block at `ip`, which is wanted, is about to be executed; whether the
    /// core is to leave before it.
    fn takes(&mut self, ip: u32) -> bool;
}

/// Nobody looks.
pub(crate) struct NoHook;

impl Hook for NoHook {
    #[inline(always)]
    fn begin(&mut self, left: u64) -> u64 {
        left
    }

    #[inline(always)]
    fn end(&mut self, left: u64) -> u64 {
        left
    }

    #[inline(always)]
    fn kept(&self) -> u64 {
        0
    }

    #[inline(always)]
    fn go_on(&mut self) -> u64 {
        0
    }

    #[inline(always)]
    fn look(&mut self, _: u32, _: bool) -> u64 {
        0
    }

    #[inline(always)]
    fn takes(&mut self, _: u32) -> bool {
        false
    }
}

/// Why the fast core left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// As every engine does.
    Left(Left),
    /// The hook takes over at IP.
    Hooked,
}

/// Executes until there is something for the machine to do.
pub(crate) fn run(cache: &mut Cache, cpu: &mut Cpu, memory: &mut Memory, span: &mut Span) -> Left {
    match run_with(cache, cpu, memory, span, &mut NoHook) {
        Exit::Left(left) => left,
        Exit::Hooked => Left::Plain,
    }
}

/// Executes until there is something for the machine to do or `hook` takes
/// over.
pub(crate) fn run_with(
    cache: &mut Cache,
    cpu: &mut Cpu,
    memory: &mut Memory,
    span: &mut Span,
    hook: &mut impl Hook,
) -> Exit {
    // A stop that was asked for waits for the next control instruction.
    if span.pending == Pending::Stop {
        return Exit::Left(Left::Plain);
    }
    while let Some(mut core) = Core::of(cpu, span) {
        core.left = hook.begin(core.left);
        let exit = run_blocks(cache, &mut core, memory, span, hook);
        core.left = hook.end(core.left);
        core.write_to(cpu, span);
        if let Some(exit) = exit.or_else(|| run_plainly(cache, cpu, memory, span)) {
            return exit;
        }
    }
    Exit::Left(Left::Plain)
}

/// Executes blocks. `None`: the next instruction is the plain CPU's.
fn run_blocks(
    cache: &mut Cache,
    core: &mut Core,
    memory: &mut Memory,
    span: &Span,
    hook: &mut impl Hook,
) -> Option<Exit> {
    if span.is_interrupted(core.rest, memory) {
        return Some(Exit::Left(Left::Plain));
    }
    loop {
        let now = span.horizon - core.left - hook.kept();
        if memory.code.has_changed() {
            cache.drop_changed(memory, now);
        }
        let block = cache.block(memory, core, now);
        if block.units() == 0 {
            return None;
        }
        loop {
            let ended = if block.cost() <= core.left {
                execute(block, block.cost(), core, memory)
            } else {
                match execute_otherwise(block, core, memory, hook) {
                    Some(ended) => ended,
                    None => return Some(Exit::Hooked),
                }
            };
            let is_control = match ended {
                Ended::Control => true,
                Ended::Straight => false,
                Ended::Plain => return None,
            };
            if core.left == 0 {
                core.left = hook.go_on();
                if core.left == 0 {
                    let left = if is_control { Left::Control } else { Left::Horizon };
                    return Some(Exit::Left(left));
                }
            }
            // Only here: within a block nothing makes an interrupt possible.
            // What may set I ends it, and the vector is watched as code is.
            if span.is_interrupted(core.rest, memory) {
                return Some(Exit::Left(if is_control { Left::Control } else { Left::Plain }));
            }
            // A loop goes on without a look for its block.
            let is_loop = is_control && key(core.ip, core.rest) == block.key;
            if !is_loop || memory.code.has_changed() {
                break;
            }
        }
    }
}

/// How a block ended; IP and time are those of the next instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ended {
    /// With a control instruction.
    Control,
    /// With another.
    Straight,
    /// Before one for the plain CPU, for which there is time.
    Plain,
}

/// Executes a block of so many units for which there is time.
#[inline(always)]
fn execute(block: &Block, units: u64, core: &mut Core, memory: &mut Memory) -> Ended {
    for op in &*block.ops {
        let then = (op.run)(core, memory, op);
        if then != Then::Next {
            return leave(then, op, core);
        }
    }
    core.left -= units;
    core.ip = block.next;
    if block.ends_in_control { Ended::Control } else { Ended::Straight }
}

/// Leaves a block within it. The time is still that of its beginning.
#[inline(always)]
fn leave(then: Then, op: &Op, core: &mut Core) -> Ended {
    if then == Then::Jumped {
        core.left -= u64::from(op.count);
        return Ended::Control;
    }
    leave_otherwise(then, op, core)
}

#[cold]
fn leave_otherwise(then: Then, op: &Op, core: &mut Core) -> Ended {
    match then {
        Then::Jumped | Then::JumpedChanged => {
            core.left -= u64::from(op.count);
            Ended::Control
        }
        Then::Changed | Then::Next => {
            core.left -= u64::from(op.count);
            core.ip = op.next;
            Ended::Straight
        }
        Then::Plain => {
            core.left -= u64::from(op.before);
            core.ip = op.at;
            Ended::Plain
        }
    }
}

/// Executes a block that a hook wants, or for which there isn't time. `None`:
/// the hook takes over before it.
#[cold]
fn execute_otherwise(
    block: &mut Block,
    core: &mut Core,
    memory: &mut Memory,
    hook: &mut impl Hook,
) -> Option<Ended> {
    if block.is_wanted() && hook.takes(core.ip) {
        return None;
    }
    if block.units() <= core.left {
        return Some(execute(block, block.units(), core, memory));
    }
    let mut looks = false;
    let ended = execute_partly(block, core, memory, |op| {
        let more = hook.look(op.at, op.is_count);
        looks |= more > 0 && !op.is_count;
        more
    });
    if looks {
        block.looked_at();
    }
    Some(ended)
}

/// Executes as much of a block as there is time for. `more` is asked for more
/// time before an operation.
fn execute_partly(
    block: &Block,
    core: &mut Core,
    memory: &mut Memory,
    mut more: impl FnMut(&Op) -> u64,
) -> Ended {
    let mut ended = Ended::Plain;
    let mut count = 0;
    for op in &*block.ops {
        while u64::from(op.count) > core.left {
            let more = more(op);
            if more == 0 {
                core.left -= count;
                return ended;
            }
            core.left += more;
        }
        let then = (op.run)(core, memory, op);
        if then != Then::Next {
            return leave(then, op, core);
        }
        core.ip = op.next;
        count = u64::from(op.count);
        ended = match (count < core.left, op.is_control) {
            (true, _) => Ended::Plain,
            (false, true) => Ended::Control,
            (false, false) => Ended::Straight,
        };
    }
    if block.units() <= core.left {
        core.left -= block.units();
        core.ip = block.next;
        return if block.ends_in_control { Ended::Control } else { Ended::Straight };
    }
    core.left -= count;
    ended
}

/// Executes what isn't decoded: one instruction, and more where the code is
/// written to so often that decoding it doesn't pay. `None`: blocks go on.
fn run_plainly(cache: &Cache, cpu: &mut Cpu, memory: &mut Memory, span: &mut Span) -> Option<Exit> {
    loop {
        let at = cpu.ip;
        let is_control = match cpu.execute_one(memory) {
            Ok(Flow::Next) => false,
            Ok(Flow::Longer(more)) => {
                span.units += u64::from(more);
                false
            }
            Ok(Flow::Control) => true,
            // The machine's, which executes it anew.
            Ok(_) | Err(_) => {
                cpu.ip = at;
                return Some(Exit::Left(Left::Plain));
            }
        };
        span.units += 1;
        if span.units >= span.horizon {
            return Some(Exit::Left(if is_control { Left::Control } else { Left::Horizon }));
        }
        if span.is_interrupted(cpu.flags, memory) {
            return Some(Exit::Left(if is_control { Left::Control } else { Left::Plain }));
        }
        if !cache.is_shunned(cpu.ip, cpu.flags, span.units) {
            return None;
        }
    }
}
