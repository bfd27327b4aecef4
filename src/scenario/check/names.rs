//! Names of nodes and cables, looked up in the network.

use simnet_base::diagnostics::{Fault, quoted};
use simnet_base::ids::{HostId, LinkId, Node, Port, SwitchId};
use simnet_network::topology::{End, Network};

use crate::checked::Topology;
use crate::diagnostics::Diagnostics;
use crate::wire::Located;

/// The host of that name.
pub(crate) fn host(
    name: &Located<String>,
    network: &Network,
    diagnostics: &mut Diagnostics,
) -> Option<HostId> {
    let found = network.find_host(&name.value);
    if found.is_none() {
        diagnostics.add(name.place, |span| no_host(&name.value, network, span));
    }
    found
}

/// The host of that name, if the run can reach it: it has a cable.
pub(super) fn attached_host(
    name: &Located<String>,
    topology: &Topology,
    diagnostics: &mut Diagnostics,
) -> Option<HostId> {
    let host = host(name, &topology.network, diagnostics)?;
    if topology.attachments[host.index()].is_some() {
        return Some(host);
    }
    diagnostics.add(name.place, |span| {
        let message = format!("host `{}` has no cable", quoted(&name.value));
        Fault::new("no-cable", span, message, "expected a host that is attached to the network")
    });
    None
}

/// The fault of a name that no host has.
pub(super) fn no_host(name: &str, network: &Network, span: std::ops::Range<usize>) -> Fault {
    let shown = quoted(name);
    if let Some(Node::Switch(_)) = network.find(name) {
        return Fault::new("unknown-host", span, format!("`{shown}` is a switch"), "expected a host");
    }
    let message = format!("no host is called `{shown}`");
    Fault::new("unknown-host", span, message, "expected the name of a host")
        .with_nearest(name, network.hosts().iter().map(|host| host.name.as_str()))
}

/// The switch of that name, one of `among` roots: a single one may also be the word for a rule that finds roots.
pub(super) fn root(
    name: &Located<String>,
    among: usize,
    network: &Network,
    diagnostics: &mut Diagnostics,
) -> Option<SwitchId> {
    if among == 1 {
        let expected = "expected \"far\", \"spines\", \"r0\" or the name of a switch";
        return switch_or(name, network, expected, diagnostics);
    }
    let is_rule = ["far", "spines", "r0", "r1", "r2"].contains(&name.value.as_str());
    if is_rule && network.find(&name.value).is_none() {
        diagnostics.add(name.place, |span| {
            let message = format!("`{}` is a rule that finds roots, and stands alone", name.value);
            Fault::new("unknown-switch", span, message, "expected the names of switches, or one rule")
        });
        return None;
    }
    switch_alone(name, network, diagnostics)
}

/// The switch of that name, where nothing but a name will do.
pub(crate) fn switch_alone(
    name: &Located<String>,
    network: &Network,
    diagnostics: &mut Diagnostics,
) -> Option<SwitchId> {
    switch_or(name, network, "expected the name of a switch", diagnostics)
}

fn switch_or(
    name: &Located<String>,
    network: &Network,
    expected: &str,
    diagnostics: &mut Diagnostics,
) -> Option<SwitchId> {
    let found = network.find_switch(&name.value);
    if found.is_none() {
        diagnostics.add(name.place, |span| {
            let shown = quoted(&name.value);
            let message = match network.find(&name.value) {
                Some(_) => format!("`{shown}` is a host"),
                None => format!("no switch is called `{shown}`"),
            };
            Fault::new("unknown-switch", span, message, expected)
                .with_nearest(&name.value, network.switches().iter().map(|switch| switch.name.as_str()))
        });
    }
    found
}

/// The cable at `node:port`, split at the last colon.
pub(super) fn link(
    text: &Located<String>,
    network: &Network,
    diagnostics: &mut Diagnostics,
) -> Option<LinkId> {
    let expected = "expected either end of a cable, as \"node:port\"";
    let parts = text.value.rsplit_once(':').and_then(|(node, port)| Some((node, port.parse::<u16>().ok()?)));
    let Some((name, port)) = parts else {
        diagnostics.add(text.place, |span| {
            let message = format!("`{}` does not name a port", quoted(&text.value));
            Fault::new("bad-name", span, message, expected)
        });
        return None;
    };
    let Some(node) = network.find(name) else {
        diagnostics.add(text.place, |span| {
            let switches = network.switches().iter().map(|switch| switch.name.as_str());
            let hosts = network.hosts().iter().map(|host| host.name.as_str());
            let message = format!("no switch or host is called `{}`", quoted(name));
            Fault::new("unknown-node", span, message, expected).with_nearest(name, switches.chain(hosts))
        });
        return None;
    };
    let found = network.link_at(End { node, port: Port(port) });
    if found.is_none() {
        diagnostics.add(text.place, |span| {
            let message = format!("there is no cable in port {port} of `{}`", quoted(name));
            Fault::new("no-cable", span, message, cabled_ports(network, node))
        });
    }
    found
}

/// The ports of a node with a cable, for messages.
pub(crate) fn cabled_ports(network: &Network, node: Node) -> String {
    let ports: Vec<String> = network.cables(node).map(|(port, _, _)| port.to_string()).collect();
    match ports.len() {
        0 => "no port of it has a cable".to_owned(),
        _ => format!("expected one of its cabled ports: {}", ports.join(", ")),
    }
}

/// A cable, for messages.
pub(super) fn link_name(network: &Network, link: LinkId) -> String {
    let end = |end: End| format!("{}:{}", network.name_of(end.node), end.port);
    format!("{} to {}", end(network.link(link).a), end(network.link(link).b))
}
