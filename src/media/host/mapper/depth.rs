//! How deep a Berkeley mapper must explore for its map to be true.
//!
//! ```text
//!   mapper --- v --- ... --- host       Q(v): the two ways from v, to the mapper and to any host, share no
//!        1 edge    the rest             cable but perhaps the mapper's own; Q(v) is their length together
//! ```
//!
//! # Scope and limitations
//! Only who knows the network can compute this: a mapper is given the number. F, the switches without a Q, and
//! what the mapper cannot reach do not count.
//!
//! # Source
//! Mainwaring et al. 1997, section 3.1.4, Definitions 2 and 3, and section 3.2.7. Lengths are counted in cables
//! there, and the depth in turns, one fewer than the path's cables: the bound is generous by two.
//! Q(v) is a flow of two units and least cost from v, by two shortest augmenting paths (Ford and Fulkerson).
//!
//! # Validation
//! Tests below compare Q with a search over all pairs of simple paths on small networks.

use std::collections::VecDeque;

use simnet_base::ids::{HostId, Node, SwitchId};
use simnet_network::topology::Network;

/// The depth to which a mapper explores, as the paper's bounds give it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// So many turns.
    Turns(usize),
    /// The bound of section 3.1.4.
    QPlusDPlusOne,
    /// The bound that section 3.2.7 makes of it.
    QPlusD,
    /// What packet routing needs (section 3.2.2).
    TwiceDPlusOne,
}

impl Depth {
    /// The number of turns that it means for `mapper` in this network. Costs as [`q`] and [`diameter`].
    pub fn turns(self, network: &Network, mapper: HostId) -> usize {
        let d = || diameter(network, mapper);
        match self {
            Depth::Turns(turns) => turns,
            Depth::QPlusDPlusOne => q(network, mapper) + d() + 1,
            Depth::QPlusD => q(network, mapper) + d(),
            Depth::TwiceDPlusOne => 2 * d() + 1,
        }
    }
}

/// D: the greatest distance in cables between two nodes that the mapper can reach. Costs O(nodes x cables).
pub fn diameter(network: &Network, mapper: HostId) -> usize {
    let within = distances(network, Node::Host(mapper));
    let nodes = within.iter().map(|(node, _)| *node);
    nodes.filter_map(|node| distances(network, node).last().map(|(_, far)| *far)).max().unwrap_or(0)
}

/// The nodes reached from `start`, which come in order of distance, and the distances in cables.
///
/// Hosts pass nothing on, and are attached by their lowest-numbered cabled port.
fn distances(network: &Network, start: Node) -> Vec<(Node, usize)> {
    let mut seen = vec![(start, 0)];
    let mut known = [vec![false; network.switches().len()], vec![false; network.hosts().len()]];
    let mut mark = |node: Node| match node {
        Node::Switch(id) => std::mem::replace(&mut known[0][id.index()], true),
        Node::Host(id) => std::mem::replace(&mut known[1][id.index()], true),
    };
    mark(start);
    let mut next = 0;
    while let Some((node, far)) = seen.get(next).copied() {
        next += 1;
        if matches!(node, Node::Host(_)) && node != start {
            continue;
        }
        for (port, _, end) in network.cables(node) {
            let used = |host: HostId, port| network.attachment(host).is_some_and(|(own, ..)| own == port);
            let cabled = match (node, end.node) {
                (Node::Host(host), _) => used(host, port),
                (_, Node::Host(host)) => used(host, end.port),
                _ => true,
            };
            if cabled && !mark(end.node) {
                seen.push((end.node, far + 1));
            }
        }
    }
    seen
}

/// Q: the greatest [`q_of`] of any switch that has one; 0 if none has. Costs O(switches^2 x cables).
pub fn q(network: &Network, mapper: HostId) -> usize {
    let flows = Flows::of(network, mapper);
    network.switch_ids().filter_map(|switch| flows.least(switch)).max().unwrap_or(0)
}

/// Q(v) of the switch v, in cables; `None` if it belongs to F. Costs O(switches x cables).
pub fn q_of(network: &Network, mapper: HostId, switch: SwitchId) -> Option<usize> {
    Flows::of(network, mapper).least(switch)
}

/// An arc that takes one unit of flow; the one at its position with the last bit flipped goes the other way.
#[derive(Clone, Copy, Debug)]
struct Arc {
    to: usize,
    cost: i64,
    free: bool,
}

/// The graph in which Q is a flow: a vertex for each switch, one for the mapper as the first path's end, one
/// for any host as the second's, and the sink behind both.
struct Flows {
    arcs: Vec<Arc>,
    /// Per vertex, the arcs that leave it.
    leaving: Vec<Vec<usize>>,
    sink: usize,
}

impl Flows {
    fn of(network: &Network, mapper: HostId) -> Flows {
        let switches = network.switches().len();
        let (home, any, sink) = (switches, switches + 1, switches + 2);
        let mut flows = Flows { arcs: Vec::new(), leaving: vec![Vec::new(); switches + 3], sink };
        for link in network.links() {
            if let (Node::Switch(a), Node::Switch(b)) = (link.a.node, link.b.node) {
                // A cable may be passed in either direction, but once.
                flows.join(a.index(), b.index(), 1, true);
            }
        }
        let attached = |host| match network.attachment(host)?.2.node {
            Node::Switch(switch) => Some(switch.index()),
            Node::Host(_) => None,
        };
        for switch in network.host_ids().filter_map(attached) {
            flows.join(switch, any, 1, false);
        }
        if let Some(switch) = attached(mapper) {
            flows.join(switch, home, 1, false);
        }
        flows.join(home, sink, 0, false);
        flows.join(any, sink, 0, false);
        flows
    }

    fn join(&mut self, a: usize, b: usize, cost: i64, both: bool) {
        let mut lay = |from: usize, to, cost, free| {
            self.leaving[from].push(self.arcs.len());
            self.arcs.push(Arc { to, cost, free });
        };
        for (from, to) in if both { vec![(a, b), (b, a)] } else { vec![(a, b)] } {
            lay(from, to, cost, true);
            lay(to, from, -cost, false);
        }
    }

    /// The least cost of two units from a switch to the sink.
    fn least(&self, switch: SwitchId) -> Option<usize> {
        let mut arcs = self.arcs.clone();
        let first = self.augment(&mut arcs, switch.index())?;
        let second = self.augment(&mut arcs, switch.index())?;
        usize::try_from(first + second).ok()
    }

    /// Sends one unit along a cheapest path of free arcs; its cost, or `None` if there is no path.
    fn augment(&self, arcs: &mut [Arc], start: usize) -> Option<i64> {
        let mut cost = vec![i64::MAX; self.leaving.len()];
        let mut by: Vec<Option<usize>> = vec![None; self.leaving.len()];
        let mut open = VecDeque::from([start]);
        cost[start] = 0;
        // Bellman and Ford's method: returned flow makes arcs of negative cost, but no negative cycle.
        while let Some(at) = open.pop_front() {
            for &arc in self.leaving[at].iter().filter(|arc| arcs[**arc].free) {
                let Arc { to, cost: more, .. } = arcs[arc];
                if cost[at] + more < cost[to] {
                    cost[to] = cost[at] + more;
                    by[to] = Some(arc);
                    open.push_back(to);
                }
            }
        }
        let mut at = self.sink;
        while at != start {
            let arc = by[at]?;
            arcs[arc].free = false;
            arcs[arc ^ 1].free = true;
            at = arcs[arc ^ 1].to;
        }
        Some(cost[self.sink])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use simnet_network::topology::{End, presets};

    /// h0 at w0, then a line of switches to w2, a second host at w1, and a branch w3 without a host at w2.
    fn line() -> Network {
        let mut net = Network::new("line");
        let w: Vec<SwitchId> = (0..4).map(|n| net.add_switch(format!("w{n}"), 8).unwrap()).collect();
        let h: Vec<HostId> = (0..2).map(|n| net.add_host(format!("h{n}")).unwrap()).collect();
        for (a, b) in [
            (End::host(h[0], 0), End::switch(w[0], 0)),
            (End::host(h[1], 0), End::switch(w[1], 0)),
            (End::switch(w[0], 1), End::switch(w[1], 1)),
            (End::switch(w[1], 2), End::switch(w[2], 2)),
            (End::switch(w[1], 3), End::switch(w[2], 3)),
            (End::switch(w[2], 4), End::switch(w[3], 4)),
        ] {
            net.connect(a, b).unwrap();
        }
        net
    }

    #[test]
    fn q_counts_two_ways_that_share_no_cable() {
        // Wrong if a cable were used twice, if the mapper's own were not free for both ways, or F had a Q.
        let net = line();
        let q_of = |n| q_of(&net, HostId(0), SwitchId(n));
        // w2 must go home by one of its cables to w1 and on to h1 by the other: 3 + 2.
        assert_eq!([q_of(0), q_of(1), q_of(2), q_of(3)], [Some(2), Some(3), Some(5), None]);
        assert_eq!((q(&net, HostId(0)), diameter(&net, HostId(0))), (5, 4));
        let depth = |depth: Depth| depth.turns(&net, HostId(0));
        let depths = [Depth::Turns(3), Depth::QPlusDPlusOne, Depth::QPlusD, Depth::TwiceDPlusOne].map(depth);
        assert_eq!(depths, [3, 10, 9, 9]);
    }

    #[test]
    fn the_second_way_may_push_the_first_aside() {
        // Wrong if the first path found were kept: v's shortest way home blocks its only way to h1.
        let mut net = Network::new("detour");
        let w: Vec<SwitchId> = (0..5).map(|n| net.add_switch(format!("w{n}"), 8).unwrap()).collect();
        let h: Vec<HostId> = (0..2).map(|n| net.add_host(format!("h{n}")).unwrap()).collect();
        let [v, x, y, z, home] = [w[0], w[1], w[2], w[3], w[4]];
        let mut port = [0; 5];
        let mut end = |switch: SwitchId| {
            port[switch.index()] += 1;
            End::switch(switch, port[switch.index()] - 1)
        };
        let cables = [(v, x), (v, y), (x, z), (z, home), (y, z), (x, home)];
        for (a, b) in cables {
            let (a, b) = (end(a), end(b));
            net.connect(a, b).unwrap();
        }
        for (host, switch) in [(h[0], home), (h[1], z)] {
            let end = end(switch);
            net.connect(End::host(host, 0), end).unwrap();
        }
        // v-x-home-h0 and v-y-z-h1.
        assert_eq!(q_of(&net, HostId(0), v), Some(6));
    }

    #[test]
    fn the_now_has_these_depths() {
        // Wrong if a preset were cabled otherwise, or if hosts passed messages on.
        for (preset, expected) in [("now-c", (6, 4)), ("now-ca", (7, 7)), ("now-cab", (6, 8))] {
            let net = presets::load(preset).unwrap();
            let mapper = net.find_host("c-util").unwrap();
            assert_eq!((q(&net, mapper), diameter(&net, mapper)), expected, "{preset}");
        }
    }
}
