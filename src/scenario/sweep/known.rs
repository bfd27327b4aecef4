//! What is known of a key before any point is made: whether there is one, what it wants, what it is without.

use std::ops::Range;

use serde_json::Value as Json;

use simnet_base::diagnostics::{Fault, quoted};

use crate::diagnostics::{Diagnostics, Place};

/// The scenario's JSON Schema, walked along paths of keys.
pub(super) struct Known(&'static Json);

impl Known {
    /// The schema of scenarios.
    pub(super) fn new() -> Known {
        Known(crate::schema::document())
    }

    /// The schema of a key, if there is such a key.
    pub(super) fn key(&self, path: &[&str]) -> Option<&Json> {
        self.follow(path).ok()
    }

    /// The schema of a key; `None` after noting that there is none. `place` says where each key of the path stands.
    pub(super) fn noted(
        &self,
        path: &[&str],
        place: impl Fn(usize) -> Place,
        diagnostics: &mut Diagnostics,
    ) -> Option<&Json> {
        let found = self.follow(path);
        found.map_err(|(depth, at)| diagnostics.add(place(depth), |span| unknown(path, depth, at, span))).ok()
    }

    /// Walks along a path.
    ///
    /// # Errors
    /// The position of the first key that leads nowhere, and the schema that has no such key.
    fn follow(&self, path: &[&str]) -> Result<&Json, (usize, &Json)> {
        path.iter().enumerate().try_fold(self.0, |at, (depth, key)| step(at, key).ok_or((depth, at)))
    }
}

/// The fault of a path whose key at `depth` is none of those of the schema `at`.
fn unknown(path: &[&str], depth: usize, at: &Json, span: Range<usize>) -> Fault {
    let key = path[depth];
    let mut choices = Vec::new();
    properties(at, &mut choices);
    let within = match depth {
        0 => "the scenario".to_owned(),
        _ => format!("`{}`", quoted(&path[..depth].join("."))),
    };
    let expected = match choices.len() {
        0 => "expected no further key".to_owned(),
        1..=30 => format!("expected one of {}", choices.join(", ")),
        many => format!("expected one of {many} keys"),
    };
    let message = format!("unknown key `{}` in {within}", quoted(key));
    Fault::new("unknown-key", span, message, expected).with_nearest(key, choices)
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
