//! faraj2008, Fig. 3: where the next switch of a depth-first walk hangs, the three cases of Lemma 1's proof.

use super::fig2::loads;
use crate::examples::{cluster, random_trees, tree};
use crate::rows::with_table;
use crate::{Figure, Page, Results, Row};
use simnet_base::ids::{HostId, Node, SwitchId};
use simnet_network::ring::Tree;
use simnet_network::topology::Network;
use simnet_output::report::sketch::{BLUE, ORANGE, RED, SWITCH, along, switch_spots};
use simnet_output::report::{GREY, Pen, Words};

pub(super) const FIGURE: Figure = Figure {
    id: "faraj2008/fig3",
    title: "Fig. 3: three cases",
    scenarios: &[],
    whole_when_quick: true,
    make,
};

/// The switch that s4 hangs from in each case, after the chain s0 - s1 - s2 - s3.
const CASES: [(&str, u16); 3] =
    [("(1) child of s3", 3), ("(2) child of s1, on the way", 1), ("(3) child of s0", 0)];

/// Switches s0 to s3 in a chain, and s4 below one of them; a machine on each stands for it.
fn example(parent: Option<u16>) -> Network {
    let names = ["s0", "s1", "s2", "s3", "s4"].map(|name| (name, 1));
    let cables = [(0, 1), (1, 2), (2, 3)];
    match parent {
        None => cluster(&names[..4], &cables),
        Some(parent) => cluster(&names, &[cables.as_slice(), &[(parent, 4)]].concat()),
    }
}

fn make(_results: &Results<'_>) -> Page {
    let most = |tree: &Tree| loads(tree).into_iter().max().map(|most| most as f64);
    let mut rows = vec![Row::ours(
        "most messages over a direction",
        "s0 to s3",
        "messages",
        most(&tree(&example(None))),
    )];
    for (case, parent) in CASES {
        let tree = tree(&example(Some(parent)));
        rows.push(Row::ours("most messages over a direction", case, "messages", most(&tree)));
        for (from, to) in [(3, 4), (4, 0)] {
            let length = along(&tree, HostId(from), HostId(to)).len() - 2;
            let of = format!("{case}; s{from} to s{to}");
            rows.push(Row::ours("path", &of, "switches", Some(length as f64)));
        }
    }
    let (mut cases, mut elsewhere, mut contended) = ([0_u32; 3], 0_u32, 0_u32);
    for tree in random_trees(600, 40) {
        contended += u32::from(loads(&tree).iter().any(|load| *load > 1));
        for number in 1..tree.switches.len() {
            match case(&tree, number) {
                Some(case) => cases[case] += 1,
                None => elsewhere += 1,
            }
        }
    }
    for ((case, _), count) in CASES.iter().zip(cases) {
        rows.push(Row::ours(
            "switches of this case",
            &format!("random trees; {case}"),
            "switches",
            Some(f64::from(count)),
        ));
    }
    rows.push(Row::ours("switches of no case", "random trees", "switches", Some(f64::from(elsewhere))));
    rows.push(Row::ours(
        "trees with two messages over a direction",
        "random trees",
        "trees",
        Some(f64::from(contended)),
    ));
    let shows = with_table(SHOWS, &rows, |row| row.configuration.starts_with("random trees"));
    Page { rows, svg: draw(), shows, differs: DIFFERS.into() }
}

/// Which case the switch of this number is: a child of the one before it, of one above that, of the root. A child
/// of the root that is number 1 is of the first.
fn case(tree: &Tree, number: usize) -> Option<usize> {
    let (_, parent) = tree.parents[tree.switches[number].index()]?;
    let before = tree.switches[number - 1];
    if parent == before {
        return Some(0);
    }
    if parent == tree.root {
        return Some(2);
    }
    let mut at: SwitchId = before;
    while let Some((_, above)) = tree.parents[at.index()] {
        if above == parent {
            return Some(1);
        }
        at = above;
    }
    None
}

fn draw() -> String {
    let mut pen = Pen::titled(
        "Where the switch that comes last hangs",
        "orange: the new message s3 -> s4, red: the new message s4 -> s0, which replaces s3 -> s0; blue: \
         the messages of s0 to s3",
    );
    let mut left = 40.0;
    for (title, parent) in CASES {
        let network = example(Some(parent));
        let tree = tree(&network);
        let spots = switch_spots(&tree, (left, 120.0));
        pen.text((left, 90.0), Words::new(13.0), title);
        for switch in &tree.switches {
            let at = spots.of(Node::Switch(*switch));
            if let Some((_, above)) = tree.parents[switch.index()] {
                pen.cable(at, spots.of(Node::Switch(above)));
            }
            pen.switch(at, SWITCH, network.name_of(Node::Switch(*switch)));
        }
        for from in 0..5_u32 {
            let to = (from + 1) % 5;
            let colour = [BLUE, ORANGE, RED][usize::try_from(from.saturating_sub(2)).unwrap_or(0)];
            let way = along(&tree, HostId(from), HostId(to));
            let places: Vec<_> = way[1..way.len() - 1].iter().map(|node| spots.of(*node)).collect();
            pen.message(&places, colour);
        }
        left += 240.0;
    }
    pen.text(
        (40.0, 530.0),
        Words::new(12.0).colour(GREY),
        "No lane has two arrows: the pattern of one switch more is free of contention too.",
    );
    pen.finish_around()
}

const SHOWS: &str = "\
The induction of Lemma 1: the switch that a depth-first walk reaches last hangs from the one before it, from one \
on the way back to the root, or from the root; in each case its two messages meet no other. The rows follow every \
message, here and in 600 random trees, whose switches are all of one of the three cases.";

const DIFFERS: &str = "\
- The picture is not in the text, which describes the three cases; here are the smallest trees that show each.";
