//! Dimension-order routes against a walk by coordinates, and the proof against what is known of meshes and tori.

use rand::seq::SliceRandom as _;
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

use simnet_base::ids::{HostId, Node, SwitchId};
use simnet_network::routing::{
    Algorithm, Attachments, Choices, Dimension, DimensionOrder, Plan, PlanError, Report, Selection,
    SwitchGraph,
};
use simnet_network::topology::formats::{self, Format, ReadOptions};
use simnet_network::topology::{End, Network, generate};

use support_network::cases;
use support_network::routing::follow;

const NAMES: [&str; 6] = ["x", "y", "z", "u", "v", "w"];

/// A grid as the generator builds it.
fn grid(family: &str, sizes: &[u64], hosts: u64) -> Network {
    let sizes = NAMES.into_iter().zip(sizes.iter().copied());
    let parameters: Vec<(&str, u64)> = sizes.chain([("hosts-per-switch", hosts)]).collect();
    generate::build(family, &parameters, 0).unwrap()
}

/// A mesh or torus of one to four dimensions.
fn random_grid(random: &mut ChaCha8Rng) -> (Network, Vec<u64>, bool) {
    let dimensions = random.random_range(1..=4);
    let most = [12, 6, 4, 3][dimensions - 1];
    let sizes: Vec<u64> = (0..dimensions).map(|_| random.random_range(1..=most)).collect();
    let wraps = random.random_range(0..2) == 1;
    let hosts = random.random_range(1..=2);
    (grid(if wraps { "torus" } else { "mesh" }, &sizes, hosts), sizes, wraps)
}

/// The same network with its switches listed in another order.
fn shuffled(net: &Network, random: &mut ChaCha8Rng) -> Network {
    let mut order: Vec<usize> = (0..net.switches().len()).collect();
    order.shuffle(random);
    let mut place = vec![0; order.len()];
    order.iter().enumerate().for_each(|(new, old)| place[*old] = new);
    let mut other = Network::new("shuffled");
    for old in &order {
        other.push_switch(net.switches()[*old].clone()).unwrap();
    }
    for host in net.hosts() {
        other.push_host(host.clone()).unwrap();
    }
    let moved = |end: End| match end.node {
        Node::Switch(switch) => End { node: Node::Switch(SwitchId::new(place[switch.index()])), ..end },
        Node::Host(_) => end,
    };
    for link in net.links() {
        let mut link = link.clone();
        (link.a, link.b) = (moved(link.a), moved(link.b));
        other.push_link(link).unwrap();
    }
    other
}

/// The coordinates of a switch by the number in its name, which the generator gives in their order.
fn coordinates(net: &Network, switch: SwitchId, sizes: &[u64]) -> Vec<u64> {
    let mut number: u64 = net.name_of(Node::Switch(switch)).trim_start_matches('s').parse().unwrap();
    let mut next = |size: &u64| {
        let coordinate = number % size;
        number /= size;
        coordinate
    };
    sizes.iter().map(&mut next).collect()
}

/// Checks a route's switches: one dimension after the other, each the shorter way, a step at a time.
fn check_walk(steps: &[Vec<u64>], sizes: &[u64], wraps: bool) {
    let mut at = steps[0].clone();
    let to = steps.last().unwrap().clone();
    let mut rest = steps[1..].iter();
    for (d, size) in sizes.iter().enumerate() {
        let (up, down) = ((to[d] + size - at[d]) % size, (at[d] + size - to[d]) % size);
        let length = if wraps { up.min(down) } else { at[d].abs_diff(to[d]) };
        let mut sense = None;
        for _ in 0..length {
            let next = rest.next().expect("a route is as long as the walk");
            let is_up = next[d] == (at[d] + 1) % size;
            assert!(is_up || next[d] == (at[d] + size - 1) % size, "one step along {d}: {steps:?}");
            assert!(sense.is_none_or(|sense| sense == is_up) || *size == 2, "one sense along {d}: {steps:?}");
            sense = Some(is_up);
            at[d] = next[d];
            assert_eq!(at, *next, "one coordinate changes at a time: {steps:?}");
        }
    }
    assert!(rest.next().is_none() && at == to, "{steps:?}");
}

fn choices(seed: u64) -> Choices {
    let selection = match seed % 4 {
        0 => Selection::First,
        1 => Selection::Random { seed },
        2 => Selection::RoundRobin,
        _ => Selection::Balanced,
    };
    Choices { algorithm: Algorithm::DimensionOrder, selection, utility: None }
}

fn report(net: &Network, choices: &Choices) -> Report {
    let attachments = Attachments::lowest(net);
    Plan::new(net, &attachments, choices).unwrap().report(net, &attachments)
}

/// Wrong if any route of a grid went along a later dimension before an earlier one, round the longer way, or if the
/// order of the switches in the file mattered.
#[test]
fn routes_are_the_walks_by_coordinates() {
    for seed in 0..cases(400) {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let (net, sizes, wraps) = random_grid(&mut random);
        let net = if seed % 3 == 0 { shuffled(&net, &mut random) } else { net };
        let attachments = Attachments::lowest(&net);
        let plan = Plan::new(&net, &attachments, &choices(seed)).unwrap();
        let hosts: Vec<HostId> = net.host_ids().collect();
        for (from, to) in hosts.iter().flat_map(|from| hosts.iter().map(move |to| (*from, *to))) {
            if from == to {
                continue;
            }
            let (hops, end) = follow(&net, from, plan.table.turns(from, to).expect("every pair has a route"));
            assert_eq!(end.node, Node::Host(to), "seed {seed}");
            let steps: Vec<Vec<u64>> = hops.iter().map(|(at, ..)| coordinates(&net, *at, &sizes)).collect();
            check_walk(&steps, &sizes, wraps);
        }
        let report = plan.report(&net, &attachments);
        assert_eq!((report.unreachable_pairs, report.non_minimal_pairs), (0, 0), "seed {seed}");
    }
}

/// Wrong if a mesh were found cyclic, or a torus acyclic that has a circle of five switches or more: its routes of two
/// channels reach all around, and the shortest cycle is the smallest such circle. Three switches in a circle are
/// neighbours, and their routes depend on nothing.
#[test]
fn a_mesh_is_acyclic_and_a_torus_is_not() {
    for seed in 0..cases(200) {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let sizes: Vec<u64> =
            (0..random.random_range(1..=3)).map(|_| [1, 2, 3, 5, 6][random.random_range(0..5)]).collect();
        let mesh = report(&grid("mesh", &sizes, 1), &choices(seed));
        assert_eq!((mesh.dependency_cycle, mesh.algorithm), (None, "dimension-order"), "{sizes:?}");
        let torus = report(&grid("torus", &sizes, 1), &choices(seed));
        let circle = sizes.iter().filter(|size| **size >= 5).min();
        let found = torus.dependency_cycle.map(|cycle| cycle.len() as u64);
        assert_eq!(found, circle.copied(), "{sizes:?}");
    }
}

/// Wrong if a file that counts ports from 1 were no grid, or a chain and a ring, which are grids of one dimension.
#[test]
fn what_is_cabled_as_a_grid_is_one() {
    let net = grid("torus", &[4, 3, 2], 1);
    let text = formats::write(&net, Format::Ibnetdiscover);
    let read = formats::read("t", text.as_bytes(), &ReadOptions::default()).unwrap();
    let dimensions =
        |net: &Network| DimensionOrder::new(&SwitchGraph::new(net)).unwrap().dimensions().to_vec();
    let of = |sizes: &[(u32, bool)]| -> Vec<Dimension> {
        sizes.iter().map(|(size, wraps)| Dimension { size: *size, wraps: *wraps }).collect()
    };
    assert_eq!(dimensions(&net), of(&[(4, true), (3, true), (2, false)]));
    assert_eq!(dimensions(&read), dimensions(&net));
    let line = |family| generate::build(family, &[("switches", 7)], 0).unwrap();
    assert_eq!(
        (dimensions(&line("chain")), dimensions(&line("ring"))),
        (of(&[(7, false)]), of(&[(7, true)]))
    );
    assert_eq!(dimensions(&grid("mesh", &[1, 5], 1)), of(&[(5, false)]));
    assert_eq!(dimensions(&grid("mesh", &[1], 2)), of(&[]));
}

/// The same network without one of its cables.
fn mesh_without(mesh: &Network, missing: usize) -> Network {
    let mut net = Network::new("mesh");
    for switch in mesh.switches() {
        net.push_switch(switch.clone()).unwrap();
    }
    for host in mesh.hosts() {
        net.push_host(host.clone()).unwrap();
    }
    for (_, link) in mesh.links().iter().enumerate().filter(|(nth, _)| *nth != missing) {
        net.push_link(link.clone()).unwrap();
    }
    net
}

/// Wrong if another network got routes, or one that only just is no grid.
#[test]
fn other_networks_are_refused() {
    let refused = |net: &Network| {
        let attachments = Attachments::lowest(net);
        let made = Plan::new(net, &attachments, &choices(0));
        assert_eq!(Plan::check(net, &attachments, &choices(0)).is_err(), made.is_err(), "{}", net.name);
        matches!(made, Err(PlanError::Grid(_)))
    };
    for (family, parameters) in [
        ("hypercube", &[("dimensions", 3)][..]),
        ("fat-tree", &[("arity", 2), ("levels", 2)]),
        ("random-regular", &[("switches", 8), ("degree", 3)]),
        ("star", &[("leaves", 4)]),
        ("decayed-torus", &[("x", 4), ("y", 4), ("failed-links", 1)]),
        ("decayed-torus", &[("x", 4), ("y", 4), ("failed-switches", 1)]),
    ] {
        assert!(refused(&generate::build(family, parameters, 3).unwrap()), "{family} {parameters:?}");
    }
    let mesh = grid("mesh", &[3, 3], 1);
    assert!(!refused(&mesh));
    for missing in 0..12 {
        assert!(refused(&mesh_without(&mesh, missing)), "without cable {missing}");
    }
    // From the end of the first row to the beginning of the second: the ports would do.
    let mut twisted = mesh;
    twisted.connect(End::switch(SwitchId(2), 1), End::switch(SwitchId(3), 0)).unwrap();
    assert!(refused(&twisted));
}
