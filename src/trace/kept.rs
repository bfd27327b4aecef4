//! What a recording keeps of an event: 40 bytes, and its place in the order of the log.

use std::collections::BTreeMap;

use crate::fabric::{Cause, Flow};
use crate::ids::{HostId, LinkId, Node, Port};
use crate::topology::End;
use crate::units::Time;

use super::{Event, Happening, Message};

/// An event as it is kept until its scene ends.
#[derive(Clone, Debug)]
pub(super) struct Kept {
    /// Picoseconds on the scene's clock.
    pub(super) at: u64,
    /// What happened.
    pub(super) what: What,
}

/// Where an event stands in a log: time, phase of the cycle, its port, its worm. Of two alike the one told first comes
/// first.
pub(super) type Key = (u64, u8, u64, u64);

/// What happened. Worms are known by their serials; input and output of a step are ports of one node.
#[derive(Clone, Debug)]
pub(super) enum What {
    Start(Box<Started>),
    Step { step: Step, worm: u64, node: Node, input: Port, output: Port },
    Flow(End, Flow),
    Control(End, bool),
    Deadlock(Box<Formed>),
    Clear(u32, End),
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
pub(super) struct Started {
    pub(super) worm: u64,
    pub(super) port: End,
    pub(super) name: String,
    pub(super) turns: u32,
    pub(super) payload: u32,
}

/// A deadlock.
#[derive(Clone, Debug)]
pub(super) struct Formed {
    pub(super) nth: u32,
    pub(super) members: Vec<(u64, End, End)>,
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

impl Kept {
    /// Its place in the order of the log.
    ///
    /// Within a cycle the order is that of the fabric's phases: what flows holds from the cycle's beginning, heads
    /// arrive, outputs are granted and the others wait, tails leave (or give way to a reset), STOP and GO are sent, and
    /// at its end deadlocks are there and worms are over.
    pub(super) fn key(&self) -> Key {
        let (phase, place) = match &self.what {
            What::Send(message) => (0, u64::from(message.host.0)),
            What::Cable(link, _) => (1, u64::from(link.0)),
            What::Flow(port, _) => (2, place_of(*port)),
            What::Step { step, node, input, output, .. } => match step {
                Step::Arrive => (3, place(*node, *input)),
                Step::Grant => (4, place(*node, *input)),
                Step::Wait => (5, place(*node, *input)),
                Step::Reset => (7, place(*node, *output)),
                Step::Release => (8, place(*node, *input)),
            },
            What::Start(start) => (6, place_of(start.port)),
            What::Frame { port, .. } => (6, place_of(*port)),
            What::Control(port, _) => (9, place_of(*port)),
            What::Clear(nth, _) => (10, u64::from(*nth)),
            What::Deadlock(formed) => (11, u64::from(formed.nth)),
            What::End(worm, _) => (12, *worm),
            What::Receive(message) => (13, u64::from(message.host.0)),
        };
        (self.at, phase, place, self.worm().unwrap_or_default())
    }

    /// The worm whose own doing it is.
    pub(super) fn worm(&self) -> Option<u64> {
        match &self.what {
            What::Start(start) => Some(start.worm),
            What::Step { worm, .. } | What::End(worm, _) => Some(*worm),
            _ => None,
        }
    }
}

/// Numbers worms in order of first sight.
#[derive(Debug, Default)]
pub(super) struct Numbers(BTreeMap<u64, u32>);

impl Numbers {
    /// The event as the log has it.
    pub(super) fn event(&mut self, kept: Kept) -> Event {
        kept.into_event(&mut |worm| {
            let next = u32::try_from(self.0.len()).expect("fewer worms than 2^32 are kept");
            *self.0.entry(worm).or_insert(next)
        })
    }
}

impl Kept {
    /// The event, its worms called as `number` says.
    pub(super) fn into_event(self, number: &mut impl FnMut(u64) -> u32) -> Event {
        Event { at: Time::from_ps(self.at), what: happening(self.what, number) }
    }

    /// An event of a log; its worms go by their numbers there.
    pub(super) fn of(event: &Event) -> Kept {
        let step = |step, worm: u32, input: End, output: End| What::Step {
            step,
            worm: worm.into(),
            node: input.node,
            input: input.port,
            output: output.port,
        };
        let what = match event.what.clone() {
            Happening::Start { worm, port, name, turns, payload } => {
                What::Start(Box::new(Started { worm: worm.into(), port, name, turns, payload }))
            }
            Happening::Arrive { worm, port } => step(Step::Arrive, worm, port, port),
            Happening::Wait { worm, input, output } => step(Step::Wait, worm, input, output),
            Happening::Grant { worm, input, output } => step(Step::Grant, worm, input, output),
            Happening::Release { worm, input, output } => step(Step::Release, worm, input, output),
            Happening::Reset { worm, output } => step(Step::Reset, worm, output, output),
            Happening::Flow { port, flow } => What::Flow(port, flow),
            Happening::Control { port, stop } => What::Control(port, stop),
            Happening::Deadlock { nth, members } => {
                let members = members.into_iter();
                let members = members.map(|(worm, input, output)| (worm.into(), input, output)).collect();
                What::Deadlock(Box::new(Formed { nth, members }))
            }
            Happening::Clear { nth, output } => What::Clear(nth, output),
            Happening::End { worm, fate } => What::End(worm.into(), fate),
            Happening::Cable { link, up } => What::Cable(link, up),
            Happening::Send(message) => What::Send(Box::new(message)),
            Happening::Receive(message) => What::Receive(Box::new(message)),
            Happening::Frame { port, arrives, source, destination, bytes } => {
                What::Frame { port, arrives, source, destination, bytes }
            }
        };
        Kept { at: event.at.as_ps(), what }
    }
}

fn happening(what: What, number: &mut impl FnMut(u64) -> u32) -> Happening {
    match what {
        What::Start(start) => {
            let Started { worm, port, name, turns, payload } = *start;
            Happening::Start { worm: number(worm), port, name, turns, payload }
        }
        What::Step { step, worm, node, input, output } => {
            let worm = number(worm);
            let [input, output] = [input, output].map(|port| End { node, port });
            match step {
                Step::Arrive => Happening::Arrive { worm, port: input },
                Step::Wait => Happening::Wait { worm, input, output },
                Step::Grant => Happening::Grant { worm, input, output },
                Step::Release => Happening::Release { worm, input, output },
                Step::Reset => Happening::Reset { worm, output },
            }
        }
        What::Flow(port, flow) => Happening::Flow { port, flow },
        What::Control(port, stop) => Happening::Control { port, stop },
        What::Deadlock(formed) => {
            let members = formed.members.into_iter();
            let members = members.map(|(worm, input, output)| (number(worm), input, output)).collect();
            Happening::Deadlock { nth: formed.nth, members }
        }
        What::Clear(nth, output) => Happening::Clear { nth, output },
        What::End(worm, fate) => Happening::End { worm: number(worm), fate },
        What::Cable(link, up) => Happening::Cable { link, up },
        What::Send(message) => Happening::Send(*message),
        What::Receive(message) => Happening::Receive(*message),
        What::Frame { port, arrives, source, destination, bytes } => {
            Happening::Frame { port, arrives, source, destination, bytes }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wrong if a recording needed more memory than the reference of `most` says.
    #[test]
    fn an_event_is_kept_in_forty_bytes() {
        assert_eq!(size_of::<Kept>(), 40);
    }
}
