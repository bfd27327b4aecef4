//! The abstract's numbers: how often a change leaves the directions as they are, and how much of them where it does
//! not.

use crate::rows::with_table;
use crate::{Figure, Page, Results, Row, curves};
use simnet_base::ids::{LinkId, Node, Port, SwitchId};
use simnet_network::routing::{
    Attachments, Changed, Directions, Heuristic, Part, Root, SwitchGraph, Tree, with_extra_ports,
};
use simnet_network::topology::generate::RandomRegular;
use simnet_network::topology::{End, Network, Switch};
use simnet_output::report::{Axis, Chart, draw_charts};

/// The skyline.
pub(super) const FIGURE: Figure = Figure {
    id: "lysne2000/skyline",
    title: "Abstract: what of the directions must change when the network changes",
    scenarios: &[],
    whole_when_quick: true,
    make,
};

const SIZES: [u32; 3] = [16, 32, 64];
const DEGREE: u32 = 4;
/// Networks of a size: those of the seeds 1 to so many.
const NETWORKS: u64 = 10;
const TREES: [(&str, Tree); 2] = [("BFS R1", Tree::Bfs), ("DFS R1+H2", Tree::Dfs(Heuristic::H2))];
const KINDS: [&str; 4] = ["a cable less", "a switch less", "a cable more", "a switch more"];
const EMPTY: &str = "changes with an empty skyline";
const ALL_KINDS: &str = "each of the four as often";
const OUTSIDE: &str = "cables outside of the skyline";
const JOINED: &str = "two networks joined";
const PAPER: &str = "005";
const ABSTRACT: &str = "Abstract";

fn make(_: &Results<'_>) -> Page {
    let mut rows = Vec::new();
    for (tree, grown) in TREES {
        for switches in SIZES {
            let networks: Vec<Directed> =
                (1..=NETWORKS).map(|seed| Directed::new(switches, seed, grown)).collect();
            let counts: Vec<[Share; 4]> = networks.iter().map(empty_skylines).collect();
            for (kind, name) in KINDS.iter().enumerate() {
                let shares: Vec<f64> = counts.iter().map(|of| of[kind].percent()).collect();
                rows.push(row(EMPTY, &format!("{tree}; {name}"), switches, &shares));
            }
            let mean = |of: &[Share; 4]| of.iter().map(Share::percent).sum::<f64>() / 4.0;
            let shares: Vec<f64> = counts.iter().map(mean).collect();
            rows.push(row(EMPTY, &format!("{tree}; {ALL_KINDS}"), switches, &shares));
            let pairs = networks.iter().zip(networks.iter().cycle().skip(1));
            let shares: Vec<f64> = pairs.map(|(one, other)| outside_of_joined(one, other)).collect();
            rows.push(row(OUTSIDE, &format!("{tree}; {JOINED}"), switches, &shares));
        }
    }
    let printed = printed(&rows);
    let svg = draw_charts(&charts(&rows), 2);
    let shows = with_table(SHOWS, &rows, |_| true);
    rows.splice(0..0, printed);
    Page { rows, svg, shows, differs: DIFFERS.to_owned() }
}

const SHOWS: &str = "\
    When a network changes, its UP\\*/DOWN\\* directions may stay as they are, except where a switch is left \
    without a cable up: then some of the cables must be turned, and old and new routes can deadlock together \
    within the *skyline*, the switches at turned cables with all above them (`src/network/routing/skyline.rs` has \
    the rule and why nothing outside takes part). Counted on ten random networks of each size, 4 cables to other \
    switches a switch: every cable and every switch that can go without parting the network; a cable from every \
    switch to the one half the network on; a switch with four cables; and, of two networks joined by a cable, \
    every switch of the first to two of the second. Ends are the least and the greatest of the ten networks.";

const DIFFERS: &str = "\
    * **Known from the abstract alone**: the paper itself was not at hand. The abstract says that the skyline is \
    the only part that needs a full reconfiguration, that it is empty in 85 to 95 % of \"the most frequent \
    configuration changes\", and that of two networks joined by a link \"an average of 90 % of the links can \
    start using the new routing function immediately for some topologies\". How it defines the skyline, which \
    changes it calls frequent, and on which networks it counted, are ours: the definition above, stated before it \
    was counted; a cable or a switch less or more, each as often; the networks of sancho2000.\n* **What hangs on \
    that reading**: what is added within a network asks for nothing, by construction: a new cable takes its \
    direction from the order of the switches that stands. Of losses alone, a cable or a switch as often, 78 to 84 \
    % have an empty skyline, and the printed 85 would be missed.\n* A lost cable matters where it was its lower \
    end's only one up. Breadth-first trees have more such cables at this degree than depth-first ones; where two \
    networks are joined it is the other way round, since more switches are above a switch of a depth-first \
    tree.\n* Of two networks joined the one with the smaller skyline is put below the other. The new cable itself \
    is used when the skyline is done, and is not counted.";

/// A network with directions, with a free port at each switch.
struct Directed {
    network: Network,
    directions: Directions,
}

impl Directed {
    fn new(switches: u32, seed: u64, tree: Tree) -> Directed {
        let kind = RandomRegular::new(switches, DEGREE, 0).expect("there are such networks");
        let network = kind.build(seed).expect("sparse networks are drawn");
        let network = with_extra_ports(&network, 1).expect("there are port numbers enough");
        let graph = SwitchGraph::new(&network);
        let directions = Directions::new(&graph, &Attachments::lowest(&network), None, &Root::R1, tree);
        Directed { network, directions }
    }

    fn switches(&self) -> usize {
        self.network.switches().len()
    }

    /// The free port of a switch, counted on round the network.
    fn free(&self, nth: usize) -> End {
        let switch = SwitchId::new(nth % self.switches());
        let (first, ports) = self.network.port_range(Node::Switch(switch));
        let mut ends = (first..first + ports).map(|port| End::switch(switch, port));
        ends.find(|end| self.network.peer(*end).is_none()).expect("one was added")
    }
}

/// How many of how many.
#[derive(Clone, Copy, Default)]
struct Share {
    some: usize,
    all: usize,
}

impl Share {
    fn percent(&self) -> f64 {
        self.some as f64 * 100.0 / self.all as f64
    }

    /// Counts those changes that leave one network, and among them those without a skyline.
    fn of(changes: impl Iterator<Item = Changed>) -> Share {
        let mut share = Share::default();
        for changed in changes {
            if SwitchGraph::new(changed.network()).components().len() == 1 {
                share.all += 1;
                share.some += usize::from(changed.reconfigured().skyline.is_empty());
            }
        }
        share
    }
}

/// Of the changes of each kind, those with an empty skyline.
fn empty_skylines(of: &Directed) -> [Share; 4] {
    let Directed { network, directions } = of;
    let without = |part: Part| Changed::without(network, directions, &[part]);
    let more = |nth: usize| {
        let ends = (of.free(nth), of.free(nth + of.switches() / 2));
        Changed::with_cable(network, directions, ends).expect("the ports are free")
    };
    let added = |nth: usize| {
        let far = |port: u16| (Port(port), of.free(nth + usize::from(port) * of.switches() / 4));
        let cables: Vec<(Port, End)> = (0..4).map(far).collect();
        let switch =
            Switch { name: "added".to_owned(), ports: 4, first_port: 0, guid: None, description: None };
        Changed::with_switch(network, directions, switch, &cables).expect("the ports are free")
    };
    [
        Share::of((0..network.links().len()).map(|link| without(Part::Cable(LinkId::new(link))))),
        Share::of(network.switch_ids().map(|switch| without(Part::Switch(switch)))),
        Share::of((0..of.switches()).map(more)),
        Share::of((0..of.switches() / 4).map(added)),
    ]
}

/// The share of the cables outside of the skyline, on the mean over places at which two networks can be joined, in per
/// cent.
fn outside_of_joined(one: &Directed, other: &Directed) -> f64 {
    let cables = one.network.links().len() + other.network.links().len();
    let places = (0..one.switches()).flat_map(|nth| [(nth, nth), (nth, nth + one.switches() / 2)]);
    let outside = |(from, to): (usize, usize)| {
        let both = [(&one.network, &one.directions), (&other.network, &other.directions)];
        let joined = Changed::joined(both, (one.free(from), other.free(to))).expect("the ports are free");
        (cables - joined.reconfigured().within) as f64 * 100.0 / cables as f64
    };
    mean(&places.map(outside).collect::<Vec<_>>())
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The mean over the networks of a size, between the least and the greatest.
fn row(quantity: &str, of: &str, switches: u32, shares: &[f64]) -> Row {
    let ends = [f64::min, f64::max].map(|end| shares.iter().copied().reduce(end));
    Row::ours(quantity, of, "%", Some(mean(shares))).at(f64::from(switches)).between(ends[0], ends[1])
}

/// The abstract's numbers beside the least and the greatest of ours over sizes and trees.
fn printed(rows: &[Row]) -> Vec<Row> {
    let of = |quantity: &str, ending: &str| {
        let own = |row: &&Row| row.quantity == quantity && row.configuration.ends_with(ending);
        let values: Vec<f64> = rows.iter().filter(own).filter_map(|row| row.ours).collect();
        [f64::min, f64::max].map(|end| values.iter().copied().reduce(end))
    };
    let [least, most] = of(EMPTY, ALL_KINDS);
    let [low, high] = of(OUTSIDE, JOINED);
    let made = [
        Row::printed(PAPER, ABSTRACT, EMPTY, "least; frequent changes", least),
        Row::printed(PAPER, ABSTRACT, EMPTY, "most; frequent changes", most),
        Row::printed(PAPER, ABSTRACT, OUTSIDE, JOINED, high).map(|row| row.between(low, high)),
    ];
    made.into_iter().flatten().collect()
}

fn charts(rows: &[Row]) -> [Chart; 2] {
    let chart = |title: &str, quantity: &str| Chart {
        title: title.to_owned(),
        x: Axis::of("switches"),
        y: Axis::from_zero("%"),
        layers: curves(rows, quantity),
        ..Chart::default()
    };
    [
        chart("changes that leave all directions as they are", EMPTY),
        chart("cables outside, two networks joined", OUTSIDE),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wrong if what is added asked for a change, or two joined networks for none.
    #[test]
    fn only_what_goes_or_joins_turns_cables() {
        let [one, other] = [1, 2].map(|seed| Directed::new(16, seed, Tree::Bfs));
        let [cable, switch, more, added] = empty_skylines(&one);
        assert_eq!((more.some, added.some), (more.all, added.all));
        assert!(cable.some < cable.all && switch.some < switch.all);
        let outside = outside_of_joined(&one, &other);
        assert!(outside > 0.0 && outside < 100.0);
    }
}
