//! The Berkeley mapper, on a plain graph.

use simnet::des::process::run_at_once;
use simnet::host::mapper::berkeley::{self, Options};
use simnet::host::plain::{Collision, Plain};
use simnet::topology::presets;

#[test]
fn fig_6() {
    for preset in ["now-c", "now-ca", "now-cab"] {
        for collision in [Collision::Packet, Collision::Circuit] {
            let net = presets::load(preset).unwrap();
            let mapper = net.find_host("c-util").unwrap();
            let mut host = Plain::new(&net, mapper, collision);
            let map = run_at_once(berkeley::map(&mut host, &Options::default()));
            println!(
                "{preset} {collision:?} {:?} {:?} {} {:?} {} {} {}",
                map.turns,
                map.probes,
                map.explorations,
                map.doubt,
                map.network.hosts().len(),
                map.network.switches().len(),
                map.network.links().len()
            );
        }
    }
}
