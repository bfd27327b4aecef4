//! Values that may be given, absent or faulty, and the reading of tables of them.

use serde_json::{Map, Value as Schema, json};

use simnet_base::diagnostics::{Fault, quoted};

use super::canonical::{Canonical, put};
use crate::diagnostics::{Diagnostics, Place};
use crate::generation;
use crate::removed::removed;
use crate::tree::{Entry, Item, Value, default_item};

/// A kind of value that a scenario can give.
pub(crate) trait Wire: Sized {
    /// Reads a value; `None` after noting why there is none.
    fn read(item: &Item, diagnostics: &mut Diagnostics) -> Option<Self>;
    /// The kind as JSON Schema.
    fn schema() -> Schema;
    /// Writes the value in its canonical form: the value as it stands, where texts that differ mean different things.
    fn canonical(item: &Item, canonical: &mut Canonical<'_>) {
        canonical.raw(item);
    }
}

/// A value and where it stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Located<T> {
    pub(crate) value: T,
    pub(crate) place: Place,
}

/// What a key came to.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Given<T> {
    /// It is not there and has no default.
    Absent,
    /// It is there, or has to be, and a fault has been noted.
    Faulty,
    /// Its value, or its default.
    Is(Located<T>),
}

/// Whether a key must be given.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Presence {
    /// It must.
    Required,
    /// It need not; without it there is no value.
    Optional,
    /// It need not; this text in TOML stands for it.
    Default(&'static str),
    /// It need not; what the `preset` of its table gives it stands for it. Where none gives it anything, this holds.
    Preset(&'static Presence),
    /// It need not; without it there is no value, which means the same as this text in TOML.
    Usually(&'static str),
    /// It need not; without it there is no value, which means what this makes of the others.
    Following(fn(&[Entry]) -> &'static str),
}

impl Presence {
    /// What the absence of a key means, in TOML, as far as its table alone shows it. Where a preset is named, its name
    /// stands for all that it may give, whichever it is: the name may be a hole.
    pub(super) fn meaning(self, entries: &[Entry]) -> Option<&'static str> {
        match self {
            Presence::Default(text) | Presence::Usually(text) => Some(text),
            Presence::Following(text) => Some(text(entries)),
            Presence::Preset(_) if generation::is_named(entries) => None,
            Presence::Preset(otherwise) => otherwise.meaning(entries),
            Presence::Optional | Presence::Required => None,
        }
    }

    /// What stands for a key that is absent, in TOML, whatever else its table says, but for a preset.
    fn usual(self) -> Option<&'static str> {
        match self {
            Presence::Default(text) | Presence::Usually(text) => Some(text),
            Presence::Preset(otherwise) => otherwise.usual(),
            Presence::Optional | Presence::Following(_) | Presence::Required => None,
        }
    }
}

impl<T> Given<T> {
    /// The value, if there is one without fault.
    pub(crate) fn get(&self) -> Option<&Located<T>> {
        match self {
            Given::Is(at) => Some(at),
            Given::Absent | Given::Faulty => None,
        }
    }

    /// The bare value, if there is one without fault.
    pub(crate) fn value(&self) -> Option<&T> {
        self.get().map(|at| &at.value)
    }

    /// The same of a part of the value.
    pub(crate) fn map_ref<U>(&self, part: impl FnOnce(&T) -> &U) -> Given<&U> {
        match self {
            Given::Absent => Given::Absent,
            Given::Faulty => Given::Faulty,
            Given::Is(at) => Given::Is(Located { value: part(&at.value), place: at.place }),
        }
    }

    /// Whether nothing is given.
    pub(crate) fn is_absent(&self) -> bool {
        matches!(self, Given::Absent)
    }
}

/// What messages call the scenario as a whole.
const WHOLE: &str = "the scenario";

/// The entries of a table that is being read.
pub(super) struct Reading<'a> {
    title: &'static str,
    place: Place,
    entries: &'a [Entry],
    known: Vec<String>,
}

impl<'a> Reading<'a> {
    /// Begins to read a table; `None` after noting that the value is none.
    pub(super) fn open(
        title: &'static str,
        item: &'a Item,
        diagnostics: &mut Diagnostics,
    ) -> Option<Reading<'a>> {
        let Value::Table(entries) = &item.value else {
            wrong_type(item, "a table", diagnostics);
            return None;
        };
        if entries.iter().any(|entry| removed(title, &entry.key).is_some()) {
            diagnostics.forgive_gaps();
        }
        Some(Reading { title, place: item.place, entries, known: Vec::new() })
    }

    /// Reads the key that the field `field` stands for.
    pub(super) fn take<T: Wire>(
        &mut self,
        field: &str,
        presence: Presence,
        diagnostics: &mut Diagnostics,
    ) -> Given<T> {
        let key = key_of(field);
        diagnostics.begin_key();
        let given = match self.entries.iter().find(|entry| entry.key == key) {
            Some(entry) => located(&entry.item, diagnostics),
            None => self.absent(&key, presence, diagnostics),
        };
        self.known.push(key);
        given
    }

    /// What a key comes to that is not there.
    fn absent<T: Wire>(&self, key: &str, presence: Presence, diagnostics: &mut Diagnostics) -> Given<T> {
        match presence {
            Presence::Preset(otherwise) => match generation::given(self.title, self.entries, key) {
                Some((text, place)) => located(&default_item(text, place), diagnostics),
                None => self.absent(key, *otherwise, diagnostics),
            },
            Presence::Default(text) => located(&default_item(text, self.place), diagnostics),
            Presence::Optional | Presence::Usually(_) | Presence::Following(_) => Given::Absent,
            Presence::Required => {
                self.note_missing(key, diagnostics);
                Given::Faulty
            }
        }
    }

    /// Notes a key that must be there and is not.
    fn note_missing(&self, key: &str, diagnostics: &mut Diagnostics) {
        let title = self.title;
        diagnostics.add(self.place, |span| match title {
            WHOLE => {
                let message = format!("the section [{key}] is missing");
                Fault::new("missing-section", span, message, format!("needs [{key}]"))
            }
            _ => {
                let message = format!("the key `{key}` is missing from {title}");
                Fault::new("missing-key", span, message, format!("needs `{key}`"))
            }
        });
    }

    /// Notes every key that was not read, and says whether there was one. Of removed keys it notes the
    /// first only, as its fault shows today's form of the whole table.
    pub(super) fn close(self, diagnostics: &mut Diagnostics) -> bool {
        let all = self.known.join(", ");
        let unknown = || self.entries.iter().filter(|entry| !self.known.contains(&entry.key));
        let is_removed = |entry: &&Entry| removed(self.title, &entry.key).is_some();
        let removed_place = unknown().find(is_removed).map(|entry| entry.place);
        for entry in unknown().filter(|entry| !is_removed(entry) || removed_place == Some(entry.place)) {
            diagnostics.add(entry.place, |span| {
                if let Some(removed) = removed(self.title, &entry.key) {
                    let message = format!("`{}` in {} is of a former form", entry.key, self.title);
                    let now = format!("what varies is in [sweep] now:\n{}", removed.now);
                    return Fault::new("former-key", span, message, removed.was).with_help(now);
                }
                let message = format!("unknown key `{}` in {}", quoted(&entry.key), self.title);
                Fault::new("unknown-key", span, message, format!("expected one of {all}"))
                    .with_nearest(&entry.key, self.known.iter().map(String::as_str))
            });
        }
        unknown().next().is_some()
    }

    /// Adds further keys to those that are known and hands out their entries.
    pub(super) fn take_rest(&mut self, keys: &[&str]) -> Vec<&'a Entry> {
        self.known.extend(keys.iter().map(|key| (*key).to_owned()));
        self.entries.iter().filter(|entry| keys.contains(&entry.key.as_str())).collect()
    }
}

/// A value, read where it stands.
fn located<T: Wire>(item: &Item, diagnostics: &mut Diagnostics) -> Given<T> {
    let read = T::read(item, diagnostics).map(|value| Located { value, place: item.place });
    read.map_or(Given::Faulty, Given::Is)
}

/// The key in the text that a field stands for.
pub(crate) fn key_of(field: &str) -> String {
    field.replace('_', "-")
}

/// Notes that a value is of the wrong type.
pub(super) fn wrong_type(item: &Item, expected: &str, diagnostics: &mut Diagnostics) {
    diagnostics.add(item.place, |span| {
        let message = format!("this is {}", item.value.kind());
        let fault = Fault::new("wrong-type", span, message, format!("expected {expected}"));
        match &item.value {
            Value::List(_) => fault.with_help("several values of one key are an axis: [[sweep.axes]]"),
            _ => fault,
        }
    });
}

/// One key's part of a table's schema.
pub(super) struct Described {
    pub(super) field: &'static str,
    pub(super) doc: &'static str,
    pub(super) presence: Presence,
    pub(super) schema: Schema,
}

/// The schema of a table.
pub(super) fn table_schema(title: &str, doc: &str, keys: Vec<Described>) -> Schema {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for key in keys {
        let name = key_of(key.field);
        let mut schema = key.schema;
        schema["description"] = json!(plain(key.doc));
        if let Some(text) = key.presence.usual().filter(|text| *text != "{}") {
            schema["default"] = default_json(text);
        }
        if matches!(key.presence, Presence::Required) {
            required.push(json!(name));
        }
        properties.insert(name, schema);
    }
    let mut schema = json!({
        "title": title,
        "description": plain(doc),
        "type": "object",
        "properties": properties,
        "additionalProperties": false,
    });
    if !required.is_empty() {
        schema["required"] = Schema::Array(required);
    }
    schema
}

/// A doc comment's lines as one text.
fn plain(doc: &str) -> String {
    doc.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A default, in TOML, as JSON.
fn default_json(text: &str) -> Schema {
    let value: toml::Value = toml::de::ValueDeserializer::parse(text)
        .and_then(serde::Deserialize::deserialize)
        .expect("a default is written in TOML");
    serde_json::to_value(value).expect("TOML's values are JSON's")
}

/// A table whose keys are free: names of hosts, paths into the summary.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Free<T> {
    /// In the order of the text.
    pub(crate) entries: Vec<(Located<String>, Located<T>)>,
}

impl<T: Wire> Wire for Free<T> {
    fn read(item: &Item, diagnostics: &mut Diagnostics) -> Option<Free<T>> {
        let Value::Table(table) = &item.value else {
            wrong_type(item, "a table", diagnostics);
            return None;
        };
        let mut entries = Vec::new();
        for entry in table {
            if let Some(value) = T::read(&entry.item, diagnostics) {
                let key = Located { value: entry.key.clone(), place: entry.place };
                entries.push((key, Located { value, place: entry.item.place }));
            }
        }
        Some(Free { entries })
    }

    fn schema() -> Schema {
        json!({ "type": "object", "additionalProperties": T::schema() })
    }

    fn canonical(item: &Item, canonical: &mut Canonical<'_>) {
        canonical.free(item, put::<T>);
    }
}

impl<T: Wire> Wire for Vec<Located<T>> {
    fn read(item: &Item, diagnostics: &mut Diagnostics) -> Option<Vec<Located<T>>> {
        let Value::List(items) = &item.value else {
            match item.value {
                Value::Table(_) => {
                    wrong_type(item, "a list; a list of tables is written [[name]]", diagnostics)
                }
                _ => wrong_type(item, "a list", diagnostics),
            }
            return None;
        };
        let read = items
            .iter()
            .map(|item| T::read(item, diagnostics).map(|value| Located { value, place: item.place }));
        // Faulty items have been noted; the others still have their own faults to show.
        let sound: Vec<Located<T>> = read.flatten().collect();
        (items.is_empty() || !sound.is_empty()).then_some(sound)
    }

    fn schema() -> Schema {
        json!({ "type": "array", "items": T::schema() })
    }

    fn canonical(item: &Item, canonical: &mut Canonical<'_>) {
        match &item.value {
            Value::List(items) => canonical.list(items, put::<T>),
            _ => canonical.raw(item),
        }
    }
}

/// Declares a section of the scenario: see the module. A first line `..field: Table;` takes over the keys of
/// another declared table, for sections that share them. Behind a key's kind and its presence may stand the range
/// that its value, or every item of its list, keeps to.
macro_rules! table {
    (
        $(#[doc = $doc:literal])* $title:literal $name:ident {
            $( .. $shared:ident : $shared_kind:ty; )?
            $( $(#[doc = $key_doc:literal])* $field:ident : $kind:ty = $presence:expr $(, $range:expr)?; )*
        }
    ) => {
        $(#[doc = $doc])*
        #[derive(Clone, Debug)]
        pub(crate) struct $name {
            $( /// The keys that it shares with other sections.
            pub(crate) $shared: $shared_kind, )?
            $( $(#[doc = $key_doc])* pub(crate) $field: Given<$kind>, )*
        }

        impl $name {
            /// Reads the section's keys out of a table that may hold others.
            pub(super) fn take_from(reading: &mut Reading<'_>, diagnostics: &mut Diagnostics) -> $name {
                $name {
                    $( $shared: <$shared_kind>::take_from(reading, diagnostics), )?
                    $( $field: reading.take::<$kind>(stringify!($field), $presence, diagnostics)
                        $(.within($range, diagnostics))?, )*
                }
            }

            /// The section's keys, for its schema.
            pub(super) fn described() -> Vec<Described> {
                let own = [ $( Described {
                    field: stringify!($field),
                    doc: concat!($($key_doc, "\n"),*),
                    presence: $presence,
                    schema: {
                        let schema = <$kind as Wire>::schema();
                        $( let schema = super::bounds::bound::<$kind>(schema, $range); )?
                        schema
                    },
                }, )* ];
                std::iter::empty() $( .chain(<$shared_kind>::described()) )? .chain(own).collect()
            }

            /// The section's keys, for its canonical form.
            pub(crate) fn keys() -> Vec<Key> {
                let own = [ $( Key {
                    field: stringify!($field),
                    presence: $presence,
                    put: put::<$kind>,
                }, )* ];
                std::iter::empty() $( .chain(<$shared_kind>::keys()) )? .chain(own).collect()
            }
        }

        impl Wire for $name {
            fn read(item: &Item, diagnostics: &mut Diagnostics) -> Option<$name> {
                let mut reading = Reading::open($title, item, diagnostics)?;
                let read = $name::take_from(&mut reading, diagnostics);
                reading.close(diagnostics);
                Some(read)
            }

            fn schema() -> Schema {
                table_schema($title, concat!($($doc, "\n"),*), $name::described())
            }

            fn canonical(item: &Item, canonical: &mut Canonical<'_>) {
                canonical.table(&$name::keys(), item);
            }
        }
    };
}

pub(super) use table;
