//! What a run's summary is expected to hold, and whether it does.

use serde_json::Value;

use simnet_base::diagnostics::{Fault, Faults, quoted};

pub use super::diagnostics::Place;

/// The `[expect]` table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Expectations {
    /// Name and text of the scenario file, then of every `--set`, which places point into.
    pub sources: Vec<(String, String)>,
    /// One entry a path, in the order of the file.
    pub list: Vec<Expectation>,
}

/// One expectation.
#[derive(Clone, Debug, PartialEq)]
pub struct Expectation {
    /// The path into the summary: keys and positions in lists, joined by dots; `*` for every item of a list or
    /// entry of a table.
    pub path: String,
    /// What is wanted there.
    pub wanted: Wanted,
    /// Where the scenario states it.
    pub place: Place,
}

/// What is wanted at a place of the summary.
#[derive(Clone, Debug, PartialEq)]
pub enum Wanted {
    /// This very value; numbers are compared as numbers.
    Equal(Value),
    /// A number in a closed range; a missing bound does not bind.
    Within {
        /// The least that will do.
        min: Option<f64>,
        /// The most that will do.
        max: Option<f64>,
    },
    /// A number that differs from `near` by at most `share * |near|`.
    Near {
        /// The number.
        near: f64,
        /// The share: 0.06 for `"6 %"`.
        share: f64,
    },
}

/// An expectation that did not hold.
#[derive(Clone, Debug, PartialEq)]
pub struct Broken {
    /// The path into the summary.
    pub path: String,
    /// What was wanted, in words.
    pub wanted: String,
    /// What is there, as JSON; `None` if the summary has nothing at that path.
    pub got: Option<Value>,
    /// Where the scenario states it.
    pub place: Place,
}

/// Compares a summary with what is expected of it; the broken expectations in the order of the file, each at the first
/// place where it does not hold.
pub fn evaluate(expectations: &Expectations, summary: &Value) -> Vec<Broken> {
    let broken = expectations.list.iter().filter_map(|expectation| {
        let found = all_at(summary, &expectation.path);
        let is_broken = |got: &Option<&Value>| !got.is_some_and(|got| expectation.wanted.holds(got));
        let (path, got) = found.into_iter().find(|(_, got)| is_broken(got))?;
        let (wanted, place) = (expectation.wanted.to_string(), expectation.place);
        Some(Broken { path, wanted, got: got.cloned(), place })
    });
    broken.collect()
}

/// What stands at a path, and where `*` stands for every item of a list or entry of a table, each with a path of its
/// own; at least one.
fn all_at<'a>(summary: &'a Value, path: &str) -> Vec<(String, Option<&'a Value>)> {
    let every = path.split_once(".*.");
    let every = every.and_then(|(at, rest)| Some((at, entries(look_up(summary, at)?), rest)));
    let Some((at, entries, rest)) = every.filter(|(_, entries, _)| !entries.is_empty()) else {
        return vec![(path.to_owned(), look_up(summary, path))];
    };
    let of_entry = |(name, value): (String, &'a Value)| {
        let inner = all_at(value, rest).into_iter();
        inner.map(|(path, got)| (format!("{at}.{name}.{path}"), got)).collect::<Vec<_>>()
    };
    entries.into_iter().flat_map(of_entry).collect()
}

/// The items of a list, by their `id` or position, or the entries of a table by their keys.
fn entries(value: &Value) -> Vec<(String, &Value)> {
    match value {
        Value::Array(list) => {
            let name = |nth: usize, item: &Value| item["id"].as_str().map_or(nth.to_string(), str::to_owned);
            list.iter().enumerate().map(|(nth, item)| (name(nth, item), item)).collect()
        }
        Value::Object(table) => table.iter().map(|(key, value)| (key.clone(), value)).collect(),
        _ => Vec::new(),
    }
}

/// The broken expectations as faults of the files that state them, for printing; none for none.
pub fn report(expectations: &Expectations, broken: &[Broken]) -> Vec<Faults> {
    let sources = expectations.sources.iter().enumerate();
    let reports = sources.filter_map(|(position, (file, text))| {
        let here = broken.iter().filter(|broken| broken.place.source == position);
        let faults: Vec<Fault> = here.map(Broken::fault).collect();
        (!faults.is_empty()).then(|| Faults { file: file.clone(), text: text.clone(), faults })
    });
    reports.collect()
}

/// The value at a path of keys and positions; a step into a list that is no position is the `id` of an item, which may
/// have dots itself.
pub fn look_up<'a>(summary: &'a Value, path: &str) -> Option<&'a Value> {
    let (step, rest) = path.split_once('.').map_or((path, None), |(step, rest)| (step, Some(rest)));
    let inner = |at: &'a Value, rest: Option<&str>| rest.map_or(Some(at), |rest| look_up(at, rest));
    match summary {
        Value::Object(table) => inner(table.get(step)?, rest),
        Value::Array(list) => {
            let by_position =
                step.parse::<usize>().ok().and_then(|position| inner(list.get(position)?, rest));
            by_position
                .or_else(|| list.iter().find_map(|item| inner(item, after(item["id"].as_str()?, path)?)))
        }
        _ => None,
    }
}

/// What of a path comes after an `id`, if the path begins with it.
fn after<'a>(id: &str, path: &'a str) -> Option<Option<&'a str>> {
    match path.strip_prefix(id)? {
        "" => Some(None),
        rest => rest.strip_prefix('.').map(Some),
    }
}

impl Wanted {
    fn holds(&self, got: &Value) -> bool {
        match self {
            Wanted::Equal(wanted) => equal(wanted, got),
            Wanted::Within { min, max } => got
                .as_f64()
                .is_some_and(|got| min.is_none_or(|min| got >= min) && max.is_none_or(|max| got <= max)),
            Wanted::Near { near, share } => {
                got.as_f64().is_some_and(|got| (got - near).abs() <= share * near.abs())
            }
        }
    }
}

/// Whether two values are the same, with numbers compared as numbers: 1 equals 1.0.
fn equal(wanted: &Value, got: &Value) -> bool {
    match (wanted, got) {
        (Value::Number(a), Value::Number(b)) => match (a.as_i64(), b.as_i64()) {
            (Some(a), Some(b)) => a == b,
            _ => a.as_f64().zip(b.as_f64()).is_some_and(|(a, b)| a.total_cmp(&b).is_eq()),
        },
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| equal(a, b)),
        _ => wanted == got,
    }
}

impl std::fmt::Display for Wanted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Wanted::Equal(value) => write!(f, "{value}"),
            Wanted::Within { min: Some(min), max: Some(max) } => write!(f, "{min} to {max}"),
            Wanted::Within { min: Some(min), max: None } => write!(f, "at least {min}"),
            Wanted::Within { min: None, max: Some(max) } => write!(f, "at most {max}"),
            Wanted::Within { min: None, max: None } => write!(f, "a number"),
            Wanted::Near { near, share } => write!(f, "{near} within {} %", share * 100.0),
        }
    }
}

impl Broken {
    fn fault(&self) -> Fault {
        let message = match &self.got {
            Some(got) => format!("`{}` is {}", quoted(&self.path), quoted(&got.to_string())),
            None => format!("the summary has nothing at `{}`", quoted(&self.path)),
        };
        let span = self.place.start..self.place.end;
        Fault::new("expectation", span, message, format!("wanted {}", self.wanted))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn holds(wanted: Wanted, path: &str) -> bool {
        let summary = json!({
            "outcome": "drained", "map": { "isomorphic": true, "time_ms": 247.5 },
            "route": { "dependency_cycle": null },
            "results": [{ "id": "a" }, { "id": "a/b", "time_ms": 2 }, { "id": "0.5/b", "time_ms": 3 }],
            "points": [{ "load": 0.1, "messages": 20000 }, { "load": 0.25, "messages": 3 }],
            "curve": { "0": { "mean": 1 }, "1": { "mean": 2 } },
            "deadlocks": [], "nested": [{ "inner": [{ "x": 1 }, { "x": 1 }] }],
        });
        let place = Place { source: 0, start: 0, end: 0 };
        let list = vec![Expectation { path: path.to_owned(), wanted, place }];
        evaluate(&Expectations { sources: Vec::new(), list }, &summary).is_empty()
    }

    /// Wrong if a path into a list, a null, an integer against a float, or a bound is judged otherwise.
    #[test]
    fn every_form_of_expectation_is_judged() {
        let within = |min, max| Wanted::Within { min, max };
        let near = |near, share| Wanted::Near { near, share };
        let rows = [
            ("outcome", Wanted::Equal(json!("drained")), true),
            ("outcome", Wanted::Equal(json!("horizon")), false),
            ("map.isomorphic", Wanted::Equal(json!(true)), true),
            ("route.dependency_cycle", Wanted::Equal(Value::Null), true),
            ("map.time_ms", Wanted::Equal(Value::Null), false),
            ("route.nothing", Wanted::Equal(Value::Null), false),
            ("points.1.load", Wanted::Equal(json!(0.25)), true),
            ("points.1.load", Wanted::Equal(json!(0.250_000_1)), false),
            ("points.0.messages", Wanted::Equal(json!(20000.0)), true),
            ("points.2.load", within(None, None), false),
            ("curve.*.mean", within(Some(1.0), Some(2.0)), true),
            ("curve.*.mean", within(None, Some(1.5)), false),
            ("results.a/b.time_ms", Wanted::Equal(json!(2)), true),
            ("results.0.5/b.time_ms", Wanted::Equal(json!(3)), true),
            ("results.0.id", Wanted::Equal(json!("a")), true),
            ("points.*.load", within(Some(0.1), Some(0.25)), true),
            ("points.*.load", within(Some(0.2), None), false),
            ("results.*.time_ms", within(None, None), false),
            ("deadlocks.*.time_ms", within(None, None), false),
            ("nested.*.inner.*.x", Wanted::Equal(json!(1)), true),
            ("results.c.time_ms", within(None, None), false),
            ("points.-1.load", within(None, None), false),
            ("map.time_ms", within(Some(247.5), Some(247.5)), true),
            ("map.time_ms", within(Some(247.6), None), false),
            ("map.time_ms", within(None, Some(247.4)), false),
            ("outcome", within(None, None), false),
            ("map.time_ms", near(250.0, 0.01), true),
            ("map.time_ms", near(250.0, 0.0099), false),
            ("map.time_ms", near(-250.0, 0.06), false),
        ];
        for (path, wanted, expected) in rows {
            assert_eq!(holds(wanted.clone(), path), expected, "{path}: {wanted}");
        }
    }

    #[test]
    fn a_broken_expectation_names_its_place() {
        let sources = vec![("s.toml".to_owned(), "[expect]\noutcome = \"drained\"\n".to_owned())];
        let place = Place { source: 0, start: 9, end: 16 };
        let wanted = Wanted::Equal(json!("drained"));
        let expectations =
            Expectations { sources, list: vec![Expectation { path: "outcome".to_owned(), wanted, place }] };
        let broken = evaluate(&expectations, &json!({ "outcome": "horizon" }));
        let printed = report(&expectations, &broken).iter().map(ToString::to_string).collect::<String>();
        assert!(printed.contains("s.toml:2:1") && printed.contains("`outcome` is \"horizon\""), "{printed}");
        assert!(printed.contains("wanted \"drained\""), "{printed}");
    }
}
