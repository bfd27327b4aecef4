//! What is known of a key before any point is made: whether there is one, what it wants, what it is without.

use std::ops::Range;

use serde_json::Value as Json;

use crate::diagnostics::{Fault, quoted};

/// The scenario's JSON Schema, walked along paths of keys.
pub(super) struct Known(Json);

impl Known {
    /// Makes the schema.
    pub(super) fn new() -> Known {
        Known(super::super::schema::document())
    }

    /// The schema of a key.
    ///
    /// # Errors
    /// The fault of a path that leads nowhere; `span` says where each of its keys stands.
    pub(super) fn key(&self, path: &[String], span: impl Fn(usize) -> Range<usize>) -> Result<&Json, Fault> {
        let mut at = &self.0;
        for (depth, key) in path.iter().enumerate() {
            let Some(next) = step(at, key) else {
                let mut choices = Vec::new();
                properties(at, &mut choices);
                let within = match depth {
                    0 => "the scenario".to_owned(),
                    _ => format!("`{}`", quoted(&path[..depth].join("."))),
                };
                let message = format!("unknown key `{}` in {within}", quoted(key));
                let expected = match choices.len() {
                    0 => "expected no further key".to_owned(),
                    1..=30 => format!("expected one of {}", choices.join(", ")),
                    many => format!("expected one of {many} keys"),
                };
                return Err(
                    Fault::new("unknown-key", span(depth), message, expected).with_nearest(key, choices)
                );
            };
            at = next;
        }
        Ok(at)
    }
}

/// Where a key leads.
fn step<'a>(at: &'a Json, key: &str) -> Option<&'a Json> {
    if let Some(next) = at["properties"].get(key) {
        return Some(next);
    }
    if at["items"].is_object() && !key.is_empty() && key.bytes().all(|b| b.is_ascii_digit()) {
        return Some(&at["items"]);
    }
    if at["additionalProperties"].is_object() {
        return Some(&at["additionalProperties"]);
    }
    at["anyOf"].as_array().and_then(|kinds| kinds.iter().find_map(|kind| step(kind, key)))
}

fn properties<'a>(at: &'a Json, choices: &mut Vec<&'a str>) {
    choices.extend(at["properties"].as_object().into_iter().flatten().map(|(key, _)| key.as_str()));
    for kind in at["anyOf"].as_array().into_iter().flatten() {
        properties(kind, choices);
    }
}

/// Whether a key wants a list.
pub(super) fn wants_list(schema: &Json) -> bool {
    schema["type"] == "array"
}

/// Whether a key, or an item of the list that it wants, is a whole number.
pub(super) fn wants_whole(schema: &Json) -> bool {
    schema["type"] == "integer" || schema["items"]["type"] == "integer"
}

/// The words that a key can be, if it is one of a few.
pub(super) fn words(schema: &Json) -> Option<Vec<&str>> {
    schema["enum"].as_array().map(|words| words.iter().filter_map(Json::as_str).collect())
}
