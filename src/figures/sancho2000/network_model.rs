//! Section 5.1: the network model, as the scenarios set it.

use crate::{Figure, Page, Results, Row, scenarios};
use simnet_base::ids::Node;
use simnet_media::traffic::Sizes;
use simnet_network::topology::Network;
use simnet_scenario::Checked;
use simnet_scenario::checked::Traffic;
use simnet_scenario::fabric::flit_time;
use simnet_scenario::sweep::Pins;

use super::orientations;
use simnet_output::report::{Pen, Spot, Words};

/// The network model.
pub(super) const FIGURE: Figure = Figure {
    id: "sancho2000/network-model",
    title: "Section 5.1: the network model",
    scenarios: &[],
    whole_when_quick: true,
    make,
};

/// The scenario of every size, then that of long messages.
const SIZES: [&str; 3] = ["sancho2000/fig3a.toml", "sancho2000/fig3b.toml", "sancho2000/fig3-64.toml"];
const LONG: &str = "sancho2000/long-16.toml";

fn make(_: &Results<'_>) -> Page {
    let (sizes, long) = (SIZES.map(networks), networks(LONG));
    Page {
        rows: rows(&sizes, &long[0]),
        svg: draw(&sizes[0][0].topology.network),
        shows: "The parameters of all simulations after sancho2000, read off the scenarios as they are run \
                (`scenarios/sancho2000/fig3a.toml`, `fig3b.toml`, `fig3-64.toml`, `long-16.toml`) and counted on the \
                networks that they make; and one of these networks, the first of 16 switches."
            .to_owned(),
        differs: "What the paper does not say is set to: buffers of 80 flits with STOP at 56 and GO at 40, cables of \
                  10 m (8 flits in flight), Poisson arrivals, the path of the lowest ports where routes are not \
                  balanced, forward resets after 50 ms (none happens). \
                  \"Completely irregular\" is read as 4-regular and random with at most one cable between two \
                  switches; the paper's own networks are not printed."
            .to_owned(),
    }
}

/// The scenario of every network of a sweep, with the first of its routings.
fn networks(file: &str) -> Vec<Checked> {
    let sweep = scenarios::sweep(file);
    let is_first = Pins(vec![("routing".to_owned(), "UD_BFS1".to_owned())]);
    let points = (0..sweep.len()).filter(|point| sweep.holds(*point, &is_first));
    points.map(|point| sweep.checked(point).expect("every point is sound")).collect()
}

fn rows(sizes: &[Vec<Checked>; 3], long: &Checked) -> Vec<Row> {
    let printed = |quantity: &str, of: &str, ours: Option<f64>| {
        Row::printed("004", "Fig3/4 or 5.1 text", quantity, of, ours)
    };
    let first = &sizes[0][0];
    let fabric = &first.fabric;
    let flit = flit_time(fabric.rate);
    let bytes_a_flit = flit.as_ps() as f64 / 1e12 * fabric.rate.as_bits_per_s() as f64 / 8.0;
    let mut rows: Vec<Row> = [
        printed("switch latency first flit", "Myrinet", Some(fabric.routing_latency.as_ps() as f64 / 1e3)),
        printed("flit time", "Myrinet", Some(flit.as_ps() as f64 / 1e3)),
        printed("flit width", "Myrinet", Some(bytes_a_flit)),
        printed("message length", "short", payload(first)),
        printed("message length", "long", payload(long)),
    ]
    .into_iter()
    .flatten()
    .collect();
    type Count = fn(&Network) -> Vec<usize>;
    let counts: [(&str, Count); 3] = [
        ("switch ports", |network| {
            network.switches().iter().map(|switch| usize::from(switch.ports)).collect()
        }),
        ("hosts per switch", |network| cables(network, |node| matches!(node, Node::Host(_)))),
        ("switch-switch ports per switch", |network| cables(network, |node| matches!(node, Node::Switch(_)))),
    ];
    for (quantity, count) in counts {
        let all: Vec<usize> =
            sizes.iter().flatten().flat_map(|checked| count(&checked.topology.network)).collect();
        let (least, most) = (all.iter().min().copied(), all.iter().max().copied());
        let mean = all.iter().sum::<usize>() as f64 / all.len() as f64;
        let ends = |end: Option<usize>| end.map(|count| count as f64);
        rows.extend(printed(quantity, "", Some(mean)).map(|row| row.between(ends(least), ends(most))));
    }
    let fewest = sizes.iter().map(Vec::len).min().map(|count| count as f64);
    rows.extend(printed("topologies per size", "", fewest));
    rows
}

/// A network with its switches on a circle, their hosts outside of it.
fn draw(network: &Network) -> String {
    let (middle, radius): (Spot, f64) = ((330.0, 340.0), 230.0);
    let count = network.switches().len();
    let spots: Vec<Spot> = (0..count)
        .map(|nth| {
            let turn = std::f64::consts::TAU * nth as f64 / count as f64;
            (middle.0 + radius * libm::sin(turn), middle.1 - radius * libm::cos(turn))
        })
        .collect();
    let mut pen = Pen::default();
    let title = format!("The first of ten random networks of {count} switches");
    pen.text((middle.0, 28.0), Words::new(15.0).middle().bold(), &title);
    for link in network.links() {
        if let (Node::Switch(a), Node::Switch(b)) = (link.a.node, link.b.node) {
            orientations::cable(&mut pen, spots[a.index()], spots[b.index()], false, false);
        }
    }
    let hosts = cables(network, |node| matches!(node, Node::Host(_)));
    for (nth, spot) in spots.iter().enumerate() {
        orientations::hosts(&mut pen, *spot, middle, hosts[nth]);
        orientations::switch(&mut pen, *spot, &network.switches()[nth].name, false);
    }
    let words = "circles: switches of 8 ports; dots: hosts";
    pen.text((middle.0, 655.0), Words::new(12.0).middle(), words);
    pen.finish((660.0, 675.0))
}

/// Per switch, how many of its cables lead to such nodes.
fn cables(network: &Network, wanted: fn(Node) -> bool) -> Vec<usize> {
    let count = |switch| network.cables(Node::Switch(switch)).filter(|(_, _, far)| wanted(far.node)).count();
    network.switch_ids().map(count).collect()
}

/// The one length of a scenario's messages, in flits.
fn payload(checked: &Checked) -> Option<f64> {
    match checked.stages()?.traffic.as_ref()? {
        Traffic::Generated(generated) => match &generated.workload.sizes {
            Sizes::Fixed(flits) => Some(f64::from(*flits)),
            Sizes::Weighted(_) => None,
        },
        Traffic::Trace(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wrong if a scenario were changed away from what the paper says of its model.
    #[test]
    fn the_scenarios_have_the_papers_parameters() {
        let rows = rows(&SIZES.map(networks), &networks(LONG)[0]);
        assert_eq!(rows.len(), 9);
        for row in rows {
            assert_eq!(row.deviation_percent(), Some(0.0), "{row:?}");
        }
    }
}
