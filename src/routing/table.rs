//! Routes of all pairs of hosts, as the turns that a source puts before its message.

use thiserror::Error;

use crate::ids::{HostId, Turn};

/// Something that knows the route of every pair of hosts.
pub trait Routes {
    /// Appends the turns from `source` to `destination` to `turns`; `false` without a route, `turns` untouched.
    fn route(&self, source: HostId, destination: HostId, turns: &mut Vec<Turn>) -> bool;
}

/// The routes of all pairs of hosts, one after the other in memory.
///
/// Costs 4 bytes and one bit a pair, and 2 bytes a turn: 14 MB for 1,024 hosts on pink.
#[derive(Clone, Debug)]
pub struct RouteTable {
    /// Per destination its row: destinations of one switch are filled in together.
    rows: Vec<u32>,
    /// Where the turns of the pair number `row of the destination * hosts + source` begin; one entry more.
    offsets: Vec<u32>,
    turns: Vec<Turn>,
    /// One bit a pair: whether it has a route (which may have no turns, if a cable joins the two hosts).
    routed: Vec<u64>,
}

/// The routes of a network are too long to be held in one table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the routes of {hosts} hosts have more than 2^32 turns together: too many for one table")]
pub struct TableTooLarge {
    /// How many hosts there are.
    pub hosts: usize,
}

impl RouteTable {
    /// How many hosts the table is for.
    pub fn hosts(&self) -> usize {
        self.rows.len()
    }

    /// The turns from `source` to `destination`; `None` without a route, and for a host to itself.
    pub fn turns(&self, source: HostId, destination: HostId) -> Option<&[Turn]> {
        let pair = self.rows[destination.index()] as usize * self.hosts() + source.index();
        let routed = self.routed[pair / 64] >> (pair % 64) & 1 == 1;
        routed.then(|| &self.turns[self.offsets[pair] as usize..self.offsets[pair + 1] as usize])
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
        self.routed.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Whether no pair has a route.
    pub fn is_empty(&self) -> bool {
        self.routed.iter().all(|word| *word == 0)
    }
}

impl Routes for RouteTable {
    fn route(&self, source: HostId, destination: HostId, turns: &mut Vec<Turn>) -> bool {
        let found = self.turns(source, destination);
        turns.extend_from_slice(found.unwrap_or_default());
        found.is_some()
    }
}

/// Fills a table pair by pair: by destination in the order given, then by source in order of position.
pub(super) struct TableBuilder {
    table: RouteTable,
}

impl TableBuilder {
    pub(super) fn new(destinations: &[HostId]) -> TableBuilder {
        let pairs = destinations.len() * destinations.len();
        let mut rows = vec![0; destinations.len()];
        for (row, destination) in (0..).zip(destinations) {
            rows[destination.index()] = row;
        }
        let offsets = Vec::with_capacity(pairs + 1);
        let routed = vec![0; pairs.div_ceil(64)];
        TableBuilder { table: RouteTable { rows, offsets, turns: Vec::new(), routed } }
    }

    /// The next pair has a route, whose turns `fill` appends.
    pub(super) fn route(&mut self, fill: impl FnOnce(&mut Vec<Turn>)) -> Result<(), TableTooLarge> {
        let pair = self.table.offsets.len();
        self.skip()?;
        fill(&mut self.table.turns);
        self.table.routed[pair / 64] |= 1 << (pair % 64);
        Ok(())
    }

    /// The next pair has no route.
    pub(super) fn skip(&mut self) -> Result<(), TableTooLarge> {
        self.table.offsets.push(self.end()?);
        Ok(())
    }

    fn end(&self) -> Result<u32, TableTooLarge> {
        u32::try_from(self.table.turns.len()).map_err(|_| TableTooLarge { hosts: self.table.hosts() })
    }

    /// The table, once every pair was named.
    pub(super) fn finish(mut self) -> Result<RouteTable, TableTooLarge> {
        let hosts = self.table.hosts();
        assert_eq!(self.table.offsets.len(), hosts * hosts, "every pair was named");
        self.table.offsets.push(self.end()?);
        self.table.turns.shrink_to_fit();
        Ok(self.table)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wrong if an empty route were taken for none, or a pair for its reverse.
    #[test]
    fn a_route_without_turns_is_a_route() {
        let mut builder = TableBuilder::new(&[HostId(1), HostId(0)]);
        builder.route(|turns| turns.push(Turn(3))).unwrap();
        builder.skip().unwrap();
        builder.skip().unwrap();
        builder.route(|_| ()).unwrap();
        let table = builder.finish().unwrap();
        let (a, b) = (HostId(0), HostId(1));
        assert_eq!(table.turns(a, a), None);
        assert_eq!(table.turns(b, a), Some(&[][..]));
        assert_eq!(table.turns(a, b), Some(&[Turn(3)][..]));
        assert_eq!(table.len(), 2);
        let mut turns = vec![Turn(9)];
        assert!(table.route(a, b, &mut turns) && !table.route(a, a, &mut turns));
        assert_eq!(turns, [Turn(9), Turn(3)]);
    }
}
