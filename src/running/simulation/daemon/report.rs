//! What came of an operation, as `summary.json` shows it.

use serde::Serialize;

use crate::simulation::DeadlockReport;
use crate::simulation::failures::{Failure, Outage, network_at};
use crate::simulation::hosts::{Interval, Outcome};
use simnet_base::ids::{HostId, Node};
use simnet_base::units::{Duration, Time};
use simnet_media::fabric::{Cause, Fates};
use simnet_media::host::daemon::{DaemonEvent, Journal};
use simnet_media::host::distribution;
use simnet_network::topology::Network;
use simnet_network::topology::isomorphism::{compare, core};
use simnet_output::report::record;

use super::Task;

/// A part that failed or came back.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EventReport {
    /// When.
    pub at_ms: f64,
    /// What, and whether it `fails` or `returns`.
    pub what: String,
}

/// What followed on an event; times are from the event on, `None` where it did not come to that.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NoticeReport {
    /// The event: its position in the list.
    pub event: usize,
    /// Until a mapper found a reason to map.
    pub noticed_ms: Option<f64>,
    /// Which reason: `silence`, `return`, `period`, ...
    pub noticed_by: Option<&'static str>,
    /// Until there was a map that showed what was there when it was finished, in each part of the network that has a
    /// mapper and another host, and did not know it already.
    pub mapped_ms: Option<f64>,
    /// Until the routes on these maps had been handed out; none were where a map was as before.
    pub routed_ms: Option<f64>,
}

record! {
    /// What a daemon did.
    #[derive(PartialEq)]
    pub struct DaemonEventReport {
        /// When.
        pub at_ms: f64,
        /// Its host.
        pub mapper: String,
        /// What.
        pub what: String,
    }
}

/// Maps that daemons finished.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct MapCounts {
    /// All of them.
    pub made: u64,
    /// Those that routes were computed on, or that were the same as the map in use.
    pub adopted: u64,
    /// Adopted maps that showed what was there when they were finished.
    pub correct: u64,
    /// Adopted maps that did not.
    pub wrong: u64,
    /// Of the wrong ones, those that the mapper did not doubt although nothing had changed while it mapped.
    pub wrong_and_sure: u64,
    /// Reasons to map that were none: nothing was otherwise than on the map in use.
    pub false_alarms: u64,
}

/// Messages that did not arrive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct LossReport {
    /// Destroyed by a forward reset.
    pub reset: u64,
    /// Destroyed by the failure of a cable.
    pub failed: u64,
    /// Dropped by a switch when their time to live was over.
    pub expired: u64,
    /// Dropped by a switch that had no room for them on the lane of management.
    #[serde(skip_serializing_if = "crate::is_default")]
    pub vl15_dropped: u64,
    /// Sent on routes that led nowhere.
    pub undeliverable: u64,
    /// Not sent, for want of a route.
    pub unroutable: u64,
    /// Delivered with a wrong CRC, and dropped.
    pub corrupted: u64,
}

impl LossReport {
    fn of(fates: &Fates, unroutable: u64) -> LossReport {
        LossReport {
            reset: fates.destroyed(Cause::Reset),
            failed: fates.destroyed(Cause::LinkFailure),
            expired: fates.destroyed(Cause::Expired),
            vl15_dropped: fates.destroyed(Cause::Vl15Dropped),
            undeliverable: fates.undeliverable(),
            unroutable,
            corrupted: fates.corrupted,
        }
    }
}

/// Deadlocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct DeadlockCounts {
    /// All that formed.
    pub formed: u64,
    /// Those that formed while tables were being handed out, so that old and new routes mixed.
    pub while_mixed: u64,
}

/// Mean accepted traffic of applications in intervals of four kinds, in payload flits a flit time and sender;
/// `None` where there are none of a kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct ThroughputReport {
    /// Before the first event.
    pub before: Option<f64>,
    /// With some event that new routes had not answered yet.
    pub during: Option<f64>,
    /// With all events answered by new routes, but some part still away.
    pub degraded: Option<f64>,
    /// All others.
    pub after: Option<f64>,
}

/// What ended within an interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct IntervalReport {
    /// When it begins.
    pub from_ms: f64,
    /// Accepted traffic, in payload flits a flit time and sender.
    pub accepted: f64,
    /// Messages delivered.
    pub delivered: u64,
    /// Messages lost in any way.
    pub lost: u64,
    /// Mean time from creation to arrival; `None` if nothing was delivered.
    pub latency_us: Option<f64>,
}

/// What came of an operation.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// What failed and returned, in order of time.
    pub events: Vec<EventReport>,
    /// What followed on each event.
    pub notices: Vec<NoticeReport>,
    /// What the mappers did, in order of time.
    #[serde(rename = "deeds")]
    pub daemon_events: Vec<DaemonEventReport>,
    /// The maps.
    pub maps: MapCounts,
    /// Messages of applications: handed to interfaces.
    pub created: u64,
    /// Messages of applications: delivered.
    pub delivered: u64,
    /// Messages of applications: waiting at their interfaces at the end.
    pub queued: u64,
    /// Messages of applications: in the fabric at the end.
    pub in_flight: u64,
    /// Messages of applications that did not arrive.
    pub losses: LossReport,
    /// Messages of processes that did not arrive; a mapper's probes that find nothing are among the
    /// undeliverable.
    pub probe_losses: LossReport,
    /// Deadlocks.
    pub deadlocks: DeadlockCounts,
    /// The same one by one; they stand elsewhere in the summary.
    #[serde(skip)]
    pub locked: Vec<DeadlockReport>,
    /// For how long tables were being handed out.
    pub mixed_ms: f64,
    /// Accepted traffic before, during and after.
    pub throughput: ThroughputReport,
    /// The series by intervals.
    pub series: Vec<IntervalReport>,
    /// Events that the fabric handled.
    pub fabric_events: u64,
}

/// What a report is made of.
pub(super) struct Facts<'a> {
    pub(super) task: &'a Task<'a>,
    pub(super) outages: &'a [Outage],
    pub(super) journals: &'a [Journal],
    pub(super) outcome: &'a Outcome<()>,
}

/// An adopted map.
struct Adopted {
    mapper: HostId,
    at: Time,
    /// Whether it showed what was there.
    is_correct: bool,
    /// When its routes had been handed out, if they were.
    handed_out: Option<Time>,
    /// Whether they were to be.
    has_routes: bool,
}

impl Facts<'_> {
    fn truth(&self, at: Time) -> Network {
        network_at(self.task.setup.network, self.outages, at)
    }

    fn daemon_events(&self) -> impl Iterator<Item = (HostId, usize, Time, &DaemonEvent)> {
        self.journals.iter().enumerate().flat_map(|(host, journal)| {
            let events = journal.0.iter().enumerate();
            events.map(move |(nth, (at, event))| (HostId::new(host), nth, *at, event))
        })
    }

    /// Failures and returns within the length of the task, in order of time.
    fn events(&self) -> Vec<(Time, String)> {
        let end = Time::ZERO + self.task.length;
        let network = self.task.setup.network;
        let mut events = Vec::new();
        for Failure { part, at, lasting } in self.task.failures {
            let what = part.described(network);
            events.push((*at, format!("{what} fails")));
            events.extend(lasting.map(|lasting| (*at + lasting, format!("{what} returns"))));
        }
        events.retain(|(at, _)| *at < end);
        events.sort();
        events
    }

    /// The maps that were adopted, in order of time.
    fn adopted(&self) -> Vec<Adopted> {
        let mut adopted = Vec::new();
        for (mapper, nth, at, event) in self.daemon_events() {
            let DaemonEvent::Mapped { network, adopted: true, .. } = event else { continue };
            let after = &self.journals[mapper.index()].0[nth + 1..];
            let has_routes = matches!(after.first(), Some((_, DaemonEvent::HandingOut)));
            let handed_out = match after.get(1) {
                Some((done, DaemonEvent::HandedOut(_))) if has_routes => Some(*done),
                _ => None,
            };
            let is_correct = compare(network, &self.truth(at), mapper).isomorphic;
            adopted.push(Adopted { mapper, at, is_correct, handed_out, has_routes });
        }
        adopted.sort_by_key(|map| map.at);
        adopted
    }

    /// What followed on each event, and from when to when it was unanswered.
    fn notices(&self, events: &[(Time, String)]) -> Vec<(NoticeReport, (Time, Option<Time>))> {
        let adopted = self.adopted();
        let mut roused: Vec<(Time, &'static str)> = self
            .daemon_events()
            .filter_map(|(_, _, at, event)| match event {
                DaemonEvent::Roused(reason) => Some((at, reason.name())),
                _ => None,
            })
            .collect();
        roused.sort();
        let notice = |(event, (at, _)): (usize, &(Time, String))| {
            notice_of(event, *at, (&roused, &adopted), &self.parts_to_map(*at))
        };
        events.iter().enumerate().map(notice).collect()
    }

    /// The hosts of each part of the network at an instant that has a mapper and another host, and whose mappers' last
    /// maps do not show it.
    fn parts_to_map(&self, at: Time) -> Vec<Vec<bool>> {
        let truth = self.truth(at);
        let mut parts: Vec<Vec<bool>> = Vec::new();
        for mapper in self.task.mappers {
            if parts.iter().all(|part| !part[mapper.index()]) {
                parts.push(core(&truth, *mapper).hosts);
            }
        }
        let knows = |mapper: &HostId| {
            let first = (self.task.mappers.first() == Some(mapper))
                .then(|| super::core_of(self.task.setup.network, *mapper));
            let before = self.journals[mapper.index()].0.partition_point(|(then, _)| *then < at);
            let map = self.known_map(*mapper, before).or(first.as_ref());
            map.is_some_and(|map| compare(map, &truth, *mapper).isomorphic)
        };
        let is_to_map = |part: &Vec<bool>| {
            let mut mappers = self.task.mappers.iter().filter(|mapper| part[mapper.index()]);
            part.iter().filter(|is_in| **is_in).count() > 1 && !mappers.any(knows)
        };
        parts.retain(is_to_map);
        parts
    }

    fn map_counts(&self) -> MapCounts {
        let mut counts = MapCounts::default();
        for (mapper, nth, at, event) in self.daemon_events() {
            match event {
                DaemonEvent::Roused(reason) if reason.is_suspicion() => {
                    let first = (self.task.mappers.first() == Some(&mapper))
                        .then(|| super::core_of(self.task.setup.network, mapper));
                    let map = self.known_map(mapper, nth).or(first.as_ref());
                    let is_right = map.is_some_and(|map| compare(map, &self.truth(at), mapper).isomorphic);
                    let all_know = !matches!(reason, simnet_media::host::daemon::Reason::Unacknowledged);
                    counts.false_alarms += u64::from(is_right && all_know);
                }
                DaemonEvent::Mapped { network, doubts, adopted } => {
                    counts.made += 1;
                    if !adopted {
                        continue;
                    }
                    counts.adopted += 1;
                    if compare(network, &self.truth(at), mapper).isomorphic {
                        counts.correct += 1;
                        continue;
                    }
                    counts.wrong += 1;
                    let begun = self.journals[mapper.index()].0[..nth].last().map_or(at, |(begun, _)| *begun);
                    let changed = self.outages.iter().flat_map(|outage| [Some(outage.from), outage.until]);
                    let is_steady = !changed.flatten().any(|change| begun <= change && change <= at);
                    counts.wrong_and_sure += u64::from(doubts.is_empty() && is_steady);
                }
                _ => {}
            }
        }
        counts
    }

    /// The last map before the `nth` event of a mapper that was adopted, or that showed the mapper that it is cut off.
    fn known_map(&self, mapper: HostId, nth: usize) -> Option<&Network> {
        let mut before = self.journals[mapper.index()].0[..nth].iter().rev();
        before.find_map(|(_, event)| match event {
            DaemonEvent::Mapped { network, adopted, .. } if *adopted || network.hosts().len() < 2 => {
                Some(network)
            }
            _ => None,
        })
    }

    /// The spans in which tables were being handed out.
    fn mixed(&self) -> Vec<(Time, Time)> {
        let end = Time::ZERO + self.task.length;
        let mut spans = Vec::new();
        for journal in self.journals {
            for (nth, (at, event)) in journal.0.iter().enumerate() {
                if *event == DaemonEvent::HandingOut {
                    spans.push((*at, journal.0.get(nth + 1).map_or(end, |(done, _)| *done)));
                }
            }
        }
        spans
    }

    fn daemon_event_reports(&self) -> Vec<DaemonEventReport> {
        let mut events: Vec<_> = self.daemon_events().collect();
        events.sort_by_key(|(host, nth, at, _)| (*at, *host, *nth));
        let report = |(host, _, at, event): (HostId, usize, Time, &DaemonEvent)| DaemonEventReport {
            at_ms: at.since(Time::ZERO).as_ms_f64(),
            mapper: self.task.setup.network.name_of(Node::Host(host)).to_owned(),
            what: self.described(host, at, event),
        };
        events.into_iter().map(report).collect()
    }

    /// Describes an event of the daemon of `host` in words; a map is compared with the network of that instant.
    fn described(&self, host: HostId, at: Time, event: &DaemonEvent) -> String {
        match event {
            DaemonEvent::TookOver => "takes over".to_owned(),
            DaemonEvent::SteppedDown => "steps down".to_owned(),
            DaemonEvent::Roused(reason) => format!("maps: {}", reason.name()),
            DaemonEvent::Mapped { network, doubts, adopted } => {
                let truth = compare(network, &self.truth(at), host).isomorphic;
                let doubts: Vec<_> = doubts.iter().map(|doubt| doubt.name()).collect();
                format!(
                    "has {} map of {} hosts, {} switches and {} cables{}{}",
                    if truth { "a correct" } else { "a wrong" },
                    network.hosts().len(),
                    network.switches().len(),
                    network.links().len(),
                    if doubts.is_empty() {
                        String::new()
                    } else {
                        format!(", doubting ({})", doubts.join(", "))
                    },
                    if *adopted { "" } else { ", not adopted" },
                )
            }
            DaemonEvent::HandingOut => "hands out routes".to_owned(),
            DaemonEvent::HandedOut(distribution::Report { acknowledged, missing, .. }) => {
                format!("has handed out routes: {acknowledged} acknowledged, {} missing", missing.len())
            }
        }
    }

    /// The series, with intervals at the end in which nothing ended; the last one only if it is whole.
    fn series(&self) -> Vec<IntervalReport> {
        let Some((workload, _)) = self.task.applications else { return Vec::new() };
        let parameters = self.task.setup.parameters;
        let cycles = self.task.interval.to_cycles_ceil(parameters.base_cycle).max(1);
        let span = parameters.base_cycle * cycles;
        let period = parameters.links.iter().map(|link| link.period).min().unwrap_or(1);
        let slots = (cycles / period.max(1)).max(1) as f64 * workload.pattern.senders().max(1) as f64;
        let whole = self.task.length.as_ps() / span.as_ps().max(1);
        let whole = usize::try_from(whole).unwrap_or(usize::MAX).min(1 << 20);
        let counted = &self.outcome.traffic.intervals;
        let nothing = Interval::default();
        let report = |nth: usize| {
            let from = span * nth as u64;
            interval_report(from, counted.get(nth).unwrap_or(&nothing), parameters.base_cycle, slots)
        };
        (0..whole).map(report).collect()
    }
}

/// What was noticed of the event that happened at an instant, and when all hosts of these parts had routes again; of
/// any part if there is none.
fn notice_of(
    event: usize,
    at: Time,
    (roused, adopted): (&[(Time, &'static str)], &[Adopted]),
    parts: &[Vec<bool>],
) -> (NoticeReport, (Time, Option<Time>)) {
    let since = |then: Time| then.since(at).as_ms_f64();
    let noticed = roused.iter().find(|(then, _)| *then >= at);
    let first = |is_in: &dyn Fn(&Adopted) -> bool| {
        adopted.iter().find(|map| map.at >= at && map.is_correct && is_in(map))
    };
    let of_part = |part: &Vec<bool>| first(&|map| part[map.mapper.index()]);
    let maps: Option<Vec<&Adopted>> = match parts {
        [] => first(&|_| true).map(|map| vec![map]),
        parts => parts.iter().map(of_part).collect(),
    };
    let mapped = maps.iter().flatten().map(|map| map.at).max();
    let routed = |map: &&Adopted| if map.has_routes { map.handed_out } else { Some(map.at) };
    let routed = maps.and_then(|maps| maps.iter().map(routed).collect::<Option<Vec<Time>>>());
    let routed = routed.and_then(|all| all.into_iter().max());
    let report = NoticeReport {
        event,
        noticed_ms: noticed.map(|(then, _)| since(*then)),
        noticed_by: noticed.map(|(_, reason)| *reason),
        mapped_ms: mapped.map(since),
        routed_ms: routed.map(since),
    };
    (report, (at, routed))
}

/// What ended in an interval that begins at `from`, in which senders could have sent so many flits.
fn interval_report(from: Duration, interval: &Interval, base_cycle: Duration, slots: f64) -> IntervalReport {
    let cycle_us = base_cycle.as_ns_f64() / 1e3;
    let latency = || interval.latency_cycles as f64 * cycle_us / interval.delivered as f64;
    IntervalReport {
        from_ms: from.as_ms_f64(),
        accepted: interval.flits as f64 / slots,
        delivered: interval.delivered,
        lost: interval.lost,
        latency_us: (interval.delivered > 0).then(latency),
    }
}

/// The mean accepted traffic of intervals before the first event, with an unanswered one, with something away, and
/// of all others.
fn throughput(
    series: &[IntervalReport],
    length: Duration,
    unanswered: &[(Time, Option<Time>)],
    away: &[(Time, Option<Time>)],
) -> ThroughputReport {
    let ms = |at: Time| at.since(Time::ZERO).as_ms_f64();
    let span = |(from, to): &(Time, Option<Time>)| (ms(*from), to.map_or(f64::INFINITY, ms));
    let [unanswered, away] = [unanswered, away].map(|spans| spans.iter().map(span).collect::<Vec<_>>());
    let first = unanswered.iter().map(|(from, _)| *from).fold(f64::INFINITY, f64::min);
    let mut sums = [(0.0, 0_u64); 4];
    for (nth, interval) in series.iter().enumerate() {
        let end = series.get(nth + 1).map_or(length.as_ms_f64(), |next| next.from_ms);
        let overlaps = |(from, to): &(f64, f64)| *from < end && interval.from_ms < *to;
        let kind = match (end <= first, unanswered.iter().any(overlaps), away.iter().any(overlaps)) {
            (true, _, _) => 0,
            (_, true, _) => 1,
            (_, _, true) => 2,
            (_, _, false) => 3,
        };
        sums[kind].0 += interval.accepted;
        sums[kind].1 += 1;
    }
    let [before, during, degraded, after] = sums.map(|(sum, n)| (n > 0).then(|| sum / n as f64));
    ThroughputReport { before, during, degraded, after }
}

impl Report {
    pub(super) fn new(facts: &Facts<'_>) -> Report {
        let events = facts.events();
        let (notices, unanswered): (Vec<_>, Vec<_>) = facts.notices(&events).into_iter().unzip();
        let series = facts.series();
        let away: Vec<_> = facts.outages.iter().map(|outage| (outage.from, outage.until)).collect();
        let throughput = throughput(&series, facts.task.length, &unanswered, &away);
        let mixed = facts.mixed();
        let cycle = facts.task.setup.parameters.base_cycle;
        let formed: Vec<Time> = facts.outcome.deadlocks.iter().map(|it| it.formed.to_time(cycle)).collect();
        let network = facts.task.setup.network;
        let locked = facts.outcome.locked.iter();
        let locked = locked.map(|it| DeadlockReport::of_processes(it, network, cycle));
        let is_mixed = |at: &&Time| mixed.iter().any(|(from, to)| *from <= **at && **at <= *to);
        let traffic = &facts.outcome.traffic;
        Report {
            events: events
                .into_iter()
                .map(|(at, what)| EventReport { at_ms: at.since(Time::ZERO).as_ms_f64(), what })
                .collect(),
            notices,
            daemon_events: facts.daemon_event_reports(),
            maps: facts.map_counts(),
            created: traffic.created,
            delivered: traffic.fates.delivered,
            queued: traffic.queued,
            in_flight: traffic.in_flight,
            losses: LossReport::of(&traffic.fates, traffic.unroutable),
            probe_losses: LossReport::of(&facts.outcome.fates, 0),
            locked: locked.collect(),
            deadlocks: DeadlockCounts {
                formed: formed.len() as u64,
                while_mixed: formed.iter().filter(is_mixed).count() as u64,
            },
            mixed_ms: mixed.iter().fold(Duration::ZERO, |sum, (from, to)| sum + to.since(*from)).as_ms_f64(),
            throughput,
            series,
            fabric_events: facts.outcome.events,
        }
    }
}
