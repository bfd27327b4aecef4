//! What a run says in the end, by what was done; as `summary.json` one flat object, with the unit last in every key.

use std::fmt;

use serde::{Deserialize, Serialize, Serializer};

use simnet_base::units::{Cycle, Duration};
use simnet_media::fabric::{Deadlock, Member};
use simnet_network::routing::{Report as RouteReport, Verdict};
use simnet_network::topology::{End, Network};
use simnet_output::report::{record, words};
use simnet_scenario::Checked;

use super::allgather::GatherReport;
use super::daemon;
use super::decoding::BusiestArbiter;
use super::discoveries::DiscoveryReport;
use super::hosts::Locked;
use super::limits::Limits;
use super::mapping::{DistributionReport, MapReport};
use super::point::{Cut, Point, PointEnd};
use super::rates::RatesReport;
use super::reason::Reason;
use super::rings::RingReport;
use super::saturation::Saturation;
use super::traffic::Tally;

/// How a run ended, the gravest point deciding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// Everything that was measured arrived or was destroyed.
    Drained,
    /// A point accepted less than 0.95 of what was offered.
    Saturated,
    /// A point reached its horizon with messages under way.
    Horizon,
    /// A point ended in a deadlock that nothing would ever have broken.
    Deadlocked,
}

/// What a run says in the end.
#[derive(Clone, Debug)]
pub struct Summary {
    /// The scenario's name.
    pub scenario: String,
    /// What the scenario says that it is about.
    pub description: Option<String>,
    /// The seed.
    pub seed: u64,
    /// How it ended; where it was interrupted, how the load points ended that are done.
    pub outcome: Outcome,
    /// Which rates the cables of its fabric had, where the network gives some.
    pub rates: Option<RatesReport>,
    /// Whether it was interrupted, so that load points are missing.
    pub interrupted: bool,
    /// What it came to, by what was done.
    pub findings: Findings,
}

/// What a run came to, by what was done.
#[derive(Clone, Debug)]
pub enum Findings {
    /// A map, routes, load points.
    Stages(Box<StagesReport>),
    /// What an operation came to.
    Operation(Box<daemon::Report>),
    /// What the all-gather came to.
    Allgather(Box<GatherReport>),
    /// The ring.
    Ring(Box<RingReport>),
    /// What the discovery came to.
    Discovery(Box<DiscoveryReport>),
}

/// What mapping, routing and loading the fabric came to.
#[derive(Clone, Debug, Default)]
pub struct StagesReport {
    /// The mapper's map, if one ran.
    pub map: Option<MapReport>,
    /// The routes, if there are any.
    pub route: Option<RouteReport>,
    /// How the routes were handed to the interfaces, if they were.
    pub distribution: Option<DistributionReport>,
    /// Every deadlock, in order of its point, then of its formation.
    pub deadlocks: Vec<DeadlockReport>,
    /// Every load point, in the scenario's order.
    pub points: Vec<PointReport>,
    /// The most traffic that was accepted at the loads up to and including the first saturated one, if there are loads.
    pub throughput_flits_per_cycle_per_host: Option<f64>,
    /// Where the network saturates, if that was looked for.
    pub saturation: Option<Saturation>,
    /// Where the network hurts at the highest load that was carried.
    pub hot_spots: HotSpots,
    /// What limits a load, if that was looked for.
    pub limits: Option<Limits>,
    /// The arbiter that is the busiest, if it is busier than the channels of its switch.
    pub busiest_arbiter: Option<BusiestArbiter>,
}

/// The object of `summary.json`: the same keys in the same order, whatever was done.
#[derive(Serialize)]
struct Flat<'a> {
    scenario: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'a str>,
    seed: u64,
    outcome: Outcome,
    #[serde(skip_serializing_if = "crate::is_default")]
    interrupted: bool,
    map: Option<&'a MapReport>,
    route: Option<JudgedRoutes<'a>>,
    distribution: Option<&'a DistributionReport>,
    deadlock_count: usize,
    deadlocks: &'a [DeadlockReport],
    points: &'a [PointReport],
    #[serde(skip_serializing_if = "Option::is_none")]
    throughput_flits_per_cycle_per_host: Option<f64>,
    saturation: Option<&'a Saturation>,
    #[serde(skip_serializing_if = "Option::is_none")]
    limits: Option<&'a Limits>,
    #[serde(skip_serializing_if = "Option::is_none")]
    allgather: Option<&'a GatherReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rings: Option<&'a RingReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    discovery: Option<&'a DiscoveryReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    operation: Option<&'a daemon::Report>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rates: Option<&'a RatesReport>,
    #[serde(flatten)]
    hot_spots: &'a HotSpots,
}

/// The figures of routes with their verdict, as `simnet route` has them.
#[derive(Serialize)]
struct JudgedRoutes<'a> {
    #[serde(flatten)]
    report: &'a RouteReport,
    /// How many lanes the routes use; 1 where lanes were not looked at.
    lanes: u32,
    /// None where there was nothing to judge.
    verdict: Option<Verdict>,
}

impl<'a> JudgedRoutes<'a> {
    fn new(report: &'a RouteReport) -> JudgedRoutes<'a> {
        JudgedRoutes { report, lanes: report.lanes_used(), verdict: report.verdict() }
    }
}

impl Serialize for Summary {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let none = StagesReport::default();
        let stages = self.stages().unwrap_or(&none);
        let flat = Flat {
            scenario: &self.scenario,
            description: self.description.as_deref(),
            seed: self.seed,
            outcome: self.outcome,
            interrupted: self.interrupted,
            map: stages.map.as_ref(),
            route: stages.route.as_ref().map(JudgedRoutes::new),
            distribution: stages.distribution.as_ref(),
            deadlock_count: self.deadlock_count(),
            deadlocks: self.deadlocks(),
            points: &stages.points,
            throughput_flits_per_cycle_per_host: stages.throughput_flits_per_cycle_per_host,
            saturation: stages.saturation.as_ref(),
            limits: stages.limits.as_ref(),
            allgather: None,
            rings: None,
            discovery: None,
            operation: None,
            rates: self.rates.as_ref(),
            hot_spots: &stages.hot_spots,
        };
        match &self.findings {
            Findings::Stages(_) => flat,
            Findings::Operation(report) => Flat { operation: Some(report), ..flat },
            Findings::Allgather(report) => Flat { allgather: Some(report), ..flat },
            Findings::Ring(report) => Flat { rings: Some(report), ..flat },
            Findings::Discovery(report) => Flat { discovery: Some(report), ..flat },
        }
        .serialize(serializer)
    }
}

impl Summary {
    /// The summary of a run that ended like this and came to that.
    pub fn new(checked: &Checked, outcome: Outcome, findings: Findings) -> Summary {
        Summary {
            scenario: checked.name.clone(),
            description: checked.description.clone(),
            seed: checked.seed,
            outcome,
            rates: RatesReport::new(checked),
            interrupted: false,
            findings,
        }
    }

    /// The map, routes and load points of a run on the fabric.
    pub fn stages(&self) -> Option<&StagesReport> {
        match &self.findings {
            Findings::Stages(stages) => Some(stages),
            _ => None,
        }
    }

    /// Adds what limits a load to a run on the fabric.
    pub(super) fn set_limits(&mut self, limits: Limits) {
        if let Findings::Stages(stages) = &mut self.findings {
            stages.limits = Some(limits);
        }
    }

    /// Its load points, in the scenario's order.
    pub fn points(&self) -> &[PointReport] {
        self.stages().map_or(&[], |stages| &stages.points)
    }

    /// Every deadlock that is reported, in order of its point, then of its formation.
    pub fn deadlocks(&self) -> &[DeadlockReport] {
        match &self.findings {
            Findings::Stages(stages) => &stages.deadlocks,
            Findings::Operation(report) => &report.locked,
            Findings::Allgather(report) => &report.deadlocks,
            Findings::Ring(_) | Findings::Discovery(_) => &[],
        }
    }

    /// How many deadlocks formed, including those of a long operation that are not listed.
    pub fn deadlock_count(&self) -> usize {
        match &self.findings {
            Findings::Operation(report) => usize::try_from(report.deadlocks.formed).unwrap_or(usize::MAX),
            _ => self.deadlocks().len(),
        }
    }
}

/// The channels that were used most and waited for most at one load.
#[derive(Clone, Debug, Default, Serialize)]
pub struct HotSpots {
    /// The load; none for a trace.
    pub hot_spots_load: Option<f64>,
    /// The channels that carried most, the busiest first.
    pub busiest_channels: Vec<ChannelReport>,
    /// The channels that were held longest by worms that could not move, the most blocked first.
    pub most_blocked_channels: Vec<ChannelReport>,
}

/// How many channels of each kind a summary names.
const NAMED: usize = 5;

impl HotSpots {
    /// Of the highest load that was carried, or of the lowest; ties in order of channel id.
    pub fn new(reports: &[PointReport], channels: &[Vec<ChannelReport>]) -> HotSpots {
        let by_load = |a: &usize, b: &usize| {
            reports[*a].load.unwrap_or(0.0).total_cmp(&reports[*b].load.unwrap_or(0.0))
        };
        let all = || 0..reports.len().min(channels.len());
        let sure = all().filter(|place| reports[*place].is_carried()).max_by(by_load);
        let Some(place) = sure.or_else(|| all().min_by(by_load)) else { return HotSpots::default() };
        let first = |value: fn(&ChannelReport) -> f64| {
            let mut list: Vec<&ChannelReport> =
                channels[place].iter().filter(|channel| value(channel) > 0.0).collect();
            list.sort_by(|a, b| value(b).total_cmp(&value(a)));
            list.into_iter().take(NAMED).cloned().collect()
        };
        HotSpots {
            hot_spots_load: reports[place].load,
            busiest_channels: first(|channel| channel.busy),
            most_blocked_channels: first(|channel| channel.blocked),
        }
    }
}

record! {
    /// The figures of one load point.
    pub struct PointReport {
        /// The requested load, in payload flits per cycle and host; none for a trace.
        pub load: Option<f64>,
        /// Payload flits of the messages created in the window.
        pub offered_flits_per_cycle_per_host: f64,
        /// Payload flits of the messages that arrived in the window.
        pub accepted_flits_per_cycle_per_host: f64,
        /// The same, a switch.
        pub accepted_flits_per_cycle_per_switch: f64,
        /// The same, a nanosecond, as sancho2000 has it.
        pub accepted_flits_per_ns_per_switch: f64,
        /// The same, of all hosts together.
        pub accepted_bits_per_s: f64,
        /// Mean latency from creation to the arrival of the tail.
        pub latency_mean_ns: Option<f64>,
        /// Half the width of the 95 % confidence interval of the mean; none if it cannot be trusted.
        pub latency_half_width_ns: Option<f64>,
        /// Its median.
        pub latency_p50_ns: Option<f64>,
        /// Its 90th percentile.
        pub latency_p90_ns: Option<f64>,
        /// Its 99th percentile.
        pub latency_p99_ns: Option<f64>,
        /// Its 99.9th percentile.
        pub latency_p999_ns: Option<f64>,
        /// The longest.
        pub latency_max_ns: Option<f64>,
        /// Mean latency from the first flit on the first cable.
        pub network_latency_mean_ns: Option<f64>,
        /// Its median.
        pub network_latency_p50_ns: Option<f64>,
        /// Its 90th percentile.
        pub network_latency_p90_ns: Option<f64>,
        /// Its 99th percentile.
        pub network_latency_p99_ns: Option<f64>,
        /// Its 99.9th percentile.
        pub network_latency_p999_ns: Option<f64>,
        /// The longest.
        pub network_latency_max_ns: Option<f64>,
        /// Mean time from creation to the first flit on the first cable. This and the next two make the mean latency.
        pub queueing_mean_ns: Option<f64>,
        /// Mean time from there on that was spent in the way of others: stopped, or waiting for an output or a decoder.
        pub blocked_mean_ns: Option<f64>,
        /// Mean time that messages of these lengths take on these routes if they meet no others.
        pub moving_mean_ns: Option<f64>,
        /// Messages whose latency was measured.
        pub messages: u64,
        /// What the point is worth.
        pub state: State,
        /// The network fell behind for good: less than 0.95 of what was offered ended, or latency rose along a line.
        pub saturated: bool,
        /// Every measured message ended, the warm-up had ended before, and the mean is known within the precision asked
        /// for.
        pub converged: bool,
        /// How the point ended.
        pub end: PointEnd,
        /// How long the point warmed up before measuring began; none if the simulated clock ended before that was over.
        pub warmup_ms: Option<f64>,
        /// When the transient ended by MSER-5; none if the warm-up was given, or if no end was found.
        pub transient_ms: Option<f64>,
        /// How long the window was; none if the end of the simulated clock cut it short.
        pub measured_ms: Option<f64>,
        /// Deadlocks that formed.
        pub deadlocks: u64,
        /// Messages still in the fabric at the end, unmeasured ones among them.
        pub in_flight: u64,
        /// Messages that deadlocks hold up which nothing will ever break.
        pub stuck: u64,
        /// How messages ended, warm-up included.
        #[serde(flatten)]
        pub tally: Tally,
        /// True for a load that the search for saturation tried, over a shorter window than those that were asked for.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub search: Option<bool>,
        /// Why a point has not converged.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub reason: Option<Reason>,
    }
}

words!(State, PointEnd);

/// What a load point is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// Its mean latency is known within the requested precision.
    Converged,
    /// It is not.
    NotConverged,
    /// The network fell behind what was offered: latency has no mean.
    Saturated,
    /// A deadlock stands that nothing will ever break: what was accepted is no throughput.
    Deadlocked,
}

/// The use of one channel within the window of a point.
#[derive(Clone, Debug, Serialize)]
pub struct ChannelReport {
    /// Where it begins, `node:port`.
    pub from: String,
    /// Where it ends.
    pub to: String,
    /// Flits that it carried.
    pub flits: u64,
    /// Share of the time in which a flit was put on it.
    pub busy: f64,
    /// Share of the time in which a worm held it and no flit moved: it was stopped ahead, or held up behind.
    pub blocked: f64,
    /// Share of the time in which no worm held it; the three make one.
    pub idle: f64,
    /// Share of the time in which it was in somebody's way: a worm held it while it was stopped or another waited
    /// for it.
    pub wanted: f64,
}

/// A deadlock, with names.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DeadlockReport {
    /// The position of its load point, from 0.
    pub point: usize,
    /// When the cycle closed.
    pub formed_ns: f64,
    /// Its outputs, `switch:port`, of several lanes `switch:port/lane`, each blocked by the worm that needs the next.
    pub cycle: Vec<String>,
    /// The worms that hold these outputs, `host#number`, or as the trace calls them.
    pub worms: Vec<String>,
    /// What broke it: the output whose forward reset fired first; none if nothing did.
    pub cleared_by: Option<String>,
    /// When.
    pub cleared_ns: Option<f64>,
}

/// How a point's numbers become physical.
#[derive(Clone, Copy, Debug)]
pub struct Scale {
    /// The length of a base cycle.
    pub base_cycle: Duration,
    /// The flit time of most hosts' cables: the cycle in which loads are counted.
    pub flit_time: Duration,
    /// Hosts with a cable.
    pub hosts: usize,
    /// Switches.
    pub switches: usize,
    /// The relative half-width of the mean's confidence interval that counts as converged.
    pub precision: f64,
}

impl Scale {
    /// A number of base cycles in nanoseconds.
    pub fn ns(&self, cycles: f64) -> f64 {
        cycles * self.base_cycle.as_ps() as f64 / 1e3
    }

    /// An instant in nanoseconds.
    pub fn instant_ns(&self, at: Cycle) -> f64 {
        instant_ns(at, self.base_cycle)
    }

    /// Flits per cycle and host, in flits per nanosecond and switch.
    pub fn per_ns_and_switch(&self, per_host: f64) -> f64 {
        let per_switch = per_host * self.hosts as f64 / self.switches.max(1) as f64;
        per_switch * 1e3 / self.flit_time.as_ps() as f64
    }

    /// Flits per cycle and host, in bits per second of all hosts together.
    pub fn bits_per_s(&self, per_host: f64) -> f64 {
        per_host * self.hosts as f64 * 8.0 * 1e12 / self.flit_time.as_ps() as f64
    }

    /// So many flits in so many base cycles, in flits per flit time.
    pub fn flits_per_cycle(&self, flits: u64, cycles: u64) -> f64 {
        let flit_times = cycles as f64 * self.base_cycle.as_ps() as f64 / self.flit_time.as_ps() as f64;
        if flit_times > 0.0 { flits as f64 / flit_times } else { 0.0 }
    }

    /// The same of a host on the mean.
    pub(super) fn rate(&self, flits: u64, cycles: u64) -> f64 {
        self.flits_per_cycle(flits, cycles) / self.hosts as f64
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Outcome::Drained => "drained",
            Outcome::Saturated => "saturated",
            Outcome::Horizon => "horizon",
            Outcome::Deadlocked => "deadlocked",
        })
    }
}

impl PointReport {
    /// The report of a point that ran at `load`.
    pub fn new(load: Option<f64>, point: &Point, scale: &Scale) -> PointReport {
        let cycles = point.window.cycles();
        let accepted = scale.rate(point.accepted_flits, cycles);
        let (latency, network) = (point.meter.latency(), point.meter.network_latency());
        let ns = |cycles: Option<u64>| cycles.map(|cycles| scale.ns(cycles as f64));
        let quantile = |q| ns(latency.quantile(q));
        let in_network = |q| ns(network.quantile(q));
        let reason = Reason::of(load, point, scale);
        let converged = reason.is_none();
        let mean = latency.mean().map(|cycles| scale.ns(cycles));
        let spent = point.meter.spent();
        let part =
            |cycles: u128| (spent.messages > 0).then(|| scale.ns(cycles as f64 / spent.messages as f64));
        let a_switch = accepted * scale.hosts as f64 / scale.switches.max(1) as f64;
        PointReport {
            load,
            offered_flits_per_cycle_per_host: scale.rate(point.offered_flits, cycles),
            accepted_flits_per_cycle_per_host: accepted,
            accepted_flits_per_cycle_per_switch: a_switch,
            accepted_flits_per_ns_per_switch: scale.per_ns_and_switch(accepted),
            accepted_bits_per_s: scale.bits_per_s(accepted),
            latency_mean_ns: mean,
            latency_p50_ns: quantile(0.5),
            latency_p90_ns: quantile(0.9),
            latency_p99_ns: quantile(0.99),
            latency_p999_ns: quantile(0.999),
            latency_max_ns: ns(latency.max()),
            latency_half_width_ns: trusted_half_width(point).and_then(|share| Some(share * mean?)),
            network_latency_mean_ns: network.mean().map(|cycles| scale.ns(cycles)),
            network_latency_p50_ns: in_network(0.5),
            network_latency_p90_ns: in_network(0.9),
            network_latency_p99_ns: in_network(0.99),
            network_latency_p999_ns: in_network(0.999),
            network_latency_max_ns: ns(network.max()),
            queueing_mean_ns: part(spent.queueing),
            blocked_mean_ns: part(spent.blocked),
            moving_mean_ns: part(spent.moving),
            messages: latency.count(),
            state: match (point.end, point.saturated, converged) {
                (PointEnd::Deadlocked, ..) => State::Deadlocked,
                (_, true, _) => State::Saturated,
                (_, _, true) => State::Converged,
                _ => State::NotConverged,
            },
            saturated: point.saturated,
            converged,
            end: point.end,
            search: None,
            reason,
            warmup_ms: (!point.is_warmup_cut).then(|| scale.instant_ns(point.window.from) / 1e6),
            transient_ms: point.transient.map(|at| scale.instant_ns(at) / 1e6),
            measured_ms: (point.cut != Some(Cut::Clock)).then(|| scale.ns(cycles as f64) / 1e6),
            deadlocks: point.deadlocks.len() as u64,
            in_flight: point.in_flight,
            stuck: if point.end == PointEnd::Deadlocked { point.in_flight } else { 0 },
            tally: point.tally.clone(),
        }
    }

    /// How this point bears on the outcome of its run.
    pub fn outcome(&self) -> Outcome {
        match (self.state, self.end) {
            (State::Deadlocked, _) => Outcome::Deadlocked,
            (State::Saturated, _) => Outcome::Saturated,
            (_, PointEnd::Horizon) => Outcome::Horizon,
            _ => Outcome::Drained,
        }
    }

    /// Whether the network kept up with what was offered, as far as was measured.
    pub fn is_carried(&self) -> bool {
        matches!(self.state, State::Converged | State::NotConverged)
    }
}

/// Half the width of the mean's 95 % interval, relative to the mean; none where it cannot be trusted.
fn trusted_half_width(point: &Point) -> Option<f64> {
    let is_followed = point.end == PointEnd::Drained || point.cut == Some(Cut::Horizon) && point.is_settled;
    let is_steady = is_followed && point.is_warm && !point.is_locked && !point.saturated;
    let known = point.estimate.filter(|known| is_steady && known.doubt.is_none())?;
    Some(known.relative_half_width)
}

/// A port's name: `node:port`.
pub fn port_name(network: &Network, end: End) -> String {
    format!("{}:{}", network.name_of(end.node), end.port)
}

fn instant_ns(at: Cycle, base_cycle: Duration) -> f64 {
    at.0 as f64 * base_cycle.as_ps() as f64 / 1e3
}

impl DeadlockReport {
    /// The report of a deadlock of the point at position `point`; `worm` names the message of a member. Outputs are
    /// named with their lanes if channels have several.
    pub fn new(
        point: usize,
        deadlock: &Deadlock,
        network: &Network,
        (base_cycle, lanes): (Duration, u8),
        worm: impl Fn(&Member) -> String,
    ) -> DeadlockReport {
        let holders = holders(network, &deadlock.members);
        let ns = |at: Cycle| instant_ns(at, base_cycle);
        let output = |(member, lane): &(&Member, u8)| match lanes {
            0 | 1 => port_name(network, member.output),
            _ => format!("{}/{lane}", port_name(network, member.output)),
        };
        DeadlockReport {
            point,
            formed_ns: ns(deadlock.formed),
            cycle: holders.iter().map(output).collect(),
            worms: holders.iter().map(|(member, _)| worm(member)).collect(),
            cleared_by: deadlock.cleared.map(|cleared| port_name(network, cleared.output)),
            cleared_ns: deadlock.cleared.map(|cleared| ns(cleared.at)),
        }
    }

    /// The report of a deadlock that formed while processes ran, where there are no load points.
    pub(super) fn of_processes(locked: &Locked, network: &Network, base_cycle: Duration) -> DeadlockReport {
        let named = locked.deadlock.members.iter().zip(&locked.worms);
        let name = |wanted: &Member| {
            named.clone().find(|(member, _)| *member == wanted).map(|(_, name)| name.clone())
        };
        DeadlockReport::new(0, &locked.deadlock, network, (base_cycle, 1), |member| {
            name(member).unwrap_or_default()
        })
    }
}

/// The members that hold an output, each with the lane that it waits for there; each output has one. The others wait
/// for the output that the next one holds.
///
/// A worm that holds an output waits for the port at the other end of the cable.
fn holders<'a>(network: &Network, members: &'a [Member]) -> Vec<(&'a Member, u8)> {
    let next = members.iter().cycle().skip(1);
    let pairs = members.iter().zip(next);
    pairs
        .filter(|(member, next)| network.peer(member.output) == Some(next.input))
        .map(|(member, next)| (member, next.lane))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use simnet_base::ids::{HostId, SwitchId};

    /// Two switches on two cables: out of port 0 into port 1 of the other.
    fn pair() -> Network {
        let mut network = Network::new("pair");
        let [a, b] = ["a", "b"].map(|name| network.add_switch(name, 4).unwrap());
        network.connect(End::switch(a, 0), End::switch(b, 1)).unwrap();
        network.connect(End::switch(b, 0), End::switch(a, 1)).unwrap();
        let s = network.add_switch("s", 4).unwrap();
        network.connect(End::switch(s, 0), End::switch(s, 1)).unwrap();
        network
    }

    fn member(switch: u32, input: u16, output: u16, tag: u64) -> Member {
        let end = |port| End::switch(SwitchId(switch), port);
        Member { output: end(output), input: end(input), lane: 0, tag, source: HostId(0) }
    }

    fn named(members: Vec<Member>) -> (Vec<String>, Vec<String>) {
        let deadlock = Deadlock { formed: Cycle(16), members, cleared: None };
        let flit = Duration::from_ps(6_250);
        let scale = Scale { base_cycle: flit, flit_time: flit, hosts: 2, switches: 3, precision: 0.05 };
        let report =
            DeadlockReport::new(0, &deadlock, &pair(), (scale.base_cycle, 1), |it| format!("w{}", it.tag));
        assert!((report.formed_ns - 100.0).abs() < 1e-9);
        (report.cycle, report.worms)
    }

    /// Wrong if an output were named once for the worm that holds it and once for the one that waits for it.
    #[test]
    fn a_deadlock_names_each_output_once_with_the_worm_that_holds_it() {
        // The worm in a:2 holds a:0; the one in b:1 waits for b:0, which the one in b:2 holds; and round.
        let round = [member(0, 1, 0, 4), member(0, 2, 0, 1), member(1, 1, 0, 2), member(1, 2, 0, 3)];
        for start in 0..4 {
            let mut members = round.to_vec();
            members.rotate_left(start);
            let (mut cycle, mut worms) = named(members);
            if cycle[0] == "b:0" {
                cycle.rotate_left(1);
                worms.rotate_left(1);
            }
            assert_eq!(
                (cycle, worms),
                (vec!["a:0".to_owned(), "b:0".to_owned()], vec!["w1".into(), "w3".into()])
            );
        }
    }

    /// Wrong if holder and waiter were distinguished by their order, which says nothing where all name one output.
    #[test]
    fn a_worm_behind_itself_on_a_looped_cable_is_named_once() {
        for members in [[member(2, 2, 0, 7), member(2, 1, 0, 8)], [member(2, 1, 0, 8), member(2, 2, 0, 7)]] {
            assert_eq!(named(members.to_vec()), (vec!["s:0".to_owned()], vec!["w7".to_owned()]));
        }
    }
}
