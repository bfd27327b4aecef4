//! A mapping: the mapper on its host, the daemons on the others, the map judged, the routes handed out.

mod election;
mod loaded;
mod together;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use simnet_base::ids::{HostId, Node};
use simnet_base::units::{Duration, Time};
use simnet_media::fabric::BuildError;
use simnet_media::host::distribution::{self, RoutesByName, distribute};
use simnet_media::host::mapper::{Algorithm, Brief, Count, Kind, Map, Turns};
use simnet_media::host::{Host as _, Station};
use simnet_network::routing::RouteTable;
use simnet_network::topology::isomorphism::{Verdict, compare};
use simnet_network::topology::{End, Link, Network};

pub use election::{Elected, Election, ElectionReport, Winner, elect};
pub use loaded::{Trial, under_load};
pub use together::{Together, in_parallel};

use super::hosts;
use super::summary::DeadlockReport;

/// How many messages of a kind were sent, and how many answered in time.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct CountReport {
    /// Messages truly sent.
    pub sent: u64,
    /// Those that were answered.
    pub hits: u64,
}

/// Turns by what they led to, as Fig. 6 of mainwaring1997 counts.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct TurnReport {
    /// To a host.
    pub host_hits: u64,
    /// To a switch.
    pub switch_hits: u64,
    /// To nothing that answers.
    pub nothing: u64,
    /// Host probes, one for each turn that found a host or nothing.
    pub host_probes: u64,
    /// Switch probes, one for each turn that found a switch or nothing.
    pub switch_probes: u64,
    /// The share of these host probes that found a host.
    pub host_hit_percent: f64,
    /// The share of these switch probes that found a switch.
    pub switch_hit_percent: f64,
}

/// What a mapper's confidence in its map rests on.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct ConfirmationReport {
    /// Cables of the map that only one answer speaks for.
    pub unconfirmed_links: usize,
    /// Ports taken for empty on one question alone.
    pub unconfirmed_ports: usize,
    /// Noes that rest on more than one question, or on a guard.
    pub confirmed_noes: u64,
    /// Noes that rest on one question.
    pub single_noes: u64,
    /// Answers that came after their time-out.
    pub late_answers: u64,
    /// Questions that brought nothing, and an answer when they were asked again.
    pub recovered: u64,
    /// Times that messages along routes known to be good did not come back.
    pub lost_guards: u64,
}

/// What became of a mapper's and the daemons' messages that did not arrive.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct LossReport {
    /// Why not.
    #[serde(flatten)]
    pub messages: hosts::Losses,
    /// Deadlocks that formed in the network.
    pub deadlocks: u64,
}

/// The mapping time at another routing latency.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Sensitivity {
    /// The routing latency.
    pub routing_latency_ns: f64,
    /// The mapping time.
    #[serde(serialize_with = "before_the_end")]
    pub time_ms: f64,
}

/// What a mapper found, and whether it is true.
#[derive(Clone, Debug, Serialize)]
pub struct MapReport {
    /// The mapper's algorithm.
    pub algorithm: &'static str,
    /// Hosts on the map.
    pub hosts: usize,
    /// Switches on the map.
    pub switches: usize,
    /// Cables on the map.
    pub links: usize,
    /// Whether the map holds N - F, true to the port up to one shift a switch, and nothing that is not in N.
    pub isomorphic: bool,
    /// `N`, `N-F`, or none.
    pub isomorphic_to: Option<&'static str>,
    /// What came of the election, if the mapper was elected; `probes` then counts those of all mappers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub election: Option<ElectionReport>,
    /// The first difference from the truth, in words.
    pub difference: Option<String>,
    /// Why the mapper itself does not trust the map; empty: it does.
    pub doubts: Vec<&'static str>,
    /// Whether the map is true and the mapper sure of it.
    pub right_and_sure: bool,
    /// Whether the map is wrong and the mapper sure of it all the same.
    pub wrong_and_sure: bool,
    /// Messages truly sent, by kind.
    pub probes: BTreeMap<&'static str, CountReport>,
    /// Messages truly sent, of all kinds.
    pub sent: u64,
    /// Probes as the papers count: by turns where both probes of a turn are one question, else messages.
    pub probes_as_printed: u64,
    /// Turns tried.
    pub turns: TurnReport,
    /// What the mapper's confidence rests on.
    pub confirmation: ConfirmationReport,
    /// The most nodes that the model had after an exploration.
    pub peak_nodes: u64,
    /// The most bytes that the model took, by the account of a firmware's data structures.
    pub peak_memory_bytes: u64,
    /// What did not arrive, and deadlocks, up to the end of the run.
    pub losses: LossReport,
    /// Every deadlock that formed up to the end of the run, in order of its formation.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub deadlocks: Vec<DeadlockReport>,
    /// From the first probe to the finished map.
    #[serde(serialize_with = "before_the_end")]
    pub time_ms: f64,
    /// Switches whose ports were probed, replicates counted.
    pub explorations: u64,
    /// The mapping time at other routing latencies.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sensitivity: Vec<Sensitivity>,
}

/// How routes were handed to the interfaces.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct DistributionReport {
    /// Tables sent for the first time.
    pub sent: u64,
    /// Tables acknowledged.
    pub acknowledged: u64,
    /// Tables sent again.
    pub retries: u64,
    /// Hosts that could not be reached or did not acknowledge.
    pub missing: u64,
    /// Bytes of all tables.
    pub bytes: u64,
    /// From the first table to the last acknowledgement.
    #[serde(serialize_with = "before_the_end")]
    pub time_ms: f64,
}

/// What a mapping needs to know.
#[derive(Clone)]
pub struct Task<'a> {
    /// The network, its fabric, and what software costs.
    pub setup: hosts::Setup<'a>,
    /// The mapper's host.
    pub mapper: HostId,
    /// How it explores.
    pub algorithm: Algorithm,
    /// What every mapper knows.
    pub brief: Brief,
}

/// What came of a mapping.
pub struct Mapped {
    /// The map.
    pub map: Map,
    /// From the first probe to the finished map.
    pub time: Duration,
    /// How routes were handed out, if they were.
    pub distribution: Option<distribution::Report>,
    /// Events that the fabric handled.
    pub events: u64,
    /// What else happened on the fabric.
    pub activity: Activity,
}

/// What happened on the fabric while a mapper ran: losses, application traffic, deadlocks.
#[derive(Clone, Debug, Default)]
pub struct Activity {
    /// Messages of processes that did not arrive.
    pub losses: hosts::Losses,
    /// What became of the messages of applications.
    pub traffic: hosts::Traffic,
    /// Deadlocks that formed.
    pub deadlocks: u64,
    /// The same one by one.
    pub locked: Vec<hosts::Locked>,
    /// When the run ended.
    pub time: Time,
}

impl Activity {
    /// What a run of processes says of it.
    fn of<T>(outcome: &hosts::Outcome<T>) -> Activity {
        Activity {
            losses: hosts::Losses::of(&outcome.fates, outcome.lost),
            traffic: outcome.traffic.clone(),
            deadlocks: outcome.deadlocks.len() as u64,
            locked: outcome.locked.clone(),
            time: outcome.time,
        }
    }
}

/// Maps the network in-band, every other host answering; then hands out in-band the routes that `plan` gives for
/// the map, if it gives any. The setup's horizon does not count.
///
/// # Errors
/// What the fabric finds wrong with its parameters.
///
/// # Panics
/// Never: a mapper waits for nothing without a time-out.
pub fn run(
    task: &Task<'_>,
    plan: impl FnOnce(&Network) -> Option<RoutesByName>,
) -> Result<Mapped, BuildError> {
    run_among(task, |_| true, plan)
}

/// Maps as [`run`] does where, of the other hosts, only those answer for which `answers` holds.
///
/// # Source
/// Mainwaring et al. 1997, Fig. 9.
///
/// # Errors
/// What the fabric finds wrong with its parameters.
///
/// # Panics
/// Never: a mapper waits for nothing without a time-out.
pub fn run_among(
    task: &Task<'_>,
    answers: impl Fn(HostId) -> bool,
    plan: impl FnOnce(&Network) -> Option<RoutesByName>,
) -> Result<Mapped, BuildError> {
    let task = Task { setup: hosts::Setup { until: None, ..task.setup }, ..task.clone() };
    let mapped = within(&task, answers, plan)?.0;
    Ok(mapped.expect("a mapper waits for nothing without a time-out"))
}

/// Maps up to the setup's horizon; no map if that comes first. The fabric's activity is returned in any case.
fn within(
    task: &Task<'_>,
    answers: impl Fn(HostId) -> bool,
    plan: impl FnOnce(&Network) -> Option<RoutesByName>,
) -> Result<(Option<Mapped>, Activity), BuildError> {
    let program = |station: Station| map_and_distribute(station, task, plan);
    let outcome = hosts::run(&task.setup, task.mapper, program, answers)?;
    let (events, activity) = (outcome.events, Activity::of(&outcome));
    let mapped = outcome.result.map(|(map, time, distribution)| Mapped {
        map,
        time,
        distribution,
        events,
        activity: activity.clone(),
    });
    Ok((mapped, activity))
}

/// The mapper's process: its map, when it was made, and what came of handing out routes, if `plan` gives any.
async fn map_and_distribute(
    mut station: Station,
    task: &Task<'_>,
    plan: impl FnOnce(&Network) -> Option<RoutesByName>,
) -> (Map, Duration, Option<distribution::Report>) {
    let map = task.algorithm.map(&mut station, &task.brief).await;
    let time = station.now().since(Time::ZERO);
    let distribution = match plan(&map.network) {
        Some(routes) => Some(distribute(&mut station, &routes, &distribution::Options::default()).await),
        None => None,
    };
    (map, time, distribution)
}

/// A time in milliseconds; null where it is the end of the simulated clock, which was not measured.
pub(super) fn before_the_end<S: serde::Serializer>(time_ms: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    match measured_ms(*time_ms) {
        None => serializer.serialize_none(),
        Some(time_ms) => serializer.serialize_f64(time_ms),
    }
}

/// A time in milliseconds, if it was measured: `None` where it is the end of the simulated clock.
pub fn measured_ms(time_ms: f64) -> Option<f64> {
    (!is_the_end(time_ms)).then_some(time_ms)
}

/// Whether a time in milliseconds is the end of the simulated clock.
pub(super) fn is_the_end(time_ms: f64) -> bool {
    time_ms >= Time::END.since(Time::ZERO).as_ms_f64()
}

/// The routes of a network by the names of its hosts.
pub fn by_name(network: &Network, table: &RouteTable) -> RoutesByName {
    let name = |host: HostId| network.hosts()[host.index()].name.clone();
    let mut routes: RoutesByName = network.host_ids().map(|host| (name(host), BTreeMap::new())).collect();
    for (source, destination, turns) in table.iter() {
        let own = routes.entry(name(source)).or_default();
        own.insert(name(destination), turns.to_vec());
    }
    routes
}

impl TurnReport {
    fn new(turns: Turns) -> TurnReport {
        let Turns { host_hits, switch_hits, nothing } = turns;
        let (host_probes, switch_probes) = (host_hits + nothing, switch_hits + nothing);
        let percent = |part: u64, all: u64| if all > 0 { part as f64 / all as f64 * 100.0 } else { 0.0 };
        TurnReport {
            host_hits,
            switch_hits,
            nothing,
            host_probes,
            switch_probes,
            host_hit_percent: percent(host_hits, host_probes),
            switch_hit_percent: percent(switch_hits, switch_probes),
        }
    }
}

impl MapReport {
    /// Judges a map against the true network, where the hosts of `silent` answer nothing: no mapper can
    /// show them, and none is asked to.
    pub fn new(mapped: &Mapped, task: &Task<'_>, silent: &BTreeSet<HostId>) -> MapReport {
        let map = &mapped.map;
        let (truth, mapper) = audible(task.setup.network, silent, task.mapper);
        let Verdict { isomorphic, isomorphic_to, difference } = compare(&map.network, &truth, mapper);
        let (real, cycle) = (task.setup.network, task.setup.parameters.base_cycle);
        let locked = mapped.activity.locked.iter();
        let count = |count: Count| CountReport { sent: count.sent, hits: count.hits };
        let probes: BTreeMap<_, _> =
            Kind::ALL.iter().map(|kind| (kind.name(), count(map.probes.of(*kind)))).collect();
        let sent = probes.values().map(|count| count.sent).sum();
        let turns = TurnReport::new(map.turns);
        let is_sure = map.doubts.is_empty();
        MapReport {
            algorithm: task.algorithm.name(),
            hosts: map.network.hosts().len(),
            switches: map.network.switches().len(),
            links: map.network.links().len(),
            isomorphic,
            isomorphic_to,
            election: None,
            difference,
            doubts: map.doubts.iter().map(|doubt| doubt.name()).collect(),
            right_and_sure: isomorphic && is_sure,
            wrong_and_sure: !isomorphic && is_sure,
            probes_as_printed: match [Kind::Loop, Kind::Compare, Kind::Scout, Kind::Guard] {
                kinds if kinds.iter().any(|kind| map.probes.of(*kind).sent > 0) => sent,
                _ => turns.host_probes + turns.switch_probes,
            },
            probes,
            sent,
            turns,
            confirmation: ConfirmationReport {
                unconfirmed_links: map.unconfirmed_links.len(),
                unconfirmed_ports: map.unconfirmed_ports.len(),
                confirmed_noes: map.evidence.confirmed_noes,
                single_noes: map.evidence.single_noes,
                late_answers: map.evidence.late,
                recovered: map.evidence.recovered,
                lost_guards: map.evidence.lost_guards,
            },
            peak_nodes: map.history.iter().map(|growth| growth.nodes).max().unwrap_or(0),
            peak_memory_bytes: map.peak_memory,
            losses: LossReport { messages: mapped.activity.losses, deadlocks: mapped.activity.deadlocks },
            deadlocks: locked.map(|locked| DeadlockReport::of_processes(locked, real, cycle)).collect(),
            time_ms: mapped.time.as_ms_f64(),
            explorations: map.explorations,
            sensitivity: Vec::new(),
        }
    }
}

/// A network without the hosts of `silent` and their cables, and the mapper's id there.
fn audible<'a>(
    network: &'a Network,
    silent: &BTreeSet<HostId>,
    mapper: HostId,
) -> (Cow<'a, Network>, HostId) {
    if silent.is_empty() {
        return (Cow::Borrowed(network), mapper);
    }
    let mut heard = Network::new(network.name.as_str());
    let hosts: BTreeMap<HostId, HostId> =
        network.host_ids().filter(|host| !silent.contains(host)).zip((0..).map(HostId::new)).collect();
    for switch in network.switches() {
        heard.push_switch(switch.clone()).expect("names stay distinct");
    }
    for host in hosts.keys() {
        heard.push_host(network.hosts()[host.index()].clone()).expect("names stay distinct");
    }
    let moved = |end: End| match end.node {
        Node::Switch(_) => Some(end),
        Node::Host(host) => hosts.get(&host).map(|host| End { node: Node::Host(*host), ..end }),
    };
    for link in network.links() {
        if let (Some(a), Some(b)) = (moved(link.a), moved(link.b)) {
            heard.push_link(Link { a, b, ..link.clone() }).expect("ports stay distinct");
        }
    }
    (Cow::Owned(heard), hosts.get(&mapper).copied().unwrap_or(mapper))
}

impl From<&distribution::Report> for DistributionReport {
    fn from(report: &distribution::Report) -> DistributionReport {
        DistributionReport {
            sent: report.sent,
            acknowledged: report.acknowledged,
            retries: report.retries,
            missing: report.missing.len() as u64,
            bytes: report.bytes,
            time_ms: report.time.as_ms_f64(),
        }
    }
}
