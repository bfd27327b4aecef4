//! What the families share: checking sizes, adding switches and hosts, filling ports in order.

use crate::topology::{End, Network};
use simnet_base::ids::SwitchId;

use super::{GenerateError, MOST_LINKS, MOST_NODES, MOST_PORTS, invalid};

/// Checks that a switch has room for its cables and that the network is not too large to hold.
pub(super) fn check_size(
    family: &'static str,
    parameter: &'static str,
    switches: u64,
    hosts: u64,
    ports: u64,
) -> Result<(), GenerateError> {
    within(family, parameter, switches, "switches", MOST_NODES)?;
    within(family, "hosts-per-switch", hosts, "hosts", MOST_NODES)?;
    within(family, parameter, ports, "ports of a switch", MOST_PORTS)
}

/// Checks that the cables between switches are not too many to hold.
pub(super) fn check_links(
    family: &'static str,
    parameter: &'static str,
    links: u64,
) -> Result<(), GenerateError> {
    within(family, parameter, links, "cables between switches", MOST_LINKS)
}

/// Checks one count of a network against its limit.
pub(super) fn within(
    family: &'static str,
    parameter: &'static str,
    count: u64,
    what: &str,
    most: u64,
) -> Result<(), GenerateError> {
    match count {
        count if count <= most => Ok(()),
        u64::MAX => Err(invalid(family, parameter, format!("makes far too many {what}; at most {most} do"))),
        _ => Err(invalid(family, parameter, format!("makes {count} {what}; at most {most} do"))),
    }
}

/// A port number below [`MOST_PORTS`].
pub(super) fn port(number: u64) -> u16 {
    u16::try_from(number).expect("sizes were checked against MOST_PORTS")
}

/// Adds `count` switches of `ports` ports, at least one, named on from those that are there.
pub(super) fn add_switches(net: &mut Network, count: u64, ports: u64) -> Vec<SwitchId> {
    let first = net.switches().len() as u64;
    (first..first + count)
        .map(|number| net.add_switch(format!("s{number}"), port(ports.max(1))).expect("numbers are distinct"))
        .collect()
}

/// Adds `count` hosts to a switch, on its ports from `first_port` on, named on from those that are there.
pub(super) fn add_hosts(net: &mut Network, switch: SwitchId, first_port: u64, count: u64) {
    for nth in 0..count {
        let host = net.add_host(format!("h{}", net.hosts().len())).expect("numbers are distinct");
        net.connect(End::host(host, 0), End::switch(switch, port(first_port + nth)))
            .expect("the family leaves these ports free");
    }
}

/// The switch at a position that a family computed.
pub(super) fn nth(switches: &[SwitchId], position: u64) -> SwitchId {
    switches[usize::try_from(position).expect("the switches are held in memory")]
}

/// Lays a cable between two switches.
pub(super) fn cable(net: &mut Network, a: (SwitchId, u64), b: (SwitchId, u64)) {
    net.connect(End::switch(a.0, port(a.1)), End::switch(b.0, port(b.1))).expect("each port is used once");
}

/// Wires switches with the given cables between them, and a host at each of the given places.
///
/// On every switch the cables come first, in their order, then the hosts in the order of their numbers. All switches
/// have as many ports as the fullest needs.
///
/// # Errors
/// [`GenerateError::Invalid`] if a switch would need more ports than any has.
pub(super) fn wire(
    family: &'static str,
    switches: u64,
    edges: &[(u64, u64)],
    places: &[u64],
) -> Result<Network, GenerateError> {
    let mut ports = vec![0_u64; usize::try_from(switches).expect("few enough to be drawn")];
    for end in edges.iter().flat_map(|(a, b)| [a, b]).chain(places) {
        ports[usize::try_from(*end).expect("a switch")] += 1;
    }
    let most = ports.iter().copied().max().unwrap_or(0).max(1);
    check_size(family, "machines", switches, places.len() as u64, most)?;
    let mut net = Network::new(family);
    let switches = add_switches(&mut net, switches, most);
    let mut free = vec![0_u64; switches.len()];
    let mut next = |switch: u64| {
        let at = nth(&switches, switch);
        free[at.index()] += 1;
        (at, free[at.index()] - 1)
    };
    for (a, b) in edges {
        cable(&mut net, next(*a), next(*b));
    }
    for (number, place) in places.iter().enumerate() {
        let host = net.add_host(format!("h{number}")).expect("numbers are distinct");
        let (switch, at) = next(*place);
        net.connect(End::host(host, 0), End::switch(switch, port(at))).expect("ports were counted");
    }
    Ok(net)
}
