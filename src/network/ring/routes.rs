//! Routes along a ring's own tree, and what a ring's messages do to each other on any routes.
//!
//! # Scope and limitations
//! Whatever routes there are, only the messages from each machine to the next are looked at, all at the same time
//! and without end: that is when they may wait for each other. How long they do is for a run to say.
//!
//! # Source
//! Rings are free of contention on their own tree (faraj2008, section 3); a network that has other routes, as
//! UP*/DOWN* ones, need not keep them so. Routes on a tree go up, then down: the UP*/DOWN* rule of Autonet, with the
//! tree as the only cables, so that no dependency of channels closes a cycle.
//!
//! # Validation
//! `tests/running/processes/allgather_fabric.rs`: on random networks and trees, routes arrive, are as long as the
//! tree's paths and have no cycle of dependencies; the judgement of a tree's routes is that of [`judge`](super::judge).

use crate::routing::{Attachments, DependencyGraph, Landing, Routes, Wiring};
use crate::topology::{End, Network};
use simnet_base::ids::{ChannelId, HostId, Node, Port, SwitchId, Turn};

use super::Tree;

/// The routes between all machines of a tree, over its cables alone. Computed on request, in O(path).
#[derive(Clone, Debug)]
pub struct TreeRoutes {
    /// Per switch, the cable towards the root.
    above: Vec<Option<Upward>>,
    /// Per switch, how many cables it is away from the root.
    depths: Vec<u32>,
    /// Per host, the port of its switch that it is plugged into.
    plugs: Vec<Option<(SwitchId, Port)>>,
}

/// A cable of the tree, from below.
#[derive(Clone, Copy, Debug)]
struct Upward {
    own: Port,
    parent: SwitchId,
    /// The port of the parent.
    far: Port,
}

impl TreeRoutes {
    /// Notes the ports of a tree of `network`. Costs O(switches + hosts).
    pub fn new(network: &Network, tree: &Tree) -> TreeRoutes {
        let mut depths = vec![0; tree.parents.len()];
        let mut above = vec![None; tree.parents.len()];
        for switch in &tree.switches {
            let Some((link, parent)) = tree.parents[switch.index()] else { continue };
            depths[switch.index()] = depths[parent.index()] + 1;
            let link = network.link(link);
            let (own, far) =
                if link.a.node == Node::Switch(*switch) { (link.a, link.b) } else { (link.b, link.a) };
            above[switch.index()] = Some(Upward { own: own.port, parent, far: far.port });
        }
        let attachments = Attachments::lowest(network);
        let plugs = network.host_ids().map(|host| attachments.switch(host)).collect();
        TreeRoutes { above, depths, plugs }
    }
}

impl Routes for TreeRoutes {
    fn route(&self, source: HostId, destination: HostId, turns: &mut Vec<Turn>) -> bool {
        let (Some((from, mut input)), Some((to, last))) =
            (self.plugs[source.index()], self.plugs[destination.index()])
        else {
            return false;
        };
        if source == destination {
            return false;
        }
        let start = turns.len();
        let (mut up, mut down) = (from, to);
        // The way down, from its end.
        let mut descent = Vec::new();
        while up != down {
            let climbs = self.depths[up.index()] >= self.depths[down.index()];
            let Some(cable) = self.above[if climbs { up.index() } else { down.index() }] else {
                turns.truncate(start);
                return false;
            };
            if climbs {
                turns.push(input.turn_to(cable.own));
                (up, input) = (cable.parent, cable.far);
            } else {
                descent.push(cable);
                down = cable.parent;
            }
        }
        for cable in descent.iter().rev() {
            turns.push(input.turn_to(cable.far));
            input = cable.own;
        }
        turns.push(input.turn_to(last));
        true
    }
}

/// What the messages of a ring do to each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contention {
    /// The most messages over one directed channel, hosts' cables included.
    pub most: usize,
    /// A channel with so many, the first of equals; `None` if there are no messages.
    pub channel: Option<ChannelId>,
    /// How many channels between switches have more than one message.
    pub shared: usize,
    /// How many machines have no route to the next, or one that does not arrive there.
    pub unreachable: usize,
    /// A shortest cycle of channels that wait for each other, if the messages can deadlock.
    pub cycle: Option<Vec<ChannelId>>,
}

impl Contention {
    /// Whether no two messages share a channel, and all arrive.
    pub fn is_free(&self) -> bool {
        self.most <= 1 && self.unreachable == 0
    }
}

/// Judges a ring on the routes that its messages really take: from each machine of `order` to the one after it, the
/// last one's to the first; a machine sends itself nothing.
///
/// Costs O(channels + turns), more if there is a cycle of dependencies.
///
/// # Panics
/// If a machine is not one of the network.
pub fn judge_routes(network: &Network, routes: &impl Routes, order: &[HostId]) -> Contention {
    let (wiring, attachments) = (Wiring::new(network), Attachments::lowest(network));
    let mut messages = vec![0_usize; network.links().len() * 2];
    let mut dependencies = DependencyGraph::new(network);
    let mut unreachable = 0;
    for (nth, from) in order.iter().enumerate() {
        let to = order[(nth + 1) % order.len()];
        if *from == to {
            continue;
        }
        let mut turns = Vec::new();
        let plug = attachments.of(*from).filter(|_| routes.route(*from, to, &mut turns));
        let Some(plug) = plug else {
            unreachable += 1;
            continue;
        };
        let mut last = channel_from(network, End { node: Node::Host(*from), port: plug.port });
        messages[last.index()] += 1;
        let landing = wiring.walk(plug.far, &turns, |_, _, output, wire| {
            dependencies.add(last, output);
            messages[wire.channel.index()] += 1;
            last = wire.channel;
        });
        let arrived = matches!(landing, Landing::Arrived(End { node: Node::Host(host), .. }) if host == to);
        unreachable += usize::from(!arrived);
    }
    let between = |channel: &usize| {
        let link = network.link(ChannelId::new(*channel).link());
        [link.a, link.b].iter().all(|end| matches!(end.node, Node::Switch(_)))
    };
    let most = messages.iter().copied().max().unwrap_or(0);
    let busiest = messages.iter().position(|count| *count == most && most > 0);
    Contention {
        most,
        channel: busiest.map(ChannelId::new),
        shared: (0..messages.len()).filter(|channel| messages[*channel] > 1).filter(between).count(),
        unreachable,
        cycle: dependencies.shortest_cycle(),
    }
}

/// The channel that leaves by a host's port with a cable.
fn channel_from(network: &Network, port: End) -> ChannelId {
    let cables = network.cables(port.node);
    let mut link = cables.filter(|(own, ..)| *own == port.port).map(|(_, link, _)| link);
    let link = link.next().expect("the port has a cable");
    if network.link(link).a == port { link.forward() } else { link.backward() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use simnet_base::ids::LinkId;

    /// Switches with two hosts each, in the ports 0 and 1, and cables between ports of switches, after those of hosts.
    fn network(switches: usize, cables: &[[(usize, u16); 2]]) -> Network {
        let mut network = Network::new("by hand");
        for nth in 0..switches {
            let switch = network.add_switch(format!("s{nth}"), 8).unwrap();
            for port in 0..2 {
                let host = network.add_host(format!("h{}", 2 * nth + usize::from(port))).unwrap();
                network.connect(End::host(host, 0), End::switch(switch, port)).unwrap();
            }
        }
        for [a, b] in cables {
            let [a, b] = [a, b].map(|(switch, port)| End::switch(SwitchId::new(*switch), *port));
            network.connect(a, b).unwrap();
        }
        network
    }

    fn turns(network: &Network, tree: &Tree, from: usize, to: usize) -> Option<Vec<i16>> {
        let mut turns = vec![Turn(9)];
        let found = TreeRoutes::new(network, tree).route(HostId::new(from), HostId::new(to), &mut turns);
        assert_eq!(turns[0], Turn(9), "what was there stays");
        assert!(found || turns.len() == 1, "without a route there are no turns");
        found.then(|| turns[1..].iter().map(|turn| turn.0).collect())
    }

    /// Wrong if a turn were not the output's port less the input's, or a machine had a route to itself.
    #[test]
    fn turns_are_those_counted_by_hand() {
        let two = network(2, &[[(0, 3), (1, 2)]]);
        let tree = Tree::bfs(&two, SwitchId(0)).unwrap();
        assert_eq!(turns(&two, &tree, 0, 1), Some(vec![1]));
        assert_eq!(turns(&two, &tree, 0, 2), Some(vec![3, -2]));
        assert_eq!(turns(&two, &tree, 3, 0), Some(vec![1, -3]));
        assert_eq!(turns(&two, &tree, 2, 2), None);
    }

    /// Wrong if a tree took a cable that is not to be used, or called machines joined that no other cable joins.
    #[test]
    fn a_tree_keeps_to_the_cables_that_are_used() {
        let triangle = network(3, &[[(0, 2), (1, 2)], [(1, 3), (2, 2)], [(2, 3), (0, 3)]]);
        let without = |cables: &'static [u32]| {
            Tree::along(&triangle, SwitchId(0), move |link| !cables.contains(&link.0))
        };
        // Without the cable from s0 to s1 the way to s1 leads over s2, in by 3, out by 2, in by 3, out by 0.
        assert_eq!(turns(&triangle, &without(&[6]).unwrap(), 0, 2), Some(vec![3, -1, -3]));
        assert_eq!(turns(&triangle, &without(&[8]).unwrap(), 0, 2), Some(vec![2, -2]));
        assert!(without(&[6, 8]).is_err());
    }

    /// Wrong if a message were counted on the other channel of its cable, or not at all.
    #[test]
    fn messages_are_counted_as_by_hand() {
        struct Nowhere;
        impl Routes for Nowhere {
            fn route(&self, _: HostId, _: HostId, _: &mut Vec<Turn>) -> bool {
                false
            }
        }
        let two = network(2, &[[(0, 3), (1, 2)]]);
        let routes = TreeRoutes::new(&two, &Tree::bfs(&two, SwitchId(0)).unwrap());
        let [a, b, c, d] = [0, 1, 2, 3].map(HostId);
        // Every channel once: the first is that from a.
        let free = judge_routes(&two, &routes, &[a, b, c, d]);
        let first = Some(LinkId(0).forward());
        assert_eq!(free, Contention { most: 1, channel: first, shared: 0, unreachable: 0, cycle: None });
        assert!(free.is_free());
        // Two messages pass the cable between the switches each way.
        let busy = judge_routes(&two, &routes, &[a, c, b, d]);
        let trunk = Some(LinkId(4).forward());
        assert_eq!(busy, Contention { most: 2, channel: trunk, shared: 2, unreachable: 0, cycle: None });
        assert!(!busy.is_free());
        let lost = judge_routes(&two, &Nowhere, &[a, b, c, d]);
        assert_eq!(lost, Contention { most: 0, channel: None, shared: 0, unreachable: 4, cycle: None });
        assert!(!lost.is_free());
    }
}
