//! Whether a map shows the network that it was made of.
//!
//! A map names hosts truly but knows switches only by how they are cabled, and numbers the ports of each switch
//! from a place of its own. So hosts are matched by name, and every cable then shows which switch, and which
//! shift of its ports, stands at its other end: in a network that the hosts hold together there is at most one
//! way to lay the map over it, and following the cables finds it.
//!
//! ```text
//!   map:    a --0:[x]:2 -- 7:[y]:5-- b         x is s with shift -3, y is t with shift +6
//!   truth:  a --3:[s]:5 -- 1:[t]:-1...         no cable there: the map is wrong
//! ```
//!
//! # Scope and limitations
//! A host takes part with its lowest-numbered cabled port, as mappers do; its other cables may be shown and
//! need not be. A part of a map without any host cannot be recognised and counts as not in the network.
//!
//! # Source
//! Mainwaring et al. 1997, Definition 1 (the shift of a switch's ports), Definition 2 and Lemma 1 (F).
//! Departure: the parts of the network that the mapper cannot reach count as F too.
//!
//! # Validation
//! Compared with a general search for isomorphisms on small random multigraphs, and with maps where one
//! cable, port or switch was changed.

use simnet_base::ids::{HostId, LinkId, Node, SwitchId};

use super::{End, Network};

/// How a map compares with the network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// Whether the map shows all of N - F, and nothing that is not in N.
    pub isomorphic: bool,
    /// `"N"` if the map shows exactly the network, `"N-F"` if it shows exactly its core; `None` if neither.
    pub isomorphic_to: Option<&'static str>,
    /// The first thing in which the map differs from both, in names and ports.
    pub difference: Option<String>,
}

/// The part of a network that a mapper must find: N - F.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Core {
    /// Per switch, whether it belongs to the core.
    pub switches: Vec<bool>,
    /// Per host, whether it does.
    pub hosts: Vec<bool>,
}

impl Core {
    /// Whether this node belongs to the core.
    pub fn contains(&self, node: Node) -> bool {
        match node {
            Node::Switch(id) => self.switches[id.index()],
            Node::Host(id) => self.hosts[id.index()],
        }
    }
}

/// Compares a map with the network `truth` in which `mapper` made it. Costs O(nodes log hosts + cables).
pub fn compare(map: &Network, truth: &Network, mapper: HostId) -> Verdict {
    let shown = match Overlay::of(map, truth) {
        Ok(overlay) => overlay,
        Err(difference) => {
            return Verdict { isomorphic: false, isomorphic_to: None, difference: Some(difference) };
        }
    };
    let core = core(truth, mapper);
    let everything = |_: Node| true;
    let outside = |node: Node| !core.contains(node);
    let whole = shown.missing(everything);
    let difference = shown.missing(|node| core.contains(node));
    let isomorphic = difference.is_none();
    let isomorphic_to = match (isomorphic, whole) {
        (true, None) => Some("N"),
        (true, Some(_)) if !shown.shows_any(outside) => Some("N-F"),
        _ => None,
    };
    Verdict { isomorphic, isomorphic_to, difference }
}

/// The first difference between two networks that no renaming of switches and no shift of a switch's ports
/// explains; `None` if there is none. Every cable of every host counts. Costs as [`compare`].
pub fn difference(a: &Network, b: &Network) -> Option<String> {
    match Overlay::of(b, a) {
        Err(difference) => Some(difference),
        Ok(overlay) => overlay.missing(|_| true).or_else(|| overlay.missing_host_cable()),
    }
}

/// What `mapper` must find: the nodes that it can reach, less those that a bridge between two switches parts
/// from every host. Hosts pass nothing on. Costs O(nodes + cables).
///
/// # Source
/// Mainwaring et al. 1997, Lemma 1; bridges as Tarjan 1974, *A note on finding the bridges of a graph*.
pub fn core(truth: &Network, mapper: HostId) -> Core {
    let mut core =
        Core { switches: vec![false; truth.switches().len()], hosts: vec![false; truth.hosts().len()] };
    core.hosts[mapper.index()] = true;
    let mut attached: Vec<Vec<HostId>> = vec![Vec::new(); truth.switches().len()];
    for host in truth.host_ids() {
        if let Some(End { node: Node::Switch(switch), .. }) = truth.attachment(host).map(|(_, _, far)| far) {
            attached[switch.index()].push(host);
        }
    }
    match truth.attachment(mapper).map(|(_, _, far)| far.node) {
        Some(Node::Switch(root)) => Search::from(truth, root, &attached).mark(&attached, &mut core),
        // Two hosts on one cable see each other and nothing else.
        Some(Node::Host(other)) => core.hosts[other.index()] = true,
        None => {}
    }
    core
}

/// A depth-first search over switches: the order of discovery, and what bridges need to know.
struct Search {
    /// The switches reached, in order of discovery.
    order: Vec<SwitchId>,
    /// Per position in `order`: the position of the parent.
    parent: Vec<usize>,
    /// Per position: the earliest position that its subtree reaches by a cable outside the tree.
    low: Vec<usize>,
    /// Per position: the hosts attached to its subtree.
    hosts: Vec<usize>,
}

impl Search {
    fn from(truth: &Network, root: SwitchId, attached: &[Vec<HostId>]) -> Search {
        const UNSEEN: usize = usize::MAX;
        let mut search = Search { order: Vec::new(), parent: Vec::new(), low: Vec::new(), hosts: Vec::new() };
        let mut position = vec![UNSEEN; truth.switches().len()];
        search.discover(root, 0, &mut position, attached);
        let mut stack = vec![(0, switch_cables(truth, root), None)];
        while let Some((at, cables, came_by)) = stack.last_mut() {
            let (at, came_by) = (*at, *came_by);
            let Some((link, far)) = cables.pop() else {
                stack.pop();
                search.close(at);
                continue;
            };
            if Some(link) == came_by {
                continue;
            }
            let known = position[far.index()];
            if known == UNSEEN {
                let child = search.discover(far, at, &mut position, attached);
                stack.push((child, switch_cables(truth, far), Some(link)));
            } else {
                search.low[at] = search.low[at].min(known);
            }
        }
        search
    }

    fn discover(
        &mut self,
        switch: SwitchId,
        parent: usize,
        position: &mut [usize],
        attached: &[Vec<HostId>],
    ) -> usize {
        let at = self.order.len();
        position[switch.index()] = at;
        self.order.push(switch);
        self.parent.push(parent);
        self.low.push(at);
        self.hosts.push(attached[switch.index()].len());
        at
    }

    /// Hands a finished subtree's figures to its parent.
    fn close(&mut self, at: usize) {
        if at > 0 {
            let parent = self.parent[at];
            self.low[parent] = self.low[parent].min(self.low[at]);
            self.hosts[parent] += self.hosts[at];
        }
    }

    /// Marks the core. The cable above a subtree that reaches no further up is a bridge.
    fn mark(&self, attached: &[Vec<HostId>], core: &mut Core) {
        let mut parted = vec![false; self.order.len()];
        for (at, switch) in self.order.iter().enumerate() {
            let bridge = at > 0 && self.low[at] == at;
            parted[at] = at > 0 && parted[self.parent[at]] || bridge && self.hosts[at] == 0;
            if !parted[at] {
                core.switches[switch.index()] = true;
                attached[switch.index()].iter().for_each(|host| core.hosts[host.index()] = true);
            }
        }
    }
}

fn switch_cables(truth: &Network, switch: SwitchId) -> Vec<(LinkId, SwitchId)> {
    let cables = truth.cables(Node::Switch(switch)).filter_map(|(_, link, far)| match far.node {
        Node::Switch(other) if other != switch => Some((link, other)),
        _ => None,
    });
    cables.collect()
}

/// A map laid over the network.
struct Overlay<'a> {
    map: &'a Network,
    truth: &'a Network,
    /// Per switch of the map: the switch it stands for and by how much its ports are shifted up.
    switches: Vec<Option<(SwitchId, i32)>>,
    /// Per host of the map, the same.
    hosts: Vec<(HostId, i32)>,
    /// Per switch of the network: the one of the map that stands for it.
    switch_shown: Vec<Option<SwitchId>>,
    host_shown: Vec<bool>,
    link_shown: Vec<bool>,
    open: Vec<Node>,
}

impl Overlay<'_> {
    /// Lays a map over the network, or says what of it is not in the network.
    fn of<'a>(map: &'a Network, truth: &'a Network) -> Result<Overlay<'a>, String> {
        let mut overlay = Overlay {
            map,
            truth,
            switches: vec![None; map.switches().len()],
            hosts: Vec::new(),
            switch_shown: vec![None; truth.switches().len()],
            host_shown: vec![false; truth.hosts().len()],
            link_shown: vec![false; truth.links().len()],
            open: map.host_ids().map(Node::Host).collect(),
        };
        for host in map.host_ids() {
            overlay.place_host(host)?;
        }
        while let Some(node) = overlay.open.pop() {
            overlay.follow(node)?;
        }
        match overlay.switches.iter().position(Option::is_none) {
            None => Ok(overlay),
            Some(lost) => {
                Err(format!("no cable of the map joins its switch `{}` to a host", map.switches()[lost].name))
            }
        }
    }

    fn place_host(&mut self, host: HostId) -> Result<(), String> {
        let name = &self.map.hosts()[host.index()].name;
        let Some(Node::Host(true_host)) = self.truth.named(name) else {
            return Err(format!("the network has no host `{name}`"));
        };
        let shift = match (self.map.attachment(host), self.truth.attachment(true_host)) {
            (None, _) => 0,
            (Some((port, ..)), Some((true_port, ..))) => i32::from(port.0) - i32::from(true_port.0),
            (Some(_), None) => return Err(format!("host `{name}` has no cable in the network")),
        };
        self.host_shown[true_host.index()] = true;
        self.hosts.push((true_host, shift));
        Ok(())
    }

    /// The true node that a node of the map stands for, and its shift.
    fn stands_for(&self, node: Node) -> Option<(Node, i32)> {
        match node {
            Node::Host(id) => self.hosts.get(id.index()).map(|(host, shift)| (Node::Host(*host), *shift)),
            Node::Switch(id) => {
                self.switches[id.index()].map(|(switch, shift)| (Node::Switch(switch), shift))
            }
        }
    }

    /// Follows every cable of a node that has found its place.
    fn follow(&mut self, node: Node) -> Result<(), String> {
        let (true_node, shift) = self.stands_for(node).expect("only nodes with a place are followed");
        let map = self.map;
        for (port, _, far) in map.cables(node) {
            let near = End { node, port };
            let true_port = u16::try_from(i32::from(port.0) - shift).ok();
            let true_near = true_port.map(|port| End { node: true_node, port: simnet_base::ids::Port(port) });
            let cable = true_near.and_then(|end| Some((self.truth.link_at(end)?, self.truth.peer(end)?)));
            let Some((link, true_far)) = cable else {
                let place = format!("{}:{}", self.truth.name_of(true_node), i32::from(port.0) - shift);
                return Err(format!("{} is {place}, which has no cable", self.cable(near, far)));
            };
            self.link_shown[link.index()] = true;
            self.meet(near, far, true_far)?;
        }
        Ok(())
    }

    /// The far end of a cable of the map must be, or become, the far end of the true cable.
    fn meet(&mut self, near: End, far: End, true_far: End) -> Result<(), String> {
        let shift = i32::from(far.port.0) - i32::from(true_far.port.0);
        if let Some(place) = self.stands_for(far.node) {
            return if place == (true_far.node, shift) {
                Ok(())
            } else {
                let (is, by) = (self.truth.name_of(place.0), i32::from(far.port.0) - place.1);
                let there = named(self.truth, true_far);
                Err(format!(
                    "{} would end at {there}, but `{}` is {is}:{by}",
                    self.cable(near, far),
                    named(self.map, far)
                ))
            };
        }
        let (Node::Switch(id), Node::Switch(true_id)) = (far.node, true_far.node) else {
            let there = named(self.truth, true_far);
            return Err(format!("{} shows a switch where the network has {there}", self.cable(near, far)));
        };
        if let Some(other) = self.switch_shown[true_id.index()] {
            let (one, two) =
                (&self.map.switches()[other.index()].name, &self.map.switches()[id.index()].name);
            let name = &self.truth.switches()[true_id.index()].name;
            return Err(format!("`{one}` and `{two}` of the map both stand for switch `{name}`"));
        }
        self.switches[id.index()] = Some((true_id, shift));
        self.switch_shown[true_id.index()] = Some(id);
        self.open.push(far.node);
        Ok(())
    }

    fn cable(&self, near: End, far: End) -> String {
        format!("the map's cable {} - {}", named(self.map, near), named(self.map, far))
    }

    fn shows(&self, node: Node) -> bool {
        match node {
            Node::Switch(id) => self.switch_shown[id.index()].is_some(),
            Node::Host(id) => self.host_shown[id.index()],
        }
    }

    fn nodes(&self) -> impl Iterator<Item = Node> + use<> {
        self.truth.host_ids().map(Node::Host).chain(self.truth.switch_ids().map(Node::Switch))
    }

    /// Whether the map shows any node of a part of the network.
    fn shows_any(&self, part: impl Fn(Node) -> bool) -> bool {
        self.nodes().any(|node| part(node) && self.shows(node))
    }

    /// The first node or cable of a part of the network that the map does not show.
    fn missing(&self, part: impl Fn(Node) -> bool) -> Option<String> {
        if let Some(node) = self.nodes().find(|node| part(*node) && !self.shows(*node)) {
            let kind = if matches!(node, Node::Host(_)) { "host" } else { "switch" };
            return Some(format!("the map lacks {kind} `{}`", self.truth.name_of(node)));
        }
        self.missing_cable(|near, far| {
            part(near.node) && part(far.node) && self.counts(near) && self.counts(far)
        })
    }

    /// The first cable of a host beyond its lowest-numbered one that the map does not show.
    fn missing_host_cable(&self) -> Option<String> {
        self.missing_cable(|_, _| true)
    }

    fn missing_cable(&self, counts: impl Fn(End, End) -> bool) -> Option<String> {
        let mut cables = self.truth.links().iter().zip(&self.link_shown);
        let (link, _) = cables.find(|(link, shown)| !**shown && counts(link.a, link.b))?;
        Some(format!("the map lacks the cable {} - {}", named(self.truth, link.a), named(self.truth, link.b)))
    }

    /// Whether mappers use this end: any end at a switch, the lowest-numbered cabled port of a host.
    fn counts(&self, end: End) -> bool {
        match end.node {
            Node::Switch(_) => true,
            Node::Host(id) => self.truth.attachment(id).is_some_and(|(port, ..)| port == end.port),
        }
    }
}

fn named(net: &Network, end: End) -> String {
    format!("{}:{}", net.name_of(end.node), end.port)
}
