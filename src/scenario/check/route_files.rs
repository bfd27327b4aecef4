//! Routes that come from files: one for each pair of hosts, or a subnet manager's forwarding tables with its lanes.

use std::collections::BTreeMap;

use simnet_base::diagnostics::{Faults, quoted};
use simnet_base::ids::Node;
use simnet_network::routing::{
    Attachments, ForwardingTables, HighestLane, Lanes, ServiceLevels, read_lfts, read_routes,
    read_service_levels, read_sl2vl,
};
use simnet_network::topology::formats::port_guids;

use super::{conflict, files, out_of_range};
use crate::checked::{Installed, RouteSource, Topology, TopologySource};
use crate::credits::has_too_many_ports;
use crate::diagnostics::Diagnostics;
use crate::wire::{self, FileName, Located};

/// The guids of ports with the node's name and the port.
type PortGuids = BTreeMap<u64, (String, u16)>;

/// What a file of routes holds.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A route for each pair of hosts.
    Routes,
    /// The forwarding tables of a subnet manager.
    Lfts,
}

/// The routes of a file: of each pair, or those that forwarding tables come to. `lanes` are those of each channel;
/// `None` with STOP and GO.
pub(super) fn routes_file(
    (named, kind): (&Located<FileName>, Kind),
    wire: &wire::Routing,
    topology: Option<&Topology>,
    lanes: Option<u8>,
    diagnostics: &mut Diagnostics,
) -> Option<RouteSource> {
    let (file, bytes) = files::open(named, diagnostics)?;
    let topology = topology?;
    let attachments = Attachments::by_ports(&topology.network, &topology.attachments);
    let title = files::title(&file);
    if kind == Kind::Routes {
        let table = unless_faulty(read_routes(&topology.network, &attachments, &title, &bytes), diagnostics)?;
        return Some(RouteSource::File { file, table, installed: None });
    }
    let guids = port_guids_of(topology, diagnostics);
    let tables = unless_faulty(read_lfts(&topology.network, &guids, &title, &bytes), diagnostics)?;
    let given = match wire.sl2vl.get() {
        None => None,
        Some(sl2vl) => Some((sl2vl, lane_files(sl2vl, wire, (topology, &guids), &tables, diagnostics)?)),
    };
    let sl2vl = given.as_ref().map(|(sl2vl, _)| *sl2vl);
    let installed = Installed { tables, lanes: given.map(|(_, lanes)| lanes) };
    let found = installed.routes(&topology.network, &attachments);
    if let (Some(sl2vl), Ok((_, Some(highest)))) = (sl2vl, &found) {
        let lanes = lanes.expect("lanes without credits were refused");
        check_highest(highest, lanes, (sl2vl, topology), diagnostics)?;
    }
    let table = match found {
        Ok(_) if sl2vl.is_some() && has_too_many_ports(&topology.network) => {
            Err("the switches have too many ports for tables of lanes".to_owned())
        }
        found => found.map(|(table, _)| table).map_err(|error| error.to_string()),
    };
    match table {
        Ok(table) => Some(RouteSource::File { file, table, installed: Some(Box::new(installed)) }),
        Err(message) => {
            conflict(named.place, message, "expected a smaller network", diagnostics);
            None
        }
    }
}

/// Notes keys of lanes beside routes, or a fabric, that know none; `None` if there are such.
pub(super) fn check_keys(
    wire: &wire::Routing,
    lanes: Option<u8>,
    diagnostics: &mut Diagnostics,
) -> Option<()> {
    let [sl2vl, sl] = [&wire.sl2vl, &wire.sl].map(|given| given.get().map(|at| at.place));
    let mut is_sound = true;
    for (key, place) in [("sl2vl", sl2vl), ("sl", sl)] {
        let Some(place) = place else { continue };
        let (message, expected) = if wire.lfts.is_absent() {
            (format!("`{key}` means nothing without `lfts`"), "belongs to lfts = \"FILE\"")
        } else if lanes.is_none() {
            (format!("`{key}` means nothing to STOP and GO"), "expected flow = \"credits\" in [fabric]")
        } else if wire.sl2vl.is_absent() {
            let message = format!("`{key}` without `sl2vl`: what lane a level means is up to each switch");
            (message, "expected `sl2vl` as well")
        } else {
            continue;
        };
        conflict(place, message, expected, diagnostics);
        is_sound = false;
    }
    is_sound.then_some(())
}

/// The lanes that the files of a scenario give the packets of `tables`.
fn lane_files(
    sl2vl: &Located<FileName>,
    wire: &wire::Routing,
    (topology, guids): (&Topology, &PortGuids),
    tables: &ForwardingTables,
    diagnostics: &mut Diagnostics,
) -> Option<Lanes> {
    let network = &topology.network;
    let (file, bytes) = files::open(sl2vl, diagnostics)?;
    let read = read_sl2vl(network, tables, &files::title(&file), &bytes);
    let lanes = unless_faulty(read, diagnostics);
    let levels = match wire.sl.get() {
        None => wire.sl.is_absent().then(ServiceLevels::default),
        Some(sl) => {
            let (file, bytes) = files::open(sl, diagnostics)?;
            let read = read_service_levels(network, guids, tables, &files::title(&file), &bytes);
            unless_faulty(read, diagnostics)
        }
    };
    Some(Lanes { tables: lanes?, levels: levels? })
}

/// Notes a lane that packets need and that the fabric has not; `None` if there is one.
fn check_highest(
    highest: &HighestLane,
    lanes: u8,
    (sl2vl, topology): (&Located<FileName>, &Topology),
    diagnostics: &mut Diagnostics,
) -> Option<()> {
    let HighestLane { lane, source, destination, switch, output } = *highest;
    if lane < lanes {
        return Some(());
    }
    let name = |node: Node| quoted(topology.network.name_of(node));
    let (from, to) = (name(Node::Host(source)), name(Node::Host(destination)));
    let switch = name(Node::Switch(switch));
    let message =
        format!("there is no lane {lane}, on which {switch}:{output} sends what `{from}` has for `{to}`");
    let expected = format!("expected `lanes` of at least {} in [fabric]", lane + 1);
    out_of_range(sl2vl.place, message, expected, diagnostics);
    None
}

/// What a file holds; `None` after noting all of its faults.
fn unless_faulty<T>(read: Result<T, Box<Faults>>, diagnostics: &mut Diagnostics) -> Option<T> {
    read.map_err(|faults| diagnostics.add_file(*faults)).ok()
}

/// The guids of ports, which stand in the network's own file alone.
fn port_guids_of(topology: &Topology, diagnostics: &mut Diagnostics) -> PortGuids {
    let own = match &topology.source {
        TopologySource::File(own) => diagnostics.files().read(&own.path).ok(),
        _ => None,
    };
    own.map(|own| port_guids(&own.bytes)).unwrap_or_default()
}
