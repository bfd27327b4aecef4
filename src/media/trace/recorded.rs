//! What a recording keeps of an event: 40 bytes, and its place in the order of the log.

use std::collections::BTreeMap;

use crate::ethernet::PauseFrame;
use crate::fabric::{Cause, Flow};
use simnet_base::ids::{HostId, LinkId, Node, Port};
use simnet_base::units::Time;
use simnet_network::topology::End;

use super::{Event, EventKind, Message};

/// An event as it is kept until its scene ends.
#[derive(Clone, Debug)]
pub(super) struct RecordedEvent {
    /// Picoseconds on the scene's clock.
    pub(super) at: u64,
    /// What happened.
    pub(super) what: RecordedKind,
}

/// Where an event stands in a log: time, phase of the cycle, its port, its worm. Of two alike the one reported
/// first comes first.
pub(super) type Key = (u64, u8, u64, u64);

/// What happened. Worms are known by their serials; input and output of a step are ports of one node.
#[derive(Clone, Debug)]
pub(super) enum RecordedKind {
    Start(Box<WormStart>),
    Step { step: Step, worm: u64, node: Node, input: Port, output: Port },
    Flow(End, Flow),
    Control(End, bool),
    Deadlock(Box<DeadlockStart>),
    Clear(u32, End),
    Circle(Box<CircleStart>),
    Pause { port: End, obeyed: bool, says: PauseFrame },
    End(u64, Result<HostId, Cause>),
    Cable(LinkId, bool),
    Send(Box<Message>),
    Receive(Box<Message>),
    Frame { port: End, arrives: bool, source: HostId, destination: Option<HostId>, bytes: u32 },
}

/// What a worm did at a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Arrive,
    Wait,
    Grant,
    Release,
    Reset,
}

/// The start of a worm.
#[derive(Clone, Debug)]
pub(super) struct WormStart {
    pub(super) worm: u64,
    pub(super) port: End,
    pub(super) name: String,
    pub(super) turns: u32,
    pub(super) payload: u32,
}

/// A deadlock.
#[derive(Clone, Debug)]
pub(super) struct DeadlockStart {
    pub(super) nth: u32,
    pub(super) members: Vec<(u64, End, End)>,
}

/// A deadlock of paused queues.
#[derive(Clone, Debug)]
pub(super) struct CircleStart {
    pub(super) nth: u32,
    pub(super) priority: u8,
    pub(super) members: Vec<(End, End)>,
}

fn place(node: Node, port: Port) -> u64 {
    let (kind, id) = match node {
        Node::Switch(id) => (0, id.0),
        Node::Host(id) => (1, id.0),
    };
    (kind << 48) | (u64::from(id) << 16) | u64::from(port.0)
}

fn place_of(end: End) -> u64 {
    place(end.node, end.port)
}

impl RecordedEvent {
    /// Its place in the order of the log.
    ///
    /// Within a cycle the order is that of the fabric's phases: what flows holds from the cycle's beginning, heads
    /// arrive, outputs are granted and the others wait, tails leave (or give way to a reset), STOP and GO are sent, and
    /// at its end deadlocks are there and worms are over.
    pub(super) fn key(&self) -> Key {
        let (phase, place) = match &self.what {
            RecordedKind::Send(message) => (0, u64::from(message.host.0)),
            RecordedKind::Cable(link, _) => (1, u64::from(link.0)),
            RecordedKind::Flow(port, _) => (2, place_of(*port)),
            RecordedKind::Step { step, node, input, output, .. } => match step {
                Step::Arrive => (3, place(*node, *input)),
                Step::Grant => (4, place(*node, *input)),
                Step::Wait => (5, place(*node, *input)),
                Step::Reset => (7, place(*node, *output)),
                Step::Release => (8, place(*node, *input)),
            },
            RecordedKind::Start(start) => (6, place_of(start.port)),
            RecordedKind::Frame { port, .. } => (6, place_of(*port)),
            RecordedKind::Pause { port, .. } => (7, place_of(*port)),
            RecordedKind::Control(port, _) => (9, place_of(*port)),
            RecordedKind::Clear(nth, _) => (10, u64::from(*nth)),
            RecordedKind::Deadlock(formed) => (11, u64::from(formed.nth)),
            RecordedKind::Circle(formed) => (11, u64::from(formed.nth)),
            RecordedKind::End(worm, _) => (12, *worm),
            RecordedKind::Receive(message) => (13, u64::from(message.host.0)),
        };
        (self.at, phase, place, self.worm().unwrap_or_default())
    }

    /// The worm whose own doing it is.
    pub(super) fn worm(&self) -> Option<u64> {
        match &self.what {
            RecordedKind::Start(start) => Some(start.worm),
            RecordedKind::Step { worm, .. } | RecordedKind::End(worm, _) => Some(*worm),
            _ => None,
        }
    }
}

/// Numbers worms in order of first sight.
#[derive(Debug, Default)]
pub(super) struct WormNumbers {
    /// Those that are not over: few, though a log names many more.
    numbers: BTreeMap<u64, u32>,
    next: u32,
}

impl WormNumbers {
    /// The number of a worm.
    pub(super) fn number(&mut self, worm: u64) -> u32 {
        *self.numbers.entry(worm).or_insert_with(|| {
            self.next = self.next.checked_add(1).expect("fewer worms than 2^32 are kept");
            self.next - 1
        })
    }

    /// A worm is over: no event names it from now on.
    pub(super) fn forget(&mut self, worm: u64) {
        self.numbers.remove(&worm);
    }

    /// The event as the log has it.
    pub(super) fn event(&mut self, kept: RecordedEvent) -> Event {
        let over = if let RecordedKind::End(worm, _) = kept.what { Some(worm) } else { None };
        let event = kept.into_event(&mut |worm| self.number(worm));
        over.into_iter().for_each(|worm| self.forget(worm));
        event
    }
}

impl RecordedKind {
    /// Whether a circle of waiting has closed.
    pub(super) fn is_deadlock(&self) -> bool {
        matches!(self, RecordedKind::Deadlock(_) | RecordedKind::Circle(_))
    }

    /// What a worm did on its way from an input to an output of one node.
    fn step(step: Step, worm: u32, input: End, output: End) -> RecordedKind {
        RecordedKind::Step {
            step,
            worm: worm.into(),
            node: input.node,
            input: input.port,
            output: output.port,
        }
    }
}

impl RecordedEvent {
    /// The event, its worms called as `number` says.
    pub(super) fn into_event(self, number: &mut impl FnMut(u64) -> u32) -> Event {
        Event { at: Time::from_ps(self.at), what: kind_of_event(self.what, number) }
    }

    /// An event of a log; its worms go by their numbers there.
    pub(super) fn of(event: &Event) -> RecordedEvent {
        let step = RecordedKind::step;
        let what = match event.what.clone() {
            EventKind::Start { worm, port, name, turns, payload } => {
                RecordedKind::Start(Box::new(WormStart { worm: worm.into(), port, name, turns, payload }))
            }
            EventKind::Arrive { worm, port } => step(Step::Arrive, worm, port, port),
            EventKind::Wait { worm, input, output } => step(Step::Wait, worm, input, output),
            EventKind::Grant { worm, input, output } => step(Step::Grant, worm, input, output),
            EventKind::Release { worm, input, output } => step(Step::Release, worm, input, output),
            EventKind::Reset { worm, output } => step(Step::Reset, worm, output, output),
            EventKind::Flow { port, flow } => RecordedKind::Flow(port, flow),
            EventKind::Control { port, stop } => RecordedKind::Control(port, stop),
            EventKind::Deadlock { nth, members } => {
                let members = members.into_iter();
                let members = members.map(|(worm, input, output)| (worm.into(), input, output)).collect();
                RecordedKind::Deadlock(Box::new(DeadlockStart { nth, members }))
            }
            EventKind::Clear { nth, output } => RecordedKind::Clear(nth, output),
            EventKind::Circle { nth, priority, members } => {
                RecordedKind::Circle(Box::new(CircleStart { nth, priority, members }))
            }
            EventKind::Pause { port, obeyed, says } => RecordedKind::Pause { port, obeyed, says },
            EventKind::End { worm, fate } => RecordedKind::End(worm.into(), fate),
            EventKind::Cable { link, up } => RecordedKind::Cable(link, up),
            EventKind::Send(message) => RecordedKind::Send(Box::new(message)),
            EventKind::Receive(message) => RecordedKind::Receive(Box::new(message)),
            EventKind::Frame { port, arrives, source, destination, bytes } => {
                RecordedKind::Frame { port, arrives, source, destination, bytes }
            }
        };
        RecordedEvent { at: event.at.as_ps(), what }
    }
}

fn kind_of_event(what: RecordedKind, number: &mut impl FnMut(u64) -> u32) -> EventKind {
    match what {
        RecordedKind::Start(start) => {
            let WormStart { worm, port, name, turns, payload } = *start;
            EventKind::Start { worm: number(worm), port, name, turns, payload }
        }
        RecordedKind::Step { step, worm, node, input, output } => {
            let worm = number(worm);
            let [input, output] = [input, output].map(|port| End { node, port });
            match step {
                Step::Arrive => EventKind::Arrive { worm, port: input },
                Step::Wait => EventKind::Wait { worm, input, output },
                Step::Grant => EventKind::Grant { worm, input, output },
                Step::Release => EventKind::Release { worm, input, output },
                Step::Reset => EventKind::Reset { worm, output },
            }
        }
        RecordedKind::Flow(port, flow) => EventKind::Flow { port, flow },
        RecordedKind::Control(port, stop) => EventKind::Control { port, stop },
        RecordedKind::Deadlock(formed) => {
            let members = formed.members.into_iter();
            let members = members.map(|(worm, input, output)| (number(worm), input, output)).collect();
            EventKind::Deadlock { nth: formed.nth, members }
        }
        RecordedKind::Clear(nth, output) => EventKind::Clear { nth, output },
        RecordedKind::Circle(formed) => {
            let CircleStart { nth, priority, members } = *formed;
            EventKind::Circle { nth, priority, members }
        }
        RecordedKind::Pause { port, obeyed, says } => EventKind::Pause { port, obeyed, says },
        RecordedKind::End(worm, fate) => EventKind::End { worm: number(worm), fate },
        RecordedKind::Cable(link, up) => EventKind::Cable { link, up },
        RecordedKind::Send(message) => EventKind::Send(*message),
        RecordedKind::Receive(message) => EventKind::Receive(*message),
        RecordedKind::Frame { port, arrives, source, destination, bytes } => {
            EventKind::Frame { port, arrives, source, destination, bytes }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wrong if a recording needed more memory than the reference of `most` says.
    #[test]
    fn an_event_is_kept_in_forty_bytes() {
        assert_eq!(size_of::<RecordedEvent>(), 40);
    }

    /// Wrong if worms were not numbered in order of first sight, or one that is over kept its number.
    #[test]
    fn worms_are_numbered_in_order_of_first_sight() {
        let mut numbers = WormNumbers::default();
        assert_eq!([70, 50, 70, 60].map(|worm| numbers.number(worm)), [0, 1, 0, 2]);
        let end = RecordedEvent { at: 5, what: RecordedKind::End(50, Ok(HostId(0))) };
        assert!(matches!(numbers.event(end).what, EventKind::End { worm: 1, .. }));
        assert_eq!([50, 70].map(|worm| numbers.number(worm)), [3, 0]);
    }
}
