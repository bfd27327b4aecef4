//! The hosts of a load point, as the fabric sees them: sources, routes and the meter in one endpoint.

use std::collections::VecDeque;
use std::ops::ControlFlow;

use simnet_base::ids::{HostId, Port};
use simnet_base::measure::{Arrival, ByHost, HostTotals, Meter, Totals, Trend, Window};
use simnet_base::units::{Cycle, Duration};
use simnet_media::fabric::{Cause, Ended, Endpoint, Fate, Fates, Outgoing, RouteBuffer};
use simnet_media::traffic::{BitErrors, Planned, Source};
use simnet_network::routing::Routes;
use simnet_output::report::record;

use super::kept::Sample;
use super::progress::{Listener, Pulse};
use super::zero_load::ZeroLoad;

/// What became of one message of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delivery {
    /// Its row in the trace.
    pub number: u64,
    /// Its end.
    pub fate: Fate,
    /// Whether bit errors spoilt it, so that the receiver dropped it.
    pub spoilt: bool,
}

/// What the tag of a message says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tag {
    /// Its sender.
    pub source: HostId,
    /// Its number at the sender (the lower 31 bits of it), or its row in the trace.
    pub number: u64,
    /// Whether bit errors have spoilt it.
    pub spoilt: bool,
}

impl Tag {
    const NUMBERS: u64 = (1 << 31) - 1;

    /// The tag as the fabric carries it.
    pub fn pack(self) -> u64 {
        u64::from(self.source.0) << 32 | (self.number & Tag::NUMBERS) << 1 | u64::from(self.spoilt)
    }

    /// What a tag says that the fabric carried.
    pub fn unpack(tag: u64) -> Tag {
        let source = HostId((tag >> 32) as u32);
        Tag { source, number: tag >> 1 & Tag::NUMBERS, spoilt: tag & 1 == 1 }
    }
}

record! {
    /// How many messages ended in which way, warm-up included.
    #[derive(Default, PartialEq, Eq)]
    pub struct Tally {
        /// Began to leave their host.
        pub sent: u64,
        /// Delivered whole and sound.
        pub delivered: u64,
        /// Delivered with a wrong CRC and dropped by the interface.
        pub crc_errors: u64,
        /// Destroyed by a forward reset.
        pub resets: u64,
        /// Destroyed by the failure of a cable.
        pub link_failures: u64,
        /// Turned out of the switch's ports.
        pub illegal_turns: u64,
        /// Turned to a port without a working cable.
        pub no_such_wire: u64,
        /// Reached a host with turns left.
        pub host_too_soon: u64,
        /// Ended at a switch.
        pub stranded: u64,
        /// Dropped by a switch when its time to live was over.
        #[serde(skip_serializing_if = "crate::is_default")]
        pub expired: u64,
        /// Never sent, for want of a route.
        pub unroutable: u64,
    }
}

impl Tally {
    /// Messages that were sent and not delivered sound.
    pub fn lost(&self) -> u64 {
        let destroyed = self.resets + self.crc_errors + self.link_failures;
        destroyed + self.illegal_turns + self.no_such_wire + self.host_too_soon + self.stranded + self.expired
    }

    fn of(sent: u64, unroutable: u64, fates: &Fates) -> Tally {
        Tally {
            sent,
            delivered: fates.delivered,
            crc_errors: fates.corrupted,
            resets: fates.destroyed(Cause::Reset),
            link_failures: fates.destroyed(Cause::LinkFailure),
            illegal_turns: fates.destroyed(Cause::IllegalTurn),
            no_such_wire: fates.destroyed(Cause::NoSuchWire),
            host_too_soon: fates.destroyed(Cause::HostTooSoon),
            stranded: fates.destroyed(Cause::Stranded),
            expired: fates.destroyed(Cause::Expired),
            unroutable,
        }
    }
}

/// How often in a row a host may draw a destination without a route before it falls silent.
const FRUITLESS_DRAWS: u32 = 10_000;

/// A message that was sent and is not over.
#[derive(Clone, Copy, Debug)]
struct UnderWay {
    tag: u64,
    /// Cycles that it would take alone.
    alone: u64,
    destination: HostId,
}

/// The newest message that a host is known to create.
#[derive(Clone, Copy, Debug)]
struct Newest {
    /// When; far beyond all windows if the host creates no more.
    created: Cycle,
    /// Its payload flits; none if it is no message.
    payload: u32,
}

impl Newest {
    const NOTHING_YET: Newest = Newest { created: Cycle::ZERO, payload: 0 };
    const NO_MORE: Newest = Newest { created: Cycle(u64::MAX), payload: 0 };
}

/// The hosts of one load point.
pub struct Hosts<'a, S, R> {
    source: S,
    routes: &'a R,
    zero_load: &'a ZeroLoad<'a>,
    base_cycle: Duration,
    bit_errors: Vec<BitErrors>,
    /// Per host: its newest message.
    newest: Vec<Newest>,
    /// Per host: messages drawn before the fabric requested them, in order.
    ahead: Vec<VecDeque<(Cycle, Planned)>>,
    /// Hosts that may yet create messages in the window; none before it is opened.
    hosts_within: usize,
    is_open: bool,
    /// `true` once hosts send no more.
    is_silent: bool,
    /// Per host: whether the fabric was given a message that has not begun to leave.
    waiting: Vec<bool>,
    /// Per host, in order of sending: the messages that are not over. They are few, and mostly over in that order.
    under_way: Vec<VecDeque<UnderWay>>,
    /// What was measured.
    pub meter: Meter,
    /// The same by host.
    pub by_host: ByHost,
    /// Messages that began to leave.
    sent: u64,
    /// Messages without a route.
    unroutable: u64,
    fates: Fates,
    /// Every message's end, in order of their ends, if requested.
    pub deliveries: Option<Vec<Delivery>>,
    /// The rows of a trace's messages that have no route, if requested.
    pub unrouted: Option<Vec<u64>>,
    /// Messages of the window one by one, if requested.
    pub sample: Option<Sample>,
    /// The course of the point, if requested.
    pub trend: Option<Trend>,
    /// Beats with every message that ends.
    pub(super) pulse: Pulse<'a>,
}

impl<'a, S: Source, R: Routes> Hosts<'a, S, R> {
    /// Hosts that have sent nothing yet; only those with an attachment will ever send; `bit_errors` has
    /// one entry a host, or none for perfect cables.
    pub fn new(
        source: S,
        routes: &'a R,
        zero_load: &'a ZeroLoad<'a>,
        base_cycle: Duration,
        attachments: &[Option<Port>],
        bit_errors: Vec<BitErrors>,
        meter: Meter,
    ) -> Hosts<'a, S, R> {
        let newest = |port: &Option<Port>| port.map_or(Newest::NO_MORE, |_| Newest::NOTHING_YET);
        Hosts {
            source,
            routes,
            zero_load,
            base_cycle,
            bit_errors,
            newest: attachments.iter().map(newest).collect(),
            ahead: vec![VecDeque::new(); attachments.len()],
            hosts_within: 0,
            is_open: false,
            is_silent: false,
            waiting: vec![false; attachments.len()],
            under_way: vec![VecDeque::new(); attachments.len()],
            meter,
            by_host: ByHost::new(attachments.len()),
            sent: 0,
            unroutable: 0,
            fates: Fates::default(),
            deliveries: None,
            unrouted: None,
            sample: None,
            trend: None,
            pulse: Pulse::new(Listener::default()),
        }
    }

    /// How messages ended.
    pub fn tally(&self) -> Tally {
        Tally::of(self.sent, self.unroutable, &self.fates)
    }

    /// Begins to measure in `window`, which nothing has been sent in yet.
    pub fn open_window(&mut self, window: Window) {
        let planned = self.newest.iter().filter(|newest| newest.payload > 0).map(|newest| newest.created);
        self.meter.open_window(window, planned.filter(|created| *created >= window.from));
        self.is_open = true;
        self.count_within();
    }

    /// Extends the window to `to`, which nothing has been sent beyond yet.
    pub fn extend_window(&mut self, to: Cycle) {
        let planned = self.newest.iter().filter(|newest| newest.payload > 0).map(|newest| newest.created);
        self.meter.extend(to, planned);
        self.by_host.extend();
        self.count_within();
    }

    fn count_within(&mut self) {
        let to = self.meter.window().to;
        self.hosts_within = self.newest.iter().filter(|newest| newest.created < to).count();
    }

    /// Whether every message created in the window has ended.
    pub fn settled(&self) -> bool {
        self.is_open && self.hosts_within == 0 && self.meter.open() == 0
    }

    /// Lets hosts send nothing more but what the fabric has been given.
    pub fn fall_silent(&mut self) {
        self.is_silent = true;
    }

    /// Draws what hosts create before `to` but had no chance to send.
    pub fn foresee(&mut self, to: Cycle) {
        let mut route = RouteBuffer::new();
        for host in (0..self.newest.len()).map(HostId::new) {
            while self.newest[host.index()].created < to {
                let drawn = self.draw(host, &mut route);
                self.ahead[host.index()].extend(drawn);
            }
        }
    }

    /// What there was up to `now`, if everything created before has been foreseen.
    pub fn totals(&self, now: Cycle) -> Totals {
        let ahead = self.newest.iter().filter(|newest| newest.payload > 0 && newest.created >= now);
        let mut totals = self.meter.totals();
        for newest in ahead {
            totals.planned -= 1;
            totals.planned_flits -= u64::from(newest.payload);
        }
        totals
    }

    /// The same by host.
    pub fn host_totals(&self, now: Cycle) -> Vec<HostTotals> {
        let mut totals = self.by_host.totals().to_vec();
        for (newest, totals) in self.newest.iter().zip(&mut totals) {
            if newest.payload > 0 && newest.created >= now {
                totals.planned -= 1;
                totals.planned_flits -= u64::from(newest.payload);
            }
        }
        totals
    }

    fn set_newest(&mut self, host: HostId, newest: Newest) {
        let before = std::mem::replace(&mut self.newest[host.index()], newest);
        let to = self.meter.window().to;
        if self.is_open && before.created < to && newest.created >= to {
            self.hosts_within -= 1;
        }
    }

    /// Draws the next message of `host` that has a route, and writes that to `route`.
    #[inline(always)]
    fn draw(&mut self, host: HostId, route: &mut RouteBuffer) -> Option<(Cycle, Planned)> {
        for _ in 0..FRUITLESS_DRAWS {
            let Some(planned) = self.source.next(host) else { break };
            let created = planned.created.to_cycle_ceil(self.base_cycle);
            route.clear();
            if !self.routes.route(host, planned.destination, route) {
                self.unroutable += 1;
                if let Some(unrouted) = &mut self.unrouted {
                    unrouted.push(planned.number);
                }
                continue;
            }
            self.set_newest(host, Newest { created, payload: planned.payload });
            self.meter.created(created, planned.payload);
            self.by_host.created(host, planned.payload);
            return Some((created, planned));
        }
        self.set_newest(host, Newest::NO_MORE);
        None
    }

    /// The next message of `host` that has a route, drawn ahead or now.
    fn plan(&mut self, host: HostId, route: &mut RouteBuffer) -> Option<Outgoing> {
        if self.is_silent {
            return None;
        }
        let (created, planned) = match self.ahead[host.index()].pop_front() {
            None => self.draw(host, route)?,
            Some((created, planned)) => {
                route.clear();
                self.routes.route(host, planned.destination, route);
                (created, planned)
            }
        };
        let spoilt = match self.bit_errors.get_mut(host.index()) {
            Some(errors) => errors.strike(planned.payload, route.len()),
            None => false,
        };
        let tag = Tag { source: host, number: planned.number, spoilt }.pack();
        let alone = self.zero_load.cycles(host, route, planned.payload);
        let destination = planned.destination;
        let service_level = self.routes.service_level(host, destination);
        self.under_way[host.index()].push_back(UnderWay { tag, alone, destination });
        Some(Outgoing { created, payload: planned.payload, tag, time_to_live: None, service_level })
    }

    /// Forgets a message that is over; gives what was known of it.
    fn over(&mut self, message: &Ended) -> UnderWay {
        let under_way = &mut self.under_way[message.source.index()];
        if let Some(first) = under_way.front().copied().filter(|one| one.tag == message.tag) {
            under_way.pop_front();
            return first;
        }
        let place = under_way.iter().position(|one| one.tag == message.tag);
        place.and_then(|place| under_way.remove(place)).expect("it was sent and is over once")
    }
}

impl<S: Source, R: Routes> Endpoint for Hosts<'_, S, R> {
    fn next_message(&mut self, host: HostId, route: &mut RouteBuffer) -> Option<Outgoing> {
        let message = self.plan(host, route);
        // The fabric asks again only when the message before has begun to leave.
        self.sent += u64::from(std::mem::replace(&mut self.waiting[host.index()], message.is_some()));
        message
    }

    fn ended(&mut self, message: &Ended) -> ControlFlow<()> {
        let Tag { number, spoilt, .. } = Tag::unpack(message.tag);
        self.fates.count(message.fate, spoilt);
        let (Fate::Delivered { tail: over, .. } | Fate::Destroyed { at: over, .. }) = message.fate;
        self.pulse.beat(|| over.to_time(self.base_cycle));
        let UnderWay { alone: moving, destination, .. } = self.over(message);
        let Ended { source, created, started, payload, .. } = *message;
        let window = self.meter.window();
        match message.fate {
            Fate::Delivered { host, tail, .. } if !spoilt => {
                self.meter.delivered(&Arrival { created, started, tail, payload, moving });
                self.by_host.delivered((source, host), (created, tail), payload, window);
                if let Some(trend) = &mut self.trend {
                    trend.delivered(created, tail, payload);
                }
            }
            _ => {
                self.meter.lost(created, payload);
                self.by_host.lost(source, created, window);
            }
        }
        if let Some(deliveries) = &mut self.deliveries {
            deliveries.push(Delivery { number, fate: message.fate, spoilt });
        }
        if let (Some(sample), true) = (&mut self.sample, created >= window.from) {
            sample.ended(message, destination, number, spoilt);
        }
        let is_over = self.settled() || self.pulse.ask_stop();
        if is_over { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wrong if one of the three parts of a tag ran into another.
    #[test]
    fn a_tag_keeps_its_parts_apart() {
        for source in [0, 1, u32::MAX].map(HostId) {
            for number in [0, 1, Tag::NUMBERS] {
                for spoilt in [false, true] {
                    let tag = Tag { source, number, spoilt };
                    assert_eq!(Tag::unpack(tag.pack()), tag);
                }
            }
        }
    }
}
