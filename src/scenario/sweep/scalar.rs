//! Single values as constraints compare them: numbers, quantities by what they measure, texts, truth values.

use std::cmp::Ordering;

use serde_json::Value as Json;

use simnet_base::units::{BitRate, Bytes, Duration, Length, Unit};

use crate::tree::{Item, Value};

/// A value that can be compared.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Scalar {
    /// Nothing is given.
    Absent,
    /// `"never"`: later than any time.
    Never,
    Number(f64),
    /// What it measures, and how many grains it is.
    Quantity(&'static str, u64),
    Text(String),
    Boolean(bool),
    /// A table, or a list that is none of one value.
    Composed(&'static str),
}

/// How two values are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Relation {
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Equal,
    Different,
}

impl Scalar {
    /// A value of a scenario; a list of one value counts as that value.
    pub(super) fn of(item: &Item) -> Scalar {
        match &item.value {
            Value::Text(text) => Scalar::of_text(text),
            #[expect(clippy::cast_precision_loss, reason = "numbers beyond 2^53 are none of a scenario")]
            Value::Integer(Some(number)) => Scalar::Number(*number as f64),
            Value::Float(Some(number)) => Scalar::Number(*number),
            Value::Boolean(value) => Scalar::Boolean(*value),
            Value::List(items) => match items.as_slice() {
                [one] if !matches!(one.value, Value::List(_)) => Scalar::of(one),
                _ => Scalar::Composed("a list"),
            },
            other => Scalar::Composed(other.kind()),
        }
    }

    /// A text: a quantity if it reads as one, a share if it ends in per cent.
    pub(super) fn of_text(text: &str) -> Scalar {
        fn quantity<U: Unit>(text: &str) -> Option<Scalar> {
            U::parse(text).ok().map(|quantity| Scalar::Quantity(U::KIND, quantity.grains()))
        }
        let share = text.trim().strip_suffix('%').and_then(|number| number.trim_end().parse::<f64>().ok());
        match share.filter(|share| share.is_finite()) {
            Some(per_cent) => Scalar::Number(per_cent / 100.0),
            None if text == "never" => Scalar::Never,
            None => quantity::<Duration>(text)
                .or_else(|| quantity::<Bytes>(text))
                .or_else(|| quantity::<BitRate>(text))
                .or_else(|| quantity::<Length>(text))
                .unwrap_or_else(|| Scalar::Text(text.to_owned())),
        }
    }

    /// A default, as the JSON Schema has it.
    pub(super) fn of_json(json: &Json) -> Scalar {
        match json {
            Json::Null => Scalar::Absent,
            Json::String(text) => Scalar::of_text(text),
            Json::Number(number) => number.as_f64().map_or(Scalar::Absent, Scalar::Number),
            Json::Bool(value) => Scalar::Boolean(*value),
            Json::Array(items) if items.len() == 1 => Scalar::of_json(&items[0]),
            Json::Array(_) => Scalar::Composed("a list"),
            Json::Object(_) => Scalar::Composed("a table"),
        }
    }

    /// What it is, for messages.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Scalar::Absent => "nothing",
            Scalar::Never => "\"never\"",
            Scalar::Number(_) => "a bare number",
            Scalar::Quantity(kind, _) => kind,
            Scalar::Text(_) => "a text",
            Scalar::Boolean(_) => "true or false",
            Scalar::Composed(kind) => kind,
        }
    }

    /// Whether two values are so related; `None` if values of their kinds cannot be.
    ///
    /// What is not given is different from everything and comes neither before nor after it.
    pub(super) fn is(&self, relation: Relation, other: &Scalar) -> Option<bool> {
        use Scalar::{Absent, Boolean, Composed, Never, Number, Quantity, Text};
        let order = match (self, other) {
            (Composed(_), _) | (_, Composed(_)) => return None,
            (Absent, _) | (_, Absent) => return Some(relation == Relation::Different),
            (Number(a), Number(b)) => a.partial_cmp(b)?,
            (Quantity(kind, a), Quantity(other, b)) if kind == other => a.cmp(b),
            (Never, Never) => Ordering::Equal,
            (Never, Quantity(..)) => Ordering::Greater,
            (Quantity(..), Never) => Ordering::Less,
            (Number(_), Quantity(..)) | (Quantity(..), Number(_) | Quantity(..)) => return None,
            (Text(a), Text(b)) => return equality(relation, a == b),
            (Boolean(a), Boolean(b)) => return equality(relation, a == b),
            // A key may have words as well as numbers, as "auto".
            (Text(_) | Never, _) | (_, Text(_) | Never) => return equality(relation, false),
            (Boolean(_), _) | (_, Boolean(_)) => return None,
        };
        Some(match relation {
            Relation::Less => order.is_lt(),
            Relation::LessOrEqual => order.is_le(),
            Relation::Greater => order.is_gt(),
            Relation::GreaterOrEqual => order.is_ge(),
            Relation::Equal => order.is_eq(),
            Relation::Different => order.is_ne(),
        })
    }
}

/// Values without order can only be compared for equality.
fn equality(relation: Relation, is_equal: bool) -> Option<bool> {
    match relation {
        Relation::Equal => Some(is_equal),
        Relation::Different => Some(!is_equal),
        _ => None,
    }
}
