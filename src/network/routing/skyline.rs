//! What of the directions must change when a network changes: the skyline, and new directions that leave all else.
//!
//! # Scope and limitations
//! Directions come from an order of the switches, the upper end of a cable being the earlier one. After a change the
//! order that stood goes on to hold: a new cable takes its direction from it, a new switch comes last, and of two
//! networks that are joined one comes after the other. No cycle of channels all up can result, so that the rule stays
//! free of deadlock; what a change can break is that all routes need a common top. Each switch without a cable up is a
//! root, and where a component has several, two switches below different ones may have no legal route. Then all roots
//! but one are taken below it, each through an *exit*: a switch that has a cable up to the lost part and reaches the
//! root that stays. Of the roots that could stay, and of the exits, those are taken that leave the least skyline.
//!
//! ```text
//!   before         after                  the cable r1-r2 is lost, so that r2 is a second root
//!   r1   r2        r1                     exit: x, which has a cable up to b and reaches r1
//!    |   / \        |                     turned: x-b and b-r2
//!    y  b   a       y                     skyline: x, b and r2, and y and r1 above x
//!     \ |   |        \                    r2-a and a-d lead as before
//!       x   d         x--b--r2--a--d
//! ```
//!
//! The **skyline** is the least set of switches that has both ends of every turned cable and every switch above one of
//! its own, along cables that were there before and are there now. All other cables have the same direction before and
//! after, so that old and new routes obey one rule there. And every cable between the skyline and the rest leads up
//! into it: a worm that leaves it goes down and never comes back. So every cycle of channels that old and new turns
//! make together lies within the skyline, whatever is done in which order outside of it; the inside needs one of the
//! methods that are known (to drain it, or to hold its new routes back). New cables are used when that is done.
//!
//! Directions that begin with several roots in a component (spines, dominant switches relabelled) come out with one.
//!
//! # Source
//! Lysne and Duato 2000, *Fast dynamic reconfiguration in irregular networks*, of which the abstract was at hand: the
//! skyline is the only part where a full reconfiguration is necessary; elsewhere entries for new switches are added
//! and those of lost ones removed. The definition above is ours; it has that property.
//!
//! # Validation
//! tests/network/oracle/skyline.rs: every order of small networks tried; cycles of old and new turns together, found
//! channel by channel, on random multigraphs.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use crate::topology::{CablingError, End, Link, Network, Switch};
use simnet_base::ids::{LinkId, Node, Port, SwitchId};

use super::directions::Directions;
use super::failures::{Left, Part};
use super::graph::SwitchGraph;

/// A network after a change, with the order of its switches that stood before.
#[derive(Clone, Debug)]
pub struct Changed {
    network: Network,
    /// Per switch its place in the order that goes on to hold; lower is up.
    places: Vec<u32>,
    /// Per cable whether it was there before.
    kept: Vec<bool>,
}

/// New directions for a changed network, and how they differ from those that stood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reconfigured {
    /// The directions: one root per component.
    pub directions: Directions,
    /// The cables whose direction changed, in order.
    pub turned: Vec<LinkId>,
    /// The switches of the skyline, in order; none if no cable was turned.
    pub skyline: Vec<SwitchId>,
    /// How many of the cables between switches that were there before have both ends in the skyline.
    pub within: usize,
}

impl Changed {
    /// A network without these parts.
    pub fn without(network: &Network, directions: &Directions, parts: &[Part]) -> Changed {
        let left = Left::new(network, parts);
        let mut places = vec![0; left.network.switches().len()];
        for (before, after) in (0..).map(SwitchId::new).zip(&left.switches) {
            after.iter().for_each(|after| places[after.index()] = directions.place(before));
        }
        let kept = vec![true; left.network.links().len()];
        Changed { network: left.network, places, kept }
    }

    /// A network with a cable more, between these ends.
    ///
    /// # Errors
    /// [`CablingError`] if the ends are not there or not free.
    pub fn with_cable(
        network: &Network,
        directions: &Directions,
        (a, b): (End, End),
    ) -> Result<Changed, CablingError> {
        let mut changed = Changed::without(network, directions, &[]);
        changed.add_cable(a, b)?;
        Ok(changed)
    }

    /// A network with a switch more, from whose ports these cables lead.
    ///
    /// # Errors
    /// [`CablingError`] if the name is taken, or an end is not there or not free.
    pub fn with_switch(
        network: &Network,
        directions: &Directions,
        switch: Switch,
        cables: &[(Port, End)],
    ) -> Result<Changed, CablingError> {
        let mut changed = Changed::without(network, directions, &[]);
        let added = changed.network.push_switch(switch)?;
        changed.places.push(u32::MAX);
        for (port, far) in cables {
            changed.add_cable(End { node: Node::Switch(added), port: *port }, *far)?;
        }
        Ok(changed)
    }

    /// Two networks that a cable joins, from the first end, in the first one, to the second; the switches and hosts of
    /// the second come after those of the first, with `'` added to their names.
    ///
    /// # Errors
    /// [`CablingError`] if a name is taken, or an end is not there or not free.
    pub fn joined(
        [one, other]: [(&Network, &Directions); 2],
        (a, b): (End, End),
    ) -> Result<Changed, CablingError> {
        let mut changed = Changed::without(one.0, one.1, &[]);
        let (switches, hosts) = (one.0.switches().len(), one.0.hosts().len());
        let moved = |end: End| {
            let node = match end.node {
                Node::Switch(id) => Node::Switch(SwitchId::new(id.index() + switches)),
                Node::Host(id) => Node::Host(simnet_base::ids::HostId::new(id.index() + hosts)),
            };
            End { node, ..end }
        };
        for (id, switch) in other.0.switch_ids().zip(other.0.switches()) {
            changed.network.push_switch(Switch { name: format!("{}'", switch.name), ..switch.clone() })?;
            changed.places.push(behind(switches, other.1.place(id)));
        }
        for host in other.0.hosts() {
            let host = crate::topology::Host { name: format!("{}'", host.name), ..host.clone() };
            changed.network.push_host(host)?;
        }
        for link in other.0.links() {
            let link = Link { a: moved(link.a), b: moved(link.b), ..link.clone() };
            changed.network.push_link(link)?;
            changed.kept.push(true);
        }
        changed.add_cable(a, moved(b))?;
        Ok(changed)
    }

    fn add_cable(&mut self, a: End, b: End) -> Result<(), CablingError> {
        self.network.connect(a, b)?;
        self.kept.push(false);
        Ok(())
    }

    /// The network after the change.
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// Whether a channel from `from` to `to` leads up by the order that stood, which new cables take theirs from.
    pub fn was_up(&self, from: SwitchId, to: SwitchId) -> bool {
        key(&self.places, to) < key(&self.places, from)
    }

    /// Whether a cable was there before.
    pub fn is_kept(&self, link: LinkId) -> bool {
        self.kept[link.index()]
    }

    /// Finds directions with one root per component that keep all others as they are.
    ///
    /// Costs O(roots x exits x links) per component. Deterministic.
    pub fn reconfigured(&self) -> Reconfigured {
        let graph = SwitchGraph::new(&self.network);
        let mut order = Order::new(&self.places);
        let mut roots = Vec::new();
        for component in graph.components() {
            let (root, settled) = self.best(&graph, &component, order);
            roots.push(root);
            order = settled;
        }
        let before = Order::new(&self.places);
        let Difference { turned, skyline, within } = self.difference(&graph, &before, &order);
        Reconfigured { directions: Directions::of_order(roots, order.0), turned, skyline, within }
    }

    /// The root of a component that stays, and the order in which all of its switches reach it.
    fn best(&self, graph: &SwitchGraph, component: &[SwitchId], order: Order) -> (SwitchId, Order) {
        let is_top = |switch: &SwitchId| graph.of(*switch).iter().all(|o| order.is_up(o.to, *switch));
        let mut tops: Vec<SwitchId> = component.iter().copied().filter(is_top).collect();
        if let [top] = tops[..] {
            return (top, order);
        }
        // The first of equals: the root that stood highest.
        tops.sort_by_key(|top| order.place(*top));
        let settle = |top: SwitchId| {
            let settled = self.settled(graph, component, &order, top);
            let Difference { turned, within, .. } = self.difference(graph, &order, &settled);
            ((within, turned.len()), top, settled)
        };
        let best = tops.into_iter().map(settle).min_by_key(|(cost, ..)| *cost);
        let (_, top, settled) = best.expect("an order without cycles has a first switch");
        (top, settled)
    }

    /// The order in which all switches of a component reach one of its roots.
    fn settled(&self, graph: &SwitchGraph, component: &[SwitchId], before: &Order, root: SwitchId) -> Order {
        let mut order = before.clone();
        let mut downwards = component.to_vec();
        loop {
            downwards.sort_by_key(|switch| order.place(*switch));
            let reach = Reach::new(graph, &order, &downwards, root);
            if component.iter().all(|switch| reach.reaches[switch.index()]) {
                return order;
            }
            let exits = downwards.iter().filter(|switch| reach.is_exit[switch.index()]);
            let taken = exits.map(|exit| (*exit, reach.lost_above(graph, &order, *exit)));
            let cost = |(exit, lost): &(SwitchId, Vec<SwitchId>)| {
                let members: Vec<SwitchId> = lost.iter().copied().chain([*exit]).collect();
                self.within(graph, &self.closed_upward(graph, &order, &members))
            };
            let best = taken.min_by_key(cost);
            let (exit, lost) = best.expect("a lost switch has a path to the root, and there an exit");
            order = order.with_below(graph, exit, &lost);
        }
    }

    /// The members with all switches above them, by cables that were there before.
    fn closed_upward(&self, graph: &SwitchGraph, order: &Order, members: &[SwitchId]) -> Vec<bool> {
        let mut within = vec![false; graph.switches()];
        let mut open = members.to_vec();
        while let Some(switch) = open.pop() {
            if std::mem::replace(&mut within[switch.index()], true) {
                continue;
            }
            let up = graph.of(switch).iter().filter(|o| order.is_up(switch, o.to));
            open.extend(up.filter(|o| self.is_kept(o.channel.link())).map(|o| o.to));
        }
        within
    }

    /// How many of the cables that were there before have both ends in it.
    fn within(&self, graph: &SwitchGraph, within: &[bool]) -> usize {
        let is_within = |nth: &usize| {
            let output = graph.outputs()[*nth];
            let both = within[output.to.index()] && within[graph.sender(*nth).index()];
            both && self.is_kept(output.channel.link())
        };
        // Each cable is two outputs.
        (0..graph.outputs().len()).filter(is_within).count() / 2
    }

    fn difference(&self, graph: &SwitchGraph, before: &Order, after: &Order) -> Difference {
        let mut turned = Vec::new();
        let mut ends = Vec::new();
        for (nth, output) in graph.outputs().iter().enumerate() {
            let (from, link) = (graph.sender(nth), output.channel.link());
            if self.is_kept(link) && before.is_up(from, output.to) != after.is_up(from, output.to) {
                turned.push(link);
                ends.push(from);
            }
        }
        turned.sort();
        turned.dedup();
        let within = self.closed_upward(graph, after, &ends);
        let skyline = graph.switch_ids().filter(|switch| within[switch.index()]).collect();
        Difference { turned, skyline, within: self.within(graph, &within) }
    }
}

/// How two orders differ.
struct Difference {
    turned: Vec<LinkId>,
    skyline: Vec<SwitchId>,
    within: usize,
}

/// A place behind so many switches.
fn behind(switches: usize, place: u32) -> u32 {
    u32::try_from(switches).expect("a network has fewer than 2^31 switches") + place
}

fn key(places: &[u32], switch: SwitchId) -> (u32, SwitchId) {
    (places[switch.index()], switch)
}

/// A place for every switch; lower is up.
#[derive(Clone)]
struct Order(Vec<u32>);

impl Order {
    /// The switches numbered as they stand; of equal places the lower id first.
    fn new(places: &[u32]) -> Order {
        let mut sorted: Vec<SwitchId> = (0..places.len()).map(SwitchId::new).collect();
        sorted.sort_by_key(|switch| key(places, *switch));
        Order::of(&sorted)
    }

    fn of(sorted: &[SwitchId]) -> Order {
        let mut places = vec![0; sorted.len()];
        for (nth, switch) in (0..).zip(sorted) {
            places[switch.index()] = nth;
        }
        Order(places)
    }

    fn place(&self, switch: SwitchId) -> u32 {
        self.0[switch.index()]
    }

    fn is_up(&self, from: SwitchId, to: SwitchId) -> bool {
        self.place(to) < self.place(from)
    }

    /// The order in which `lost` switches are below `exit`, by their distances from it among themselves, and all other
    /// cables lead as they did.
    fn with_below(&self, graph: &SwitchGraph, exit: SwitchId, lost: &[SwitchId]) -> Order {
        let mut rank = vec![None; graph.switches()];
        let mut is_lost = vec![false; graph.switches()];
        lost.iter().for_each(|switch| is_lost[switch.index()] = true);
        rank[exit.index()] = Some((0, self.place(exit)));
        let mut queue = VecDeque::from([(exit, 0)]);
        while let Some((switch, distance)) = queue.pop_front() {
            for output in graph.of(switch).iter().filter(|o| is_lost[o.to.index()]) {
                if rank[output.to.index()].is_none() {
                    rank[output.to.index()] = Some((distance + 1, self.place(output.to)));
                    queue.push_back((output.to, distance + 1));
                }
            }
        }
        let is_up = |from: SwitchId, to: SwitchId| match (rank[from.index()], rank[to.index()]) {
            (Some(from), Some(to)) => to < from,
            _ => self.is_up(from, to),
        };
        self.sorted(graph, is_up)
    }

    /// An order by which the cables of a graph lead as `is_up` has it; else as this one.
    fn sorted(&self, graph: &SwitchGraph, is_up: impl Fn(SwitchId, SwitchId) -> bool) -> Order {
        let ups = |s: SwitchId| graph.of(s).iter().filter(|o| is_up(s, o.to)).count();
        let mut open: Vec<usize> = graph.switch_ids().map(ups).collect();
        let first = graph.switch_ids().filter(|s| open[s.index()] == 0);
        let mut next: BinaryHeap<Reverse<(u32, SwitchId)>> =
            first.map(|s| Reverse((self.place(s), s))).collect();
        let mut sorted = Vec::with_capacity(graph.switches());
        while let Some(Reverse((_, switch))) = next.pop() {
            sorted.push(switch);
            for output in graph.of(switch).iter().filter(|o| is_up(o.to, switch)) {
                open[output.to.index()] -= 1;
                if open[output.to.index()] == 0 {
                    next.push(Reverse((self.place(output.to), output.to)));
                }
            }
        }
        assert_eq!(sorted.len(), graph.switches(), "no cycle of channels all up");
        Order::of(&sorted)
    }
}

/// Which switches of a component have a path up to its root.
struct Reach {
    reaches: Vec<bool>,
    /// Those that have, with a cable up to one that has not, and no such switch above.
    is_exit: Vec<bool>,
}

impl Reach {
    /// Of the switches of a component in their order.
    fn new(graph: &SwitchGraph, order: &Order, downwards: &[SwitchId], root: SwitchId) -> Reach {
        let mut reaches = vec![false; graph.switches()];
        let mut is_exit = vec![false; graph.switches()];
        // Whether a switch, or one above it, has a cable up to a lost one.
        let mut is_below = vec![false; graph.switches()];
        for switch in downwards.iter().copied() {
            let nth = switch.index();
            let ups = || graph.of(switch).iter().map(|o| o.to).filter(|to| order.is_up(switch, *to));
            reaches[nth] = switch == root || ups().any(|to| reaches[to.index()]);
            if !reaches[nth] {
                continue;
            }
            let above_is = ups().any(|to| is_below[to.index()]);
            let has_lost = ups().any(|to| !reaches[to.index()]);
            is_exit[nth] = has_lost && !above_is;
            is_below[nth] = has_lost || above_is;
        }
        Reach { reaches, is_exit }
    }

    /// The switches above one that do not reach the root.
    fn lost_above(&self, graph: &SwitchGraph, order: &Order, exit: SwitchId) -> Vec<SwitchId> {
        let mut seen = vec![false; graph.switches()];
        let mut lost = Vec::new();
        let mut open = vec![exit];
        while let Some(switch) = open.pop() {
            for to in graph.of(switch).iter().map(|o| o.to).filter(|to| order.is_up(switch, *to)) {
                if !self.reaches[to.index()] && !std::mem::replace(&mut seen[to.index()], true) {
                    lost.push(to);
                    open.push(to);
                }
            }
        }
        lost
    }
}
