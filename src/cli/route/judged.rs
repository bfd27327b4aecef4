//! What a verdict is about, in words, and what is required of routes.

use clap::ValueEnum;

use simnet_network::routing::{Judged, Report, Requirement, Verdict};

use super::lanes;

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

/// The line for people on deadlock.
pub(super) fn verdict(report: &Report) -> String {
    verdict_on(report, lanes::ON_ONE_LANE)
}

/// The same with what it was judged by.
pub(super) fn verdict_on(report: &Report, lanes: &str) -> String {
    let verdict = match (report.verdict(), &report.dependency_cycle) {
        (Some(Verdict::Cyclic), cycle) => {
            format!("possible: a cycle of {} channels", cycle.as_ref().map_or(0, Vec::len))
        }
        (Some(Verdict::Acyclic), _) => "impossible: the channel dependency graph is acyclic".to_owned(),
        (None, _) => return "not judged: there is no route to judge".to_owned(),
    };
    format!("{verdict} ({lanes})")
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
        parts.push(format!("{host_pairs} pairs of hosts"));
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
