//! The numbers that the papers print, to compare ours with.
//!
//! `papers/reference.csv` holds facts read off tables and sentences; no value was read from a plot.
//! `papers/tolerances/` states how near ours is meant to come, and why.

mod tolerance;

pub use tolerance::{Tolerance, stated_tolerances, tolerance};

use crate::cells;

/// Facts read off the papers: paper, figure, quantity, configuration, value, unit, kind, note.
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
    let wanted = [paper, figure, quantity, configuration];
    let row = rows().find(|cells| cells.iter().zip(wanted).all(|(cell, want)| cell == want))?;
    let value = row.get(4)?.parse().ok()?;
    Some(Printed { value, unit: row.get(5)?.clone() })
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
}

/// All rows of `papers/reference.csv`, in its order.
pub fn references() -> Vec<Reference> {
    rows().map(reference_of).collect()
}

/// The printed number of a row.
fn reference_of(row: Vec<String>) -> Reference {
    let value = row.get(4).and_then(|value| value.parse().ok());
    let mut cells = row.into_iter();
    let mut next = || cells.next().unwrap_or_default();
    let (paper, figure, quantity, configuration) = (next(), next(), next(), next());
    Reference { paper, figure, quantity, configuration, value, unit: cells.nth(1).unwrap_or_default() }
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
            assert_eq!(row.len(), 8, "{row:?}");
            assert!(row[4].parse::<f64>().is_ok() || row[5] == "ordering", "{row:?}");
        }
    }
}
