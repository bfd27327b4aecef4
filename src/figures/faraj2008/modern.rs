//! Compares LR1 and LR3 with what today's libraries select, from 1 to 100 Gb/s.

use crate::allgathers::{AllgatherPoint, allgather_points, lines, points};
use crate::rows::{is_at, with_table};
use crate::{Figure, Page, Results, Row};
use simnet_output::report::{Axis, Chart, draw_charts};

pub(super) const FIGURE: Figure = Figure {
    id: "faraj2008/modern",
    title: "Beyond the paper: LR1 and LR3 beside the selections of MPICH and Open MPI, from 1 to 100 Gb/s",
    scenarios: &["faraj2008/modern.toml"],
    whole_when_quick: true,
    make,
};

fn make(results: &Results<'_>) -> Page {
    let points = points(results, 0);
    let cells = allgather_points(&points);
    let rows = cells.iter().map(|cell| {
        let of = format!("{}; {}; {} KB", cell.name("network"), cell.name("algorithm"), cell.kilobytes());
        Row::ours("all-gather time", &of, "ms", cell.time()).at(gigabits(cell))
    });
    let rows: Vec<Row> = rows.collect();
    let panel = |network, size, title| panel(&cells, network, size, title);
    let charts = [
        panel("topology (f)", "4 KiB", "4 KB, ranks dealt out to the switches (f)"),
        panel("topology (f)", "128 KiB", "128 KB, ranks dealt out to the switches (f)"),
        panel("topology (f)", "1 MiB", "1 MB, ranks dealt out to the switches (f)"),
        panel("topology (e)", "128 KiB", "128 KB, ranks in blocks (e)"),
    ];
    let shows = with_table(SHOWS, &rows, is_wanted);
    Page { rows, svg: draw_charts(&charts, 2), shows, differs: DIFFERS.into() }
}

/// The chart of a network and a message size.
fn panel(cells: &[AllgatherPoint<'_>], network: &str, size: &str, title: &str) -> Chart {
    let of = cells.iter().filter(|cell| cell.is(&[("network", network), ("allgather.size", size)]));
    Chart {
        title: title.to_owned(),
        x: Axis::log("rate of a cable (Gb/s)"),
        y: Axis::from_zero("lower bound / time"),
        layers: lines(of, |cell| cell.name("algorithm").to_owned(), gigabits, AllgatherPoint::efficiency),
        ..Chart::default()
    }
}

fn gigabits(cell: &AllgatherPoint<'_>) -> f64 {
    cell.number("rate_bits_per_s").unwrap_or(0.0) / 1e9
}

/// Rows for the page: LR3 and the selections on (f), at the ends of the rates, small and large.
fn is_wanted(row: &Row) -> bool {
    let of = row.configuration.as_str();
    let is_told = ["LR3", "MPICH", "Open MPI"].iter().any(|name| of.contains(name));
    let is_end = is_at(row, 1.0) || is_at(row, 100.0);
    of.starts_with("topology (f)")
        && (of.ends_with("; 4 KB") || of.ends_with("; 128 KB"))
        && is_told
        && is_end
}

const SHOWS: &str = "\
How near to the lower bound all-gathers of 32 machines on four switches come at the rates of today, with 1 us of \
software at either end of a message, 1 us a switch, jumbo frames and copies at 10 GB/s: the rings of the paper \
beside what MPICH 2-1.0 and Open MPI 4.1 select by number of ranks and size.";

const DIFFERS: &str = "\
- The paper measures 100 Mb/s only and says that contention matters more on faster networks. For large messages \
with ranks dealt out to the switches it does: the rings are several times as fast as the selections at every rate.
- For 4 KB at 100 Gb/s the P - 1 steps of a ring cost more than contention does, and recursive doubling wins: the \
paper's techniques are for large messages, as it says.";
