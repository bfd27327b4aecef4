//! lawrence2008, Fig. 8: the hop matrix.

use super::PAPER;
use super::trees::{matrix, shade};
use crate::discoveries::first_matrix;
use crate::{Figure, Page, Results, Row};
use simnet_base::papers;
use simnet_network::discovery::{Options, Rtts, hop_counts};
use simnet_output::report::Pen;

pub(super) const FIGURE: Figure = Figure {
    id: "lawrence2008/fig8",
    title: "Fig. 8: a hop matrix",
    scenarios: &["lawrence2008/fig6.toml", "lawrence2008/fig1.toml"],
    whole_when_quick: true,
    make,
};

fn make(results: &Results<'_>) -> Page {
    let printed = Rtts::read("rtt.csv", results.file(0, "rtt.csv").as_bytes());
    let printed = printed.expect("the run wrote the matrix that it read");
    let counted = [printed, first_matrix(results, 1)].map(|rtts| hop_counts(&rtts, &Options::default()));
    let mut rows = Vec::new();
    let machines = counted[0].hops.machines();
    let pairs = || (0..machines).flat_map(|a| (0..machines).map(move |b| (a, b))).filter(|(a, b)| a != b);
    let printed =
        |a: usize, b: usize| papers::reference(PAPER, "Fig8", "hop count", &format!("machine {a} to {b}"));
    for (a, b) in pairs() {
        let of = format!("machine {a} to {b}");
        let ours = Some(f64::from(counted[0].hops.between(a, b)));
        rows.extend(Row::printed(PAPER, "Fig8", "hop count", &of, ours));
    }
    for (of, counted) in ["of the printed times", "of simulated times"].into_iter().zip(&counted) {
        let wrong = pairs().filter(|(a, b)| printed(*a, *b) != Some(f64::from(counted.hops.between(*a, *b))));
        rows.push(Row::ours("cells that differ from Fig. 8", of, "cells", Some(wrong.count() as f64)));
        for (number, class) in counted.classes.iter().enumerate() {
            let name = format!("{of}; class {number}");
            rows.push(Row::ours("hop count of a class", &name, "hops", Some(f64::from(class.hops))));
        }
        for (number, pair) in counted.classes.windows(2).enumerate() {
            let gap = (pair[1].center().as_ps() - pair[0].center().as_ps()) as f64 / 1e9;
            let name = format!("{of}; classes {number} and {}", number + 1);
            rows.push(Row::ours("gap between centres", &name, "ms", Some(gap)));
        }
    }
    let mut pen = Pen::titled(
        "Hop counts from round-trip times",
        "by the paper's method: classes of times, and the smallest gap is one switch",
    );
    let heads = ["from the printed times of Fig. 6", "from simulated times"];
    for ((left, head), counted) in [40.0, 380.0].into_iter().zip(heads).zip(&counted) {
        matrix(&mut pen, (left + 20.0, 124.0), head, machines, |a, b| {
            let hops = counted.hops.between(a, b);
            (hops.to_string(), shade(hops))
        });
    }
    Page { rows, svg: pen.finish_around(), shows: SHOWS.into(), differs: DIFFERS.into() }
}

const SHOWS: &str = "\
The hop counts that the paper's heuristic infers: from the times that Fig. 6 prints, compared with Fig. 8 cell by \
cell, and from times simulated on the cluster of Fig. 1.";

const DIFFERS: &str = "\
- Nothing: all thirty cells are those printed, from either matrix. The gaps between centres are a little finer \
than the text's, which cuts centres to 0.001 ms before it takes differences.";
