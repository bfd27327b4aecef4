//! The network: loaded from its one source, and how hosts are attached to it.

use std::path::Path;

use simnet_base::diagnostics::{Fault, quoted};
use simnet_base::ids::{HostId, Node, Port};
use simnet_network::topology::formats::{self, ReadOptions};
use simnet_network::topology::{End, Network, Subset, generate, presets};

use super::{conflict, files, names};
use crate::checked::{Topology, TopologySource};
use crate::diagnostics::{Diagnostics, Place};
use crate::wire::{self, FileName, Generator, Located};

/// How many hosts a message names before it only counts.
const NAMED: usize = 5;

/// Loads the network and attaches its hosts.
/// `seed` is that of a generated network that gives none.
pub(super) fn build(wire: &wire::Topology, seed: u64, diagnostics: &mut Diagnostics) -> Option<Topology> {
    let (source_place, source, network) = load(wire, seed, diagnostics)?;
    let utility = utility(wire, &source, &network, diagnostics);
    let attachments = attachments(wire, &network, source_place, diagnostics);
    check_size(&network, source_place, diagnostics).then_some(())?;
    Some(Topology { network, source, utility: utility?, attachments: attachments? })
}

/// The one source of the network.
fn load(
    wire: &wire::Topology,
    seed: u64,
    diagnostics: &mut Diagnostics,
) -> Option<(Place, TopologySource, Network)> {
    let plain = &wire.plain;
    let preset = plain.preset.get().map(|at| ("preset", at.place));
    let file = plain.file.get().map(|at| ("file", at.place));
    let generators = wire
        .generators
        .iter()
        .map(|at| (at.value.as_ref().map_or("a generator", |g| g.family.name), at.place));
    let mut given: Vec<(&str, Place)> = preset.into_iter().chain(file).chain(generators).collect();
    given.sort_by_key(|(_, place)| *place);
    if let [(first, _), others @ ..] = given.as_slice() {
        for (other, place) in others {
            let message = format!("two networks: `{first}` and `{other}`");
            conflict(*place, message, "expected one of preset, file and a generator", diagnostics);
        }
    } else if plain.preset.is_absent() && plain.file.is_absent() && !wire.has_unknown_keys {
        diagnostics.add(wire.place, |span| {
            let expected = "expected preset, file or a generator such as [topology.random-regular]";
            Fault::new("missing-key", span, "no network is given", expected)
        });
    }
    if let (true, Some(hosts)) = (plain.file.is_absent(), plain.hosts_per_switch.get()) {
        let expected = "a generator has its own hosts-per-switch, a preset its own hosts";
        conflict(hosts.place, "`hosts-per-switch` here is for files", expected, diagnostics);
    }
    let of_files = [
        ("plane", plain.plane.get().map(|at| at.place)),
        ("leave-out", plain.leave_out.get().map(|at| at.place)),
        ("least-rate", plain.least_rate.get().map(|at| at.place)),
    ];
    for (key, place) in of_files.into_iter().filter_map(|(key, place)| Some((key, place?))) {
        if plain.file.is_absent() {
            let expected = "what a generator or a preset has is named by itself";
            conflict(place, format!("`{key}` is for files"), expected, diagnostics);
        }
    }
    let preset = plain.preset.get().and_then(|name| preset_network(name, diagnostics));
    let file = plain.file.get().and_then(|named| file_network(named, plain, diagnostics));
    let generators = wire.generators.iter().filter_map(|at| at.value.as_ref().zip(Some(at.place)));
    let generated: Vec<_> =
        generators.filter_map(|(asked, place)| generated(asked, (place, seed), diagnostics)).collect();
    let [(_, place)] = given.as_slice() else { return None };
    let (source, network) = preset.or(file).or(generated.into_iter().next())?;
    Some((*place, source, network))
}

fn preset_network(
    name: &Located<String>,
    diagnostics: &mut Diagnostics,
) -> Option<(TopologySource, Network)> {
    let found = presets::load(&name.value);
    if found.is_none() {
        diagnostics.add(name.place, |span| {
            let message = format!("no preset is called `{}`", quoted(&name.value));
            Fault::new(
                "unknown-preset",
                span,
                message,
                format!("expected one of {}", presets::NAMES.join(", ")),
            )
            .with_nearest(&name.value, presets::NAMES)
        });
    }
    found.map(|network| (TopologySource::Preset(name.value.clone()), network))
}

fn file_network(
    named: &Located<FileName>,
    plain: &wire::PlainTopology,
    diagnostics: &mut Diagnostics,
) -> Option<(TopologySource, Network)> {
    let (file, bytes) = files::open(named, diagnostics)?;
    let options = ReadOptions {
        from: None,
        hosts_per_switch: plain.hosts_per_switch.value().copied(),
        subset: Subset {
            drop_aggregation_nodes: *plain.drop_aggregation_nodes.value()?,
            leave_out: plain
                .leave_out
                .value()
                .into_iter()
                .flatten()
                .map(|pattern| pattern.value.clone())
                .collect(),
            least_rate: plain.least_rate.value().map(|rate| rate.0),
            plane: plain.plane.value().cloned(),
        },
        folder: file.path.parent().map(Path::to_owned),
    };
    match formats::read_with_warnings(&files::title(&file), &bytes, &options) {
        Ok(reading) => {
            reading.warnings.into_iter().for_each(|warnings| diagnostics.warn_of_file(*warnings));
            let parts = [
                plain.plane.get().map(|at| at.place),
                plain.leave_out.get().map(|at| at.place),
                plain.least_rate.get().map(|at| at.place),
            ];
            if let Some(place) = parts.into_iter().flatten().next() {
                diagnostics.warn(place, |span| {
                    Fault::new(
                        "left-out",
                        span,
                        reading.left_out.to_string(),
                        "the part that is asked for stays",
                    )
                });
            }
            Some((TopologySource::File(file), reading.network))
        }
        Err(faults) => {
            diagnostics.add_file(*faults);
            None
        }
    }
}

fn generated(
    generator: &Generator,
    (place, usual): (Place, u64),
    diagnostics: &mut Diagnostics,
) -> Option<(TopologySource, Network)> {
    let given: Vec<(&str, u64)> = generator.parameters.iter().map(|(name, at)| (*name, at.value)).collect();
    let (family, seed) = (generator.family, generator.seed.unwrap_or(usual));
    match generate::build(family.name, &given, seed) {
        Ok(network) => {
            let value = |name: &str| given.iter().find(|(given, _)| *given == name).map(|(_, value)| *value);
            let all = family.parameters.iter();
            let all = all.filter_map(|p| Some((p.name.to_owned(), value(p.name).or(p.default)?)));
            let seed = family.random.then(|| ("seed".to_owned(), seed));
            let parameters = all.chain(seed).collect();
            Some((TopologySource::Generated { family: family.name.to_owned(), parameters }, network))
        }
        Err(error) => {
            let named = error.parameter();
            let at = generator.parameters.iter().find(|(name, _)| Some(*name) == named);
            diagnostics.add(at.map_or(place, |(_, at)| at.place), |span| {
                Fault::new("out-of-range", span, error.to_string(), "there is no such network")
            });
            None
        }
    }
}

/// The utility host: named, or the preset's. `None` after a fault.
#[expect(clippy::option_option, reason = "the outer one says whether there was a fault")]
fn utility(
    wire: &wire::Topology,
    source: &TopologySource,
    network: &Network,
    diagnostics: &mut Diagnostics,
) -> Option<Option<HostId>> {
    match (&wire.plain.utility, source) {
        (given, _) if given.get().is_some() => {
            given.get().and_then(|name| names::host(name, network, diagnostics)).map(Some)
        }
        (given, _) if !given.is_absent() => None,
        (_, TopologySource::Preset(name)) => {
            Some(presets::utility_host(name).and_then(|name| network.find_host(name)))
        }
        _ => Some(None),
    }
}

/// Per host the port that the run uses; every host with several cables must have it named.
fn attachments(
    wire: &wire::Topology,
    network: &Network,
    source: Place,
    diagnostics: &mut Diagnostics,
) -> Option<Vec<Option<Port>>> {
    let attach = wire.plain.attach.value()?;
    let mut named: Vec<Option<Port>> = vec![None; network.hosts().len()];
    let mut sound = true;
    for (name, port) in &attach.entries {
        let Some(host) = names::host(name, network, diagnostics) else {
            sound = false;
            continue;
        };
        if network.link_at(End { node: Node::Host(host), port: Port(port.value) }).is_none() {
            sound = false;
            diagnostics.add(port.place, |span| {
                let message =
                    format!("there is no cable in port {} of `{}`", port.value, quoted(&name.value));
                Fault::new("no-cable", span, message, names::cabled_ports(network, Node::Host(host)))
            });
            continue;
        }
        named[host.index()] = Some(Port(port.value));
    }
    let open: Vec<HostId> = network
        .host_ids()
        .filter(|host| named[host.index()].is_none() && network.cables(Node::Host(*host)).nth(1).is_some())
        .collect();
    if sound && !open.is_empty() {
        several_cables(&open, network, source, diagnostics);
        return None;
    }
    let port =
        |host: HostId| named[host.index()].or_else(|| network.attachment(host).map(|(port, _, _)| port));
    sound.then(|| network.host_ids().map(port).collect())
}

/// Notes hosts with several cables if the scenario names none of them.
fn several_cables(hosts: &[HostId], network: &Network, source: Place, diagnostics: &mut Diagnostics) {
    let first = hosts[0];
    let ports = |host: HostId| {
        let ports: Vec<String> =
            network.cables(Node::Host(host)).map(|(port, _, _)| port.to_string()).collect();
        ports.join(", ")
    };
    let listed: Vec<String> = hosts
        .iter()
        .take(NAMED)
        .map(|host| format!("`{}` (ports {})", quoted(&network.hosts()[host.index()].name), ports(*host)))
        .collect();
    let more = match hosts.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let message = format!("hosts with several cables, of which a run uses one: {}{more}", listed.join(", "));
    let name = quoted(&network.hosts()[first.index()].name);
    diagnostics.add(source, |span| {
        Fault::new("several-cables", span, message, "needs the port of each in [topology.attach]").with_help(
            format!(
                "`plane` keeps one plane alone; or name the port, as in [topology.attach] \"{name}\" = {}",
                { network.attachment(first).map_or(0, |(port, _, _)| port.0) }
            ),
        )
    });
}

/// Whether the network has two hosts with a cable, noting it if not.
fn check_size(network: &Network, source: Place, diagnostics: &mut Diagnostics) -> bool {
    let attached = network.host_ids().filter(|host| network.attachment(*host).is_some()).count();
    let (hosts, switches) = (network.hosts().len(), network.switches().len());
    let (code, message) = match (attached, hosts, switches) {
        (2.., ..) => return true,
        (_, 0, 0) => ("empty-network", "this network is empty".to_owned()),
        (_, 0, _) => ("no-hosts", format!("this network of {switches} switches has no host")),
        (_, 1, _) => ("one-host", "this network has a single host".to_owned()),
        _ => ("no-cable", format!("of the {hosts} hosts of this network {attached} have a cable")),
    };
    diagnostics
        .add(source, |span| Fault::new(code, span, message, "a run needs at least two hosts with a cable"));
    false
}
