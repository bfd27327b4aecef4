//! Which of the shortest legal paths of a pair of hosts becomes its route.
//!
//! # Scope and limitations
//! The paths of a pair of switches are numbered in the order of their ports; a selection is a rule that gives
//! a pair of hosts one of these numbers. Parallel cables make different paths, so every rule spreads over
//! them too.
//!
//! # Source
//! Random among equal cables: Mainwaring et al. 1997, section 5.5. Random and round-robin selection: Sancho
//! and Robles 2000, section 4, which does not say between what round robin turns; here the routes of a pair
//! of switches take its paths in turn, hosts in order of position.
//!
//! # Validation
//! tests/network/oracle/routing.rs: every choice is shortest and legal, random choices are uniform over all paths.

use rand::Rng;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

use crate::topology::End;
use simnet_base::ids::{HostId, Node, SwitchId};

use super::balance::{Candidates, KeptPaths};
use super::graph::Attachments;
use super::paths::{LegalMoves, State, Steps, Toward};
use super::plan::PlanError;
use super::table::{RouteTable, Row, TableTooLarge};

/// The rule that picks one path out of several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Selection {
    /// The path of the lowest ports.
    First,
    /// Any path, all equally likely.
    Random {
        /// The seed of all choices.
        seed: u64,
    },
    /// The paths of a pair of switches in turn.
    RoundRobin,
    /// The path that is left when those over the fullest channels have gone.
    Balanced,
}

/// Keeps the streams of route choices apart from those of other components with the same seed.
const STREAMS: u64 = 0x7275_7465 << 32;

/// Chooses one shortest legal path for every ordered pair of distinct hosts.
///
/// Costs one search per switch with hosts, and O(length) per pair; deterministic in its arguments.
///
/// Balancing costs more, see [`Candidates`].
///
/// # Errors
/// [`PlanError`] for more hosts or turns than a table holds, or more paths than can be balanced.
pub fn select_routes(
    moves: &LegalMoves<'_>,
    attachments: &Attachments,
    selection: Selection,
) -> Result<RouteTable, PlanError> {
    TableTooLarge::foreseen(moves, attachments)?;
    match selection {
        Selection::Balanced => balanced_routes(moves, attachments, Candidates::default()),
        _ => Ok(rows(moves, attachments, |destination| Choice::new(selection, destination))?),
    }
}

/// Looks for what keeps [`select_routes`] from choosing, without choosing anything.
///
/// # Errors
/// As [`select_routes`].
pub(super) fn fits(
    moves: &LegalMoves<'_>,
    attachments: &Attachments,
    selection: Selection,
) -> Result<(), PlanError> {
    TableTooLarge::foreseen(moves, attachments)?;
    if selection == Selection::Balanced {
        KeptPaths::check(moves, attachments, Candidates::default())?;
    }
    Ok(())
}

/// Balanced routes from as many candidates as `candidates` allows.
///
/// # Errors
/// As [`select_routes`].
pub fn balanced_routes(
    moves: &LegalMoves<'_>,
    attachments: &Attachments,
    candidates: Candidates,
) -> Result<RouteTable, PlanError> {
    TableTooLarge::unless_held(attachments.hosts())?;
    let kept = KeptPaths::of(moves, attachments, candidates)?;
    Ok(rows(moves, attachments, |destination| Choice::Balanced(&kept, destination))?)
}

/// The routes of all pairs, those to each destination chosen by its own rule.
fn rows<'a>(
    moves: &LegalMoves<'_>,
    attachments: &Attachments,
    mut choice: impl FnMut(HostId) -> Choice<'a>,
) -> Result<RouteTable, TableTooLarge> {
    let mut table = RouteTable::for_all_pairs(attachments.hosts())?;
    let mut destinations: Vec<HostId> = (0..attachments.hosts()).map(HostId::new).collect();
    destinations.sort_by_key(|host| (attachments.switch(*host).map(|(switch, _)| switch), *host));
    let mut search = Search::new(moves);
    for destination in destinations {
        if let Some((switch, _)) = attachments.switch(destination) {
            search.toward_switch(moves, switch);
        }
        table.set_row(destination, search.row(attachments, destination, choice(destination)))?;
    }
    Ok(table)
}

/// How the routes to one destination are chosen.
enum Choice<'a> {
    First,
    Random(Box<ChaCha8Rng>),
    RoundRobin,
    Balanced(&'a KeptPaths, HostId),
}

/// What decides one pair.
#[derive(Clone, Copy)]
enum Draw<'a> {
    First,
    /// A number evenly spread over all 64-bit numbers.
    Random(u64),
    RoundRobin,
    Balanced(&'a KeptPaths, HostId, HostId),
}

impl<'a> Choice<'a> {
    /// The rule of a selection other than `Balanced`, which needs to see all pairs.
    fn new(selection: Selection, destination: HostId) -> Choice<'a> {
        match selection {
            Selection::First | Selection::Balanced => Choice::First,
            Selection::Random { seed } => {
                let mut random = ChaCha8Rng::seed_from_u64(seed);
                random.set_stream(STREAMS | u64::from(destination.0));
                Choice::Random(Box::new(random))
            }
            Selection::RoundRobin => Choice::RoundRobin,
        }
    }

    /// The draw of the next source; sources come in order.
    fn draw(&mut self, source: HostId) -> Draw<'a> {
        match self {
            Choice::First => Draw::First,
            Choice::Random(random) => Draw::Random(random.next_u64()),
            Choice::RoundRobin => Draw::RoundRobin,
            Choice::Balanced(kept, destination) => Draw::Balanced(kept, source, *destination),
        }
    }
}

/// The paths to one switch, kept while the destinations stay at that switch.
struct Search {
    toward: Toward,
    steps: Steps,
    at: Option<SwitchId>,
    /// Per source switch how many routes were taken in turn.
    taken: Vec<u64>,
}

impl Search {
    fn new(moves: &LegalMoves<'_>) -> Search {
        let graph = moves.graph();
        let taken = vec![0; graph.switches()];
        Search { toward: Toward::new(graph), steps: Steps::default(), at: None, taken }
    }

    fn toward_switch(&mut self, moves: &LegalMoves<'_>, switch: SwitchId) {
        if self.at != Some(switch) {
            self.toward.search(moves, switch);
            self.steps.collect(moves, &self.toward);
            self.at = Some(switch);
            self.taken.fill(0);
        }
    }

    /// The routes from everywhere to `destination`, at whose switch the search is.
    fn row(&mut self, attachments: &Attachments, destination: HostId, mut choice: Choice<'_>) -> Row {
        let end = attachments.switch(destination);
        let mut row = Row::new(attachments.hosts());
        for source in (0..attachments.hosts()).map(HostId::new) {
            // Every source draws, routed or not, so that no pair's choice depends on another's.
            let draw = choice.draw(source);
            let ends = attachments.switch(source).zip(end).filter(|_| source != destination);
            match ends.filter(|((from, _), _)| self.toward.paths(State::start(*from)) > 0) {
                Some(((from, mut input), (_, last))) => {
                    let rank = self.rank(draw, from);
                    row.route(|turns| {
                        self.steps.nth_path(State::start(from), rank, |output| {
                            turns.push(input.turn_to(output.port));
                            input = output.input;
                        });
                        turns.push(input.turn_to(last));
                    });
                }
                None if joined(attachments, source, destination) => row.route(|_| ()),
                None => row.skip(),
            }
        }
        row
    }

    /// The rank of the path that a pair takes out of all those from the switch `from`.
    fn rank(&mut self, draw: Draw<'_>, from: SwitchId) -> u64 {
        let paths = self.toward.paths(State::start(from));
        match draw {
            Draw::First => 0,
            Draw::Random(number) => {
                let scaled = (u128::from(number) * u128::from(paths)) >> 64;
                u64::try_from(scaled).expect("a fraction below 1 of a 64-bit number")
            }
            Draw::Balanced(kept, source, destination) => kept.rank(source, destination, paths),
            Draw::RoundRobin => {
                let taken = &mut self.taken[from.index()];
                *taken += 1;
                (*taken - 1) % paths
            }
        }
    }
}

/// Whether one cable joins two distinct hosts, both by the port that they use.
pub(super) fn joined(attachments: &Attachments, a: HostId, b: HostId) -> bool {
    let meets = |x, y| {
        let (Some(own), Some(other)) = (attachments.of(x), attachments.of(y)) else { return false };
        own.far == End { node: Node::Host(y), port: other.port }
    };
    a != b && meets(a, b) && meets(b, a)
}
