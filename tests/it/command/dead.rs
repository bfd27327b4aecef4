//! Networks that die: a deadlock that nothing breaks ends a point, a run and a sweep as `deadlocked`, exit 4.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

use support_network::cases;

fn simnet(room: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_simnet"));
    command.args(arguments).args(["--format", "json", "--quiet"]).current_dir(room).output().unwrap()
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)))
}

/// Credits without a time-out, as they come, on minimal routes with as many lanes as `lanes`.
fn scenario(network: &str, lanes: u64, seed: u64, measure: &str) -> String {
    format!(
        "[scenario]\nname = 'dead'\nseed = {seed}\n[topology.{network}]\n[fabric]\nflow = 'credits'\nlanes = {lanes}\n\
         buffer = '64 B'\nmtu = '64 B'\n[routing]\nalgorithm = 'minimal'\n[traffic.uniform]\npayload = '256 B'\n\
         loads = [0.9, 0.01]\n[measure]\n{measure}\n"
    )
    .replace(".torus]", ".torus]\nx = 4\ny = 3")
    .replace(".ring]", ".ring]\nswitches = 6\nhosts-per-switch = 2")
    .replace(".random]", &format!(".random-regular]\nswitches = 10\ndegree = 3\nhosts-per-switch = 2\nseed = {seed}"))
}

/// Wrong if a circle that nothing breaks ended a run or a sweep otherwise than with 4, if a point without one were
/// called dead, if a dead one held up nothing, or if any were called so whose routes are proved free of deadlock.
#[test]
fn an_unbroken_circle_is_exit_4_by_run_and_by_sweep() {
    let (mut dead, mut alive) = (0, 0);
    for seed in 0..cases(400) {
        let network = ["torus", "ring", "random"][(seed % 3) as usize];
        let lanes = 1 + seed / 3 % 3;
        let room = tempfile::tempdir().unwrap();
        let text = scenario(network, lanes, seed, "messages = 3000");
        std::fs::write(room.path().join("s.toml"), &text).unwrap();
        std::fs::write(room.path().join("sweep.toml"), text + "[sweep]\nrepetitions = 1\n").unwrap();
        let run = simnet(room.path(), &["run", "s.toml"]);
        let sweep = simnet(room.path(), &["sweep", "run", "sweep.toml", "--out", "points"]);
        let summary = json(&run);
        let points = summary["points"].as_array().unwrap();
        let is_dead = |point: &Value| point["state"] == "deadlocked";
        let circles = summary["deadlocks"].as_array().unwrap();
        for (nth, point) in points.iter().enumerate() {
            let standing = circles.iter().any(|it| it["point"] == nth && it["cleared_ns"].is_null());
            assert_eq!(is_dead(point), standing, "{network} {seed}: {point}");
            assert_eq!(point["stuck"].as_u64().unwrap() > 0, is_dead(point), "{network} {seed}: {point}");
            assert!(
                !is_dead(point) || point["latency_half_width_ns"].is_null() && point["reason"].is_string()
            );
            assert!(
                !is_dead(point) || point["stuck"] == point["in_flight"],
                "only those held up are left: {point}"
            );
        }
        let any = points.iter().any(is_dead);
        assert!(!any || summary["route"]["verdict"] == "cyclic", "{network} {seed}: {}", summary["route"]);
        for (what, output) in [("run", &run), ("sweep", &sweep)] {
            assert_eq!(output.status.code() == Some(4), any, "{what} {network} {seed}: {:?}", output.status);
        }
        assert_eq!(summary["outcome"] == "deadlocked", any);
        *(if any { &mut dead } else { &mut alive }) += 1;
    }
    println!("{dead} networks died, {alive} did not");
    assert!(dead > 0 && alive > 0);
}

/// Wrong if what a dead network accepted were throughput, a point of a curve or a bracket of the search, or if the
/// closing lines kept silent about dead points.
#[test]
fn a_dead_point_is_no_part_of_a_curve() {
    let room = tempfile::tempdir().unwrap();
    let torus = "[scenario]\nname = 'torus'\nseed = 1\n[topology.torus]\nx = 8\ny = 8\n[fabric]\nflow = 'credits'\n\
        buffer = '64 B'\nmtu = '16 B'\n[routing]\nalgorithm = 'dimension-order'\n[traffic.uniform]\npayload = '16 B'\n\
        loads = [0.1, 0.2, 0.6]\n[measure]\nmessages = 8000\n";
    std::fs::write(room.path().join("s.toml"), torus).unwrap();
    let run = simnet(room.path(), &["run", "s.toml", "--set", "measure.find-saturation='5 %'"]);
    let summary = json(&run);
    assert_eq!(run.status.code(), Some(4));
    let states: Vec<&str> =
        summary["points"].as_array().unwrap().iter().map(|point| point["state"].as_str().unwrap()).collect();
    assert_eq!(states, ["converged", "converged", "deadlocked"]);
    let found = &summary["saturation"];
    let number = |key: &str| found[key].as_f64().unwrap();
    assert!(number("load_deadlocked") <= 0.6 && number("load_low") < number("load_deadlocked"), "{found}");
    let accepted = summary["points"][2]["accepted_flits_per_cycle_per_host"].as_f64().unwrap();
    let throughput = summary["throughput_flits_per_cycle_per_host"].as_f64().unwrap();
    assert!(throughput < number("load_deadlocked") * 1.05, "{throughput} {accepted}");
    let svg = std::fs::read_to_string(room.path().join("results/torus/latency.svg")).unwrap();
    let table = std::fs::read_to_string(room.path().join("results/torus/points.csv")).unwrap();
    assert!(table.contains("deadlocked") && !svg.contains(&format!("{accepted:.4}")));

    let sweep = torus.replace("loads = [0.1, 0.2, 0.6]", "loads = [0.6]")
        + "[sweep]\ncolumns = ['points.0.accepted_flits_per_cycle_per_host']\n[[sweep.axes]]\nfabric.lanes = [1, 2]\n\
           [[figure]]\nname = 'throughput'\nx = 'fabric.lanes'\ny = 'points.0.accepted_flits_per_cycle_per_host'\n";
    std::fs::write(room.path().join("sweep.toml"), sweep).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_simnet"));
    let output =
        command.args(["run", "sweep.toml", "--out", "swept"]).current_dir(room.path()).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(4), "{text}");
    assert!(text.contains("1 point ended in a deadlock that nothing breaks"), "{text}");
    let figure = std::fs::read_to_string(room.path().join("swept/throughput.svg")).unwrap();
    // A mark, and the mark of the legend.
    assert_eq!(figure.matches("<circle").count(), 2, "one of two points is alive: {figure}");
}

/// Wrong if a load that only the search for saturation tried, and at which the network died, decided how the run ends,
/// or if an output said otherwise.
#[test]
fn a_load_of_the_search_that_dies_is_an_answer() {
    let room = tempfile::tempdir().unwrap();
    let text = scenario("ring", 1, 3, "messages = 3000\nfind-saturation = '20 %'");
    std::fs::write(room.path().join("s.toml"), text).unwrap();
    let set = ["--set", "traffic.uniform.loads=[0.02]"];
    let all: Vec<&str> = ["run", "s.toml", "--out", "it"].into_iter().chain(set).collect();
    let output = simnet(room.path(), &all);
    let summary = json(&output);
    assert_eq!((output.status.code(), &summary["outcome"]), (Some(0), &"drained".into()), "{summary}");
    let load = summary["saturation"]["load_deadlocked"].as_f64().unwrap();
    assert_eq!((&summary["deadlock_count"], &summary["saturation"]["load_high"]), (&0.into(), &load.into()));
    let page = room.path().join("it.html");
    simnet(room.path(), &["report", "it", "--out", "it.html"]);
    let page = std::fs::read_to_string(page).unwrap();
    for said in ["The search for saturation found one that nothing breaks", "that only the search found one"]
    {
        assert!(page.contains(said), "{said}");
    }
    assert!(!page.contains("No deadlock formed in this run") && !page.contains("that there were none"));
    assert!(page.contains("a longer run may do so at a load that is called carried"));
    let there = simnet(
        room.path(),
        &["run", "s.toml", "--out", "it", "--set", &format!("traffic.uniform.loads=[{load}]")],
    );
    assert_eq!(there.status.code(), Some(4), "the same load, asked for");
}

/// Wrong if dead loads stood in the tables beside a page's curves.
#[test]
fn a_page_shows_no_number_of_dead_loads() {
    let room = tempfile::tempdir().unwrap();
    let text = scenario("ring", 1, 3, "messages = 3000");
    std::fs::write(room.path().join("s.toml"), text).unwrap();
    let loads = ["--set", "traffic.uniform.loads=[0.02, 0.05, 0.9]"];
    let all: Vec<&str> = ["run", "s.toml", "--out", "it"].into_iter().chain(loads).collect();
    let output = simnet(room.path(), &all);
    assert_eq!(json(&output)["points"][2]["state"], "deadlocked");
    simnet(room.path(), &["report", "it", "--out", "it.html"]);
    let page = std::fs::read_to_string(room.path().join("it.html")).unwrap();
    let tables: Vec<&str> = page.split("The same as a table").skip(1).collect();
    assert!(tables.len() > 1);
    for table in tables {
        let table = table.split("</details>").next().unwrap();
        assert!(table.contains("0.05") && !table.contains("<bdi>0.9</bdi>"), "{table}");
    }
}

/// Wrong if the time-out of Myrinet were that of credits, or if a forward reset were taken from worms.
#[test]
fn the_time_out_belongs_to_the_flow() {
    let room = tempfile::tempdir().unwrap();
    let text = scenario("ring", 1, 3, "messages = 3000");
    std::fs::write(room.path().join("s.toml"), &text).unwrap();
    let ends = |set: &[&str]| {
        let sets = set.iter().flat_map(|set| ["--set", set]);
        let all: Vec<&str> = ["run", "s.toml", "--out", "it"].into_iter().chain(sets).collect();
        simnet(room.path(), &all).status.code()
    };
    assert_eq!(ends(&[]), Some(4));
    assert_eq!(ends(&["fabric.deadlock-timeout='never'"]), Some(4));
    assert_eq!(ends(&["fabric.deadlock-timeout='10 us'"]), Some(0));
    let worms = text.replace("flow = 'credits'\nlanes = 1\nbuffer = '64 B'\nmtu = '64 B'", "");
    std::fs::write(room.path().join("s.toml"), worms).unwrap();
    assert_eq!(ends(&[]), Some(0), "50 ms, and a reset breaks the circle");
    assert_eq!(ends(&["fabric.deadlock-timeout='never'"]), Some(4));
}
