//! Keys that several sections share: the names of a printed number, and sections with a name of their own.

use serde_json::{Value as Schema, json};

use super::super::book::Book;
use super::super::tree::Item;
use super::canonical::{Canonical, Key, put};
use super::sections::Routing;
use super::table::{Described, Given, Presence, Reading, Wire, table, table_schema};

use Presence::Required;

table! {
    /// The names of a printed number in src/papers/reference.csv.
    "a printed number" PrintedName {
        /// The paper.
        paper: String = Required;
        /// The table or figure.
        figure: String = Required;
        /// The quantity as the paper has it.
        quantity: String = Required;
        /// The configuration as the paper has it.
        configuration: String = Required;
    }
}

/// A section that stands in a list of its like, each with a name.
pub(super) trait Listed: Wire {
    /// What messages call an item of the list.
    const TITLE: &'static str;
    /// What an item is.
    const ABOUT: &'static str;
    /// Reads the section's keys out of a table that may hold others.
    fn keys(reading: &mut Reading<'_>, book: &mut Book) -> Self;
    /// The section's keys, for its canonical form.
    fn canonical_keys() -> Vec<Key>;
}

/// Such a section with its name.
#[derive(Clone, Debug)]
pub(in super::super) struct Named<T> {
    pub(in super::super) name: Given<String>,
    pub(in super::super) keys: T,
}

impl<T: Listed> Wire for Named<T> {
    fn read(item: &Item, book: &mut Book) -> Option<Named<T>> {
        let mut reading = Reading::open(T::TITLE, item, book)?;
        let name = reading.take("name", Required, book);
        let keys = T::keys(&mut reading, book);
        reading.close(book);
        Some(Named { name, keys })
    }

    fn schema() -> Schema {
        let mut schema = T::schema();
        schema["title"] = json!(T::TITLE);
        schema["description"] = json!(T::ABOUT);
        schema["required"] = json!(["name"]);
        if let Some(Schema::Object(properties)) = schema.get_mut("properties") {
            let mut name = String::schema();
            name["description"] = json!("What results call it.");
            properties.insert("name".to_owned(), name);
        }
        schema
    }

    fn canonical(item: &Item, canonical: &mut Canonical<'_>) {
        let mut keys = T::canonical_keys();
        keys.push(Key { field: "name", presence: Required, put: put::<String> });
        canonical.table(&keys, item);
    }
}

impl Listed for Routing {
    const TITLE: &'static str = "[[comparison.routings]]";
    const ABOUT: &'static str = "A routing: the keys of [routing], and a name.";

    fn keys(reading: &mut Reading<'_>, book: &mut Book) -> Routing {
        Routing::take_from(reading, book)
    }

    fn canonical_keys() -> Vec<Key> {
        Routing::keys()
    }
}
