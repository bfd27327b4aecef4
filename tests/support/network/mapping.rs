//! Random networks for mappers: up to 30 switches and 60 hosts, with everything that makes mapping difficult.

use rand::seq::SliceRandom as _;
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use simnet_base::ids::{HostId, Node, SwitchId};
use simnet_network::topology::metrics::measure;
use simnet_network::topology::{End, Network};

/// The network of a seed, and the mapper's host: every fourth is small ([`random_network`]), the others have 1
/// to 30 switches and 2 to 60 hosts.
///
/// There are parallel and looped cables, switches of one cable, parts that a bridge between switches parts from
/// every host (F), other components, hosts without a cable. What a Berkeley mapper cannot search in any time is
/// drawn anew: cycles of cables far from any host, round which there are ever more routes.
pub fn network(seed: u64) -> (Network, HostId) {
    if seed.is_multiple_of(4) {
        return random_network(seed / 4);
    }
    let mut drafts = (0..).map(|attempt| Draft::new(seed, attempt).network());
    (drafts.find(can_be_searched).unwrap(), HostId(0))
}

/// Whether cycles of cables are few, or near to hosts.
fn can_be_searched(net: &Network) -> bool {
    let mut far: Vec<Option<usize>> = vec![None; net.switches().len()];
    let mut open: Vec<usize> = net
        .host_ids()
        .filter_map(|host| match net.attachment(host)?.2.node {
            Node::Switch(switch) => Some(switch.index()),
            Node::Host(_) => None,
        })
        .collect();
    open.iter().for_each(|switch| far[*switch] = Some(0));
    let mut next = 0;
    while let Some(switch) = open.get(next).copied() {
        next += 1;
        for (_, _, end) in net.cables(Node::Switch(SwitchId::new(switch))) {
            if let Node::Switch(other) = end.node
                && far[other.index()].is_none()
            {
                far[other.index()] = far[switch].map(|far| far + 1);
                open.push(other.index());
            }
        }
    }
    let farthest = far.iter().flatten().max().copied().unwrap_or(0);
    let metrics = measure(net);
    let cycles = (metrics.switch_links + 1).saturating_sub(metrics.switches);
    match cycles {
        0..=1 => true,
        2 => farthest <= 8,
        3 => farthest <= 4,
        _ => farthest <= 2,
    }
}

/// Networks without what mappers take for granted; host 0 is the mapper's. A host without a cable, two hosts on one
/// cable, a host on a switch, and the same with the host called as a map calls its first switch.
pub fn degenerate_networks() -> [Network; 4] {
    let mut bare = Network::new("bare");
    let alone = bare.add_host("a").unwrap();
    let mut pair = bare.clone();
    let other = pair.add_host("b").unwrap();
    pair.connect(End::host(alone, 0), End::host(other, 0)).unwrap();
    let on_a_switch = |name, host, switch| {
        let mut net = Network::new(name);
        let (host, switch) = (net.add_host(host).unwrap(), net.add_switch(switch, 8).unwrap());
        net.connect(End::host(host, 0), End::switch(switch, 5)).unwrap();
        net
    };
    [bare, pair, on_a_switch("lone", "a", "s0"), on_a_switch("named", "s0", "x")]
}

/// A network of up to 6 switches of up to 8 ports with any cabling: parallel and looped cables, switches of
/// one cable, parts without hosts, several components, hosts without a cable.
pub fn random_network(seed: u64) -> (Network, HostId) {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut net = Network::new(format!("random {seed}"));
    let switches = random.random_range(1..=6usize);
    let mut free: Vec<End> = Vec::new();
    for nth in 0..switches {
        let ports = random.random_range(2..=8);
        let switch = net.add_switch(format!("w{nth}"), ports).unwrap();
        free.extend((0..ports).map(|port| End::switch(switch, port)));
    }
    free.shuffle(&mut random);
    let hosts = random.random_range(1..=6);
    for nth in 0..hosts {
        let host = net.add_host(format!("h{nth}")).unwrap();
        // One host in a dozen has no cable; so has the mapper, one time in a hundred.
        let bare = if nth == 0 { random.random_ratio(1, 100) } else { random.random_ratio(1, 12) };
        if let Some(end) = if bare { None } else { free.pop() } {
            net.connect(End::host(host, 0), end).unwrap();
        }
    }
    let loops = random.random_ratio(1, 3);
    let wanted = random.random_range(0..=(switches * 2));
    let mut laid = 0;
    while laid < wanted && free.len() >= 2 {
        let (a, b) = (free.pop().unwrap(), free.pop().unwrap());
        if a.node != b.node || loops {
            net.connect(a, b).unwrap();
        }
        laid += 1;
    }
    (net, HostId(0))
}

struct Draft {
    random: ChaCha8Rng,
    net: Network,
    /// Per switch, its free ports in random order.
    free: Vec<Vec<u16>>,
}

impl Draft {
    fn new(seed: u64, attempt: u64) -> Draft {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        random.set_stream(attempt);
        Draft { random, net: Network::new(format!("random {seed}")), free: Vec::new() }
    }

    fn network(mut self) -> Network {
        // Small numbers and large ones are as likely.
        let switches = if self.random.random_ratio(1, 3) {
            self.random.random_range(1..=8)
        } else {
            self.random.random_range(1..=30usize)
        };
        let hosts = if self.random.random_ratio(1, 3) {
            self.random.random_range(2..=8)
        } else {
            self.random.random_range(2..=60usize)
        };
        let ports = *[4, 8, 8, 8, 8, 8, 8, 16].get(self.random.random_range(0..8usize)).unwrap();
        // Some switches of the 30 lie behind bridges, without hosts, or in a component of their own.
        let pods =
            if switches > 3 && self.random.random_ratio(1, 3) { self.random.random_range(1..=3) } else { 0 };
        let apart = if switches > 6 && self.random.random_ratio(1, 6) { 2 } else { 0 };
        let main = switches - pods - apart;
        self.tree(main, ports);
        // In some networks the hosts stand on few switches.
        let hosted =
            if self.random.random_ratio(1, 4) { 1 + self.random.random_range(0..main) } else { main };
        self.hosts(hosts, hosted);
        let most = if hosts >= main && hosted == main { main * 2 } else { main / 4 + 1 };
        let extra = self.random.random_range(0..=most);
        self.cables(extra, 0..main);
        self.pods(pods, main, ports);
        if apart > 0 {
            let first = self.net.switches().len();
            self.tree(apart, ports);
            self.cables(1, first..first + apart);
            let strays = self.random.random_range(0..=2);
            for nth in 0..strays {
                let host = self.net.add_host(format!("stray{nth}")).unwrap();
                self.attach(host, first);
            }
        }
        self.net
    }

    fn switch(&mut self, most: u16) -> usize {
        let nth = self.net.switches().len();
        // Most switches of a network are alike.
        let ports = if self.random.random_ratio(1, 4) { self.random.random_range(2..=most) } else { most };
        self.net.add_switch(format!("w{nth}"), ports).unwrap();
        let mut free: Vec<u16> = (0..ports).collect();
        free.shuffle(&mut self.random);
        self.free.push(free);
        nth
    }

    fn join(&mut self, a: usize, b: usize) -> bool {
        let Some(port) = self.free[a].pop() else { return false };
        let Some(other) = self.free[b].pop() else {
            self.free[a].push(port);
            return false;
        };
        let end = |nth: usize, port| End::switch(SwitchId::new(nth), port);
        self.net.connect(end(a, port), end(b, other)).unwrap();
        true
    }

    /// Adds `count` switches, each cabled to an earlier one of them: a line, a bushy tree or something between.
    fn tree(&mut self, count: usize, ports: u16) {
        let reach = [1, 3, count][self.random.random_range(0..3usize)];
        let first = self.net.switches().len();
        for _ in 0..count {
            let nth = self.switch(ports);
            for _ in 0..8 {
                let near = nth.saturating_sub(reach).max(first);
                // One port of a switch stays free for the next, or for a host.
                if nth == first || self.free[near..nth].iter().all(|free| free.len() < 2) {
                    break;
                }
                let other = self.random.random_range(near..nth);
                if self.free[other].len() > 1 && self.join(other, nth) {
                    break;
                }
            }
        }
    }

    /// Adds hosts, the mapper first, each at one of the first `among` switches; one in forty has no cable.
    fn hosts(&mut self, count: usize, among: usize) {
        for nth in 0..count {
            let host = self.net.add_host(format!("h{nth}")).unwrap();
            if nth > 0 && self.random.random_ratio(1, 40) {
                continue;
            }
            for _ in 0..8 {
                let switch = self.random.random_range(0..among);
                if self.attach(host, switch) {
                    break;
                }
            }
        }
    }

    fn attach(&mut self, host: HostId, switch: usize) -> bool {
        let Some(port) = self.free[switch].pop() else { return false };
        self.net.connect(End::host(host, 0), End::switch(SwitchId::new(switch), port)).unwrap();
        true
    }

    /// Lays `count` cables between switches drawn from `among`, twice the same one included.
    fn cables(&mut self, count: usize, among: std::ops::Range<usize>) {
        let loops = self.random.random_ratio(1, 2);
        for _ in 0..count {
            let a = self.random.random_range(among.clone());
            // A second cable parallel to the first, now and then.
            let again = self.random.random_ratio(1, 6);
            let neighbour = self.neighbour(a).filter(|_| again);
            let b = neighbour.unwrap_or_else(|| self.random.random_range(among.clone()));
            if a != b || loops {
                self.join(a, b);
            }
        }
    }

    fn neighbour(&self, switch: usize) -> Option<usize> {
        let mut cables = self.net.cables(Node::Switch(SwitchId::new(switch)));
        cables.find_map(|(_, _, far)| match far.node {
            Node::Switch(other) => Some(other.index()),
            Node::Host(_) => None,
        })
    }

    /// Adds `count` switches without hosts behind one cable, with up to two more cables among them.
    fn pods(&mut self, count: usize, main: usize, ports: u16) {
        if count == 0 {
            return;
        }
        let first = self.net.switches().len();
        self.tree(count, ports);
        let extra = self.random.random_range(0..=2);
        self.cables(extra, first..first + count);
        for _ in 0..8 {
            let (near, far) =
                (self.random.random_range(0..main), self.random.random_range(first..first + count));
            if self.join(near, far) {
                break;
            }
        }
    }
}
