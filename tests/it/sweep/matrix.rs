//! `simnet run` on a file with `[sweep]`: one table of all points, and what is made of it.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;
use simnet::figures::Csv;

/// Three networks, two ways to route, two loads a point.
const SWEEP: &str = r#"
[scenario]
name = "small"
seed = 7
description = "Two ways to route on three networks"
[topology.random-regular]
switches = 6
degree = 3
hosts-per-switch = 1
[routing]
algorithm = "updown"
[traffic.uniform]
payload = "32 B"
loads = [0.02, 0.05]
[measure]
messages = 300
[sweep]
columns = [
    "outcome", "route.switch_mean_distance", "points.1.latency_mean_ns",
    "points.*.load", "points.*.latency_mean_ns",
]
statistics-over = ["topology.random-regular.seed"]
[[sweep.ratios]]
name = "slower"
column = "points.1.latency_mean_ns"
over = { routing = "BFS R1" }
[[sweep.axes]]
name = "routing"
labels = ["BFS R1", "DFS"]
routing.tree = ["bfs", "dfs"]
routing.root = ["r1", "r2"]
[[sweep.axes]]
topology.random-regular.seed = [1, 2, 3]
[[reference]]
paper = "004"
figure = "Table1"
[reference.configurations]
"BFS R1; 16 switches" = { routing = "BFS R1" }
"BFS R1; 32 switches" = { routing = "DFS", topology.random-regular.seed = 2 }
[reference.quantities]
"average distance" = { column = "route.switch_mean_distance" }
"crossing paths" = { column = "route.switch_mean_distance", statistic = "max", scale = 2 }
[[figure]]
name = "latency"
x = "points.*.load"
y = "points.*.latency_mean_ns"
lines = "routing"
spread = true
[[figure]]
name = "distance"
x = "topology.random-regular.seed"
y = "route.switch_mean_distance"
at = { routing.tree = "bfs" }
[expect]
outcome = "drained"
"sweep.statistics.BFS R1.slower.max" = 1
"sweep.points.DFS/2.route.switch_mean_distance" = { min = 1 }
"#;

/// What is made of curves by a sweep over the same axes; two of four loads are saturated.
const CURVES: &str = r#"
[sweep]
columns = [
    "throughput_flits_per_cycle_per_host", "points.*.latency_mean_ns", "points.*.saturated",
    "points.*.accepted_flits_per_cycle_per_host",
]
statistics-over = ["topology.random-regular.seed"]
nearest = "gain"
[[sweep.ratios]]
name = "gain"
column = "throughput_flits_per_cycle_per_host"
over = { routing = "BFS R1" }
[[sweep.ratios]]
name = "slower.*"
column = "points.*.latency_mean_ns"
over = { routing = "BFS R1" }
[[figure]]
name = "latency"
x = "points.*.accepted_flits_per_cycle_per_host"
y = "points.*.latency_mean_ns"
lines = "routing"
nearest = true
[expect]
outcome = "saturated"
"sweep.statistics.DFS.slower.*.min" = { min = 0.1 }
"sweep.points.*.gain" = { max = 9 }
"#;

/// The axes of the sweep.
fn axes() -> &'static str {
    let from = SWEEP.find("[[sweep.axes]]").unwrap();
    SWEEP[from..].split("[[reference]]").next().unwrap()
}

struct Room(tempfile::TempDir);

impl Room {
    fn new(text: &str) -> Room {
        let room = tempfile::tempdir().unwrap();
        fs::write(room.path().join("s.toml"), text).unwrap();
        Room(room)
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    /// Runs to the exit code `code`; gives stdout and stderr.
    fn ends(&self, arguments: &str, threads: &str, code: i32) -> (String, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_simnet"));
        command.args(arguments.split_whitespace()).current_dir(self.path());
        let output = command.env_remove("SIMNET_LOG").env("RAYON_NUM_THREADS", threads).output().unwrap();
        let out = String::from_utf8(output.stdout).unwrap();
        let err = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{arguments}: {out}{err}");
        assert!(!err.contains("panicked"), "{arguments}: {err}");
        (out, err)
    }

    fn text(&self, file: &str) -> String {
        fs::read_to_string(self.path().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
    }

    fn csv(&self, file: &str) -> Csv {
        Csv::parse(&self.text(file))
    }

    fn json(&self, file: &str) -> Value {
        serde_json::from_str(&self.text(file)).unwrap()
    }
}

/// The files of a folder but for the manifest, with their contents.
fn contents(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    let files =
        entries.map(|entry| (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap()));
    let mut files: Vec<_> = files.filter(|(name, _)| name != "manifest.json").collect();
    files.sort();
    files
}

/// Wrong if a point were another run than the same scenario alone, or a number were made of other points.
#[test]
fn the_table_is_that_of_the_runs_one_by_one() {
    let room = Room::new(SWEEP);
    let (out, err) = room.ends("run s.toml --out all", "2", 0);
    assert!(
        out.starts_with("small, seed 7: 6 points over routing, routing.tree, routing.root, ")
            && err.is_empty(),
        "{out}{err}"
    );
    let (points, curves) = (room.csv("all/points.csv"), room.csv("all/curves.csv"));
    let header =
        ["point", "key", "routing", "routing.tree", "routing.root", "topology.random-regular.seed", "seed"];
    assert_eq!(points.columns[..7], header);
    assert_eq!((points.records().count(), curves.records().count()), (6, 12));

    let alone = SWEEP.split("[sweep]").next().unwrap();
    fs::write(room.path().join("alone.toml"), alone).unwrap();
    let mut latencies = Vec::new();
    for (nth, row) in points.records().enumerate() {
        let sets = ["routing.tree", "routing.root", "topology.random-regular.seed"];
        let sets = sets.map(|key| format!("--set {key}={}", row.text(key))).join(" ");
        room.ends(&format!("run alone.toml --out one{nth} {sets}"), "2", 0);
        let one = room.json(&format!("one{nth}/summary.json"));
        for (column, pointer) in [
            ("outcome", "/outcome"),
            ("route.switch_mean_distance", "/route/switch_mean_distance"),
            ("points.1.latency_mean_ns", "/points/1/latency_mean_ns"),
        ] {
            let wanted = one.pointer(pointer).unwrap();
            let wanted = wanted.as_str().map_or_else(|| wanted.to_string(), str::to_owned);
            assert_eq!(row.text(column), wanted, "{column} of {nth}");
        }
        for position in 0..2 {
            let curve = curves.records().nth(nth * 2 + position).unwrap();
            assert_eq!(curve.number("points.*.load"), one["points"][position]["load"].as_f64());
            assert_eq!(
                curve.number("points.*.latency_mean_ns"),
                one["points"][position]["latency_mean_ns"].as_f64()
            );
        }
        latencies.push(one["points"][1]["latency_mean_ns"].as_f64().unwrap());
    }
    let ratio = |nth: usize| points.records().nth(nth).unwrap().number("slower").unwrap();
    for nth in 0..3 {
        assert!((ratio(nth) - 1.0).abs() < 1e-12);
        assert!((ratio(nth + 3) - latencies[nth + 3] / latencies[nth]).abs() < 1e-12);
    }
}

/// Wrong if a mean, a bound or an interval were of other values, or a printed number stood with another quantity.
#[test]
fn statistics_and_printed_numbers_are_of_the_points() {
    let room = Room::new(SWEEP);
    room.ends("run s.toml --out all", "2", 0);
    let (points, statistics) = (room.csv("all/points.csv"), room.csv("all/statistics.csv"));
    let column = |routing: &str, column: &str| -> Vec<f64> {
        points.of(&[("routing", routing)]).map(|row| row.number(column).unwrap()).collect()
    };
    for routing in ["BFS R1", "DFS"] {
        for name in ["route.switch_mean_distance", "points.1.latency_mean_ns", "slower"] {
            let values = column(routing, name);
            let wanted = [("routing", routing), ("column", name)];
            let row = statistics.of(&wanted).next().unwrap();
            let mean = values.iter().sum::<f64>() / 3.0;
            let deviation = (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / 2.0).sqrt();
            let near = |column: &str, wanted: f64| {
                let got = row.number(column).unwrap();
                assert!(
                    (got - wanted).abs() <= 1e-9 * wanted.abs().max(1.0),
                    "{name} {column}: {got}, not {wanted}"
                );
            };
            near("points", 3.0);
            near("mean", mean);
            near("min", values.iter().copied().fold(f64::INFINITY, f64::min));
            near("max", values.iter().copied().fold(f64::NEG_INFINITY, f64::max));
            // Student's t for two degrees of freedom.
            near("half_width", 4.302_653 * deviation / 3.0_f64.sqrt());
        }
    }
    let paper = room.csv("all/paper.csv");
    let ours = |quantity: &str, configuration: &str| {
        let wanted = [("quantity", quantity), ("configuration", configuration)];
        paper.of(&wanted).next().unwrap().number("ours").unwrap()
    };
    let (bfs, dfs) =
        (column("BFS R1", "route.switch_mean_distance"), column("DFS", "route.switch_mean_distance"));
    assert!((ours("average distance", "BFS R1; 16 switches") - bfs.iter().sum::<f64>() / 3.0).abs() < 1e-12);
    assert!((ours("average distance", "BFS R1; 32 switches") - dfs[1]).abs() < 1e-12);
    let most = bfs.iter().copied().fold(0.0, f64::max);
    assert!((ours("crossing paths", "BFS R1; 16 switches") - 2.0 * most).abs() < 1e-12);
    assert_eq!(paper.records().count(), 4);
    let summary = room.json("all/summary.json");
    assert_eq!(summary["sweep"]["paper"].as_array().unwrap().len(), 4);
    assert_eq!((&summary["sweep"]["count"], &summary["sweep"]["failed"]), (&6.into(), &0.into()));
    let svg = room.text("all/latency.svg");
    assert!(svg.contains("BFS R1") && svg.contains("DFS"), "a line for each routing");
    assert!(room.text("all/README.md").contains("Two ways to route on three networks"));
}

/// Wrong if throughput, a ratio of curves or the nearest network did not follow from the loads of single points.
#[test]
fn curves_are_divided_and_the_nearest_network_is_found() {
    let text = SWEEP.split("[sweep]").next().unwrap().replace("[0.02, 0.05]", "[0.02, 0.05, 0.9, 0.95]");
    let text = text + CURVES + axes();
    let room = Room::new(&text);
    room.ends("run s.toml --out all", "2", 0);
    let [points, curves, statistics] =
        ["points", "curves", "statistics"].map(|name| room.csv(&format!("all/{name}.csv")));
    let (mut gains, mut firsts) = (Vec::new(), Vec::new());
    for row in points.records() {
        let own = [
            ("routing", row.text("routing")),
            ("topology.random-regular.seed", row.text("topology.random-regular.seed")),
        ];
        let base = [("routing", "BFS R1"), own[1]];
        let mut throughput = 0.0_f64;
        for load in curves.of(&own) {
            let accepted = load.number("points.*.accepted_flits_per_cycle_per_host").unwrap();
            throughput = throughput.max(accepted);
            if load.text("points.*.saturated") == "true" {
                break;
            }
        }
        assert_eq!(row.number("throughput_flits_per_cycle_per_host"), Some(throughput));
        for (load, other) in curves.of(&own).zip(curves.of(&base)) {
            let is_sure = [&load, &other].iter().all(|load| load.text("points.*.saturated") == "false");
            let [own, other] = [&load, &other].map(|load| load.number("points.*.latency_mean_ns"));
            let ratio = own.zip(other).map(|(own, other)| own / other).filter(|_| is_sure);
            assert_eq!(load.number("slower.*"), ratio);
        }
        gains.push(row.number("gain").unwrap());
        firsts.push(curves.of(&own).next().unwrap().number("slower.*").unwrap());
    }
    assert!(curves.records().any(|load| load.text("points.*.saturated") == "true"), "nothing is left out");
    let mean = firsts[3..].iter().sum::<f64>() / 3.0;
    let row = |column: &str| {
        statistics.of(&[("routing", "DFS"), ("column", column)]).next().and_then(|row| row.number("mean"))
    };
    assert!((row("slower.0").unwrap() - mean).abs() < 1e-12 && row("slower.3").is_none());
    let mean = gains[3..].iter().sum::<f64>() / 3.0;
    let away = |nth: usize| (gains[3 + nth] - mean).abs();
    let nearest = (0..3).min_by(|a, b| away(*a).total_cmp(&away(*b))).unwrap();
    assert_eq!(room.json("all/summary.json")["sweep"]["nearest"], (nearest + 1).to_string());
    let drawn = room.text("all/latency.svg");
    let pinned =
        text.replace("nearest = true", &format!("at = {{ topology.random-regular.seed = {} }}", nearest + 1));
    fs::write(room.path().join("pinned.toml"), pinned).unwrap();
    room.ends("run pinned.toml --out pinned", "2", 0);
    assert!(drawn == room.text("pinned/latency.svg") && drawn.contains("BFS R1"));

    let unmet = text.replace("{ max = 9 }", "{ max = 0.5 }");
    fs::write(room.path().join("unmet.toml"), unmet).unwrap();
    let (_, err) = room.ends("run unmet.toml --out unmet", "2", 1);
    assert!(err.contains("`sweep.points.BFS R1/1.gain` is 1"), "{err}");
}

/// Wrong if threads, or shards in between, changed a byte.
#[test]
fn the_bytes_are_the_same_however_it_was_run() {
    let room = Room::new(SWEEP);
    room.ends("run s.toml --out one", "1", 0);
    room.ends("run s.toml --out two", "2", 0);
    assert_eq!(contents(&room.path().join("one")), contents(&room.path().join("two")));
    room.ends("sweep run s.toml --out shards", "2", 0);
    assert_eq!(contents(&room.path().join("one")), contents(&room.path().join("shards/evaluation")));
    room.ends("sweep run s.toml --out shards", "2", 0);
    // The table in the shards' folder has what any sweep's has.
    let own = room.csv("shards/points.csv");
    let (theirs, place) = (room.csv("one/points.csv"), "points.1.latency_mean_ns");
    assert!(
        own.records()
            .zip(theirs.records())
            .all(|(a, b)| a.text("key") == b.text("key") && a.text(place) == b.text(place))
    );
    let (out, _) = room.ends("run s.toml --out quick --quick --format json", "2", 0);
    assert_eq!(serde_json::from_str::<Value>(&out).unwrap()["sweep"]["quick"], true);
    room.ends("report one --out one.html", "2", 0);
}

/// Wrong if a failure, a broken expectation or a foreign folder went unnoticed, or an included file's expectations were
/// those of the sweep.
#[test]
fn how_it_ends_is_said() {
    let room = Room::new(&SWEEP.replace("{ min = 1 }", "{ min = 100 }"));
    let (_, err) = room.ends("run s.toml --out broken", "2", 1);
    assert!(
        err.contains("`sweep.points.DFS/2.route.switch_mean_distance`") && err.contains("at least 100"),
        "{err}"
    );
    let (_, err) = room.ends("sweep run s.toml --out shards", "2", 1);
    assert!(err.contains("at least 100"), "{err}");
    let (_, err) = room.ends("run s.toml --out traced --trace t.ndjson", "2", 2);
    assert!(err.contains("single run"), "{err}");
    fs::create_dir(room.path().join("mine")).unwrap();
    fs::write(room.path().join("mine/notes.txt"), "mine").unwrap();
    room.ends("run s.toml --out mine", "2", 7);
    assert_eq!(room.text("mine/notes.txt"), "mine");
    // What would be in the way of the last step is reported before the first.
    fs::create_dir_all(room.path().join("theirs/evaluation")).unwrap();
    fs::write(room.path().join("theirs/evaluation/notes.txt"), "mine").unwrap();
    room.ends("sweep run s.toml --out theirs", "2", 7);
    assert_eq!(room.text("theirs/evaluation/notes.txt"), "mine");
    assert!(!room.path().join("theirs/shards").exists(), "points were computed for nothing");

    fs::write(
        room.path().join("base.toml"),
        SWEEP.split("[sweep]").next().unwrap().to_owned() + "[expect]\nx = 3\n",
    )
    .unwrap();
    let including = "include = \"base.toml\"\nscenario.name = \"other\"\n[sweep]\nseeds = [1, 2]\nstatistics-over = [\"seed\"]\n";
    fs::write(room.path().join("i.toml"), including).unwrap();
    room.ends("run i.toml --out included", "2", 0);
    assert!(room.text("included/statistics.csv").starts_with("column,points,mean,"));
    let (_, err) = room.ends("run i.toml --out included --set expect.outcome=horizon", "2", 1);
    assert!(err.contains("`outcome`"), "{err}");

    let failing = "include = \"base.toml\"\nscenario.name = \"f\"\n[[sweep.axes]]\nfabric.go = [\"40 B\", \"60 B\"]\n[[sweep.axes]]\nfabric.stop = [\"56 B\", \"64 B\"]\n";
    fs::write(room.path().join("f.toml"), failing).unwrap();
    let (_, err) = room.ends("run f.toml --out failing", "2", 6);
    assert!(err.contains("1 point failed"), "{err}");
    assert_eq!(room.csv("failing/points.csv").of(&[("status", "failed")]).count(), 1);
}

/// Wrong if a fault of the keys went unnoticed, or stood elsewhere.
#[test]
fn faults_are_told_with_their_places() {
    let cases: &[(&str, &str, &[&str])] = &[
        ("labels = [\"BFS R1\", \"DFS\"]", "labels = [\"BFS R1\"]", &["lock-step", "1 labels for 2 values"]),
        ("labels = [\"BFS R1\", \"DFS\"]", "labels = [\"DFS\", \"DFS\"]", &["conflict", "there twice"]),
        ("labels = [\"BFS R1\", \"DFS\"]", "labels = 3", &["wrong-type", "labels"]),
        ("labels = [\"BFS R1\", \"DFS\"]", "", &["missing-key", "`labels`"]),
        ("name = \"routing\"", "name = \"seed\"", &["conflict", "`seed` already"]),
        ("name = \"routing\"", "name = \"a.b\"", &["bad-name"]),
        ("name = \"routing\"", "name = 3", &["wrong-type", "expected a text"]),
        ("over = { routing = \"BFS R1\" }", "over = { routing = \"BFS R3\" }", &["unknown-cell", "BFS R1"]),
        ("over = { routing = \"BFS R1\" }", "over = { ruoting = \"DFS\" }", &["unknown-axis", "`routing`"]),
        ("over = { routing = \"BFS R1\" }", "over = {}", &["empty-list"]),
        ("over = { routing = \"BFS R1\" }", "over = { routing = [1] }", &["wrong-type"]),
        ("name = \"slower\"", "name = \"outcome\"", &["conflict", "`outcome` already"]),
        (
            "column = \"points.1.latency_mean_ns\"",
            "column = \"points.1.latency\"",
            &["unknown-column", "points.1.latency_mean_ns"],
        ),
        (
            "statistics-over = [\"topology",
            "statistics-over = [\"topolgy",
            &["unknown-axis", "topology.random-regular.seed"],
        ),
        ("name = \"slower\"", "name = \"slower.*\"", &["conflict", "`*`"]),
        ("statistics-over = [", "nearest = \"slowr\"\nstatistics-over = [", &["unknown-column", "slower"]),
        (
            "statistics-over = [",
            "nearest = \"points.*.load\"\nstatistics-over = [",
            &["conflict", "without `*`"],
        ),
        (
            "statistics-over = [\"topology.random-regular.seed\"]",
            "nearest = \"slower\"",
            &["missing-key", "`statistics-over`"],
        ),
        ("spread = true", "nearest = true", &["missing-key", "`nearest` in [sweep]"]),
        ("paper = \"004\"", "paper = \"044\"", &["unknown-reference", "004"]),
        ("figure = \"Table1\"", "figure = \"Table2\"", &["unknown-reference", "Table1"]),
        ("\"crossing paths\" =", "\"crossing path\" =", &["unknown-reference", "crossing paths"]),
        ("\"BFS R1; 16 switches\" =", "\"BFS R1; 17 switches\" =", &["unknown-reference", "16 switches"]),
        ("statistic = \"max\"", "statistic = \"most\"", &["unknown-choice", "max"]),
        ("name = \"distance\"", "name = \"latency\"", &["conflict", "two figures"]),
        ("name = \"distance\"", "name = \"../x\"", &["bad-name"]),
        ("lines = \"routing\"", "lines = \"rooting\"", &["unknown-axis", "routing"]),
        ("x = \"points.*.load\"", "x = \"outcome\"", &["conflict", "`*`"]),
        ("y = \"route.switch_mean_distance\"", "y = \"route.switch_distance\"", &["unknown-column"]),
        ("spread = true", "bands = true", &["unknown-key", "spread"]),
    ];
    for (text, put, wanted) in cases {
        assert!(SWEEP.contains(text), "{text}");
        let room = Room::new(&SWEEP.replacen(text, put, 1));
        let (_, err) = room.ends("check s.toml", "2", 3);
        for part in *wanted {
            assert!(err.contains(part), "{put} lacks {part}: {err}");
        }
        assert!(err.contains("s.toml:"), "{err}");
    }
    let room = Room::new(&SWEEP.replace("[sweep]", "[measure.x]"));
    room.ends("check s.toml", "2", 3);
    let alone = SWEEP.split("[sweep]").next().unwrap().to_owned()
        + "[[figure]]\nname = \"f\"\nx = \"a\"\ny = \"b\"\n";
    let (_, err) = Room::new(&alone).ends("run s.toml", "2", 3);
    assert!(err.contains("missing-section") && err.contains("[[figure]] without [sweep]"), "{err}");
}

/// Wrong if results without a manifest, which nothing lists, were replaced because their page says who wrote it.
#[test]
fn results_without_a_manifest_are_not_replaced() {
    let room = Room::new(SWEEP);
    room.ends("run s.toml --out all --quiet", "2", 0);
    room.ends("run s.toml --out all --quiet", "2", 0);
    fs::remove_file(room.path().join("all/manifest.json")).unwrap();
    room.ends("run s.toml --out all --quiet", "2", 7);
    assert!(room.path().join("all/README.md").exists());
}

/// Wrong if the committed throughputs of sancho2000 at 64 switches fell below what its depth-first trees gain: the
/// scenario itself expects less, since it is also run with two of its ten networks.
#[test]
fn committed_results_have_the_gain_of_depth_first_trees() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("results/sancho2000/fig3-64/data.csv");
    let table = Csv::parse(&fs::read_to_string(file).unwrap());
    let gain = |routing: &str| -> f64 {
        let wanted = [("quantity", "throughput over UD_BFS1"), ("configuration", routing)];
        let row = table.of(&wanted).next().unwrap();
        row.number("ours").unwrap()
    };
    assert!(gain("UD_DFS2") >= 2.2, "{}", gain("UD_DFS2"));
    assert!((1.5..1.7).contains(&gain("UD_BFS2")), "{}", gain("UD_BFS2"));
}
