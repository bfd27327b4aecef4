//! faraj2008, Fig. 9: LAM, MPICH and LR1 on topologies (a) to (d).

use super::PAPER;
use crate::allgathers::{AllgatherPoint, allgather_points, bound, lines, points};
use crate::rows::{is_at, with_table};
use crate::{Figure, Page, Results, Row};
use simnet_base::papers;
use simnet_media::host::collective::{Algorithm, selection};
use simnet_output::report::{Axis, Chart, Layer, Mark, draw_charts};

pub(super) const FIGURE: Figure = Figure {
    id: "faraj2008/fig9",
    title: "Fig. 9: LAM, MPICH-LAM and LR1 on topologies (a) to (d)",
    scenarios: &["faraj2008/fig9.toml"],
    whole_when_quick: false,
    make,
};

/// The least size, in KB, from which MPICH takes the ring with so many ranks.
pub(super) fn ring_from(ranks: usize) -> Option<f64> {
    (1..=1024_u32)
        .find(|size| selection::mpich(ranks, u64::from(*size) * 1024) == Algorithm::Ring)
        .map(f64::from)
}

/// The printed times of LR1 on topologies (a) and (d), from Table 1.
fn printed(topologies: &[(&str, &str)], cells: &[AllgatherPoint<'_>]) -> Layer {
    let mut marks = Vec::new();
    for (letter, hops) in topologies {
        let of = cells.iter().filter(|cell| cell.is(&[("network", "topology (a)"), ("algorithm", "LR1")]));
        for x in of.map(AllgatherPoint::kilobytes) {
            let configuration = format!("topology ({letter}); {x} KB");
            let time =
                papers::reference(PAPER, "Table1", &format!("all-gather time LR1 ({hops})"), &configuration);
            marks.extend(time.map(|y| Mark { x, y, ..Mark::default() }));
        }
    }
    Layer::paper(marks)
}

/// The time of an algorithm on a network as a row.
pub(super) fn of_algorithm(cell: &AllgatherPoint<'_>) -> Row {
    cell.row(&["network", "algorithm"].map(|axis| cell.name(axis)).join("; "))
}

fn make(results: &Results<'_>) -> Page {
    let points = points(results, 0);
    let cells = allgather_points(&points);
    let mut rows: Vec<Row> = cells.iter().map(of_algorithm).collect();
    rows.extend(results.printed(0).into_iter().filter(|row| row.ours.is_some()));
    let switch = "MPICH switch to ring at message size";
    rows.extend(Row::printed(PAPER, "5 text", switch, "16 machines", ring_from(16)));
    let on_d = || cells.iter().filter(|cell| cell.name("network") == "topology (d)");
    let mut of_lr1 = by_network(&cells, "LR1");
    of_lr1.push(printed(&[("a", "1-hop"), ("d", "4-hop")], &cells));
    let mut all_on_d = lines(
        on_d(),
        |cell| cell.name("algorithm").to_owned(),
        AllgatherPoint::kilobytes,
        AllgatherPoint::time,
    );
    all_on_d.push(bound(on_d()));
    all_on_d.push(printed(&[("d", "4-hop")], &cells));
    let charts = [
        panel("(a) LAM", by_network(&cells, "LAM")),
        panel("(b) MPICH-LAM", by_network(&cells, "MPICH-LAM")),
        panel("(c) LR1", of_lr1),
        panel("(d) all three on topology (d)", all_on_d),
    ];
    let shows = with_table(SHOWS, &rows, |row| row.quantity == "all-gather time" && is_at(row, 128.0));
    Page { rows, svg: draw_charts(&charts, 2), shows, differs: DIFFERS.into() }
}

/// A chart of times over sizes.
fn panel(title: &str, layers: Vec<Layer>) -> Chart {
    Chart {
        title: title.to_owned(),
        x: Axis::from_zero("message size (KB)"),
        y: Axis::from_zero("time (ms)"),
        layers,
        ..Chart::default()
    }
}

/// An algorithm's times, one line a network.
fn by_network(cells: &[AllgatherPoint<'_>], algorithm: &str) -> Vec<Layer> {
    lines(
        cells.iter().filter(|cell| cell.name("algorithm") == algorithm),
        |cell| cell.name("network").to_owned(),
        AllgatherPoint::kilobytes,
        AllgatherPoint::time,
    )
}

const SHOWS: &str = "\
The time of an all-gather on four clusters of 16 machines at 100 Mb/s against the size of a message, by LAM's \
gather and broadcast, by MPICH's selection (recursive doubling, and from 32 KB the ring in the order of ranks), \
and by LR1. Diamonds are the times of LR1 that Table 1 prints for (a) and (d).";

const DIFFERS: &str = "\
- The paper's curves are pictures; only what the text says of them can be compared. *LR1 is alike on all four*: so \
here. *MPICH is best on (a) and much worse on the others from 32 KB on*: so here. *LAM is much worse than the \
others on (d)*: so here.
- *LAM is almost alike on all four in the paper, and not here*: at 128 KB (b) takes nearly twice as long as (a). \
With ranks dealt out to the switches in turn, which MPICH's times on (f) ask for, the last round of LAM's \
broadcast sends eight messages over one cable. The wiring and ranks of (b), (c) and (d) are reconstructions, as \
the text gives none.
- *Tried for that*: ranks dealt out in runs of two on (c) and (d) and of four on (b). LAM then takes 1.2 to 1.7 s \
at 128 KB (1.2 on (a)), and MPICH still 1.6 to 1.8 times as long as on (a). The text fits the runs \
better: it says that LAM is almost alike on all four and has no bottleneck link. Still they are dealt out \
one by one, as on (f), where times are printed.
- Software costs are those of Table 1 (`faraj2008/table1`), fitted to topology (a).";
