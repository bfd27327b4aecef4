//! The last lines of `simnet run`: what to look at next, and where it is.

use std::fmt::Write as _;
use std::path::Path;

use simnet_base::diagnostics::{legible, quoted, shown};
use simnet_base::numbers::{number, rounded};
use simnet_media::fabric::Arbitration;
use simnet_network::topology::Network;
use simnet_running::simulation::{
    BusiestArbiter, ChannelReport, Edge, Findings, HotSpots, PointReport, Reason, Run, StagesReport, State,
    Summary,
};
use simnet_scenario::Checked;
use simnet_scenario::checked::Extent;

use super::{compared, limits};

/// What to look at next, the files, and how to make a report of them.
pub(super) fn text(checked: &Checked, run: &Run, place: &Path) -> String {
    let summary = &run.summary;
    let (mut rows, network) = (Vec::new(), &checked.topology.network);
    if let Findings::Stages(report) = &summary.findings {
        rows = vec![
            ("map", map(report, place)),
            ("routes", routes(report)),
            ("busiest cable", busiest(&report.hot_spots, network)),
            ("dead", dead(checked, report)),
            ("saturation", saturation(report)),
            ("limit", limits::next(checked, report)),
            ("busiest arbiter", arbiter(report, network)),
            ("precision", precision(checked, report)),
        ];
    }
    rows.push(("deadlocks", deadlocks(summary, place)));
    let rows = rows.into_iter().filter_map(|(what, text)| Some((what, text?)));
    next(rows.chain(compared::rows(summary)).collect()) + &files(run.files.len(), place)
}

/// What to look at next: what each line is about, and what it says.
pub(super) fn next(rows: Vec<(&str, String)>) -> String {
    let mut text = String::new();
    if !rows.is_empty() {
        text += "\nWhat to look at next:\n";
    }
    let width = rows.iter().map(|(what, _)| what.len()).max().unwrap_or(0);
    for (what, row) in rows {
        let _ = writeln!(text, " {what:width$}  {}", legible(&row));
    }
    text
}

/// What the map lacks; of a map that lacks nothing, what could be done with it if nothing was.
fn map(report: &StagesReport, place: &Path) -> Option<String> {
    let map = report.map.as_ref()?;
    let (hosts, switches, links) = (map.hosts, map.switches, map.links);
    let seen = if map.isomorphic_to == Some("N") { "" } else { ", as far as a mapper can see" };
    match map.isomorphic {
        false => {
            let [truth, map] =
                ["network.json", "map.json"].map(|name| word(&shown(&place.join(name)).to_string()));
            Some(format!(
                "not the truth: {hosts} hosts, {switches} switches, {links} cables; compare it by \
                 simnet topo diff --up-to-ports {truth} {map}"
            ))
        }
        true if map.doubts.is_empty() => {
            let is_last = report.route.is_none();
            is_last.then(|| format!("the truth{seen}; [routing] would compute routes on it"))
        }
        true => Some(format!("the truth{seen}, but the mapper doubts it: {}", map.doubts.join(", "))),
    }
}

fn routes(report: &StagesReport) -> Option<String> {
    let route = report.route.as_ref()?;
    let cycle = route.cycle_of_routes()?;
    Some(format!(
        "can deadlock, in a cycle of {} channels; those of algorithm = \"updown\" in [routing] cannot",
        cycle.len()
    ))
}

fn percent(share: f64) -> String {
    format!("{} %", rounded(share * 100.0, 1))
}

/// Shares below this are shown as none.
const LEAST_SHOWN: f64 = 0.000_5;

fn busiest(hot: &HotSpots, network: &Network) -> Option<String> {
    let busiest = hot.busiest_channels.first()?;
    let load = hot.hot_spots_load.map(|load| format!(" at load {load}")).unwrap_or_default();
    let end = |name: &str| quoted(&network.labelled(name));
    let cable = |channel: &ChannelReport| format!("{} to {}", end(&channel.from), end(&channel.to));
    let mut text = format!("{}, busy for {} of the time{load}", cable(busiest), percent(busiest.busy));
    if let Some(blocked) = hot.most_blocked_channels.first().filter(|most| most.blocked >= LEAST_SHOWN) {
        let _ = write!(text, "; {} is blocked for {}", cable(blocked), percent(blocked.blocked));
    }
    Some(text)
}

/// A host cannot offer more, in payload flits per cycle.
const FULL: f64 = 1.0;

/// Digits of a load that the search chose.
const DIGITS: usize = 5;

/// Saturated or not, and at which loads; nothing where no loads were offered.
fn saturation(report: &StagesReport) -> Option<String> {
    let Edge { low, high, dies, undecided } = Edge::of(&report.points, report.saturation.as_ref());
    let is_searched = report.saturation.is_some();
    let finer = if is_searched { "" } else { "; find-saturation in [measure] narrows it" };
    let is_point = |load: f64| report.points.iter().any(|point| point.load == Some(load));
    let shown = |load: f64| if is_point(load) { load.to_string() } else { number(load, DIGITS) };
    match (low, high) {
        (None, None) if is_searched => {
            Some("not found: of no load that was tried is it known whether it is carried".to_owned())
        }
        (None, None) => None,
        (low, Some(high)) if dies => {
            let low = low.map(|low| format!("load {} is carried, ", shown(low))).unwrap_or_default();
            Some(format!("{low}at load {} the network dies{finer}", shown(high)))
        }
        (Some(low), Some(high)) => Some(format!("between loads {} and {}{finer}", shown(low), shown(high))),
        (Some(low), None) if low >= FULL => Some("not reached: the fullest load is carried".to_owned()),
        (Some(low), None) if is_searched || undecided > 0 => Some(format!(
            "not found: load {} is carried, of higher ones that were run it is not known",
            shown(low)
        )),
        (Some(low), None) => {
            Some(format!("not reached: load {} is carried; higher ones may reach it", shown(low)))
        }
        (None, Some(high)) => {
            Some(format!("below load {}; no load that was run is known to be carried{finer}", shown(high)))
        }
    }
}

/// The loads at which the network died, and what would keep it alive.
fn dead(checked: &Checked, report: &StagesReport) -> Option<String> {
    let points = report.points.iter().filter(|point| point.state == State::Deadlocked);
    let loads: Vec<String> = points
        .clone()
        .map(|point| point.load.map_or_else(|| "the trace".to_owned(), |it| it.to_string()))
        .collect();
    let stuck: u64 = points.clone().map(|point| point.stuck).sum();
    let (first, others) = loads.split_first()?;
    let more = if others.is_empty() { String::new() } else { format!(" and {} more", others.len()) };
    let is_circle = |point: &PointReport| !matches!(point.reason, Some(Reason::Dead(0, ..)));
    let cure = match checked.fabric.credits.is_some() {
        _ if !points.clone().any(is_circle) => "",
        true => "; a [fabric] deadlock-timeout breaks the circle; more lanes, or other [routing], may",
        false => "; a [fabric] deadlock-timeout breaks the circle; other [routing] may",
    };
    let at = if first.starts_with("the") { "in " } else { "at load " };
    Some(format!("{at}{first}{more}: {stuck} messages are held up for ever{cure}"))
}

/// The busiest arbiter, where it is busier than the channels of its switch.
fn arbiter(report: &StagesReport, network: &Network) -> Option<String> {
    let BusiestArbiter { arbiter, busy_share, arbitration } = report.busiest_arbiter.as_ref()?;
    let load = arbiter.load.map(|load| format!(" at load {load}")).unwrap_or_default();
    let of = match arbitration {
        Arbitration::Serial => "that",
        Arbitration::PerInput => "that of an input",
        Arbitration::PerOutput => "that of an output",
    };
    let switch = quoted(&network.labelled(&arbiter.switch));
    let (busy, channel) = (percent(*busy_share), percent(arbiter.channel_busy_share));
    Some(format!("{of} of {switch}, busy for {busy} of the time{load}; its busiest channel for {channel}"))
}

/// Points that are not known as well as requested and that a longer measurement may help, and what that is.
fn precision(checked: &Checked, report: &StagesReport) -> Option<String> {
    let is_short = |point: &&PointReport| point.reason.as_ref().is_some_and(Reason::is_short);
    let short: Vec<String> =
        report.points.iter().filter(is_short).filter_map(|point| Some(point.load?.to_string())).collect();
    if short.is_empty() {
        return None;
    }
    let wanted = percent(checked.measure.precision);
    let (loads, are) = if short.len() == 1 { ("load", "is") } else { ("loads", "are") };
    let longer = match checked.measure.extent {
        Extent::Messages(_) => "more messages",
        Extent::Duration(_) => "a longer duration",
    };
    Some(format!("{loads} {} {are} not known within {wanted}: {longer} in [measure]", short.join(", ")))
}

fn deadlocks(summary: &Summary, place: &Path) -> Option<String> {
    let count = summary.deadlock_count();
    if count == 0 {
        let found = match &summary.findings {
            Findings::Stages(stages) => stages.saturation.as_ref().and_then(|found| found.load_deadlocked),
            _ => None,
        };
        let has_traffic = !summary.points().is_empty() || matches!(summary.findings, Findings::Operation(_));
        return match found {
            Some(load) => Some(format!("none but in the search, at load {}", number(load, DIGITS))),
            None => has_traffic.then(|| "none".to_owned()),
        };
    }
    let left = summary.deadlocks().iter().filter(|deadlock| deadlock.cleared_ns.is_none()).count();
    let fate = if left > 0 { format!(", {left} standing at the end") } else { String::new() };
    let text = match place.join("events.simlog").is_file() {
        _ if matches!(summary.findings, Findings::Allgather(_)) => {
            format!("{count} of paused queues{fate}; deadlocks.csv names them")
        }
        true => format!("{count}{fate}; the report replays what [output.events] recorded of them"),
        false => {
            format!(
                "{count}{fate}; the report replays the first with around = \"deadlock\" in [output.events]"
            )
        }
    };
    Some(text)
}

/// Where the files are, among them the summary and the manifest, and how to make a report of them.
pub(super) fn files(count: usize, place: &Path) -> String {
    let results = shown(place).to_string();
    let (count, folder) = (count + 2, word(&results));
    let page = place.file_name().map_or_else(|| "report".into(), |name| name.to_string_lossy());
    let page = word(&format!("{page}.html"));
    format!("\nResults: {results} ({count} files)\nReport:  simnet report {folder} --out {page}\n")
}

/// A word as a shell takes it.
fn word(text: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+,:@%=".contains(c);
    if !text.is_empty() && !text.starts_with('-') && text.chars().all(is_plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::word;

    /// Wrong if a command could not be copied into a shell.
    #[test]
    fn words_are_quoted_where_a_shell_needs_it() {
        let cases = [
            ("results/now100", "results/now100"),
            ("a b", "'a b'"),
            ("it's", r"'it'\''s'"),
            ("$(x)", "'$(x)'"),
            ("", "''"),
        ];
        for (text, expected) in cases {
            assert_eq!(word(text), expected);
        }
    }
}
