//! Mappers: processes that find out in-band how a network is cabled.
//!
//! Every algorithm is a module with its own `Options` and an `async fn map(host, brief, options) -> Map`; what
//! all of them are given is [`Brief`]. All ask through a [`Prober`], which counts messages by kind and
//! keeps [`Evidence`] of what other traffic or losses may have done to the answers.

pub mod berkeley;
pub mod coupon;
pub mod depth;
mod evidence;
mod findings;
pub mod guarded;
pub mod identified;
pub mod model;
pub mod myricom;
pub mod parallel;
mod probe;
pub mod randomised;
pub mod simplified;
mod sweep;

use std::collections::BTreeSet;

pub use depth::Depth;
pub use evidence::{Evidence, Memory};
pub use probe::{Count, Kind, Prober, Probes, Response, Turns};
pub use sweep::Order;

use super::Host;
use simnet_base::ids::LinkId;
use simnet_base::units::Duration;
use simnet_network::topology::{End, Network};

/// What every mapper is given, whatever its algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Brief {
    /// How many ports the switches have (of the largest, where they differ).
    pub ports: u16,
    /// How long an answer is waited for.
    pub timeout: Duration,
    /// How often a question that brought nothing is asked again.
    pub retries: u32,
    /// Explorations of switches after which the mapper gives up.
    pub explorations: u64,
    /// The bytes that the mapper may use for its model; `None`: no bound. A mapper that needs more gives up.
    pub memory: Option<u64>,
    /// The least length of a probe, in bytes; shorter ones are padded. Guards and scouts have lengths of their own.
    pub length: u32,
}

impl Default for Brief {
    /// Switches of eight ports, 1 ms, no retries, probes as long as what they say.
    fn default() -> Brief {
        let timeout = Duration::from_ms(1);
        Brief { ports: 8, timeout, retries: 0, explorations: 20_000, memory: None, length: 0 }
    }
}

impl Brief {
    /// The default for a network whose largest switch has more than eight ports: a window of as many.
    ///
    /// The mapper knows what kind of switches there are, as whoever installs it would; nothing else.
    pub fn for_switches_of(network: &Network) -> Brief {
        let largest = network.switches().iter().map(|switch| switch.ports).max().unwrap_or(0);
        let default = Brief::default();
        Brief { ports: largest.clamp(default.ports, MOST_PORTS), ..default }
    }
}

/// The most ports whose turns fit a [`Turn`](simnet_base::ids::Turn).
const MOST_PORTS: u16 = 1 << 15;

/// An algorithm with its options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Algorithm {
    /// Explores a tree of routes and merges replicates (mainwaring1997).
    Berkeley(berkeley::Options),
    /// The same as the paper first states it: all routes up to a depth, labels, pruning.
    Simplified(simplified::Options),
    /// Depth-first branches at random mixed into Berkeley's search.
    Randomised(randomised::Options),
    /// Compares switches by probes before it explores them (mainwaring1997, section 4).
    Myricom(myricom::Options),
    /// Sends messages of maximal depth in random directions first (mainwaring1997, section 6).
    Coupon(coupon::Options),
    /// Reads the numbers that switches stamp (mainwaring1997, section 6).
    Identified(identified::Options),
    /// Merges what all hosts find around them (mainwaring1997, section 6); alone, it finds all by itself.
    Parallel(parallel::Options),
    /// Identifies every switch by comparisons, with guards behind its scouts or without (hendriks2004).
    Guarded(guarded::Options),
}

impl Algorithm {
    /// The algorithm's name, as scenarios and reports spell it.
    pub fn name(&self) -> &'static str {
        match self {
            Algorithm::Berkeley(_) => "berkeley",
            Algorithm::Simplified(_) => "simplified",
            Algorithm::Randomised(_) => "randomised",
            Algorithm::Myricom(_) => "myricom",
            Algorithm::Coupon(_) => "coupon",
            Algorithm::Identified(_) => "identified",
            Algorithm::Parallel(_) => "parallel",
            Algorithm::Guarded(options) if options.guards => "guarded",
            Algorithm::Guarded(_) => "timed",
        }
    }

    /// Maps the network that `host` is cabled to.
    pub async fn map(&self, host: &mut dyn Host, brief: &Brief) -> Map {
        match self {
            Algorithm::Berkeley(options) => berkeley::map(host, brief, options).await,
            Algorithm::Simplified(options) => simplified::map(host, brief, options).await,
            Algorithm::Randomised(options) => randomised::map(host, brief, options).await,
            Algorithm::Myricom(options) => myricom::map(host, brief, options).await,
            Algorithm::Coupon(options) => coupon::map(host, brief, options).await,
            Algorithm::Identified(options) => identified::map(host, brief, options).await,
            Algorithm::Parallel(options) => parallel::hold(host, brief, options).await,
            Algorithm::Guarded(options) => guarded::map(host, brief, options).await,
        }
    }
}

/// What a mapper found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Map {
    /// The network as far as it was found: hosts by their own names, switches called `s0`, `s1`, ... in order
    /// of discovery, ports equal to the true ones up to one shift a switch. The first host is the mapper's.
    pub network: Network,
    /// Messages truly sent, by kind.
    pub probes: Probes,
    /// Turns tried, by what was found.
    pub turns: Turns,
    /// Switches whose ports were probed, replicates counted.
    pub explorations: u64,
    /// Vertices that the Berkeley mapper took from the frontier, those counted that it skipped because their switch
    /// was explored by then; 0 for other mappers.
    pub popped: u64,
    /// From the first probe to the last answer or time-out.
    pub time: Duration,
    /// Why the map may be wrong, as far as the mapper knows; empty: it is sure.
    pub doubts: BTreeSet<Doubt>,
    /// What the doubts rest on.
    pub evidence: Evidence,
    /// Cables of the map that only one answer speaks for.
    pub unconfirmed_links: BTreeSet<LinkId>,
    /// Ports of the map's switches taken for empty on one question alone.
    pub unconfirmed_ports: BTreeSet<End>,
    /// The model after each exploration.
    pub history: Vec<Growth>,
    /// How the model grew, step by step.
    pub journal: model::Journal,
    /// The most bytes that the model took, by [`Memory`]'s account of a firmware's data structures.
    pub peak_memory: u64,
}

/// The size of a mapper's model after an exploration.
///
/// # Source
/// Mainwaring et al. 1997, Fig. 8.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Growth {
    /// Nodes of the model: hosts, and switches, some of which may still be several vertices.
    pub nodes: u64,
    /// Cables of the model.
    pub edges: u64,
    /// Switches that wait to be explored.
    pub frontier: u64,
}

/// Why a mapper does not trust its own map.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Doubt {
    /// The limit on explorations was reached with switches left to explore.
    Unfinished,
    /// What was seen cannot be one network: a message was lost or strayed, or a host has several cables.
    Contradiction,
    /// The model outgrew the memory that the mapper may use.
    OutOfMemory,
    /// Answers came later, or sooner again, than a quiet network explains: there is other traffic.
    Traffic,
    /// An answer was lost: it came after its time-out, or the question brought one when asked again.
    Loss,
    /// Messages along routes known to be good did not come back.
    Deadlock,
    /// Switches did not stamp what passed them, though the algorithm takes it for granted.
    Unstamped,
}

impl Doubt {
    /// The doubt's name, as reports spell it.
    pub const fn name(self) -> &'static str {
        match self {
            Doubt::Unfinished => "unfinished",
            Doubt::Contradiction => "contradiction",
            Doubt::OutOfMemory => "out-of-memory",
            Doubt::Traffic => "traffic",
            Doubt::Loss => "loss",
            Doubt::Deadlock => "deadlock",
            Doubt::Unstamped => "unstamped",
        }
    }
}
