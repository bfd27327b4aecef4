//! lawrence2008, Table 3: the phases at 1 Gb/s.

use super::table2::phases;
use crate::{Figure, Page, Results};

pub(super) const FIGURE: Figure = Figure {
    id: "lawrence2008/table3",
    title: "Table 3: the execution time for each phase (1 Gb/s switches)",
    scenarios: &["lawrence2008/table1.toml"],
    whole_when_quick: false,
    make,
};

fn make(results: &Results<'_>) -> Page {
    phases(results, "Table3", SHOWS)
}

const SHOWS: &str = "\
What the phases of the tool take at 1 Gb/s: measuring round-trip times (RTT), data clustering and hop counts \
(DCHC), and computing the tree (TC).";
