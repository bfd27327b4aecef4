//! The scenario: text that says what is cabled, what runs, what to measure and what to expect.
//!
//! ```text
//!   text (TOML) --tree--> located values --wire--> keys and types --check--> Checked
//!                 ^                                          ^
//!            --set a.b=c                   networks, routes, traces: files in its folder
//! ```
//! Reads, never runs. Every fault of every file is reported at once, each with its place and what is
//! allowed there. Keys, JSON Schema and reference come from one description (`wire`).

pub mod allgather;
pub mod checked;
pub mod credits;
pub mod discovery;
pub mod ethernet;
pub mod expect;
pub mod fabric;
pub mod mapping;
pub mod marks;
mod pauses;
pub mod printed;
pub mod rates;
pub mod rings;
pub mod sweep;

mod check;
mod cost;
mod diagnostics;
mod files;
mod generation;
mod layers;
mod reference;
mod removed;
mod schema;
mod seeds;
mod tree;
mod wire;

use std::path::{Path, PathBuf};

use simnet_base::diagnostics::{Fault, Refusal, decode, shown};
use simnet_base::units::BitRate;

use diagnostics::Diagnostics;
use wire::{Document, Wire as _};

use checked::{Routing, Topology};
use seeds::RunSeeds;

pub use checked::Checked;
pub use cost::Estimate;
pub use files::Files;
pub use reference::reference;
pub use schema::schema;
pub use sweep::Identity;

/// What the command line changes in a scenario.
#[derive(Clone, Debug, Default)]
pub struct Overrides {
    /// Assignments `path.to.key=value`, the value in TOML or a plain text; later ones win.
    pub set: Vec<String>,
    /// The seed, instead of the scenario's.
    pub seed: Option<u64>,
}

/// Reads and checks a scenario. Files that it names are looked for in the folder of `file`.
///
/// # Errors
/// Every fault of the scenario, of the overrides and of the files it names, each with its place. Where
/// TOML's syntax is broken, nothing but that is reported of the scenario itself.
pub fn read(file: impl AsRef<Path>, bytes: &[u8], overrides: &Overrides) -> Result<Checked, Box<Refusal>> {
    read_from(file, bytes, overrides, &Files::disk())
}

/// Reads and checks a scenario whose files come from `files`, each relative to the folder of the file that names it.
///
/// # Errors
/// As [`read`].
pub fn read_from(
    file: impl AsRef<Path>,
    bytes: &[u8],
    overrides: &Overrides,
    files: &Files,
) -> Result<Checked, Box<Refusal>> {
    let file = file.as_ref();
    let text = decode(&shown(&file).to_string(), bytes)?;
    let mut diagnostics = Diagnostics::new(files);
    diagnostics.add_scenario(file, text);
    let mut checked = None;
    if let Some(layers) = layers::read(&mut diagnostics, PathBuf::from(file), &overrides.set) {
        let root = layers.flatten(layers.profile.as_ref(), &mut diagnostics);
        let document = Document::read(&root, &mut diagnostics);
        refuse_sweep(document.as_ref(), &mut diagnostics);
        checked = document.and_then(|document| {
            let seeds = overrides.seed.map(RunSeeds::of_run);
            check::check(&document, None, seeds, &mut diagnostics)
        });
        let identity = Identity::of(root, &mut diagnostics);
        checked = checked.map(|checked| Checked { identity, ..checked });
    }
    match (diagnostics.into_refusal(), checked) {
        (None, Some(checked)) => Ok(checked),
        (Some(refusal), _) => Err(refusal),
        (None, None) => unreachable!("a scenario is refused only after a fault was noted"),
    }
}

/// The sizes that follow from a scenario's declaration, whether or not it can be run; none of what cannot be read, or
/// for a sweep.
pub fn declared(file: impl AsRef<Path>, bytes: &[u8], overrides: &Overrides) -> Option<Estimate> {
    let file = file.as_ref();
    let text = decode(&shown(file).to_string(), bytes).ok()?;
    let mut diagnostics = Diagnostics::new(&Files::disk());
    diagnostics.add_scenario(file, text);
    let layers = layers::read(&mut diagnostics, PathBuf::from(file), &overrides.set)?;
    let root = layers.flatten(layers.profile.as_ref(), &mut diagnostics);
    Document::read(&root, &mut diagnostics).map(|document| Estimate::declared(&document))
}

/// Notes that the file describes a sweep, or has what only a sweep has.
fn refuse_sweep(document: Option<&Document>, diagnostics: &mut Diagnostics) {
    let Some(document) = document else { return };
    if let Some(sweep) = document.sweep.get() {
        diagnostics.add(sweep.place, |span| {
            Fault::new("is-a-sweep", span, "this file describes a sweep", "expected a single scenario")
        });
        return;
    }
    let references = document.reference.get().map(|list| ("[[reference]]", list.place));
    let figures = document.figure.get().map(|list| ("[[figure]]", list.place));
    for (name, place) in references.into_iter().chain(figures) {
        diagnostics.add(place, |span| {
            let message = format!("{name} without [sweep]");
            Fault::new("missing-section", span, message, "needs [sweep], which may be empty")
        });
    }
}

/// The scenario that says nothing but `assignments` of a network that was loaded: for verbs that do what a
/// scenario can do. Faults are those of a source called "the command line".
///
/// # Errors
/// Every fault of the assignments.
pub fn of_network(topology: Topology, assignments: &[String], seed: u64) -> Result<Checked, Box<Refusal>> {
    assigned(assignments, |document, diagnostics| {
        check::check(document, Some(topology), Some(RunSeeds::of_run(seed)), diagnostics)
    })
}

/// The `preset` of `[fabric]` that fits cables of this rate: the nearest above, else the fastest.
pub fn preset_of(rate: BitRate) -> &'static str {
    generation::of_rate(rate)
}

/// How routes are found on a network that was loaded, where `[routing]` says nothing but `assignments`, as
/// [`of_network`]. Nothing is asked of the fabric.
///
/// # Errors
/// Every fault of the assignments.
pub fn routing_of_network(
    topology: &Topology,
    assignments: &[String],
    seed: u64,
) -> Result<Routing, Box<Refusal>> {
    assigned(assignments, |document, diagnostics| check::routing(document, topology, seed, diagnostics))
}

/// What is made of a scenario that says nothing but `assignments`.
fn assigned<T>(
    assignments: &[String],
    make: impl FnOnce(&Document, &mut Diagnostics) -> Option<T>,
) -> Result<T, Box<Refusal>> {
    let mut diagnostics = Diagnostics::new(&Files::disk());
    let source = diagnostics.add_source("the command line", NOTHING);
    let mut made = None;
    if let Some(mut root) = tree::parse(&mut diagnostics, source) {
        for assignment in assignments {
            tree::set(&mut root, &mut diagnostics, "the command line", assignment);
        }
        let document = Document::read(&root, &mut diagnostics);
        made = document.and_then(|document| make(&document, &mut diagnostics));
    }
    match (diagnostics.into_refusal(), made) {
        (None, Some(made)) => Ok(made),
        (Some(refusal), _) => Err(refusal),
        (None, None) => unreachable!("a scenario is refused only after a fault was noted"),
    }
}

/// A scenario whose network is replaced.
const NOTHING: &str = "scenario.name = \"command-line\"\ntopology.preset = \"now-c\"\n";
