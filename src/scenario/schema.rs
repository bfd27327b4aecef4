//! The scenario file's JSON Schema.

use std::sync::LazyLock;

use serde_json::{Map, Value as Json, json};

use super::wire::{Document, Wire as _};

/// The keys by which a file becomes one layer of several.
const LAYERING: [&str; 3] = ["include", "profile", "sweep"];

/// The JSON Schema (draft-07) of the scenario file.
///
/// A file that includes others, names a profile or describes a sweep may leave out what the other layers give; of any
/// other file the schema wants every key that must be given.
pub fn schema() -> Json {
    let mut schema = document().clone();
    let needs = needs(&mut schema);
    let layered = LAYERING.map(|key| json!({ "required": [key] }));
    schema["if"] = json!({ "not": { "anyOf": layered } });
    schema["then"] = needs;
    schema
}

/// The schema of a whole scenario, each table with the keys that it must have. Made once, at the first call.
pub(super) fn document() -> &'static Json {
    static MADE: LazyLock<Json> = LazyLock::new(|| {
        let mut schema = Document::schema();
        schema["$schema"] = json!("http://json-schema.org/draft-07/schema#");
        schema
    });
    &MADE
}

/// Takes out of a table, and of the tables in it, which keys must be given, and hands out a schema of that alone.
/// Lists stay as they are: they are replaced whole.
fn needs(schema: &mut Json) -> Json {
    let mut needs = Map::new();
    let Some(table) = schema.as_object_mut() else { return Json::Object(needs) };
    if let Some(required) = table.remove("required") {
        needs.insert("required".to_owned(), required);
    }
    let mut inner = Map::new();
    for (key, value) in table.get_mut("properties").and_then(Json::as_object_mut).into_iter().flatten() {
        let of_key = self::needs(value);
        if of_key.as_object().is_some_and(|needs| !needs.is_empty()) {
            inner.insert(key.clone(), of_key);
        }
    }
    if !inner.is_empty() {
        needs.insert("properties".to_owned(), Json::Object(inner));
    }
    Json::Object(needs)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wrong if a layer is refused for what another one gives, or a whole scenario is not asked for what it needs.
    #[test]
    fn only_whole_scenarios_must_be_whole() {
        let schema = schema();
        assert!(schema.get("required").is_none());
        assert_eq!(schema["then"]["required"], json!(["scenario", "topology"]));
        assert_eq!(schema["then"]["properties"]["scenario"]["required"], json!(["name"]));
        assert!(schema["properties"]["scenario"].get("required").is_none());
        let ratio = &schema["properties"]["sweep"]["properties"]["ratios"]["items"];
        assert_eq!(ratio["required"], json!(["name", "column", "over"]));
    }
}
