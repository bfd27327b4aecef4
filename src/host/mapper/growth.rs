//! The journal of a mapper's model: how it grew, step by step.
//!
//! A model's *vertices* are numbered in the order in which they were made, hosts among them. A switch vertex numbers
//! its ports from the one at which it was entered, its port 0; several vertices may stand for one switch until they
//! are found to be one. Every step bears the time and the messages that the mapper had sent by then. Keeping the
//! journal changes nothing of what a mapper asks and finds.
//!
//! ```text
//!   0: host h          1: switch behind 0:0          2: switch behind 1:2          3: switch behind 2:-1
//!   4: host g behind 3:4          cable 1:3 - 4:0          3 is 1, its port 0 is 1's port -1
//! ```
//!
//! # Scope and limitations
//! The journal tells of the model, not of single messages: a step bears the time at which the mapper changed its
//! model, which for some algorithms is when a whole switch has been scanned. Memory is proportional to the model.
//!
//! # Source
//! Mainwaring et al. 1997, Fig. 8, shows the sizes of the model graph; the steps are this project's own.
//!
//! # Validation
//! `tests/it/growth.rs`: of every algorithm, the network that [`Replay`] makes of the steps is the map.

mod replay;

use std::collections::BTreeSet;

pub use replay::{Replay, Sizes};

use super::{Doubt, Evidence, Probes};
use crate::units::{Duration, Time};

/// A vertex of a model, by order of making.
pub type Vertex = u32;

/// A port of a vertex, as the vertex numbers it; a host's is 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Spot {
    /// The vertex.
    pub vertex: Vertex,
    /// Its port.
    pub port: i32,
}

/// A change of a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// From the mapper's beginning.
    pub time: Duration,
    /// The messages that it had sent.
    pub probes: u64,
    /// What changed.
    pub change: Change,
}

/// What changed in a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// A host was heard of for the first time; the first host is the mapper's own.
    Host {
        /// Its vertex.
        vertex: Vertex,
        /// The port that its cable leads to, if that is known.
        from: Option<Spot>,
        /// Its name.
        name: String,
    },
    /// A switch was found, which may be one that other vertices stand for.
    Switch {
        /// Its vertex, entered at its port 0.
        vertex: Vertex,
        /// The port that it was entered from.
        from: Option<Spot>,
    },
    /// The ports of a switch are asked, or were asked by another mapper.
    Explored {
        /// A vertex of it.
        vertex: Vertex,
    },
    /// A switch answers behind a port; which one is not known yet.
    Open {
        /// The port.
        at: Spot,
    },
    /// A cable joins two ports of vertices that are known.
    Cable {
        /// One end.
        a: Spot,
        /// The other.
        b: Spot,
    },
    /// Two vertices are one switch: of those that were made first of all that stand for either.
    Merged {
        /// The vertex that goes.
        vertex: Vertex,
        /// The vertex that stays, and its port that is port 0 of the one that goes.
        into: Spot,
    },
    /// The cable at a port is taken away, with what it led to: a branch in which no host answered.
    Pruned {
        /// The port.
        at: Spot,
    },
    /// All is forgotten: the first switch was none.
    Forgotten,
    /// A reason for doubt was seen for the first time.
    Doubted(Doubt),
    /// The map is drawn.
    Finished,
}

impl Change {
    /// The change's name, as files spell it.
    pub const fn name(&self) -> &'static str {
        match self {
            Change::Host { .. } => "host",
            Change::Switch { .. } => "switch",
            Change::Explored { .. } => "explored",
            Change::Open { .. } => "open",
            Change::Cable { .. } => "cable",
            Change::Merged { .. } => "merged",
            Change::Pruned { .. } => "pruned",
            Change::Forgotten => "forgotten",
            Change::Doubted(_) => "doubted",
            Change::Finished => "finished",
        }
    }
}

/// The steps of one mapper so far. Every step costs O(1).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Journal {
    steps: Vec<Step>,
    vertices: Vertex,
    doubts: BTreeSet<Doubt>,
    began: Time,
    time: Duration,
    probes: u64,
}

impl Journal {
    /// The steps, in order of time.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Notes when the mapper began: steps count their time from there.
    pub(super) fn begin(&mut self, now: Time) {
        self.began = now;
    }

    /// Notes the time, what was sent by now and what was noticed meanwhile, for the steps to come.
    pub(super) fn stamp(&mut self, now: Time, probes: &Probes, evidence: &Evidence) {
        (self.time, self.probes) = (now.since(self.began), probes.total().sent);
        evidence.signs().for_each(|doubt| self.doubt(doubt));
    }

    /// A host was heard of for the first time; gives its vertex.
    pub(super) fn host(&mut self, name: &str) -> Vertex {
        let vertex = self.make();
        self.note(Change::Host { vertex, from: None, name: name.to_owned() });
        vertex
    }

    /// A switch was found; gives its vertex.
    pub(super) fn switch(&mut self) -> Vertex {
        let vertex = self.make();
        self.note(Change::Switch { vertex, from: None });
        vertex
    }

    /// A cable joins two ports; if the last step made the vertex of `b`, this is how that was found.
    pub(super) fn cable(&mut self, a: Spot, b: Spot) {
        if let Some(Step { change, .. }) = self.steps.last_mut()
            && let Change::Host { vertex, from, .. } | Change::Switch { vertex, from } = change
            && from.is_none()
            && b == (Spot { vertex: *vertex, port: 0 })
            && a.vertex != b.vertex
        {
            *from = Some(a);
            return;
        }
        self.note(Change::Cable { a, b });
    }

    /// Something changed that is neither a new vertex nor a cable nor a doubt.
    pub(super) fn note(&mut self, change: Change) {
        self.steps.push(Step { time: self.time, probes: self.probes, change });
    }

    /// The journal of a finished map: what cast doubt on it in the end, and that it is drawn.
    pub(super) fn finish(mut self, time: Duration, probes: &Probes, doubts: &BTreeSet<Doubt>) -> Journal {
        (self.time, self.probes) = (time, probes.total().sent);
        doubts.iter().for_each(|doubt| self.doubt(*doubt));
        self.note(Change::Finished);
        self
    }

    fn make(&mut self) -> Vertex {
        self.vertices += 1;
        self.vertices - 1
    }

    fn doubt(&mut self, doubt: Doubt) {
        if self.doubts.insert(doubt) {
            self.note(Change::Doubted(doubt));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cable_to_what_was_just_made_tells_how_it_was_found() {
        // Wrong if a new vertex took two steps, or if a cable between known ones were lost.
        let mut journal = Journal::default();
        let (host, switch) = (journal.host("h"), journal.switch());
        let spot = |vertex, port| Spot { vertex, port };
        journal.cable(spot(host, 0), spot(switch, 0));
        journal.cable(spot(switch, 1), spot(switch, 3));
        let from = Some(spot(host, 0));
        let changes: Vec<&Change> = journal.steps().iter().map(|step| &step.change).collect();
        assert_eq!(changes[1], &Change::Switch { vertex: switch, from });
        assert_eq!(changes[2], &Change::Cable { a: spot(1, 1), b: spot(1, 3) });
        assert_eq!(changes.len(), 3);
    }

    #[test]
    fn a_doubt_is_noted_once() {
        let mut journal = Journal::default();
        let mut evidence = Evidence::default();
        evidence.late += 1;
        for ms in 1..=2 {
            journal.stamp(Time::ZERO + Duration::from_ms(ms), &Probes::default(), &evidence);
        }
        let journal = journal.finish(Duration::from_ms(3), &Probes::default(), &[Doubt::Loss].into());
        let changes: Vec<&Change> = journal.steps().iter().map(|step| &step.change).collect();
        assert_eq!(changes, [&Change::Doubted(Doubt::Loss), &Change::Finished]);
        assert_eq!(journal.steps()[0].time, Duration::from_ms(1));
    }
}
