//! What the `[expect]` table can want: a literal, a range, or nearness.

use serde_json::{Number, Value as Json, Value as Schema, json};

use simnet_base::diagnostics::Fault;

use super::canonical::{Canonical, Key, put};
use super::kinds::Share;
use super::table::{Described, table_schema};
use super::table::{Given, Located, Presence, Reading, Wire, table, wrong_type};
use crate::diagnostics::Diagnostics;
use crate::expect::Wanted;
use crate::tree::{Entry, Item, Value};

/// The `[expect]` table: paths and what is wanted there, in the order of the text.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Expected(pub(crate) Vec<(Located<String>, Wanted)>);

table! {
    /// A number at least `min`, at most `max`.
    "a range" Range {
        /// The least that will do.
        min: f64 = Presence::Optional;
        /// The most that will do.
        max: f64 = Presence::Optional;
    }
}

table! {
    /// A number that differs from `near` by at most `within`, a share of `near`.
    "a nearness" Nearness {
        /// The number.
        near: f64 = Presence::Required;
        /// The share, as in `"6 %"`.
        within: Share = Presence::Required;
    }
}

table! {
    /// Exactly this value: the long form of the value alone.
    "an equality" Exactly {
        /// The value; `"null"` for no value.
        is: Json = Presence::Required;
    }
}

impl Wire for Expected {
    fn read(item: &Item, diagnostics: &mut Diagnostics) -> Option<Expected> {
        let Value::Table(entries) = &item.value else {
            wrong_type(item, "a table", diagnostics);
            return None;
        };
        let mut list = Vec::new();
        collect("", entries, &mut list, diagnostics);
        Some(Expected(list))
    }

    fn schema() -> Schema {
        let wanted = json!({ "anyOf": [
            Json::schema(),
            Exactly::schema(),
            Range::schema(),
            Nearness::schema(),
            { "$ref": "#/properties/expect" },
        ] });
        json!({ "title": "[expect]", "type": "object", "additionalProperties": wanted })
    }
}

/// Collects expectations; a table that is neither equality, range nor nearness is a further step of the
/// path, as in `map.isomorphic = true` without quotes.
fn collect(
    prefix: &str,
    entries: &[Entry],
    list: &mut Vec<(Located<String>, Wanted)>,
    diagnostics: &mut Diagnostics,
) {
    for entry in entries {
        let path = format!("{prefix}{}", entry.key);
        let wanted = match &entry.item.value {
            Value::Table(inner) if has(inner, &["near", "within"]) => nearness(&entry.item, diagnostics),
            Value::Table(inner) if has(inner, &["is"]) => Exactly::read(&entry.item, diagnostics)
                .and_then(|exactly| exactly.is.value().cloned())
                .map(Wanted::Equal),
            Value::Table(inner) if inner.is_empty() || has(inner, &["min", "max"]) => {
                range(&entry.item, diagnostics)
            }
            Value::Table(inner) => {
                collect(&format!("{path}."), inner, list, diagnostics);
                None
            }
            _ => Json::read(&entry.item, diagnostics).map(Wanted::Equal),
        };
        if let Some(wanted) = wanted {
            list.push((Located { value: path, place: entry.place }, wanted));
        }
    }
}

fn has(entries: &[Entry], keys: &[&str]) -> bool {
    entries.iter().any(|entry| keys.contains(&entry.key.as_str()))
}

fn nearness(item: &Item, diagnostics: &mut Diagnostics) -> Option<Wanted> {
    let nearness = Nearness::read(item, diagnostics)?;
    Some(Wanted::Near { near: *nearness.near.value()?, share: nearness.within.value()?.0 })
}

fn range(item: &Item, diagnostics: &mut Diagnostics) -> Option<Wanted> {
    let range = Range::read(item, diagnostics)?;
    let (min, max) = (range.min.value().copied(), range.max.value().copied());
    if range.min.is_absent() && range.max.is_absent() {
        diagnostics.add(item.place, |span| {
            let expected = "expected min, max or both; or near and within";
            Fault::new("missing-key", span, "an expectation without a bound", expected)
        });
        return None;
    }
    if let (Some(low), Some(high)) = (min, max)
        && low > high
    {
        diagnostics.add(item.place, |span| {
            let message = format!("min {low} is above max {high}");
            Fault::new("out-of-range", span, message, "no number meets this")
        });
        return None;
    }
    Some(Wanted::Within { min, max })
}

/// A value as JSON; the text `null` stands for no value.
impl Wire for Json {
    fn read(item: &Item, diagnostics: &mut Diagnostics) -> Option<Json> {
        match &item.value {
            Value::Text(text) if text == "null" => Some(Json::Null),
            Value::Text(text) => Some(Json::from(text.as_str())),
            Value::Boolean(value) => Some(Json::from(*value)),
            Value::Integer(Some(number)) if i64::try_from(*number).is_ok() => {
                i64::try_from(*number).ok().map(Json::from)
            }
            Value::Integer(_) | Value::Float(_) => {
                f64::read(item, diagnostics).and_then(Number::from_f64).map(Json::Number)
            }
            Value::List(items) => {
                let items: Vec<Option<Json>> =
                    items.iter().map(|item| Json::read(item, diagnostics)).collect();
                items.into_iter().collect::<Option<Vec<_>>>().map(Json::Array)
            }
            Value::Table(_) | Value::Datetime | Value::Hole(_) => {
                wrong_type(item, "a text, a number, true, false or a list of these", diagnostics);
                None
            }
        }
    }

    fn schema() -> Schema {
        json!({ "type": ["string", "number", "boolean", "array"] })
    }
}
