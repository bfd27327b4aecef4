//! The keys of the JSON Schema: all of them, and those that a document has.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value as Json;

use crate::bad_input::schema_cases::chance::Chance;
use crate::bad_input::schema_cases::document::Node;
use crate::bad_input::schema_cases::values::{Mood, bare, is_source, value};

/// How one schema leads to another.
#[derive(Clone, Debug)]
pub(super) enum Step {
    Key(String),
    Item,
    /// A key of the user's choice.
    Free,
}

/// A key of the schema.
#[derive(Clone, Debug)]
pub(super) struct Key<'a> {
    /// The keys to it joined by dots; `[]` for an item of a list, `*` for a key of the user's choice.
    pub(super) path: String,
    pub(super) steps: Vec<Step>,
    pub(super) schema: &'a Json,
}

/// Every key of the schema, by path.
pub(super) fn all(root: &Json) -> Vec<Key<'_>> {
    let mut found = BTreeMap::new();
    walk(root, "", &mut Vec::new(), &mut found);
    found.into_values().collect()
}

fn walk<'a>(at: &'a Json, path: &str, steps: &mut Vec<Step>, found: &mut BTreeMap<String, Key<'a>>) {
    for (key, inner) in at["properties"].as_object().into_iter().flatten() {
        let path = joined(path, key);
        steps.push(Step::Key(key.clone()));
        let this = Key { path: path.clone(), steps: steps.clone(), schema: inner };
        found.entry(path.clone()).or_insert(this);
        walk(inner, &path, steps, found);
        steps.pop();
    }
    if at["items"].is_object() {
        steps.push(Step::Item);
        walk(&at["items"], &format!("{path}[]"), steps, found);
        steps.pop();
    }
    if at["additionalProperties"].is_object() {
        steps.push(Step::Free);
        walk(&at["additionalProperties"], &joined(path, "*"), steps, found);
        steps.pop();
    }
    for kind in at["anyOf"].as_array().into_iter().flatten() {
        walk(kind, path, steps, found);
    }
}

fn joined(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}

/// Where a step leads.
fn follow<'a>(at: &'a Json, step: &Step) -> Option<&'a Json> {
    let here = match step {
        Step::Key(key) => at["properties"].get(key),
        Step::Item => at.get("items"),
        Step::Free => at.get("additionalProperties").filter(|inner| inner.is_object()),
    };
    here.or_else(|| at["anyOf"].as_array()?.iter().find_map(|kind| follow(kind, step)))
}

/// Notes the paths of the schema's keys that a document has.
pub(super) fn present(node: &Node, schema: &Json, path: &str, found: &mut BTreeSet<String>) {
    match node {
        Node::Raw(_) => {}
        Node::List(items) => {
            let Some(inner) = follow(schema, &Step::Item) else { return };
            items.iter().for_each(|item| present(item, inner, &format!("{path}[]"), found));
        }
        Node::Table(entries) => {
            for (key, value) in entries {
                if let Some(inner) = follow(schema, &Step::Key(key.clone())) {
                    let path = joined(path, key);
                    present(value, inner, &path, found);
                    found.insert(path);
                } else if let Some(inner) = follow(schema, &Step::Free) {
                    present(value, inner, &joined(path, "*"), found);
                }
            }
        }
    }
}

/// Puts a value where a key stands, and around it the tables that it needs; in a mild mood, what it excludes goes.
pub(super) fn put(document: &mut Node, key: &Key<'_>, root: &Json, mood: Mood, chance: &mut Chance) {
    let (mut node, mut schema, mut path) = (document, root, String::new());
    for (depth, step) in key.steps.iter().enumerate() {
        let Some(inner) = follow(schema, step) else { return };
        let is_last = depth + 1 == key.steps.len();
        let name = match step {
            Step::Key(name) => name.clone(),
            Step::Free => "s0".to_owned(),
            Step::Item => String::new(),
        };
        path = if name.is_empty() { format!("{path}[]") } else { joined(&path, &name) };
        let is_there = match step {
            Step::Item => matches!(node, Node::List(items) if !items.is_empty()),
            _ => node.get(&name).is_some(),
        };
        if mood == Mood::Mild && !is_there && is_source(schema, &name) {
            *node = Node::table();
        }
        let place = match step {
            Step::Item if is_there => &mut node.items()[0],
            Step::Item => {
                node.items().push(Node::table());
                &mut node.items()[0]
            }
            _ => node.child(&name),
        };
        if is_last {
            *place = value(key.schema, &path, root, mood, chance);
        } else if !is_there && inner["properties"].is_object() {
            *place = bare(inner, &path, root, chance);
        }
        (node, schema) = (place, inner);
    }
}
