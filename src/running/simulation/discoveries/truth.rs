//! What there is to be found: the tree that frames keep to.

use std::collections::VecDeque;

use simnet_base::ids::{HostId, LinkId, Node, SwitchId};
use simnet_base::units::BitRate;
use simnet_media::ethernet::{BRIDGE_PRIORITY, SpanningTree};
use simnet_network::discovery::Hops;
use simnet_network::topology::Network;
use simnet_scenario::Checked;
use simnet_scenario::discovery::{Discovery, Source};

/// The hop counts between the machines on the tree that its switches elect. Costs O(switches (switches +
/// cables) + machines²).
pub(super) fn hops(checked: &Checked, discovery: &Discovery) -> Hops {
    let homes = homes(checked, discovery);
    let tree = elected(checked, discovery);
    counted(&checked.topology.network, &homes, |link| tree.forwards(link))
}

/// The hop counts between machines at `homes` over the cables that frames pass.
fn counted(network: &Network, homes: &[SwitchId], passes: impl Fn(LinkId) -> bool) -> Hops {
    let counts: Vec<Vec<u32>> = network.switch_ids().map(|switch| from(network, &passes, switch)).collect();
    Hops::new(homes.len(), |a, b| counts[homes[a].index()][homes[b].index()])
}

/// The switches on the ways between machines: those of the tree that are to be found. Costs O(switches + cables).
pub(super) fn switches(checked: &Checked, discovery: &Discovery) -> usize {
    let network = &checked.topology.network;
    let tree = elected(checked, discovery);
    let homes = homes(checked, discovery);
    let is_home: Vec<bool> = network.switch_ids().map(|switch| homes.contains(&switch)).collect();
    let near = |switch: SwitchId| neighbours(network, &tree, switch);
    let mut degrees: Vec<usize> = network.switch_ids().map(|switch| near(switch).count()).collect();
    let mut left = vec![true; degrees.len()];
    let is_bare =
        |switch: SwitchId, degrees: &[usize]| degrees[switch.index()] <= 1 && !is_home[switch.index()];
    let mut open: Vec<SwitchId> = network.switch_ids().filter(|switch| is_bare(*switch, &degrees)).collect();
    while let Some(switch) = open.pop() {
        if !std::mem::replace(&mut left[switch.index()], false) {
            continue;
        }
        for next in near(switch).filter(|next| left[next.index()]) {
            degrees[next.index()] -= 1;
            if is_bare(next, &degrees) {
                open.push(next);
            }
        }
    }
    left.iter().filter(|left| **left).count()
}

/// The switches that a switch has cables of the tree to, once a cable.
fn neighbours(network: &Network, tree: &SpanningTree, switch: SwitchId) -> impl Iterator<Item = SwitchId> {
    let cables = network.cables(Node::Switch(switch)).filter(|(_, link, _)| tree.forwards(*link));
    cables.filter_map(move |(.., far)| match far.node {
        Node::Switch(next) if next != switch => Some(next),
        _ => None,
    })
}

/// By machine, its switch.
fn homes(checked: &Checked, discovery: &Discovery) -> Vec<SwitchId> {
    discovery.machines.iter().map(|machine| switch_of(checked, *machine)).collect()
}

/// The switch of a machine.
fn switch_of(checked: &Checked, machine: HostId) -> SwitchId {
    let attached = checked.topology.attachment(machine).expect("machines have cables");
    match attached.2.node {
        Node::Switch(switch) => switch,
        Node::Host(_) => unreachable!("machines are cabled to switches, as was checked"),
    }
}

/// The tree that the switches elect.
fn elected(checked: &Checked, discovery: &Discovery) -> SpanningTree {
    let network = &checked.topology.network;
    if let Source::Measured(ethernet) = &discovery.source {
        let parameters = ethernet.parameters(network, None);
        return SpanningTree::elect(network, &parameters.rates, &parameters.bridge_priorities);
    }
    // Of a matrix from elsewhere it is not known; cables of one rate are the likely case.
    let usual = BitRate::new(100_000_000).expect("100 Mb/s is above zero");
    let rates: Vec<BitRate> = network.links().iter().map(|link| link.rate.unwrap_or(usual)).collect();
    SpanningTree::elect(network, &rates, &vec![BRIDGE_PRIORITY; network.switches().len()])
}

/// The switches on the way from one to all others, both counted; 0 where there is none.
fn from(network: &Network, passes: impl Fn(LinkId) -> bool, start: SwitchId) -> Vec<u32> {
    let mut counts = vec![0; network.switches().len()];
    counts[start.index()] = 1;
    let mut queue = VecDeque::from([start]);
    while let Some(at) = queue.pop_front() {
        for (_, link, far) in network.cables(Node::Switch(at)) {
            if let Node::Switch(next) = far.node
                && passes(link)
                && counts[next.index()] == 0
            {
                counts[next.index()] = counts[at.index()] + 1;
                queue.push_back(next);
            }
        }
    }
    counts
}
