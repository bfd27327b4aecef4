//! What a run says in the end: the object of `summary.json`, with the unit last in every key.

use std::fmt;

use serde::Serialize;

use crate::fabric::Deadlock;
use crate::ids::{HostId, Node};
use crate::routing::Report as RouteReport;
use crate::topology::{End, Network};
use crate::units::{Cycle, Duration};

use super::mapping::{DistributionReport, MapReport};
use super::point::{Point, PointEnd};
use super::tables::ChannelReport;
use super::traffic::Tally;

/// How a run ended, the gravest point deciding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// Everything that was measured arrived or was destroyed.
    Drained,
    /// A point accepted less than 0.95 of what was offered.
    Saturated,
    /// A point reached its horizon with messages under way.
    Horizon,
    /// A point ended stuck, and nothing would ever have freed it.
    Deadlocked,
}

/// The object of `summary.json`.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    /// The scenario's name.
    pub scenario: String,
    /// The seed.
    pub seed: u64,
    /// How it ended.
    pub outcome: Outcome,
    /// The mapper's map, if one ran.
    pub map: Option<MapReport>,
    /// The routes, if there are any.
    pub route: Option<RouteReport>,
    /// How the routes were handed to the interfaces, if they were.
    pub distribution: Option<DistributionReport>,
    /// How many deadlocks formed.
    pub deadlock_count: usize,
    /// Every deadlock, in order of its point, then of its formation.
    pub deadlocks: Vec<DeadlockReport>,
    /// Every load point, in the scenario's order.
    pub points: Vec<PointReport>,
    /// The channels that were busiest at the highest load that was not saturated.
    pub busiest_channels: Vec<ChannelReport>,
}

/// The figures of one load point.
#[derive(Clone, Debug, Serialize)]
pub struct PointReport {
    /// The load asked for, in payload flits per cycle and host; none for a trace.
    pub load: Option<f64>,
    /// Payload flits of the messages created in the window.
    pub offered_flits_per_cycle_per_host: f64,
    /// Payload flits of the messages that arrived in the window.
    pub accepted_flits_per_cycle_per_host: f64,
    /// The same, of all hosts together.
    pub accepted_bits_per_s: f64,
    /// Mean latency from creation to the arrival of the tail.
    pub latency_mean_ns: Option<f64>,
    /// Its median.
    pub latency_p50_ns: Option<f64>,
    /// Its 90th percentile.
    pub latency_p90_ns: Option<f64>,
    /// Its 99th percentile.
    pub latency_p99_ns: Option<f64>,
    /// Half the width of the 95 % confidence interval of the mean.
    pub latency_half_width_ns: Option<f64>,
    /// Mean latency from the first flit on the first cable.
    pub network_latency_mean_ns: Option<f64>,
    /// Its 99th percentile.
    pub network_latency_p99_ns: Option<f64>,
    /// Messages whose latency was measured.
    pub messages: u64,
    /// Accepted below 0.95 of offered.
    pub saturated: bool,
    /// Every measured message ended and the mean is known within the precision asked for.
    pub converged: bool,
    /// How the point ended.
    pub end: PointEnd,
    /// How long the window was.
    pub measured_ms: f64,
    /// Messages delivered, warm-up included.
    pub delivered: u64,
    /// Deadlocks that formed.
    pub deadlocks: u64,
    /// Messages destroyed by forward resets.
    pub resets: u64,
    /// Messages dropped for a wrong CRC.
    pub crc_errors: u64,
    /// Messages cut by a failing cable.
    pub link_failures: u64,
    /// Messages that turned out of a switch's ports.
    pub illegal_turns: u64,
    /// Messages that turned to a port without a working cable.
    pub no_such_wire: u64,
    /// Messages that reached a host with turns left.
    pub host_too_soon: u64,
    /// Messages whose turns ended at a switch.
    pub stranded: u64,
    /// Messages never sent, for want of a route.
    pub unroutable: u64,
    /// Messages still in the fabric at the end.
    pub stuck: u64,
}

/// A deadlock, with names.
#[derive(Clone, Debug, Serialize)]
pub struct DeadlockReport {
    /// The position of its load point, from 0.
    pub point: usize,
    /// When the cycle closed.
    pub formed_ns: f64,
    /// Its outputs, `switch:port`, each blocked by the worm that needs the next.
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
    /// The flit time of cables that give no rate: the cycle in which loads are counted.
    pub flit_time: Duration,
    /// Hosts with a cable.
    pub hosts: usize,
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
        self.ns(at.0 as f64)
    }

    fn rate(&self, flits: u64, cycles: u64) -> f64 {
        let flit_times = cycles as f64 * self.base_cycle.as_ps() as f64 / self.flit_time.as_ps() as f64;
        if flit_times > 0.0 { flits as f64 / flit_times / self.hosts as f64 } else { 0.0 }
    }
}

/// Accepted traffic below this share of offered traffic is saturation.
///
/// # Source
/// The project's reading of sancho2000: saturation is the first load with accepted below 0.95 of offered.
const SATURATION: f64 = 0.95;

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
    /// Messages that were sent and not delivered sound.
    pub fn lost(&self) -> u64 {
        let destroyed = self.resets + self.crc_errors + self.link_failures;
        destroyed + self.illegal_turns + self.no_such_wire + self.host_too_soon + self.stranded
    }

    /// The report of a point that ran at `load`.
    pub fn new(load: Option<f64>, point: &Point, scale: &Scale) -> PointReport {
        let cycles = point.window.cycles();
        let accepted = scale.rate(point.meter.accepted_flits(), cycles);
        let offered = scale.rate(point.meter.offered_flits(), cycles);
        let (latency, network) = (&point.meter.latency, &point.meter.network_latency);
        let quantile = |q| latency.quantile(q).map(|cycles| scale.ns(cycles as f64));
        let doubt = point.meter.relative_half_width();
        let saturated = load.is_some() && accepted < SATURATION * offered;
        let sure = load.is_none() || doubt.is_some_and(|doubt| doubt <= scale.precision);
        let mean = latency.mean().map(|cycles| scale.ns(cycles));
        let Tally { delivered, crc_errors, resets, link_failures, .. } = point.tally;
        let Tally { illegal_turns, no_such_wire, host_too_soon, stranded, unroutable, .. } = point.tally;
        PointReport {
            load,
            offered_flits_per_cycle_per_host: offered,
            accepted_flits_per_cycle_per_host: accepted,
            accepted_bits_per_s: accepted * scale.hosts as f64 * 8.0 * 1e12 / scale.flit_time.as_ps() as f64,
            latency_mean_ns: mean,
            latency_p50_ns: quantile(0.5),
            latency_p90_ns: quantile(0.9),
            latency_p99_ns: quantile(0.99),
            latency_half_width_ns: doubt.and_then(|doubt| Some(doubt * mean?)),
            network_latency_mean_ns: network.mean().map(|cycles| scale.ns(cycles)),
            network_latency_p99_ns: network.quantile(0.99).map(|cycles| scale.ns(cycles as f64)),
            messages: latency.count(),
            saturated,
            converged: !saturated && sure && point.end == PointEnd::Drained,
            end: point.end,
            measured_ms: scale.ns(cycles as f64) / 1e6,
            delivered,
            deadlocks: point.deadlocks.len() as u64,
            resets,
            crc_errors,
            link_failures,
            illegal_turns,
            no_such_wire,
            host_too_soon,
            stranded,
            unroutable,
            stuck: point.stuck.len() as u64,
        }
    }

    /// How this point bears on the outcome of its run.
    pub fn outcome(&self) -> Outcome {
        match self.end {
            PointEnd::Deadlocked => Outcome::Deadlocked,
            _ if self.saturated => Outcome::Saturated,
            PointEnd::Horizon => Outcome::Horizon,
            PointEnd::Drained => Outcome::Drained,
        }
    }
}

/// A port's name: `node:port`.
pub fn port_name(network: &Network, end: End) -> String {
    format!("{}:{}", network.name_of(end.node), end.port)
}

impl DeadlockReport {
    /// The report of a deadlock of the point at position `point`; `worm` names a message by sender and tag.
    pub fn new(
        point: usize,
        deadlock: &Deadlock,
        network: &Network,
        scale: &Scale,
        worm: impl Fn(HostId, u64) -> String,
    ) -> DeadlockReport {
        let members = &deadlock.members;
        DeadlockReport {
            point,
            formed_ns: scale.instant_ns(deadlock.formed),
            cycle: members.iter().map(|member| port_name(network, member.output)).collect(),
            worms: members.iter().map(|member| worm(member.source, member.tag)).collect(),
            cleared_by: deadlock.cleared.map(|cleared| port_name(network, cleared.output)),
            cleared_ns: deadlock.cleared.map(|cleared| scale.instant_ns(cleared.at)),
        }
    }
}

/// How a message of generated traffic is called: its sender and its number there.
pub(super) fn message_name(network: &Network, source: HostId, number: u64) -> String {
    format!("{}#{number}", network.name_of(Node::Host(source)))
}
