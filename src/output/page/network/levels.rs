//! In which row a switch stands: in a tier, or at its distance from the root.
//!
//! # Source
//! Tiers as in mainwaring1997, Figs. 4 and 5; up*/down* levels as in sancho2000, section 2.

use simnet_base::ids::{Node, SwitchId};
use simnet_network::topology::Network;

/// What the rows are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// None: switches stand on a circle.
    Circle,
    /// Tiers of a tree with several roots: hosts below the lowest.
    Tiers,
    /// Distances from these switches, which stand on top.
    Distances {
        /// The switches.
        roots: Vec<SwitchId>,
        /// Whether the routes know them; otherwise they are those in the middle.
        is_given: bool,
    },
}

/// This share of the cables between switches has to join neighbouring tiers, in thousandths: 2 of the 93 of the NOW
/// join two roots.
const CLEAN: usize = 900;
/// So many tiers are a tree; more are a chain.
const MOST_TIERS: usize = 8;

/// The rows of all switches, from 0 at the top; `roots` are those of the routes.
pub(super) fn rows(network: &Network, roots: &[SwitchId]) -> (Kind, Vec<usize>) {
    if let Some(tiers) = tiers(network) {
        return (Kind::Tiers, tiers);
    }
    let is_given = !roots.is_empty();
    let mut roots = roots.to_vec();
    if roots.is_empty() {
        roots.extend(middle(network, &distances(network, &[])));
    }
    let mut found = distances(network, &roots);
    // Every component has a root of its own.
    while let Some(next) = middle(network, &found) {
        roots.push(next);
        found = distances(network, &roots);
    }
    (Kind::Distances { roots, is_given }, found.into_iter().map(|row| row.unwrap_or(0)).collect())
}

/// Per switch the number of hosts on it.
fn hosts_on(network: &Network) -> Vec<usize> {
    let mut hosts = vec![0; network.switches().len()];
    for host in network.host_ids() {
        if let Some((_, _, far)) = network.attachment(host)
            && let Node::Switch(switch) = far.node
        {
            hosts[switch.index()] += 1;
        }
    }
    hosts
}

/// The rows if the switches stand in tiers: their distances from the switches with hosts. A single host among others
/// with company, such as the one from which a network is administered, may hang on any tier.
fn tiers(network: &Network) -> Option<Vec<usize>> {
    let hosts = hosts_on(network);
    let least = usize::from(hosts.iter().any(|count| *count > 1));
    let leaves: Vec<SwitchId> = network.switch_ids().filter(|switch| hosts[switch.index()] > least).collect();
    let tiers: Vec<usize> = distances(network, &leaves).into_iter().collect::<Option<_>>()?;
    let top = tiers.iter().copied().max().filter(|top| (1..MOST_TIERS).contains(top))?;
    let (mut between, mut neighbouring) = (0, 0);
    for link in network.links() {
        if let (Node::Switch(a), Node::Switch(b)) = (link.a.node, link.b.node) {
            between += 1;
            neighbouring += usize::from(tiers[a.index()].abs_diff(tiers[b.index()]) == 1);
        }
    }
    (neighbouring * 1_000 >= between * CLEAN).then(|| tiers.iter().map(|tier| top - tier).collect())
}

/// Per switch, its distance from the nearest of these, in cables between switches.
fn distances(network: &Network, from: &[SwitchId]) -> Vec<Option<usize>> {
    let mut found = vec![None; network.switches().len()];
    from.iter().for_each(|switch| found[switch.index()] = Some(0));
    let mut row = from.to_vec();
    let mut distance = 0;
    while !row.is_empty() {
        distance += 1;
        let mut next = Vec::new();
        for switch in row {
            for (_, _, far) in network.cables(Node::Switch(switch)) {
                if let Node::Switch(far) = far.node
                    && found[far.index()].is_none()
                {
                    found[far.index()] = Some(distance);
                    next.push(far);
                }
            }
        }
        row = next;
    }
    found
}

/// Switches that are tried as the middle of a component; of larger ones every so manieth is.
const TRIED: usize = 400;

/// Of the component of the first switch that is not found yet: the switch from which the farthest is nearest, the first
/// of several.
fn middle(network: &Network, found: &[Option<usize>]) -> Option<SwitchId> {
    let first = network.switch_ids().find(|switch| found[switch.index()].is_none())?;
    let own = distances(network, &[first]);
    let members: Vec<SwitchId> =
        network.switch_ids().filter(|switch| own[switch.index()].is_some()).collect();
    let farthest = |switch: &SwitchId| distances(network, &[*switch]).into_iter().flatten().max();
    members.iter().step_by(members.len().div_ceil(TRIED)).min_by_key(|switch| farthest(switch)).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use simnet_network::topology::{End, presets};

    fn rows_of(network: &Network, row: usize, rows: &[usize]) -> Vec<String> {
        let in_row = network.switches().iter().zip(rows).filter(|(_, own)| **own == row);
        in_row.map(|(switch, _)| switch.name.clone()).collect()
    }

    /// Wrong if the machine from which the NOW is administered drew its root down among the leaves.
    #[test]
    fn the_now_stands_in_tiers() {
        let network = presets::load("now-c").unwrap();
        let (kind, rows) = rows(&network, &[]);
        assert_eq!(kind, Kind::Tiers);
        let counts: Vec<usize> = (0..3).map(|row| rows_of(&network, row, &rows).len()).collect();
        assert_eq!((counts, rows.len()), (vec![2, 4, 7], 13));
        assert_eq!(super::rows(&presets::load("now-cab").unwrap(), &[]).0, Kind::Tiers);
    }

    /// Wrong if an irregular network were forced into tiers, or one in two parts drawn on one root.
    #[test]
    fn others_stand_by_their_distance_from_the_root() {
        let mut network = Network::new("two chains");
        let switches: Vec<SwitchId> =
            (0..7).map(|n| network.add_switch(format!("s{n}"), 8).unwrap()).collect();
        for (a, b) in [(0, 1), (1, 2), (3, 4), (4, 5), (5, 6)] {
            network.connect(End::switch(switches[a], 0), End::switch(switches[b], 1)).unwrap();
        }
        for (nth, switch) in switches.iter().enumerate() {
            let host = network.add_host(format!("h{nth}")).unwrap();
            network.connect(End::host(host, 0), End::switch(*switch, 7)).unwrap();
        }
        let (kind, rows) = rows(&network, &[switches[0]]);
        assert_eq!(kind, Kind::Distances { roots: vec![switches[0], switches[4]], is_given: true });
        assert_eq!(rows, [0, 1, 2, 1, 0, 1, 2]);
        let (kind, _) = super::rows(&network, &[]);
        assert_eq!(kind, Kind::Distances { roots: vec![switches[1], switches[4]], is_given: false });
    }
}
