//! simnet's network format as JSON (RFC 8259, strictly: no comments, no trailing commas).

use std::ops::Range;

use jsonc_parser::ast;
use jsonc_parser::common::Ranged as _;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

use crate::topology::Network;
use simnet_base::diagnostics::{Fault, legible_json};

use super::document::{self, Field, Row};
use super::tree::{Entry, Kind, Value};

/// Whether a text begins as JSON does.
pub(super) fn recognises(text: &str) -> bool {
    text.trim_start().starts_with(['{', '['])
}

/// Parses JSON into values with places.
///
/// # Errors
/// The first place where the text is not JSON: after it nothing can be read.
pub(super) fn parse(text: &str) -> Result<Value, Vec<Fault>> {
    strict(text)?;
    let options = ParseOptions {
        allow_comments: false,
        allow_loose_object_property_names: false,
        allow_trailing_commas: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    let parsed = parse_to_ast(text, &CollectOptions::default(), &options).map_err(|error| {
        let range = error.range();
        let message = lowered(&error.kind().to_string());
        vec![Fault::new("syntax", range.start..range.end, message, "JSON up to here")]
    })?;
    match parsed.value {
        Some(value) => Ok(converted(&value)),
        None => Err(vec![Fault::new("syntax", 0..0, "the file is empty", "a JSON object")]),
    }
}

/// Lets through only what a strict parser takes; it does not recurse, so deep nesting is no danger here.
fn strict(text: &str) -> Result<(), Vec<Fault>> {
    let checked: Result<serde::de::IgnoredAny, serde_json::Error> = serde_json::from_str(text);
    let Err(error) = checked else { return Ok(()) };
    let message = error.to_string();
    let message = message.rsplit_once(" at line ").map_or(message.as_str(), |(what, _)| what);
    // The parser stops before a control character, but after whatever else it does not take.
    let column = error.column() + usize::from(message.starts_with("control character"));
    let place = place(text, error.line(), column);
    Err(vec![Fault::new("syntax", place, lowered(message), "not JSON from here on")])
}

/// The character at a line, and a column in bytes, both from 1.
fn place(text: &str, line: usize, column: usize) -> Range<usize> {
    let line_start = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum::<usize>();
    let mut start = (line_start + column.saturating_sub(1)).min(text.len());
    while !text.is_char_boundary(start) {
        start -= 1;
    }
    let width = text[start..].chars().next().map_or(0, char::len_utf8);
    start..start + width
}

fn lowered(sentence: &str) -> String {
    let mut letters = sentence.chars();
    if sentence.starts_with("EOF") {
        return sentence.replacen("EOF", "the file ends", 1);
    }
    letters.next().map(|first| first.to_lowercase().chain(letters).collect()).unwrap_or_default()
}

fn converted(value: &ast::Value<'_>) -> Value {
    let range = value.range();
    let kind = match value {
        ast::Value::StringLit(text) => Kind::Text(text.value.clone().into_owned()),
        ast::Value::NumberLit(number) => match number.value.parse() {
            Ok(whole) => Kind::Integer(whole),
            Err(_) => Kind::Number(number.value.to_owned()),
        },
        ast::Value::BooleanLit(truth) => Kind::Truth(truth.value),
        ast::Value::NullKeyword(_) => Kind::Other("null"),
        ast::Value::Array(list) => Kind::List(list.elements.iter().map(converted).collect()),
        ast::Value::Object(table) => Kind::Table(table.properties.iter().map(entry).collect()),
    };
    Value { span: range.start..range.end, kind }
}

fn entry(property: &ast::ObjectProp<'_>) -> Entry {
    let key = match &property.name {
        ast::ObjectPropName::String(text) => text.value.clone().into_owned(),
        ast::ObjectPropName::Word(word) => word.value.to_owned(),
    };
    let range = property.name.range();
    Entry { key, key_span: range.start..range.end, value: converted(&property.value) }
}

/// Writes a network: one node or cable a line.
pub(super) fn write(net: &Network) -> String {
    let mut text = format!("{{{},\n", fields(&document::head(net)));
    push_list(&mut text, "switches", document::switches(net));
    text.push_str(",\n");
    push_list(&mut text, "hosts", document::hosts(net));
    text.push_str(",\n");
    push_list(&mut text, "links", document::links(net));
    text.push_str("}\n");
    text
}

/// Appends a list row by row, since the rows of a large network would not fit the memory together with their text.
fn push_list<'n>(text: &mut String, key: &str, rows: impl Iterator<Item = Row<'n>>) {
    text.push_str(&format!(" {}: [", quoted(key)));
    let mut any = false;
    for row in rows {
        text.push_str(if any { ",\n  {" } else { "\n  {" });
        text.push_str(&fields(&row));
        text.push('}');
        any = true;
    }
    text.push_str(if any { "\n ]" } else { "]" });
}

fn fields(row: &[(&str, Field<'_>)]) -> String {
    let each: Vec<String> =
        row.iter().map(|(key, value)| format!("{}: {}", quoted(key), field(value))).collect();
    each.join(", ")
}

fn field(value: &Field<'_>) -> String {
    match value {
        Field::Text(text) => legible_json(&quoted(text)).into_owned(),
        Field::Number(number) => number.to_string(),
    }
}

/// A text in quotes, as JSON escapes it.
pub(super) fn quoted(text: &str) -> String {
    serde_json::to_string(text).expect("a text is always JSON")
}
