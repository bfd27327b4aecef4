//! Beyond the paper: Pink with the cables that its guide leaves free drawn by chance.

use std::collections::BTreeMap;

use crate::rows::with_table;
use crate::{Figure, Page, Results, Row, scenarios};
use simnet_base::des::random::{Purpose, Stream};
use simnet_base::ids::{Node, Port};
use simnet_network::topology::{End, Link, Network};
use simnet_output::report::{Axis, Chart, Layer, Mark, draw_charts};
use simnet_running::simulation;

/// Pink's wirings.
pub(super) const FIGURE: Figure = Figure {
    id: "hendriks2004/wirings",
    title: "Beyond the paper: Pink over the wirings that its guide allows",
    scenarios: &[],
    whole_when_quick: false,
    make,
};

/// Which is mapped.
const SCENARIO: &str = "hendriks2004/pink.toml";
/// Its points, by algorithm.
const ALGORITHMS: [(usize, &str); 2] = [(0, "with guards"), (1, "by time-out")];
/// How many wirings are drawn; with `--quick` one.
const WIRINGS: u32 = 5;
/// Draws wirings; the instance is the wiring's number.
const WIRING: Purpose = Purpose(27);
/// Milliseconds of a second.
const SECOND: f64 = 1e3;

fn make(results: &Results<'_>) -> Page {
    let wirings = if results.quick { 1 } else { WIRINGS };
    let mut times: [Vec<f64>; 2] = [Vec::new(), Vec::new()];
    let mut standing = [0.0; 2];
    let sweep = scenarios::sweep(SCENARIO);
    for ((point, _), (all, standing)) in ALGORITHMS.into_iter().zip(times.iter_mut().zip(&mut standing)) {
        let mut checked = sweep.checked(point).expect("it is without faults");
        *standing = seconds(&checked);
        let pink = checked.topology.network.clone();
        for wiring in 0..wirings {
            checked.topology.network = drawn(&pink, wiring);
            all.push(seconds(&checked));
        }
    }
    let mut rows = Vec::new();
    for (((_, name), all), standing) in ALGORITHMS.iter().zip(&times).zip(standing) {
        rows.push(spread("mapping time", &format!("{name}, wirings drawn"), "s", all));
        rows.push(Row::ours(
            "mapping time",
            &format!("{name}, the wiring that is the default"),
            "s",
            Some(standing),
        ));
    }
    let ratios: Vec<f64> = times[1].iter().zip(&times[0]).map(|(timed, guarded)| timed / guarded).collect();
    rows.push(spread("speed-up", "wirings drawn", "factor", &ratios));
    rows.push(Row::ours(
        "speed-up",
        "the wiring that is the default",
        "factor",
        Some(standing[1] / standing[0]),
    ));
    Page {
        svg: draw_charts(&[chart(&times)], 1),
        shows: with_table(SHOWS, &rows, |_| true),
        rows,
        differs: DIFFERS.to_owned(),
    }
}

/// How long a mapping takes.
fn seconds(checked: &simnet_scenario::Checked) -> f64 {
    let (report, _) = simulation::map(checked).expect("the fabric is that of a scenario");
    assert!(report.isomorphic, "a map of Pink on a quiet network is true");
    report.time_ms / SECOND
}

/// Pink with the cables between middle switches and spines drawn anew: each of a unit's 64 upper ports leads to a spine
/// of its own, each spine has a cable of each unit, in any of its ports.
fn drawn(pink: &Network, wiring: u32) -> Network {
    let mut stream = Stream::new(0, WIRING, wiring);
    let is_spine = |end: End| matches!(end.node, Node::Switch(_)) && pink.name_of(end.node).starts_with('s');
    let mut net = Network::new(pink.name.clone());
    for switch in pink.switches() {
        net.push_switch(switch.clone()).expect("names differ there too");
    }
    for host in pink.hosts() {
        net.push_host(host.clone()).expect("names differ there too");
    }
    let (upper, others): (Vec<&Link>, Vec<&Link>) =
        pink.links().iter().partition(|link| is_spine(link.a) || is_spine(link.b));
    for link in others {
        net.push_link(link.clone()).expect("nodes keep their numbers");
    }
    let unit = |end: End| pink.name_of(end.node).trim_start_matches('m').split('.').next().map(str::to_owned);
    let ends = |link: &Link| if is_spine(link.a) { (link.b, link.a) } else { (link.a, link.b) };
    let mut units: BTreeMap<String, Vec<(&Link, End, End)>> = BTreeMap::new();
    for link in upper {
        let (middle, spine) = ends(link);
        let name = unit(middle).expect("a middle switch's name has its unit");
        units.entry(name).or_default().push((link, middle, spine));
    }
    // Per spine its ports, in the order in which units take them.
    let mut free: BTreeMap<Node, Vec<u16>> = BTreeMap::new();
    for (_, _, spine) in units.values().flatten() {
        free.entry(spine.node).or_default().push(spine.port.0);
    }
    free.values_mut().for_each(|ports| stream.shuffle(ports));
    for links in units.into_values() {
        let mut spines: Vec<Node> = links.iter().map(|(_, _, spine)| spine.node).collect();
        stream.shuffle(&mut spines);
        for ((link, middle, _), spine) in links.into_iter().zip(spines) {
            let port = free.get_mut(&spine).and_then(Vec::pop).expect("a spine has a port for each unit");
            let spine = End { node: spine, port: Port(port) };
            net.push_link(Link { a: middle, b: spine, ..link.clone() }).expect("ports are taken once");
        }
    }
    net
}

/// The mean with the least and the greatest.
fn spread(quantity: &str, of: &str, unit: &str, values: &[f64]) -> Row {
    let spread = simnet_base::measure::Spread::of(values);
    let row = Row::ours(quantity, of, unit, spread.as_ref().map(|spread| spread.mean));
    row.between(spread.as_ref().map(|spread| spread.min), spread.as_ref().map(|spread| spread.max))
}

fn chart(times: &[Vec<f64>; 2]) -> Chart {
    let marks = |all: &Vec<f64>| (0_u32..).zip(all).map(|(nth, s)| Mark::at(f64::from(nth), *s)).collect();
    let layer = |((_, name), all): (&(usize, &str), &Vec<f64>)| Layer::marks(name, marks(all));
    Chart {
        title: "Pink, wirings drawn".to_owned(),
        x: Axis::from_zero("wiring"),
        y: Axis::from_zero("mapping time (s)"),
        layers: ALGORITHMS.iter().zip(times).map(layer).collect(),
        ..Chart::default()
    }
}

const SHOWS: &str = "\
Pink as its guide leaves it free: hosts and the cables within a unit are given, and that a unit's 64 \
upper ports lead to 64 different spines; which of them leads where, and to which port, is drawn. With the \
same costs and the same mapper as in [pink](../pink/README.md).";

const DIFFERS: &str = "\
- *The 7 minutes and the 15 seconds are fits, both*: two costs of software to the one; which questions \
are asked, and a time-out of a millisecond, to the other; the ratio follows.\n\
- *They are fits to one wiring.* The default's upper port j leads to spine j in every unit, so that a \
switch once recognised explains many cables. With cables drawn the mapper asks more than twice as much, \
and both times more than double; the ratio moves by 8 % alone. The default stays: a plan cables such a \
network by a rule. On a Pink cabled at random the same costs would have to be halved, and the time-out \
with them.";

#[cfg(test)]
mod tests {
    use super::*;
    use simnet_network::topology::presets;
    use std::collections::BTreeSet;

    /// Wrong if a drawn Pink broke what the guide says: as many cables, each unit's upper ports to different spines.
    #[test]
    fn drawn_wirings_are_pink() {
        let pink = presets::load("pink").unwrap();
        let net = drawn(&pink, 3);
        assert_eq!((net.hosts().len(), net.switches().len(), net.links().len()), (1024, 320, 3072));
        let mut pairs = BTreeSet::new();
        let mut moved = 0;
        for link in net.links() {
            let names = [link.a, link.b].map(|end| net.name_of(end.node).to_owned());
            if let [middle, spine] = &names
                && spine.starts_with('s')
            {
                let unit = middle.trim_start_matches('m').split('.').next().unwrap().to_owned();
                assert!(pairs.insert((unit, spine.clone())), "{names:?}");
                moved += usize::from(pink.peer(link.a) != Some(link.b));
            }
        }
        assert_eq!(pairs.len(), 1024);
        assert!(moved > 900, "{moved}");
    }
}
