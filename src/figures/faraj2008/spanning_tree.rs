//! Rings on Ethernet cabling with loops, where switches elect a spanning tree.

use crate::allgathers::{AllgatherPoint, allgather_points, bound, lines, points};
use crate::rows::with_table;
use crate::{Figure, Page, Results, Row};
use simnet_output::report::{Axis, Chart, draw_charts};

pub(super) const FIGURE: Figure = Figure {
    id: "faraj2008/spanning-tree",
    title: "Beyond the paper: all-gathers on a torus of Ethernet switches, which keeps to the tree that it elects",
    scenarios: &["faraj2008/spanning-tree.toml"],
    whole_when_quick: true,
    make,
};

fn make(results: &Results<'_>) -> Page {
    let points = points(results, 0);
    let cells = allgather_points(&points);
    let mut rows = Vec::new();
    for cell in &cells {
        let of = cell.name("algorithm");
        rows.push(cell.row(of));
        let row = |quantity: &str, unit: &str, ours| Row::ours(quantity, of, unit, ours).at(cell.kilobytes());
        rows.push(row("bound over time", "share", cell.efficiency()));
        rows.push(row("longest path", "switches", cell.number("max_path_length")));
        rows.push(row("messages on the busiest cable", "messages", cell.number("max_channel_load")));
    }
    let x = || Axis::log("message size (KB)");
    let name = |cell: &AllgatherPoint<'_>| cell.name("algorithm").to_owned();
    let mut times = lines(&cells, name, AllgatherPoint::kilobytes, AllgatherPoint::time);
    times.push(bound(&cells));
    let charts = [
        Chart { title: "Time".into(), x: x(), y: Axis::log("time (ms)"), layers: times, ..Chart::default() },
        Chart {
            title: "How near to the bound".into(),
            x: x(),
            y: Axis::from_zero("lower bound / time"),
            layers: lines(&cells, name, AllgatherPoint::kilobytes, AllgatherPoint::efficiency),
            ..Chart::default()
        },
    ];
    let shows = with_table(SHOWS, &rows, |row| row.unit == "ms");
    Page { rows, svg: draw_charts(&charts, 2), shows, differs: DIFFERS.into() }
}

const SHOWS: &str = "\
32 machines on a 4 x 4 torus of Ethernet switches at 1 Gb/s. Frames keep to the spanning tree that the switches \
elect (802.1D), whatever else is cabled; the rings LR1 and LR3 are found on that tree. Beside them the ring in the \
order of ranks and recursive doubling, which know nothing of it.";

const DIFFERS: &str = "\
- The paper assumes that a spanning tree is embedded and measures clusters that are trees. Here the tree is the \
switches' own; a ring found on another tree of the same cabling would not be free of contention.
- LR3's shorter paths show at small messages, where latencies count.";
