//! The event loop: frames arrive, and hosts are polled for more.
//!
//! A frame costs one event a cable, its arrival at the far end: output queues are first in, first out, so everything
//! that follows up to the next arrival is known by then. The agenda has the earliest arrival of each channel, and the
//! instant at which each host is to be asked.

use simnet_base::des::agenda::{Agenda, Due};
use simnet_base::ids::{HostId, Node, Port, SwitchId};
use simnet_base::units::{Bytes, Duration, Time};
use simnet_network::topology::Network;

use super::counters::Counters;
use super::frame::{Address, Frame, PREAMBLE};
use super::parameters::{Buffer, Parameters};
use super::port::{Frames, Output, Pace};
use super::spanning_tree::SpanningTree;
use super::switch::Switch;
use super::wiring::{self, BuildError, Ends, Receiver};
use super::{Direction, Endpoint, Observer, Pause};

/// An Ethernet with what is under way on it.
#[derive(Clone, Debug)]
pub struct Ethernet<P> {
    /// By channel: the port that it begins at, and the cable.
    outputs: Vec<Output>,
    frames: Frames<P>,
    /// By channel.
    receivers: Vec<Receiver>,
    /// By channel.
    ends: Vec<Ends>,
    switches: Vec<Switch>,
    /// By host, the channel out of its interface.
    interfaces: Vec<Option<u32>>,
    /// Arrivals by channel, then questions by host: each event's phase is its place in this order.
    agenda: Agenda<(), u32, u64>,
    /// By host, when it is to be polled for a frame.
    asked: Vec<Option<u64>>,
    /// The slots of frames whose first bits leave, not yet reported to an observer; by channel within an instant.
    starts: Agenda<u32, u32, u64>,
    counters: Counters,
    tree: SpanningTree,
    buffer: Buffer,
    latency: u64,
    ageing: u64,
    mtu: u32,
    now: u64,
    /// Whether the endpoint has requested a break in this instant.
    breaks: bool,
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
            frames: Frames::new(),
            agenda: Agenda::new(),
            asked: vec![None; attachments.len()],
            starts: Agenda::new(),
            counters: Counters::new(ends.len(), network.switches().len()),
            buffer: parameters.buffer,
            latency: parameters.switch_latency.as_ps(),
            ageing: parameters.ageing.as_ps(),
            mtu: parameters.mtu,
            now: 0,
            breaks: false,
            ends,
            tree,
        })
    }

    /// Says that `host` may have a frame at `now`: it is asked at that instant, or as soon as its interface is free.
    /// A host without an attachment never is. An instant that the run is past counts as the present. Costs
    /// O(log channels), and O(channels) if the host was to be asked later.
    pub fn wake(&mut self, host: HostId, now: Time) {
        let Some(channel) = self.interfaces[host.index()] else { return };
        let asked = now.as_ps().max(self.now).max(self.outputs[channel as usize].free);
        if let Some(already) = self.asked[host.index()] {
            if already <= asked {
                return;
            }
            let phase = self.phase_of(host);
            self.agenda.retain(|due| due.phase != phase);
            self.asked[host.index()] = None;
        }
        self.ask_at(host, asked);
    }

    /// How long so many bytes take on the cable of `host`, preambles and gaps counted in; zero without one.
    pub fn time_for(&self, host: HostId, bytes: u64) -> Duration {
        let pace = self.interfaces[host.index()].map(|channel| self.outputs[channel as usize].pace);
        Duration::from_ps(pace.map_or(0, |pace| pace.time_of_many(bytes)))
    }

    /// Lets every switch know every attached host of its component, as if each had just made itself known to all by a
    /// frame that took no time and that no counter has. Costs O(hosts x switches), in memory too.
    pub fn introduce_all(&mut self) {
        let hosts = self.interfaces.len();
        let mut ways: Vec<usize> = Vec::new();
        for host in (0..hosts).map(HostId::new) {
            ways.extend(self.interfaces[host.index()].map(|channel| channel as usize));
            while let Some(channel) = ways.pop() {
                let Receiver::Switch(at) = self.receivers[channel] else { continue };
                let back = opposite(channel);
                let switch = &mut self.switches[at as usize];
                switch.learn(host, back, self.now, hosts);
                ways.extend(switch.outputs.iter().filter(|out| **out != back).map(|out| *out as usize));
            }
        }
    }

    /// Runs up to and including the instant `limit`; without one, until the endpoint breaks or nothing is left to do.
    ///
    /// Within an instant, frames arrive in the order of their channels, and then hosts are asked in their own order.
    /// Those that are woken at an instant that is done are asked when the run goes on, still at that instant. An
    /// observer hears of arrivals as they happen, and after them, by channel, of the frames that begin to leave at
    /// that instant; of those under way when it begins to watch it hears only the arrivals. What leaves at the instant
    /// of a break it hears of when the run goes on.
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
        self.breaks = false;
        if !O::WATCHES {
            self.starts.clear();
        }
        let pause = loop {
            let Some(&Due { at: instant, phase, .. }) = self.agenda.peek() else {
                break if self.breaks { Pause::Break } else { Pause::Idle };
            };
            if self.breaks && instant > self.now {
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
            self.agenda.pop();
            match (phase as usize).checked_sub(self.outputs.len()) {
                None => self.arrive(phase, endpoint, observer),
                Some(host) => self.ask(HostId::new(host), endpoint, O::WATCHES),
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

    /// The instant of the next event, if no host is woken before.
    pub fn next(&self) -> Option<Time> {
        self.agenda.next().map(Time::from_ps)
    }

    /// What has happened so far.
    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    /// The spanning tree that frames keep to.
    pub fn spanning_tree(&self) -> &SpanningTree {
        &self.tree
    }

    /// How many frames wait at ports or are on cables.
    pub fn under_way(&self) -> usize {
        self.frames.len()
    }

    /// Asks a host for a frame.
    fn ask<E: Endpoint<P>>(&mut self, host: HostId, endpoint: &mut E, is_watched: bool) {
        self.asked[host.index()] = None;
        let channel = self.interfaces[host.index()].expect("only attached hosts are woken") as usize;
        let Some(frame) = endpoint.next_frame(host, self.now()) else { return };
        assert!(frame.source == host, "{host:?} sends in its own name");
        assert!(frame.payload <= self.mtu, "a payload of {} B is above the MTU", frame.payload);
        self.counters.sent += 1;
        self.send(channel, frame, self.now, is_watched);
        self.ask_at(host, self.outputs[channel].free);
        self.breaks |= endpoint.pauses().is_break();
    }

    /// Schedules the poll of a host for a frame. The last instant of all never comes.
    fn ask_at(&mut self, host: HostId, at: u64) {
        debug_assert!(self.asked[host.index()].is_none(), "a host is to be asked once");
        if at < u64::MAX {
            self.asked[host.index()] = Some(at);
            self.agenda.schedule_in(at, self.phase_of(host), ());
        }
    }

    /// Lets the first frame on a channel arrive, if there is one. The last instant of all never comes.
    fn arrives_at(&mut self, channel: u32, at: Option<u64>) {
        if let Some(at) = at.filter(|at| *at < u64::MAX) {
            self.agenda.schedule_in(at, channel, ());
        }
    }

    /// The phase in which a host is asked: after all arrivals, in the order of hosts.
    fn phase_of(&self, host: HostId) -> u32 {
        u32::try_from(self.outputs.len()).expect("channels have ids") + host.0
    }

    /// Takes a frame in at a port.
    fn send(&mut self, channel: usize, frame: Frame<P>, ready: u64, is_watched: bool) {
        let taken = self.outputs[channel].send(&mut self.frames, frame, ready);
        let channel = u32::try_from(channel).expect("channels have ids");
        self.arrives_at(channel, taken.next);
        if is_watched {
            self.starts.schedule_in(taken.start, channel, taken.slot);
        }
    }

    /// Takes the next frame off a cable.
    fn arrive<E: Endpoint<P>, O: Observer<P>>(&mut self, arrival: u32, endpoint: &mut E, observer: &mut O) {
        let channel = arrival as usize;
        let (frame, freed, next) = self.outputs[channel].arrived(&mut self.frames);
        self.arrives_at(arrival, next);
        self.count(channel, frame.length(), freed);
        if O::WATCHES {
            let write = |bytes: &mut Vec<u8>| endpoint.write(&frame, bytes);
            observer.passed(self.now(), self.ends[channel].to, Direction::In, &frame, &write);
        }
        match self.receivers[channel] {
            Receiver::Switch(switch) => self.forward(channel, switch as usize, frame, endpoint, O::WATCHES),
            Receiver::Host(host) if is_for(&frame, host) => {
                self.counters.delivered += 1;
                self.breaks |= endpoint.received(host, &frame, self.now()).is_break();
            }
            Receiver::Host(_) | Receiver::Unattached => self.counters.unwanted += 1,
            Receiver::Blocked => self.counters.blocked += 1,
        }
    }

    /// Counts a frame that has crossed a cable, and frees the room that was still counted for it.
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

    /// Sends a frame that has come over `channel` on its way.
    fn forward<E: Endpoint<P>>(
        &mut self,
        channel: usize,
        at: usize,
        frame: Frame<P>,
        endpoint: &mut E,
        is_watched: bool,
    ) {
        let back = opposite(channel);
        let hosts = self.interfaces.len();
        let switch = &mut self.switches[at];
        switch.learn(frame.source, back, self.now, hosts);
        let known = match frame.destination {
            Address::Host(host) => switch.find(host, self.now, self.ageing),
            Address::Broadcast => None,
        };
        match known {
            Some(output) if output == back => self.counters.filtered += 1,
            Some(output) => {
                self.counters.forwarded += 1;
                self.enter(output as usize, at, frame, endpoint, is_watched);
            }
            None => {
                self.counters.floods += 1;
                for nth in 0..self.switches[at].outputs.len() {
                    let output = self.switches[at].outputs[nth];
                    if output != back {
                        self.counters.copies += 1;
                        self.enter(output as usize, at, frame.clone(), endpoint, is_watched);
                    }
                }
            }
        }
    }

    /// Takes a frame in at an output port of the switch `at`, if there is room for it.
    fn enter<E: Endpoint<P>>(
        &mut self,
        channel: usize,
        at: usize,
        frame: Frame<P>,
        endpoint: &mut E,
        is_watched: bool,
    ) {
        let length = u64::from(frame.length());
        let freed = self.outputs[channel].settle(&self.frames, self.now);
        self.switches[at].occupied -= freed;
        let has_room = match self.buffer {
            Buffer::Unbounded => true,
            Buffer::PerPort(room) => self.outputs[channel].occupied + length <= room.0,
            Buffer::Shared(room) => self.has_shared_room(at, length, room),
        };
        if !has_room {
            self.counters.channels[channel].dropped += 1;
            self.breaks |= endpoint.dropped(self.ends[channel].from, &frame, self.now()).is_break();
            return;
        }
        self.switches[at].occupied += length;
        self.send(channel, frame, self.now.saturating_add(self.latency), is_watched);
        let peak = &mut self.counters.channels[channel].peak;
        *peak = Bytes(self.outputs[channel].occupied).max(*peak);
    }

    /// Whether a shared buffer has room for so many bytes more; if so, counts its peak.
    ///
    /// The sum over the ports may hold frames that have left already: they are looked for only if it matters.
    fn has_shared_room(&mut self, at: usize, length: u64, room: Bytes) -> bool {
        let switch = &mut self.switches[at];
        let peak = &mut self.counters.shared_peaks[at];
        if switch.occupied + length > room.0.min(peak.0) {
            let (outputs, frames) = (&mut self.outputs, &self.frames);
            let settle = |channel: &u32| outputs[*channel as usize].settle(frames, self.now);
            switch.occupied -= switch.outputs.iter().map(settle).sum::<u64>();
        }
        let filled = switch.occupied + length;
        if filled <= room.0 {
            *peak = Bytes(filled).max(*peak);
        }
        filled <= room.0
    }

    /// Reports to the observer the first bits that leave before `instant`.
    fn announce<E: Endpoint<P>, O: Observer<P>>(&mut self, instant: u64, endpoint: &E, observer: &mut O) {
        let Some(before) = instant.checked_sub(1) else { return };
        while let Some(Due { at: start, phase: channel, event: slot }) = self.starts.pop_due(Some(before)) {
            let frame = self.frames.get(slot).expect("a frame leaves before it arrives");
            let write = |bytes: &mut Vec<u8>| endpoint.write(frame, bytes);
            let port = self.ends[channel as usize].from;
            observer.passed(Time::from_ps(start), port, Direction::Out, frame, &write);
        }
    }
}

/// The channel in the other direction of the same cable.
fn opposite(channel: usize) -> u32 {
    u32::try_from(channel ^ 1).expect("channels have ids")
}

fn is_for<P>(frame: &Frame<P>, host: HostId) -> bool {
    frame.destination == Address::Broadcast || frame.destination == Address::Host(host)
}
