//! One load point: a fresh fabric, traffic on given routes, and what came of it.
//!
//! ```text
//!   warm-up: given, or looked at after 1, 2, 4, ... spans until MSER-5 finds its end in the first half
//!   window:  fixed, or looked at and extended until the mean latency is known well enough
//!   drain:   what was created in the window is followed until it has ended
//!   silence: after a deadlock that nothing breaks, until only what it holds up is left
//! ```
//! A point falls behind if fewer flits end than are offered and the backlog grows along a line; then its latencies only
//! show how long it was observed. Such a point is not followed: it is measured until its accepted traffic is known, and
//! ends. A point is dead once a deadlock stands that no reset, limit or failure will ever break.
//!
//! # Scope and limitations
//! Nearer to saturation than a few percent, no run of finite length distinguishes a long queue from one that grows.
//! A point that neither falls behind nor settles ends at its limit as not converged. A window that is shorter
//! than a message says nothing of what a network carries: such a point has not converged either, and is never called
//! saturated. The flits of a message count where its last one arrives; where that would be more than the cables of a
//! host carry in the window, it is as much as they carry.
//!
//! The simulated clock ends after 213 days. A window that would go on beyond it, or beyond the horizon that was given,
//! is cut there, and the point ends at its horizon; the clock's end itself is no time that was measured.
//!
//! # Source
//! The 0.95 is the project's reading of sancho2000: saturation is the first load with accepted traffic below 0.95 of
//! offered traffic.
//!
//! # Validation
//! M/D/1 waiting times with everything found by itself, and points beyond saturation, in the integration tests.

use simnet_base::ids::{HostId, LinkId, Node, Port};
use simnet_base::measure::{Estimate, HostLatency, HostTotals, Meter, SLOTS, Totals, Trend, Window};
use simnet_base::units::{Cycle, Duration};
use simnet_media::fabric::{
    BuildError, ChannelUse, Deadlock, Fabric, FlowControl, Observer, Parameters, Pause,
};
use simnet_media::traffic::{BitErrors, Source};
use simnet_network::routing::Routes;
use simnet_network::topology::{End, Network};

use super::kept::{Keep, Sample, Series};
use super::plan::{Extent, Plan, Warmup};
use super::progress::{Listener, Pulse};
use super::traffic::{Delivery, Hosts, Tally};
use super::zero_load::ZeroLoad;

/// What all load points of a run share.
pub struct Setup<'a> {
    /// The network.
    pub network: &'a Network,
    /// The fabric, in base cycles.
    pub parameters: &'a Parameters,
    /// Per host, the port that it uses.
    pub attachments: &'a [Option<Port>],
    /// Cables that fail: when, and when they return.
    pub failures: Vec<(LinkId, Cycle, Option<Cycle>)>,
    /// The mean number of bits between two errors, if there are any.
    pub bits_between_errors: Option<u64>,
    /// The seed of bit errors.
    pub seed: u64,
    /// Who hears how far it has come.
    pub listener: Listener<'a>,
}

/// How a load point ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum PointEnd {
    /// Every measured message ended.
    Drained,
    /// The network fell behind what was offered, and messages were not followed.
    Saturated,
    /// The horizon came first.
    Horizon,
    /// A deadlock stands that nothing will ever break.
    Deadlocked,
}

/// What cut a window short.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// The horizon that was given.
    Horizon,
    /// The end of the simulated clock.
    Clock,
}

/// What came of one load point.
pub struct Point {
    /// How it ended.
    pub end: PointEnd,
    /// What cut its window short of what was planned, if anything did.
    pub cut: Option<Cut>,
    /// Whether the end of the simulated clock came before the warm-up was over.
    pub is_warmup_cut: bool,
    /// Cycles that the longest message takes over a host's cable.
    pub message: u64,
    /// The cycles over which rates are taken.
    pub window: Window,
    /// When the transient ended by MSER-5; none if the warm-up was given or no end was found.
    pub transient: Option<Cycle>,
    /// Whether the warm-up was given or its end was found.
    pub is_warm: bool,
    /// Payload flits of the messages created in the window.
    pub offered_flits: u64,
    /// Payload flits of the messages whose tail arrived in the window; of no host more than its cables carry then.
    pub accepted_flits: u64,
    /// Whether the network fell behind what was offered.
    pub saturated: bool,
    /// What is known of the mean latency from creation, in cycles; none if messages are too few, or not followed.
    pub estimate: Option<Estimate>,
    /// Whether every message of the window has ended.
    pub is_settled: bool,
    /// Whether a deadlock stood at the end that a reset, a limit or a failure would have broken later.
    pub is_locked: bool,
    /// What was measured.
    pub meter: Meter,
    /// How messages ended, warm-up included.
    pub tally: Tally,
    /// Every message's end, if requested.
    pub deliveries: Option<Vec<Delivery>>,
    /// The rows of a trace's messages that have no route, if deliveries were requested.
    pub unrouted: Option<Vec<u64>>,
    /// Messages of the window one by one, if requested.
    pub sample: Option<Sample>,
    /// The course of the point, if requested.
    pub trend: Option<Trend>,
    /// The use of channels in intervals, if requested.
    pub series: Option<Series>,
    /// Per channel, its use within the window.
    pub channels: Vec<ChannelUse>,
    /// Per channel, the heads decoded at its far end within the window.
    pub decoded: Vec<u64>,
    /// Per host, its traffic within the window.
    pub hosts: Vec<HostTotals>,
    /// Per host, what became of the messages that it created in the window.
    pub host_latencies: Vec<HostLatency>,
    /// Every deadlock, in order of formation.
    pub deadlocks: Vec<Deadlock>,
    /// How many messages were still in the fabric at the end; of a dead point, how many its deadlocks hold up.
    pub in_flight: u64,
    /// Events that the fabric handled.
    pub events: u64,
    /// The last cycle that was run.
    pub last: Cycle,
}

impl Setup<'_> {
    /// The most base cycles that a flit takes on the cable of a host that takes part; 1 without any.
    pub fn slowest_period(&self) -> u64 {
        let hosts = self.network.host_ids().zip(self.attachments);
        let links = hosts.filter_map(|(host, port)| self.network.link_at(End::host(host, (*port)?.0)));
        links.map(|link| self.parameters.links[link.index()].period).max().unwrap_or(1)
    }

    /// Whether anything from cycle `now` on may break a deadlock: a forward reset, a limit on waiting or on life, or
    /// the failure of a cable.
    fn breaks(&self, now: Cycle) -> bool {
        let is_ahead = |(_, at, until): &(LinkId, Cycle, Option<Cycle>)| *at >= now || *until >= Some(now);
        let limited = match &self.parameters.flow {
            FlowControl::StopGo => false,
            FlowControl::Credits(credits) => {
                credits.head_of_line_limit.is_some() || credits.lifetime_limit.is_some()
            }
        };
        let lives = self.parameters.host.time_to_live.is_some();
        limited || lives || self.parameters.switch.timeout.is_some() || self.failures.iter().any(is_ahead)
    }

    /// The most flits that the cables of a host carry in so many cycles, one way.
    fn most_flits(&self, host: HostId, cycles: u64) -> u64 {
        let cables = self.network.cables(Node::Host(host));
        cables.map(|(_, link, _)| cycles / self.parameters.links[link.index()].period).sum()
    }
}

/// Why there is no load point.
#[derive(Debug, thiserror::Error)]
pub enum PointError {
    /// The fabric refuses its parameters.
    #[error(transparent)]
    Fabric(#[from] BuildError),
    /// It was given up, as [`super::Progress::is_stopped`] asked.
    #[error("interrupted")]
    Stopped,
}

/// Runs one load point as planned, before the eyes of `observer`.
///
/// # Errors
/// [`PointError`].
pub fn run(
    setup: &Setup<'_>,
    source: impl Source,
    routes: &impl Routes,
    plan: &Plan,
    keep: Keep,
    observer: &mut impl Observer,
) -> Result<Point, PointError> {
    let mut fabric = Fabric::new(setup.network, setup.parameters, setup.attachments)?;
    for (link, at, until) in &setup.failures {
        fabric.fail_link(*link, *at);
        if let Some(until) = until {
            fabric.restore_link(*link, *until);
        }
    }
    let hosts = setup.network.hosts().len();
    let errors =
        |mean| (0..hosts).map(|host| BitErrors::new(HostId::new(host).0, mean, setup.seed)).collect();
    let bit_errors = setup.bits_between_errors.map_or_else(Vec::new, errors);
    let base_cycle: Duration = setup.parameters.base_cycle;
    let zero_load = ZeroLoad::new(setup.network, setup.parameters, setup.attachments);
    let meter = Meter::default();
    let mut traffic =
        Hosts::new(source, routes, &zero_load, base_cycle, setup.attachments, bit_errors, meter);
    traffic.deliveries = keep.deliveries.then(Vec::new);
    traffic.unrouted = keep.deliveries.then(Vec::new);
    traffic.sample = keep.messages.map(Sample::new);
    traffic.trend = keep.trend.then(Trend::default);
    traffic.pulse = Pulse::new(setup.listener);

    let channels = 2 * setup.network.links().len();
    let series = keep.interval.map(|interval| Series::new(interval, channels));
    let mut course = Course {
        setup,
        plan,
        fabric,
        traffic,
        series,
        observer,
        backlogs: Vec::new(),
        under_way: Vec::new(),
    };
    let start = course.warm_up();
    let measured = course.measure(start.from);
    if course.traffic.pulse.is_stopped() {
        return Err(PointError::Stopped);
    }
    course.traffic.foresee(course.traffic.meter.window().to);
    Ok(course.into_point(&start, measured))
}

/// A load point under way.
struct Course<'c, 'a, S, R, O> {
    setup: &'c Setup<'c>,
    plan: &'c Plan,
    fabric: Fabric,
    traffic: Hosts<'a, S, R>,
    series: Option<Series>,
    observer: &'c mut O,
    /// The flits that were offered and had not ended, in cycles in which that was looked at, in order.
    backlogs: Vec<(Cycle, u64)>,
    /// The messages in the fabric in the same cycles.
    under_way: Vec<(Cycle, usize)>,
}

/// Where the window of a point begins, and why there.
struct Start {
    from: Cycle,
    transient: Option<Cycle>,
    is_warm: bool,
    /// Whether the simulated clock left no more time.
    is_cut: bool,
}

/// What was read off at an end of the window.
struct Reading {
    totals: Totals,
    hosts: Vec<HostTotals>,
    channels: Vec<ChannelUse>,
    decoded: Vec<u64>,
}

/// What came of a window.
struct Measured {
    window: Window,
    before: Reading,
    after: Reading,
    saturated: bool,
    estimate: Option<Estimate>,
    cut: Option<Cut>,
    /// Until when its messages were followed.
    until: Cycle,
}

impl<S: Source, R: Routes, O: Observer> Course<'_, '_, S, R, O> {
    fn warm_up(&mut self) -> Start {
        let (mut end, most) = match self.plan.warmup {
            Warmup::Given(from) => {
                self.traffic.meter.ignore_warmup();
                self.advance(from.min(self.plan.horizon(from)));
                return Start { from, transient: None, is_warm: true, is_cut: from > self.plan.clock };
            }
            Warmup::Detected { first, most } => (first, most),
        };
        // Half of what there is belongs to the measurement.
        let is_cut = most > self.plan.clock.0 / 2;
        let most = most.min(self.plan.limit().0 / 2).max(1);
        let mut half = Totals::default();
        for look in 0.. {
            end = end.min(most);
            self.aim(Cycle(end.saturating_add(self.plan.lengths().0)));
            let goes_on = self.advance(Cycle(end));
            self.traffic.foresee(Cycle(end));
            let totals = self.traffic.totals(Cycle(end));
            let transient = self.traffic.meter.transient_end();
            // A network that falls behind goes on changing for ever, and a dead one not at all.
            let is_behind = look >= LOOKS_BEFORE_BEHIND && is_behind(&half, &totals);
            if transient.is_some() || is_behind || !goes_on || end >= most || self.is_dead() {
                let is_warm = transient.is_some();
                return Start {
                    from: self.fabric.now(),
                    transient,
                    is_warm,
                    is_cut: is_cut && !is_warm && end >= most,
                };
            }
            half = totals;
            end = end.saturating_mul(2);
        }
        unreachable!("the looks do not end but by a return")
    }

    fn measure(&mut self, from: Cycle) -> Measured {
        let (first, most) = self.plan.lengths();
        // Compared with a backlog that has grown during a long warm-up, its growth in a short window looks small.
        let mut length = first.max(from.0).min(most);
        self.traffic.open_window(self.window(from, length));
        let before = self.read(from);
        // The length at which the network first seemed to fall behind, and has done so since.
        let mut doubt: Option<u64> = None;
        loop {
            let planned = self.traffic.meter.window();
            self.aim(planned.to);
            let half = Cycle(from.0 + planned.cycles() / 2);
            if self.plan.can_saturate && self.fabric.now() < half {
                self.advance(half);
                self.note_backlog(self.fabric.now());
            }
            let goes_on = self.advance(planned.to);
            // Once nothing is left to happen, time that passes measures nothing.
            let window = Window { to: planned.to.min(self.fabric.now()).max(from + 1), ..planned };
            let after = self.read(window.to);
            let is_dead = self.is_dead();
            let is_judged = self.plan.can_saturate && planned.cycles() >= self.plan.message && !is_dead;
            let is_short = is_judged && is_behind(&before.totals, &after.totals);
            let is_far = ended_share(&before.totals, &after.totals) < FAR_BEHIND;
            let is_behind = is_short && (is_far || self.is_line(window));
            let is_since = |share: u64| doubt.is_some_and(|doubt| doubt.saturating_mul(share) <= length);
            let mut is_last =
                is_dead || !goes_on || length >= most || self.fabric.now() >= self.plan.horizon(window.to);
            let mut estimate = None;
            // Whether messages of the window have not ended in time, and that for no deadlock that may be broken.
            let mut is_left = false;
            if !is_dead && (!is_behind || is_last && self.is_locked()) {
                self.drain(self.plan.patience(from, window.to, length));
                estimate = self.traffic.meter.estimate();
                is_last |= !self.traffic.settled();
                let is_late = self.fabric.now() >= self.plan.latest(window.to);
                is_left = !self.traffic.settled() && is_late && !self.is_locked();
            }
            let is_growing = is_judged && estimate.is_some() && self.traffic.meter.grows();
            let wanted = match is_behind {
                true => self.traffic.meter.accepted_estimate(),
                false => estimate,
            };
            let precision = self.precision(is_behind);
            let is_within = |(wanted, precision): (Estimate, f64)| wanted.is_within(precision);
            let is_known =
                wanted.zip(precision).is_some_and(is_within) && (!is_behind || self.is_full(window));
            let saturated = is_behind && (is_last || is_since(2)) || is_growing || is_short && is_left;
            let next = self.next_length(length, wanted.zip(precision));
            is_last |= self.fabric.now() >= from + next;
            if is_last || is_known && (saturated || !is_behind) || saturated && !is_behind {
                let (cut, until) = (self.cut(from, length), self.plan.patience(from, window.to, length));
                return Measured { window, before, after, saturated, estimate, cut, until };
            }
            doubt = is_behind.then(|| doubt.unwrap_or(length));
            length = next;
            self.traffic.extend_window(self.window(from, length).to);
        }
    }

    /// The point seems to be over in this cycle.
    fn aim(&mut self, end: Cycle) {
        // A trace without a horizon lasts for ever, as far as is known.
        if end < self.plan.clock {
            self.traffic.pulse.aim(end.to_time(self.setup.parameters.base_cycle));
        }
    }

    /// The window of this length, cut at the horizon that was given and at the end of the simulated clock.
    fn window(&self, from: Cycle, length: u64) -> Window {
        let to = Cycle(from.0.saturating_add(length)).min(self.plan.limit());
        Window { from, to: to.max(from + 1) }
    }

    /// What cuts the window of this length short.
    fn cut(&self, from: Cycle, length: u64) -> Option<Cut> {
        let is_cut = from.0.saturating_add(length) > self.plan.limit().0;
        is_cut.then(|| if self.plan.limit() < self.plan.clock { Cut::Horizon } else { Cut::Clock })
    }

    /// How well the mean latency, or what a network that falls behind accepts, is to be known; none of a fixed length.
    fn precision(&self, is_behind: bool) -> Option<f64> {
        let Extent::Precise { precision, .. } = self.plan.extent else { return None };
        Some(if is_behind { precision.max(ACCEPTED) } else { precision })
    }

    /// How long the window has to be at the next look, to end after the present cycle.
    fn next_length(&self, length: u64, wanted: Option<(Estimate, f64)>) -> u64 {
        let Extent::Precise { most, .. } = self.plan.extent else { return length };
        let factor = wanted.map_or(2.0, |(estimate, precision)| estimate.missing(precision));
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "positive; the cast saturates"
        )]
        let wanted = (length as f64 * factor) as u64;
        let from = self.traffic.meter.window().from;
        // A network that died in its warm-up stands before the window.
        let passed = self.fabric.now().0.saturating_sub(from.0).saturating_add(1);
        wanted.max(passed).div_ceil(SLOTS).saturating_mul(SLOTS).min(most)
    }

    /// Runs to `until`, or until nothing is left to happen or it is given up; says whether it got there.
    fn advance(&mut self, until: Cycle) -> bool {
        while self.fabric.now() < until {
            if self.traffic.pulse.is_stopped() {
                return false;
            }
            if self.step(until) == Pause::Idle {
                return self.fabric.now() >= until;
            }
        }
        true
    }

    /// Runs to `until` or to the end of the present interval of the series, whichever comes first.
    fn step(&mut self, until: Cycle) -> Pause {
        let Some(series) = &mut self.series else {
            return self.fabric.run_until(until, &mut self.traffic, self.observer);
        };
        let end = series.end();
        let pause = self.fabric.run_until(until.min(end), &mut self.traffic, self.observer);
        if self.fabric.now() >= end {
            series.close(self.fabric.channel_use());
        }
        pause
    }

    /// Runs until every message of the window has ended, nothing is left to happen, or the horizon comes.
    fn drain(&mut self, horizon: Cycle) {
        let is_under_way = |hosts: &Hosts<'_, S, R>| !hosts.settled() && !hosts.pulse.is_stopped();
        while is_under_way(&self.traffic) && self.fabric.now() < horizon {
            if self.step(horizon) == Pause::Idle {
                break;
            }
        }
    }

    fn read(&mut self, at: Cycle) -> Reading {
        self.note_backlog(at);
        let (totals, hosts) = (self.traffic.totals(at), self.traffic.host_totals(at));
        let (channels, decoded) = (self.fabric.channel_use(), self.fabric.heads_decoded());
        Reading { totals, hosts, channels, decoded }
    }

    /// Notes what has been offered by this cycle and has not ended.
    fn note_backlog(&mut self, at: Cycle) {
        self.traffic.foresee(at);
        let totals = self.traffic.totals(at);
        self.backlogs.push((at, totals.planned_flits.saturating_sub(totals.ended_flits)));
        self.under_way.push((at, self.fabric.in_flight()));
    }

    /// Whether the network has filled up with messages by the middle of a window: what it accepts falls as it does.
    fn is_full(&self, window: Window) -> bool {
        let middle = window.from.0 + window.cycles() / 2;
        let within = self.under_way.iter().filter(|(at, _)| window.from <= *at && *at < window.to);
        let half = within.min_by_key(|(at, _)| at.0.abs_diff(middle));
        let last = self.under_way.iter().rfind(|(at, _)| *at == window.to);
        let (Some((_, half)), Some((_, last))) = (half, last) else { return true };
        *last as f64 <= FULL * *half as f64
    }

    /// Whether the backlog has gone on growing in the second half of a window nearly as fast as in the first. That of a
    /// queue that is carried at the edge of what it can carry grows as the root of time instead.
    fn is_line(&self, window: Window) -> bool {
        let at = |cycle: Cycle| self.backlogs.iter().rfind(|(at, _)| *at == cycle).copied();
        let middle = window.from.0 + window.cycles() / 2;
        let within = self.backlogs.iter().filter(|(at, _)| window.from < *at && *at < window.to);
        let half = within.min_by_key(|(at, _)| at.0.abs_diff(middle));
        let (Some(first), Some(half), Some(last)) = (at(window.from), half, at(window.to)) else {
            return true;
        };
        let rate = |(from, less): (Cycle, u64), (to, more): (Cycle, u64)| {
            (more as f64 - less as f64) / (to.0 - from.0) as f64
        };
        rate(*half, last) >= STRAIGHT * rate(first, *half)
    }

    /// Whether a deadlock stands, broken sooner or later or never.
    fn is_locked(&self) -> bool {
        self.fabric.deadlocks().iter().any(|deadlock| deadlock.cleared.is_none())
    }

    /// Whether a deadlock stands that nothing will ever break, whatever else still moves.
    fn is_dead(&self) -> bool {
        self.is_locked() && !self.setup.breaks(self.fabric.now())
    }

    /// Lets hosts send no more, and runs until only what deadlocks hold up is left.
    fn fall_silent(&mut self) {
        self.traffic.fall_silent();
        while !self.traffic.pulse.is_stopped() && self.fabric.now() < self.plan.clock {
            if self.step(self.plan.clock) == Pause::Idle {
                break;
            }
        }
    }

    fn end(&self, measured: &Measured) -> PointEnd {
        if self.is_dead() {
            PointEnd::Deadlocked
        } else if self.traffic.settled() {
            if measured.cut.is_some() { PointEnd::Horizon } else { PointEnd::Drained }
        } else if measured.saturated {
            PointEnd::Saturated
        } else if self.fabric.in_flight() > 0 && self.fabric.now() < measured.until {
            // Time is left, and nothing happens in it.
            PointEnd::Deadlocked
        } else {
            PointEnd::Horizon
        }
    }

    /// What hosts sent and received in the window, and the flits received that arrived before it: beyond what the
    /// cables of their hosts carry.
    fn of_hosts(&self, before: &Reading, after: &Reading, window: Window) -> (Vec<HostTotals>, u64) {
        let (mut hosts, mut beyond) = (Vec::with_capacity(after.hosts.len()), 0);
        let ids = (0..after.hosts.len()).map(HostId::new);
        for ((host, after), before) in ids.zip(&after.hosts).zip(&before.hosts) {
            let mut totals = after.since(*before);
            let most = self.setup.most_flits(host, window.cycles());
            beyond += totals.received_flits.saturating_sub(most);
            totals.received_flits = totals.received_flits.min(most);
            totals.sent_flits = totals.sent_flits.min(most);
            hosts.push(totals);
        }
        (hosts, beyond)
    }

    fn into_point(mut self, start: &Start, measured: Measured) -> Point {
        let end = self.end(&measured);
        if end == PointEnd::Deadlocked {
            self.fall_silent();
        }
        if let Some(series) = &mut self.series {
            series.close(self.fabric.channel_use());
        }
        let Measured { window, before, after, saturated, estimate, cut, .. } = measured;
        let used = after.channels.iter().zip(&before.channels);
        let decoded = after.decoded.iter().zip(&before.decoded);
        let (hosts, beyond) = self.of_hosts(&before, &after, window);
        let accepted_flits = after.totals.accepted_flits - before.totals.accepted_flits - beyond;
        Point {
            end,
            cut,
            is_warmup_cut: start.is_cut,
            message: self.plan.message,
            window,
            transient: start.transient,
            is_warm: start.is_warm,
            offered_flits: after.totals.planned_flits - before.totals.planned_flits,
            accepted_flits,
            saturated: saturated && end != PointEnd::Deadlocked,
            estimate: estimate.filter(|_| end != PointEnd::Deadlocked),
            is_settled: self.traffic.settled(),
            is_locked: self.is_locked(),
            channels: used.map(|(after, before)| between(before, after)).collect(),
            decoded: decoded.map(|(after, before)| after - before).collect(),
            hosts,
            host_latencies: self.traffic.by_host.latencies().to_vec(),
            deadlocks: self.fabric.deadlocks().to_vec(),
            in_flight: self.fabric.in_flight() as u64,
            events: self.fabric.events(),
            last: self.fabric.now(),
            tally: self.traffic.tally(),
            meter: self.traffic.meter,
            deliveries: self.traffic.deliveries,
            unrouted: self.traffic.unrouted,
            sample: self.traffic.sample,
            trend: self.traffic.trend,
            series: self.series,
        }
    }
}

/// Fewer ended than this share of what was offered is falling behind.
const SATURATION: f64 = 0.95;
/// Fewer than this is, whether or not the backlog grows along a line: bursts bend it.
const FAR_BEHIND: f64 = 0.8;
/// What a saturated network accepts is known well enough within this share, whatever precision a mean latency needs.
const ACCEPTED: f64 = 0.02;
/// A network is full if it holds at most so many times the messages that it held half a window before.
const FULL: f64 = 1.1;
/// A backlog grows along a line if the second half of a window adds at least this share of what the first half did;
/// that of a queue at the edge adds less than 0.6 in a window that is much longer than the warm-up.
const STRAIGHT: f64 = 0.6;
/// Looks at the warm-up before one that falls behind is taken for saturated.
const LOOKS_BEFORE_BEHIND: u32 = 3;

/// Whether less ended than was offered between two readings, and by more than chance brings about: three standard
/// deviations of the number of arrivals.
fn is_behind(before: &Totals, after: &Totals) -> bool {
    let messages = (after.planned - before.planned) as f64;
    let planned = (after.planned_flits - before.planned_flits) as f64;
    let ended = (after.ended_flits - before.ended_flits) as f64;
    let noise = 3.0 * libm::sqrt(messages) * planned / messages.max(1.0);
    ended < SATURATION * planned && planned - ended > noise
}

/// The share that ended of what was offered between two readings; 1 without any.
fn ended_share(before: &Totals, after: &Totals) -> f64 {
    let planned = after.planned_flits - before.planned_flits;
    if planned > 0 { (after.ended_flits - before.ended_flits) as f64 / planned as f64 } else { 1.0 }
}

/// What a channel did between two readings.
pub(super) fn between(before: &ChannelUse, after: &ChannelUse) -> ChannelUse {
    ChannelUse {
        flits: after.flits - before.flits,
        blocked: after.blocked - before.blocked,
        held: after.held - before.held,
    }
}
