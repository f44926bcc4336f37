//! Instructions a second on five loops in assembly, and turns of the game.

use std::hint::black_box;
use std::time::Duration;

use benches::{assemble, services, start, start_with_keys};
use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};

/// Instructions of one iteration; every instruction of the loops is one unit.
const INSTRUCTIONS: u64 = 5_000_000;

fn loops(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("engine");
    group.throughput(Throughput::Elements(INSTRUCTIONS));
    group.sample_size(20).measurement_time(Duration::from_secs(4));
    for name in ["countdown", "arithmetic", "copy", "calls"] {
        let image = assemble(&format!("benches/loops/{name}.sda"));
        group.bench_function(name, |bencher| {
            bencher.iter_batched_ref(
                || start(&image),
                |machine| black_box(machine.run(&mut services(), INSTRUCTIONS)),
                BatchSize::PerIteration,
            );
        });
    }
    group.finish();
}

/// Rogueima from the title screen through a walk and many waits: the real
/// turn loop with drawing, line of sight and monsters.
fn turns(criterion: &mut Criterion) {
    let image = assemble("programs/rogueima/rogueima.sda");
    let keys = [b"n\rllllkkkkhhhhjjjj".as_slice(), &[b'.'; 200]].concat();
    let units = {
        let mut machine = start_with_keys(&image, &keys);
        machine.run(&mut services(), u64::MAX);
        machine.units()
    };
    let mut group = criterion.benchmark_group("rogueima");
    group.throughput(Throughput::Elements(units));
    group.sample_size(20).measurement_time(Duration::from_secs(4));
    group.bench_function("turns", |bencher| {
        bencher.iter_batched_ref(
            || start_with_keys(&image, &keys),
            |machine| black_box(machine.run(&mut services(), u64::MAX)),
            BatchSize::PerIteration,
        );
    });
    group.finish();
}

criterion_group!(engine, loops, turns);
criterion_main!(engine);
