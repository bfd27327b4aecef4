//! The event loop: frames arrive, and hosts are polled for more.
//!
//! A frame costs one event a cable, its arrival at the far end, or less in a [`train`](super::train): output queues are
//! first in, first out, so everything that follows up to the next arrival is known by then. The wheel has the earliest
//! arrival of each channel, and the instant at which each host is to be asked.

use simnet_base::des::agenda::{Agenda, Due};
use simnet_base::des::wheel::Wheel;
use simnet_base::ids::{HostId, Node, Port, SwitchId};
use simnet_base::units::{Bytes, Duration, Time};
use simnet_network::topology::Network;

use super::counters::Counters;
use super::ecn::Ecn;
use super::frame::{Address, Frame, GAP, HEADER, PREAMBLE, TRAILER};
use super::lossless;
use super::parameters::{Buffer, Parameters};
use super::pfc::{Flow, Pfc};
use super::port::{Arrived, Frames, NIL, Output, Pace};
use super::spanning_tree::SpanningTree;
use super::switch::Switch;
use super::ties::{Admitted, Ties};
use super::train::{Patience, most_following};
use super::wiring::{self, BuildError, Ends, NextChannels, Receiver};
use super::{Direction, Endpoint, Observer, Pause};

/// An Ethernet with what is under way on it.
#[derive(Clone, Debug)]
pub struct Ethernet<P> {
    /// By channel: the port that it begins at, and the cable.
    pub(super) outputs: Vec<Output>,
    pub(super) frames: Frames<P>,
    /// By channel.
    pub(super) ends: Vec<Ends>,
    pub(super) switches: Vec<Switch>,
    /// By host, the channel out of its interface.
    pub(super) interfaces: Vec<Option<u32>>,
    /// How many channels there are.
    pub(super) channels: u32,
    /// Arrivals by channel, then questions by host: each event's number is its place in this order. With pauses there
    /// are more, see `lossless`.
    pub(super) due: Wheel,
    /// The slots of frames whose first bits leave, not yet reported to an observer; by channel within an instant.
    pub(super) starts: Agenda<u32, u32, u64>,
    pub(super) counters: Counters,
    tree: SpanningTree,
    pub(super) buffer: Buffer,
    /// Frames that buffers have admitted at this instant.
    pub(super) ties: Ties,
    pub(super) latency: u64,
    pub(super) ageing: u64,
    mtu: u32,
    pub(super) now: u64,
    /// Whether the endpoint has requested a break in this instant.
    pub(super) breaks: bool,
    /// Pauses, if switches send them.
    pub(super) pfc: Option<Box<Pfc>>,
    /// The channels by which switches send what is for a host; empty without a table.
    pub(super) table: NextChannels,
    /// Marks of congestion, if there are any.
    pub(super) ecn: Option<Box<Ecn>>,
    /// How many switches forward a frame, if that is bounded.
    pub(super) time_to_live: Option<u16>,
    /// By slot, how many more switches may forward a frame; empty without a bound.
    pub(super) lives: Vec<u16>,
    /// By channel, whether a train may pass; empty where there are none.
    pub(super) patience: Vec<Patience>,
    /// How many frames a host may give behind one.
    pub(super) most_following: u32,
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
        let pfc = match parameters.flow {
            Flow::None => None,
            Flow::Pfc(pfc) => Some(Box::new(lossless::pauses(network, parameters, pfc))),
        };
        let table = NextChannels::new(network, &parameters.forwarding);
        let inputs = (pfc.is_some() || !table.is_empty(), !table.is_empty());
        let is_plain =
            !inputs.0 && parameters.ecn.is_none() && !matches!(parameters.buffer, Buffer::Shared(_));
        let others = Ethernet::<P>::numbers(ends.len(), attachments.len(), pfc.is_some());
        let port = |(channel, ends): (usize, &Ends)| {
            let (rate, delay) = (parameters.rates[channel / 2], parameters.delays[channel / 2]);
            let receiver = wiring::receiver(channel, ends.to, &tree, attachments, inputs);
            Output::new(Pace::new(rate, parameters.mtu), delay.as_ps(), receiver)
        };
        let switch = |id: SwitchId| Switch::new(wiring::outputs(network, &tree, Node::Switch(id)));
        Ok(Ethernet {
            outputs: ends.iter().enumerate().map(port).collect(),
            switches: network.switch_ids().map(switch).collect(),
            interfaces: wiring::interfaces(network, attachments),
            channels: number_of_channels(&ends),
            frames: Frames::new(),
            due: Wheel::new(ends.len() + others, span(parameters)),
            starts: Agenda::new(),
            counters: Counters::new(ends.len(), network.switches().len()),
            buffer: parameters.buffer,
            ties: Ties::new(network, parameters),
            latency: parameters.switch_latency.as_ps(),
            ageing: parameters.ageing.as_ps(),
            mtu: parameters.mtu,
            now: 0,
            breaks: false,
            pfc,
            table,
            ecn: parameters.ecn.map(|ecn| Box::new(Ecn::new(ecn, parameters.seed, ends.len()))),
            time_to_live: parameters.time_to_live,
            lives: Vec::new(),
            most_following: most_following(span(parameters)),
            patience: vec![Patience::NEW; if is_plain { ends.len() } else { 0 }],
            ends,
            tree,
        })
    }

    /// Says that `host` may have a frame at `now`: it is asked at that instant, or as soon as its interface is free.
    /// A host without an attachment never is. An instant that the run is past counts as the present. Costs
    /// O(1), and O(channels) if the host was to be asked later.
    pub fn wake(&mut self, host: HostId, now: Time) {
        let Some(channel) = self.interfaces[host.index()] else { return };
        let asked = now.as_ps().max(self.now).max(self.outputs[channel as usize].free);
        let number = self.number_of(host);
        if let Some(already) = self.due.due(number) {
            if already <= asked {
                return;
            }
            self.due.cancel(number);
        }
        self.schedule(asked, number);
    }

    /// How long so many bytes take on the cable of `host`, preambles and gaps counted in; zero without one.
    pub fn time_for(&self, host: HostId, bytes: u64) -> Duration {
        let pace = self.interfaces[host.index()].map(|channel| self.outputs[channel as usize].pace);
        Duration::from_ps(pace.map_or(0, |pace| pace.time_of_many(bytes)))
    }

    /// Lets every switch know every attached host of its component, as if each had just made itself known to all by a
    /// frame that took no time and that no counter has; with a table nobody learns, and this does nothing. Costs
    /// O(hosts x switches), in memory too.
    pub fn introduce_all(&mut self) {
        if !self.table.is_empty() {
            return;
        }
        let hosts = self.interfaces.len();
        let mut ways: Vec<u32> = Vec::new();
        for host in (0..hosts).map(HostId::new) {
            ways.extend(self.interfaces[host.index()]);
            while let Some(channel) = ways.pop() {
                let (Receiver::Switch(at) | Receiver::Input(at)) = self.outputs[channel as usize].receiver
                else {
                    continue;
                };
                let back = opposite(channel);
                let switch = &mut self.switches[at as usize];
                switch.learn(host, back, self.now, hosts);
                ways.extend(switch.outputs.iter().filter(|out| **out != back));
            }
        }
    }

    /// Runs up to and including the instant `limit`; without one, until the endpoint breaks or nothing is left to do.
    ///
    /// Within an instant, frames arrive in the order of their channels, and then hosts are asked in their own order.
    /// Those that are woken at an instant that is done are asked when the run goes on, still at that instant. An
    /// observer hears of arrivals as they happen, and after them, by channel, of the frames that begin to leave at
    /// that instant; of those that were under way, or given by their host, when it begins to watch it hears only the
    /// arrivals. What leaves at the instant
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
        if O::WATCHES {
            self.stop_passing(endpoint);
        } else {
            self.starts.clear();
        }
        let pause = loop {
            let until = if self.breaks { self.now } else { limit };
            let Some((instant, number)) = self.due.take_due(until) else { break self.pause(limit) };
            if O::WATCHES {
                self.announce(instant, endpoint, observer);
            }
            self.now = instant;
            match number.checked_sub(self.channels) {
                None => self.arrive(number, endpoint, observer),
                Some(host) if self.pfc.is_none() => self.ask(HostId(host), endpoint, O::WATCHES),
                Some(other) => self.handle_other(other, endpoint, observer),
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
        self.due.first().map(Time::from_ps)
    }

    /// The spanning tree that frames keep to.
    pub fn spanning_tree(&self) -> &SpanningTree {
        &self.tree
    }

    /// Why a run ends that finds nothing due.
    fn pause(&mut self, limit: u64) -> Pause {
        if self.breaks {
            return Pause::Break;
        }
        if self.due.is_empty() {
            return Pause::Idle;
        }
        self.now = self.now.max(limit);
        Pause::Limit
    }

    /// Asks a host for a frame.
    pub(super) fn ask<E: Endpoint<P>>(&mut self, host: HostId, endpoint: &mut E, is_watched: bool) {
        let channel = self.interfaces[host.index()].expect("only attached hosts are woken");
        if self.pfc.is_some() && self.has_to_wait(host, channel, endpoint) {
            return;
        }
        let Some(frame) = endpoint.next_frame(host, self.now()) else { return };
        assert!(frame.source == host, "{host:?} sends in its own name");
        assert!(frame.payload <= self.mtu, "a payload of {} B is above the MTU", frame.payload);
        self.counters.sent += 1;
        let slot = self.frames.insert(frame);
        self.mark(slot);
        self.send(channel, slot, self.now, is_watched);
        if endpoint.may_have_more(host) {
            if !is_watched && !self.patience.is_empty() {
                self.couple(host, channel, slot, endpoint);
            }
            self.schedule(self.outputs[channel as usize].free, self.number_of(host));
        }
        self.breaks |= endpoint.pauses().is_break();
    }

    /// Schedules what has this number. The last instant of all never comes.
    #[inline(always)]
    pub(super) fn schedule(&mut self, at: u64, number: u32) {
        if at < u64::MAX {
            self.due.schedule(at, number);
        }
    }

    /// The number of a host's questions: after all arrivals, and PAUSE frames, in the order of hosts.
    fn number_of(&self, host: HostId) -> u32 {
        self.channels * (1 + u32::from(self.pfc.is_some())) + host.0
    }

    /// Takes a frame in at a port.
    #[inline(always)]
    pub(super) fn send(&mut self, channel: u32, slot: u32, ready: u64, is_watched: bool) {
        let taken = self.outputs[channel as usize].send(&mut self.frames, slot, ready);
        if let Some(at) = taken.next {
            self.schedule(at, channel);
        }
        if is_watched {
            self.starts.schedule_in(taken.start, channel, slot);
        }
    }

    /// Takes the next frame off a cable.
    fn arrive<E: Endpoint<P>, O: Observer<P>>(&mut self, channel: u32, endpoint: &mut E, observer: &mut O) {
        let output = &mut self.outputs[channel as usize];
        let (receiver, pace) = (output.receiver, output.pace);
        let arrived = match output.arrived(&self.frames) {
            Some(arrived) => arrived,
            None => match self.arrive_by_train::<E, O>(channel, endpoint) {
                Some(arrived) => arrived,
                None => return,
            },
        };
        let Arrived { slot, length, freed, next } = arrived;
        self.counters.channels[channel as usize].count(length, pace);
        if let Some(at) = next {
            self.schedule(at, channel);
        }
        if freed > 0 {
            self.free(channel, freed);
        }
        if O::WATCHES {
            let frame = self.frames.get(slot);
            let write = |bytes: &mut Vec<u8>| endpoint.write(frame, bytes);
            observer.passed(self.now(), self.ends[channel as usize].to, Direction::In, frame, &write);
        }
        match receiver {
            Receiver::Switch(switch) => return self.forward(channel, switch, slot, endpoint, O::WATCHES),
            Receiver::Input(switch) => {
                return self.arrive_at_input(channel, switch, slot, endpoint, O::WATCHES);
            }
            Receiver::Host(host) if is_for(self.frames.get(slot), host) => {
                self.counters.delivered += 1;
                let (is_marked, frame) = (self.is_marked(slot), self.frames.get(slot));
                let heard = match is_marked {
                    true => endpoint.received_marked(host, frame, self.now()),
                    false => endpoint.received(host, frame, self.now()),
                };
                self.breaks |= heard.is_break();
            }
            Receiver::Host(_) | Receiver::Unattached => self.counters.unwanted += 1,
            Receiver::Blocked => self.counters.blocked += 1,
        }
        self.frames.remove(slot);
    }

    /// Frees room in the switch that a channel begins at. Only a shared buffer is counted by the switch.
    fn free(&mut self, channel: u32, freed: u64) {
        if let Buffer::Shared(_) = self.buffer
            && let Node::Switch(switch) = self.ends[channel as usize].from.node
        {
            self.switches[switch.index()].occupied -= freed;
        }
    }

    /// Sends a frame that has come over `channel` on its way.
    #[inline(always)]
    pub(super) fn forward<E: Endpoint<P>>(
        &mut self,
        channel: u32,
        at: u32,
        slot: u32,
        endpoint: &mut E,
        is_watched: bool,
    ) {
        let back = opposite(channel);
        let hosts = self.interfaces.len();
        let frame = self.frames.get(slot);
        let (source, destination) = (frame.source, frame.destination);
        let switch = &mut self.switches[at as usize];
        switch.learn(source, back, self.now, hosts);
        let known = match destination {
            Address::Host(host) => switch.find(host, self.now, self.ageing),
            Address::Broadcast => None,
        };
        match known {
            Some(output) if output == back => {
                self.counters.filtered += 1;
                self.frames.remove(slot);
            }
            Some(output) => {
                self.counters.forwarded += 1;
                self.enter(output, (back, at), slot, endpoint, is_watched);
            }
            None => self.flood(back, at, slot, endpoint, is_watched),
        }
    }

    /// Sends copies of a frame out of all ports of the switch `at` but the one that leads `back`.
    pub(super) fn flood<E: Endpoint<P>>(
        &mut self,
        back: u32,
        at: u32,
        slot: u32,
        endpoint: &mut E,
        is_watched: bool,
    ) {
        self.counters.floods += 1;
        for nth in 0..self.switches[at as usize].outputs.len() {
            let output = self.switches[at as usize].outputs[nth];
            if output != back {
                self.counters.copies += 1;
                let copy = self.frames.insert(self.frames.get(slot).clone());
                if let Some(ecn) = self.ecn.as_deref_mut() {
                    ecn.set(copy, ecn.is_marked(slot));
                }
                self.enter(output, (back, at), copy, endpoint, is_watched);
            }
        }
        self.frames.remove(slot);
    }

    /// Takes a frame in at an output port of the switch `at`, if there is room for it, that came from where the channel
    /// `back` leads.
    #[inline(always)]
    pub(super) fn enter<E: Endpoint<P>>(
        &mut self,
        channel: u32,
        (back, at): (u32, u32),
        slot: u32,
        endpoint: &mut E,
        is_watched: bool,
    ) {
        if self.pfc.is_some() {
            return self.enqueue(channel, slot, endpoint);
        }
        if self.outputs[channel as usize].feeder != NIL {
            self.cut(channel, opposite(back), endpoint);
        }
        let output = &mut self.outputs[channel as usize];
        let length = u64::from(self.frames.length(slot));
        let freed = output.settle(&mut self.frames, self.now);
        let has_room = match self.buffer {
            Buffer::Unbounded => true,
            Buffer::PerPort(room) => output.occupied + length <= room.0,
            Buffer::Shared(room) => self.takes_shared_room(at as usize, freed, length, room),
        };
        let input = opposite(back);
        if !has_room && !self.displace((channel, input), at, slot, endpoint) {
            return self.drop_frame(channel, slot, endpoint);
        }
        let output = &self.outputs[channel as usize];
        let occupied = output.occupied + length;
        let filled = match self.buffer {
            Buffer::Shared(_) => self.switches[at as usize].occupied,
            _ => occupied,
        };
        if filled > self.ties.roomy {
            let admitted = Admitted { output: channel, input, slot, behind: output.tail };
            self.ties.note(self.now, admitted);
        }
        let counters = &mut self.counters.channels[channel as usize];
        counters.peak = Bytes(occupied).max(counters.peak);
        if self.ecn.is_some() {
            self.judge(channel, slot, occupied - length);
        }
        self.send(channel, slot, self.now.saturating_add(self.latency), is_watched);
    }

    /// Marks a frame that comes to an output behind which there are so many bytes, if it is to be.
    #[cold]
    pub(super) fn judge(&mut self, channel: u32, slot: u32, bytes: u64) {
        let is_marked = self.ecn.as_deref_mut().is_some_and(|ecn| ecn.judge(channel, slot, bytes));
        self.counters.marked += u64::from(is_marked);
    }

    /// Whether a frame was marked on its way.
    #[inline]
    fn is_marked(&self, slot: u32) -> bool {
        self.ecn.as_deref().is_some_and(|ecn| ecn.is_marked(slot))
    }

    /// Counts and forgets a frame that finds no room behind a port.
    #[cold]
    pub(super) fn drop_frame<E: Endpoint<P>>(&mut self, channel: u32, slot: u32, endpoint: &mut E) {
        self.counters.channels[channel as usize].dropped += 1;
        let (port, frame) = (self.ends[channel as usize].from, self.frames.get(slot));
        self.breaks |= endpoint.dropped(port, frame, self.now()).is_break();
        self.frames.remove(slot);
    }

    /// Takes so many bytes of a shared buffer in which a port has `freed` some, if there are; then counts its peak.
    ///
    /// The sum over the ports may hold frames that have left already: they are looked for only if it matters.
    pub(super) fn takes_shared_room(&mut self, at: usize, freed: u64, length: u64, room: Bytes) -> bool {
        let switch = &mut self.switches[at];
        let peak = &mut self.counters.shared_peaks[at];
        switch.occupied -= freed;
        if switch.occupied + length > room.0.min(peak.0) {
            let (outputs, frames) = (&mut self.outputs, &mut self.frames);
            let settle = |channel: &u32| outputs[*channel as usize].settle(frames, self.now);
            switch.occupied -= switch.outputs.iter().map(settle).sum::<u64>();
        }
        let filled = switch.occupied + length;
        if filled <= room.0 {
            *peak = Bytes(filled).max(*peak);
            switch.occupied = filled;
        }
        filled <= room.0
    }

    /// Reports to the observer the first bits that leave before `instant`.
    fn announce<E: Endpoint<P>, O: Observer<P>>(&mut self, instant: u64, endpoint: &E, observer: &mut O) {
        let Some(before) = instant.checked_sub(1) else { return };
        while let Some(Due { at: start, phase: channel, event: slot }) = self.starts.pop_due(Some(before)) {
            // A frame leaves before it arrives, and keeps its slot until then.
            let frame = self.frames.get(slot);
            let write = |bytes: &mut Vec<u8>| endpoint.write(frame, bytes);
            let port = self.ends[channel as usize].from;
            observer.passed(Time::from_ps(start), port, Direction::Out, frame, &write);
        }
    }
}

fn number_of_channels(ends: &[Ends]) -> u32 {
    u32::try_from(ends.len()).expect("channels have ids")
}

/// The channel in the other direction of the same cable.
pub(super) fn opposite(channel: u32) -> u32 {
    channel ^ 1
}

/// How far ahead most events lie: a full frame's time on the slowest cable, all cables' delays and switches' latency.
fn span(parameters: &Parameters) -> u64 {
    let bytes = PREAMBLE.saturating_add(HEADER + TRAILER + GAP).saturating_add(parameters.mtu);
    let times = parameters.rates.iter().map(|rate| Pace::new(*rate, parameters.mtu).time(bytes)).max();
    let delays = parameters.delays.iter().map(|delay| delay.as_ps()).max();
    [times, delays].into_iter().flatten().fold(parameters.switch_latency.as_ps(), u64::saturating_add)
}

fn is_for<P>(frame: &Frame<P>, host: HostId) -> bool {
    frame.destination == Address::Broadcast || frame.destination == Address::Host(host)
}
