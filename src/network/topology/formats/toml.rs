//! simnet's network format as TOML, with the keys of the JSON form.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::topology::Network;
use simnet_base::diagnostics::{Fault, legible_toml};

use super::document::{self, Field, Row};
use super::json::quoted;
use super::tree::{Entry, Kind, Value};

/// Whether some line of a text sets `format`, or heads one of the lists, as this format does.
pub(super) fn recognises(text: &str) -> bool {
    let heads = ["[[switches]]", "[[hosts]]", "[[links]]"];
    text.lines().map(str::trim_start).any(|line| {
        let sets = |key: &str| line.strip_prefix(key).is_some_and(|rest| rest.trim_start().starts_with('='));
        sets("format") || sets("switches") || heads.iter().any(|head| line.starts_with(head))
    })
}

/// Parses TOML into values with places.
///
/// # Errors
/// Every place where the text is not TOML.
pub(super) fn parse(text: &str) -> Result<Value, Vec<Fault>> {
    let (table, errors) = DeTable::parse_recoverable(text);
    if errors.is_empty() {
        return Ok(Value { span: 0..text.len().min(1), kind: self::table(table.get_ref()) });
    }
    let fault = |error: &toml::de::Error| {
        let span = error.span().unwrap_or(0..0);
        Fault::new("syntax", span, error.message().replace('\n', "; "), "not TOML here")
    };
    Err(errors.iter().map(fault).collect())
}

fn table(table: &DeTable<'_>) -> Kind {
    let mut entries: Vec<Entry> = table
        .iter()
        .map(|(key, value)| Entry {
            key: key.get_ref().to_string(),
            key_span: key.span(),
            value: converted(value),
        })
        .collect();
    entries.sort_by_key(|entry| entry.key_span.start);
    Kind::Table(entries)
}

fn converted(value: &Spanned<DeValue<'_>>) -> Value {
    let kind = match value.get_ref() {
        DeValue::String(text) => Kind::Text(text.to_string()),
        DeValue::Integer(number) => match i64::from_str_radix(number.as_str(), number.radix()) {
            Ok(whole) => Kind::Integer(whole),
            Err(_) => Kind::Number(number.to_string()),
        },
        DeValue::Float(number) => Kind::Number(number.to_string()),
        DeValue::Boolean(truth) => Kind::Truth(*truth),
        DeValue::Datetime(_) => Kind::Other("a date"),
        DeValue::Array(list) => Kind::List(list.iter().map(converted).collect()),
        DeValue::Table(entries) => table(entries),
    };
    Value { span: value.span(), kind }
}

/// Writes a network: one node or cable a line.
pub(super) fn write(net: &Network) -> String {
    let mut text = String::new();
    for (key, value) in document::head(net) {
        text += &format!("{key} = {}\n", field(&value));
    }
    push_list(&mut text, "switches", document::switches(net));
    push_list(&mut text, "hosts", document::hosts(net));
    push_list(&mut text, "links", document::links(net));
    text
}

fn push_list<'n>(text: &mut String, key: &str, rows: impl Iterator<Item = Row<'n>>) {
    text.push_str(&format!("{key} = ["));
    let mut any = false;
    for row in rows {
        text.push_str("\n  { ");
        text.push_str(&fields(&row));
        text.push_str(" },");
        any = true;
    }
    text.push_str(if any { "\n]\n" } else { "]\n" });
}

fn fields(row: &[(&str, Field<'_>)]) -> String {
    let each: Vec<String> = row.iter().map(|(key, value)| format!("{key} = {}", field(value))).collect();
    each.join(", ")
}

/// A value as TOML writes it: JSON's escapes of control characters are TOML's.
fn field(value: &Field<'_>) -> String {
    match value {
        Field::Text(text) => legible_toml(&quoted(text)).into_owned(),
        Field::Number(number) => number.to_string(),
    }
}
