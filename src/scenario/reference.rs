//! The reference of all keys, written from the JSON Schema, so that neither can say what the other does
//! not.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use serde_json::{Map, Value};

/// The reference as Markdown: a table a section, a row a key.
pub fn reference() -> String {
    let mut text = String::new();
    section(&mut text, &mut BTreeSet::new(), "The sections", super::schema::document(), false);
    // A blank line follows every table but the last.
    text.pop();
    text
}

/// Writes a section's table, then those of the tables in it that are not among those `written`.
fn section(text: &mut String, written: &mut BTreeSet<String>, title: &str, schema: &Value, described: bool) {
    if !written.insert(title.to_owned()) {
        return;
    }
    let empty = Map::new();
    let properties = schema["properties"].as_object().unwrap_or(&empty);
    let required = |key: &str| schema["required"].as_array().is_some_and(|all| all.iter().any(|r| r == key));
    let _ = writeln!(text, "### {}\n", title.replace('[', "\\[").replace(']', "\\]"));
    if let (true, Some(about)) = (described, schema["description"].as_str()) {
        let _ = writeln!(text, "{}\n", sentence(about));
    }
    text.push_str("| key | value | without it | meaning |\n|---|---|---|---|\n");
    for (key, value) in properties {
        let absent = match (&value["default"], required(key)) {
            (_, true) => "must be given".to_owned(),
            (Value::Null, false) => "none".to_owned(),
            (default, false) => format!("`{default}`"),
        };
        let about = sentence(value["description"].as_str().unwrap_or_default());
        let _ = writeln!(text, "| `{key}` | {} | {absent} | {about} |", kind(value));
    }
    text.push('\n');
    for value in properties.values() {
        let inner = if value["type"] == "array" { &value["items"] } else { value };
        let kinds = inner["anyOf"].as_array().map_or(std::slice::from_ref(inner), Vec::as_slice);
        for table in kinds.iter().filter(|kind| kind["properties"].is_object()) {
            section(text, written, table["title"].as_str().unwrap_or_default(), table, true);
        }
    }
}

/// What a value looks like, in a few words.
fn kind(schema: &Value) -> String {
    if let Some(example) = schema["examples"][0].as_str() {
        return format!("{}, as `\"{example}\"`", schema["title"].as_str().unwrap_or("text"));
    }
    if let Some(choices) = schema["enum"].as_array() {
        return choices.iter().map(|choice| format!("`{choice}`")).collect::<Vec<_>>().join(" or ");
    }
    if let Some(kinds) = schema["anyOf"].as_array() {
        return kinds.iter().map(kind).collect::<Vec<_>>().join(" or ");
    }
    if let Some(word) = schema["const"].as_str() {
        return format!("`\"{word}\"`");
    }
    match schema["type"].as_str() {
        Some("array") if schema["items"]["properties"].is_object() => "list of tables".to_owned(),
        Some("array") => format!("list: {}", kind(&schema["items"])),
        Some("object") => "table".to_owned(),
        Some("integer") => number("whole number", schema),
        Some("number") => number("number", schema),
        Some("boolean") => "`true` or `false`".to_owned(),
        Some("string") => "text".to_owned(),
        Some(other) => other.to_owned(),
        None => String::new(),
    }
}

/// A number with its range.
fn number(kind: &str, schema: &Value) -> String {
    let bound = |key: &str| schema[key].as_f64();
    let (above, below) = (bound("exclusiveMinimum"), bound("exclusiveMaximum"));
    let most = bound("maximum").map(|most| format!(" and at most {most}"));
    let most = most.or(below.map(|below| format!(" and below {below}"))).unwrap_or_default();
    match (bound("minimum"), bound("maximum"), above) {
        (Some(least), Some(most), _) => format!("{kind}, {least} to {most}"),
        (Some(least), None, _) => format!("{kind}, at least {least}{most}"),
        (None, _, Some(above)) => format!("{kind} above {above}{most}"),
        (None, _, None) => kind.to_owned(),
    }
}

/// A text that begins with a capital and ends with a full stop.
fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
    let stop = if text.ends_with('.') { "" } else { "." };
    format!("{first}{}{stop}", letters.as_str()).replace('|', "\\|")
}
