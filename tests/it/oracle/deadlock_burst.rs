//! Routes with a proof and without, driven by bursts of long messages until the last one has ended: what the
//! proof calls acyclic drains by itself, and what deadlocks was called cyclic by its very cycle.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::Value;
use simnet::ids::{HostId, Node, SwitchId};
use simnet::routing::{
    Algorithm, Attachments, Choices, Heuristic, Plan, Root, Selection, Survey, Tree, write_routes,
};
use simnet::topology::Network;
use simnet::topology::formats::{self, Format};

use support_network::cases;
use support_network::routing::{random_multigraph, ring_with_chords};

/// Sends twelve long messages from every host along given routes, all from the start on, and gives the
/// summary: at first every host is sending, and every message has to end.
fn burst(net: &Network, plan: &Plan, seed: u64) -> Option<Value> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let attachments = Attachments::lowest(net);
    let mut trace = "message,time_ns,source,destination,payload_bytes\n".to_owned();
    let mut messages = 0;
    for source in net.host_ids() {
        let routed = |d: &HostId| *d != source && plan.table.turns(source, *d).is_some();
        let others: Vec<HostId> = net.host_ids().filter(routed).collect();
        for _ in 0..if others.is_empty() { 0 } else { 12 } {
            let (from, to) = (source, others[random.random_range(0..others.len())]);
            let [from, to] = [from, to].map(|host| net.name_of(Node::Host(host)));
            writeln!(trace, "m{messages},0,{from},{to},512").unwrap();
            messages += 1;
        }
    }
    if messages == 0 {
        return None;
    }
    let room = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| fs::write(room.path().join(name), bytes).unwrap();
    let mut routes = Vec::new();
    write_routes(net, &attachments, &plan.table, &mut routes).unwrap();
    write("routes.ndjson", &routes);
    write("net.json", formats::write(net, Format::Json).as_bytes());
    write("trace.csv", trace.as_bytes());
    let mut attach = String::new();
    for host in net.host_ids().filter(|host| net.cables(Node::Host(*host)).count() > 1) {
        let cable = attachments.of(host).unwrap();
        writeln!(attach, "{} = {}", net.name_of(Node::Host(host)), cable.port).unwrap();
    }
    let scenario = format!(
        "[scenario]\nname = \"burst\"\n[topology]\nfile = \"net.json\"\n[topology.attach]\n{attach}\
         [fabric]\ndeadlock-timeout = \"200 us\"\n\
         [routing]\nfile = \"routes.ndjson\"\n[traffic.trace]\nfile = \"trace.csv\"\n"
    );
    write("s.toml", scenario.as_bytes());
    let summary = run(room.path(), &room.path().join("s.toml"));
    assert_eq!(summary["points"][0]["sent"], messages, "seed {seed}");
    Some(summary)
}

fn run(room: &Path, scenario: &Path) -> Value {
    let mut command = Command::new(env!("CARGO_BIN_EXE_simnet"));
    let out = room.join("out");
    command.arg("run").arg(scenario).arg("--out").arg(&out).current_dir(room);
    let output = command.output().unwrap();
    let summary = fs::read(out.join("summary.json"));
    let summary = summary.unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)));
    serde_json::from_slice(&summary).unwrap()
}

fn choices(net: &Network, seed: u64, algorithm: Option<Algorithm>) -> Choices {
    let named = |n: u64| SwitchId(u32::try_from(n % net.switches().len() as u64).unwrap());
    let root = match seed / 3 % 5 {
        0 => Root::Far,
        1 => Root::R0,
        2 => Root::R1,
        3 => Root::R2,
        _ => Root::Named(vec![named(seed), named(seed / 3)]),
    };
    let tree = [Tree::Bfs, Tree::Dfs(Heuristic::H1), Tree::Dfs(Heuristic::H2)][(seed % 3) as usize];
    let selections =
        [Selection::First, Selection::Random { seed }, Selection::RoundRobin, Selection::Balanced];
    Choices {
        algorithm: algorithm.unwrap_or(Algorithm::UpDown { tree, root }),
        selection: selections[(seed / 15 % 4) as usize],
        utility: None,
    }
}

/// Wrong if worms on UP*/DOWN* routes ever waited for each other in a circle, or one never arrived: over all
/// trees, roots and selections, on multigraphs with loops, parallel cables and several components.
#[test]
fn up_down_routes_never_deadlock() {
    let mut driven = 0;
    for case in 0..cases(1_200) {
        let seed = case * 7 + 1;
        let net = random_multigraph(seed, 12);
        let plan = Plan::new(&net, &Attachments::lowest(&net), &choices(&net, seed, None)).unwrap();
        let Some(summary) = burst(&net, &plan, seed) else { continue };
        driven += 1;
        let point = &summary["points"][0];
        assert_eq!(summary["route"]["dependency_cycle"], Value::Null, "seed {seed}");
        assert_eq!(
            (&summary["deadlock_count"], &summary["outcome"]),
            (&0.into(), &"drained".into()),
            "seed {seed}"
        );
        assert_eq!((&point["delivered"], &point["resets"]), (&point["sent"], &0.into()), "seed {seed}");
    }
    assert!(driven > 0, "no network had a route");
}

/// Wrong if shortest routes deadlocked where the proof finds those very routes acyclic, if a cycle of worms
/// were not one of dependencies, or if no network deadlocked at all, which would say nothing about the proof.
#[test]
fn only_cyclic_routes_deadlock() {
    let (mut cyclic, mut deadlocked) = (0, 0);
    let driven = cases(600);
    for seed in 0..driven {
        let net = ring_with_chords(seed);
        let attachments = Attachments::lowest(&net);
        let plan = Plan::new(&net, &attachments, &choices(&net, seed, Some(Algorithm::Minimal))).unwrap();
        let survey = Survey::new(&net, &attachments, &plan.table);
        let possible = survey.dependencies.shortest_cycle().is_some();
        let summary = burst(&net, &plan, seed).unwrap();
        assert_eq!(!summary["route"]["dependency_cycle"].is_null(), possible, "seed {seed}");
        let happened = summary["deadlock_count"].as_u64().unwrap() > 0;
        assert!(possible || !happened, "seed {seed}: {}", summary["deadlocks"]);
        assert_eq!(summary["outcome"], "drained", "seed {seed}: resets clear every deadlock");
        cyclic += u64::from(possible);
        deadlocked += u64::from(happened);
        for deadlock in summary["deadlocks"].as_array().unwrap() {
            let cycle: Vec<&str> =
                deadlock["cycle"].as_array().unwrap().iter().map(|o| o.as_str().unwrap()).collect();
            for nth in 0..cycle.len() {
                let (held, wanted) = (cycle[nth], cycle[(nth + 1) % cycle.len()]);
                let used = dependencies(&net, &plan);
                assert!(
                    used.get(held).is_some_and(|next| next.iter().any(|o| o == wanted)),
                    "seed {seed}: {cycle:?}"
                );
            }
        }
    }
    println!("{driven} networks: {cyclic} cyclic, {deadlocked} deadlocked");
    assert!(deadlocked > 0, "{cyclic} of {driven} were cyclic");
}

/// Which output, as `switch:port`, follows which one on the routes of a plan.
fn dependencies(net: &Network, plan: &Plan) -> BTreeMap<String, Vec<String>> {
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (source, _, turns) in plan.table.iter() {
        let (hops, _) = support_network::routing::follow(net, source, turns);
        let outputs: Vec<String> =
            hops.iter().map(|hop| format!("{}:{}", net.name_of(Node::Switch(hop.0)), hop.2)).collect();
        for two in outputs.windows(2) {
            found.entry(two[0].clone()).or_default().push(two[1].clone());
        }
    }
    found
}
