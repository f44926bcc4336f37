//! Assembler lines a second: plain code in four sizes, which shows that twice
//! the lines take twice the time, macros, and the game.

use std::cell::Cell;
use std::hint::black_box;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use benches::sources::{self, Dialect};
use benches::workspace;
use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use sda::{Files, HostFiles, Options, assemble};

fn plain(criterion: &mut Criterion) {
    for lines in [1_000, 10_000, 100_000, 1_000_000] {
        measure(criterion, &format!("plain/{lines}"), &sources::plain(Dialect::Sda, lines));
    }
}

fn macros(criterion: &mut Criterion) {
    measure(criterion, "macros/100000", &sources::macros(100_000));
}

/// A source that is handed over as it is, once: neither a disk nor copying is
/// measured.
struct Given(Cell<Vec<u8>>);

impl Files for Given {
    fn read(&self, _path: &Path) -> io::Result<Vec<u8>> {
        Ok(self.0.take())
    }

    fn exists(&self, _path: &Path) -> bool {
        true
    }
}

fn measure(criterion: &mut Criterion, name: &str, source: &str) {
    let path = PathBuf::from("generated.sda");
    let options = Options::default();
    let mut group = criterion.benchmark_group("assembler");
    group.throughput(Throughput::Elements(source.lines().count() as u64));
    group.sample_size(20).measurement_time(Duration::from_secs(4));
    group.bench_function(name, |bencher| {
        // Nor is what becomes of the result.
        bencher.iter_batched(
            || Given(Cell::new(source.as_bytes().to_vec())),
            |given| {
                let assembly = assemble(black_box(std::slice::from_ref(&path)), &given, &options);
                assert!(assembly.program.is_some(), "{}", assembly.diagnostics.render(false));
                assembly
            },
            BatchSize::PerIteration,
        );
    });
    group.finish();
}

fn game(criterion: &mut Criterion) {
    let path = workspace("programs/rogueima/rogueima.sda");
    let options = Options::default();
    let lines = lines_of(&path, &options);
    let mut group = criterion.benchmark_group("assembler");
    group.throughput(Throughput::Elements(lines));
    group.sample_size(20).measurement_time(Duration::from_secs(4));
    group.bench_function("rogueima", |bencher| {
        bencher.iter(|| assemble(black_box(std::slice::from_ref(&path)), &HostFiles, &options));
    });
    group.finish();
}

/// Lines of every file that the assembler reads for the game.
fn lines_of(path: &Path, options: &Options) -> u64 {
    struct Counting(Cell<u64>);
    impl Files for Counting {
        fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
            let bytes = HostFiles.read(path)?;
            let lines = bytes.iter().filter(|&&byte| byte == b'\n').count();
            self.0.set(self.0.get() + lines as u64);
            Ok(bytes)
        }

        fn exists(&self, path: &Path) -> bool {
            HostFiles.exists(path)
        }
    }
    let counting = Counting(Cell::new(0));
    let assembly = assemble(&[path.to_path_buf()], &counting, options);
    assert!(assembly.program.is_some(), "{}", assembly.diagnostics.render(false));
    counting.0.get()
}

criterion_group!(assembler, plain, macros, game);
criterion_main!(assembler);
