//! lawrence2008, Fig. 2: two networks with one hop-count matrix.

use super::trees::{matrix, shade};
use crate::{Figure, Page, Results, Row};
use simnet_network::discovery::{Hops, tree};
use simnet_output::report::sketch::{MACHINE, SWITCH};
use simnet_output::report::{Pen, Spot, Words};

pub(super) const FIGURE: Figure = Figure {
    id: "lawrence2008/fig2",
    title: "Fig. 2: an example of hop counts that do not tell the network",
    scenarios: &[],
    whole_when_quick: true,
    make,
};

/// (a): the cables between switches s0 to s3; machine i is on switch i.
const CABLES: [(usize, usize); 4] = [(0, 1), (0, 3), (3, 2), (1, 2)];
/// The paths that the text states, as switches, by pair of machines.
const PATHS: [((usize, usize), &[usize]); 3] = [((0, 1), &[0, 1]), ((0, 2), &[0, 3, 2]), ((1, 2), &[1, 2])];
/// What the text prints for the matrix, by pair of machines.
const PRINTED: [((usize, usize), u32); 3] = [((0, 1), 2), ((0, 2), 3), ((1, 2), 2)];

/// The hop counts of (a)'s paths, each over its cables.
fn of_paths() -> Hops {
    let is_cabled =
        |pair: &[usize]| CABLES.contains(&(pair[0], pair[1])) || CABLES.contains(&(pair[1], pair[0]));
    Hops::new(3, |a, b| {
        let path = PATHS.iter().find(|(pair, _)| *pair == (a, b)).map_or(&[][..], |(_, path)| path);
        assert!(path.windows(2).all(is_cabled), "a path goes over cables");
        u32::try_from(path.len()).unwrap_or(u32::MAX)
    })
}

fn make(_results: &Results<'_>) -> Page {
    let hops = of_paths();
    let found = tree(&hops).expect("a chain of three switches has these hop counts");
    let back = found.hops();
    let mut rows = Vec::new();
    for ((a, b), printed) in PRINTED {
        let of = |name: &str| format!("{name}; machines {a} and {b}");
        let row = |name: &str, value: u32| Row::ours("hop count", &of(name), "hops", Some(f64::from(value)));
        rows.push(Row {
            paper: Some(f64::from(printed)),
            printed_in: "3.1".to_owned(),
            ..row("(a)", hops.between(a, b))
        });
        rows.push(row("(b)", back.between(a, b)));
    }
    rows.push(Row::ours("switches", "(a)", "switches", Some(4.0)));
    rows.push(Row::ours("switches", "(b), the only tree", "switches", Some(f64::from(found.switches))));
    let differ = (0..3)
        .flat_map(|a| (0..3).map(move |b| (a, b)))
        .filter(|(a, b)| hops.between(*a, *b) != back.between(*a, *b));
    rows.push(Row::ours(
        "cells in which the matrices differ",
        "(a) and (b)",
        "cells",
        Some(differ.count() as f64),
    ));
    let mut pen = Pen::titled(
        "One hop-count matrix, two networks",
        "(a) has a loop; its paths are those of the text: 0-s0-s1-1, 0-s0-s3-s2-2, 1-s1-s2-2",
    );
    network(
        &mut pen,
        (40.0, 120.0),
        "(a)",
        &[(0.0, 90.0), (90.0, 90.0), (180.0, 90.0), (90.0, 0.0)],
        &CABLES,
    );
    let cables: Vec<(usize, usize)> = found.links.iter().map(|(a, b)| (*a as usize, *b as usize)).collect();
    // Its switches from left to right by the machine on them.
    let mut places = vec![(0.0, 90.0); 3];
    for (machine, home) in found.homes.iter().enumerate() {
        places[*home as usize].0 = 90.0 * machine as f64;
    }
    named(&mut pen, (300.0, 120.0), "(b) the only tree", &places, &cables, &found.homes);
    matrix(&mut pen, (580.0, 160.0), "HC of both", 3, |a, b| {
        (hops.between(a, b).to_string(), shade(hops.between(a, b)))
    });
    Page { rows, svg: pen.finish_around(), shows: SHOWS.into(), differs: DIFFERS.into() }
}

fn network(pen: &mut Pen, at: Spot, name: &str, places: &[Spot], cables: &[(usize, usize)]) {
    named(pen, at, name, places, cables, &[0, 1, 2]);
}

/// Switches at these places, machine i below the switch that is its home.
fn named(pen: &mut Pen, at: Spot, name: &str, places: &[Spot], cables: &[(usize, usize)], homes: &[u32]) {
    let spot = |(x, y): Spot| (at.0 + 30.0 + x, at.1 + y);
    pen.text((at.0, at.1 - 30.0), Words::new(14.0), name);
    for (a, b) in cables {
        pen.cable(spot(places[*a]), spot(places[*b]));
    }
    for (number, place) in places.iter().enumerate() {
        pen.switch(spot(*place), SWITCH, &format!("s{number}"));
    }
    for (machine, home) in homes.iter().enumerate() {
        let home = spot(places[*home as usize]);
        pen.cable(home, (home.0, home.1 + 56.0));
        pen.machine((home.0, home.1 + 56.0), MACHINE, &machine.to_string());
    }
}

const SHOWS: &str = "\
Why hop counts alone do not tell a general network: three machines on four switches with a loop (a), whose paths \
are those that the text states, have the hop-count matrix of another network (b). The matrix of (a) is \
counted along its paths; (b) is the tree that the simulator's discovery makes of that matrix, three switches in a \
row.";

const DIFFERS: &str = "\
- The three different cells of the matrix, which the text prints, come out. The picture of (b) is not in the \
text, which does not say that it is a tree; if it is one, it is ours, as by Theorem 1 no other tree has the \
matrix.";
