//! What studies of mappers leave, as rows: cells of `mappings.csv` by network and variant.

use super::{Record, Results, Row};

/// A column of `mappings.csv` as a quantity.
#[derive(Clone, Copy, Debug)]
pub(super) struct Column {
    /// The column.
    pub(super) name: &'static str,
    /// The quantity that it is.
    pub(super) quantity: &'static str,
    /// Its unit.
    pub(super) unit: &'static str,
}

/// The time of a mapping, with the least and the greatest of its runs.
pub(super) const TIME: Column =
    Column { name: "time_mean_ms", quantity: "mapping time of the runs", unit: "ms" };

/// Messages truly sent.
pub(super) const SENT: Column = Column { name: "sent", quantity: "messages truly sent", unit: "msg" };

/// Maps that are true, in per cent of the runs.
pub(super) const RIGHT: Column = Column { name: "right", quantity: "true maps", unit: "%" };

/// What mainwaring1997 calls a network.
pub(super) fn system(network: &str) -> &str {
    match network {
        "now-c" => "C",
        "now-ca" => "C+A",
        "now-cab" => "C+A+B",
        other => other,
    }
}

/// A quantity of every cell of a study, a row each; `name` gives its configuration.
pub(super) fn cells(
    results: &Results<'_>,
    nth: usize,
    column: Column,
    name: impl Fn(Record<'_>) -> String,
) -> Vec<Row> {
    let table = results.csv(nth, "mappings.csv");
    table.records().map(|record| row(record, column, &name(record))).collect()
}

/// A row of the numbers in a cell.
pub(super) fn row(record: Record<'_>, column: Column, name: &str) -> Row {
    let runs = record.number("runs").unwrap_or(0.0);
    let share = |counts: &[&str]| {
        let counted: f64 = counts.iter().filter_map(|count| record.number(count)).sum();
        (runs > 0.0).then(|| counted / runs * 100.0)
    };
    let ours = match column.name {
        "right" => share(&["right_and_sure", "right_and_unsure"]),
        name => record.number(name),
    };
    let row = Row::ours(column.quantity, name, column.unit, ours);
    let row = Row { hollow: share(&["wrong_and_sure", "wrong_and_unsure"]) > Some(0.0), ..row };
    if column.name == TIME.name && runs > 1.0 {
        return row.between(record.number("time_min_ms"), record.number("time_max_ms"));
    }
    row
}

/// Network and variant: `C+A, berkeley`.
pub(super) fn network_and_variant(record: Record<'_>) -> String {
    format!("{}, {}", system(record.text("network")), record.text("variant"))
}

/// The rows of a quantity and those configurations, in their order; a missing one is left out.
pub(super) fn pick<'a>(rows: &'a [Row], quantity: &str, configurations: &[&str]) -> Vec<&'a Row> {
    let find = |of: &&str| rows.iter().find(|row| row.quantity == quantity && row.configuration == **of);
    configurations.iter().filter_map(find).collect()
}
