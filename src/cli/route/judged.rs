//! What a verdict is about, in words, and what is required of routes.

use clap::ValueEnum;

use simnet_network::routing::{Judged, LaneUse, PortsJudged, Report, Requirement, Verdict};

/// What `--require` asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Required {
    /// No deadlock is possible: the channel dependency graph has no cycle
    Acyclic,
    /// Every pair that is judged has a route
    Reachable,
}

impl Required {
    /// The same as the report knows it.
    pub(super) fn of_routes(self) -> Requirement {
        match self {
            Required::Acyclic => Requirement::Acyclic,
            Required::Reachable => Requirement::Reachable,
        }
    }
}

/// The line for people on deadlock; `cannot_tell` where lanes that were not looked at may break the cycle.
pub(super) fn verdict(report: &Report, cannot_tell: bool) -> String {
    let verdict = match (report.verdict(), &report.dependency_cycle) {
        (Some(Verdict::Cyclic), cycle) => {
            let length = cycle.as_ref().map_or(0, Vec::len);
            let word = if cannot_tell { "cannot tell without lanes" } else { "possible" };
            let what = if report.lanes.is_some() { "lanes of channels" } else { "channels" };
            format!("{word}: a cycle of {length} {what}")
        }
        (Some(Verdict::Acyclic), _) => "impossible: the channel dependency graph is acyclic".to_owned(),
        (None, _) => return "not judged: there is no route to judge".to_owned(),
    };
    format!("{verdict} ({})", covered(report))
}

/// The line on hosts with several ports.
pub(super) fn ports(ports: &PortsJudged) -> String {
    let PortsJudged { ports, planes, pairs, unreachable_pairs } = ports;
    let planes = if *planes == 1 { "one plane".to_owned() } else { format!("{planes} planes") };
    let all = format!(
        "{ports} on {planes}; {pairs} pairs of ports are judged, a pair of hosts by all of its ports"
    );
    match unreachable_pairs {
        0 => all,
        lost => format!("{all}; {lost} pairs of ports have no route"),
    }
}

/// The line on the routes that were chosen, where the verdict is on more than these.
pub(super) fn chosen(report: &Report) -> Option<String> {
    let chosen = report.chosen.as_ref()?;
    Some(match &chosen.dependency_cycle {
        Some(cycle) => format!("possible: a cycle of {} channels", cycle.len()),
        None => "impossible: their channel dependency graph is acyclic".to_owned(),
    })
}

/// What the verdict for people ends with: which lanes it is over.
fn covered(report: &Report) -> String {
    let Some(LaneUse { lanes, paths_without_level }) = report.lanes else {
        return "judged on one lane; virtual lanes are not looked at".to_owned();
    };
    let lanes = if lanes == 1 { "the one lane that is used".to_owned() } else { format!("{lanes} lanes") };
    match paths_without_level {
        0 => format!("judged over {lanes}"),
        paths => format!("judged over {lanes}; {paths} paths without a service level count as level 0"),
    }
}

/// Which pairs were judged, and what to add where they are not those of hosts.
pub(super) fn about(report: &Report) -> String {
    let Judged { host_pairs, switch_pairs, switches_left_out, .. } = report.judged;
    let no_hosts =
        if report.pairs == 0 { "the network has fewer than two hosts" } else { "parts have fewer than two" };
    let add = if report.pairs == 0 {
        "`--hosts-per-switch N` puts hosts on the switches of a file without any"
    } else {
        "hosts there have to be added to the file"
    };
    let mut parts = Vec::new();
    if host_pairs > 0 {
        let paths = if report.chosen.is_some() { "all shortest paths of " } else { "" };
        let ends = if report.ports.is_some() { "ports of hosts" } else { "hosts" };
        parts.push(format!("{paths}{host_pairs} pairs of {ends}"));
    }
    if switch_pairs > 0 {
        parts.push(format!("{switch_pairs} pairs of switches, since {no_hosts} ({add})"));
    }
    if parts.is_empty() {
        parts.push(format!("nothing: no pair of hosts has a route ({add})"));
    }
    if switches_left_out > 0 {
        parts.push(format!("not {switches_left_out} switches that no route between hosts can reach"));
    }
    parts.join("; ")
}

/// The verdict for a column of a table.
pub(super) fn short(report: &Report) -> &'static str {
    word(report.verdict())
}

/// The verdict in a word.
pub(super) fn word(verdict: Option<Verdict>) -> &'static str {
    match verdict {
        Some(Verdict::Acyclic) => "impossible",
        Some(Verdict::Cyclic) => "possible",
        None => "not judged",
    }
}
