//! The ring of a scenario, found and followed message by message: the object `rings` of `summary.json`.
//!
//! # Scope and limitations
//! A function of the network and the seed: no time passes and no message is sent.
//!
//! # Source
//! faraj2008, Fig. 5 and Fig. 11.
//!
//! # Validation
//! `tests/it/scenarios/gather.rs`: Fig. 5's rings of 4 and 2 hops; `tests/network/papers/ring_study.rs`: LR3's longest
//! path is about 3 whatever the tree, and LR1's grows from breadth-first over random to depth-first trees.

use serde::Serialize;

use simnet_base::ids::Node;
use simnet_network::ring::{NoTwoHopRing, Tree, judge};
use simnet_network::topology::Network;
use simnet_scenario::Checked;
use simnet_scenario::rings::{Rings, Root};

use super::summary::{Findings, Outcome, Summary};
use super::{Run, RunError, tables};

/// The object `rings` of `summary.json`.
#[derive(Clone, Debug, Serialize)]
pub struct RingReport {
    /// How the tree was found.
    pub tree: &'static str,
    /// How the ring was found.
    pub algorithm: &'static str,
    /// The root of the tree.
    pub root: String,
    /// How many machines there are.
    pub machines: usize,
    /// How many switches.
    pub switches: usize,
    /// The machines in ring order; none if there is no such ring.
    pub hosts: Option<Vec<String>>,
    /// The most switches that a message passes.
    pub max_path_length: Option<usize>,
    /// The least that this can be on that tree, as far as it is known.
    pub max_path_length_bound: Option<usize>,
    /// Whether no channel carries two messages.
    pub contention_free: Option<bool>,
    /// Why there is no such ring.
    pub refused: Option<String>,
}

/// Finds the ring.
///
/// # Errors
/// [`RunError`] if there is no tree.
pub(super) fn run(checked: &Checked, rings: &Rings) -> Result<Run, RunError> {
    let report = RingReport::new(checked, rings)?;
    let summary = Summary::new(checked, Outcome::Drained, Findings::Ring(Box::new(report)));
    let files = vec![tables::network(&checked.topology.network)];
    Ok(Run { summary, files, latencies: Vec::new(), events: 0, messages_delivered: 0 })
}

impl RingReport {
    fn new(checked: &Checked, rings: &Rings) -> Result<RingReport, RunError> {
        let network = &checked.topology.network;
        let root = match rings.root {
            Root::First => Tree::first_root(network),
            Root::Random => Tree::random_root(network, checked.routing_seed),
        }?;
        let tree = Tree::new(network, rings.tree, root, checked.routing_seed)?;
        let none = RingReport {
            tree: rings.tree.name(),
            algorithm: rings.algorithm.name(),
            root: network.name_of(Node::Switch(tree.root)).to_owned(),
            machines: tree.homes.len(),
            switches: network.switches().len(),
            hosts: None,
            max_path_length: None,
            max_path_length_bound: None,
            contention_free: None,
            refused: None,
        };
        Ok(match rings.algorithm.ring(&tree) {
            Ok(ring) => {
                let name = |host: &_| network.name_of(Node::Host(*host)).to_owned();
                RingReport {
                    hosts: Some(ring.hosts.iter().map(name).collect()),
                    max_path_length: Some(ring.max_path_length),
                    max_path_length_bound: Some(ring.bound),
                    contention_free: Some(judge(&tree, &ring.hosts).contention_free),
                    ..none
                }
            }
            Err(refused) => RingReport { refused: Some(refusal(&refused, network)), ..none },
        })
    }
}

/// Why there is no ring of two hops, in words.
pub(super) fn refusal(refused: &NoTwoHopRing, network: &Network) -> String {
    let NoTwoHopRing { switch, machines, switches } = refused;
    let name = network.name_of(Node::Switch(*switch));
    format!("no ring of two hops: switch {name} has {machines} machines and {switches} switches next to it")
}
