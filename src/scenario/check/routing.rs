//! Where routes come from: a file that is read here, or an algorithm and its choices.

use simnet_base::diagnostics::Fault;
use simnet_base::ids::SwitchId;
use simnet_media::fabric::MOST_LANES;
use simnet_network::routing::{
    Algorithm, Attachments, Choices, DestinationTables, Engine, Heuristic, Root, Selection, SwitchGraph,
    TablesError, Tree,
};

use super::route_files::{Kind, check_keys, routes_file};
use super::{conflict, names};
use crate::checked::{RouteSource, Routing, Topology};
use crate::diagnostics::{Diagnostics, Place};
use crate::wire::{self, Given, Located};

/// Where routes come from. `lanes` are those of each channel; `None` with STOP and GO.
pub(super) fn routing(
    wire: &Located<wire::Routing>,
    topology: Option<&Topology>,
    seed: Option<u64>,
    lanes: Option<u8>,
    diagnostics: &mut Diagnostics,
) -> Option<Routing> {
    let (section, wire) = (wire.place, &wire.value);
    let distribute = wire.distribute.value().copied();
    check_keys(wire, lanes, diagnostics)?;
    let read = match (wire.file.get(), wire.lfts.get()) {
        (Some(file), Some(lfts)) => {
            two_sources(
                file.place.max(lfts.place),
                "routes from a file and from forwarding tables",
                diagnostics,
            );
            return None;
        }
        (file, lfts) => file.map(|file| (file, Kind::Routes)).or(lfts.map(|lfts| (lfts, Kind::Lfts))),
    };
    let source = match (read, wire.algorithm.get()) {
        (Some((file, _)), Some(algorithm)) => {
            let place = file.place.max(algorithm.place);
            two_sources(place, "routes from a file and from an algorithm", diagnostics);
            None
        }
        (Some((file, kind)), None) => {
            let keys = ["tree", "heuristic", "root", "relabel", "select", "seed"];
            only_with(wire, &keys, "a file", diagnostics);
            routes_file((file, kind), wire, topology, lanes, diagnostics)
        }
        (None, Some(router)) if is_on_lanes(&router.value, lanes) => {
            on_lanes(router, wire, topology, lanes, diagnostics)
        }
        (None, Some(router)) => {
            let algorithm = computed(router, wire, topology, diagnostics);
            let seed = wire.seed.value().copied().or(seed);
            let selection = or(&wire.select, Selection::Random { seed: 0 }).zip(seed).map(selection);
            let utility = topology.and_then(|topology| topology.utility);
            algorithm.zip(selection).map(|(algorithm, selection)| {
                RouteSource::Computed(Choices { algorithm, selection, utility })
            })
        }
        (None, None) => {
            if wire.file.is_absent() && wire.lfts.is_absent() && wire.algorithm.is_absent() {
                diagnostics.add(section, |span| {
                    let expected = format!("expected file, lfts, or algorithm = {}", choices(|_| true));
                    Fault::new("missing-key", span, "no routes are given", expected)
                });
            }
            None
        }
    };
    Some(Routing { source: source?, distribute: distribute? })
}

/// Notes that routes come from two places.
fn two_sources(place: Place, message: &str, diagnostics: &mut Diagnostics) {
    conflict(place, message, "expected one of the two", diagnostics);
}

/// An algorithm with its tree and root; notes a network that it does not suit, and keys of a tree given
/// for one that needs none.
fn computed(
    router: &Located<Engine>,
    wire: &wire::Routing,
    topology: Option<&Topology>,
    diagnostics: &mut Diagnostics,
) -> Option<Algorithm> {
    let place = router.place;
    let Engine::Rule(mut algorithm) = router.value.clone() else { return None };
    let graph = topology.map(|topology| SwitchGraph::new(&topology.network));
    if let Some(Err(error)) = graph.map(|graph| algorithm.check(&graph)) {
        conflict(place, error.to_string(), "expected another algorithm, or another network", diagnostics);
    }
    match algorithm.tree_and_root_mut() {
        Some((tree, root)) => (*tree, *root) = tree_and_root(wire, topology, diagnostics)?,
        None => {
            let name =
                Algorithm::ALL.iter().find(|(_, other)| *other == algorithm).map_or("it", |(name, _)| name);
            only_with(wire, &["tree", "heuristic", "root", "relabel"], &format!("`{name}`"), diagnostics);
        }
    }
    Some(algorithm)
}

/// Whether next hops by destination are found, their paths on lanes: by engines that know nothing else, and by rules
/// that need lanes wherever there are several.
fn is_on_lanes(router: &Engine, lanes: Option<u8>) -> bool {
    let is_rule = matches!(router, Engine::Rule(_));
    !is_rule || router.takes_lanes() && lanes.is_some_and(|lanes| lanes > 1)
}

/// Next hops by destination, paths on lanes.
fn on_lanes(
    router: &Located<Engine>,
    wire: &wire::Routing,
    topology: Option<&Topology>,
    lanes: Option<u8>,
    diagnostics: &mut Diagnostics,
) -> Option<RouteSource> {
    let (place, engine) = (router.place, &router.value);
    let name = engine.name();
    only_with(wire, &["tree", "heuristic", "root", "relabel"], &format!("`{name}`"), diagnostics);
    check_selection(engine, wire, diagnostics);
    let Some(lanes) = lanes else {
        diagnostics.add(place, |span| {
            let message = format!("`{name}` puts paths on lanes, and with STOP and GO there is one");
            let help = format!(
                "`{name}` on one lane: write its tables with `simnet route NET --algorithm {name} --to opensm --out \
                 FILE`; a scenario runs them with `[routing] lfts = \"FILE\"`"
            );
            Fault::new("conflict", span, message, "expected flow = \"credits\" in [fabric]").with_help(help)
        });
        return None;
    };
    let topology = topology?;
    let network = &topology.network;
    let attachments = Attachments::by_ports(network, &topology.attachments).with_every_port(network);
    let made = DestinationTables::new(network, &attachments, engine, (Some(lanes), 0, topology.utility));
    let expected = match &made {
        Err(TablesError::Lanes { needed, .. }) if *needed <= u32::from(MOST_LANES) => {
            format!("expected `lanes` of at least {needed} in [fabric]")
        }
        _ => "expected another algorithm, or another network".to_owned(),
    };
    let routed = made.map_err(|error| error.to_string()).and_then(|tables| {
        let table = tables.route_table(network, &attachments).map_err(|error| error.to_string())?;
        Ok(RouteSource::OnLanes { tables: Box::new(tables), table })
    });
    match routed {
        Ok(routed) => Some(routed),
        Err(message) => {
            conflict(place, message, expected, diagnostics);
            None
        }
    }
}

/// Notes a selection that next hops by destination do not follow. Those of a rule are balanced, whatever its lanes; a
/// seed is no fault, as it stands beside the same rule on one lane.
fn check_selection(engine: &Engine, wire: &wire::Routing, diagnostics: &mut Diagnostics) {
    let Some(select) = wire.select.get() else { return };
    let name = engine.name();
    match engine {
        Engine::Rule(_) if select.value == Selection::Balanced => {}
        Engine::Rule(_) => {
            let message = format!("on several lanes `{name}` balances next hops, and selects no other way");
            conflict(select.place, message, "expected \"balanced\", or lanes = 1 in [fabric]", diagnostics);
        }
        _ => only_with(wire, &["select"], &format!("`{name}`"), diagnostics),
    }
}

/// The names of the algorithms that are `wanted`, as in `"a", "b" or "c"`.
fn choices(wanted: fn(&Algorithm) -> bool) -> String {
    let names = Algorithm::ALL.iter().filter(|(_, algorithm)| wanted(algorithm));
    let names: Vec<String> = names.map(|(name, _)| format!("\"{name}\"")).collect();
    match names.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} or {last}", others.join(", ")),
        _ => names.concat(),
    }
}

/// Notes keys of an algorithm that are given for routes of another kind.
fn only_with(wire: &wire::Routing, keys: &[&str], other: &str, diagnostics: &mut Diagnostics) {
    let given = [
        ("tree", wire.tree.get().map(|at| at.place)),
        ("heuristic", wire.heuristic.get().map(|at| at.place)),
        ("root", wire.root.get().map(|at| at.place)),
        ("relabel", wire.relabel.get().map(|at| at.place)),
        ("select", wire.select.get().map(|at| at.place)),
        ("seed", wire.seed.get().map(|at| at.place)),
    ];
    for (key, place) in given {
        if let (true, Some(place)) = (keys.contains(&key), place) {
            let is_wanted: fn(&Algorithm) -> bool = match key {
                "select" | "seed" => |_| true,
                _ => |one| one.tree_and_root().is_some(),
            };
            let expected = format!("belongs to algorithm = {}", choices(is_wanted));
            conflict(place, format!("`{key}` means nothing to {other}"), expected, diagnostics);
        }
    }
}

/// A given value, or this one; `None` after a fault.
fn or<T: Copy>(given: &Given<T>, default: T) -> Option<T> {
    if given.is_absent() { Some(default) } else { given.value().copied() }
}

/// A selection with the seed of its choices.
fn selection((selection, seed): (Selection, u64)) -> Selection {
    match selection {
        Selection::Random { .. } => Selection::Random { seed },
        other => other,
    }
}

fn tree_and_root(
    wire: &wire::Routing,
    topology: Option<&Topology>,
    diagnostics: &mut Diagnostics,
) -> Option<(Tree, Root)> {
    let tree = or(&wire.tree, Tree::Bfs);
    if let (Some(Tree::Bfs), Some(heuristic)) = (tree, wire.heuristic.get()) {
        let expected = "belongs to tree = \"dfs\"";
        conflict(heuristic.place, "`heuristic` means nothing to a breadth-first tree", expected, diagnostics);
    }
    let heuristic = or(&wire.heuristic, Heuristic::default());
    let root = match &wire.root {
        given if given.is_absent() => Some(usual_root(wire, tree, topology)),
        given => given.value().zip(topology).and_then(|(names, t)| root(&names.0, t, diagnostics)),
    };
    if let (Some(Tree::Dfs(_)), Some(relabel)) = (tree, wire.relabel.get()) {
        let expected = "belongs to tree = \"bfs\"";
        conflict(relabel.place, "`relabel` means nothing to a depth-first tree", expected, diagnostics);
    }
    let tree = match tree? {
        Tree::Bfs => Tree::Bfs,
        Tree::Dfs(_) => Tree::Dfs(heuristic?),
    };
    let relabelled = wire.relabel.value() == Some(&true);
    Some((tree, if relabelled { Root::Relabelled(Box::new(root?)) } else { root? }))
}

/// The root where none is named: all spines of a levelled tree. A utility host is one that `far` leaves out, and so
/// asks for `far`; it is `far` that is relabelled, and that a depth-first tree has.
fn usual_root(wire: &wire::Routing, tree: Option<Tree>, topology: Option<&Topology>) -> Root {
    let is_free = tree == Some(Tree::Bfs) && wire.relabel.value() != Some(&true);
    let is_levelled = |topology: &&Topology| topology.utility.is_none() && has_spines(topology);
    if topology.filter(is_levelled).is_some() && is_free { Root::Spines } else { Root::Far }
}

fn has_spines(topology: &Topology) -> bool {
    let attachments =
        Attachments::by_ports(&topology.network, &topology.attachments).with_every_port(&topology.network);
    Root::spines(&SwitchGraph::new(&topology.network), &attachments).is_some()
}

/// `root = "spines"`, on a network that has some.
fn spines(place: Place, topology: &Topology, diagnostics: &mut Diagnostics) -> Option<Root> {
    if has_spines(topology) {
        return Some(Root::Spines);
    }
    diagnostics.add(place, |span| {
        let expected = "expected a fat tree or another folded Clos network, or \"far\"";
        Fault::new("no-spines", span, "this network is no levelled tree, and has no spines", expected)
    });
    None
}

fn root(names: &[Located<String>], topology: &Topology, diagnostics: &mut Diagnostics) -> Option<Root> {
    match names {
        [Located { value, .. }] if value == "far" => return Some(Root::Far),
        [Located { value, .. }] if value == "r0" => return Some(Root::R0),
        [Located { value, .. }] if value == "r1" => return Some(Root::R1),
        [Located { value, .. }] if value == "r2" => return Some(Root::R2),
        [Located { value, place }] if value == "spines" => return spines(*place, topology, diagnostics),
        _ => {}
    }
    let mut switches: Vec<SwitchId> = Vec::new();
    let mut sound = true;
    for name in names {
        match names::root(name, names.len(), &topology.network, diagnostics) {
            Some(switch) if switches.contains(&switch) => {
                conflict(name.place, "this switch is named twice", "expected each root once", diagnostics);
            }
            Some(switch) => switches.push(switch),
            None => sound = false,
        }
    }
    sound.then_some(Root::Named(switches))
}
