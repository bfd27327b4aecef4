//! Sections 2 and 6: how often a map is true under traffic, with guards and without, by how long its mapper waits.

use std::fmt::Write as _;

use crate::cells::{Cell, Column, RIGHT, SENT, TIME, cells_of};
use crate::{Figure, Page, Results, Row};
use simnet_output::report::{Axis, Chart, draw_charts};

/// Time-outs under traffic.
pub(super) const FIGURE: Figure = Figure {
    id: "hendriks2004/time-outs",
    title: "Sections 2 and 6: maps made under traffic, by how long a mapper waits",
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
    let chart = |title: &str, column: Column, y| Chart {
        title: title.to_owned(),
        x: Axis::from_zero("time-out (ms)"),
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
        "Mappers on C beside uniform traffic of 4 KiB messages, as in `mainwaring1997/load`, that wait 1 to 5 ms for \
         an answer: true maps of {runs} a cell, which differ in the traffic alone, and the mean time of a mapping.\n\n\
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
* **What is claimed, and our reading.** \"Detecting deadlock virtually eliminates false negatives\" (section 2): \
with guards nine maps of ten are true. Under \"a fair amount of traffic\" the mapper is \"more resilient\" \
(section 6): with guards at least as many maps are true as with time-outs. Neither sentence has a number. We \
judge both with the time-out of 1 ms that Pink's times are fitted \
with, at the lower of the two loads; on the NOW's C, since no paper has the traffic of Pink.
* **Time-outs remain.** Guards give a fast no for switches; a host is looked for once, by time-out, with guards and \
without. At 1 ms answers that are late are taken for answers that never come. From 2 ms at the lower load, and 4 ms at \
the higher one, every map is true, with guards in a quarter to two fifths of the time: each port without a host is \
waited for, and with time-outs each question without an answer.
";
