//! Tables of next hops against walks hop by hop and cycles sought over (channel, lane), and beside OpenSM's.

use simnet_base::ids::{HostId, Node, SwitchId};
use simnet_network::routing::{
    Algorithm, Attachments, DestinationTables, Directions, Engine, Root, Survey, SwitchGraph, TablesError,
    Target, Tree, Verdict,
};
use simnet_network::topology::formats::{self, ReadOptions};
use simnet_network::topology::{End, Network, generate};
use support_network::routing::{
    Dependencies, FAR, floyd_warshall, random_multigraph, ring_with_chords, shortest_cycle,
};
use support_network::{cases, shared};

const UP_DOWN: Engine = Engine::Rule(Algorithm::UpDown { tree: Tree::Bfs, root: Root::Far });
const SMART: Engine = Engine::Rule(Algorithm::Smart { tree: Tree::Bfs, root: Root::Far });
const MINIMAL: Engine = Engine::Rule(Algorithm::Minimal);

fn tables(
    net: &Network,
    engine: &Engine,
    lanes: Option<u8>,
    lmc: u8,
) -> Result<DestinationTables, TablesError> {
    DestinationTables::new(net, &Attachments::lowest(net), engine, (lanes, lmc, None))
}

/// What a walk along a column came to.
struct Walk {
    outputs: Vec<End>,
    arrived: bool,
}

/// Walks from a switch by one column, a cable at a time.
fn walk(
    net: &Network,
    graph: &SwitchGraph,
    tables: &DestinationTables,
    column: usize,
    from: SwitchId,
) -> Walk {
    let (_, to) = tables.hops.target(column);
    let (mut at, mut outputs) = (from, Vec::new());
    while at != to {
        let Some(by) = tables.hops.next(graph, column, at) else { return Walk { outputs, arrived: false } };
        let output = End { node: Node::Switch(at), port: graph.outputs()[by].port };
        assert!(outputs.len() <= net.switches().len(), "a walk goes round in a circle");
        outputs.push(output);
        match net.peer(output).expect("a next hop has a cable").node {
            Node::Switch(next) => at = next,
            Node::Host(host) => panic!("{host:?} on the way"),
        }
    }
    Walk { outputs, arrived: true }
}

fn switch_of(net: &Network, host: HostId) -> Option<SwitchId> {
    match net.attachment(host)?.2.node {
        Node::Switch(switch) => Some(switch),
        Node::Host(_) => None,
    }
}

/// The dependencies on each lane of all columns that lead to hosts, from every switch with a host.
fn lanes_of(net: &Network, graph: &SwitchGraph, tables: &DestinationTables) -> Vec<Dependencies> {
    let mut lanes = vec![Dependencies::new(); usize::from(tables.hops.lanes())];
    let has_host = |switch: &SwitchId| {
        net.cables(Node::Switch(*switch)).any(|(_, _, far)| matches!(far.node, Node::Host(_)))
    };
    for column in 0..tables.hops.columns() {
        let (Target::Host(host, port), to) = tables.hops.target(column) else { continue };
        let far = net.peer(End { node: Node::Host(host), port }).unwrap().node;
        assert_eq!(far, Node::Switch(to), "a column leads to the switch of its port");
        for from in net.switch_ids().filter(has_host) {
            let lane = &mut lanes[usize::from(tables.hops.service_level(column, from))];
            for pair in walk(net, graph, tables, column, from).outputs.windows(2) {
                lane.entry(pair[0]).or_default().insert(pair[1]);
            }
        }
    }
    lanes
}

/// The distances between switches, and those of paths that an engine may take.
fn distances(net: &Network, graph: &SwitchGraph, engine: &Engine) -> [Vec<Vec<u32>>; 2] {
    let joined = floyd_warshall(net, None);
    // UP*/DOWN* has no path between components without a root, and none where roots or labels are in between.
    let legal = match engine {
        Engine::Rule(Algorithm::UpDown { tree, root }) => {
            let attachments = Attachments::lowest(net);
            floyd_warshall(net, Some(&Directions::new(graph, &attachments, None, root, *tree)))
        }
        _ => joined.clone(),
    };
    [joined, legal]
}

/// Walks to every host by every column that leads to the port that it is attached by, and to the switches without
/// hosts. Returns the sum of the distances by first columns, how many of them are longer than need be, how many there
/// are, and how many columns each host has.
fn check_walks(
    net: &Network,
    graph: &SwitchGraph,
    (engine, tables): (&Engine, &DestinationTables),
    what: &str,
) -> ((u64, u64, u64), Vec<usize>) {
    let [joined, legal] = distances(net, graph, engine);
    let is_minimal = matches!(engine, Engine::Lash | Engine::Dfsssp | Engine::Rule(Algorithm::Minimal));
    let mut columns = vec![0; net.hosts().len()];
    let (mut sum, mut longer, mut routed) = (0, 0, 0);
    for column in 0..tables.hops.columns() {
        let (target, to) = tables.hops.target(column);
        let host = match target {
            Target::Host(host, port) if net.attachment(host).is_some_and(|(own, ..)| own == port) => host,
            Target::Host(..) => continue,
            Target::Switch(_) => {
                let mut near = net.switch_ids().filter(|from| joined[from.index()][to.index()] < FAR);
                assert!(
                    near.all(|from| walk(net, graph, tables, column, from).arrived),
                    "{what}: management"
                );
                continue;
            }
        };
        assert_eq!(Some(to), switch_of(net, host), "{what}");
        columns[host.index()] += 1;
        for source in net.host_ids().filter(|source| *source != host) {
            let Some(from) = switch_of(net, source) else { continue };
            let least = joined[from.index()][to.index()];
            let way = walk(net, graph, tables, column, from);
            let has_path = legal[from.index()][to.index()] < FAR;
            assert_eq!(way.arrived, has_path, "{what}: all pairs that have a path, and no other");
            let length = u32::try_from(way.outputs.len()).unwrap();
            assert!(!is_minimal || !way.arrived || length == least, "{what}: shortest");
            if columns[host.index()] == 1 && way.arrived {
                (sum, routed) = (sum + u64::from(length), routed + 1);
                longer += u64::from(length > least);
            }
        }
    }
    ((sum, longer, routed), columns)
}

/// Checks tables from the outside, and that their own figures say the same.
fn check(net: &Network, tables: &DestinationTables, (engine, lmc): (&Engine, u8), what: &str) {
    let (graph, attachments) = (SwitchGraph::new(net), Attachments::lowest(net));
    let (walked, columns) = check_walks(net, &graph, (engine, tables), what);
    for lane in &lanes_of(net, &graph, tables) {
        assert_eq!(shortest_cycle(lane), None, "{what}: no lane has a cycle");
    }
    let attached: Vec<usize> =
        net.host_ids().map(|h| usize::from(switch_of(net, h).is_some()) << lmc).collect();
    assert_eq!(columns, attached, "{what}: each host has its addresses");
    let survey = tables.survey(net, &attachments);
    let seen = (survey.sum_of_distances, survey.non_minimal, survey.pairs - survey.unreachable);
    assert_eq!(seen, walked, "{what}");
    assert!(!tables.dependencies(net).is_cyclic(), "{what}");
    let routes = Survey::new(net, &attachments, &tables.route_table(net, &attachments).unwrap());
    assert_eq!((routes.sum_of_distances, &routes.load), (survey.sum_of_distances, &survey.load), "{what}");
    assert_eq!(routes.unreachable_examples, survey.unreachable_examples, "{what}");
}

/// Wrong if the tables of any engine left out a pair that cables join, had a cycle on any lane, were longer than
/// promised, took more lanes than given or fewer addresses, or if their figures were not those of the walks.
#[test]
fn tables_of_random_multigraphs_are_complete_and_acyclic_lane_by_lane() {
    let mut with_lanes = 0;
    for seed in 0..cases(3_000) {
        let net = match seed % 3 {
            0 => ring_with_chords(seed),
            _ => random_multigraph(seed, if seed % 11 == 0 { 20 } else { 9 }),
        };
        let lmc = if seed % 5 == 0 { 2 } else { 0 };
        let roots = [Root::Far, Root::R0, Root::R1, Root::Named(vec![SwitchId(0)])];
        let root = roots[(seed % 4) as usize].clone();
        let up_down = Engine::Rule(Algorithm::UpDown { tree: Tree::Bfs, root: root.clone() });
        let smart = Engine::Rule(Algorithm::Smart { tree: Tree::Bfs, root });
        for engine in [up_down, smart, MINIMAL, Engine::Lash, Engine::Dfsssp, Engine::Nue] {
            let what = format!("seed {seed}, {}", engine.name());
            let fewest = tables(&net, &engine, None, lmc).unwrap_or_else(|error| panic!("{what}: {error}"));
            check(&net, &fewest, (&engine, lmc), &what);
            let found = fewest.hops.lanes();
            with_lanes += u64::from(found > 1);
            if !engine.takes_lanes() {
                assert_eq!(found, 1, "{what}");
                continue;
            }
            let more = tables(&net, &engine, Some(found + 2), lmc).unwrap();
            assert!(more.hops.lanes() <= found + 2, "{what}");
            check(&net, &more, (&engine, lmc), &what);
            if let Some(fewer) = found.checked_sub(1).filter(|fewer| *fewer > 0) {
                let refused = TablesError::Lanes { needed: found.into(), given: fewer };
                assert_eq!(tables(&net, &engine, Some(fewer), lmc), Err(refused), "{what}");
            }
        }
    }
    assert!(with_lanes > 0, "some network needs lanes, or nothing was tried");
}

fn random_regular(switches: u64, seed: u64) -> Network {
    let parameters = [("switches", switches), ("degree", 4), ("hosts-per-switch", 4)];
    generate::build("random-regular", &parameters, seed).unwrap()
}

fn built(family: &str, parameters: &[(&str, u64)]) -> Network {
    generate::build(family, parameters, 0).unwrap()
}

/// Wrong if tables on one lane were cyclic or left out a pair on the networks on which OpenSM's UP*/DOWN* has cycles.
/// That of 64 switches waits for more than the least cases.
#[test]
fn tables_on_one_lane_are_acyclic_where_those_of_opensm_are_not() {
    for seed in 1..=cases(10) {
        for switches in [16, 32, 64].into_iter().filter(|switches| *switches < 64 || cases(20) > 1) {
            let net = random_regular(switches, seed);
            for engine in [UP_DOWN, SMART, Engine::Nue] {
                let report = tables(&net, &engine, None, 0).unwrap().report(&net, &Attachments::lowest(&net));
                let verdict = (report.verdict(), report.unreachable_pairs);
                assert_eq!(
                    verdict,
                    (Some(Verdict::Acyclic), 0),
                    "{switches} switches, seed {seed}, {}",
                    engine.name()
                );
            }
        }
    }
}

/// The routes over the busiest channel.
fn busiest(net: &Network, engine: &Engine, lanes: Option<u8>) -> u64 {
    tables(net, engine, lanes, 0).unwrap().report(net, &Attachments::lowest(net)).max_channel_load
}

/// Wrong if the busiest channel were busier than OpenSM's: Nue's 1,232 and 4,764 on one lane, `updn`'s 1,780 and 4,784,
/// LASH's 640 and 1,968, DFSSSP's 476 and 1,264 (OpenSM 3.3.23, the same networks).
#[test]
fn the_busiest_channel_is_less_busy_than_that_of_opensm() {
    for (switches, [one_lane, of_nue, up_down, lash, dfsssp]) in
        [(32, [703, 1_232, 1_780, 640, 476]), (64, [2_070, 4_764, 4_784, 1_968, 1_264])]
    {
        let net = random_regular(switches, 1);
        let seen = [SMART, Engine::Nue, UP_DOWN, Engine::Lash, Engine::Dfsssp, MINIMAL]
            .map(|engine| busiest(&net, &engine, None));
        let [smart, nue, down, layered, by_load, balanced] = seen;
        assert!(smart <= one_lane && nue <= of_nue, "{switches}: {seen:?}");
        assert!(
            down < up_down && layered <= lash && by_load <= dfsssp && balanced <= by_load,
            "{switches}: {seen:?}"
        );
    }
}

/// Checks that LASH and DFSSSP take at most so many lanes.
fn lanes(net: &Network, what: &str, [lash, dfsssp]: [u8; 2]) {
    let of = |engine| tables(net, &engine, None, 0).unwrap().hops.lanes();
    let seen = [of(Engine::Lash), of(Engine::Dfsssp)];
    assert!(seen[0] <= lash && seen[1] <= dfsssp, "{what}: {seen:?}");
}

/// Wrong if LASH or DFSSSP took more lanes than OpenSM's do, or than eight where OpenSM's fail.
#[test]
fn lanes_are_no_more_than_those_of_opensm() {
    for seed in 1..=cases(10) {
        lanes(&random_regular(16, seed), "16 switches", [2, 3]);
        lanes(&random_regular(32, seed), "32 switches", [4, 4]);
        lanes(&random_regular(64, seed), "64 switches", [6, 6]);
    }
    if cases(20) > 1 {
        lanes(&random_regular(128, 1), "128 switches", [8, 8]);
    }
    lanes(&built("torus", &[("x", 8), ("y", 8), ("hosts-per-switch", 1)]), "8x8 torus", [6, 8]);
    lanes(&built("mesh", &[("x", 8), ("y", 8), ("hosts-per-switch", 1)]), "8x8 mesh", [1, 5]);
    lanes(&built("torus", &[("x", 4), ("y", 4), ("z", 4), ("hosts-per-switch", 1)]), "4x4x4 torus", [5, 8]);
    let folder = "topologies/ibnetdiscover";
    for (file, few) in
        [("gnu-stallion-64", [3, 1]), ("credit-loops", [4, 2]), ("loginoff-stage-2014", [1, 1])]
    {
        if let Some(path) = shared(&format!("{folder}/{file}.topo")) {
            let bytes = std::fs::read(path).unwrap();
            let net = formats::read(file, &bytes, &ReadOptions::default())
                .unwrap_or_else(|faults| panic!("{faults}"));
            lanes(&net, file, few);
        }
    }
    for (file, few) in [("Abilene", [2, 2]), ("Arpanet19719", [3, 3])] {
        if let Some(path) = shared(&format!("topologies/graphml/{file}.graphml")) {
            let options = ReadOptions { hosts_per_switch: Some(2), ..ReadOptions::default() };
            let bytes = std::fs::read(path).unwrap();
            let net = formats::read(file, &bytes, &options).unwrap_or_else(|faults| panic!("{faults}"));
            lanes(&net, file, few);
        }
    }
}
