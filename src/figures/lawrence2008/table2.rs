//! lawrence2008, Table 2: the phases at 100 Mb/s.

use super::table1::bars;
use crate::{Figure, Page, Results, Row};
use simnet_output::report::{Chart, draw_charts};

pub(super) const FIGURE: Figure = Figure {
    id: "lawrence2008/table2",
    title: "Table 2: the execution time for each phase (100 Mb/s switches)",
    scenarios: &["lawrence2008/table1.toml"],
    whole_when_quick: false,
    make,
};

fn make(results: &Results<'_>) -> Page {
    phases(results, "Table2", SHOWS)
}

/// The phases of all clusters next to a table.
pub(super) fn phases(results: &Results<'_>, table: &str, shows: &str) -> Page {
    let mut rows = results.printed(0);
    rows.retain(|row| row.printed_in == table);
    for constant in rows.iter_mut().filter(|row| !row.quantity.contains("RTT")) {
        (constant.low, constant.high) = (None, None);
    }
    let chart = |rows: &[Row]| {
        let phase = rows[0].quantity.trim_start_matches("phase time ");
        bars(phase.split(',').next().unwrap_or_default().to_owned(), "time (s)", rows)
    };
    let charts: Vec<Chart> = rows.chunk_by(|a, b| a.quantity == b.quantity).map(chart).collect();
    Page { rows, svg: draw_charts(&charts, 3), shows: shows.into(), differs: DIFFERS.into() }
}

const SHOWS: &str = "\
What the phases of the tool take at 100 Mb/s: measuring round-trip times (RTT), data clustering and hop counts \
(DCHC), and computing the tree (TC).";

const DIFFERS: &str = "\
- *RTT* is simulated, message by message.
- *DCHC* and *TC* are the processor time of the authors' program on a 2.8 GHz Pentium 4, 4 to 56 ms each in Tables 2 \
and 3, which no network decides. The simulator takes them from constants (a fixed part and one a round-trip time, \
through the times for 16 machines and the median of those for 32), so that totals are whole. They are shown, and not \
counted as compared; what the simulator's own program takes is never told as a result.";
