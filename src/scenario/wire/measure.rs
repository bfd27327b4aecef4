//! `[measure]`: how long each point is measured, and how sure its values have to be.

use serde_json::{Value as Schema, json as json_schema};

use simnet_base::diagnostics::Fault;
use simnet_base::units::{Duration, Unit};

use super::bounds::ABOVE_ZERO;
use super::canonical::{Canonical, Key, put};
use super::kinds::{Quantity, quantity_or};
use super::table::{Described, Given, Presence, Reading, Wire, table, table_schema, wrong_type};
use crate::diagnostics::Diagnostics;
use crate::tree::{Entry, Item, Value};

use Presence::{Default, Following, Optional};

table! {
    /// How long each point of generated traffic is measured, how sure its values have to be, and when a run ends at
    /// the latest. A trace is replayed from end to end: of it `precision`, `horizon` and `require-convergence` hold.
    "[measure]" Measure {
        /// Simulated time before measuring begins; `auto` finds by MSER-5 when the transient has ended.
        warmup: AutoOr<Duration> = Default("'auto'");
        /// Measure each point until half the width of the mean latency's 95 % confidence interval is this share of
        /// the mean (`"1 %"` or 0.01, above 0 and below 1) and can be trusted, or until `messages` or `duration` are
        /// used up; if not given, these are what is measured, and the same procedure says whether the mean is known
        /// within 5 %.
        precision: Fraction = Optional;
        /// Messages that are measured at each point; if no duration is given either, 20000, or at most 2000000 with a
        /// precision.
        messages: u64 = Following(messages), 1..;
        /// Instead: the span in which the measured messages are created.
        duration: Quantity<Duration> = Optional, ABOVE_ZERO;
        /// When a point ends whatever is still under way, above the warm-up; if not given, after four times
        /// the warm-up and the measurement (never for a trace).
        horizon: Quantity<Duration> = Optional, ABOVE_ZERO;
        /// Look for the largest load that is carried for good too: bisect between the highest load that is and the
        /// lowest that is not, until these differ by less than this share (`"2 %"` or 0.02, above 0 and below 1) from
        /// each other or from loads that cannot be decided. What these loads come to, saturated or dead, is an answer:
        /// it is neither the outcome of the run nor its exit code.
        find_saturation: Fraction = Optional;
        /// End with exit code 5 if a point that is not saturated has not converged.
        require_convergence: bool = Default("false");
    }
}

/// How many messages are measured where the scenario does not say; with a duration, the number does not matter.
fn messages(others: &[Entry]) -> &'static str {
    let has = |key: &str| others.iter().any(|entry| entry.key == key);
    match (has("duration"), has("precision")) {
        (true, _) => "0",
        (false, true) => "2000000",
        (false, false) => "20000",
    }
}

/// `"auto"`, or a quantity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct AutoOr<U>(pub(crate) Option<U>);

impl<U: Unit> Wire for AutoOr<U> {
    fn read(item: &Item, diagnostics: &mut Diagnostics) -> Option<AutoOr<U>> {
        quantity_or(item, "auto", diagnostics).map(AutoOr)
    }

    fn schema() -> Schema {
        json_schema!({ "anyOf": [{ "const": "auto" }, Quantity::<U>::schema()] })
    }

    fn canonical(item: &Item, canonical: &mut Canonical<'_>) {
        canonical.quantity::<U>(item);
    }
}

/// A share above 0 and below 1, as a number or as a text in per cent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Fraction(pub(crate) f64);

impl Wire for Fraction {
    fn read(item: &Item, diagnostics: &mut Diagnostics) -> Option<Fraction> {
        let share = match &item.value {
            Value::Text(text) => {
                let number = text.trim().strip_suffix('%').map(str::trim_end);
                let plain = number.filter(|number| number.bytes().all(|b| b.is_ascii_digit() || b == b'.'));
                let share = plain.and_then(|number| number.parse::<f64>().ok());
                if share.is_none() {
                    let expected = "expected a share in per cent, as in \"1 %\"";
                    diagnostics.add(item.place, |span| {
                        Fault::new("not-a-share", span, "this is no share", expected)
                    });
                }
                share? / 100.0
            }
            Value::Integer(_) | Value::Float(_) => f64::read(item, diagnostics)?,
            _ => {
                wrong_type(item, "a share, as in \"1 %\" or 0.01", diagnostics);
                return None;
            }
        };
        if share > 0.0 && share < 1.0 {
            return Some(Fraction(share));
        }
        diagnostics.add(item.place, |span| {
            let message = format!("a share of {} %", share * 100.0);
            Fault::new("out-of-range", span, message, "expected above 0 and below 1, which is 100 %")
        });
        None
    }

    fn schema() -> Schema {
        json_schema!({ "anyOf": [
            { "type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1 },
            { "type": "string", "pattern": "^ *[0-9]+(\\.[0-9]*)? *% *$", "examples": ["1 %"] }
        ] })
    }

    fn canonical(item: &Item, canonical: &mut Canonical<'_>) {
        canonical.share(item);
    }
}
