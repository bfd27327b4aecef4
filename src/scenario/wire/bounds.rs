//! The range that a key's value keeps to, as it stands behind the key's kind: the reader notes what is outside of it,
//! the schema and the reference say it.

use std::fmt::Display;
use std::ops::{Bound, RangeBounds};

use serde_json::Value as Schema;
use serde_json::{Value as Json, json};

use simnet_base::diagnostics::Fault;
use simnet_base::units::{BitRate, Bytes, Duration, Length, Unit};

use super::table::{Given, Located};
use crate::diagnostics::{Diagnostics, Place};

/// A time above zero.
pub(super) const ABOVE_ZERO: (Bound<Duration>, Bound<Duration>) =
    (Bound::Excluded(Duration::ZERO), Bound::Unbounded);

/// What bounds values of a kind.
pub(crate) trait Limit: Copy + Display + PartialOrd {
    /// What it is an amount of, such as `a time`; nothing for a bare number.
    const KIND: &'static str = "";
    /// Whether it is a quantity of nothing.
    fn is_zero(&self) -> bool {
        false
    }
    /// The number that JSON has for it.
    fn number(&self) -> Json {
        Json::Null
    }
}

/// A kind of values that a range can bound.
pub(crate) trait Limited {
    type Limit: Limit;
    /// What messages add to the range.
    const OR: &'static str = "";
    /// What is bounded; `None` of a value that no range is for.
    fn limited(&self) -> Option<Self::Limit>;
}

/// Such a kind, or a list of its values.
pub(crate) trait Bounded: Sized {
    type Limit: Limit;
    /// The value, without items outside of the range; `None` if it is outside itself. All of that is noted.
    fn bounded(
        self,
        place: Place,
        range: &impl RangeBounds<Self::Limit>,
        diagnostics: &mut Diagnostics,
    ) -> Option<Self>;
}

impl<T: Limited> Bounded for T {
    type Limit = T::Limit;

    fn bounded(
        self,
        place: Place,
        range: &impl RangeBounds<T::Limit>,
        diagnostics: &mut Diagnostics,
    ) -> Option<T> {
        let Some(limited) = self.limited().filter(|limited| !range.contains(limited)) else {
            return Some(self);
        };
        let (kind, described) = (T::Limit::KIND, describe(range));
        let is_open = matches!(range.start_bound(), Bound::Excluded(_));
        let (message, described) = match kind.split_once(' ') {
            Some((_, noun)) if is_open && limited.is_zero() => {
                (format!("this {noun} must not be zero"), format!("{kind} {described}"))
            }
            _ => (format!("{limited} is out of range"), described),
        };
        let expected = format!("expected {described}{}", T::OR);
        diagnostics.add(place, |span| Fault::new("out-of-range", span, message, expected));
        None
    }
}

impl<T: Limited> Bounded for Vec<Located<T>> {
    type Limit = T::Limit;

    fn bounded(
        self,
        _: Place,
        range: &impl RangeBounds<T::Limit>,
        diagnostics: &mut Diagnostics,
    ) -> Option<Vec<Located<T>>> {
        let was_empty = self.is_empty();
        let bounded = |Located { value, place }| {
            Some(Located { value: T::bounded(value, place, range, diagnostics)?, place })
        };
        let bounded: Vec<Located<T>> = self.into_iter().filter_map(bounded).collect();
        (was_empty || !bounded.is_empty()).then_some(bounded)
    }
}

impl<T: Bounded> Given<T> {
    /// The same where it keeps to the range, faulty where it does not.
    pub(super) fn within(self, range: impl RangeBounds<T::Limit>, diagnostics: &mut Diagnostics) -> Given<T> {
        let Given::Is(Located { value, place }) = self else {
            diagnostics.narrow(|most| within_kind(&range, most));
            return self;
        };
        value
            .bounded(place, &range, diagnostics)
            .map_or(Given::Faulty, |value| Given::Is(Located { value, place }))
    }
}

/// What of a range is in the range of a kind of whole numbers, from 0 to `most`, in words.
fn within_kind<L: Limit>(range: &impl RangeBounds<L>, most: &str) -> Option<String> {
    let least = match range.start_bound() {
        Bound::Included(least) => least.to_string(),
        Bound::Unbounded => "0".to_owned(),
        Bound::Excluded(_) => return None,
    };
    match range.end_bound() {
        Bound::Included(own) => Some(format!("{least} to {own}")),
        Bound::Unbounded => Some(format!("{least} to {most}")),
        Bound::Excluded(_) => None,
    }
}

/// A range in words.
fn describe<L: Limit>(range: &impl RangeBounds<L>) -> String {
    let shown = |limit: &L| if limit.is_zero() { "zero".to_owned() } else { limit.to_string() };
    let (least, most) = match (range.start_bound(), range.end_bound()) {
        (Bound::Included(least), Bound::Included(most)) => return format!("{least} to {most}"),
        bounds => bounds,
    };
    let least = match least {
        Bound::Included(least) => Some(format!("{least} or more")),
        Bound::Excluded(least) => Some(format!("above {}", shown(least))),
        Bound::Unbounded => None,
    };
    let most = match most {
        Bound::Included(most) => Some(format!("at most {most}")),
        Bound::Excluded(most) => Some(format!("below {most}")),
        Bound::Unbounded => None,
    };
    least.into_iter().chain(most).collect::<Vec<_>>().join(" and ")
}

/// Says the range in the schema of what it bounds.
pub(super) fn bound<T: Bounded>(mut schema: Schema, range: impl RangeBounds<T::Limit>) -> Schema {
    say(&mut schema, &range);
    schema
}

fn say<L: Limit>(schema: &mut Json, range: &impl RangeBounds<L>) {
    // Indexing what is to be changed would put a null where there is nothing.
    if let Some(kinds) = schema.get_mut("anyOf").and_then(Json::as_array_mut) {
        kinds.iter_mut().for_each(|kind| say(kind, range));
        return;
    }
    match schema["type"].as_str() {
        Some("array") => say(&mut schema["items"], range),
        Some("string") => {
            let noun = schema["title"].as_str().unwrap_or("text");
            let comma = if matches!(range.start_bound(), Bound::Excluded(_)) { "" } else { "," };
            schema["title"] = json!(format!("{noun}{comma} {}", describe(range)));
        }
        Some("integer" | "number") => {
            match range.start_bound() {
                Bound::Included(least) => schema["minimum"] = least.number(),
                Bound::Excluded(least) => schema["exclusiveMinimum"] = least.number(),
                Bound::Unbounded => {}
            }
            match range.end_bound() {
                Bound::Included(most) => schema["maximum"] = most.number(),
                Bound::Excluded(most) => schema["exclusiveMaximum"] = most.number(),
                Bound::Unbounded => {}
            }
        }
        _ => {}
    }
}

/// Kinds whose values bound themselves, each with what a [`Limit`] of them says.
macro_rules! limits {
    ($($kind:ty { $($described:item)* })*) => { $(
        impl Limit for $kind {
            $($described)*
        }

        impl Limited for $kind {
            type Limit = $kind;

            fn limited(&self) -> Option<$kind> {
                Some(*self)
            }
        }
    )* };
}

/// Quantities with units.
macro_rules! quantities {
    ($($quantity:ty),*) => {
        limits! { $($quantity {
            const KIND: &'static str = <$quantity as Unit>::KIND;

            fn is_zero(&self) -> bool {
                self.grains() == 0
            }
        })* }
    };
}

/// Bare numbers.
macro_rules! numbers {
    ($($number:ty),*) => {
        limits! { $($number {
            fn number(&self) -> Json {
                json!(self)
            }
        })* }
    };
}

quantities!(Duration, Bytes, BitRate, Length);
numbers!(u16, u32, u64, f64);
