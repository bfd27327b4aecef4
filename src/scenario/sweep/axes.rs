//! The axes of a sweep: which keys take which values, in lock-step or on their own.

use std::collections::BTreeSet;

use serde_json::Value as Json;

use simnet_base::diagnostics::{Fault, quoted};

use super::known::{Known, wants_list, wants_whole};
use super::range::{Range, is_range};
use crate::diagnostics::{Diagnostics, Place};
use crate::layers::find;
use crate::tree::{self, Entry, Item, Value};

/// The most values of a key that are kept printed.
const MOST_TEXTS: usize = 100_000;

/// So many networks that chance makes stand for all of them in the small form of a sweep.
const FEW_NETWORKS: usize = 2;

/// The axes of a file, as far as they can be read.
pub(super) struct Written {
    /// Every key that varies, of faulty axes too: for what looks at keys alone.
    pub(super) keys: Vec<AxisKey>,
    /// The axes in order; `None` for each with a fault, so that nothing reads its values.
    pub(super) axes: Vec<Option<Axis>>,
}

/// Keys that take their values in lock-step, as many each.
#[derive(Clone, Debug)]
pub(super) struct Axis {
    pub(super) keys: Vec<AxisKey>,
    /// What its positions are called, if they have names of their own.
    label: Option<Label>,
    /// The values of each key.
    columns: Vec<Column>,
    /// How many values each of them has.
    length: usize,
    /// Only every so many values are taken.
    stride: usize,
}

/// A key that varies.
#[derive(Clone, Debug)]
pub(super) struct AxisKey {
    /// The path, its keys joined by dots, in quotes where that is needed.
    pub(super) name: String,
    pub(super) path: Vec<(String, Place)>,
    /// Where its values stand.
    pub(super) place: Place,
}

/// Names of the positions of an axis.
#[derive(Clone, Debug)]
struct Label {
    name: String,
    texts: Vec<String>,
}

/// The values of a key.
#[derive(Clone, Debug)]
struct Column {
    values: Values,
    /// The values, printed, unless there are very many.
    texts: Vec<String>,
    /// Whether each value is to be a list of one.
    is_wrapped: bool,
}

#[derive(Clone, Debug)]
enum Values {
    Listed(Vec<Item>),
    Range(Range),
}

impl Axis {
    /// How many positions it has.
    pub(super) fn len(&self) -> usize {
        self.length.div_ceil(self.stride)
    }

    /// The first two, if the axis is one of networks that chance makes; else every fourth value, if it is one of more
    /// than four numbers or quantities.
    pub(super) fn thinned(&self) -> Axis {
        let is_of_networks =
            |key: &AxisKey| key.path[0].0 == "topology" && key.path[1..].iter().any(|(key, _)| key == "seed");
        if self.keys.iter().all(is_of_networks) {
            return Axis { length: self.length.min(FEW_NETWORKS), ..self.clone() };
        }
        let is_numeric = self.columns.iter().any(Column::is_numeric);
        let stride = if is_numeric && self.length > 4 { 4 } else { 1 };
        Axis { stride, ..self.clone() }
    }

    /// The position in the whole axis of one in this.
    pub(super) fn whole_position(&self, position: usize) -> usize {
        position * self.stride
    }

    /// The value of one of its keys at a position.
    pub(super) fn item(&self, key: usize, position: usize) -> Item {
        self.columns[key].item(position * self.stride)
    }

    /// The same, printed.
    pub(super) fn printed(&self, key: usize, position: usize) -> String {
        self.columns[key].printed(position * self.stride)
    }

    /// What it is called: its name, if its positions have labels, then the paths of its keys. Labels that are called as
    /// one of the keys stand in its place.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> + Clone {
        let label = self.label.iter().map(|label| label.name.as_str());
        label.chain(self.shown_keys().map(|key| self.keys[key].name.as_str()))
    }

    /// The keys in whose place no label stands.
    fn shown_keys(&self) -> impl Iterator<Item = usize> + Clone + '_ {
        let is_labelled =
            |key: usize| self.label.as_ref().is_some_and(|label| label.name == self.keys[key].name);
        (0..self.keys.len()).filter(move |key| !is_labelled(*key))
    }

    /// What it is called, if its positions have labels, else the paths of its keys.
    pub(super) fn names_in_short(&self) -> impl Iterator<Item = &str> + Clone {
        self.names().take(if self.label.is_some() { 1 } else { self.keys.len() })
    }

    /// What stands under each of [`Axis::names`] at a position, printed.
    pub(super) fn texts(&self, position: usize) -> impl Iterator<Item = String> + '_ {
        let label = self.label.iter().map(move |label| label.texts[self.whole_position(position)].clone());
        label.chain(self.shown_keys().map(move |key| self.printed(key, position)))
    }

    /// A position in one word: its label, or the values of its keys with a plus between.
    pub(super) fn id(&self, position: usize) -> String {
        match &self.label {
            Some(label) => label.texts[self.whole_position(position)].clone(),
            None => self.texts(position).collect::<Vec<_>>().join("+"),
        }
    }

    /// All that stands under one of [`Axis::names`], whether or not the axis is thinned; `None` for another name.
    pub(super) fn values_of(&self, name: &str) -> Option<Vec<String>> {
        if let Some(label) = self.label.iter().find(|label| label.name == name) {
            return Some(label.texts.clone());
        }
        let key = self.keys.iter().position(|key| key.name == name)?;
        Some((0..self.length).map(|nth| self.columns[key].printed(nth)).collect())
    }

    /// Whether tables are among its values.
    pub(super) fn has_tables(&self) -> bool {
        self.lists().flatten().any(|item| matches!(item.value, Value::Table(_)))
    }

    /// The values of its keys that are listed one by one.
    pub(super) fn lists(&self) -> impl Iterator<Item = &[Item]> {
        self.columns.iter().filter_map(|column| match &column.values {
            Values::Listed(items) => Some(items.as_slice()),
            Values::Range(_) => None,
        })
    }
}

impl Values {
    fn len(&self) -> usize {
        match self {
            Values::Listed(items) => items.len(),
            Values::Range(range) => range.len(),
        }
    }

    fn printed(&self, nth: usize) -> String {
        match self {
            Values::Listed(items) => printed(&items[nth]),
            Values::Range(range) => range.printed(nth),
        }
    }
}

impl Column {
    fn len(&self) -> usize {
        self.values.len()
    }

    fn item(&self, nth: usize) -> Item {
        let item = match &self.values {
            Values::Listed(items) => items[nth].clone(),
            Values::Range(range) => range.item(nth),
        };
        if self.is_wrapped && !matches!(item.value, Value::List(_)) {
            return Item { place: item.place, value: Value::List(vec![item]) };
        }
        item
    }

    fn printed(&self, nth: usize) -> String {
        self.texts.get(nth).cloned().unwrap_or_else(|| self.values.printed(nth))
    }

    fn is_numeric(&self) -> bool {
        let is_number = |item: &Item| match &item.value {
            Value::Integer(_) | Value::Float(_) => true,
            Value::Text(text) => text.trim_start().starts_with(|c: char| c.is_ascii_digit()),
            _ => false,
        };
        match &self.values {
            Values::Listed(items) => items.iter().all(is_number),
            Values::Range(_) => true,
        }
    }
}

/// A value as tables have it: texts without quotes, everything else as [`inline`].
pub(super) fn printed(item: &Item) -> String {
    match &item.value {
        Value::Text(text) => text.clone(),
        _ => inline(item),
    }
}

/// A value as TOML has it, in one line. It is no deeper than the parser of TOML allows.
pub(super) fn inline(item: &Item) -> String {
    match &item.value {
        Value::Text(text) => format!("{text:?}"),
        Value::Integer(number) => number.map_or_else(|| "?".to_owned(), |number| number.to_string()),
        Value::Float(number) => number.map_or_else(|| "?".to_owned(), |number| number.to_string()),
        Value::Boolean(value) => value.to_string(),
        Value::Datetime | Value::Hole(_) => "?".to_owned(),
        Value::List(items) => format!("[{}]", items.iter().map(inline).collect::<Vec<_>>().join(", ")),
        Value::Table(entries) => {
            let entry = |entry: &Entry| format!("{} = {}", bare_or_quoted(&entry.key), inline(&entry.item));
            format!("{{ {} }}", entries.iter().map(entry).collect::<Vec<_>>().join(", "))
        }
    }
}

fn bare_or_quoted(key: &str) -> String {
    let is_bare = !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
    if is_bare { key.to_owned() } else { format!("{key:?}") }
}

/// The keys of a path as one text.
pub(super) fn joined<'a>(path: impl Iterator<Item = &'a str>) -> String {
    path.map(bare_or_quoted).collect::<Vec<_>>().join(".")
}

/// Reads the axes; of those that are faulty only the keys are left after their faults were noted.
pub(super) fn read(tables: &[&Item], known: &Known, diagnostics: &mut Diagnostics) -> Written {
    let mut written = Written { keys: Vec::new(), axes: Vec::new() };
    for table in tables {
        let mut flat =
            Flat { known, keys: Vec::new(), columns: Vec::new(), label: None, is_sound: true, diagnostics };
        flat.add(table, &mut Vec::new());
        flat.check(table, &written.keys);
        flat.add_label(table, &written);
        written.keys.extend(flat.keys.iter().cloned());
        written.axes.push(flat.axis());
    }
    written
}

/// The keys of an axis that are none of the scenario: what the axis is called, and its positions.
const LABELS: [&str; 2] = ["name", "labels"];

/// What columns of a table of points are called that no axis and no column of a file may be called.
pub(super) const TAKEN: [&str; 5] = ["point", "key", "seed", "status", "error"];

fn same(a: &[(String, Place)], b: &[(String, Place)]) -> bool {
    a.iter().map(|(key, _)| key).eq(b.iter().map(|(key, _)| key))
}

/// The text of an item that is one.
fn text(item: &Item) -> Option<String> {
    match &item.value {
        Value::Text(text) => Some(text.clone()),
        _ => None,
    }
}

fn last_place(path: &[(String, Place)]) -> Place {
    path.last().expect("a path has keys").1
}

/// The keys of an axis and their values, out of nested tables.
struct Flat<'a> {
    known: &'a Known,
    keys: Vec<AxisKey>,
    columns: Vec<Column>,
    label: Option<Label>,
    /// Whether no fault of this axis was noted.
    is_sound: bool,
    diagnostics: &'a mut Diagnostics,
}

impl Flat<'_> {
    /// The axis, if nothing is wrong with it.
    fn axis(self) -> Option<Axis> {
        let length = self.columns.first()?.len();
        let Flat { keys, columns, label, .. } = self;
        self.is_sound.then_some(Axis { keys, columns, label, length, stride: 1 })
    }

    fn note(&mut self, place: Place, fault: impl FnOnce(std::ops::Range<usize>) -> Fault) {
        self.is_sound = false;
        self.diagnostics.add(place, fault);
    }

    /// Notes an axis without keys, keys that vary already, and values that cannot go in lock-step.
    fn check(&mut self, table: &Item, earlier: &[AxisKey]) {
        if self.keys.is_empty() && self.is_sound {
            self.note(table.place, |span| {
                Fault::new("empty-list", span, "an axis without keys", "expected a key and its values")
            });
        }
        let keys = self.keys.clone();
        for (nth, key) in keys.iter().enumerate() {
            if earlier.iter().chain(&keys[..nth]).any(|other| same(&other.path, &key.path)) {
                self.note(last_place(&key.path), |span| {
                    let message = format!("the key `{}` is on two axes", quoted(&key.name));
                    Fault::new("duplicate-key", span, message, "expected each key once")
                });
            }
        }
        let lengths: Vec<usize> = self.columns.iter().map(Column::len).collect();
        for (key, length) in keys.iter().zip(&lengths).filter(|(_, length)| **length != lengths[0]) {
            self.note(key.place, |span| {
                let (first, wanted) = (quoted(&keys[0].name), lengths[0]);
                let message = format!("{length} values where `{first}` of the same axis has {wanted}");
                let fault = Fault::new("lock-step", span, message, "expected as many values of every key");
                fault.with_help("keys that vary on their own stand in [[sweep.axes]] of their own")
            });
        }
    }

    /// Adds the names of the positions, if there are any.
    fn add_label(&mut self, table: &Item, earlier: &Written) {
        let [name, labels] = LABELS.map(|key| find(table, key));
        let (name, labels) = match (name, labels) {
            (None, None) => return,
            (Some(name), Some(labels)) => (name, labels),
            (Some(one), None) | (None, Some(one)) => {
                self.note(one.place, |span| {
                    let expected =
                        "expected `name` and `labels` together: what the axis and its values are called";
                    Fault::new("missing-key", span, "one of `name` and `labels` without the other", expected)
                });
                return;
            }
        };
        let (Some(name), Some(texts)) = (self.axis_name(name, earlier), self.labels(labels)) else { return };
        self.label = Some(Label { name, texts });
    }

    /// What an axis is called: neither like another one nor like a column that there always is. Called like a key of
    /// its own, it stands in that key's place.
    fn axis_name(&mut self, item: &Item, earlier: &Written) -> Option<String> {
        let Value::Text(name) = &item.value else {
            self.note(item.place, |span| {
                let message = format!("this is {}", item.value.kind());
                Fault::new("wrong-type", span, message, "expected a text")
            });
            return None;
        };
        let is_plain = !name.is_empty() && bare_or_quoted(name) == *name;
        if !is_plain {
            self.note(item.place, |span| {
                let message = format!("`{}` cannot name an axis", quoted(name));
                Fault::new("bad-name", span, message, "expected letters, digits, `-` and `_`")
            });
            return None;
        }
        let mut others = earlier.axes.iter().flatten().flat_map(Axis::names).chain(TAKEN);
        if others.any(|other| other == name) {
            self.note(item.place, |span| {
                let message = format!("a column is called `{}` already", quoted(name));
                Fault::new("conflict", span, message, "expected a name of its own")
            });
            return None;
        }
        Some(name.clone())
    }

    /// The names of an axis' positions, each once, as many as there are.
    fn labels(&mut self, item: &Item) -> Option<Vec<String>> {
        let texts = match &item.value {
            Value::List(items) => items.iter().map(text).collect::<Option<Vec<String>>>(),
            _ => None,
        };
        let Some(texts) = texts else {
            self.note(item.place, |span| {
                Fault::new("wrong-type", span, "these are no labels", "expected a list of texts")
            });
            return None;
        };
        let length = self.columns.first().map_or(0, Column::len);
        if texts.len() != length {
            self.note(item.place, |span| {
                let message = format!("{} labels for {length} values", texts.len());
                Fault::new("lock-step", span, message, "expected as many labels as values")
            });
            return None;
        }
        let mut seen = BTreeSet::new();
        if let Some(twin) = texts.iter().find(|text| !seen.insert(text.as_str())) {
            self.note(item.place, |span| {
                let message = format!("the label `{}` is there twice", quoted(twin));
                Fault::new("conflict", span, message, "expected each label once")
            });
            return None;
        }
        Some(texts)
    }

    fn add(&mut self, item: &Item, path: &mut Vec<(String, Place)>) {
        match &item.value {
            Value::Table(entries) if !path.is_empty() && is_range(entries) => {
                let Some(schema) = self.schema(path) else { return };
                let before = self.diagnostics.noted();
                let range = Range::read(item, entries, wants_whole(&schema), self.diagnostics);
                self.is_sound &= self.diagnostics.noted() == before;
                if let Some(range) = range {
                    self.push(path, item.place, Values::Range(range), &schema);
                }
            }
            Value::Table(entries) => {
                let is_key = |entry: &&Entry| !path.is_empty() || !LABELS.contains(&entry.key.as_str());
                for entry in entries.iter().filter(is_key).collect::<Vec<_>>() {
                    let depth = path.len();
                    if self.extend(path, entry) {
                        self.add(&entry.item, path);
                    }
                    path.truncate(depth);
                }
            }
            Value::List(items) if items.is_empty() => self.note(item.place, |span| {
                Fault::new("empty-list", span, "an empty list of values", "expected at least one value")
            }),
            Value::List(items) => {
                let Some(schema) = self.schema(path) else { return };
                self.push(path, item.place, Values::Listed(items.clone()), &schema);
            }
            other => self.note(item.place, |span| {
                let message = format!("this is {}", other.kind());
                let expected = "expected a list of values, or a range { from = .., to = .., step = .. }";
                Fault::new("wrong-type", span, message, expected)
            }),
        }
    }

    /// Adds an entry's key to the path; one with dots in it is a path itself.
    fn extend(&mut self, path: &mut Vec<(String, Place)>, entry: &Entry) -> bool {
        if !entry.key.contains('.') {
            path.push((entry.key.clone(), entry.place));
            return true;
        }
        let Some(keys) = tree::path_of(&entry.key) else {
            self.note(entry.place, |span| {
                let message = format!("`{}` is no path of keys", quoted(&entry.key));
                Fault::new("syntax", span, message, "expected keys joined by dots")
            });
            return false;
        };
        path.extend(keys.into_iter().map(|(key, _)| (key, entry.place)));
        true
    }

    /// What the key at a path wants; `None` after noting that there is none, or none that can vary.
    fn schema(&mut self, path: &[(String, Place)]) -> Option<Json> {
        let keys: Vec<&str> = path.iter().map(|(key, _)| key.as_str()).collect();
        let names = ["name", "description"];
        let is_name = keys[0] == "scenario" && keys.get(1).is_none_or(|key| names.contains(key));
        if is_name || ["include", "profiles", "sweep", "reference", "figure", "expect"].contains(&keys[0]) {
            self.note(path[0].1, |span| {
                let message = format!("`{}` cannot vary", quoted(&keys.join(".")));
                Fault::new(
                    "unknown-key",
                    span,
                    message,
                    "expected a key of the scenario's sections, or profile",
                )
            });
            return None;
        }
        let schema = self.known.noted(&keys, |depth| path[depth].1, self.diagnostics).cloned();
        self.is_sound &= schema.is_some();
        schema
    }

    fn push(&mut self, path: &[(String, Place)], place: Place, values: Values, schema: &Json) {
        let name = joined(path.iter().map(|(key, _)| key.as_str()));
        let texts = (0..values.len().min(MOST_TEXTS)).map(|nth| values.printed(nth)).collect();
        let (path, is_wrapped) = (path.to_vec(), wants_list(schema));
        self.keys.push(AxisKey { name, path, place });
        self.columns.push(Column { values, texts, is_wrapped });
    }
}
