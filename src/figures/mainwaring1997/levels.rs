//! A map in levels, as Figs. 4 and 5 draw it: hosts on top, the switches that carry them below, and so on.

use crate::Row;
use simnet_base::des::process::run_at_once;
use simnet_base::ids::{HostId, Node, SwitchId};
use simnet_media::host::mapper::Brief;
use simnet_media::host::mapper::berkeley::{self, Options};
use simnet_media::host::plain::{Collision, Plain};
use simnet_network::topology::{Network, presets};

/// What stands on a map, level by level.
pub(super) struct Levels {
    /// Hosts of the top row: all but the one that is drawn apart.
    pub(super) hosts: usize,
    /// Per level of switches from the top: the free ports and the cables to the next level, per switch.
    pub(super) switches: Vec<Vec<(usize, usize)>>,
}

/// The map that the Berkeley mapper makes of a preset from its utility host, which stands apart.
///
/// # Panics
/// If there is no such preset with a utility host: a bug of the figure.
pub(super) fn mapped(preset: &str) -> Levels {
    let network = presets::load(preset).expect("the figure names a preset");
    let utility = presets::utility_host(preset).expect("it has a utility host");
    let mapper = network.find_host(utility).expect("it is in the network");
    let mut host = Plain::new(&network, mapper, Collision::Packet);
    let map = run_at_once(berkeley::map(&mut host, &Brief::for_switches_of(&network), &Options::default()));
    Levels::of(&map.network, HostId(0))
}

impl Levels {
    /// The levels of a network without the host `apart`.
    fn of(network: &Network, apart: HostId) -> Levels {
        let far = distances(network, apart);
        let deepest = far.iter().flatten().max().map_or(0, |deepest| deepest + 1);
        let mut switches = vec![Vec::new(); deepest];
        for switch in network.switch_ids() {
            let Some(level) = far[switch.index()] else { continue };
            let cables = || network.cables(Node::Switch(switch));
            let below = cables().filter(|(_, _, end)| match end.node {
                Node::Switch(other) => far[other.index()] == Some(level + 1),
                Node::Host(_) => false,
            });
            let free = usize::from(network.switches()[switch.index()].ports) - cables().count();
            switches[level].push((free, below.count()));
        }
        Levels { hosts: network.hosts().len() - 1, switches }
    }

    /// Rows of what a level has: switches, free ports and cables to the next level, least to greatest.
    pub(super) fn rows(&self, system: &str) -> Vec<Row> {
        let mut rows = Vec::new();
        for (nth, level) in self.switches.iter().enumerate() {
            let of = format!("{system}, level {}", nth + 1);
            rows.push(Row::ours("switches of a level", &of, "count", Some(level.len() as f64)));
            for (quantity, values) in [
                ("free ports of a switch", level.iter().map(|(free, _)| *free).collect::<Vec<_>>()),
                ("cables of a switch to the next level", level.iter().map(|(_, below)| *below).collect()),
            ] {
                let mean = values.iter().sum::<usize>() as f64 / values.len() as f64;
                let end = |end: Option<&usize>| end.map(|end| *end as f64);
                let row = Row::ours(quantity, &of, "mean", Some(mean));
                rows.push(row.between(end(values.iter().min()), end(values.iter().max())));
            }
        }
        rows
    }
}

/// Per switch, its distance in cables from the nearest switch with a host other than `apart`.
fn distances(network: &Network, apart: HostId) -> Vec<Option<usize>> {
    let mut far: Vec<Option<usize>> = vec![None; network.switches().len()];
    let carriers =
        network.host_ids().filter(|host| *host != apart).filter_map(|host| network.attachment(host));
    let mut queue: Vec<SwitchId> = carriers
        .filter_map(|(_, _, end)| match end.node {
            Node::Switch(switch) => Some(switch),
            Node::Host(_) => None,
        })
        .collect();
    queue.sort_unstable();
    queue.dedup();
    queue.iter().for_each(|switch| far[switch.index()] = Some(0));
    let mut next = 0;
    while let Some(switch) = queue.get(next).copied() {
        next += 1;
        for (_, _, end) in network.cables(Node::Switch(switch)) {
            if let Node::Switch(other) = end.node
                && far[other.index()].is_none()
            {
                far[other.index()] = far[switch.index()].map(|far| far + 1);
                queue.push(other);
            }
        }
    }
    far
}
