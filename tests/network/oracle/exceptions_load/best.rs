//! The least that the busiest channel of a small tree can carry: an exhaustive search over sets of turns, cut short by
//! bounds.
//!
//! # Scope and limitations
//! Trees of two rows, whose roots are the switches of the upper one. A pair of switches that UP*/DOWN* joins takes any
//! path of it, short or not; another one any path over turns from down to up, as long as all turns that are taken close
//! no circle. To show that no routes keep every channel at a load or below, all sets of turns are searched: a set that
//! closes a circle loses one turn of it, each in turn, until it closes none. A branch ends where even fractions of
//! routes do not fit: weights of channels show that, by which what is to be carried costs more than what can be. So
//! what is shown is shown of all routes. Where a set closes no circle and fractions fit, whole routes are packed one by
//! one (`packing`), which knows what fractions do not; where that finds that they fit, nothing is shown.
//!
//! Next hops by destination move all that a switch sends to a host together. Then paths that turn are searched one by
//! one, too, and what goes together is counted in whole numbers at the channels out of a switch and into it.
//!
//! All bounds leave out what parallel cables do to each other by their turns: what they show holds all the more with
//! it.

use std::collections::{BTreeMap, BTreeSet};

use simnet_base::ids::SwitchId;
use simnet_network::routing::{Directions, SwitchGraph};

use super::packing::{Packing, Slots, undominated};

/// How often weights are corrected before nothing is known.
const ROUNDS: usize = 3_000;

/// How many sets of turns are looked at before nothing is known.
const MOST_SETS: usize = 20_000;

/// So many ways to fill the channels into a switch that one fits nearly for sure.
const MOST_WAYS: usize = 20_000;

/// Parallel cables in one direction.
struct Bundle {
    ends: (SwitchId, SwitchId),
    cables: usize,
    is_up: bool,
}

/// A turn from down to up: two bundles.
type Turn = (usize, usize);

/// What one switch sends another: so many units, each whole on one path, of so many routes.
struct Need {
    ends: (SwitchId, SwitchId),
    units: u64,
    weight: u64,
    paths: Vec<Path>,
}

/// The bundles of a path, and the turns from down to up on it.
struct Path {
    bundles: Vec<usize>,
    turns: Vec<Turn>,
}

/// A tree as parallel cables, and what goes over them.
pub(super) struct Demand {
    bundles: Vec<Bundle>,
    needs: Vec<Need>,
    hosts: Vec<u64>,
    by_destination: bool,
}

/// What a search has settled so far.
#[derive(Clone)]
struct Node {
    /// The turns that may be taken.
    turns: BTreeSet<Turn>,
    /// Those of them that no circle loses: sets without them are searched elsewhere.
    kept: BTreeSet<Turn>,
    /// By number of the need the number of the path that it takes.
    fixed: BTreeMap<usize, usize>,
}

impl Demand {
    /// What hosts send each other, each switch having so many: route by route, or next hops by destination.
    pub(super) fn new(
        graph: &SwitchGraph,
        directions: &Directions,
        hosts: &[u32],
        by_destination: bool,
    ) -> Demand {
        let mut bundles: Vec<Bundle> = Vec::new();
        for (nth, output) in graph.outputs().iter().enumerate() {
            let ends = (graph.sender(nth), output.to);
            match bundles.iter_mut().find(|bundle| bundle.ends == ends) {
                Some(bundle) => bundle.cables += 1,
                None => bundles.push(Bundle { ends, cables: 1, is_up: directions.is_up(ends.0, ends.1) }),
            }
        }
        let hosts: Vec<u64> = hosts.iter().map(|count| u64::from(*count)).collect();
        let mut demand = Demand { bundles, needs: Vec::new(), hosts, by_destination };
        for from in graph.switch_ids() {
            for to in graph.switch_ids().filter(|to| *to != from) {
                demand.needs.extend(demand.need((from, to)));
            }
        }
        demand
    }

    /// What one switch sends another; `None` if that is nothing, or there is no path.
    fn need(&self, (from, to): (SwitchId, SwitchId)) -> Option<Need> {
        let (sources, destinations) = (self.hosts[from.index()], self.hosts[to.index()]);
        let mut paths = Vec::new();
        self.extend((from, to), &mut Vec::new(), &mut paths);
        // Turns from down to up are for pairs that have no other path.
        if paths.iter().any(|path| path.turns.is_empty()) {
            paths.retain(|path| path.turns.is_empty());
        }
        let (units, weight) =
            if self.by_destination { (destinations, sources) } else { (destinations * sources, 1) };
        (units * weight > 0 && !paths.is_empty()).then_some(Need { ends: (from, to), units, weight, paths })
    }

    /// Adds all paths from a switch, where `so_far` has come to, that pass no switch twice.
    fn extend(&self, (at, to): (SwitchId, SwitchId), so_far: &mut Vec<usize>, paths: &mut Vec<Path>) {
        if at == to {
            let pairs = so_far.windows(2).map(|pair| (pair[0], pair[1]));
            let turns = pairs.filter(|(by, next)| !self.bundles[*by].is_up && self.bundles[*next].is_up);
            paths.push(Path { bundles: so_far.clone(), turns: turns.collect() });
            return;
        }
        for (nth, bundle) in self.bundles.iter().enumerate().filter(|(_, bundle)| bundle.ends.0 == at) {
            let next = bundle.ends.1;
            if !so_far.iter().any(|before| self.bundles[*before].ends.0 == next) {
                so_far.push(nth);
                self.extend((next, to), so_far, paths);
                so_far.pop();
            }
        }
    }

    /// Whether it is shown that no routes have a busiest channel below `goal`.
    pub(super) fn is_least(&self, goal: u64) -> bool {
        let Some(most) = goal.checked_sub(1) else { return true };
        let ends: BTreeSet<SwitchId> = self.needs.iter().map(|need| need.ends.1).collect();
        if self.by_destination && ends.into_iter().any(|to| !self.may_fit_into(to, most)) {
            return true;
        }
        let paths = self.needs.iter().flat_map(|need| &need.paths);
        let turns = paths.flat_map(|path| path.turns.iter().copied()).collect();
        let node = Node { turns, kept: BTreeSet::new(), fixed: BTreeMap::new() };
        self.is_impossible(node, most, &mut { MOST_SETS })
    }

    /// Whether it is shown that no routes by an acyclic set of these turns keep all channels at `most` or below; `sets`
    /// is how many may still be looked at.
    fn is_impossible(&self, mut node: Node, most: u64, sets: &mut usize) -> bool {
        let Some(left) = sets.checked_sub(1) else { return false };
        *sets = left;
        let taken = node.fixed.iter().flat_map(|(need, path)| &self.needs[*need].paths[*path].turns);
        if self.circle(&taken.copied().collect()).is_some() || !self.may_fit(&node, most) {
            return true;
        }
        let is_open = |(nth, need): &(usize, &Need)| {
            need.units == 1 && !need.paths[0].turns.is_empty() && !node.fixed.contains_key(nth)
        };
        let open = self.needs.iter().enumerate().find(is_open).filter(|_| self.by_destination);
        if let Some((nth, need)) = open {
            let is_allowed =
                |path: &&usize| need.paths[**path].turns.iter().all(|turn| node.turns.contains(turn));
            let all: Vec<usize> = (0..need.paths.len()).collect();
            return all.iter().filter(is_allowed).all(|path| {
                let mut node = node.clone();
                node.fixed.insert(nth, *path);
                self.is_impossible(node, most, sets)
            });
        }
        let Some(circle) = self.circle(&node.turns) else { return !self.may_fit_whole(&node, most) };
        for turn in circle {
            // A set without the circle has a first turn that it lacks, and all before.
            if !node.kept.contains(&turn) {
                node.turns.remove(&turn);
                if !self.is_impossible(node.clone(), most, sets) {
                    return false;
                }
                node.turns.insert(turn);
                node.kept.insert(turn);
            }
        }
        true
    }

    /// The shortest row of turns that close a circle whichever of parallel cables they take: after each comes one at
    /// another switch, from where it led.
    fn circle(&self, turns: &BTreeSet<Turn>) -> Option<Vec<Turn>> {
        let all: Vec<Turn> = turns.iter().copied().collect();
        let follows = |one: Turn, other: Turn| {
            let ((at, to), (from, other_at)) = (self.bundles[one.1].ends, self.bundles[other.0].ends);
            to == from && at != other_at
        };
        let circles = (0..all.len()).filter_map(|start| {
            let mut before = vec![usize::MAX; all.len()];
            let mut open = vec![start];
            let mut next = 0;
            while before[start] == usize::MAX {
                let one = *open.get(next)?;
                next += 1;
                for other in (0..all.len()).filter(|other| follows(all[one], all[*other])) {
                    if before[other] == usize::MAX {
                        before[other] = one;
                        open.push(other);
                    }
                }
            }
            let mut circle = vec![all[start]];
            let mut one = before[start];
            while one != start {
                circle.push(all[one]);
                one = before[one];
            }
            Some(circle)
        });
        circles.min_by_key(Vec::len)
    }

    /// The paths that a need may take.
    fn paths(&self, node: &Node, nth: usize, most: u64) -> Vec<&Path> {
        let need = &self.needs[nth];
        // What turns at a switch takes the cable there that the switch's own routes to that host take.
        let own = |turn: &Turn| self.hosts[self.bundles[turn.1].ends.0.index()];
        let fits = |turn: &Turn| !self.by_destination || need.weight + own(turn) <= most;
        let is_open = |path: &&Path| path.turns.iter().all(|turn| node.turns.contains(turn) && fits(turn));
        let fixed = node.fixed.get(&nth).map(|path| &need.paths[*path]);
        let candidates = fixed.map_or(&need.paths[..], std::slice::from_ref);
        candidates.iter().filter(is_open).collect()
    }

    /// What the cables of a bundle carry at most, if what one switch sends stays whole: once of all that may take it,
    /// once of what its first switch sends itself.
    fn room(&self, node: &Node, usable: &[Vec<&Path>], nth: usize, most: u64) -> [u64; 2] {
        let takes = |paths: &[&Path]| paths.iter().any(|path| path.bundles.contains(&nth));
        let takers = self.needs.iter().zip(usable).filter(|(_, paths)| takes(paths));
        let weights: BTreeSet<u64> = takers.map(|(need, _)| need.weight).collect();
        let bundle = &self.bundles[nth];
        let mut cables = vec![most; bundle.cables];
        if !self.by_destination {
            return [cables.iter().sum(); 2];
        }
        // What turns for sure goes on one cable for each destination.
        let mut turning: BTreeMap<SwitchId, u64> = BTreeMap::new();
        for (need, path) in node.fixed.iter().map(|(need, path)| (&self.needs[*need], *path)) {
            if need.paths[path].turns.iter().any(|turn| turn.1 == nth) {
                *turning.entry(need.ends.1).or_default() += need.weight;
            }
        }
        let turning: Vec<u64> = turning.into_values().collect();
        let own = self.hosts[bundle.ends.0.index()].max(1);
        [bundle.cables as u64 * reach(&weights, most), beside(&turning, &mut cables, own)]
    }

    /// Whether it is not shown, by a search of all that may be taken, that whole units do not fit.
    fn may_fit_whole(&self, node: &Node, most: u64) -> bool {
        // Routes of pairs of hosts fill parallel cables to the last one.
        let room = |bundle: &Bundle| match self.by_destination {
            true => vec![most; bundle.cables],
            false => vec![bundle.cables as u64 * most],
        };
        let slots = Slots::new(self.bundles.iter().map(room));
        let Some(items) = self.items(node, &slots, most) else { return true };
        let bundles = || 0..self.bundles.len();
        let of = |is_of: &dyn Fn(usize) -> bool| -> Vec<usize> {
            bundles().filter(|nth| is_of(*nth)).flat_map(|nth| slots.of(nth)).collect()
        };
        let mut groups: Vec<Vec<usize>> = bundles().map(|nth| slots.of(nth).collect()).collect();
        for at in (0..self.hosts.len()).map(SwitchId::new) {
            groups.push(of(&|nth| self.bundles[nth].ends.0 == at));
            groups.push(of(&|nth| self.bundles[nth].ends.1 == at));
        }
        Packing::new(items, &slots, groups).may_fit()
    }

    /// What is carried whole, each with the loads that it may have by slot: routes of pairs of hosts, or all next hops
    /// towards one host; `None` if these are too many.
    fn items(&self, node: &Node, slots: &Slots, most: u64) -> Option<Vec<Vec<Vec<u64>>>> {
        let mut items = Vec::new();
        if self.by_destination {
            let ends: BTreeSet<SwitchId> = self.needs.iter().map(|need| need.ends.1).collect();
            for to in ends {
                let trees = self.trees(node, slots, (to, most))?;
                items.extend((0..self.hosts[to.index()]).map(|_| trees.clone()));
            }
        } else {
            for (nth, need) in self.needs.iter().enumerate() {
                let load = |path: &Path| {
                    let mut load = slots.none();
                    path.bundles.iter().for_each(|bundle| load[*bundle] += need.weight);
                    load
                };
                let loads = undominated(self.paths(node, nth, most).into_iter().map(load).collect());
                items.extend((0..need.units).map(|_| loads.clone()));
            }
        }
        Some(items)
    }

    /// What the next hops towards one host load, for all trees that may be taken; `None` if there are too many.
    fn trees(&self, node: &Node, slots: &Slots, (to, most): (SwitchId, u64)) -> Option<Vec<Vec<u64>>> {
        // By switch the slot that it has taken, and what is loaded.
        let mut trees: BTreeSet<(BTreeMap<SwitchId, usize>, Vec<u64>)> =
            [(BTreeMap::new(), slots.none())].into();
        for (nth, need) in self.needs.iter().enumerate().filter(|(_, need)| need.ends.1 == to) {
            let mut more = BTreeSet::new();
            for path in self.paths(node, nth, most) {
                let mut grown: Vec<_> = trees.iter().cloned().collect();
                for bundle in &path.bundles {
                    let mut longer = Vec::new();
                    for ((next, load), slot) in
                        grown.iter().flat_map(|tree| slots.of(*bundle).map(move |slot| (tree, slot)))
                    {
                        let (mut next, mut load) = (next.clone(), load.clone());
                        load[slot] += need.weight;
                        let taken = *next.entry(self.bundles[*bundle].ends.0).or_insert(slot);
                        if taken == slot && load[slot] <= most {
                            longer.push((next, load));
                        }
                    }
                    grown = longer;
                }
                more.extend(grown);
                if more.len() > MOST_WAYS {
                    return None;
                }
            }
            trees = more;
        }
        Some(undominated(trees.into_iter().map(|(_, load)| load).collect()))
    }

    /// Whether it is not shown that fractions of units do not fit, shared out among the paths that may be taken, so
    /// that all channels are at `most` or below.
    fn may_fit(&self, node: &Node, most: u64) -> bool {
        let usable: Vec<Vec<&Path>> = (0..self.needs.len()).map(|nth| self.paths(node, nth, most)).collect();
        if usable.iter().any(Vec::is_empty) {
            return false;
        }
        // By bundle what all that takes it may come to, then by bundle what its first switch sends itself.
        let bundles = self.bundles.len();
        let both: Vec<[u64; 2]> = (0..bundles).map(|nth| self.room(node, &usable, nth, most)).collect();
        let rooms = [0, 1].into_iter().flat_map(|own| both.iter().map(move |room| room[own] as f64));
        let rooms: Vec<f64> = rooms.collect();
        let rows = |path: &Path| -> Vec<usize> {
            path.bundles.iter().copied().chain(path.bundles.first().map(|first| bundles + first)).collect()
        };
        let usable: Vec<(f64, Vec<Vec<usize>>)> = self
            .needs
            .iter()
            .zip(&usable)
            .map(|(need, paths)| {
                ((need.units * need.weight) as f64, paths.iter().map(|path| rows(path)).collect())
            })
            .collect();
        let fullest = |flow: &[f64], rounds: f64| {
            let parts = flow.iter().zip(&rooms).filter(|(flow, _)| **flow > 0.0);
            parts.map(|(flow, room)| flow / rounds / room.max(1e-9)).fold(1e-9, f64::max)
        };
        let (mut logarithm, mut total) = (vec![0.0; rooms.len()], vec![0.0; rooms.len()]);
        for round in (1..=ROUNDS).map(|round| round as f64) {
            let top = logarithm.iter().copied().fold(0.0, f64::max);
            let weight: Vec<f64> = logarithm.iter().map(|log: &f64| (log - top).exp()).collect();
            let mut flow = vec![0.0; rooms.len()];
            let mut costs = 0.0;
            for (amount, paths) in &usable {
                let cost = |rows: &[usize]| rows.iter().map(|row| weight[*row]).sum::<f64>();
                let paths = paths.iter().map(|rows| (cost(rows), rows));
                let (least, rows) = paths.min_by(|a, b| a.0.total_cmp(&b.0)).unwrap();
                costs += least * amount;
                rows.iter().for_each(|row| flow[*row] += amount);
            }
            let affordable: f64 = weight.iter().zip(&rooms).map(|(weight, room)| weight * room).sum();
            if costs > affordable * (1.0 + 1e-9) {
                return false;
            }
            let widest = fullest(&flow, 1.0);
            for (row, flow) in flow.iter().enumerate() {
                total[row] += flow;
                logarithm[row] += flow / rooms[row].max(1e-9) / widest / round.sqrt();
            }
            if fullest(&total, round) <= 1.0 {
                return true;
            }
        }
        true
    }

    /// Whether what is sent to the hosts of one switch fits on the last cables before it, as far as is known: all that
    /// comes to a switch above for one host leaves it by one cable.
    fn may_fit_into(&self, to: SwitchId, most: u64) -> bool {
        let last: Vec<usize> =
            (0..self.bundles.len()).filter(|nth| self.bundles[*nth].ends.1 == to).collect();
        // The ways to share out what is sent to one host.
        let mut shares: BTreeSet<Vec<u64>> = [vec![0; last.len()]].into();
        for need in self.needs.iter().filter(|need| need.ends.1 == to) {
            let ends: BTreeSet<Option<&usize>> = need.paths.iter().map(|path| path.bundles.last()).collect();
            let places: Vec<usize> = (0..last.len()).filter(|at| ends.contains(&Some(&last[*at]))).collect();
            let more = shares.iter().flat_map(|share| places.iter().map(move |place| (share, *place)));
            let more = more.map(|(share, place)| {
                let mut share = share.clone();
                share[place] += need.weight;
                share
            });
            shares = more.filter(|share| share.iter().all(|amount| *amount <= most)).collect();
        }
        let room = last.iter().map(|nth| vec![most; self.bundles[*nth].cables]).collect();
        let mut ways: BTreeSet<Vec<Vec<u64>>> = [room].into();
        for _ in 0..self.hosts[to.index()] {
            let after = ways.iter().flat_map(|way| shares.iter().flat_map(|share| filled(way, share)));
            ways = after.collect();
            if ways.len() > MOST_WAYS {
                return true;
            }
        }
        !ways.is_empty()
    }
}

/// The largest sum up to `most` of any number of each of these.
fn reach(weights: &BTreeSet<u64>, most: u64) -> u64 {
    let mut sums: BTreeSet<u64> = [0].into();
    for sum in 1..=most {
        if weights.iter().any(|weight| *weight <= sum && sums.contains(&(sum - weight))) {
            sums.insert(sum);
        }
    }
    sums.last().copied().unwrap_or(0)
}

/// How much fits on cables with this room, in whole units of a weight, beside what turns into them.
fn beside(turning: &[u64], cables: &mut Vec<u64>, weight: u64) -> u64 {
    let Some((first, others)) = turning.split_first() else {
        return cables.iter().map(|room| room / weight * weight).sum();
    };
    let mut best = 0;
    for cable in 0..cables.len() {
        if cables[cable] >= *first {
            cables[cable] -= first;
            best = best.max(beside(others, cables, weight));
            cables[cable] += first;
        }
    }
    best
}

/// All ways to put the share of each bundle on one of its cables, whose room is given; the cables of a bundle stay in
/// order.
fn filled(room: &[Vec<u64>], share: &[u64]) -> Vec<Vec<Vec<u64>>> {
    let mut ways = vec![room.to_vec()];
    for (place, amount) in share.iter().enumerate().filter(|(_, amount)| **amount > 0) {
        let put = |way: Vec<Vec<u64>>| {
            let cables = (0..way[place].len()).filter(|cable| way[place][*cable] >= *amount);
            let put = cables.map(|cable| {
                let mut way = way.clone();
                way[place][cable] -= amount;
                way[place].sort_unstable();
                way
            });
            put.collect::<Vec<_>>()
        };
        ways = ways.into_iter().flat_map(put).collect();
    }
    ways
}
