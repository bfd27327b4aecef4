//! The proof that routes cannot deadlock: the channel dependency graph, and a shortest cycle in it if there
//! is one.
//!
//! # Scope and limitations
//! A channel depends on the next one of a route: a worm may hold the first while it waits for the second.
//! Without a cycle of dependencies no deadlock is possible; with one, a deadlock is possible but need not
//! occur. Channels to and from hosts are left out: the first has nothing before it, the other nothing after
//! it.
//!
//! # Source
//! Dally and Seitz 1987, as cited by Mainwaring et al. 1997, section 5.5, and Sancho and Robles 2000, section
//! 2.
//!
//! # Validation
//! tests/network/oracle/routing.rs: dependencies against those of enumerated paths, and the length of a shortest cycle
//! against a search from every channel, on random multigraphs.

use crate::topology::{End, Network};
use simnet_base::ids::{ChannelId, LinkId, Node};

use super::graph::UNREACHED;
use super::paths::{LegalMoves, State, Toward};

/// Which channel is followed by which one on some route.
#[derive(Clone, Debug)]
pub struct DependencyGraph {
    /// Per channel the switch port that it leaves by, and where it arrives.
    channels: Vec<ChannelEnds>,
    /// Bits: per channel, per port of the switch at its end, whether a route goes on by that port.
    follows: Vec<u64>,
}

#[derive(Clone, Copy, Debug)]
struct ChannelEnds {
    from: End,
    to: End,
    /// Where its bits begin in `follows`.
    row: usize,
    /// The number of the first port at its end.
    first_port: u16,
    ports: u16,
}

impl DependencyGraph {
    /// A graph without dependencies over the channels of `network`.
    pub fn new(network: &Network) -> DependencyGraph {
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
                words += usize::from(ports).div_ceil(64);
            }
        }
        DependencyGraph { channels, follows: vec![0; words] }
    }

    /// Notes that some route leaves the switch at the end of `channel` by its port `output`.
    ///
    /// # Panics
    /// If `channel` leads to a host, or the switch at its end has no such port.
    pub fn add(&mut self, channel: ChannelId, output: simnet_base::ids::Port) {
        let ends = &self.channels[channel.index()];
        let slot = usize::from(output.0 - ends.first_port);
        assert!(slot < usize::from(ends.ports), "a route leaves by a port of the switch");
        self.follows[ends.row + slot / 64] |= 1 << (slot % 64);
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
    /// Among shortest cycles the first found, trying channels in order. Costs O(dependencies) without a
    /// cycle, else at worst O(channels x dependencies) over what is left once everything is peeled off that
    /// no cycle can contain.
    pub fn shortest_cycle(&self) -> Option<Vec<ChannelId>> {
        let successors = Successors::of(self);
        let core = successors.core();
        let mut best: Option<Vec<u32>> = None;
        let mut search = CycleSearch::new(self.channels.len());
        for start in (0u32..).zip(&core).filter(|(_, inside)| **inside).map(|(channel, _)| channel) {
            let limit = best.as_ref().map_or(usize::MAX, |cycle| cycle.len() - 1);
            if let Some(cycle) = search.shortest_through(&successors, &core, start, limit) {
                best = Some(cycle);
            }
        }
        best.map(|cycle| cycle.into_iter().map(ChannelId).collect())
    }
}

/// The dependencies as lists.
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
        let mut first = Vec::with_capacity(graph.channels.len() + 1);
        let mut next = Vec::new();
        let bound = |n| u32::try_from(n).expect("fewer than 2^32 dependencies");
        for ends in &graph.channels {
            first.push(bound(next.len()));
            for slot in 0..ends.ports {
                let word = graph.follows[ends.row + usize::from(slot) / 64];
                if word >> (slot % 64) & 1 == 1 {
                    let port = simnet_base::ids::Port(ends.first_port + slot);
                    let out = leaving.get(&End { node: ends.to.node, port });
                    next.push(*out.expect("a route leaves by a port with a cable"));
                }
            }
        }
        first.push(bound(next.len()));
        Successors { first, next }
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
