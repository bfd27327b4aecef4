//! Turns from down to up that give a path to pairs of switches which have no common ancestor.
//!
//! # Scope and limitations
//! With several roots UP*/DOWN* may leave pairs without a path: two hosts on spines, a leaf that lost the spines that
//! another one has. A path for such a pair comes down to some low switch, turns there, and goes up again. The turn is
//! allowed only if all allowed turns together, UP*/DOWN*'s and those allowed before, still close no cycle; so whatever
//! is routed over them cannot deadlock.
//!
//! ```text
//!        s       d        two spines with a host each
//!        |\     /|
//!        | \   / |        s -> x -> d turns at a low switch x,
//!        |  \ /  |        which no path of UP*/DOWN* does
//!        y   x   z
//! ```
//!
//! Of the switches at which a path turns that is as short as any such path, the one with the fewest pairs is tried
//! first, so that they spread. Where some pair then finds no turn all begin anew and gather: at one low switch and
//! those above it, as long as these have turns, so that no circle leads through another one. A few such switches are
//! tried. What finds no turn is told: [`Exceptions::apart`].
//!
//! # Source
//! Ours. OpenSM's `sftree` engine turns at one leaf for all such pairs of a tree; the acyclic set that is kept while
//! turns are added is that of smart routing (`smart/order.rs`).
//!
//! # Validation
//! tests/network/oracle/exceptions.rs: trees with hosts on spines and cables that are missing, against searches of
//! their own for cycles and paths.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;

use simnet_base::ids::SwitchId;

use super::allowed_turns::AllowedTurns;
use super::directions::Directions;
use super::graph::{SwitchGraph, UNREACHED};
use super::paths::{LegalMoves, State, Toward};
use super::smart::order::Ordered;

/// Turns beyond those of UP*/DOWN*.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exceptions {
    /// UP*/DOWN*'s and these, without a cycle.
    turns: AllowedTurns,
    /// The turns, in the order in which they were allowed: positions of two outputs.
    added: Vec<(usize, usize)>,
    /// How many pairs of switches have a path by these turns alone, one each direction.
    pairs: usize,
    /// The pairs for which no turn was found.
    apart: Vec<(SwitchId, SwitchId)>,
}

/// How many switches to gather at are tried.
const MOST_CENTRES: usize = 8;

/// How many switches to turn at are tried for a pair.
const MOST_TRIES: usize = 64;

/// How many channels into and out of such a switch are tried.
const MOST_CHANNELS: usize = 4;

/// How many turns that would close a cycle are met before no other is looked for: each costs a search.
const MOST_REFUSED: usize = 1_000;

impl Exceptions {
    /// The exceptions that the pairs of these switches ask for; `None` if UP*/DOWN* has a path for all that cables
    /// join.
    ///
    /// Costs a search for each of the switches, and for each pair without a path one of turns.
    pub(super) fn find(
        graph: &SwitchGraph,
        directions: &Directions,
        between: &[SwitchId],
    ) -> Option<Exceptions> {
        let plain = LegalMoves::plain(graph, directions);
        let without = pairs_without(&plain, between);
        if without.is_empty() {
            return None;
        }
        let mut best = Search::new(graph, directions, vec![true; graph.switches()]).find(&without);
        let mut centres: Vec<Vec<bool>> = between.iter().map(|at| above(graph, directions, *at)).collect();
        for _ in 0..MOST_CENTRES {
            let ends: BTreeSet<SwitchId> = best.apart.iter().flat_map(|(from, to)| [*from, *to]).collect();
            let under = |above: &Vec<bool>, some: &mut dyn Iterator<Item = &SwitchId>| {
                some.filter(|switch| above[switch.index()]).count()
            };
            // Under most of those that are apart, then under most roots; the first of equals.
            let worth = |(nth, above): &(usize, &Vec<bool>)| {
                (under(above, &mut ends.iter()), under(above, &mut directions.roots().iter()), Reverse(*nth))
            };
            let Some((centre, _)) = centres.iter().enumerate().max_by_key(worth).filter(|_| !ends.is_empty())
            else {
                break;
            };
            let gathered = Search::new(graph, directions, centres.swap_remove(centre)).find(&without);
            if gathered.apart.len() < best.apart.len() {
                best = gathered;
            }
        }
        Some(best)
    }

    /// UP*/DOWN*'s turns and these.
    pub fn turns(&self) -> &AllowedTurns {
        &self.turns
    }

    /// How many turns were added.
    pub fn added(&self) -> usize {
        self.added.len()
    }

    /// The switches at which paths turn, each once.
    pub fn switches(&self, graph: &SwitchGraph) -> Vec<SwitchId> {
        let mut all: Vec<SwitchId> = self.added.iter().map(|(_, next)| graph.sender(*next)).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// How many pairs of switches have a path by these turns alone: source and destination, each direction one.
    pub fn pairs(&self) -> usize {
        self.pairs
    }

    /// The pairs of switches that are left without a path though cables join them: source, destination.
    pub fn apart(&self) -> &[(SwitchId, SwitchId)] {
        &self.apart
    }
}

/// The pairs of these switches without a path, by destination: those that cables do not join left out.
fn pairs_without(moves: &LegalMoves<'_>, between: &[SwitchId]) -> Vec<(SwitchId, Vec<SwitchId>)> {
    let graph = moves.graph();
    let found = between.par_iter().map_init(
        || Toward::new(graph),
        |toward, destination| {
            toward.search(moves, *destination);
            let is_lost = |source: &SwitchId| toward.distance(State::start(*source)).is_none();
            let mut lost: Vec<SwitchId> = between.iter().copied().filter(is_lost).collect();
            if !lost.is_empty() {
                let joined = graph.distances([*destination]);
                lost.retain(|source| joined[source.index()] != UNREACHED);
            }
            (*destination, lost)
        },
    );
    found.filter(|(_, sources)| !sources.is_empty()).collect()
}

/// Which switches channels up lead to from one, itself among them.
fn above(graph: &SwitchGraph, directions: &Directions, from: SwitchId) -> Vec<bool> {
    let mut above = vec![false; graph.switches()];
    above[from.index()] = true;
    let mut open = vec![from];
    while let Some(at) = open.pop() {
        for output in graph.of(at).iter().filter(|output| directions.is_up(at, output.to)) {
            if !std::mem::replace(&mut above[output.to.index()], true) {
                open.push(output.to);
            }
        }
    }
    above
}

/// What is known while turns are added.
struct Search<'a> {
    graph: &'a SwitchGraph,
    directions: &'a Directions,
    /// By switch whether pairs turn there if they can.
    preferred: Vec<bool>,
    ordered: Ordered<'a>,
    added: Vec<(usize, usize)>,
    /// Per switch how many pairs turn there.
    pairs: Vec<usize>,
    /// How many turns would have closed a cycle.
    refused: usize,
    /// Per source how far each switch is from it.
    ways: BTreeMap<SwitchId, Ways>,
}

impl<'a> Search<'a> {
    fn new(graph: &'a SwitchGraph, directions: &'a Directions, preferred: Vec<bool>) -> Search<'a> {
        let ordered = Ordered::new(graph, AllowedTurns::plain(graph, directions));
        let pairs = vec![0; graph.switches()];
        Search {
            graph,
            directions,
            preferred,
            ordered,
            added: Vec::new(),
            pairs,
            refused: 0,
            ways: BTreeMap::new(),
        }
    }

    fn find(mut self, without: &[(SwitchId, Vec<SwitchId>)]) -> Exceptions {
        let plain = LegalMoves::plain(self.graph, self.directions);
        let mut toward = Toward::new(self.graph);
        let mut without = without.to_vec();
        let all: usize = without.iter().map(|(_, sources)| sources.len()).sum();
        // Those that have to turn elsewhere come last: they stand in the way of fewer.
        for only_preferred in [true, false] {
            for (destination, sources) in &mut without {
                toward.search(&plain, *destination);
                let lift = lift(self.graph, self.directions, &toward);
                sources.retain(|source| !self.turn(*source, &lift, only_preferred));
            }
        }
        let pairs = without.iter().flat_map(|(to, sources)| sources.iter().map(|source| (*source, *to)));
        let mut apart: Vec<(SwitchId, SwitchId)> = pairs.collect();
        // A turn that another pair asked for, or several one after the other, may serve these.
        let turns = self.ordered.into_turns();
        let moves = LegalMoves::turns(self.graph, &turns);
        apart.retain(|(source, destination)| {
            toward.search(&moves, *destination);
            toward.distance(State::start(*source)).is_none()
        });
        Exceptions { added: self.added, pairs: all - apart.len(), apart, turns }
    }

    /// Allows a turn by which a source has a path to where `lift` leads, if one closes no cycle: that of the switches
    /// nearest to both, [`MOST_TRIES`] times at most.
    fn turn(&mut self, source: SwitchId, lift: &[Vec<(u32, usize)>], only_preferred: bool) -> bool {
        let (graph, directions) = (self.graph, self.directions);
        let ways = self.ways.entry(source).or_insert_with(|| Ways::new(graph, directions, source));
        // By switch the length of the shortest path that turns there.
        let mut turning: Vec<(u32, SwitchId)> = graph
            .switch_ids()
            .filter(|at| ways.down[at.index()] != UNREACHED)
            .filter(|at| !only_preferred || self.preferred[at.index()])
            .filter_map(|at| Some((ways.down[at.index()] + lift[at.index()].first()?.0, at)))
            .collect();
        for _ in 0..MOST_TRIES {
            let worth =
                |(_, (length, at)): &(usize, &(u32, SwitchId))| (*length, self.pairs[at.index()], *at);
            let Some((nth, _)) = turning.iter().enumerate().min_by_key(worth) else { return false };
            let (_, at) = turning.swap_remove(nth);
            let ways = &self.ways[&source];
            let above = graph.of(at).iter().filter(|output| directions.is_up(at, output.to));
            let arriving = above.map(|output| (ways.to(output.to), output.reverse as usize));
            let arriving = fewest(arriving.filter(|(above, _)| *above != UNREACHED));
            let turns = arriving.iter().flat_map(|by| lift[at.index()].iter().map(|next| (by.1, next.1)));
            // Back over the cable by which it came is no turn.
            for (by, next) in turns.filter(|(by, next)| graph.outputs()[*by].reverse as usize != *next) {
                let is_new = !self.ordered.turns().allows(graph, by, next);
                if is_new && (self.refused == MOST_REFUSED || !self.ordered.add(by, next)) {
                    self.refused = (self.refused + 1).min(MOST_REFUSED);
                    continue;
                }
                self.added.extend(is_new.then_some((by, next)));
                self.pairs[at.index()] += 1;
                return true;
            }
        }
        false
    }
}

/// By switch how far the destination of `toward` is by a channel up first, and that channel: the nearest few.
fn lift(graph: &SwitchGraph, directions: &Directions, toward: &Toward) -> Vec<Vec<(u32, usize)>> {
    let from = |at: SwitchId| {
        let up = graph.range(at).filter(|output| directions.is_up(at, graph.outputs()[*output].to));
        let ahead = |output: usize| toward.distance(State::start(graph.outputs()[output].to));
        fewest(up.filter_map(|output| Some((ahead(output)?, output))))
    };
    graph.switch_ids().map(from).collect()
}

/// The [`MOST_CHANNELS`] least of these, in order.
fn fewest(channels: impl Iterator<Item = (u32, usize)>) -> Vec<(u32, usize)> {
    let mut all: Vec<(u32, usize)> = channels.collect();
    all.sort_unstable();
    all.truncate(MOST_CHANNELS);
    all
}

/// How far all switches are from one by UP*/DOWN*; [`UNREACHED`] where no path leads.
struct Ways {
    /// By channels up alone.
    up: Vec<u32>,
    /// By a path whose last channel leads down.
    down: Vec<u32>,
}

impl Ways {
    fn new(graph: &SwitchGraph, directions: &Directions, from: SwitchId) -> Ways {
        let none = vec![UNREACHED; graph.switches()];
        let mut ways = Ways { up: none.clone(), down: none };
        ways.up[from.index()] = 0;
        let mut open = vec![(from, false)];
        let mut next = 0;
        while let Some(&(at, went_down)) = open.get(next) {
            next += 1;
            let so_far = if went_down { ways.down[at.index()] } else { ways.up[at.index()] };
            for output in graph.of(at) {
                let goes_up = directions.is_up(at, output.to);
                if goes_up && went_down {
                    continue;
                }
                let to = if goes_up { &mut ways.up } else { &mut ways.down };
                if to[output.to.index()] == UNREACHED {
                    to[output.to.index()] = so_far + 1;
                    open.push((output.to, !goes_up));
                }
            }
        }
        ways
    }

    /// By any path.
    fn to(&self, switch: SwitchId) -> u32 {
        self.up[switch.index()].min(self.down[switch.index()])
    }
}
