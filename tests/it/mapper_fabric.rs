//! The Berkeley mapper on the flit-level fabric.

use simnet::fabric::{Arbitration, HostParameters, LinkTiming, Parameters, SwitchParameters};
use simnet::host::Costs;
use simnet::host::mapper::Map;
use simnet::host::mapper::berkeley::{self, Options};
use simnet::ids::HostId;
use simnet::simulation::hosts::{self, Outcome, Setup};
use simnet::topology::{Network, isomorphism, presets};
use simnet::units::Duration;

/// Switches as in the NOW, with cables of 2 cycles.
pub(crate) fn parameters(network: &Network, routing_ns: u64) -> Parameters {
    let base_cycle = Duration::from_ps(6_250);
    Parameters {
        base_cycle,
        switch: SwitchParameters {
            buffer: 108,
            stop: 56,
            go: 40,
            routing_latency: Duration::from_ns(routing_ns).to_cycles_ceil(base_cycle),
            arbitration: Arbitration::Serial,
            timeout: Some(8_000_000),
        },
        host: HostParameters::default(),
        links: vec![LinkTiming { period: 1, delay: 2 }; network.links().len()],
    }
}

fn map_with(network: &Network, mapper: HostId, routing_ns: u64, options: &Options) -> Outcome<Map> {
    let parameters = parameters(network, routing_ns);
    let setup = Setup {
        network,
        parameters: &parameters,
        attachments: &[],
        costs: Costs::default(),
        bits_between_errors: None,
        seed: 0,
    };
    let program = |mut host| async move { berkeley::map(&mut host, options).await };
    hosts::run(&setup, mapper, program, |_| true).unwrap()
}

#[test]
fn fig_6_and_7() {
    for (preset, paper_ms) in [("now-c", 256.0), ("now-ca", 522.0), ("now-cab", 1011.0)] {
        let net = presets::load(preset).unwrap();
        let mapper = net.find_host("c-util").unwrap();
        for routing in [150, 550] {
            let out = map_with(&net, mapper, routing, &Options::default());
            let map = out.result.unwrap();
            let ms = map.time.as_ms_f64();
            println!(
                "{preset} {:?} {} {ms} {:+.2} % {:?}",
                map.turns,
                map.explorations,
                (ms / paper_ms - 1.0) * 100.0,
                isomorphism::compare(&map.network, &net, mapper)
            );
        }
    }
}
