//! The Myricom mapper.

use simnet::des::process::run_at_once;
use simnet::host::mapper::myricom::{self, Options};
use simnet::host::mapper::{Brief, Kind, Map};
use simnet::host::plain::{Collision, Plain};
use simnet::ids::HostId;
use simnet::topology::{Network, isomorphism, presets};

fn map(net: &Network, mapper: HostId, collision: Collision, options: &Options) -> Map {
    let brief = Brief::for_switches_of(net);
    run_at_once(myricom::map(&mut Plain::new(net, mapper, collision), &brief, options))
}

#[test]
fn zz() {
    for preset in ["now-c", "now-ca", "now-cab"] {
        let net = presets::load(preset).unwrap();
        let mapper = net.find_host("c-util").unwrap();
        let map = map(&net, mapper, Collision::Circuit, &Options::default());
        for kind in Kind::ALL {
            print!("{} {:?} ", kind.name(), map.probes.of(kind));
        }
        println!("{} {:?} {:?} {:?}", map.probes.total().sent, map.turns, map.explorations, map.doubts);
        println!(
            "{:?} {:?}",
            isomorphism::compare(&map.network, &net, mapper).isomorphic_to,
            map.peak_memory
        );
        println!("{} {}", map.unconfirmed_links.len(), map.unconfirmed_ports.len());
    }
}
