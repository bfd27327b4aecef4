//! The tables of a run, as CSV files.

use simnet_base::ids::{HostId, LinkId, Node};
use simnet_base::units::Time;
use simnet_media::fabric::ChannelUse;
use simnet_network::topology::Network;
use simnet_network::topology::formats::{Format, write};
use simnet_output::report::{record, table_of};
use simnet_scenario::checked::Topology;

use super::failures::Outage;
use super::limits::Limits;
use super::point::Point;
use super::saturation::Saturation;
use super::summary::{ChannelReport, DeadlockReport, PointReport, Scale, port_name};

/// One row a load point, those of the search for saturation last; last columns say which these are, and why points have
/// not converged, if any has such a reason.
pub(super) fn points(points: &[PointReport], searched: &[PointReport]) -> String {
    let all: Vec<PointReport> = points.iter().chain(searched).cloned().collect();
    table_of(&all).without_empty(&["search", "reason", "expired"]).into_csv()
}

/// The use of every channel within the window of `point`, in order of channel id.
pub(super) fn channel_use(network: &Network, point: &Point, periods: &[u64]) -> Vec<ChannelReport> {
    let cycles = point.window.cycles().max(1) as f64;
    let channels = point.channels.iter().enumerate();
    channels.map(|(index, used)| channel_report(network, index, used, periods[index / 2], cycles)).collect()
}

/// The use of the channel `index` in a window of `cycles`; a flit takes `period` cycles on its cable.
pub(super) fn channel_report(
    network: &Network,
    index: usize,
    used: &ChannelUse,
    period: u64,
    cycles: f64,
) -> ChannelReport {
    let link = network.link(LinkId::new(index / 2));
    let busy = ((used.flits * period) as f64 / cycles).min(1.0);
    let held = (used.held as f64 / cycles).clamp(busy, 1.0);
    let (from, to) = if index.is_multiple_of(2) { (link.a, link.b) } else { (link.b, link.a) };
    ChannelReport {
        from: port_name(network, from),
        to: port_name(network, to),
        flits: used.flits,
        busy,
        blocked: held - busy,
        idle: 1.0 - held,
        wanted: used.blocked as f64 / cycles,
    }
}

/// One row a resource that was lifted, the largest gain first; no file where nothing was.
pub(super) fn limits(limits: &Limits) -> Option<(String, String)> {
    let is_empty = limits.lifted.is_empty();
    (!is_empty).then(|| ("limits.csv".to_owned(), table_of(&limits.lifted).into_csv()))
}

record! {
    /// The use of a channel within the window of a load point.
    struct ChannelRow {
        /// The load.
        pub load: Option<f64>,
        /// Where it begins, `node:port`.
        pub from: String,
        /// Where it ends.
        pub to: String,
        /// Flits that it carried.
        pub flits: u64,
        /// Share of the time in which a flit was put on it.
        pub busy_share: f64,
        /// Share of the time in which a worm held it and no flit moved.
        pub blocked_share: f64,
        /// Share of the time in which no worm held it.
        pub idle_share: f64,
        /// Share of the time in which it was in somebody's way.
        pub wanted_share: f64,
    }
}

/// One row a channel and load point.
pub(super) fn channels<'a>(points: impl Iterator<Item = (Option<f64>, &'a [ChannelReport])>) -> String {
    let of_point = |(load, all): (_, &'a [ChannelReport])| all.iter().map(move |one| channel_row(load, one));
    table_of(&points.flat_map(of_point).collect::<Vec<_>>()).into_csv()
}

/// The row of a channel at a load.
fn channel_row(load: Option<f64>, channel: &ChannelReport) -> ChannelRow {
    ChannelRow {
        load,
        from: channel.from.clone(),
        to: channel.to.clone(),
        flits: channel.flits,
        busy_share: channel.busy,
        blocked_share: channel.blocked,
        idle_share: channel.idle,
        wanted_share: channel.wanted,
    }
}

record! {
    /// What a host sent and received at a load. Messages and flits are those created, or received, in the window;
    /// latency and losses those of messages created in it.
    struct HostRow {
        /// The load.
        pub load: Option<f64>,
        /// The host.
        pub host: String,
        /// The switch that it is attached to.
        pub switch: String,
        /// Messages that it created.
        pub created_messages: u64,
        /// How many of them arrived.
        pub delivered_messages: u64,
        /// How many of them were lost.
        pub lost_messages: u64,
        /// Messages that arrived at it.
        pub received_messages: u64,
        /// Payload flits of the messages that it created.
        pub offered_flits_per_cycle: f64,
        /// Payload flits that left it.
        pub sent_flits_per_cycle: f64,
        /// Payload flits that arrived at it.
        pub received_flits_per_cycle: f64,
        /// Mean latency of its messages, from creation.
        pub latency_mean_ns: Option<f64>,
        /// The longest.
        pub latency_max_ns: Option<f64>,
    }
}

/// One row a host with a cable and load point.
pub(super) fn hosts<'a>(
    topology: &Topology,
    points: impl Iterator<Item = (Option<f64>, &'a Point)>,
    scale: &Scale,
) -> String {
    let of_point = |(load, point): (Option<f64>, &'a Point)| {
        topology.network.host_ids().filter_map(move |host| host_row(topology, load, point, host, scale))
    };
    table_of(&points.flat_map(of_point).collect::<Vec<_>>()).into_csv()
}

/// The row of a host in a load point; `None` for a host without a cable.
fn host_row(
    topology: &Topology,
    load: Option<f64>,
    point: &Point,
    host: HostId,
    scale: &Scale,
) -> Option<HostRow> {
    let network = &topology.network;
    let (_, _, far) = topology.attachment(host)?;
    let rate = |flits| scale.flits_per_cycle(flits, point.window.cycles());
    let (traffic, ended) = (&point.hosts[host.index()], &point.host_latencies[host.index()]);
    Some(HostRow {
        load,
        host: network.name_of(Node::Host(host)).to_owned(),
        switch: network.name_of(far.node).to_owned(),
        created_messages: traffic.planned,
        delivered_messages: ended.delivered,
        lost_messages: ended.lost,
        received_messages: traffic.received,
        offered_flits_per_cycle: rate(traffic.planned_flits),
        sent_flits_per_cycle: rate(traffic.sent_flits),
        received_flits_per_cycle: rate(traffic.received_flits),
        latency_mean_ns: ended.mean().map(|cycles| scale.ns(cycles)),
        latency_max_ns: (ended.delivered > 0).then(|| scale.ns(ended.max as f64)),
    })
}

/// The network of a run, whole: the file and its contents.
pub(super) fn network(network: &Network) -> (String, String) {
    ("network.json".to_owned(), write(network, Format::Json))
}

record! {
    /// A stretch of time in which a cable was down.
    struct OutageRow {
        /// One end of the cable.
        pub cable_from: String,
        /// The other.
        pub cable_to: String,
        /// When it failed.
        pub failed_ns: f64,
        /// When it returned; nothing if it did not.
        pub returned_ns: Option<f64>,
    }
}

/// One row an outage of a cable, if there are any: the file and its contents.
pub(super) fn outages(network: &Network, outages: &[Outage]) -> Option<(String, String)> {
    let ns = |at: Time| at.as_ps() as f64 / 1e3;
    let row = |outage: &Outage| {
        let link = network.link(outage.link);
        let (cable_from, cable_to) = (port_name(network, link.a), port_name(network, link.b));
        OutageRow { cable_from, cable_to, failed_ns: ns(outage.from), returned_ns: outage.until.map(ns) }
    };
    let rows: Vec<OutageRow> = outages.iter().map(row).collect();
    (!rows.is_empty()).then(|| ("outages.csv".to_owned(), table_of(&rows).into_csv()))
}

record! {
    /// A class of latencies that occurred.
    struct LatencyRow {
        /// The load.
        pub load: Option<f64>,
        /// From where latency is counted: from the creation of the message, or from its first flit in the network.
        pub kind: String,
        /// Messages of the class.
        pub messages: u64,
        /// The longest latency of the class.
        pub up_to_latency_ns: f64,
    }
}

/// One row a cell of a point's latency histogram.
pub(super) fn histograms<'a>(
    points: impl Iterator<Item = (Option<f64>, &'a Point)>,
    scale: &Scale,
) -> String {
    let mut rows = Vec::new();
    for (load, point) in points {
        let kinds = [("creation", point.meter.latency()), ("network", point.meter.network_latency())];
        for (kind, latency) in kinds {
            let row = |(cycles, messages)| LatencyRow {
                load,
                kind: kind.to_owned(),
                messages,
                up_to_latency_ns: scale.ns(cycles as f64),
            };
            rows.extend(latency.cells().map(row));
        }
    }
    table_of(&rows).into_csv()
}

/// The cells of a point's latencies from the creation of messages: nanoseconds, messages.
pub(super) fn latencies(point: &Point, scale: &Scale) -> Vec<(f64, u64)> {
    point.meter.latency().cells().map(|(cycles, count)| (scale.ns(cycles as f64), count)).collect()
}

/// One row a load that was run, the measured ones first.
pub(super) fn saturation(found: &Saturation) -> String {
    table_of(&found.probes).into_csv()
}

record! {
    /// A deadlock.
    struct DeadlockRow {
        /// When the cycle closed.
        pub time_ns: f64,
        /// The position of its load point, from 0.
        pub point: usize,
        /// Its outputs, each blocked by the worm that needs the next.
        pub cycle: Vec<String>,
        /// The worms that hold these outputs.
        pub worms: Vec<String>,
        /// The output whose forward reset broke it.
        pub cleared_by_reset_of: Option<String>,
        /// When.
        pub cleared_ns: Option<f64>,
    }
}

/// One row a deadlock.
pub(super) fn deadlocks(deadlocks: &[DeadlockReport]) -> String {
    table_of(&deadlocks.iter().map(deadlock_row).collect::<Vec<_>>()).into_csv()
}

/// The row of a deadlock.
fn deadlock_row(deadlock: &DeadlockReport) -> DeadlockRow {
    DeadlockRow {
        time_ns: deadlock.formed_ns,
        point: deadlock.point,
        cycle: deadlock.cycle.clone(),
        worms: deadlock.worms.clone(),
        cleared_by_reset_of: deadlock.cleared_by.clone(),
        cleared_ns: deadlock.cleared_ns,
    }
}
