//! This machine, on each engine: the loops of `vc3 bench`.

use std::hint::black_box;

use benches::loops::LOOPS;
use benches::{assemble_text, services, start};
use sd8516::Engine;

use crate::{Loop, Result, Run};

pub fn plain(a_loop: Loop, instructions: u64) -> Result<Run> {
    run(Engine::Plain, a_loop, instructions)
}

pub fn fast(a_loop: Loop, instructions: u64) -> Result<Run> {
    run(Engine::Fast, a_loop, instructions)
}

pub fn jit(a_loop: Loop, instructions: u64) -> Result<Run> {
    if !Engine::Jit.is_built_in() {
        return Err("there is no compiler for this host".into());
    }
    run(Engine::Jit, a_loop, instructions)
}

fn run(engine: Engine, a_loop: Loop, instructions: u64) -> Result<Run> {
    let of_that_name = |one: &&benches::loops::Loop| one.name == a_loop.name();
    let source = LOOPS.iter().find(of_that_name).ok_or("there is no such loop")?.source;
    let mut machine = start(&assemble_text(source));
    machine.set_engine(engine);
    Run::of(|| {
        black_box(machine.run(&mut services(), instructions));
        // Every instruction of the loops takes one unit.
        Ok(machine.units())
    })
}
