//! Records: structs that are rows of tables. A column is declared once, as a field with its doc comment: CSV, JSON,
//! Markdown, the terminal and pages show it under that name, in the unit that the name ends with, with that meaning.

use serde::Serialize;
use serde_json::Value;

use simnet_base::numbers::Thousandths;

use super::curves::Label;
use super::table::{Cell, Column, Kind, Table};

/// What stands in one or several columns of a table.
pub trait Tabular {
    /// Its columns. `name` and `meaning` are what the field is called in which it stands; a record has its own.
    fn columns(name: &str, meaning: &str) -> Vec<Column>;
    /// Adds a cell for each of its columns.
    fn cells(&self, row: &mut Vec<Cell>);
}

/// The table of some records, a row each.
pub fn table_of<'a, R: Tabular + 'a>(records: impl IntoIterator<Item = &'a R>) -> Table {
    let mut table = Table::of(R::columns("", ""));
    for record in records {
        let mut row = Vec::new();
        record.cells(&mut row);
        table.row(row);
    }
    table
}

/// The one column of a value that has one.
fn column(name: &str, kind: Kind, meaning: &str) -> Vec<Column> {
    let meaning = meaning.split_whitespace().collect::<Vec<_>>().join(" ");
    let meaning = meaning.trim_end_matches('.').to_owned();
    vec![Column { name: name.to_owned(), unit: Label::new(name, 0.0).unit, kind, meaning }]
}

/// Values of one column.
macro_rules! scalars {
    ($($kind:ty => $of:ident, |$value:ident| $cell:expr;)*) => {$(
        impl Tabular for $kind {
            fn columns(name: &str, meaning: &str) -> Vec<Column> {
                column(name, Kind::$of, meaning)
            }

            fn cells(&self, row: &mut Vec<Cell>) {
                let $value = self;
                row.push($cell);
            }
        }
    )*};
}

scalars! {
    f64 => Numbers, |value| Cell::Number(*value);
    u64 => Numbers, |value| Cell::Count(*value);
    i32 => Numbers, |value| Cell::Number(f64::from(*value));
    u32 => Numbers, |value| Cell::Count(u64::from(*value));
    usize => Numbers, |value| Cell::Count(*value as u64);
    Thousandths => Numbers, |value| Cell::Text(value.to_string());
    bool => Words, |value| Cell::Truth(*value);
    Yes => Words, |value| if value.0 { Cell::Text("yes".to_owned()) } else { Cell::Nothing };
    String => Words, |value| Cell::Text(value.clone());
}

/// A truth that is written as `yes` where it holds, and not at all where it does not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Yes(pub bool);

/// Something whose list is one cell.
pub trait Listed: Sized {
    /// The list as a text.
    fn listed(items: &[Self]) -> String;
}

impl Listed for String {
    /// Names in a row, in the order in which they lie on a path.
    fn listed(names: &[String]) -> String {
        names.join(" > ")
    }
}

impl<T: Listed> Tabular for Vec<T> {
    fn columns(name: &str, meaning: &str) -> Vec<Column> {
        column(name, Kind::Words, meaning)
    }

    fn cells(&self, row: &mut Vec<Cell>) {
        row.push(Cell::Text(T::listed(self)));
    }
}

impl<T: Tabular> Tabular for Option<T> {
    fn columns(name: &str, meaning: &str) -> Vec<Column> {
        T::columns(name, meaning)
    }

    fn cells(&self, row: &mut Vec<Cell>) {
        match self {
            Some(value) => value.cells(row),
            None => row.extend(T::columns("", "").iter().map(|_| Cell::Nothing)),
        }
    }
}

/// The word that a choice is written as in `summary.json`.
pub fn word(choice: &impl Serialize) -> Cell {
    Cell::from(&serde_json::to_value(choice).unwrap_or(Value::Null))
}

/// Makes choices that are written as a word into cells.
#[macro_export]
macro_rules! words {
    ($($kind:ty),* $(,)?) => {$(
        impl $crate::report::Tabular for $kind {
            fn columns(name: &str, meaning: &str) -> Vec<$crate::report::Column> {
                <String as $crate::report::Tabular>::columns(name, meaning)
            }

            fn cells(&self, row: &mut Vec<$crate::report::Cell>) {
                row.push($crate::report::word(self));
            }
        }
    )*};
}

/// Declares a struct that is a row: every field is a column, or those of the record that it is.
#[macro_export]
macro_rules! record {
    (
        $(#[doc = $doc:literal])* $(#[derive($($derive:ident),*)])? $vis:vis struct $name:ident {
            $( $(#[doc = $meaning:literal])+ $(#[serde($($serde:tt)*)])? pub $field:ident : $kind:ty, )*
        }
    ) => {
        $(#[doc = $doc])*
        #[derive(Clone, Debug, serde::Serialize $($(, $derive)*)?)]
        $vis struct $name {
            $( $(#[doc = $meaning])+ $(#[serde($($serde)*)])? pub $field: $kind, )*
        }

        impl $crate::report::Tabular for $name {
            fn columns(_: &str, _: &str) -> Vec<$crate::report::Column> {
                let mut columns = Vec::new();
                $( columns.extend(<$kind as $crate::report::Tabular>::columns(
                    stringify!($field),
                    concat!($($meaning),+),
                )); )*
                columns
            }

            fn cells(&self, row: &mut Vec<$crate::report::Cell>) {
                $( $crate::report::Tabular::cells(&self.$field, row); )*
            }
        }
    };
}

pub use crate::{record, words};

#[cfg(test)]
mod tests {
    use super::*;

    record! {
        /// A part of a row.
        struct Ends {
            /// How many arrived.
            pub delivered: u64,
        }
    }

    record! {
        /// A row.
        struct Row {
            /// What it is called.
            pub name: String,
            /// How long it
            /// took.
            pub latency_mean_ns: Option<f64>,
            /// How it ended.
            #[serde(flatten)]
            pub ends: Ends,
        }
    }

    /// Wrong if a field were a column of another name, unit or meaning, or its value stood elsewhere.
    #[test]
    fn a_field_is_a_column() {
        let rows = [
            Row { name: "a".to_owned(), latency_mean_ns: Some(1.5), ends: Ends { delivered: 3 } },
            Row { name: "b".to_owned(), latency_mean_ns: None, ends: Ends { delivered: 0 } },
        ];
        let table = table_of(&rows);
        let columns: Vec<_> =
            table.columns().iter().map(|c| (c.name.as_str(), c.unit, c.meaning.as_str())).collect();
        assert_eq!(
            columns,
            [
                ("name", "", "What it is called"),
                ("latency_mean_ns", "ns", "How long it took"),
                ("delivered", "", "How many arrived"),
            ]
        );
        assert_eq!(table.json()[0], serde_json::to_value(&rows[0]).unwrap());
        assert_eq!(table.into_csv(), "name,latency_mean_ns,delivered\na,1.5,3\nb,,0\n");
    }
}
