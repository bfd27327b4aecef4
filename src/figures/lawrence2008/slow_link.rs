//! lawrence2008: a cable between switches that is ten times slower than the others.

use super::odd::page;
use crate::{Figure, Page, Results};

pub(super) const FIGURE: Figure = Figure {
    id: "lawrence2008/slow-link",
    title: "Beyond the paper: a cable of 100 Mb/s among those of 1 Gb/s",
    scenarios: &["lawrence2008/slow-link.toml"],
    whole_when_quick: true,
    make,
};

fn make(results: &Results<'_>) -> Page {
    page(results, SHOWS, DIFFERS)
}

const SHOWS: &str = "\
A chain of four switches with eight machines each at 1 Gb/s, the cable between the second and the third at 100 \
Mb/s: round-trip times by the number of switches that are truly between two machines, and what each method makes \
of them.";

const DIFFERS: &str = "\
- The paper says that its tool \"may not be able to handle heterogeneous clusters\". It is not: the slow cable \
looks like a row of switches without machines, and k-means is misled as well. The sturdy inference takes it for \
one cable and names it.";
