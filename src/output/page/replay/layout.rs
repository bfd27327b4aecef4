//! Where the nodes of a network stand in the replay.
//!
//! A small network of switches that all have hosts, such as a ring, is drawn as a circle with its hosts outside; a tree
//! in rows: hosts at the bottom, above them the switches that carry them, and so on; any other as the page of the
//! network has it. Units are those in which a switch is about 50 wide.

use std::f64::consts::{FRAC_PI_2, PI};

use simnet_base::ids::{HostId, Node, SwitchId};
use simnet_network::topology::Network;

/// Switches that are drawn as a circle at most, unless they are a ring.
const CIRCLE: usize = 8;
/// Switches of a ring that is drawn as one.
const RING: usize = 32;
/// From one switch of a circle to the next.
const STEP: f64 = 190.0;
/// From a switch of a circle out to its hosts.
const OUT: f64 = 125.0;
/// From one host to the next.
const HOST_STEP: f64 = 56.0;
/// From one switch of a row to the next.
const SWITCH_STEP: f64 = 150.0;
/// From one row to the next.
const ROW_STEP: f64 = 230.0;
/// So many cables within a row do no harm.
const FEW: usize = 8;
/// How much larger drawings are here than on the page of the network.
const LARGER: f64 = 3.0;
/// Sweeps that order the rows.
const SWEEPS: usize = 12;

/// Per node, the switches first and then the hosts: where its middle stands, x to the right and y down; `roots` are
/// those of the routes.
pub(super) fn positions(network: &Network, roots: &[SwitchId]) -> Vec<(f64, f64)> {
    if let Some(order) = circle(network) {
        return round(network, &order);
    }
    let levels = levels(network);
    if is_tree(network, &levels) {
        return rows(network, levels);
    }
    let at = crate::page::network::positions(network, roots);
    at.into_iter().map(|(x, y)| (LARGER * x, LARGER * y)).collect()
}

/// Whether few of the cables between switches stay within one of the rows.
fn is_tree(network: &Network, rows: &[Vec<Node>]) -> bool {
    let mut row = vec![0; network.switches().len() + network.hosts().len()];
    for (nth, nodes) in rows.iter().enumerate() {
        nodes.iter().for_each(|node| row[index(network, *node)] = nth);
    }
    let (mut all, mut within) = (0, 0);
    for link in network.links() {
        let (Node::Switch(a), Node::Switch(b)) = (link.a.node, link.b.node) else { continue };
        all += 1;
        within += usize::from(a != b && row[a.index()] == row[b.index()]);
    }
    within <= FEW.max(all / 4)
}

fn index(network: &Network, node: Node) -> usize {
    match node {
        Node::Switch(switch) => switch.index(),
        Node::Host(host) => network.switches().len() + host.index(),
    }
}

/// The switches that cables of `switch` lead to, itself left out.
fn neighbours(network: &Network, switch: SwitchId) -> impl Iterator<Item = SwitchId> + '_ {
    network.cables(Node::Switch(switch)).filter_map(move |(_, _, end)| match end.node {
        Node::Switch(other) if other != switch => Some(other),
        _ => None,
    })
}

/// The switches in the order in which they stand on a circle, if one suits them.
fn circle(network: &Network) -> Option<Vec<SwitchId>> {
    let count = network.switches().len();
    let is_ring =
        count <= RING && network.switch_ids().all(|switch| neighbours(network, switch).count() == 2);
    let has_host =
        |switch| network.cables(Node::Switch(switch)).any(|(_, _, end)| matches!(end.node, Node::Host(_)));
    let is_small = count <= CIRCLE && network.switch_ids().all(has_host);
    if count < 3 || !(is_ring || is_small) {
        return None;
    }
    // Along unvisited neighbours: a ring comes out in its own order.
    let mut order = Vec::with_capacity(count);
    let mut stack: Vec<SwitchId> = network.switch_ids().collect();
    stack.reverse();
    while let Some(switch) = stack.pop() {
        if !order.contains(&switch) {
            order.push(switch);
            let mut next: Vec<SwitchId> = neighbours(network, switch).collect();
            next.sort_unstable_by(|a, b| b.cmp(a));
            stack.extend(next);
        }
    }
    Some(order)
}

fn round(network: &Network, order: &[SwitchId]) -> Vec<(f64, f64)> {
    let count = order.len() as f64;
    let radius = (STEP * count / (2.0 * PI)).max(STEP * 0.75);
    let mut at = vec![(0.0, 0.0); network.switches().len() + network.hosts().len()];
    for (place, switch) in order.iter().enumerate() {
        let angle = 2.0 * PI * place as f64 / count - FRAC_PI_2;
        let (right, down) = (libm::cos(angle), libm::sin(angle));
        at[switch.index()] = (radius * right, radius * down);
        let hosts =
            network.cables(Node::Switch(*switch)).filter(|(_, _, end)| matches!(end.node, Node::Host(_)));
        let hosts: Vec<usize> = hosts.map(|(_, _, end)| index(network, end.node)).collect();
        for (nth, host) in hosts.iter().enumerate() {
            let aside = (nth as f64 - (hosts.len() as f64 - 1.0) / 2.0) * HOST_STEP;
            let out = radius + OUT;
            at[*host] = (out * right - aside * down, out * down + aside * right);
        }
    }
    at
}

fn rows(network: &Network, mut rows: Vec<Vec<Node>>) -> Vec<(f64, f64)> {
    let mut x = vec![0.0; network.switches().len() + network.hosts().len()];
    let all = |network: &Network, node: Node| -> Vec<usize> {
        network.cables(node).map(|(_, _, end)| index(network, end.node)).collect()
    };
    let step = |row: &[Node]| {
        let hosts = row.iter().filter(|node| matches!(node, Node::Host(_))).count();
        if hosts == row.len() { HOST_STEP } else { SWITCH_STEP }
    };
    let width = rows.iter().map(|row| row.len() as f64 * step(row)).fold(0.0, f64::max);
    let spread = |row: &[Node], x: &mut Vec<f64>| {
        let wide = (width / row.len() as f64).min(step(row) * 4.0);
        for (place, node) in row.iter().enumerate() {
            x[index(network, *node)] = (place as f64 - (row.len() as f64 - 1.0) / 2.0) * wide;
        }
    };
    rows.iter().for_each(|row| spread(row, &mut x));
    for sweep in 0..SWEEPS {
        let count = rows.len();
        for place in 0..count {
            let place = if sweep % 2 == 0 { place } else { count - 1 - place };
            let row = &mut rows[place];
            let mean = |node: &Node| {
                let near = all(network, *node);
                near.iter().map(|other| x[*other]).sum::<f64>() / near.len().max(1) as f64
            };
            row.sort_by(|a, b| mean(a).total_cmp(&mean(b)));
            spread(row, &mut x);
        }
    }
    let mut at: Vec<(f64, f64)> = x.iter().map(|x| (*x, 0.0)).collect();
    // Hosts stand below; rows of very many stand farther apart, so that the drawing fills a window.
    let apart = (width * 0.4 / rows.len() as f64).clamp(ROW_STEP, 4.0 * ROW_STEP);
    for (place, row) in rows.iter().rev().enumerate() {
        row.iter().for_each(|node| at[index(network, *node)].1 = place as f64 * apart);
    }
    at
}

/// The nodes by their distance from the nearest host; what no host reaches comes last.
fn levels(network: &Network) -> Vec<Vec<Node>> {
    let hosts: Vec<Node> = network.host_ids().map(|host: HostId| Node::Host(host)).collect();
    let mut seen = vec![false; network.switches().len() + network.hosts().len()];
    let mut rows = Vec::new();
    let mut row = hosts;
    row.iter().for_each(|node| seen[index(network, *node)] = true);
    while !row.is_empty() {
        let mut next = Vec::new();
        for (_, _, end) in row.iter().flat_map(|node| network.cables(*node)) {
            if !std::mem::replace(&mut seen[index(network, end.node)], true) {
                next.push(end.node);
            }
        }
        rows.push(row);
        row = next;
    }
    let rest: Vec<Node> =
        network.switch_ids().map(Node::Switch).filter(|node| !seen[index(network, *node)]).collect();
    rows.extend((!rest.is_empty()).then_some(rest));
    rows
}
