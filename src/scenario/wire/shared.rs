//! Keys that several sections share: the names of a printed number.

use serde_json::Value as Schema;

use super::super::book::Book;
use super::super::tree::Item;
use super::canonical::{Canonical, Key, put};
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
