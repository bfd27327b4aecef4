//! Applications: generated messages on given routes, which share interfaces with the messages of processes.
//!
//! # Scope and limitations
//! An application blocks while its interface holds as many of its messages as fit, and is then late by that
//! much for ever after: what it offers beyond what the network takes is not sent later. Messages go in the
//! order in which they are handed to an interface, whosesoever they are. A message that is lost is not sent
//! again.
//!
//! # Source
//! Mainwaring et al. 1997, section 6: communication layers, interfaces or switches could "condition traffic"
//! while the network is mapped; the two ways of [`Restraint`] are the project's reading of that.
//!
//! # Validation
//! `tests/running/processes/closed_forms.rs`: what is offered arrives, in the time of a quiet network at little load;
//! restrained applications send as little as they must.

use std::fmt;

use simnet_base::des::random::Stream;
use simnet_base::ids::HostId;
use simnet_base::units::{Cycle, Duration, Time};
use simnet_media::fabric::{Ended, Fate, Fates, Parameters};
use simnet_media::traffic::{Generated, Planned, Source, Workload};
use simnet_network::routing::Routes;
pub use simnet_scenario::mapping::Restraint;

/// The traffic of applications.
#[derive(Clone, Copy)]
pub struct Load<'a> {
    /// Who sends what to whom, and how irregularly.
    pub workload: &'a Workload,
    /// What every host that sends offers, in payload flits a flit time of the fastest cable.
    pub load: f64,
    /// The routes; `None`: those installed at interfaces ([`Host::install`](simnet_media::host::Host::install)),
    /// without which nothing is sent.
    pub routes: Option<&'a (dyn Routes + Sync)>,
    /// Whether an interface uses routes that are installed from then on.
    pub follow_tables: bool,
    /// How many messages of an application its interface holds before the application blocks; at least 1.
    pub queue: usize,
    /// What applications do while the network is mapped; `None`: nothing.
    pub restraint: Option<Restraint>,
    /// The length of the intervals by which ends of messages are counted; `None`: they are not.
    pub interval: Option<Duration>,
}

impl<'a> Load<'a> {
    /// Applications that send on `routes` whatever else happens, and interfaces that hold 16 messages.
    pub fn new(workload: &'a Workload, load: f64, routes: &'a (dyn Routes + Sync)) -> Load<'a> {
        Load {
            workload,
            load,
            routes: Some(routes),
            follow_tables: false,
            queue: 16,
            restraint: None,
            interval: None,
        }
    }
}

impl fmt::Debug for Load<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Load")
            .field("workload", self.workload)
            .field("load", &self.load)
            .field("follow_tables", &self.follow_tables)
            .field("queue", &self.queue)
            .field("restraint", &self.restraint)
            .field("interval", &self.interval)
            .finish_non_exhaustive()
    }
}

/// What became of the messages of applications. Those created were delivered, were lost ([`Fates::lost`]), had no
/// route, or are queued or in flight when the run ends.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Handed to interfaces.
    pub created: u64,
    /// What became of those that were sent and are over.
    pub fates: Fates,
    /// Payload flits of the delivered ones.
    pub delivered_flits: u64,
    /// Not sent, for want of a route.
    pub unroutable: u64,
    /// Still waiting at their interfaces at the end.
    pub queued: u64,
    /// Still in the fabric at the end.
    pub in_flight: u64,
    /// The sum over the delivered ones of the cycles from creation to the last flit's arrival.
    pub latency_cycles: u128,
    /// The longest such time, in cycles.
    pub longest_cycles: u64,
    /// What ended in each interval, if requested.
    pub intervals: Vec<Interval>,
}

/// What ended within an interval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Interval {
    /// Messages delivered sound.
    pub delivered: u64,
    /// Their payload flits.
    pub flits: u64,
    /// The sum of their cycles from creation to the last flit's arrival.
    pub latency_cycles: u128,
    /// Messages that were lost in any way.
    pub lost: u64,
}

impl Traffic {
    /// Counts the end of a message. `interval` is in cycles.
    pub(super) fn ended(&mut self, ended: &Ended, spoilt: bool, interval: Option<u64>) {
        let (at, latency) = match ended.fate {
            Fate::Delivered { tail, .. } if !spoilt => (tail, Some(tail.0 - ended.created.0)),
            Fate::Delivered { tail: at, .. } | Fate::Destroyed { at, .. } => (at, None),
        };
        self.fates.count(ended.fate, spoilt);
        if let Some(latency) = latency {
            self.delivered_flits += u64::from(ended.payload);
            self.latency_cycles += u128::from(latency);
            self.longest_cycles = self.longest_cycles.max(latency);
        }
        let Some(interval) = interval else { return };
        self.count_within(at, interval, latency, ended.payload);
    }

    fn count_within(&mut self, at: Cycle, interval: u64, latency: Option<u64>, payload: u32) {
        let nth = usize::try_from(at.0 / interval).unwrap_or(usize::MAX);
        if nth >= MOST_INTERVALS {
            return;
        }
        if nth >= self.intervals.len() {
            self.intervals.resize(nth + 1, Interval::default());
        }
        let interval = &mut self.intervals[nth];
        match latency {
            Some(latency) => {
                interval.delivered += 1;
                interval.flits += u64::from(payload);
                interval.latency_cycles += u128::from(latency);
            }
            None => interval.lost += 1,
        }
    }
}

/// What ends later than so many intervals is only counted in the sums.
const MOST_INTERVALS: usize = 1 << 20;

/// The clocks of applications.
pub(super) struct Application<'a> {
    load: Load<'a>,
    source: Generated<'a>,
    flit_time: Duration,
    clocks: Vec<Clock>,
}

struct Clock {
    next: Option<Planned>,
    /// By how much the application is late.
    late: Duration,
    /// Until when it holds itself back.
    restrained: Time,
}

/// What an application does at an instant.
pub(super) enum Action {
    /// It must wait until then.
    Waits(Time),
    /// It hands a message over; and when it will go on, if ever.
    Sends(Planned, Option<Time>),
}

impl<'a> Application<'a> {
    /// Applications that have sent nothing yet.
    pub(super) fn new(load: Load<'a>, parameters: &Parameters, hosts: usize, seed: u64) -> Application<'a> {
        let period = parameters.links.iter().map(|link| link.period).min().unwrap_or(1);
        let flit_time = parameters.base_cycle * period;
        let mut source = Generated::new(load.workload, load.load, flit_time, seed);
        let members = load.workload.pattern.members().network_hosts().min(hosts);
        let clocks = (0..members).map(|host| Clock {
            next: source.next(HostId::new(host)),
            late: Duration::ZERO,
            restrained: Time::ZERO,
        });
        let clocks = clocks.collect();
        Application { load, source, flit_time, clocks }
    }

    /// When each host's first message comes.
    pub(super) fn first(&self) -> impl Iterator<Item = (HostId, Time)> {
        let created = |(host, clock): (usize, &Clock)| Some((HostId::new(host), clock.next?.created));
        self.clocks.iter().enumerate().filter_map(created)
    }

    /// Lets the application of `host` act at `now`, where `waiting` of its messages are at the interface.
    pub(super) fn act(&mut self, host: HostId, now: Time, waiting: usize) -> Option<Action> {
        let clock = &mut self.clocks[host.index()];
        let planned = clock.next?;
        let due = planned.created + clock.late;
        if due > now {
            return Some(Action::Waits(due));
        }
        if waiting >= self.load.queue.max(1) {
            // It looks again when a message of this length could have left.
            let pause = self.flit_time * u64::from(planned.payload.max(1));
            clock.late += now.since(due) + pause;
            return Some(Action::Waits(now + pause));
        }
        clock.next = self.source.next(host);
        Some(Action::Sends(planned, clock.next.map(|next| next.created + clock.late)))
    }

    /// The interface of `host` has sent or received a message of a process.
    pub(super) fn sees_a_process(&mut self, host: HostId, now: Time) {
        let (Some(restraint), Some(clock)) = (self.load.restraint, self.clocks.get_mut(host.index())) else {
            return;
        };
        let until = now + restraint.span;
        let from = now.max(clock.restrained).min(until);
        let added = until.since(from);
        let goes_on = restraint.slower.map_or(0, |slower| added.as_ps() / u64::from(slower.max(1)));
        clock.late += Duration::from_ps(added.as_ps() - goes_on);
        clock.restrained = clock.restrained.max(until);
    }

    /// How long an interface is busy with so many flits.
    pub(super) fn busy(&self, flits: u32) -> Duration {
        self.flit_time * u64::from(flits)
    }
}

/// A value that lies above or below `span` by up to `thousandths` of it.
pub(in crate::simulation) fn jittered(span: Duration, thousandths: u32, stream: &mut Stream) -> Duration {
    let spread = u64::from(thousandths.min(1_000)) * 1_000;
    let share = 1_000_000 - spread + stream.below(2 * spread + 1);
    let ps = u128::from(span.as_ps()) * u128::from(share) / 1_000_000;
    Duration::from_ps(u64::try_from(ps).unwrap_or(u64::MAX))
}
