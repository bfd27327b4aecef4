//! Compares ours with the numbers that the papers print.

use maud::{Markup, html};

use crate::page::Contents;
use crate::page::markup::{grid, name, numbers, words};
use crate::page::value::Show;
use simnet_base::numbers;

use super::{Summary, cut, entries, of};

/// Where summaries have them.
const PLACES: [&str; 1] = ["sweep.paper"];

pub(super) fn summary(contents: &Contents) -> Option<Summary> {
    let rows: Vec<_> = PLACES.iter().flat_map(|place| entries(contents, place)).collect();
    let rows = if rows.is_empty() { from_table(contents)? } else { from_summary(contents, rows) };
    let columns = [
        words("Printed"),
        words("Of"),
        words("Where"),
        numbers("Paper", ""),
        numbers("Here", ""),
        numbers("Here, from", ""),
        numbers("to", ""),
        words("Unit"),
        numbers("Deviation", ""),
    ];
    let count = rows.len();
    let (rows, more) = cut(rows);
    let body = html! {
        h3 { "Beside the paper" }
        p { "Numbers that the paper prints, and ours: " (numbers::count(count, "number")) ". Gains are compared as \
            factors." }
        (grid("Printed numbers beside ours", &columns, &rows))
        (more)
    };
    Some(Summary { body, ..Summary::default() })
}

fn from_summary(contents: &Contents, rows: Vec<(String, &serde_json::Value)>) -> Vec<Vec<Markup>> {
    let row = |(path, row): (String, &serde_json::Value)| {
        let words = |key: &str| name(row[key].as_str().unwrap_or_default());
        let number = |key: &str| of(contents, &path, key, Show::Number);
        cells(words, number, row["deviation_percent"].as_f64())
    };
    rows.into_iter().map(row).collect()
}

/// The same of `paper.csv`, where the summary has none.
fn from_table(contents: &Contents) -> Option<Vec<Vec<Markup>>> {
    let table = contents.tables.get("paper")?;
    let row = |row: &Vec<String>| {
        let words = |column: &str| name(table.cell(row, column).unwrap_or("–"));
        let number = |column: &str| match table.number(row, column) {
            Some(number) => html! { (numbers::number(number, 4)) },
            None => html! { "–" },
        };
        cells(words, number, table.number(row, "deviation_percent"))
    };
    Some(table.rows.iter().map(row).collect()).filter(|rows: &Vec<_>| !rows.is_empty())
}

fn cells(
    words: impl Fn(&str) -> Markup,
    number: impl Fn(&str) -> Markup,
    deviation: Option<f64>,
) -> Vec<Markup> {
    vec![
        words("quantity"),
        words("configuration"),
        words("figure"),
        number("printed"),
        number("ours"),
        number("ours_min"),
        number("ours_max"),
        words("unit"),
        html! { (deviation.map(percent).unwrap_or_default()) },
    ]
}

/// A deviation in per cent, with its sign.
pub(super) fn percent(deviation: f64) -> String {
    numbers::deviation(deviation).replace('-', "−")
}
