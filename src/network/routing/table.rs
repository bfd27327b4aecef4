//! Routes of all pairs of hosts, as the turns that a source puts before its message.

use rayon::prelude::*;
use thiserror::Error;

use simnet_base::ids::{HostId, SwitchId, Turn};

use super::attachments::Attachments;
use super::paths::{LegalMoves, State, Toward};

/// Something that knows the route of every pair of hosts.
pub trait Routes {
    /// Appends the turns from `source` to `destination` to `turns`; `false` without a route, `turns`
    /// untouched.
    fn route(&self, source: HostId, destination: HostId, turns: &mut Vec<Turn>) -> bool;

    /// The service level of what `source` sends to `destination`, by which switches choose lanes: 0 to 15.
    fn service_level(&self, _source: HostId, _destination: HostId) -> u8 {
        0
    }
}

/// The routes of all pairs of hosts, row by row of one destination each.
///
/// Costs 4 bytes and one bit a pair, and 2 bytes a turn: 15 MB for 1,024 hosts on pink; with service levels one byte
/// more a pair.
#[derive(Clone, Debug)]
pub struct RouteTable {
    rows: Vec<Row>,
    turns: usize,
    /// Per destination, per source the service level; empty where all are 0.
    levels: Vec<u8>,
}

/// The routes of a network would fill the memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error(
    "the routes between {hosts} hosts do not fit a table{}: it holds those of {} hosts and {} turns at most",
    if *.turns > 0 { format!(", they have {turns} turns or more") } else { String::new() },
    MOST_HOSTS,
    MOST_TURNS
)]
pub struct TableTooLarge {
    /// How many hosts there are.
    pub hosts: usize,
    /// How many turns of their routes were counted; 0 where the hosts alone are too many.
    pub turns: usize,
}

/// The most hosts whose routes are all put in a table: their pairs alone take 1 GiB.
const MOST_HOSTS: usize = 16_384;

/// The most turns in a table: 2 GiB of them.
const MOST_TURNS: usize = 1 << 30;

impl TableTooLarge {
    /// Refuses more hosts than a table holds the routes of.
    ///
    /// # Errors
    /// [`TableTooLarge`].
    pub fn unless_held(hosts: usize) -> Result<(), TableTooLarge> {
        if hosts > MOST_HOSTS { Err(TableTooLarge { hosts, turns: 0 }) } else { Ok(()) }
    }

    /// Whether a table holds so many turns.
    pub(super) fn holds(turns: usize) -> bool {
        turns <= MOST_TURNS
    }

    /// Refuses more hosts, or more turns, than a table holds, before any route is put into one.
    ///
    /// Costs nothing where the longest of routes would fit, else a search per switch with hosts until the turns are too
    /// many.
    ///
    /// # Errors
    /// [`TableTooLarge`].
    pub(super) fn foreseen(moves: &LegalMoves<'_>, attachments: &Attachments) -> Result<(), TableTooLarge> {
        let hosts = attachments.hosts();
        TableTooLarge::unless_held(hosts)?;
        // A shortest path comes to no switch more than once upwards and once downwards.
        let longest = moves.states();
        if (hosts * hosts).saturating_mul(longest) < MOST_TURNS {
            return Ok(());
        }
        let turns = count_turns(moves, attachments, MOST_TURNS);
        if turns > MOST_TURNS { Err(TableTooLarge { hosts, turns }) } else { Ok(()) }
    }
}

/// How many destinations are looked at side by side between two looks at what has come together.
const AT_ONCE: usize = 256;

/// The turns of shortest routes between all pairs of hosts; stops counting above `enough`, destinations in order.
pub(super) fn count_turns(moves: &LegalMoves<'_>, attachments: &Attachments, enough: usize) -> usize {
    let graph = moves.graph();
    let per_switch = attachments.per_switch(graph.switches(), None);
    let with_hosts: Vec<SwitchId> =
        graph.switch_ids().filter(|switch| per_switch[switch.index()] > 0).collect();
    let mut turns = 0_usize;
    for destinations in with_hosts.chunks(AT_ONCE) {
        let counted = destinations.par_iter().map_init(
            || Toward::new(graph),
            |toward, destination| turns_to(moves, toward, *destination, (&with_hosts, &per_switch)),
        );
        for to_one in counted.collect::<Vec<usize>>() {
            turns = turns.saturating_add(to_one);
            if turns > enough {
                return turns;
            }
        }
    }
    turns
}

/// The turns of shortest routes to the hosts of one switch, of those with so many hosts each.
fn turns_to(
    moves: &LegalMoves<'_>,
    toward: &mut Toward,
    destination: SwitchId,
    (with_hosts, per_switch): (&[SwitchId], &[u32]),
) -> usize {
    toward.search(moves, destination);
    let from = |source: &SwitchId| {
        let distance =
            toward.distance(State::start(*source)).filter(|_| toward.paths(State::start(*source)) > 0);
        distance.map_or(0, |distance| (distance as usize + 1) * per_switch[source.index()] as usize)
    };
    let to_one: usize = with_hosts.iter().map(from).sum();
    // Of a host to itself there is no route; that switch's distance is 0.
    to_one.saturating_sub(1) * per_switch[destination.index()] as usize
}

impl RouteTable {
    /// A table without routes.
    pub(super) fn new(hosts: usize) -> RouteTable {
        RouteTable { rows: vec![Row::default(); hosts], turns: 0, levels: Vec::new() }
    }

    /// A table without routes that is going to hold those of all pairs.
    pub(super) fn for_all_pairs(hosts: usize) -> Result<RouteTable, TableTooLarge> {
        TableTooLarge::unless_held(hosts).map(|()| RouteTable::new(hosts))
    }

    /// Puts in the routes to `destination`, which had none.
    pub(super) fn set_row(&mut self, destination: HostId, mut row: Row) -> Result<(), TableTooLarge> {
        assert_eq!(row.ends.len(), self.rows.len(), "a row names every source");
        self.turns += row.turns.len();
        if self.turns > MOST_TURNS {
            return Err(TableTooLarge { hosts: self.hosts(), turns: self.turns });
        }
        row.turns.shrink_to_fit();
        self.rows[destination.index()] = row;
        Ok(())
    }

    /// Gives every pair its service level: `level(source, destination)`.
    pub(super) fn set_service_levels(&mut self, level: impl Fn(HostId, HostId) -> u8) {
        let ids = || (0..self.hosts()).map(HostId::new);
        let pairs = ids().flat_map(|destination| ids().map(move |source| (source, destination)));
        let levels: Vec<u8> = pairs.map(|(source, destination)| level(source, destination)).collect();
        self.levels = if levels.iter().all(|level| *level == 0) { Vec::new() } else { levels };
    }

    /// How many hosts the table is for.
    pub fn hosts(&self) -> usize {
        self.rows.len()
    }

    /// The turns from `source` to `destination`; `None` without a route, and for a host to itself.
    #[inline]
    pub fn turns(&self, source: HostId, destination: HostId) -> Option<&[Turn]> {
        self.rows[destination.index()].turns(source)
    }

    /// All routes: source, destination, turns; by source, then destination.
    pub fn iter(&self) -> impl Iterator<Item = (HostId, HostId, &[Turn])> + '_ {
        let ids = move || (0..self.hosts()).map(HostId::new);
        let pairs = ids().flat_map(move |source| ids().map(move |destination| (source, destination)));
        pairs
            .filter_map(|(source, destination)| Some((source, destination, self.turns(source, destination)?)))
    }

    /// How many pairs have a route.
    pub fn len(&self) -> usize {
        self.rows.iter().flat_map(|row| &row.ends).filter(|end| **end & ROUTED != 0).count()
    }

    /// Whether no pair has a route.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Routes for RouteTable {
    #[inline]
    fn route(&self, source: HostId, destination: HostId, turns: &mut Vec<Turn>) -> bool {
        let found = self.turns(source, destination);
        turns.extend_from_slice(found.unwrap_or_default());
        found.is_some()
    }

    #[inline]
    fn service_level(&self, source: HostId, destination: HostId) -> u8 {
        self.levels.get(destination.index() * self.hosts() + source.index()).copied().unwrap_or(0)
    }
}

/// The routes to one destination, filled in source by source; nothing in it means no route from anywhere.
#[derive(Clone, Debug, Default)]
pub(super) struct Row {
    /// Per source where its turns end, which begin where those of the source before it end, and [`ROUTED`] if it has a
    /// route (which has no turns if a cable joins the two hosts).
    ends: Vec<u32>,
    turns: Vec<Turn>,
}

/// What is added to the end of a source's turns if it has a route.
const ROUTED: u32 = 1 << 31;
const _: () = assert!(MOST_TURNS < ROUTED as usize, "no end of turns comes near the mark");

impl Row {
    /// An empty row for `hosts` sources.
    pub(super) fn new(hosts: usize) -> Row {
        Row { ends: Vec::with_capacity(hosts), turns: Vec::new() }
    }

    /// The turns from `source`; `None` without a route.
    #[inline]
    pub(super) fn turns(&self, source: HostId) -> Option<&[Turn]> {
        let end = *self.ends.get(source.index())?;
        let start = source.index().checked_sub(1).map_or(0, |before| self.ends[before] & !ROUTED);
        (end & ROUTED != 0).then(|| &self.turns[start as usize..(end & !ROUTED) as usize])
    }

    /// The next source has a route, whose turns `fill` appends.
    pub(super) fn route(&mut self, fill: impl FnOnce(&mut Vec<Turn>)) {
        fill(&mut self.turns);
        self.end(ROUTED);
    }

    /// The next source has no route.
    pub(super) fn skip(&mut self) {
        self.end(0);
    }

    fn end(&mut self, mark: u32) {
        let end = u32::try_from(self.turns.len()).ok().filter(|end| *end < ROUTED);
        self.ends.push(end.expect("16,384 routes of at most 65,536 turns each") | mark);
    }

    /// How many sources were named.
    pub(super) fn sources(&self) -> usize {
        self.ends.len()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{algorithm::Rule, graph::SwitchGraph};
    use super::*;
    use crate::topology::generate;

    /// Wrong if an empty route were taken for none, or a pair for its reverse.
    #[test]
    fn a_route_without_turns_is_a_route() {
        let mut table = RouteTable::new(2);
        let (a, b) = (HostId(0), HostId(1));
        let (mut to_a, mut to_b) = (Row::new(2), Row::new(2));
        to_b.route(|turns| turns.push(Turn(3)));
        to_b.skip();
        to_a.skip();
        to_a.route(|_| ());
        table.set_row(b, to_b).unwrap();
        assert_eq!((table.turns(b, a), table.len()), (None, 1));
        table.set_row(a, to_a).unwrap();
        assert_eq!(table.turns(a, a), None);
        assert_eq!(table.turns(b, a), Some(&[][..]));
        assert_eq!(table.turns(a, b), Some(&[Turn(3)][..]));
        assert_eq!(table.iter().count(), 2);
        let mut turns = vec![Turn(9)];
        assert!(table.route(a, b, &mut turns) && !table.route(a, a, &mut turns));
        assert_eq!(turns, [Turn(9), Turn(3)]);
    }

    /// Wrong if turns were not counted: of two switches with two hosts each, four pairs turn once and eight twice.
    #[test]
    fn turns_are_counted_as_by_hand() {
        let network = generate::build("chain", &[("switches", 2), ("hosts-per-switch", 2)], 1).unwrap();
        let (graph, attachments) = (SwitchGraph::new(&network), Attachments::lowest(&network));
        let rule = Rule::Minimal;
        assert_eq!(count_turns(&rule.moves(&graph), &attachments, usize::MAX), 4 + 8 * 2);
    }

    /// Wrong if a network too large for a table were tried all the same.
    #[test]
    fn a_table_has_a_limit() {
        assert!(RouteTable::for_all_pairs(16_384).is_ok());
        assert_eq!(RouteTable::for_all_pairs(16_385).unwrap_err(), TableTooLarge { hosts: 16_385, turns: 0 });
    }

    /// Wrong if a table held more turns than it says, or fewer.
    #[test]
    fn turns_have_a_limit() {
        assert!(TableTooLarge::holds(1 << 30) && !TableTooLarge::holds((1 << 30) + 1));
    }
}
