//! A figure's files as they would be by the claims and rules of now, from the rows that they hold: nothing is run.

use std::collections::BTreeMap;

use super::claims::claims;
use super::compared::data_csv;
use super::text::closeness;
use super::{ComparedRow, Figure, FilesOf, Row, read_data_csv};

/// What a page says before and after how close its numbers are.
const AROUND: [&str; 2] = ["\n## How close it is\n\n", "\n## What differs and why\n"];

/// The files of a figure that follow from its rows: `data.csv` and `quick.csv` with their claims and verdicts, and
/// `README.md` with the table of how close they are. What a figure's code says in words is left as it stands. Files
/// that were made by this program come out as they are.
pub fn restated(figure: &Figure, files: &FilesOf) -> BTreeMap<&'static str, String> {
    let text = |name: &str| files.get(name).map(|bytes| String::from_utf8_lossy(bytes));
    let mut made = BTreeMap::new();
    for name in ["data.csv", "quick.csv"] {
        let Some(old) = text(name) else { continue };
        let rows = judged_again(figure, &old);
        if let Some(page) = text("README.md").filter(|_| name == "data.csv") {
            made.insert("README.md", with_closeness(&page, &rows));
        }
        made.insert(name, data_csv(&rows));
    }
    made
}

/// The rows of a table, claims made anew behind the others.
fn judged_again(figure: &Figure, table: &str) -> Vec<ComparedRow> {
    let read = read_data_csv(figure.paper(), table).into_iter().map(|judged| judged.row);
    let mut rows: Vec<Row> = read.collect();
    let made = claims(figure.id, &rows);
    let is_claim = |row: &Row| {
        let same = |claim: &Row| {
            (&claim.quantity, &claim.configuration, &claim.printed_in)
                == (&row.quantity, &row.configuration, &row.printed_in)
        };
        made.iter().any(same)
    };
    rows.retain(|row| !is_claim(row));
    rows.extend(made);
    rows.into_iter().map(|row| ComparedRow::new(figure.paper(), row)).collect()
}

/// A page with the table of these rows in the place of its own.
fn with_closeness(page: &str, rows: &[ComparedRow]) -> String {
    let [before, after] = AROUND;
    let parts = page.split_once(before).zip(page.split_once(after));
    match parts {
        Some(((shows, _), (_, differs))) => format!("{shows}{before}{}{after}{differs}", closeness(rows)),
        None => page.to_owned(),
    }
}
