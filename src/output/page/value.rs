//! Values of `summary.json` by their paths, shown so that a test can compare each with the file.

use maud::{Markup, html};
use serde_json::Value;

use super::Contents;
use super::markup::shortened;
use simnet_base::numbers;

/// A value by its path: keys and positions joined by dots, as in `points.0.latency_mean_ns`. A dot or a backslash of a
/// key has a backslash before it. `None` if there is none, or it is null.
pub(super) fn at<'a>(value: &'a Value, path: &str) -> Option<&'a Value> {
    let step = |value: &'a Value, key: String| match value {
        Value::Array(list) => list.get(key.parse::<usize>().ok()?),
        Value::Object(map) => map.get(&key),
        _ => None,
    };
    parts(path).into_iter().try_fold(value, step).filter(|value| !value.is_null())
}

/// A path's keys.
fn parts(path: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut letters = path.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '.' => parts.push(String::new()),
            '\\' => parts.last_mut().expect("there is one").extend(letters.next()),
            other => parts.last_mut().expect("there is one").push(other),
        }
    }
    parts
}

/// A path with one more key.
pub(super) fn join(path: &str, key: &str) -> String {
    let key = key.replace('\\', "\\\\").replace('.', "\\.");
    if path.is_empty() { key } else { format!("{path}.{key}") }
}

/// How a number is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Show {
    /// As a number, with four digits that matter.
    Number,
    /// As a time; it is in nanoseconds.
    Ns,
    /// As a time; it is in milliseconds.
    Ms,
    /// As a share, in per cent.
    Share,
}

impl Show {
    /// The number as text.
    pub(super) fn text(self, number: f64) -> String {
        match self {
            Show::Number => numbers::number(number, 4),
            Show::Ns => numbers::time(number),
            Show::Ms => numbers::time(number * 1e6),
            Show::Share => format!("{} %", numbers::number(number * 100.0, 3)),
        }
    }
}

/// A value of the summary as an element: rounded text, with the exact value in `data-value`, its path in
/// `data-path`. A dash where there is none.
pub(super) fn shown(contents: &Contents, path: &str, show: Show) -> Markup {
    let Some(value) = contents.at(path) else { return html! { "–" } };
    element(value, path, show)
}

/// The same of a value that is at hand.
pub(super) fn element(value: &Value, path: &str, show: Show) -> Markup {
    let exact = exact(value);
    match value.as_f64() {
        Some(number) => {
            let text = show.text(number);
            let title = (text != exact).then_some(&exact);
            html! { span.value data-path=(path) data-value=(exact) title=[title] { (text) } }
        }
        None => html! { bdi.words data-path=(path) data-value=(exact) { (shortened(&exact)) } },
    }
}

/// A value as `summary.json` has it, but text without its quotes.
pub(super) fn exact(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn paths_find_values_also_under_keys_with_dots() {
        let value = json!({"points": [{"a.b": 7, "c\\d": null}]});
        let path = join("points.0", "a.b");
        assert_eq!((path.as_str(), at(&value, &path)), ("points.0.a\\.b", Some(&json!(7))));
        for missing in ["points.1", "points.x", "", "points.0.c\\\\d", "points.0.a.b", "points.0.a\\.b.c"] {
            assert_eq!(at(&value, missing), None, "{missing}");
        }
    }
}
