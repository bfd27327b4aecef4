//! Everything in `summary.json`, also what no other part knows, as a tree that opens.

use maud::{Markup, html};
use serde_json::Value;

use crate::page::Contents;
use crate::page::markup::shortened;
use crate::page::value::{exact, join};

/// The most values that the tree shows; the file has them all.
const MOST_VALUES: usize = 4_000;
/// A list or object of more entries than this is closed at first.
const OPEN: usize = 12;

/// The tree, closed.
pub(super) fn tree(contents: &Contents) -> Markup {
    let Some(object) = contents.summary.as_object() else { return html! {} };
    let mut room = MOST_VALUES;
    let entries = object.iter().map(|(key, value)| branch(key, value, key_path("", key), 0, &mut room));
    let branches: Vec<Markup> = entries.collect();
    html! {
        h3 { "Everything in summary.json" }
        details #everything {
            summary { "Every value by its name, exact" }
            @if room == 0 {
                p.soft { "The first " (MOST_VALUES) " values are shown; summary.json has more." }
            }
            ul.tree { @for branch in &branches { (branch) } }
        }
    }
}

fn key_path(path: &str, key: &str) -> String {
    join(path, key)
}

/// A value with what is in it. Depth is bounded: the file was read by a parser that bounds it.
fn branch(key: &str, value: &Value, path: String, depth: usize, room: &mut usize) -> Markup {
    if *room == 0 {
        return html! {};
    }
    let inside: Vec<(String, &Value)> = match value {
        Value::Array(list) => list.iter().enumerate().map(|(nth, value)| (nth.to_string(), value)).collect(),
        Value::Object(map) => map.iter().map(|(key, value)| (key.clone(), value)).collect(),
        _ => {
            *room -= 1;
            return leaf(key, value, &path);
        }
    };
    if inside.is_empty() {
        let nothing = if value.is_array() { "none" } else { "nothing" };
        return html! { li { span.key { bdi { (shortened(key)) } } ": " span.soft { (nothing) } } };
    }
    let count = inside.len();
    let open = depth < 1 && count <= OPEN;
    let branches: Vec<Markup> =
        inside.iter().map(|(key, value)| branch(key, value, key_path(&path, key), depth + 1, room)).collect();
    html! { li { details open[open] {
        summary { span.key { bdi { (shortened(key)) } } " " span.soft { "(" (count) ")" } }
        ul { @for branch in &branches { (branch) } }
    } } }
}

fn leaf(key: &str, value: &Value, path: &str) -> Markup {
    let exact = exact(value);
    html! { li {
        span.key { bdi { (shortened(key)) } } ": "
        @if value.is_null() { span.soft { "none" } }
        @else if value.is_string() { bdi data-path=(path) data-value=(exact) { (shortened(&exact)) } }
        @else { span.value data-path=(path) data-value=(exact) { (exact) } }
    } }
}
