//! Time of a whole latency/throughput curve: twenty loads, each measured until it is within 1 %, or for a
//! million messages.

use divan::Bencher;
use simnet::scenario::{self, Overrides};
use simnet::simulation;

fn main() {
    divan::main();
}

/// 32 switches with 4 hosts each, 32-flit messages, as many points at a time as there are cores. Goal: under 10 s on
/// two cores.
#[divan::bench(sample_count = 3)]
fn twenty_points_within_one_percent(bencher: Bencher<'_, '_>) {
    let text = include_str!("../scenarios/curve32.toml");
    let checked = scenario::read("curve32.toml", text.as_bytes(), &Overrides::default());
    let checked = checked.expect("a scenario of this project");
    bencher.bench_local(|| {
        let run = simulation::run(&checked, &(), None).expect("it can be run");
        let open = run.summary.points().iter().filter(|point| !point.converged && !point.saturated).count();
        assert!(open <= 1, "{open} points are not known");
        run
    });
}
