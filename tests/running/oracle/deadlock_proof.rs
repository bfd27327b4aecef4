//! The proof against the fabric: what is proved free of deadlock never deadlocks, what is called cyclic does.

use std::collections::BTreeSet;

use simnet_base::ids::{HostId, Node};
use simnet_network::routing::{Algorithm, Attachments, Choices, Plan, RouteTable, Selection, Survey};
use simnet_network::topology::formats::{Format, write};
use simnet_network::topology::{Network, generate};
use simnet_running::simulation::{self, Outcome, State, Summary};
use simnet_scenario::{self as scenario, Overrides};

use support_network::routing::{follow, random_multigraph, ring_with_chords};
use support_network::{cases, shared};

/// Runs all hosts of `net` far beyond saturation on routes as `routing` says; nothing ever breaks a deadlock.
fn overload(net: &Network, routing: &str, seed: u64) -> Summary {
    overload_on(net, routing, WORMS, seed)
}

/// Worms longer than the buffers of a path, for a short time.
const WORMS: (&str, &str, [&str; 2]) = ("", "300 B", ["150 us", "200 us"]);

/// The same with more said of the fabric, for messages and a time of one's own.
fn overload_on(
    net: &Network,
    routing: &str,
    (fabric, payload, [duration, horizon]): (&str, &str, [&str; 2]),
    seed: u64,
) -> Summary {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("net.json"), write(net, Format::Json)).unwrap();
    let ports = net.host_ids().filter_map(|host| Some((host, net.attachment(host)?.0)));
    let attach: String =
        ports.map(|(host, port)| format!("{} = {}\n", net.name_of(Node::Host(host)), port.0)).collect();
    // Credits have no time-out of their own.
    let timeout = if fabric.contains("credits") { "" } else { "deadlock-timeout = 'never'\n" };
    let text = format!(
        "[scenario]\nname = 'x'\nseed = {seed}\n[topology]\nfile = 'net.json'\n[topology.attach]\n{attach}\
         [fabric]\n{timeout}{fabric}\n[routing]\n{routing}\n\
         [traffic.uniform]\npayload = '{payload}'\nloads = [1.0]\n\
         [measure]\nwarmup = '0 ns'\nduration = '{duration}'\nhorizon = '{horizon}'\n"
    );
    let file = folder.path().join("x.toml").display().to_string();
    let checked = scenario::read(&file, text.as_bytes(), &Overrides::default())
        .unwrap_or_else(|refusal| panic!("seed {seed}: {refusal:?}"));
    simulation::run(&checked, &(), None).unwrap().summary
}

/// Whether at least two hosts have a cable, so that there is traffic.
fn has_traffic(net: &Network) -> bool {
    net.host_ids().filter(|host: &HostId| net.attachment(*host).is_some()).count() >= 2
}

/// Wrong if UP*/DOWN* routes of any tree, root and selection ever deadlocked: on multigraphs with loops, parallel
/// cables and several components, with worms longer than the buffers of a path, at full load.
#[test]
fn up_down_routes_never_deadlock_at_saturation() {
    let mut saturated = 0;
    for seed in 0..cases(2_000) {
        let net = random_multigraph(seed, 10);
        if !has_traffic(&net) {
            continue;
        }
        let tree = ["tree = 'bfs'", "tree = 'dfs'\nheuristic = 'h1'", "tree = 'dfs'\nheuristic = 'h2'"];
        let root = ["far", "r0", "r1", "r2"][(seed / 3 % 4) as usize];
        let select = ["first", "random", "round-robin", "balanced"][(seed / 12 % 4) as usize];
        let tree = tree[(seed % 3) as usize];
        let routing = format!("algorithm = 'updown'\n{tree}\nroot = '{root}'\nselect = '{select}'");
        let summary = overload(&net, &routing, seed);
        assert_eq!(summary.stages().unwrap().route.as_ref().unwrap().dependency_cycle, None, "seed {seed}");
        assert_eq!(summary.deadlock_count(), 0, "seed {seed}: {routing}");
        saturated += u32::from(summary.outcome == Outcome::Saturated);
    }
    assert!(saturated > 0, "the load is beyond what most networks take");
}

/// Overloads minimal routes on a fabric; `judge` looks at each network, its routes and what came of it. Gives how many
/// sets of routes have a cycle, and how many deadlocked.
fn minimal_routes(
    fabric: (&str, &str, [&str; 2]),
    judge: impl Fn(u64, &Network, &RouteTable, &Summary),
) -> (u32, u32) {
    let (mut cyclic, mut deadlocked) = (0, 0);
    for seed in 0..cases(2_000) {
        // Rings are often cyclic, other small networks seldom.
        let net = if seed % 2 == 0 { ring_with_chords(seed) } else { random_multigraph(seed, 10) };
        if !has_traffic(&net) {
            continue;
        }
        let attachments = Attachments::lowest(&net);
        let selection = Selection::Random { seed };
        let choices = Choices { algorithm: Algorithm::Minimal, selection, utility: None };
        let plan = Plan::new(&net, &attachments, &choices).unwrap();
        let survey = Survey::new(&net, &attachments, &plan.table);
        let has_cycle = survey.dependencies.shortest_cycle().is_some();
        let summary = overload_on(&net, "algorithm = 'minimal'\nselect = 'random'", fabric, seed);
        assert!(has_cycle || summary.deadlock_count() == 0, "seed {seed}: a deadlock without a cycle");
        judge(seed, &net, &plan.table, &summary);
        cyclic += u32::from(has_cycle);
        deadlocked += u32::from(summary.deadlock_count() > 0);
    }
    (cyclic, deadlocked)
}

/// Wrong if minimal routes that happen to have no cycle deadlocked, or if those that have one never did.
#[test]
fn minimal_routes_deadlock_only_where_they_are_cyclic() {
    let (cyclic, deadlocked) = minimal_routes(WORMS, |_, _, _, _| ());
    println!("{cyclic} sets of routes with a cycle, of which {deadlocked} deadlocked");
    assert!(deadlocked > 0 && deadlocked <= cyclic);
}

/// Wrong if the credit loops of a production-like tree were not called cyclic, did not deadlock, or if the forward
/// resets left anything stuck.
#[test]
fn credit_loops_are_called_cyclic_deadlock_and_are_reset() {
    let Some(net) = shared("topologies/ibnetdiscover/credit-loops.topo") else { return };
    let text = "[scenario]\nname = 'x'\nseed = 1\n[topology]\nfile = 'credit-loops.topo'\n\
                [routing]\nalgorithm = 'minimal'\nselect = 'random'\n\
                [traffic.uniform]\npayload = '512 B'\nloads = [0.4]\n[measure]\nwarmup = '1 ms'\nduration = '150 ms'\n";
    let file = net.with_file_name("x.toml").display().to_string();
    let checked = scenario::read(&file, text.as_bytes(), &Overrides::default()).unwrap();
    let summary = simulation::run(&checked, &(), None).unwrap().summary;
    assert!(summary.stages().unwrap().route.as_ref().unwrap().dependency_cycle.is_some());
    assert!(summary.deadlock_count() > 0);
    let named = |deadlock: &simulation::DeadlockReport| !deadlock.cycle.is_empty();
    assert!(summary.deadlocks().iter().all(named));
    assert_eq!(summary.outcome, Outcome::Saturated, "recovered, and never stuck for good");
}

/// Wrong if smart routes ever deadlocked: far beyond saturation, on networks where minimal routes do.
#[test]
fn smart_routes_do_not_deadlock_beyond_saturation() {
    for seed in 0..cases(60) {
        let network = match seed % 3 {
            0 => format!("torus]\nx = 4\ny = 4\nhosts-per-switch = {}", 1 + seed / 3 % 3),
            1 => "hypercube]\ndimensions = 4\nhosts-per-switch = 2".to_owned(),
            _ => format!("random-regular]\nswitches = 16\ndegree = 4\nhosts-per-switch = 3\nseed = {seed}"),
        };
        let text = format!(
            "[scenario]\nname = 'x'\nseed = {seed}\n[topology.{network}\n[routing]\nalgorithm = 'smart'\n\
             [traffic.uniform]\npayload = '200 B'\nloads = [0.9]\n[measure]\nmessages = 4000\n"
        );
        let checked = scenario::read("x.toml", text.as_bytes(), &Overrides::default()).unwrap();
        let run = simulation::run(&checked, &(), None).unwrap();
        assert_eq!(run.summary.deadlock_count(), 0, "seed {seed}");
        assert!(run.summary.points()[0].saturated, "seed {seed}: the load is beyond what the network takes");
        assert_eq!(run.summary.stages().unwrap().route.as_ref().unwrap().algorithm, "smart");
    }
}

/// Packets as long as the smallest buffer that is allowed.
const TIGHT: &str = "flow = 'credits'\nbuffer = '64 B'\nmtu = '64 B'";

/// Wrong if routes on lanes that the proof calls free of deadlock ever deadlocked with room for one packet a lane:
/// on multigraphs and rings with chords, at full load, whatever puts paths on lanes.
#[test]
fn routes_on_lanes_never_deadlock_with_one_packet_a_buffer() {
    let (mut several, mut saturated) = (0, 0);
    for seed in 0..cases(2_000) {
        let net = if seed % 2 == 0 { ring_with_chords(seed) } else { random_multigraph(seed, 10) };
        if !has_traffic(&net) {
            continue;
        }
        let (engine, lanes) = [("lash", 15), ("dfsssp", 15), ("nue", 1 + seed % 4), ("minimal", 15)]
            [usize::try_from(seed / 2 % 4).unwrap()];
        let fabric = format!("{TIGHT}\nlanes = {lanes}");
        let routing = format!("algorithm = '{engine}'");
        let summary = overload_on(&net, &routing, (&fabric, "64 B", ["150 us", "200 us"]), seed);
        let route = summary.stages().unwrap().route.as_ref().unwrap();
        assert_eq!(route.dependency_cycle, None, "seed {seed}: {engine}");
        assert_eq!(summary.deadlock_count(), 0, "seed {seed}: {engine} on {lanes} lanes");
        assert_ne!(summary.points()[0].state, State::Deadlocked, "seed {seed}: {engine} on {lanes} lanes");
        several += u32::from(route.lanes.is_some_and(|used| used.lanes > 1));
        saturated += u32::from(summary.outcome == Outcome::Saturated);
    }
    println!("{several} sets of routes on several lanes; {saturated} networks saturated");
    assert!(several > 0 && saturated > 0);
}

/// What follows which output on some route, by the names of a report.
fn dependencies(net: &Network, table: &RouteTable) -> BTreeSet<(String, String)> {
    let mut all = BTreeSet::new();
    for (source, _, turns) in table.iter() {
        let (hops, _) = follow(net, source, turns);
        let names: Vec<String> = hops
            .iter()
            .map(|(switch, _, output)| format!("{}:{output}", net.name_of(Node::Switch(*switch))))
            .collect();
        all.extend(names.windows(2).map(|pair| (pair[0].clone(), pair[1].clone())));
    }
    all
}

/// Wrong if credits on one lane deadlocked without a cycle of dependencies, in a circle that is not one of
/// dependencies, or only where a cycle is a rarity.
#[test]
fn circles_of_credits_are_cycles_of_the_proof() {
    let fabric = (TIGHT, "64 B", ["1 ms", "1100 us"]);
    let (cyclic, deadlocked) = minimal_routes(fabric, |seed, net, table, summary| {
        let follows = dependencies(net, table);
        // Nothing breaks a circle of credits, so that the point ends in the first, whatever else still moves.
        let point = &summary.points()[0];
        let is_dead = !summary.deadlocks().is_empty();
        assert_eq!(point.state == State::Deadlocked, is_dead, "seed {seed}: {point:?}");
        assert_eq!(summary.outcome == Outcome::Deadlocked, is_dead, "seed {seed}");
        let held: usize = summary.deadlocks().iter().map(|deadlock| deadlock.worms.len()).sum();
        assert!(!is_dead || point.stuck > 0 && held > 0, "seed {seed}: {point:?}");
        for deadlock in summary.deadlocks() {
            let next = deadlock.cycle.iter().cycle().skip(1);
            for pair in deadlock.cycle.iter().zip(next) {
                let pair = (pair.0.clone(), pair.1.clone());
                assert!(follows.contains(&pair), "seed {seed}: {pair:?} in {deadlock:?}");
            }
        }
    });
    println!("{cyclic} sets of routes with a cycle, of which {deadlocked} deadlocked");
    assert!(deadlocked * 2 > cyclic, "most close");
}

/// Wrong if dimension order on a torus used more than two lanes, if they left a cycle, or if packets on them ever
/// deadlocked at full load with room for one in each; on one lane most of the same tori do.
#[test]
fn two_lanes_carry_dimension_order_on_a_torus() {
    let tori: [(&[u64], u64); 8] = [
        (&[5], 2),
        (&[8], 1),
        (&[4, 4], 2),
        (&[5, 3], 2),
        (&[6, 5], 1),
        (&[8, 8], 1),
        (&[4, 4, 4], 1),
        (&[5, 3, 4], 1),
    ];
    let mut on_one_lane = 0;
    for (seed, (sizes, hosts)) in (0..).zip(tori) {
        let sizes = ["x", "y", "z"].into_iter().zip(sizes.iter().copied());
        let parameters: Vec<(&str, u64)> = sizes.chain([("hosts-per-switch", hosts)]).collect();
        let net = generate::build("torus", &parameters, 0).unwrap();
        let run = |lanes: u8| {
            let fabric = format!("{TIGHT}\nlanes = {lanes}");
            let times = ["300 us", "350 us"];
            overload_on(&net, "algorithm = 'dimension-order'", (&fabric, "64 B", times), seed)
        };
        let summary = run(2);
        let route = summary.stages().unwrap().route.as_ref().unwrap();
        assert_eq!((&route.dependency_cycle, route.non_minimal_pairs), (&None, 0), "{parameters:?}");
        assert_eq!(route.lanes.map(|used| used.lanes), Some(2), "{parameters:?}");
        assert_eq!((summary.deadlock_count(), summary.outcome), (0, Outcome::Saturated), "{parameters:?}");
        on_one_lane += u32::from(run(1).deadlock_count() > 0);
    }
    assert!(on_one_lane > 4, "only {on_one_lane} deadlock on one lane");
}
