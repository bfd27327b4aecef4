//! Figures of UP*/DOWN* that an independent computation, or paper and pencil, arrived at.

use simnet_base::ids::SwitchId;
use simnet_network::routing::{
    Algorithm, Attachments, Choices, Heuristic, Plan, Report, Root, Selection, Tree,
};
use simnet_network::topology::formats::{self, ReadOptions};
use simnet_network::topology::{End, Network};

use support_network::routing::{FAR, floyd_warshall, random_multigraph};
use support_network::{cases, shared};

fn report(net: &Network, algorithm: Algorithm) -> Report {
    let attachments = Attachments::lowest(net);
    let choices = Choices { algorithm, ..Choices::default() };
    Plan::new(net, &attachments, &choices).unwrap().report(net, &attachments)
}

fn rooted(roots: Vec<SwitchId>) -> Algorithm {
    Algorithm::UpDown { tree: Tree::Bfs, root: Root::Named(roots) }
}

/// Real networks, hosts to put on each switch, roots by name or position, mean legal distance, pairs longer
/// than minimal if known, and whether minimal routing is cyclic.
type Row = (&'static str, Option<u16>, &'static [&'static str], &'static str, Option<u64>, bool);
const REAL: [Row; 4] = [
    (
        "topologies/ibnetdiscover/loginoff-stage-2014.topo",
        None,
        &["S-f4521403007ea570", "S-f4521403007eaa70"],
        "1.6592852",
        Some(0),
        false,
    ),
    (
        "topologies/ibnetdiscover/credit-loops.topo",
        None,
        &["SW_L0_1", "SW_L0_2", "SW_L0_3", "SW_L0_4"],
        "3.2",
        None,
        true,
    ),
    ("topologies/graphml/Abilene.graphml", Some(2), &["4"], "2.3377", None, true),
    ("topologies/graphml/Arpanet19719.graphml", Some(2), &["10"], "3.7587", Some(208), true),
];

/// Wrong if the distances, the longer pairs or the verdict on a real network were not those computed
/// elsewhere.
#[test]
fn figures_of_real_networks_come_out() {
    for (path, hosts_per_switch, roots, mean, longer, cyclic) in REAL {
        let Some(file) = shared(path) else { continue };
        let options = ReadOptions { hosts_per_switch, ..ReadOptions::default() };
        let net = formats::read(path, &std::fs::read(file).unwrap(), &options).unwrap();
        let switch = |name: &&str| net.find_switch(name).unwrap_or_else(|| SwitchId(name.parse().unwrap()));
        let found = report(&net, rooted(roots.iter().map(switch).collect()));
        let digits = mean.split('.').nth(1).unwrap().len();
        assert_eq!(format!("{:.digits$}", found.mean_distance.unwrap()), mean, "{path}");
        assert_eq!((found.unreachable_pairs, found.dependency_cycle), (0, None), "{path}");
        assert!(
            longer.is_none_or(|longer| longer == found.non_minimal_pairs),
            "{path}: {}",
            found.non_minimal_pairs
        );
        assert_eq!(report(&net, Algorithm::Minimal).dependency_cycle.is_some(), cyclic, "{path}");
    }
}

/// Switches in a circle with a host on each, and a cable of each doubled where `twice`.
fn ring(switches: u32, twice: bool) -> Network {
    let mut net = Network::new("ring");
    for n in 0..switches {
        let s = net.add_switch(format!("s{n}"), 5).unwrap();
        let h = net.add_host(format!("h{n}")).unwrap();
        net.connect(End::host(h, 0), End::switch(s, 0)).unwrap();
    }
    for n in 0..switches {
        let next = SwitchId((n + 1) % switches);
        for port in [1, 3].into_iter().take(1 + usize::from(twice)) {
            net.connect(End::switch(SwitchId(n), port), End::switch(next, port + 1)).unwrap();
        }
    }
    net
}

/// Wrong if figures that can be worked out by hand were others.
///
/// In a ring of five with root s0, the switches s2 and s3 are both two cables away from it, and s2 is the up
/// end of the cable between them. The way from s4 by s3 to s2 would go down, then up, and so would the way
/// back: these two pairs take three cables instead of two. Of the other 18 pairs 10 take one cable and 8 take
/// two.
#[test]
fn a_ring_has_the_figures_of_paper_and_pencil() {
    for twice in [false, true] {
        let found = report(&ring(5, twice), rooted(vec![SwitchId(0)]));
        assert_eq!((found.pairs, found.non_minimal_pairs), (20, 2), "{twice}");
        assert_eq!(found.mean_distance, Some(f64::from(10 + 8 * 2 + 2 * 3) / 20.0), "{twice}");
        assert_eq!(found.dependency_cycle, None);
        let minimal = report(&ring(5, twice), Algorithm::Minimal);
        assert_eq!((minimal.mean_distance, minimal.non_minimal_pairs), (Some(1.5), 0));
        assert_eq!(minimal.dependency_cycle.map(|cycle| cycle.len()), Some(5));
    }
}

/// Wrong if the mean distance on any multigraph, with several roots, all trees and all selections, were not
/// that of shortest legal paths found by Floyd and Warshall's algorithm, or another selection changed it.
#[test]
fn mean_distances_are_those_of_shortest_legal_paths() {
    for seed in 0..cases(6_000) {
        let net = random_multigraph(seed, 14);
        let switches = net.switches().len() as u64;
        let named = |n| SwitchId(u32::try_from((seed / 4 + 3 * n) % switches).unwrap());
        let roots = (0..=seed % 4).map(named);
        let mut roots: Vec<SwitchId> = roots.collect();
        roots.sort_unstable();
        roots.dedup();
        let tree = [Tree::Bfs, Tree::Dfs(Heuristic::H1), Tree::Dfs(Heuristic::H2)][(seed % 3) as usize];
        let algorithm = Algorithm::UpDown { tree, root: Root::Named(roots) };
        let attachments = Attachments::lowest(&net);
        let selections =
            [Selection::First, Selection::Random { seed }, Selection::RoundRobin, Selection::Balanced];
        for selection in selections {
            let choices = Choices { algorithm: algorithm.clone(), selection, utility: None };
            let plan = Plan::new(&net, &attachments, &choices).unwrap();
            let [legal, shortest] = [plan.rule.directions(), None].map(|rule| floyd_warshall(&net, rule));
            let (mut sum, mut routed, mut longer) = (0, 0, 0);
            for (source, end) in net.host_ids().flat_map(|s| net.host_ids().map(move |d| (s, d))) {
                let ends = attachments.switch(source).zip(attachments.switch(end)).filter(|_| source != end);
                let Some(((from, _), (to, _))) = ends else { continue };
                let (legal, shortest) = (legal[from.index()][to.index()], shortest[from.index()][to.index()]);
                if legal < FAR {
                    (sum, routed) = (sum + u64::from(legal), routed + 1);
                    longer += u64::from(legal > shortest);
                }
            }
            let found = plan.report(&net, &attachments);
            let mean = (routed > 0).then(|| sum as f64 / routed as f64);
            assert_eq!(
                (found.mean_distance, found.non_minimal_pairs),
                (mean, longer),
                "seed {seed} {selection:?}"
            );
            assert_eq!(
                (found.pairs - found.unreachable_pairs, found.dependency_cycle),
                (routed, None),
                "seed {seed}"
            );
        }
    }
}
