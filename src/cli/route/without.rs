//! `simnet route --without`: parts by name, and the routes without them beside those of the whole network.

use serde::Serialize;

use crate::cli::output::{Table, print, print_json};
use crate::cli::{Common, Failure, Format};
use simnet_base::diagnostics::{did_you_mean, quoted};
use simnet_base::ids::{LinkId, Node, Port};
use simnet_base::numbers::{fixed, or_dash};
use simnet_network::routing::{Part, Report};
use simnet_network::topology::{End, Network};

use super::destination::OfTables;
use super::load::UnderLoad;
use super::{judged, lanes, roots, rows};

/// The parts that these texts name.
///
/// # Errors
/// [`Failure::Usage`] for a text that names none, with the nearest name.
pub(super) fn parts(net: &Network, texts: &[String]) -> Result<Vec<Part>, Failure> {
    texts.iter().map(|text| part(net, text)).collect()
}

/// A switch by its name or the description that it alone has; a cable by one end, or by both with `-` between.
fn part(net: &Network, text: &str) -> Result<Part, Failure> {
    if let Some(switch) = net.find_switch(text) {
        return Ok(Part::Switch(switch));
    }
    if let Some(end) = end(net, text) {
        return net.link_at(end).map(Part::Cable).ok_or_else(|| no_cable(text));
    }
    // Names may have a `-` of their own: the one between two ends is that with an end on both sides.
    for (at, _) in text.match_indices('-') {
        if let (Some(a), Some(b)) = (end(net, &text[..at]), end(net, &text[at + 1..])) {
            let link: Option<LinkId> = net.link_at(a).filter(|_| net.peer(a) == Some(b));
            return link.map(Part::Cable).ok_or_else(|| no_cable(text));
        }
    }
    Err(unknown(net, text))
}

/// The end of a cable, written `node:port`.
fn end(net: &Network, text: &str) -> Option<End> {
    let (name, port) = text.rsplit_once(':')?;
    Some(End { node: net.find(name)?, port: Port(port.parse().ok()?) })
}

fn no_cable(text: &str) -> Failure {
    let one = if text.contains('-') { "no such cable joins these ports" } else { "no cable is in this port" };
    Failure::Usage(format!("--without: `{}`: {one}", quoted(text)))
}

fn unknown(net: &Network, text: &str) -> Failure {
    let shown = quoted(text);
    if let Some(Node::Host(host)) = net.find(text) {
        let port = net.attachment(host).map_or(0, |(port, _, _)| port.0);
        return Failure::Usage(format!("--without: `{shown}` is a host; its cable is `{shown}:{port}`"));
    }
    let name = text.rsplit_once(':').map_or(text, |(name, _)| name);
    let nodes = net.switches().iter().map(|switch| switch.name.as_str());
    let near = did_you_mean(name, nodes.chain(net.hosts().iter().map(|host| host.name.as_str())));
    let wanted = "a switch, or a cable as SWITCH:PORT or A:PORT-B:PORT";
    Failure::Usage(format!(
        "--without: `{shown}` names nothing in {}; it takes {wanted}{near}",
        quoted(&net.name)
    ))
}

/// A part by its name: a switch, or both ends of a cable.
pub(super) fn name(net: &Network, part: Part) -> String {
    let end = |end: End| format!("{}:{}", net.name_of(end.node), end.port);
    match part {
        Part::Switch(switch) => net.name_of(Node::Switch(switch)).to_owned(),
        Part::Cable(link) => format!("{}-{}", end(net.link(link).a), end(net.link(link).b)),
    }
}

/// Routes with all that is shown of them.
pub(super) struct Shown<'a> {
    pub(super) report: &'a Report,
    /// Whether lanes that were not looked at may break the cycle.
    pub(super) cannot_tell: bool,
    /// What they do under traffic, where that was asked for.
    pub(super) under_load: Option<UnderLoad>,
}

/// The routes on what is left, beside others.
pub(super) struct Beside<'a> {
    pub(super) left: Shown<'a>,
    /// Those of the whole network.
    pub(super) whole: Shown<'a>,
    /// Those computed anew on what is left, where the others stay as they were installed.
    pub(super) recomputed: Option<Shown<'a>>,
    /// What those on what is left show as tables of next hops, if they are computed as such.
    pub(super) tables: Option<OfTables>,
}

/// The routes without some parts, as `--format json` prints them.
#[derive(Serialize)]
struct Compared<'a> {
    #[serde(flatten)]
    left: lanes::Judged<'a>,
    #[serde(flatten)]
    tables: Option<OfTables>,
    /// What was left out.
    without: Vec<String>,
    /// The first few pairs without a route.
    unreachable_examples: &'a [(String, String)],
    /// The routes of the whole network.
    whole: lanes::Judged<'a>,
    /// Ours, computed on what is left.
    #[serde(skip_serializing_if = "Option::is_none")]
    recomputed: Option<lanes::Judged<'a>>,
}

impl<'a> Shown<'a> {
    /// Of routes whose lanes are known, without traffic.
    pub(super) fn of(report: &'a Report) -> Shown<'a> {
        Shown { report, cannot_tell: false, under_load: None }
    }

    fn into_json(self) -> lanes::Judged<'a> {
        lanes::Judged::new(self.report, self.cannot_tell).with(None, self.under_load)
    }

    fn deadlock(&self) -> String {
        let is_open = self.cannot_tell && self.report.dependency_cycle.is_some();
        if is_open { "cannot tell without lanes" } else { judged::short(self.report) }.to_owned()
    }
}

/// Prints the routes on what is left, and beside them those of the whole network.
///
/// # Errors
/// Whatever stdout says.
pub(super) fn show(
    beside: Beside<'_>,
    net: &Network,
    without: Vec<String>,
    common: &Common,
) -> Result<(), Failure> {
    match common.format {
        Format::Json => {
            let Beside { left, whole, recomputed, tables } = beside;
            let recomputed = recomputed.map(Shown::into_json);
            let (unreachable_examples, whole) = (&left.report.unreachable_examples[..], whole.into_json());
            let left = left.into_json();
            print_json(&Compared { left, tables, without, unreachable_examples, whole, recomputed })
        }
        Format::Human => {
            let left = &beside.left;
            let loaded = left.under_load.as_ref().map_or(String::new(), |loaded| loaded.human(net));
            let own = beside.tables.iter().flat_map(OfTables::rows);
            let verdict = ("deadlock", judged::verdict(left.report, left.cannot_tell));
            let figures = rows(left.report, net, own, [verdict]);
            print(&format!("{figures}{loaded}{}", table(&without, &beside)))
        }
    }
}

/// A column for the whole network, one for what is left, and one for what was computed anew there.
fn table(names: &[String], beside: &Beside<'_>) -> String {
    let columns: Vec<&Shown<'_>> =
        [&beside.whole, &beside.left].into_iter().chain(&beside.recomputed).collect();
    let mut table = Table::new();
    let anew = beside.recomputed.as_ref().map(|anew| format!("{} anew", anew.report.algorithm));
    let titles = ["", "whole", "without"].map(str::to_owned).into_iter().chain(anew);
    table.add_row(titles.collect::<Vec<_>>());
    let mut row = |name: &str, value: &dyn Fn(&Shown<'_>) -> String| {
        let values = columns.iter().map(|shown| value(shown));
        table.add_row(std::iter::once(name.to_owned()).chain(values).collect::<Vec<_>>());
    };
    row("root", &|s| roots::short(s.report));
    row("pairs of hosts", &|s| s.report.pairs.to_string());
    row("unreachable pairs", &|s| s.report.unreachable_pairs.to_string());
    row("mean distance, switch links", &|s| fixed(s.report.mean_distance, 4));
    row("pairs longer than minimal", &|s| s.report.non_minimal_pairs.to_string());
    row("mean distance of switches", &|s| fixed(s.report.switch_mean_distance, 4));
    row("routes over the busiest channel", &|s| s.report.max_channel_load.to_string());
    row("busiest channel", &|s| or_dash(busiest(s.report)));
    if beside.tables.is_some() {
        row("lanes", &|s| or_dash(s.report.lanes.map(|used| used.lanes)));
    }
    row("deadlock", &|s| s.deadlock());
    if beside.left.under_load.is_some() {
        row("accepted, flits per cycle and host", &|s| {
            fixed(s.under_load.as_ref().map(UnderLoad::accepted), 4)
        });
        row("deadlocks under load", &|s| or_dash(s.under_load.as_ref().map(UnderLoad::deadlocks)));
    }
    let names: Vec<String> = names.iter().map(|name| quoted(name)).collect();
    format!("\nwithout {}\n{}\n", names.join(", "), table.trim_fmt())
}

fn busiest(report: &Report) -> Option<String> {
    report.busiest_channel.as_ref().map(|b| format!("{} -> {}", quoted(&b.from), quoted(&b.to)))
}
