//! Switches on a circle, their hosts outside: a ring is drawn as a ring, and so is what is small.

use std::f64::consts::{FRAC_PI_2, PI};

use simnet_base::ids::{Node, SwitchId};
use simnet_network::topology::Network;

use super::layout::Place;

/// Switches that stand on a circle at most, unless they are a ring.
const SMALL: usize = 8;
/// Switches of a ring that stands on one.
const RING: usize = 32;
/// From a switch of a circle out to its hosts, and from one of these to the next: in steps from switch to switch.
const OUT: f64 = 0.66;
const HOST_STEP: f64 = 0.295;

/// The switches in the order in which they stand on a circle, if one suits them: they are a ring, or few that all have
/// hosts.
pub(super) fn order(network: &Network) -> Option<Vec<SwitchId>> {
    let count = network.switches().len();
    let is_ring =
        count <= RING && network.switch_ids().all(|switch| neighbours(network, switch).count() == 2);
    let is_small = count <= SMALL && network.switch_ids().all(|switch| !hosts(network, switch).is_empty());
    let hangs =
        |host| network.attachment(host).is_some_and(|(_, _, far)| matches!(far.node, Node::Switch(_)));
    if count < 3 || !(is_ring || is_small) || !network.host_ids().all(hangs) {
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

/// Where switches and hosts stand around a middle at zero, `step` from one switch to the next; the first is at the top.
pub(super) fn places(network: &Network, order: &[SwitchId], step: f64) -> (Vec<Place>, Vec<Place>) {
    let count = order.len() as f64;
    let radius = (step * count / (2.0 * PI)).max(step * 0.75);
    let mut switches = vec![(0, 0); network.switches().len()];
    let mut all_hosts = vec![(0, 0); network.hosts().len()];
    for (place, switch) in order.iter().enumerate() {
        let angle = 2.0 * PI * place as f64 / count - FRAC_PI_2;
        let (right, down) = (libm::cos(angle), libm::sin(angle));
        switches[switch.index()] = rounded(radius * right, radius * down);
        let own = hosts(network, *switch);
        for (nth, host) in own.iter().enumerate() {
            let aside = (nth as f64 - (own.len() as f64 - 1.0) / 2.0) * HOST_STEP * step;
            let out = radius + OUT * step;
            all_hosts[*host] = rounded(out * right - aside * down, out * down + aside * right);
        }
    }
    (switches, all_hosts)
}

fn rounded(x: f64, y: f64) -> Place {
    #[expect(clippy::cast_possible_truncation, reason = "a circle of at most 32 switches is small")]
    let place = (x.round() as i64, y.round() as i64);
    place
}

/// The hosts on a switch.
fn hosts(network: &Network, switch: SwitchId) -> Vec<usize> {
    let host = |node| match node {
        Node::Host(host) => Some(host.index()),
        Node::Switch(_) => None,
    };
    network.cables(Node::Switch(switch)).filter_map(|(_, _, end)| host(end.node)).collect()
}

/// The switches that cables of `switch` lead to, itself left out.
fn neighbours(network: &Network, switch: SwitchId) -> impl Iterator<Item = SwitchId> + '_ {
    network.cables(Node::Switch(switch)).filter_map(move |(_, _, end)| match end.node {
        Node::Switch(other) if other != switch => Some(other),
        _ => None,
    })
}
