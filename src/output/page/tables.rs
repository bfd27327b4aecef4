//! All tables of the folder, to be sorted and filtered.
//!
//! Without scripts the first rows of each stand there; with scripts a table is made when it is opened, [`PAGE_ROWS`]
//! rows at a time, so that the work is bounded whatever the table.

mod titles;

use maud::{Markup, html};
use serde_json::{Value, json};

use super::markup::{name, shortened};
use super::{Contents, Csv, Section};
use simnet_base::numbers;
use titles::{Title, title};

/// Rows that stand there at once; `assets/tables.js` takes it from the data.
const PAGE_ROWS: usize = 200;
/// Rows that stand there without scripts.
const STATIC_ROWS: usize = 12;
/// The most bytes that a table takes of the report; those that are drawn elsewhere take less.
const MOST_BYTES: usize = 500_000;
/// The most bytes that all tables take together.
const MOST_BYTES_OF_ALL: usize = 1_700_000;
/// The most columns that are shown of a table.
const MOST_COLUMNS: usize = 1_000;

pub(super) fn section(contents: &Contents) -> Option<Section> {
    let mut tables: Vec<(&String, &Csv)> =
        contents.tables.iter().filter(|(_, csv)| !csv.columns.is_empty()).collect();
    if tables.is_empty() {
        return None;
    }
    tables.sort_by_key(|(stem, _)| (title(stem).rank, stem.as_str()));
    let mut room = contents.thrifty(MOST_BYTES_OF_ALL);
    let mut data = Vec::new();
    let mut parts = Vec::new();
    for (nth, (stem, csv)) in tables.iter().enumerate() {
        let title = title(stem);
        let hot = hot(contents, stem, csv);
        let (kept, used) = fitting(csv, room.min(title.share(contents.thrifty(MOST_BYTES))), hot.as_ref());
        room -= used.min(room);
        data.push(packed(stem, csv, &kept, hot.as_ref()));
        parts.push(part(nth, stem, &title, csv, &kept, hot.as_ref()));
    }
    let rows: u64 = tables.iter().map(|(_, csv)| csv.rows.len() as u64 + csv.left_out).sum();
    let body = html! {
        p.lead {
            "All numbers of the run: " (numbers::count(tables.len(), "table")) " with "
            (numbers::number(rows as f64, 4))
            " rows. Choose a heading to sort, write into the field below it to filter."
        }
        p.soft.with-scripts {
            "A filter is a text that cells contain, or a comparison: " code { ">0.5" } ", " code { "<=3" } ", "
                code { "=0.009" }
            ", " code { "1..5" } "."
        }
        nav.jumps aria-label="Tables" { ul { @for (stem, _) in &tables {
            li { a href={ "#table-" (anchor(stem)) } { (label(stem)) } }
        } } }
        @for part in &parts { (part) }
    };
    Some(Section {
        id: "tables",
        title: "Tables",
        body,
        data: Some(json!({ "pageRows": PAGE_ROWS, "tables": data })),
        script: Some(include_str!("assets/tables.js")),
        style: Some(include_str!("assets/tables.css")),
    })
}

/// What the table is called.
fn label(stem: &str) -> Markup {
    match title(stem).words {
        Some(words) => html! { (words) },
        None => name(&format!("{stem}.csv")),
    }
}

/// A file's name as part of an anchor: letters, digits and dashes.
fn anchor(stem: &str) -> String {
    let plain = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '-' };
    stem.chars().take(60).map(plain).collect()
}

/// The rows of a table that fit into so many bytes of JSON, in the order of the file, and what they take. Where not all
/// do, those that the table opens with are among them.
fn fitting(csv: &Csv, room: usize, hot: Option<&Hot>) -> (Vec<usize>, usize) {
    let (mut used, mut kept) = (0, Vec::new());
    let is_hot = |nth: &usize| hot.is_some_and(|hot| hot.holds(&csv.rows[*nth]));
    let (first, rest): (Vec<usize>, Vec<usize>) = (0..csv.rows.len()).partition(is_hot);
    for nth in first.into_iter().chain(rest) {
        let cells = csv.rows[nth].iter().take(MOST_COLUMNS);
        let size = cells.map(|cell| cell.len() + 3).sum::<usize>() + 3;
        if used + size > room {
            break;
        }
        used += size;
        kept.push(nth);
    }
    kept.sort_unstable();
    (kept, used)
}

/// A table before any script has worked on it.
fn part(nth: usize, stem: &str, title: &Title, csv: &Csv, kept: &[usize], hot: Option<&Hot>) -> Markup {
    let all = csv.rows.len() as u64 + csv.left_out;
    let first = &kept[..kept.len().min(STATIC_ROWS)];
    let columns = &csv.columns[..csv.columns.len().min(MOST_COLUMNS)];
    html! {
        details.table #{ "table-" (anchor(stem)) } data-table=(nth) open[nth == 0] {
            summary { h3 { (label(stem)) } " " span.soft { (numbers::number(all as f64, 4)) @if all == 1 { " row" }
                @else { " rows" } } }
            p { @if !title.sentence.is_empty() { (title.sentence) " " } span.soft { "File: "
                (name(&format!("{stem}.csv"))) "." } }
            @if (kept.len() as u64) < all {
                p.cut {
                    @if hot.is_none() { "The first " }
                    (numbers::number(kept.len() as f64, 4)) " of " (numbers::number(all as f64, 4)) " rows are here"
                    @if let Some(hot) = hot { ", those at load " (hot.load) " among them" }
                    ", so that the report stays small; the file has them all."
                }
            }
            @if columns.len() < csv.columns.len() {
                p.cut { "The first " (columns.len()) " of " (csv.columns.len()) " columns are here." }
            }
            div.made {
                @if all == 0 { p.soft { "No rows." } }
                div.scroll tabindex="0" role="region" aria-label="Table" { table {
                    caption { "The first rows" }
                    thead { tr { @for column in columns { th scope="col" { bdi { (heading(column).0) } @if
                        !heading(column).1.is_empty() { " " small { (heading(column).1) } } } } } }
                    tbody { @for row in first { tr {
                        @for cell in csv.rows[*row].iter().take(MOST_COLUMNS) { td { bdi { (shortened(cell)) } } }
                    } } }
                } }
                @if all > first.len() as u64 { p.soft { "More rows are shown where scripts run." } }
            }
        }
    }
}

/// A table as its script has it.
fn packed(stem: &str, csv: &Csv, kept: &[usize], hot: Option<&Hot>) -> Value {
    let count = csv.columns.len().min(MOST_COLUMNS);
    let numeric: Vec<bool> = (0..count).map(|column| is_numeric(csv, column)).collect();
    let columns = csv.columns.iter().zip(&numeric).map(|(column, numeric)| {
        let (words, unit) = heading(column);
        json!({ "name": column, "words": words, "unit": unit, "numeric": numeric })
    });
    let row = |nth: &usize| -> Value {
        csv.rows[*nth]
            .iter()
            .zip(&numeric)
            .map(|(cell, numeric)| if *numeric { number(cell) } else { json!(cell) })
            .collect()
    };
    // The cables are sorted at first: the busiest stand on top.
    let sort = csv.column("busy_share").filter(|_| stem == "channels");
    json!({
        "caption": title(stem).words.map_or_else(|| format!("{stem}.csv"), str::to_owned),
        "columns": columns.collect::<Vec<_>>(),
        "rows": kept.iter().map(row).collect::<Vec<_>>(),
        "start": { "sort": sort, "filter": hot.map(|hot| json!([hot.column, format!("={}", hot.load)])) },
    })
}

/// What a table of cables or hosts is filtered by at first: the load at which the network hurts.
struct Hot {
    column: usize,
    load: String,
}

impl Hot {
    fn holds(&self, row: &[String]) -> bool {
        let number = |text: &str| text.parse::<f64>().ok();
        number(&self.load).is_some_and(|load| number(&row[self.column]) == Some(load))
    }
}

fn hot(contents: &Contents, stem: &str, csv: &Csv) -> Option<Hot> {
    let column = csv.column("load").filter(|_| stem == "channels" || stem == "hosts")?;
    let hot = Hot { column, load: contents.at("hot_spots_load")?.to_string() };
    csv.rows.iter().any(|row| hot.holds(row)).then_some(hot)
}

/// Whether a column holds numbers and nothing else.
fn is_numeric(csv: &Csv, column: usize) -> bool {
    let mut some = false;
    for row in &csv.rows {
        let cell = row[column].as_str();
        let digits = cell.trim_start_matches(['-', '+']);
        // 004 is the name of a paper.
        let is_name = digits.len() > 1 && digits.starts_with('0') && digits.as_bytes()[1].is_ascii_digit();
        match cell.parse::<f64>() {
            _ if cell.is_empty() => {}
            Ok(_) if !is_name => some = true,
            _ => return false,
        }
    }
    some
}

/// The most that a script counts exactly: 2^53.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// A cell of a column of numbers: a number, or the text where a script would round it or cannot hold it.
fn number(cell: &str) -> Value {
    match cell.parse::<f64>() {
        Ok(value) if value.is_finite() && value.abs() <= EXACT => match cell.parse::<i64>() {
            Ok(whole) => json!(whole),
            Err(_) => json!(value),
        },
        _ => json!(cell),
    }
}

/// The units that end a column's name, and how they are written.
const UNITS: [(&str, &str); 16] = [
    ("_flits_per_cycle_per_host", "flits/cycle/host"),
    ("_flits_per_cycle_per_sender", "flits/cycle/sender"),
    ("_flits_per_cycle_per_switch", "flits/cycle/switch"),
    ("_flits_per_ns_per_switch", "flits/ns/switch"),
    ("_bits_per_s", "bit/s"),
    ("_bytes", "B"),
    ("_percent", "%"),
    ("_share", "share of time"),
    ("_mean_ns", "ns"),
    ("_ns", "ns"),
    ("_us", "µs"),
    ("_ms", "ms"),
    ("_s", "s"),
    ("_flits", "flits"),
    ("_links", "links"),
    ("_hops", "hops"),
];

/// A column's name in words, and its unit.
fn heading(column: &str) -> (String, &'static str) {
    let is_ours = column.chars().all(|letter| matches!(letter, 'a'..='z' | '0'..='9' | '_'));
    if !is_ours || column.is_empty() {
        return (if column.is_empty() { "(no name)".to_owned() } else { shortened(column) }, "");
    }
    let unit = UNITS.iter().find(|(suffix, _)| column.len() > suffix.len() && column.ends_with(suffix));
    let stem = match unit {
        Some(("_mean_ns", _)) => column.trim_end_matches("_ns"),
        Some((suffix, _)) => column.strip_suffix(suffix).unwrap_or(column),
        None => column,
    };
    let words = stem.replace('_', " ");
    let mut letters = words.chars();
    let first = letters.next().map(|letter| letter.to_ascii_uppercase());
    (first.into_iter().chain(letters).collect(), unit.map_or("", |(_, unit)| unit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_have_their_unit_apart() {
        let cases = [
            ("latency_mean_ns", "Latency mean", "ns"),
            ("busy_share", "Busy", "share of time"),
            ("accepted_bits_per_s", "Accepted", "bit/s"),
            ("load", "Load", ""),
            ("traffic.uniform.loads", "traffic.uniform.loads", ""),
            ("<script>", "<script>", ""),
            ("", "(no name)", ""),
        ];
        for (column, words, unit) in cases {
            assert_eq!(heading(column), (words.to_owned(), unit), "{column}");
        }
    }

    /// Wrong if a table opened with a filter that none of the rows passes which have room in the report.
    #[test]
    fn a_cut_table_keeps_the_rows_that_it_opens_with() {
        let row = |load: usize, nth: usize| vec![format!("0.{load}"), format!("{nth}")];
        let csv = Csv {
            columns: vec!["load".to_owned(), "busy".to_owned()],
            rows: (0..100).map(|nth| row(1 + nth / 10, nth)).collect(),
            left_out: 0,
        };
        let hot = Hot { column: 0, load: "0.9".to_owned() };
        let (kept, used) = fitting(&csv, 300, Some(&hot));
        assert!(used <= 300 && kept.is_sorted(), "{used} {kept:?}");
        assert!((80..90).all(|nth| kept.contains(&nth)) && kept.contains(&0), "{kept:?}");
        assert_eq!(fitting(&csv, 300, None).0, (0..kept.len()).collect::<Vec<_>>());
        assert_eq!(fitting(&csv, 1 << 20, Some(&hot)).0.len(), 100);
    }

    #[test]
    fn numbers_stay_exact_and_names_stay_text() {
        let csv = |cells: &[&str]| Csv {
            columns: vec!["a".to_owned()],
            rows: cells.iter().map(|cell| vec![(*cell).to_owned()]).collect(),
            left_out: 0,
        };
        for (cells, expected) in [
            (&["1", "-2.5e3", ""][..], true),
            (&["004"], false),
            (&["0.5", "0", "NaN", "inf"], true),
            (&["", ""], false),
            (&["1", "x"], false),
        ] {
            assert_eq!(is_numeric(&csv(cells), 0), expected, "{cells:?}");
        }
        for (cell, value) in [
            ("0.1", json!(0.1)),
            ("12", json!(12)),
            ("1e300", json!("1e300")),
            ("12345678901234567890", json!("12345678901234567890")),
            ("NaN", json!("NaN")),
            ("", json!("")),
        ] {
            assert_eq!(number(cell), value);
        }
    }
}
