//! What the keys in constraints stand for, in two passes: which keys they are, and which values those have.
//!
//! The first pass needs no axis and notes every fault of a constraint's text; the second sees only axes and
//! constraints in which no fault was found.

use simnet_base::diagnostics::{Fault, quoted};

use super::PROFILE;
use super::axes::{Axis, AxisKey, joined};
use super::constraint::{self, Expression};
use super::known::{Known, words};
use super::limits::{Limit, Limits, Side};
use super::read::{names, touch};
use super::scalar::Scalar;
use crate::diagnostics::{Diagnostics, Place};
use crate::layers::{self, Layers, find};
use crate::tree::{Item, Value};
use crate::wire::Located;

/// A side of a comparison whose values are not known yet.
#[derive(Clone, Debug)]
pub(super) enum Operand {
    Literal(Scalar),
    /// A key of the scenario, and what it is where nothing gives it.
    Key {
        path: Vec<String>,
        without: Scalar,
    },
}

/// Parses a constraint and looks up its keys; `None` after its faults were noted.
pub(super) fn parse(
    text: &Located<String>,
    known: &Known,
    diagnostics: &mut Diagnostics,
) -> Option<Limit<Operand>> {
    let expression = match constraint::parse(&text.value) {
        Ok(expression) => expression,
        Err(fault) => {
            let place = inside(diagnostics, text.place, fault.span.clone());
            diagnostics.add(place, |span| Fault { span, ..fault });
            return None;
        }
    };
    check_words(&expression, text.place, known, diagnostics);
    let expression = expression.map(&mut |side| match side {
        constraint::Side::Literal(scalar, _) => Some(Operand::Literal(scalar)),
        constraint::Side::Key(path, at) => {
            let place = inside(diagnostics, text.place, at);
            operand(path, place, known, diagnostics)
        }
    })?;
    Some(Limit { expression, place: text.place })
}

fn operand(path: Vec<String>, place: Place, known: &Known, diagnostics: &mut Diagnostics) -> Option<Operand> {
    let keys: Vec<&str> = path.iter().map(String::as_str).collect();
    let schema = known.noted(&keys, |_| place, diagnostics)?;
    let without = match &schema["type"] {
        kind if kind == "object" => Scalar::Composed("a table"),
        _ => Scalar::of_json(&schema["default"]),
    };
    Some(Operand::Key { path, without })
}

/// Notes words that a key can never be.
fn check_words(
    expression: &Expression<constraint::Side>,
    place: Place,
    known: &Known,
    diagnostics: &mut Diagnostics,
) {
    expression.visit(&mut |left, right| {
        let (path, word, at) = match (left, right) {
            (constraint::Side::Key(path, _), constraint::Side::Literal(Scalar::Text(word), at))
            | (constraint::Side::Literal(Scalar::Text(word), at), constraint::Side::Key(path, _)) => {
                (path, word, at)
            }
            _ => return,
        };
        let keys: Vec<&str> = path.iter().map(String::as_str).collect();
        let choices = known.key(&keys).and_then(words);
        if let Some(choices) = choices.filter(|choices| !choices.contains(&word.as_str())) {
            let place = inside(diagnostics, place, at.clone());
            diagnostics.add(place, |span| {
                let message = format!("`{}` is never `{}`", joined(keys.iter().copied()), quoted(word));
                let expected = format!("expected one of {}", choices.join(", "));
                Fault::new("unknown-choice", span, message, expected).with_nearest(word, choices)
            });
        }
    });
}

/// Where the values of keys come from.
pub(super) struct Values<'a> {
    pub(super) axes: &'a [Axis],
    pub(super) root: &'a Item,
    pub(super) layers: &'a Layers,
}

impl Values<'_> {
    /// The constraints with the values of their keys; `None` after a fault, as of a profile that is none.
    pub(super) fn limits(
        &self,
        parsed: Vec<Limit<Operand>>,
        diagnostics: &mut Diagnostics,
    ) -> Option<Limits> {
        let mut all = Vec::with_capacity(parsed.len());
        for Limit { expression, place } in parsed {
            let expression = expression.map(&mut |operand| Some(self.side(operand, diagnostics)))?;
            all.push(Limit { expression, place });
        }
        diagnostics.is_clean().then_some(Limits { all })
    }

    /// What an operand stands for: the value that an axis gives it or a table around it, or that of the base.
    fn side(&self, operand: Operand, diagnostics: &mut Diagnostics) -> Side {
        let (path, without) = match operand {
            Operand::Literal(scalar) => return Side::Fixed(scalar),
            Operand::Key { path, without } => (path, without),
        };
        let of_item = |item: Option<&Item>| item.map_or_else(|| without.clone(), Scalar::of);
        let all = self.axes.iter().enumerate();
        let all =
            all.flat_map(|(nth, axis)| (0..axis.keys.len()).map(move |key| (nth, key, &axis.keys[key])));
        let own = || path.iter().map(String::as_str);
        let touching = all.clone().filter(|(.., key)| touch(own(), names(key)));
        if let Some((axis, key, found)) = touching.max_by_key(|(.., key)| key.path.len()) {
            let Some(rest) = path.get(found.path.len()..) else {
                return Side::Fixed(Scalar::Composed("a table"));
            };
            let value = |position| match self.axes[axis].item(key, position) {
                item @ Item { value: Value::Table(_), .. } => {
                    of_item(descend(&self.with_value(found, item), &path))
                }
                item => of_item(descend(&item, rest)),
            };
            let values = (0..self.axes[axis].len()).map(value).collect();
            return Side::Varied { axis, values };
        }
        let profile = all.clone().find(|(.., key)| key.path[0].0 == PROFILE);
        if let Some((axis, key, _)) = profile {
            let mut value = |position| {
                let root = self.layers.flatten(Some(&self.axes[axis].item(key, position)), diagnostics);
                of_item(descend(&root, &path))
            };
            let values = (0..self.axes[axis].len()).map(&mut value).collect();
            return Side::Varied { axis, values };
        }
        Side::Fixed(of_item(descend(self.root, &path)))
    }

    /// The base with a value of an axis laid over it; as it is where there is no place for the value.
    fn with_value(&self, key: &AxisKey, value: Item) -> Item {
        let mut root = self.root.clone();
        let with_value = layers::assign(&mut root, &key.path, value);
        if with_value.is_ok() { root } else { self.root.clone() }
    }
}

/// Follows a path of keys and positions.
fn descend<'a>(item: &'a Item, path: &[String]) -> Option<&'a Item> {
    path.iter().try_fold(item, |at, key| match &at.value {
        Value::List(items) => items.get(key.parse::<usize>().ok()?),
        _ => find(at, key),
    })
}

/// The place of a range of a constraint's text, in the file: within its quotes, past its escapes.
pub(super) fn inside(diagnostics: &Diagnostics, place: Place, range: std::ops::Range<usize>) -> Place {
    let raw = &diagnostics.text(place.source)[place.start..place.end];
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Wrong if a caret under a constraint points next to what it is about.
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
