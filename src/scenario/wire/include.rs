//! The keys that say of which layers a scenario is made. [`layers`](crate::layers) takes them out before the
//! scenario's sections are read.

use serde_json::{Value as Schema, json as json_schema};

use super::kinds::FileName;
use super::table::{Free, Located, Wire, wrong_type};
use crate::diagnostics::Diagnostics;
use crate::tree::{Item, Value};

/// One file or a list of files.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Include(pub(crate) Vec<Located<FileName>>);

impl Wire for Include {
    fn read(item: &Item, diagnostics: &mut Diagnostics) -> Option<Include> {
        match &item.value {
            Value::List(_) => Vec::<Located<FileName>>::read(item, diagnostics).map(Include),
            Value::Text(_) => FileName::read(item, diagnostics)
                .map(|value| Include(vec![Located { value, place: item.place }])),
            _ => {
                wrong_type(item, "the name of a file, or a list of names", diagnostics);
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
pub(crate) struct Profiles;

impl Wire for Profiles {
    fn read(item: &Item, diagnostics: &mut Diagnostics) -> Option<Profiles> {
        Free::<Profile>::read(item, diagnostics).map(|_| Profiles)
    }

    fn schema() -> Schema {
        Free::<Profile>::schema()
    }
}

/// Part of a scenario.
struct Profile;

impl Wire for Profile {
    fn read(item: &Item, diagnostics: &mut Diagnostics) -> Option<Profile> {
        if !matches!(item.value, Value::Table(_)) {
            wrong_type(item, "a table", diagnostics);
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
