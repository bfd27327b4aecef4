//! lawrence2008 and faraj2008 together: all-gathers on the cluster that was discovered from Fig. 6.

use crate::allgathers::{AllgatherPoint, allgather_points, bars, points};
use crate::rows::with_table;
use crate::{Figure, Page, Results, Row};
use simnet_network::discovery::{Options, Rtts, discover};
use simnet_output::report::draw_charts;

pub(super) const FIGURE: Figure = Figure {
    id: "lawrence2008/discovered",
    title: "Beyond the paper: all-gathers on the cluster that is found from Fig. 6",
    scenarios: &["lawrence2008/discovered.toml", "lawrence2008/fig6.toml"],
    whole_when_quick: true,
    make,
};

fn make(results: &Results<'_>) -> Page {
    let points = points(results, 0);
    let cells = allgather_points(&points);
    let mut rows = Vec::new();
    let file = results.file(1, "rtt.csv");
    let rtts = Rtts::read("fig6.csv", file.as_bytes()).expect("the run wrote the matrix that it read");
    let found = discover(&rtts, &Options::default());
    let switches = found.tree.ok().map(|tree| f64::from(tree.switches));
    rows.push(Row::ours("switches found from Fig. 6", "discovery", "switches", switches));
    for cell in &cells {
        let of = cell.name("algorithm");
        rows.push(cell.row(of));
        rows.push(Row::ours("bound over time", of, "share", cell.efficiency()).at(cell.kilobytes()));
        let longest = cell.number("max_path_length");
        rows.push(Row::ours("longest path", of, "switches", longest).at(cell.kilobytes()));
        let load = cell.number("max_channel_load");
        rows.push(Row::ours("messages on the busiest cable", of, "messages", load).at(cell.kilobytes()));
    }
    let name = |cell: &AllgatherPoint<'_>| cell.name("algorithm").to_owned();
    let charts = [
        bars(&cells, ("Time of an all-gather", "time (ms)"), name, AllgatherPoint::time),
        bars(&cells, ("How near to the bound", "lower bound / time"), name, AllgatherPoint::efficiency),
    ];
    let shows = with_table(SHOWS, &rows, |row| row.unit == "ms");
    Page { rows, svg: draw_charts(&charts, 2), shows, differs: DIFFERS.into() }
}

const SHOWS: &str = "\
The end of the road that both papers describe: round-trip times (Fig. 6) give the switches of a cluster, and rings \
found on them gather faster than what libraries do without knowing them. The tree is what `simnet discover` writes \
for Fig. 6's matrix; six machines at 1 Gb/s.";

const DIFFERS: &str = "\
- Neither paper shows this. On six machines with consecutive ranks on a switch the ring in the order of ranks has \
no contention either, so that MPICH is close where it takes it; LR3's paths are shorter.";
