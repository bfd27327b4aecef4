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
//! `tests/it/allgather_fabric.rs`: on random networks and trees, routes arrive, are as long as the tree's paths and
//! have no cycle of dependencies; the judgement of a tree's routes is that of [`judge`](super::judge).

use crate::ids::{ChannelId, HostId, Node, Port, SwitchId, Turn};
use crate::routing::{Attachments, DependencyGraph, Landing, Routes, Wiring};
use crate::topology::{End, Network};

use super::Tree;

/// The routes between all machines of a tree, over its cables alone. Found when asked for, in O(path).
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
