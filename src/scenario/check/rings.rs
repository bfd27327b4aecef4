//! Rings compared: lists without repetition, sizes within reason, references looked up.

use std::ops::RangeInclusive;

use crate::ring::{Algorithm, Kind};

use super::super::book::Book;
use super::super::rings::{Family, Reference, Rings};
use super::super::wire::{self, At, Document, Given};
use super::{conflict, shared, within};

/// Machines of a random cluster.
const MACHINES: RangeInclusive<u64> = 2..=100_000;
/// Machines for every switch, and neighbours of a switch.
const RATIOS: RangeInclusive<u64> = 1..=1_000;

/// The rings of a scenario.
pub(super) fn rings(wire: &At<wire::Rings>, document: &Document, book: &mut Book) -> Option<Rings> {
    shared::alone("[rings]", document, book);
    let value = &wire.value;
    let algorithms = shared::each_once(&value.algorithms, "algorithm", |a| a.name().to_owned(), book);
    let trees = shared::each_once(&value.trees, "tree", |tree| tree.name().to_owned(), book);
    let families = value.families.value()?;
    let machines = value.machines.get()?;
    let sizes = if families.is_empty() {
        if let Some(first) = machines.value.first() {
            conflict(first.place, "machines of no family", "needs `families`", book);
        }
        Some(Vec::new())
    } else {
        let sizes = shared::each_once(&value.machines, "number of machines", ToString::to_string, book);
        sizes.and_then(|list| list.iter().map(|at| within(*at, MACHINES, book)).collect())
    };
    let named = if families.is_empty() {
        Some(Vec::new())
    } else {
        shared::each_once(&value.families, "family", |family| family.name().to_owned(), book)
    };
    let ratio = |given: &Given<u64>, book: &mut Book| given.get().and_then(|at| within(*at, RATIOS, book));
    let (per_switch, degree) = (ratio(&value.machines_per_switch, book), ratio(&value.degree, book));
    let instances = shared::instances(&value.instances, book);
    let plain = |list: Vec<At<Algorithm>>| list.iter().map(|at| at.value).collect();
    let rings = Rings {
        algorithms: plain(algorithms?),
        trees: trees?.iter().map(|at| at.value).collect(),
        families: named?.iter().map(|at| at.value).collect(),
        machines: sizes?,
        machines_per_switch: per_switch?,
        degree: degree?,
        instances: instances?,
        references: Vec::new(),
    };
    let references = value.references.value()?.iter().map(|wire| reference(&wire.value, &rings, book));
    let references: Vec<_> = references.collect();
    Some(Rings { references: references.into_iter().collect::<Option<_>>()?, ..rings })
}

/// A printed number, found, and what stands beside it.
fn reference(wire: &wire::RingReference, rings: &Rings, book: &mut Book) -> Option<Reference> {
    let number = shared::printed(&wire.printed, book);
    let algorithm = shared::among(&wire.algorithm, &rings.algorithms, "algorithm", Algorithm::name, book);
    let tree = shared::among(&wire.tree, &rings.trees, "tree", Kind::name, book);
    let family = shared::among(&wire.family, &rings.families, "family", Family::name, book);
    let machines =
        shared::among(&wire.machines, &rings.machines, "number of machines", |m| m.to_string(), book);
    let machines = machines?;
    if let (Some(_), None, Some(place)) = (machines, family?, wire.machines.get().map(|at| at.place)) {
        conflict(place, "machines of no family", "needs `family`", book);
        return None;
    }
    Some(Reference { number: number?, algorithm: algorithm??, tree: tree?, family: family?, machines })
}
