//! The wormhole fabric as a [`Medium`]: parcels travel as worms on given routes.
//!
//! ```text
//!   parcel --packets--> worms, first in first out per host --Fabric--> tails at their host --> Left, Delivered
//! ```
//!
//! # Scope and limitations
//! * A parcel is one worm, or as many as it takes where [`Packets::data`] bounds a worm's bytes. A worm is
//!   [`Packets`]'s `header` flits of header, CRC-8 and tail around its bytes, and one route flit a switch in front,
//!   which that switch takes off.
//! * A host sends one worm at a time, in the order in which parcels were handed over; it takes what arrives at once.
//! * A parcel handed over at an instant starts in the first cycle that begins after it, no sooner. It has left when
//!   the cycle is over in which its last tail leaves the host, and is delivered when the last tail reaches the
//!   interface, at the beginning of that cycle (as replays count).
//! * Worms are not sent again. A parcel one of whose worms is destroyed (by a forward reset, or by a fault of its
//!   route) is lost once none of its worms is under way; the rest of it is not sent. Where nothing in the fabric
//!   can move any more, whatever is under way is lost.
//!
//! # Source
//! The fabric's: see [`crate::fabric`]. What a ring's messages do on it was not measured by any paper here.
//!
//! # Validation
//! `tests/it/allgather_fabric.rs`: closed forms of one parcel and of rings without contention, order between two
//! hosts, losses, the same events however the run is cut up.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::ops::ControlFlow;

use crate::fabric::{
    BuildError, Ended, Endpoint, Fabric, Fate, Observer, Outgoing, Parameters, Pause, RouteBuffer,
};
use crate::ids::{HostId, Port, Turn};
use crate::medium::{Event, Medium, Parcel};
use crate::routing::Routes;
use crate::topology::Network;
use crate::units::{Cycle, Duration, Time};

pub use crate::scenario::allgather::Packets;

/// The most bytes of a worm where nothing else is said.
const MOST_BYTES: u32 = 1 << 31;

impl Default for Packets {
    /// Whole parcels, each with a header flit, a CRC-8 and a tail.
    fn default() -> Packets {
        Packets { data: None, header: 3 }
    }
}

impl Packets {
    /// How many worms a parcel of so many bytes is, and their flits where they arrive.
    pub fn of(&self, bytes: u64) -> (u64, u64) {
        let worms = bytes.div_ceil(u64::from(self.largest()));
        (worms, bytes + worms * u64::from(self.overhead()))
    }

    fn overhead(&self) -> u32 {
        self.header.min(1 << 16)
    }

    /// The most bytes of a worm.
    fn largest(&self) -> u32 {
        self.data.unwrap_or(MOST_BYTES).clamp(1, MOST_BYTES)
    }
}

/// The wormhole fabric with routes, before the eyes of `O`.
#[derive(Debug)]
pub struct Worms<R, O = ()> {
    fabric: Fabric,
    desk: Desk<R>,
    base_cycle: Duration,
    observer: O,
}

impl<R: Routes> Worms<R> {
    /// Builds an idle fabric. Hosts send on the port of `attachments`, by which `routes` must begin.
    ///
    /// # Errors
    /// As [`Fabric::new`].
    pub fn new(
        network: &Network,
        parameters: &Parameters,
        attachments: &[Option<Port>],
        routes: R,
        packets: Packets,
    ) -> Result<Worms<R>, BuildError> {
        let mut fabric = Fabric::new(network, parameters, attachments)?;
        fabric.tell_departures();
        let desk = Desk {
            routes,
            packets,
            attached: attachments.iter().map(Option::is_some).collect(),
            shipments: Vec::new(),
            free: Vec::new(),
            queues: vec![VecDeque::new(); network.hosts().len()],
            wires: vec![VecDeque::new(); network.hosts().len()],
            agenda: BinaryHeap::new(),
            noted: 0,
            sent: 0,
            losses: Vec::new(),
            base_cycle: parameters.base_cycle,
        };
        Ok(Worms { fabric, desk, base_cycle: parameters.base_cycle, observer: () })
    }

    /// The same, watched by `observer` from now on.
    pub fn watched_by<O: Observer>(self, observer: O) -> Worms<R, O> {
        Worms { fabric: self.fabric, desk: self.desk, base_cycle: self.base_cycle, observer }
    }
}

impl<R, O> Worms<R, O> {
    /// Who has watched.
    pub fn into_observer(self) -> O {
        self.observer
    }

    /// The fabric, to be asked for what happened in it.
    pub fn fabric(&self) -> &Fabric {
        &self.fabric
    }

    /// How many worms hosts have put together so far.
    pub fn sent(&self) -> u64 {
        self.desk.sent
    }

    /// The first cycle that begins after an instant.
    fn cycle_after(&self, at: Time) -> Cycle {
        Cycle(at.as_ps() / self.base_cycle.as_ps() + 1)
    }
}

impl<R: Routes, O: Observer> Medium for Worms<R, O> {
    fn send(&mut self, parcel: Parcel, now: Time) {
        let created = self.cycle_after(now);
        if self.desk.take(parcel, created, now) {
            self.fabric.wake(parcel.source, created);
        }
    }

    fn advance(&mut self, until: Option<Time>) -> Option<(Time, Event)> {
        loop {
            let next = self.desk.agenda.peek().map(|Reverse((at, ..))| *at);
            let first = match (next, until) {
                (Some(next), Some(until)) => Some(next.min(until)),
                (next, until) => next.or(until),
            };
            // All cycles have been run that begin at or before the instant: nothing can come before what is noted.
            let limit = first.map_or(Cycle(u64::MAX), |first| self.cycle_after(first));
            if self.fabric.now() >= limit {
                return self.desk.due(until);
            }
            match self.fabric.run_until(limit, &mut self.desk, &mut self.observer) {
                Pause::Limit => {}
                Pause::Break => self.desk.note_losses(self.fabric.now()),
                Pause::Idle if next.is_some() => return self.desk.due(until),
                Pause::Idle => {
                    let now = self.fabric.now().to_time(self.base_cycle);
                    if !self.desk.give_up(now) {
                        return None;
                    }
                }
            }
        }
    }

    fn occupies(&self, source: HostId, bytes: u64) -> Duration {
        if !self.desk.attached.get(source.index()).is_some_and(|attached| *attached) {
            return Duration::ZERO;
        }
        // One flit a cycle, as on a link of the base rate.
        let (_, flits) = self.desk.packets.of(bytes.max(1));
        self.base_cycle * flits
    }
}

/// A parcel under way.
#[derive(Clone, Debug)]
struct Shipment {
    parcel: Parcel,
    created: Cycle,
    route: Vec<Turn>,
    /// Bytes that the fabric has not been given yet.
    unsent: u64,
    /// Worms that it has been given and that are not over.
    worms: u32,
    /// Whether one of its worms was destroyed, or all were given up.
    lost: bool,
    given_up: bool,
}

/// The hosts' side: what is to be sent, and what became of it.
#[derive(Debug)]
struct Desk<R> {
    routes: R,
    packets: Packets,
    attached: Vec<bool>,
    shipments: Vec<Option<Shipment>>,
    /// Positions of `shipments` that are free.
    free: Vec<u32>,
    /// Per host, shipments of which something is to be given to the fabric.
    queues: Vec<VecDeque<u32>>,
    /// Per host, the worms given to the fabric whose tail has not left: at most two.
    wires: Vec<VecDeque<OnWire>>,
    agenda: BinaryHeap<Reverse<(Time, u64, News)>>,
    noted: u64,
    sent: u64,
    /// What was lost in the cycle being run.
    losses: Vec<u64>,
    base_cycle: Duration,
}

/// A worm on its way out of its host.
#[derive(Clone, Copy, Debug)]
struct OnWire {
    shipment: u32,
    /// Whether it is the parcel's last.
    last: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum News {
    Left(u64),
    Delivered(u64),
    Lost(u64),
}

impl<R: Routes> Desk<R> {
    /// Takes a parcel; whether it has a route.
    fn take(&mut self, parcel: Parcel, created: Cycle, now: Time) -> bool {
        let mut route = Vec::new();
        let attached = self.attached.get(parcel.source.index()).copied().unwrap_or(false);
        if !attached || !self.routes.route(parcel.source, parcel.destination, &mut route) {
            self.note(now, News::Lost(parcel.tag));
            return false;
        }
        let shipment = Shipment {
            parcel,
            created,
            route,
            unsent: parcel.bytes.max(1),
            worms: 0,
            lost: false,
            given_up: false,
        };
        let slot = match self.free.pop() {
            Some(slot) => {
                self.shipments[slot as usize] = Some(shipment);
                slot
            }
            None => {
                self.shipments.push(Some(shipment));
                u32::try_from(self.shipments.len() - 1).expect("fewer than 2^32 parcels are under way")
            }
        };
        self.queues[parcel.source.index()].push_back(slot);
        true
    }
}

impl<R> Desk<R> {
    fn note(&mut self, at: Time, news: News) {
        self.agenda.push(Reverse((at, self.noted, news)));
        self.noted += 1;
    }

    /// What is noted first, if it is for no later than `until`.
    fn due(&mut self, until: Option<Time>) -> Option<(Time, Event)> {
        let Reverse((at, _, news)) = *self.agenda.peek()?;
        if until.is_some_and(|until| at > until) {
            return None;
        }
        self.agenda.pop();
        let event = match news {
            News::Left(tag) => Event::Left(tag),
            News::Delivered(tag) => Event::Delivered(tag),
            News::Lost(tag) => Event::Lost(tag),
        };
        Some((at, event))
    }

    /// Nothing moves any more: what is under way will never arrive. Whether anything was.
    ///
    /// What has worms stays where it is with them, so that nothing else takes its place.
    fn give_up(&mut self, now: Time) -> bool {
        self.queues.iter_mut().for_each(VecDeque::clear);
        let mut told = Vec::new();
        for (slot, entry) in (0..).zip(&mut self.shipments) {
            let Some(shipment) = entry.as_mut().filter(|shipment| !shipment.given_up) else { continue };
            (shipment.lost, shipment.given_up, shipment.unsent) = (true, true, 0);
            told.push(shipment.parcel.tag);
            if shipment.worms == 0 {
                *entry = None;
                self.free.push(slot);
            }
        }
        told.iter().for_each(|tag| self.note(now, News::Lost(*tag)));
        !told.is_empty()
    }

    /// Notes what was lost in the last cycle run, which is the one before `now`.
    fn note_losses(&mut self, now: Cycle) {
        for tag in std::mem::take(&mut self.losses) {
            self.note(Cycle(now.0 - 1).to_time(self.base_cycle), News::Lost(tag));
        }
    }

    fn shipment(&mut self, slot: u32) -> &mut Shipment {
        self.shipments[slot as usize].as_mut().expect("a parcel with a worm is under way")
    }

    /// Drops what is still to be sent of a parcel that is lost; only the first of a host can be.
    fn cut_short(&mut self, slot: u32) {
        let shipment = self.shipment(slot);
        (shipment.lost, shipment.unsent) = (true, 0);
        let source = shipment.parcel.source;
        let queue = &mut self.queues[source.index()];
        queue.pop_front_if(|front| *front == slot);
    }
}

impl<R> Endpoint for Desk<R> {
    fn next_message(&mut self, host: HostId, route: &mut RouteBuffer) -> Option<Outgoing> {
        let slot = *self.queues[host.index()].front()?;
        let (most, overhead) = (self.packets.largest(), self.packets.overhead());
        let shipment = self.shipments[slot as usize].as_mut().expect("what is queued is under way");
        let bytes = u32::try_from(shipment.unsent).unwrap_or(u32::MAX).min(most);
        shipment.unsent -= u64::from(bytes);
        shipment.worms += 1;
        self.sent += 1;
        route.extend_from_slice(&shipment.route);
        let last = shipment.unsent == 0;
        let created = shipment.created;
        if last {
            self.queues[host.index()].pop_front();
        }
        self.wires[host.index()].push_back(OnWire { shipment: slot, last });
        Some(Outgoing { created, payload: bytes + overhead, tag: u64::from(slot), time_to_live: None })
    }

    fn departed(&mut self, host: HostId, at: Cycle) -> ControlFlow<()> {
        let worm = self.wires[host.index()].pop_front().expect("only what was given to the fabric departs");
        let shipment = self.shipment(worm.shipment);
        if !worm.last || shipment.lost {
            return ControlFlow::Continue(());
        }
        let tag = shipment.parcel.tag;
        self.note((at + 1).to_time(self.base_cycle), News::Left(tag));
        ControlFlow::Break(())
    }

    fn ended(&mut self, message: &Ended) -> ControlFlow<()> {
        let slot = u32::try_from(message.tag).expect("it is a shipment's position");
        self.shipment(slot).worms -= 1;
        if let Fate::Destroyed { .. } = message.fate {
            self.cut_short(slot);
        }
        let shipment = self.shipment(slot);
        if shipment.worms > 0 || shipment.unsent > 0 {
            return ControlFlow::Continue(());
        }
        let (tag, lost, given_up) = (shipment.parcel.tag, shipment.lost, shipment.given_up);
        match message.fate {
            Fate::Delivered { tail, .. } if !lost => {
                self.note(tail.to_time(self.base_cycle), News::Delivered(tag))
            }
            _ if given_up => {}
            _ => self.losses.push(tag),
        }
        self.shipments[slot as usize] = None;
        self.free.push(slot);
        ControlFlow::Break(())
    }
}
