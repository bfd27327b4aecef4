//! The hosts at the nearest other switches.

use crate::des::random::Stream;
use crate::ids::{HostId, Node, Port, SwitchId};
use crate::topology::{End, Network};

/// Per host the hosts nearest to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Neighbours {
    /// Per host the switch that it is attached to.
    switches: Vec<Option<SwitchId>>,
    /// Per switch with hosts: its nearest hosts in order; with its own hosts where no other switch has any.
    nearest: Vec<Vec<HostId>>,
}

impl Neighbours {
    /// Those of a network's hosts, each with the port that it uses.
    pub(super) fn new(network: &Network, attachments: &[Option<Port>]) -> Neighbours {
        let switch_of = |host: HostId| {
            let port = attachments[host.index()]?;
            match network.peer(End { node: Node::Host(host), port })?.node {
                Node::Switch(switch) => Some(switch),
                Node::Host(_) => None,
            }
        };
        let switches: Vec<Option<SwitchId>> = network.host_ids().map(switch_of).collect();
        let mut own = vec![Vec::new(); network.switches().len()];
        for (host, switch) in network.host_ids().zip(&switches) {
            if let Some(switch) = switch {
                own[switch.index()].push(host);
            }
        }
        let mut search = Search { network, own: &own, seen: vec![usize::MAX; own.len()] };
        let nearest = network.switch_ids().map(|switch| search.nearest(switch)).collect();
        Neighbours { switches, nearest }
    }

    /// How many neighbours a host has.
    pub(super) fn of(&self, host: HostId) -> usize {
        self.list(host).count()
    }

    /// A host's neighbours in order.
    pub(super) fn list(&self, host: HostId) -> impl Iterator<Item = HostId> + '_ {
        let all = self.switches[host.index()].map_or(&[][..], |switch| &self.nearest[switch.index()]);
        all.iter().copied().filter(move |other| *other != host)
    }

    /// Draws one of a host's neighbours, if it has any.
    pub(super) fn draw(&self, host: HostId, stream: &mut Stream) -> Option<HostId> {
        let all = &self.nearest[self.switches[host.index()]?.index()];
        // A host stands among its neighbours only where these are the hosts of its own switch.
        let own = all.binary_search(&host).ok();
        let others = (all.len() - usize::from(own.is_some())) as u64;
        if others == 0 {
            return None;
        }
        let drawn = usize::try_from(stream.below(others)).expect("below the number of hosts");
        Some(all[if own.is_some_and(|own| drawn >= own) { drawn + 1 } else { drawn }])
    }
}

/// A search over the cables between switches, level by level.
struct Search<'a> {
    network: &'a Network,
    own: &'a [Vec<HostId>],
    /// Per switch the last search that came to it.
    seen: Vec<usize>,
}

impl Search<'_> {
    /// The hosts of the first level of switches beyond `from` that has any, in order.
    fn nearest(&mut self, from: SwitchId) -> Vec<HostId> {
        if self.own[from.index()].is_empty() {
            return Vec::new();
        }
        self.seen[from.index()] = from.index();
        let mut level = vec![from];
        while !level.is_empty() {
            level = self.next_level(from, &level);
            let mut hosts: Vec<HostId> =
                level.iter().flat_map(|switch| &self.own[switch.index()]).copied().collect();
            if !hosts.is_empty() {
                hosts.sort_unstable();
                return hosts;
            }
        }
        self.own[from.index()].clone()
    }

    fn next_level(&mut self, from: SwitchId, level: &[SwitchId]) -> Vec<SwitchId> {
        let mut next = Vec::new();
        for switch in level {
            for (_, _, far) in self.network.cables(Node::Switch(*switch)) {
                if let Node::Switch(far) = far.node
                    && std::mem::replace(&mut self.seen[far.index()], from.index()) != from.index()
                {
                    next.push(far);
                }
            }
        }
        next
    }
}
