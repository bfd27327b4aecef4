//! What speaks for a cable, and what for a port being empty.
//!
//! An answer speaks for every cable that it came over, and both ends of a cable count it. One lost or strayed
//! message can make one answer wrong, hardly two; so a cable is confirmed by two answers, and a port that brought
//! nothing by two probes.
//!
//! # Source
//! Our own: the papers trust each answer.

use std::collections::BTreeSet;

use super::{Far, Model, Place};
use simnet_base::ids::Turn;

/// So many answers confirm a cable, and so many probes without one an empty port.
pub(in crate::host::mapper) const CONFIRMED: u32 = 2;

impl Model {
    /// Counts an answer that came through a place, and so through all that lie between it and the mapper. Costs O(turns
    /// of the route).
    pub(in crate::host::mapper) fn credit(&mut self, place: Place) {
        self.credit_all(Some(place));
    }

    pub(super) fn credit_all(&mut self, mut way: Option<Place>) {
        // A vertex is made after the one that led to it, so this ends.
        while let Some(place) = way {
            self.credit_one(place);
            way = self.vertices[place.vertex].from;
            debug_assert!(way.is_none_or(|from| from.vertex < place.vertex), "{place:?} found from {way:?}");
        }
    }

    /// Counts an answer that came through this place and its cable, and through no other.
    pub(in crate::host::mapper) fn credit_one(&mut self, place: Place) {
        let near = self.resolve(place);
        let port = self.vertices[near.vertex].ports.entry(near.port).or_default();
        port.answers += 1;
        let Far::Cable(far) = port.far else { return };
        let far = self.resolve(far);
        if let Some(port) = self.vertices[far.vertex].ports.get_mut(&far.port) {
            port.answers += 1;
        }
    }

    /// How many answers came through a port of a vertex that stands.
    pub(in crate::host::mapper) fn answers(&self, place: Place) -> u32 {
        self.port(place).map_or(0, |port| port.answers)
    }

    /// How many questions out of a port of a vertex that stands brought nothing.
    pub(in crate::host::mapper) fn noes(&self, place: Place) -> u32 {
        self.port(place).map_or(0, |port| port.noes)
    }

    /// Notes that so many questions out of a place brought nothing.
    pub(in crate::host::mapper) fn deny(&mut self, place: Place, questions: u32) {
        let place = self.resolve(place);
        let port = self.vertices[place.vertex].ports.entry(place.port).or_default();
        self.tally.kept_ports += u64::from(port.noes == 0 && port.far == Far::Nothing);
        port.noes += questions;
    }

    pub(super) fn answers_without_cable(&self, place: Place) -> u32 {
        let port = self.port(place).filter(|port| !matches!(port.far, Far::Cable(_)));
        port.map_or(0, |port| port.answers)
    }

    /// Every cable over which a single answer came: the turns of the question that found it, and the place it
    /// was about.
    pub(in crate::host::mapper) fn once_seen(&self) -> Vec<(Vec<Turn>, Place)> {
        let ports = self.vertices.iter().flat_map(|vertex| vertex.ports.values());
        let once: BTreeSet<Place> = ports
            .filter(|port| port.answers == 1 && matches!(port.far, Far::Cable(_)))
            .map(|port| port.found_from)
            .collect();
        // Turn 0 is the mapper's own cable.
        let asked = |place: &Place| i16::try_from(place.port).is_ok_and(|turn| turn != 0);
        once.into_iter().filter(asked).map(|place| (self.route_out(place), place)).collect()
    }
}
