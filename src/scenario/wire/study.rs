//! The `[study]` section: mappings, each with the keys of `[mapping]` and a name, axes, figures, references.

use serde_json::Value as Schema;

use super::super::book::Book;
use super::super::printed::Statistic;
use super::super::study::{Axis, Quantity};
use super::super::tree::{Entry, Item, Value};
use super::canonical::{Canonical, Key, put};
use super::kinds::Choice;
use super::mapping::Mapping;
use super::shared::{Named, PrintedName};
use super::table::{At, Described, Given, Presence, Reading, Wire, table, table_schema};
use super::topology::Topology;
use crate::host::mapper::Algorithm;

use Presence::{Default, Optional, Required};

table! {
    /// Mappings compared, each network and variant and value of an axis a run of its own.
    "[study]" Study {
        /// Networks beside the scenario's own: the keys of `[topology]` for each.
        networks: Vec<At<Topology>> = Default("[]");
        /// How many networks a generator with a seed makes, with its seed and those after it, 1 to 1000.
        instances: u32 = Default("1");
        /// The mappers: the keys of `[mapping]`, and a name; what one does not give is taken from `[mapping]`.
        variants: Vec<At<Named<Mapping>>> = Required;
        /// Numbers of hosts that run a mapper's software, each in place of the variants' own.
        answering: Vec<At<u32>> = Default("[]");
        /// Numbers of further tries, each in place of the variants' own.
        retries: Vec<At<u32>> = Default("[]");
        /// Loads of `[traffic]` beside the mapper, 0 to 1, each in place of the variants' own.
        loads: Vec<At<f64>> = Default("[]");
        /// Draw the first variant's map of every network of up to 300 hosts.
        draw_maps: bool = Default("false");
        /// Figures to be drawn.
        figures: Vec<At<Plot>> = Default("[]");
        /// Printed numbers that ours stand beside in paper.csv.
        references: Vec<At<StudyReference>> = Default("[]");
    }
}

table! {
    /// A figure: a quantity of every variant against an axis.
    "[[study.figures]]" Plot {
        /// The name of its file, without `.svg`: letters, digits, `-` and `_`.
        name: String = Required;
        /// What stands above it.
        title: String = Optional;
        /// What the horizontal axis shows; `explorations` shows the growth of the model.
        x: Axis = Required;
        /// What the vertical axis shows.
        y: Quantity = Default("'time'");
        /// Whether the least and the greatest of the runs are drawn beside the mean.
        spread: bool = Default("false");
        /// The variants shown; all if not given.
        variants: Vec<At<String>> = Default("[]");
    }
}

table! {
    /// A printed number, by its names in src/papers/reference.csv, and what of ours stands beside it.
    "[[study.references]]" StudyReference {
        ..printed: PrintedName;
        /// What of ours.
        ours: Quantity = Required;
        /// The name of the variant; the first if not given.
        variant: String = Optional;
        /// The name of the network; the scenario's own if not given.
        network: String = Optional;
        /// The network whose number is taken off.
        minus: String = Optional;
        /// The number of hosts that answer; the last of the axis if not given.
        answering: u32 = Optional;
        /// The variant that the quantity is divided by.
        over: String = Optional;
        /// The quantity of that one, where it is another.
        over_quantity: Quantity = Optional;
        /// The number of hosts that answer that one.
        over_answering: u32 = Optional;
        /// What is taken over the runs.
        of: Statistic = Default("'mean'");
    }
}

/// Lets every variant of a study take over what `[mapping]` gives and it does not, but for tables with the
/// options of other algorithms.
pub(in super::super) fn inherit(root: &mut Item) {
    let Value::Table(sections) = &mut root.value else { return };
    let Some(Value::Table(shared)) = section(sections, "mapping").map(|item| item.value.clone()) else {
        return;
    };
    let Some(Value::Table(study)) = section(sections, "study").map(|item| &mut item.value) else { return };
    let Some(Value::List(variants)) = section(study, "variants").map(|item| &mut item.value) else { return };
    let of = |entries: &[Entry]| {
        let own = entries.iter().find(|entry| entry.key == "algorithm").map(|entry| &entry.item.value);
        if let Some(Value::Text(algorithm)) = own { Some(algorithm.clone()) } else { None }
    };
    let usual = of(&shared).unwrap_or_else(|| Algorithm::CHOICES[0].0.to_owned());
    for variant in variants {
        let Value::Table(own) = &mut variant.value else { continue };
        let algorithm = of(own).unwrap_or_else(|| usual.clone());
        for entry in &shared {
            let fits = !is_algorithm(&entry.key) || has_options(&algorithm, &entry.key);
            if fits && own.iter().all(|other| other.key != entry.key) {
                own.push(entry.clone());
            }
        }
    }
}

/// Whether an algorithm has the options of the table called `key`.
fn has_options(algorithm: &str, key: &str) -> bool {
    algorithm == key || matches!((algorithm, key), ("timed", "guarded") | ("randomised", "berkeley"))
}

fn section<'a>(entries: &'a mut [Entry], key: &str) -> Option<&'a mut Item> {
    entries.iter_mut().find(|entry| entry.key == key).map(|entry| &mut entry.item)
}

/// Whether a key of `[mapping]` is an algorithm's table of options.
fn is_algorithm(key: &str) -> bool {
    Algorithm::CHOICES.iter().any(|(word, _)| *word == key)
}

impl Choice for Quantity {
    const CHOICES: &'static [(&'static str, Quantity)] = &[
        ("hosts", Quantity::Hosts),
        ("switches", Quantity::Switches),
        ("links", Quantity::Links),
        ("host-hits", Quantity::HostHits),
        ("switch-hits", Quantity::SwitchHits),
        ("nothing", Quantity::Nothing),
        ("host-probes", Quantity::HostProbes),
        ("switch-probes", Quantity::SwitchProbes),
        ("host-hit-ratio", Quantity::HostHitRatio),
        ("switch-hit-ratio", Quantity::SwitchHitRatio),
        ("probes", Quantity::Probes),
        ("silent-probes", Quantity::SilentProbes),
        ("sent-host", Quantity::SentHost),
        ("sent-switch", Quantity::SentSwitch),
        ("sent-loop", Quantity::SentLoop),
        ("sent-compare", Quantity::SentCompare),
        ("sent-scout", Quantity::SentScout),
        ("sent-guard", Quantity::SentGuard),
        ("sent", Quantity::Sent),
        ("time", Quantity::Time),
        ("explorations", Quantity::Explorations),
        ("peak-nodes", Quantity::PeakNodes),
        ("final-nodes", Quantity::FinalNodes),
        ("peak-memory", Quantity::PeakMemory),
        ("right", Quantity::Right),
        ("surely-wrong", Quantity::SurelyWrong),
        ("answering-within-2x", Quantity::WithinTwice),
        ("answering-within-1.5x", Quantity::WithinHalfMore),
    ];
}

impl Choice for Axis {
    const CHOICES: &'static [(&'static str, Axis)] = &[
        ("hosts", Axis::Hosts),
        ("switches", Axis::Switches),
        ("answering", Axis::Answering),
        ("retries", Axis::Retries),
        ("load", Axis::Load),
        ("explorations", Axis::Explorations),
    ];
}
