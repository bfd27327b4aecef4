//! A sweep: a scenario in which some keys take many values; every combination, with every seed, is a point.
//!
//! ```text
//!   file --layers--> base, [sweep] --axes, constraints--> combinations --seeds--> points
//!   point --values laid over the base--> scenario (checked)        --canonical form--> key
//! ```
//! Values are values of the scenario's keys, never text that is substituted. Every value of every axis is checked, as
//! part of a point that holds it, when the file is read. Points are counted, not stored: what is kept grows with the
//! values, and with one number for every combination where there are constraints.

mod axes;
mod check;
mod clashes;
mod columns;
mod constraint;
mod decimal;
mod evaluation;
mod key;
mod known;
mod limits;
mod neighbours;
mod networks;
mod operands;
mod range;
mod read;
mod scalar;
mod vary;

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rayon::prelude::*;

use simnet_base::diagnostics::{Fault, Refusal, decode, shown};

use super::checked::Checked;
use super::diagnostics::Diagnostics;
use super::expect::Expectations;
use super::layers::{self, Layers};
use super::seeds::{Chance, RunSeeds};
use super::tree::{Item, Value};
use super::wire::{Document, Wire as _};
use super::{Files, Overrides};

use axes::Axis;
use key::{Template, Templates};
use limits::Limits;
use networks::Networks;
use vary::Parts;

pub use evaluation::{Evaluation, Pins, Plot, Ratio, Reference, SEED};
pub use key::Identity;

/// A sweep whose file has been read and checked.
#[derive(Clone, Debug)]
pub struct Sweep {
    base: Arc<Base>,
    axes: Vec<Axis>,
    seeds: Seeds,
    /// The parts that these seeds vary.
    varied: Parts,
    /// The combinations that meet the constraints, in order; all if there are no constraints.
    kept: Option<Arc<Vec<u32>>>,
    templates: Arc<Templates>,
    networks: Arc<Networks>,
    quick: bool,
}

/// What all points share.
#[derive(Debug)]
struct Base {
    /// The sources, without faults.
    diagnostics: Diagnostics,
    layers: Layers,
    /// The scenario below the axes, where its profile does not vary.
    root: Item,
    /// The keys of all axes, as axis and key, in the order in which they are laid: outer tables first.
    order: Vec<(usize, usize)>,
    /// Whether an axis changes more than what stands in one place.
    structural: Vec<bool>,
    limits: Limits,
    /// The seed of the command line.
    seed: Option<u64>,
    model: u32,
    columns: Vec<String>,
    /// What the axes are called: labels and keys.
    names: Vec<String>,
    /// What is made of the points.
    evaluation: Evaluation,
    /// What is expected of the whole sweep.
    expect: Expectations,
    /// The sweep's own seed and description.
    described: (u64, Option<String>),
    /// What the checked points show of all.
    shared: Shared,
}

/// What all points share, as those show that are checked when the file is read.
#[derive(Clone, Debug, Default)]
struct Shared {
    name: String,
    warnings: Vec<String>,
    /// Seconds of the first point, whole and quick.
    seconds: [f64; 2],
    /// For every axis and position, how the seconds change.
    ratios: Vec<Vec<f64>>,
}

/// The seeds of every combination.
#[derive(Clone, Debug)]
enum Seeds {
    /// The scenario's and those after it.
    Repetitions(u32),
    Listed(Vec<u64>),
}

impl Seeds {
    /// The seeds, if they are listed.
    fn listed(&self) -> Option<&[u64]> {
        match self {
            Seeds::Listed(all) => Some(all),
            Seeds::Repetitions(_) => None,
        }
    }
}

/// Whether a file describes a sweep: whether there is a section `[sweep]` in it, in one that it includes, or on the
/// command line. Their faults are not reported here.
pub fn is_sweep(file: impl AsRef<Path>, bytes: &[u8], overrides: &Overrides, files: &Files) -> bool {
    let file = file.as_ref();
    let Ok(text) = decode(&shown(&file).to_string(), bytes) else { return false };
    // A file with broken syntax is whatever it says of itself.
    let (table, _) = toml::de::DeTable::parse_recoverable(text);
    let is_own = table.get_ref().iter().any(|(key, _)| key.get_ref() == "sweep");
    let mut diagnostics = Diagnostics::new(files);
    diagnostics.add_scenario(file, text);
    let layers = layers::read(&mut diagnostics, PathBuf::from(file), &overrides.set);
    is_own
        || layers
            .is_some_and(|layers| layers::find(&layers.flatten(None, &mut diagnostics), "sweep").is_some())
}

impl Sweep {
    /// Reads and checks a sweep file, whose points are computed by version `model` of the model.
    ///
    /// Costs as much as checking a point for every value of every axis, at most five hundred, and a look at every
    /// combination where there are constraints.
    ///
    /// # Errors
    /// Every fault of the file and of those that it names, each with its place. Points are checked only when nothing
    /// else is wrong.
    pub fn read(
        file: impl AsRef<Path>,
        bytes: &[u8],
        overrides: &Overrides,
        files: &Files,
        model: u32,
    ) -> Result<Sweep, Box<Refusal>> {
        let file = file.as_ref();
        let text = decode(&shown(&file).to_string(), bytes)?;
        let mut diagnostics = Diagnostics::new(files);
        diagnostics.add_scenario(file, text);
        let layers = layers::read(&mut diagnostics, PathBuf::from(file), &overrides.set);
        let read = layers.and_then(|layers| read::read(layers, overrides.seed, model, &mut diagnostics));
        match (read, diagnostics.into_refusal()) {
            (_, Some(refusal)) => Err(refusal),
            (Some((sweep, firsts, values)), None) => sweep.check_values(&firsts, values),
            (None, None) => unreachable!("a sweep is refused only after a fault was noted"),
        }
    }

    /// What the sweep is called: the name of its scenario.
    pub fn name(&self) -> &str {
        &self.base.shared.name
    }

    /// A small version: of axes of more than four numbers or quantities every fourth value, of networks that chance
    /// makes the first two, at most two seeds, and every point as `simnet run --quick` has it, of more than four loads
    /// with every fourth, the last among them. Where constraints leave nothing of it, the axes stay whole.
    #[must_use]
    pub fn quick(&self) -> Sweep {
        let seeds = match &self.seeds {
            Seeds::Repetitions(count) => Seeds::Repetitions((*count).min(2)),
            Seeds::Listed(all) => Seeds::Listed(all.iter().copied().take(2).collect()),
        };
        let thinned: Vec<Axis> = self.axes.iter().map(Axis::thinned).collect();
        let kept = self.base.limits.satisfying(&thinned).ok().flatten();
        let (axes, kept) = match kept {
            Some(kept) if kept.is_empty() => (self.axes.clone(), self.kept.clone()),
            kept => (thinned, kept.map(Arc::new)),
        };
        let templates = self.base.templates(&axes);
        Sweep { axes, seeds, kept, templates, quick: true, ..self.clone() }
    }

    /// Whether it is the small version.
    pub fn is_quick(&self) -> bool {
        self.quick
    }

    /// What varies, axis by axis: the name of an axis with labels, then the paths of its keys. What [`Sweep::values`]
    /// are values of.
    pub fn axes(&self) -> &[String] {
        &self.base.names
    }

    /// How many values each axis has, in order; with the seeds, their product is the number of points if no
    /// constraint is in the way.
    pub fn lengths(&self) -> Vec<usize> {
        self.axes.iter().map(Axis::len).collect()
    }

    /// How many seeds every combination is run with.
    pub fn seeds(&self) -> usize {
        match &self.seeds {
            Seeds::Repetitions(count) => *count as usize,
            Seeds::Listed(all) => all.len(),
        }
    }

    /// The parts of the scenario that differ from seed to seed, as the key `vary` names them.
    pub fn varied(&self) -> Vec<&'static str> {
        self.varied.names()
    }

    /// The paths into summary.json that the sweep's file wants to see; empty: every scalar.
    pub fn columns(&self) -> &[String] {
        &self.base.columns
    }

    /// What is made of the points.
    pub fn evaluation(&self) -> &Evaluation {
        &self.base.evaluation
    }

    /// Whether the file asks for more than a table of points.
    pub fn is_evaluated(&self) -> bool {
        let has_curves = self.base.columns.iter().any(|name| name.contains('*'));
        has_curves || !self.base.evaluation.is_empty() || !self.base.expect.list.is_empty()
    }

    /// What the file itself, not those that it includes, expects of the whole sweep.
    pub fn expect(&self) -> &Expectations {
        &self.base.expect
    }

    /// What the file says that it is about.
    pub fn description(&self) -> Option<&str> {
        self.base.described.1.as_deref()
    }

    /// The seed of the file, or of the command line: that of the first repetition where no axis gives it.
    pub fn own_seed(&self) -> u64 {
        self.base.seed.unwrap_or(self.base.described.0)
    }

    /// BLAKE3 of the keys of all points, in order, and of what is made of them.
    pub fn hash(&self) -> blake3::Hash {
        let mut hasher = blake3::Hasher::new();
        for key in self.keys(0..self.len()) {
            hasher.update(key.as_bytes());
        }
        let rest = (&self.base.names, &self.base.columns, &self.base.evaluation);
        hasher.update(format!("{rest:?}").as_bytes()).finalize()
    }

    /// Sentences about values that are legal but deserve a look, as [`Checked::warnings`] of the first point.
    pub fn warnings(&self) -> &[String] {
        &self.base.shared.warnings
    }

    /// How many points there are.
    pub fn len(&self) -> usize {
        self.combinations() * self.seeds()
    }

    /// Whether there are none; never, of a sweep that was read.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn combinations(&self) -> usize {
        self.kept.as_ref().map_or_else(|| limits::product(&self.axes), |kept| kept.len())
    }

    /// The values of the keys at a point, printed, in the order of [`Sweep::axes`].
    ///
    /// # Panics
    /// If there is no such point.
    pub fn values(&self, point: usize) -> Vec<String> {
        let digits = self.digits(point);
        self.axes.iter().zip(digits).flat_map(|(axis, digit)| axis.texts(digit)).collect()
    }

    /// What varies, each axis once: the name of one with labels, the paths of the keys of another.
    pub fn axes_in_short(&self) -> Vec<String> {
        self.axes.iter().flat_map(Axis::names_in_short).map(str::to_owned).collect()
    }

    /// All names of the axes that have one of these names: keys of one axis go in lock-step.
    pub fn in_step_with(&self, names: &[String]) -> Vec<String> {
        let holds = |axis: &&Axis| axis.names().any(|name| names.iter().any(|other| other == name));
        self.axes.iter().filter(holds).flat_map(Axis::names).map(str::to_owned).collect()
    }

    /// A point in one word: the labels or values of all axes but those of `left_out`, and the seed where there are
    /// several, with slashes between.
    ///
    /// # Panics
    /// If there is no such point.
    pub fn id(&self, point: usize, left_out: &[String]) -> String {
        let is_left_out = |name: &str| left_out.iter().any(|other| other == name);
        let axes = self.axes.iter().zip(self.digits(point));
        let axes = axes.filter(|(axis, _)| !axis.names().any(is_left_out));
        let seed = (self.seeds() > 1 && !is_left_out(SEED)).then(|| self.seed(point).to_string());
        axes.map(|(axis, digit)| axis.id(digit)).chain(seed).collect::<Vec<_>>().join("/")
    }

    /// The seed of a point.
    ///
    /// # Panics
    /// If there is no such point.
    pub fn seed(&self, point: usize) -> u64 {
        let digits = self.digits(point);
        self.with_template(&digits, |template| self.seed_at(point, &digits, template))
    }

    /// Whether every load of a point must be saturated or converged, as `measure.require-convergence` of the point's
    /// scenario has it; never in the small version.
    ///
    /// Costs a look at the base; where `[measure]` or the profile varies, the making of the point's own tree.
    ///
    /// # Panics
    /// If there is no such point.
    pub fn requires_convergence(&self, point: usize) -> bool {
        let keys = || self.axes.iter().flat_map(|axis| &axis.keys);
        let varies = keys().any(|key| [PROFILE, MEASURE].contains(&key.path[0].0.as_str()));
        let requires = |root: &Item| {
            let measure = layers::find(root, MEASURE);
            let value = measure.and_then(|measure| layers::find(measure, "require-convergence"));
            value.is_some_and(|item| matches!(item.value, Value::Boolean(true)))
        };
        if self.quick || !varies {
            return !self.quick && requires(&self.base.root);
        }
        let mut diagnostics = self.base.diagnostics.empty_copy();
        requires(&self.base.tree(&self.axes, &self.digits(point), false, &mut diagnostics))
    }

    /// What a point is known by: the hash of its scenario in canonical form without name, description and
    /// expectations, of its seed, of the seeds of parts that have another one, of the version of the model, and of
    /// whether it is quick.
    ///
    /// # Panics
    /// If there is no such point.
    pub fn key(&self, point: usize) -> blake3::Hash {
        self.key_at(point, &mut Vec::new())
    }

    /// The keys of several points, made on all cores: about a microsecond each.
    ///
    /// # Panics
    /// If there is no such point.
    pub fn keys(&self, points: Range<usize>) -> Vec<blake3::Hash> {
        let key = |digits: &mut Vec<usize>, point: usize| self.key_at(point, digits);
        points.into_par_iter().with_min_len(1024).map_init(Vec::new, key).collect()
    }

    fn key_at(&self, point: usize, digits: &mut Vec<usize>) -> blake3::Hash {
        self.write_digits(point, digits);
        self.with_template(digits, |template| {
            let (own, seed) = (template.seed(&self.axes, digits), self.seed_at(point, digits, template));
            let others = match own == seed && !self.varied.has(Chance::Topology) {
                true => Vec::new(),
                false => self.varied.other_seeds(self.drawn_at(digits, template), own, seed).collect(),
            };
            template.identity(digits).key_with(self.base.model, self.quick, seed, &others)
        })
    }

    fn seed_at(&self, point: usize, digits: &[usize], template: &Template) -> u64 {
        let nth = point % self.seeds();
        match &self.seeds {
            Seeds::Repetitions(_) => template.seed(&self.axes, digits).saturating_add(nth as u64),
            Seeds::Listed(all) => all[nth],
        }
    }

    /// What a point is likely to take, in seconds of one core.
    ///
    /// An estimate, good for what to begin with: that of the first point, times what each value of the point changes
    /// in it on its own.
    ///
    /// # Panics
    /// If there is no such point.
    pub fn cost(&self, point: usize) -> f64 {
        let shared = &self.base.shared;
        let ratio = |(nth, digit): (usize, usize)| shared.ratios[nth][self.axes[nth].whole_position(digit)];
        shared.seconds[usize::from(self.quick)]
            * self.digits(point).into_iter().enumerate().map(ratio).product::<f64>()
    }

    /// The scenario of a point.
    ///
    /// # Errors
    /// The faults of this combination of values.
    ///
    /// # Panics
    /// If there is no such point.
    pub fn checked(&self, point: usize) -> Result<Checked, Box<Refusal>> {
        let digits = self.digits(point);
        let seeds = self.with_template(&digits, |template| self.seeds_at(point, &digits, template));
        self.checked_at(&digits, seeds)
    }

    /// The seeds of a point's parts.
    fn seeds_at(&self, point: usize, digits: &[usize], template: &Template) -> RunSeeds {
        self.varied.seeds(template.seed(&self.axes, digits), self.seed_at(point, digits, template))
    }

    fn checked_at(&self, digits: &[usize], seeds: RunSeeds) -> Result<Checked, Box<Refusal>> {
        let mut diagnostics = self.base.diagnostics.empty_copy();
        let root = self.base.tree(&self.axes, digits, false, &mut diagnostics);
        let document = Document::read(&root, &mut diagnostics);
        let given = self.network(digits, seeds.topology);
        let is_new = given.is_none();
        let checked = document
            .and_then(|document| super::check::check(&document, given, Some(seeds), &mut diagnostics));
        match (diagnostics.into_refusal(), checked) {
            (None, Some(checked)) => {
                if is_new {
                    self.keep_network(digits, seeds.topology, &checked.topology);
                }
                Ok(if self.quick { checked.small() } else { checked })
            }
            (Some(refusal), _) => Err(refusal),
            (None, None) => unreachable!("a scenario is refused only after a fault was noted"),
        }
    }

    /// Where every axis stands at a point.
    fn digits(&self, point: usize) -> Vec<usize> {
        let mut digits = Vec::new();
        self.write_digits(point, &mut digits);
        digits
    }

    fn write_digits(&self, point: usize, digits: &mut Vec<usize>) {
        limits::write_digits(&self.axes, self.combination_of(point), digits);
    }

    /// The combination that a point repeats.
    fn combination_of(&self, point: usize) -> usize {
        let nth = point / self.seeds();
        self.kept.as_ref().map_or(nth, |kept| kept[nth] as usize)
    }

    /// The parts that the points of a combination may draw with the seeds of their runs, whatever the values in holes.
    fn drawn(&self, combination: usize) -> Parts {
        let mut digits = Vec::new();
        limits::write_digits(&self.axes, combination, &mut digits);
        self.with_template(&digits, |template| template.draws().parts(|_| None))
    }

    /// The parts that a point draws with the seeds of its run.
    fn drawn_at(&self, digits: &[usize], template: &Template) -> Parts {
        template.draws().parts(|hole| {
            let (axis, key) = self.base.order[hole];
            Some(self.axes[axis].item(key, digits[axis]).value)
        })
    }

    fn with_template<T>(&self, digits: &[usize], then: impl FnOnce(&Template) -> T) -> T {
        let make = || self.base.template(&self.axes, digits, &mut self.base.diagnostics.empty_copy());
        self.templates.with(&self.axes, digits, make, then)
    }
}

impl Base {
    /// Room for the templates of these axes.
    fn templates(&self, axes: &[Axis]) -> Arc<Templates> {
        let structural = (0..axes.len()).filter(|axis| self.structural[*axis]).collect();
        Arc::new(Templates::new(structural, axes))
    }

    /// The canonical form of all points that differ from that at `digits` in holes only.
    fn template(&self, axes: &[Axis], digits: &[usize], diagnostics: &mut Diagnostics) -> Template {
        let root = self.tree(axes, digits, true, diagnostics);
        Template::new(root, axes, &self.order, self.seed, diagnostics)
    }

    /// The tree of the point at `digits`; if wished, with holes where an axis changes nothing else.
    fn tree(&self, axes: &[Axis], digits: &[usize], with_holes: bool, diagnostics: &mut Diagnostics) -> Item {
        let is_profile = |at: &&(usize, usize)| axes[at.0].keys[at.1].path[0].0 == PROFILE;
        let mut root = match self.order.iter().find(is_profile) {
            Some((axis, key)) => {
                let profile = axes[*axis].item(*key, digits[*axis]);
                let mut root = self.layers.flatten(Some(&profile), diagnostics);
                layers::take(&mut root, "sweep");
                root
            }
            None => self.root.clone(),
        };
        for (hole, (axis, key)) in self.order.iter().enumerate().filter(|(_, at)| !is_profile(at)) {
            let value = if with_holes && !self.structural[*axis] {
                let place = axes[*axis].keys[*key].place;
                Item { place, value: Value::Hole(hole) }
            } else {
                axes[*axis].item(*key, digits[*axis])
            };
            let path = &axes[*axis].keys[*key].path;
            if let Err((length, depth)) = layers::assign(&mut root, path, value) {
                diagnostics.add(path[depth].1, |span| {
                    let message = format!("`{}` is no place in a list of {length}", path[depth].0);
                    Fault::new("unknown-key", span, message, "expected a position, from 0")
                });
            }
        }
        root
    }
}

/// The key that chooses a profile.
const PROFILE: &str = "profile";
/// The section that says whether points must converge.
const MEASURE: &str = "measure";
