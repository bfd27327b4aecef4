//! The last lines of `simnet run`: what to look at next, and where it is.

use std::fmt::Write as _;
use std::path::Path;

use simnet_base::diagnostics::{legible, quoted, shown};
use simnet_base::numbers::rounded;
use simnet_media::fabric::Arbitration;
use simnet_network::topology::Network;
use simnet_running::simulation::{
    ChannelReport, Decoding, Findings, HotSpots, PointReport, Reason, Run, StagesReport, State, Summary,
};
use simnet_scenario::Checked;
use simnet_scenario::checked::Extent;

use super::compared;

/// What to look at next, the files, and how to make a report of them.
pub(super) fn text(checked: &Checked, run: &Run, place: &Path) -> String {
    let summary = &run.summary;
    let (mut rows, network) = (Vec::new(), &checked.topology.network);
    if let Findings::Stages(report) = &summary.findings {
        rows = vec![
            ("map", map(report)),
            ("routes", routes(report)),
            ("busiest cable", busiest(&report.hot_spots, network)),
            ("dead", dead(checked, report)),
            ("saturation", saturation(report)),
            ("decoding", decoding(report, network)),
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
fn map(report: &StagesReport) -> Option<String> {
    let map = report.map.as_ref()?;
    let (hosts, switches, links) = (map.hosts, map.switches, map.links);
    match map.isomorphic {
        false => Some(format!(
            "not the truth: {hosts} hosts, {switches} switches, {links} cables; compare it by simnet topo diff"
        )),
        true if map.doubts.is_empty() => {
            let is_last = report.route.is_none();
            is_last.then(|| "the truth; [routing] would compute routes on it".to_owned())
        }
        true => Some(format!("the truth, but the mapper doubts it: {}", map.doubts.join(", "))),
    }
}

fn routes(report: &StagesReport) -> Option<String> {
    let route = report.route.as_ref()?;
    let cycle = route.dependency_cycle.as_ref()?;
    Some(format!(
        "can deadlock, in a cycle of {} channels; simnet route suggest asks for cables",
        cycle.len()
    ))
}

fn percent(share: f64) -> String {
    format!("{} %", rounded(share * 100.0, 1))
}

fn busiest(hot: &HotSpots, network: &Network) -> Option<String> {
    let busiest = hot.busiest_channels.first()?;
    let load = hot.hot_spots_load.map(|load| format!(" at load {load}")).unwrap_or_default();
    let end = |name: &str| quoted(&network.labelled(name));
    let cable = |channel: &ChannelReport| format!("{} to {}", end(&channel.from), end(&channel.to));
    let mut text = format!("{}, busy for {} of the time{load}", cable(busiest), percent(busiest.busy));
    if let Some(blocked) = hot.most_blocked_channels.first() {
        let _ = write!(text, "; {} is blocked for {}", cable(blocked), percent(blocked.blocked));
    }
    Some(text)
}

/// A host cannot offer more, in payload flits per cycle.
const FULL: f64 = 1.0;

/// Saturated or not, and at which loads; nothing where no loads were offered.
fn saturation(report: &StagesReport) -> Option<String> {
    let (low, high) = match &report.saturation {
        Some(found) => (found.load_low, found.load_high),
        None => {
            let loads = |is_wanted: fn(&PointReport) -> bool| {
                let points = report.points.iter().filter(move |point| is_wanted(point));
                points.filter_map(|point| point.load)
            };
            let high = loads(|point| !point.is_carried()).min_by(f64::total_cmp);
            let is_below = |load: &f64| high.is_none_or(|high| *load < high);
            let known = loads(|point| point.latency_half_width_ns.is_some());
            (known.filter(is_below).max_by(f64::total_cmp), high)
        }
    };
    let finer = match report.saturation {
        Some(_) => String::new(),
        None => "; find-saturation in [measure] brackets it".to_owned(),
    };
    let is_dead = |load: f64| {
        report.points.iter().any(|point| point.load == Some(load) && point.state == State::Deadlocked)
    };
    match (low, high) {
        (None, None) => None,
        (low, Some(high)) if is_dead(high) => {
            let low = low.map(|low| format!("load {low} is carried, ")).unwrap_or_default();
            Some(format!("{low}at load {high} the network dies{finer}"))
        }
        (Some(low), Some(high)) => Some(format!("between loads {low} and {high}{finer}")),
        (Some(low), None) if low >= FULL => Some("not reached: the fullest load is carried".to_owned()),
        (Some(low), None) => Some(format!("not reached: load {low} is carried; higher ones may reach it")),
        (None, Some(high)) => {
            Some(format!("below load {high}; no load that was run is known to be carried{finer}"))
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
    let stuck: u64 = points.map(|point| point.stuck).sum();
    let (first, others) = loads.split_first()?;
    let more = if others.is_empty() { String::new() } else { format!(" and {} more", others.len()) };
    let cure = match checked.fabric.credits.is_some() {
        true => "; more [fabric] lanes, or other [routing], may break the circle",
        false => "; a [fabric] deadlock-timeout breaks the circle, and other [routing] may",
    };
    let at = if first.starts_with("the") { "" } else { "load " };
    Some(format!("at {at}{first}{more}: {stuck} messages are held up for ever{cure}"))
}

/// That arbiters limit the network and not cables, where that is so.
fn decoding(report: &StagesReport, network: &Network) -> Option<String> {
    let Decoding { arbiter, saturated, arbitration } = report.decoding.as_ref()?;
    let limit =
        if *saturated { "is what saturates it, not cables" } else { "is nearer to its limit than cables" };
    let load = arbiter.load.map(|load| format!("at load {load} ")).unwrap_or_default();
    let of = match arbitration {
        Arbitration::Serial => "the arbiter",
        Arbitration::PerInput => "the arbiter of an input",
        Arbitration::PerOutput => "the arbiter of an output",
    };
    let switch = quoted(&network.labelled(&arbiter.switch));
    let (busy, channel) = (percent(arbiter.arbiter_busy_share), percent(arbiter.channel_busy_share));
    Some(format!(
        "{limit}: {load}{of} of {switch} is busy for {busy} of the time, its busiest channel for {channel}"
    ))
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
        let has_traffic = !summary.points().is_empty() || matches!(summary.findings, Findings::Operation(_));
        return has_traffic.then(|| "none".to_owned());
    }
    let left = summary.deadlocks().iter().filter(|deadlock| deadlock.cleared_ns.is_none()).count();
    let fate = if left > 0 { format!(", {left} never broken") } else { String::new() };
    let replay = match place.join("events.simlog").is_file() {
        _ if matches!(summary.findings, Findings::Allgather(_)) => {
            " of paused queues; deadlocks.csv names them"
        }
        true => "; the report replays them",
        false => "; the report replays them if [output.events] records them",
    };
    Some(format!("{count}{fate}{replay}"))
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
