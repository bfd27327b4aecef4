//! Random wirings, and random routes through them.

use std::collections::VecDeque;

use rand::RngExt;
use rand::seq::{IndexedRandom, SliceRandom};
use rand_chacha::ChaCha8Rng;
use simnet_base::ids::{HostId, LinkId, Node, Port, SwitchId, Turn};
use simnet_network::topology::{End, Host, Network, Switch};

/// A wiring with what its routes need.
#[derive(Clone, Debug)]
pub struct Wiring {
    /// The network.
    pub network: Network,
    /// Per link, whether it belongs to a spanning tree or goes to a host.
    pub tree: Vec<bool>,
    /// Per host, the port that it sends on.
    pub attachments: Vec<Option<Port>>,
}

/// Lays 1 to 9 switches with 1 to 4 hosts each; now and then many more, or two hosts on one cable and no
/// switch.
pub fn wired(rng: &mut ChaCha8Rng) -> Wiring {
    let mut network = Network::new("random");
    if rng.random_bool(0.02) {
        let (a, b) = (network.add_host("a").unwrap(), network.add_host("b").unwrap());
        network.connect(End::host(a, 0), End::host(b, 0)).unwrap();
        return Wiring { network, tree: vec![true], attachments: vec![Some(Port(0)); 2] };
    }
    let few = *[1, 2, rng.random_range(1..=9), rng.random_range(3..=9)].choose(rng).unwrap();
    let switches = if rng.random_bool(0.005) { rng.random_range(24..=40) } else { few };
    let mut free: Vec<Vec<u16>> = (0..switches).map(|index| add_switch(rng, &mut network, index)).collect();
    let mut tree = Vec::new();
    let is_chain = rng.random_bool(0.2);
    let fork = if rng.random_bool(0.2) { rng.random_range(2..=4) } else { usize::MAX };
    for index in 1..switches {
        // A chain, a tree in which every switch has `fork` below it, or any tree.
        let parent = match (is_chain, fork) {
            (true, _) => index - 1,
            (false, usize::MAX) => rng.random_range(0..index),
            (false, fork) => (index - 1) / fork,
        };
        cable(&mut network, &mut free, parent, index);
        tree.push(true);
    }
    for _ in 0..rng.random_range(0..=2 * switches) {
        let (a, b) = (rng.random_range(0..switches), rng.random_range(0..switches));
        if free[a].len() > 5 && free[b].len() > 6 {
            cable(&mut network, &mut free, a, b);
            tree.push(false);
        }
    }
    if is_chain && switches > 2 && rng.random() {
        cable(&mut network, &mut free, 0, switches - 1);
        tree.push(false);
    }
    let mut attachments = Vec::new();
    for index in 0..switches {
        for _ in 0..rng.random_range(1..=4) {
            attachments.push(add_host(rng, &mut network, &mut free, index));
        }
    }
    tree.resize(network.links().len(), true);
    Wiring { network, tree, attachments }
}

/// Adds a switch and gives its free port numbers in random order.
fn add_switch(rng: &mut ChaCha8Rng, network: &mut Network, index: usize) -> Vec<u16> {
    let first_port = rng.random_range(0..=1);
    let ports = if rng.random_bool(0.05) { rng.random_range(65..=140) } else { rng.random_range(12..=20) };
    let name = format!("s{index}");
    network.push_switch(Switch { name, ports, first_port, guid: None, description: None }).unwrap();
    let mut free: Vec<u16> = (first_port..first_port + ports).collect();
    free.shuffle(rng);
    free
}

/// Lays a cable between free ports of two switches, which may be one.
fn cable(network: &mut Network, free: &mut [Vec<u16>], a: usize, b: usize) {
    let mut end =
        |index: usize| End::switch(SwitchId::new(index), free[index].pop().expect("ports are left"));
    let (a, b) = (end(a), end(b));
    network.connect(a, b).unwrap();
}

/// Adds a host with a cable to the switch, now and then with a second one, or with one that it does not use.
fn add_host(
    rng: &mut ChaCha8Rng,
    network: &mut Network,
    free: &mut [Vec<u16>],
    index: usize,
) -> Option<Port> {
    let first_port = rng.random_range(0..=1);
    let name = format!("h{}", network.hosts().len());
    let host = Host { name, ports: 2, first_port, guid: None, description: None };
    let host = network.push_host(host).unwrap();
    let port = first_port + rng.random_range(0..=1);
    let to = End::switch(SwitchId::new(index), free[index].pop().expect("ports are left"));
    network.connect(End::host(host, port), to).unwrap();
    let other = rng.random_range(0..free.len());
    if rng.random_bool(0.05) && free[other].len() > 5 {
        let to = End::switch(SwitchId::new(other), free[other].pop().expect("ports are left"));
        network.connect(End::host(host, 2 * first_port + 1 - port), to).unwrap();
    }
    Some(Port(port)).filter(|_| rng.random_bool(0.97))
}

impl Wiring {
    fn start(&self, host: HostId) -> Option<End> {
        let port = self.attachments[host.index()]?;
        self.network.peer(End { node: Node::Host(host), port })
    }

    /// A shortest path over the allowed links from a host to a random one.
    pub fn path(&self, rng: &mut ChaCha8Rng, from: HostId, allowed: impl Fn(LinkId) -> bool) -> Vec<Turn> {
        let Some(start) = self.start(from) else { return Vec::new() };
        self.path_from(rng, start, &allowed).0
    }

    /// Shortest paths over the allowed links from host to host, one to four of them, with the turn 0 at each in
    /// between.
    pub fn relayed(&self, rng: &mut ChaCha8Rng, from: HostId, allowed: impl Fn(LinkId) -> bool) -> Vec<Turn> {
        let Some(start) = self.start(from) else { return Vec::new() };
        let (mut route, mut at) = self.path_from(rng, start, &allowed);
        for _ in 0..rng.random_range(0..=3) {
            let (Node::Host(_), Some(next)) = (at.node, self.network.peer(at)) else { break };
            route.push(Turn(0));
            let (more, end) = self.path_from(rng, next, &allowed);
            route.extend(more);
            at = end;
        }
        route
    }

    /// A shortest path from the far end of a host's cable to a random host, and where it ends.
    fn path_from(
        &self,
        rng: &mut ChaCha8Rng,
        start: End,
        allowed: &impl Fn(LinkId) -> bool,
    ) -> (Vec<Turn>, End) {
        let to = HostId::new(rng.random_range(0..self.network.hosts().len()));
        let distance = self.distances(to, allowed);
        let (mut route, mut at) = (Vec::new(), start);
        while let Node::Switch(switch) = at.node {
            let here = distance[switch.index()];
            let nearer: Vec<(Port, LinkId, End)> = self
                .network
                .cables(at.node)
                .filter(|(_, link, end)| {
                    allowed(*link)
                        && match end.node {
                            Node::Host(host) => here == 1 && host == to,
                            Node::Switch(next) => distance[next.index()] < here,
                        }
                })
                .collect();
            let Some((port, _, next)) = nearer.choose(rng) else { break };
            route.push(at.port.turn_to(*port));
            at = *next;
        }
        (route, at)
    }

    /// Cables from each switch to the host.
    fn distances(&self, to: HostId, allowed: &impl Fn(LinkId) -> bool) -> Vec<usize> {
        let mut distance = vec![usize::MAX; self.network.switches().len()];
        let mut queue: VecDeque<(Node, usize)> = VecDeque::from([(Node::Host(to), 0)]);
        while let Some((node, far)) = queue.pop_front() {
            for (_, link, end) in self.network.cables(node) {
                if let Node::Switch(switch) = end.node
                    && allowed(link)
                    && distance[switch.index()] == usize::MAX
                {
                    distance[switch.index()] = far + 1;
                    queue.push_back((end.node, far + 1));
                }
            }
        }
        distance
    }

    /// A random walk from a host; it ends at a host, or somewhere after 12 switches.
    pub fn walk(&self, rng: &mut ChaCha8Rng, from: HostId) -> Vec<Turn> {
        let mut route = Vec::new();
        let Some(mut at) = self.start(from) else { return route };
        let least = rng.random_range(0..8);
        while let Node::Switch(_) = at.node {
            let cables: Vec<_> = self.network.cables(at.node).collect();
            let is_host = |end: &End| matches!(end.node, Node::Host(_));
            let wanted: Vec<_> =
                cables.iter().filter(|(_, _, end)| is_host(end) == (route.len() >= least)).collect();
            let choice = wanted.choose(rng).copied().or_else(|| cables.choose(rng));
            let Some((port, _, next)) = choice else { break };
            route.push(at.port.turn_to(*port));
            at = *next;
            if route.len() >= 12 {
                break;
            }
        }
        route
    }
}
