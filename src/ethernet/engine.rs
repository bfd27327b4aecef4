//! The event loop: frames arrive, and hosts are asked for more.
//!
//! A frame costs one event a cable, its arrival at the far end: output queues are first in, first out, so everything
//! that follows up to the next arrival is known by then. Each channel has its earliest arrival in the schedule, and
//! each host the instant at which it is to be asked.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::ids::{HostId, Node, Port, SwitchId};
use crate::topology::Network;
use crate::units::{Bytes, Duration, Time};

use super::counters::Counters;
use super::frame::{Address, Frame, PREAMBLE};
use super::pace::Pace;
use super::parameters::{Buffer, Parameters};
use super::port::Output;
use super::schedule::Schedule;
use super::spanning_tree::SpanningTree;
use super::switch::Switch;
use super::wiring::{self, BuildError, Ends, Receiver};
use super::{Direction, Endpoint, Observer, Pause};

/// An Ethernet with what is under way on it.
#[derive(Clone, Debug)]
pub struct Ethernet<P> {
    /// By channel: the port that it begins at, and the cable.
    outputs: Vec<Output<P>>,
    /// By channel.
    receivers: Vec<Receiver>,
    /// By channel.
    ends: Vec<Ends>,
    switches: Vec<Switch>,
    /// By host, the channel out of its interface.
    interfaces: Vec<Option<u32>>,
    /// Members: the channels, then the hosts.
    schedule: Schedule,
    /// When first bits leave that an observer has not heard of: the instant, the channel, and which of the channel's
    /// frames it is.
    starts: BinaryHeap<Reverse<(u64, u32, u64)>>,
    counters: Counters,
    tree: SpanningTree,
    buffer: Buffer,
    latency: u64,
    ageing: u64,
    mtu: u32,
    now: u64,
}

impl<P: Clone> Ethernet<P> {
    /// Builds an idle Ethernet. A host sends and receives at its attachment and ignores its other cables; one without
    /// an attachment is never asked. Networks in several components, and without hosts or cables, are legal.
    ///
    /// # Errors
    /// [`BuildError`].
    pub fn new(
        network: &Network,
        parameters: &Parameters,
        attachments: &[Option<Port>],
    ) -> Result<Ethernet<P>, BuildError> {
        wiring::check(network, parameters, attachments)?;
        let tree = SpanningTree::elect(network, &parameters.rates, &parameters.bridge_priorities);
        let ends = wiring::ends(network);
        let port = |channel: usize| {
            let (rate, delay) = (parameters.rates[channel / 2], parameters.delays[channel / 2]);
            Output::new(Pace::new(rate), delay.as_ps())
        };
        let receiver =
            |(channel, ends): (usize, &Ends)| wiring::receiver(channel, ends.to, &tree, attachments);
        let switch = |id: SwitchId| Switch::new(wiring::outputs(network, &tree, Node::Switch(id)));
        Ok(Ethernet {
            outputs: (0..ends.len()).map(port).collect(),
            receivers: ends.iter().enumerate().map(receiver).collect(),
            switches: network.switch_ids().map(switch).collect(),
            interfaces: wiring::interfaces(network, attachments),
            schedule: Schedule::new(ends.len() + attachments.len()),
            starts: BinaryHeap::new(),
            counters: Counters::new(ends.len(), network.switches().len()),
            buffer: parameters.buffer,
            latency: parameters.switch_latency.as_ps(),
            ageing: parameters.ageing.as_ps(),
            mtu: parameters.mtu,
            now: 0,
            ends,
            tree,
        })
    }

    /// Says that `host` may have a frame at `now`: it is asked at that instant, or as soon as its interface is free.
    /// A host without an attachment never is. An instant that the run is past counts as the present. Costs
    /// O(log channels).
    pub fn wake(&mut self, host: HostId, now: Time) {
        let Some(channel) = self.interfaces[host.index()] else { return };
        let member = self.outputs.len() + host.index();
        let asked = now.as_ps().max(self.now).max(self.outputs[channel as usize].free);
        if self.schedule.of(member).is_none_or(|already| asked < already) {
            self.schedule.set(member, Some(asked));
        }
    }

    /// Runs up to and including the instant `limit`; without one, until the endpoint breaks or nothing is left to do.
    ///
    /// Within an instant, frames arrive in the order of their channels, and then hosts are asked in their own order.
    /// Those that are woken at an instant that is done are asked when the run goes on, still at that instant. An
    /// observer hears of arrivals as they happen, and after them, by channel, of the frames that begin to leave at
    /// that instant; of those taken in while it did not watch it hears only the arrivals.
    ///
    /// # Panics
    /// If a host gives a frame of another source or above the MTU.
    pub fn run_until<E: Endpoint<P>, O: Observer<P>>(
        &mut self,
        limit: Option<Time>,
        endpoint: &mut E,
        observer: &mut O,
    ) -> Pause {
        let limit = limit.map_or(u64::MAX, Time::as_ps);
        let mut is_stopped = false;
        let pause = loop {
            let Some((instant, member)) = self.schedule.first() else {
                break if is_stopped { Pause::Break } else { Pause::Idle };
            };
            if is_stopped && instant > self.now {
                break Pause::Break;
            }
            if instant > limit {
                self.now = self.now.max(limit);
                break Pause::Limit;
            }
            if O::WATCHES {
                self.announce(instant, endpoint, observer);
            }
            self.now = instant;
            if member < self.outputs.len() {
                is_stopped |= self.arrive(member, endpoint, observer);
            } else {
                is_stopped |= self.ask(member, endpoint, O::WATCHES);
            }
        };
        // After a break the instant may go on.
        if O::WATCHES && pause != Pause::Break {
            self.announce(self.now + 1, endpoint, observer);
        }
        pause
    }

    /// The instant up to which everything is done.
    pub fn now(&self) -> Time {
        Time::from_ps(self.now)
    }

    /// The instant of the next event, if nobody is woken before.
    pub fn next(&self) -> Option<Time> {
        self.schedule.first().map(|(instant, _)| Time::from_ps(instant))
    }

    /// What has happened so far.
    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    /// The spanning tree that frames keep to.
    pub fn spanning_tree(&self) -> &SpanningTree {
        &self.tree
    }

    /// How many frames wait at ports or are on cables. Costs O(channels).
    pub fn under_way(&self) -> usize {
        self.outputs.iter().map(|output| output.flights.len()).sum()
    }

    /// Asks a host for a frame; tells whether the endpoint breaks.
    fn ask<E: Endpoint<P>>(&mut self, member: usize, endpoint: &mut E, is_watched: bool) -> bool {
        let host = HostId::new(member - self.outputs.len());
        let channel = self.interfaces[host.index()].expect("only attached hosts are woken") as usize;
        let Some(frame) = endpoint.next_frame(host, self.now()) else {
            self.schedule.set(member, None);
            return false;
        };
        assert!(frame.source == host, "{host:?} sends in its own name");
        assert!(frame.payload <= self.mtu, "a payload of {} B is above the MTU", frame.payload);
        self.counters.sent += 1;
        self.send(channel, frame, self.now, is_watched);
        self.schedule.set(member, Some(self.outputs[channel].free));
        endpoint.pauses().is_break()
    }

    /// Takes a frame in at a port.
    fn send(&mut self, channel: usize, frame: Frame<P>, ready: u64, is_watched: bool) {
        let output = &mut self.outputs[channel];
        let nth = self.counters.channels[channel].frames + output.flights.len() as u64;
        let (start, arrival) = output.send(frame, ready);
        if output.flights.len() == 1 {
            self.schedule.set(channel, Some(arrival));
        }
        if is_watched {
            self.starts.push(Reverse((start, u32::try_from(channel).expect("channels have ids"), nth)));
        }
    }

    /// Takes the next frame off a cable; tells whether the endpoint breaks.
    fn arrive<E: Endpoint<P>, O: Observer<P>>(
        &mut self,
        channel: usize,
        endpoint: &mut E,
        observer: &mut O,
    ) -> bool {
        let output = &mut self.outputs[channel];
        let (frame, freed) = output.arrived().expect("only channels with frames are scheduled");
        self.schedule.set(channel, output.flights.front().map(|flight| flight.arrival));
        self.count(channel, frame.length(), freed);
        if O::WATCHES {
            let write = |bytes: &mut Vec<u8>| endpoint.write(&frame, bytes);
            observer.passed(self.now(), self.ends[channel].to, Direction::In, &frame, &write);
        }
        match self.receivers[channel] {
            Receiver::Switch(switch) => {
                return self.forward(channel, switch as usize, frame, endpoint, O::WATCHES);
            }
            Receiver::Host(host) if is_for(&frame, host) => {
                self.counters.delivered += 1;
                return endpoint.received(host, &frame, self.now()).is_break();
            }
            Receiver::Host(_) | Receiver::Nobody => self.counters.unwanted += 1,
            Receiver::Blocked => self.counters.blocked += 1,
        }
        false
    }

    /// Counts a frame that has crossed a cable, and gives the room back that it was still said to take.
    fn count(&mut self, channel: usize, length: u32, freed: u64) {
        let pace = self.outputs[channel].pace;
        let counters = &mut self.counters.channels[channel];
        counters.frames += 1;
        counters.bytes += u64::from(length);
        counters.busy += Duration::from_ps(pace.time(PREAMBLE + length));
        if let Node::Switch(switch) = self.ends[channel].from.node {
            self.switches[switch.index()].occupied -= freed;
        }
    }

    /// Sends a frame that has come over `channel` on its way; tells whether the endpoint breaks.
    fn forward<E: Endpoint<P>>(
        &mut self,
        channel: usize,
        at: usize,
        frame: Frame<P>,
        endpoint: &mut E,
        is_watched: bool,
    ) -> bool {
        // The two directions of a cable are neighbours, so this one leads back where the frame comes from.
        let back = u32::try_from(channel ^ 1).expect("channels have ids");
        let hosts = self.interfaces.len();
        let switch = &mut self.switches[at];
        switch.learn(frame.source, back, self.now, hosts);
        let known = match frame.destination {
            Address::Host(host) => switch.find(host, self.now, self.ageing),
            Address::Broadcast => None,
        };
        match known {
            Some(output) if output == back => {
                self.counters.filtered += 1;
                false
            }
            Some(output) => {
                self.counters.forwarded += 1;
                self.enter(output as usize, at, frame, endpoint, is_watched)
            }
            None => {
                self.counters.floods += 1;
                let mut breaks = false;
                for nth in 0..self.switches[at].outputs.len() {
                    let output = self.switches[at].outputs[nth];
                    if output != back {
                        self.counters.copies += 1;
                        breaks |= self.enter(output as usize, at, frame.clone(), endpoint, is_watched);
                    }
                }
                breaks
            }
        }
    }

    /// Takes a frame in at an output port of the switch `at`, if there is room for it; tells whether the endpoint
    /// breaks.
    fn enter<E: Endpoint<P>>(
        &mut self,
        channel: usize,
        at: usize,
        frame: Frame<P>,
        endpoint: &mut E,
        is_watched: bool,
    ) -> bool {
        let length = u64::from(frame.length());
        let freed = self.outputs[channel].settle(self.now);
        self.switches[at].occupied -= freed;
        let has_room = match self.buffer {
            Buffer::Unbounded => true,
            Buffer::PerPort(room) => self.outputs[channel].occupied + length <= room.0,
            Buffer::Shared(room) => self.has_shared_room(at, length, room),
        };
        if !has_room {
            self.counters.channels[channel].dropped += 1;
            return endpoint.dropped(self.ends[channel].from, &frame, self.now()).is_break();
        }
        self.switches[at].occupied += length;
        self.send(channel, frame, self.now.saturating_add(self.latency), is_watched);
        let peak = &mut self.counters.channels[channel].peak;
        *peak = Bytes(self.outputs[channel].occupied).max(*peak);
        false
    }

    /// Whether a shared buffer has room for so many bytes more; if so, counts its peak.
    ///
    /// The sum over the ports may hold frames that have left already: they are looked for only if it matters.
    fn has_shared_room(&mut self, at: usize, length: u64, room: Bytes) -> bool {
        let switch = &mut self.switches[at];
        let peak = &mut self.counters.shared_peaks[at];
        if switch.occupied + length > room.0.min(peak.0) {
            let outputs = &mut self.outputs;
            let freed: u64 = switch.outputs.iter().map(|c| outputs[*c as usize].settle(self.now)).sum();
            switch.occupied -= freed;
        }
        let filled = switch.occupied + length;
        if filled <= room.0 {
            *peak = Bytes(filled).max(*peak);
        }
        filled <= room.0
    }

    /// Tells the observer of the first bits that leave before `instant`.
    fn announce<E: Endpoint<P>, O: Observer<P>>(&mut self, instant: u64, endpoint: &E, observer: &mut O) {
        while let Some(Reverse((start, channel, nth))) = self.starts.peek().copied()
            && start < instant
        {
            self.starts.pop();
            let output = &self.outputs[channel as usize];
            let waiting = nth.checked_sub(self.counters.channels[channel as usize].frames);
            let flight = waiting.and_then(|nth| output.flights.get(usize::try_from(nth).ok()?));
            // Those that arrived while nobody watched are gone.
            if let Some(flight) = flight {
                let frame = &flight.frame;
                let write = |bytes: &mut Vec<u8>| endpoint.write(frame, bytes);
                let port = self.ends[channel as usize].from;
                observer.passed(Time::from_ps(start), port, Direction::Out, frame, &write);
            }
        }
    }
}

fn is_for<P>(frame: &Frame<P>, host: HostId) -> bool {
    frame.destination == Address::Broadcast || frame.destination == Address::Host(host)
}
