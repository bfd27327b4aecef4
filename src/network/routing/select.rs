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

mod counted;

use rand::Rng;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use rayon::prelude::*;

use crate::topology::{End, Network};
use simnet_base::ids::{HostId, Node, SwitchId};

use super::attachments::Attachments;
use super::balance::{Candidates, KeptPaths};
use super::paths::{LegalMoves, State, Steps, Toward};
use super::plan::PlanError;
use super::survey::{Ground, Survey};
use super::table::{RouteTable, Row, TableTooLarge};
use counted::Counted;

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

/// How many switches' routes are found side by side before they go into a table.
const AT_ONCE: usize = 128;

/// The routes of all pairs, those to each destination chosen by its own rule.
fn rows<'a>(
    moves: &LegalMoves<'_>,
    attachments: &Attachments,
    choice: impl Fn(HostId) -> Choice<'a> + Sync,
) -> Result<RouteTable, TableTooLarge> {
    let mut table = RouteTable::for_all_pairs(attachments.hosts())?;
    for groups in attachments.by_switch().chunks(AT_ONCE) {
        let found = groups.par_iter().map_init(
            || Search::new(moves),
            |search, (at, destinations)| {
                at.iter().for_each(|switch| search.toward_switch(moves, *switch));
                let row = |to: &HostId| (*to, search.row(attachments, *to, choice(*to)));
                destinations.iter().map(row).collect::<Vec<_>>()
            },
        );
        // One after the other in order, so that a table that is too large is so at the same one every time.
        for (destination, row) in found.collect::<Vec<_>>().into_iter().flatten() {
            table.set_row(destination, row)?;
        }
    }
    Ok(table)
}

/// Surveys the routes of all pairs without keeping them: those that [`select_routes`] finds, and what [`Survey::new`]
/// says of them. Those to one switch are followed together.
///
/// # Errors
/// As [`select_routes`], but for the turns of all routes, which fill no table.
pub(super) fn survey_routes(
    moves: &LegalMoves<'_>,
    (network, attachments): (&Network, &Attachments),
    selection: Selection,
) -> Result<Survey, PlanError> {
    TableTooLarge::foreseen(moves, attachments)?;
    let kept = match selection {
        Selection::Balanced => Some(KeptPaths::of(moves, attachments, Candidates::default())?),
        _ => None,
    };
    let choice = |destination| match &kept {
        Some(kept) => Choice::Balanced(kept, destination),
        None => Choice::new(selection, destination),
    };
    Ok(surveyed(moves, &Ground::new(network, attachments), choice, MOST_COUNTED))
}

/// The most paths to one switch, from all states, whose routes are counted path by path: 4 MiB a core.
const MOST_COUNTED: usize = 1 << 20;

/// Surveys the routes of all pairs; those to a switch path by path where these are no more than `most_counted`.
fn surveyed<'a>(
    moves: &LegalMoves<'_>,
    ground: &Ground<'_>,
    choice: impl Fn(HostId) -> Choice<'a> + Sync,
    most_counted: usize,
) -> Survey {
    let begin = || (Search::new(moves), ground.none.clone());
    let groups = ground.attachments.by_switch().into_par_iter();
    let followed = groups.fold(begin, |(mut search, mut survey), (at, destinations)| {
        at.iter().for_each(|switch| search.toward_switch(moves, *switch));
        search.counts = search.counted.begin(moves, &search.toward, most_counted);
        for to in destinations {
            search.count(ground, &mut survey, to, choice(to));
        }
        search.follow_counted(&mut survey, &ground.graph.distances(at));
        (search, survey)
    });
    followed.map(|(_, survey)| survey).reduce(|| ground.none.clone(), Survey::and)
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
    /// Whether routes that are still to be followed are counted path by path; else their ranks are kept.
    counts: bool,
    counted: Counted,
    /// Per source switch the ranks of the paths that routes take and that are still to be followed.
    ranks: Vec<Vec<u64>>,
}

impl Search {
    fn new(moves: &LegalMoves<'_>) -> Search {
        let graph = moves.graph();
        Search {
            toward: Toward::new(graph),
            steps: Steps::default(),
            at: None,
            taken: vec![0; graph.switches()],
            counts: false,
            counted: Counted::default(),
            ranks: vec![Vec::new(); graph.switches()],
        }
    }

    fn toward_switch(&mut self, moves: &LegalMoves<'_>, switch: SwitchId) {
        if self.at != Some(switch) {
            self.steps.search(moves, &mut self.toward, switch);
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
                    let rank = self.rank(draw, from, self.toward.paths(State::start(from)));
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

    /// Chooses the routes that [`Search::row`] does, without their turns: notes which paths they take, and surveys
    /// those pairs at once that take none.
    fn count(
        &mut self,
        ground: &Ground<'_>,
        survey: &mut Survey,
        destination: HostId,
        mut choice: Choice<'_>,
    ) {
        let is_attached = ground.switches[destination.index()].is_some();
        for (source, from) in (0u32..).map(HostId).zip(&ground.switches) {
            let draw = choice.draw(source);
            if !ground.attachments.counts(source, destination) {
                continue;
            }
            let from = from.filter(|_| is_attached);
            match from.map(|from| (from, self.toward.paths(State::start(from)))) {
                Some((from, paths)) if paths > 0 => {
                    let rank = self.rank(draw, from, paths);
                    if self.counts {
                        self.counted.add(State::start(from), rank);
                    } else {
                        self.ranks[from.index()].push(rank);
                    }
                }
                _ if joined(ground.attachments, source, destination) => {}
                _ => survey.miss(source, destination),
            }
        }
    }

    /// Follows the paths that were noted, each once however many routes take it; `minimal` has the least distances of
    /// switches. What is counted does not depend on which of the routes comes first, so that both ways come to the
    /// same.
    fn follow_counted(&mut self, survey: &mut Survey, minimal: &[u32]) {
        if std::mem::take(&mut self.counts) {
            self.counted.follow(survey, (&self.toward, &self.steps), minimal);
            return;
        }
        for (from, ranks) in self.ranks.iter_mut().enumerate() {
            ranks.sort_unstable();
            for same in ranks.chunk_by(|a, b| a == b) {
                survey.follow_path(same.len() as u64, minimal[from], |visit| {
                    self.steps.nth_path(State::start(SwitchId::new(from)), same[0], visit);
                });
            }
            ranks.clear();
        }
    }

    /// The rank of the path that a pair takes out of the `paths` from the switch `from`.
    fn rank(&mut self, draw: Draw<'_>, from: SwitchId, paths: u64) -> u64 {
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
        own.far == End { node: Node::Host(attachments.owner(y)), port: other.port }
    };
    a != b && meets(a, b) && meets(b, a)
}

#[cfg(test)]
mod tests {
    use super::super::directions::{Directions, Root, Tree};
    use super::super::graph::SwitchGraph;
    use super::*;
    use crate::topology::generate;

    /// Wrong if routes counted path by path were followed elsewhere than one by one, or if a limit in between, where
    /// only some switches have few enough paths, changed anything.
    #[test]
    fn routes_followed_together_survey_as_each_alone() {
        for (degree, seed) in (3..7).zip(0..) {
            let size = [("switches", 30), ("degree", degree), ("hosts-per-switch", 3)];
            let network = generate::build("random-regular", &size, seed).unwrap();
            let (graph, attachments) = (SwitchGraph::new(&network), Attachments::lowest(&network));
            let directions = Directions::new(&graph, &attachments, None, &Root::R0, Tree::Bfs);
            let ground = Ground::new(&network, &attachments);
            for moves in [LegalMoves::up_down(&graph, &directions), LegalMoves::unrestricted(&graph)] {
                for selection in [Selection::First, Selection::Random { seed }, Selection::RoundRobin] {
                    let shown = |most| {
                        let choice = |to| Choice::new(selection, to);
                        format!("{:?}", surveyed(&moves, &ground, choice, most))
                    };
                    let alone = shown(0);
                    for most in [100, 200, usize::MAX] {
                        assert!(shown(most) == alone, "degree {degree}, {selection:?}, {most} paths at most");
                    }
                }
            }
        }
    }
}
