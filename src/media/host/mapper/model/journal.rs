//! The journal of a model: how it grew, step by step.
//!
//! Every step bears the time and the messages that the mapper had sent by then. Keeping the journal changes nothing of
//! what a mapper asks and finds; [`Model::play`](super::Model::play) makes the model again from the steps.
//!
//! ```text
//!   0: host h          1: switch behind 0:0          2: switch behind 1:2          3: switch behind 2:-1
//!   4: host g behind 3:4          cable 1:3 - 4:0          3 is 1, its port 0 is 1's port -1
//! ```
//!
//! # Scope and limitations
//! The journal records changes of the model, not single messages: a step bears the time at which the mapper changed its
//! model, which for some algorithms is when a whole switch has been scanned. Memory is proportional to the model.
//!
//! # Source
//! Mainwaring et al. 1997, Fig. 8, shows the sizes of the model graph; the steps are this project's own.
//!
//! # Validation
//! `tests/media/properties/growth.rs`: of every algorithm, the model that the steps make is the map.

use std::collections::BTreeSet;

use super::{Place, VertexId};
use crate::host::mapper::{Doubt, Evidence, Probes};
use simnet_base::units::{Duration, Time};

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
        vertex: VertexId,
        /// The port that its cable leads to, if that is known.
        from: Option<Place>,
        /// Its name.
        name: String,
    },
    /// A switch was found, which may be one that other vertices stand for.
    Switch {
        /// Its vertex, entered at its port 0.
        vertex: VertexId,
        /// The port that it was entered from.
        from: Option<Place>,
    },
    /// The ports of a switch are asked, or were asked by another mapper.
    Explored {
        /// A vertex of it.
        vertex: VertexId,
    },
    /// A switch answers behind a port; which one is not known yet.
    Open {
        /// The port.
        at: Place,
    },
    /// A cable joins two ports of vertices that are known.
    Cable {
        /// One end.
        a: Place,
        /// The other.
        b: Place,
    },
    /// Two vertices are one switch: of those that were made first of all that stand for either.
    Merged {
        /// The vertex that goes.
        vertex: VertexId,
        /// The vertex that stays, and its port that is port 0 of the one that goes.
        into: Place,
    },
    /// The cable at a port is taken away, with what it led to: a branch in which no host answered.
    Pruned {
        /// The port.
        at: Place,
    },
    /// All is forgotten: the first switch was none.
    Forgotten,
    /// A reason for doubt was seen for the first time.
    Doubted(Doubt),
    /// The map is drawn.
    Finished,
}

impl Change {
    /// The names of changes, as files spell them.
    pub const NAMES: [&str; 10] = [
        "host",
        "switch",
        "explored",
        "open",
        "cable",
        "merged",
        "pruned",
        "forgotten",
        "doubted",
        "finished",
    ];

    /// The change's name.
    pub const fn name(&self) -> &'static str {
        let nth = match self {
            Change::Host { .. } => 0,
            Change::Switch { .. } => 1,
            Change::Explored { .. } => 2,
            Change::Open { .. } => 3,
            Change::Cable { .. } => 4,
            Change::Merged { .. } => 5,
            Change::Pruned { .. } => 6,
            Change::Forgotten => 7,
            Change::Doubted(_) => 8,
            Change::Finished => 9,
        };
        Change::NAMES[nth]
    }

    /// What the change is about, as files list it: a place, another, and a name.
    pub fn cells(&self) -> (Option<Place>, Option<Place>, &str) {
        match self {
            Change::Host { vertex, from, name } => (Some(Place::entry(*vertex)), *from, name),
            Change::Switch { vertex, from } => (Some(Place::entry(*vertex)), *from, ""),
            Change::Explored { vertex } => (Some(Place::entry(*vertex)), None, ""),
            Change::Open { at } | Change::Pruned { at } => (Some(*at), None, ""),
            Change::Cable { a, b } => (Some(*a), Some(*b), ""),
            Change::Merged { vertex, into } => (Some(Place::entry(*vertex)), Some(*into), ""),
            Change::Doubted(doubt) => (None, None, doubt.name()),
            Change::Forgotten | Change::Finished => (None, None, ""),
        }
    }

    /// The change of this name and with these cells; `None` where a place is missing, and for what no model shows:
    /// doubts and the end.
    pub fn of_cells(name: &str, near: Option<Place>, far: Option<Place>, text: &str) -> Option<Change> {
        let vertex = near.map(|near| near.vertex);
        Some(match name {
            "host" => Change::Host { vertex: vertex?, from: far, name: text.to_owned() },
            "switch" => Change::Switch { vertex: vertex?, from: far },
            "explored" => Change::Explored { vertex: vertex? },
            "open" => Change::Open { at: near? },
            "cable" => Change::Cable { a: near?, b: far? },
            "merged" => Change::Merged { vertex: vertex?, into: far? },
            "pruned" => Change::Pruned { at: near? },
            "forgotten" => Change::Forgotten,
            _ => return None,
        })
    }
}

/// The steps of one mapper so far. Every step costs O(1).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Journal {
    steps: Vec<Step>,
    vertices: VertexId,
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
    pub(in crate::host::mapper) fn begin(&mut self, now: Time) {
        self.began = now;
    }

    /// Notes the time, what was sent by now and what was noticed meanwhile, for the steps to come.
    pub(in crate::host::mapper) fn stamp(&mut self, now: Time, probes: &Probes, evidence: &Evidence) {
        (self.time, self.probes) = (now.since(self.began), probes.total().sent);
        evidence.signs().for_each(|doubt| self.doubt(doubt));
    }

    /// A host was heard of for the first time; gives its vertex.
    pub(in crate::host::mapper) fn host(&mut self, name: &str) -> VertexId {
        let vertex = self.make();
        self.note(Change::Host { vertex, from: None, name: name.to_owned() });
        vertex
    }

    /// A switch was found; gives its vertex.
    pub(in crate::host::mapper) fn switch(&mut self) -> VertexId {
        let vertex = self.make();
        self.note(Change::Switch { vertex, from: None });
        vertex
    }

    /// A cable joins two ports; if the last step made the vertex of `b`, this is how that was found.
    pub(in crate::host::mapper) fn cable(&mut self, a: Place, b: Place) {
        if let Some(Step { change, .. }) = self.steps.last_mut()
            && let Change::Host { vertex, from, .. } | Change::Switch { vertex, from } = change
            && from.is_none()
            && b == (Place { vertex: *vertex, port: 0 })
            && a.vertex != b.vertex
        {
            *from = Some(a);
            return;
        }
        self.note(Change::Cable { a, b });
    }

    /// Something changed that is neither a new vertex nor a cable nor a doubt.
    pub(in crate::host::mapper) fn note(&mut self, change: Change) {
        self.steps.push(Step { time: self.time, probes: self.probes, change });
    }

    /// The journal of a finished map: what cast doubt on it in the end, and that it is drawn.
    pub(in crate::host::mapper) fn finish(
        mut self,
        time: Duration,
        probes: &Probes,
        doubts: &BTreeSet<Doubt>,
    ) -> Journal {
        (self.time, self.probes) = (time, probes.total().sent);
        doubts.iter().for_each(|doubt| self.doubt(*doubt));
        self.note(Change::Finished);
        self
    }

    fn make(&mut self) -> VertexId {
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
        let spot = |vertex, port| Place { vertex, port };
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
