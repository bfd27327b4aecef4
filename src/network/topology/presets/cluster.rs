//! Clusters of a few switches of 24 ports, as the papers of Yuan's group measure them.

use crate::topology::{End, Network};
use simnet_base::ids::SwitchId;

/// How the switches of a cluster are cabled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// In a row.
    Chain,
    /// All to the first.
    Star,
}

/// Cables switches `s0` on, and machines `n0` on: `homes` has the switch of each.
///
/// Machines are on the first ports in their order, cables to other switches after them.
pub(super) fn cluster(
    name: &str,
    switches: u16,
    homes: impl IntoIterator<Item = u16>,
    shape: Shape,
) -> Network {
    let mut net = Network::new(name);
    for number in 0..switches {
        net.add_switch(format!("s{number}"), 24).expect("numbers are distinct");
    }
    let mut free = vec![0; usize::from(switches)];
    let mut next = |switch: u16| {
        let port = &mut free[usize::from(switch)];
        *port += 1;
        End::switch(SwitchId::new(usize::from(switch)), *port - 1)
    };
    for (rank, home) in homes.into_iter().enumerate() {
        let host = net.add_host(format!("n{rank}")).expect("numbers are distinct");
        net.connect(End::host(host, 0), next(home)).expect("24 ports are enough");
    }
    for switch in 1..switches {
        let before = match shape {
            Shape::Chain => switch - 1,
            Shape::Star => 0,
        };
        net.connect(next(before), next(switch)).expect("24 ports are enough");
    }
    net
}

/// Homes in blocks: so many machines on the first switch, then so many on the next, and so on.
pub(super) fn blocks(machines: &[u16]) -> impl Iterator<Item = u16> {
    (0..).zip(machines).flat_map(|(switch, count)| (0..*count).map(move |_| switch))
}
