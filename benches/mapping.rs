//! How long mappings take on the flit-level fabric: wall time, and the most memory of the whole process.
//!
//! `cargo bench --bench mapping [-- NAME-PART]`.

#![allow(clippy::print_stdout, reason = "a measurement prints")]

use divan::Bencher;
use simnet::fabric::{FlowControl, HostParameters, LinkTiming, Parameters, SwitchParameters};
use simnet::host::Costs;
use simnet::host::mapper::{Algorithm, Brief, berkeley, guarded};
use simnet::simulation::hosts::Setup;
use simnet::simulation::mapping::{self, Mapped, Task};
use simnet::topology::{Network, presets};
use simnet::units::Duration;

fn main() {
    divan::main();
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    if let Some(peak) = status.lines().find_map(|line| line.strip_prefix("VmHWM:")) {
        println!("most memory resident: {}", peak.trim());
    }
}

fn parameters(network: &Network, cycle: Duration, timeout: Duration) -> Parameters {
    Parameters {
        base_cycle: cycle,
        switch: SwitchParameters {
            routing_latency: Duration::from_ns(150).to_cycles_ceil(cycle),
            timeout: Some(timeout.to_cycles_ceil(cycle)),
            ..SwitchParameters::default()
        },
        host: HostParameters::default(),
        links: vec![LinkTiming { period: 1, delay: 3 }; network.links().len()],
        flow: FlowControl::StopGo,
    }
}

fn map(network: &Network, parameters: &Parameters, costs: Costs, algorithm: Algorithm) -> Mapped {
    let setup = Setup { costs, ..Setup::new(network, parameters) };
    let brief = Brief::for_switches_of(network);
    let mapper = network.host_ids().next().expect("a network with hosts");
    mapping::run(&Task { setup, mapper, algorithm, brief }, |_| None)
        .expect("the fabric takes its parameters")
}

/// The Berkeley mapper on the 100 hosts of the NOW. Goal: under 50 ms.
#[divan::bench(sample_count = 20)]
fn now100(bencher: Bencher<'_, '_>) {
    let network = presets::load("now-cab").expect("a preset");
    let parameters = parameters(&network, Duration::from_ps(6_250), Duration::from_ms(50));
    bencher.bench_local(|| {
        map(&network, &parameters, Costs::default(), Algorithm::Berkeley(berkeley::Options::default()))
    });
}

/// Pink with guards and by time-outs: 1.2 and 0.4 million messages. Goal: under 60 s, and 1 GiB.
#[divan::bench(args = ["guarded", "timed"], sample_count = 3, sample_size = 1)]
fn pink(bencher: Bencher<'_, '_>, name: &str) {
    let network = presets::load("pink").expect("a preset");
    let parameters = parameters(&network, Duration::from_ns(4), Duration::from_ms(1_000));
    let guards = name == "guarded";
    let options = guarded::Options { guards, ..guarded::Options::default() };
    bencher.bench_local(|| map(&network, &parameters, guarded::COSTS_2003, Algorithm::Guarded(options)));
}
