//! LR1 and LR3 beside what today's libraries select, from 1 to 100 Gb/s.

use crate::figures::gathered::{Gathered, gathered, lines};
use crate::figures::told::{is_at, told};
use crate::figures::{Figure, Page, Results, Row};
use crate::report::{Axis, Chart, draw_charts};

pub(super) const FIGURE: Figure = Figure {
    id: "faraj2008/modern",
    title: "Beyond the paper: LR1 and LR3 beside the selections of MPICH and Open MPI, from 1 to 100 Gb/s",
    scenarios: &["faraj2008/modern.toml"],
    whole_when_quick: true,
    make,
};

fn make(results: &Results<'_>) -> Page {
    let cells = gathered(results, 0);
    let rows = cells.iter().map(|cell| {
        let gigabits = cell.rate_bits_per_s as f64 / 1e9;
        let of = format!("{}; {}; {} KB", cell.network(), name(cell), cell.kilobytes());
        Row::ours("all-gather time", &of, "ms", cell.time_mean_ms).at(gigabits)
    });
    let rows: Vec<Row> = rows.collect();
    let panel = |network: &str, bytes: u64, title: &str| {
        let of = cells.iter().filter(|cell| cell.network == network && cell.size_bytes == bytes);
        Chart {
            title: title.to_owned(),
            x: Axis::log("rate of a cable (Gb/s)"),
            y: Axis::from_zero("lower bound / time"),
            layers: lines(of, name, |cell| cell.rate_bits_per_s as f64 / 1e9, |cell| cell.efficiency),
            ..Chart::default()
        }
    };
    let charts = [
        panel("faraj-f", 4_096, "4 KB, ranks dealt out to the switches (f)"),
        panel("faraj-f", 131_072, "128 KB, ranks dealt out to the switches (f)"),
        panel("faraj-f", 1_048_576, "1 MB, ranks dealt out to the switches (f)"),
        panel("faraj-e", 131_072, "128 KB, ranks in blocks (e)"),
    ];
    let shows = told(SHOWS, &rows, is_wanted);
    Page { rows, svg: draw_charts(&charts, 2), shows, differs: DIFFERS.into() }
}

fn name(cell: &Gathered) -> String {
    match cell.algorithm.as_str() {
        "mpich" => "MPICH 2-1.0".to_owned(),
        "open-mpi" => "Open MPI 4.1".to_owned(),
        _ => cell.algorithm().to_owned(),
    }
}

/// Rows for the page: LR3 beside the selections on (f), at the ends of the rates, small and large.
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
