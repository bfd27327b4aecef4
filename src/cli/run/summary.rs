//! What `simnet run` says to a person in the end.

use std::fmt::Write as _;
use std::path::Path;

use crate::cli::output::Table;
use simnet_base::numbers::{deviation, fixed, or_dash, percent, rounded, time};

use simnet_base::diagnostics::{legible, quoted};
use simnet_base::papers::reference;
use simnet_network::topology::Network;
use simnet_output::report::table_of;
use simnet_running::simulation::discoveries::DiscoveryReport;
use simnet_running::simulation::{
    DeadlockReport, Findings, HotSpots, MapReport, PaperReport, PointReport, Reason, Run, StagesReport,
    State, Summary, measured_ms,
};
use simnet_scenario::Checked;
use simnet_scenario::checked::TopologySource;

use super::histogram::Histogram;
use super::{closing, limits};

/// The summary as text: what ran, what came out, what to look at next.
pub(super) fn text(checked: &Checked, run: &Run, place: &Path) -> String {
    let summary = &run.summary;
    let mut text = headline(checked, summary);
    text += &match &summary.findings {
        Findings::Stages(report) => stages(checked, run, report),
        Findings::Operation(report) => {
            let network = &checked.topology.network;
            super::operation::text(report, network) + &deadlocks(&report.locked, network)
        }
        Findings::Allgather(report) => {
            super::allgather::text(report) + &deadlocks(&report.deadlocks, &checked.topology.network)
        }
        Findings::Ring(report) => super::allgather::ring(report),
        Findings::Discovery(report) => discovery(report),
    };
    text += &closing::text(checked, run, place);
    // Tables pad their last columns.
    text.lines().map(|line| format!("{}\n", legible(line.trim_end()))).collect()
}

/// A map, routes, load points and where they hurt.
fn stages(checked: &Checked, run: &Run, report: &StagesReport) -> String {
    let mut text = report.map.as_ref().map(|map| mapping(checked, map)).unwrap_or_default();
    let network = &checked.topology.network;
    text += &routes(report, network);
    text += &points(&report.points);
    text += &saturation(report);
    text += &limits::text(report, network);
    text += &latency(run, &report.hot_spots);
    text += &hot_spots(&report.hot_spots, network);
    text + &deadlocks(&report.deadlocks, network)
}

fn headline(checked: &Checked, summary: &Summary) -> String {
    let network = &checked.topology.network;
    let mut text = format!("{}, seed {}", summary.scenario, summary.seed);
    let kind = match &summary.findings {
        Findings::Discovery(_) => "a discovery".to_owned(),
        _ => summary.outcome.to_string(),
    };
    let _ = writeln!(text, ": {kind}");
    if let Some(description) = &checked.description {
        let _ = writeln!(text, "{description}");
    }
    let (hosts, switches, links) = (network.hosts().len(), network.switches().len(), network.links().len());
    let name = quoted(&network.name);
    let _ = writeln!(text, "{name}: {hosts} hosts, {switches} switches, {links} cables");
    if checked.uses_fabric() {
        let _ = writeln!(text, "rates: {}", checked.rates());
    }
    text
}

/// How mainwaring1997 calls the configuration that a preset reconstructs.
fn paper_configuration(checked: &Checked) -> Option<&'static str> {
    let TopologySource::Preset(name) = &checked.topology.source else { return None };
    match name.as_str() {
        "now-c" => Some("C"),
        "now-ca" => Some("C+A"),
        "now-cab" => Some("C+A+B"),
        _ => None,
    }
}

/// What is printed in place of a time that outlasts the simulated clock.
pub(in crate::cli) fn outlasts() -> String {
    "more than 213 days".to_owned()
}

/// The row of a map that is a time, in ms.
const MAPPING_TIME: &str = "mapping time";

fn mapping(checked: &Checked, map: &MapReport) -> String {
    let configuration = paper_configuration(checked);
    let verdict = match map.isomorphic_to {
        Some("N-F") if map.isomorphic => "equal to the truth (N-F: all that a mapper can find)".to_owned(),
        Some(what) if map.isomorphic => format!("equal to the truth ({what}: the whole network)"),
        _ if map.isomorphic => "true, with a part of what no mapper has to find (F)".to_owned(),
        _ => "NOT equal to the truth".to_owned(),
    };
    let (hosts, switches, links) = (map.hosts, map.switches, map.links);
    let mut text = format!("\nMap: {hosts} hosts, {switches} switches, {links} cables; {verdict}\n");
    let mut table = Table::with_numbers(&["", "ours", "paper", "deviation"]);
    let mut row = |name: &str, ours: Option<f64>, figure: &str, quantity: &str| {
        let paper = configuration.and_then(|c| reference("000", figure, quantity, c));
        let deviation =
            paper.zip(ours).map(|(paper, ours)| format!("{:+.1} %", (ours / paper - 1.0) * 100.0));
        let shown = |value: f64| if name == MAPPING_TIME { time(value * 1e6) } else { rounded(value, 1) };
        table.add_row([
            name.to_owned(),
            ours.map_or_else(outlasts, shown),
            paper.map(shown).unwrap_or_default(),
            deviation.unwrap_or_default(),
        ]);
    };
    row(MAPPING_TIME, measured_ms(map.time_ms), "Fig7", "mapping time avg, one master");
    row("turns that found a host", Some(map.turns.host_hits as f64), "Fig6", "host probe hits");
    row("turns that found a switch", Some(map.turns.switch_hits as f64), "Fig6", "switch probe hits");
    row(
        "turns that found nothing",
        Some(map.turns.nothing as f64),
        "Fig6",
        "turns that found nothing (= host misses = switch misses)",
    );
    let turns = map.turns.host_hits + map.turns.switch_hits + 2 * map.turns.nothing;
    row("probes, as the paper counts", Some(turns as f64), "Fig6", "total probes");
    let sent: u64 = map.probes.values().map(|probes| probes.sent).sum();
    row("probes, as truly sent", Some(sent as f64), "", "");
    let _ = writeln!(text, "{table}");
    for other in &map.sensitivity {
        let _ = write!(text, "  at {:.0} ns a switch: ", other.routing_latency_ns);
        let _ = match measured_ms(other.time_ms).zip(measured_ms(map.time_ms)) {
            Some((ms, own)) => writeln!(text, "{} ({:+.2} %)", time(ms * 1e6), (ms / own - 1.0) * 100.0),
            None => {
                writeln!(text, "{}", measured_ms(other.time_ms).map_or_else(outlasts, |ms| time(ms * 1e6)))
            }
        };
    }
    text
}

fn routes(report: &StagesReport, network: &Network) -> String {
    let Some(route) = &report.route else { return String::new() };
    let root = |root: &String| format!(" from root {}", quoted(&network.labelled_with_name(root)));
    let root = route.root.as_ref().map(root).unwrap_or_default();
    let mut text = format!("\nRoutes: {}{root}, ", route.algorithm);
    let lanes = route.lanes.filter(|used| used.lanes > 1);
    let lanes = lanes.map(|used| format!(" on any of {} lanes", used.lanes)).unwrap_or_default();
    let _ = match route.cycle_of_routes() {
        None => writeln!(text, "no cyclic dependency{lanes}: they cannot deadlock"),
        Some(cycle) => writeln!(text, "CYCLIC, they can deadlock: {}", ports(cycle, network)),
    };
    let _ = writeln!(
        text,
        "  {} pairs, {} without a route, {} longer than minimal, {} over the busiest channel",
        route.pairs, route.unreachable_pairs, route.non_minimal_pairs, route.max_channel_load
    );
    if let Some(hosts) = route.mean_hosts_in_transit {
        let uncut = match route.uncut_pairs {
            None | Some(0) => String::new(),
            Some(pairs) => format!(", none for {pairs} pairs whose routes would be cut where no host is"),
        };
        let _ = writeln!(text, "  {} hosts in transit a route{uncut}", fixed(Some(hosts), 4));
    }
    if let Some(given) = &report.distribution {
        let _ = writeln!(
            text,
            "  handed out in {}: {} tables sent, {} acknowledged, {} sent again",
            measured_ms(given.time_ms).map_or_else(outlasts, |ms| time(ms * 1e6)),
            given.sent,
            given.acknowledged,
            given.retries
        );
    }
    text
}

/// How well a mean is known, wherever that is printed.
const HALF_WIDTH: &str = "± 95 %";

fn points(points: &[PointReport]) -> String {
    if points.is_empty() {
        return String::new();
    }
    let mut table = Table::with_numbers(&[
        "load",
        "accepted",
        "Mb/s",
        "latency mean",
        HALF_WIDTH,
        "p50",
        "p99",
        "messages",
        "lost",
        "",
    ]);
    for point in points {
        let latency = |value: Option<f64>| or_dash(value.map(time));
        // Of messages that wait longer and longer only the early ones have arrived.
        let quantile = |value: Option<f64>| latency(value.filter(|_| point.is_carried()));
        let state = match point.state {
            State::Deadlocked => "deadlocked",
            State::Saturated => "saturated",
            State::NotConverged => "not converged",
            State::Converged => "",
        };
        table.add_row([
            point.load.map_or_else(|| "trace".to_owned(), |load| load.to_string()),
            fixed(point.accepted_flits_per_cycle_per_host, 4),
            rounded(point.accepted_bits_per_s / 1e6, 1),
            latency(point.latency_mean_ns),
            latency(point.latency_half_width_ns),
            quantile(point.latency_p50_ns),
            quantile(point.latency_p99_ns),
            point.messages.to_string(),
            point.tally.lost().to_string(),
            state.to_owned(),
        ]);
    }
    format!(
        "\nTraffic, in payload flits per cycle and host:\n{table}\n  {HALF_WIDTH}: half the width of the mean's 95 % \
         confidence interval\n{}{}",
        warmup(points),
        reasons(points)
    )
}

/// Why points have not converged. That the network falls behind is said by their state, if that is all.
fn reasons(points: &[PointReport]) -> String {
    let of = |point: &PointReport| {
        let load = point.load.map_or_else(|| "the trace".to_owned(), |load| format!("load {load}"));
        let reason = point.reason.as_ref().filter(|reason| **reason != Reason::Behind)?;
        Some(format!("  {load}: {reason}\n"))
    };
    points.iter().filter_map(of).collect()
}

/// How long points warmed up, where that was found and not given.
fn warmup(points: &[PointReport]) -> String {
    let found: Vec<f64> = points.iter().filter_map(|point| point.transient_ms).collect();
    let missed = points.iter().filter(|p| p.load.is_some() && p.transient_ms.is_none()).count();
    if found.is_empty() {
        return String::new();
    }
    let longest = found.iter().copied().fold(0.0, f64::max);
    let mut text = format!("  transients ended within {}", time(longest * 1e6));
    if missed > 0 {
        let _ = write!(text, "; not found at {missed} of {} points", points.len());
    }
    text + "\n"
}

fn saturation(report: &StagesReport) -> String {
    let Some(found) = &report.saturation else { return String::new() };
    let carried = found.load_low.map(|low| format!("load {low:.5} is carried for good"));
    let refused = found.load_high.map(|high| format!("load {high:.5} is not"));
    let carried = carried.unwrap_or_else(|| "no load is known to be carried for good".to_owned());
    let refused = refused.unwrap_or_else(|| "no load is known not to be".to_owned());
    let mut text = format!("\nSaturation: {carried}, {refused}");
    let _ = match found.undecided {
        0 => writeln!(text),
        1 => writeln!(text, "; one load between them could not be decided"),
        many => writeln!(text, "; {many} loads between them could not be decided"),
    };
    if let Some(dead) = found.load_deadlocked {
        let _ = writeln!(text, "  from load {dead:.5} on the network dies in a deadlock that nothing breaks");
    }
    if let Some((load, accepted)) = found.load_overload.zip(found.accepted_overload_flits_per_cycle_per_host)
    {
        let _ = writeln!(
            text,
            "  at overload, load {load:.5}, it accepts {accepted:.5} flits per cycle and host"
        );
    }
    if report.route.as_ref().is_some_and(|route| route.cycle_of_routes().is_some()) {
        text += "  the routes can deadlock: a longer run may do so at a load that is called carried\n";
    }
    let most = rounded(found.accepted_max_bits_per_s / 1e6, 1);
    let _ = writeln!(
        text,
        "  at most {:.5} flits per cycle and host accepted, {most} Mb/s",
        found.accepted_max_flits_per_cycle_per_host
    );
    text
}

/// The latencies of the point that hot spots are of: the highest load that is carried.
fn latency(run: &Run, hot_spots: &HotSpots) -> String {
    let load = hot_spots.hot_spots_load;
    let Some(histogram) = Histogram::of(&run.latencies) else { return String::new() };
    let at = load.map(|load| format!(" at load {load}")).unwrap_or_default();
    let (messages, (unit, _)) = (histogram.messages(), histogram.unit());
    format!("\nLatency{at}, {messages} messages ({unit}, logarithmic):\n{}", histogram.plot())
}

fn hot_spots(hot: &HotSpots, network: &Network) -> String {
    let mut text = match (hot.busiest_channels.is_empty(), hot.hot_spots_load) {
        (true, _) => return String::new(),
        (false, Some(load)) => format!("\nWhere it hurts, at load {load}:\n"),
        (false, None) => "\nWhere it hurts:\n".to_owned(),
    };
    let kinds = [("busiest channels", &hot.busiest_channels), ("most blocked", &hot.most_blocked_channels)];
    for (title, channels) in kinds {
        let mut table = Table::with_numbers(&[title, "", "busy", "blocked", "idle"]);
        for channel in channels {
            table.add_row([
                quoted(&network.labelled_with_name(&channel.from)),
                quoted(&network.labelled_with_name(&channel.to)),
                percent(channel.busy, 1),
                percent(channel.blocked, 1),
                percent(channel.idle, 1),
            ]);
        }
        if !channels.is_empty() {
            let _ = writeln!(text, "{table}");
        }
    }
    text
}

/// How many deadlocks are listed one by one.
const TOLD: usize = 3;

fn deadlocks(deadlocks: &[DeadlockReport], network: &Network) -> String {
    if deadlocks.is_empty() {
        return String::new();
    }
    let mut text = format!("\nDeadlocks: {}\n", deadlocks.len());
    for deadlock in deadlocks.iter().take(TOLD) {
        let end = match (&deadlock.cleared_by, deadlock.cleared_ns) {
            (Some(output), Some(at)) => {
                format!("broken at {} by {}", time(at), quoted(&network.labelled(output)))
            }
            _ => "standing at the end".to_owned(),
        };
        let cycle = ports(&deadlock.cycle, network);
        let _ = writeln!(text, "  at {}: {cycle}; {end}", time(deadlock.formed_ns));
    }
    if deadlocks.len() > TOLD {
        let _ = writeln!(text, "  and {} more, in deadlocks.csv", deadlocks.len() - TOLD);
    }
    text
}

/// Ports in a line, whatever their nodes are called.
fn ports(names: &[String], network: &Network) -> String {
    names.iter().map(|name| quoted(&network.labelled(name))).collect::<Vec<_>>().join(" > ")
}

/// A discovery as text: what was measured, what was inferred and found.
fn discovery(report: &DiscoveryReport) -> String {
    let mut text = String::new();
    if report.measured.messages > 0 {
        let _ = writeln!(text, "\n{}", Table::of(&table_of([&report.measured]).upright()));
    }
    let _ = writeln!(text, "\n{}", Table::of(&report.inferred()));
    for remark in report.remarks() {
        let _ = writeln!(text, "\n{}", legible(&remark));
    }
    text
}

/// Prints the comparisons with the papers' numbers.
pub(super) fn paper(rows: &[PaperReport]) -> Table {
    let mut table = Table::with_numbers(&["printed", "", "paper", "ours", "deviation"]);
    for row in rows {
        table.add_row([
            format!("{} ({})", row.quantity, row.configuration),
            row.unit.clone(),
            row.printed.to_string(),
            fixed(row.ours, 3),
            or_dash(row.deviation_percent.map(deviation)),
        ]);
    }
    table
}
