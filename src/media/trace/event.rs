//! Everything that can happen, as the log has it.

use serde::{Deserialize, Serialize};
use std::fmt;

use crate::ethernet::PauseFrame;
use crate::fabric::{Cause, Flow};
use simnet_base::ids::{HostId, LinkId, Turn};
use simnet_base::units::{Duration, Time};
use simnet_network::topology::{End, Network};

/// What a log says before its first event.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Heading {
    /// The scenario's name.
    pub scenario: String,
    /// Its description, if it has one.
    pub description: Option<String>,
    /// Its seed.
    pub seed: u64,
    /// The network, whole.
    pub network: Network,
    /// A base cycle of the fabric.
    pub base_cycle: Duration,
    /// Flits from which on an input port of a switch sends STOP; with credits, as many as its buffer holds.
    pub stop: u32,
    /// Flits that its buffer holds, with credits those of all its lanes together.
    pub buffer: u32,
}

/// A stretch of simulated time with a clock of its own.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scene {
    /// Its position: scenes are in the log in the order in which they were run, or would be with one thread.
    pub nth: u32,
    /// `mapping`, `point`, `operation`, `all-gather`, ...
    pub kind: String,
    /// The position of the load point, from 0, if it is one.
    pub point: Option<u32>,
    /// Its load, if it is a load point of generated traffic.
    pub load: Option<f64>,
    /// How many events it has in the log.
    pub events: u64,
    /// How many happened and were left out by the bounds.
    pub left_out: u64,
    /// From this instant on nothing is left out but what [`Scene::until`] says. Events before it are those that still
    /// mattered then: see [`Bounds`](super::Bounds).
    #[serde(rename = "from_ps", with = "instant")]
    pub from: Time,
    /// Where the end was left out: the instant of the first event that was.
    #[serde(rename = "until_ps", with = "perhaps")]
    pub until: Option<Time>,
}

/// An instant as picoseconds.
mod instant {
    use super::{Deserialize, Time};

    pub(super) fn serialize<S: serde::Serializer>(at: &Time, out: S) -> Result<S::Ok, S::Error> {
        out.serialize_u64(at.as_ps())
    }

    pub(super) fn deserialize<'a, D: serde::Deserializer<'a>>(from: D) -> Result<Time, D::Error> {
        u64::deserialize(from).map(Time::from_ps)
    }
}

/// An instant that need not be, as picoseconds.
mod perhaps {
    use super::{Deserialize, Serialize as _, Time};

    #[expect(clippy::ref_option, reason = "serde hands it over so")]
    pub(super) fn serialize<S: serde::Serializer>(at: &Option<Time>, out: S) -> Result<S::Ok, S::Error> {
        at.map(Time::as_ps).serialize(out)
    }

    pub(super) fn deserialize<'a, D: serde::Deserializer<'a>>(from: D) -> Result<Option<Time>, D::Error> {
        Ok(Option::<u64>::deserialize(from)?.map(Time::from_ps))
    }
}

impl Scene {
    /// A scene of this kind that is no load point: `mapping`, `operation`, `all-gather`.
    pub fn of(nth: u32, kind: &str) -> Scene {
        Scene { nth, kind: kind.to_owned(), ..Scene::default() }
    }

    /// The load point at this position, at this load.
    pub fn point(nth: u32, point: u32, load: Option<f64>) -> Scene {
        Scene { point: Some(point), load, ..Scene::of(nth, "point") }
    }
}

/// One event. Within a scene, events are in order of time; those of one instant in the order of the fabric's phases.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// When, on the scene's clock.
    pub at: Time,
    /// What.
    pub what: EventKind,
}

/// What happened. Worms are numbered within a scene, from 0, in order of first sight.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// `start`: the first flit of a worm is put on the cable at a host's port, or could be if that were not stopped.
    Start {
        /// The worm.
        worm: u32,
        /// The port of the host that sends it.
        port: End,
        /// What it is called: `host#number`, or as a trace of messages calls it.
        name: String,
        /// Its route flits at the start.
        turns: u32,
        /// Its other flits.
        payload: u32,
    },
    /// `arrive`: its head has arrived at an input port.
    Arrive {
        /// The worm.
        worm: u32,
        /// The port.
        port: End,
    },
    /// `wait`: its head is decoded and waits for an output that is held.
    Wait {
        /// The worm.
        worm: u32,
        /// Where its head is.
        input: End,
        /// What it waits for.
        output: End,
    },
    /// `grant`: its head is granted an output.
    Grant {
        /// The worm.
        worm: u32,
        /// Where its head is.
        input: End,
        /// What it is granted.
        output: End,
    },
    /// `release`: its tail has left an input port; the output is free.
    Release {
        /// The worm.
        worm: u32,
        /// What it has left; at its sender the same as the output.
        input: End,
        /// What is free.
        output: End,
    },
    /// `flow`: what flows in and out of a buffer has changed.
    Flow {
        /// The input port.
        port: End,
        /// What flows from now on.
        flow: Flow,
    },
    /// `stop` and `go`: an input port sent STOP, or GO.
    Control {
        /// The port.
        port: End,
        /// Whether it was STOP.
        stop: bool,
    },
    /// `reset`: a forward reset fired at an output against a worm.
    Reset {
        /// The worm.
        worm: u32,
        /// The output.
        output: End,
    },
    /// `deadlock`: a cycle of waiting has closed.
    Deadlock {
        /// Its number in the scene, from 0.
        nth: u32,
        /// Per member the worm, the input port in whose buffer it is in front, and the output that it holds or waits
        /// for: each waits for the next, the last for the first.
        members: Vec<(u32, End, End)>,
    },
    /// `clear`: a deadlock was broken.
    Clear {
        /// Its number in the scene.
        nth: u32,
        /// The output at which it was.
        output: End,
    },
    /// `end`: no flit of a worm is left.
    End {
        /// The worm.
        worm: u32,
        /// The host that took it, or why it was destroyed.
        fate: Result<HostId, Cause>,
    },
    /// `deadlock`: a circle of paused queues has closed.
    Circle {
        /// Its number in the scene, from 0.
        nth: u32,
        /// The priority of its queues.
        priority: u8,
        /// Per queue the input port of its switch that pauses the queue before it, and its output port: each waits for
        /// the next, the last for the first.
        members: Vec<(End, End)>,
    },
    /// `pause`: a PAUSE frame leaves a port (its first bit), or is obeyed there from now on. Pauses that run out there
    /// are written as if they were ended, by one of no quanta.
    Pause {
        /// The port.
        port: End,
        /// Whether it is obeyed there.
        obeyed: bool,
        /// What it says.
        says: PauseFrame,
    },
    /// `cable`: a cable failed or returned.
    Cable {
        /// The cable.
        link: LinkId,
        /// Whether it returned.
        up: bool,
    },
    /// `send`: a process hands a message to its interface.
    Send(Message),
    /// `receive`: a process is given a message.
    Receive(Message),
    /// `frame`: an Ethernet frame leaves a port (its first bit) or arrives at one (its last).
    Frame {
        /// The port.
        port: End,
        /// Whether it arrives.
        arrives: bool,
        /// Who sent it.
        source: HostId,
        /// The host that it is for; `None`: all.
        destination: Option<HostId>,
        /// Its bytes from the destination address to the frame check sequence.
        bytes: u32,
    },
}

/// A message between processes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// The host of the process.
    pub host: HostId,
    /// `host-probe`, `loop-probe`, `host-reply`, `route-table`, `map-request`, `partial-map`, `acknowledgement`.
    pub kind: String,
    /// The number that distinguishes it from others of the same sender, and that its answer repeats.
    pub nonce: u64,
    /// The turns that it is sent along; empty where it is received.
    pub route: Vec<Turn>,
    /// Its flits after all route flits.
    pub length: u32,
    /// Its bytes as a capture has them: see the dissector.
    pub bytes: Vec<u8>,
}

impl fmt::Display for Scene {
    /// What it is called: `mapping`, `point 3, load 0.006`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.kind)?;
        self.point.map_or(Ok(()), |point| write!(f, " {point}"))?;
        self.load.map_or(Ok(()), |load| write!(f, ", load {load}"))
    }
}

impl EventKind {
    /// Whether a circle of waiting has closed.
    pub const fn is_deadlock(&self) -> bool {
        matches!(self, EventKind::Deadlock { .. } | EventKind::Circle { .. })
    }

    /// The names of all kinds.
    pub const NAMES: [&'static str; 17] = [
        "start", "arrive", "wait", "grant", "release", "flow", "stop", "go", "reset", "deadlock", "clear",
        "end", "cable", "send", "receive", "frame", "pause",
    ];

    /// The name of the kind, as in `simnet trace --only`.
    pub const fn name(&self) -> &'static str {
        match self {
            EventKind::Start { .. } => "start",
            EventKind::Arrive { .. } => "arrive",
            EventKind::Wait { .. } => "wait",
            EventKind::Grant { .. } => "grant",
            EventKind::Release { .. } => "release",
            EventKind::Flow { .. } => "flow",
            EventKind::Control { stop: true, .. } => "stop",
            EventKind::Control { stop: false, .. } => "go",
            EventKind::Reset { .. } => "reset",
            EventKind::Deadlock { .. } | EventKind::Circle { .. } => "deadlock",
            EventKind::Pause { .. } => "pause",
            EventKind::Clear { .. } => "clear",
            EventKind::End { .. } => "end",
            EventKind::Cable { .. } => "cable",
            EventKind::Send(_) => "send",
            EventKind::Receive(_) => "receive",
            EventKind::Frame { .. } => "frame",
        }
    }
}
