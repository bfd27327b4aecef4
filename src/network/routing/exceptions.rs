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
//! Of the switches at which a path turns that is as short as any such path, the one with the least load on its channels
//! up and down is tried first, so that they spread. Where some pair then finds no turn all begin anew and gather: at
//! one low switch and those above it, as long as these have turns, so that no circle leads through another one. A few
//! such switches are tried. What finds no turn is told: [`Exceptions::apart`]. At last the pairs are given more turns
//! for paths as short, one after the other, as long as these close no cycle, so that the routes of a pair can be spread
//! over several.
//!
//! What is allowed first stands in the way of what comes later. So in small trees all is done again with the pairs in
//! other orders, and at other switches and channels every other time, and the best is kept.
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

use simnet_base::des::random::{Purpose, Stream, mix};
use simnet_base::ids::SwitchId;

use super::allowed_turns::AllowedTurns;
use super::directions::Directions;
use super::graph::{SwitchGraph, UNREACHED};
use super::paths::{LegalMoves, State, Toward};
use super::smart::order::Ordered;
use super::spread::{PAIR, Spread};

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

/// What turns are chosen for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Aim {
    /// Even loads: where channels have room, and several for a pair.
    Loads,
    /// Next hops, of which a switch has one towards a destination: one for a pair, at the switch with the fewest.
    NextHops,
}

/// How many switches to gather at are tried.
const MOST_CENTRES: usize = 8;

/// How many orders of pairs are tried by chance at most.
const MOST_ORDERS: u32 = 128;

/// How many looks at switches and channels all these orders together may take in one pass over the pairs. In a large
/// tree one pass takes more, and there is no such order.
const MOST_LOOKS: usize = 1 << 15;

/// Streams of chance that order pairs.
const ORDERS: Purpose = Purpose(43);

/// How many switches to turn at are tried for a pair.
const MOST_TRIES: usize = 64;

/// How many channels into and out of such a switch are tried.
const MOST_CHANNELS: usize = 4;

/// How many turns more a pair is given at most, for paths as short as by the first.
const MOST_OTHERS: usize = 32;

/// How many turns that would close a cycle are met before no other is looked for: each costs a search.
const MOST_REFUSED: usize = 1_000;

impl Exceptions {
    /// The exceptions that the pairs of switches with hosts ask for, of which each has so many; `None` if UP*/DOWN* has
    /// a path for all that cables join. They are few where `aim` says so.
    ///
    /// Costs as [`Exceptions::several`].
    pub(super) fn find(
        graph: &SwitchGraph,
        directions: &Directions,
        hosts: &[u32],
        aim: Aim,
    ) -> Option<Exceptions> {
        Exceptions::several(graph, directions, hosts, aim).into_iter().next()
    }

    /// Several of such sets, the best first: that leaves the fewest pairs apart, then that whose busiest channel has
    /// the least load if all pairs spread evenly. A large tree has only the first that is searched. Sets with longer
    /// paths than that one are left out.
    ///
    /// Costs a search for each of the switches, and for each pair without a path one of turns; in small trees as much
    /// again for each of [`MOST_ORDERS`].
    pub(super) fn several(
        graph: &SwitchGraph,
        directions: &Directions,
        hosts: &[u32],
        aim: Aim,
    ) -> Vec<Exceptions> {
        let plain = LegalMoves::plain(graph, directions);
        let between: Vec<SwitchId> = graph.switch_ids().filter(|s| hosts[s.index()] > 0).collect();
        let without = pairs_without(&plain, &between);
        if without.is_empty() {
            return Vec::new();
        }
        let load = Spread::new(&plain, hosts).over;
        let search = |preferred, chance| {
            Search::new((graph, directions, aim), hosts, load.clone(), (preferred, chance)).find(&without)
        };
        let anywhere = vec![true; graph.switches()];
        let first = gathered(graph, directions, &between, |preferred| search(preferred, None));
        let first = first.into_exceptions(&without);
        let orders = orders(graph, &without);
        if orders == 0 {
            return vec![first];
        }
        let judged = |found: Exceptions| {
            let spread = Spread::new(&LegalMoves::turns(graph, &found.turns), hosts);
            ((found.apart.len(), spread.busiest(), spread.cost()), spread.distance, found)
        };
        let by_chance = (0..orders).into_par_iter().map(|nth| {
            judged(search(anywhere.clone(), Some(Stream::new(0, ORDERS, nth))).into_exceptions(&without))
        });
        let mut all = vec![judged(first)];
        all.extend(by_chance.collect::<Vec<_>>());
        let ((apart, ..), distance, _) = all[0];
        all.retain(|((apart_there, ..), there, _)| *apart_there < apart || *there <= distance);
        all.sort_by_key(|(worth, ..)| *worth);
        all.into_iter().map(|(.., found)| found).collect()
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

/// How many orders of these pairs are tried by chance.
fn orders(graph: &SwitchGraph, without: &[(SwitchId, Vec<SwitchId>)]) -> u32 {
    let pairs: usize = without.iter().map(|(_, sources)| sources.len()).sum();
    let looks = pairs * graph.switches() + without.len() * graph.outputs().len();
    u32::try_from(MOST_LOOKS / looks.max(1)).unwrap_or(u32::MAX).min(MOST_ORDERS)
}

/// A search of turns at any switch; where it leaves pairs apart, the best of some that gather. `search` is one that
/// prefers some switches.
fn gathered<'a>(
    graph: &SwitchGraph,
    directions: &Directions,
    between: &[SwitchId],
    search: impl Fn(Vec<bool>) -> Found<'a>,
) -> Found<'a> {
    let mut best = search(vec![true; graph.switches()]);
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
        let gathered = search(centres.swap_remove(centre));
        if gathered.apart.len() < best.apart.len() {
            best = gathered;
        }
    }
    best
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
    aim: Aim,
    /// By switch whether pairs turn there if they can.
    preferred: Vec<bool>,
    /// Decides the order of pairs, and every other time where they turn, if given.
    chance: Option<Stream>,
    ordered: Ordered<'a>,
    added: Vec<(usize, usize)>,
    /// How many hosts each switch has.
    hosts: &'a [u32],
    /// Per channel the load of all pairs with a path, spread evenly, and of those that turn into it or out of it.
    load: Vec<u64>,
    /// Per switch how many pairs turn there.
    pairs: Vec<usize>,
    /// How many turns would have closed a cycle.
    refused: usize,
    /// Per source how far each switch is from it.
    ways: BTreeMap<SwitchId, Ways>,
}

/// A destination, and the sources that have a turn towards it, with the lengths of their paths.
type Turned = (SwitchId, Vec<(SwitchId, u32)>);

/// Which turn a pair asks for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Asked {
    /// Any, for a path as short as can be.
    Any {
        /// Whether only at a switch that is preferred.
        only_preferred: bool,
    },
    /// One that is not allowed yet, for a path that is no longer than this.
    Other { longest: u32 },
}

/// What a search has found.
struct Found<'a> {
    search: Search<'a>,
    turned: Vec<Turned>,
    apart: Vec<(SwitchId, SwitchId)>,
}

impl Found<'_> {
    /// The turns that were found for these pairs, and others for them.
    fn into_exceptions(mut self, without: &[(SwitchId, Vec<SwitchId>)]) -> Exceptions {
        if self.search.aim == Aim::Loads {
            self.search.add_others(self.turned);
        }
        let all: usize = without.iter().map(|(_, sources)| sources.len()).sum();
        Exceptions {
            added: self.search.added,
            pairs: all - self.apart.len(),
            apart: self.apart,
            turns: self.search.ordered.into_turns(),
        }
    }
}

impl<'a> Search<'a> {
    fn new(
        (graph, directions, aim): (&'a SwitchGraph, &'a Directions, Aim),
        hosts: &'a [u32],
        load: Vec<u64>,
        (preferred, chance): (Vec<bool>, Option<Stream>),
    ) -> Search<'a> {
        let ordered = Ordered::new(graph, AllowedTurns::plain(graph, directions));
        let pairs = vec![0; graph.switches()];
        Search {
            graph,
            directions,
            aim,
            preferred,
            chance,
            ordered,
            added: Vec::new(),
            hosts,
            load,
            pairs,
            refused: 0,
            ways: BTreeMap::new(),
        }
    }

    /// Gives each of these pairs, by destination, a turn if it can.
    fn find(mut self, without: &[(SwitchId, Vec<SwitchId>)]) -> Found<'a> {
        let plain = LegalMoves::plain(self.graph, self.directions);
        let mut toward = Toward::new(self.graph);
        let mut without = without.to_vec();
        if let Some(chance) = &mut self.chance {
            without =
                without.iter().flat_map(|(to, from)| from.iter().map(|from| (*to, vec![*from]))).collect();
            chance.shuffle(&mut without);
        }
        let mut turned: Vec<Turned> = without.iter().map(|(to, _)| (*to, Vec::new())).collect();
        // Those that have to turn elsewhere come last: they stand in the way of fewer.
        for only_preferred in [true, false] {
            for ((destination, sources), (_, turned)) in without.iter_mut().zip(&mut turned) {
                toward.search(&plain, *destination);
                let lift = self.lift(&toward);
                sources.retain(|source| {
                    let length = self.turn((*source, *destination), &lift, Asked::Any { only_preferred });
                    turned.extend(length.map(|length| (*source, length)));
                    length.is_none()
                });
            }
        }
        let pairs = without.iter().flat_map(|(to, sources)| sources.iter().map(|source| (*source, *to)));
        let mut apart: Vec<(SwitchId, SwitchId)> = pairs.collect();
        // A turn that another pair asked for, or several one after the other, may serve these.
        let moves = LegalMoves::turns(self.graph, self.ordered.turns());
        apart.retain(|(source, destination)| {
            toward.search(&moves, *destination);
            toward.distance(State::start(*source)).is_none()
        });
        Found { search: self, turned, apart }
    }

    /// Gives pairs that have a turn others for paths as short, one after the other in turn, so that their routes can
    /// be spread.
    fn add_others(&mut self, mut turned: Vec<Turned>) {
        let plain = LegalMoves::plain(self.graph, self.directions);
        let mut toward = Toward::new(self.graph);
        self.refused = 0;
        for _ in 0..MOST_OTHERS {
            for (destination, sources) in turned.iter_mut().filter(|(_, sources)| !sources.is_empty()) {
                toward.search(&plain, *destination);
                let lift = self.lift(&toward);
                sources.retain(|(source, longest)| {
                    self.turn((*source, *destination), &lift, Asked::Other { longest: *longest }).is_some()
                });
            }
        }
    }

    /// Allows a turn by which a source has a path to where `lift` leads, if one closes no cycle: that of the switches
    /// nearest to both, [`MOST_TRIES`] times at most. Says how long that path is.
    fn turn(
        &mut self,
        (source, destination): (SwitchId, SwitchId),
        lift: &[Vec<(u32, u64, usize)>],
        asked: Asked,
    ) -> Option<u32> {
        let (graph, directions) = (self.graph, self.directions);
        let ways = self.ways.entry(source).or_insert_with(|| Ways::new(graph, directions, source));
        // By switch the length of the shortest path that turns there.
        let draw = self.chance.as_mut().map(Stream::bits);
        // One bit says whether chance decides on the switch, another whether on the channels; numbers are above both.
        let by_chance =
            |bit: u64, nth: u64| draw.filter(|draw| draw & bit != 0).map(|draw| mix(draw ^ nth << 2));
        let mut turning: Vec<(u32, SwitchId)> = graph
            .switch_ids()
            .filter(|at| ways.down[at.index()] != UNREACHED)
            .filter(|at| asked != Asked::Any { only_preferred: true } || self.preferred[at.index()])
            .filter_map(|at| Some((ways.down[at.index()] + lift[at.index()].first()?.0, at)))
            .filter(|(length, _)| !matches!(asked, Asked::Other { longest } if *length > longest))
            .collect();
        // Of the nearest, those with the least load first.
        turning.sort_by_cached_key(|(length, at)| {
            let crowd = by_chance(1, u64::from(at.0)).unwrap_or_else(|| self.crowd(*at));
            (*length, crowd, self.pairs[at.index()], *at)
        });
        for (length, at) in turning.into_iter().take(MOST_TRIES) {
            let ways = &self.ways[&source];
            let above = graph.of(at).iter().filter(|output| directions.is_up(at, output.to));
            let arriving = above.map(|output| (ways.to(output.to), output.reverse as usize));
            let arriving = self.fewest(arriving.filter(|(above, _)| *above != UNREACHED));
            let lift = &lift[at.index()];
            let turns = arriving.iter().flat_map(|by| lift.iter().map(|next| (by.0 + next.0, by.2, next.2)));
            let mut turns: Vec<(u32, usize, usize)> = turns.collect();
            turns.sort_by_key(|(length, by, next)| {
                by_chance(2, (*by as u64) << 31 | *next as u64).map(|drawn| (*length, drawn))
            });
            // Back over the cable by which it came is no turn.
            turns.retain(|(_, by, next)| graph.outputs()[*by].reverse as usize != *next);
            for (_, by, next) in turns {
                let is_new = !self.ordered.turns().allows(graph, by, next);
                if !is_new && matches!(asked, Asked::Other { .. }) {
                    continue;
                }
                if is_new && (self.refused == MOST_REFUSED || !self.ordered.add(by, next)) {
                    self.refused = (self.refused + 1).min(MOST_REFUSED);
                    continue;
                }
                self.added.extend(is_new.then_some((by, next)));
                let hosts = |switch: SwitchId| u64::from(self.hosts[switch.index()]);
                let load = PAIR * hosts(source) * hosts(destination);
                [by, next].into_iter().for_each(|channel| self.load[channel] += load);
                self.pairs[at.index()] += 1;
                return Some(length);
            }
        }
        None
    }

    /// How full the channels are between a switch and those above it: the mean of those into it or out of it, whichever
    /// is more. Which of them a turn takes matters less, since others can make way.
    fn crowd(&self, at: SwitchId) -> u64 {
        if self.aim == Aim::NextHops {
            return 0;
        }
        let above = || self.graph.range(at).filter(|up| self.is_up(*up));
        let into: u64 = above().map(|up| self.load[self.graph.outputs()[up].reverse as usize]).sum();
        let out: u64 = above().map(|up| self.load[up]).sum();
        into.max(out) / (above().count() as u64).max(1)
    }

    fn is_up(&self, output: usize) -> bool {
        self.directions.is_up(self.graph.sender(output), self.graph.outputs()[output].to)
    }

    /// By switch how far the destination of `toward` is by a channel up first, and that channel: the nearest few.
    fn lift(&self, toward: &Toward) -> Vec<Vec<(u32, u64, usize)>> {
        let from = |at: SwitchId| {
            let up = self.graph.range(at).filter(|output| self.is_up(*output));
            let ahead = |output: usize| toward.distance(State::start(self.graph.outputs()[output].to));
            self.fewest(up.filter_map(|output| Some((ahead(output)?, output))))
        };
        self.graph.switch_ids().map(from).collect()
    }

    /// The [`MOST_CHANNELS`] nearest of these, of equals the least full, with their loads between.
    fn fewest(&self, channels: impl Iterator<Item = (u32, usize)>) -> Vec<(u32, u64, usize)> {
        let load = |channel: usize| if self.aim == Aim::Loads { self.load[channel] } else { 0 };
        let mut all: Vec<_> = channels.map(|(far, channel)| (far, load(channel), channel)).collect();
        all.sort_unstable();
        all.truncate(MOST_CHANNELS);
        all
    }
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
