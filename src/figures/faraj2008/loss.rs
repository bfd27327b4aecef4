//! Losses in switches' buffers: what contention costs once buffers are small.

use crate::allgathers::{AllgatherPoint, allgather_points, bars, points};
use crate::rows::{is_at, with_table};
use crate::{Figure, Page, Results, Row};
use simnet_output::report::draw_charts;

pub(super) const FIGURE: Figure = Figure {
    id: "faraj2008/loss",
    title: "Beyond the paper: small buffers: the interleaved ring and LR1 on topology (f), over TCP and over datagrams",
    scenarios: &["faraj2008/losses.toml"],
    whole_when_quick: true,
    make,
};

fn make(results: &Results<'_>) -> Page {
    let points = points(results, 0);
    let cells = allgather_points(&points);
    let mut rows = Vec::new();
    for cell in &cells {
        let of = ["algorithm", "ethernet.transport"].map(|axis| cell.name(axis)).join("; ");
        let row =
            |quantity: &str, unit: &str, ours| Row::ours(quantity, &of, unit, ours).at(cell.kilobytes());
        rows.push(row("frames dropped", "frames", cell.number("frames_dropped")));
        rows.push(row("messages lost", "messages", cell.number("messages_lost")));
        rows.push(row("messages on the busiest cable", "messages", cell.number("max_channel_load")));
        rows.push(cell.row(&of));
    }
    let name = |cell: &AllgatherPoint<'_>| {
        ["algorithm", "ethernet.transport"].map(|axis| cell.name(axis)).join(", ")
    };
    let charts = [
        bars(&cells, ("Time until every rank has all", "time (ms)"), name, AllgatherPoint::time),
        bars(&cells, ("Frames dropped by switches", "frames"), name, |cell| cell.number("frames_dropped")),
        bars(&cells, ("Messages that never arrived", "messages"), name, |cell| cell.number("messages_lost")),
    ];
    let shows = with_table(SHOWS, &rows, |row| is_at(row, 64.0));
    Page { rows, svg: draw_charts(&charts, 3), shows, differs: DIFFERS.into() }
}

const SHOWS: &str = "\
An all-gather of 32 machines on the four switches of (f) at 100 Mb/s, each switch with 64 KiB of buffer shared by \
its ports. The ring in the order of ranks sends eight messages at a time over every cable between switches, LR1 \
one. Over TCP what is dropped is sent again; over datagrams it is lost, ranks wait for ever, and the run says who \
waits for whom (no time is given then).";

const DIFFERS: &str = "\
- The paper has no such figure. It defines contention as two messages on one edge, and does not say what \
it costs or that frames are lost. With small buffers \
retransmission time-outs (200 ms at least here, Linux's) cost far more than that.
- A ring without contention loses nothing at all, over either transport.";
