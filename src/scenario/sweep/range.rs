//! Ranges: `{ from = "0.05", to = "0.95", step = "0.05" }`, or with `factor`, or with `points` and a `scale`.

use simnet_base::diagnostics::{Fault, quoted};
use simnet_base::units::{BitRate, Bytes, Duration, Length, Unit};

use super::decimal::Decimal;
use crate::diagnostics::{Diagnostics, Place};
use crate::tree::{Entry, Item, Value};

/// The keys of a range.
const KEYS: [&str; 6] = ["from", "to", "step", "factor", "points", "scale"];

/// The most values of a range.
pub(super) const MOST_VALUES: i128 = 10_000_000;

/// Values that follow from a rule.
#[derive(Clone, Debug)]
pub(super) struct Range {
    place: Place,
    unit: &'static str,
    series: Series,
}

#[derive(Clone, Debug)]
enum Series {
    /// Made on request, as there may be millions.
    Steps {
        from: Decimal,
        step: Decimal,
        length: usize,
    },
    Listed(Vec<(Decimal, &'static str)>),
}

/// A number and its unit.
#[derive(Clone, Copy, Debug)]
struct Amount {
    number: Decimal,
    unit: Measure,
    place: Place,
}

/// A unit: its name, its worth in the grains of its kind, and the name of such a grain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Measure {
    name: &'static str,
    worth: u64,
    grain: &'static str,
}

/// No unit.
const BARE: Measure = Measure { name: "", worth: 1, grain: "" };

/// Whether a table is meant as a range rather than as further keys.
pub(super) fn is_range(entries: &[Entry]) -> bool {
    entries.iter().any(|entry| {
        ["from", "to", "points"].contains(&entry.key.as_str())
            && !matches!(entry.item.value, Value::Table(_) | Value::List(_))
    })
}

impl Range {
    /// Reads a range, of whole numbers if so wished; `None` after a fault.
    pub(super) fn read(
        item: &Item,
        entries: &[Entry],
        of_whole: bool,
        diagnostics: &mut Diagnostics,
    ) -> Option<Range> {
        for entry in entries.iter().filter(|entry| !KEYS.contains(&entry.key.as_str())) {
            diagnostics.add(entry.place, |span| {
                let message = format!("unknown key `{}` in a range", quoted(&entry.key));
                Fault::new("unknown-key", span, message, format!("expected one of {}", KEYS.join(", ")))
                    .with_nearest(&entry.key, KEYS)
            });
        }
        let find = |key: &str| entries.iter().find(|entry| entry.key == key).map(|entry| &entry.item);
        let (from, to) = (find("from"), find("to"));
        let rules = [find("step"), find("factor"), find("points")];
        if let (Some(_), Some(_), 1) = (from, to, rules.iter().flatten().count()) {
        } else {
            diagnostics.add(item.place, |span| {
                let expected = "expected from, to, and one of step, factor and points";
                Fault::new("not-a-range", span, "no whole range", expected)
            });
            return None;
        }
        let (from, to) = (amount(from?, diagnostics), amount(to?, diagnostics));
        let (from, to) = (from?, to?);
        if from.unit.grain != to.unit.grain {
            diagnostics.add(to.place, |span| unit_fault(&from, span));
            return None;
        }
        if let (Some(scale), None) = (find("scale"), rules[2]) {
            diagnostics.add(scale.place, |span| {
                Fault::new("conflict", span, "`scale` without `points`", "belongs to points = N")
            });
        }
        if from
            .number_in(smaller(from, to))
            .zip(to.number_in(smaller(from, to)))
            .is_some_and(|(from, to)| from.compare(to).is_gt())
        {
            diagnostics.add(item.place, |span| {
                let message = "a range that runs backwards: `from` is above `to`";
                Fault::new("empty-range", span, message, "expected `from` up to `to`")
            });
            return None;
        }
        let place = item.place;
        match rules {
            [Some(step), ..] => stepped(from, to, amount(step, diagnostics)?, place, diagnostics),
            [_, Some(factor), _] => multiplied(from, to, amount(factor, diagnostics)?, place, diagnostics),
            [.., points] => spread(from, to, points?, find("scale"), (place, of_whole), diagnostics),
        }
    }

    /// How many values it has.
    pub(super) fn len(&self) -> usize {
        match &self.series {
            Series::Steps { length, .. } => *length,
            Series::Listed(all) => all.len(),
        }
    }

    /// A value as text.
    pub(super) fn printed(&self, nth: usize) -> String {
        let (number, unit) = self.nth(nth);
        if unit.is_empty() { number.to_string() } else { format!("{number} {unit}") }
    }

    /// A value.
    pub(super) fn item(&self, nth: usize) -> Item {
        let (number, unit) = self.nth(nth);
        let value = match (unit, number.over(Decimal::whole(1))) {
            ("", Some(whole)) => Value::Integer(Some(whole)),
            ("", None) => Value::Float(number.to_string().parse().ok()),
            _ => Value::Text(self.printed(nth)),
        };
        Item { place: self.place, value }
    }

    fn nth(&self, nth: usize) -> (Decimal, &'static str) {
        match &self.series {
            Series::Steps { from, step, .. } => {
                let so_far = i128::try_from(nth).ok().and_then(|nth| step.times(Decimal::whole(nth)));
                let value = so_far.and_then(|so_far| from.plus(so_far));
                (value.expect("the end of the range could be computed, too"), self.unit)
            }
            Series::Listed(all) => all[nth],
        }
    }
}

impl Amount {
    /// Its number in a finer unit of the same kind.
    fn number_in(self, unit: Measure) -> Option<Decimal> {
        if self.unit == unit {
            return Some(self.number);
        }
        self.number.times(Decimal::whole(i128::from(self.unit.worth)))?.divided_exactly(unit.worth)
    }
}

impl Decimal {
    /// The quotient, if its digits end.
    fn divided_exactly(self, by: u64) -> Option<Decimal> {
        let by = i128::from(by);
        let quotient = self.divided(by)?;
        (quotient.times(Decimal::whole(by))? == self).then_some(quotient)
    }
}

fn smaller(a: Amount, b: Amount) -> Measure {
    if b.unit.worth < a.unit.worth { b.unit } else { a.unit }
}

/// A number with its unit, from a text or a bare number.
fn amount(item: &Item, diagnostics: &mut Diagnostics) -> Option<Amount> {
    let read = match &item.value {
        Value::Text(text) => {
            let text = text.trim();
            let is_part = |c: char| c.is_ascii_digit() || "._-".contains(c);
            let (number, unit) = text.split_at(text.find(|c| !is_part(c)).unwrap_or(text.len()));
            Decimal::parse(number).zip(unit_of(unit.trim_start()))
        }
        Value::Integer(Some(number)) => Decimal::parse(&number.to_string()).zip(Some(BARE)),
        Value::Float(Some(number)) => Decimal::parse(&number.to_string()).zip(Some(BARE)),
        _ => None,
    };
    if read.is_none() {
        diagnostics.add(item.place, |span| {
            let expected = "expected a number, or a text of a number and a unit, as in \"50 ms\"";
            Fault::new("not-a-quantity", span, "this is no end or step of a range", expected)
        });
    }
    read.map(|(number, unit)| Amount { number, unit, place: item.place })
}

/// The unit of a name, whatever it measures.
fn unit_of(name: &str) -> Option<Measure> {
    fn among<U: Unit>(name: &str) -> Option<Measure> {
        let found = U::UNITS.iter().find(|(other, _)| *other == name);
        let grain = U::UNITS.iter().find(|(_, worth)| *worth == 1)?.0;
        found.map(|(name, worth)| Measure { name, worth: *worth, grain })
    }
    match name {
        "" => Some(BARE),
        "%" => Some(Measure { name: "%", worth: 1, grain: "%" }),
        _ => among::<Duration>(name)
            .or_else(|| among::<Bytes>(name))
            .or_else(|| among::<BitRate>(name))
            .or_else(|| among::<Length>(name)),
    }
}

fn unit_fault(from: &Amount, span: std::ops::Range<usize>) -> Fault {
    let expected = match from.unit.name {
        "" => "expected a bare number, as `from` is one".to_owned(),
        name => format!("expected a unit that measures the same as {name}"),
    };
    Fault::new("unknown-unit", span, "a range of two kinds of quantities", expected)
}

fn too_fine(place: Place, diagnostics: &mut Diagnostics) {
    diagnostics.add(place, |span| {
        let message = "the values of this range have more than 30 digits";
        Fault::new("too-fine", span, message, "expected a coarser range, or points = N")
    });
}

/// Notes that a range ends before `to`, with the last value that it would have.
fn never_reaches(place: Place, rule: &str, last: Option<String>, diagnostics: &mut Diagnostics) {
    diagnostics.add(place, |span| {
        let message = format!("with this {rule} the range never reaches `to`");
        let fault = Fault::new("empty-range", span, message, "expected a range that ends at `to`");
        match last {
            Some(last) => fault.with_help(format!("its last value would be {last}; write that as `to`")),
            None => fault,
        }
    });
}

fn with_unit(number: Decimal, unit: &str) -> String {
    if unit.is_empty() { format!("\"{number}\"") } else { format!("\"{number} {unit}\"") }
}

/// From one end to the other in equal steps.
fn stepped(
    from: Amount,
    to: Amount,
    step: Amount,
    place: Place,
    diagnostics: &mut Diagnostics,
) -> Option<Range> {
    if step.unit.grain != from.unit.grain {
        diagnostics.add(step.place, |span| unit_fault(&from, span));
        return None;
    }
    if step.number.compare(Decimal::ZERO).is_le() {
        diagnostics.add(step.place, |span| {
            Fault::new("out-of-range", span, "a step that leads nowhere", "expected a step above zero")
        });
        return None;
    }
    let unit = [from, to, step].map(|amount| amount.unit).into_iter().min_by_key(|unit| unit.worth)?;
    let exact = |amount: Amount| amount.number_in(unit);
    let Some(((first, last), step_by)) = exact(from).zip(exact(to)).zip(exact(step)) else {
        too_fine(place, diagnostics);
        return None;
    };
    let Some(whole) = last.minus(first) else {
        too_fine(place, diagnostics);
        return None;
    };
    let Some(steps) = whole.over(step_by) else {
        let within = whole.times_within(step_by).and_then(|n| step_by.times(Decimal::whole(n)));
        let reached = within.and_then(|way| first.plus(way));
        never_reaches(place, "step", reached.map(|last| with_unit(last, unit.name)), diagnostics);
        return None;
    };
    if steps >= MOST_VALUES {
        too_many(place, diagnostics);
        return None;
    }
    let length = usize::try_from(steps).ok()? + 1;
    // Where both ends have their digits at the step's scale, every value between has.
    if first.plus(step_by).is_none() || last.minus(step_by).is_none() {
        too_fine(place, diagnostics);
        return None;
    }
    Some(Range { place, unit: unit.name, series: Series::Steps { from: first, step: step_by, length } })
}

fn too_many(place: Place, diagnostics: &mut Diagnostics) {
    diagnostics.add(place, |span| {
        let expected = format!("expected at most {MOST_VALUES}");
        Fault::new("too-many-points", span, "a range of too many values", expected)
    });
}

/// From one end to the other, each value a multiple of the one before.
fn multiplied(
    from: Amount,
    to: Amount,
    factor: Amount,
    place: Place,
    diagnostics: &mut Diagnostics,
) -> Option<Range> {
    if factor.unit != BARE || factor.number.compare(Decimal::whole(1)).is_le() {
        diagnostics.add(factor.place, |span| {
            let expected = "expected a number above 1, without unit";
            Fault::new("out-of-range", span, "a factor that leads nowhere", expected)
        });
        return None;
    }
    if from.number.compare(Decimal::ZERO).is_le() {
        diagnostics.add(from.place, |span| {
            Fault::new("out-of-range", span, "multiples of this lead nowhere", "expected above zero")
        });
        return None;
    }
    let unit = smaller(from, to);
    let Some((first, last)) = from.number_in(unit).zip(to.number_in(unit)) else {
        too_fine(place, diagnostics);
        return None;
    };
    let mut values = vec![(first, unit.name)];
    let mut at = first;
    while at.compare(last).is_lt() {
        let Some(next) = at.times(factor.number) else {
            too_fine(place, diagnostics);
            return None;
        };
        if next.compare(last).is_gt() {
            never_reaches(place, "factor", Some(with_unit(at, unit.name)), diagnostics);
            return None;
        }
        values.push((next, unit.name));
        at = next;
    }
    Some(Range { place, unit: unit.name, series: Series::Listed(values) })
}

/// So many points from one end to the other.
fn spread(
    from: Amount,
    to: Amount,
    points: &Item,
    scale: Option<&Item>,
    (place, of_whole): (Place, bool),
    diagnostics: &mut Diagnostics,
) -> Option<Range> {
    let count = match points.value {
        Value::Integer(Some(count @ 2..=1_000_000)) => count,
        Value::Integer(Some(1)) if from.number == to.number && from.unit == to.unit => 1,
        _ => {
            diagnostics.add(points.place, |span| {
                let expected = "expected a whole number, 2 to 1000000";
                Fault::new("out-of-range", span, "this is no number of points", expected)
            });
            return None;
        }
    };
    let is_log = is_log(scale, diagnostics)?;
    if is_log && from.number.compare(Decimal::ZERO).is_le() {
        diagnostics.add(from.place, |span| {
            Fault::new("out-of-range", span, "no logarithm of this", "expected above zero")
        });
        return None;
    }
    let unit = smaller(from, to);
    let Some((first, last)) = from.number_in(unit).zip(to.number_in(unit)) else {
        too_fine(place, diagnostics);
        return None;
    };
    let nth = |nth: i128| point_between((first, last), nth, count, is_log);
    let fitting = |number: Decimal| if of_whole { whole(number) } else { on_grain(number, unit) };
    let values: Option<Vec<(Decimal, &'static str)>> = (0..count).map(|n| nth(n).and_then(fitting)).collect();
    let Some(values) = values else {
        too_fine(place, diagnostics);
        return None;
    };
    let different = 1 + values.windows(2).filter(|pair| pair[0] != pair[1]).count();
    if different < values.len() {
        diagnostics.add(points.place, |span| {
            let message = format!("of {} values only {different} are different", values.len());
            Fault::new("out-of-range", span, message, format!("expected at most {different} points"))
        });
        return None;
    }
    Some(Range { place, unit: unit.name, series: Series::Listed(values) })
}

/// The `nth` of `count` points from the first to the last, in steps or, if `is_log`, in factors; `None` if it is not
/// a number that can be written.
fn point_between((first, last): (Decimal, Decimal), nth: i128, count: i128, is_log: bool) -> Option<Decimal> {
    match nth {
        0 => Some(first),
        _ if nth == count - 1 => Some(last),
        _ if is_log => {
            #[expect(clippy::cast_precision_loss, reason = "a share, rounded to 6 digits in the end")]
            let share = nth as f64 / (count - 1) as f64;
            let (low, high) = (libm::log(first.approximately()), libm::log(last.approximately()));
            Decimal::rounded(libm::exp(low + (high - low) * share))
        }
        _ => last.minus(first)?.times(Decimal::whole(nth))?.divided(count - 1)?.plus(first),
    }
}

/// Whether points are spread by their logarithms; `None` after a fault.
fn is_log(scale: Option<&Item>, diagnostics: &mut Diagnostics) -> Option<bool> {
    Some(match scale.map(|scale| (&scale.value, scale.place)) {
        None => false,
        Some((Value::Text(word), _)) if word == "linear" => false,
        Some((Value::Text(word), _)) if word == "log" => true,
        Some((value, place)) => {
            diagnostics.add(place, |span| {
                let fault =
                    Fault::new("unknown-choice", span, "no such scale", "expected \"linear\" or \"log\"");
                match value {
                    Value::Text(word) => fault.with_nearest(word, ["linear", "log"]),
                    _ => fault,
                }
            });
            return None;
        }
    })
}

fn whole(number: Decimal) -> Option<(Decimal, &'static str)> {
    Some((Decimal::whole(number.nearest_whole()?), ""))
}

/// A number rounded to whole grains of its kind, in its own unit where that takes no more than 6 digits.
fn on_grain(number: Decimal, unit: Measure) -> Option<(Decimal, &'static str)> {
    if unit.grain == unit.name && unit.worth == 1 && !matches!(unit.grain, "" | "%") {
        return Some((Decimal::whole(number.nearest_whole()?), unit.name));
    }
    if unit.worth == 1 {
        return Some((number, unit.name));
    }
    let grains = Decimal::whole(number.times(Decimal::whole(i128::from(unit.worth)))?.nearest_whole()?);
    let same = grains.divided_exactly(unit.worth).filter(|number| number.to_string().len() <= 12);
    Some(same.map_or((grains, unit.grain), |number| (number, unit.name)))
}
