//! From the tree of a sweep file to a sweep: axes, seeds, constraints, and which combinations they leave.

use std::sync::Arc;

use crate::diagnostics::{Fault, Refusal, quoted};

use super::super::book::{Book, Place};
use super::super::layers::{self, Layers, find};
use super::super::tree::{Item, Value};
use super::super::wire::{self, At, Wire as _};
use super::axes::{self, Axis, AxisKey, joined};
use super::check::Firsts;
use super::clashes;
use super::constraint::{self, Expression};
use super::known::{Known, words};
use super::limits::{self, Limit, Limits, Side, Unjudged};
use super::range::MOST_VALUES;
use super::scalar::Scalar;
use super::{Base, PROFILE, Seeds, Sweep, Told};

/// The most points of a sweep.
const MOST_POINTS: usize = 10_000_000;
/// The most seeds of a combination.
const MOST_SEEDS: u32 = 1_000_000;

/// Reads a sweep; `None` after a fault. Of its points nothing has been checked but that values are of their kinds, the
/// faults of which come with it; the first combination in which each value stands is to be checked.
pub(super) fn read(
    layers: Layers,
    seed: Option<u64>,
    model: u32,
    book: &mut Book,
) -> Option<(Sweep, Firsts, Option<Box<Refusal>>)> {
    let mut root = layers.flatten(layers.profile.as_ref(), book);
    let Some(section) = layers::take(&mut root, "sweep") else {
        book.add(root.place, |span| {
            let message = "the section [sweep] is missing";
            Fault::new(
                "missing-section",
                span,
                message,
                "needs [sweep]: this file describes a single scenario",
            )
            .with_help("run it with `simnet run`")
        });
        return None;
    };
    let described = wire::Sweep::read(&section.item, book)?;
    let known = Known::new();
    let tables: Vec<&Item> = described.axes.value().into_iter().flatten().map(|at| &at.value.0).collect();
    let axes = axes::read(&tables, &known, book);
    check_sets(&layers, &axes, book);
    clashes::check(&axes, book);
    clashes::columns(described.columns.value().map_or(&[], Vec::as_slice), book);
    check_seed(seed, &axes, book);
    let seeds = seeds(&described, &axes, book);
    let structural = structural(&axes, &root, &layers);
    let operands = Operands { known: &known, axes: &axes, root: &root, layers: &layers };
    let constraints = described.constraints.value().into_iter().flatten();
    let limits = Limits { all: constraints.filter_map(|text| operands.limit(text, book)).collect() };
    check_last_seed(seed, seeds.as_ref(), section.place, book);
    let seeds = seeds.filter(|_| book.is_clean())?;
    check_size(&axes, &seeds, section.place, book)?;
    let kept = match limits.kept(&axes) {
        Ok(kept) => kept,
        Err(Unjudged { limit, at, message }) => {
            let place = limits.all[limit].place;
            let at = inside(book, place, at);
            book.add(at, |span| Fault::new("not-comparable", span, message, "expected values of one kind"));
            return None;
        }
    };
    if kept.as_ref().is_some_and(Vec::is_empty) {
        nothing_left(&limits, &axes, described.constraints.get().map(|at| at.place), book);
        return None;
    }
    let firsts = Firsts::new(&axes, kept.as_deref());
    let base = Base {
        book: book.empty_copy(),
        root,
        order: order(&axes),
        structural,
        limits,
        seed,
        model,
        columns: described.columns.value().into_iter().flatten().map(|at| at.value.clone()).collect(),
        names: axes.iter().flat_map(|axis| axis.keys.iter().map(|key| key.name.clone())).collect(),
        told: Told::default(),
        layers,
    };
    let templates = base.templates(&axes);
    let kept = kept.map(Arc::new);
    let sweep = Sweep { base: Arc::new(base), axes, seeds, kept, templates, quick: false };
    let digits = sweep.digits(0);
    // Every value is read once, whether a point with it is checked or not.
    let mut values = book.empty_copy();
    sweep.base.template(&sweep.axes, &digits, &mut values);
    Some((sweep, firsts, values.into_refusal()))
}

/// The keys in the order in which their values are laid over the base: those of outer tables first.
fn order(axes: &[Axis]) -> Vec<(usize, usize)> {
    let keys =
        axes.iter().enumerate().flat_map(|(nth, axis)| (0..axis.keys.len()).map(move |key| (nth, key)));
    let mut order: Vec<(usize, usize)> = keys.collect();
    order.sort_by_key(|(axis, key)| axes[*axis].keys[*key].path.len());
    order
}

fn names(key: &AxisKey) -> impl Iterator<Item = &str> + Clone {
    key.path.iter().map(|(key, _)| key.as_str())
}

/// Whether one path leads to or into what the other leads to.
fn touch<'a>(mut one: impl Iterator<Item = &'a str>, mut other: impl Iterator<Item = &'a str>) -> bool {
    loop {
        match (one.next(), other.next()) {
            (Some(a), Some(b)) if a == b => {}
            (Some(_), Some(_)) => return false,
            _ => return true,
        }
    }
}

/// Which axes change more than what stands in one place: a profile, a table into which another axis reaches, and
/// mappers where a study takes over what they say.
fn structural(axes: &[Axis], root: &Item, layers: &Layers) -> Vec<bool> {
    let keys = || axes.iter().flat_map(|axis| &axis.keys);
    let is_profile = |key: &AxisKey| key.path[0].0 == PROFILE;
    let has_study = find(root, "study").is_some()
        || keys().any(|key| key.path[0].0 == "study" || is_profile(key))
        || layers.profile.is_some();
    let is_structural = |key: &AxisKey| {
        let reached =
            keys().any(|other| other.path.len() > key.path.len() && touch(names(key), names(other)));
        let is_studied = has_study && ["mapping", "study"].contains(&key.path[0].0.as_str());
        is_profile(key) || is_studied || reached
    };
    axes.iter().map(|axis| axis.keys.iter().any(is_structural)).collect()
}

/// Notes what the command line sets although an axis gives it.
fn check_sets(layers: &Layers, axes: &[Axis], book: &mut Book) {
    for set in layers.chosen.iter().chain(&layers.sets) {
        let path = set.path.iter().map(|(key, _)| key.as_str());
        let key = axes.iter().flat_map(|axis| &axis.keys).find(|key| touch(path.clone(), names(key)));
        if let (Some(key), Some((_, place))) = (key, set.path.last()) {
            book.add(*place, |span| {
                let message = format!("the axis `{}` gives this already", quoted(&key.name));
                Fault::new("conflict", span, message, "expected a key that is on no axis")
            });
        }
    }
}

/// Notes an axis of seeds where the command line gives the seed.
fn check_seed(seed: Option<u64>, axes: &[Axis], book: &mut Book) {
    let is_seed = |key: &&AxisKey| names(key).eq(["scenario", "seed"]);
    if let (Some(seed), Some(key)) = (seed, axes.iter().flat_map(|axis| &axis.keys).find(is_seed)) {
        book.add(key.place, |span| {
            let message = format!("an axis of seeds, and --seed {seed} too");
            Fault::new("conflict", span, message, "expected one of the two")
        });
    }
}

/// The seeds of every combination.
fn seeds(described: &wire::Sweep, axes: &[Axis], book: &mut Book) -> Option<Seeds> {
    if let (Some(repetitions), Some(seeds)) = (described.repetitions.get(), described.seeds.get()) {
        let place = repetitions.place.max(seeds.place);
        book.add(place, |span| {
            Fault::new("conflict", span, "both `repetitions` and `seeds`", "expected one of the two")
        });
        return None;
    }
    if let Some(seeds) = described.seeds.get() {
        let mut all: Vec<u64> = Vec::new();
        let mut seen = std::collections::BTreeSet::new();
        for seed in &seeds.value {
            if !seen.insert(seed.value) {
                book.add(seed.place, |span| {
                    let message = format!("the seed {} is there twice", seed.value);
                    Fault::new("conflict", span, message, "expected each seed once")
                });
            }
            all.push(seed.value);
        }
        let is_varied = |key: &&AxisKey| names(key).eq(["scenario", "seed"]);
        if let Some(key) = axes.iter().flat_map(|axis| &axis.keys).find(is_varied) {
            book.add(key.place, |span| {
                let message = "an axis of seeds, and `seeds` too";
                Fault::new("conflict", span, message, "expected one of the two, or repetitions = N")
            });
        }
        if all.is_empty() {
            book.add(seeds.place, |span| {
                Fault::new("empty-list", span, "an empty list", "expected at least one seed")
            });
        }
        return (!all.is_empty()).then_some(Seeds::Listed(all));
    }
    match described.repetitions.get() {
        None if described.repetitions.is_absent() => Some(Seeds::Repetitions(1)),
        None => None,
        Some(At { value: count @ 1..=MOST_SEEDS, .. }) => Some(Seeds::Repetitions(*count)),
        Some(At { place, .. }) => {
            book.add(*place, |span| {
                let expected = format!("expected 1 to {MOST_SEEDS}");
                Fault::new("out-of-range", span, "no number of repetitions", expected)
            });
            None
        }
    }
}

/// Notes seeds beyond the greatest; a scenario's own is far from it.
fn check_last_seed(first: Option<u64>, seeds: Option<&Seeds>, place: Place, book: &mut Book) {
    if let (Some(first), Some(Seeds::Repetitions(count))) = (first, seeds)
        && first.checked_add(u64::from(*count) - 1).is_none()
    {
        book.add(place, |span| {
            let message = format!("there are no {count} seeds from {first} on");
            Fault::new("out-of-range", span, message, "expected a smaller --seed, or fewer repetitions")
        });
    }
}

fn check_size(axes: &[Axis], seeds: &Seeds, place: Place, book: &mut Book) -> Option<()> {
    let seeds = match seeds {
        Seeds::Repetitions(count) => *count as usize,
        Seeds::Listed(all) => all.len(),
    };
    let points = limits::product(axes).saturating_mul(seeds);
    if points <= MOST_POINTS {
        return Some(());
    }
    book.add(place, |span| {
        let parts: Vec<String> = axes.iter().map(|axis| axis.len().to_string()).collect();
        let message = format!("too many points: {} x {seeds} seeds", parts.join(" x "));
        let expected = format!("expected at most {MOST_POINTS}, before constraints");
        Fault::new("too-many-points", span, message, expected)
    });
    debug_assert!(MOST_VALUES >= MOST_POINTS as i128, "a range may be as long as a sweep");
    None
}

fn nothing_left(limits: &Limits, axes: &[Axis], list: Option<Place>, book: &mut Book) {
    let expected = "expected constraints that some combination of values meets";
    let hopeless = limits.hopeless(axes);
    for place in &hopeless {
        book.add(*place, |span| {
            Fault::new("no-points", span, "no combination of values meets this constraint", expected)
        });
    }
    if let (true, Some(place)) = (hopeless.is_empty(), list) {
        book.add(place, |span| {
            Fault::new("no-points", span, "no combination of values meets all constraints", expected)
        });
    }
}

/// The place of a range of a constraint's text, in the file: within its quotes, past its escapes.
fn inside(book: &Book, place: Place, range: std::ops::Range<usize>) -> Place {
    let raw = &book.text(place.source)[place.start..place.end];
    let offset = |at: usize| raw_offset(raw, at);
    Place {
        source: place.source,
        start: place.start + offset(range.start),
        end: place.start + offset(range.end),
    }
}

/// Where in TOML's text of a string a byte of its value stands.
fn raw_offset(raw: &str, at: usize) -> usize {
    let quote = raw.chars().next().filter(|c| *c == '"' || *c == '\'');
    let Some(quote) = quote else { return at.min(raw.len()) };
    let triple: String = std::iter::repeat_n(quote, 3).collect();
    let mut start = if raw.starts_with(&triple) && raw.len() >= 6 { 3 } else { 1 };
    if start == 3 {
        let first_line = raw[3..].strip_prefix("\r\n").or_else(|| raw[3..].strip_prefix('\n'));
        start = first_line.map_or(3, |rest| raw.len() - rest.len());
    }
    let mut decoded = 0;
    while decoded < at {
        let rest = &raw[start.min(raw.len())..];
        let Some(c) = rest.chars().next() else { return raw.len() };
        let escaped = rest[c.len_utf8()..].chars().next().filter(|_| c == '\\' && quote == '"');
        match escaped {
            // An escape of a character by its number may stand for several bytes; constraints need none.
            Some('u') => (start, decoded) = (start + 6, decoded + 1),
            Some('U') => (start, decoded) = (start + 10, decoded + 1),
            Some('x') => (start, decoded) = (start + 4, decoded + 1),
            Some(next) if next.is_whitespace() => {
                let trimmed = rest[1..].trim_start();
                start += rest.len() - trimmed.len();
            }
            Some(next) => (start, decoded) = (start + 1 + next.len_utf8(), decoded + 1),
            None => (start, decoded) = (start + c.len_utf8(), decoded + c.len_utf8()),
        }
    }
    let mut found = start.min(raw.len());
    while !raw.is_char_boundary(found) {
        found -= 1;
    }
    found
}

/// What the keys of constraints stand for.
struct Operands<'a> {
    known: &'a Known,
    axes: &'a [Axis],
    root: &'a Item,
    layers: &'a Layers,
}

impl Operands<'_> {
    /// Reads a constraint; `None` after its faults were noted.
    fn limit(&self, text: &At<String>, book: &mut Book) -> Option<Limit> {
        let parsed = constraint::parse(&text.value);
        let expression = match parsed {
            Ok(expression) => expression,
            Err(fault) => {
                let place = inside(book, text.place, fault.span.clone());
                book.add(place, |span| Fault { span, ..fault });
                return None;
            }
        };
        self.check_words(&expression, text.place, book);
        let mut side = |side: constraint::Side| match side {
            constraint::Side::Literal(scalar, _) => Some(Side::Fixed(scalar)),
            constraint::Side::Key(path, at) => {
                let place = inside(book, text.place, at);
                self.side(&path, place, book)
            }
        };
        let expression = expression.map(&mut side)?;
        Some(Limit { expression, place: text.place })
    }

    /// Notes words that a key can never be.
    fn check_words(&self, expression: &Expression<constraint::Side>, place: Place, book: &mut Book) {
        expression.visit(&mut |left, right| {
            let (path, word, at) = match (left, right) {
                (constraint::Side::Key(path, _), constraint::Side::Literal(Scalar::Text(word), at))
                | (constraint::Side::Literal(Scalar::Text(word), at), constraint::Side::Key(path, _)) => {
                    (path, word, at)
                }
                _ => return,
            };
            let choices = self.known.key(path, |_| 0..0).ok().and_then(words);
            if let Some(choices) = choices.filter(|choices| !choices.contains(&word.as_str())) {
                let place = inside(book, place, at.clone());
                book.add(place, |span| {
                    let message =
                        format!("`{}` is never `{}`", joined(path.iter().map(String::as_str)), quoted(word));
                    Fault::new(
                        "unknown-choice",
                        span,
                        message,
                        format!("expected one of {}", choices.join(", ")),
                    )
                    .with_nearest(word, choices)
                });
            }
        });
    }

    /// What a key stands for: the value that an axis gives it or a table around it, or that of the base.
    fn side(&self, path: &[String], place: Place, book: &mut Book) -> Option<Side> {
        let schema = match self.known.key(path, |_| place.start..place.end) {
            Ok(schema) => schema,
            Err(fault) => {
                book.add(place, |_| fault);
                return None;
            }
        };
        let without = match &schema["type"] {
            kind if kind == "object" => Scalar::Composed("a table"),
            _ => Scalar::of_json(&schema["default"]),
        };
        let of_item = |item: Option<&Item>| item.map_or_else(|| without.clone(), Scalar::of);
        let all = self.axes.iter().enumerate();
        let all =
            all.flat_map(|(nth, axis)| (0..axis.keys.len()).map(move |key| (nth, key, &axis.keys[key])));
        let own = || path.iter().map(String::as_str);
        let touching = all.clone().filter(|(.., key)| touch(own(), names(key)));
        if let Some((axis, key, found)) = touching.max_by_key(|(.., key)| key.path.len()) {
            let Some(rest) = path.get(found.path.len()..) else {
                return Some(Side::Fixed(Scalar::Composed("a table")));
            };
            let value = |position| of_item(descend(&self.axes[axis].item(key, position), rest));
            let values = (0..self.axes[axis].len()).map(value).collect();
            return Some(Side::Varied { axis, values });
        }
        let profile = all.clone().find(|(.., key)| key.path[0].0 == PROFILE);
        if let Some((axis, key, _)) = profile {
            let mut value = |position| {
                let root = self.layers.flatten(Some(&self.axes[axis].item(key, position)), book);
                of_item(descend(&root, path))
            };
            let values = (0..self.axes[axis].len()).map(&mut value).collect();
            return Some(Side::Varied { axis, values });
        }
        Some(Side::Fixed(of_item(descend(self.root, path))))
    }
}

/// Follows a path of keys and positions.
fn descend<'a>(item: &'a Item, path: &[String]) -> Option<&'a Item> {
    path.iter().try_fold(item, |at, key| match &at.value {
        Value::List(items) => items.get(key.parse::<usize>().ok()?),
        _ => find(at, key),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wrong if a caret under a constraint points beside what it is about.
    #[test]
    fn places_inside_quotes_are_found() {
        assert_eq!(raw_offset("\"abc\"", 1), 2);
        assert_eq!(raw_offset("'abc'", 3), 4);
        assert_eq!(raw_offset("\"a \\\"b\\\" c\"", 6), 9);
        assert_eq!(raw_offset("\"\"\"\nabc\"\"\"", 0), 4);
        assert_eq!(raw_offset("'''abc'''", 2), 5);
        assert_eq!(raw_offset("\"\\u00e4\"", 99), 8);
        assert_eq!(raw_offset("abc", 2), 2);
    }
}
