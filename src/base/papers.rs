//! The numbers that the papers print, to compare ours with.
//!
//! `papers/reference.csv` holds facts read off tables and sentences; no value was read from a plot. Claims in words are
//! among them, with the number that we read from them, and so are sums, differences and ratios of printed numbers: each
//! row has its kind. It has its class, too: whether ours is predicted, fitted on it, given, or computed from other
//! printed numbers.
//! `papers/tolerances/` states when ours holds beside it, and why; `papers/fits.csv` what was chosen by which numbers.

mod class;
mod kind;
mod tolerance;

pub use class::{Class, Fit, fits};
pub use kind::Kind;
pub use tolerance::{Rule, Tolerance, stated_tolerances, tolerance};

use crate::cells;

/// Facts read off the papers: paper, figure, quantity, configuration, value, unit, kind, class, repeats, note.
pub const TEXT: &str = include_str!("papers/reference.csv");

/// A number that a paper prints.
#[derive(Clone, Debug, PartialEq)]
pub struct Printed {
    /// The number.
    pub value: f64,
    /// Its unit, with what the paper says about it: `links`, `factor (up to)`, `% (small networks)`.
    pub unit: String,
}

/// The number that figure `figure` of paper `paper` gives for a quantity of a configuration.
///
/// Papers are numbered as in the table: `000` is mainwaring1997. Costs a walk through the table.
pub fn printed(paper: &str, figure: &str, quantity: &str, configuration: &str) -> Option<Printed> {
    let row = row_of([paper, figure, quantity, configuration])?;
    let value = row.get(4)?.parse().ok()?;
    Some(Printed { value, unit: row.get(5)?.clone() })
}

/// The row of these paper, figure, quantity and configuration.
fn row_of(names: [&str; 4]) -> Option<Vec<String>> {
    rows().find(|cells| cells.iter().zip(names).all(|(cell, name)| cell == name))
}

/// A row of `papers/reference.csv`.
#[derive(Clone, Debug, PartialEq)]
pub struct Reference {
    /// The paper's number: `000` is mainwaring1997.
    pub paper: String,
    /// The table, figure or section.
    pub figure: String,
    /// What it is.
    pub quantity: String,
    /// Of what.
    pub configuration: String,
    /// The number; none where the paper states an order.
    pub value: Option<f64>,
    /// Its unit, with what the paper says about it.
    pub unit: String,
    /// Tells printed numbers from those that we computed or read from words.
    pub kind: Kind,
    /// What ours owes to it.
    pub class: Class,
    /// Figure, quantity and configuration of the number that this one follows from or says once more: both are one
    /// quantity.
    pub repeats: Option<[String; 3]>,
}

impl Reference {
    /// Figure, quantity and configuration of the number that stands for its quantity: its own, or of the one that it
    /// repeats.
    pub fn stands_for(&self) -> [String; 3] {
        let own = || [&self.figure, &self.quantity, &self.configuration].map(Clone::clone);
        self.repeats.clone().unwrap_or_else(own)
    }
}

/// Returns the kind of the row with these names. Costs a walk through the table.
pub fn kind(paper: &str, figure: &str, quantity: &str, configuration: &str) -> Option<Kind> {
    Kind::named(row_of([paper, figure, quantity, configuration])?.get(6)?)
}

/// All rows of `papers/reference.csv`, in its order.
pub fn references() -> Vec<Reference> {
    rows().map(reference_of).collect()
}

/// The printed number of a row.
fn reference_of(row: Vec<String>) -> Reference {
    let value = row.get(4).and_then(|value| value.parse().ok());
    let kind = row.get(6).and_then(|name| Kind::named(name)).expect("a test reads the kind of every row");
    let class = row.get(7).and_then(|name| Class::named(name)).expect("a test reads the class of every row");
    let repeats = row.get(8).and_then(|names| named_row(names));
    let mut cells = row.into_iter();
    let mut next = || cells.next().unwrap_or_default();
    let (paper, figure, quantity, configuration) = (next(), next(), next(), next());
    let unit = cells.nth(1).unwrap_or_default();
    Reference { paper, figure, quantity, configuration, value, unit, kind, class, repeats }
}

/// Figure, quantity and configuration in a cell that names a row; none in an empty one.
fn named_row(cell: &str) -> Option<[String; 3]> {
    let names: Vec<String> = cell.split(" | ").map(str::to_owned).collect();
    names.try_into().ok()
}

/// Whether figure, quantity and configuration are those `names`, of which one that ends in `*` stands for whatever
/// begins so.
fn names_match(names: &[String; 3], wanted: [&str; 3]) -> bool {
    names.iter().zip(wanted).all(|(name, want)| match name.strip_suffix('*') {
        Some(beginning) => want.starts_with(beginning),
        None => name == want,
    })
}

/// The value of [`printed`].
pub fn reference(paper: &str, figure: &str, quantity: &str, configuration: &str) -> Option<f64> {
    printed(paper, figure, quantity, configuration).map(|printed| printed.value)
}

/// What column `before.len()` (0: paper, 1: figure, 2: quantity, 3: configuration) holds in the rows whose
/// columns before it are `before`; each value once, sorted.
pub fn choices(before: &[&str]) -> Vec<String> {
    let fits = |cells: &Vec<String>| cells.iter().zip(before).all(|(cell, want)| cell == want);
    let column = before.len();
    let mut found: Vec<String> = rows().filter(fits).filter_map(|row| row.get(column).cloned()).collect();
    found.sort();
    found.dedup();
    found
}

fn rows() -> impl Iterator<Item = Vec<String>> {
    cells::records(TEXT).skip(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_is_found_by_its_four_names() {
        assert_eq!(reference("000", "Fig6", "host probe hits", "C+A+B"), Some(324.0));
        assert_eq!(reference("000", "Fig7", "mapping time avg, one master", "C"), Some(256.0));
        assert_eq!(reference("000", "Fig6", "host probe hits", "D"), None);
        assert_eq!(choices(&["004"]), ["Fig3/4 or 5.1 text", "Table1"]);
        for row in rows() {
            assert_eq!(row.len(), 10, "{row:?}");
            assert!(row[4].parse::<f64>().is_ok() || row[5] == "ordering", "{row:?}");
            assert!(Kind::named(&row[6]).is_some(), "{row:?}");
            assert!(Class::named(&row[7]).is_some(), "{row:?}");
            assert_eq!(row[8].is_empty(), named_row(&row[8]).is_none(), "{row:?}");
        }
    }

    /// Wrong if two rows had the same names, or one repeated what is none, repeats another itself or is of another
    /// class.
    #[test]
    fn what_is_repeated_is_a_number_of_its_own() {
        let rows = references();
        let names = |row: &Reference| [&row.figure, &row.quantity, &row.configuration].map(Clone::clone);
        for row in &rows {
            let same = |other: &&Reference| other.paper == row.paper && names(other) == names(row);
            assert_eq!(rows.iter().filter(same).count(), 1, "{row:?}");
            let stands = row.stands_for();
            let first = rows.iter().find(|other| other.paper == row.paper && names(other) == stands);
            let first = first.unwrap_or_else(|| panic!("{row:?}"));
            assert!(first.repeats.is_none() && first.class == row.class, "{row:?}");
        }
    }
}
