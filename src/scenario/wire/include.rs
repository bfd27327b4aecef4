//! The keys that say of which layers a scenario is made. [`layers`](super::super::layers) takes them out before the
//! scenario's sections are read.

use serde_json::{Value as Schema, json as json_schema};

use super::super::book::Book;
use super::super::tree::{Item, Value};
use super::kinds::FileName;
use super::table::{At, Free, Wire, wrong_type};

/// One file or a list of files.
#[derive(Clone, Debug, PartialEq)]
pub(in super::super) struct Include(pub(in super::super) Vec<At<FileName>>);

impl Wire for Include {
    fn read(item: &Item, book: &mut Book) -> Option<Include> {
        match &item.value {
            Value::List(_) => Vec::<At<FileName>>::read(item, book).map(Include),
            Value::Text(_) => {
                FileName::read(item, book).map(|value| Include(vec![At { value, place: item.place }]))
            }
            _ => {
                wrong_type(item, "the name of a file, or a list of names", book);
                None
            }
        }
    }

    fn schema() -> Schema {
        json_schema!({ "anyOf": [
            { "type": "string", "minLength": 1 },
            { "type": "array", "items": { "type": "string", "minLength": 1 } }
        ] })
    }
}

/// The profiles by name.
#[derive(Clone, Debug)]
pub(in super::super) struct Profiles;

impl Wire for Profiles {
    fn read(item: &Item, book: &mut Book) -> Option<Profiles> {
        Free::<Profile>::read(item, book).map(|_| Profiles)
    }

    fn schema() -> Schema {
        Free::<Profile>::schema()
    }
}

/// Part of a scenario.
struct Profile;

impl Wire for Profile {
    fn read(item: &Item, book: &mut Book) -> Option<Profile> {
        if !matches!(item.value, Value::Table(_)) {
            wrong_type(item, "a table", book);
            return None;
        }
        Some(Profile)
    }

    fn schema() -> Schema {
        json_schema!({
            "type": "object",
            "properties": {
                "extends": { "description": "The profile that this one is laid over.", "type": "string" }
            }
        })
    }
}
