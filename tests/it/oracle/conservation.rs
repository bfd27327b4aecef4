//! Conservation at the level of a run: no message appears or disappears, whatever may go wrong on the way.

use std::fs;
use std::process::Command;

use serde_json::Value;

use support_network::cases;

const LOST: [&str; 7] =
    ["resets", "crc_errors", "link_failures", "illegal_turns", "no_such_wire", "host_too_soon", "stranded"];

/// Runs a scenario and gives its summary and manifest.
fn run(scenario: &str, seed: u64) -> (Value, Value) {
    let room = tempfile::tempdir().unwrap();
    fs::write(room.path().join("s.toml"), scenario).unwrap();
    fs::write(room.path().join("net.json"), NET).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_simnet"));
    command.args(["run", "s.toml", "--out", "out", "--seed", &seed.to_string()]).current_dir(room.path());
    let output = command.output().unwrap();
    let read = |name: &str| -> Value {
        let bytes = fs::read(room.path().join("out").join(name));
        let bytes = bytes.unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)));
        serde_json::from_slice(&bytes).unwrap()
    };
    (read("summary.json"), read("manifest.json"))
}

fn number(point: &Value, key: &str) -> u64 {
    point[key].as_u64().unwrap_or_else(|| panic!("no {key} in {point}"))
}

/// Cables of three rates.
const NET: &str = r#"{"format": "simnet-topology/1", "name": "three",
    "switches": [{"name": "s", "ports": 8}, {"name": "t", "ports": 8}],
    "hosts": [{"name": "a"}, {"name": "b"}, {"name": "c"}, {"name": "d"}],
    "links": [{"a": "a", "a_port": 0, "b": "s", "b_port": 0, "rate": "640 Mb/s"},
              {"a": "b", "a_port": 0, "b": "s", "b_port": 1},
              {"a": "c", "a_port": 0, "b": "t", "b_port": 0, "rate": "320 Mb/s"},
              {"a": "d", "a_port": 0, "b": "t", "b_port": 1},
              {"a": "s", "a_port": 4, "b": "t", "b_port": 4, "rate": "640 Mb/s"}]}"#;

const RING: &str = "[topology.ring]\nswitches = 6\nhosts-per-switch = 2\n";

/// Topology, what may go wrong, routing, loads; and the cause of loss that must occur, if any.
const ROWS: [(&str, &str, &str, &str, Option<&str>); 6] = [
    (RING, "", "updown", "[0.01, 0.03]", None),
    (RING, "[fabric]\nbit-error-rate = 1e-4\n", "updown", "[0.01, 0.03]", Some("crc_errors")),
    (
        RING,
        "[[failures]]\nlink = \"s1:0\"\nat = \"100 us\"\nlasting = \"300 us\"\n\
         [[failures]]\nlink = \"h3:0\"\nat = \"200 us\"\nlasting = \"50 us\"\n",
        "updown",
        "[0.02, 0.04]",
        Some("no_such_wire"),
    ),
    ("[topology]\nfile = \"net.json\"\n", "", "updown", "[0.01, 0.2]", None),
    (
        RING,
        "[hosts]\nreceive-buffer = \"256 B\"\nreceive-rate = \"320 Mb/s\"\nreceive-overhead = \"1 us\"\n",
        "updown",
        "[0.01, 0.3]",
        None,
    ),
    (RING, "[fabric]\ndeadlock-timeout = \"20 us\"\n", "minimal", "[0.05, 0.4]", Some("resets")),
];

/// Wrong if a message were counted twice, or not at all, or for another cause.
#[test]
fn what_is_sent_arrives_is_lost_for_a_cause_or_is_under_way() {
    for seed in 0..cases(60) {
        for (topology, trouble, routing, loads, cause) in ROWS {
            let scenario = format!(
                "[scenario]\nname = \"conservation\"\n{topology}{trouble}[routing]\nalgorithm = \"{routing}\"\n\
                 [traffic.uniform]\npayload = \"64 B\"\nloads = {loads}\n\
                 [measure]\nwarmup = \"50 us\"\nduration = \"1 ms\"\n"
            );
            let (summary, manifest) = run(&scenario, seed);
            let points = summary["points"].as_array().unwrap();
            let context = || format!("seed {seed}: {scenario}\n{}", summary["points"]);
            for point in points {
                let lost: u64 = LOST.iter().map(|key| number(point, key)).sum();
                let accounted = number(point, "delivered") + lost + number(point, "in_flight");
                assert_eq!(number(point, "sent"), accounted, "{}", context());
                assert!(number(point, "messages") <= number(point, "delivered"), "{}", context());
                assert_eq!(number(point, "unroutable"), 0, "{}", context());
                // Whatever a scenario does not bring about does not happen.
                let foreign = LOST.iter().filter(|key| match cause {
                    Some("no_such_wire") => !["no_such_wire", "link_failures", "resets"].contains(key),
                    other => Some(**key) != other,
                });
                assert_eq!(foreign.map(|key| number(point, key)).sum::<u64>(), 0, "{}", context());
            }
            let of_all = |key: &str| points.iter().map(|point| number(point, key)).sum::<u64>();
            assert!(cause.is_none_or(|cause| of_all(cause) > 0), "{}", context());
            assert_eq!(manifest["messages_delivered"], of_all("delivered"));
        }
    }
}

/// Wrong if accepted traffic strayed from offered traffic where nothing is lost and nothing saturates.
#[test]
fn what_is_offered_is_accepted() {
    let (topology, ..) = ROWS[0];
    let scenario = format!(
        "[scenario]\nname = \"offered\"\n{topology}[routing]\nalgorithm = \"updown\"\n\
         [traffic.uniform]\npayload = \"32 B\"\nloads = [0.005, 0.01]\n\
         [measure]\nwarmup = \"100 us\"\nmessages = 20000\n"
    );
    let (summary, _) = run(&scenario, 1);
    for point in summary["points"].as_array().unwrap() {
        let value = |key: &str| point[key].as_f64().unwrap();
        let (offered, accepted) =
            (value("offered_flits_per_cycle_per_host"), value("accepted_flits_per_cycle_per_host"));
        // 20,000 Poisson arrivals: 0.7 % standard deviation; four of it. What is under way at the ends: 1 in 1,000.
        assert!((offered / value("load") - 1.0).abs() < 0.028, "{point}");
        assert!((accepted / offered - 1.0).abs() < 0.002, "{point}");
        let bits = accepted * 12.0 * 1.28e9;
        assert!((value("accepted_bits_per_s") / bits - 1.0).abs() < 1e-9, "{point}");
    }
}
