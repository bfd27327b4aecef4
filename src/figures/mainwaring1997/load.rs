//! Beyond the paper: how often a map is true while applications use the network.

use crate::cells::{Cell, Column, RIGHT, SENT, Statistic, TIME, cells_of};
use crate::{Figure, Page, Results, Row, curves};
use simnet_output::report::{Axis, Chart, Mark, Style, draw_charts};

/// Map correctness under traffic.
pub(super) const FIGURE: Figure = Figure {
    id: "mainwaring1997/load",
    title: "Beyond the paper: maps made under traffic",
    scenarios: &["mainwaring1997/load.toml"],
    whole_when_quick: false,
    make,
};

/// Maps that are wrong though their mapper is sure of them.
const SURELY_WRONG: Column = Column {
    name: "map.wrong_and_sure",
    quantity: "wrong maps that the mapper was sure of",
    unit: "count",
    statistic: Statistic::Count,
};

/// What the horizontal axes show.
const LOAD: &str = "load (flits / cycle / host)";

fn make(results: &Results<'_>) -> Page {
    let table = results.csv(0, "points.csv");
    let cells = cells_of(&table);
    let name = |cell: &Cell<'_>| match cell.text("mapping.retries") {
        "0" => cell.text("mapper").to_owned(),
        retries => format!("{}, retries: {retries}", cell.text("mapper")),
    };
    let points = |column: Column| -> Vec<Row> {
        let point = |cell: &Cell<'_>| Some(cell.row(column, &name(cell)).at(cell.number("mapping.load")?));
        cells.iter().filter_map(point).collect()
    };
    let rows: Vec<Row> = [RIGHT, TIME, SENT, SURELY_WRONG].into_iter().flat_map(points).collect();
    let loads = table.choices("mapping.load");
    let chart = |title: &str, column, label, again| {
        let names = Axis::names(LOAD, loads.clone());
        Chart { title: title.to_owned(), ..against_load(&with_retries(&rows, again), column, label, names) }
    };
    let charts = [
        chart("true maps, every question once", RIGHT, "true maps (%)", false),
        chart("true maps, one retry", RIGHT, "true maps (%)", true),
        chart("time, every question once", TIME, "mapping time (ms)", false),
        chart("time, one retry", TIME, "mapping time (ms)", true),
    ];
    Page {
        svg: draw_charts(&charts, 2),
        rows,
        shows: "Section 7 says that the mapper \"can oftentimes correctly map the network even in the \
        face of heavy application cross-traffic\", without numbers; section 6 leaves a proven method \
        open. \
                Here uniform traffic of 4 KiB messages (up*/down* routes) runs beside one mapper on C: how often \
                the map is true (above; no bar: never), and how long it takes (below), against the load, with \
                every question asked once and with one retry. Besides the papers' algorithms: a careful Berkeley \
                mapper that checks each no and asks all twice, and applications that pause, or send four times \
                slower, around a mapper's messages. Hollow: not every map was true."
            .to_owned(),
        differs: "No paper prints such numbers. Ours say: the Berkeley mapper's maps stay true up to 0.3, \
                the highest load tried, where they take a third longer, since it meets every switch many times. \
                Mappers that look for a host once, by time-out, lose some: of sixteen maps guarded finds 15 true at \
                0.1 and 7 at 0.15, timed 14 and 9, Myricom 14 at 0.2; at 0.3 none of them has any. With a retry timed \
                has 12 true at 0.2, guarded 15 at 0.15 and 10 at 0.2, Myricom all up to 0.2, and none of them any at \
                0.3. The time-out is that of a quiet network at every load: what a longer one gains is in \
                `hendriks2004/time-outs`. \
                No wrong map was taken for sure (`data.csv`). \
                Pausing applications brings the Berkeley mapper's time back to within 4 % of that on a quiet \
                network. Messages of 256 B would do \
                nothing at such loads, as no answer then waits for longer than the time-out."
            .to_owned(),
    }
}

/// The rows of mappers that ask again, or of those that do not, without what says so.
fn with_retries(rows: &[Row], again: bool) -> Vec<Row> {
    let own = rows.iter().filter(|row| row.configuration.contains("retries") == again);
    own.cloned().map(bare).collect()
}

/// A quantity against the load: times as curves, shares as bars of each mapper over the loads as `names`.
fn against_load(rows: &[Row], column: Column, label: &str, names: Axis) -> Chart {
    let log = column.name == TIME.name;
    let mut layers = curves(rows, column.quantity);
    if !log {
        // Curves of shares would cover each other.
        for layer in &mut layers {
            layer.style = Style::Marks;
            for (place, mark) in layer.marks.iter_mut().enumerate() {
                *mark = Mark { x: place as f64, hollow: false, ..*mark };
            }
        }
    }
    Chart {
        x: if log { Axis::from_zero(LOAD) } else { names },
        y: Axis { log, ..Axis::from_zero(label) },
        layers,
        bars: !log,
        ..Chart::default()
    }
}

/// The row under its variant's name alone.
fn bare(row: Row) -> Row {
    let configuration = row.configuration.split(',').next().unwrap_or_default().to_owned();
    Row { configuration, ..row }
}
