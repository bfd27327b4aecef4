//! Where routes come from: a file that is read here, or an algorithm and its choices.

use crate::diagnostics::Fault;
use crate::ids::SwitchId;
use crate::routing::{self, Algorithm, Attachments, Choices, Root, Selection, read_routes};

use super::super::book::Book;
use super::super::checked::{RouteSource, Routing, Topology};
use super::super::wire::{self, At, FileName, Given, RouteAlgorithm, Select, Tree};
use super::{conflict, files, names};

/// Where routes come from.
pub(super) fn routing(
    wire: &At<wire::Routing>,
    topology: Option<&Topology>,
    seed: Option<u64>,
    book: &mut Book,
) -> Option<Routing> {
    let (section, wire) = (wire.place, &wire.value);
    let distribute = wire.distribute.value().copied();
    let source = match (wire.file.get(), wire.algorithm.get()) {
        (Some(file), Some(algorithm)) => {
            let place = file.place.max(algorithm.place);
            conflict(place, "routes from a file and from an algorithm", "expected one of the two", book);
            None
        }
        (Some(file), None) => {
            only_with(wire, &["tree", "heuristic", "root", "select"], "a file", book);
            routes_file(file, topology, book)
        }
        (None, Some(algorithm)) => {
            let algorithm =
                match algorithm.value {
                    RouteAlgorithm::UpDown => tree_and_root(wire, topology, book)
                        .map(|(tree, root)| Algorithm::UpDown { tree, root }),
                    RouteAlgorithm::Smart => tree_and_root(wire, topology, book)
                        .map(|(tree, root)| Algorithm::Smart { tree, root }),
                    RouteAlgorithm::Minimal => {
                        only_with(wire, &["tree", "heuristic", "root"], "`minimal`", book);
                        Some(Algorithm::Minimal)
                    }
                };
            let selection = or_default(&wire.select).zip(seed).map(|(select, seed)| match select {
                Select::First => Selection::First,
                Select::Random => Selection::Random { seed },
                Select::RoundRobin => Selection::RoundRobin,
                Select::Balanced => Selection::Balanced,
            });
            let utility = topology.and_then(|topology| topology.utility);
            algorithm.zip(selection).map(|(algorithm, selection)| {
                RouteSource::Computed(Choices { algorithm, selection, utility })
            })
        }
        (None, None) => {
            if wire.file.is_absent() && wire.algorithm.is_absent() {
                book.add(section, |span| {
                    let expected = "expected file, or algorithm = \"updown\", \"smart\" or \"minimal\"";
                    Fault::new("missing-key", span, "no routes are given", expected)
                });
            }
            None
        }
    };
    Some(Routing { source: source?, distribute: distribute? })
}

/// Notes keys that belong to UP*/DOWN* or smart routes beside routes of another kind.
fn only_with(wire: &wire::Routing, keys: &[&str], other: &str, book: &mut Book) {
    let given = [
        ("tree", wire.tree.get().map(|at| at.place)),
        ("heuristic", wire.heuristic.get().map(|at| at.place)),
        ("root", wire.root.get().map(|at| at.place)),
        ("select", wire.select.get().map(|at| at.place)),
    ];
    for (key, place) in given {
        if let (true, Some(place)) = (keys.contains(&key), place) {
            conflict(
                place,
                format!("`{key}` means nothing to {other}"),
                "belongs to algorithm = \"updown\" or \"smart\"",
                book,
            );
        }
    }
}

/// The value given, or the type's own default; `None` after a fault.
fn or_default<T: Copy + Default>(given: &Given<T>) -> Option<T> {
    if given.is_absent() { Some(T::default()) } else { given.value().copied() }
}

fn tree_and_root(
    wire: &wire::Routing,
    topology: Option<&Topology>,
    book: &mut Book,
) -> Option<(routing::Tree, Root)> {
    let tree = or_default(&wire.tree);
    if let (Some(Tree::Bfs), Some(heuristic)) = (tree, wire.heuristic.get()) {
        let expected = "belongs to tree = \"dfs\"";
        conflict(heuristic.place, "`heuristic` means nothing to a breadth-first tree", expected, book);
    }
    let heuristic = or_default(&wire.heuristic);
    let root = match &wire.root {
        given if given.is_absent() => Some(Root::Far),
        given => given.value().zip(topology).and_then(|(names, t)| root(&names.0, t, book)),
    };
    let tree = match tree? {
        Tree::Bfs => routing::Tree::Bfs,
        Tree::Dfs => routing::Tree::Dfs(heuristic?),
    };
    Some((tree, root?))
}

fn root(names: &[At<String>], topology: &Topology, book: &mut Book) -> Option<Root> {
    match names {
        [At { value, .. }] if value == "far" => return Some(Root::Far),
        [At { value, .. }] if value == "r0" => return Some(Root::R0),
        [At { value, .. }] if value == "r1" => return Some(Root::R1),
        [At { value, .. }] if value == "r2" => return Some(Root::R2),
        _ => {}
    }
    let mut switches: Vec<SwitchId> = Vec::new();
    let mut sound = true;
    for name in names {
        match names::switch(name, &topology.network, book) {
            Some(switch) if switches.contains(&switch) => {
                conflict(name.place, "this switch is named twice", "expected each root once", book);
            }
            Some(switch) => switches.push(switch),
            None => sound = false,
        }
    }
    sound.then_some(Root::Named(switches))
}

/// The routes of a file.
fn routes_file(named: &At<FileName>, topology: Option<&Topology>, book: &mut Book) -> Option<RouteSource> {
    let (file, bytes) = files::open(named, book)?;
    let topology = topology?;
    let attachments = Attachments::by_ports(&topology.network, &topology.attachments);
    match read_routes(&topology.network, &attachments, &files::title(&file), &bytes) {
        Ok(table) => Some(RouteSource::File { file, table }),
        Err(faults) => {
            book.add_file(*faults);
            None
        }
    }
}
