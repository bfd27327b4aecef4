//! Shortest routes cut at hosts, where UP*/DOWN* forbids them to go on.
//!
//! # Scope and limitations
//! A shortest route that goes down and then up again is cut at the switch between: there it goes to a host of that
//! switch, which takes the worm out of the network and sends it on from the start of a new piece. Each piece is
//! up*/down*, and a host has room for whatever comes, so that no worm in the network waits for one beyond a cut: the
//! dependencies are those of the pieces, and these make no cycle.
//!
//! ```text
//!   a --down--> b --up--> c      =>      a --down--> b ==> host ==> b --up--> c
//!                                        turns:        to its port, 0 at the host, on from its port
//! ```
//! Pieces are as long as they can be, which makes the fewest cuts of a route; which shortest route a pair takes, the
//! selection says, cuts or not. The host is the one at position (source + destination) modulo their number of those of
//! the switch, the pair's positions in the network: the pairs are spread over them. A route whose cut would be at a
//! switch without hosts is replaced by the first of the shortest up*/down* routes, and the report says for which pairs.
//!
//! # Source
//! In-transit buffers: Flich, Lopez, Malumbres and Duato 2002, *Boosting the performance of Myrinet networks*, IEEE
//! Transactions on Parallel and Distributed Systems 13(7), of which the abstract was at hand: packets are ejected at
//! intermediate hosts and re-injected, which allows minimal routes. Which shortest route is cut, which host is
//! taken, and the replacement, are our choices.
//!
//! # Validation
//! tests/network/oracle/in_transit.rs: routes followed cable by cable on random networks, and their dependencies.

use crate::topology::Network;
use simnet_base::ids::{HostId, Node, Port, SwitchId, Turn};

use super::attachments::Attachments;
use super::directions::Directions;
use super::graph::{SwitchGraph, Wiring};
use super::paths::LegalMoves;
use super::plan::PlanError;
use super::select::{Selection, select_routes};
use super::survey::MOST_EXAMPLES;
use super::table::{RouteTable, Row};

/// The pairs whose shortest route would be cut at a switch without hosts: theirs goes up*, then down*, in one piece.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Uncut {
    /// How many there are.
    pub pairs: u64,
    /// The first few: source, destination.
    pub examples: Vec<(HostId, HostId)>,
}

/// Cuts the routes of a table at hosts so that each piece goes up*, then down*; and which could not be cut. Costs
/// O(turns), and a search per switch with hosts.
///
/// # Errors
/// [`PlanError::Table`] if the routes do not fit a table with their cuts.
pub(super) fn cut_at_hosts(
    (network, graph): (&Network, &SwitchGraph),
    attachments: &Attachments,
    directions: &Directions,
    table: &RouteTable,
) -> Result<(RouteTable, Uncut), PlanError> {
    let legal = select_routes(&LegalMoves::up_down(graph, directions), attachments, Selection::First)?;
    let cuts =
        Cuts { wiring: Wiring::new(network), attachments, directions, hosts: ports(graph, attachments) };
    let mut cut = RouteTable::new(attachments.hosts());
    let mut uncut = Uncut::default();
    let ids = || (0..attachments.hosts()).map(HostId::new);
    for destination in ids() {
        let mut row = Row::new(attachments.hosts());
        for source in ids() {
            let Some(shortest) = table.turns(source, destination) else {
                row.skip();
                continue;
            };
            if let Some(turns) = cuts.cut((source, destination), shortest) {
                row.route(|all| all.extend(turns));
                continue;
            }
            uncut.note(source, destination);
            match legal.turns(source, destination) {
                Some(turns) => row.route(|all| all.extend(turns)),
                None => row.skip(),
            }
        }
        cut.set_row(destination, row)?;
    }
    Ok((cut, uncut))
}

/// Whether hosts have to send on what takes some route of the table. Costs O(turns).
pub fn sends_on(network: &Network, attachments: &Attachments, table: &RouteTable) -> bool {
    let wiring = Wiring::new(network);
    table.iter().any(|(source, _, turns)| {
        let (mut taken, mut is_cut) = (0, false);
        if let Some(cable) = attachments.of(source) {
            wiring.walk(cable.far, turns, |_, _, _, wire| {
                taken += 1;
                if let Node::Host(_) = wire.to.node
                    && turns.get(taken) == Some(&Turn(0))
                {
                    (taken, is_cut) = (taken + 1, true);
                }
            });
        }
        is_cut
    })
}

impl Uncut {
    fn note(&mut self, source: HostId, destination: HostId) {
        self.pairs += 1;
        if self.examples.len() < MOST_EXAMPLES {
            self.examples.push((source, destination));
        }
    }
}

/// Per switch the ports of its hosts, hosts in order; a host sends nothing on by its further ports.
fn ports(graph: &SwitchGraph, attachments: &Attachments) -> Vec<Vec<Port>> {
    let mut ports = vec![Vec::new(); graph.switches()];
    for host in attachments.ids().filter(|host| attachments.owner(*host) == *host) {
        if let Some((switch, port)) = attachments.switch(host) {
            ports[switch.index()].push(port);
        }
    }
    ports
}

struct Cuts<'a> {
    wiring: Wiring,
    attachments: &'a Attachments,
    directions: &'a Directions,
    hosts: Vec<Vec<Port>>,
}

impl Cuts<'_> {
    /// A route with its cuts; none where one would be at a switch without hosts.
    fn cut(&self, (source, destination): (HostId, HostId), turns: &[Turn]) -> Option<Vec<Turn>> {
        let mut cut = Vec::with_capacity(turns.len());
        let (mut went_down, mut is_possible) = (false, true);
        let from = self.attachments.of(source)?.far;
        self.wiring.walk(from, turns, |switch, input, output, wire| {
            let Node::Switch(to) = wire.to.node else {
                cut.push(input.turn_to(output));
                return;
            };
            let is_up = self.directions.is_up(switch, to);
            if !(is_up && went_down) {
                cut.push(input.turn_to(output));
                went_down = !is_up;
                return;
            }
            went_down = false;
            match self.host(switch, source.index() + destination.index()) {
                Some(host) => cut.extend([input.turn_to(host), Turn(0), host.turn_to(output)]),
                None => is_possible = false,
            }
        });
        is_possible.then_some(cut)
    }

    /// The port of one of the hosts of a switch.
    fn host(&self, switch: SwitchId, nth: usize) -> Option<Port> {
        let ports = &self.hosts[switch.index()];
        (!ports.is_empty()).then(|| ports[nth % ports.len()])
    }
}
