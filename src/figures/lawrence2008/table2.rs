//! lawrence2008, Table 2: the phases at 100 Mb/s.

use super::PAPER;
use crate::figures::measured::{Measured, list};
use crate::figures::{Figure, Page, Results, Row, side_by_side};
use crate::report::{Axis, Chart, draw_charts};

pub(super) const FIGURE: Figure = Figure {
    id: "lawrence2008/table2",
    title: "Table 2: the execution time for each phase (100 Mb/s switches)",
    scenarios: &["lawrence2008/table1.toml"],
    whole_when_quick: false,
    make,
};

fn make(results: &Results<'_>) -> Page {
    phases(results, "Table2", "100 Mb/s", SHOWS)
}

/// The phases of all clusters at a rate, beside a table.
pub(super) fn phases(results: &Results<'_>, table: &str, rate: &str, shows: &str) -> Page {
    let cells: Vec<Measured> = list(results, 0, "measurements");
    let cells: Vec<&Measured> = cells.iter().filter(|cell| cell.rate() == rate).collect();
    let (mut rows, mut charts) = (Vec::new(), Vec::new());
    for phase in ["RTT", "DCHC", "TC"] {
        let row = |cell: &&Measured| {
            let ours = match phase {
                "RTT" => cell.rtt_s.map(|rtt| rtt.mean),
                "DCHC" => Some(cell.clustering_s),
                _ => Some(cell.tree_s),
            };
            let quantity = format!("phase time {phase}, {rate}");
            let row = Row::printed(PAPER, table, &quantity, &cell.cluster(), ours)?;
            let spread = cell.rtt_s.filter(|_| phase == "RTT");
            Some(row.between(spread.map(|rtt| rtt.min), spread.map(|rtt| rtt.max)))
        };
        let of: Vec<Row> = cells.iter().filter_map(row).collect();
        charts.push(Chart {
            title: phase.to_owned(),
            x: Axis::names(
                "",
                of.iter().map(|row| row.configuration.trim_start_matches("topology ").to_owned()),
            ),
            y: Axis::from_zero("time (s)"),
            layers: side_by_side("simulated", &of.iter().collect::<Vec<_>>()),
            bars: true,
            ..Chart::default()
        });
        rows.extend(of);
    }
    Page { rows, svg: draw_charts(&charts, 3), shows: shows.into(), differs: DIFFERS.into() }
}

const SHOWS: &str = "\
What the phases of the tool take at 100 Mb/s: measuring round-trip times (RTT), data clustering and hop counts \
(DCHC), and computing the tree (TC).";

const DIFFERS: &str = "\
- *RTT* is simulated, message by message.
- *DCHC* and *TC* are the processor time of the authors' program on a 2.8 GHz Pentium 4, a few milliseconds each, \
which no network decides. The simulator takes them from constants (a fixed part and one a round-trip time, through \
the times for 16 machines and the median of those for 32), so that totals are whole. They are shown, and not \
counted as compared; what the simulator's own program takes is never told as a result.";
