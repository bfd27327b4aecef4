//! The proof that routes cannot deadlock: the channel dependency graph, and a shortest cycle in it if there
//! is one.
//!
//! # Scope and limitations
//! A channel depends on the next one of a route: a worm may hold the first while it waits for the second.
//! Without a cycle of dependencies no deadlock is possible; with one, a deadlock is possible but need not
//! occur. Channels to and from hosts are left out: the first has nothing before it, the other nothing after
//! it.
//!
//! Where a channel has several lanes, each with a buffer of its own, the graph is over (channel, lane): what waits for
//! one lane of a channel does not wait for another. A graph of one lane has a vertex a channel.
//!
//! # Source
//! Dally and Seitz 1987, as cited by Mainwaring et al. 1997, section 5.5, and Sancho and Robles 2000, section
//! 2.
//!
//! # Validation
//! tests/network/oracle/routing.rs: dependencies against those of enumerated paths, and the length of a shortest cycle
//! against a search from every channel, on random multigraphs.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::topology::{End, Network};
use simnet_base::ids::{ChannelId, LinkId, Node, Port};

use super::graph::UNREACHED;
use super::paths::{LegalMoves, State, Toward};

/// Which channel is followed by which one on some route, lane by lane.
#[derive(Clone, Debug)]
pub struct DependencyGraph {
    /// How many lanes a channel has.
    lanes: u8,
    /// Per channel the switch port that it leaves by, and where it arrives.
    channels: Vec<ChannelEnds>,
    /// Bits: per channel and lane, per port of the switch at its end and lane there, whether a route goes on so.
    follows: Vec<u64>,
}

/// A lane of a channel: a vertex of the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ChannelLane {
    /// The channel.
    pub channel: ChannelId,
    /// The lane, from 0.
    pub lane: u8,
}

#[derive(Clone, Copy, Debug)]
struct ChannelEnds {
    from: End,
    to: End,
    /// Where the bits of its first lane begin in `follows`.
    row: usize,
    /// The number of the first port at its end.
    first_port: u16,
    ports: u16,
}

impl DependencyGraph {
    /// A graph without dependencies over the channels of `network`, each of one lane.
    pub fn new(network: &Network) -> DependencyGraph {
        DependencyGraph::with_lanes(network, 1)
    }

    /// A graph without dependencies over so many lanes of each channel of `network`, one at least.
    pub fn with_lanes(network: &Network, lanes: u8) -> DependencyGraph {
        let lanes = lanes.max(1);
        let mut channels = Vec::with_capacity(network.links().len() * 2);
        let mut words = 0;
        for link in (0..network.links().len()).map(LinkId::new) {
            let (a, b) = (network.link(link).a, network.link(link).b);
            for (from, to) in [(a, b), (b, a)] {
                let (first_port, ports) = match to.node {
                    Node::Switch(_) => network.port_range(to.node),
                    Node::Host(_) => (0, 0),
                };
                channels.push(ChannelEnds { from, to, row: words, first_port, ports });
                words += row_words(ports, lanes) * usize::from(lanes);
            }
        }
        DependencyGraph { lanes, channels, follows: vec![0; words] }
    }

    /// How many lanes a channel has.
    pub fn lanes(&self) -> u8 {
        self.lanes
    }

    /// Notes that some route leaves the switch at the end of `channel` by its port `output`, both on the first lane.
    ///
    /// # Panics
    /// If `channel` leads to a host, or the switch at its end has no such port.
    pub fn add(&mut self, channel: ChannelId, output: Port) {
        self.add_on(ChannelLane { channel, lane: 0 }, output, 0);
    }

    /// Notes that some route that came by `held` leaves the switch at its end by the lane `lane` of its port `output`.
    ///
    /// # Panics
    /// If `held` leads to a host, the switch at its end has no such port, or the graph no such lane.
    pub fn add_on(&mut self, held: ChannelLane, output: Port, lane: u8) {
        let ends = &self.channels[held.channel.index()];
        let slot = usize::from(output.0 - ends.first_port);
        assert!(slot < usize::from(ends.ports), "a route leaves by a port of the switch");
        assert!(held.lane.max(lane) < self.lanes, "a route takes lanes of the graph");
        let bit = slot * usize::from(self.lanes) + usize::from(lane);
        let row = self.row(ends, held.lane);
        self.follows[row + bit / 64] |= 1 << (bit % 64);
    }

    /// Adds all dependencies of another graph over the same lanes of the same network.
    pub(super) fn unite(&mut self, other: &DependencyGraph) {
        assert_eq!((self.lanes, self.follows.len()), (other.lanes, other.follows.len()), "of one network");
        self.follows.iter_mut().zip(&other.follows).for_each(|(word, more)| *word |= more);
    }

    /// Where the bits of a lane of a channel begin.
    fn row(&self, ends: &ChannelEnds, lane: u8) -> usize {
        ends.row + usize::from(lane) * row_words(ends.ports, self.lanes)
    }

    /// Adds all dependencies of all shortest paths between switches with hosts.
    ///
    /// `hosts` counts the hosts of each switch. Returns how many ordered pairs of distinct ones of these switches a
    /// path joins. Costs O(switches with hosts x links x ports).
    pub fn add_all_shortest(&mut self, moves: &LegalMoves<'_>, hosts: &[u32]) -> u64 {
        let graph = moves.graph();
        let mut pairs = 0;
        let mut toward = Toward::new(graph);
        let mut used = vec![false; moves.states()];
        let with_host = |s: &simnet_base::ids::SwitchId| hosts[s.index()] > 0;
        for destination in graph.switch_ids().filter(with_host) {
            toward.search(moves, destination);
            used.fill(false);
            for start in graph.switch_ids().filter(with_host).map(State::start) {
                used[start.index()] = true;
                pairs += u64::from(start.switch() != destination && toward.distance(start).is_some());
            }
            // Farthest first, so that all states before one on a shortest path were seen.
            for state in toward.reached().iter().rev().filter(|s| toward.distance(**s) != Some(0)) {
                if !used[state.index()] {
                    continue;
                }
                for (nth, next) in toward.steps(moves, *state) {
                    used[next.index()] = true;
                    let channel = graph.outputs()[nth].channel;
                    for (then, _) in toward.steps(moves, next) {
                        self.add(channel, graph.outputs()[then].port);
                    }
                }
            }
        }
        pairs
    }

    /// How many dependencies there are.
    pub fn len(&self) -> usize {
        self.follows.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Whether there is no dependency at all.
    pub fn is_empty(&self) -> bool {
        self.follows.iter().all(|word| *word == 0)
    }

    /// An order of the lanes of channels in which every dependency leads to a later one, `None` if there is a cycle.
    ///
    /// Only those are in it that depend on one or that one depends on; each with those that it depends on. Of several
    /// that could be next, the lowest channel is, by its lowest lane. Costs O(dependencies x log channels).
    pub fn order(&self) -> Option<Vec<(ChannelLane, Vec<ChannelLane>)>> {
        let successors = Successors::of(self);
        let vertex = |vertex: &u32| self.vertex(*vertex);
        let with_next = |at: u32| (self.vertex(at), successors.after(at).iter().map(vertex).collect());
        Some(successors.order()?.into_iter().map(with_next).collect())
    }

    /// The switch port that a channel leaves by.
    pub fn sender(&self, channel: ChannelId) -> End {
        self.channels[channel.index()].from
    }

    /// Whether there is a cycle of dependencies. Costs O(dependencies).
    pub fn is_cyclic(&self) -> bool {
        Successors::of(self).core().contains(&true)
    }

    /// A shortest cycle of dependencies as its channels in order, `None` if there is none.
    ///
    /// As [`DependencyGraph::shortest_cycle_on_lanes`].
    pub fn shortest_cycle(&self) -> Option<Vec<ChannelId>> {
        let cycle = self.shortest_cycle_on_lanes()?;
        Some(cycle.into_iter().map(|vertex| vertex.channel).collect())
    }

    /// A shortest cycle of dependencies as its lanes of channels in order, `None` if there is none.
    ///
    /// Among shortest cycles the first found, trying channels and their lanes in order. Costs O(dependencies) without
    /// a cycle, else at worst O(channels x lanes x dependencies) over what is left once everything is peeled off that
    /// no cycle can contain.
    pub fn shortest_cycle_on_lanes(&self) -> Option<Vec<ChannelLane>> {
        let successors = Successors::of(self);
        let core = successors.core();
        let mut best: Option<Vec<u32>> = None;
        let mut search = CycleSearch::new(core.len());
        for start in (0u32..).zip(&core).filter(|(_, inside)| **inside).map(|(channel, _)| channel) {
            let limit = best.as_ref().map_or(usize::MAX, |cycle| cycle.len() - 1);
            if let Some(cycle) = search.shortest_through(&successors, &core, start, limit) {
                best = Some(cycle);
            }
        }
        best.map(|cycle| cycle.into_iter().map(|vertex| self.vertex(vertex)).collect())
    }

    /// The lane of a channel that a number in [`Successors`] stands for.
    fn vertex(&self, vertex: u32) -> ChannelLane {
        let lanes = u32::from(self.lanes);
        let lane = u8::try_from(vertex % lanes).expect("fewer than 256 lanes");
        ChannelLane { channel: ChannelId(vertex / lanes), lane }
    }
}

/// How many words hold a bit per lane of each of so many ports.
fn row_words(ports: u16, lanes: u8) -> usize {
    (usize::from(ports) * usize::from(lanes)).div_ceil(64)
}

/// The dependencies as lists; lane `l` of channel `c` is `c` times the number of lanes, and `l`.
struct Successors {
    first: Vec<u32>,
    next: Vec<u32>,
}

impl Successors {
    fn of(graph: &DependencyGraph) -> Successors {
        // Per switch port the channel that leaves by it, found from the senders.
        let mut leaving = std::collections::BTreeMap::new();
        for (channel, ends) in (0u32..).zip(&graph.channels) {
            if matches!(ends.from.node, Node::Switch(_)) {
                leaving.insert(ends.from, channel);
            }
        }
        let mut first = Vec::with_capacity(graph.channels.len() * usize::from(graph.lanes) + 1);
        let mut next = Vec::new();
        let bound = |n| u32::try_from(n).expect("fewer than 2^32 dependencies");
        let lanes = u32::from(graph.lanes);
        for (ends, lane) in graph.channels.iter().flat_map(|ends| (0..graph.lanes).map(move |l| (ends, l))) {
            first.push(bound(next.len()));
            let row = graph.row(ends, lane);
            for bit in 0..u32::from(ends.ports) * lanes {
                let word = graph.follows[row + bit as usize / 64];
                if word >> (bit % 64) & 1 == 1 {
                    let slot = u16::try_from(bit / lanes).expect("a slot of a port");
                    let out = leaving.get(&End { node: ends.to.node, port: Port(ends.first_port + slot) });
                    next.push(out.expect("a route leaves by a port with a cable") * lanes + bit % lanes);
                }
            }
        }
        first.push(bound(next.len()));
        Successors { first, next }
    }

    /// All vertices with a dependency, each before those that it depends on; `None` if there is a cycle.
    fn order(&self) -> Option<Vec<u32>> {
        let vertices = self.first.len() - 1;
        let mut before = vec![0u32; vertices];
        self.next.iter().for_each(|next| before[*next as usize] += 1);
        let has_any = |v: &u32| before[*v as usize] > 0 || !self.after(*v).is_empty();
        let count = (0u32..).take(vertices).filter(has_any).count();
        let is_free = |v: &u32| before[*v as usize] == 0 && !self.after(*v).is_empty();
        let mut open: BinaryHeap<_> = (0u32..).take(vertices).filter(is_free).map(Reverse).collect();
        let mut order = Vec::with_capacity(count);
        while let Some(Reverse(vertex)) = open.pop() {
            order.push(vertex);
            for next in self.after(vertex) {
                before[*next as usize] -= 1;
                if before[*next as usize] == 0 {
                    open.push(Reverse(*next));
                }
            }
        }
        (order.len() == count).then_some(order)
    }

    fn after(&self, channel: u32) -> &[u32] {
        let channel = channel as usize;
        &self.next[self.first[channel] as usize..self.first[channel + 1] as usize]
    }

    /// Which channels are left when those without predecessor, and those without successor, are taken away
    /// until there are none such: every cycle lies inside, and nothing is inside if there is none.
    fn core(&self) -> Vec<bool> {
        let channels = self.first.len() - 1;
        let mut inside = vec![true; channels];
        let reversed = self.reversed();
        for forward in [self, &reversed] {
            let mut before = vec![0u32; channels];
            for channel in (0u32..).take(channels).filter(|c| inside[*c as usize]) {
                for next in forward.after(channel) {
                    before[*next as usize] += 1;
                }
            }
            let free = |c: &u32| inside[*c as usize] && before[*c as usize] == 0;
            let mut open: Vec<u32> = (0u32..).take(channels).filter(free).collect();
            while let Some(channel) = open.pop() {
                inside[channel as usize] = false;
                for next in forward.after(channel) {
                    before[*next as usize] -= 1;
                    if before[*next as usize] == 0 && inside[*next as usize] {
                        open.push(*next);
                    }
                }
            }
        }
        inside
    }

    fn reversed(&self) -> Successors {
        let channels = self.first.len() - 1;
        let mut first = vec![0u32; channels + 1];
        for next in &self.next {
            first[*next as usize + 1] += 1;
        }
        for channel in 0..channels {
            first[channel + 1] += first[channel];
        }
        let mut fill = first.clone();
        let mut next = vec![0; self.next.len()];
        for channel in (0u32..).take(channels) {
            for after in self.after(channel) {
                next[fill[*after as usize] as usize] = channel;
                fill[*after as usize] += 1;
            }
        }
        Successors { first, next }
    }
}

/// Breadth-first searches that share their memory.
struct CycleSearch {
    before: Vec<u32>,
    reached: Vec<(u32, usize)>,
}

impl CycleSearch {
    fn new(channels: usize) -> CycleSearch {
        CycleSearch { before: vec![UNREACHED; channels], reached: Vec::new() }
    }

    /// A shortest cycle through `start` with at most `limit` channels.
    fn shortest_through(
        &mut self,
        successors: &Successors,
        core: &[bool],
        start: u32,
        limit: usize,
    ) -> Option<Vec<u32>> {
        for (channel, _) in self.reached.drain(..) {
            self.before[channel as usize] = UNREACHED;
        }
        self.reached.push((start, 1));
        let mut at = 0;
        while let Some(&(channel, length)) = self.reached.get(at) {
            at += 1;
            if length > limit {
                return None;
            }
            for next in successors.after(channel) {
                if *next == start {
                    return Some(self.back(start, channel));
                }
                if core[*next as usize] && self.before[*next as usize] == UNREACHED {
                    self.before[*next as usize] = channel;
                    self.reached.push((*next, length + 1));
                }
            }
        }
        None
    }

    /// The channels from `start` to `end` along the search.
    fn back(&self, start: u32, end: u32) -> Vec<u32> {
        let mut path = vec![end];
        let mut at = end;
        while at != start {
            at = self.before[at as usize];
            path.push(at);
        }
        path.reverse();
        path
    }
}
