//! Runs that cannot come to what they are to measure: they end, say so, and count nothing twice.

use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};

use simnet::scenario::{Checked, Overrides, read};
use simnet::simulation::{self, Run};

use support_network::cases;

fn checked(text: &str) -> Checked {
    read("s.toml", text.as_bytes(), &Overrides::default())
        .unwrap_or_else(|refusal| panic!("{refusal}\n{text}"))
}

fn run(checked: &Checked) -> (Run, Value) {
    let run = simulation::run(checked, &(), None).unwrap();
    let value = serde_json::to_value(&run.summary).unwrap();
    (run, value)
}

fn traffic(topology: &str, payload: &str, load: &str, measure: &str) -> String {
    format!(
        "[scenario]\nname = \"x\"\n{topology}\n[routing]\nalgorithm = \"updown\"\n[traffic.uniform]\n\
         payload = \"{payload}\"\nloads = [{load}]\n[measure]\n{measure}\n"
    )
}

const TORUS: &str = "[topology.torus]\nx = 3\ny = 3";
const STAR: &str = "[topology.star]\nleaves = 4\nhosts-per-switch = 2";
const FAT_TREE: &str = "[topology.fat-tree]\narity = 2\nlevels = 3";

/// Wrong if the clock's end passed for the time of a mapping, in whatever is printed or written of it.
#[test]
fn a_mapping_beyond_the_clock_has_no_time() {
    let room = tempfile::tempdir().unwrap();
    let mapping = "[mapping]\nmapper = \"h0\"\nprobe-timeout = \"9000000 s\"\n";
    let one =
        format!("[scenario]\nname = \"one\"\n[topology.ring]\nswitches = 4\nhosts-per-switch = 1\n{mapping}");
    let many = one.replace("\"one\"", "\"many\"") + "jitter = \"1 %\"\n[sweep]\nrepetitions = 2\n";
    let simnet = |arguments: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_simnet"));
        let output = command.args(arguments).current_dir(room.path()).output().unwrap();
        String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap()
    };
    std::fs::write(room.path().join("one.toml"), one).unwrap();
    std::fs::write(room.path().join("many.toml"), many).unwrap();
    simnet(&["topo", "generate", "ring", "--switches", "4", "--hosts-per-switch", "1", "--out", "net.json"]);
    let mut texts = vec![
        simnet(&["map", "net.json", "--mapper", "h0", "--probe-timeout", "9000000 s"]),
        simnet(&["run", "one.toml", "--out", "one"]),
        simnet(&["run", "many.toml", "--out", "many"]),
    ];
    assert!(texts[..2].iter().all(|text| text.contains("more than 213 days")), "{texts:#?}");
    for folder in ["one", "many"] {
        let summary = std::fs::read_to_string(room.path().join(folder).join("summary.json")).unwrap();
        assert!(summary.contains("\"outcome\": \"horizon\""), "{folder}: {summary}");
        for entry in std::fs::read_dir(room.path().join(folder)).unwrap() {
            let path = entry.unwrap().path();
            // Its steps are stamped with the clock as it stood, and are no times that were measured.
            let is_told = path.file_name().is_some_and(|name| name != "growth-steps.csv");
            texts.extend(is_told.then(|| std::fs::read_to_string(&path).unwrap()));
        }
    }
    // 2^64 ps in milliseconds, however it is rounded.
    assert!(
        texts.iter().all(|text| !text.contains("1844674407") && !text.contains("1.844674407")),
        "{texts:#?}"
    );
}

/// Wrong if a load whose messages come too seldom ran for ever, or the clock's end passed for a measured time.
#[test]
fn a_point_beyond_the_clock_ends_at_its_horizon() {
    for (topology, payload, load, measure) in [
        (TORUS, "64 B", "1e-14", ""),
        (STAR, "1 B", "1e-300", "messages = 100"),
        (STAR, "1 GiB", "1e-4", ""),
        (FAT_TREE, "4294901760 B", "1e-3", "messages = 8000"),
        (TORUS, "64 B", "1e-12", "precision = 0.05"),
        (STAR, "64 B", "1e-13", "warmup = \"1 s\"\nmessages = 10000"),
    ] {
        let text = traffic(topology, payload, load, measure);
        let checked = checked(&text);
        let warned = checked.warnings.concat();
        assert!(warned.contains("beyond-clock") && warned.contains("213 days"), "{text}\n{warned}");
        let (run, summary) = run(&checked);
        assert_eq!(summary["outcome"], "horizon", "{text}");
        let point = &summary["points"][0];
        assert_eq!(point["state"], "not-converged", "{point}");
        assert!(point["reason"].as_str().unwrap().contains("213 days"), "{point}");
        assert!(point["measured_ms"].is_null(), "{point}");
        let all = run.files.iter().map(|(_, text)| text.as_str()).collect::<String>() + &summary.to_string();
        assert!(!all.contains("18446744"), "{text}\n{summary}");
    }
}

/// Wrong if a horizon that comes before the measurement is over passed for its end.
#[test]
fn a_horizon_that_cuts_the_window_is_told() {
    let checked =
        checked(&traffic(TORUS, "64 B", "0.01", "warmup = \"1 us\"\nmessages = 10000\nhorizon = \"200 us\""));
    assert!(checked.warnings.concat().contains("beyond-horizon"), "{:?}", checked.warnings);
    let (_, summary) = run(&checked);
    assert_eq!(summary["outcome"], "horizon");
    assert!(summary["points"][0]["reason"].as_str().unwrap().contains("horizon"), "{summary}");
}

/// Wrong if a point ended otherwise than its warning says, or the warning had more digits than it knows.
#[test]
fn a_warning_of_a_horizon_comes_true() {
    let mut warned = [0, 0];
    for load in ["0.02", "0.1", "0.30000000000000004", "0.9", "1"] {
        for (messages, warmup) in [(1, ""), (40, ""), (300, ""), (3_000, ""), (300, "warmup = \"20 us\"\n")] {
            for (nth, more) in ["", "precision = 0.05\n"].iter().enumerate() {
                let measure = format!("{warmup}{more}messages = {messages}\nhorizon = \"90 us\"");
                let checked = checked(&traffic(STAR, "64 B", load, &measure));
                let text = checked.warnings.concat();
                if !text.contains("beyond-horizon") {
                    continue;
                }
                warned[nth] += 1;
                let said = "unless it saturates or dies, the point ends with `horizon`";
                assert!(text.contains(said) && text.contains("90 µs"), "{text}");
                let digits = |word: &str| word.chars().filter(char::is_ascii_digit).count();
                assert!(text.lines().next().unwrap().split(' ').all(|word| digits(word) < 7), "{text}");
                let (_, summary) = run(&checked);
                let end = summary["points"][0]["end"].as_str().unwrap();
                assert!(["horizon", "saturated", "deadlocked"].contains(&end), "{load}, {measure}: {end}");
                assert_ne!(summary["points"][0]["state"], "converged", "{load}, {measure}");
            }
        }
    }
    assert!(warned.iter().all(|count| *count > 3), "{warned:?}");
}

/// Wrong if more were accepted than cables carry, or a window shorter than a message counted for something.
#[test]
fn no_window_accepts_more_than_cables_carry() {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let mut short = 0;
    for case in 0..cases(1_000) {
        let topology = [TORUS, STAR, FAT_TREE, "[topology.chain]\nswitches = 2"][rng.random_range(0..4)];
        let payload = 1_u32 << rng.random_range(0..17);
        let window = rng.random_range(1..2_000) * 100;
        let load = rng.random_range(1..=100) as f64 / 100.0;
        let measure =
            format!("warmup = \"{} ns\"\nduration = \"{window} ns\"", rng.random_range(0..100) * 1_000);
        let text = traffic(topology, &format!("{payload} B"), &load.to_string(), &measure);
        let checked = checked(&text);
        let (run, summary) = run(&checked);
        let point = &summary["points"][0];
        let accepted = point["accepted_flits_per_cycle_per_host"].as_f64().unwrap();
        assert!(accepted <= 1.0, "case {case}: {accepted}\n{text}");
        let hosts = &run.files.iter().find(|(name, _)| name == "hosts.csv").unwrap().1;
        for row in hosts.lines().skip(1) {
            let rates = row.split(',').skip(8).take(2).map(|cell| cell.parse::<f64>().unwrap());
            assert!(rates.into_iter().all(|rate| rate <= 1.0), "case {case}: {row}\n{text}");
        }
        // A flit takes 6.25 ns.
        if (window as f64) < f64::from(payload) * 6.25 - 6.25 {
            short += 1;
            assert_eq!(point["state"], "not-converged", "{text}");
            assert!(point["reason"].as_str().unwrap().contains("shorter than a message"), "{point}");
            assert!(checked.warnings.concat().contains("short-window"), "{text}");
        } else if window > 2 * u64::from(payload) * 7 {
            let reason = point["reason"].as_str().unwrap_or_default();
            assert!(!reason.contains("shorter than a message"), "{point}\n{text}");
        }
    }
    assert!(short > 3, "{short}");
}

/// Wrong if an all-gather that outlasts the clock ended with a time. Its cables are slower than the fabric would be.
#[test]
fn a_gather_beyond_the_clock_has_no_time() {
    let room = tempfile::tempdir().unwrap();
    let links = (0..8)
        .map(|nth| json!({"a": format!("h{nth}"), "a_port": 0, "b": "s", "b_port": nth, "rate": "1 b/s"}));
    let network = json!({
        "format": "simnet-topology/1", "name": "slow", "switches": [{"name": "s", "ports": 8}],
        "hosts": (0..8).map(|nth| json!({"name": format!("h{nth}")})).collect::<Vec<_>>(),
        "links": links.collect::<Vec<_>>(),
    });
    let file = room.path().join("slow.json");
    std::fs::write(&file, network.to_string()).unwrap();
    for method in ["ring", "lr1", "bruck"] {
        let text = format!(
            "[scenario]\nname = \"x\"\n[topology]\nfile = {file:?}\n[allgather]\nalgorithm = \"{method}\"\n\
             size = \"8 MiB\"\n[fabric]\nrate = \"1.28 Gb/s\"\n"
        );
        let checked = checked(&text);
        assert!(checked.warnings.concat().contains("beyond-clock"), "{:?}", checked.warnings);
        let (run, summary) = run(&checked);
        assert_eq!(summary["outcome"], "horizon", "{summary}");
        let all = run.files.iter().map(|(_, text)| text.as_str()).collect::<String>() + &summary.to_string();
        assert!(!all.contains("18446744"), "{summary}");
    }
}

/// The measured messages of every point.
fn messages(summary: &Value) -> Vec<u64> {
    summary["points"].as_array().unwrap().iter().map(|point| point["messages"].as_u64().unwrap()).collect()
}

/// Wrong if the small form of a run measured more than the whole one.
#[test]
fn the_small_form_measures_no_more() {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    for _ in 0..cases(600) {
        let topology = [TORUS, STAR, FAT_TREE][rng.random_range(0..3)];
        let count = [1, 2, 5, 19, 21, 40, 300, 3_000][rng.random_range(0..8)];
        let load = [1e-6, 0.01, 0.1, 0.4, 0.9][rng.random_range(0..5)];
        let more = ["", "precision = 0.01", "precision = 0.2", "precision = 0.9", "warmup = \"5 us\""];
        let measure = format!("messages = {count}\n{}", more[rng.random_range(0..5)]);
        let text = traffic(topology, "32 B", &load.to_string(), &measure);
        let whole = checked(&text);
        let small = whole.clone().quick();
        assert!(small.measure.precision >= whole.measure.precision, "{text}");
        let (whole, small) = (messages(&run(&whole).1), messages(&run(&small).1));
        assert!(
            small.iter().zip(&whole).all(|(small, whole)| small <= whole),
            "{small:?} of {whole:?}\n{text}"
        );
    }
}

/// Wrong if an axis or a number of a committed scenario grew in its small form.
#[test]
fn no_scenario_grows_in_its_small_form() {
    let mut looked_at = 0;
    let mut open = vec![std::path::PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/scenarios"))];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
                continue;
            }
            if path.extension().is_none_or(|extension| extension != "toml") {
                continue;
            }
            let bytes = std::fs::read(&path).unwrap();
            let Ok(whole) = read(path.to_str().unwrap(), &bytes, &Overrides::default()) else { continue };
            let small = simnet::scenario::Estimate::of(&whole.clone().quick());
            let estimate = simnet::scenario::Estimate::of(&whole);
            let name = path.display();
            assert!(small.points <= estimate.points, "{name}: {small:?} of {estimate:?}");
            assert!(small.messages <= estimate.messages, "{name}: {small:?} of {estimate:?}");
            looked_at += 1;
        }
    }
    assert!(looked_at > 20, "{looked_at}");
}

/// The ways to lose a message, as results call them.
pub(super) const LOST: [&str; 8] = [
    "resets",
    "crc_errors",
    "link_failures",
    "illegal_turns",
    "no_such_wire",
    "host_too_soon",
    "stranded",
    "expired",
];

/// Wrong if the counts of a point did not add up: of all messages, and of those created in the window.
#[test]
fn counts_of_points_add_up() {
    let mut rng = ChaCha8Rng::seed_from_u64(9);
    for _ in 0..cases(400) {
        let topology = [TORUS, STAR, FAT_TREE][rng.random_range(0..3)];
        let load = [1e-9, 0.01, 0.2, 0.9][rng.random_range(0..4)];
        let trouble = ["", "[fabric]\nbit-error-rate = 1e-4", "[fabric]\ndeadlock-timeout = \"20 us\""];
        let measure = [
            "messages = 200",
            "warmup = \"3 us\"\nduration = \"40 us\"",
            "messages = 3000\nhorizon = \"50 us\"",
        ];
        let text = traffic(topology, "200 B", &load.to_string(), measure[rng.random_range(0..3)]);
        let text = text + trouble[rng.random_range(0..3)];
        let (run, summary) = run(&checked(&text));
        let point = &summary["points"][0];
        let number = |key: &str| point[key].as_u64().unwrap_or(0);
        let lost: u64 = LOST.iter().map(|key| number(key)).sum();
        assert_eq!(number("sent"), number("delivered") + lost + number("in_flight"), "{point}\n{text}");
        let hosts = &run.files.iter().find(|(name, _)| name == "hosts.csv").unwrap().1;
        let column = |nth: usize| -> u64 {
            hosts.lines().skip(1).map(|row| row.split(',').nth(nth).unwrap().parse::<u64>().unwrap()).sum()
        };
        let (created, delivered, lost) = (column(3), column(4), column(5));
        assert_eq!(delivered, number("messages"), "{point}\n{text}");
        assert!(delivered <= number("delivered"), "{point}\n{text}");
        let open = created - delivered - lost;
        let is_over = point["end"] == "drained";
        assert!(!is_over || open == 0, "{open} of {created} neither delivered nor lost: {point}\n{text}");
    }
}

/// Wrong if the counts of an operation did not add up.
#[test]
fn counts_of_operations_add_up() {
    for (seed, load) in [(1, 0.05), (2, 0.3), (3, 0.9)] {
        let text = format!(
            "[scenario]\nname = \"x\"\nseed = {seed}\n[topology.torus]\nx = 3\ny = 2\n[mapping]\nmapper = \"h0\"\n\
             [routing]\nalgorithm = \"updown\"\n[traffic.uniform]\npayload = \"256 B\"\nloads = [{load}]\n\
             [[failures]]\nlink = \"s0:1\"\nat = \"20 ms\"\nlasting = \"10 ms\"\n[operation]\nlength = \"60 ms\"\n"
        );
        let (_, summary) = run(&checked(&text));
        let report = &summary["operation"];
        let number = |value: &Value| value.as_u64().unwrap();
        let lost: u64 = report["losses"].as_object().unwrap().values().map(number).sum();
        let ended = number(&report["delivered"]) + lost;
        let open = number(&report["queued"]) + number(&report["in_flight"]);
        assert_eq!(number(&report["created"]), ended + open, "{report}");
        assert!(ended > 0, "{report}");
    }
}
