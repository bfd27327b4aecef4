//! All-gathers on cut-through switches against store-and-forward ones, on the same cables.

use crate::allgathers::{AllgatherPoint, allgather_points, lines, points};
use crate::rows::{is_at, with_table};
use crate::{Figure, Page, Results, Row};
use simnet_output::report::{Axis, Chart, draw_charts};

pub(super) const FIGURE: Figure = Figure {
    id: "faraj2008/cut-through",
    title: "Beyond the paper: rings on cut-through switches against store-and-forward ones",
    scenarios: &["faraj2008/cut-through.toml"],
    whole_when_quick: true,
    make,
};

fn make(results: &Results<'_>) -> Page {
    let points = points(results, 0);
    let cells = allgather_points(&points);
    let mut rows = Vec::new();
    for cell in &cells {
        let of = ["network", "algorithm", "switching", "allgather.protocol"]
            .map(|axis| cell.name(axis))
            .join("; ");
        rows.push(cell.row(&of));
        rows.push(Row::ours("bound over time", &of, "share", cell.efficiency()).at(cell.kilobytes()));
    }
    let charts = [
        panel(&cells, "rendezvous", &["LR1", "LR2"], "Rendezvous: a step waits for its message"),
        panel(&cells, "eager", &["LR1", "LR2"], "Eager: a send is over when it has left"),
        panel(
            &cells,
            "rendezvous",
            &["LR1", "LR2", "ring by rank"],
            "Rendezvous, beside the ring in the order of ranks",
        ),
    ];
    let shows = with_table(SHOWS, &rows, |row| {
        row.unit == "ms" && is_at(row, 128.0) && row.configuration.starts_with("topology (d); LR")
    });
    Page { rows, svg: draw_charts(&charts, 2), shows, differs: DIFFERS.into() }
}

/// A chart of algorithms on topology (d), sent by a protocol.
fn panel(cells: &[AllgatherPoint<'_>], protocol: &str, algorithms: &[&str], title: &str) -> Chart {
    let on_d = cells.iter().filter(|cell| {
        cell.is(&[("network", "topology (d)"), ("allgather.protocol", protocol)])
            && algorithms.contains(&cell.name("algorithm"))
    });
    let name = |cell: &AllgatherPoint<'_>| format!("{}, {}", cell.name("algorithm"), cell.name("switching"));
    Chart {
        title: title.to_owned(),
        x: Axis::from_zero("message size (KB)"),
        y: Axis::of("lower bound / time"),
        layers: lines(on_d, name, AllgatherPoint::kilobytes, AllgatherPoint::efficiency),
        ..Chart::default()
    }
}

const SHOWS: &str = "\
How near to the lower bound (P - 1) m / B rings come on the chain of four switches (d), 16 machines at 100 Mb/s, \
where LR1 has a path of four switches and LR2 paths of two at most: once on Ethernet switches, which store and \
forward frames of 1,500 B, once on wormhole switches with the same cables, 108 B of buffer and 150 ns a switch. \
The paper argues in section 3 that the length of paths matters to the first and not to the second, and measures \
only the first.";

const DIFFERS: &str = "\
- The paper has no such figure. Its claim holds: cut through, LR1 and LR2 take the same time to four digits and \
come within 0.1 % of the bound at 128 KB; stored and forwarded with rendezvous sends LR1 pays for its longer path, \
and both lose 4 % to 6 % to headers and gaps of frames besides.
- With eager sends the length of paths does not matter on either: steps overlap. What the paper measured in Table \
1 therefore depends on when a send is over.
- No software costs here: the networks alone are compared.";
