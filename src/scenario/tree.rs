//! TOML text as a tree of located values, with `--set` laid over it.
//!
//! Parsing reports several syntax faults at once and never recurses deeper than the parser's own limit of
//! 80, so no file, however nested, exhausts the stack.

use std::collections::BTreeSet;
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeFloat, DeInteger, DeString, DeTable, DeValue};

use simnet_base::diagnostics::{Fault, quoted};

use super::diagnostics::{Diagnostics, Place};

/// A value and where it stands.
#[derive(Clone, Debug)]
pub(super) struct Item {
    pub(super) place: Place,
    pub(super) value: Value,
}

/// A value as TOML knows them.
#[derive(Clone, Debug)]
pub(super) enum Value {
    Text(String),
    /// `None` where 128 bits cannot hold it.
    Integer(Option<i128>),
    /// `None` where no finite float is near it.
    Float(Option<f64>),
    Boolean(bool),
    Datetime,
    List(Vec<Item>),
    /// In the order of the text.
    Table(Vec<Entry>),
    /// What stands here differs from point to point of a sweep; no reader sees one.
    Hole(usize),
}

/// A key, where it stands, and its value.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) key: String,
    pub(super) place: Place,
    pub(super) item: Item,
}

impl Value {
    /// What the value is, for messages.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Value::Text(_) => "a text",
            Value::Integer(_) => "a whole number",
            Value::Float(_) => "a number",
            Value::Boolean(_) => "true or false",
            Value::Datetime => "a date or time of day",
            Value::List(_) => "a list",
            Value::Table(_) => "a table",
            Value::Hole(_) => "a value that varies",
        }
    }
}

/// Parses a source. `None` if its syntax is too broken for more than the faults noted.
pub(super) fn parse(diagnostics: &mut Diagnostics, source: usize) -> Option<Item> {
    let text = diagnostics.text(source).to_owned();
    let (table, errors) = DeTable::parse_recoverable(&text);
    let line_starts: Vec<usize> = text.match_indices('\n').map(|(at, _)| at + 1).collect();
    let mut lines_with_faults = BTreeSet::new();
    let mut readable = true;
    for error in errors {
        let span = error.span().unwrap_or(0..0);
        readable &= error.message() == "duplicate key";
        // One slip often makes the parser stumble several times in its line; the first stumble says it all.
        if !lines_with_faults.insert(line_starts.partition_point(|start| *start <= span.start)) {
            continue;
        }
        diagnostics
            .add(Place { source, start: span.start, end: span.end }, |span| syntax(&error, &text, span));
    }
    readable.then(|| Item {
        place: Place { source, start: 0, end: 0 },
        value: Value::Table(entries(table.get_ref(), source)),
    })
}

fn syntax(error: &toml::de::Error, text: &str, span: Range<usize>) -> Fault {
    if error.message() == "duplicate key" {
        let key = quoted(text.get(span.clone()).unwrap_or_default());
        return Fault::new("duplicate-key", span, format!("`{key}` is given twice"), "one value a key");
    }
    let text = text.get(span.clone()).unwrap_or_default();
    let words = text.starts_with(|c: char| c.is_alphabetic());
    if error.message() == "recursion limit" {
        return Fault::new("syntax", span, "nested too deeply", "at most 80 levels");
    }
    let (message, expected) = match error.message().split_once(", expected ") {
        Some((message, expected)) => (message, format!("expected {expected}")),
        None => (error.message(), "not TOML".to_owned()),
    };
    if message == "string values must be quoted" && text.is_empty() {
        return Fault::new("syntax", span, "a key without a value", "expected a value");
    }
    if message == "string values must be quoted" || (message == "invalid float" && words) {
        return Fault::new("syntax", span, "a text without quotes", "expected a value")
            .with_help("write texts and quantities in quotes, as in \"50 ms\"");
    }
    Fault::new("syntax", span, quoted(message), expected)
}

/// A table's entries in the order of the text.
fn entries(table: &DeTable<'_>, source: usize) -> Vec<Entry> {
    let mut entries: Vec<Entry> = table.iter().map(|(key, value)| entry(key, value, source)).collect();
    entries.sort_by_key(|entry| entry.place.start);
    entries
}

fn entry(key: &Spanned<DeString<'_>>, value: &Spanned<DeValue<'_>>, source: usize) -> Entry {
    let place = Place { source, start: key.span().start, end: key.span().end };
    Entry { key: key.get_ref().to_string(), place, item: item(value, source) }
}

fn item(value: &Spanned<DeValue<'_>>, source: usize) -> Item {
    let place = Place { source, start: value.span().start, end: value.span().end };
    let value = match value.get_ref() {
        DeValue::String(text) => Value::Text(text.to_string()),
        DeValue::Integer(number) => Value::Integer(integer(number)),
        DeValue::Float(number) => Value::Float(float(number)),
        DeValue::Boolean(value) => Value::Boolean(*value),
        DeValue::Datetime(_) => Value::Datetime,
        DeValue::Array(list) => Value::List(list.iter().map(|value| item(value, source)).collect()),
        DeValue::Table(table) => Value::Table(entries(table, source)),
    };
    Item { place, value }
}

fn integer(number: &DeInteger<'_>) -> Option<i128> {
    i128::from_str_radix(number.as_str(), number.radix()).ok()
}

fn float(number: &DeFloat<'_>) -> Option<f64> {
    let value: f64 = number.as_str().parse().ok()?;
    (value.is_finite() || number.as_str().contains("inf") || number.as_str().contains("nan")).then_some(value)
}

/// The item that a text in TOML's syntax of values stands for, as if it stood at `place`.
pub(super) fn default_item(text: &str, place: Place) -> Item {
    let parsed = DeValue::parse(text).expect("a default is written in TOML");
    let mut item = item(&parsed, place.source);
    move_to(&mut item, place);
    item
}

fn move_to(item: &mut Item, place: Place) {
    item.place = place;
    match &mut item.value {
        Value::List(items) => items.iter_mut().for_each(|item| move_to(item, place)),
        Value::Table(entries) => entries.iter_mut().for_each(|entry| {
            entry.place = place;
            move_to(&mut entry.item, place);
        }),
        _ => {}
    }
}

/// Lays one `path.to.key=value` over the tree; messages call it `origin`. A value that is not TOML is taken as a
/// text.
pub(super) fn set(root: &mut Item, diagnostics: &mut Diagnostics, origin: &str, text: &str) {
    if let Some(assignment) = assignment(diagnostics, origin, text) {
        assignment.lay(root, diagnostics);
    }
}

/// A value, and the keys that lead to where it belongs.
#[derive(Clone, Debug)]
pub(super) struct Assignment {
    pub(super) path: Vec<(String, Place)>,
    pub(super) value: Item,
}

impl Assignment {
    /// Lays it over the tree.
    pub(super) fn lay(&self, root: &mut Item, diagnostics: &mut Diagnostics) {
        descend(root, diagnostics, &self.path, self.value.clone());
    }
}

/// Reads one `path.to.key=value`; `None` after a fault.
pub(super) fn assignment(diagnostics: &mut Diagnostics, origin: &str, text: &str) -> Option<Assignment> {
    let source = diagnostics.add_source(origin, text);
    let whole = Place { source, start: 0, end: text.len() };
    let Some((path, value_start)) = split_assignment(text) else {
        diagnostics.add(whole, |span| {
            Fault::new("syntax", span, "no `=` in this override", "expected path.to.key=value")
        });
        return None;
    };
    let Some(keys) = path_of(path) else {
        let place = Place { source, start: 0, end: path.len() };
        diagnostics.add(place, |span| {
            Fault::new("syntax", span, "not a path of keys", "expected keys joined by dots")
        });
        return None;
    };
    let place = |range: Range<usize>| Place { source, start: range.start, end: range.end };
    let path = keys.into_iter().map(|(key, range)| (key, place(range))).collect();
    Some(Assignment { path, value: override_value(diagnostics, source, text, value_start)? })
}

/// The keys of a path in TOML's syntax, each with its place in it.
pub(super) fn path_of(path: &str) -> Option<Vec<(String, Range<usize>)>> {
    let document = format!("{path}=0");
    let table = DeTable::parse(&document).ok()?;
    let mut keys = Vec::new();
    let end = keys_of(table.get_ref(), &mut keys);
    // Otherwise the path holds a value, a comment or a second line of its own.
    (end == document.len() && !keys.is_empty()).then_some(keys)
}

/// The path before the first `=` outside quotes, and where the value begins.
fn split_assignment(assignment: &str) -> Option<(&str, usize)> {
    let mut quote = None;
    for (at, c) in assignment.char_indices() {
        match (quote, c) {
            (None, '=') => return Some((&assignment[..at], at + 1)),
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), c) if open == c => quote = None,
            _ => {}
        }
    }
    None
}

/// The value of an override, or a fault where it begins like TOML and is none.
fn override_value(
    diagnostics: &mut Diagnostics,
    source: usize,
    assignment: &str,
    start: usize,
) -> Option<Item> {
    let text = &assignment[start..];
    let place = Place { source, start, end: assignment.len() };
    match DeValue::parse(text) {
        Ok(value) => {
            let mut value = item(&value, source);
            move_to(&mut value, place);
            Some(value)
        }
        Err(error) if text.trim_start().starts_with(['"', '\'', '[', '{']) => {
            diagnostics.add(place, |span| {
                Fault::new("syntax", span, quoted(error.message()), "expected a value in TOML")
            });
            None
        }
        Err(_) => Some(Item { place, value: Value::Text(text.trim().to_owned()) }),
    }
}

/// Adds the keys of the one path of a table, and says where its value ends.
fn keys_of(table: &DeTable<'_>, path: &mut Vec<(String, Range<usize>)>) -> usize {
    let mut entries = table.iter();
    let (Some((key, value)), None) = (entries.next(), entries.next()) else { return 0 };
    path.push((key.get_ref().to_string(), key.span()));
    match value.get_ref() {
        DeValue::Table(inner) => keys_of(inner, path),
        _ => value.span().end,
    }
}

/// Puts `value` where `path` leads, making tables on the way; a number leads into a list.
fn descend(at: &mut Item, diagnostics: &mut Diagnostics, path: &[(String, Place)], value: Item) {
    let Some(((key, place), rest)) = path.split_first() else {
        *at = value;
        return;
    };
    match &mut at.value {
        Value::List(items) => {
            let length = items.len();
            match key.parse::<usize>().ok().and_then(|nth| items.get_mut(nth)) {
                Some(item) => descend(item, diagnostics, rest, value),
                None => diagnostics.add(*place, |span| {
                    let message = format!("`{}` is no place in a list of {length}", quoted(key));
                    Fault::new("unknown-key", span, message, "expected a position, from 0")
                }),
            }
        }
        Value::Table(entries) => {
            let position = entries.iter().position(|entry| entry.key == *key).unwrap_or_else(|| {
                let item = Item { place: *place, value: Value::Table(Vec::new()) };
                entries.push(Entry { key: key.clone(), place: *place, item });
                entries.len() - 1
            });
            descend(&mut entries[position].item, diagnostics, rest, value);
        }
        _ => {
            *at = {
                let mut table = Item { place: *place, value: Value::Table(Vec::new()) };
                descend(&mut table, diagnostics, path, value);
                table
            }
        }
    }
}
