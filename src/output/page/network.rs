//! The network of a run, drawn: what hangs together, and what every cable carried at every load.
//!
//! # Scope and limitations
//! The drawing is made here and coloured by the script; without scripts it shows how busy cables were at the load of
//! the hot spots. Of several loads on a large network some are left out.

mod circle;
mod drawing;
mod layout;
mod levels;
mod loads;
mod outages;

use maud::{Markup, html};
use serde_json::{Value, json};

use simnet_base::ids::{Node, SwitchId};
use simnet_network::topology::Network;

use super::{Contents, Section};
use layout::Layout;
use levels::Kind;
use loads::{Load, Loads, QUANTITIES};
use simnet_base::numbers;

/// Cables of the table next to the drawing: those that carried most.
const MOST_CABLES: usize = 300;
/// Hot channels that are listed.
const HOT: usize = 8;

/// The section, if the run had a network of its own.
pub(super) fn section(contents: &Contents) -> Option<Section> {
    let network = contents.network.as_ref().filter(|network| !network.links().is_empty())?;
    let layout =
        Layout::new(network, &contents.text("route.root").map_or(Vec::new(), |root| roots(root, network)));
    let loads = Loads::read(contents, network);
    let outages = outages::read(contents, network);
    let shown = loads.all.get(loads.shown);
    let top = loads.tops()[0];
    let drawing = drawing::svg("network-drawing", network, &layout, shown.map(|load| (load, top)), &outages);
    let body = html! {
        p.lead { (lead(network, shown)) }
        p { (how(network, &layout.kind)) (apart(network)) @if shown.is_some() { " " (lanes()) } }
        @if loads.of > loads.all.len() {
            p.notice { "Of " (loads.of) " loads, " (loads.all.len()) " are drawn here, so that this file stays small. \
                All numbers are in " code { "channels.csv" } "." }
        }
        div #network-tools .tools {}
        div.split {
            figure {
                div.stage { (drawing) }
                figcaption #network-caption { (caption(shown, top)) }
            }
            div #network-side { @if let Some(load) = shown { (hot(network, load)) } }
        }
        details {
            summary { "The cables as a table" }
            (table(network, shown))
        }
    };
    Some(Section {
        id: "network",
        title: "Network",
        body,
        data: Some(data(network, &loads, &outages)),
        script: Some(include_str!("assets/network.js")),
        style: Some(include_str!("assets/network.css")),
    })
}

/// The network as the first page shows it, and what that is.
pub(super) fn picture(contents: &Contents) -> Option<(Markup, Markup)> {
    let network = contents.network.as_ref().filter(|network| !network.links().is_empty())?;
    let roots = contents.text("route.root").map_or(Vec::new(), |root| roots(root, network));
    let loads = Loads::read(contents, network);
    let (shown, top) = (loads.all.get(loads.shown), loads.tops()[0]);
    let layout = Layout::new(network, &roots);
    let drawing = drawing::svg("first-network", network, &layout, shown.map(|load| (load, top)), &[]);
    let caption = html! { (parts(network)) ": " a href="#network" { "the network" } "." };
    Some((drawing, caption))
}

/// The root switches of routes, as the summary names them.
pub(super) fn roots(named: &str, network: &Network) -> Vec<SwitchId> {
    // A name may hold a comma itself.
    match network.find_switch(named) {
        Some(root) => vec![root],
        None => named.split(',').filter_map(|name| network.find_switch(name.trim())).collect(),
    }
}

/// Where nodes stand in the drawing, the switches first and then the hosts: x to the right and y down.
pub(super) fn positions(network: &Network, roots: &[SwitchId]) -> Vec<(f64, f64)> {
    let layout = Layout::new(network, roots);
    let switches = layout.boxes.iter().map(|frame| frame.at);
    switches.chain(layout.hosts.iter().copied()).map(|(x, y)| (x as f64, y as f64)).collect()
}

fn parts(network: &Network) -> String {
    let hosts = numbers::count(network.hosts().len(), "host");
    let switches = numbers::count(network.switches().len(), "switch");
    format!("{hosts}, {switches} and {}", numbers::count(network.links().len(), "cable"))
}

fn percent(share: f64) -> String {
    format!("{} %", numbers::number(share * 100.0, 3))
}

fn lead(network: &Network, shown: Option<&Load>) -> Markup {
    let hottest = |load: &Load, quantity| {
        let channel = *load.hottest(quantity, 1).first()?;
        Some((ends(network, channel), load.value(quantity, channel)?))
    };
    html! {
        (parts(network)) "."
        @if let Some(load) = shown {
            @if let Some(((from, to), share)) = hottest(load, 0) {
                " At " (load.title()) " the busiest direction of a cable is "
                span.value { bdi { (from) } " → " bdi { (to) } } ": a flit in " (percent(share)) " of the time."
            } @else { " Nothing moved on any cable." }
            @if let Some(((from, to), share)) = hottest(load, 1) {
                " The one held longest by worms that could not move is "
                span.value { bdi { (from) } " → " bdi { (to) } } ", in " (percent(share)) "."
            }
        }
    }
}

fn how(network: &Network, kind: &Kind) -> Markup {
    html! {
        @match kind {
            Kind::Circle => { "Switches stand on a circle, hosts as dots outside, next to theirs." }
            Kind::Tiers => { "Switches stand in tiers, hosts as dots below theirs." }
            Kind::Distances { roots, is_given } => {
                "Switches stand in rows by their distance from "
                @if *is_given { "the root of the routes" }
                @else { "a switch in the middle, as routes have no root here" }
                " ("
                @for (nth, root) in roots.iter().take(4).enumerate() {
                    @if nth > 0 { ", " }
                    bdi { (network.label(Node::Switch(*root))) }
                }
                @if roots.len() > 4 { ", …" }
                "); hosts are dots beside theirs."
            }
        }
    }
}

/// Where hosts stand that hang on no switch, if there are such.
fn apart(network: &Network) -> &'static str {
    let hangs =
        |host| network.attachment(host).is_some_and(|(_, _, far)| matches!(far.node, Node::Switch(_)));
    if network.host_ids().all(hangs) { "" } else { " Hosts on no switch stand at the bottom." }
}

fn lanes() -> &'static str {
    "A cable has two lanes, one a direction; traffic keeps to its right."
}

fn caption(shown: Option<&Load>, top: f64) -> Markup {
    html! {
        @match shown {
            None => { "The network" }
            Some(load) => {
                "Cables by how busy they are at " (load.title()) ": from nothing to " (percent(top)) " of the time."
            }
        }
    }
}

/// A channel's ends.
fn ends(network: &Network, channel: usize) -> (String, String) {
    let link = &network.links()[channel / 2];
    let (a, b) = (network.port_label(link.a), network.port_label(link.b));
    if channel.is_multiple_of(2) { (a, b) } else { (b, a) }
}

fn hot(network: &Network, load: &Load) -> Markup {
    html! {
        @for (quantity, title) in [(0, "Busiest"), (1, "Most blocked")] {
            h3 { (title) }
            ol.hot {
                @for channel in load.hottest(quantity, HOT) {
                    @let (from, to) = ends(network, channel);
                    li { bdi { (from) } " → " bdi { (to) } " "
                        span.soft { (percent(load.value(quantity, channel).unwrap_or(0.0))) } }
                }
            }
        }
    }
}

/// Every cable, or those that carried most, both directions in a row.
fn table(network: &Network, shown: Option<&Load>) -> Markup {
    let links = network.links().len();
    let flits = |load: &Load, link: usize| {
        load.value(3, 2 * link).unwrap_or(0.0) + load.value(3, 2 * link + 1).unwrap_or(0.0)
    };
    let mut rows: Vec<usize> = (0..links).collect();
    if let Some(load) = shown.filter(|_| links > MOST_CABLES) {
        rows.sort_by(|a, b| flits(load, *b).total_cmp(&flits(load, *a)));
    }
    rows.truncate(MOST_CABLES);
    html! {
        div.scroll tabindex="0" role="region" aria-label="Cables" {
            table {
                caption {
                    @if rows.len() < links { "The " (rows.len()) " cables that carried most" } @else { "All cables" }
                    @if let Some(load) = shown { ", at " (load.title()) ": there and back" }
                }
                thead {
                    tr {
                        th scope="col" { "One end" }
                        th scope="col" { "Other end" }
                        @if shown.is_some() {
                            @for (_, _, title) in QUANTITIES { th.num scope="col" { (title) } }
                        }
                    }
                }
                tbody {
                    @for link in rows {
                        @let (a, b) = ends(network, 2 * link);
                        tr {
                            th scope="row" { bdi { (a) } }
                            td { bdi { (b) } }
                            @if let Some(load) = shown {
                                @for quantity in 0..QUANTITIES.len() {
                                    td.num {
                                        (figure_of(load, quantity, 2 * link)) " / "
                                        (figure_of(load, quantity, 2 * link + 1))
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn figure_of(load: &Load, quantity: usize, channel: usize) -> String {
    match load.value(quantity, channel) {
        None => "–".to_owned(),
        Some(flits) if quantity == 3 => numbers::number(flits, 4),
        Some(share) => percent(share),
    }
}

/// The nodes' names in files, in the order of their labels; null where these are the same.
pub(super) fn ids(network: &Network) -> Value {
    let switches = network.switches().iter().map(|switch| &switch.name);
    let names = || switches.chain(network.hosts().iter().map(|host| &host.name)).collect::<Vec<_>>();
    if network.has_labels() { json!(names()) } else { Value::Null }
}

fn data(network: &Network, loads: &Loads, outages: &[outages::Outage]) -> Value {
    let switches = network.switches().len();
    let node = |node: Node| match node {
        Node::Switch(switch) => switch.index(),
        Node::Host(host) => switches + host.index(),
    };
    let ports: Vec<u16> = network.switches().iter().map(|switch| switch.ports).collect();
    let link = |link: &simnet_network::topology::Link| {
        json!([node(link.a.node), link.a.port.0, node(link.b.node), link.b.port.0])
    };
    let mut data = loads.data();
    data["names"] = json!(network.labels());
    data["ids"] = ids(network);
    data["ports"] = json!(ports);
    data["links"] = network.links().iter().map(link).collect();
    data["outages"] = outages::data(outages);
    data
}
