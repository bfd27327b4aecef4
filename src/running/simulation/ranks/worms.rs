//! The wormhole fabric as a [`Medium`]: messages travel as worms on given routes.
//!
//! ```text
//!   message --packets--> worms, first in first out per host --Fabric--> tails at their host --> Left, Delivered
//! ```
//!
//! # Scope and limitations
//! * A message is one worm, or as many as it takes where [`Packets::data`] bounds a worm's bytes. A worm is
//!   [`Packets`]'s `header` flits of header, CRC-8 and tail around its bytes, and one route flit a switch in front,
//!   which that switch takes off.
//! * A host sends one worm at a time, in the order in which messages were handed over; it takes what arrives at once.
//! * A message handed over at an instant starts in the first cycle that begins after it, no sooner. It has left when
//!   the cycle is over in which its last tail leaves the host, and is delivered when the last tail reaches the
//!   interface, at the beginning of that cycle (as replays count).
//! * Worms are not sent again. A message one of whose worms is destroyed (by a forward reset, or by a fault of its
//!   route) is lost once none of its worms is under way; the rest of it is not sent. Where nothing in the fabric
//!   can move any more, whatever is under way is lost.
//!
//! # Source
//! The fabric's: see [`simnet_media::fabric`]. What a ring's messages do on it was not measured by any paper here.
//!
//! # Validation
//! `tests/running/processes/allgather_fabric.rs`: closed forms of one message and of rings without contention, order
//! between two hosts, losses, the same events however the run is cut up.

use std::collections::VecDeque;
use std::ops::ControlFlow;

use simnet_base::des::agenda::Agenda;
use simnet_base::ids::{HostId, Port, Turn};
use simnet_base::units::{Cycle, Duration, Time};
use simnet_media::fabric::{
    BuildError, Ended, Endpoint, Fabric, Fate, Observer, Outgoing, Parameters, Pause, RouteBuffer,
};
use simnet_media::medium::{Event, Medium, Message};
use simnet_network::routing::Routes;
use simnet_network::topology::Network;

pub use simnet_scenario::allgather::Packets;

/// The wormhole fabric with routes, before the eyes of `O`.
#[derive(Debug)]
pub struct Worms<R, O = ()> {
    fabric: Fabric,
    hosts: Hosts<R>,
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
        fabric.report_departures();
        let hosts = Hosts {
            routes,
            packets,
            attached: attachments.iter().map(Option::is_some).collect(),
            transfers: Vec::new(),
            free: Vec::new(),
            queues: vec![VecDeque::new(); network.hosts().len()],
            wires: vec![VecDeque::new(); network.hosts().len()],
            agenda: Agenda::new(),
            sent: 0,
            losses: Vec::new(),
            base_cycle: parameters.base_cycle,
        };
        Ok(Worms { fabric, hosts, base_cycle: parameters.base_cycle, observer: () })
    }

    /// The same, watched by `observer` from now on.
    pub fn watched_by<O: Observer>(self, observer: O) -> Worms<R, O> {
        Worms { fabric: self.fabric, hosts: self.hosts, base_cycle: self.base_cycle, observer }
    }
}

impl<R, O> Worms<R, O> {
    /// Who has watched.
    pub fn into_observer(self) -> O {
        self.observer
    }

    /// The fabric, to read from it what happened.
    pub fn fabric(&self) -> &Fabric {
        &self.fabric
    }

    /// How many worms hosts have put together so far.
    pub fn sent(&self) -> u64 {
        self.hosts.sent
    }

    /// The first cycle that begins after an instant.
    fn cycle_after(&self, at: Time) -> Cycle {
        Cycle(at.as_ps() / self.base_cycle.as_ps() + 1)
    }
}

impl<R: Routes, O: Observer> Medium for Worms<R, O> {
    fn send(&mut self, message: Message, now: Time) {
        let created = self.cycle_after(now);
        if self.hosts.take(message, created, now) {
            self.fabric.wake(message.source, created);
        }
    }

    fn advance(&mut self, until: Option<Time>) -> Option<(Time, Event)> {
        loop {
            let next = self.hosts.agenda.next();
            let first = match (next, until) {
                (Some(next), Some(until)) => Some(next.min(until)),
                (next, until) => next.or(until),
            };
            // All cycles have been run that begin at or before the instant: nothing can come before what is noted.
            let limit = first.map_or(Cycle(u64::MAX), |first| self.cycle_after(first));
            if self.fabric.now() >= limit {
                return self.hosts.due(until);
            }
            match self.fabric.run_until(limit, &mut self.hosts, &mut self.observer) {
                Pause::Limit => {}
                Pause::Break => self.hosts.note_losses(self.fabric.now()),
                Pause::Idle if next.is_some() => return self.hosts.due(until),
                Pause::Idle => {
                    let now = self.fabric.now().to_time(self.base_cycle);
                    if !self.hosts.give_up(now) {
                        return None;
                    }
                }
            }
        }
    }

    fn occupies(&self, source: HostId, bytes: u64) -> Duration {
        if !self.hosts.attached.get(source.index()).is_some_and(|attached| *attached) {
            return Duration::ZERO;
        }
        // One flit a cycle, as on a link of the base rate.
        let (_, flits) = self.hosts.packets.of(bytes.max(1));
        self.base_cycle * flits
    }
}

/// A message under way.
#[derive(Clone, Debug)]
struct Transfer {
    message: Message,
    created: Cycle,
    route: Vec<Turn>,
    service_level: u8,
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
struct Hosts<R> {
    routes: R,
    packets: Packets,
    attached: Vec<bool>,
    transfers: Vec<Option<Transfer>>,
    /// Positions of `transfers` that are free.
    free: Vec<u32>,
    /// Per host, transfers that are not yet wholly given to the fabric.
    queues: Vec<VecDeque<u32>>,
    /// Per host, the worms given to the fabric whose tail has not left: at most two.
    wires: Vec<VecDeque<OnWire>>,
    agenda: Agenda<Event>,
    sent: u64,
    /// What was lost in the cycle being run.
    losses: Vec<u64>,
    base_cycle: Duration,
}

/// A worm on its way out of its host.
#[derive(Clone, Copy, Debug)]
struct OnWire {
    transfer: u32,
    /// Whether it is the message's last.
    last: bool,
}

impl<R: Routes> Hosts<R> {
    /// Takes a message; whether it has a route.
    fn take(&mut self, message: Message, created: Cycle, now: Time) -> bool {
        let mut route = Vec::new();
        let attached = self.attached.get(message.source.index()).copied().unwrap_or(false);
        if !attached || !self.routes.route(message.source, message.destination, &mut route) {
            self.agenda.schedule(now, Event::Lost(message.tag));
            return false;
        }
        let transfer = Transfer {
            message,
            created,
            route,
            service_level: self.routes.service_level(message.source, message.destination),
            unsent: message.bytes.max(1),
            worms: 0,
            lost: false,
            given_up: false,
        };
        let slot = match self.free.pop() {
            Some(slot) => {
                self.transfers[slot as usize] = Some(transfer);
                slot
            }
            None => {
                self.transfers.push(Some(transfer));
                u32::try_from(self.transfers.len() - 1).expect("fewer than 2^32 messages are under way")
            }
        };
        self.queues[message.source.index()].push_back(slot);
        true
    }
}

impl<R> Hosts<R> {
    /// The next event, if it is due no later than `until`.
    fn due(&mut self, until: Option<Time>) -> Option<(Time, Event)> {
        self.agenda.pop_due(until).map(|due| (due.at, due.event))
    }

    /// Nothing moves any more: what is under way will never arrive. Whether anything was.
    ///
    /// What has worms stays where it is with them, so that nothing else takes its place.
    fn give_up(&mut self, now: Time) -> bool {
        self.queues.iter_mut().for_each(VecDeque::clear);
        let mut lost = Vec::new();
        for (slot, entry) in (0..).zip(&mut self.transfers) {
            let Some(transfer) = entry.as_mut().filter(|transfer| !transfer.given_up) else { continue };
            (transfer.lost, transfer.given_up, transfer.unsent) = (true, true, 0);
            lost.push(transfer.message.tag);
            if transfer.worms == 0 {
                *entry = None;
                self.free.push(slot);
            }
        }
        lost.iter().for_each(|tag| self.agenda.schedule(now, Event::Lost(*tag)));
        !lost.is_empty()
    }

    /// Notes what was lost in the last cycle run, which is the one before `now`.
    fn note_losses(&mut self, now: Cycle) {
        for tag in std::mem::take(&mut self.losses) {
            self.agenda.schedule(Cycle(now.0 - 1).to_time(self.base_cycle), Event::Lost(tag));
        }
    }

    fn transfer(&mut self, slot: u32) -> &mut Transfer {
        self.transfers[slot as usize].as_mut().expect("a message with a worm is under way")
    }

    /// Drops what is still to be sent of a message that is lost; only the first of a host can be.
    fn cut_short(&mut self, slot: u32) {
        let transfer = self.transfer(slot);
        (transfer.lost, transfer.unsent) = (true, 0);
        let source = transfer.message.source;
        let queue = &mut self.queues[source.index()];
        queue.pop_front_if(|front| *front == slot);
    }
}

impl<R> Endpoint for Hosts<R> {
    fn next_message(&mut self, host: HostId, route: &mut RouteBuffer) -> Option<Outgoing> {
        let slot = *self.queues[host.index()].front()?;
        let (most, overhead) = (self.packets.largest(), self.packets.overhead());
        let transfer = self.transfers[slot as usize].as_mut().expect("what is queued is under way");
        let bytes = u32::try_from(transfer.unsent).unwrap_or(u32::MAX).min(most);
        transfer.unsent -= u64::from(bytes);
        transfer.worms += 1;
        self.sent += 1;
        route.extend_from_slice(&transfer.route);
        let service_level = transfer.service_level;
        let last = transfer.unsent == 0;
        let created = transfer.created;
        if last {
            self.queues[host.index()].pop_front();
        }
        self.wires[host.index()].push_back(OnWire { transfer: slot, last });
        Some(Outgoing {
            created,
            payload: bytes + overhead,
            tag: u64::from(slot),
            time_to_live: None,
            service_level,
        })
    }

    fn departed(&mut self, host: HostId, at: Cycle) -> ControlFlow<()> {
        let worm = self.wires[host.index()].pop_front().expect("only what was given to the fabric departs");
        let transfer = self.transfer(worm.transfer);
        if !worm.last || transfer.lost {
            return ControlFlow::Continue(());
        }
        let tag = transfer.message.tag;
        self.agenda.schedule((at + 1).to_time(self.base_cycle), Event::Left(tag));
        ControlFlow::Break(())
    }

    fn ended(&mut self, worm: &Ended) -> ControlFlow<()> {
        let slot = u32::try_from(worm.tag).expect("it is a transfer's position");
        self.transfer(slot).worms -= 1;
        if let Fate::Destroyed { .. } = worm.fate {
            self.cut_short(slot);
        }
        let transfer = self.transfer(slot);
        if transfer.worms > 0 || transfer.unsent > 0 {
            return ControlFlow::Continue(());
        }
        let (tag, lost, given_up) = (transfer.message.tag, transfer.lost, transfer.given_up);
        match worm.fate {
            Fate::Delivered { tail, .. } if !lost => {
                self.agenda.schedule(tail.to_time(self.base_cycle), Event::Delivered(tag))
            }
            _ if given_up => {}
            _ => self.losses.push(tag),
        }
        self.transfers[slot as usize] = None;
        self.free.push(slot);
        ControlFlow::Break(())
    }
}
