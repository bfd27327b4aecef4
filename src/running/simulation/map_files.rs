//! The files about a map: the map, its drawing, the growth of the model, what was not confirmed.

use simnet_media::host::mapper::model::{Model, Sizes, Step};
use simnet_media::host::mapper::{Growth, Map};
use simnet_network::topology::formats::{Format, write};
use simnet_network::topology::{End, Network};
use simnet_output::report::{Drawing, draw_network, record, table_of};
use simnet_scenario::checked::{Topology, TopologySource};

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

record! {
    /// The model after an exploration.
    struct GrowthRow {
        /// Which one.
        pub exploration: u64,
        /// Its nodes.
        pub nodes: u64,
        /// Its edges.
        pub edges: u64,
        /// Switches that are still to be explored.
        pub frontier: u64,
    }
}

/// The model after each exploration.
fn growth(map: &Map) -> String {
    let numbered = (1..).zip(&map.history);
    let row = |(exploration, growth): (u64, &Growth)| {
        let Growth { nodes, edges, frontier, .. } = *growth;
        GrowthRow { exploration, nodes, edges, frontier }
    };
    table_of(&numbered.map(row).collect::<Vec<_>>()).into_csv()
}

record! {
    /// A step of the model's growth, and its sizes after it.
    struct StepRow {
        /// Which one.
        pub step: u64,
        /// When.
        pub time_ms: f64,
        /// Messages sent before it.
        pub probes: u64,
        /// What happened.
        pub event: String,
        /// The vertex that it happened to.
        pub vertex: Option<u64>,
        /// At which port of it.
        pub port: Option<i32>,
        /// The other vertex of a cable or of a merger.
        pub other: Option<u64>,
        /// Its port.
        pub other_port: Option<i32>,
        /// The name of a host, or of a doubt.
        pub name: String,
        /// Hosts.
        pub hosts: u64,
        /// Switch vertices that stand for themselves.
        pub switches: u64,
        /// Cables; two of them may still be one.
        pub cables: u64,
        /// Switch vertices that were found to be others.
        pub merged: u64,
        /// Switch vertices that were pruned.
        pub pruned: u64,
    }
}

/// How the model grew, step by step, and its sizes after each.
fn growth_steps(steps: &[Step]) -> String {
    let mut model = Model::default();
    let mut rows = Vec::new();
    for (nth, step) in steps.iter().enumerate() {
        model.play(&step.change).expect("the steps of a journal follow each other");
        if nth >= MOST_STEPS && nth + 1 < steps.len() {
            continue;
        }
        let (near, far, name) = step.change.cells();
        let Sizes { hosts, switches, cables, merged, pruned } = model.sizes();
        rows.push(StepRow {
            step: nth as u64 + 1,
            time_ms: step.time.as_ms_f64(),
            probes: step.probes,
            event: step.change.name().to_owned(),
            vertex: near.map(|place| place.vertex as u64),
            port: near.map(|place| place.port),
            other: far.map(|place| place.vertex as u64),
            other_port: far.map(|place| place.port),
            name: name.to_owned(),
            hosts,
            switches,
            cables,
            merged,
            pruned,
        });
    }
    table_of(&rows).into_csv()
}

record! {
    /// A part of the map that rests on one answer or one question only.
    struct ConfirmationRow {
        /// What it is.
        pub what: String,
        /// The port, or one end of the cable.
        pub a: String,
        /// The other end of the cable.
        pub b: Option<String>,
    }
}

/// What of the map rests on one answer or one question only.
fn confirmation(map: &Map) -> String {
    let name = |end: &End| port_name(&map.network, *end);
    let row = |what: &str, a: &End, b: Option<&End>| ConfirmationRow {
        what: what.to_owned(),
        a: name(a),
        b: b.map(name),
    };
    let links = map.unconfirmed_links.iter().map(|link| map.network.link(*link));
    let links = links.map(|link| row("link", &link.a, Some(&link.b)));
    let ports = map.unconfirmed_ports.iter().map(|port| row("port taken for empty", port, None));
    table_of(&links.chain(ports).collect::<Vec<_>>()).into_csv()
}
