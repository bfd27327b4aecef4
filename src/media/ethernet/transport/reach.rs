//! Which ports a frame passes on its way to a host.
//!
//! A flooded frame is copied to every port of the tree. Only the copy on the tree's one path to the destination
//! matters: when another one is dropped, nothing is lost.

use crate::ethernet::{Forwarding, ForwardingTable, SpanningTree};
use simnet_base::ids::{HostId, LinkId, Node, Port, SwitchId};
use simnet_network::topology::{End, Network};

/// The paths of a spanning tree, in memory O(switches + hosts + cables).
#[derive(Clone, Debug)]
pub(super) struct Reach {
    switches: Vec<Switch>,
    /// Per host, the cable that it uses and what is at the other end.
    places: Vec<Option<(LinkId, Node)>>,
    /// By switch and host, whether its table leads there; empty without tables.
    routed: Vec<bool>,
}

#[derive(Clone, Debug)]
struct Switch {
    /// The first position of its subtree in a depth-first order of all switches, and the first one after it.
    below: (u32, u32),
    /// The cable at its root port.
    up: Option<LinkId>,
    root: SwitchId,
    first_port: u16,
    /// By port from the first one on: the cable and what is at its other end.
    cables: Vec<Option<(LinkId, Node)>>,
}

impl Reach {
    /// The paths of `tree` between hosts that use the ports `attachments`. Costs O(switches + hosts + cables).
    pub(super) fn new(
        network: &Network,
        (tree, forwarding): (&SpanningTree, &Forwarding),
        attachments: &[Option<Port>],
    ) -> Reach {
        let below = subtrees(network, tree);
        let switches = network.switch_ids().map(|id| {
            let first_port = network.switches()[id.index()].first_port;
            let mut cables = Vec::new();
            for (port, link, end) in network.cables(Node::Switch(id)) {
                cables.resize(usize::from(port.0 - first_port), None);
                cables.push(Some((link, end.node)));
            }
            let up = tree.parent(id).map(|(link, _)| link);
            Switch { below: below[id.index()], up, root: tree.root(id), first_port, cables }
        });
        let place = |host: HostId| {
            let end = End { node: Node::Host(host), port: (*attachments.get(host.index())?)? };
            Some((network.link_at(end)?, network.peer(end)?.node))
        };
        let routed = match forwarding {
            Forwarding::SpanningTree => Vec::new(),
            Forwarding::Table(table) => routed(network, table, attachments),
        };
        Reach { switches: switches.collect(), places: network.host_ids().map(place).collect(), routed }
    }

    /// The cable that a host uses.
    pub(super) fn link(&self, host: HostId) -> Option<LinkId> {
        self.place(host).map(|(link, _)| link)
    }

    fn place(&self, host: HostId) -> Option<(LinkId, Node)> {
        self.places.get(host.index()).copied().flatten()
    }

    /// Whether frames of one host can come to another.
    pub(super) fn connects(&self, from: HostId, to: HostId) -> bool {
        let (Some((link, here)), Some((last, there))) = (self.place(from), self.place(to)) else {
            return false;
        };
        match (here, there) {
            (Node::Switch(s), Node::Switch(_)) if !self.routed.is_empty() => {
                self.routed[s.index() * self.places.len() + to.index()]
            }
            (Node::Switch(s), Node::Switch(t)) => {
                self.switches[s.index()].root == self.switches[t.index()].root
            }
            _ => link == last,
        }
    }

    /// Whether the path from the switch of the port `out` to `host` leaves it by that port; by tables there is but one
    /// copy, which is on its way. Costs O(1).
    pub(super) fn leads(&self, out: End, host: HostId) -> bool {
        if !self.routed.is_empty() {
            return true;
        }
        let (Node::Switch(id), Some((last, Node::Switch(at)))) = (out.node, self.place(host)) else {
            return false;
        };
        let switch = &self.switches[id.index()];
        let slot = usize::from(out.port.0.wrapping_sub(switch.first_port));
        let Some(Some((link, next))) = switch.cables.get(slot).copied() else { return false };
        match next {
            Node::Host(_) => link == last,
            Node::Switch(_) if switch.up == Some(link) => {
                !self.is_below(at, id) && self.switches[at.index()].root == switch.root
            }
            Node::Switch(next) => self.switches[next.index()].up == Some(link) && self.is_below(at, next),
        }
    }

    fn is_below(&self, switch: SwitchId, top: SwitchId) -> bool {
        let (first, end) = self.switches[top.index()].below;
        (first..end).contains(&self.switches[switch.index()].below.0)
    }
}

/// By switch and host, whether what the switch sends to the host comes there.
fn routed(network: &Network, table: &ForwardingTable, attachments: &[Option<Port>]) -> Vec<bool> {
    let hosts = network.hosts().len();
    let mut routed = vec![false; network.switches().len() * hosts];
    for host in network.host_ids() {
        let Some(port) = attachments[host.index()] else { continue };
        let leads = table.leads(network, host, End { node: Node::Host(host), port });
        for (switch, leads) in leads.into_iter().enumerate() {
            routed[switch * hosts + host.index()] = leads;
        }
    }
    routed
}

/// Per switch, the positions of its subtree in a depth-first order: its own position, and the first one after it.
fn subtrees(network: &Network, tree: &SpanningTree) -> Vec<(u32, u32)> {
    let mut children = vec![Vec::new(); network.switches().len()];
    let mut open = Vec::new();
    for switch in network.switch_ids() {
        match tree.parent(switch) {
            Some((_, parent)) => children[parent.index()].push(switch),
            None => open.push((switch, 0)),
        }
    }
    let (mut below, mut position) = (vec![(0, 0); children.len()], 0);
    while let Some((switch, nth)) = open.pop() {
        if nth == 0 {
            below[switch.index()].0 = position;
            position += 1;
        }
        match children[switch.index()].get(nth) {
            Some(child) => open.extend([(switch, nth + 1), (*child, 0)]),
            None => below[switch.index()].1 = position,
        }
    }
    below
}

#[cfg(test)]
mod tests {
    use super::*;
    use simnet_base::des::random::{Purpose, Stream};
    use simnet_base::units::BitRate;

    /// A random network: cables anywhere, loops and parallel ones among them, hosts at random switches.
    fn random_network(chance: &mut Stream) -> Network {
        let mut net = Network::new("random");
        let mut below = |bound: usize| usize::try_from(chance.below(bound as u64)).unwrap();
        let ids: Vec<_> = (0..=below(7)).map(|s| net.add_switch(format!("s{s}"), 40).unwrap()).collect();
        let mut used = vec![0_u16; ids.len()];
        let mut port = |s: usize| {
            used[s] += 1;
            End::switch(ids[s], used[s] - 1)
        };
        for _ in 0..below(10) {
            let ends = (port(below(ids.len())), port(below(ids.len())));
            net.connect(ends.0, ends.1).unwrap();
        }
        for h in 0..4 {
            let host = net.add_host(format!("h{h}")).unwrap();
            if below(6) > 0 {
                net.connect(port(below(ids.len())), End::host(host, 0)).unwrap();
            }
        }
        net
    }

    /// The switches, from a host's own one on, that a frame visits: a search over the cables that are not blocked.
    fn path(net: &Network, tree: &SpanningTree, from: HostId, to: HostId) -> Option<Vec<End>> {
        fn walk(
            net: &Network,
            blocked: &[LinkId],
            at: Node,
            came: LinkId,
            to: HostId,
            outs: &mut Vec<End>,
        ) -> bool {
            for (port, link, end) in net.cables(at) {
                if link == came || blocked.contains(&link) {
                    continue;
                }
                outs.push(End { node: at, port });
                let found = match end.node {
                    Node::Host(host) => host == to,
                    node => walk(net, blocked, node, link, to, outs),
                };
                if found {
                    return true;
                }
                outs.pop();
            }
            false
        }
        let (_, link, end) = net.attachment(from)?;
        let blocked: Vec<_> = tree.blocked().collect();
        let mut outs = Vec::new();
        walk(net, &blocked, end.node, link, to, &mut outs).then_some(outs)
    }

    /// Wrong if a port off the path counted as on it, or the other way round: against a search.
    #[test]
    fn the_path_of_the_tree_is_the_only_one() {
        for seed in 0..300 {
            let mut chance = Stream::new(seed, Purpose(56), 0);
            let net = random_network(&mut chance);
            let rates = vec![BitRate::new(100_000_000).unwrap(); net.links().len()];
            let tree = SpanningTree::elect(&net, &rates, &[]);
            let attachments: Vec<_> =
                net.host_ids().map(|host| net.attachment(host).map(|(port, ..)| port)).collect();
            let reach = Reach::new(&net, (&tree, &Forwarding::SpanningTree), &attachments);
            for from in net.host_ids() {
                for to in net.host_ids().filter(|to| *to != from) {
                    let found = path(&net, &tree, from, to);
                    assert_eq!(reach.connects(from, to), found.is_some(), "seed {seed}");
                    let on_path = found.unwrap_or_default();
                    for switch in on_path.iter().map(|end| end.node) {
                        for (port, ..) in net.cables(switch) {
                            let out = End { node: switch, port };
                            assert_eq!(reach.leads(out, to), on_path.contains(&out), "seed {seed}");
                        }
                    }
                }
            }
        }
    }
}
