//! Tables that a subnet manager can install: one next hop per switch and destination, on one lane or several.
//!
//! # Scope and limitations
//! Routes of [`Plan`](super::Plan) are one per pair of hosts, as a source writes them before its message. A switch of
//! an InfiniBand fabric knows the destination alone: all routes to a destination form a tree. What makes such tables:
//!
//! | engine | next hops | lanes |
//! |---|---|---|
//! | `updown`, `smart` | over an acyclic set of turns, balanced | one |
//! | `dimension-order` | over its turns, balanced | one on a mesh, two on a torus |
//! | `minimal` | on shortest paths, balanced | as few as are found |
//! | `lash` | on shortest paths, one path per pair of switches | as few as are found |
//! | `dfsssp` | on shortest paths, each destination by the loads so far | as few as are found |
//! | `nue` | over turns that close no cycle | as many as are given, one at least |
//!
//! ```text
//!   set of turns, or shortest paths ──▶ next hops ──▶ lanes of paths ──▶ tables ──▶ proof, lane by lane
//! ```
//!
//! A path keeps its lane from source to destination, but for dimension order on a torus (`datelines`); all hosts of a
//! switch send on the same service level to a destination.
//! All cabled ports of hosts have addresses, and may send; distances and loads are those of the ports that hosts are
//! attached by. Where ports have several addresses (a mask of `lmc` bits), each address has next hops of its own.
//!
//! # Source
//! LASH: Skeie, Lysne and Theiss 2002. DFSSSP: Domke, Hoefler and Nagel 2011. Nue: Domke, Hoefler and Matsuoka 2016.
//! Each file names what departs from its paper.
//!
//! # Validation
//! tests/network/oracle/destination.rs: every pair walked hop by hop, and cycles sought over (channel, lane), on random
//! multigraphs; lanes and loads beside OpenSM's.

mod datelines;
mod lanes;
mod load;
mod minimal;
mod next_hops;
mod nue;
mod opensm;
mod over_turns;
mod survey;
mod tree;

use thiserror::Error;

use simnet_base::ids::{HostId, SwitchId};

use crate::topology::Network;

use super::algorithm::{Algorithm, Rule};
use super::allowed_turns::AllowedTurns;
use super::attachments::Attachments;
use super::dimension_order::NotAGrid;
use super::directions::{Directions, Root, Tree};
use super::exceptions::{Aim, Exceptions};
use super::graph::SwitchGraph;
use super::plan::ExceptionalTurns;
use lanes::Lanes;
use minimal::{Tie, minimal};
use next_hops::sending_ports;
pub use next_hops::{NextHops, Target};
pub use opensm::{OpenSm, TooManyPorts};
use over_turns::{TurnSet, balanced};

/// What makes tables of next hops.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Engine {
    /// The rule of an algorithm, kept by next hops.
    Rule(Algorithm),
    /// Layered shortest paths.
    Lash,
    /// Deadlock-free single-source shortest paths.
    Dfsssp,
    /// Routes kept free of cycles while they are found.
    Nue,
}

/// Why a network gets no tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum TablesError {
    /// They would have more entries than addresses, or a port that an entry cannot name.
    #[error("{entries} addresses are too many: a table holds {MOST_ADDRESSES} at most")]
    Large {
        /// How many addresses of hosts and switches there are.
        entries: usize,
    },
    /// More lanes are needed than there are.
    #[error("{needed} lanes are needed, the fewest that were found; given: {given}")]
    Lanes {
        /// The fewest that were found.
        needed: u32,
        /// Those that there are.
        given: u8,
    },
    /// The algorithm is for grids, and the network is none.
    #[error(transparent)]
    Grid(#[from] NotAGrid),
}

/// The unicast addresses (lids) of an InfiniBand subnet: 1 to 0xBFFF.
const MOST_ADDRESSES: usize = 0xBFFF;

/// The most bits of a mask of addresses.
const MOST_LMC: u8 = 7;

/// Tables of next hops, and how they came about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DestinationTables {
    /// What made them.
    pub engine: &'static str,
    /// The roots of its tree; empty without one.
    pub roots: Vec<SwitchId>,
    /// The turns from down to up that its rule allows; `None` where no pair needs one.
    pub exceptions: Option<ExceptionalTurns>,
    /// How many addresses each port of a host has.
    pub paths: usize,
    /// The next hops and the lanes.
    pub hops: NextHops,
}

impl Engine {
    /// All by name: the rules of algorithms with their usual tree and root, then [`Engine::ALL`].
    pub const ROUTERS: &'static [(&'static str, Engine)] = &[
        ("updown", Engine::Rule(Algorithm::UpDown { tree: Tree::Bfs, root: Root::Far })),
        ("smart", Engine::Rule(Algorithm::Smart { tree: Tree::Bfs, root: Root::Far })),
        ("in-transit", Engine::Rule(Algorithm::InTransit { tree: Tree::Bfs, root: Root::Far })),
        ("minimal", Engine::Rule(Algorithm::Minimal)),
        ("dimension-order", Engine::Rule(Algorithm::DimensionOrder)),
        ("lash", Engine::Lash),
        ("dfsssp", Engine::Dfsssp),
        ("nue", Engine::Nue),
    ];

    /// Those that make tables of next hops only, by name.
    pub const ALL: &'static [(&'static str, Engine)] = Engine::ROUTERS.split_at(Algorithm::ALL.len()).1;

    /// Its name.
    pub fn name(&self) -> &'static str {
        match self {
            Engine::Rule(Algorithm::UpDown { .. }) => "updown",
            Engine::Rule(Algorithm::Smart { .. }) => "smart",
            Engine::Rule(Algorithm::InTransit { .. }) => "in-transit",
            Engine::Rule(Algorithm::Minimal) => "minimal",
            Engine::Rule(Algorithm::DimensionOrder) => "dimension-order",
            Engine::Lash => "lash",
            Engine::Dfsssp => "dfsssp",
            Engine::Nue => "nue",
        }
    }

    /// What it does, in a few words.
    pub const fn about(&self) -> &'static str {
        match self {
            Engine::Rule(algorithm) => algorithm.about(),
            Engine::Lash => "shortest ones, pairs of switches put on lanes without cycles",
            Engine::Dfsssp => "shortest ones by load, paths of cycles moved to another lane",
            Engine::Nue => "found without closing a cycle, on any number of lanes",
        }
    }

    /// Whether it can use several lanes.
    pub fn takes_lanes(&self) -> bool {
        let on_one = |algorithm: &Algorithm| {
            matches!(
                algorithm,
                Algorithm::UpDown { .. } | Algorithm::Smart { .. } | Algorithm::InTransit { .. }
            )
        };
        !matches!(self, Engine::Rule(algorithm) if on_one(algorithm))
    }
}

impl DestinationTables {
    /// Finds the next hops, and the lanes.
    ///
    /// `lanes` is how many there are; without, as few are taken as are found (by Nue one). Each host has 2^`lmc`
    /// addresses. `utility` is the host that the root `far` leaves out.
    ///
    /// Costs O(columns x links) for every time that columns are made anew, which is done as often as a fixed number of
    /// steps allows; lanes cost more where there are cycles.
    ///
    /// # Errors
    /// [`TablesError`].
    pub fn new(
        network: &Network,
        attachments: &Attachments,
        engine: &Engine,
        (lanes, lmc, utility): (Option<u8>, u8, Option<HostId>),
    ) -> Result<DestinationTables, TablesError> {
        let rule = match engine {
            Engine::Rule(algorithm) => {
                let graph = SwitchGraph::new(network);
                algorithm.check(&graph)?;
                Some(Rule::new(algorithm, &graph, attachments, utility))
            }
            Engine::Lash | Engine::Dfsssp | Engine::Nue => None,
        };
        DestinationTables::by_rule(network, attachments, (engine, rule.as_ref()), (lanes, lmc))
    }

    /// The same with the rule at hand that the engine's algorithm makes of the network; the others have none.
    ///
    /// # Errors
    /// [`TablesError`].
    ///
    /// # Panics
    /// If an algorithm's rule is missing.
    pub fn by_rule(
        network: &Network,
        attachments: &Attachments,
        (engine, rule): (&Engine, Option<&Rule>),
        (lanes, lmc): (Option<u8>, u8),
    ) -> Result<DestinationTables, TablesError> {
        let graph = SwitchGraph::new(network);
        let paths = 1_usize << lmc.min(MOST_LMC);
        let none = NextHops::none(network, &graph, attachments, paths);
        let sends = sending_ports(network);
        let entries = none.columns() + network.switches().len() + paths;
        if entries > MOST_ADDRESSES {
            return Err(TablesError::Large { entries });
        }
        let (mut has_datelines, mut exceptions) = (false, None);
        let (roots, mut hops) = match engine {
            Engine::Rule(_) => {
                let rule = rule.expect("an algorithm comes with its rule");
                let (mut hops, own) = of_rule(&graph, rule, &sends, &none);
                exceptions = own.map(|own| ExceptionalTurns::new(&own, &graph, network));
                if let Rule::DimensionOrder(order) = rule {
                    has_datelines = datelines::put_on_two_lanes(&graph, order, &sends, &mut hops);
                }
                (rule.roots().to_vec(), hops)
            }
            Engine::Lash => (Vec::new(), lash(&graph, &sends, &none)),
            Engine::Dfsssp => (Vec::new(), minimal(&graph, &sends, &none, (Tie::Load, false))),
            Engine::Nue => (Vec::new(), nue::nue(&graph, &sends, &none, lanes.unwrap_or(1))),
        };
        if has_datelines {
            at_most(u32::from(hops.lanes()), lanes)?;
        } else if engine.takes_lanes() && *engine != Engine::Nue {
            put_on_lanes(&graph, &sends, &mut hops, lanes)?;
        }
        add_management(&graph, &mut hops);
        Ok(DestinationTables { engine: engine.name(), roots, exceptions, paths, hops })
    }
}

/// The next hops of a rule, and the exceptions that they turn by.
fn of_rule(
    graph: &SwitchGraph,
    rule: &Rule,
    sends: &[u32],
    none: &NextHops,
) -> (NextHops, Option<Exceptions>) {
    let sets = match rule {
        Rule::Minimal => return (minimal(graph, sends, none, (Tie::Balance, false)), None),
        // A table of a switch knows of no host that sends on: what is left is up*/down*.
        Rule::UpDown(directions) | Rule::InTransit(directions) => {
            return up_down(graph, directions, sends, none);
        }
        Rule::Smart(smart) => {
            let (turns, spare) = smart.around_tree(graph, sends);
            let all = TurnSet {
                turns: smart.turns().clone(),
                spare: Vec::new(),
                has_detours: true,
                is_relieved: false,
            };
            vec![all, TurnSet { turns, spare, has_detours: true, is_relieved: false }]
        }
        Rule::DimensionOrder(order) => {
            let turns = order.turns().clone();
            vec![TurnSet { turns, spare: Vec::new(), has_detours: false, is_relieved: false }]
        }
    };
    let tables = sets.iter().map(|set| balanced(graph, set, sends, none));
    (tables.min_by_key(|(worth, _)| *worth).expect("there is a set").1, None)
}

/// The most outputs that all sets of exceptions beyond the first have together in all columns: none in large trees.
const OUTPUTS_OF_OTHERS: usize = 1 << 17;

/// The next hops of UP*/DOWN*. Where it has exceptions, other sets of these compete: fewer of them, where single next
/// hops lose a host's pair that they join.
fn up_down(
    graph: &SwitchGraph,
    directions: &Directions,
    sends: &[u32],
    none: &NextHops,
) -> (NextHops, Option<Exceptions>) {
    let up = |by: usize| directions.is_up(graph.sender(by), graph.outputs()[by].to);
    let over = |turns: AllowedTurns, is_relieved: bool| {
        let spare = (0..graph.outputs().len()).map(|by| !up(by)).collect();
        // What a longer way gains, relief gains by others as short.
        let set = TurnSet { turns, spare, has_detours: !is_relieved, is_relieved };
        balanced(graph, &set, sends, none)
    };
    let own = directions.exceptions();
    let (mut worth, mut hops) = over(AllowedTurns::up_down(graph, directions), own.is_some());
    let mut own = own.cloned();
    let loses = worth.0 > 0;
    let others = OUTPUTS_OF_OTHERS / (none.columns() * graph.outputs().len()).max(1);
    let others = if own.is_some() { others.max(usize::from(loses)) } else { 0 };
    if others > 0 {
        let aim = if loses { Aim::NextHops } else { Aim::Loads };
        for other in Exceptions::several(graph, directions, sends, aim).into_iter().take(others) {
            let (by_other, other_hops) = over(other.turns().clone(), true);
            if by_other < worth {
                (worth, hops, own) = (by_other, other_hops, Some(other));
            }
        }
    }
    (hops, own)
}

/// Shortest next hops, alike for all hosts of a switch; of several ways to take them the one on the fewest lanes.
fn lash(graph: &SwitchGraph, sends: &[u32], none: &NextHops) -> NextHops {
    let ties = [Tie::Load, Tie::Port];
    let tables = ties.map(|tie| minimal(graph, sends, none, (tie, true)));
    let counted = tables.map(|hops| (Lanes::few(graph, &hops, sends).count, hops));
    let [first, second] = counted;
    if second.0 < first.0 { second.1 } else { first.1 }
}

/// Refuses more lanes than are given.
fn at_most(needed: u32, given: Option<u8>) -> Result<(), TablesError> {
    let most = given.unwrap_or(u8::MAX);
    if needed > u32::from(most) { Err(TablesError::Lanes { needed, given: most }) } else { Ok(()) }
}

/// Gives every path its lane.
fn put_on_lanes(
    graph: &SwitchGraph,
    sends: &[u32],
    hops: &mut NextHops,
    given: Option<u8>,
) -> Result<(), TablesError> {
    let mut lanes = Lanes::few(graph, hops, sends);
    at_most(lanes.count, given)?;
    lanes.share_out(u32::from(given.unwrap_or(1)));
    let count = u8::try_from(lanes.count).expect("at most as many as are given");
    hops.set_lanes(lanes.rows(), count);
    Ok(())
}

/// Gives switches that a rule leaves without a path to a switch the shortest one: it carries management only.
fn add_management(graph: &SwitchGraph, hops: &mut NextHops) {
    for column in hops.host_columns().end..hops.columns() {
        let (_, to) = hops.target(column);
        let is_lost = |switch: SwitchId| !hops.arrives(graph, column, switch);
        if graph.switch_ids().any(is_lost) {
            let mut tree = tree::Tree::new(graph);
            let weight = vec![1; graph.outputs().len()];
            tree.grow(graph, to, &weight, &vec![None; graph.switches()], |_, _| true);
            hops.set(graph, column, &tree.next);
        }
    }
}
