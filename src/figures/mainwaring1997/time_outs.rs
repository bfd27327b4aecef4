//! Beyond the paper: how often a map is true under traffic, by how long its mapper waits for an answer.

use std::fmt::Write as _;

use crate::cells::{Cell, Column, RIGHT, SENT, TIME, cells_of};
use crate::{Figure, Page, Results, Row};
use simnet_output::report::{Axis, Chart, draw_charts};

/// Time-outs under traffic.
pub(super) const FIGURE: Figure = Figure {
    id: "mainwaring1997/time-outs",
    title: "Beyond the paper: time-outs under traffic",
    scenarios: &["mainwaring1997/time-outs.toml"],
    whole_when_quick: false,
    make,
};

/// The axis of time-outs.
const TIME_OUT: &str = "mapping.probe-timeout";
const LOAD: &str = "mapping.load";

fn make(results: &Results<'_>) -> Page {
    let table = results.csv(0, "points.csv");
    let cells = cells_of(&table);
    let name = |cell: &Cell<'_>| format!("{}, load {}", cell.text("mapper"), cell.text(LOAD));
    let time_out = |cell: &Cell<'_>| cell.text(TIME_OUT).trim_end_matches(" ms").parse().ok();
    let points = |column: Column| -> Vec<Row> {
        cells.iter().filter_map(|cell| Some(cell.row(column, &name(cell)).at(time_out(cell)?))).collect()
    };
    let rows: Vec<Row> = [RIGHT, TIME, SENT].into_iter().flat_map(points).collect();
    let axis = || Axis { log: true, ..Axis::from_zero("time-out (ms)") };
    let chart = |title: &str, column: Column, y| Chart {
        title: title.to_owned(),
        x: axis(),
        y,
        layers: crate::curves(&rows, column.quantity),
        ..Chart::default()
    };
    let charts = [
        chart("true maps", RIGHT, Axis::from_zero("true maps (%)")),
        chart("time", TIME, Axis { log: true, ..Axis::from_zero("mapping time (ms)") }),
    ];
    let runs = cells.iter().map(Cell::runs).min().unwrap_or(0);
    Page { svg: draw_charts(&charts, 2), shows: shows(&cells, runs), differs: DIFFERS.to_owned(), rows }
}

/// What was run, and the share of true maps in a table.
fn shows(cells: &[Cell<'_>], runs: usize) -> String {
    let mut text = format!(
        "Mappers on C beside uniform traffic of 4 KiB messages, as in `load`, that wait 1 to 10 ms for an answer: true \
         maps of {runs} a cell, which differ in the traffic alone, and the mean time of a mapping.\n\n\
         | mapper | load | time-out | true maps | time, ms |\n|---|--:|--:|--:|--:|"
    );
    for cell in cells {
        let right = cell.spread(RIGHT.name).map_or(f64::NAN, |right| right.mean * cell.runs() as f64);
        let time = cell.spread(TIME.name).map_or(f64::NAN, |time| time.mean);
        let [mapper, load, wait] = ["mapper", LOAD, TIME_OUT].map(|axis| cell.text(axis));
        let _ = write!(text, "\n| {mapper} | {load} | {wait} | {right:.0} of {} | {time:.0} |", cell.runs());
    }
    text.push('\n');
    text
}

const DIFFERS: &str = "\
* **No paper prints such numbers.** With the usual 1 ms a mapper that looks for a host once takes answers that are \
late for answers that never come. What a longer time-out makes true it costs in time: each port without a host \
is waited for.
";
