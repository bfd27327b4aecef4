//! A sweep: a scenario whose keys take many values, each combination a point.

use std::ops::Range;
use std::path::Path;

use crate::diagnostics::{Fault, Refusal, decode};

use super::book::Book;
use super::checked::Checked;
use super::tree::{self, Item, Value};
use super::wire::{self, Document, Wire as _};
use super::{Files, Overrides, build};

/// A sweep whose file has been read and checked.
#[derive(Clone, Debug)]
pub struct Sweep {
    book: Book,
    base: Item,
    name: String,
    axes: Vec<Axis>,
    names: Vec<String>,
    seeds: Vec<u64>,
    columns: Vec<String>,
    model: u32,
    quick: bool,
}

/// Keys that take their values in lock-step.
#[derive(Clone, Debug)]
struct Axis {
    keys: Vec<(Vec<String>, Vec<Item>)>,
    length: usize,
}

/// Whether a file describes a sweep: whether it has a section `[sweep]` of its own.
pub fn is_sweep(bytes: &[u8]) -> bool {
    let Ok(text) = str::from_utf8(bytes) else { return false };
    let (table, _) = toml::de::DeTable::parse_recoverable(text);
    table.get_ref().iter().any(|(key, _)| key.get_ref() == "sweep")
}

impl Sweep {
    /// Reads and checks a sweep file, whose points are computed by version `model` of the model.
    ///
    /// # Errors
    /// Every fault of the file and of those it names, each with its place.
    pub fn read(
        file: &str,
        bytes: &[u8],
        overrides: &Overrides,
        files: &Files,
        model: u32,
    ) -> Result<Sweep, Box<Refusal>> {
        let text = decode(file, bytes)?;
        let mut book = Book::new(files);
        let source = book.add_scenario(Path::new(file), text);
        let sweep = tree::parse(&mut book, source).and_then(|mut root| {
            for assignment in &overrides.set {
                tree::set(&mut root, &mut book, "--set", assignment);
            }
            Sweep::of(root, overrides.seed, model, &mut book)
        });
        match (sweep, book.into_refusal()) {
            (Some(sweep), None) => Ok(sweep),
            (_, Some(refusal)) => Err(refusal),
            (None, None) => unreachable!("a sweep is refused only after a fault was noted"),
        }
    }

    fn of(mut root: Item, seed: Option<u64>, model: u32, book: &mut Book) -> Option<Sweep> {
        let place = root.place;
        let Value::Table(entries) = &mut root.value else { return None };
        let Some(at) = entries.iter().position(|entry| entry.key == "sweep") else {
            book.add(place, |span| Fault::new("missing-section", span, "no sweep", "needs [sweep]"));
            return None;
        };
        let described = entries.remove(at).item;
        let mut axes = Vec::new();
        if let Some(Value::List(list)) = find(&described, "axes").map(|item| &item.value) {
            for item in list {
                let mut keys = Vec::new();
                flatten(item, &mut Vec::new(), &mut keys);
                let length = keys.first().map_or(0, |(_, values)| values.len());
                axes.push(Axis { keys, length });
            }
        }
        let name = find(&root, "scenario").and_then(|scenario| find(scenario, "name"));
        let Some(Value::Text(name)) = name.map(|item| item.value.clone()) else {
            book.add(place, |span| Fault::new("missing-key", span, "no name", "needs [scenario] name"));
            return None;
        };
        let number = |item: Option<&Item>| match item.map(|item| &item.value) {
            Some(Value::Integer(Some(number))) => u64::try_from(*number).ok(),
            _ => None,
        };
        let own = number(find(&root, "scenario").and_then(|scenario| find(scenario, "seed")));
        let first = seed.or(own).unwrap_or(0);
        let repetitions = number(find(&described, "repetitions")).unwrap_or(1);
        let columns = match find(&described, "columns").map(|item| &item.value) {
            Some(Value::List(list)) => list.iter().map(printed).collect(),
            _ => Vec::new(),
        };
        let names = axes.iter().flat_map(|axis| axis.keys.iter().map(|(path, _)| path.join("."))).collect();
        Some(Sweep {
            book: book.clone(),
            base: root,
            name,
            axes,
            names,
            seeds: (first..first.saturating_add(repetitions)).collect(),
            columns,
            model,
            quick: false,
        })
    }

    /// What the sweep is called: the name of its scenario.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// A small version: of numeric axes of more than four values every fourth value, at most two repetitions, and
    /// every point as `simnet run --quick` has it.
    #[must_use]
    pub fn quick(&self) -> Sweep {
        let mut quick = Sweep { quick: true, ..self.clone() };
        quick.seeds.truncate(2);
        quick
    }

    /// Whether it is the small version.
    pub fn is_quick(&self) -> bool {
        self.quick
    }

    /// The paths of the keys that vary, axis by axis; the columns of [`Sweep::values`].
    pub fn axes(&self) -> &[String] {
        &self.names
    }

    /// The paths into summary.json that the sweep's file wants to see; empty: every scalar.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// How many points there are.
    pub fn len(&self) -> usize {
        self.axes.iter().map(|axis| axis.length).product::<usize>() * self.seeds.len()
    }

    /// Whether there are none; never, of a sweep that was read.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The values of the keys at a point, printed, in the order of [`Sweep::axes`].
    pub fn values(&self, point: usize) -> Vec<String> {
        let digits = self.digits(point);
        let axes = self.axes.iter().zip(digits);
        axes.flat_map(|(axis, nth)| axis.keys.iter().map(move |(_, values)| printed(&values[nth]))).collect()
    }

    /// The seed of a point.
    pub fn seed(&self, point: usize) -> u64 {
        self.seeds[point % self.seeds.len()]
    }

    /// What a point is known by.
    pub fn key(&self, point: usize) -> blake3::Hash {
        let text = self.checked(point).map_or_else(|refusal| refusal.to_string(), |it| it.canonical());
        let mut hasher = blake3::Hasher::new();
        hasher.update(&self.model.to_le_bytes()).update(&[u8::from(self.quick)]).update(text.as_bytes());
        hasher.finalize()
    }

    /// The keys of several points, on all cores.
    pub fn keys(&self, points: Range<usize>) -> Vec<blake3::Hash> {
        points.map(|point| self.key(point)).collect()
    }

    /// What a point is likely to take, in seconds of one core: an estimate, good for ordering points.
    pub fn cost(&self, _point: usize) -> f64 {
        1.0
    }

    /// The scenario of a point.
    ///
    /// # Errors
    /// The faults of this combination of values.
    pub fn checked(&self, point: usize) -> Result<Checked, Box<Refusal>> {
        let mut book = self.book.clone();
        let mut root = self.base.clone();
        for (axis, nth) in self.axes.iter().zip(self.digits(point)) {
            for (path, values) in &axis.keys {
                lay(&mut root, path, &values[nth]);
            }
        }
        wire::inherit(&mut root);
        let document = Document::read(&root, &mut book);
        let seed = Some(self.seed(point));
        let checked = document.and_then(|document| build::build(&document, None, seed, &mut book));
        match (book.into_refusal(), checked) {
            (None, Some(checked)) => Ok(if self.quick { checked.quick() } else { checked }),
            (Some(refusal), _) => Err(refusal),
            (None, None) => unreachable!("a scenario is refused only after a fault was noted"),
        }
    }

    fn digits(&self, point: usize) -> Vec<usize> {
        let mut rest = point / self.seeds.len();
        let mut digits: Vec<usize> = self
            .axes
            .iter()
            .rev()
            .map(|axis| {
                let digit = rest % axis.length;
                rest /= axis.length;
                digit
            })
            .collect();
        digits.reverse();
        digits
    }
}

fn find<'a>(item: &'a Item, key: &str) -> Option<&'a Item> {
    let Value::Table(entries) = &item.value else { return None };
    entries.iter().find(|entry| entry.key == key).map(|entry| &entry.item)
}

fn flatten(item: &Item, path: &mut Vec<String>, keys: &mut Vec<(Vec<String>, Vec<Item>)>) {
    match &item.value {
        Value::Table(entries) => {
            for entry in entries {
                let depth = path.len();
                path.extend(entry.key.split('.').map(str::to_owned));
                flatten(&entry.item, path, keys);
                path.truncate(depth);
            }
        }
        Value::List(values) => keys.push((path.clone(), values.clone())),
        _ => {}
    }
}

fn printed(item: &Item) -> String {
    match &item.value {
        Value::Text(text) => text.clone(),
        Value::Integer(number) => number.unwrap_or_default().to_string(),
        Value::Float(number) => number.unwrap_or_default().to_string(),
        Value::Boolean(value) => value.to_string(),
        other => other.kind().to_owned(),
    }
}

fn lay(at: &mut Item, path: &[String], value: &Item) {
    let Some((key, rest)) = path.split_first() else {
        *at = value.clone();
        return;
    };
    if let Value::Table(entries) = &mut at.value {
        let position = entries.iter().position(|entry| entry.key == *key).unwrap_or_else(|| {
            let item = Item { place: value.place, value: Value::Table(Vec::new()) };
            entries.push(tree::Entry { key: key.clone(), place: value.place, item });
            entries.len() - 1
        });
        lay(&mut entries[position].item, rest, value);
    }
}
