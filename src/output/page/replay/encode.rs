//! Events as bytes that fit into a page, and back.
//!
//! Per event: a varint of 32 times the time since the event before plus the kind, then the kind's numbers as
//! varints. A *place* is a port by its cable: `2 x link` is the link's end `a`, `2 x link + 1` its end `b`, so that the
//! far end of a cable is one bit away; a port without a cable is the number after the last. `replay-model.js` reads it.

use std::collections::BTreeMap;

use simnet_base::ids::{HostId, LinkId, Turn};
use simnet_base::units::Time;
use simnet_media::ethernet::PauseFrame;
use simnet_media::fabric::{Cause, Flow};
use simnet_media::trace::{Event, EventKind, Message, leb128};
use simnet_network::topology::{End, Network};

/// The kind of a deadlock of queues; the others are known by their names.
const CIRCLE: usize = EventKind::NAMES.len();

/// Events of one scene as the page holds them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Encoded {
    /// Picoseconds of a unit of time.
    pub unit_ps: u64,
    /// The worms' names; a worm is its position here.
    pub worms: Vec<String>,
    /// Per worm, its number in the log.
    pub numbers: Vec<u32>,
    /// The kinds of messages between processes; a kind is its position here.
    pub kinds: Vec<String>,
    /// All events.
    pub bytes: Vec<u8>,
    /// How many.
    pub count: usize,
}

/// Encodes events of one scene, given in order of time. `unit_ps` is used if all times are multiples of it.
pub fn encode<'a>(
    network: &Network,
    unit_ps: u64,
    events: impl Iterator<Item = &'a Event> + Clone,
) -> Encoded {
    let even = unit_ps > 0 && events.clone().all(|event| event.at.as_ps().is_multiple_of(unit_ps));
    let unit_ps = if even { unit_ps } else { 1 };
    let encoded = Encoded { unit_ps, ..Encoded::default() };
    let mut writer = Writer { network, worms: BTreeMap::new(), encoded };
    let mut last = 0;
    for event in events {
        let now = event.at.as_ps() / unit_ps;
        let kind = match event.what {
            EventKind::Circle { .. } => CIRCLE,
            _ => EventKind::NAMES.iter().position(|name| *name == event.what.name()).unwrap_or(0),
        };
        // A stretch that no run has is shortened.
        writer.number((now - last).min(u64::MAX / 32 - 1) * 32 + kind as u64);
        writer.happening(&event.what);
        writer.encoded.count += 1;
        last = now;
    }
    writer.encoded
}

struct Writer<'a> {
    network: &'a Network,
    /// Numbers of worms in the log, and here.
    worms: BTreeMap<u32, usize>,
    encoded: Encoded,
}

impl Writer<'_> {
    fn number(&mut self, number: u64) {
        leb128::put(number, &mut self.encoded.bytes);
    }

    fn numbers<const N: usize>(&mut self, numbers: [u64; N]) {
        numbers.into_iter().for_each(|number| self.number(number));
    }

    fn worm(&mut self, worm: u32) -> usize {
        let next = self.worms.len();
        let index = *self.worms.entry(worm).or_insert(next);
        if index == next {
            self.encoded.worms.push(format!("worm {worm}"));
            self.encoded.numbers.push(worm);
        }
        self.number(index as u64);
        index
    }

    fn place(&mut self, end: End) {
        let place = place(self.network, end);
        self.number(place);
    }

    fn happening(&mut self, what: &EventKind) {
        match what {
            EventKind::Start { worm, port, name, turns, payload } => {
                let index = self.worm(*worm);
                self.encoded.worms[index].clone_from(name);
                self.place(*port);
                self.number(u64::from(*turns));
                self.number(u64::from(*payload));
            }
            EventKind::Arrive { worm, port } => {
                self.worm(*worm);
                self.place(*port);
            }
            EventKind::Wait { worm, input, output }
            | EventKind::Grant { worm, input, output }
            | EventKind::Release { worm, input, output } => {
                self.worm(*worm);
                self.place(*input);
                self.place(*output);
            }
            EventKind::Flow { port, flow } => {
                self.place(*port);
                self.numbers([flow.occupancy, flow.inflow, flow.outflow].map(u64::from));
            }
            EventKind::Control { port, .. } => self.place(*port),
            EventKind::Reset { worm, output } => {
                self.worm(*worm);
                self.place(*output);
            }
            EventKind::Deadlock { nth, members } => {
                self.number(u64::from(*nth));
                self.number(members.len() as u64);
                for (worm, input, output) in members {
                    self.worm(*worm);
                    self.place(*input);
                    self.place(*output);
                }
            }
            EventKind::Circle { nth, priority, members } => {
                self.numbers([u64::from(*nth), u64::from(*priority), members.len() as u64]);
                for (input, output) in members {
                    self.place(*input);
                    self.place(*output);
                }
            }
            EventKind::Pause { port, obeyed, says } => {
                self.place(*port);
                self.numbers([u64::from(*obeyed), u64::from(says.priorities), u64::from(says.paused)]);
            }
            EventKind::Clear { nth, output } => {
                self.number(u64::from(*nth));
                self.place(*output);
            }
            EventKind::End { worm, fate } => {
                self.worm(*worm);
                self.numbers(match fate {
                    Ok(host) => [0, u64::from(host.0)],
                    Err(cause) => [1 + u64::from(cause.number()), 0],
                });
            }
            EventKind::Cable { link, up } => self.number(u64::from(link.0) * 2 + u64::from(*up)),
            EventKind::Send(message) | EventKind::Receive(message) => self.message(message),
            EventKind::Frame { port, arrives, source, destination, bytes } => {
                self.place(*port);
                let destination = destination.map_or(0, |host| u64::from(host.0) + 1);
                self.numbers([u64::from(*arrives), u64::from(source.0), destination, u64::from(*bytes)]);
            }
        }
    }

    /// The bytes of a message stay out: the page shows none.
    fn message(&mut self, message: &Message) {
        let known = self.encoded.kinds.iter().position(|kind| *kind == message.kind);
        let kind = known.unwrap_or_else(|| {
            self.encoded.kinds.push(message.kind.clone());
            self.encoded.kinds.len() - 1
        });
        let route = message.route.len() as u64;
        let length = u64::from(message.length);
        self.numbers([u64::from(message.host.0), kind as u64, message.nonce, length, route]);
        for turn in &message.route {
            self.number(zigzag(*turn));
        }
    }
}

/// The number of a port; the one after the last if it has no cable.
fn place(network: &Network, end: End) -> u64 {
    match network.link_at(end) {
        Some(id) => 2 * u64::from(id.0) + u64::from(network.link(id).a != end),
        None => 2 * network.links().len() as u64,
    }
}

fn zigzag(turn: Turn) -> u64 {
    if turn.0 < 0 { u64::from(turn.0.unsigned_abs()) * 2 - 1 } else { u64::from(turn.0.unsigned_abs()) * 2 }
}

/// Decodes what [`encode`] made: worms have their numbers of the log again, messages come without their bytes. `None`
/// if the bytes are no such encoding, or name ports without cables.
pub fn decode(network: &Network, encoded: &Encoded) -> Option<Vec<Event>> {
    let mut reader = Reader { network, encoded, bytes: &encoded.bytes };
    let mut now = 0;
    let mut events = Vec::with_capacity(encoded.count);
    for _ in 0..encoded.count {
        let head = reader.number()?;
        now += head / 32;
        let kind = usize::try_from(head % 32).ok()?;
        let what = if kind == CIRCLE {
            reader.circle()?
        } else {
            reader.happening(EventKind::NAMES.get(kind).copied()?)?
        };
        events.push(Event { at: Time::from_ps(now * encoded.unit_ps), what });
    }
    reader.bytes.is_empty().then_some(events)
}

struct Reader<'a> {
    network: &'a Network,
    encoded: &'a Encoded,
    /// Those that are not read yet.
    bytes: &'a [u8],
}

impl Reader<'_> {
    fn number(&mut self) -> Option<u64> {
        leb128::take(&mut self.bytes).ok()
    }

    fn small(&mut self) -> Option<u32> {
        u32::try_from(self.number()?).ok()
    }

    fn index(&mut self) -> Option<usize> {
        usize::try_from(self.number()?).ok()
    }

    fn worm(&mut self) -> Option<u32> {
        let index = self.index()?;
        self.encoded.numbers.get(index).copied()
    }

    fn place(&mut self) -> Option<End> {
        let place = self.index()?;
        let link = self.network.links().get(place / 2)?;
        Some(if place.is_multiple_of(2) { link.a } else { link.b })
    }

    fn host(&mut self) -> Option<HostId> {
        Some(HostId(self.small()?))
    }

    fn happening(&mut self, kind: &str) -> Option<EventKind> {
        Some(match kind {
            "start" => {
                let index = self.index()?;
                let worm = self.encoded.numbers.get(index).copied()?;
                let name = self.encoded.worms.get(index)?.clone();
                EventKind::Start {
                    worm,
                    port: self.place()?,
                    name,
                    turns: self.small()?,
                    payload: self.small()?,
                }
            }
            "arrive" => EventKind::Arrive { worm: self.worm()?, port: self.place()? },
            "wait" => EventKind::Wait { worm: self.worm()?, input: self.place()?, output: self.place()? },
            "grant" => EventKind::Grant { worm: self.worm()?, input: self.place()?, output: self.place()? },
            "release" => {
                EventKind::Release { worm: self.worm()?, input: self.place()?, output: self.place()? }
            }
            "flow" => {
                let port = self.place()?;
                let (occupancy, inflow, outflow) = (self.small()?, self.small()?, self.small()?);
                EventKind::Flow { port, flow: Flow { occupancy, inflow, outflow } }
            }
            "stop" | "go" => EventKind::Control { port: self.place()?, stop: kind == "stop" },
            "reset" => EventKind::Reset { worm: self.worm()?, output: self.place()? },
            "deadlock" => {
                let (nth, count) = (self.small()?, self.number()?);
                let member = |_| Some((self.worm()?, self.place()?, self.place()?));
                EventKind::Deadlock { nth, members: (0..count).map(member).collect::<Option<_>>()? }
            }
            "clear" => EventKind::Clear { nth: self.small()?, output: self.place()? },
            "end" => {
                let (worm, cause, host) = (self.worm()?, self.index()?, self.host()?);
                let fate = if cause == 0 { Ok(host) } else { Err(*Cause::ALL.get(cause - 1)?) };
                EventKind::End { worm, fate }
            }
            "cable" => {
                let number = self.small()?;
                EventKind::Cable { link: LinkId(number / 2), up: number % 2 == 1 }
            }
            "send" => EventKind::Send(self.message()?),
            "receive" => EventKind::Receive(self.message()?),
            "pause" => {
                let (port, obeyed) = (self.place()?, self.number()? == 1);
                let (priorities, paused) = (self.octet()?, self.octet()?);
                let says = PauseFrame { priorities, paused, quanta: u16::MAX };
                EventKind::Pause { port, obeyed, says }
            }
            _ => self.frame()?,
        })
    }

    fn circle(&mut self) -> Option<EventKind> {
        let (nth, priority, count) = (self.small()?, self.octet()?, self.number()?);
        let members = (0..count).map(|_| Some((self.place()?, self.place()?))).collect::<Option<_>>()?;
        Some(EventKind::Circle { nth, priority, members })
    }

    fn octet(&mut self) -> Option<u8> {
        u8::try_from(self.number()?).ok()
    }

    fn frame(&mut self) -> Option<EventKind> {
        let (port, arrives, source) = (self.place()?, self.number()? == 1, self.host()?);
        let destination = self.small()?.checked_sub(1).map(HostId);
        Some(EventKind::Frame { port, arrives, source, destination, bytes: self.small()? })
    }

    fn message(&mut self) -> Option<Message> {
        let host = self.host()?;
        let kind = self.index()?;
        let kind = self.encoded.kinds.get(kind)?.clone();
        let (nonce, length, turns) = (self.number()?, self.small()?, self.number()?);
        let turn = |_| {
            let number = self.number()?;
            let half = i16::try_from(number / 2).ok()?;
            Some(Turn(if number.is_multiple_of(2) { half } else { -half - 1 }))
        };
        let route = (0..turns).map(turn).collect::<Option<_>>()?;
        Some(Message { host, kind, nonce, route, length, bytes: Vec::new() })
    }
}
