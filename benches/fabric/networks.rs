//! Networks for measuring, with a way to route on each that needs little memory.

use simnet::fabric::RouteBuffer;
use simnet::ids::{HostId, SwitchId, Turn};
use simnet::topology::{End, Network};

use super::random;

/// A network and its routes.
pub(crate) struct Plan {
    pub(crate) network: Network,
    way: Way,
    hosts_per_switch: usize,
}

/// One step: the output port, and the port at which the next switch is entered.
type Step = (u16, u16);

enum Way {
    /// A path for each pair of switches.
    Table(Vec<Vec<Vec<Step>>>),
    /// Three levels of switches with this many ports.
    FatTree(u64),
    /// Levels of switches with four ports down and four up.
    FourAry,
}

impl Plan {
    /// Writes the turns from a host to another; `choice` decides among paths.
    pub(crate) fn route(&self, from: usize, to: usize, choice: u64, route: &mut RouteBuffer) {
        let each = self.hosts_per_switch;
        let mut input = from % each;
        let mut go = |output: usize, next: usize| {
            route.push(Turn(i16::try_from(output).unwrap() - i16::try_from(input).unwrap()));
            input = next;
        };
        let (s, d) = (from / each, to / each);
        match &self.way {
            Way::Table(paths) => {
                for (output, next) in &paths[s][d] {
                    go(usize::from(*output), usize::from(*next));
                }
            }
            Way::FatTree(ports) => {
                let half = usize::try_from(ports / 2).unwrap();
                let middle = choice as usize % half;
                let top = (choice >> 32) as usize % half;
                if s != d {
                    go(half + middle, s % half);
                    if s / half != d / half {
                        go(half + top, s / half);
                        go(d / half, half + top);
                    }
                    go(d % half, half + middle);
                }
            }
            Way::FourAry => {
                let digit = |switch: usize, level: u32| (switch >> (2 * level)) & 3;
                let mut at = s;
                let mut top = 0;
                while at >> (2 * top) != d >> (2 * top) {
                    // Upwards port 4 + c leads to the switch whose digit `top` is c, entered from below at
                    // the port of the old digit.
                    let up = (choice >> (2 * top)) as usize & 3;
                    let old = digit(at, top);
                    go(4 + up, old);
                    at = at & !(3 << (2 * top)) | up << (2 * top);
                    top += 1;
                }
                for level in (0..top).rev() {
                    let old = digit(at, level);
                    let down = digit(d, level);
                    go(down, 4 + old);
                    at = at & !(3 << (2 * level)) | down << (2 * level);
                }
            }
        }
        go(to % each, 0);
    }
}

fn add_nodes(network: &mut Network, switches: usize, ports: u16) {
    for index in 0..switches {
        network.add_switch(format!("s{index}"), ports).unwrap();
    }
}

fn add_hosts(network: &mut Network, switches: usize, each: u16) {
    for switch in 0..switches {
        for port in 0..each {
            let host = network.add_host(format!("h{switch}.{port}")).unwrap();
            network.connect(End::host(host, 0), End::switch(SwitchId::new(switch), port)).unwrap();
        }
    }
    assert_eq!(network.hosts().len(), HostId::new(switches * usize::from(each)).index());
}

/// Three levels of `ports`-port switches.
pub(crate) fn fat_tree(ports: u16) -> Plan {
    let half = ports / 2;
    let (h, p) = (usize::from(half), usize::from(ports));
    let mut network = Network::new("fat tree");
    add_nodes(&mut network, 2 * h * p + h * h, ports);
    let switch = |index: usize, port: usize| End::switch(SwitchId::new(index), u16::try_from(port).unwrap());
    for pod in 0..p {
        for middle in 0..h {
            let index = h * p + pod * h + middle;
            for leaf in 0..h {
                network.connect(switch(pod * h + leaf, h + middle), switch(index, leaf)).unwrap();
            }
            for top in 0..h {
                network.connect(switch(index, h + top), switch(2 * h * p + middle * h + top, pod)).unwrap();
            }
        }
    }
    add_hosts(&mut network, h * p, half);
    Plan { network, way: Way::FatTree(u64::from(ports)), hosts_per_switch: h }
}

/// A folded Clos of `levels` levels of 8-port switches, four hosts at each of the lowest.
pub(crate) fn four_ary_tree(levels: u32) -> Plan {
    let width = 4usize.pow(levels - 1);
    let mut network = Network::new("4-ary tree");
    add_nodes(&mut network, width * levels as usize, 8);
    let switch = |level: u32, index: usize, port: usize| {
        End::switch(SwitchId::new(level as usize * width + index), u16::try_from(port).unwrap())
    };
    for level in 0..levels - 1 {
        for index in 0..width {
            for up in 0..4 {
                let old = (index >> (2 * level)) & 3;
                let above = index & !(3 << (2 * level)) | up << (2 * level);
                network.connect(switch(level, index, 4 + up), switch(level + 1, above, old)).unwrap();
            }
        }
    }
    add_hosts(&mut network, width, 4);
    Plan { network, way: Way::FourAry, hosts_per_switch: 4 }
}

/// Switches with `degree` cables to others at random and `hosts` hosts each; shortest up*/down* paths.
pub(crate) fn random_regular(switches: usize, degree: usize, hosts: u16, seed: u64) -> Plan {
    let mut state = seed;
    let edges = loop {
        let mut stubs: Vec<usize> = (0..switches * degree).map(|stub| stub / degree).collect();
        for index in (1..stubs.len()).rev() {
            stubs.swap(index, random(&mut state) as usize % (index + 1));
        }
        let mut edges: Vec<(usize, usize)> =
            stubs.chunks(2).map(|pair| (pair[0].min(pair[1]), pair[0].max(pair[1]))).collect();
        edges.sort_unstable();
        let before = edges.len();
        edges.dedup();
        if edges.len() == before && edges.iter().all(|(a, b)| a != b) {
            break edges;
        }
    };
    let mut network = Network::new("random regular");
    add_nodes(&mut network, switches, hosts + u16::try_from(degree).unwrap());
    let mut used = vec![usize::from(hosts); switches];
    // Per switch: output port, neighbour, its port.
    let mut ways: Vec<Vec<(u16, usize, u16)>> = vec![Vec::new(); switches];
    for (a, b) in edges {
        let (pa, pb) = (u16::try_from(used[a]).unwrap(), u16::try_from(used[b]).unwrap());
        (used[a], used[b]) = (used[a] + 1, used[b] + 1);
        network.connect(End::switch(SwitchId::new(a), pa), End::switch(SwitchId::new(b), pb)).unwrap();
        ways[a].push((pa, b, pb));
        ways[b].push((pb, a, pa));
    }
    add_hosts(&mut network, switches, hosts);
    let paths = (0..switches).map(|from| up_down_paths(&ways, from, &mut state)).collect();
    Plan { network, way: Way::Table(paths), hosts_per_switch: usize::from(hosts) }
}

fn levels(ways: &[Vec<(u16, usize, u16)>]) -> Vec<usize> {
    let mut level = vec![usize::MAX; ways.len()];
    let mut queue = vec![0];
    level[0] = 0;
    for next in 0..ways.len() {
        let at = queue[next];
        for (_, to, _) in &ways[at] {
            if level[*to] == usize::MAX {
                level[*to] = level[at] + 1;
                queue.push(*to);
            }
        }
    }
    level
}

fn up_down_paths(ways: &[Vec<(u16, usize, u16)>], from: usize, state: &mut u64) -> Vec<Vec<Step>> {
    let level = levels(ways);
    let is_up = |a: usize, b: usize| (level[b], b) < (level[a], a);
    // States: switch, and whether the path has gone down.
    let mut reached: Vec<Option<Vec<Step>>> = vec![None; 2 * ways.len()];
    reached[2 * from] = Some(Vec::new());
    let mut queue = vec![2 * from];
    let mut next = 0;
    while next < queue.len() {
        let (at, down) = (queue[next] / 2, queue[next] % 2 == 1);
        let path = reached[queue[next]].clone().unwrap();
        next += 1;
        let mut order: Vec<_> = ways[at].clone();
        let turn = random(state) as usize % order.len();
        order.rotate_left(turn);
        for (output, to, input) in order {
            let up = is_up(at, to);
            if up && down {
                continue;
            }
            let there = 2 * to + usize::from(!up);
            if reached[there].is_none() {
                let mut longer = path.clone();
                longer.push((output, input));
                reached[there] = Some(longer);
                queue.push(there);
            }
        }
    }
    let best = |to: usize| {
        let both = [reached[2 * to].clone(), reached[2 * to + 1].clone()];
        both.into_iter().flatten().min_by_key(Vec::len).expect("connected")
    };
    (0..ways.len()).map(best).collect()
}
