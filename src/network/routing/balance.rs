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
//! # Validation
//! tests/network/oracle/balance.rs: against the procedure spelled out over explicit lists on random networks; one
//! shortest legal path a pair is left; docs/VALIDATION.md compares the busiest channel with random choice's.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

use thiserror::Error;

use simnet_base::ids::{HostId, SwitchId};

use super::graph::{Attachments, SwitchGraph};
use super::paths::{LegalMoves, State, Steps, Toward};

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
        let mut nth = vec![0; pairs.hosts * pairs.hosts];
        for path in balance.paths.iter().filter(|path| path.alive) {
            nth[path.pair as usize] = path.nth;
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
struct Path {
    pair: u32,
    /// Where its channels begin and end among all hops.
    start: u32,
    end: u32,
    /// Which of its pair's candidates it is.
    nth: u8,
    alive: bool,
}

/// What decides which of a channel's paths goes first, the greatest.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    /// How many paths its pair has left, or had when the entry was made: what has changed since is put right
    /// when the entry comes up.
    left: u8,
    /// Its cost as last evaluated.
    cost: Reverse<u64>,
    nth: Reverse<u32>,
}

/// The procedure's state.
struct Balance {
    /// All candidates of pairs with several.
    paths: Vec<Path>,
    /// The channels of the paths; pairs of hosts of the same switches share them.
    hops: Vec<u32>,
    /// Per channel how many paths of all pairs go over it.
    counters: Vec<u64>,
    /// Per pair of hosts how many paths it has left.
    left: Vec<u8>,
    /// Per channel the paths over it that may go.
    over: Vec<BinaryHeap<Key>>,
}

impl Balance {
    fn new(moves: &LegalMoves<'_>, pairs: &Pairs, of_a_pair: u8) -> Balance {
        let mut balance = Balance {
            paths: Vec::new(),
            hops: Vec::new(),
            counters: vec![0; moves.graph().outputs().len()],
            left: vec![1; pairs.hosts * pairs.hosts],
            over: Vec::new(),
        };
        balance.collect(moves, pairs, of_a_pair);
        balance.evaluate();
        balance
    }

    /// Evaluates the costs of all paths that may go.
    fn evaluate(&mut self) {
        let fullest = self.counters.iter().copied().max().unwrap_or(0);
        let lists = std::mem::take(&mut self.over).into_iter().map(BinaryHeap::into_vec);
        let mut over: Vec<Vec<Key>> = lists.collect();
        over.iter_mut().for_each(Vec::clear);
        over.resize(self.counters.len(), Vec::new());
        for (nth, path) in (0u32..).zip(&self.paths) {
            let left = self.left[path.pair as usize];
            if !path.alive || left == 1 {
                continue;
            }
            let channels = &self.hops[path.start as usize..path.end as usize];
            let room = channels.iter().map(|channel| fullest - self.counters[*channel as usize]).sum();
            let key = Key { left, cost: Reverse(room), nth: Reverse(nth) };
            channels.iter().for_each(|channel| over[*channel as usize].push(key));
        }
        self.over = over.into_iter().map(BinaryHeap::from).collect();
    }

    /// Lists the candidates of all pairs, and counts them on their channels.
    fn collect(&mut self, moves: &LegalMoves<'_>, pairs: &Pairs, of_a_pair: u8) {
        let mut steps = Steps::default();
        let mut collected = None;
        pairs.visit(moves, |toward, source, destination| {
            if collected.replace(destination) != Some(destination) {
                steps.collect(moves, toward);
            }
            let (from, to) = (&pairs.at_switch[source.index()], &pairs.at_switch[destination.index()]);
            let (start, turns) = (State::start(source), from.len() * to.len());
            let mut spread = Spread { paths: toward.paths(start), of_a_pair, turn: 0, turns };
            let distance = toward.distance(start).unwrap_or(0) as usize;
            let shared = spread.paths <= u64::from(of_a_pair);
            let (before, candidates) = (self.hops.len(), spread.candidates());
            let ends = to.iter().flat_map(|d| from.iter().map(move |s| (*d, *s)));
            for (turn, (destination, source)) in ends.enumerate() {
                spread.turn = turn;
                if turn == 0 || !shared {
                    for nth in 0..candidates {
                        steps.nth_path(start, spread.rank(nth), |output| {
                            self.hops.push(moves.graph().position(output));
                        });
                    }
                }
                let own = self.hops.len() - usize::from(candidates) * distance;
                self.add(pairs.index(source, destination), candidates, own, distance);
            }
            if spread.paths == 1 {
                // Counted, and never to go.
                self.hops.truncate(before);
            }
        });
    }

    /// Adds the candidates of a pair, whose channels begin at `start` among the hops.
    fn add(&mut self, pair: u32, candidates: u8, start: usize, distance: usize) {
        for channel in &self.hops[start..start + usize::from(candidates) * distance] {
            self.counters[*channel as usize] += 1;
        }
        self.left[pair as usize] = candidates;
        let bound = |hops| u32::try_from(hops).expect("candidates are limited");
        for nth in (0..candidates).filter(|_| candidates > 1) {
            let start = start + usize::from(nth) * distance;
            let (start, end) = (bound(start), bound(start + distance));
            self.paths.push(Path { pair, start, end, nth, alive: true });
        }
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
                let Some(mut path) = self.next_to_go(channel) else { continue };
                if count + step <= evaluated {
                    evaluated = count;
                    self.evaluate();
                    path =
                        self.next_to_go(channel).expect("costs change which one, not whether there is one");
                }
                self.remove(path);
            }
            fullest.push((self.counters[channel as usize], Reverse(channel)));
        }
    }

    /// The path over `channel` that is to go first, `None` if it has none whose pair keeps another.
    fn next_to_go(&mut self, channel: u32) -> Option<u32> {
        while let Some(mut top) = self.over[channel as usize].peek_mut() {
            let path = &self.paths[top.nth.0 as usize];
            let left = self.left[path.pair as usize];
            if !path.alive || left == 1 {
                PeekMut::pop(top);
            } else if top.left == left {
                return Some(top.nth.0);
            } else {
                top.left = left;
            }
        }
        None
    }

    fn remove(&mut self, nth: u32) {
        let path = &mut self.paths[nth as usize];
        path.alive = false;
        self.left[path.pair as usize] -= 1;
        for channel in &self.hops[path.start as usize..path.end as usize] {
            self.counters[*channel as usize] -= 1;
        }
    }
}
