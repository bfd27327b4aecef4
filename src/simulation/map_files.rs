//! The files that tell of a map: the map, its drawing, the growth of the model, what was not confirmed.

use crate::host::mapper::Map;
use crate::host::mapper::growth::{Change, Replay, Spot, Step};
use crate::report::{Drawing, Table, draw_network};
use crate::scenario::checked::{Topology, TopologySource};
use crate::topology::formats::{Format, write};
use crate::topology::{End, Network};

use super::mapping::MapReport;
use super::summary::port_name;

/// Maps of more hosts are not drawn.
const MOST_DRAWN: usize = 300;

/// Of a model that grew in more steps only the first and the last are written.
const MOST_STEPS: usize = 100_000;

/// The files of a map: name and contents.
pub(super) fn all(name: &str, topology: &Topology, map: &Map, report: &MapReport) -> Vec<(String, String)> {
    let mut files = vec![("map.json".to_owned(), write(&map.network, Format::Json))];
    files.extend(drawing(name, topology, &map.network, report).map(|svg| ("map.svg".to_owned(), svg)));
    if !map.history.is_empty() {
        files.push(("growth.csv".to_owned(), growth(map)));
    }
    files.push(("growth-steps.csv".to_owned(), growth_steps(map.journal.steps())));
    if !map.unconfirmed_links.is_empty() || !map.unconfirmed_ports.is_empty() {
        files.push(("map-confirmation.csv".to_owned(), confirmation(map)));
    }
    files
}

/// A mapper's map as a drawing, if it is not too large for one.
fn drawing(name: &str, topology: &Topology, map: &Network, report: &MapReport) -> Option<String> {
    if map.hosts().len() > MOST_DRAWN {
        return None;
    }
    let what = match &topology.source {
        TopologySource::Preset(preset) if preset.starts_with("now-") => ", a reconstruction",
        _ => "",
    };
    let title = format!("Map of {name}{what}, made by the {} mapper", report.algorithm);
    let equal = report.isomorphic_to.map(|to| format!("isomorphic to {to}"));
    let note = format!(
        "{} hosts, {} switches, {} cables; drawn from the mapper's map, not from the truth; {}",
        report.hosts,
        report.switches,
        report.links,
        equal.as_deref().unwrap_or("not equal to the truth"),
    );
    let utility = topology.utility.map(|host| &topology.network.hosts()[host.index()].name);
    let apart = utility.and_then(|name| map.find_host(name));
    Some(draw_network(&Drawing { network: map, title: &title, note: &note, apart }))
}

/// The model after each exploration.
fn growth(map: &Map) -> String {
    let mut table = Table::new(&["exploration", "nodes", "edges", "frontier"]);
    for (nth, growth) in map.history.iter().enumerate() {
        let row = [nth as u64 + 1, growth.nodes, growth.edges, growth.frontier];
        table.row(row.map(|value| value.to_string()));
    }
    table.into_csv()
}

/// How the model grew, step by step, and its sizes after each.
fn growth_steps(steps: &[Step]) -> String {
    const SIZES: [&str; 5] = ["hosts", "switches", "cables", "merged", "pruned"];
    let columns = ["step", "time_ms", "probes", "event", "vertex", "port", "other", "other_port", "name"];
    let mut table = Table::new(&[&columns[..], &SIZES[..]].concat());
    let mut replay = Replay::default();
    for (nth, step) in steps.iter().enumerate() {
        replay.take(&step.change);
        if nth >= MOST_STEPS && nth + 1 < steps.len() {
            continue;
        }
        let (near, far, name) = cells(&step.change);
        let spot = |spot: Option<Spot>| match spot {
            Some(spot) => [spot.vertex.to_string(), spot.port.to_string()],
            None => [String::new(), String::new()],
        };
        let ([vertex, port], [other, other_port]) = (spot(near), spot(far));
        let (time, probes) = (step.time.as_ms_f64().to_string(), step.probes.to_string());
        let sizes = replay.sizes();
        let sizes = [sizes.hosts, sizes.switches, sizes.cables, sizes.merged, sizes.pruned];
        let event = step.change.name().to_owned();
        let own =
            [(nth + 1).to_string(), time, probes, event, vertex, port, other, other_port, name.to_owned()];
        table.row(own.into_iter().chain(sizes.map(|size| size.to_string())));
    }
    table.into_csv()
}

/// What a step is about: a vertex and its port, another's, and a name.
fn cells(change: &Change) -> (Option<Spot>, Option<Spot>, &str) {
    let entry = |vertex: &u32| Some(Spot { vertex: *vertex, port: 0 });
    match change {
        Change::Host { vertex, from, name } => (entry(vertex), *from, name),
        Change::Switch { vertex, from } => (entry(vertex), *from, ""),
        Change::Explored { vertex } => (entry(vertex), None, ""),
        Change::Open { at } | Change::Pruned { at } => (Some(*at), None, ""),
        Change::Cable { a, b } => (Some(*a), Some(*b), ""),
        Change::Merged { vertex, into } => (entry(vertex), Some(*into), ""),
        Change::Doubted(doubt) => (None, None, doubt.name()),
        Change::Forgotten | Change::Finished => (None, None, ""),
    }
}

/// What of the map rests on one answer or one question only.
fn confirmation(map: &Map) -> String {
    let mut table = Table::new(&["what", "a", "b"]);
    let name = |end: End| port_name(&map.network, end);
    for link in &map.unconfirmed_links {
        let link = map.network.link(*link);
        table.row(["link".to_owned(), name(link.a), name(link.b)]);
    }
    for port in &map.unconfirmed_ports {
        table.row(["port taken for empty".to_owned(), name(*port), String::new()]);
    }
    table.into_csv()
}
