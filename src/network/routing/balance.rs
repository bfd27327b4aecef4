//! Balanced selection: paths over the fullest channels go until every pair of hosts has one left.
//!
//! # Scope and limitations
//! Works on the shortest legal paths that [`LegalMoves`] gives, UP*/DOWN* or minimal, parallel cables
//! included. What is balanced is the number of routes over each switch-to-switch channel, as if every pair of
//! hosts sent alike. A pair may have astronomically many shortest paths (a fat tree's), so at most
//! [`Candidates::of_a_pair`] of them take part, and fewer if all pairs together would have more than
//! [`Candidates::in_all`] hops on them: then the number is halved until they fit, and below two there is
//! nothing to balance and the network is refused. The candidates of a pair are spread evenly over its paths
//! in order of port, and differ from one pair of hosts of the same two switches to the next.
//!
//! # Source
//! Sancho and Robles 2000, section 4. Every channel's counter begins as the number of candidates of all pairs
//! of hosts over it. Then, again and again: take the fullest channel; of the paths over it whose pair has
//! another, remove one of a pair with the most paths left; lower the counters along it. Readings: where the
//! fullest channel has no path to give, the next fullest is taken (as printed, the procedure would never
//! end); of equally full channels the first by sending switch and port; of several paths the one of lower
//! cost, then the first by destination's switch, source's switch, destination, source and port.
//!
//! The paper has a cost function "according to its channel utilization" and does not define it: here a path's
//! cost is the room along it, the sum over its channels of what they have less than the fullest one, so that
//! of equals the path over the fuller channels goes. Costs are evaluated at the start, and again whenever the
//! fullest channel with a path to give has come down by another 128th of its first value. With costs of the
//! start alone, paths over a channel would go on leaving it long after it has become empty.
//!
//! Candidates over the same channels cost the same, so what is ranked at a channel is their paths, each with the
//! first of its candidates. An evaluation notes the counters alone; a channel ranks its paths by them once it is the
//! fullest. That is exact since a candidate's key only falls while costs stay: pairs only lose paths.
//!
//! # Validation
//! tests/network/oracle/balance.rs: against the procedure spelled out over explicit lists on random networks; one
//! shortest legal path a pair is left; docs/VALIDATION.md compares the busiest channel with random choice's.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::ops::Range;

use thiserror::Error;

use simnet_base::ids::{HostId, SwitchId};

use super::attachments::Attachments;
use super::graph::SwitchGraph;
use super::paths::{LegalMoves, State, Steps, Toward};
use super::relief::Relief;

/// How often at most the costs of all paths are evaluated.
const EVALUATIONS: u64 = 128;

/// How many paths take part in balancing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidates {
    /// The most paths of one pair of hosts, 2 to 255.
    pub of_a_pair: u8,
    /// The most switch-to-switch channels, counted once for every candidate over them.
    pub in_all: usize,
}

impl Default for Candidates {
    /// 64 paths a pair and 2^24 hops.
    fn default() -> Candidates {
        Candidates { of_a_pair: 64, in_all: 1 << 24 }
    }
}

/// Even two paths a pair would be too many to balance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error(
    "the routes between {hosts} hosts are too many to be balanced: two candidates a pair have {hops} hops, \
     and {most} is the limit; select `random` or `round-robin` instead"
)]
pub struct BalanceTooLarge {
    /// How many hosts there are.
    pub hosts: usize,
    /// The hops of two candidates of every pair that has several paths.
    pub hops: usize,
    /// The limit on them.
    pub most: usize,
}

/// Which path each pair of hosts keeps.
#[derive(Clone, Debug)]
pub(super) struct KeptPaths {
    pairs: Pairs,
    of_a_pair: u8,
    /// Per pair of hosts which of its candidates is left.
    nth: Vec<u8>,
}

impl KeptPaths {
    /// Balances the routes of all pairs of hosts. Costs O(hops of all candidates x log of them).
    ///
    /// # Errors
    /// [`BalanceTooLarge`] if two candidates a pair are more than `limits` allow.
    pub(super) fn of(
        moves: &LegalMoves<'_>,
        attachments: &Attachments,
        limits: Candidates,
    ) -> Result<KeptPaths, BalanceTooLarge> {
        let pairs = Pairs::new(attachments, moves.graph());
        let of_a_pair = pairs.fitting(moves, limits)?;
        let mut balance = Balance::new(moves, &pairs, of_a_pair);
        balance.run();
        if moves.has_exceptions() {
            balance.relieve(moves.graph(), &attachments.per_switch(moves.graph().switches(), None));
        }
        let mut nth = vec![0; pairs.hosts * pairs.hosts];
        for (candidate, _) in balance.candidates.iter().zip(&balance.alive).filter(|(_, alive)| **alive) {
            nth[candidate.pair as usize] = candidate.nth;
        }
        Ok(KeptPaths { pairs, of_a_pair, nth })
    }

    /// Looks whether [`KeptPaths::of`] would refuse the routes, without balancing them.
    ///
    /// # Errors
    /// As [`KeptPaths::of`].
    pub(super) fn check(
        moves: &LegalMoves<'_>,
        attachments: &Attachments,
        limits: Candidates,
    ) -> Result<(), BalanceTooLarge> {
        // Two candidates of a pair pass no more than twice all states.
        let most = (attachments.hosts() * attachments.hosts()).saturating_mul(2 * moves.states());
        if most <= limits.in_all {
            return Ok(());
        }
        Pairs::new(attachments, moves.graph()).fitting(moves, limits).map(|_| ())
    }

    /// The rank of the path that a pair of hosts on distinct switches keeps out of its `paths` shortest ones.
    pub(super) fn rank(&self, source: HostId, destination: HostId, paths: u64) -> u64 {
        let nth = self.nth[self.pairs.index(source, destination) as usize];
        let at = |host: HostId| self.pairs.place[host.index()];
        let ((from, nth_source), (to, nth_destination)) = (at(source), at(destination));
        let of_source = self.pairs.at_switch[from.index()].len();
        let spread = Spread {
            paths,
            of_a_pair: self.of_a_pair,
            turn: nth_destination as usize * of_source + nth_source as usize,
            turns: of_source * self.pairs.at_switch[to.index()].len(),
        };
        spread.rank(nth)
    }
}

/// The hosts, by the switches that they are plugged into.
#[derive(Clone, Debug)]
struct Pairs {
    hosts: usize,
    /// Per switch its hosts in order.
    at_switch: Vec<Vec<HostId>>,
    /// Per host its switch and its place there; a host without a switch is never used.
    place: Vec<(SwitchId, u32)>,
}

impl Pairs {
    fn new(attachments: &Attachments, graph: &SwitchGraph) -> Pairs {
        let mut at_switch = vec![Vec::new(); graph.switches()];
        let mut place = Vec::with_capacity(attachments.hosts());
        for host in (0..attachments.hosts()).map(HostId::new) {
            let switch = attachments.switch(host).map(|(switch, _)| switch);
            let nth = switch.map_or(0, |switch| at_switch[switch.index()].len());
            place.push((switch.unwrap_or(SwitchId(0)), u32::try_from(nth).expect("fewer than 2^32 hosts")));
            if let Some(switch) = switch {
                at_switch[switch.index()].push(host);
            }
        }
        Pairs { hosts: attachments.hosts(), at_switch, place }
    }

    /// The numbers of the pairs of hosts of two switches, by destination, then by source.
    fn of_switches(&self, source: SwitchId, destination: SwitchId) -> impl Iterator<Item = u32> + '_ {
        let (from, to) = (&self.at_switch[source.index()], &self.at_switch[destination.index()]);
        to.iter().flat_map(move |to| from.iter().map(move |from| self.index(*from, *to)))
    }

    /// A pair's number: by destination, then by source.
    fn index(&self, source: HostId, destination: HostId) -> u32 {
        let index = destination.index() * self.hosts + source.index();
        u32::try_from(index).expect("a table holds the routes of 16,384 hosts at most")
    }

    /// Calls `visit` for every two distinct switches with hosts between which there is a path, as source,
    /// distance and number of paths, after the search toward the destination.
    fn visit(&self, moves: &LegalMoves<'_>, mut visit: impl FnMut(&Toward, SwitchId, SwitchId)) {
        let with_hosts = || moves.graph().switch_ids().filter(|s| !self.at_switch[s.index()].is_empty());
        let mut toward = Toward::new(moves.graph());
        for destination in with_hosts() {
            toward.search(moves, destination);
            for source in with_hosts().filter(|source| *source != destination) {
                if toward.paths(State::start(source)) > 0 {
                    visit(&toward, source, destination);
                }
            }
        }
    }

    /// The most candidates of a pair with which all of them fit the limit.
    fn fitting(&self, moves: &LegalMoves<'_>, limits: Candidates) -> Result<u8, BalanceTooLarge> {
        let halves = std::iter::successors(Some(limits.of_a_pair), |most| Some(most / 2));
        let mut hops: Vec<(u8, usize)> = halves.take_while(|most| *most >= 2).map(|most| (most, 0)).collect();
        self.visit(moves, |toward, source, destination| {
            let start = State::start(source);
            let (paths, distance) = (toward.paths(start), toward.distance(start).unwrap_or(0) as usize);
            let hosts = self.at_switch[source.index()].len() * self.at_switch[destination.index()].len();
            for (most, hops) in hops.iter_mut().filter(|_| paths > 1) {
                let candidates = usize::try_from(paths.min(u64::from(*most))).expect("at most 255");
                *hops = hops.saturating_add(hosts * candidates * distance);
            }
        });
        let fits = hops.iter().find(|(_, hops)| *hops <= limits.in_all);
        fits.map(|(most, _)| *most).ok_or_else(|| BalanceTooLarge {
            hosts: self.hosts,
            hops: hops.last().map_or(0, |(_, hops)| *hops),
            most: limits.in_all,
        })
    }
}

/// Which of the paths of a pair are its candidates.
#[derive(Clone, Copy)]
struct Spread {
    /// How many paths there are between the two switches.
    paths: u64,
    of_a_pair: u8,
    /// Which of the pairs of hosts of these two switches it is, and how many there are.
    turn: usize,
    turns: usize,
}

impl Spread {
    fn candidates(&self) -> u8 {
        u8::try_from(self.paths).map_or(self.of_a_pair, |paths| paths.min(self.of_a_pair))
    }

    /// The rank of the candidate of this number among all paths.
    fn rank(&self, nth: u8) -> u64 {
        if self.paths <= u64::from(self.of_a_pair) {
            return u64::from(nth);
        }
        let (turn, turns) = (self.turn as u128, self.turns as u128);
        let share = (u128::from(nth) * turns + turn) * u128::from(self.paths);
        u64::try_from(share / (u128::from(self.of_a_pair) * turns)).expect("below the number of paths")
    }
}

/// One candidate of one pair of hosts.
#[derive(Clone, Copy)]
struct Candidate {
    pair: u32,
    /// The path that it takes.
    path: u32,
    /// Which of its pair's candidates it is.
    nth: u8,
}

/// A path between two switches, and the candidates that take it.
struct Path {
    /// Where its channels begin and end among all hops.
    start: u32,
    end: u32,
    /// Those that may go.
    candidates: BinaryHeap<Standing>,
}

/// What decides which of a path's candidates goes first, the greatest.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Standing {
    /// How many paths its pair has left, or had when the entry was made: what has changed since is put right
    /// when the entry comes up.
    left: u8,
    /// Its place among all candidates.
    candidate: Reverse<u32>,
    /// Its pair.
    pair: u32,
}

/// What decides which of a channel's candidates goes first, the greatest.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    /// As in the path's first candidate when the entry was made; put right in the same way.
    left: u8,
    /// The path's cost as last evaluated.
    cost: Reverse<u64>,
    candidate: Reverse<u32>,
    path: u32,
}

/// The paths over a channel.
#[derive(Default)]
struct Over {
    /// Those that still had candidates when they were last ranked.
    paths: Vec<u32>,
    ranked: BinaryHeap<Key>,
    /// The evaluation whose costs they are ranked by, from 1.
    evaluation: u32,
}

/// The procedure's state.
struct Balance {
    /// All candidates of pairs with several.
    candidates: Vec<Candidate>,
    /// Which of them have not been removed.
    alive: Vec<bool>,
    /// The paths that they take.
    paths: Vec<Path>,
    /// The channels of the paths.
    hops: Vec<u32>,
    /// Per channel how many candidates of all pairs go over it.
    counters: Vec<u64>,
    /// Per pair of hosts how many paths it has left.
    left: Vec<u8>,
    /// Per channel the paths over it.
    over: Vec<Over>,
    /// How often costs were evaluated.
    evaluation: u32,
    /// The counters at the last time, and the greatest of them.
    evaluated: Vec<u64>,
    fullest: u64,
}

impl Path {
    /// The candidate that goes first, `None` if no pair of them keeps another.
    fn first(&mut self, alive: &[bool], left: &[u8]) -> Option<Standing> {
        while let Some(mut top) = self.candidates.peek_mut() {
            let left = left[top.pair as usize];
            if left == 1 || !alive[top.candidate.0 as usize] {
                PeekMut::pop(top);
            } else if top.left == left {
                return Some(*top);
            } else {
                top.left = left;
            }
        }
        None
    }
}

impl Balance {
    fn new(moves: &LegalMoves<'_>, pairs: &Pairs, of_a_pair: u8) -> Balance {
        let channels = moves.graph().outputs().len();
        let mut balance = Balance {
            candidates: Vec::new(),
            alive: Vec::new(),
            paths: Vec::new(),
            hops: Vec::new(),
            counters: vec![0; channels],
            left: vec![1; pairs.hosts * pairs.hosts],
            over: (0..channels).map(|_| Over::default()).collect(),
            evaluation: 0,
            evaluated: Vec::new(),
            fullest: 0,
        };
        balance.collect(moves, pairs, of_a_pair);
        balance.evaluate();
        balance
    }

    /// From now on costs are those of the counters as they are.
    fn evaluate(&mut self) {
        self.evaluated.clone_from(&self.counters);
        self.fullest = self.evaluated.iter().copied().max().unwrap_or(0);
        self.evaluation += 1;
    }

    /// Lists the candidates of all pairs, and counts them on their channels.
    fn collect(&mut self, moves: &LegalMoves<'_>, pairs: &Pairs, of_a_pair: u8) {
        let mut steps = Steps::default();
        let mut collected = None;
        pairs.visit(moves, |toward, source, destination| {
            if collected.replace(destination) != Some(destination) {
                steps.collect(moves, toward);
            }
            let start = State::start(source);
            let outputs = |rank, hops: &mut Vec<u32>| {
                steps.nth_path(start, rank, |output| hops.push(moves.graph().position(output)));
            };
            let turns = pairs.of_switches(source, destination).count();
            let spread = Spread { paths: toward.paths(start), of_a_pair, turn: 0, turns };
            if spread.paths == 1 {
                self.count_only_path(turns as u64, outputs);
            } else {
                let first = self.candidates.len();
                self.add_candidates(pairs.of_switches(source, destination), spread.candidates());
                self.add_paths(first, spread, outputs);
            }
        });
    }

    /// Counts the path that so many pairs have as their only one: it never goes.
    fn count_only_path(&mut self, turns: u64, outputs: impl Fn(u64, &mut Vec<u32>)) {
        let start = self.hops.len();
        outputs(0, &mut self.hops);
        self.hops.drain(start..).for_each(|channel| self.counters[channel as usize] += turns);
    }

    /// Lists so many candidates of each of these pairs, whose paths are still to be added.
    fn add_candidates(&mut self, pairs: impl Iterator<Item = u32>, of_each: u8) {
        for pair in pairs {
            self.left[pair as usize] = of_each;
            let candidate = |nth| Candidate { pair, path: u32::MAX, nth };
            self.candidates.extend((0..of_each).map(candidate));
            self.alive.resize(self.candidates.len(), true);
        }
    }

    /// Adds the paths of the candidates from `first` on, those of the pairs of hosts of two switches.
    fn add_paths(&mut self, first: usize, spread: Spread, outputs: impl Fn(u64, &mut Vec<u32>)) {
        let candidates = spread.candidates();
        let mut last = None;
        // Ranks rise in this order, so that the candidates of one path come one after the other.
        for (nth, turn) in (0..candidates).flat_map(|nth| (0..spread.turns).map(move |turn| (nth, turn))) {
            let rank = Spread { turn, ..spread }.rank(nth);
            if last.replace(rank) != Some(rank) {
                let start = self.hops.len();
                outputs(rank, &mut self.hops);
                self.begin_path(start);
            }
            self.join_last_path(first + turn * usize::from(candidates) + usize::from(nth), candidates);
        }
    }

    /// Adds a path of the hops from `start` on, without candidates.
    fn begin_path(&mut self, start: usize) {
        let path = bounded(self.paths.len());
        self.hops[start..].iter().for_each(|channel| self.over[*channel as usize].paths.push(path));
        let (start, end) = (bounded(start), bounded(self.hops.len()));
        self.paths.push(Path { start, end, candidates: BinaryHeap::new() });
    }

    /// Adds a candidate, of a pair with `left` of them, to the last path.
    fn join_last_path(&mut self, candidate: usize, left: u8) {
        self.candidates[candidate].path = bounded(self.paths.len() - 1);
        let path = self.paths.last_mut().expect("a path was begun");
        let pair = self.candidates[candidate].pair;
        path.candidates.push(Standing { left, candidate: Reverse(bounded(candidate)), pair });
        let channels = &self.hops[path.start as usize..path.end as usize];
        channels.iter().for_each(|channel| self.counters[*channel as usize] += 1);
    }

    /// Removes paths until no channel has any to give.
    fn run(&mut self) {
        let channels = (0u32..).zip(&self.counters);
        let mut fullest: BinaryHeap<_> = channels.map(|(nth, count)| (*count, Reverse(nth))).collect();
        let mut evaluated = fullest.peek().map_or(0, |(count, _)| *count);
        let step = evaluated.div_ceil(EVALUATIONS);
        while let Some((count, Reverse(channel))) = fullest.pop() {
            // Counters only fall, so the channel on top with its counter up to date is the fullest.
            if self.counters[channel as usize] == count {
                // A channel without a path to give never has one again: paths only go, pairs only shrink.
                let Some(mut candidate) = self.next_to_go(channel) else { continue };
                if count + step <= evaluated {
                    evaluated = count;
                    self.evaluate();
                    candidate =
                        self.next_to_go(channel).expect("costs change which one, not whether there is one");
                }
                self.remove(candidate);
            }
            fullest.push((self.counters[channel as usize], Reverse(channel)));
        }
    }

    /// The candidate over `channel` that is to go first, `None` if it has none whose pair keeps another.
    fn next_to_go(&mut self, channel: u32) -> Option<u32> {
        if self.over[channel as usize].evaluation != self.evaluation {
            self.rank(channel);
        }
        while let Some(mut top) = self.over[channel as usize].ranked.peek_mut() {
            match self.paths[top.path as usize].first(&self.alive, &self.left) {
                None => {
                    PeekMut::pop(top);
                }
                Some(first) if (first.left, first.candidate) == (top.left, top.candidate) => {
                    return Some(first.candidate.0);
                }
                Some(first) => (top.left, top.candidate) = (first.left, first.candidate),
            }
        }
        None
    }

    /// Ranks the paths over `channel` by their costs as last evaluated, and forgets those without candidates.
    fn rank(&mut self, channel: u32) {
        let over = &mut self.over[channel as usize];
        let mut ranked = std::mem::take(&mut over.ranked).into_vec();
        ranked.clear();
        over.paths.retain(|nth| {
            let path = &mut self.paths[*nth as usize];
            let Some(Standing { left, candidate, .. }) = path.first(&self.alive, &self.left) else {
                return false;
            };
            let channels = &self.hops[path.start as usize..path.end as usize];
            let room = channels.iter().map(|channel| self.fullest - self.evaluated[*channel as usize]).sum();
            ranked.push(Key { left, cost: Reverse(room), candidate, path: *nth });
            true
        });
        over.ranked = BinaryHeap::from(ranked);
        over.evaluation = self.evaluation;
    }

    /// Gives pairs over the fullest channels others of their candidates instead.
    fn relieve(&mut self, graph: &SwitchGraph, hosts: &[u32]) {
        let Some(mut relief) = Relief::new(graph, hosts, self.counters.clone()) else { return };
        let hops = |nth: usize| {
            let path = &self.paths[self.candidates[nth].path as usize];
            self.hops[path.start as usize..path.end as usize].iter().map(|channel| *channel as usize)
        };
        // Those of a pair come one after the other.
        let mut pairs: Vec<Range<usize>> = Vec::new();
        for (nth, candidate) in self.candidates.iter().enumerate() {
            match pairs.last_mut() {
                Some(last) if self.candidates[last.start].pair == candidate.pair => last.end = nth + 1,
                _ => pairs.push(nth..nth + 1),
            }
        }
        let alive = |pair: &Range<usize>| pair.clone().find(|nth| self.alive[*nth]);
        let mut kept: Vec<usize> = pairs.iter().filter_map(alive).collect();
        let mut best = kept.clone();
        loop {
            for (pair, kept) in pairs.iter().zip(&mut kept) {
                if relief.is_over(hops(*kept)) {
                    relief.take(hops(*kept), 1);
                    let cost = |nth: &usize| (relief.cost(hops(*nth), 1), *nth);
                    *kept = pair.clone().min_by_key(cost).unwrap_or(*kept);
                    relief.put(hops(*kept), 1);
                }
            }
            let round = relief.end_round();
            if round.is_better {
                best.clone_from(&kept);
            }
            if round.is_last {
                break;
            }
        }
        self.alive.fill(false);
        best.into_iter().for_each(|nth| self.alive[nth] = true);
    }

    fn remove(&mut self, candidate: u32) {
        self.alive[candidate as usize] = false;
        let candidate = &self.candidates[candidate as usize];
        self.left[candidate.pair as usize] -= 1;
        let path = &self.paths[candidate.path as usize];
        for channel in &self.hops[path.start as usize..path.end as usize] {
            self.counters[*channel as usize] -= 1;
        }
    }
}

fn bounded(count: usize) -> u32 {
    u32::try_from(count).expect("candidates are limited")
}
