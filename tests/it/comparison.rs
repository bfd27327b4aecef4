//! Comparisons: what their members are, what is made of them, and what is refused.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;
use simnet::scenario::{Overrides, read};

const SMALL: &str = r#"
[scenario]
name = "papers/small"
seed = 3
[topology.random-regular]
switches = 8
degree = 3
hosts-per-switch = 2
seed = 5
[comparison]
networks = 3
base = "breadth"
[[comparison.references]]
paper = "004"
figure = "Table1"
quantity = "average distance"
configuration = "BFS R1; 16 switches"
ours = "switch-mean-distance"
routing = "breadth" # the only size needs no name
[[comparison.references]]
paper = "004"
figure = "Fig3/4 or 5.1 text"
quantity = "throughput gain UD_BFS2 over UD_BFS1"
configuration = "16 switches"
ours = "throughput"
routing = "depth"
over = "breadth"
of = "max"
[[comparison.routings]]
name = "depth"
algorithm = "updown"
tree = "dfs"
root = "r2"
[[comparison.routings]]
name = "breadth"
algorithm = "updown"
root = "r1"
[traffic.uniform]
payload = "32 B"
loads = [0.01, 0.05, 0.2]
[measure]
warmup = "50 us"
duration = "300 us"
horizon = "500 us"
"#;

/// Runs a scenario in a room of its own and gives the files of its folder.
fn run(text: &str, more: &[&str], threads: &str) -> (Output, BTreeMap<String, String>) {
    let room = tempfile::tempdir().unwrap();
    fs::write(room.path().join("s.toml"), text).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_simnet"));
    command.args(["run", "s.toml", "--quiet", "--out", "out"]).args(more).current_dir(room.path());
    let output = command.env("RAYON_NUM_THREADS", threads).output().unwrap();
    let entries =
        fs::read_dir(room.path().join("out")).into_iter().flatten().map(|entry| entry.unwrap().path());
    let name = |path: &Path| path.file_name().unwrap().to_str().unwrap().to_owned();
    (output, entries.map(|path| (name(&path), fs::read_to_string(&path).unwrap())).collect())
}

fn rows(csv: &str) -> Vec<Vec<String>> {
    csv.lines().skip(1).map(|line| line.split(',').map(str::to_owned).collect()).collect()
}

/// Wrong if a member were something else than the same scenario run alone, or stood at another's place.
#[test]
fn members_are_ordinary_runs() {
    let (output, files) = run(SMALL, &[], "2");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let points = rows(&files["points.csv"]);
    assert_eq!(points.len(), 3 * 2 * 3);
    let from = SMALL.find("[comparison]").unwrap();
    let to = SMALL.find("[traffic.uniform]").unwrap();
    let routings = [("depth", "tree = 'dfs'\nroot = 'r2'\n"), ("breadth", "root = 'r1'\n")];
    let each = (5..8).flat_map(|seed| routings.map(|routing| (seed, routing)));
    for (nth, (seed, (name, keys))) in each.enumerate() {
        let alone = format!("{}[routing]\nalgorithm = 'updown'\n{keys}{}", &SMALL[..from], &SMALL[to..]);
        let seed_key = format!("topology.random-regular.seed={seed}");
        let (output, own) = run(&alone, &["--set", &seed_key], "2");
        assert!(output.status.success());
        let summary: Value = serde_json::from_str(&own["summary.json"]).unwrap();
        for (load, point) in summary["points"].as_array().unwrap().iter().enumerate() {
            let row = &points[nth * 3 + load];
            assert_eq!(row[..3], ["8".to_owned(), seed.to_string(), name.to_owned()]);
            for (column, key) in [
                (3, "load"),
                (5, "accepted_flits_per_cycle_per_host"),
                (7, "latency_mean_ns"),
                (13, "messages"),
            ] {
                let wanted = point[key].as_f64();
                let (own, wanted) = (row[column].parse::<f64>().unwrap(), wanted.unwrap());
                assert!((own - wanted).abs() <= 1e-12 * wanted, "{name}, seed {seed}: {key}");
            }
        }
    }
}

/// Wrong if a ratio, a mean, a gain or a deviation did not follow from the tables of single networks.
#[test]
fn ratios_and_deviations_follow_from_the_rows() {
    let (_, files) = run(SMALL, &[], "2");
    let summary: Value = serde_json::from_str(&files["summary.json"]).unwrap();
    let saturation = rows(&files["saturation.csv"]);
    let single: Vec<f64> = saturation[..6].iter().map(|row| row[3].parse().unwrap()).collect();
    let points = rows(&files["points.csv"]);
    for (nth, throughput) in single.iter().enumerate() {
        let own = &points[nth * 3..nth * 3 + 3];
        let counted = own.iter().position(|row| row[14] == "true").map_or(3, |first| first + 1);
        let accepted = own[..counted].iter().map(|row| row[5].parse::<f64>().unwrap());
        assert_eq!(accepted.reduce(f64::max), Some(*throughput));
    }
    let ratios: Vec<f64> = single.chunks(2).map(|pair| pair[0] / pair[1]).collect();
    let mean = ratios.iter().sum::<f64>() / 3.0;
    let max = ratios.iter().copied().reduce(f64::max).unwrap();
    let comparison = &summary["comparison"];
    let over = &comparison["sizes"]["8"]["routings"]["depth"]["over"]["breadth"]["throughput"];
    assert!((over["mean"].as_f64().unwrap() - mean).abs() < 1e-12 && over["max"] == max, "{over}");
    let paper = &comparison["paper"];
    assert!((paper[1]["ours"].as_f64().unwrap() - (max - 1.0) * 100.0).abs() < 1e-9);
    assert!((paper[1]["deviation_percent"].as_f64().unwrap() - (max / 1.2 - 1.0) * 100.0).abs() < 1e-9);
    let routes = rows(&files["routes.csv"]);
    let distances =
        routes[..6].iter().filter(|row| row[2] == "breadth").map(|row| row[4].parse::<f64>().unwrap());
    let distance = distances.sum::<f64>() / 3.0;
    assert!((paper[0]["ours"].as_f64().unwrap() - distance).abs() < 1e-12);
    assert_eq!(paper[0]["printed"], 2.208);
    assert_eq!(rows(&files["paper.csv"]).len(), 2);
    let nearest = usize::try_from(comparison["sizes"]["8"]["nearest"].as_u64().unwrap()).unwrap();
    assert!(ratios.iter().all(|ratio| (ratio - mean).abs() >= (ratios[nearest] - mean).abs()));
}

/// Wrong if threads changed a byte, or `--quick` did not spare networks and loads.
#[test]
fn threads_change_no_byte_and_quick_is_less() {
    let (_, one) = run(SMALL, &["--quick"], "1");
    let (_, four) = run(SMALL, &["--quick"], "4");
    assert_eq!(one.keys().collect::<Vec<_>>(), four.keys().collect::<Vec<_>>());
    for (name, text) in one.iter().filter(|(name, _)| *name != "manifest.json") {
        assert!(*text == four[name], "{name} differs");
    }
    let points = rows(&one["points.csv"]);
    assert_eq!(points.len(), 2 * 2);
    assert!(points.iter().all(|row| row[3] == "0.2"), "the last load of three");
}

/// Wrong if routes alone could not be compared over several sizes.
#[test]
fn routes_alone_are_compared_over_sizes() {
    let from = SMALL.find("[traffic.uniform]").unwrap();
    let text = SMALL[..from].replace("networks = 3", "networks = 2\nswitches = [16, 4]");
    let text = text.replace("routing = \"", "switches = 16\nrouting = \"");
    let (output, files) = run(&text, &["--format", "json"], "2");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(!files.contains_key("points.csv") && !files.contains_key("saturation.csv"));
    let routes = rows(&files["routes.csv"]);
    let sizes: Vec<&str> = routes.iter().map(|row| row[0].as_str()).collect();
    assert_eq!(sizes, ["16", "16", "16", "16", "4", "4", "4", "4", "16", "16", "4", "4"]);
    let summary: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(summary["comparison"]["sizes"]["4"]["routings"]["depth"]["crossing_paths"]["mean"].is_number());
    assert!(summary["comparison"]["paper"][1]["ours"].is_null(), "no traffic, no throughput");
}

/// Wrong if results without a manifest, which nothing lists, were replaced because their page says who wrote it.
#[test]
fn results_without_a_manifest_are_not_replaced() {
    let room = tempfile::tempdir().unwrap();
    fs::write(room.path().join("s.toml"), SMALL).unwrap();
    let again = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_simnet"));
        command.args(["run", "s.toml", "--quiet", "--quick"]).current_dir(room.path()).output().unwrap()
    };
    assert!(again().status.success());
    assert!(again().status.success());
    let place = room.path().join("results/papers/small");
    fs::remove_file(place.join("manifest.json")).unwrap();
    assert_eq!(again().status.code(), Some(7));
    assert!(place.join("README.md").exists());
}

/// Wrong if two files that mean the same had other hashes, or networks or routings did not matter to it.
#[test]
fn the_hash_covers_every_member() {
    let hash = |text: &str| read("s.toml", text.as_bytes(), &Overrides::default()).unwrap().identity;
    let own = hash(SMALL);
    assert_eq!(own, hash(&SMALL.replace("root = \"r1\"", "root = \"r1\"\ntree = \"bfs\"")));
    for (from, to) in [
        ("networks = 3", "networks = 2"),
        ("root = \"r1\"", "root = \"r0\""),
        ("of = \"max\"", "of = \"min\""),
        ("base = \"breadth\"", "base = \"depth\""),
    ] {
        assert_ne!(own, hash(&SMALL.replace(from, to)), "{to}");
    }
}

/// Wrong if a trace could be asked of a run that is many.
#[test]
fn a_comparison_is_not_traced() {
    let (output, files) = run(SMALL, &["--trace", "t.ndjson"], "2");
    assert_eq!((output.status.code(), files.len()), (Some(2), 0));
}

/// Wrong if the committed throughputs of sancho2000 at 64 switches fell below what its depth-first trees gain: the
/// scenario itself expects less, since it is also run with two of its ten networks.
#[test]
fn committed_results_have_the_gain_of_depth_first_trees() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("results/sancho2000/fig3-64/data.csv");
    let table = simnet::figures::Csv::parse(&fs::read_to_string(file).unwrap());
    let gain = |routing: &str| -> f64 {
        let wanted = [("quantity", "throughput over UD_BFS1"), ("configuration", routing)];
        let row = table.of(&wanted).next().unwrap();
        row.number("ours").unwrap()
    };
    assert!(gain("UD_DFS2") >= 2.2, "{}", gain("UD_DFS2"));
    assert!((1.5..1.7).contains(&gain("UD_BFS2")), "{}", gain("UD_BFS2"));
}
