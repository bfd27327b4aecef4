//! Fig. 8: the model graph as it grows.

use crate::{Figure, Page, Results, Row};
use simnet_base::des::process::run_at_once;
use simnet_base::ids::HostId;
use simnet_media::host::mapper::Brief;
use simnet_media::host::mapper::berkeley::{self, Options};
use simnet_media::host::plain::{Collision, Plain};
use simnet_network::topology::{Network, presets};
use simnet_output::report::{Axis, Chart, Layer, Mark, draw_charts};

/// Fig. 8.
pub(super) const FIGURE: Figure = Figure {
    id: "mainwaring1997/fig8",
    title: "Fig. 8: nodes, edges and frontier of the model graph",
    scenarios: &["mainwaring1997/fig8.toml", "mainwaring1997/fig5.toml"],
    whole_when_quick: true,
    make,
};

/// What the scenarios differ in.
const NAMES: [&str; 2] = ["merged vertices counted", "merged vertices gone"];
const SIZES: [(&str, &str); 3] =
    [("edges", "edges of the model"), ("nodes", "nodes of the model"), ("frontier", "items on the frontier")];

/// "Nearly all of the hosts" are so many of 100.
pub(super) const NEARLY_ALL: usize = 95;

/// C+A+B.
const SYSTEM: &str = "now-cab";

/// Where the paper's peak is drawn: it does not say where it lies.
const PEAK_AT: f64 = 178.0;

fn make(results: &Results<'_>) -> Page {
    let nodes = |nth| Some(results.at(nth, "map.hosts")? + results.at(nth, "map.switches")?);
    let printed = [
        ("peak model graph nodes", results.at(0, "map.peak_nodes")),
        ("final nodes", nodes(0)),
        ("exploration of the final prune", results.at(0, "map.explorations")),
        (
            "exploration at which nearly all found",
            found_after(NEARLY_ALL).map(|(explorations, _)| explorations as f64),
        ),
    ];
    let printed = printed.map(|(quantity, ours)| Row::printed("000", "Fig8", quantity, "C+A+B", ours));
    let mut rows: Vec<Row> = printed.into_iter().flatten().collect();
    let from_all = found_from_all();
    let ends = (from_all.first().copied(), from_all.last().copied());
    let middle = from_all.get(from_all.len() / 2).copied();
    let from_any =
        Row::ours("exploration at which nearly all found, mapper on any host", "C+A+B", "count", middle);
    rows.push(from_any.between(ends.0, ends.1));
    let mut charts = Vec::new();
    for (nth, name) in NAMES.into_iter().enumerate() {
        let table = results.csv(nth, "growth.csv");
        let mut layers = Vec::new();
        for (column, size) in SIZES {
            let points: Vec<(f64, f64)> = table
                .records()
                .filter_map(|record| record.number("exploration").zip(record.number(column)))
                .collect();
            let mark = |(x, y): &(f64, f64)| Mark::at(*x, *y);
            // The final prune leaves the map.
            let left = match column {
                "edges" => results.at(nth, "map.links"),
                "nodes" => nodes(nth),
                _ => Some(0.0),
            };
            let last = points.last().map(|(x, _)| *x).zip(left);
            layers.push(Layer::line(size, points.iter().chain(&last).map(mark).collect()));
            rows.extend(
                last.map(|(x, y)| Row::ours(&format!("{size}, pruned"), name, "count", Some(y)).at(x)),
            );
            rows.extend(points.into_iter().map(|(x, y)| Row::ours(size, name, "count", Some(y)).at(x)));
        }
        if nth == 0 {
            layers.push(Layer::paper(vec![Mark::at(PEAK_AT, 750.0), Mark::at(250.0, 140.0)]));
        }
        charts.push(Chart {
            title: name.to_owned(),
            x: Axis::from_zero("switch explorations"),
            y: Axis::from_zero("count"),
            layers,
            ..Chart::default()
        });
    }
    Page {
        rows,
        svg: draw_charts(&charts, 2),
        shows: "The model graph of C+A+B after each exploration of a switch: nodes, edges, and switches that \
                wait to be explored. Left, vertices that were merged away still count, which comes nearer \
                to the paper's ~750; its text names a plummet at the final prune; right, they go at once. \
                Diamonds: the paper's peak of \
                about 750 nodes (drawn at the end of ours; it does not say where it lies) and its 140 nodes when \
                all is pruned, near exploration 250."
            .to_owned(),
        differs: differs(ends),
    }
}

/// What differs, with the fewest and the most explorations that find nearly all hosts from any of them.
fn differs((fewest, most): (Option<f64>, Option<f64>)) -> String {
    let [fewest, most] = [fewest, most].map(|end| end.map_or_else(|| "?".to_owned(), |end| end.to_string()));
    format!(
        "- The peak, 817 nodes, is 9 % above the paper's \"~750\"; where merged vertices go at once it is 458.\n\
         - All is explored after 178 explorations, not some 250: our mapper skips a vertex whose switch is explored \
         already, as the probe counts of Fig. 6 ask for. Without that skip a search needs a bound on its depth, and \
         with 4 or 5 turns maps come out wrong or host hits exceed 1,200 (324 printed).\n\
         - \"Nearly all of the hosts and switches\" is read as 95 of the 100 hosts, whatever the switches; they \
         are found earlier for the same reason. On which host \
         the mapper runs, which Fig. 8 does not say, makes that {fewest} to {most} explorations, where 150 is \
         printed; here it is the one that the other figures have."
    )
}

/// The explorations after which a mapper of C+A+B has found so many hosts, as one cut off there shows, and what it took
/// from the frontier up to the next, vertices counted that it skipped.
fn found_from(network: &Network, mapper: HostId, hosts: usize) -> Option<(u64, u64)> {
    let found = |explorations: u64| {
        let brief = Brief { explorations, ..Brief::for_switches_of(network) };
        let mut host = Plain::new(network, mapper, Collision::Packet);
        let map = run_at_once(berkeley::map(&mut host, &brief, &Options::default()));
        (map.network.hosts().len(), map.popped)
    };
    let (mut low, mut high) = (0, 1_000);
    if found(high).0 < hosts {
        return None;
    }
    while low + 1 < high {
        let middle = (low + high) / 2;
        if found(middle).0 >= hosts { high = middle } else { low = middle }
    }
    Some((high, found(high).1))
}

/// The same of the mapper that the other figures have.
pub(super) fn found_after(hosts: usize) -> Option<(u64, u64)> {
    let network = presets::load(SYSTEM)?;
    let mapper = network.find_host(presets::utility_host(SYSTEM)?)?;
    found_from(&network, mapper, hosts)
}

/// The explorations after which nearly all hosts are found from each host, fewest first.
fn found_from_all() -> Vec<f64> {
    let network = presets::load(SYSTEM).expect("it is built in");
    let from = |mapper| found_from(&network, mapper, NEARLY_ALL).map(|(explorations, _)| explorations as f64);
    let mut all: Vec<f64> = network.host_ids().filter_map(from).collect();
    all.sort_by(f64::total_cmp);
    all
}
