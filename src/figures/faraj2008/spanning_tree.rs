//! Rings on Ethernet cabling with loops, where switches elect a spanning tree.

use crate::figures::gathered::{Gathered, bound, gathered, lines};
use crate::figures::told::told;
use crate::figures::{Figure, Page, Results, Row};
use crate::report::{Axis, Chart, draw_charts};

pub(super) const FIGURE: Figure = Figure {
    id: "faraj2008/spanning-tree",
    title: "Beyond the paper: all-gathers on a torus of Ethernet switches, which keeps to the tree that it elects",
    scenarios: &["faraj2008/spanning-tree.toml"],
    whole_when_quick: true,
    make,
};

fn make(results: &Results<'_>) -> Page {
    let cells = gathered(results, 0);
    let mut rows = Vec::new();
    for cell in &cells {
        let of = cell.algorithm();
        rows.push(cell.row(of));
        let row = |quantity: &str, unit: &str, ours| Row::ours(quantity, of, unit, ours).at(cell.kilobytes());
        rows.push(row("bound over time", "share", cell.efficiency));
        rows.push(row("longest path", "switches", cell.max_path_length.map(|most| most as f64)));
        rows.push(row(
            "messages on the busiest cable",
            "messages",
            cell.max_channel_load.map(|load| load as f64),
        ));
    }
    let x = || Axis::log("message size (KB)");
    let name = |cell: &Gathered| cell.algorithm().to_owned();
    let mut times = lines(&cells, name, Gathered::kilobytes, |cell| cell.time_mean_ms);
    times.push(bound(&cells));
    let charts = [
        Chart { title: "Time".into(), x: x(), y: Axis::log("time (ms)"), layers: times, ..Chart::default() },
        Chart {
            title: "How near to the bound".into(),
            x: x(),
            y: Axis::from_zero("lower bound / time"),
            layers: lines(&cells, name, Gathered::kilobytes, |cell| cell.efficiency),
            ..Chart::default()
        },
    ];
    let shows = told(SHOWS, &rows, |row| row.unit == "ms");
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
