//! Instructions a second on the loops in assembly, and turns of the game, on
//! every engine that is built in.

use std::hint::black_box;
use std::time::Duration;

use benches::loops::LOOPS;
use benches::{assemble, assemble_text, engines, services, start, turns};
use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};

/// Instructions of one iteration; every instruction of the loops is one unit.
const INSTRUCTIONS: u64 = 5_000_000;

fn loops(criterion: &mut Criterion) {
    for a_loop in LOOPS {
        let mut group = criterion.benchmark_group(a_loop.name);
        group.throughput(Throughput::Elements(INSTRUCTIONS));
        group.sample_size(20).measurement_time(Duration::from_secs(2));
        let image = assemble_text(a_loop.source);
        for engine in engines() {
            group.bench_function(engine.name(), |bencher| {
                bencher.iter_batched_ref(
                    || {
                        let mut machine = start(&image);
                        machine.set_engine(engine);
                        machine
                    },
                    |machine| black_box(machine.run(&mut services(), INSTRUCTIONS)),
                    BatchSize::PerIteration,
                );
            });
        }
        group.finish();
    }
}

fn turns_of_the_game(criterion: &mut Criterion) {
    let image = assemble("programs/rogueima/rogueima.sda");
    let mut group = criterion.benchmark_group("turns");
    group.throughput(Throughput::Elements(turns::TURNS));
    group.sample_size(20).measurement_time(Duration::from_secs(2));
    for engine in engines() {
        group.bench_function(engine.name(), |bencher| {
            bencher.iter_batched_ref(
                || {
                    let mut machine = turns::begun(&image);
                    machine.set_engine(engine);
                    machine
                },
                turns::play,
                BatchSize::PerIteration,
            );
        });
    }
    group.finish();
}

criterion_group!(engine, loops, turns_of_the_game);
criterion_main!(engine);
