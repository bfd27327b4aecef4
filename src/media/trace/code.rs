//! Events as bytes: a kind, the time since the event before, then numbers of seven bits a byte.
//!
//! ```text
//!   kind | 0x80?   time   fields              0x80: the time is in picoseconds, else in base cycles
//! ```
//! Numbers are LEB128, least significant first. A node is twice its position, one more for a host; a turn is zigzag.
//! A worm, a text and a list are a number, a length with bytes, a count with items.

use crate::ethernet::PauseFrame;
use crate::fabric::{Cause, Flow};
use simnet_base::ids::{HostId, LinkId, Node, Port, SwitchId, Turn};
use simnet_base::units::Time;
use simnet_network::topology::{End, Network};

use super::leb128::{self, NoNumber, put as number};
use super::{Event, EventKind, Message};

/// The time of the event is written in picoseconds.
const IN_PS: u8 = 0x80;

/// Appends an event; `before` is the time of the event before it.
pub(super) fn put(event: &Event, before: Time, base_ps: u64, out: &mut Vec<u8>) {
    let since = event.at.as_ps().checked_sub(before.as_ps()).expect("events of a log are in order of time");
    let kind = kind(&event.what);
    if since.is_multiple_of(base_ps) {
        out.push(kind);
        number(since / base_ps, out);
    } else {
        out.push(kind | IN_PS);
        number(since, out);
    }
    fields(&event.what, out);
}

/// The number of a kind in the file. Numbers are for ever.
fn kind(what: &EventKind) -> u8 {
    match what {
        EventKind::Start { .. } => 1,
        EventKind::Arrive { .. } => 2,
        EventKind::Wait { .. } => 3,
        EventKind::Grant { .. } => 4,
        EventKind::Release { .. } => 5,
        EventKind::Flow { .. } => 6,
        EventKind::Control { stop: true, .. } => 7,
        EventKind::Control { stop: false, .. } => 8,
        EventKind::Reset { .. } => 9,
        EventKind::Deadlock { .. } => 10,
        EventKind::Clear { .. } => 11,
        EventKind::End { .. } => 12,
        EventKind::Cable { .. } => 13,
        EventKind::Send(_) => 14,
        EventKind::Receive(_) => 15,
        EventKind::Frame { .. } => 16,
        EventKind::Circle { .. } => 17,
        EventKind::Pause { .. } => 18,
    }
}

/// What a PAUSE frame says; its quanta only where a pause can run out.
fn pause(obeyed: bool, says: PauseFrame, out: &mut Vec<u8>) {
    let has_quanta = says.quanta < u16::MAX;
    let how = u32::from(obeyed) | u32::from(has_quanta) << 1;
    numbers([how, u32::from(says.priorities), u32::from(says.paused)], out);
    if has_quanta {
        number(u64::from(says.quanta), out);
    }
}

fn fields(what: &EventKind, out: &mut Vec<u8>) {
    match what {
        EventKind::Start { worm, port, name, turns, payload } => {
            numbers([*worm], out);
            end(*port, out);
            text(name.as_bytes(), out);
            numbers([*turns, *payload], out);
        }
        EventKind::Arrive { worm, port } => {
            numbers([*worm], out);
            end(*port, out);
        }
        EventKind::Wait { worm, input, output }
        | EventKind::Grant { worm, input, output }
        | EventKind::Release { worm, input, output } => {
            numbers([*worm], out);
            end(*input, out);
            end(*output, out);
        }
        EventKind::Flow { port, flow } => {
            end(*port, out);
            numbers([flow.occupancy, flow.inflow, flow.outflow], out);
        }
        EventKind::Control { port, stop: _ } => end(*port, out),
        EventKind::Reset { worm, output } => {
            numbers([*worm], out);
            end(*output, out);
        }
        EventKind::Deadlock { nth, members } => {
            numbers([*nth], out);
            number(members.len() as u64, out);
            for (worm, input, output) in members {
                numbers([*worm], out);
                end(*input, out);
                end(*output, out);
            }
        }
        EventKind::Circle { nth, priority, members } => {
            numbers([*nth, u32::from(*priority)], out);
            number(members.len() as u64, out);
            for (input, output) in members {
                end(*input, out);
                end(*output, out);
            }
        }
        EventKind::Pause { port, obeyed, says } => {
            end(*port, out);
            pause(*obeyed, *says, out);
        }
        EventKind::Clear { nth, output } => {
            numbers([*nth], out);
            end(*output, out);
        }
        EventKind::End { worm, fate } => {
            numbers([*worm], out);
            match fate {
                Ok(host) => numbers([0, host.0], out),
                Err(cause) => number(1 + u64::from(cause.number()), out),
            }
        }
        EventKind::Cable { link, up } => numbers([link.0, u32::from(*up)], out),
        EventKind::Send(message) | EventKind::Receive(message) => self::message(message, out),
        EventKind::Frame { port, arrives, source, destination, bytes } => {
            end(*port, out);
            numbers([u32::from(*arrives), source.0], out);
            number(destination.map_or(0, |host| 1 + u64::from(host.0)), out);
            numbers([*bytes], out);
        }
    }
}

fn message(message: &Message, out: &mut Vec<u8>) {
    numbers([message.host.0], out);
    text(message.kind.as_bytes(), out);
    number(message.nonce, out);
    number(message.route.len() as u64, out);
    for turn in &message.route {
        let turn = i64::from(turn.0);
        number(((turn << 1) ^ (turn >> 63)).cast_unsigned(), out);
    }
    numbers([message.length], out);
    text(&message.bytes, out);
}

fn numbers<const N: usize>(values: [u32; N], out: &mut Vec<u8>) {
    values.into_iter().for_each(|value| number(u64::from(value), out));
}

fn end(end: End, out: &mut Vec<u8>) {
    let node = match end.node {
        Node::Switch(id) => u64::from(id.0) * 2,
        Node::Host(id) => u64::from(id.0) * 2 + 1,
    };
    number(node, out);
    number(u64::from(end.port.0), out);
}

fn text(bytes: &[u8], out: &mut Vec<u8>) {
    number(bytes.len() as u64, out);
    out.extend_from_slice(bytes);
}

/// Bytes that are taken apart. Nothing in them is trusted.
pub(super) struct Cursor<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) position: usize,
}

/// What the numbers of an event must fit.
pub(super) struct World<'a> {
    pub(super) network: &'a Network,
    pub(super) base_ps: u64,
    /// Worms seen so far: the next one has this number.
    pub(super) worms: u32,
}

type Read<T> = Result<T, String>;

impl World<'_> {
    /// Takes the next event; `before` is the time of the event before it.
    ///
    /// # Errors
    /// What is wrong with it, in a sentence.
    pub(super) fn take(&mut self, from: &mut Cursor<'_>, before: Time) -> Read<Event> {
        let first = from.byte()?;
        let unit = if first & IN_PS == 0 { self.base_ps } else { 1 };
        let since = from.number()?.checked_mul(unit);
        let at = since.and_then(|since| before.as_ps().checked_add(since));
        let at = Time::from_ps(at.ok_or("a time of more than 64 bits of picoseconds")?);
        let what = self.kind(first & !IN_PS, from)?;
        Ok(Event { at, what })
    }

    fn kind(&mut self, kind: u8, from: &mut Cursor<'_>) -> Read<EventKind> {
        Ok(match kind {
            1 => EventKind::Start {
                worm: self.worm(from)?,
                port: self.end(from)?,
                name: from.text()?,
                turns: from.small()?,
                payload: from.small()?,
            },
            2 => EventKind::Arrive { worm: self.worm(from)?, port: self.end(from)? },
            3 => {
                let (worm, input, output) = self.step(from)?;
                EventKind::Wait { worm, input, output }
            }
            4 => {
                let (worm, input, output) = self.step(from)?;
                EventKind::Grant { worm, input, output }
            }
            5 => {
                let (worm, input, output) = self.step(from)?;
                EventKind::Release { worm, input, output }
            }
            6 => {
                let port = self.end(from)?;
                let (occupancy, inflow, outflow) = (from.small()?, from.small()?, from.small()?);
                EventKind::Flow { port, flow: Flow { occupancy, inflow, outflow } }
            }
            7 | 8 => EventKind::Control { port: self.end(from)?, stop: kind == 7 },
            9 => EventKind::Reset { worm: self.worm(from)?, output: self.end(from)? },
            10 => {
                let nth = from.small()?;
                let members = (0..from.count()?).map(|_| self.step(from)).collect::<Read<_>>()?;
                EventKind::Deadlock { nth, members }
            }
            11 => EventKind::Clear { nth: from.small()?, output: self.end(from)? },
            12 => {
                let worm = self.worm(from)?;
                let fate = match from.small()? {
                    0 => Ok(self.host(from.small()?)?),
                    cause => {
                        let cause = Cause::ALL.get(cause as usize - 1);
                        Err(*cause.ok_or("a cause that this version does not know")?)
                    }
                };
                EventKind::End { worm, fate }
            }
            13 => {
                let (link, up) = (from.small()?, from.flag()?);
                let there = (link as usize) < self.network.links().len();
                EventKind::Cable { link: there.then_some(LinkId(link)).ok_or("no such cable")?, up }
            }
            14 => EventKind::Send(self.message(from)?),
            15 => EventKind::Receive(self.message(from)?),
            16 => EventKind::Frame {
                port: self.end(from)?,
                arrives: from.flag()?,
                source: from.small().and_then(|host| self.host(host))?,
                destination: match from.small()? {
                    0 => None,
                    host => Some(self.host(host - 1)?),
                },
                bytes: from.small()?,
            },
            other => return self.of_pauses(other, from),
        })
    }

    /// An event of pauses.
    fn of_pauses(&self, kind: u8, from: &mut Cursor<'_>) -> Read<EventKind> {
        Ok(match kind {
            17 => {
                let (nth, priority) = (from.small()?, from.octet()?);
                let members = (0..from.count()?).map(|_| Ok((self.end(from)?, self.end(from)?)));
                EventKind::Circle { nth, priority, members: members.collect::<Read<_>>()? }
            }
            18 => {
                let (port, how) = (self.end(from)?, from.small()?);
                let (priorities, paused) = (from.octet()?, from.octet()?);
                let quanta = match how {
                    0 | 1 => u16::MAX,
                    2 | 3 => u16::try_from(from.small()?).map_err(|_| "more quanta than a pause can have")?,
                    _ => return Err("a pause that this version does not know".to_owned()),
                };
                EventKind::Pause {
                    port,
                    obeyed: how & 1 == 1,
                    says: PauseFrame { priorities, paused, quanta },
                }
            }
            other => return Err(format!("events of kind {other} are unknown to this version")),
        })
    }

    fn step(&mut self, from: &mut Cursor<'_>) -> Read<(u32, End, End)> {
        Ok((self.worm(from)?, self.end(from)?, self.end(from)?))
    }

    fn worm(&mut self, from: &mut Cursor<'_>) -> Read<u32> {
        let worm = from.small()?;
        if worm > self.worms {
            return Err(format!("worm {worm} comes before worm {}", self.worms));
        }
        self.worms = self.worms.max(worm.saturating_add(1));
        Ok(worm)
    }

    fn host(&self, position: u32) -> Read<HostId> {
        let there = (position as usize) < self.network.hosts().len();
        there.then_some(HostId(position)).ok_or_else(|| format!("the network has no host {position}"))
    }

    fn end(&self, from: &mut Cursor<'_>) -> Read<End> {
        let (node, port) = (from.small()?, from.small()?);
        let position = node / 2;
        let node = if node % 2 == 1 {
            Node::Host(self.host(position)?)
        } else if (position as usize) < self.network.switches().len() {
            Node::Switch(SwitchId(position))
        } else {
            return Err(format!("the network has no switch {position}"));
        };
        let (first, ports) = self.network.port_range(node);
        let port =
            u16::try_from(port).ok().filter(|port| port.checked_sub(first).is_some_and(|it| it < ports));
        let port = port.ok_or_else(|| format!("`{}` has no such port", self.network.name_of(node)))?;
        Ok(End { node, port: Port(port) })
    }

    fn message(&self, from: &mut Cursor<'_>) -> Read<Message> {
        Ok(Message {
            host: from.small().and_then(|host| self.host(host))?,
            kind: from.text()?,
            nonce: from.number()?,
            route: (0..from.count()?).map(|_| from.turn()).collect::<Read<_>>()?,
            length: from.small()?,
            bytes: from.bytes()?.to_vec(),
        })
    }
}

impl<'a> Cursor<'a> {
    fn byte(&mut self) -> Read<u8> {
        let byte = *self.bytes.get(self.position).ok_or("an event ends in the middle")?;
        self.position += 1;
        Ok(byte)
    }

    fn number(&mut self) -> Read<u64> {
        let mut rest = &self.bytes[self.position..];
        let value = leb128::take(&mut rest).map_err(|fault| match fault {
            NoNumber::Cut => "an event ends in the middle",
            NoNumber::TooLong => "a number of more than 64 bits",
        })?;
        self.position = self.bytes.len() - rest.len();
        Ok(value)
    }

    fn small(&mut self) -> Read<u32> {
        u32::try_from(self.number()?).map_err(|_| "a number of more than 32 bits".to_owned())
    }

    fn octet(&mut self) -> Read<u8> {
        u8::try_from(self.number()?).map_err(|_| "a number of more than 8 bits".to_owned())
    }

    fn flag(&mut self) -> Read<bool> {
        match self.number()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err("neither yes nor no".to_owned()),
        }
    }

    fn turn(&mut self) -> Read<Turn> {
        let zigzag = self.number()?;
        let turn = (zigzag >> 1).cast_signed() ^ -(zigzag & 1).cast_signed();
        i16::try_from(turn).map(Turn).map_err(|_| "a turn that no switch has".to_owned())
    }

    /// How many items follow, each of at least one byte.
    fn count(&mut self) -> Read<usize> {
        let left = self.bytes.len() - self.position;
        let count = usize::try_from(self.number()?).ok().filter(|count| *count <= left);
        count.ok_or_else(|| "more items than there are bytes".to_owned())
    }

    fn bytes(&mut self) -> Read<&'a [u8]> {
        let length = self.count()?;
        let bytes =
            self.bytes.get(self.position..self.position + length).ok_or("a text ends in the middle")?;
        self.position += length;
        Ok(bytes)
    }

    fn text(&mut self) -> Read<String> {
        let bytes = self.bytes()?.to_vec();
        String::from_utf8(bytes).map_err(|_| "a name that is not UTF-8".to_owned())
    }
}
