//! From the tree of a sweep file to a sweep: axes, seeds, constraints, and which combinations they leave.

use std::sync::Arc;

use simnet_base::diagnostics::{Fault, Refusal, quoted};

use super::axes::{self, Axis, AxisKey};
use super::check::Firsts;
use super::clashes;
use super::columns;
use super::known::Known;
use super::limits::{self, Limits, Unjudged};
use super::operands::{self, inside};
use super::range::MOST_VALUES;
use super::{Base, PROFILE, Seeds, Shared, Sweep, evaluation, vary};
use crate::check;
use crate::diagnostics::{Diagnostics, Place};
use crate::expect::Expectations;
use crate::layers::{self, Layers, find};
use crate::tree::{Entry, Item, Value};
use crate::wire::{self, Located, Wire as _};

/// The most points of a sweep.
const MOST_POINTS: usize = 10_000_000;
/// The most seeds of a combination.
const MOST_SEEDS: u32 = 1_000_000;

/// Reads a sweep; `None` after a fault. Of its points only the kinds of values have been checked; it comes
/// with its faults; the first combination in which each value stands is to be checked.
pub(super) fn read(
    layers: Layers,
    seed: Option<u64>,
    model: u32,
    diagnostics: &mut Diagnostics,
) -> Option<(Sweep, Firsts, Option<Box<Refusal>>)> {
    let mut root = layers.flatten(layers.profile.as_ref(), diagnostics);
    let Parts { described, references, figures, expect, place } = parts(&mut root, diagnostics)?;
    let known = Known::new();
    let tables: Vec<&Item> = described.axes.value().into_iter().flatten().map(|at| &at.value.0).collect();
    let written = axes::read(&tables, &known, diagnostics);
    check_sets(&layers, &written.keys, diagnostics);
    clashes::keys(&written.keys, diagnostics);
    written.axes.iter().flatten().for_each(|axis| clashes::values(axis, diagnostics));
    clashes::columns(described.columns.value().map_or(&[], Vec::as_slice), diagnostics);
    check_seed(seed, &written.keys, diagnostics);
    let seeds = seeds(&described, &written.keys, diagnostics);
    let varied = vary::read(&described, diagnostics);
    let constraints = described.constraints.value().into_iter().flatten();
    let constraints = constraints.filter_map(|text| operands::parse(text, &known, diagnostics)).collect();
    check_last_seed(seed, seeds.as_ref(), place, diagnostics);
    // What was found faulty goes no further: from here on, axes, seeds and constraints are sound on their own.
    let axes: Vec<Axis> = written.axes.into_iter().collect::<Option<_>>()?;
    let columns = columns(&described);
    let listed = seeds.as_ref().and_then(Seeds::listed);
    let context = evaluation::Context { axes: &axes, columns: &columns, seeds: listed };
    let evaluation = evaluation::read(&described, &references, &figures, &context, diagnostics);
    let seeds = seeds.filter(|_| diagnostics.is_clean())?;
    check_size(&axes, &seeds, place, diagnostics)?;
    let structural = structural(&axes);
    let values = operands::Values { axes: &axes, root: &root, layers: &layers };
    let limits = values.limits(constraints, diagnostics)?;
    let kept = match limits.satisfying(&axes) {
        Ok(kept) => kept,
        Err(Unjudged { limit, at, message }) => {
            let place = limits.all[limit].place;
            let at = inside(diagnostics, place, at);
            diagnostics
                .add(at, |span| Fault::new("not-comparable", span, message, "expected values of one kind"));
            return None;
        }
    };
    if kept.as_ref().is_some_and(Vec::is_empty) {
        nothing_left(&limits, &axes, described.constraints.get().map(|at| at.place), diagnostics);
        return None;
    }
    let firsts = Firsts::new(&axes, kept.as_deref());
    let described_by = described_by(&root);
    let base = Base {
        diagnostics: diagnostics.empty_copy(),
        root,
        order: order(&axes),
        structural,
        limits,
        seed,
        model,
        described: described_by,
        columns,
        names: axes.iter().flat_map(Axis::names).map(str::to_owned).collect(),
        evaluation,
        expect,
        shared: Shared::default(),
        layers,
    };
    let templates = base.templates(&axes);
    let kept = kept.map(Arc::new);
    let networks = Arc::default();
    let sweep = Sweep { base: Arc::new(base), axes, seeds, varied, kept, templates, networks, quick: false };
    let digits = sweep.digits(0);
    // Every value is read once, whether a point with it is checked or not.
    let mut values = diagnostics.empty_copy();
    sweep.base.template(&sweep.axes, &digits, &mut values);
    vary::check(&sweep, &firsts, &described, &mut values);
    Some((sweep, firsts, values.into_refusal()))
}

/// The parts of a file that say what varies and what is made of it.
struct Parts {
    described: wire::Sweep,
    references: Vec<Located<wire::Reference>>,
    figures: Vec<Located<wire::Figure>>,
    expect: Expectations,
    /// Where the section `[sweep]` stands.
    place: Place,
}

/// Takes these parts out of the scenario; `None` after a fault.
fn parts(root: &mut Item, diagnostics: &mut Diagnostics) -> Option<Parts> {
    let Some(section) = layers::take(root, "sweep") else {
        diagnostics.add(root.place, |span| {
            let message = "the section [sweep] is missing";
            let expected = "needs [sweep]: this file describes a single scenario";
            Fault::new("missing-section", span, message, expected).with_help("run it with `simnet run`")
        });
        return None;
    };
    let [references, figures] = ["reference", "figure"].map(|key| layers::take(root, key));
    let (references, figures) = (listed(references, diagnostics), listed(figures, diagnostics));
    let expect = expectations(root, diagnostics);
    let described = wire::Sweep::read(&section.item, diagnostics)?;
    Some(Parts { described, references, figures, expect, place: section.place })
}

/// The columns that the file lists, and what those of load points are worth.
fn columns(described: &wire::Sweep) -> Vec<String> {
    let listed: Vec<String> =
        described.columns.value().into_iter().flatten().map(|at| at.value.clone()).collect();
    columns::with_their_worth(&listed)
}

/// The tables of a list that may be absent.
fn listed<T: wire::Wire>(entry: Option<Entry>, diagnostics: &mut Diagnostics) -> Vec<Located<T>> {
    entry.and_then(|entry| Vec::<Located<T>>::read(&entry.item, diagnostics)).unwrap_or_default()
}

/// What the file with the section `[sweep]` expects, and the command line: files that it includes speak of runs of
/// their own.
fn expectations(root: &Item, diagnostics: &mut Diagnostics) -> Expectations {
    let read =
        find(root, "expect").and_then(|item| wire::Expected::read(item, &mut diagnostics.empty_copy()));
    let all = read.map_or_else(Vec::new, |read| read.0);
    let own: Vec<_> = all.into_iter().filter(|(path, _)| !diagnostics.is_included(path.place)).collect();
    Expectations { list: check::expectations(&own, diagnostics), sources: diagnostics.sources() }
}

/// The seed and the description that the file gives, if it does.
fn described_by(root: &Item) -> (u64, Option<String>) {
    let key =
        |key: &str| find(root, "scenario").and_then(|scenario| find(scenario, key)).map(|item| &item.value);
    let seed = match key("seed") {
        Some(Value::Integer(Some(seed))) => u64::try_from(*seed).unwrap_or(0),
        _ => 0,
    };
    let description = match key("description") {
        Some(Value::Text(text)) => Some(text.clone()),
        _ => None,
    };
    (seed, description)
}

/// The keys in the order in which their values are laid over the base: those of outer tables first.
fn order(axes: &[Axis]) -> Vec<(usize, usize)> {
    let keys =
        axes.iter().enumerate().flat_map(|(nth, axis)| (0..axis.keys.len()).map(move |key| (nth, key)));
    let mut order: Vec<(usize, usize)> = keys.collect();
    order.sort_by_key(|(axis, key)| axes[*axis].keys[*key].path.len());
    order
}

pub(super) fn names(key: &AxisKey) -> impl Iterator<Item = &str> + Clone {
    key.path.iter().map(|(key, _)| key.as_str())
}

/// Whether one path leads to or into what the other leads to.
pub(super) fn touch<'a>(
    mut one: impl Iterator<Item = &'a str>,
    mut other: impl Iterator<Item = &'a str>,
) -> bool {
    loop {
        match (one.next(), other.next()) {
            (Some(a), Some(b)) if a == b => {}
            (Some(_), Some(_)) => return false,
            _ => return true,
        }
    }
}

/// Which axes change more than what stands in one place: a profile, a table into which another axis reaches, and
/// tables, as they are laid over others.
fn structural(axes: &[Axis]) -> Vec<bool> {
    let keys = || axes.iter().flat_map(|axis| &axis.keys);
    let is_profile = |key: &AxisKey| key.path[0].0 == PROFILE;
    let is_structural = |key: &AxisKey| {
        let reached =
            keys().any(|other| other.path.len() > key.path.len() && touch(names(key), names(other)));
        is_profile(key) || reached
    };
    axes.iter().map(|axis| axis.has_tables() || axis.keys.iter().any(is_structural)).collect()
}

/// Notes what the command line sets although an axis gives it.
fn check_sets(layers: &Layers, varied: &[AxisKey], diagnostics: &mut Diagnostics) {
    for set in layers.chosen.iter().chain(&layers.sets) {
        let path = set.path.iter().map(|(key, _)| key.as_str());
        let key = varied.iter().find(|key| touch(path.clone(), names(key)));
        if let (Some(key), Some((_, place))) = (key, set.path.last()) {
            diagnostics.add(*place, |span| {
                let message = format!("the axis `{}` gives this already", quoted(&key.name));
                Fault::new("conflict", span, message, "expected a key that is on no axis")
            });
        }
    }
}

/// Notes an axis of seeds where the command line gives the seed.
fn check_seed(seed: Option<u64>, varied: &[AxisKey], diagnostics: &mut Diagnostics) {
    let is_seed = |key: &&AxisKey| names(key).eq(["scenario", "seed"]);
    if let (Some(seed), Some(key)) = (seed, varied.iter().find(is_seed)) {
        diagnostics.add(key.place, |span| {
            let message = format!("an axis of seeds, and --seed {seed} too");
            Fault::new("conflict", span, message, "expected one of the two")
        });
    }
}

/// The seeds of every combination.
fn seeds(described: &wire::Sweep, varied: &[AxisKey], diagnostics: &mut Diagnostics) -> Option<Seeds> {
    if let (Some(repetitions), Some(seeds)) = (described.repetitions.get(), described.seeds.get()) {
        let place = repetitions.place.max(seeds.place);
        diagnostics.add(place, |span| {
            Fault::new("conflict", span, "both `repetitions` and `seeds`", "expected one of the two")
        });
        return None;
    }
    if let Some(seeds) = described.seeds.get() {
        let mut all: Vec<u64> = Vec::new();
        let mut seen = std::collections::BTreeSet::new();
        for seed in &seeds.value {
            if !seen.insert(seed.value) {
                diagnostics.add(seed.place, |span| {
                    let message = format!("the seed {} is there twice", seed.value);
                    Fault::new("conflict", span, message, "expected each seed once")
                });
            }
            all.push(seed.value);
        }
        let is_varied = |key: &&AxisKey| names(key).eq(["scenario", "seed"]);
        if let Some(key) = varied.iter().find(is_varied) {
            diagnostics.add(key.place, |span| {
                let message = "an axis of seeds, and `seeds` too";
                Fault::new("conflict", span, message, "expected one of the two, or repetitions = N")
            });
        }
        if all.is_empty() {
            diagnostics.add(seeds.place, |span| {
                Fault::new("empty-list", span, "an empty list", "expected at least one seed")
            });
        }
        return (!all.is_empty()).then_some(Seeds::Listed(all));
    }
    match described.repetitions.get() {
        None if described.repetitions.is_absent() => Some(Seeds::Repetitions(1)),
        None => None,
        Some(Located { value: count @ 1..=MOST_SEEDS, .. }) => Some(Seeds::Repetitions(*count)),
        Some(Located { place, .. }) => {
            diagnostics.add(*place, |span| {
                let expected = format!("expected 1 to {MOST_SEEDS}");
                Fault::new("out-of-range", span, "no number of repetitions", expected)
            });
            None
        }
    }
}

/// Notes seeds beyond the greatest; a scenario's own is far from it.
fn check_last_seed(first: Option<u64>, seeds: Option<&Seeds>, place: Place, diagnostics: &mut Diagnostics) {
    if let (Some(first), Some(Seeds::Repetitions(count))) = (first, seeds)
        && first.checked_add(u64::from(*count) - 1).is_none()
    {
        diagnostics.add(place, |span| {
            let message = format!("there are no {count} seeds from {first} on");
            Fault::new("out-of-range", span, message, "expected a smaller --seed, or fewer repetitions")
        });
    }
}

fn check_size(axes: &[Axis], seeds: &Seeds, place: Place, diagnostics: &mut Diagnostics) -> Option<()> {
    let seeds = match seeds {
        Seeds::Repetitions(count) => *count as usize,
        Seeds::Listed(all) => all.len(),
    };
    let points = limits::product(axes).saturating_mul(seeds);
    if points <= MOST_POINTS {
        return Some(());
    }
    diagnostics.add(place, |span| {
        let parts: Vec<String> = axes.iter().map(|axis| axis.len().to_string()).collect();
        let message = format!("too many points: {} x {seeds} seeds", parts.join(" x "));
        let expected = format!("expected at most {MOST_POINTS}, before constraints");
        Fault::new("too-many-points", span, message, expected)
    });
    debug_assert!(MOST_VALUES >= MOST_POINTS as i128, "a range may be as long as a sweep");
    None
}

fn nothing_left(limits: &Limits, axes: &[Axis], list: Option<Place>, diagnostics: &mut Diagnostics) {
    let expected = "expected constraints that some combination of values meets";
    let hopeless = limits.hopeless(axes);
    for place in &hopeless {
        diagnostics.add(*place, |span| {
            Fault::new("no-points", span, "no combination of values meets this constraint", expected)
        });
    }
    if let (true, Some(place)) = (hopeless.is_empty(), list) {
        diagnostics.add(place, |span| {
            Fault::new("no-points", span, "no combination of values meets all constraints", expected)
        });
    }
}
