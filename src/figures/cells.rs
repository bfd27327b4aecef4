//! What sweeps of mappings leave, as rows: quantities of `points.csv`, over points that differ in their seeds alone.

use simnet_base::measure::Spread;
use simnet_output::report::Yes;

use super::{Csv, Record, Results, Row};

/// A column of `points.csv` as a quantity.
#[derive(Clone, Copy, Debug)]
pub(super) struct Column {
    /// The column.
    pub(super) name: &'static str,
    /// The quantity that it is.
    pub(super) quantity: &'static str,
    /// Its unit.
    pub(super) unit: &'static str,
    /// What is taken over the runs of a cell.
    pub(super) statistic: Statistic,
}

/// What is taken over the runs of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Statistic {
    /// The mean.
    Mean,
    /// The mean, with the least and the greatest of several.
    Spread,
    /// How many hold, in per cent.
    Percent,
    /// How many hold.
    Count,
}

/// The time of a mapping, with the least and the greatest of its runs.
pub(super) const TIME: Column = Column {
    name: "map.time_ms",
    quantity: "mapping time of the runs",
    unit: "ms",
    statistic: Statistic::Spread,
};

/// Messages truly sent.
pub(super) const SENT: Column =
    Column { name: "map.sent", quantity: "messages truly sent", unit: "msg", statistic: Statistic::Mean };

/// Maps that are true, in per cent of the runs.
pub(super) const RIGHT: Column =
    Column { name: "map.isomorphic", quantity: "true maps", unit: "%", statistic: Statistic::Percent };

/// Points of a sweep that differ in their seeds alone; at least one.
pub(super) struct Cell<'a>(Vec<Record<'a>>);

/// The cells of a table of points, in order.
pub(super) fn cells_of(points: &Csv) -> Vec<Cell<'_>> {
    let seed = points.column("seed").unwrap_or_default();
    let is_axis = |name: &&String| !["point", "key", "scenario.seed"].contains(&name.as_str());
    let axes: Vec<&String> = points.columns[..seed].iter().filter(is_axis).collect();
    let records: Vec<Record<'_>> = points.records().collect();
    let same = |a: &Record<'_>, b: &Record<'_>| axes.iter().all(|axis| a.text(axis) == b.text(axis));
    records.chunk_by(same).map(|runs| Cell(runs.to_vec())).collect()
}

impl<'a> Cell<'a> {
    /// What its points have in common: the value of an axis.
    pub(super) fn text(&self, axis: &str) -> &'a str {
        self.0[0].text(axis)
    }

    /// The same as a number.
    pub(super) fn number(&self, axis: &str) -> Option<f64> {
        self.0[0].number(axis)
    }

    /// How many points it has.
    pub(super) fn runs(&self) -> usize {
        self.0.len()
    }

    /// The spread of a column over its points; none if it is missing from any: the others are no sample.
    pub(super) fn spread(&self, column: &str) -> Option<Spread> {
        let number = |run: &Record<'_>| match run.text(column) {
            "true" => Some(1.0),
            "false" => Some(0.0),
            text => text.parse().ok(),
        };
        Spread::of(&self.0.iter().map(number).collect::<Option<Vec<f64>>>()?)
    }

    /// A quantity as a row called `name`; hollow where not every map was true.
    pub(super) fn row(&self, column: Column, name: &str) -> Row {
        let spread = self.spread(column.name);
        let ours = spread.map(|spread| match column.statistic {
            Statistic::Mean | Statistic::Spread => spread.mean,
            Statistic::Percent => spread.mean * 100.0,
            Statistic::Count => libm::round(spread.mean * self.runs() as f64),
        });
        let hollow = self.spread(RIGHT.name).is_some_and(|right| right.min < 1.0);
        let row = Row { hollow: Yes(hollow), ..Row::ours(column.quantity, name, column.unit, ours) };
        match spread.filter(|_| column.statistic == Statistic::Spread && self.runs() > 1) {
            Some(spread) => row.between(Some(spread.min), Some(spread.max)),
            None => row,
        }
    }
}

/// A quantity of every cell of a sweep, a row each; `name` gives its configuration.
pub(super) fn cells(
    results: &Results<'_>,
    nth: usize,
    column: Column,
    name: impl Fn(&Cell<'_>) -> String,
) -> Vec<Row> {
    let points = results.csv(nth, "points.csv");
    cells_of(&points).iter().map(|cell| cell.row(column, &name(cell))).collect()
}

/// Network and mapper: `C+A, berkeley`.
pub(super) fn network_and_mapper(cell: &Cell<'_>) -> String {
    format!("{}, {}", cell.text("network"), cell.text("mapper"))
}

/// The rows of a quantity and those configurations, in their order; a missing one is left out.
pub(super) fn pick<'a>(rows: &'a [Row], quantity: &str, configurations: &[&str]) -> Vec<&'a Row> {
    let find = |of: &&str| rows.iter().find(|row| row.quantity == quantity && row.configuration == **of);
    configurations.iter().filter_map(find).collect()
}

/// Puts rows in the order of their configurations, those of one configuration as they were.
pub(super) fn by_configuration(rows: &mut [Row], configurations: &[&str]) {
    rows.sort_by_key(|row| configurations.iter().position(|name| row.configuration == *name));
}
