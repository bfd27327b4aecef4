//! Where the nodes of a network stand in the replay: as on the page of the network, farther apart.
//!
//! Units are those in which a switch is about 50 wide.

use simnet_base::ids::{Node, SwitchId};
use simnet_network::topology::Network;

/// So far at least is a switch from the next one, a host from its switch, and a host from the next one on its switch:
/// buffers have room on the cables between.
const SWITCHES: f64 = 190.0;
const HOST: f64 = 120.0;
const HOSTS: f64 = 36.0;

/// Per node, the switches first and then the hosts: where its middle stands, x to the right and y down; `roots` are
/// those of the routes.
pub(super) fn positions(network: &Network, roots: &[SwitchId]) -> Vec<(f64, f64)> {
    let at = crate::page::network::positions(network, roots);
    let scale = scale(network, &at);
    at.into_iter().map(|(x, y)| (scale * x, scale * y)).collect()
}

/// How much larger the drawing is here.
fn scale(network: &Network, at: &[(f64, f64)]) -> f64 {
    let index = |node: Node| match node {
        Node::Switch(switch) => switch.index(),
        Node::Host(host) => network.switches().len() + host.index(),
    };
    let apart = |a: Node, b: Node| {
        let ((x1, y1), (x2, y2)) = (at[index(a)], at[index(b)]);
        libm::sqrt((x2 - x1) * (x2 - x1) + (y2 - y1) * (y2 - y1))
    };
    let mut scale: f64 = 1.0;
    let mut demand =
        |least: f64, apart: f64| scale = scale.max(if apart > 0.0 { least / apart } else { 1.0 });
    for link in network.links() {
        let (a, b) = (link.a.node, link.b.node);
        let between_switches = matches!((a, b), (Node::Switch(_), Node::Switch(_)));
        demand(if between_switches { SWITCHES } else { HOST }, apart(a, b));
    }
    for switch in network.switch_ids() {
        let ends = network.cables(Node::Switch(switch)).map(|(_, _, end)| end.node);
        let hosts: Vec<Node> = ends.filter(|node| matches!(node, Node::Host(_))).collect();
        hosts.windows(2).for_each(|pair| demand(HOSTS, apart(pair[0], pair[1])));
    }
    scale
}
