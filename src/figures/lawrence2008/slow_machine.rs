//! lawrence2008: a machine whose software is slower than the others'.

use super::odd::page;
use crate::{Figure, Page, Results};

pub(super) const FIGURE: Figure = Figure {
    id: "lawrence2008/slow-machine",
    title: "Beyond the paper: a machine that takes 1.2 times as long for its part of a message",
    scenarios: &["lawrence2008/slow-machine.toml"],
    whole_when_quick: true,
    make,
};

fn make(results: &Results<'_>) -> Page {
    page(results, SHOWS, DIFFERS)
}

const SHOWS: &str = "\
The 32 machines of topology (3) at 1 Gb/s, one of which takes 1.2 times as long for its part of every message: \
round-trip times by the number of switches that are truly between two machines, and what each method makes of \
them.";

const DIFFERS: &str = "\
- The paper's tool \"works best on homogeneous clusters with similar machines\". Its method and k-means are \
misled; the sturdy inference names the machine and puts it in its place.";
