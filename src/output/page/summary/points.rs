//! Load points and traces: how long messages took at each load, and where the network falls behind.

use maud::{Markup, html};
use serde_json::Value;
use simnet_base::numbers;

use crate::page::markup::{Grade, grid, listed, name, numbers, words};
use crate::page::value::{Show, shown};
use crate::page::{Contents, Csv};

use super::{Summary, cut, entries, limits, of};

/// A point: its path and its object.
type Point<'a> = (String, &'a Value);

pub(super) fn summary(contents: &Contents) -> Option<Summary> {
    let points = entries(contents, "points");
    if points.is_empty() {
        return None;
    }
    let is_trace = points.iter().all(|(_, point)| point["load"].is_null());
    let kind = match (is_trace, points.len()) {
        (true, _) => "a trace of messages".to_owned(),
        (_, 1) => "one load point".to_owned(),
        (_, count) => format!("{count} load points"),
    };
    let mut sentences = Vec::new();
    let first = &points[0].0;
    if is_trace {
        sentences.push(
            html! { "Of the messages of the trace " (of(contents, first, "delivered", Show::Number)) " arrived"
            @if points[0].1["latency_mean_ns"].is_number() {
                "; from creation to the arrival of the last flit they took "
                (of(contents, first, "latency_mean_ns", Show::Ns)) " on average, the longest "
                (of(contents, first, "latency_max_ns", Show::Ns))
            } "." },
        );
    } else {
        sentences.extend(loads(contents, &points));
    }
    Some(Summary {
        kind: Some(kind),
        sentences,
        facts: facts(contents, &points, is_trace),
        notices: notices(contents, &points),
        body: html! { (table(contents, &points)) (limits::section(contents)) (hot_spots(contents)) },
    })
}

/// The points in order of load.
fn by_load<'a>(points: &'a [Point<'a>]) -> Vec<&'a Point<'a>> {
    let mut ordered: Vec<&Point<'_>> = points.iter().collect();
    let load = |point: &Point<'_>| point.1["load"].as_f64().unwrap_or(0.0);
    ordered.sort_by(|a, b| load(a).total_cmp(&load(b)));
    ordered
}

/// The states of points at which the network fell behind, or died.
const REFUSED: [&str; 2] = ["saturated", "deadlocked"];

/// Whether the network fell behind at this load, or died.
fn is_refused((_, point): &Point<'_>) -> bool {
    REFUSED.iter().any(|state| point["state"] == *state)
}

/// Half an interval of more than this share of the mean shows no load to be carried, as in the search for saturation.
const CARRIED: f64 = 0.25;

/// Whether the interval of its mean latency shows that the network carries this load for good.
fn is_carried((_, point): &Point<'_>) -> bool {
    let number = |key: &str| point[key].as_f64();
    let known = number("latency_half_width_ns").zip(number("latency_mean_ns"));
    known.is_some_and(|(half, mean)| half <= CARRIED * mean)
}

/// The highest load that is known to be carried, and the lowest that is not, as far as there are such.
struct Knee {
    below: Option<String>,
    above: Option<String>,
}

fn knee(contents: &Contents, points: &[Point<'_>]) -> Knee {
    if contents.at("saturation").is_some() {
        let there = |path: &str| contents.at(path).map(|_| path.to_owned());
        return Knee { below: there("saturation.load_low"), above: there("saturation.load_high") };
    }
    let ordered = by_load(points);
    let above = ordered.iter().position(|point| is_refused(point));
    let path = |point: &&Point<'_>| format!("{}.load", point.0);
    let below = ordered[..above.unwrap_or(ordered.len())].iter().rfind(|point| is_carried(point));
    Knee { below: below.map(path), above: above.map(|place| path(&ordered[place])) }
}

/// What becomes of the network at loads that it does not carry.
fn beyond(contents: &Contents, points: &[Point<'_>]) -> &'static str {
    let is = |state: &str, found: &str| {
        points.iter().any(|point| point.1["state"] == state) || contents.at(found).is_some()
    };
    match (is("saturated", "saturation.load_overload"), is("deadlocked", "saturation.load_deadlocked")) {
        (true, true) => "falls behind what is offered, or dies in a deadlock that nothing breaks",
        (false, true) => "dies in a deadlock that nothing breaks",
        _ => "falls behind what is offered, and latency grows for as long as one measures",
    }
}

const UNIT: &str = "payload flits per cycle and host";

fn loads(contents: &Contents, points: &[Point<'_>]) -> Vec<Markup> {
    let knee = knee(contents, points);
    let load = |path: &str| shown(contents, path, Show::Number);
    let saturates = match (&knee.below, &knee.above) {
        (Some(below), Some(above)) => html! {
            "The largest load that the network carries for good lies between " (load(below)) " and " (load(above)) " "
            (UNIT) ": beyond it the network " (beyond(contents, points)) "."
        },
        (None, Some(above)) => html! {
            "From load " (load(above)) " " (UNIT) " on the network " (beyond(contents, points))
            "; no lower load that was run is known to be carried."
        },
        (Some(below), None) => html! {
            "The network carries load " (load(below)) " " (UNIT) " for good, and no higher one that was run is known \
                to be too much."
        },
        (None, None) => {
            html! { "No load that was run is known to be carried for good, and none is known not to be." }
        }
    };
    let kept: Vec<&Point<'_>> = by_load(points).into_iter().filter(|point| !is_refused(point)).collect();
    let can_lock = knee.below.is_some() && contents.route_cycle().is_some();
    let mut sentences = vec![html! {
        (saturates)
        @if can_lock { " The routes can deadlock: a longer run may do so at a load that is called carried." }
    }];
    let probes = searched(contents).len();
    if probes > 0 {
        let loads = numbers::count(probes, "load");
        sentences.push(
            html! { "To find that, " (loads) " more were tried, each until it was known whether it is carried; they \
            are rows and points like the others, marked as the search's." },
        );
    }
    if let Some((path, _)) = kept.first() {
        let last = kept.last().filter(|last| last.0 != *path);
        sentences.push(html! {
            "Mean latency, from the creation of a message to the arrival of its last flit, is "
            (of(contents, path, "latency_mean_ns", Show::Ns)) " at load " (of(contents, path, "load", Show::Number))
            @if let Some((last, _)) = last {
                " and " (of(contents, last, "latency_mean_ns", Show::Ns)) " at load "
                (of(contents, last, "load", Show::Number)) ", the highest that is not known to saturate"
            }
            "."
        });
    }
    sentences
}

fn facts(contents: &Contents, points: &[Point<'_>], is_trace: bool) -> Vec<(&'static str, Markup, Markup)> {
    let ordered = by_load(points);
    let Some((lowest, _)) = ordered.first() else { return Vec::new() };
    let accepted = |point: &Point<'_>| point.1["accepted_flits_per_cycle_per_host"].as_f64().unwrap_or(0.0);
    let alive = points.iter().filter(|point| point.1["state"] != "deadlocked");
    let most = alive.max_by(|a, b| accepted(a).total_cmp(&accepted(b)));
    let load = |path: &str| {
        html! { @if !is_trace { "at load " (of(contents, path, "load", Show::Number)) } }
    };
    let mut facts = Vec::new();
    if !is_refused(ordered[0]) && ordered[0].1["latency_mean_ns"].is_number() {
        facts.push(("Mean latency", of(contents, lowest, "latency_mean_ns", Show::Ns), load(lowest)));
        facts.push((
            "99 of 100 messages within",
            of(contents, lowest, "latency_p99_ns", Show::Ns),
            load(lowest),
        ));
    }
    if let Some((path, point)) = most
        && let Some(bits) = point["accepted_bits_per_s"].as_f64()
    {
        let path = format!("{path}.accepted_bits_per_s");
        let rate = format!("{} Mb/s", numbers::number(bits / 1e6, 4));
        let value = html! { span.value data-path=(path) data-value=(point["accepted_bits_per_s"].to_string()) {
        (rate) } };
        facts.push(("Most traffic accepted", value, html! { "payload, all hosts together" }));
    }
    facts
}

/// What keeps each number from being trusted, or that nothing does.
fn notices(contents: &Contents, points: &[Point<'_>]) -> Vec<(Grade, Markup)> {
    let loads = |chosen: &dyn Fn(&Value) -> bool| -> Vec<Markup> {
        let found = points.iter().filter(|point| chosen(point.1));
        found.map(|(path, point)| load_of(contents, path, point)).collect()
    };
    let mut notices = Vec::new();
    let converged =
        loads(&|point| point["converged"] == Value::Bool(true) && point["latency_half_width_ns"].is_number());
    let saturated = loads(&|point| point["state"] == "saturated");
    if !converged.is_empty() {
        // Those of the search are not in the summary.
        let is_all = converged.len() == points.len() && searched(contents).is_empty();
        let all = if is_all { "every point" } else { "these points" };
        notices.push((Grade::Sure, html! {
            "the mean latency of " (all) " is known within the precision that was asked for: " (listed(&converged))
            ". The half-width of its 95 % confidence interval stands beside it below."
        }));
    }
    if !saturated.is_empty() {
        notices.push((Grade::Warn, html! {
            "at " (listed(&saturated)) " the network was saturated: latency has no mean there, and the number only \
             says how long was measured. What it accepted was counted over that time."
        }));
    }
    for (path, point) in points.iter().filter(|point| point.1["reason"].is_string()) {
        let (place, reason) = (load_of(contents, path, point), of(contents, path, "reason", Show::Number));
        match point["state"].as_str() {
            Some("deadlocked") => notices.push((
                Grade::Bad,
                html! { (place) " is dead: " (reason) ". What it accepted is no throughput." },
            )),
            Some("not-converged") => {
                notices.push((Grade::Warn, html! { (place) " has not converged: " (reason) "." }));
            }
            Some("saturated")
                if point["reason"].as_str().is_some_and(|reason| reason.contains("deadlock")) =>
            {
                notices.push((Grade::Warn, html! { (place) " did not get over a deadlock: " (reason) "." }));
            }
            _ => {}
        }
    }
    notices.extend(lost(contents, points));
    notices
}

fn load_of(contents: &Contents, path: &str, point: &Value) -> Markup {
    html! {
        @if point["load"].is_null() { "the trace" }
        @else { "load " (of(contents, path, "load", Show::Number)) }
    }
}

/// How messages may end other than by arriving.
const LOSSES: [(&str, &str); 9] = [
    ("resets", "destroyed by forward resets"),
    ("crc_errors", "corrupted"),
    ("unroutable", "without a route"),
    ("stranded", "stranded"),
    ("illegal_turns", "turned to a port that does not exist"),
    ("no_such_wire", "sent to a port without a cable"),
    ("host_too_soon", "at a host with turns left"),
    ("link_failures", "cut by a failing cable"),
    ("expired", "dropped when their time to live was over"),
];

fn lost(contents: &Contents, points: &[Point<'_>]) -> Option<(Grade, Markup)> {
    let mut parts = Vec::new();
    for (path, point) in points {
        for (key, what) in LOSSES {
            if point[key].as_f64().is_some_and(|count| count > 0.0) {
                let place = load_of(contents, path, point);
                parts.push(html! { (of(contents, path, key, Show::Number)) " " (what) " (" (place) ")" });
            }
        }
    }
    let more = parts.len().saturating_sub(8);
    parts.truncate(8);
    (!parts.is_empty()).then(|| {
        (Grade::Warn, html! {
            "messages were lost: " (listed(&parts)) @if more > 0 { ", and more, in " a href="#tables" { "points.csv" } }
            "."
        })
    })
}

fn table(contents: &Contents, points: &[Point<'_>]) -> Markup {
    let columns = [
        numbers("Load", "flits/cycle/host"),
        numbers("Accepted", "flits/cycle/host"),
        numbers("Mean latency", ""),
        numbers("±\u{a0}95\u{a0}%", ""),
        numbers("Median", ""),
        numbers("99th percentile", ""),
        numbers("Waiting to be sent", ""),
        numbers("Blocked", ""),
        numbers("Moving", ""),
        numbers("Messages", ""),
        numbers("Deadlocks", ""),
        words("Worth"),
    ];
    let (points, more) = cut(points.iter().collect());
    let mut rows: Vec<Vec<Markup>> = points.iter().map(|point| cells_of(contents, point)).collect();
    let (searched, more_searched) = cut(searched(contents));
    rows.extend(searched);
    html! {
        h3 { "Load by load" }
        (grid("What each load came to; the mean latency is the sum of waiting to be sent, being blocked and \
            moving", &columns, &rows))
        (more) (more_searched)
    }
}

/// The rows of the loads that the search for saturation tried: as their table has them, which alone has all of it.
fn searched(contents: &Contents) -> Vec<Vec<Markup>> {
    let Some(table) = contents.tables.get("points") else { return Vec::new() };
    let found = table.rows.iter().filter(|row| table.cell(row, "search") == Some("true"));
    found.map(|row| searched_cells(table, row)).collect()
}

/// The cells of a load that the search tried, as [`cells_of`] has those of the others.
fn searched_cells(table: &Csv, row: &[String]) -> Vec<Markup> {
    let number = |column: &str, show: Show| match table.number(row, column) {
        Some(number) => html! { (show.text(number)) },
        None => html! { "–" },
    };
    let times = ["mean", "half_width", "p50", "p99"].map(|what| format!("latency_{what}_ns"));
    let parts = ["queueing_mean_ns", "blocked_mean_ns", "moving_mean_ns"].map(str::to_owned);
    let state = table.cell(row, "state").unwrap_or("–");
    let time = |column: &String| {
        let is_early = REFUSED.contains(&state) && column.starts_with("latency_p");
        if is_early {
            html! { "–" }
        } else {
            number(column, Show::Ns)
        }
    };
    [html! { (number("load", Show::Number)) " " small { "search" } }]
        .into_iter()
        .chain([number("accepted_flits_per_cycle_per_host", Show::Number)])
        .chain(times.iter().chain(&parts).map(time))
        .chain(["messages", "deadlocks"].map(|column| number(column, Show::Number)))
        .chain([html! { span.soft { (state) } }])
        .collect()
}

/// The cells of a load point's row.
fn cells_of(contents: &Contents, entry: &Point<'_>) -> Vec<Markup> {
    let (path, point) = entry;
    let ns = |key: &str| of(contents, path, key, Show::Ns);
    // Of messages that wait longer and longer only the early ones have arrived.
    let quantile = |key: &str| {
        if is_refused(entry) {
            html! { "–" }
        } else {
            ns(key)
        }
    };
    let number = |key: &str| of(contents, path, key, Show::Number);
    vec![
        if point["load"].is_null() {
            html! { "trace" }
        } else {
            number("load")
        },
        number("accepted_flits_per_cycle_per_host"),
        ns("latency_mean_ns"),
        ns("latency_half_width_ns"),
        quantile("latency_p50_ns"),
        quantile("latency_p99_ns"),
        ns("queueing_mean_ns"),
        ns("blocked_mean_ns"),
        ns("moving_mean_ns"),
        number("messages"),
        number("deadlocks"),
        worth(contents, path, point),
    ]
}

fn worth(contents: &Contents, path: &str, point: &Value) -> Markup {
    let class = match point["state"].as_str() {
        Some("converged") => "good",
        Some(_) => "warn",
        None => "soft",
    };
    html! { span class=(class) { (of(contents, path, "state", Show::Number)) } }
}

/// The channels that were used most and waited for most.
fn hot_spots(contents: &Contents) -> Markup {
    let [busiest, blocked] = ["busiest_channels", "most_blocked_channels"].map(|key| entries(contents, key));
    if busiest.is_empty() && blocked.is_empty() {
        return html! {};
    }
    let columns =
        [words("From"), words("To"), numbers("Busy", ""), numbers("Blocked", ""), numbers("Idle", "")];
    let rows = |channels: &[Point<'_>]| -> Vec<Vec<Markup>> {
        let share = |path: &str, key: &str| of(contents, path, key, Show::Share);
        let end = |channel: &Value, key: &str| name(channel[key].as_str().unwrap_or_default());
        let row = |(path, channel): &Point<'_>| {
            let shares = ["busy", "blocked", "idle"].map(|key| share(path, key));
            [end(channel, "from"), end(channel, "to")].into_iter().chain(shares).collect()
        };
        channels.iter().map(row).collect()
    };
    html! {
        h3 { "Where it hurts" }
        p {
            "The cables that carried most, and those that were held longest by worms that could not move"
            @if contents.at("hot_spots_load").is_some() {
                ", at load " (shown(contents, "hot_spots_load", Show::Number))
            }
            ". Shares are of the time that was measured."
        }
        div.cols {
            @if !busiest.is_empty() { div { (grid("The busiest cables, one direction each", &columns,
                &rows(&busiest))) } }
            @if !blocked.is_empty() { div { (grid("The most blocked cables, one direction each", &columns,
                &rows(&blocked))) } }
        }
    }
}
