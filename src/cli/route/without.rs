//! `simnet route --without`: parts by name, and the routes without them beside those of the whole network.

use serde::Serialize;

use crate::cli::output::{Table, print, print_json};
use crate::cli::{Common, Failure, Format};
use simnet_base::diagnostics::{did_you_mean, quoted};
use simnet_base::ids::{LinkId, Node, Port};
use simnet_base::numbers::{fixed, or_dash};
use simnet_network::routing::{Part, Report};
use simnet_network::topology::{End, Network};

use super::{human, judged, lanes, roots};

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

/// The routes without some parts, as `--format json` prints them.
#[derive(Serialize)]
struct Compared<'a> {
    #[serde(flatten)]
    left: lanes::Judged<'a>,
    /// What was left out.
    without: Vec<String>,
    /// The routes of the whole network.
    whole: lanes::Judged<'a>,
}

/// Prints the routes on what is left, and beside them those of the whole network.
///
/// # Errors
/// Whatever stdout says.
pub(super) fn show(
    (report, left): (&Report, &Network),
    without: Vec<String>,
    whole: &Report,
    common: &Common,
) -> Result<(), Failure> {
    match common.format {
        Format::Json => {
            let (left, whole) = (lanes::Judged::new(report, false), lanes::Judged::new(whole, false));
            print_json(&Compared { left, without, whole })
        }
        Format::Human => print(&format!("{}{}", human(report, false, left), table(&without, whole, report))),
    }
}

/// A column for the whole network and one for what is left.
fn table(names: &[String], whole: &Report, left: &Report) -> String {
    let mut table = Table::new();
    table.add_row(["", "whole", "without"]);
    let mut row = |name: &str, value: &dyn Fn(&Report) -> String| {
        table.add_row([name.to_owned(), value(whole), value(left)]);
    };
    row("root", &|r| roots::short(r));
    row("pairs of hosts", &|r| r.pairs.to_string());
    row("unreachable pairs", &|r| r.unreachable_pairs.to_string());
    row("mean distance, switch links", &|r| fixed(r.mean_distance, 4));
    row("pairs longer than minimal", &|r| r.non_minimal_pairs.to_string());
    row("mean distance of switches", &|r| fixed(r.switch_mean_distance, 4));
    row("routes over the busiest channel", &|r| r.max_channel_load.to_string());
    let busiest =
        |r: &Report| r.busiest_channel.as_ref().map(|b| format!("{} -> {}", quoted(&b.from), quoted(&b.to)));
    row("busiest channel", &|r| or_dash(busiest(r)));
    row("deadlock", &|r| judged::short(r).to_owned());
    let names: Vec<String> = names.iter().map(|name| quoted(name)).collect();
    format!("\nwithout {}\n{}\n", names.join(", "), table.trim_fmt())
}
