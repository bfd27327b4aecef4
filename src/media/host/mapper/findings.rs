//! What a search comes to: the map, what it took, and what of it is unsure.

use std::collections::BTreeSet;

use super::model::{Drawing, Journal, Model, Place};
use super::{Doubt, Evidence, Growth, Map, Probes, Turns};
use simnet_base::ids::LinkId;
use simnet_base::units::Duration;
use simnet_network::topology::{End, Network};

/// What every mapper notes while it searches.
#[derive(Debug, Default)]
pub(super) struct Findings {
    /// Switches whose ports were probed, replicates counted.
    pub(super) explorations: u64,
    /// Vertices taken from the frontier, those skipped counted.
    pub(super) popped: u64,
    /// The model after each exploration.
    pub(super) history: Vec<Growth>,
    /// The most bytes that the model took.
    pub(super) peak_memory: u64,
    /// Why the map may be wrong.
    pub(super) doubts: BTreeSet<Doubt>,
}

/// What a mapper sent, what answered, and how far that can be trusted.
pub(super) struct Asked {
    pub(super) probes: Probes,
    pub(super) turns: Turns,
    pub(super) evidence: Evidence,
}

/// A map with those of its parts that rest on one answer, or on one probe without any.
#[derive(Debug)]
pub(super) struct Confirmed {
    pub(super) network: Network,
    pub(super) unconfirmed_links: BTreeSet<LinkId>,
    pub(super) unconfirmed_ports: BTreeSet<End>,
}

impl Confirmed {
    /// A drawing in which these cables and these empty ports are unsure; a cable by its ends in the model.
    pub(super) fn new(
        drawing: Drawing,
        is_unsure: impl Fn(Place, Place) -> bool,
        may_be_cabled: impl Fn(End, Place) -> bool,
    ) -> Confirmed {
        let Drawing { network, cables, empty, .. } = drawing;
        let links = cables.into_iter().filter(|(_, near, far)| is_unsure(*near, *far));
        let ports = empty.into_iter().filter(|(end, place)| may_be_cabled(*end, *place));
        Confirmed {
            network,
            unconfirmed_links: links.map(|(link, ..)| link).collect(),
            unconfirmed_ports: ports.map(|(end, _)| end).collect(),
        }
    }

    /// A map that says nothing of what is unsure.
    pub(super) fn unknown(network: Network) -> Confirmed {
        Confirmed { network, unconfirmed_links: BTreeSet::new(), unconfirmed_ports: BTreeSet::new() }
    }
}

impl Findings {
    /// Notes the model's size after an exploration, with so many switches waiting to be explored.
    pub(super) fn note(&mut self, model: &Model, frontier: usize) {
        self.history.push(model.growth(frontier as u64));
        self.note_memory(model.bytes(frontier as u64));
    }

    /// Notes the bytes that the model takes.
    pub(super) fn note_memory(&mut self, bytes: u64) {
        self.peak_memory = self.peak_memory.max(bytes);
    }

    /// The map of a search that took so long.
    pub(super) fn into_map(self, map: Confirmed, journal: Journal, asked: Asked, time: Duration) -> Map {
        let Findings { explorations, popped, history, peak_memory, doubts } = self;
        let Confirmed { network, unconfirmed_links, unconfirmed_ports } = map;
        let Asked { probes, turns, evidence } = asked;
        Map {
            network,
            journal: journal.finish(time, &probes, &doubts),
            probes,
            turns,
            explorations,
            popped,
            time,
            doubts,
            evidence,
            unconfirmed_links,
            unconfirmed_ports,
            history,
            peak_memory,
        }
    }
}
