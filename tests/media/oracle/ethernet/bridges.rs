//! Bridges that send each other configuration messages until none has news.

use simnet_base::ids::{LinkId, Node, Port, SwitchId};
use simnet_base::units::BitRate;
use simnet_media::ethernet::{Role, SpanningTree};
use simnet_network::topology::{End, Network};

/// Priority, address, position.
type Id = (u16, u64, usize);

/// A configuration message: the root, the cost of the way to it, the sender, the sender's port.
type Message = (Id, u64, Id, Port);

struct Bridge {
    id: Id,
    /// The cabled ports: number, cost, far end, and the best message that came in.
    ports: Vec<(Port, u64, End, Option<Message>)>,
}

impl Bridge {
    /// The root, the cost of the way to it, and the port that leads there.
    fn view(&self) -> (Id, u64, Option<Port>) {
        let offers = self.ports.iter().filter_map(|(port, cost, _, heard)| {
            let (root, far, sender, sender_port) = (*heard)?;
            (sender != self.id).then_some((root, far + cost, sender, sender_port, *port))
        });
        match offers.min() {
            Some((root, cost, _, _, port)) if root < self.id => (root, cost, Some(port)),
            _ => (self.id, 0, None),
        }
    }

    fn role(&self, nth: usize) -> Role {
        let (root, cost, up) = self.view();
        let (port, _, _, heard) = self.ports[nth];
        match heard {
            _ if up == Some(port) => Role::Root,
            Some(heard) if heard < (root, cost, self.id, port) => Role::Blocked,
            _ => Role::Designated,
        }
    }
}

fn cost(rate: BitRate) -> u64 {
    (20_000_000_000_000 / rate.as_bits_per_s()).clamp(1, 200_000_000)
}

/// The role of every cabled port of every switch, in order.
pub(crate) fn roles(network: &Network, rates: &[BitRate], priorities: &[u16]) -> Vec<(End, Role)> {
    let all_have_guids = network.switches().iter().all(|switch| switch.guid.is_some());
    let bridge = |id: SwitchId| {
        let guid = network.switches()[id.index()].guid.filter(|_| all_have_guids);
        let address = guid.unwrap_or(u64::from(id.0));
        let ports = network.cables(Node::Switch(id));
        Bridge {
            id: (priorities.get(id.index()).copied().unwrap_or(32_768), address, id.index()),
            ports: ports.map(|(port, link, far)| (port, cost(rates[link.index()]), far, None)).collect(),
        }
    };
    let mut bridges: Vec<Bridge> = network.switch_ids().map(bridge).collect();
    loop {
        let mut has_news = false;
        for from in 0..bridges.len() {
            for nth in 0..bridges[from].ports.len() {
                if bridges[from].role(nth) != Role::Designated {
                    continue;
                }
                let (root, cost, _) = bridges[from].view();
                let (port, _, far, _) = bridges[from].ports[nth];
                let message = (root, cost, bridges[from].id, port);
                let Node::Switch(to) = far.node else { continue };
                let heard = bridges[to.index()].ports.iter_mut().find(|(port, ..)| *port == far.port);
                let (.., heard) = heard.unwrap();
                let is_same_sender = heard.is_some_and(|h| (h.2, h.3) == (message.2, message.3));
                if heard.is_none_or(|heard| message < heard || (is_same_sender && message != heard)) {
                    *heard = Some(message);
                    has_news = true;
                }
            }
        }
        if !has_news {
            break;
        }
    }
    let roles_of = |(at, bridge): (usize, &Bridge)| {
        let end = |port: Port| End { node: Node::Switch(SwitchId::new(at)), port };
        let roles: Vec<_> =
            (0..bridge.ports.len()).map(|nth| (end(bridge.ports[nth].0), bridge.role(nth))).collect();
        roles
    };
    bridges.iter().enumerate().flat_map(roles_of).collect()
}

/// Asserts that bridges that talk elect the tree that was computed.
pub(crate) fn compare(seed: u64, network: &Network, rates: &[BitRate], priorities: &[u16]) {
    let tree = SpanningTree::elect(network, rates, priorities);
    let talked = roles(network, rates, priorities);
    for (end, role) in &talked {
        assert_eq!(tree.role(network, *end), Some(*role), "seed {seed}: {end:?}");
        let Node::Switch(switch) = end.node else { panic!("{end:?} is no switch's") };
        let up = tree.parent(switch).map(|(link, _)| link);
        assert_eq!(*role == Role::Root, up.is_some() && network.link_at(*end) == up, "seed {seed}: {end:?}");
    }
    let blocked = |link: &LinkId| {
        let ends = [network.link(*link).a, network.link(*link).b];
        talked.iter().any(|(end, role)| ends.contains(end) && *role == Role::Blocked)
    };
    let links = (0..network.links().len()).map(LinkId::new);
    assert!(tree.blocked().eq(links.filter(blocked)), "seed {seed}");
    // A forest: as many root ports as switches that are not roots, and every way up ends at a root.
    for switch in network.switch_ids() {
        let mut at = switch;
        let mut steps = 0;
        while let Some((link, next)) = tree.parent(at) {
            assert_eq!(tree.cost(at), tree.cost(next) + cost(rates[link.index()]), "seed {seed}");
            at = next;
            steps += 1;
            assert!(steps < network.switches().len(), "seed {seed}: a loop above {switch:?}");
        }
        assert_eq!(tree.root(switch), at, "seed {seed}");
    }
}
