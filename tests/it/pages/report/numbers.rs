//! The numbers of the page and of `summary.json` are the same.

use serde_json::Value;

use super::html::{Token, text_of};

/// The most values that the tree of everything shows.
const MOST_VALUES: usize = 4_000;

/// Every element that shows a value of the summary has it exactly in `data-value`, rounded rightly in its text; and
/// every value of the summary is shown.
pub(crate) fn check(tokens: &[Token], summary: &Value) {
    let mut shown = std::collections::BTreeSet::new();
    for (place, token) in tokens.iter().enumerate() {
        let Some(path) = token.attribute("data-path") else { continue };
        let exact = token.attribute("data-value").expect("what has a path has a value");
        let value = at(summary, path).unwrap_or_else(|| panic!("the summary has no {path}"));
        match value {
            Value::String(text) => assert_eq!(exact, text, "{path}"),
            Value::Number(number) => {
                assert_eq!(exact, number.to_string(), "{path}");
                check_rounding(path, number.as_f64().unwrap(), &text_of(tokens, place));
            }
            other => assert_eq!(exact, other.to_string(), "{path}"),
        }
        shown.insert(path.to_owned());
    }
    let mut leaves = Vec::new();
    gather(summary, String::new(), &mut leaves);
    let missing: Vec<&String> =
        leaves.iter().take(MOST_VALUES).filter(|path| !shown.contains(*path)).collect();
    assert!(missing.is_empty(), "not shown: {missing:?}");
}

/// The value at a path whose keys are joined by dots; a dot of a key has a backslash before it.
fn at<'a>(summary: &'a Value, path: &str) -> Option<&'a Value> {
    let keys = path.replace("\\.", "\u{1}").replace("\\\\", "\u{2}");
    keys.split('.').try_fold(summary, |value, key| {
        let key = key.replace('\u{1}', ".").replace('\u{2}', "\\");
        match value {
            Value::Array(list) => list.get(key.parse::<usize>().ok()?),
            other => other.get(&key),
        }
    })
}

/// The paths of all values, in the order of the file.
fn gather(value: &Value, path: String, found: &mut Vec<String>) {
    let join = |key: &str| {
        let key = key.replace('\\', "\\\\").replace('.', "\\.");
        if path.is_empty() { key } else { format!("{path}.{key}") }
    };
    match value {
        Value::Null => {}
        Value::Array(list) => {
            list.iter().enumerate().for_each(|(nth, value)| gather(value, join(&nth.to_string()), found));
        }
        Value::Object(map) => map.iter().for_each(|(key, value)| gather(value, join(key), found)),
        _ => found.push(path),
    }
}

/// The text says the number within half a unit of its fourth digit, in whatever unit it chose.
fn check_rounding(path: &str, exact: f64, text: &str) {
    let plain = text.replace('−', "-").replace('\u{202f}', "");
    let (number, unit) = plain.split_once(' ').unwrap_or((&plain, ""));
    let number: f64 = number.parse().unwrap_or_else(|_| panic!("{path}: {text} is no number"));
    let key = |suffix: &str| path.split('.').any(|key| key.ends_with(suffix));
    let in_seconds = if key("_ns") { exact * 1e-9 } else { exact * 1e-3 };
    let (shown, meant) = match unit {
        "ns" => (number * 1e-9, in_seconds),
        "µs" => (number * 1e-6, in_seconds),
        "ms" => (number * 1e-3, in_seconds),
        "s" => (number, in_seconds),
        "%" => (number / 100.0, exact),
        "Mb/s" => (number * 1e6, exact),
        "" => (number, exact),
        other => panic!("{path}: {text}: the unit {other}"),
    };
    let slack = if unit == "%" { 5.1e-3 } else { 5.1e-4 };
    assert!((shown - meant).abs() <= meant.abs() * slack, "{path}: {text} is not {exact}");
}
