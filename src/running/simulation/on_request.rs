//! The files that a scenario asks for in `[output]`: messages one by one, channels in intervals, the warm-up.

use simnet_base::ids::Node;
use simnet_base::numbers::Thousandths;
use simnet_base::units::{Cycle, Duration, Time};
use simnet_media::fabric::Fate;
use simnet_media::traffic::TraceMessage;
use simnet_network::topology::Network;
use simnet_output::report::{Csv, draw_curves, record, table_of};
use simnet_scenario::Checked;
use simnet_scenario::checked::{Output, Stages, Traffic};

use super::kept::{Keep, Message};
use super::point::Point;
use super::summary::Scale;
use super::tables::channel_report;

/// What load points keep for these files.
pub(super) fn keep(output: &Output, traffic: Option<&Traffic>, base_cycle: Duration) -> Keep {
    let is_trace = matches!(traffic, Some(Traffic::Trace(_)));
    let most = output.deliveries.filter(|_| !is_trace);
    let cycles = |interval: Duration| (Time::ZERO + interval).to_cycle_ceil(base_cycle).0.max(1);
    Keep {
        deliveries: is_trace && output.deliveries.is_some(),
        messages: most.map(|most| usize::try_from(most).unwrap_or(usize::MAX)),
        trend: output.warmup,
        interval: output.series.map(cycles),
    }
}

/// The files: name and contents.
pub(super) fn files(
    checked: &Checked,
    stages: &Stages,
    points: &[(Option<f64>, Point)],
    scale: &Scale,
) -> Vec<(String, String)> {
    let network = &checked.topology.network;
    let mut files = Vec::new();
    match (&stages.traffic, points) {
        (Some(Traffic::Trace(trace)), [(_, point)]) if checked.output.deliveries.is_some() => {
            files.push(("deliveries.csv".to_owned(), deliveries(&trace.messages, point, scale)));
        }
        (Some(Traffic::Generated(_)), [_, ..]) if checked.output.deliveries.is_some() => {
            files.push(("deliveries.csv".to_owned(), messages(network, points, scale)));
        }
        _ => {}
    }
    if points.iter().any(|(_, point)| point.series.is_some()) {
        files.push(("series.csv".to_owned(), series(network, points, checked, scale)));
    }
    if points.iter().any(|(_, point)| point.trend.is_some()) {
        let table = warmup(points, scale);
        let drawn = draw_curves("warmup", &Csv::parse(&table), &checked.name);
        files.extend(drawn.map(|svg| ("warmup.svg".to_owned(), svg)));
        files.push(("warmup.csv".to_owned(), table));
    }
    files
}

record! {
    /// A message of generated traffic that was created in the window of its load point and ended.
    struct MessageRow {
        /// The load.
        pub load: Option<f64>,
        /// Its number at its sender, from 0, those of the warm-up counted in.
        pub message: u64,
        /// Its sender.
        pub source: String,
        /// Its destination.
        pub destination: String,
        /// Its flits after its route flits.
        pub payload_bytes: u32,
        /// What became of it.
        pub state: String,
        /// When its host created it, exactly.
        pub created_ns: Thousandths,
        /// When its first flit was put on the first cable.
        pub started_ns: Thousandths,
        /// When its head arrived.
        pub head_ns: Option<Thousandths>,
        /// When its tail did.
        pub tail_ns: Option<Thousandths>,
        /// For how many messages of the window it stands.
        pub weight: u64,
    }
}

/// One row a message that was kept, in order of creation.
fn messages(network: &Network, points: &[(Option<f64>, Point)], scale: &Scale) -> String {
    let mut rows = Vec::new();
    for (load, point) in points {
        let Some(sample) = &point.sample else { continue };
        let row = |message| message_row(network, *load, &message, sample.step(), scale);
        rows.extend(sample.created_before(point.window.to).into_iter().map(row));
    }
    table_of(&rows).into_csv()
}

fn message_row(
    network: &Network,
    load: Option<f64>,
    message: &Message,
    weight: u64,
    scale: &Scale,
) -> MessageRow {
    let name = |host| network.name_of(Node::Host(host)).to_owned();
    let instant = |at: Cycle| exact_ns(at, scale.base_cycle);
    let (state, head, tail) = end(message.fate, message.spoilt);
    MessageRow {
        load,
        message: message.number,
        source: name(message.source),
        destination: name(message.destination),
        payload_bytes: message.payload,
        state: state.to_owned(),
        created_ns: instant(message.created),
        started_ns: instant(message.started),
        head_ns: head.map(instant),
        tail_ns: tail.map(instant),
        weight,
    }
}

record! {
    /// The use of a channel in an interval of a load point in which a worm held it.
    struct SeriesRow {
        /// The load.
        pub load: Option<f64>,
        /// When the interval begins, from the start of the point on.
        pub begin_ns: f64,
        /// When it ends.
        pub end_ns: f64,
        /// Where the channel begins, `node:port`.
        pub from: String,
        /// Where it ends.
        pub to: String,
        /// Flits that it carried.
        pub flits: u64,
        /// Share of the interval in which a flit was put on it.
        pub busy_share: f64,
        /// Share of the interval in which a worm held it and no flit moved.
        pub blocked_share: f64,
    }
}

/// One row a load point, interval and channel that a worm held in it.
fn series(network: &Network, points: &[(Option<f64>, Point)], checked: &Checked, scale: &Scale) -> String {
    let parameters = checked.fabric_parameters();
    let mut rows = Vec::new();
    for (load, point) in points {
        let Some(series) = &point.series else { continue };
        for (nth, interval) in (0..).zip(series.intervals()) {
            let begin = Cycle(nth * series.interval());
            let end = Cycle(begin.0.saturating_add(series.interval())).min(point.last);
            let cycles = end.0.saturating_sub(begin.0).max(1) as f64;
            for (channel, used) in interval.iter().enumerate().filter(|(_, used)| used.held > 0) {
                let period = parameters.links[channel / 2].period;
                let report = channel_report(network, channel, used, period, cycles);
                let [begin_ns, end_ns] = [begin, end].map(|at| scale.instant_ns(at));
                rows.push(SeriesRow {
                    load: *load,
                    begin_ns,
                    end_ns,
                    from: report.from,
                    to: report.to,
                    flits: report.flits,
                    busy_share: report.busy,
                    blocked_share: report.blocked,
                });
            }
        }
    }
    table_of(&rows).into_csv()
}

record! {
    /// A stretch of time of a load point, from its start on.
    struct WarmupRow {
        /// The load.
        pub load: Option<f64>,
        /// When it begins.
        pub begin_ns: f64,
        /// When it ends.
        pub end_ns: f64,
        /// Messages that arrived in it.
        pub messages: u64,
        /// Payload flits that did.
        pub accepted_flits_per_cycle_per_host: f64,
        /// Mean latency of these messages, from creation.
        pub latency_mean_ns: Option<f64>,
        /// Where the transient ends by MSER-5; nothing if the warm-up was given, or no end was found.
        pub transient_end_ns: Option<f64>,
        /// Where the warm-up ends and the window begins.
        pub warmup_end_ns: f64,
        /// Where the window ends.
        pub window_end_ns: f64,
    }
}

/// One row a load point and stretch of time.
fn warmup(points: &[(Option<f64>, Point)], scale: &Scale) -> String {
    let mut rows = Vec::new();
    for (load, point) in points {
        let Some(trend) = &point.trend else { continue };
        for (nth, slot) in (0..).zip(trend.slots()) {
            let begin = Cycle(nth * trend.slot());
            let end = Cycle(begin.0.saturating_add(trend.slot())).min(point.last);
            let cycles = end.0.saturating_sub(begin.0).max(1);
            let mean = (slot.messages > 0).then(|| slot.latency as f64 / slot.messages as f64);
            rows.push(WarmupRow {
                load: *load,
                begin_ns: scale.instant_ns(begin),
                end_ns: scale.instant_ns(end),
                messages: slot.messages,
                accepted_flits_per_cycle_per_host: scale.flits_per_cycle(slot.flits, cycles)
                    / scale.hosts as f64,
                latency_mean_ns: mean.map(|cycles| scale.ns(cycles)),
                transient_end_ns: point.transient.map(|at| scale.instant_ns(at)),
                warmup_end_ns: scale.instant_ns(point.window.from),
                window_end_ns: scale.instant_ns(point.window.to),
            });
        }
    }
    table_of(&rows).into_csv()
}

record! {
    /// What became of a message of a trace.
    struct DeliveryRow {
        /// Its name.
        pub message: String,
        /// What became of it.
        pub state: String,
        /// When its head arrived, exactly.
        pub head_ns: Option<Thousandths>,
        /// When its tail did.
        pub tail_ns: Option<Thousandths>,
    }
}

/// One row a message of a trace, in the trace's order.
fn deliveries(messages: &[TraceMessage], point: &Point, scale: &Scale) -> String {
    let mut ends = vec![("stuck", None, None); messages.len()];
    let row = |number: u64| usize::try_from(number).expect("a row of the trace");
    for delivery in point.deliveries.iter().flatten() {
        ends[row(delivery.number)] = end(delivery.fate, delivery.spoilt);
    }
    // Whom no route leads to cannot be reached, whatever the fabric does.
    for number in point.unrouted.iter().flatten() {
        ends[row(*number)].0 = "undeliverable";
    }
    let instant = |at: Option<Cycle>| at.map(|at| exact_ns(at, scale.base_cycle));
    let row = |(message, (state, head, tail)): (&TraceMessage, (&str, _, _))| DeliveryRow {
        message: message.name.clone(),
        state: state.to_owned(),
        head_ns: instant(head),
        tail_ns: instant(tail),
    };
    table_of(&messages.iter().zip(ends).map(row).collect::<Vec<_>>()).into_csv()
}

/// What became of a message, and when its first and its last flit arrived.
fn end(fate: Fate, spoilt: bool) -> (&'static str, Option<Cycle>, Option<Cycle>) {
    match fate {
        Fate::Delivered { head, tail, .. } => {
            (if spoilt { "corrupted" } else { "delivered" }, Some(head), Some(tail))
        }
        Fate::Destroyed { cause, .. } => (cause.state(), None, None),
    }
}

/// An instant in nanoseconds, exact to the picosecond however late it is.
fn exact_ns(at: Cycle, base_cycle: Duration) -> Thousandths {
    Thousandths(u128::from(at.0) * u128::from(base_cycle.as_ps()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wrong if instants went through floats, or ended in idle zeros.
    #[test]
    fn instants_are_exact() {
        let ns = |cycles, ps| exact_ns(Cycle(cycles), Duration::from_ps(ps)).to_string();
        assert_eq!((ns(0, 6_250), ns(1, 6_250), ns(16, 6_250)), ("0".into(), "6.25".into(), "100".into()));
        assert_eq!(ns((1 << 60) + 1, 1), "1152921504606846.977");
    }
}
