//! What recording costs: the benchmark network at half of saturation, unwatched, recorded whole, and recorded in a
//! ring.
//!
//! `cargo bench --bench trace`. What an unwatched run pays for being watchable is the difference in instructions of two
//! commits: `valgrind --tool=cachegrind --cache-sim=no simnet run scenarios/random32.toml --quick`.

use divan::Bencher;
use divan::counter::ItemsCount;
use simnet::scenario::{self, Checked, Overrides};
use simnet::simulation;
use simnet::trace::{Bounds, Recorder};

fn main() {
    divan::main();
}

/// 20,000 messages of 32 flits.
fn checked() -> Checked {
    let text = include_str!("../scenarios/random32.toml").replace("messages = 2050000", "messages = 20000");
    let checked = scenario::read("random32.toml", text.as_bytes(), &Overrides::default());
    checked.expect("a scenario of this project")
}

#[divan::bench(sample_count = 10)]
fn unwatched(bencher: Bencher<'_, '_>) {
    let checked = checked();
    bencher
        .counter(ItemsCount::new(20_000_u32))
        .bench_local(|| simulation::run(&checked, &(), None).expect("it can be run"));
}

#[divan::bench(sample_count = 10)]
fn recorded(bencher: Bencher<'_, '_>) {
    let checked = checked();
    bencher.counter(ItemsCount::new(20_000_u32)).bench_local(|| {
        let recorder = Recorder::new(simulation::heading(&checked), Bounds::default());
        simulation::run(&checked, &(), Some(&recorder)).expect("it can be run")
    });
}

/// Only the last of it is kept, so that nothing is written but little.
#[divan::bench(sample_count = 10)]
fn recorded_in_a_ring(bencher: Bencher<'_, '_>) {
    let checked = checked();
    bencher.counter(ItemsCount::new(20_000_u32)).bench_local(|| {
        let bounds = Bounds { most: 20_000, around_deadlock: true, ..Bounds::default() };
        let recorder = Recorder::new(simulation::heading(&checked), bounds);
        simulation::run(&checked, &(), Some(&recorder)).expect("it can be run")
    });
}
