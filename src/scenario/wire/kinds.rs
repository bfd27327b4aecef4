//! The kinds of single values: quantities, choices, counts, names.

use std::fmt;

use serde_json::{Value as Schema, json as json_schema};

use simnet_base::diagnostics::{Fault, quoted};
use simnet_base::units::{ParseUnitError, Unit};

use super::bounds::{Limit, Limited};
use super::canonical::{Canonical, put};
use super::table::{Located, Wire, wrong_type};
use crate::diagnostics::{ANY_WHOLE, Diagnostics};
use crate::generation::{PRESETS, PresetOf};
use crate::tree::{Item, Value};

/// A text with a unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Quantity<U>(pub(crate) U);

fn units<U: Unit>() -> String {
    U::UNITS.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
}

fn needs<U: Unit>() -> String {
    format!("expected {} in {}", U::KIND, units::<U>())
}

impl<U: Unit> Wire for Quantity<U> {
    fn read(item: &Item, diagnostics: &mut Diagnostics) -> Option<Quantity<U>> {
        match &item.value {
            Value::Text(text) => match U::parse(text) {
                Ok(quantity) => return Some(Quantity(quantity)),
                Err(error) => diagnostics.add(item.place, |span| unit_fault::<U>(text, &error, span)),
            },
            Value::Integer(_) | Value::Float(_) => diagnostics.add(item.place, |span| {
                let message = format!("a bare number where {} is needed", U::KIND);
                Fault::new("needs-unit", span, message, needs::<U>())
                    .with_help(format!("write a text with a unit, as in \"{}\"", U::EXAMPLE))
            }),
            _ => wrong_type(
                item,
                &format!("{} in {}, as in \"{}\"", U::KIND, units::<U>(), U::EXAMPLE),
                diagnostics,
            ),
        }
        None
    }

    fn schema() -> Schema {
        let names = U::UNITS.iter().map(|(name, _)| *name).collect::<Vec<_>>().join("|");
        let pattern = format!("^ *[0-9][0-9_]*(\\.[0-9_]*)? *({names}) *$");
        let kind = U::KIND.split_once(' ').map_or(U::KIND, |(_, noun)| noun);
        json_schema!({ "title": kind, "type": "string", "pattern": pattern, "examples": [U::EXAMPLE] })
    }

    fn canonical(item: &Item, canonical: &mut Canonical<'_>) {
        canonical.quantity::<U>(item);
    }
}

impl<U: Limit> Limited for Quantity<U> {
    type Limit = U;

    fn limited(&self) -> Option<U> {
        Some(self.0)
    }
}

fn unit_fault<U: Unit>(text: &str, error: &ParseUnitError, span: std::ops::Range<usize>) -> Fault {
    let shown = quoted(text);
    let fault = |code, message: String| Fault::new(code, span, message, needs::<U>());
    match error {
        ParseUnitError::Bare { .. } => {
            fault("needs-unit", format!("`{shown}` is a bare number where {} is needed", U::KIND))
                .with_help(format!("add a unit, as in \"{}\"", U::EXAMPLE))
        }
        ParseUnitError::Unit { unit, .. } => {
            let message = format!("`{}` is no unit of {}", quoted(unit), U::KIND);
            fault("unknown-unit", message).with_nearest(unit, near_units::<U>(unit))
        }
        ParseUnitError::Number { .. } => {
            fault("not-a-quantity", format!("`{shown}` does not begin with a number"))
                .with_help(format!("write a number and a unit, as in \"{}\"", U::EXAMPLE))
        }
        ParseUnitError::Negative { .. } => fault("negative", format!("{} cannot be negative", U::KIND)),
        ParseUnitError::TooFine { .. } => {
            fault("too-fine", format!("`{shown}` is finer than {}, the finest step", U::GRAIN))
        }
        ParseUnitError::TooLarge { .. } if text.trim_start().starts_with('0') => {
            fault("out-of-range", format!("`{shown}` is not {}", U::KIND))
                .with_help(format!("it must be below {}", U::LIMIT))
        }
        ParseUnitError::TooLarge { .. } => fault("overflow", format!("`{shown}` is too large"))
            .with_help(format!("{} stays below {}", U::KIND, U::LIMIT)),
    }
}

/// The units worth suggesting for `unit`: those that share its first letter's case or are nearly as long.
fn near_units<U: Unit>(unit: &str) -> impl Iterator<Item = &'static str> {
    let length = unit.chars().count();
    U::UNITS.iter().map(|(name, _)| *name).filter(move |name| name.len().abs_diff(length) <= 1)
}

/// Reads a quantity, or the word that may stand in its place: `None` inside.
#[expect(clippy::option_option, reason = "the outer one says whether there was a fault")]
pub(super) fn quantity_or<U: Unit>(
    item: &Item,
    word: &'static str,
    diagnostics: &mut Diagnostics,
) -> Option<Option<U>> {
    let Value::Text(text) = &item.value else {
        return Quantity::read(item, diagnostics).map(|quantity| Some(quantity.0));
    };
    match U::parse(text) {
        Ok(quantity) => return Some(Some(quantity)),
        Err(_) if text == word => return Some(None),
        Err(ParseUnitError::Number { .. }) => diagnostics.add(item.place, |span| {
            let message = format!("`{}` is neither {} nor \"{word}\"", quoted(text), U::KIND);
            let expected = format!("{}, as in \"{}\", or \"{word}\"", needs::<U>(), U::EXAMPLE);
            Fault::new("not-a-quantity", span, message, expected).with_nearest(text, [word])
        }),
        Err(error) => diagnostics.add(item.place, |span| unit_fault::<U>(text, &error, span)),
    }
    None
}

/// `"never"`, or a quantity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct NeverOr<U>(pub(crate) Option<U>);

impl<U: Unit> Wire for NeverOr<U> {
    fn read(item: &Item, diagnostics: &mut Diagnostics) -> Option<NeverOr<U>> {
        quantity_or(item, "never", diagnostics).map(NeverOr)
    }

    fn schema() -> Schema {
        json_schema!({ "anyOf": [{ "const": "never" }, Quantity::<U>::schema()] })
    }

    fn canonical(item: &Item, canonical: &mut Canonical<'_>) {
        canonical.quantity::<U>(item);
    }
}

impl<U: Limit> Limited for NeverOr<U> {
    type Limit = U;
    const OR: &'static str = " or \"never\"";

    fn limited(&self) -> Option<U> {
        self.0
    }
}

/// One of a few words.
pub(crate) trait Choice: Clone + 'static {
    /// The words and what they stand for.
    const CHOICES: &'static [(&'static str, Self)];

    /// What to do for a word that is none of them, where that can be said.
    fn instead(_word: &str) -> Option<String> {
        None
    }
}

impl<C: Choice> Wire for C {
    fn read(item: &Item, diagnostics: &mut Diagnostics) -> Option<C> {
        choose(item, &words::<C>(), C::instead, diagnostics).map(|nth| C::CHOICES[nth].1.clone())
    }

    fn schema() -> Schema {
        json_schema!({ "enum": words::<C>() })
    }
}

fn words<C: Choice>() -> Vec<&'static str> {
    C::CHOICES.iter().map(|(word, _)| *word).collect()
}

impl<const SECTION: usize> Wire for PresetOf<SECTION> {
    fn read(item: &Item, diagnostics: &mut Diagnostics) -> Option<PresetOf<SECTION>> {
        let nth = choose(item, &presets::<SECTION>(), |_| None, diagnostics)?;
        Some(PresetOf(&PRESETS[SECTION].presets[nth]))
    }

    fn schema() -> Schema {
        json_schema!({ "enum": presets::<SECTION>() })
    }
}

/// What the presets of a section are called.
fn presets<const SECTION: usize>() -> Vec<&'static str> {
    PRESETS[SECTION].presets.iter().map(|preset| preset.name).collect()
}

/// Reads one of `words`: its position. Not generic, so that it is compiled once for all kinds of choices.
fn choose(
    item: &Item,
    words: &[&'static str],
    instead: fn(&str) -> Option<String>,
    diagnostics: &mut Diagnostics,
) -> Option<usize> {
    let list = || words.iter().map(|word| format!("\"{word}\"")).collect::<Vec<_>>().join(", ");
    let Value::Text(text) = &item.value else {
        wrong_type(item, &format!("one of {}", list()), diagnostics);
        return None;
    };
    let chosen = words.iter().position(|word| word == text);
    if chosen.is_none() {
        diagnostics.add(item.place, |span| {
            let message = format!("`{}` is not one of the choices", quoted(text));
            let expected = match words {
                [word] => format!("expected \"{word}\""),
                _ => format!("expected one of {}", list()),
            };
            let fault = Fault::new("unknown-choice", span, message, expected);
            match instead(text) {
                Some(help) => fault.with_help(help),
                None => fault.with_nearest(text, words.iter().copied()),
            }
        });
    }
    chosen
}

impl Wire for String {
    fn read(item: &Item, diagnostics: &mut Diagnostics) -> Option<String> {
        match &item.value {
            Value::Text(text) if text.trim().is_empty() => {
                diagnostics.add(item.place, |span| {
                    Fault::new("empty-text", span, "an empty text", "expected a text")
                });
                None
            }
            Value::Text(text) => Some(text.clone()),
            _ => {
                wrong_type(item, "a text in quotes", diagnostics);
                None
            }
        }
    }

    fn schema() -> Schema {
        json_schema!({ "type": "string", "minLength": 1 })
    }
}

/// The name of a file, relative to the folder of the file that gives it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FileName(pub(crate) String);

impl Wire for FileName {
    fn read(item: &Item, diagnostics: &mut Diagnostics) -> Option<FileName> {
        String::read(item, diagnostics).map(FileName)
    }

    fn schema() -> Schema {
        String::schema()
    }

    fn canonical(item: &Item, canonical: &mut Canonical<'_>) {
        canonical.file(item);
    }
}

impl Wire for bool {
    fn read(item: &Item, diagnostics: &mut Diagnostics) -> Option<bool> {
        match &item.value {
            Value::Boolean(value) => Some(*value),
            _ => {
                wrong_type(item, "true or false", diagnostics);
                None
            }
        }
    }

    fn schema() -> Schema {
        json_schema!({ "type": "boolean" })
    }
}

/// Reads a whole number in `0..=max`.
fn whole(item: &Item, max: u64, diagnostics: &mut Diagnostics) -> Option<u64> {
    let Value::Integer(number) = &item.value else {
        wrong_type(item, "a whole number, without unit and quotes", diagnostics);
        return None;
    };
    let fits = number.and_then(|number| u64::try_from(number).ok()).filter(|number| *number <= max);
    if fits.is_none() {
        let negative = number.is_some_and(|number| number < 0);
        let code = if negative { "negative" } else { "overflow" };
        let message = if negative { "a negative number" } else { "this number is too large" };
        let expected = format!("{ANY_WHOLE}2^{} - 1", u64::BITS - max.leading_zeros());
        diagnostics.add(item.place, |span| Fault::new(code, span, message, expected));
    }
    fits
}

impl Wire for u64 {
    fn read(item: &Item, diagnostics: &mut Diagnostics) -> Option<u64> {
        // JSON and TOML readers agree on whole numbers up to 2^63 - 1 only.
        whole(item, i64::MAX.unsigned_abs(), diagnostics)
    }

    fn schema() -> Schema {
        json_schema!({ "type": "integer", "minimum": 0 })
    }
}

impl Wire for u32 {
    fn read(item: &Item, diagnostics: &mut Diagnostics) -> Option<u32> {
        whole(item, u64::from(u32::MAX), diagnostics).and_then(|number| u32::try_from(number).ok())
    }

    fn schema() -> Schema {
        json_schema!({ "type": "integer", "minimum": 0, "maximum": u32::MAX })
    }
}

impl Wire for u16 {
    fn read(item: &Item, diagnostics: &mut Diagnostics) -> Option<u16> {
        whole(item, u64::from(u16::MAX), diagnostics).and_then(|number| u16::try_from(number).ok())
    }

    fn schema() -> Schema {
        json_schema!({ "type": "integer", "minimum": 0, "maximum": u16::MAX })
    }
}

impl Wire for f64 {
    fn read(item: &Item, diagnostics: &mut Diagnostics) -> Option<f64> {
        let number = match &item.value {
            #[expect(clippy::cast_precision_loss, reason = "a whole number where a fraction may stand")]
            Value::Integer(number) => number.map(|number| number as f64),
            Value::Float(number) => *number,
            _ => {
                wrong_type(item, "a number without unit and quotes", diagnostics);
                return None;
            }
        };
        match number {
            Some(number) if number.is_finite() => Some(number),
            Some(_) => {
                diagnostics.add(item.place, |span| {
                    Fault::new("not-finite", span, "this is no finite number", "expected a number")
                });
                None
            }
            None => {
                diagnostics.add(item.place, |span| {
                    Fault::new("overflow", span, "this number is too large", "expected a finite number")
                });
                None
            }
        }
    }

    fn schema() -> Schema {
        json_schema!({ "type": "number" })
    }

    fn canonical(item: &Item, canonical: &mut Canonical<'_>) {
        canonical.number(item);
    }
}

/// A share written as a text in per cent.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub(crate) struct Share(pub(crate) f64);

impl Wire for Share {
    fn read(item: &Item, diagnostics: &mut Diagnostics) -> Option<Share> {
        let Value::Text(text) = &item.value else {
            wrong_type(item, "a share in per cent, as in \"6 %\"", diagnostics);
            return None;
        };
        let number = text.trim().strip_suffix('%').map(str::trim_end);
        let plain = number.filter(|number| number.bytes().all(|b| b.is_ascii_digit() || b == b'.'));
        let share = plain.and_then(|number| number.parse::<f64>().ok()).map(|per_cent| per_cent / 100.0);
        if share.is_none() {
            diagnostics.add(item.place, |span| {
                Fault::new(
                    "not-a-share",
                    span,
                    "this is no share",
                    "expected a share in per cent, as in \"6 %\"",
                )
            });
        }
        share.map(Share)
    }

    fn schema() -> Schema {
        json_schema!({
            "title": "share in per cent",
            "type": "string",
            "pattern": "^ *[0-9]+(\\.[0-9]*)? *% *$",
            "examples": ["6 %"]
        })
    }

    fn canonical(item: &Item, canonical: &mut Canonical<'_>) {
        canonical.share(item);
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} %", libm::round(self.0 * 1e11) / 1e9)
    }
}

impl Limit for Share {}

impl Limited for Share {
    type Limit = Share;

    fn limited(&self) -> Option<Share> {
        Some(*self)
    }
}

/// A ratio of whole numbers above zero, written as a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ratio(pub(crate) u32, pub(crate) u32);

impl Wire for Ratio {
    fn read(item: &Item, diagnostics: &mut Diagnostics) -> Option<Ratio> {
        const WANTED: &str = "a ratio of whole numbers above zero, as in \"1/8\"";
        let Value::Text(text) = &item.value else {
            wrong_type(item, WANTED, diagnostics);
            return None;
        };
        let whole = |part: &str| part.trim().parse::<u32>().ok().filter(|number| *number > 0);
        let (numerator, denominator) = text.split_once('/').unwrap_or((text, "1"));
        let ratio = whole(numerator).zip(whole(denominator));
        if ratio.is_none() {
            diagnostics.add(item.place, |span| {
                Fault::new("not-a-ratio", span, "this is no ratio", format!("expected {WANTED}"))
            });
        }
        ratio.map(|(numerator, denominator)| Ratio(numerator, denominator))
    }

    fn schema() -> Schema {
        json_schema!({
            "title": "ratio",
            "type": "string",
            "pattern": "^ *[0-9]+ *(/ *[0-9]+ *)?$",
            "examples": ["1/8"]
        })
    }

    fn canonical(item: &Item, canonical: &mut Canonical<'_>) {
        canonical.raw(item);
    }
}

/// A name fit for a folder.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ScenarioName(pub(crate) String);

impl Wire for ScenarioName {
    fn read(item: &Item, diagnostics: &mut Diagnostics) -> Option<ScenarioName> {
        let name = String::read(item, diagnostics)?;
        let plain = |part: &str| {
            part.starts_with(|c: char| c.is_ascii_alphanumeric())
                && part.chars().all(|c| c.is_ascii_alphanumeric() || "._-".contains(c))
        };
        if name.len() <= 100 && name.split('/').all(plain) {
            return Some(ScenarioName(name));
        }
        diagnostics.add(item.place, |span| {
            let message = format!("`{}` cannot name a folder", quoted(&name));
            let expected = "expected letters, digits, `.`, `_`, `-`, beginning with a letter or digit";
            Fault::new("bad-name", span, message, expected)
                .with_help("at most 100 characters; parts joined by `/` are folders in folders")
        });
        None
    }

    fn schema() -> Schema {
        let part = "[A-Za-z0-9][A-Za-z0-9._-]*";
        let pattern = format!("^{part}(/{part})*$");
        json_schema!({ "type": "string", "pattern": pattern, "maxLength": 100 })
    }
}

/// One name or a list of names.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RootNames(pub(crate) Vec<Located<String>>);

impl Wire for RootNames {
    fn read(item: &Item, diagnostics: &mut Diagnostics) -> Option<RootNames> {
        match &item.value {
            Value::List(items) if items.is_empty() => {
                diagnostics.add(item.place, |span| {
                    Fault::new("empty-list", span, "an empty list", "expected at least one switch")
                });
                None
            }
            Value::List(_) => Vec::<Located<String>>::read(item, diagnostics).map(RootNames),
            Value::Text(_) => String::read(item, diagnostics)
                .map(|value| RootNames(vec![Located { value, place: item.place }])),
            _ => {
                wrong_type(
                    item,
                    "\"far\", \"spines\", \"r0\", the name of a switch or a list of names",
                    diagnostics,
                );
                None
            }
        }
    }

    fn schema() -> Schema {
        json_schema!({ "anyOf": [
            { "type": "string", "minLength": 1 },
            { "type": "array", "items": { "type": "string", "minLength": 1 }, "minItems": 1 }
        ] })
    }

    fn canonical(item: &Item, canonical: &mut Canonical<'_>) {
        canonical.list_or_one(item, put::<String>);
    }
}
