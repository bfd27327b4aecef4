//! Repetitions: the parts that their seeds vary, the parts that they leave, and the tables that say so.

use std::path::Path;
use std::process::Command;

use serde_json::Value;
use simnet::scenario::sweep::Sweep;
use simnet::scenario::{Files, Overrides};

use crate::sweep::small;

/// Routes drawn by chance on a network drawn by chance, two repetitions.
const BASE: &str = "scenario = { name = 'vary', seed = 3 }\n\
    topology.random-regular = { switches = 8, degree = 3, hosts-per-switch = 2 }\n\
    routing.algorithm = 'updown'\n\
    traffic.uniform = { payload = '32 B', loads = [0.01] }\n\
    measure = { warmup = '20 us', messages = 200 }\n\
    [sweep]\nrepetitions = 2\n";

fn read(text: &str) -> Sweep {
    Sweep::read("s.toml", text.as_bytes(), &Overrides::default(), &Files::disk(), 1)
        .unwrap_or_else(|refusal| panic!("{refusal}"))
}

/// Compares the first two points: the same cables, the same routes, the same seed of traffic.
fn common(sweep: &Sweep) -> [bool; 3] {
    let [one, other] = [0, 1].map(|point| sweep.checked(point).unwrap());
    let source = |checked: &simnet::scenario::Checked| {
        format!("{:?}", checked.stages().unwrap().routing.as_ref().unwrap().source)
    };
    [
        one.topology.network.links() == other.topology.network.links(),
        source(&one) == source(&other),
        one.seed == other.seed,
    ]
}

/// Wrong if repetitions varied more than the file says, or less: `[same network, same routes, same traffic]`.
#[test]
fn seeds_vary_what_the_file_says() {
    for (vary, wanted) in [
        ("", [true, true, false]),
        ("vary = ['traffic']\n", [true, true, false]),
        ("vary = ['routing']\n", [true, false, true]),
        ("vary = ['topology']\n", [false, true, true]),
        ("vary = ['traffic', 'routing']\n", [true, false, false]),
        ("vary = ['topology', 'routing', 'traffic']\n", [false, false, false]),
    ] {
        assert_eq!(common(&read(&format!("{BASE}{vary}"))), wanted, "{vary}");
    }
}

/// Wrong if seeds of sections or axes meant something else where the others vary.
#[test]
fn a_seed_that_is_said_stays() {
    let all = "vary = ['traffic', 'routing', 'topology']\n";
    let seeded = |text: &str| read(&format!("{BASE}{all}[[sweep.axes]]\n{text}"));
    let routes = seeded("routing = [{}, { seed = 9 }]");
    let selection = |point| format!("{:?}", routes.checked(point).unwrap().stages().unwrap().routing);
    assert!(selection(0).contains("seed: 3") && selection(1).contains("seed: 4"));
    assert!(selection(2).contains("seed: 9") && selection(3).contains("seed: 9"));
    let networks = seeded("topology = [{}, { random-regular.seed = 9 }]");
    let links = |point| networks.checked(point).unwrap().topology.network.links().to_vec();
    assert_ne!(links(0), links(1));
    assert_eq!(links(2), links(3));
}

/// Wrong if one key stood for two results, or a repetition that a single run would be had another key than that.
#[test]
fn keys_are_of_what_is_computed() {
    let keys = |vary: &str| {
        let sweep = read(&format!("{BASE}{vary}"));
        [sweep.key(0), sweep.key(1)]
    };
    let [alone, together] = [keys(""), keys("vary = ['traffic', 'routing']\n")];
    assert_eq!(alone[0], together[0]);
    assert_ne!(alone[1], together[1]);
    let run = simnet::scenario::read(
        "s.toml",
        BASE.replace("[sweep]\nrepetitions = 2\n", "").as_bytes(),
        &Overrides { set: Vec::new(), seed: Some(4) },
    )
    .unwrap();
    assert_eq!(together[1], run.identity.key(1, false, 4));
    let network = keys("vary = ['traffic', 'routing', 'topology']\n");
    assert!(network.iter().all(|key| !together.contains(key)));
    // Of routes that nothing draws, the seed says nothing.
    let first = "vary = ['traffic']\n[[sweep.axes]]\nrouting.select = ['first']\n";
    let set = read(&format!("{BASE}{first}"));
    let text = BASE.replace("[sweep]\nrepetitions = 2\n", "routing.select = 'first'\n");
    let run = simnet::scenario::read("s.toml", text.as_bytes(), &Overrides::default()).unwrap();
    assert_eq!(set.key(0), run.identity.key(1, false, 3));
}

/// A finished sweep: what its points say, and its folder.
fn ran(room: &Path, vary: &str) -> (Vec<Value>, Value, String) {
    let file = room.join("vary.toml");
    let columns = "columns = ['route.mean_distance', 'route.max_channel_load', 'points.0.latency_mean_ns']\n";
    std::fs::write(&file, format!("{BASE}{columns}{vary}")).unwrap();
    let out = room.join("out");
    let mut command = Command::new(env!("CARGO_BIN_EXE_simnet"));
    let output = command.arg("run").arg(&file).arg("--out").arg(&out).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let summary = std::fs::read_to_string(out.join("summary.json")).unwrap();
    let summary: Value = serde_json::from_str(&summary).unwrap();
    let points = summary["sweep"]["points"].as_array().unwrap().clone();
    (points, summary, String::from_utf8(output.stdout).unwrap())
}

/// Wrong if repetitions had other routes, or the same latencies; or if a half-width stood there without what varied.
#[test]
fn half_widths_say_what_varied() {
    let room = tempfile::tempdir().unwrap();
    for (vary, words) in
        [("", "traffic"), ("vary = ['traffic', 'routing', 'topology']\n", "traffic, routing and topology")]
    {
        let (points, summary, stdout) = ran(room.path(), vary);
        assert_eq!(points[0]["route"] == points[1]["route"], vary.is_empty(), "{points:?}");
        assert_ne!(points[0]["points"], points[1]["points"]);
        let over = format!("seeds that vary {words}");
        assert_eq!(summary["sweep"]["half_widths_over"], over.as_str());
        assert!(stdout.contains(&format!("confidence interval, over {over}")), "{stdout}");
        let out = room.path().join("out");
        let readme = std::fs::read_to_string(out.join("README.md")).unwrap();
        assert!(readme.contains(&format!("2 seeds each, which vary {words}")), "{readme}");
        assert!(readme.contains(&format!("confidence interval, over {over}")), "{readme}");
        let page = room.path().join("page.html");
        let mut command = Command::new(env!("CARGO_BIN_EXE_simnet"));
        let output = command.arg("report").arg(&out).arg("--out").arg(&page).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let page = std::fs::read_to_string(&page).unwrap();
        assert!(page.contains(&format!("over the seeds, which vary {words} (Student's")), "{words}");
    }
}

/// Wrong if the bands of a figure did not say what varied, or a sweep in parts left another table than in one go.
#[test]
fn parts_and_figures_say_it_too() {
    let room = tempfile::tempdir().unwrap();
    let figure = "vary = ['traffic', 'routing']\n[[sweep.axes]]\ntraffic.uniform.loads = [0.01, 0.02]\n\
        [[figure]]\nname = 'f'\nx = 'traffic.uniform.loads'\ny = 'points.0.latency_mean_ns'\n";
    ran(room.path(), figure);
    let drawn = std::fs::read_to_string(room.path().join("out/f.svg")).unwrap();
    assert!(drawn.contains("band: 95 % interval over seeds that vary traffic and routing"), "{drawn}");
    let parts = room.path().join("parts");
    small::run(&room.path().join("vary.toml"), &parts, &[]);
    let whole = std::fs::read(room.path().join("out/points.csv")).unwrap();
    assert_eq!(small::table(&parts), whole);
    let mark: Value = serde_json::from_slice(&std::fs::read(parts.join("sweep.json")).unwrap()).unwrap();
    assert_eq!(mark["varied"], serde_json::json!(["traffic", "routing"]));
}
